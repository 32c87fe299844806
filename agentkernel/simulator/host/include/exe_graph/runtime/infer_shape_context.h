// gert::InferShapeContext: shapes of inputs to shapes of outputs.
#pragma once
#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
 public:
  const Shape* GetInputShape(size_t instance) const;
  const Tensor* GetInputTensor(size_t instance) const;
  const Shape* GetOptionalInputShape(size_t ir) const;
  const Tensor* GetOptionalInputTensor(size_t ir) const;
  const Shape* GetRequiredInputShape(size_t ir) const;
  const Tensor* GetRequiredInputTensor(size_t ir) const;
  const Shape* GetDynamicInputShape(size_t ir, size_t relative) const;
  const Tensor* GetDynamicInputTensor(size_t ir, size_t relative) const;
  Shape* GetOutputShape(size_t instance);

  explicit InferShapeContext(akhost::Call& call) : ExtendedKernelContext(call) {}
};

}  // namespace gert
