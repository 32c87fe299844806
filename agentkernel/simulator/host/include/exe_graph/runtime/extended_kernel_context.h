// gert::ExtendedKernelContext: what all contexts of one operator's call answer. "Instance" indices count the tensors of
// the call, "ir" indices the parameters of the definition; they differ behind a dynamic parameter of other than one tensor.
#pragma once
#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/kernel_context.h"

namespace gert {

class ExtendedKernelContext : protected KernelContext {
 public:
  const CompileTimeTensorDesc* GetInputDesc(size_t instance) const;
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir) const;
  const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir) const;
  const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir, size_t relative) const;
  const CompileTimeTensorDesc* GetOutputDesc(size_t instance) const;
  const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir) const;
  const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t ir) const;
  size_t GetComputeNodeInputNum() const;
  size_t GetComputeNodeOutputNum() const;
  const RuntimeAttrs* GetAttrs() const;
  const char* GetNodeType() const;
  const char* GetNodeName() const;
  const char* GetKernelName() const { return GetNodeName(); }
  const char* GetKernelType() const { return GetNodeType(); }
  const ComputeNodeInfo* GetComputeNodeInfo() const;

  explicit ExtendedKernelContext(akhost::Call& call) : KernelContext(call) {}

 protected:
  const Tensor* InputTensor(size_t instance) const;
  // The tensor `relative` of a parameter; null where the call has none.
  const Tensor* IrTensor(size_t ir, size_t relative) const;
};

}  // namespace gert
