#include <cstring>
#include "mix_state_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    const auto *factors = context->GetAttrs()->GetListInt(0);
    MixStateTilingData data;
    data.set_factor(factors->GetData()[factors->GetSize() - 1]);
    data.set_adds(std::strcmp(context->GetAttrs()->GetStr(1), "add") == 0 ? 1 : 0);
    data.set_hasGamma(context->GetOptionalInputShape(1) != nullptr ? 1 : 0);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}

namespace ops {
class MixState : public OpDef {
public:
    explicit MixState(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("gamma").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("state").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("state").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("scratch").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("factors").AttrType(OPTIONAL).ListInt({1});
        this->Attr("mode").AttrType(OPTIONAL).String("add");
        this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
    }
};
OP_ADD(MixState);
}
