#include "registry.h"

namespace akhost {

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace akhost

namespace ops {

int RegisterOpDef(const char* op_type, OpDefCreator creator) {
  auto& all = akhost::registry();
  if (all.creator(op_type) == nullptr) all.definitions.emplace_back(op_type, creator);
  return 0;
}

}  // namespace ops

namespace gert {

namespace {

template <class T>
void merge(T& known, const T& given) {
  if (given != T{}) known = given;
}

}  // namespace

OpImplRegisterV2::OpImplRegisterV2(const OpImplRegisterV2& other) : op_type_(other.op_type_) {
  akhost::Functions& known = akhost::registry().functions[op_type_];
  merge(known.tiling, other.tiling);
  merge(known.tiling_bytes, other.tiling_bytes);
  if (other.parse != nullptr || other.plain_parse != nullptr) {
    known.parse = other.parse;
    known.plain_parse = other.plain_parse;
    known.create_info = other.create_info;
    known.delete_info = other.delete_info;
  }
  merge(known.infer_shape, other.infer_shape);
  merge(known.infer_datatype, other.infer_datatype);
  merge(known.same_datatype, other.same_datatype);
  merge(known.data_inputs, other.data_inputs);
  merge(known.tiling_data_inputs, other.tiling_data_inputs);
  merge(known.computed_outputs, other.computed_outputs);
}

}  // namespace gert
