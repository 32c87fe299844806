#include "scale_list_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr int64_t kTile = 2048;

static ge::graphStatus TilingFunc(gert::TilingContext* context)
{
    const size_t tensors = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
    int64_t longest = 0;
    for (size_t i = 0; i < tensors; ++i) {
        const int64_t size = context->GetDynamicInputShape(0, i)->GetStorageShape().GetShapeSize();
        longest = size > longest ? size : longest;
    }
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const int64_t tiles = (longest + kTile - 1) / kTile;
    const int64_t cores = platform.GetCoreNumAiv();
    ScaleListTiling tiling;
    tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
    tiling.set_tile(static_cast<uint32_t>(kTile));
    context->SetBlockDim(static_cast<uint32_t>(tiles < cores ? tiles : cores));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ScaleListCustom : public OpDef {
public:
    explicit ScaleListCustom(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};

OP_ADD(ScaleListCustom);
}  // namespace ops
