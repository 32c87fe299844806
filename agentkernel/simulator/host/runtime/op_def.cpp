// The builders of an operator's definition.
#include "register/op_def.h"

namespace ops {

namespace {

// The element of that name, made where there is none.
template <class T>
T& named(std::deque<T>& all, const char* name) {
  for (T& one : all)
    if (one.name == name) return one;
  return all.emplace_back(name);
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

#define AK_SETTER(cls, head, ...) \
  cls& cls::head {                \
    __VA_ARGS__;                  \
    return *this;                 \
  }

AK_SETTER(OpParamDef, ParamType(Option given), option = given)
AK_SETTER(OpParamDef, DataType(std::vector<ge::DataType> given), types = std::move(given), types_are_list = false)
AK_SETTER(OpParamDef, DataTypeList(std::vector<ge::DataType> given), types = std::move(given), types_are_list = true)
AK_SETTER(OpParamDef, DataTypeForBinQuery(std::vector<ge::DataType>), )
AK_SETTER(OpParamDef, Format(std::vector<ge::Format> given), formats = std::move(given), formats_are_list = false)
AK_SETTER(OpParamDef, FormatList(std::vector<ge::Format> given), formats = std::move(given), formats_are_list = true)
AK_SETTER(OpParamDef, FormatForBinQuery(std::vector<ge::Format>), )
AK_SETTER(OpParamDef, UnknownShapeFormat(std::vector<ge::Format> given), unknown_shape_formats = std::move(given))
AK_SETTER(OpParamDef, ValueDepend(Option given), value_depend = given)
AK_SETTER(OpParamDef, ValueDepend(Option given, DependScope scope), value_depend = given, value_scope = scope)
AK_SETTER(OpParamDef, IgnoreContiguous(), ignore_contiguous = true)
AK_SETTER(OpParamDef, AutoContiguous(), auto_contiguous = true)
AK_SETTER(OpParamDef, Scalar(), is_scalar = true)
AK_SETTER(OpParamDef, ScalarList(), is_scalar_list = true)
AK_SETTER(OpParamDef, To(const ge::DataType type), to_type = type)
AK_SETTER(OpParamDef, To(const char* other), to_name = text_or_empty(other))
AK_SETTER(OpParamDef, Version(uint32_t), )
AK_SETTER(OpParamDef, InitValue(uint64_t value), init_value = value)
AK_SETTER(OpParamDef, InitValue(const ScalarVar& value), init_value = value.scalar_num.value_u64)
AK_SETTER(OpParamDef, InitValue(const std::vector<ScalarVar>& values),
          init_value = values.empty() ? 0 : values[0].scalar_num.value_u64)
AK_SETTER(OpParamDef, OutputShapeDependOnCompute(), shape_depends_on_compute = true)
AK_SETTER(OpParamDef, Follow(const char* other), follows = text_or_empty(other))
AK_SETTER(OpParamDef, Follow(const char* other, FollowType), follows = text_or_empty(other))
AK_SETTER(OpParamDef, Comment(const char*), )

AK_SETTER(OpAttrDef, AttrType(Option option), if (option == OPTIONAL) required = false)
AK_SETTER(OpAttrDef, Bool(), type = AttrDataType::ATTR_DT_BOOL)
AK_SETTER(OpAttrDef, Bool(bool value), bool_value = value, has_default = true, Bool())
AK_SETTER(OpAttrDef, Float(), type = AttrDataType::ATTR_DT_FLOAT)
AK_SETTER(OpAttrDef, Float(float value), float_value = value, has_default = true, Float())
AK_SETTER(OpAttrDef, Int(), type = AttrDataType::ATTR_DT_INT)
AK_SETTER(OpAttrDef, Int(int64_t value), int_value = value, has_default = true, Int())
AK_SETTER(OpAttrDef, String(), type = AttrDataType::ATTR_DT_STR)
AK_SETTER(OpAttrDef, String(const char* value), string_value = text_or_empty(value), has_default = true, String())
AK_SETTER(OpAttrDef, ListBool(), type = AttrDataType::ATTR_DT_LIST_BOOL)
AK_SETTER(OpAttrDef, ListBool(std::vector<bool> value), bools = std::move(value), has_default = true, ListBool())
AK_SETTER(OpAttrDef, ListFloat(), type = AttrDataType::ATTR_DT_LIST_FLOAT)
AK_SETTER(OpAttrDef, ListFloat(std::vector<float> value), floats = std::move(value), has_default = true, ListFloat())
AK_SETTER(OpAttrDef, ListInt(), type = AttrDataType::ATTR_DT_LIST_INT)
AK_SETTER(OpAttrDef, ListInt(std::vector<int64_t> value), ints = std::move(value), has_default = true, ListInt())
AK_SETTER(OpAttrDef, ListListInt(), type = AttrDataType::ATTR_DT_LIST_LIST_INT)
AK_SETTER(OpAttrDef, ListListInt(std::vector<std::vector<int64_t>> value), lists = std::move(value),
          has_default = true, ListListInt())
AK_SETTER(OpAttrDef, Version(uint32_t), )
AK_SETTER(OpAttrDef, Comment(const char*), )

OpParamDef& OpAICoreConfig::Input(const char* name) { return named(inputs, name); }
OpParamDef& OpAICoreConfig::Output(const char* name) { return named(outputs, name); }
AK_SETTER(OpAICoreConfig, DynamicCompileStaticFlag(bool flag), settings["dynamicCompileStatic.flag"] = flag ? "true" : "false")
AK_SETTER(OpAICoreConfig, DynamicFormatFlag(bool flag), settings["dynamicFormat.flag"] = flag ? "true" : "false")
AK_SETTER(OpAICoreConfig, DynamicRankSupportFlag(bool flag), settings["dynamicRankSupport.flag"] = flag ? "true" : "false")
AK_SETTER(OpAICoreConfig, DynamicShapeSupportFlag(bool flag), settings["dynamicShapeSupport.flag"] = flag ? "true" : "false")
AK_SETTER(OpAICoreConfig, NeedCheckSupportFlag(bool flag), settings["needCheckSupport.flag"] = flag ? "true" : "false")
AK_SETTER(OpAICoreConfig, PrecisionReduceFlag(bool flag), settings["precision_reduce.flag"] = flag ? "true" : "false")
AK_SETTER(OpAICoreConfig, ExtendCfgInfo(const char* key, const char* value), settings[text_or_empty(key)] = text_or_empty(value))

AK_SETTER(OpAICoreDef, SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function), tiling = function)
// Graph compilation asks these; nothing here calls them.
AK_SETTER(OpAICoreDef, SetCheckSupport(OP_CHECK_FUNC), )
AK_SETTER(OpAICoreDef, SetOpSelectFormat(OP_CHECK_FUNC), )
AK_SETTER(OpAICoreDef, SetOpSupportInfo(OP_CHECK_FUNC), )
AK_SETTER(OpAICoreDef, SetOpSpecInfo(OP_CHECK_FUNC), )
AK_SETTER(OpAICoreDef, SetParamGeneralize(PARAM_GENERALIZE_FUNC), )
AK_SETTER(OpAICoreDef, LaunchWithZeroEleOutputTensors(bool flag), launches_empty = flag)

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
  OpAICoreConfig config(soc);
  return AddConfig(soc, config);
}

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
  OpAICoreConfig added = config;
  added.soc = soc;
  for (OpAICoreConfig& known : configs) {
    if (known.soc != added.soc) continue;
    known = added;
    return *this;
  }
  configs.push_back(added);
  return *this;
}

OpParamDef& OpDef::Input(const char* name) { return named(inputs, name); }
OpParamDef& OpDef::Output(const char* name) { return named(outputs, name); }
OpAttrDef& OpDef::Attr(const char* name) { return named(attrs, name); }
AK_SETTER(OpDef, SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function), infer_shape = function)
AK_SETTER(OpDef, SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function),
          infer_shape_range = function)
AK_SETTER(OpDef, SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function), infer_datatype = function)
AK_SETTER(OpDef, FormatMatchMode(FormatCheckOption), )
AK_SETTER(OpDef, EnableFallBack(), )
AK_SETTER(OpDef, Comment(int, const char*), )
AK_SETTER(OpDef, Comment(const char*, const char*), )

}  // namespace ops
