// The structure that a tiling function fills and a kernel reads, by the macros BEGIN_TILING_DATA_DEF and its relatives.
//
// Layout of the bytes: fields in order at their natural alignment; nested structures begin at multiples of 8, and every
// structure is padded to a multiple of 8. Padding is a field of its own, so that the kernel's structure names it too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/compiler_def.h"
#include "securec.h"

namespace optiling {

class FieldInfo {
 public:
  FieldInfo(const char* dtype, const char* name)
      : dtype_(dtype), name_(name), classType_("0") {}
  FieldInfo(const char* dtype, const char* name, size_t count)
      : dtype_(dtype), name_(name), arrSize_(count), classType_("1") {}
  FieldInfo(const char* dtype, const char* name, const char* type, size_t bytes)
      : dtype_(dtype), name_(name), structType_(type), structSize_(bytes), classType_("2") {}

  std::string dtype_;
  std::string name_;
  size_t arrSize_ = 0;
  std::string structType_;
  size_t structSize_ = 0;
  std::string classType_;  // "0" scalar, "1" array, "2" structure
};

class TilingDef {
 public:
  ~TilingDef();
  TilingDef(const TilingDef&) = delete;
  TilingDef& operator=(const TilingDef&) = delete;

  // Copies the bytes, unless they lie at `target` already; copies nothing where they do not fit.
  void SaveToBuffer(void* target, size_t capacity);
  std::vector<FieldInfo> GetFieldInfo() const { return field_info_; }
  const char* GetTilingClassName() const { return class_name_; }
  size_t GetDataSize() const { return data_size_; }
  // From here on setters write to `target`. What was set before is not copied.
  void SetDataPtr(void* target);

  // Offset of every field, padding included; beside GetFieldInfo().
  const std::vector<size_t>& AkOffsets() const { return offsets_; }

 protected:
  TilingDef() = default;
  // Adds a field behind those that are there and returns its offset.
  size_t AkField(const char* dtype, const char* name, size_t bytes);
  size_t AkArray(const char* dtype, const char* name, size_t bytes, size_t count);
  size_t AkStruct(const char* dtype, const char* name, TilingDef& member);
  void AkFinish(const char* class_name, void* target, bool own);
  template <class T>
  void AkStore(size_t offset, T value) {
    if (data_ptr_ != nullptr) std::memcpy(data_ptr_ + offset, &value, sizeof value);
  }
  void AkStoreArray(size_t offset, const void* values, size_t bytes) {
    if (data_ptr_ != nullptr && values != data_ptr_ + offset) std::memcpy(data_ptr_ + offset, values, bytes);
  }

  std::vector<FieldInfo> field_info_;
  uint8_t* data_ptr_ = nullptr;
  size_t data_size_ = 0;
  const char* class_name_ = nullptr;
  bool inited_data_ptr = false;  // whether the bytes are somebody else's

 private:
  void Pad(const char* name, size_t alignment);

  std::vector<size_t> offsets_;
  std::vector<std::pair<size_t, TilingDef*>> members_;
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

class CTilingDataClassFactory {
 public:
  static CTilingDataClassFactory& GetInstance();
  // The first registration of a name counts.
  void RegisterTilingData(const char* op_type, const TilingDataConstructor constructor);
  std::shared_ptr<TilingDef> CreateTilingDataInstance(const char* op_type);

  // In order of registration.
  const std::vector<std::pair<std::string, TilingDataConstructor>>& AkAll() const { return all_; }

 private:
  std::vector<std::pair<std::string, TilingDataConstructor>> all_;
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                                        \
  class class_name : public ::optiling::TilingDef {                              \
   public:                                                                       \
    class_name() { AkFinish(#class_name, nullptr, true); }                       \
    explicit class_name(void* ak_target) { AkFinish(#class_name, ak_target, false); }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                            \
 private:                                                                                                       \
  static_assert(std::is_arithmetic<data_type>::value,                                                           \
                "Ascend C host: the field " #field_name " of a tiling structure is not of a plain number type"); \
  data_type field_name##_ = 0;                                                                                  \
  size_t field_name##_offset_ = AkField(#data_type, #field_name, sizeof(data_type));                            \
                                                                                                                \
 public:                                                                                                        \
  void set_##field_name(data_type ak_value) {                                                                   \
    field_name##_ = ak_value;                                                                                   \
    AkStore<data_type>(field_name##_offset_, ak_value);                                                         \
  }                                                                                                             \
  data_type get_##field_name() { return field_name##_; }

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                              \
 private:                                                                                                       \
  static_assert(std::is_arithmetic<arr_type>::value,                                                            \
                "Ascend C host: the field " #field_name " of a tiling structure is not of a plain number type"); \
  size_t field_name##_offset_ = AkArray(#arr_type, #field_name, sizeof(arr_type), arr_size);                    \
                                                                                                                \
 public:                                                                                                        \
  void set_##field_name(arr_type* ak_values) {                                                                  \
    AkStoreArray(field_name##_offset_, ak_values, sizeof(arr_type) * (arr_size));                               \
  }                                                                                                             \
  arr_type* get_##field_name() {                                                                                \
    return data_ptr_ == nullptr ? nullptr : reinterpret_cast<arr_type*>(data_ptr_ + field_name##_offset_);      \
  }

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
 public:                                                      \
  struct_type field_name{static_cast<void*>(nullptr)};        \
                                                              \
 private:                                                     \
  size_t field_name##_offset_ = AkStruct(#struct_type, #field_name, field_name);

#define END_TILING_DATA_DEF \
  }                         \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                              \
  namespace {                                                                                        \
  struct AkRegister_##op_type##_##class_name {                                                       \
    AkRegister_##op_type##_##class_name() {                                                          \
      ::optiling::CTilingDataClassFactory::GetInstance().RegisterTilingData(#op_type, &Make);        \
    }                                                                                                \
    static std::shared_ptr<::optiling::TilingDef> Make() { return std::make_shared<class_name>(); }  \
  };                                                                                                 \
  AkRegister_##op_type##_##class_name ak_registered_##op_type##_##class_name;                        \
  }
