// The path under which custom operator projects reach the error reports.
#pragma once
#include "common/util/error_manager/error_manager.h"
