"""Judging of runs: structure, reports of the toolchain, and what a diagnostic says about wrong numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agentkernel.codes import level_of
from agentkernel.diagnostic import Diagnostic, Level, Severity
from agentkernel.dtypes import DType
from agentkernel.errors import ToolchainError
from agentkernel.judge import Look, Where, judge, make_inputs, reference
from agentkernel.task import Case, Fill, Reference, Task, TensorSpec
from agentkernel.toolchains.base import Run
from agentkernel.verdict import CaseResult, Estimate

Array = np.ndarray[Any, Any]
Change = Callable[[Array, dict[str, Array]], Any]


def task(
    formula: str = "y = exp(x) - w", *, dtype: str = "float32", out: str = "", fill: Fill | None = None, **dims: int
) -> Task:
    def tensor(name: str, kind: str) -> TensorSpec:
        return TensorSpec(name=name, dtype=DType(kind), shape=("rows", "cols"))

    case = Case(name="c", dims={"rows": 16, "cols": 125} | dims, fills={"x": fill} if fill else {})
    return Task(
        name="op",
        description="op",
        level="L1",
        entry="op",
        inputs=(tensor("x", dtype), tensor("w", dtype)),
        outputs=(tensor("y", out or dtype),),
        cases=(case,),
        reference=Reference(formula=formula),
    )


def judged(t: Task, change: Change) -> CaseResult:
    """Judge the right output after a change."""
    case = t.cases[0]
    inputs = make_inputs(t, case)
    dtype = t.outputs[0].dtype.numpy
    with np.errstate(all="ignore"):
        right = reference(t, case, inputs)["y"].astype(dtype)
        wrong = np.ascontiguousarray(np.asarray(change(right, inputs)).astype(dtype))
    return judge(t, case, inputs, Run(completed=True, outputs={"y": wrong}))


def only(result: CaseResult) -> Diagnostic:
    assert not result.passed
    assert len(result.diagnostics) == 1
    diagnostic = result.diagnostics[0]
    assert level_of(diagnostic.code) is diagnostic.level
    json.dumps(diagnostic.evidence, allow_nan=False)
    return diagnostic


def poisoned(count: int) -> Change:
    def change(y: Array, _: dict[str, Array]) -> Array:
        y = y.copy()
        flat = y.view(np.uint8).reshape(-1)
        size = count * y.itemsize
        flat[-size:] = np.resize(np.frombuffer(b"\xab\xff", np.uint8), flat.size)[-size:]
        return y

    return change


def test_the_right_output_passes_with_its_distance() -> None:
    result = judged(task(), lambda y, _: y)
    assert result.passed
    assert not result.diagnostics
    assert result.errors[0].mismatched == 0
    assert result.errors[0].total == 2000


LOOKS: dict[str, tuple[Look, Change, Task]] = {
    "zeros": (Look.ZEROS, lambda y, _: y * 0, task()),
    "factor": (Look.FACTOR, lambda y, _: y * 2, task()),
    "a mean over padded rows": (Look.FACTOR, lambda y, _: y * 125 / 128, task("y = mean(x + 2) + 0 * w")),
    "another operation": (Look.COMBINED, lambda y, i: i["w"] - i["x"], task()),
    "sign": (Look.SIGN, lambda y, _: -y, task()),
    "shift": (Look.SHIFTED, lambda y, _: np.roll(y.reshape(-1), 1).reshape(y.shape), task()),
    "shift by a block": (Look.SHIFTED, lambda y, _: np.roll(y.reshape(-1), -8).reshape(y.shape), task()),
    "shift by a row": (Look.SHIFTED, lambda y, _: np.roll(y, 1, axis=0), task()),
    "swapped": (Look.SWAPPED, lambda y, i: np.exp(i["w"]) - i["x"], task()),
    "copied": (Look.INPUT, lambda y, i: i["x"], task()),
    "offset": (Look.OFFSET, lambda y, _: y + 1, task()),
    "offset of integers": (Look.OFFSET, lambda y, _: y + 1, task("y = x + w", dtype="int32")),
    "constant": (Look.CONSTANT, lambda y, _: y * 0 + 3, task()),
    "overflow": (Look.OVERFLOW, lambda y, _: y * np.float32(np.inf), task()),
    "nan": (Look.NAN, lambda y, _: y * np.nan, task()),
    "low precision": (
        Look.PRECISION,
        lambda y, _: y * (1 + np.random.default_rng(0).normal(size=y.shape) * 3e-3),
        task(),
    ),
    "truncated instead of rounded": (
        Look.ROUNDING,
        lambda y, i: np.trunc(i["x"] * 100),
        task("y = cast(round(x * 100), 'int32')", out="int32"),
    ),
    "noise": (Look.OTHER, lambda y, _: np.random.default_rng(0).normal(size=y.shape), task()),
    "never written": (Look.UNWRITTEN, poisoned(2000), task()),
    "never written, bytes": (Look.UNWRITTEN, poisoned(2000), task("y = x", dtype="int8")),
    "never written, halves": (Look.UNWRITTEN, poisoned(2000), task("y = x", dtype="bfloat16")),
}


@pytest.mark.parametrize(("look", "change", "t"), LOOKS.values(), ids=list(LOOKS))
def test_looks_of_wrong_values(look: Look, change: Change, t: Task) -> None:
    diagnostic = only(judged(t, change))
    assert diagnostic.level is Level.NUMERIC
    assert diagnostic.evidence["look"]["look"] == look
    finite = look not in (Look.OVERFLOW, Look.NAN)
    assert diagnostic.code == ("numeric-mismatch" if finite else "non-finite")


def test_a_dropped_nan_is_found_at_the_special_inputs() -> None:
    t = task("y = relu(x) + 0 * w", fill=Fill(kind="specials"))
    diagnostic = only(judged(t, lambda y, _: np.where(np.isnan(y), 0, y)))
    assert diagnostic.code == "non-finite"
    assert diagnostic.evidence["look"]["look"] == Look.LOST_NAN
    assert diagnostic.evidence["only_at_special_inputs"] is True
    assert "nan" in {diagnostic.evidence["worst"]["expected"], diagnostic.evidence["worst"]["got"]}


def test_place_look_and_first_element_make_one_message() -> None:
    def change(y: Array, _: dict[str, Array]) -> Array:
        y = y.copy()
        y[:, 120:] = 0
        return y

    diagnostic = only(judged(task(), change))
    assert diagnostic.message.startswith(
        "In case c, 80 of 2000 elements of y are wrong (the last 5 elements of each row of 125); they are zero. "
        "First at [0, 120]: expected "
    )
    assert diagnostic.evidence["where"]["where"] == Where.ROW_TAIL
    assert diagnostic.evidence["mismatched"] == 80
    assert [e["index"] for e in diagnostic.evidence["first"]] == [[0, k] for k in range(120, 125)]
    assert "tail of a row" in diagnostic.hint


def test_the_worst_element_has_the_largest_error() -> None:
    def change(y: Array, _: dict[str, Array]) -> Array:
        y = y.copy()
        y[3, 7], y[9, 9] = 50.0, 1e6
        return y

    evidence = only(judged(task(), change)).evidence
    assert evidence["worst"]["index"] == [9, 9]
    assert evidence["worst"]["got"] == 1e6


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_a_single_element(dtype: str) -> None:
    diagnostic = only(judged(task("y = x + w", dtype=dtype, rows=1, cols=1), lambda y, _: y + 3))
    assert "the only element of y is wrong" in diagnostic.message


def test_one_element_is_spoken_of_in_the_singular() -> None:
    assert "; it was never written. First" in only(judged(task(), poisoned(1))).message


def test_infinite_evidence_is_text() -> None:
    diagnostic = only(judged(task(), lambda y, _: y * np.float32(np.inf)))
    assert diagnostic.evidence["first"][0]["got"] in ("inf", "-inf")


def run_with(**options: Any) -> CaseResult:
    t = task("y = x + w")
    case = t.cases[0]
    inputs = make_inputs(t, case)
    outputs = {"y": reference(t, case, inputs)["y"].astype(np.float32)}
    return judge(t, case, inputs, Run(**({"completed": True, "outputs": outputs} | options)))


@pytest.mark.parametrize(
    ("outputs", "code"),
    [
        ({}, "missing-output"),
        ({"y": np.zeros((16, 124), np.float32)}, "wrong-shape"),
        ({"y": np.zeros((16, 125), np.float16)}, "wrong-dtype"),
    ],
)
def test_structure_comes_before_numbers(outputs: dict[str, Array], code: str) -> None:
    result = run_with(outputs=outputs)
    assert only(result).code == code
    assert not result.errors


def test_an_output_too_many() -> None:
    t = task("y = x + w")
    inputs = make_inputs(t, t.cases[0])
    y = reference(t, t.cases[0], inputs)["y"].astype(np.float32)
    result = judge(t, t.cases[0], inputs, Run(completed=True, outputs={"y": y, "z": y}))
    assert only(result).code == "extra-output"


def test_an_output_never_written_fails_even_if_its_numbers_are_right() -> None:
    diagnostic = only(run_with(unwritten={"y": 3}))
    assert diagnostic.code == "output-not-written"
    assert "3 of 2000 elements" in diagnostic.message
    assert "no element" in only(run_with(unwritten={"y": 2000})).message


def test_what_the_toolchain_has_said_already_is_not_said_twice() -> None:
    own = Diagnostic(code="output-not-written", level=Level.RUNTIME, message="said", evidence={"output": "y"})
    assert only(run_with(unwritten={"y": 3}, diagnostics=(own,))) == own


def test_a_hazard_fails_right_numbers_and_a_warning_does_not() -> None:
    hazard = Diagnostic(code="missing-sync", level=Level.HAZARD, message="m")
    estimate = Estimate(provenance="simulated", kernel_us=1.0)
    failed = run_with(diagnostics=(hazard,), estimate=estimate)
    assert not failed.passed
    assert failed.errors[0].mismatched == 0
    assert failed.estimate == estimate
    warning = hazard.model_copy(update={"severity": Severity.WARNING})
    assert run_with(diagnostics=(warning,)).passed


def test_a_run_that_did_not_complete_fails_with_its_own_reasons() -> None:
    crash = Diagnostic(code="crash", level=Level.RUNTIME, message="m")
    result = run_with(completed=False, outputs={}, diagnostics=(crash,))
    assert only(result) == crash


def test_a_run_without_result_or_reason_is_the_toolchains_fault() -> None:
    with pytest.raises(ToolchainError, match="gave no reason"):
        run_with(completed=False, outputs={})


def test_tolerances_of_the_task() -> None:
    t = task("y = x + w + 5")
    assert not judged(t, lambda y, _: y * 1.01).passed
    loose = t.model_copy(update={"tolerance": t.tolerance.model_copy(update={"threshold": {DType.FLOAT32: 0.02}})})
    assert judged(loose, lambda y, _: y * 1.01).passed


def test_two_outputs_are_judged_apart() -> None:
    t = task("y = x + w")
    second = t.outputs[0].model_copy(update={"name": "z"})
    both = t.model_copy(update={"outputs": (*t.outputs, second), "reference": Reference(formula="y = x\nz = w")})
    inputs = make_inputs(both, both.cases[0])
    run = Run(completed=True, outputs={"y": inputs["x"], "z": inputs["w"] + np.float32(1)})
    result = judge(both, both.cases[0], inputs, run)
    assert only(result).evidence["output"] == "z"
    assert [(e.output, e.mismatched > 0) for e in result.errors] == [("y", False), ("z", True)]


def test_results_survive_json() -> None:
    result = judged(task(), lambda y, _: y * np.float32(np.inf))
    assert CaseResult.model_validate_json(result.model_dump_json()) == result


def test_the_poison_is_the_one_that_the_simulator_fills_outputs_with() -> None:
    from agentkernel.judge.looks import POISON
    from agentkernel.simulator import gm_buffers

    assert gm_buffers.POISON == POISON
