// The structures of tiling data: their layout, their bytes, their registry.
#include "register/tilingdata_base.h"

namespace optiling {

namespace {

constexpr size_t kStructAlignment = 8;

}  // namespace

TilingDef::~TilingDef() {
  if (!inited_data_ptr) delete[] data_ptr_;
}

void TilingDef::Pad(const char* name, size_t alignment) {
  const size_t rest = data_size_ % alignment;
  if (rest == 0) return;
  // The generated structure of the kernel names its padding after the field that it stands before.
  field_info_.emplace_back("uint8_t", (std::string(name) + "PH").c_str(), alignment - rest);
  offsets_.push_back(data_size_);
  data_size_ += alignment - rest;
}

size_t TilingDef::AkField(const char* dtype, const char* name, size_t bytes) {
  Pad(name, bytes);
  field_info_.emplace_back(dtype, name);
  offsets_.push_back(data_size_);
  data_size_ += bytes;
  return offsets_.back();
}

size_t TilingDef::AkArray(const char* dtype, const char* name, size_t bytes, size_t count) {
  Pad(name, bytes);
  field_info_.emplace_back(dtype, name, count);
  offsets_.push_back(data_size_);
  data_size_ += bytes * count;
  return offsets_.back();
}

size_t TilingDef::AkStruct(const char* dtype, const char* name, TilingDef& member) {
  Pad(name, kStructAlignment);
  field_info_.emplace_back("struct", name, dtype, member.data_size_);
  offsets_.push_back(data_size_);
  members_.emplace_back(data_size_, &member);
  data_size_ += member.data_size_;
  return offsets_.back();
}

void TilingDef::AkFinish(const char* class_name, void* target, bool own) {
  class_name_ = class_name;
  Pad(class_name, kStructAlignment);
  inited_data_ptr = !own;
  data_ptr_ = own ? new uint8_t[data_size_]() : static_cast<uint8_t*>(target);
  for (auto& [offset, member] : members_) member->SetDataPtr(data_ptr_ == nullptr ? nullptr : data_ptr_ + offset);
}

void TilingDef::SetDataPtr(void* target) {
  if (!inited_data_ptr) delete[] data_ptr_;
  inited_data_ptr = true;
  data_ptr_ = static_cast<uint8_t*>(target);
  for (auto& [offset, member] : members_) member->SetDataPtr(data_ptr_ == nullptr ? nullptr : data_ptr_ + offset);
}

void TilingDef::SaveToBuffer(void* target, size_t capacity) {
  if (inited_data_ptr || target == nullptr) return;
  if (memcpy_s(target, capacity, data_ptr_, data_size_) != EOK)
    std::fprintf(stderr, "%s: the tiling data of %zu bytes do not fit the %zu bytes of the buffer\n", class_name_,
                 data_size_, capacity);
}

CTilingDataClassFactory& CTilingDataClassFactory::GetInstance() {
  static CTilingDataClassFactory instance;
  return instance;
}

void CTilingDataClassFactory::RegisterTilingData(const char* op_type, const TilingDataConstructor constructor) {
  for (const auto& [name, known] : all_)
    if (name == op_type) return;
  all_.emplace_back(op_type, constructor);
}

std::shared_ptr<TilingDef> CTilingDataClassFactory::CreateTilingDataInstance(const char* op_type) {
  for (const auto& [name, constructor] : all_)
    if (name == op_type) return constructor();
  return nullptr;
}

}  // namespace optiling
