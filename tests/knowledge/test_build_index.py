"""The index is built from rows of facts and a hand-written overlay, which wins."""
# ruff: noqa: E501 (rows of a table)

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from agentkernel.knowledge.build_index import build, main, render
from agentkernel.knowledge.index import Index, Status

_COLUMNS = (
    "name", "category", "a2_support", "pipe", "overload_signatures", "dtypes_a2", "key_constraints", "purpose",
)  # fmt: skip
_ROWS = (
    ("Sigmoid", "high-level: activation", "yes", "V",
     "template <typename T, bool r = false> void Sigmoid(const LocalTensor<T>& d, const LocalTensor<T>& s, const uint32_t n)"
     " || template <typename T> void Sigmoid(const LocalTensor<T>& d, const LocalTensor<T>& s)",
     "half/float", "UB operands 32 B aligned; no overlap of src and dst", "logistic function"),
    ("Add", "memory vector compute: basic arithmetic", "yes", "V", "void Add(int wrong)", "", "", "dst=src0+src1"),
    ("Rare (flexible)", "math", "no", "", "void Rare(int x)", "", "", "elsewhere"),
    ("Rare", "math", "yes", "V", "void Rare(float x)", "", "", "here"),
    ("CacheMode", "enum", "yes", "", "enum class CacheMode : uint8_t { OFF = 0, ON, LAST = 4 }", "", "", ""),
    ("LimitParams", "parameter struct", "yes", "", "struct LimitParams { uint16_t low = 1; uint16_t high; }", "", "", ""),
    ("asc_add", "C API (pointer style, asc_*)", "yes", "", "void asc_add(int)", "", "", ""),
)  # fmt: skip
_OVERLAY = """
chips: [testchip]
reserved: std ASSERT
casts: [[half, float, NONE], [float, half int32_t, 5]]
constants: {BLOCK: [uint32_t, 32]}
types: {Params: {ctor: "(uint8_t a, uint8_t b)", defaults: "1 2"}, pipe_t: {enum: "PIPE_A PIPE_B=5 PIPE_C", scoped: false}}
apis:
  - names: [Add]
    forms: ["<T, bool isSetMask = true> (cl dst, cl src, const T& s, MASK, const uint8_t repeatTime)", "<T> (cl dst[, cl src], const int32_t& count)"]
    twin: true
    dtypes: {T: half}
    example: "{name}(y, x, 1);"
  - {names: [Old], keep: true, status: declared-only, renamed_to: Add}
"""


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    with (tmp_path / "ascendc_api.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([_COLUMNS, *_ROWS])
    (tmp_path / "overlay.yaml").write_text(_OVERLAY, encoding="utf-8")
    return tmp_path


@pytest.fixture
def index(facts: Path) -> Index:
    return Index(build(facts, facts / "overlay.yaml"))


def test_the_same_inputs_give_the_same_bytes(facts: Path) -> None:
    assert render(build(facts, facts / "overlay.yaml")) == render(build(facts, facts / "overlay.yaml"))


def test_a_row_becomes_an_open_set_of_typed_overloads(index: Index) -> None:
    api = index.api("Sigmoid")
    assert api is not None and not api.exact
    assert [(len(o.params), o.dtypes) for o in api.overloads] == [
        (3, {"T": ("half", "float")}),
        (2, {"T": ("half", "float")}),
    ]
    assert api.constraints == ("no overlap of src and dst",)


def test_the_overlay_replaces_a_rows_overloads_and_keeps_its_words(index: Index) -> None:
    api = index.api("Add")
    assert api is not None and api.exact and api.purpose == "dst=src0+src1"
    own = [o for o in api.overloads if not o.twin]
    assert [[p.type for p in o.params][-2:] for o in own] == [
        ["uint64_t mask[]".replace(" mask", ""), "const uint8_t"],
        ["uint64_t", "const uint8_t"],
        ["const LocalTensor<T>&", "const int32_t&"],
        ["const LocalTensor<T>&", "const int32_t&"],
    ]
    assert api.example == "Add(y, x, 1);"
    assert api.formerly == "Old"


def test_a_form_for_this_chip_wins_over_one_for_others(index: Index) -> None:
    api = index.api("Rare")
    assert api is not None and api.status is Status.SUPPORTED
    assert [o.params[0].type for o in api.overloads] == ["float"]


def test_enums_structures_constants_and_casts(index: Index) -> None:
    mode, pipe, limits = index.type("CacheMode"), index.type("pipe_t"), index.type("LimitParams")
    assert mode is not None and mode.values == {"OFF": 0, "ON": 1, "LAST": 4} and mode.underlying == "uint8_t"
    assert pipe is not None and pipe.values == {"PIPE_A": 0, "PIPE_B": 5, "PIPE_C": 6} and not pipe.scoped
    assert limits is not None and [(f.name, f.default) for f in limits.fields] == [("low", "1"), ("high", None)]
    assert [(r.src, r.dst, len(r.modes)) for r in index.casts] == [
        ("float", "half", 5), ("float", "int32_t", 5), ("half", "float", 1),
    ]  # fmt: skip
    assert "asc_add" in index.reserved and "BLOCK" in index


def test_a_wrong_call_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "FACTS_DIR" in capsys.readouterr().err
