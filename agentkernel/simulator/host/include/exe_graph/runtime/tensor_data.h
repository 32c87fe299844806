// gert::TensorData: an address and its size.
#pragma once
#include <cstddef>

#include "exe_graph/runtime/base_type.h"

namespace gert {

using TensorAddress = void*;
using ConstTensorAddressPtr = const void*;

enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };

class TensorData {
 public:
  TensorData() = default;
  explicit TensorData(TensorAddress address, void* /*manager*/ = nullptr, size_t size = 0,
                      TensorPlacement placement = kTensorPlacementEnd)
      : address_(address), size_(size), placement_(placement) {}
  TensorData(TensorData&&) = default;
  TensorData& operator=(TensorData&&) = default;
  TensorData(const TensorData&) = delete;
  TensorData& operator=(const TensorData&) = delete;

  TensorAddress GetAddr() const { return address_; }
  size_t GetSize() const { return size_; }
  void SetSize(size_t size) { size_ = size; }
  TensorPlacement GetPlacement() const { return placement_; }
  void SetPlacement(TensorPlacement placement) { placement_ = placement; }
  ge::graphStatus SetAddr(const ConstTensorAddressPtr address, void* /*manager*/) {
    address_ = const_cast<void*>(address);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus Free() {
    address_ = nullptr;
    return ge::GRAPH_SUCCESS;
  }

 private:
  TensorAddress address_ = nullptr;
  size_t size_ = 0;
  TensorPlacement placement_ = kTensorPlacementEnd;
};

}  // namespace gert
