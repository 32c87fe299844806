// Types of the vector libraries, and the library and vector functions that are declared but not simulated: a call
// compiles and stops with `unsupported-api`. See also generated_unsupported.h.
#pragma once
#include "ascendc/library_layout.h"
#include "ascendc/library_norm.h"
#undef AK_TMP

namespace AscendC {

#define AK_STOP(name) \
  { akrt_unsupported(name, AK_SITE); }

// ---- vector instructions of other chips
template <typename T>
AK_API void MrgSort4(const LocalTensor<T>&, const MrgSortSrcList<T>&, const MrgSort4Info&) AK_STOP("MrgSort4")

// Fills global memory through the free end of UB. What reads it afterwards has to wait for MTE3.
template <typename T>
AK_API void InitOutput(GlobalTensor<T> gm, uint32_t size, T value = 0) {
  AK_VECTOR_ONLY;
  akrt_d_fill("InitOutput", gm.AkGlobal(), size, akc::Raw<PrimT<T>>(value), AK_SITE);
}
template <typename T>
AK_API void InitGlobalMemory(GlobalTensor<T>& gm, const uint64_t size, const T value) {
  AK_VECTOR_ONLY;
  akrt_d_fill("InitGlobalMemory", gm.AkGlobal(), size, akc::Raw<PrimT<T>>(value), AK_SITE);
}
template <typename T>
AK_API void Fill(GlobalTensor<T>& gm, const uint64_t size, const T value) {
  AK_VECTOR_ONLY;
  akrt_d_fill("Fill", gm.AkGlobal(), size, akc::Raw<PrimT<T>>(value), AK_SITE);
}

#undef AK_STOP

}  // namespace AscendC
