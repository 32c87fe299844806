// What the loaded object registered: definitions and functions of operators, in order of registration.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "register/op_def_registry.h"

namespace akhost {

// Functions that IMPL_OP registered for one operator; several registrations add up.
struct Functions {
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  size_t tiling_bytes = 0;
  gert::OpImplRegisterV2::TilingParseFunc parse = nullptr;
  gert::OpImplRegisterV2::KernelFunc plain_parse = nullptr;
  gert::OpImplRegisterV2::CompileInfoCreatorFunc create_info = nullptr;
  gert::OpImplRegisterV2::CompileInfoDeleterFunc delete_info = nullptr;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
  bool same_datatype = false;
  std::vector<int32_t> data_inputs;
  std::vector<int32_t> tiling_data_inputs;
  std::vector<int32_t> computed_outputs;
};

struct Registry {
  std::vector<std::pair<std::string, ops::OpDefCreator>> definitions;
  std::map<std::string, Functions> functions;

  // Makes the definition of an operator; null where OP_ADD never named it.
  ops::OpDefCreator creator(const std::string& type) const {
    for (const auto& [name, creator] : definitions)
      if (name == type) return creator;
    return nullptr;
  }
};

// Static initialisers of the loaded object fill it, so it has to be reachable from anywhere.
Registry& registry();

}  // namespace akhost
