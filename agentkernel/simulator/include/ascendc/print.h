// printf and assert: values go to the runtime with their types, which writes the text.
#pragma once
#include "ascendc/dtype.h"

namespace AscendC {

namespace akc {
template <typename T>
akrt::PrintValue Printed(const T& value) {
  akrt::PrintValue out{};
  out.bytes = sizeof(T);
  if constexpr (std::is_same_v<T, bfloat16_t>) out.kind = 'f', out.real = value.Value();
  else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) out.kind = 'f', out.real = static_cast<double>(value);
  else if constexpr (std::is_enum_v<T>) out.kind = 'i', out.integer = static_cast<int64_t>(value);
  else if constexpr (std::is_convertible_v<T, const char*>) out.kind = 's', out.text = value;
  else if constexpr (std::is_pointer_v<std::decay_t<T>>) out.kind = 'p', out.address = reinterpret_cast<const void*>(value);
  else if constexpr (std::is_signed_v<T>) out.kind = 'i', out.integer = value;
  else out.kind = 'u', out.natural = static_cast<uint64_t>(value);
  return out;
}

AK_API inline void Assert(bool holds, const char* condition) {
  if (!holds) akrt_assert_failed(condition, nullptr, nullptr, 0, AK_SITE);
}
template <class... Args>
AK_API void Assert(bool holds, const char* condition, const char* format, Args&&... args) {
  if (holds) return;
  const akrt::PrintValue values[] = {Printed(args)..., {}};
  akrt_assert_failed(condition, format, values, sizeof...(Args), AK_SITE);
}
}  // namespace akc

template <class... Args>
AK_API void printf(const char* fmt, Args&&... args) {
  const akrt::PrintValue values[] = {akc::Printed(args)..., {}};
  akrt_print(fmt, values, sizeof...(Args), AK_SITE);
}
template <class... Args>
AK_API void PRINTF(const char* fmt, Args&&... args) {
  const akrt::PrintValue values[] = {akc::Printed(args)..., {}};
  akrt_print(fmt, values, sizeof...(Args), AK_SITE);
}

}  // namespace AscendC
