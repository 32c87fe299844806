// ABI of the libraries that normalise: LayerNorm and its relatives, their gradients, Welford's mean and variance.
#pragma once
#include "akrt/abi_lib.h"

namespace akrt {

enum class NormOp : uint8_t { kLayer, kLayerRstd, kDeep, kRms, kNormalize, kGroup, kBatch };

// Tensors of one call; an absent one is null. `spread` receives the variance, or 1 / sqrt(variance + epsilon) where the
// call says so; `variance` is given (Normalize, gradients).
struct NormCall {
  NormOp op;
  const char* api;
  Site site;
  LibShape shape;           // kBatch: rows are normalised together, column by column
  const Local* tmp = nullptr;
  float epsilon = 0;
  float alpha = 1;          // kDeep: alpha * x + second
  bool basic = false;       // isBasicBlock
  uint32_t groups = 1;      // kGroup: groups of one sample
  uint32_t channel = 1;     // kGroup: elements of a channel
  const Local* mean = nullptr;
  const Local* spread = nullptr;
  const Local* variance = nullptr;
  const Local* gamma = nullptr;
  const Local* beta = nullptr;
  const Local* second = nullptr;
};

struct WelfordStep {
  const char* api;
  Site site;
  uint32_t rows;      // rnLength
  uint32_t length;    // abLength
  uint32_t compute;   // abComputeLength
  float reciprocal;   // 1 / number of pieces so far
  bool in_place;      // results may stand where the operands do
  const Local* tmp;
};

struct WelfordEnd {
  const char* api;
  Site site;
  uint32_t rows, length, head_count, head_length, tail_count, tail_length;
  float length_reciprocal, total_reciprocal;
  const Local* tmp;
  const Local* counts;  // null: head and tail counts
};

}  // namespace akrt

extern "C" {

void akrt_l_norm(const akrt::NormCall& call, const akrt::Local& dst, const akrt::Local& src);
void akrt_l_norm_grad(const akrt::NormCall& call, const akrt::Local& dx, const akrt::Local& for_gamma,
                      const akrt::Local& dy, const akrt::Local& src);
void akrt_l_norm_grad_beta(const akrt::NormCall& call, const akrt::Local& dgamma, const akrt::Local& dbeta,
                           const akrt::Local& for_gamma, const akrt::Local& dy);
void akrt_l_welford_update(const akrt::WelfordStep& call, const akrt::Local& mean, const akrt::Local& variance,
                           const akrt::Local& in_mean, const akrt::Local& in_variance, const akrt::Local& src);
void akrt_l_welford_finalize(const akrt::WelfordEnd& call, const akrt::Local& mean, const akrt::Local& variance,
                             const akrt::Local& in_mean, const akrt::Local& in_variance);
}
