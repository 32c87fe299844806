"""Names that neither Ascend C nor the kernel declares are found, with the nearest ones that exist."""

from __future__ import annotations

from typing import Any

import pytest

from agentkernel.diagnostic import Severity


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("VecAdd", "Add"),
        ("Multiply", "Mul"),
        ("Sigmod", "Sigmoid"),
        ("SoftMaxx", "SoftMax"),
        ("add", "Add"),
        ("ReduceSums", "ReduceSum"),
        ("DataCopyPads", "DataCopyPad"),
        ("SyncThreads", "PipeBarrier"),
        ("MemSet", "Duplicate"),
        ("ElementwiseMul", "Mul"),
    ],
)
def test_an_invented_function_is_met_with_what_it_most_likely_means(bench: Any, name: str, nearest: str) -> None:
    body = f"        {name}(h0, h1, h2, 64);"
    found = bench.only(body)
    assert found.code == "unknown-api"
    assert found.severity is Severity.ERROR
    assert found.evidence["nearest"][0] == nearest
    assert f"`{nearest}`" in found.hint
    assert bench.marked(found, body) == name
    assert nearest in found.apis


def test_a_misspelt_function_of_the_kernel_is_told_from_an_invented_api(bench: Any) -> None:
    found = bench.only("Procces(3);", "__aicore__ inline void Process(int n) {}")
    assert found.code == "unknown-name"
    assert "`Process`" in found.hint
    assert found.apis == ()


@pytest.mark.parametrize(
    ("name", "instead"),
    [("Subs", "Adds"), ("Divs", "Muls"), ("Neg", "Muls"), ("Clamp", "Maxs"), ("Where", "Select"), ("Truncate", "Cast")],
)
def test_functions_of_other_chips_come_with_what_to_write_instead(bench: Any, name: str, instead: str) -> None:
    found = bench.only(f"{name}(f0, f1, 1.0f, 64);")
    assert found.code == "other-chip-api"
    assert instead in found.hint
    assert found.apis[0] == name


def test_a_function_of_the_kernel_may_have_the_name_of_another_chips_api(bench: Any) -> None:
    assert not bench.findings("Neg(3.0f);", "__aicore__ inline float Neg(float x) { return -x; }")


@pytest.mark.parametrize(
    ("body", "member", "nearest"),
    [
        ("inQue.EnQueue(h0);", "EnQueue", "EnQue"),
        ("inQue.Alloc<half>();", "Alloc", "AllocTensor"),
        ("h0.Size();", "Size", "GetSize"),
        ("pipe->InitBuf(inQue, 2, 64);", "InitBuf", "InitBuffer"),
        ("buf.GetTensor<half>();", "GetTensor", "Get"),
        ("xGm.SetBuffer(x);", "SetBuffer", "SetGlobalBuffer"),
        ("DataCopyExtParams p; p.blockLength = 3;", "blockLength", "blockLen"),
    ],
)
def test_members_that_a_class_does_not_have(bench: Any, body: str, member: str, nearest: str) -> None:
    found = bench.only(body)
    assert found.code == "unknown-member"
    assert bench.marked(found, body) == member
    assert f"`{nearest}`" in found.hint


MATMUL = """
using Side = MatmulType<TPosition::GM, CubeFormat::ND, half>;
Matmul<Side, Side, MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
GlobalTensor<half> matrix; GlobalTensor<float> result;
"""


def test_calls_of_a_matmul_object_are_known(bench: Any) -> None:
    calls = "mm.SetTensorA(matrix); mm.SetTensorB(matrix, true); mm.SetTail(1); mm.template IterateAll<false>(result);"
    blocks = "while (mm.Iterate()) { mm.GetTensorC(result); } mm.WaitIterateAll(); mm.End();"
    assert bench.findings(MATMUL + calls + blocks) == ()
    found = bench.only(MATMUL + "mm.IterateEverything(result);")
    assert found.code == "unknown-member"
    assert found.evidence["legal"] and "`Matmul`" in found.message


@pytest.mark.parametrize(
    ("body", "label", "legal"),
    [
        ("Cast(h0, f0, RoundMode::CAST_NEAREST, 64);", "CAST_NEAREST", "RoundMode::CAST_RINT"),
        ("SetFlag<HardEvent::V_MTE4>(EVENT_ID0);", "V_MTE4", "HardEvent::V_MTE3"),
        ("TQue<QuePosition::VECTORIN, 1> q;", "VECTORIN", "QuePosition::VECIN"),
        ("auto m = AscendC::CMPMODE::LESS;", "LESS", "CMPMODE::LE"),
        ("PipeBarrier<PIPE_VEC>();", "PIPE_VEC", "PIPE_V"),
        ("SetFlag<HardEvent::V_S>(EVENT_ID9);", "EVENT_ID9", "EVENT_ID7"),
    ],
)
def test_enumerators_that_do_not_exist(bench: Any, body: str, label: str, legal: str) -> None:
    found = bench.only(body)
    assert found.code == "unknown-enum"
    assert bench.marked(found, body) == label
    assert legal in found.hint


@pytest.mark.parametrize(
    ("body", "name", "nearest"),
    [
        ("LocalTensr<half> t;", "LocalTensr", "LocalTensor"),
        ("AscendC::TQueue<AscendC::TPosition::VECIN, 1> q;", "TQueue", "TQue"),
        ("DataCopyExtParam p{1, 2, 0, 0, 0};", "DataCopyExtParam", "DataCopyExtParams"),
        ("Vector<half> v;", "Vector", "LocalTensor"),
    ],
)
def test_types_that_do_not_exist(bench: Any, body: str, name: str, nearest: str) -> None:
    found = bench.only(body)
    assert found.code == "unknown-api"
    assert bench.marked(found, body) == name
    assert nearest in found.hint


def test_names_may_come_from_an_include_that_is_not_there(bench: Any) -> None:
    found = bench.findings("Helper(h0); Other<half> t;", '#include "helpers.h"')
    assert [d.code for d in found] == ["unknown-include"]


def test_names_may_come_from_a_macro_that_glues_them(bench: Any) -> None:
    assert not bench.findings(
        "RunFloat(h0);", "#define MAKE(T) __aicore__ inline void Run##T(LocalTensor<half> x) {}\nMAKE(Float)"
    )


def test_the_same_finding_in_several_instantiations_is_reported_once(bench: Any) -> None:
    source = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> class Op { public: __aicore__ inline void Run(LocalTensor<T> x) { VecExp(x, x, 64); } };
ENTRY { Op<half> a; Op<float> b; }
"""
    assert [d.code for d in bench.whole(source)] == ["unknown-api"]
