// Debugging aids: printing, dumps, logs, spans, time stamps. What they print is no result of the kernel, so they do nothing.
#pragma once
#include "ascendc/system.h"

namespace AscendC {

template <class... Args>
void printf(const char*, Args&&...) {}
template <class... Args>
void PRINTF(const char*, Args&&...) {}
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

// An exception of the chip on accesses of a range of UB. The runtime checks every access by rules of its own.
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
inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam&) {}

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
