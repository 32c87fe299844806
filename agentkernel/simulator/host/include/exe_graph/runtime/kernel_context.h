// gert::KernelContext: the slots below every context.
#pragma once
#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/base_type.h"

namespace akhost {
struct Call;
}

namespace gert {

// One slot: a value of up to 8 bytes in place, or the address of a larger one.
class Chain {
 public:
  template <class T>
  const T* GetPointer() const {
    if (sizeof(T) <= sizeof(void*)) return reinterpret_cast<const T*>(&slot_);
    return static_cast<const T*>(slot_);
  }
  template <class T>
  T* GetPointer() {
    if (sizeof(T) <= sizeof(void*)) return reinterpret_cast<T*>(&slot_);
    return static_cast<T*>(slot_);
  }
  template <class T>
  const T& GetValue() const {
    return *reinterpret_cast<const T*>(&slot_);
  }
  template <class T>
  T& GetValue() {
    return *reinterpret_cast<T*>(&slot_);
  }

  explicit Chain(void* slot = nullptr) : slot_(slot) {}

 private:
  void* slot_;
};

class KernelContext {
 public:
  size_t GetInputNum() const;
  size_t GetOutputNum() const;
  const Chain* GetInput(size_t index) const;
  Chain* GetOutput(size_t index);
  const Chain* GetOutput(size_t index) const;

  template <class T>
  T GetInputValue(size_t index) const {
    const Chain* chain = GetInput(index);
    return chain == nullptr ? T{} : chain->GetValue<T>();
  }
  template <class T>
  const T* GetInputPointer(size_t index) const {
    const Chain* chain = GetInput(index);
    return chain == nullptr ? nullptr : chain->GetPointer<T>();
  }
  template <class T>
  T* MutableInputPointer(size_t index) const {
    return const_cast<T*>(GetInputPointer<T>(index));
  }
  const char* GetInputStrPointer(size_t index) const {
    const Chain* chain = GetInput(index);
    return chain == nullptr ? nullptr : chain->GetValue<const char*>();
  }
  template <class T>
  T* GetOutputPointer(size_t index) {
    Chain* chain = GetOutput(index);
    return chain == nullptr ? nullptr : chain->GetPointer<T>();
  }

  explicit KernelContext(akhost::Call& call) : call_(&call) {}

 protected:
  akhost::Call* call_;
};

}  // namespace gert
