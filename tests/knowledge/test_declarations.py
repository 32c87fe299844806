"""Declarations as text become typed overloads."""

from __future__ import annotations

import pytest

from agentkernel.knowledge.declarations import find_overloads, level_of, overload, parameter, split_top, template_params
from agentkernel.knowledge.index import ParamKind


def test_splitting_keeps_brackets_together() -> None:
    assert split_top("a<b, c>, d(e, f), {g, h}, i -> j") == ["a<b, c>", "d(e, f)", "{g, h}", "i -> j"]
    assert split_top("") == []


def test_template_heads_lose_their_conditions() -> None:
    head = template_params(
        "typename T, U, bool isSetMask = true, typename Std::enable_if<X<T>::value, bool>::type = true"
    )
    assert [(p.name, p.type, p.default) for p in head] == [
        ("T", "typename", None),
        ("U", "typename", None),
        ("isSetMask", "bool", "true"),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "element", "name"),
    [
        ("const LocalTensor<T>& dst", ParamKind.LOCAL, "T", "dst"),
        ("const GlobalTensor<int32_t> &gm", ParamKind.GLOBAL, "int32_t", "gm"),
        ("const T& scalarValue", ParamKind.ELEMENT, "T", "scalarValue"),
        ("const uint64_t mask[]", ParamKind.MASK_ARRAY, "", "mask"),
        ("uint64_t dstList[16]", ParamKind.ANY, "", "dstList"),
        ("const UnaryRepeatParams& repeatParams", ParamKind.STRUCT, "UnaryRepeatParams", "repeatParams"),
        ("const DataCopyPadExtParams<T>& padParams", ParamKind.STRUCT, "DataCopyPadExtParams<T>", "padParams"),
        ("CMPMODE cmpMode", ParamKind.ENUM, "CMPMODE", "cmpMode"),
        ("uint8_t num", ParamKind.NUMBER, "uint8_t", "num"),
        ("QUEUE& que", ParamKind.QUEUE, "", "que"),
        ("GM_ADDR workspace", ParamKind.ANY, "", "workspace"),
    ],
)
def test_what_a_parameter_is(text: str, kind: ParamKind, element: str, name: str) -> None:
    made = parameter(text, frozenset({"T"}))
    assert (made.kind, made.element, made.name) == (kind, element, name)


def test_only_a_non_const_reference_rejects_temporaries() -> None:
    assert parameter("LocalTensor<T>& tensor", frozenset({"T"})).mutable_ref
    assert not parameter("const LocalTensor<T>& tensor", frozenset({"T"})).mutable_ref
    assert not parameter("LocalTensor<T> tensor", frozenset({"T"})).mutable_ref


def test_the_level_follows_the_parameters_names() -> None:
    assert level_of(overload("void", "T", "const LocalTensor<T>& d, const int32_t& count").params) == 2
    assert level_of(overload("void", "T", "uint64_t mask, const uint8_t repeatTime").params) == 0
    assert level_of(overload("void", "", "void").params) is None


def test_declarations_are_found_in_running_text() -> None:
    text = (
        "template <typename T> void Foo(const LocalTensor<T>& dst, uint32_t count = 1) || dst = a + b || "
        "__inout_pipe__(S) int32_t Foo() const; void Bar(int x)"
    )
    found = find_overloads(text, "Foo")
    assert [(o.returns, len(o.params), o.required) for o in found] == [("void", 2, 1), ("int32_t", 0, 0)]
    assert found[0].params[1].default == "1"


def test_abbreviated_forms_are_left_to_the_overlay() -> None:
    assert find_overloads("void Foo(const int32_t mask | const uint64_t mask[])", "Foo") == []
