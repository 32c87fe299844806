// gert::StorageShape: the shape as the model has it, and as it lies in memory.
#pragma once
#include "exe_graph/runtime/shape.h"

namespace gert {

struct StorageShape {
  StorageShape() = default;
  StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
      : origin_(origin), storage_(storage) {}
  StorageShape(const Shape& origin, const Shape& storage) : origin_(origin), storage_(storage) {}

  const Shape& GetOriginShape() const { return origin_; }
  const Shape& GetShape() const { return origin_; }
  const Shape& GetStorageShape() const { return storage_; }
  Shape& MutableOriginShape() { return origin_; }
  Shape& MutableShape() { return origin_; }
  Shape& MutableStorageShape() { return storage_; }
  bool operator==(const StorageShape& o) const { return origin_ == o.origin_ && storage_ == o.storage_; }
  bool operator!=(const StorageShape& o) const { return !(*this == o); }

 private:
  Shape origin_;
  Shape storage_;
};

}  // namespace gert
