// gert::Tensor: shape, format, element type and, where the host may see them, the data. It begins with its StorageShape,
// so that a pointer to one is a pointer to the other.
#pragma once
#include <utility>

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor_data.h"

namespace gert {

class Tensor {
 public:
  Tensor() = default;
  Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type)
      : shape_(shape), format_(format), type_(type) {}
  Tensor(const StorageShape& shape, const StorageFormat& format, TensorPlacement placement, ge::DataType type,
         TensorAddress address)
      : shape_(shape), format_(format), data_(address, nullptr, 0, placement), type_(type) {}

  int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  template <class T>
  const T* GetData() const {
    return static_cast<const T*>(GetAddr());
  }
  template <class T>
  T* GetData() {
    return static_cast<T*>(const_cast<void*>(static_cast<const Tensor*>(this)->GetAddr()));
  }
  const void* GetAddr() const { return data_.GetAddr(); }
  void* GetAddr() { return data_.GetAddr(); }
  size_t GetSize() const { return data_.GetSize(); }
  void SetSize(size_t size) { data_.SetSize(size); }
  ge::DataType GetDataType() const { return type_; }
  void SetDataType(ge::DataType type) { type_ = type; }

  const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
  const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
  const StorageShape& GetShape() const { return shape_; }
  StorageShape& GetShape() { return shape_; }
  Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
  Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }

  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  const StorageFormat& GetFormat() const { return format_; }
  StorageFormat& MutableFormat() { return format_; }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }

  TensorPlacement GetPlacement() const { return data_.GetPlacement(); }
  void SetPlacement(TensorPlacement placement) { data_.SetPlacement(placement); }
  const TensorData& GetTensorData() const { return data_; }
  TensorData& MutableTensorData() { return data_; }
  void SetData(TensorData&& data) { data_ = std::move(data); }

 private:
  StorageShape shape_;
  StorageFormat format_;
  TensorData data_;
  ge::DataType type_ = ge::DT_UNDEFINED;
};

}  // namespace gert
