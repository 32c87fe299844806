"""Small valid nouns for tests: a task, a header, attempts that pass or fail at a given level."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.dtypes import DType
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, Task, TensorSpec
from agentkernel.trajectory import Attempt, Completion, Message, TrajectoryHeader, Turn
from agentkernel.verdict import CaseResult, Estimate, Stage, Verdict

_STAGES = {
    Level.FORMAT: Stage.EXTRACT,
    Level.API: Stage.CHECK,
    Level.HOST: Stage.COMPILE,
    Level.CHEAT: Stage.CHECK,
    Level.RUNTIME: Stage.RUN,
    Level.HAZARD: Stage.RUN,
    Level.NUMERIC: Stage.VERIFY,
}


def sample_task(name: str = "add-float16", *, suite: str = "") -> Task:
    """An elementwise addition with one case."""
    shape = ("n",)
    return Task(
        name=name,
        description="z = x + y, element by element.",
        level="L1",
        entry=name.replace("-", "_"),
        inputs=(
            TensorSpec(name="x", dtype=DType.FLOAT16, shape=shape),
            TensorSpec(name="y", dtype=DType.FLOAT16, shape=shape),
        ),
        outputs=(TensorSpec(name="z", dtype=DType.FLOAT16, shape=shape),),
        cases=(Case(name="small", dims={"n": 256}),),
        reference=Reference(formula="z = x + y"),
        suite=suite,
    )


def sample_header(run_id: str = "run-1", *, task: Task | None = None, sample: int = 0) -> TrajectoryHeader:
    """A header of a scripted run; later samples are created later."""
    return TrajectoryHeader(
        run_id=run_id,
        task=task or sample_task(),
        model="scripted",
        toolchain="simulator",
        sample=sample,
        created=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=sample),
        versions={"agentkernel": "0.1.0"},
    )


def sample_verdict(level: Level | None = None, *, kernel_us: float | None = 5.0) -> Verdict:
    """A pass (`level` None), or a verdict whose first error has the given level.

    Args:
        level: Level of the error.
        kernel_us: Estimate of a pass in microseconds.
    """
    if level is None:
        estimate = None if kernel_us is None else Estimate(provenance="simulated", kernel_us=kernel_us)
        case = CaseResult(case="small", passed=True, estimate=estimate)
        return Verdict(passed=True, stage=Stage.VERIFY, toolchain="simulator", cases=(case,))
    found = Diagnostic(
        code=f"sample-{level.value}",
        level=level,
        message=f"a fault of the {level.value} level",
        location=None if level is Level.FORMAT else Location(file="op_kernel/add_float16.cpp", line=3),
    )
    stage = _STAGES[level]
    if stage in (Stage.RUN, Stage.VERIFY):
        case = CaseResult(case="small", passed=False, diagnostics=(found,))
        return Verdict(passed=False, stage=stage, toolchain="simulator", cases=(case,))
    return Verdict(passed=False, stage=stage, toolchain="simulator", diagnostics=(found,))


def sample_attempt(
    index: int,
    level: Level | None = None,
    *,
    source: str = "",
    turn: Turn | None = None,
    messages: Sequence[Message] | None = None,
    completion: Completion | None = None,
    kernel_us: float | None = 5.0,
) -> Attempt:
    """A model's turn with a kernel of one file; a format failure has none.

    Args:
        index: Position in the trajectory; also part of the prompt and, without `source`, of the kernel.
        level: Level of the failure, None for a pass.
        source: Kernel source.
        turn: By default a draft at index 0, else an API repair.
        messages: By default a system message and a user message that names the index.
        completion: By default the source in a `cpp` fence.
        kernel_us: Estimate of a pass in microseconds.
    """
    source = source or f'#include "kernel_operator.h"\n// version {index}\nvoid add_float16_{index}();\n'
    return Attempt(
        index=index,
        turn=turn or (Turn.DRAFT if index == 0 else Turn.REPAIR_API),
        messages=tuple(messages)
        if messages is not None
        else (
            Message(role="system", content="You write Ascend C kernels."),
            Message(role="user", content=f"Turn {index}: write add_float16.\n" + "Take care. " * 30),
        ),
        completion=completion
        or Completion(text=f"```cpp\n{source}```\n", prompt_tokens=100, completion_tokens=50, model="scripted"),
        kernel=None if level is Level.FORMAT else Kernel.from_source(source, "add_float16"),
        verdict=sample_verdict(level, kernel_us=kernel_us),
    )
