"""Host code of small operators, written for these tests."""

from __future__ import annotations

SHIFT_HEADER = """\
#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowSplit)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, marks);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(RowSplitOp, RowSplit)

BEGIN_TILING_DATA_DEF(ShiftTiling)
TILING_DATA_FIELD_DEF(uint8_t, kind);
TILING_DATA_FIELD_DEF(int64_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF_STRUCT(RowSplit, split);
TILING_DATA_FIELD_DEF(float, alpha);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Shift, ShiftTiling)

BEGIN_TILING_DATA_DEF(ShiftSmall)
TILING_DATA_FIELD_DEF(int32_t, total);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Shift_7, ShiftSmall)
}  // namespace optiling
"""

SHIFT = """\
#include "shift_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
struct ShiftInfo {
  uint32_t cores = 0;
  uint64_t ub = 0;
};

static ge::graphStatus Prepare(gert::TilingParseContext* context) {
  auto* info = context->GetCompiledInfo<ShiftInfo>();
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  info->cores = platform.GetCoreNumAiv();
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const auto* info = context->GetCompileInfo<ShiftInfo>();
  const gert::StorageShape* shape = context->GetInputShape(0);
  const int64_t total = shape->GetStorageShape().GetShapeSize();
  std::cout << "total " << total << " ub " << info->ub << std::endl;
  context->SetBlockDim(std::min<int64_t>(info->cores, total));
  context->GetWorkspaceSizes(1)[0] = 1024;
  if (total < 16) {
    ShiftSmall small;
    small.set_total(total);
    context->SetTilingKey(7);
    small.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(small.GetDataSize());
    return ge::GRAPH_SUCCESS;
  }
  ShiftTiling tiling;
  uint16_t marks[3] = {1, 2, 3};
  tiling.set_kind(context->GetOptionalInputShape(1) == nullptr ? 1 : 2);
  tiling.set_total(total);
  tiling.set_tile(*context->GetAttrs()->GetInt(1));
  tiling.split.set_rows(shape->GetStorageShape().GetDim(0));
  tiling.split.set_marks(marks);
  tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Shift).Tiling(Tiling).TilingParse<ShiftInfo>(Prepare);
}  // namespace optiling

namespace ops {
static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  context->GetOutputShape(0)->AppendDim(2);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}

class Shift : public OpDef {
 public:
  explicit Shift(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("alpha").AttrType(OPTIONAL).Float(0.5);
    this->Attr("tile").AttrType(OPTIONAL).Int(256);
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Shift);
}  // namespace ops
"""

SHIFT_FILES = {"shift_tiling.h": SHIFT_HEADER, "shift.cpp": SHIFT}


def operator(tiling: str, *, before: str = "", definition: str = "") -> dict[str, str]:
    """An operator `Probe` with one input x and one output y; the first line of `tiling` is line 7 of probe.cpp."""
    text = f"""\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
{before}
static ge::graphStatus Tiling(gert::TilingContext* context) {{
{tiling}
  return ge::GRAPH_SUCCESS;
}}
namespace ops {{
class Probe : public OpDef {{
 public:
  explicit Probe(const char* name) : OpDef(name) {{
    this->Input("x").ParamType(REQUIRED).DataType({{ge::DT_FLOAT16, ge::DT_FLOAT}});
    this->Output("y").ParamType(REQUIRED).DataType({{ge::DT_FLOAT16, ge::DT_FLOAT}});
    {definition}
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }}
}};
OP_ADD(Probe);
}}  // namespace ops
"""
    return {"probe.cpp": text}


ADD_HOST = """\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddManyTiling)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, tensors);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddMany, AddManyTiling)

static ge::graphStatus Tiling(gert::TilingContext* context) {
  AddManyTiling tiling;
  uint32_t tensors = 0;
  while (context->GetDynamicInputTensor(0, tensors) != nullptr) ++tensors;
  tiling.set_count(context->GetDynamicInputShape(0, 0)->GetStorageShape().GetShapeSize());
  tiling.set_tensors(tensors);
  tiling.set_scale(context->GetOptionalInputTensor(2) == nullptr
                       ? 1.0f
                       : context->GetOptionalInputTensor(2)->GetData<float>()[0]);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  context->SetTilingKey(*context->GetAttrs()->GetInt(0));
  context->GetWorkspaceSizes(1)[0] =
      platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize() + 64;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class AddMany : public OpDef {
 public:
  explicit AddMany(const char* name) : OpDef(name) {
    this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Input("acc").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Input("scale").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT}).Scalar();
    this->Output("acc").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Output("copies").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Attr("mode").AttrType(OPTIONAL).Int(1);
    this->AICore().SetTiling(optiling::Tiling);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(AddMany);
}  // namespace ops
"""
"""acc += scale * sum(x), copies[i] = x[i]."""

ADD_KERNEL = """\
#include "kernel_operator.h"
#include "detail/lists.h"
using namespace AscendC;

template <typename T>
class Adder {
 public:
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR acc, GM_ADDR out, GM_ADDR copies, const AddManyTiling& tiling) {
    count_ = tiling.count;
    pipe_.InitBuffer(in_, 1, count_ * sizeof(T));
    pipe_.InitBuffer(out_, 1, count_ * sizeof(T));
    pipe_.InitBuffer(sum_, 1, count_ * sizeof(T));
    LocalTensor<T> sum = sum_.template AllocTensor<T>();
    LocalTensor<T> local = Load(acc);
    Adds(sum, local, (T)0, count_);
    in_.FreeTensor(local);
    for (uint32_t i = 0; i < tiling.tensors; ++i) {
      local = Load(ListItem(x, i));
      Axpy(sum, local, (T)tiling.scale, count_);
      LocalTensor<T> copy = out_.template AllocTensor<T>();
      Adds(copy, local, (T)0, count_);
      in_.FreeTensor(local);
      Store(out_, copy, ListItem(copies, i));
    }
    Store(sum_, sum, out);
  }

 private:
  __aicore__ inline LocalTensor<T> Load(GM_ADDR address) {
    GlobalTensor<T> from;
    from.SetGlobalBuffer((__gm__ T*)address, count_);
    LocalTensor<T> local = in_.template AllocTensor<T>();
    DataCopy(local, from, count_);
    in_.EnQue(local);
    return in_.template DeQue<T>();
  }
  __aicore__ inline void Store(TQue<QuePosition::VECOUT, 1>& queue, LocalTensor<T>& local, GM_ADDR address) {
    GlobalTensor<T> to;
    to.SetGlobalBuffer((__gm__ T*)address, count_);
    queue.EnQue(local);
    local = queue.template DeQue<T>();
    DataCopy(to, local, count_);
    queue.FreeTensor(local);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_, sum_;
  uint32_t count_;
};

#if ORIG_DTYPE_X == DT_FLOAT16 || ORIG_DTYPE_X == DT_FLOAT
#define HAS_TYPES 1
#endif

extern "C" __global__ __aicore__ void add_many(GM_ADDR x, GM_ADDR acc, GM_ADDR scale, GM_ADDR acc_ref,
                                               GM_ADDR copies, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  if (GetUserWorkspace(workspace) != workspace) return;
  if (TILING_KEY_IS(1) && HAS_TYPES) {
    Adder<DTYPE_X> op;
    op.Run(x, acc, acc_ref, copies, data);
  } else if (TILING_KEY_IS(BASE_KEY + 2)) {
  }
}
"""

ADD_LISTS = """\
#pragma once
#define BASE_KEY 10
__aicore__ inline GM_ADDR ListItem(GM_ADDR list, uint32_t index) {
  __gm__ uint64_t* words = (__gm__ uint64_t*)list;
  return (GM_ADDR)words[words[0] / 8 + index];
}
"""

ADD_FILES = {"detail/lists.h": ADD_LISTS, "add_many.cpp": ADD_KERNEL}
