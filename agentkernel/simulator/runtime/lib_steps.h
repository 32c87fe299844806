// Formulas of the vector libraries, written once and evaluated twice: on elements, and for what they cost.
//
// A Vec stands for one vector operand. Every operation on it is one basic instruction: it computes a chunk of elements,
// rounds them to half where the library works in half, and adds its cycles to the Steps that all operands share. With no
// elements only the cycles are counted.
#pragma once
#include <cmath>
#include <cstddef>

#include "lib.h"
#include "ops_numeric.h"

namespace akrt::lib {

struct Steps {
  size_t n = 0;
  bool half = false;      // every step is rounded to half
  bool saturate = false;
  double cycles = 0;      // per element

  double fast() const { return half ? 1.0 / 128 : 1.0 / 64; }
  static constexpr double kSlow = 1.0 / 32;  // Div, Exp, Ln, Sqrt
};

class Vec {
 public:
  explicit Vec(Steps& steps) : steps_(&steps) {}

  float* data() { return v_; }
  const float* data() const { return v_; }
  Steps& steps() const { return *steps_; }

  // Ends an instruction that wrote v_.
  Vec& done(double cycles) {
    steps_->cycles += cycles;
    if (steps_->half) {
      uint16_t bits[kChunk];
      ops::float_to_half(v_, bits, steps_->n, steps_->saturate);
      ops::half_to_float(bits, v_, steps_->n);
    }
    return *this;
  }
  // A scalar operand has the type of the elements.
  float scalar(float value) const { return steps_->half ? ops::half_value(ops::half_bits(value)) : value; }

 private:
  Steps* steps_;
  alignas(64) float v_[kChunk];
};

template <typename F>
Vec map(const Vec& a, double cycles, F f) {
  Vec r(a.steps());
  const size_t n = a.steps().n;
  for (size_t i = 0; i < n; ++i) r.data()[i] = f(a.data()[i]);
  r.done(cycles);
  return r;
}
template <typename F>
Vec zip(const Vec& a, const Vec& b, double cycles, F f) {
  Vec r(a.steps());
  const size_t n = a.steps().n;
  for (size_t i = 0; i < n; ++i) r.data()[i] = f(a.data()[i], b.data()[i]);
  r.done(cycles);
  return r;
}

inline Vec operator+(const Vec& a, const Vec& b) {
  return zip(a, b, a.steps().fast(), [](float x, float y) { return x + y; });
}
inline Vec operator-(const Vec& a, const Vec& b) {
  return zip(a, b, a.steps().fast(), [](float x, float y) { return x - y; });
}
inline Vec operator*(const Vec& a, const Vec& b) {
  return zip(a, b, a.steps().fast(), [](float x, float y) { return x * y; });
}
inline Vec operator/(const Vec& a, const Vec& b) {
  return zip(a, b, Steps::kSlow, [](float x, float y) { return x / y; });
}
inline Vec operator+(const Vec& a, float value) {
  return map(a, a.steps().fast(), [s = a.scalar(value)](float x) { return x + s; });
}
inline Vec operator*(const Vec& a, float value) {
  return map(a, a.steps().fast(), [s = a.scalar(value)](float x) { return x * s; });
}
Vec least(const Vec& a, float value);
Vec most(const Vec& a, float value);
Vec relu(const Vec& a);
Vec absolute(const Vec& a);
Vec exponential(const Vec& a);
Vec logarithm(const Vec& a);
// To an integral value: one Cast.
Vec rounded(const Vec& a, ops::Round mode);

}  // namespace akrt::lib
