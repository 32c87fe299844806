// The matrix library: makes the names of `AscendC::MatmulLibrary` the program's own.
#pragma once
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
using namespace MatmulLibrary;
}  // namespace AscendC

using AscendC::MatmulLibrary::BatchMode;
using AscendC::MatmulLibrary::BatchOutMode;
using AscendC::MatmulLibrary::CFG_IBSHARE_NORM;
using AscendC::MatmulLibrary::CFG_MDL;
using AscendC::MatmulLibrary::CFG_NORM;
using AscendC::MatmulLibrary::CubeFormat;
using AscendC::MatmulLibrary::GetBasicConfig;
using AscendC::MatmulLibrary::GetIBShareNormConfig;
using AscendC::MatmulLibrary::GetMDLConfig;
using AscendC::MatmulLibrary::GetNormalConfig;
using AscendC::MatmulLibrary::GetSpecialMDLConfig;
using AscendC::MatmulLibrary::IterateMode;
using AscendC::MatmulLibrary::IterateOrder;
using AscendC::MatmulLibrary::LayoutMode;
using AscendC::MatmulLibrary::MatmulConfig;
using AscendC::MatmulLibrary::MM_CFG_BB;
using AscendC::MatmulLibrary::ScheduleType;

namespace matmul {
using namespace AscendC;
using namespace AscendC::MatmulLibrary;
}  // namespace matmul

// On a cube core the kernel ends in the registration, where it serves the vector cores of its block.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) ::AscendC::MatmulLibrary::Regist<true>(tpipe, workspace, __VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  if (::AscendC::MatmulLibrary::Regist<false>(tpipe, workspace, __VA_ARGS__)) return
#endif
