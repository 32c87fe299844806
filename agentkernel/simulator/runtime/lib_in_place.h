// Library functions that are called in place although their documentation does not allow it.
//
// Official kernels that run on cards do so, and the documented steps of these functions read a source element no later
// than they write the one at its place. Such a call is noted, not an error. What overlaps partly, and every function
// that is not in this table, stays an error.
#pragma once
#include <string_view>

namespace akrt::lib {

struct Tolerated {
  std::string_view api;
  const char* why;  // why in place gives the value that two buffers would
};

inline constexpr Tolerated kInPlace[] = {
    {"Log", "its one step is Ln"},
    {"Log2", "its steps are Ln and a multiplication, element by element"},
    {"Log10", "its steps are Ln and a multiplication, element by element"},
    {"Tanh", "the source is clipped into the scratch before anything is written"},
    {"Sigmoid", "the source is negated into the scratch before anything is written"},
    {"BroadCast", "along axis 0 the first row of the destination is the source"},
    {"Broadcast", "along axis 0 the first row of the destination is the source"},  // its other name
};

// The entry of a function, or null where in place stays an error.
constexpr const Tolerated* tolerated_in_place(std::string_view api) {
  for (const Tolerated& t : kInPlace)
    if (t.api == api) return &t;
  return nullptr;
}

}  // namespace akrt::lib
