// AddDeqRelu: relu((src0 + src1) * scale) of int32 to half. The library composes it, with scratch at the end of UB.
#include <algorithm>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

// The product is exact in double and rounded once, to nearest even. The library scales by 2^-17 and back on the way, so
// that nothing overflows before the end.
void add_deq_relu(const Batch& b) {
  const auto* x = static_cast<const int32_t*>(b.src0);
  const auto* y = static_cast<const int32_t*>(b.src1);
  auto* d = static_cast<uint16_t*>(b.dst);
  const double scale = static_cast<double>(half_value(static_cast<uint16_t>(b.scalar)));
  for (size_t i = 0; i < b.n; ++i) {
    const int64_t exact = int64_t{x[i]} + int64_t{y[i]};
    const int64_t sum = b.saturate ? std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX) : static_cast<int32_t>(exact);
    const double product = static_cast<double>(sum) * scale;
    const uint16_t bits = half_from_double(product > 0 ? product : product != product ? product : 0.0);
    const bool beyond = (bits & 0x7fff) >= 0x7c00;
    d[i] = !b.saturate || !beyond ? bits : (bits & 0x7fff) > 0x7c00 ? 0 : 0x7bff;
  }
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_add_deq_relu(const char* api, const Local& dst, const Local& src0, const Local& src1, const Walk& walk,
                         Site site) {
  Machine& m = Machine::current();
  ops::Elementwise e;
  e.plan = ops::plan(m, api, site, walk, 32);
  if (!e.plan.runs) return;
  ops::check_scratch(m, api, site, {&dst, &src0, &src1});
  e.body = &ops::add_deq_relu;
  e.scalar = m.regs().deqscale & 0xffff;
  if (e.scalar == 0)
    ops::complain("deqscale-not-set", api, site, std::string(api) + " without SetDeqScale.",
                  "The sum is multiplied by the scale register: call SetDeqScale((half)1.0) before it.");
  // Six instructions of the library: add, cast, scale, cast, scale back, relu.
  ops::issue_elementwise(m, {api, site, walk, e.plan.lanes / 6.0, false}, e, dst, src0, &src1);
}
}
