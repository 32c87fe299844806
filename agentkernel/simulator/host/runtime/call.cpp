#include "call.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace akhost {

namespace {

gert::Tensor* add_tensor(Call& call, const GivenTensor& given) {
  gert::Shape shape;
  if (given.dims.size() > gert::Shape::kMaxDimNum) throw std::runtime_error("a shape has more than 25 dimensions");
  for (const int64_t dim : given.dims) shape.AppendDim(dim);
  const gert::StorageFormat format(given.format, given.format, gert::ExpandDimsType());
  void* address = nullptr;
  size_t bytes = 0;
  auto placement = gert::kOnDeviceHbm;
  if (given.data_path != "-") {
    std::ifstream in(given.data_path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot open " + given.data_path);
    auto& data = call.data.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    bytes = data.size();
    data.resize(bytes + 1);  // an empty tensor has an address too
    address = data.data();
    placement = gert::kOnHost;
  }
  gert::Tensor& tensor =
      call.tensors.emplace_back(gert::StorageShape(shape, shape), format, placement, given.type, address);
  const int64_t all = ge::GetSizeInBytes(tensor.GetShapeSize(), given.type);
  tensor.SetSize(address != nullptr ? bytes : all < 0 ? 0 : static_cast<size_t>(all));
  return &tensor;
}

void add_parameters(Call& call, const std::vector<GivenParameter>& given, std::vector<gert::Tensor*>& tensors,
                    std::vector<gert::AnchorInstanceInfo>& anchors, std::vector<gert::CompileTimeTensorDesc>& descs) {
  for (const GivenParameter& one : given) {
    anchors.emplace_back(tensors.size(), one.tensors.size());
    for (const GivenTensor& tensor : one.tensors) {
      tensors.push_back(add_tensor(call, tensor));
      descs.emplace_back(tensor.type, tensors.back()->GetFormat());
    }
    if (one.absent && !one.dynamic) {  // keeps its slot, with nothing in it
      tensors.push_back(nullptr);
      descs.emplace_back();
    }
  }
}

template <class T>
const void* keep(Call& call, const T& value) {
  auto& bytes = call.attribute_bytes.emplace_back(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes.data();
}

template <class T, class U>
const uint8_t* keep_list(Call& call, const std::vector<U>& values) {
  auto memory = gert::ContinuousVector::Create<T>(values.size());
  auto* list = reinterpret_cast<gert::TypedContinuousVector<T>*>(memory.get());
  list->SetSize(values.size());
  for (size_t i = 0; i < values.size(); ++i) list->MutableData()[i] = static_cast<T>(values[i]);
  call.vectors.push_back(std::move(memory));
  return call.vectors.back().get();
}

const void* add_attribute(Call& call, const GivenAttribute& given) {
  if (given.kind == "bool") return keep(call, given.whole != 0);
  if (given.kind == "int") return keep(call, given.whole);
  if (given.kind == "float") return keep(call, static_cast<float>(given.real));
  if (given.kind == "string") {
    call.attribute_bytes.emplace_back(given.text.c_str(), given.text.c_str() + given.text.size() + 1);
    return call.attribute_bytes.back().data();
  }
  if (given.kind == "list_bool") return keep_list<bool>(call, given.wholes);
  if (given.kind == "list_int") return keep_list<int64_t>(call, given.wholes);
  if (given.kind == "list_float") return keep_list<float>(call, given.reals);
  if (given.kind == "list_list_int") {
    auto& rows = call.rows.emplace_back();
    for (const auto& row : given.lists) rows.push_back(keep_list<int64_t>(call, row));
    return &call.lists.emplace_back(rows.data(), rows.size());
  }
  throw std::runtime_error("unknown kind of attribute '" + given.kind + "'");
}

}  // namespace

void fill(Call& call, const std::string& type, const std::vector<GivenParameter>& inputs,
          const std::vector<GivenParameter>& outputs, const std::vector<GivenAttribute>& attributes) {
  call.info.type = type;
  call.info.name = type;
  add_parameters(call, inputs, call.inputs, call.info.ir_inputs, call.info.input_descs);
  add_parameters(call, outputs, call.outputs, call.info.ir_outputs, call.info.output_descs);
  std::vector<const void*> slots;
  for (const GivenAttribute& attribute : attributes) slots.push_back(add_attribute(call, attribute));
  call.attrs = std::make_unique<gert::RuntimeAttrs>(std::move(slots));
  call.info.attrs = call.attrs.get();
  for (gert::Tensor* tensor : call.inputs) call.input_slots.emplace_back(tensor);
  for (gert::Tensor* tensor : call.outputs) call.output_slots.emplace_back(tensor);
}

}  // namespace akhost
