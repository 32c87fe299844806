#include "twice_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    TwiceTilingData data;
    data.set_total(total);
    data.set_tile(16);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(platform.GetCoreNumAiv() < 4 ? 1 : 4);
    size_t *workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}

namespace ops {
class Twice : public OpDef {
public:
    explicit Twice(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format(
            {ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format(
            {ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Twice);
}
