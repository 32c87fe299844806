// What a context knows of the operator's call: instances of inputs and outputs, and their types.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"

namespace gert {

class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo() = default;
  AnchorInstanceInfo(size_t start, size_t count) : start_(start), count_(count) {}
  size_t GetInstanceNum() const { return count_; }
  size_t GetInstanceStart() const { return start_; }

 private:
  size_t start_ = 0;
  size_t count_ = 0;
};

class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc() = default;
  CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format) : type_(type), format_(format) {}
  ge::DataType GetDataType() const { return type_; }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  bool IsExist() const { return type_ != ge::DT_UNDEFINED; }
  void SetDataType(ge::DataType type) { type_ = type; }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }

 private:
  ge::DataType type_ = ge::DT_UNDEFINED;
  StorageFormat format_;
};

class ComputeNodeInfo {
 public:
  const char* GetNodeType() const { return type.c_str(); }
  const char* GetNodeName() const { return name.c_str(); }
  size_t GetIrInputsNum() const { return ir_inputs.size(); }
  size_t GetIrOutputsNum() const { return ir_outputs.size(); }
  size_t GetInputsNum() const { return input_descs.size(); }
  size_t GetOutputsNum() const { return output_descs.size(); }
  const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir) const { return At(ir_inputs, ir); }
  const AnchorInstanceInfo* GetOutputInstanceInfo(size_t ir) const { return At(ir_outputs, ir); }
  const CompileTimeTensorDesc* GetInputTdInfo(size_t i) const { return At(input_descs, i); }
  const CompileTimeTensorDesc* GetOutputTdInfo(size_t i) const { return At(output_descs, i); }
  const RuntimeAttrs* GetAttrs() const { return attrs; }

  // Filled by what prepares a call.
  std::string type;
  std::string name;
  std::vector<AnchorInstanceInfo> ir_inputs;
  std::vector<AnchorInstanceInfo> ir_outputs;
  std::vector<CompileTimeTensorDesc> input_descs;
  std::vector<CompileTimeTensorDesc> output_descs;
  const RuntimeAttrs* attrs = nullptr;

 private:
  template <class T>
  static const T* At(const std::vector<T>& all, size_t index) {
    return index < all.size() ? &all[index] : nullptr;
  }
};

}  // namespace gert
