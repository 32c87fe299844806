// gert::StorageFormat: the format as the model has it, and as it lies in memory.
#pragma once
#include "exe_graph/runtime/expand_dims_type.h"
#include "graph/types.h"

namespace gert {

class StorageFormat {
 public:
  StorageFormat() = default;
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType& expand)
      : origin_(origin), storage_(storage), expand_(expand) {}

  ge::Format GetOriginFormat() const { return origin_; }
  ge::Format GetStorageFormat() const { return storage_; }
  ExpandDimsType GetExpandDimsType() const { return expand_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }
  void SetExpandDimsType(ExpandDimsType expand) { expand_ = expand; }
  bool operator==(const StorageFormat& o) const {
    return origin_ == o.origin_ && storage_ == o.storage_ && expand_ == o.expand_;
  }
  bool operator!=(const StorageFormat& o) const { return !(*this == o); }

 private:
  ge::Format origin_ = ge::FORMAT_ND;
  ge::Format storage_ = ge::FORMAT_ND;
  ExpandDimsType expand_;
};

}  // namespace gert
