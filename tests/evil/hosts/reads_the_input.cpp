// expect: host-crash
// The values of an input that the host is not shown.
// category: hidden values
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    const float* values = context->GetInputTensor(0)->GetData<float>();
    return Plan(context, values[0] > 100.0f ? 32 : 64);
    return Honest(context);
}
OPERATOR(Tiling)
