// The bounded C functions that tiling code uses, with their status codes.
#pragma once
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

typedef int errno_t;

#ifndef EOK
#define EOK 0
#endif
#ifndef EINVAL_AND_RESET
#define EINVAL_AND_RESET 150
#endif
#ifndef ERANGE_AND_RESET
#define ERANGE_AND_RESET 162
#endif
#ifndef SECUREC_MEM_MAX_LEN
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#endif

extern "C" {
errno_t memcpy_s(void* dest, size_t capacity, const void* source, size_t count);
errno_t memmove_s(void* dest, size_t capacity, const void* source, size_t count);
errno_t memset_s(void* dest, size_t capacity, int value, size_t count);
errno_t strcpy_s(char* dest, size_t capacity, const char* source);
errno_t strncpy_s(char* dest, size_t capacity, const char* source, size_t count);
errno_t strcat_s(char* dest, size_t capacity, const char* source);
int sprintf_s(char* dest, size_t capacity, const char* format, ...) __attribute__((format(printf, 3, 4)));
int snprintf_s(char* dest, size_t capacity, size_t count, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
int vsnprintf_s(char* dest, size_t capacity, size_t count, const char* format, va_list arguments);
}
