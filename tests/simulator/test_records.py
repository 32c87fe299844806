"""The record file: what has its form is taken, anything else is named."""

from __future__ import annotations

import json

import pytest

from agentkernel.diagnostic import Level
from agentkernel.simulator.records import MAX_BYTES, read_records

START = {"t": "start"}
FINDING = {"t": "finding", "code": "missing-sync", "gravity": "error", "level": "hazard", "site": 16, "message": "m"}
UNWRITTEN = {"t": "unwritten", "name": "y", "elements_bytes": 8}
CLOCK = {"t": "clock", "kernel_us": 1.5, "bound": "V", "pipes": [{"pipe": "V", "busy_us": 1.0, "instructions": 2}]}
END = {"t": "end", "completed": True, "instructions": 7}


def read(tmp_path, *records, tail=b""):
    path = tmp_path / "records"
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
    path.write_bytes(b"".join(line + b"\n" for line in lines) + tail)
    return read_records(path)


def test_a_whole_file(tmp_path):
    got = read(tmp_path, START, FINDING, UNWRITTEN, CLOCK, END)
    assert got.damage == "" and got.started
    assert (got.findings[0].code, got.findings[0].level) == ("missing-sync", Level.HAZARD)
    assert got.unwritten[0].elements_bytes == 8
    assert got.clock is not None and got.clock.pipes[0].pipe == "V"
    assert got.end is not None and got.end.completed


def test_a_run_that_was_killed_has_no_end_and_its_cut_line_is_no_damage(tmp_path):
    got = read(tmp_path, FINDING, tail=b'{"t":"find')
    assert (got.end, got.damage, len(got.findings)) == (None, "", 1)


def test_an_empty_file(tmp_path):
    got = read(tmp_path)
    assert (got.end, got.damage, got.started) == (None, "", False)


@pytest.mark.parametrize(
    ("records", "word"),
    [
        ([b"nonsense", END], "line 1 is not a record"),
        ([{**FINDING, "extra": 1}, END], "line 1 is not a record"),
        ([{**FINDING, "code": "Not A Code"}, END], "line 1"),
        ([{**FINDING, "gravity": "terrible"}, END], "line 1"),
        ([{**FINDING, "site": -1}, END], "line 1"),
        ([{**CLOCK, "kernel_us": -1}, END], "line 1"),
        ([b'{"t":"clock","kernel_us":NaN}', END], "line 1"),
        ([CLOCK, CLOCK, END], "two clocks"),
        ([CLOCK, CLOCK, START, END], "two clocks"),
        ([START, START, END], "two starts"),
        ([END, END], "line 2 follows the end"),
        ([END, FINDING], "line 2 follows the end"),
        ([{"t": "unknown"}], "line 1"),
        ([b"\xff\xfe"], "line 1"),
        ([b"", END], "line 1"),
    ],
)
def test_what_is_out_of_form_is_named(tmp_path, records, word):
    assert word in read(tmp_path, *records).damage


def test_text_behind_the_end_is_named(tmp_path):
    assert read(tmp_path, END, tail=b"x").damage == "text follows the end"


def test_a_flood_is_not_read(tmp_path):
    path = tmp_path / "records"
    path.write_bytes(b"x" * (MAX_BYTES + 10))
    got = read_records(path)
    assert "longer than" in got.damage and got.started
