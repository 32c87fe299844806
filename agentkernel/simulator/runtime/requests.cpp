// Requests from core to core: a vector core posts them behind what its MTE3 was given, the cube core of its block serves
// them until its vector cores have ended.
#include <algorithm>
#include <string>

#include "core.h"
#include "requests.h"

namespace akrt {

namespace {

constexpr const char* kServer = "REGIST_MATMUL_OBJ";

}  // namespace

Mailbox& Core::mailbox() { return launch_.cross_core().mailbox(block_); }

int64_t Core::ask_cube(MatmulRequest request) {
  const char* api = request.api;
  const Site site = request.site;
  call(api, site);
  require_resident(api, site);
  const int64_t number = mailbox().write(std::move(request));
  const uint32_t seq = ++seq_;
  if (trace_ != nullptr) trace_->signal(request_name(block_, number), pipe_name(Pipe::MTE3), api, site, block_);
  submit(Pipe::MTE3, {Kind::kPost, 0, 0, api, site, seq, hazards_.issue_clock(), clock_.scalar_now(), nullptr});
  return number;
}

void Core::post(const Entry& entry) {
  Known known = hazards_.completion(Pipe::MTE3);
  known.join(entry.issued);
  mailbox().post({hazards_.told(known), std::max(clock_.done(Pipe::MTE3), entry.time), {}});
}

void Core::await_cube(int64_t number, const char* api, Site site) {
  call(api, site);
  Mailbox& box = mailbox();
  const int32_t server = launch_.config().cube_of(launch_.config().block_of(block_));
  if (trace_ != nullptr) trace_->await({answer_name(block_, number)}, api, site, block_);
  await_cores({api, site, "the answer to request " + std::to_string(number), [&box, number] { return box.is_answered(number); },
               [server] { return std::vector<int32_t>{server}; }});
  hear({box.answer_to(number)}, cross_core_cycles(), api, site);
}

void Core::serve_vector_cores(Server& unit, Site site) {
  const LaunchConfig& config = launch_.config();
  const int32_t vectors = config.group.vectors, first = config.block_of(block_) * vectors;
  CrossCore& cross = launch_.cross_core();
  unit.open(site);
  // The one that has waited longest of those that there is room for, or -1.
  const auto next = [&] {
    int32_t chosen = -1;
    for (int32_t client = first; client < first + vectors; ++client) {
      const MatmulRequest* request = cross.mailbox(client).waiting();
      if (request == nullptr || !unit.fits(*request, client)) continue;
      if (chosen < 0 || cross.mailbox(client).waits_since() < cross.mailbox(chosen).waits_since()) chosen = client;
    }
    return chosen;
  };
  const auto running = [&] {
    std::vector<int32_t> cores;
    for (int32_t client = first; client < first + vectors; ++client)
      if (!launch_.cores().ended(client)) cores.push_back(client);
    return cores;
  };
  while (true) {
    const int32_t client = next();
    if (client < 0) {
      if (running().empty()) return;
      await_cores({kServer, site, "calls of Matmul objects", [&] { return next() >= 0 || running().empty(); }, running});
      continue;
    }
    Mailbox& box = cross.mailbox(client);
    auto [request, signal] = box.take();
    if (trace_ != nullptr) trace_->await({request_name(client, ++answered_[client])}, kServer, site, block_);
    hear({signal}, cross_core_cycles(), kServer, site);
    unit.run(request, client);
    Known known = hazards_.completion(Pipe::FIX);
    known.join(hazards_.issue_clock());
    const Pipe last = request.kind == MatmulRequest::Kind::kIterate ? Pipe::M : Pipe::FIX;
    if (last == Pipe::M) known.join(hazards_.completion(Pipe::M));
    if (trace_ != nullptr)
      trace_->signal(answer_name(client, answered_[client]), pipe_name(last), request.api, request.site, block_);
    box.answer({hazards_.told(known), std::max(clock_.done(last), clock_.scalar_now()), {}});
  }
}

std::string Core::request_name(int32_t client, int64_t number) {
  return "matmul request #" + std::to_string(number) + " of " + std::to_string(client);
}
std::string Core::answer_name(int32_t client, int64_t number) {
  return "matmul answer #" + std::to_string(number) + " to " + std::to_string(client);
}

}  // namespace akrt
