"""The API index: what A2 accepts, as typed data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentkernel
from agentkernel.errors import ConfigError
from agentkernel.knowledge.build_index import render
from agentkernel.knowledge.headers import HEADER, generated_dtypes
from agentkernel.knowledge.index import DATA, Index, ParamKind, Status, load_index


@pytest.fixture(scope="module")
def index() -> Index:
    return load_index()


def test_every_entry_fits_its_model(index: Index) -> None:
    assert len(list(index.apis())) == len(index.api_names) > 400
    assert all(index.type(name) is not None for name in index.type_names)
    assert all(index.constant(name) is not None for name in index.constant_names)


def test_the_committed_file_is_what_the_builder_would_write_from_its_content() -> None:
    text = (DATA / "ascendc_a2.json").read_text(encoding="utf-8")
    assert render(json.loads(text)) == text


def test_a_chip_without_an_index_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="ascend310p"):
        load_index("ascend310p")


def test_elementwise_calls_have_a_count_form_and_two_mask_forms(index: Index) -> None:
    add = index.api("Add")
    assert add is not None and add.exact and add.pipe == "V"
    assert sorted((o.level or 0, len(o.params)) for o in add.overloads) == [(0, 6), (0, 6), (2, 4)]
    assert add.overloads[0].dtypes == {"T": ("half", "float", "int16_t", "int32_t")}


def test_the_scalar_of_a_tensor_scalar_call_shares_the_element_type(index: Index) -> None:
    adds = index.api("Adds")
    assert adds is not None
    counts = [o for o in adds.overloads if o.level == 2]
    assert [o.twin for o in counts] == [False, True]
    scalar = counts[0].params[2]
    assert (scalar.kind, scalar.element) == (ParamKind.ELEMENT, "T")


def test_configuration_templates_of_other_chips_are_not_listed(index: Index) -> None:
    for name in ("Div", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal"):
        api = index.api(name)
        assert api is not None
        assert not any("Config" in t.type for o in api.overloads for t in o.template), name


@pytest.mark.parametrize("name", ["Subs", "Divs", "Neg", "Truncate", "Scatter", "Clamp"])
def test_names_without_a_function_on_the_chip_say_what_to_write_instead(index: Index, name: str) -> None:
    api = index.api(name)
    assert api is not None
    assert api.status is not Status.SUPPORTED
    assert api.instead


def test_old_and_new_spellings_know_each_other(index: Index) -> None:
    old, new = index.api("CompareScalar"), index.api("Compares")
    assert old is not None and new is not None
    assert (old.renamed_to, new.formerly) == ("Compares", "CompareScalar")


def test_casts_are_a_closed_list(index: Index) -> None:
    rules = {(rule.src, rule.dst): rule.modes for rule in index.casts}
    assert rules["half", "float"] == ("CAST_NONE",)
    assert "CAST_NONE" not in rules["float", "bfloat16_t"]
    assert "CAST_ODD" in rules["float", "half"]
    assert ("half", "bfloat16_t") not in rules


def test_structures_take_all_values_of_their_constructor(index: Index) -> None:
    ext = index.type("DataCopyExtParams")
    assert ext is not None and ext.exact and not ext.aggregate
    assert [len(c.params) for c in ext.constructors] == [5]
    assert [f.name for f in ext.fields] == ["blockCount", "blockLen", "srcStride", "dstStride", "rsv"]


def test_enumerators_keep_their_values(index: Index) -> None:
    position = index.type("TPosition")
    assert position is not None
    assert position.values["LCM"] == position.values["VECCALC"] == 11
    assert position.values["SPM"] == 12
    alias = index.type("QuePosition")
    assert alias is not None and alias.target == "TPosition"


def test_a_queue_takes_a_number_of_buffers_and_a_scratch_buffer_none(index: Index) -> None:
    pipe = index.type("TPipe")
    init = pipe.method("InitBuffer") if pipe else None
    assert init is not None
    assert [(o.params[0].kind, len(o.params)) for o in init.overloads[:2]] == [
        (ParamKind.QUEUE, 3),
        (ParamKind.BUFFER, 2),
    ]


def test_signatures_read_as_cpp(index: Index) -> None:
    api = index.api("Duplicate")
    assert api is not None
    text = next(o for o in api.overloads if o.level == 2).signature("Duplicate")
    assert text == (
        "template <typename T> void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count)"
    )


def test_the_simulators_headers_hold_the_same_types_as_the_index() -> None:
    committed = (Path(agentkernel.__file__).parent / HEADER).read_text(encoding="utf-8")
    assert committed == generated_dtypes(), "run `python -m agentkernel.knowledge.headers`"
