#include "findings.h"

#include "json.h"
#include "launch.h"

namespace akrt {

namespace {

const char* name(Gravity g) {
  switch (g) {
    case Gravity::kNote: return "note";
    case Gravity::kError: return "error";
    default: return "fatal";
  }
}

}  // namespace

void Findings::add(const Finding& f, int32_t core) {
  const bool fatal = f.gravity == Gravity::kFatal;
  if (!seen_.insert({f.code, f.site, f.other_site}).second && !fatal) return;
  if (written_ >= kMax && !fatal) {
    ++dropped_;
    return;
  }
  ++written_;
  write(f, core);
  if (fatal) {
    finish();
    sink_.stop();
  }
}

void Findings::print(const std::string& text, Site site, int32_t core) {
  if (printed_ >= kMax) return;
  Finding f;
  f.code = "kernel-prints", f.gravity = Gravity::kNote, f.api = "printf", f.site = site;
  f.message = ++printed_ < kMax ? text : "(more is not kept)";
  write(f, core);
}

void Findings::write(const Finding& f, int32_t core) {
  JsonObject record;
  record.text("t", "finding").text("code", f.code).text("gravity", name(f.gravity)).text("level", f.level);
  record.text("api", f.api).number("site", sites_.offset(f.site));
  if (f.other_api[0] != '\0' || f.other_site != nullptr)
    record.text("other_api", f.other_api).number("other_site", sites_.offset(f.other_site));
  record.number("core", core < 0 ? core : config_.index_of(core));
  if (core >= 0 && config_.split()) record.text("core_type", config_.type_of(core) == CoreType::kCube ? "AIC" : "AIV");
  record.text("message", f.message).text("hint", f.hint);
  record.raw("evidence", f.evidence.empty() ? "{}" : f.evidence);
  sink_.write(record.str());
}

void Findings::finish() {
  if (dropped_ == 0) return;
  JsonObject record;
  record.text("t", "finding").text("code", "more-findings").text("gravity", "note").text("level", "runtime");
  record.text("api", "").number("site", 0).number("core", 0);
  record.text("message", std::to_string(dropped_) + " further findings are not listed.").text("hint", "");
  record.raw("evidence", "{\"count\":" + std::to_string(dropped_) + "}");
  sink_.write(record.str());
  dropped_ = 0;
}

}  // namespace akrt
