// The definition of an operator: parameters, attributes, chips.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption { DEFAULT = 0, STRICT = 1 };
enum class DependScope { ALL = 0, TILING = 1 };
enum class FollowType { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3 };
enum class ItemFindStatus { ITEM_FIND = 0, ITEM_NOEXIST = 1 };
enum class AttrDataType {
  ATTR_DT_BOOL = 0, ATTR_DT_FLOAT, ATTR_DT_INT, ATTR_DT_STR, ATTR_DT_LIST_BOOL, ATTR_DT_LIST_FLOAT, ATTR_DT_LIST_INT,
  ATTR_DT_LIST_LIST_INT
};
enum class ScalarType { UINT64 = 0, INT64, UINT32, INT32, UINT16, INT16, UINT8, INT8, FLOAT32, FLOAT16, INVALID_DTYPE };

union ScalarNum {
  uint64_t value_u64;
  int64_t value_i64;
  float value_f32;
  explicit ScalarNum() : value_u64(0) {}
  explicit ScalarNum(uint64_t value) : value_u64(value) {}
  explicit ScalarNum(int64_t value) : value_i64(value) {}
  explicit ScalarNum(float value) : value_f32(value) {}
};

struct ScalarVar {
  ScalarType scalar_type = ScalarType::INVALID_DTYPE;
  ScalarNum scalar_num;
  ScalarVar() = default;
  ScalarVar(ScalarType type, uint64_t value) : scalar_type(type), scalar_num(value) {}
  ScalarVar(ScalarType type, int64_t value) : scalar_type(type), scalar_num(value) {}
  ScalarVar(ScalarType type, int value) : scalar_type(type), scalar_num(static_cast<int64_t>(value)) {}
  ScalarVar(ScalarType type, unsigned value) : scalar_type(type), scalar_num(static_cast<uint64_t>(value)) {}
  ScalarVar(ScalarType type, float value) : scalar_type(type), scalar_num(value) {}
  ScalarVar(ScalarType type, double value) : scalar_type(type), scalar_num(static_cast<float>(value)) {}
};

// One input or output.
class OpParamDef {
 public:
  explicit OpParamDef(const char* param_name) : name(param_name) {}

  OpParamDef& ParamType(Option option);
  OpParamDef& DataType(std::vector<ge::DataType> types);
  OpParamDef& DataTypeList(std::vector<ge::DataType> types);
  OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType> types);
  OpParamDef& Format(std::vector<ge::Format> formats);
  OpParamDef& FormatList(std::vector<ge::Format> formats);
  OpParamDef& FormatForBinQuery(std::vector<ge::Format> formats);
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
  OpParamDef& ValueDepend(Option option);
  OpParamDef& ValueDepend(Option option, DependScope scope);
  OpParamDef& IgnoreContiguous();
  OpParamDef& AutoContiguous();
  OpParamDef& Scalar();
  OpParamDef& ScalarList();
  OpParamDef& To(const ge::DataType type);
  OpParamDef& To(const char* other);
  OpParamDef& Version(uint32_t version);
  OpParamDef& InitValue(uint64_t value);
  OpParamDef& InitValue(const ScalarVar& value);
  OpParamDef& InitValue(const std::vector<ScalarVar>& values);
  OpParamDef& OutputShapeDependOnCompute();
  OpParamDef& Follow(const char* other);
  OpParamDef& Follow(const char* other, FollowType type);
  OpParamDef& Comment(const char* text);

  // Read by what describes the operator.
  std::string name;
  Option option = REQUIRED;
  std::vector<ge::DataType> types;
  bool types_are_list = false;
  std::vector<ge::Format> formats;
  bool formats_are_list = false;
  std::vector<ge::Format> unknown_shape_formats;
  Option value_depend = IGNORE;
  DependScope value_scope = DependScope::ALL;
  bool auto_contiguous = false;
  bool ignore_contiguous = false;
  bool is_scalar = false;
  bool is_scalar_list = false;
  std::string to_name;
  std::optional<ge::DataType> to_type;
  std::optional<uint64_t> init_value;
  bool shape_depends_on_compute = false;
  std::string follows;
};

class OpAttrDef {
 public:
  explicit OpAttrDef(const char* attr_name) : name(attr_name) {}

  OpAttrDef& AttrType(Option option);
  OpAttrDef& Bool();
  OpAttrDef& Bool(bool value);
  OpAttrDef& Float();
  OpAttrDef& Float(float value);
  OpAttrDef& Int();
  OpAttrDef& Int(int64_t value);
  OpAttrDef& String();
  OpAttrDef& String(const char* value);
  OpAttrDef& ListBool();
  OpAttrDef& ListBool(std::vector<bool> value);
  OpAttrDef& ListFloat();
  OpAttrDef& ListFloat(std::vector<float> value);
  OpAttrDef& ListInt();
  OpAttrDef& ListInt(std::vector<int64_t> value);
  OpAttrDef& ListListInt();
  OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
  OpAttrDef& Version(uint32_t version);
  OpAttrDef& Comment(const char* text);

  // Read by what describes the operator.
  std::string name;
  bool required = true;
  AttrDataType type = AttrDataType::ATTR_DT_BOOL;
  bool has_default = false;
  bool bool_value = false;
  double float_value = 0;
  int64_t int_value = 0;
  std::string string_value;
  std::vector<bool> bools;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::vector<int64_t>> lists;
};

class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  explicit OpAICoreConfig(const char* soc_name) : soc(soc_name) {}

  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
  OpAICoreConfig& DynamicFormatFlag(bool flag);
  OpAICoreConfig& DynamicRankSupportFlag(bool flag);
  OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
  OpAICoreConfig& NeedCheckSupportFlag(bool flag);
  OpAICoreConfig& PrecisionReduceFlag(bool flag);
  OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

  // Read by what describes the operator. Deques: references to their elements stay valid as they grow.
  std::string soc;
  std::deque<OpParamDef> inputs;
  std::deque<OpParamDef> outputs;
  std::map<std::string, std::string> settings;
};

using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator& op, ge::AscendString& result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator& op, const ge::AscendString& config,
                                                  ge::AscendString& result);

class OpAICoreDef {
 public:
  OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
  gert::OpImplRegisterV2::TilingKernelFunc& GetTiling() { return tiling; }
  OpAICoreDef& SetCheckSupport(OP_CHECK_FUNC function);
  OpAICoreDef& SetOpSelectFormat(OP_CHECK_FUNC function);
  OpAICoreDef& SetOpSupportInfo(OP_CHECK_FUNC function);
  OpAICoreDef& SetOpSpecInfo(OP_CHECK_FUNC function);
  OpAICoreDef& SetParamGeneralize(PARAM_GENERALIZE_FUNC function);
  OpAICoreDef& AddConfig(const char* soc);
  OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);
  OpAICoreDef& LaunchWithZeroEleOutputTensors(bool flag);

  // Read by what describes the operator.
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  std::vector<OpAICoreConfig> configs;
  bool launches_empty = false;
};

// Operators on other processors than the AI core: declared, not run.
class OpAICPUDef {
 public:
  OpAICPUDef& ExtendCfgInfo(const char*, const char*) { return *this; }
};

class OpHostCPUDef {
 public:
  OpHostCPUDef& ExtendCfgInfo(const char*, const char*) { return *this; }
};

class OpMC2Def {
 public:
  OpMC2Def& HcclGroup(const char*) { return *this; }
  OpMC2Def& HcclGroup(std::vector<const char*>) { return *this; }
};

class OpDef {
 public:
  explicit OpDef(const char* op_type) : type(op_type) {}

  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAttrDef& Attr(const char* name);
  OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
  OpDef& SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function);
  OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
  gert::OpImplRegisterV2::InferShapeKernelFunc& GetInferShape() { return infer_shape; }
  gert::OpImplRegisterV2::InferShapeRangeKernelFunc& GetInferShapeRange() { return infer_shape_range; }
  gert::OpImplRegisterV2::InferDataTypeKernelFunc& GetInferDataType() { return infer_datatype; }
  OpAICoreDef& AICore() { return aicore; }
  OpAICPUDef& AICPU() { return aicpu; }
  OpHostCPUDef& HostCPU() { return host_cpu; }
  OpMC2Def& MC2() { return mc2; }
  OpDef& FormatMatchMode(FormatCheckOption option);
  OpDef& EnableFallBack();
  OpDef& Comment(int section, const char* text);
  OpDef& Comment(const char* section, const char* text);
  ge::AscendString GetOpType() { return ge::AscendString(type.c_str()); }

  // Read by what describes the operator.
  std::string type;
  std::deque<OpParamDef> inputs;
  std::deque<OpParamDef> outputs;
  std::deque<OpAttrDef> attrs;
  OpAICoreDef aicore;
  OpAICPUDef aicpu;
  OpHostCPUDef host_cpu;
  OpMC2Def mc2;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
};

}  // namespace ops
