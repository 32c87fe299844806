// gert::InferDataTypeContext: element types of inputs to element types of outputs.
#pragma once
#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
 public:
  // DT_UNDEFINED where the call has no such tensor.
  ge::DataType GetInputDataType(size_t instance) const;
  ge::DataType GetOptionalInputDataType(size_t ir) const;
  ge::DataType GetRequiredInputDataType(size_t ir) const;
  ge::DataType GetDynamicInputDataType(size_t ir, size_t relative) const;
  ge::DataType GetOutputDataType(size_t instance) const;
  ge::graphStatus SetOutputDataType(size_t instance, ge::DataType type);

  explicit InferDataTypeContext(akhost::Call& call) : ExtendedKernelContext(call) {}
};

}  // namespace gert
