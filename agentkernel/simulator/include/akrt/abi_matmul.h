// ABI of the matrix library: an object of class Matmul describes a product, and the calls below have it computed.
//
// In a kernel of cube and vector cores the vector cores hold the objects and post what they ask for to the cube core of
// their block, which serves them until they have ended. In a kernel of cube cores an object computes where it is.
#pragma once
#include "akrt/abi.h"
#include "shared/cube_tiling.h"

namespace akrt {

// One operand: what the class says of it, and what the program set.
struct MatmulOperand {
  uint8_t position = 0;     // TPosition of the class
  uint8_t format = 0;       // CubeFormat of the class
  DType dtype = DType::kFloat32;
  bool may_transpose = false;
  bool set = false;
  bool transposed = false;
  bool local = false;       // whether `at_local` or `at` is what was set
  Global at{};
  Local at_local{};
};

enum class MatmulStage : uint8_t { kUnregistered, kRegistered, kReady };

// A product of singleM x singleK and singleK x singleN, in blocks of baseM x baseN. It lies in the object.
struct MatmulState {
  MatmulOperand a, b, bias, c;
  AscendC::tiling::TCubeTiling tiling;
  int32_t single_m = 0, single_n = 0, single_k = 0;  // elements
  int32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0;
  MatmulStage stage = MatmulStage::kUnregistered;
  bool many_loads = false;      // MDL: several base blocks are loaded at once
  bool client = false;          // posts to the cube core
  bool ended = false;           // End()
  int32_t object = 0;           // place in the registration
  int32_t next = 0;             // block that the next Iterate computes
  bool iterating = false;       // Iterate has begun and not returned false
  bool held = false;            // a block waits for GetTensorC
  int64_t cached = 0;           // request by which Iterate<false> puts all blocks into the workspace of SetWorkspace; 0: none
  bool hf32 = false, hf32_to_zero = false;
  bool relu = false;
  uint8_t quant = 0;            // QuantMode_t
  uint64_t quant_scalar = 0;
  Global quant_vector{};        // bytes 0: none
  Global workspace{};           // SetWorkspace
};

// Where and how a result goes.
struct MatmulOut {
  bool local = false;
  Global at{};
  Local at_local{};
  uint8_t atomic = 0;       // 0 none, 1 add, 2 max, 3 min
  bool sequential = false;  // block by block, not at its place in the matrix
  bool sync = true;
  bool later = false;       // AsyncGetTensorC: WaitGetTensorC will be called
  bool awaited = false;     // IterateAll<false>: WaitIterateAll will be called
};

}  // namespace akrt

extern "C" {

// REGIST_MATMUL_OBJ for one object of `count`. `workspace` is the system's. The cube core of a kernel with vector cores
// then serves them by akrt_mm_serve, which comes back when they have ended; true where the kernel ends there.
void akrt_mm_regist(akrt::MatmulState* state, int32_t index, int32_t count, const void* workspace, akrt::Site site);
bool akrt_mm_serve(akrt::Site site);
// The same in a kernel of cube cores alone (ASCENDC_CUBE_ONLY).
void akrt_mm_regist_cube(akrt::MatmulState* state, int32_t index, int32_t count, akrt::Site site);
void akrt_mm_init(akrt::MatmulState* state, const AscendC::tiling::TCubeTiling* tiling, akrt::Site site);

void akrt_mm_set_a(akrt::MatmulState* state, const akrt::MatmulOperand& operand, akrt::Site site);
void akrt_mm_set_b(akrt::MatmulState* state, const akrt::MatmulOperand& operand, akrt::Site site);
void akrt_mm_set_bias(akrt::MatmulState* state, const akrt::MatmulOperand& operand, akrt::Site site);
// Sizes of the part that a call computes; -1 keeps what is there.
void akrt_mm_set_single(akrt::MatmulState* state, const char* api, int32_t m, int32_t n, int32_t k, akrt::Site site);
void akrt_mm_set_org(akrt::MatmulState* state, int32_t m, int32_t n, int32_t ka, int32_t kb, int32_t kc, akrt::Site site);

bool akrt_mm_iterate(akrt::MatmulState* state, bool sync, bool partial, akrt::Site site);
void akrt_mm_get_c(akrt::MatmulState* state, const akrt::MatmulOut& out, akrt::Site site);
void akrt_mm_wait_c(akrt::MatmulState* state, akrt::Site site);
void akrt_mm_iterate_all(akrt::MatmulState* state, const akrt::MatmulOut& out, akrt::Site site);
void akrt_mm_wait_all(akrt::MatmulState* state, akrt::Site site);
void akrt_mm_end(akrt::MatmulState* state, akrt::Site site);

}  // extern "C"
