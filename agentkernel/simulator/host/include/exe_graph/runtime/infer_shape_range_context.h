// gert::InferShapeRangeContext: ranges of shapes, which only graph compilation asks for.
#pragma once
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"

namespace gert {

class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  const Range<Shape>* GetInputShapeRange(size_t instance) const;
  Range<Shape>* GetOutputShapeRange(size_t instance);

  explicit InferShapeRangeContext(akhost::Call& call) : ExtendedKernelContext(call) {}
};

}  // namespace gert
