// Debugging aids: dumps, logs, spans and time stamps do nothing; accesses of UB can be watched.
#pragma once
#include "ascendc/system.h"

namespace AscendC {

template <typename T>
void DumpTensor(const LocalTensor<T>&, uint32_t, uint32_t) {}
template <typename T>
void DumpTensor(const GlobalTensor<T>&, uint32_t, uint32_t) {}
template <typename T>
void DumpTensor(const LocalTensor<T>&, uint32_t, uint32_t, const ShapeInfo&) {}
template <typename T>
void DumpTensor(const GlobalTensor<T>&, uint32_t, uint32_t, const ShapeInfo&) {}
template <typename T>
void DumpAccChkPoint(const LocalTensor<T>&, uint32_t, uint32_t, uint32_t) {}
template <typename T>
void DumpAccChkPoint(const GlobalTensor<T>&, uint32_t, uint32_t, uint32_t) {}
inline void PrintTimeStamp(uint32_t) {}
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

// An exception of the chip on accesses of a range of UB.
struct CheckLocalMemoryIAParam {
  uint8_t enableBit = 0;
  uint32_t startAddr = 0;
  uint32_t endAddr = 0;
  bool isScalarRead = false;
  bool isScalarWrite = false;
  bool isVectorRead = false;
  bool isVectorWrite = false;
  bool isMteRead = false;
  bool isMteWrite = false;
  bool isEnable = false;
  uint32_t reserved = 0;
};
inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam& checkParams) {
  const CheckLocalMemoryIAParam& p = checkParams;
  const uint32_t kinds = (p.isScalarRead ? kAkrtScalarRead : 0u) | (p.isScalarWrite ? kAkrtScalarWrite : 0u) |
                         (p.isVectorRead ? kAkrtVectorRead : 0u) | (p.isVectorWrite ? kAkrtVectorWrite : 0u) |
                         (p.isMteRead ? kAkrtMteRead : 0u) | (p.isMteWrite ? kAkrtMteWrite : 0u);
  akrt_watch(p.enableBit, p.startAddr, p.endAddr, p.isEnable ? kinds : 0u);
}

// Between the kernels of a SuperKernel; outside of one there is nobody to wait for.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
void SetNextTaskStart() {}
template <bool FORCE = false>
void WaitPreTaskEnd() {}

}  // namespace AscendC

#define ASC_CPU_LOG_ERROR(format, ...)
#define ASC_CPU_LOG_INFO(format, ...)
#define ASC_CPU_LOG_WARNING(format, ...)
#define ASC_CPU_LOG_DEBUG(format, ...)
#define TRACE_START(...)
#define TRACE_STOP(...)

// ---- spellings of the pointer interface ---------------------------------------------------------------------------
template <typename T>
inline void asc_dump(T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_gm(__gm__ T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_ubuf(__ubuf__ T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_l1buf(__cbuf__ T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_cbuf(__cc__ T*, uint32_t, uint32_t) {}
inline void asc_prof_start() {}
inline void asc_prof_stop() {}
inline void asc_time_stamp(uint32_t) {}
AK_API inline uint64_t clock() { return akrt_system_cycle(AK_SITE); }
