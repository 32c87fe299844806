// gert::RuntimeAttrs: the attributes in the order of the operator's definition; every declared one has a slot.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

class RuntimeAttrs {
 public:
  template <class T>
  const T* GetAttrPointer(size_t index) const {
    return static_cast<const T*>(At(index));
  }
  const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
  const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
  const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
  const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
  const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
  }
  const TypedContinuousVector<float>* GetListFloat(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<float>>(index);
  }
  const ContinuousVectorVector* GetListListInt(size_t index) const {
    return GetAttrPointer<ContinuousVectorVector>(index);
  }
  const ContinuousVectorVector* GetListListFloat(size_t index) const {
    return GetAttrPointer<ContinuousVectorVector>(index);
  }
  const Tensor* GetTensor(size_t index) const { return GetAttrPointer<Tensor>(index); }
  size_t GetAttrNum() const { return slots_.size(); }

  explicit RuntimeAttrs(std::vector<const void*> slots) : slots_(static_cast<std::vector<const void*>&&>(slots)) {}

 private:
  const void* At(size_t index) const { return index < slots_.size() ? slots_[index] : nullptr; }
  std::vector<const void*> slots_;
};

}  // namespace gert
