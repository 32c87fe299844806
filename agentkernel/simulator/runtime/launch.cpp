#include "launch.h"

#include <algorithm>
#include <stdexcept>

#include "core.h"
#include "json.h"

namespace akrt {

double Params::at(const std::string& name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) throw std::out_of_range("chip parameter '" + name + "' is missing from the launch file");
  return it->second;
}

std::string LaunchConfig::name_of(int32_t core) const {
  const char* type = !split() ? "block " : type_of(core) == CoreType::kVector ? "AIV " : "AIC ";
  return type + std::to_string(index_of(core));
}

uint32_t Sources::intern(const char* api, Site site) {
  const Key key{api, site};
  if (last_ != 0 && key == last_key_) return last_;
  const auto [it, fresh] = index_.try_emplace(key, static_cast<uint32_t>(all_.size()));
  if (fresh) all_.push_back({api, site});
  last_key_ = key;
  last_ = it->second;
  return last_;
}

Launch::Launch(const LaunchConfig& config, const Params& params, Sink& sink)
    : config_(config), params_(params), sink_(sink), findings_(sink, config_), clock_(config_, params_, regions_), local_memories_(params_) {}

void Launch::run(const std::function<void()>& program) {
  cores_ = std::make_unique<Cores>(*this);
  cores_->run(program);
  report_flags_left(*this);
  cores_.reset();
}

void Launch::over_limit() {
  Finding f;
  f.code = "instruction-limit", f.gravity = Gravity::kFatal, f.api = last_api_, f.site = last_site_;
  f.message = "The kernel issued more than " + std::to_string(config_.instruction_limit) + " instructions.";
  f.hint = "Look for a loop that does not end, or one that works element by element where a tile would do.";
  findings_.add(f, running_block_);
}

void Launch::report_raw_stores(const std::string& names, uint64_t bytes) {
  Finding f;
  f.code = "raw-gm-store";
  // Without the number, so that all cases have one message.
  f.message = "Values of " + names + " were stored through a raw pointer, which is neither ordered nor timed here.";
  f.hint = "Store with GlobalTensor::SetValue and DataCacheCleanAndInvalid, or DataCopy from a local tensor.";
  f.evidence = JsonObject().number("bytes", static_cast<int64_t>(bytes)).str();
  findings_.add(f, -1);
}

void Launch::finish() {
  std::string raw_names;
  uint64_t raw_bytes = 0;
  for (const auto& region : regions_.all()) {
    if (region->role != Role::kOut) continue;
    // What no instruction wrote is either untouched or was stored behind the simulator's back; words decide, because a
    // stored value may hold a byte of the poison.
    uint64_t unwritten = 0, raw = 0;
    region->shadow.visit(0, region->bytes, [&](const Cell& cell, uint64_t begin, uint64_t end) {
      if (cell.writer.tick != 0) return;
      if (count_poison(region->data() + begin, end - begin, begin) == end - begin) {
        unwritten += end - begin;
        return;
      }
      for (uint64_t at = begin; at < end;) {
        const uint64_t next = std::min(end, (at & ~uint64_t{7}) + 8);
        const uint64_t held = count_poison(region->data() + at, next - at, at);
        (held == next - at ? unwritten : raw) += next - at;
        at = next;
      }
    });
    if (raw != 0) raw_names += (raw_names.empty() ? "" : ", ") + region->name;
    raw_bytes += raw;
    if (unwritten == 0) continue;
    JsonObject record;
    record.text("t", "unwritten").text("name", region->name).number("elements_bytes", static_cast<int64_t>(unwritten));
    sink_.write(record.str());
  }
  if (raw_bytes != 0) report_raw_stores(raw_names, raw_bytes);
  findings_.finish();
  sink_.write(clock_.record());
  JsonObject end;
  end.text("t", "end").flag("completed", true).number("instructions", static_cast<int64_t>(instructions_));
  sink_.write(end.str());
}

}  // namespace akrt
