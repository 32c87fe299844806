#include "machine.h"

#include <algorithm>
#include <stdexcept>

#include "akrt/abi_cube.h"
#include "core.h"

namespace akrt {

namespace {

// The C ABI has no object to call on: the running core is where its functions act. Set by Cores.
Machine* g_current = nullptr;

}  // namespace

Machine& Machine::current() { return *g_current; }

Machine::Machine(Launch& launch, int32_t block, CoreType type)
    : core_(std::make_unique<Core>(*this, launch, block, type)) {
  regs_.cube[kAkrtRepeatTimes] = 1;
  regs_.cube[kAkrtNdNum] = 1;
  g_current = this;
}

void Machine::enter() { g_current = this; }

Machine::~Machine() {
  if (g_current == this) g_current = nullptr;
}

void Machine::issue(const Instr& instr) { core_->issue(instr); }
bool Machine::touch(const Access& access) { return core_->touch(access); }
void Machine::set_flag(uint8_t event, int32_t id, const char* api, Site site) { core_->set_flag(event, id, api, site); }
void Machine::wait_flag(uint8_t event, int32_t id, const char* api, Site site) {
  core_->wait_flag(event, id, api, site);
}
void Machine::pipe_barrier(Pipe pipe, const char* api, Site site) { core_->pipe_barrier(pipe, api, site); }
void Machine::pipe_barrier_all(const char* api, Site site) { core_->pipe_barrier_all(api, site); }
int32_t Machine::fetch_event(uint8_t event, Site site) { return core_->pipe().fetch_event(event, "FetchEventID", site); }
void Machine::stall_for(Pipe pipe, const char* api, Site site) { core_->stall_for(pipe, api, site); }

Access Machine::spr(uint32_t offset, uint32_t bytes) {
  Access a;
  a.space = Space::SPR;
  a.align = 1;
  a.base = offset;
  a.piece = bytes;
  return a;
}

uint8_t* Machine::memory(Space space) const { return core_->memory().data(space); }
uint32_t Machine::capacity(Space space) const { return core_->memory().capacity(space); }
void Machine::report(const Finding& finding) { core_->report(finding); }
void Machine::fatal(Finding finding) { core_->fatal(std::move(finding)); }
double Machine::param(const char* name) const { return core_->launch().params().at(name); }
CoreType Machine::core_type() const { return core_->type(); }
int32_t Machine::block_idx() const { return core_->block(); }
int32_t Machine::block_num() const { return core_->launch().config().blocks; }
Local Machine::free_tail(uint8_t position, bool whole) const { return core_->pipe().free_tail(position, whole); }
void Machine::scalar_cycles(double cycles) { core_->clock().scalar_spend(cycles); }

}  // namespace akrt
