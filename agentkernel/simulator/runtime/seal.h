// Keeps the runtime's own memory read-only while the candidate's code runs, with the rights of its pages.
//
// Every call of a sealed candidate costs some microseconds: it is for one run beside the others, not for all of them.
// What stays writable: the candidate's own data, its stacks, local memories and the arguments of the launch.
#pragma once
#include <cstdint>
#include <vector>

#include "crash.h"

struct link_map;

namespace akrt::seal {

// Before anything large is allocated: keeps all of the heap in one place.
void prepare();

struct Object {
  const link_map* map;
  ObjectRange range;
};

// Takes over the calls out of loaded objects and notes what is to be sealed: the heap, the main stack, static data of
// everything but the objects. Throws RunnerError, on other processors than x86-64 always.
void arm(const std::vector<Object>& objects);

// The candidate's code runs from here on, or the runtime's. Without effect unless armed.
void close();
void open();

// Whether a store to this address was refused by the seal.
bool holds(uint64_t address);

}  // namespace akrt::seal
