#include "momentum_custom_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context)
{
    MomentumTiling tiling;
    tiling.set_n(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
    tiling.set_rate(*context->GetAttrs()->GetFloat(0));
    tiling.set_momentum(*context->GetAttrs()->GetFloat(1));
    context->SetBlockDim(8);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MomentumCustom : public OpDef {
public:
    explicit MomentumCustom(const char* name) : OpDef(name)
    {
        for (const char* tensor : {"grad", "weight", "velocity"}) {
            this->Input(tensor).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        }
        for (const char* tensor : {"weight", "velocity"}) {
            this->Output(tensor).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        }
        this->Attr("rate").AttrType(OPTIONAL).Float(0.1);
        this->Attr("momentum").AttrType(OPTIONAL).Float(0.9);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};

OP_ADD(MomentumCustom);
}  // namespace ops
