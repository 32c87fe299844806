// gert::Range: two ends, each somebody else's object.
#pragma once

namespace gert {

template <class T>
class Range {
 public:
  Range() = default;
  Range(T* minimum, T* maximum) : minimum_(minimum), maximum_(maximum) {}
  explicit Range(T* both) : minimum_(both), maximum_(both) {}
  const T* GetMin() const { return minimum_; }
  const T* GetMax() const { return maximum_; }
  T* GetMin() { return minimum_; }
  T* GetMax() { return maximum_; }
  void SetMin(T* value) { minimum_ = value; }
  void SetMax(T* value) { maximum_ = value; }

 private:
  T* minimum_ = nullptr;
  T* maximum_ = nullptr;
};

}  // namespace gert
