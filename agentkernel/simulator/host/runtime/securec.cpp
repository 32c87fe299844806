// The bounded C functions and the log, as host code calls them.
#include "securec.h"

#include <algorithm>

#include "common/util/error_manager/error_manager.h"

errno_t memcpy_s(void* dest, size_t capacity, const void* source, size_t count) {
  if (capacity == 0 || capacity > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == nullptr || source == nullptr) {
    if (dest != nullptr) std::memset(dest, 0, capacity);
    return EINVAL;
  }
  if (count > capacity) {
    std::memset(dest, 0, capacity);
    return ERANGE_AND_RESET;
  }
  std::memmove(dest, source, count);
  return EOK;
}

errno_t memmove_s(void* dest, size_t capacity, const void* source, size_t count) {
  return memcpy_s(dest, capacity, source, count);
}

errno_t memset_s(void* dest, size_t capacity, int value, size_t count) {
  if (capacity == 0 || capacity > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == nullptr) return EINVAL;
  std::memset(dest, value, std::min(count, capacity));
  return count > capacity ? ERANGE_AND_RESET : EOK;
}

errno_t strncpy_s(char* dest, size_t capacity, const char* source, size_t count) {
  if (capacity == 0 || capacity > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == nullptr || source == nullptr) return EINVAL;
  const size_t length = strnlen(source, count);
  if (length >= capacity) {
    dest[0] = '\0';
    return ERANGE_AND_RESET;
  }
  std::memcpy(dest, source, length);
  dest[length] = '\0';
  return EOK;
}

errno_t strcpy_s(char* dest, size_t capacity, const char* source) {
  return strncpy_s(dest, capacity, source, SECUREC_MEM_MAX_LEN);
}

errno_t strcat_s(char* dest, size_t capacity, const char* source) {
  if (dest == nullptr || source == nullptr) return EINVAL;
  const size_t used = strnlen(dest, capacity);
  if (used >= capacity) return ERANGE;
  return strcpy_s(dest + used, capacity - used, source);
}

int vsnprintf_s(char* dest, size_t capacity, size_t count, const char* format, va_list arguments) {
  if (dest == nullptr || capacity == 0 || format == nullptr) return -1;
  const int length = std::vsnprintf(dest, std::min(capacity, count + 1), format, arguments);
  return length < 0 || static_cast<size_t>(length) > count || static_cast<size_t>(length) >= capacity ? -1 : length;
}

int snprintf_s(char* dest, size_t capacity, size_t count, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf_s(dest, capacity, count, format, arguments);
  va_end(arguments);
  return length;
}

int sprintf_s(char* dest, size_t capacity, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf_s(dest, capacity, capacity == 0 ? 0 : capacity - 1, format, arguments);
  va_end(arguments);
  return length;
}

namespace {

void log(int level, const char* part, const char* format, va_list arguments) {
  if (level < DLOG_ERROR) return;
  std::fprintf(stderr, "[%s] ", part);
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
}

}  // namespace

int CheckLogLevel(int, int level) { return level >= DLOG_ERROR ? 1 : 0; }

void DlogSub(int, const char* part, int level, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log(level, part, format, arguments);
  va_end(arguments);
}

void DlogRecord(int, int level, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log(level, "OP", format, arguments);
  va_end(arguments);
}
