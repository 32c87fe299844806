// OP_ADD: makes an operator's definition known under its class's name.
#pragma once
#include "register/op_def.h"

namespace ops {

using OpDefCreator = OpDef (*)(const char* op_type);

// Keeps the creator; the definition is made when the description of the operators is asked for. Returns 0.
int RegisterOpDef(const char* op_type, OpDefCreator creator);

}  // namespace ops

#define OP_ADD(op_type, ...)                                                                             \
  static int g_##op_type##_added __attribute__((unused)) =                                              \
      ::ops::RegisterOpDef(#op_type, [](const char* ak_host_name) -> ::ops::OpDef { return op_type(ak_host_name); })
