// The contexts: views of one call.
#include "call.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {

namespace {

// Workspaces that a call may have on the path of generated operator interfaces.
constexpr size_t kMaxWorkspaces = 20;

template <class T>
auto at(T& all, size_t index) -> decltype(&all[0]) {
  return index < all.size() ? &all[index] : nullptr;
}

const StorageShape* shape_of(const Tensor* tensor) { return tensor == nullptr ? nullptr : &tensor->GetShape(); }
const Shape* origin_of(const Tensor* tensor) { return tensor == nullptr ? nullptr : &tensor->GetOriginShape(); }

}  // namespace

size_t KernelContext::GetInputNum() const { return call_->input_slots.size(); }
size_t KernelContext::GetOutputNum() const { return call_->output_slots.size(); }
const Chain* KernelContext::GetInput(size_t index) const { return at(call_->input_slots, index); }
Chain* KernelContext::GetOutput(size_t index) { return at(call_->output_slots, index); }
const Chain* KernelContext::GetOutput(size_t index) const { return at(call_->output_slots, index); }

const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t instance) const {
  return call_->info.GetInputTdInfo(instance);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t ir) const {
  return GetDynamicInputDesc(ir, 0);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t ir) const {
  return GetDynamicInputDesc(ir, 0);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(size_t ir, size_t relative) const {
  const AnchorInstanceInfo* anchor = call_->info.GetInputInstanceInfo(ir);
  if (anchor == nullptr || relative >= anchor->GetInstanceNum()) return nullptr;
  return call_->info.GetInputTdInfo(anchor->GetInstanceStart() + relative);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t instance) const {
  return call_->info.GetOutputTdInfo(instance);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t ir) const {
  return call_->info.GetInputInstanceInfo(ir);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t ir) const {
  return call_->info.GetOutputInstanceInfo(ir);
}
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return call_->info.GetInputsNum(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return call_->info.GetOutputsNum(); }
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return call_->attrs.get(); }
const char* ExtendedKernelContext::GetNodeType() const { return call_->info.GetNodeType(); }
const char* ExtendedKernelContext::GetNodeName() const { return call_->info.GetNodeName(); }
const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const { return &call_->info; }

const Tensor* ExtendedKernelContext::InputTensor(size_t instance) const { return call_->instance(instance); }
const Tensor* ExtendedKernelContext::IrTensor(size_t ir, size_t relative) const {
  const AnchorInstanceInfo* anchor = call_->info.GetInputInstanceInfo(ir);
  if (anchor == nullptr || relative >= anchor->GetInstanceNum()) return nullptr;
  return call_->instance(anchor->GetInstanceStart() + relative);
}

const StorageShape* TilingContext::GetInputShape(size_t instance) const { return shape_of(InputTensor(instance)); }
const Tensor* TilingContext::GetInputTensor(size_t instance) const { return InputTensor(instance); }
const StorageShape* TilingContext::GetOptionalInputShape(size_t ir) const { return shape_of(IrTensor(ir, 0)); }
const Tensor* TilingContext::GetOptionalInputTensor(size_t ir) const { return IrTensor(ir, 0); }
const StorageShape* TilingContext::GetRequiredInputShape(size_t ir) const { return shape_of(IrTensor(ir, 0)); }
const Tensor* TilingContext::GetRequiredInputTensor(size_t ir) const { return IrTensor(ir, 0); }
const StorageShape* TilingContext::GetDynamicInputShape(size_t ir, size_t relative) const {
  return shape_of(IrTensor(ir, relative));
}
const Tensor* TilingContext::GetDynamicInputTensor(size_t ir, size_t relative) const { return IrTensor(ir, relative); }
const StorageShape* TilingContext::GetOutputShape(size_t instance) const {
  return instance < call_->outputs.size() ? shape_of(call_->outputs[instance]) : nullptr;
}

fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return call_->platform; }
const void* TilingContext::GetCompileInfo() const { return call_->compile_info; }
int32_t TilingContext::GetDeterministic() const { return call_->deterministic; }
int32_t TilingContext::GetDeterministicLevel() const { return call_->deterministic; }

#define AK_SETTER(name, type, member)                   \
  ge::graphStatus TilingContext::name(type value) {     \
    call_->member = value;                              \
    return ge::GRAPH_SUCCESS;                           \
  }
AK_SETTER(SetTilingKey, uint64_t, key)
AK_SETTER(SetBlockDim, uint32_t, blocks)
AK_SETTER(SetAicpuBlockDim, uint32_t, aicpu_blocks)
AK_SETTER(SetScheduleMode, uint32_t, schedule_mode)
AK_SETTER(SetNeedAtomic, bool, atomic)
AK_SETTER(SetTilingCond, int32_t, condition)
AK_SETTER(SetLocalMemorySize, uint32_t, local_memory)
#undef AK_SETTER

uint64_t TilingContext::GetTilingKey() const { return call_->key; }
uint32_t TilingContext::GetBlockDim() const { return call_->blocks; }
uint32_t TilingContext::GetScheduleMode() const { return call_->schedule_mode; }
bool TilingContext::NeedAtomic() const { return call_->atomic; }
int32_t TilingContext::GetTilingCond() const { return call_->condition; }
uint32_t TilingContext::GetLocalMemorySize() const { return call_->local_memory; }

size_t* TilingContext::GetWorkspaceSizes(size_t count) {
  if (count > kMaxWorkspaces) return nullptr;
  call_->workspaces.resize(kMaxWorkspaces);
  call_->workspace_count = count;
  return call_->workspaces.data();
}
size_t TilingContext::GetWorkspaceNum() const { return call_->workspace_count; }
TilingData* TilingContext::GetRawTilingData() { return call_->tiling.get(); }
const TilingData* TilingContext::GetRawTilingData() const { return call_->tiling.get(); }

const char* TilingParseContext::GetCompiledJson() const { return "{}"; }
fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return call_->platform; }
void* TilingParseContext::CompiledInfo() { return const_cast<void*>(call_->compile_info); }

const Shape* InferShapeContext::GetInputShape(size_t instance) const { return origin_of(InputTensor(instance)); }
const Tensor* InferShapeContext::GetInputTensor(size_t instance) const { return InputTensor(instance); }
const Shape* InferShapeContext::GetOptionalInputShape(size_t ir) const { return origin_of(IrTensor(ir, 0)); }
const Tensor* InferShapeContext::GetOptionalInputTensor(size_t ir) const { return IrTensor(ir, 0); }
const Shape* InferShapeContext::GetRequiredInputShape(size_t ir) const { return origin_of(IrTensor(ir, 0)); }
const Tensor* InferShapeContext::GetRequiredInputTensor(size_t ir) const { return IrTensor(ir, 0); }
const Shape* InferShapeContext::GetDynamicInputShape(size_t ir, size_t relative) const {
  return origin_of(IrTensor(ir, relative));
}
const Tensor* InferShapeContext::GetDynamicInputTensor(size_t ir, size_t relative) const {
  return IrTensor(ir, relative);
}
Shape* InferShapeContext::GetOutputShape(size_t instance) {
  Tensor* tensor = instance < call_->outputs.size() ? call_->outputs[instance] : nullptr;
  return tensor == nullptr ? nullptr : &tensor->MutableOriginShape();
}

const Range<Shape>* InferShapeRangeContext::GetInputShapeRange(size_t instance) const {
  return at(call_->input_ranges, instance);
}
Range<Shape>* InferShapeRangeContext::GetOutputShapeRange(size_t instance) {
  return at(call_->output_ranges, instance);
}

namespace {

ge::DataType type_of(const CompileTimeTensorDesc* desc) {
  return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

}  // namespace

ge::DataType InferDataTypeContext::GetInputDataType(size_t instance) const { return type_of(GetInputDesc(instance)); }
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t ir) const {
  return type_of(GetOptionalInputDesc(ir));
}
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t ir) const {
  return type_of(GetRequiredInputDesc(ir));
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t ir, size_t relative) const {
  return type_of(GetDynamicInputDesc(ir, relative));
}
ge::DataType InferDataTypeContext::GetOutputDataType(size_t instance) const {
  return instance < call_->inferred_types.size() ? call_->inferred_types[instance] : ge::DT_UNDEFINED;
}
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t instance, ge::DataType type) {
  if (instance >= call_->inferred_types.size()) return ge::GRAPH_FAILED;
  call_->inferred_types[instance] = type;
  return ge::GRAPH_SUCCESS;
}

}  // namespace gert
