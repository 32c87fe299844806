"""Profiles of whole kernels on the simulator: places, changes that help, files, failures."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path

import pytest

from agentkernel.errors import ConfigError, ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.profile import Profile, for_person, plot, profile, read_trace
from agentkernel.profile.picture import merged, stretch
from tests.profile.kernels import add, task


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Profile, Path]:
    """Small tiles and one buffer, with its trace."""
    timeline = tmp_path_factory.mktemp("profile") / "trace.json"
    return profile(add(tile=256, buffers=1), task(), timeline=timeline), timeline


def test_every_figure_is_labelled_simulated(slow: tuple[Profile, Path]) -> None:
    assert slow[0].provenance == "simulated"
    assert "(simulated)" in for_person(slow[0]).splitlines()[0]


def test_the_largest_case_is_run_unless_another_is_named(slow: tuple[Profile, Path]) -> None:
    assert slow[0].case == "large"
    small = profile(add(tile=256, buffers=1), task(), "small")
    assert (small.case, small.kernel_us < slow[0].kernel_us) == ("small", True)


def test_bubbles_name_calls_and_lines_on_both_sides(slow: tuple[Profile, Path]) -> None:
    vector = next(p for p in slow[0].pipes if p.pipe == "V")
    longest = vector.bubbles[0]
    assert (longest.before, longest.line, longest.on, longest.by) == ("Add", 21, "MTE2", "DeQue")
    assert longest.by_line in (18, 19)
    assert longest.times == 128


def test_what_the_profile_advises_helps(slow: tuple[Profile, Path]) -> None:
    changes = [gain.change for gain in slow[0].gains]
    assert any("double buffering" in change for change in changes)
    assert any("larger" in change for change in changes)
    doubled = profile(add(tile=256, buffers=2), task())
    larger = profile(add(tile=4096, buffers=1), task())
    assert doubled.kernel_us < 0.9 * slow[0].kernel_us
    assert larger.kernel_us < 0.9 * slow[0].kernel_us
    # Bounds: no changed kernel is faster than what was promised at best. Larger tiles also mean fewer instructions.
    best: dict[str, float] = defaultdict(float)
    for gain in slow[0].gains:
        best[gain.change.split()[0]] += gain.saves_us
    assert slow[0].kernel_us - doubled.kernel_us <= best["overlap"]
    assert slow[0].kernel_us - larger.kernel_us <= best["larger,"] + best["fewer,"]


def test_nothing_is_faster_than_the_roofline(slow: tuple[Profile, Path]) -> None:
    for found in (slow[0], profile(add(tile=8192, buffers=2), task())):
        assert found.roofline is not None
        assert found.roofline.distance > 1


def test_the_trace_is_what_perfetto_reads(slow: tuple[Profile, Path]) -> None:
    data = json.loads(slow[1].read_text())
    names = {e["args"]["name"] for e in data["traceEvents"] if e["ph"] == "M"}
    assert {"core 0", "core 1", "S", "V", "MTE2", "MTE3"} <= names
    load = next(e for e in data["traceEvents"] if e["name"] == "DataCopy")
    assert load["args"]["file"] == "op_kernel/add.cpp"
    assert load["args"]["line"] == 15
    assert read_trace(slow[1]).of_core(1)


def test_instructions_of_a_pipe_do_not_overlap(slow: tuple[Profile, Path]) -> None:
    events = [e for e in read_trace(slow[1]).of_core(0) if e.pipe == "MTE2"]
    assert all(a.end <= b.start + 1e-6 for a, b in itertools.pairwise(events))


def test_a_picture_is_drawn(slow: tuple[Profile, Path], tmp_path: Path) -> None:
    target = tmp_path / "timeline.png"
    plot(slow[0], read_trace(slow[1]), target)
    assert target.read_bytes().startswith(b"\x89PNG")


def test_the_detail_shows_the_middle_of_a_long_run(slow: tuple[Profile, Path]) -> None:
    begin, end = stretch(read_trace(slow[1]).of_core(0), slow[0].core_us)
    assert 0.3 * slow[0].core_us < begin < end < 0.7 * slow[0].core_us


def test_bars_that_nearly_touch_are_drawn_as_one() -> None:
    assert merged([(0, 1), (1.05, 1), (5, 1)], 0.1) == [(0, 2.05), (5, 1)]


def test_without_matplotlib_the_missing_extra_is_named_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("agentkernel.profile.picture.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="matplotlib") as raised:
        profile(Kernel.from_source("this does not compile", "add"), task(), png=tmp_path / "x.png")
    assert "agentkernel[plot]" in raised.value.hint


def test_a_kernel_that_does_not_compile_has_diagnostics_and_no_times() -> None:
    found = profile(Kernel.from_source("int add(", "add"), task())
    assert (found.ran, found.kernel_us, found.pipes) == (False, 0, ())
    assert any(d.is_error for d in found.diagnostics)
    assert "did not run" in for_person(found)


def test_an_unknown_case_is_named_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no case") as raised:
        profile(add(tile=256, buffers=1), task(), "huge")
    assert "small, large" in raised.value.hint


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"otherData": {}, "traceEvents": [{"ph": "X"}]}'])
def test_a_file_that_is_no_trace_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(ToolchainError, match=r"t\.json is not a timeline"):
        read_trace(tmp_path / "t.json")
