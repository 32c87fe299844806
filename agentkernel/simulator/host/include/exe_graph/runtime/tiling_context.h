// gert::TilingContext: what a tiling function reads and sets.
#pragma once
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingContext : public ExtendedKernelContext {
 public:
  // Null beyond the last tensor, and for an optional one that the call does not have.
  const StorageShape* GetInputShape(size_t instance) const;
  const Tensor* GetInputTensor(size_t instance) const;
  const StorageShape* GetOptionalInputShape(size_t ir) const;
  const Tensor* GetOptionalInputTensor(size_t ir) const;
  const StorageShape* GetRequiredInputShape(size_t ir) const;
  const Tensor* GetRequiredInputTensor(size_t ir) const;
  const StorageShape* GetDynamicInputShape(size_t ir, size_t relative) const;
  const Tensor* GetDynamicInputTensor(size_t ir, size_t relative) const;
  const StorageShape* GetOutputShape(size_t instance) const;

  fe::PlatFormInfos* GetPlatformInfo() const;
  const void* GetCompileInfo() const;
  template <class T>
  const T* GetCompileInfo() const {
    return static_cast<const T*>(GetCompileInfo());
  }
  int32_t GetDeterministic() const;
  int32_t GetDeterministicLevel() const;

  ge::graphStatus SetTilingKey(uint64_t key);
  uint64_t GetTilingKey() const;
  ge::graphStatus SetBlockDim(uint32_t blocks);
  uint32_t GetBlockDim() const;
  ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
  uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
  ge::graphStatus SetAicpuBlockDim(uint32_t blocks);
  // Makes room for `count` workspaces, whose sizes the caller writes; null beyond what there is room for.
  size_t* GetWorkspaceSizes(size_t count);
  size_t GetWorkspaceNum() const;
  ge::graphStatus SetScheduleMode(uint32_t mode);
  uint32_t GetScheduleMode() const;
  ge::graphStatus SetNeedAtomic(bool flag);
  bool NeedAtomic() const;
  ge::graphStatus SetTilingCond(int32_t condition);
  int32_t GetTilingCond() const;
  ge::graphStatus SetLocalMemorySize(uint32_t bytes);
  uint32_t GetLocalMemorySize() const;
  ge::graphStatus SetDynUBufSize(uint32_t bytes) { return SetLocalMemorySize(bytes); }

  TilingData* GetRawTilingData();
  const TilingData* GetRawTilingData() const;
  // The tiling data as a structure; null where it does not fit.
  template <class T>
  T* GetTilingData() {
    TilingData* data = GetRawTilingData();
    if (data->GetCapacity() < sizeof(T)) return nullptr;
    data->SetDataSize(sizeof(T));
    return static_cast<T*>(data->GetData());
  }

  explicit TilingContext(akhost::Call& call) : ExtendedKernelContext(call) {}
};

}  // namespace gert
