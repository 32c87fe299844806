#include "describe.h"

#include <cmath>

#include "json.h"
#include "register/tilingdata_base.h"
#include "registry.h"

namespace akhost {

namespace {

using akrt::JsonObject;

std::string text(const std::string& value) {
  std::string out;
  akrt::append_quoted(out, value);
  return out;
}

template <class List>
std::string numbers(const List& list) {
  return json_list(list, [](std::string& out, auto value) { out += std::to_string(static_cast<long long>(value)); });
}

std::string reals(const std::vector<float>& list) {
  return json_list(list, [](std::string& out, float value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", static_cast<double>(value));
    // JSON knows no infinities; the reader takes these words
    out += std::isfinite(value) ? digits : std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  });
}

std::string parameter(const ops::OpParamDef& p) {
  JsonObject o;
  o.text("name", p.name).number("option", p.option);
  o.raw("types", numbers(p.types)).flag("types_are_list", p.types_are_list);
  o.raw("formats", numbers(p.formats)).flag("formats_are_list", p.formats_are_list);
  o.number("value_depend", p.value_depend).flag("scalar", p.is_scalar).flag("scalar_list", p.is_scalar_list);
  o.text("to_name", p.to_name).number("to_type", p.to_type ? static_cast<int64_t>(*p.to_type) : -1);
  o.raw("init_value", p.init_value ? std::to_string(*p.init_value) : "null");
  o.flag("shape_depends_on_compute", p.shape_depends_on_compute).text("follows", p.follows);
  return o.str();
}

std::string parameters(const std::deque<ops::OpParamDef>& all) {
  return json_list(all, [](std::string& out, const ops::OpParamDef& one) { out += parameter(one); });
}

std::string default_of(const ops::OpAttrDef& a) {
  using ops::AttrDataType;
  if (!a.has_default) return "null";
  switch (a.type) {
    case AttrDataType::ATTR_DT_BOOL: return a.bool_value ? "true" : "false";
    case AttrDataType::ATTR_DT_FLOAT: return reals({static_cast<float>(a.float_value)});
    case AttrDataType::ATTR_DT_INT: return std::to_string(a.int_value);
    case AttrDataType::ATTR_DT_STR: return text(a.string_value);
    case AttrDataType::ATTR_DT_LIST_BOOL: return numbers(a.bools);
    case AttrDataType::ATTR_DT_LIST_FLOAT: return reals(a.floats);
    case AttrDataType::ATTR_DT_LIST_INT: return numbers(a.ints);
    case AttrDataType::ATTR_DT_LIST_LIST_INT:
      return json_list(a.lists, [](std::string& out, const std::vector<int64_t>& row) { out += numbers(row); });
  }
  return "null";
}

const char* kind_of(ops::AttrDataType type) {
  static constexpr const char* kNames[] = {"bool",      "float",      "int",      "string",
                                           "list_bool", "list_float", "list_int", "list_list_int"};
  return kNames[static_cast<int>(type)];
}

std::string attribute(const ops::OpAttrDef& a) {
  JsonObject o;
  o.text("name", a.name).text("kind", kind_of(a.type)).flag("required", a.required).raw("default", default_of(a));
  return o.str();
}

std::string config(const ops::OpAICoreConfig& c) {
  JsonObject settings;
  for (const auto& [key, value] : c.settings) settings.text(key, value);
  JsonObject o;
  o.text("soc", c.soc).raw("inputs", parameters(c.inputs)).raw("outputs", parameters(c.outputs));
  o.raw("settings", settings.str());
  return o.str();
}

void describe_operator(const Records& records, const std::string& type, ops::OpDefCreator creator) {
  const Functions functions = registry().functions[type];
  JsonObject o;
  o.text("t", "op").text("type", type).flag("defined", creator != nullptr);
  bool tiling = functions.tiling != nullptr;
  bool shape = functions.infer_shape != nullptr;
  bool datatype = functions.infer_datatype != nullptr || functions.same_datatype;
  std::vector<int32_t> data = functions.data_inputs;
  data.insert(data.end(), functions.tiling_data_inputs.begin(), functions.tiling_data_inputs.end());
  if (creator != nullptr) {
    ops::OpDef op = creator(type.c_str());
    o.raw("inputs", parameters(op.inputs)).raw("outputs", parameters(op.outputs));
    o.raw("attrs", json_list(op.attrs, [](std::string& out, const ops::OpAttrDef& a) { out += attribute(a); }));
    o.raw("configs", json_list(op.aicore.configs,
                               [](std::string& out, const ops::OpAICoreConfig& c) { out += config(c); }));
    o.flag("launches_empty", op.aicore.launches_empty);
    tiling = tiling || op.aicore.tiling != nullptr;
    shape = shape || op.infer_shape != nullptr;
    datatype = datatype || op.infer_datatype != nullptr;
  }
  o.flag("has_tiling", tiling).flag("has_infer_shape", shape).flag("has_infer_dtype", datatype);
  o.flag("has_tiling_parse", functions.create_info != nullptr);
  o.raw("data_inputs", numbers(data)).raw("computed_outputs", numbers(functions.computed_outputs));
  records.write(o.str());
}

void describe_class(const Records& records, const std::string& name, optiling::TilingDataConstructor constructor) {
  const auto instance = constructor();
  const auto fields = instance->GetFieldInfo();
  const auto& offsets = instance->AkOffsets();
  std::string list = "[";
  for (size_t i = 0; i < fields.size(); ++i) {
    const optiling::FieldInfo& f = fields[i];
    JsonObject o;
    o.text("name", f.name_).text("type", f.classType_ == "2" ? f.structType_ : f.dtype_);
    o.number("length", static_cast<int64_t>(f.arrSize_)).number("offset", static_cast<int64_t>(offsets[i]));
    o.text("form", f.classType_ == "2" ? "struct" : f.classType_ == "1" ? "array" : "scalar");
    list += (i == 0 ? "" : ",") + o.str();
  }
  JsonObject o;
  o.text("t", "tiling_class").text("registered", name).text("name", instance->GetTilingClassName());
  o.number("size", static_cast<int64_t>(instance->GetDataSize())).raw("fields", list + "]");
  records.write(o.str());
}

}  // namespace

void describe(const Records& records) {
  const Registry& known = registry();
  for (const auto& [type, creator] : known.definitions) describe_operator(records, type, creator);
  std::vector<std::string> others;
  for (const auto& [type, functions] : known.functions)
    if (known.creator(type) == nullptr) others.push_back(type);
  for (const std::string& type : others) describe_operator(records, type, nullptr);
  for (const auto& [name, constructor] : optiling::CTilingDataClassFactory::GetInstance().AkAll())
    describe_class(records, name, constructor);
}

}  // namespace akhost
