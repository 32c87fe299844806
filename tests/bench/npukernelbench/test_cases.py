"""Rows have the types that the benchmark's reader gives them."""

import math

import pytest

from agentkernel.bench.npukernelbench.cases import Tier, read_rows, tier_of
from agentkernel.errors import ConfigError


def rows(tmp_path, text):
    file = tmp_path / "test_cases.csv"
    file.write_bytes(text.encode())
    return read_rows(file)


def test_texts_stay_texts_and_numbers_become_numbers(tmp_path):
    (row,) = rows(tmp_path, "case_id;shape;eps;n\n0;[2, 3];1e-5;4")
    assert row.to_dict() == {"case_id": 0, "shape": "[2, 3]", "eps": 1e-5, "n": 4}
    assert row.get("missing", "default") == "default"
    assert row.shape == "[2, 3]"


def test_carriage_returns_and_blank_lines_are_no_values(tmp_path):
    first, second = rows(tmp_path, "case_id;dtype\r\n0;float16\r\n\r\n1;float32\r\n")
    assert (first["dtype"], second["dtype"]) == ("float16", "float32")


def test_a_column_has_one_type(tmp_path):
    first, second = rows(tmp_path, "case_id;value;mode\n0;1;a\n1;1.5;b\n")
    assert [first["value"], second["value"]] == [1.0, 1.5]
    assert isinstance(first["value"], float)
    first, second = rows(tmp_path, "case_id;value;mode\n0;1;a\n1;True;b\n")
    assert [first["value"], second["value"]] == ["1", "True"]


def test_whole_floats_and_booleans_become_integers(tmp_path):
    first, second = rows(tmp_path, "case_id;scale;flag;mode\n0;1.0;True;a\n1;2.0;false;b\n")
    assert [first["scale"], second["scale"]] == [1, 2]
    assert [first["flag"], second["flag"]] == [1, 0]
    assert type(first["scale"]) is int


def test_none_is_a_missing_value(tmp_path):
    first, second = rows(tmp_path, "case_id;weight\n0;None\n1;present\n")
    assert math.isnan(first["weight"])
    assert second["weight"] == "present"


def test_a_row_of_numbers_alone_has_one_type(tmp_path):
    (row,) = rows(tmp_path, "case_id;start;step\n0;1;0.5\n")
    assert row.to_dict() == {"case_id": 0.0, "start": 1.0, "step": 0.5}
    assert isinstance(row["start"], float)
    assert row.case_id == 0


def test_a_table_without_case_numbers_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="case_id"):
        rows(tmp_path, "shape\n[1]\n")


def test_a_row_with_too_many_values_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=":2: 3 values for 2 columns"):
        rows(tmp_path, "case_id;shape\n0;[1];x\n")


def test_tiers_include_their_bound():
    assert tier_of(0) is Tier.TINY
    assert tier_of(4_000_000) is Tier.MEDIUM
    assert tier_of(4_000_001) is Tier.LARGE
    assert tier_of(10**9) is Tier.BEYOND
