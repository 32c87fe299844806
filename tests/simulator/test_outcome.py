"""How a run ended: each way a process can go has its name, and the runner's own failure is no finding."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from agentkernel.diagnostic import Level, Location, Severity
from agentkernel.dtypes import DType
from agentkernel.errors import ToolchainError
from agentkernel.simulator.outcome import (
    PRINTED,
    SHOWN_PRINTS,
    estimate_of,
    how_it_ended,
    not_written,
    still_poison,
    to_diagnostic,
    with_prints_joined,
)
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.records import Clock, End, Finding, Records
from agentkernel.simulator.sandbox import Limits
from agentkernel.task import TensorSpec
from tests.simulator.support import prepared, source

LIMITS = Limits(wall_seconds=60, cpu_seconds=15, memory_bytes=4 << 30, file_bytes=1 << 20)
WHOLE = Records(end=End(t="end", completed=True, instructions=1))
CUT = Records()
STARTED = Records(started=True)


def finished(returncode=0, output="", timed_out=False, seconds=0.1):
    return Finished(returncode=returncode, output=output, timed_out=timed_out, seconds=seconds)


def test_a_run_that_ended_by_itself_and_said_so_has_no_finding():
    assert how_it_ended(finished(), WHOLE, LIMITS) == []


@pytest.mark.parametrize(
    ("done", "read", "code", "level"),
    [
        (finished(-9, timed_out=True), CUT, "time-limit", Level.RUNTIME),
        (finished(-signal.SIGXCPU), CUT, "time-limit", Level.RUNTIME),
        (finished(-9, seconds=16.5), CUT, "time-limit", Level.RUNTIME),
        (finished(-9), CUT, "killed", Level.RUNTIME),
        (finished(-signal.SIGSEGV), CUT, "crash", Level.RUNTIME),
        (finished(-signal.SIGILL), WHOLE, "crash", Level.RUNTIME),
        (finished(70, "akrun: x.so: failed to map segment from shared object"), CUT, "out-of-memory", Level.RUNTIME),
        (finished(70, "akrun: std::bad_alloc"), CUT, "out-of-memory", Level.RUNTIME),
        (finished(70, "akrun: std::bad_alloc"), STARTED, "out-of-memory", Level.RUNTIME),
        (finished(70), STARTED, "forged-record", Level.CHEAT),
        (finished(70, "akrun: k.so: Operation not permitted"), STARTED, "forged-record", Level.CHEAT),
        (finished(0), CUT, "forged-record", Level.CHEAT),
        (finished(3), WHOLE, "forged-record", Level.CHEAT),
        (finished(0), Records(end=WHOLE.end, damage="line 2 follows the end"), "forged-record", Level.CHEAT),
    ],
)
def test_every_other_end_has_its_name(done, read, code, level):
    (found,) = how_it_ended(done, read, LIMITS)
    assert (found.code, found.level, found.is_error) == (code, level, True)
    assert found.hint


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("akrun: k.so: undefined symbol: akrt_new", "akrt_new"),
        ("akrun: k.so: failed to map segment from shared object: Operation not permitted", "cannot be loaded"),
        ("", "no reason"),
    ],
)
def test_the_runners_own_failure_is_an_exception(output, word):
    with pytest.raises(ToolchainError, match=word) as raised:
        how_it_ended(finished(70, output), CUT, LIMITS)
    assert raised.value.hint


def test_a_finding_gets_places_columns_and_related():
    text = prepared(source("  DataCopy(a, b, 8);\n  Add(\n      a,\n      b, 8);"))
    finding = Finding(
        t="finding", code="missing-sync", gravity="error", level=Level.HAZARD, api="Add", site=8, other_api="DataCopy",
        other_site=4, core=3, message="m", hint="h", evidence={"edge": "MTE2->V"},
    )  # fmt: skip
    file = text.main_file
    places = {8: Location(file=file, line=8), 4: Location(file=file, line=5)}
    found = to_diagnostic(finding, places, text)
    assert (found.location.line, found.location.column) == (6, 3)  # the call begins two lines before
    assert [(str(place), what) for place, what in found.related] == [(f"{file}:5:3", "DataCopy")]
    assert found.evidence == {"edge": "MTE2->V", "block": 3}
    assert found.severity is Severity.ERROR


def test_advice_is_a_note_and_a_finding_without_a_place_is_one_too():
    finding = Finding(t="finding", code="more-findings", gravity="note", level=Level.RUNTIME, message="m")
    found = to_diagnostic(finding, {}, prepared(source("")))
    assert (found.severity, found.location, found.related, found.apis) == (Severity.NOTE, None, (), ())


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.INT32, DType.INT64])
def test_poison_is_recognised_by_its_bits(dtype):
    raw = np.zeros(6 * dtype.itemsize, np.uint8)
    raw[2 * dtype.itemsize : 4 * dtype.itemsize] = np.tile([0xAB, 0xFF], dtype.itemsize)
    assert still_poison(raw.view(dtype.numpy).reshape(2, 3)).tolist() == [2, 3]


def test_one_byte_types_cannot_show_poison():
    assert still_poison(np.full(4, 0xAB, np.uint8)).size == 0


def test_unwritten_elements_are_placed_in_their_shape():
    tensor = TensorSpec(name="y", dtype=DType.INT32, shape=(2, 3))
    array = np.zeros((2, 3), np.int32)
    array[1, 1] = np.frombuffer(bytes((0xAB, 0xFF)) * 2, np.int32)[0]
    found = not_written(tensor.name, 1, array)
    assert "1 of 6 elements of the output `y`" in found.message and "[1, 1]" in found.message
    assert found.evidence == {"output": "y", "elements": 1, "total": 6, "first": 4, "last": 4}


def test_an_estimate_needs_a_clock():
    assert estimate_of(Records(), "ascend910b") is None
    got = estimate_of(Records(clock=Clock(t="clock", kernel_us=2.0, bound="V")), "ascend910b")
    assert got is not None and (got.kernel_us, got.bound, got.provenance) == (2.0, "V", "simulated")


def test_texts_of_one_call_are_one_note_that_says_which_core_printed() -> None:
    def printed(text: str, core: int, site: int = 7) -> Finding:
        return Finding(
            t="finding", code=PRINTED, gravity="note", level=Level.RUNTIME, message=text, core=core, site=site
        )

    other = printed("other", 0, site=9).model_copy(update={"code": "deadlock", "gravity": "fatal"})
    many = [printed(f"line {n}", n % 2) for n in range(SHOWN_PRINTS + 3)]
    joined = with_prints_joined([printed("first", 0, site=5), *many[:1], other, *many[1:]])
    assert [finding.site for finding in joined] == [5, 7, 9]
    assert joined[0].message == "The kernel prints\n  block 0: first"
    assert joined[1].message.startswith("The kernel prints\n  block 0: line 0\n  block 1: line 1\n")
    assert joined[1].message.endswith("\n  and 3 more") and joined[1].message.count("\n") == SHOWN_PRINTS + 1
    assert joined[2] == other
