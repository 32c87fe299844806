// Formulas as they are documented. Where only the function is (Sin, Erf, ...), its value is computed in double and
// rounded to float once; the number of basic instructions behind it is then an assumption.
#include "lib_formulas.h"

#include <array>

#include "ops_bodies.h"

namespace akrt::lib {

Vec least(const Vec& a, float value) {
  return map(a, a.steps().fast(), [s = a.scalar(value)](float x) { return ops::vector_min(x, s); });
}
Vec most(const Vec& a, float value) {
  return map(a, a.steps().fast(), [s = a.scalar(value)](float x) { return ops::vector_max(x, s); });
}
Vec relu(const Vec& a) { return map(a, a.steps().fast(), [](float x) { return ops::relu(x); }); }
Vec absolute(const Vec& a) { return map(a, a.steps().fast(), [](float x) { return std::fabs(x); }); }
Vec exponential(const Vec& a) {
  Vec r(a.steps());
  ops::exp_float(a.data(), r.data(), a.steps().n);
  return r.done(Steps::kSlow);
}
Vec logarithm(const Vec& a) {
  Vec r(a.steps());
  ops::ln_float(a.data(), r.data(), a.steps().n);
  return r.done(Steps::kSlow);
}
Vec rounded(const Vec& a, ops::Round mode) {
  return map(a, a.steps().fast(), [mode](float x) { return ops::round_float(x, mode); });
}

namespace {

using V = const Vec&;

// A function of which only the value is documented; `steps` full-rate instructions stand for its polynomial.
template <typename F>
Vec whole(V x, int steps, F f) {
  return map(x, steps * x.steps().fast(), [f](float v) { return static_cast<float>(f(static_cast<double>(v))); });
}
constexpr int kTrigonometric = 30;  // range reduction and an odd polynomial
constexpr int kInverse = 40;        // two polynomials and a selection
constexpr int kRational = 20;       // Pade approximation

// x / (1 + exp(scale * x)).
Vec logistic(V x, float scale) { return x / (exponential(x * scale) + 1.0f); }

Vec tanh(V x, V, float) {
  const Vec e = exponential(least(most(x, -8.8f), 8.8f) * 2.0f);
  return (e + -1.0f) / (e + 1.0f);
}
Vec sigmoid(V x, V, float) {
  const Vec e = exponential(x * -1.0f) + 1.0f;
  return map(e, Steps::kSlow, [](float v) { return 1.0f / v; });
}
Vec gelu(V x, V, float) {
  const Vec inner = x + x * x * x * 0.044715f;
  return x / (exponential(inner * -1.5957691216057308f) + 1.0f);
}
Vec faster_gelu(V x, V, float) { return logistic(x, -1.702f); }
Vec faster_gelu_v2(V x, V, float) {
  const Vec top = least(absolute(x * 0.7071f), 1.769f) + -1.769f;
  const Vec value = top * top * -0.1444f + 0.5f;
  const Vec shifted = x + 1e-7f;  // keeps the sign of zero out of the division
  const Vec sign = shifted / absolute(shifted);
  return x * (sign * value + 0.5f);
}
Vec silu(V x, V, float) { return logistic(x, -1.0f); }
Vec swish(V x, V, float beta) { return logistic(x, -beta); }
Vec geglu(V x, V y, float) { return x * gelu(y, y, 0); }
Vec swiglu(V x, V y, float beta) { return x * logistic(y, -beta); }
Vec reglu(V x, V y, float) { return x * relu(y); }

Vec ln(V x, V, float) { return logarithm(x); }
Vec log2(V x, V, float) { return logarithm(x) * 1.4426950408889634f; }
Vec log10(V x, V, float) { return logarithm(x) * 0.43429448190325176f; }
// exp of the integral part times a Taylor polynomial of the rest.
Vec taylor_exp(V x, V, float terms) {
  if (terms == 0) return exponential(x);
  const Vec whole_part = rounded(x, ops::Round::kFloor);
  const Vec rest = x - whole_part;
  Vec term = rest;
  Vec sum = rest + 1.0f;
  for (int k = 2; k <= static_cast<int>(terms); ++k) {
    term = term * rest * (1.0f / static_cast<float>(k));
    sum = sum + term;
  }
  return exponential(whole_part) * sum;
}

#define AKRT_WHOLE(name, steps, expression) \
  Vec name(V x, V, float) { return whole(x, steps, [](double v) { return expression; }); }
AKRT_WHOLE(sin, kTrigonometric, std::sin(v))
AKRT_WHOLE(cos, kTrigonometric, std::cos(v))
AKRT_WHOLE(tan, kTrigonometric, std::tan(v))
AKRT_WHOLE(sinh, kRational, std::sinh(v))
AKRT_WHOLE(cosh, kRational, std::cosh(v))
AKRT_WHOLE(asin, kInverse, std::asin(v))
AKRT_WHOLE(acos, kInverse, std::acos(v))
AKRT_WHOLE(atan, kInverse, std::atan(v))
AKRT_WHOLE(asinh, kRational, std::asinh(v))
AKRT_WHOLE(acosh, kRational, std::acosh(v))
AKRT_WHOLE(atanh, kRational, std::atanh(v))
AKRT_WHOLE(erf, kRational, std::erf(std::fmin(std::fmax(v, -3.92), 3.92)))
AKRT_WHOLE(erfc, kRational, std::erfc(v))
AKRT_WHOLE(lgamma, kInverse, std::lgamma(v))
#undef AKRT_WHOLE
// Reflection to the right half-line, recurrence up to 10, then the asymptotic series.
double digamma_of(double v) {
  constexpr double kPi = 3.14159265358979323846;
  if (v <= 0) return v == std::floor(v) ? std::nan("") : digamma_of(1 - v) - kPi / std::tan(kPi * v);
  double sum = 0;
  for (; v < 10; v += 1) sum -= 1 / v;
  const double q = 1 / (v * v);
  return sum + std::log(v) - 0.5 / v - q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q / 240)));
}
Vec digamma(V x, V, float) { return whole(x, kInverse, digamma_of); }

Vec floor(V x, V, float) { return rounded(x, ops::Round::kFloor); }
Vec ceil(V x, V, float) { return rounded(x, ops::Round::kCeil); }
Vec round(V x, V, float) { return rounded(x, ops::Round::kRint); }
Vec trunc(V x, V, float) { return rounded(x, ops::Round::kTrunc); }
Vec frac(V x, V, float) { return x - rounded(x, ops::Round::kTrunc); }
Vec fmod(V x, V y, float) { return x - rounded(x / y, ops::Round::kTrunc) * y; }
// Two comparisons, two selections and their sum.
Vec sign(V x, V, float) {
  return map(x, 5 * x.steps().fast(), [](float v) { return v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f; });
}
Vec clamp_max(V x, V, float top) { return least(x, top); }
Vec clamp_min(V x, V, float bottom) { return most(x, bottom); }
Vec axpy(V x, V y, float scale) { return x * scale + y; }

Vec power(V x, V y, float) {
  return zip(x, y, kInverse * x.steps().fast(),
             [](float a, float b) { return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b))); });
}
Vec power_base(V x, V, float exponent) {
  return whole(x, kInverse, [exponent](double v) { return std::pow(v, static_cast<double>(exponent)); });
}
Vec power_exponent(V x, V, float base) {
  return whole(x, kInverse, [base](double v) { return std::pow(static_cast<double>(base), v); });
}

constexpr size_t kOps = static_cast<size_t>(LibOp::kAxpy) + 1;

// in_float, takes_tmp, in_place, least_tmp.
constexpr std::array<Formula, kOps> table() {
  std::array<Formula, kOps> t{};
  const auto set = [&t](LibOp op, Formula f) { t[static_cast<size_t>(op)] = f; };
  set(LibOp::kTanh, {tanh, true});
  set(LibOp::kSigmoid, {sigmoid, false, true, false, 256});
  set(LibOp::kGelu, {gelu, false, true, true});
  set(LibOp::kFasterGelu, {faster_gelu, false, true, true});
  set(LibOp::kFasterGeluV2, {faster_gelu_v2, false, true, true});
  set(LibOp::kSilu, {silu, false, false});
  set(LibOp::kSwish, {swish, false, false});
  set(LibOp::kGeGLU, {geglu, true});
  set(LibOp::kSwiGLU, {swiglu, true});
  set(LibOp::kReGlu, {reglu, false});
  set(LibOp::kLog, {ln, false, false});
  set(LibOp::kLog10, {log10, false, false});
  set(LibOp::kLog2, {log2, true});
  set(LibOp::kExp, {taylor_exp, true});
  set(LibOp::kSin, {sin, true});
  set(LibOp::kCos, {cos, true});
  set(LibOp::kTan, {tan, true});
  set(LibOp::kSinh, {sinh, true});
  set(LibOp::kCosh, {cosh, true});
  set(LibOp::kAsin, {asin, true});
  set(LibOp::kAcos, {acos, true});
  set(LibOp::kAtan, {atan, true});
  set(LibOp::kAsinh, {asinh, true});
  set(LibOp::kAcosh, {acosh, true});
  set(LibOp::kAtanh, {atanh, true});
  set(LibOp::kErf, {erf, true});
  set(LibOp::kErfc, {erfc, true});
  set(LibOp::kLgamma, {lgamma, true});
  set(LibOp::kDigamma, {digamma, true});
  set(LibOp::kFloor, {floor, false});
  set(LibOp::kCeil, {ceil, false});
  set(LibOp::kRound, {round, false});
  set(LibOp::kTrunc, {trunc, false, true, true});
  set(LibOp::kFrac, {frac, false});
  set(LibOp::kFmod, {fmod, true});
  set(LibOp::kSign, {sign, false});
  set(LibOp::kClampMax, {clamp_max, false});
  set(LibOp::kClampMin, {clamp_min, false});
  set(LibOp::kAxpy, {axpy, true});
  set(LibOp::kPower, {power, true});
  set(LibOp::kPowerBase, {power_base, true});
  set(LibOp::kPowerExponent, {power_exponent, true});
  return t;
}

}  // namespace

const Formula& formula(LibOp op) {
  static constexpr std::array<Formula, kOps> kTable = table();
  return kTable[static_cast<size_t>(op)];
}

}  // namespace akrt::lib
