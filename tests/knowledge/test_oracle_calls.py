"""Calls that no overload of the chip takes are found before any compiler, at their place, with the legal call."""

from __future__ import annotations

from typing import Any

import pytest

from agentkernel.diagnostic import Level, Severity


@pytest.mark.parametrize(
    ("body", "legal"),
    [
        ("Add(h0, h1, 64);", [4, 6]),
        ("Add(h0, h1, h2, 64, 1);", [4, 6]),
        ("Exp(h0, h1);", [3, 4, 5]),
        ("PipeBarrier(PIPE_V);", [0]),
        ("DataCopy(h0, xGm);", [3, 4, 5]),
        ("GetBlockIdx(0);", [0]),
        ("h0.GetValue();", [1]),
        ("pipe->InitBuffer(buf);", [2, 3]),
    ],
)
def test_a_wrong_number_of_arguments_names_the_legal_forms(bench: Any, body: str, legal: list[int]) -> None:
    found = bench.only(body)
    assert found.code == "wrong-argument-count"
    assert (found.level, found.severity) == (Level.API, Severity.ERROR)
    assert set(legal) <= set(found.evidence["legal"])
    assert found.hint.startswith("Legal: `")


def test_the_place_is_the_name_of_the_called_function(bench: Any) -> None:
    body = "        if (n > 3) { AscendC::Add(h0, h1, 64); }"
    found = bench.only(body)
    assert bench.marked(found, body) == "Add"
    assert found.apis == ("Add",)


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("Add(b0, b0, b1, 64);", "bfloat16_t"),
        ("Div(i0, i0, i1, 64);", "int32_t"),
        ("Exp(s0, s1, 64);", "int16_t"),
        ("ReduceSum(i0, i1, i0, 64);", "int32_t"),
        ("Duplicate(u0, static_cast<uint8_t>(0), 64);", "uint8_t"),
        ("Relu(s0, s1, mask, 1, {1, 1, 8, 8});", "int16_t"),
        ("And(i0, i1, i0, mask, 1, {1, 1, 1, 8, 8, 8});", "int32_t"),
        ("Select(i0, u0, i1, i0, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);", "int32_t"),
        ("SetAtomicAdd<uint32_t>();", "uint32_t"),
    ],
)
def test_an_element_type_that_the_chip_does_not_take(bench: Any, body: str, got: str) -> None:
    found = bench.only(body)
    assert found.code == "dtype-not-supported"
    assert found.evidence["got"] == got
    assert got not in found.evidence["legal"]


def test_a_16_bit_float_without_arithmetic_is_sent_through_float(bench: Any) -> None:
    found = bench.only("Mul(b0, b0, b1, 64);")
    assert "Cast to float" in found.hint and "CAST_RINT" in found.hint


def test_pairs_of_element_types_are_judged_together(bench: Any) -> None:
    found = bench.only("Axpy(h0, f0, 1.0f, 64);")
    assert found.code == "dtype-not-supported"
    assert found.evidence == {
        "got": ["half", "float"],
        "legal": [["half", "half"], ["float", "float"], ["float", "half"]],
    }
    assert not bench.codes("Axpy(f0, h0, static_cast<half>(1), 64); MulAddDst(f0, h0, h1, 64);")


@pytest.mark.parametrize(
    ("body", "scalar"),
    [
        ("Adds(h0, h1, 1.0f, 64);", "1.0f"),
        ("Muls(f0, f1, 2.0, 64);", "2.0"),
        ("Muls(f0, f1, 2, 64);", "2"),
        ("Duplicate(h0, 0, 64);", "0"),
        ("Maxs(s0, s1, 3, 64);", "3"),
        ("CompareScalar(u0, h0, 0.0f, CMPMODE::GT, 128);", "0.0f"),
        ("Select(h0, u0, h1, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);", "0.0f"),
        ("float eps = 1.0f; Adds(h0, h1, eps, 64);", "eps"),
        ("Adds(h0, h1, f0.GetValue(0), 64);", "f0.GetValue(0)"),
    ],
)
def test_a_scalar_of_another_type_than_the_elements(bench: Any, body: str, scalar: str) -> None:
    found = bench.only(body)
    assert found.code == "scalar-type-mismatch"
    assert bench.marked(found, body) == scalar
    assert f"static_cast<{found.evidence['expected']}>({scalar})" in found.hint


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        ("Add(h0, h1, f0, 64);", "f0"),
        ("Exp(h0, f0, 64);", "f0"),
        ("DataCopy(h0, fGm, 64);", "fGm"),
        ("DataCopy(yGm, xGm, 64);", "xGm"),
        ("Compare(h0, h1, h2, CMPMODE::LT, 128);", "h0"),
        ("Gather(h0, h1, i0, 0, 64);", "i0"),
        ("Add(h0, h1, xGm, 64);", "xGm"),
        ("Cast(f0, h0, 1, 64);", "1"),
        ("inQue.FreeTensor(h0[16]);", "h0[16]"),
        ("xGm.SetGlobalBuffer(x);", "x"),
        ("xGm.SetGlobalBuffer((__gm__ float*)x, n);", "(__gm__ float*)x"),
        ("Add(h0, h1, h2, maskBits);", "maskBits"),
        ("Copy(h0, h1, mask, 1, {1, 1, 8});", "{1, 1, 8}"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_marked(bench: Any, body: str, marked: str) -> None:
    found = bench.only(body)
    assert found.code in {"no-matching-overload", "dtype-not-supported"}
    assert bench.marked(found, body) == marked


def test_a_copy_in_without_pad_parameters_names_the_form_with_four_arguments(bench: Any) -> None:
    found = bench.only("DataCopyPad(h0, xGm, DataCopyExtParams{1, 64, 0, 0, 0});")
    assert found.code == "no-matching-overload"
    assert "takes 4 arguments, not 3" in found.message
    assert "DataCopyPadExtParams<T> padParams" in found.hint


def test_the_two_generations_of_copy_parameters_do_not_mix(bench: Any) -> None:
    found = bench.only("DataCopyPad(h0, xGm, DataCopyExtParams{1, 64, 0, 0, 0}, DataCopyPadParams{false, 0, 0, 0});")
    assert found.code == "no-matching-overload"


def test_pad_parameters_of_another_element_type(bench: Any) -> None:
    found = bench.only(
        "DataCopyPad(h0, xGm, DataCopyExtParams{1, 64, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});"
    )
    assert found.code == "no-matching-overload"
    assert "float" in found.message and "half" in found.message


def test_a_queue_needs_its_number_of_buffers(bench: Any) -> None:
    found = bench.only("pipe->InitBuffer(inQue, n * sizeof(half));")
    assert "takes 3 arguments, not 2" in found.message
    assert "uint8_t num" in found.hint
    assert bench.only("pipe->InitBuffer(buf, 2, 64);").code == "no-matching-overload"


@pytest.mark.parametrize("body", ["inQue.AllocTensor();", "buf.Get();", "SetFlag(EVENT_ID0);", "h0.ReinterpretCast();"])
def test_template_arguments_that_cannot_be_deduced_must_be_given(bench: Any, body: str) -> None:
    found = bench.only(body)
    assert found.code == "no-matching-overload"
    assert "cannot be deduced" in found.message


@pytest.mark.parametrize(
    ("body", "given", "legal"),
    [
        ("DataCopyExtParams p{1, 2, 3, 4};", 4, [0, 5]),
        ("DataCopyParams p = {1, 2};", 2, [0, 4]),
        ("DataCopyPadExtParams<half> p(true, 0, 0);", 3, [0, 1, 4]),
        ("auto p = BinaryRepeatParams{1, 1, 1, 8, 8};", 5, [0, 6]),
    ],
)
def test_a_structure_takes_all_its_values_or_none(bench: Any, body: str, given: int, legal: list[int]) -> None:
    found = bench.only(body)
    assert found.code == "wrong-argument-count"
    assert found.evidence == {"given": given, "legal": legal}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("Cast(b0, h0, RoundMode::CAST_RINT, 64);", "from half to bfloat16_t does not exist"),
        ("Cast(i0, u0, RoundMode::CAST_NONE, 64);", "from uint8_t to int32_t does not exist"),
        ("Cast(f0, h0, RoundMode::CAST_RINT, 64);", "does not take RoundMode::CAST_RINT"),
        ("Cast(b0, f0, RoundMode::CAST_NONE, 64);", "does not take RoundMode::CAST_NONE"),
        ("Cast(i0, f0, AscendC::RoundMode::CAST_NONE, 64);", "does not take RoundMode::CAST_NONE"),
    ],
)
def test_casts_outside_the_closed_list(bench: Any, body: str, message: str) -> None:
    found = bench.only(body)
    assert found.code == "cast-not-supported"
    assert message in found.message


def test_a_cast_that_does_not_exist_names_the_way_round(bench: Any) -> None:
    assert (
        bench.only("Cast(b0, h0, RoundMode::CAST_RINT, 64);").hint
        == "Cast half to float first, then float to bfloat16_t."
    )


def test_findings_follow_the_instantiations_of_a_template(bench: Any) -> None:
    source = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T, typename U = T> class Op {
public:
    __aicore__ inline void Run()
    {
        LocalTensor<T> x = que.template DeQue<T>();
        Exp(x, x, 64);
        Cast(x, other.template Get<U>(), RoundMode::CAST_RINT, 64);
    }
    TQue<QuePosition::VECIN, 1> que;
    TBuf<> other;
};
ENTRY { Op<float> good; Op<TYPE> one; }
"""
    assert not bench.whole(source.replace("TYPE", "float"))
    wrong = bench.whole(source.replace("TYPE", "int32_t, float"))
    assert [(d.code, d.evidence["got"]) for d in wrong] == [("dtype-not-supported", "int32_t")]
    assert not bench.whole(source.replace("TYPE", "DTYPE_X"))


def test_branches_for_other_types_are_not_judged(bench: Any) -> None:
    source = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> class Op {
public:
    __aicore__ inline void Run(LocalTensor<T> x) {
        if constexpr (CONDITION) { Exp(x, x, 64); }
    }
};
ENTRY { Op<int32_t> op; }
"""
    for condition in ("IsSameType<T, float>::value", "std::is_same_v<T, half>", "sizeof(T) == 2", "SomethingElse<T>()"):
        assert "dtype-not-supported" not in [d.code for d in bench.whole(source.replace("CONDITION", condition))]
    assert [d.code for d in bench.whole(source.replace("CONDITION", "!IsSameType<T, float>::value"))] == [
        "dtype-not-supported"
    ]


def test_types_of_members_aliases_and_tiling_fields_are_followed(bench: Any) -> None:
    source = """
#include "kernel_operator.h"
using namespace AscendC;
struct TilingData { uint32_t n; float eps; };
using Element = half;
struct Holder { LocalTensor<Element> tensor; };
ENTRY {
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    Holder holder;
    Adds(holder.tensor, holder.tensor, t.eps, t.n);
}
"""
    found = bench.whole(source)
    assert [d.code for d in found] == ["scalar-type-mismatch"]
    assert found[0].evidence == {"got": "float", "expected": "half", "scalar": "t.eps"}


@pytest.mark.parametrize(
    ("body", "code", "marked"),
    [
        ("const uint64_t bits[2] = {1, 0}; Exp(h0, h1, bits, 1, {1, 1, 8, 8});", "no-matching-overload", "bits"),
        (
            "Sqrt<half, false>(h0, h1, MASK_PLACEHOLDER_LIST, 1, {1, 1, 8, 8});",
            "no-matching-overload",
            "MASK_PLACEHOLDER_LIST",
        ),
        ("Exp(h0, h1, 0, 1, {1, 1, 8, 8});", "ambiguous-call", "0"),
        ("uint32_t k = 0; GatherMask(h0, h1, 1, false, 0, {1, 1, 8, 8}, k);", "no-matching-overload", "k"),
        ("GetReduceMaxMinCount(1.0f, 2.0f);", "no-matching-overload", "1.0f"),
        ("Brcb(h0, h1, 1, {8});", "no-matching-overload", "{8}"),
        ("SetFlag<PIPE_V>(EVENT_ID0);", "no-matching-overload", "SetFlag"),
        ("PipeBarrier<HardEvent::MTE2_V>();", "no-matching-overload", "PipeBarrier"),
        ("inQue.AllocTensor<half>(h0);", "illegal-call", "AllocTensor"),
        ("auto t = inPlace.DeQue<half>();", "illegal-call", "DeQue"),
        ("bool b = inPlace.HasTensorInQue();", "illegal-call", "HasTensorInQue"),
    ],
)
def test_calls_that_only_look_right(bench: Any, body: str, code: str, marked: str) -> None:
    found = bench.only(body)
    assert found.code == code
    assert bench.marked(found, body) == marked


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("LocalTensor<half> t = inQue.DeQue();", "`DeQue<half>()`"),
        ("LocalTensor<half> t = inQue.DeQue<float>();", "ReinterpretCast<half>"),
        ("h0 = f0;", "ReinterpretCast<half>"),
        ("GlobalTensor<half> g = fGm;", "ReinterpretCast<half>"),
    ],
)
def test_a_tensor_that_is_set_to_another_type(bench: Any, body: str, hint: str) -> None:
    found = bench.only(body)
    assert found.code == "type-conversion"
    assert hint in found.hint


def test_library_functions_with_open_overload_sets_are_warned_about_only(bench: Any) -> None:
    found = bench.only("Sigmoid(b0, b1, 64);")
    assert found.code == "dtype-not-supported"
    assert found.severity is Severity.WARNING


def test_columns_count_characters_behind_wide_text(bench: Any) -> None:
    body = "        /* größer äöü */ Add(h0, h1, 64);"
    found = bench.only(body)
    assert bench.marked(found, body) == "Add"


ILLEGAL = {
    "counts": ("Add(h0, h1, 64);", "PipeBarrier(PIPE_V);", "DataCopyExtParams p{1, 2, 3, 4};", "inQue.EnQueue(h0);"),
    "element types": ("Add(b0, b0, b1, 64);", "Div(i0, i0, i1, 64);", "Relu(s0, s1, mask, 1, {1, 1, 8, 8});"),
    "pairs": ("Axpy(h0, f0, 1.0f, 64);", "Cast(b0, h0, RoundMode::CAST_RINT, 64);", "MulCast(s0, h0, h1, 64);"),
    "deduction": ("Adds(h0, h1, 1.0f, 64);", "Duplicate(h0, 0, 64);", "Add(h0, h1, f0, 64);", "SetFlag(EVENT_ID0);"),
    "kinds": (
        "DataCopyPad(h0, xGm, DataCopyExtParams{1, 64, 0, 0, 0});",
        "pipe->InitBuffer(inQue, n * sizeof(half));",
        "inQue.FreeTensor(h0[16]);",
        "xGm.SetGlobalBuffer(x);",
    ),
    "names": ("SetFlag<HardEvent::V_MTE4>(EVENT_ID0);", "VecAdd(h0, h1, h2, 64);", "LocalTensr<half> t;"),
}
"""Lines that oracle and headers both reject; few at a time, because a compiler stops after the first errors."""


@pytest.mark.parametrize("group", ILLEGAL)
def test_the_simulators_headers_reject_what_the_oracle_rejects(bench: Any, toolchain: Any, group: str) -> None:
    lines = ILLEGAL[group]
    body = "".join(f"{{ {line} }}\n" for line in lines)
    kernel = bench.kernel(body)
    first = kernel.files["op_kernel/negate.cpp"].split("\n").index(f"{{ {lines[0]} }}") + 1
    wanted = set(range(first, first + len(lines)))
    assert {d.location.line for d in bench.findings(body)} == wanted
    build = toolchain.build(kernel, bench.task)
    rejected = {d.location.line for d in build.diagnostics if d.location is not None and d.is_error}
    assert wanted - rejected == set(), [(str(d.location), d.message) for d in build.diagnostics]
