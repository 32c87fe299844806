#include "cores.h"

#include <algorithm>
#include <numeric>

#include "core.h"
#include "json.h"

namespace akrt {

struct Cores::Lane {
  int32_t block;
  bool ended = false;
  std::unique_ptr<Machine> machine{};  // while it runs
  std::unique_ptr<Fiber> fiber{};
  CoreWait wait{};
  // Where its program stands, for messages.
  const char* last_api = "";
  Site last_site = nullptr;
};

namespace {

// "block 3", "blocks 0 to 2, 5"; "AIV 0 to 2, AIC 5" where types differ
std::string cores_text(const LaunchConfig& config, const std::vector<int32_t>& blocks) {
  if (config.split()) {
    std::string text;
    for (size_t i = 0; i < blocks.size();) {
      size_t last = i;
      while (last + 1 < blocks.size() && blocks[last + 1] == blocks[last] + 1 &&
             config.type_of(blocks[last + 1]) == config.type_of(blocks[i]))
        ++last;
      text += (i == 0 ? "" : ", ") + config.name_of(blocks[i]);
      if (last != i) text += (last == i + 1 ? ", " : " to ") + std::to_string(config.index_of(blocks[last]));
      i = last + 1;
    }
    return text;
  }
  std::string text = blocks.size() == 1 ? "block " : "blocks ";
  for (size_t i = 0; i < blocks.size();) {
    size_t last = i;
    while (last + 1 < blocks.size() && blocks[last + 1] == blocks[last] + 1) ++last;
    if (i != 0) text += ", ";
    text += std::to_string(blocks[i]);
    if (last != i) text += (last == i + 1 ? ", " : " to ") + std::to_string(blocks[last]);
    i = last + 1;
  }
  return text;
}

// Numbers of blocks, or names of cores where types differ.
std::string list(const LaunchConfig& config, const std::vector<int32_t>& cores) {
  std::string text;
  for (const int32_t n : cores)
    text += (text.empty() ? "" : ",") + (config.split() ? '"' + config.name_of(n) + '"' : std::to_string(n));
  return "[" + text + "]";
}

}  // namespace

Cores::Cores(Launch& launch) : launch_(launch), random_(launch.config().seed) {
  for (int32_t block = 0; block < launch.config().core_count(); ++block)
    lanes_.push_back(std::make_unique<Lane>(Lane{.block = block}));
}

Cores::~Cores() = default;

Core* Cores::live(int32_t block) const {
  const Lane& lane = *lanes_[static_cast<size_t>(block)];
  return lane.machine == nullptr ? nullptr : &lane.machine->core();
}

bool Cores::ended(int32_t block) const { return lanes_[static_cast<size_t>(block)]->ended; }

void Cores::shuffle(std::vector<int32_t>& order) {
  if (launch_.config().seed == 0) return;
  // Fisher-Yates by hand: std::shuffle may differ between standard libraries.
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
}

void Cores::run(const std::function<void()>& program) {
  std::vector<int32_t> order(lanes_.size());
  std::iota(order.begin(), order.end(), 0);
  while (!order.empty()) {
    shuffle(order);
    bool moved = false;
    for (const int32_t block : order) {
      Lane& lane = *lanes_[static_cast<size_t>(block)];
      if (lane.wait.ready != nullptr && !lane.wait.ready()) continue;
      turn(lane, program);
      moved = true;
    }
    std::erase_if(order, [&](int32_t block) { return lanes_[static_cast<size_t>(block)]->ended; });
    if (!moved) deadlock();
  }
}

void Cores::turn(Lane& lane, const std::function<void()>& program) {
  running_ = &lane;
  launch_.enter(lane.block, lane.last_api, lane.last_site);
  bool ended = false;
  if (lane.machine == nullptr) {
    if (idle_.empty()) idle_.push_back(std::make_unique<Fiber>());
    lane.fiber = std::move(idle_.back());
    idle_.pop_back();
    lane.machine = std::make_unique<Machine>(launch_, lane.block, launch_.config().type_of(lane.block));
    Core& core = lane.machine->core();
    ended = lane.fiber->start([&program, &core] {
      program();
      core.finish();
    });
  } else {
    lane.wait = {};
    lane.machine->enter();
    ended = lane.fiber->resume();
  }
  lane.last_api = launch_.last_api(), lane.last_site = launch_.last_site();
  if (ended) {
    lane.ended = true;
    lane.machine.reset();
    idle_.push_back(std::move(lane.fiber));
  }
  running_ = nullptr;
  launch_.enter(-1, lane.last_api, lane.last_site);
}

void Cores::await(CoreWait wait) {
  if (wait.ready()) return;
  Lane& lane = *running_;
  lane.wait = std::move(wait);
  lane.fiber->suspend();
}

void Cores::deadlock() {
  const LaunchConfig& config = launch_.config();
  // Cores that wait in one call for the same are told together.
  struct Group {
    const CoreWait* wait;
    std::vector<int32_t> blocks;
    std::vector<int32_t> lacking;
  };
  std::vector<Group> groups;
  std::vector<int32_t> ended;
  for (const auto& lane : lanes_) {
    if (lane->ended) {
      ended.push_back(lane->block);
      continue;
    }
    if (lane->wait.hangs) lane->wait.hangs();
    const CoreWait& wait = lane->wait;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.wait->site == wait.site && g.wait->what == wait.what;
    });
    if (same == groups.end()) groups.push_back({&wait, {lane->block}, wait.lacking()});
    else same->blocks.push_back(lane->block);
  }
  Finding f;
  f.code = "deadlock", f.gravity = Gravity::kFatal;
  f.api = groups[0].wait->api, f.site = groups[0].wait->site;
  if (groups.size() > 1) f.other_api = groups[1].wait->api, f.other_site = groups[1].wait->site;
  f.message = "The kernel hangs:";
  std::string waiting;
  for (size_t i = 0; i < groups.size(); ++i) {
    const Group& g = groups[i];
    f.message += std::string(i == 0 ? " " : "; ") + cores_text(config, g.blocks) + (g.blocks.size() == 1 ? " waits in " : " wait in ") +
                 g.wait->api + " for " + g.wait->what;
    if (!g.lacking.empty()) f.message += " of " + cores_text(config, g.lacking);
    JsonObject entry;
    entry.raw("blocks", list(config, g.blocks)).text("api", g.wait->api);
    entry.number("site", launch_.findings().sites().offset(g.wait->site)).raw("lacking", list(config, g.lacking));
    waiting += (waiting.empty() ? "" : ",") + entry.str();
  }
  if (!ended.empty())
    f.message += "; " + cores_text(config, ended) + (ended.size() == 1 ? " has" : " have") + " come to the end without it";
  f.message += ".";
  f.hint = "Every core that takes part has to make the same synchronising calls, equally often: no early return before "
           "one, no branch around one.";
  f.evidence = "{\"waiting\":[" + waiting + "],\"ended\":" + list(config, ended) + "}";
  launch_.findings().add(f, groups[0].blocks[0]);
  __builtin_unreachable();  // the sink of a fatal finding does not return
}

}  // namespace akrt
