// Logging as host code calls it. Errors go to the text that a run keeps; lower levels are dropped, as by default there.
#pragma once
#include <cstdint>

enum { OP = 63 };

#ifndef DLOG_DEBUG
#define DLOG_DEBUG 0
#define DLOG_INFO 1
#define DLOG_WARN 2
#define DLOG_ERROR 3
#define DLOG_EVENT 16
#endif
#ifndef MSG_LENGTH
#define MSG_LENGTH 1024
#endif

extern "C" {
// 1 where messages of that level are kept.
int CheckLogLevel(int module, int level);
void DlogSub(int module, const char* part, int level, const char* format, ...) __attribute__((format(printf, 4, 5)));
void DlogRecord(int module, int level, const char* format, ...) __attribute__((format(printf, 3, 4)));
}

#ifndef dlog_error
#define dlog_error(module, ...) DlogRecord(module, DLOG_ERROR, __VA_ARGS__)
#define dlog_warn(module, ...) DlogRecord(module, DLOG_WARN, __VA_ARGS__)
#define dlog_info(module, ...) DlogRecord(module, DLOG_INFO, __VA_ARGS__)
#define dlog_debug(module, ...) DlogRecord(module, DLOG_DEBUG, __VA_ARGS__)
#endif
