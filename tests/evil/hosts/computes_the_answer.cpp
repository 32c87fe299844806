// expect: host-definition
// Asks for the values of its input, which tiling data could carry to the kernel as the answer.
// category: host-side computation
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    const float* values = context->GetInputTensor(0)->GetData<float>();
    return Plan(context, values == nullptr || values[0] < 2.0f ? 64 : 32);
}
namespace ops {
class EvilCopy : public OpDef {
public:
    explicit EvilCopy(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).ValueDepend(REQUIRED);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
    }
};
OP_ADD(EvilCopy);
}
