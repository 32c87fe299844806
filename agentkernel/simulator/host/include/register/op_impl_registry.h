// Registration of tiling and inference functions: IMPL_OP and its relatives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "graph/compiler_def.h"

namespace gert {

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

// Functions of one operator. Copying it registers them: what is null leaves the registered one as it is, so that
// several of these for one operator add up.
class OpImplRegisterV2 {
 public:
  using TilingKernelFunc = UINT32 (*)(TilingContext*);
  using TilingParseFunc = UINT32 (*)(TilingParseContext*);
  using KernelFunc = UINT32 (*)(KernelContext*);
  using InferShapeKernelFunc = UINT32 (*)(InferShapeContext*);
  using InferShapeRangeKernelFunc = UINT32 (*)(InferShapeRangeContext*);
  using InferDataTypeKernelFunc = UINT32 (*)(InferDataTypeContext*);
  using CompileInfoCreatorFunc = void* (*)();
  using CompileInfoDeleterFunc = void (*)(void*);

  explicit OpImplRegisterV2(const char* op_type) : op_type_(op_type) {}
  OpImplRegisterV2(const OpImplRegisterV2& other);
  OpImplRegisterV2& operator=(const OpImplRegisterV2&) = delete;

  OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t max_tiling_data_size = 2048) {
    tiling = function;
    tiling_bytes = max_tiling_data_size;
    return *this;
  }
  template <class T>
  OpImplRegisterV2& TilingParse(TilingParseFunc function) {
    parse = function;
    return CompileInfo<T>();
  }
  template <class T>
  OpImplRegisterV2& TilingParse(KernelFunc function) {
    plain_parse = function;
    return CompileInfo<T>();
  }
  OpImplRegisterV2& InferShape(InferShapeKernelFunc function) {
    infer_shape = function;
    return *this;
  }
  OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc function) {
    infer_shape_range = function;
    return *this;
  }
  OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function) {
    infer_datatype = function;
    return *this;
  }
  OpImplRegisterV2& InferOutDataTypeSameWithFirstInput() {
    same_datatype = true;
    return *this;
  }
  OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs) {
    data_inputs.assign(inputs);
    return *this;
  }
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
    tiling_data_inputs.assign(inputs);
    return *this;
  }
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                               std::initializer_list<TilingPlacement>) {
    return TilingInputsDataDependency(inputs);
  }
  OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs) {
    computed_outputs.assign(outputs);
    return *this;
  }
  OpImplRegisterV2& HostInputs(std::initializer_list<int32_t>) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*) { return *this; }
  template <class T>
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, T) {
    return *this;
  }

  // Read by the registry.
  std::string op_type_;
  TilingKernelFunc tiling = nullptr;
  size_t tiling_bytes = 0;
  TilingParseFunc parse = nullptr;
  KernelFunc plain_parse = nullptr;
  CompileInfoCreatorFunc create_info = nullptr;
  CompileInfoDeleterFunc delete_info = nullptr;
  InferShapeKernelFunc infer_shape = nullptr;
  InferShapeRangeKernelFunc infer_shape_range = nullptr;
  InferDataTypeKernelFunc infer_datatype = nullptr;
  bool same_datatype = false;
  std::vector<int32_t> data_inputs;
  std::vector<int32_t> tiling_data_inputs;
  std::vector<int32_t> computed_outputs;

 private:
  template <class T>
  OpImplRegisterV2& CompileInfo() {
    create_info = []() -> void* { return new T(); };
    delete_info = [](void* info) { delete static_cast<T*>(info); };
    return *this;
  }
};

}  // namespace gert

#define AK_HOST_JOIN_(a, b) a##b
#define AK_HOST_JOIN(a, b) AK_HOST_JOIN_(a, b)

#define IMPL_OP(op_type)                                                                                     \
  static gert::OpImplRegisterV2 VAR_UNUSED AK_HOST_JOIN(op_impl_register_##op_type##_, __COUNTER__) = \
      gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_DEFAULT()                                                                            \
  static gert::OpImplRegisterV2 VAR_UNUSED AK_HOST_JOIN(op_impl_register_default_, __COUNTER__) = \
      gert::OpImplRegisterV2("DefaultImpl")
#define IMPL_OP_OPTILING(op_type) \
  gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_INFERSHAPE(op_type) \
  gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_INFERDATATYPE(op_type) \
  gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_inferdatatype_##op_type = gert::OpImplRegisterV2(#op_type)
