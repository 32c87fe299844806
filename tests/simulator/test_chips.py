"""Chip data: typed, sourced, and a clear word where there are none."""

from __future__ import annotations

import pytest

from agentkernel.errors import ConfigError
from agentkernel.simulator import chips
from agentkernel.simulator.chips import chip_names, load_chip


@pytest.mark.parametrize("name", chip_names())
def test_every_shipped_chip_loads_and_every_number_has_a_source(name):
    chip = load_chip(name)
    assert chip.name == name and chip.vector_cores >= 1
    assert all(parameter.source and parameter.unit for parameter in chip.params.values())


def test_the_first_target_is_there():
    chip = load_chip("ascend910b")
    assert (chip.arch, chip.vector_cores) == (2201, 48)
    assert chip.params["ub_bytes"].value == 192 * 1024


@pytest.mark.parametrize("name", ["ascend999", "../ascend910b", ""])
def test_an_unknown_chip_is_named_with_the_known_ones(name):
    with pytest.raises(ConfigError, match="there is no chip") as raised:
        load_chip(name)
    assert "ascend910b" in raised.value.hint


@pytest.mark.parametrize("text", ["", "{}", '{"name":"x","description":"","arch":1,"params":{}}'])
def test_damaged_data_are_named(tmp_path, monkeypatch, text):
    (tmp_path / "x.json").write_text(text)
    monkeypatch.setattr(chips, "FOLDER", tmp_path)
    with pytest.raises(ConfigError, match="damaged"):
        load_chip("x")
