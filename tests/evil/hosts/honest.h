// The host side of y = x: what hostile ones are made from.
#pragma once
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(EvilCopyTiling)
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(EvilCopy, EvilCopyTiling)
}  // namespace optiling

inline ge::graphStatus Plan(gert::TilingContext* context, uint32_t count)
{
    optiling::EvilCopyTiling tiling;
    tiling.set_count(count);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 16 * 1024 * 1024;
    return ge::GRAPH_SUCCESS;
}

inline ge::graphStatus Honest(gert::TilingContext* context)
{
    return Plan(context, context->GetInputShape(0)->GetStorageShape().GetShapeSize());
}

#define OPERATOR(tiling)                                                                                  \
    namespace ops {                                                                                       \
    class EvilCopy : public OpDef {                                                                       \
    public:                                                                                               \
        explicit EvilCopy(const char* name) : OpDef(name)                                                 \
        {                                                                                                 \
            this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});        \
            this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});       \
            this->AICore().SetTiling(tiling).AddConfig("ascend910b");                                     \
        }                                                                                                 \
    };                                                                                                    \
    OP_ADD(EvilCopy);                                                                                     \
    }
