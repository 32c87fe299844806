"""Chip data: typed, sourced, and a clear word where there are none."""

from __future__ import annotations

import pytest

from agentkernel.errors import ConfigError
from agentkernel.simulator import chips
from agentkernel.simulator.chips import chip_names, described_chips, load_chip


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


def test_a_bin_has_the_numbers_of_its_full_chip_but_for_its_cores():
    full, smaller = load_chip("ascend910b"), load_chip("ascend910b-40")
    assert (smaller.vector_cores, smaller.cube_cores) == (40, 20)
    differing = {name for name in full.params if full.params[name] != smaller.params[name]}
    assert differing == {"vector_cores", "cube_cores"}


def test_a_chip_of_which_little_is_documented_is_described_and_not_simulated():
    described = {chip.name: chip for chip in described_chips()}
    assert described["ascend950"].params["ub_bytes"].value == 256 * 1024
    assert "ascend950" not in chip_names() and "ascend310p" not in chip_names()
    with pytest.raises(ConfigError, match="is not simulated: Ascend 310P") as raised:
        load_chip("ascend310p")
    assert "ascend910b-40" in raised.value.hint
    message = str(raised.value)
    lacking = message[message.index("Not documented: ") :]
    assert "vector_cores" in lacking and "memory_gb_per_s" in lacking and "l0c_bytes" not in lacking
