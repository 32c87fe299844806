// Error reports of host code: they go to the text that a run keeps.
#pragma once
#include "toolchain/slog.h"

#ifndef REPORT_INNER_ERROR
#define REPORT_INNER_ERROR(code, ...) DlogSub(OP, code, DLOG_ERROR, __VA_ARGS__)
#endif
#ifndef REPORT_CALL_ERROR
#define REPORT_CALL_ERROR(code, ...) DlogSub(OP, code, DLOG_ERROR, __VA_ARGS__)
#endif
#ifndef REPORT_INNER_ERR_MSG
#define REPORT_INNER_ERR_MSG(code, ...) DlogSub(OP, code, DLOG_ERROR, __VA_ARGS__)
#endif
