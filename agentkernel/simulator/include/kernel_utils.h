// A part of the library by itself; all of it comes with the one header.
#pragma once
#include "kernel_operator.h"
