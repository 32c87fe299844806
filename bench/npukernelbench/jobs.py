"""What child processes do: measure a case, prepare it, finish it. Each job ends as one JSON value.

The code of a checkout is its owner's and trusted, but it may fail, hang or need all memory; so it runs in processes of
its own (`child`), and a failure is told by the step that it happened in:

- `load`: the task's files cannot be imported;
- `inputs`: its generator raised (several do on a CPU: random integers by functions for floats);
- `reference`: its reference model raised;
- `bindings`: its bindings, or the model that calls them, raised before they reached the device;
- `check`: its checker raised.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from agentkernel.bench.npukernelbench import recorder as recording
from agentkernel.bench.npukernelbench import rules, tensors
from agentkernel.bench.npukernelbench.cases import Row
from agentkernel.bench.npukernelbench.loading import Loaded, load
from agentkernel.bench.npukernelbench.recorder import Captured, Recorder

Result = dict[str, Any]


class Job(BaseModel):
    """What a child process is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    """`measure`, `prepare`, `finish` or `results`."""
    task: Path
    """The task's folder."""
    row: dict[str, Any]
    seed: int
    folder: Path
    """Where files are written and, for `finish`, where those of the run lie."""
    ops: Path | None = None
    """The built bindings."""
    replies: tuple[dict[int, list[dict[str, Any]]], ...] = ()
    """Values that runs wrote, by call and argument position: descriptions of files in `folder`."""


class StepError(Exception):
    """A step of a job raised.

    Args:
        step: Which one.
        error: What it raised.
    """

    def __init__(self, step: str, error: BaseException) -> None:
        last = traceback.extract_tb(error.__traceback__)[-1:]
        place = f" ({Path(last[0].filename).name}:{last[0].lineno})" if last else ""
        lines = str(error).strip().splitlines()
        text = lines[0] if lines else ""
        super().__init__(f"{type(error).__name__}: {text}{place}")
        self.step = step


def do(job: Job) -> Result:
    """Do a job.

    Returns:
        `{"failed": step, "why": text}` where a step raised; else what the action gives: `measure` the number of
        `elements`; `prepare` also the recorded `calls`, the outputs `native` and `double` of the reference; `finish`
        the benchmark's judgement `official` and the `outputs` of the kernel's model; `results` these outputs alone.
        A model that calls the device once more than there are replies gives that `call` instead.
    """
    try:
        return {"measure": _measure, "prepare": _prepare, "finish": _finish, "results": _results}[job.action](job)
    except StepError as failed:
        return {"failed": failed.step, "why": str(failed)}


@contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise StepError(name, error) from error


def _open(job: Job, recorder: Recorder) -> Loaded:
    with _step("load"):
        return load(job.task, recorder, job.ops)


def _inputs(job: Job, loaded: Loaded) -> tuple[list[Any], list[Any]]:
    with _step("inputs"):
        made, given = loaded.inputs(Row(job.row), job.seed)
        return list(made), list(given)


def _measure(job: Job) -> Result:
    """Sizes without values, on the device that holds none; with values where a generator needs them."""
    loaded = _open(job, Recorder())
    try:
        made, given = loaded.inputs(Row(job.row), job.seed, device="meta")
        return {"elements": tensors.elements([*made, *given])}
    except Exception:
        # generators look at values here and there; what cannot be made on a CPU either is told by `_inputs`
        made, given = _inputs(job, loaded)
        return {"elements": tensors.elements([*made, *given])}


def _prepare(job: Job) -> Result:
    recorder = Recorder(_replies(job))
    loaded = _open(job, recorder)
    made, given = _inputs(job, loaded)
    result: Result = {"elements": tensors.elements(given)}
    with _step("reference"):
        native = loaded.module.Model(*tensors.copied(made))(*tensors.copied(given))
        result["native"] = _saved(native, job.folder, "native")
    result["double"] = _double(loaded, made, given, job.folder)
    marked = tensors.marks_new_memory()
    with _step("bindings"):
        try:
            loaded.module.ModelNew(*tensors.copied(made))(*tensors.copied(given))
        except Captured:
            pass
        else:
            raise RuntimeError("the model made no call to the device")
    result["calls"] = [
        {"name": name, "arguments": recording.describe(arguments, job.folder, f"call{number}", marked=marked)}
        for number, (name, arguments) in enumerate(recorder.calls)
    ]
    return result


def _double(loaded: Loaded, made: list[Any], given: list[Any], folder: Path) -> list[Result] | None:
    """The reference on float64 inputs; None where it does not take them."""
    try:
        values = loaded.module.Model(*tensors.copied(made, double=True))(*tensors.copied(given, double=True))
    except Exception:
        # references choose by dtype, or mix in tensors of their own; then the native one is all there is
        return None
    return _saved(values, folder, "double")


def _finish(job: Job) -> Result:
    loaded, given, got, outcome = _replayed(job)
    if "call" in outcome:
        return outcome
    with _step("reference"):
        expected = loaded.module.Model(*tensors.copied(given[0]))(*tensors.copied(given[1]))
    with _step("check"):
        if loaded.checker is not None:
            right, off, share = loaded.checker(Row(job.row), expected, got)
        else:
            right, off, share = rules.check_precision(expected, got, rules.MAX_ABSOLUTE, rules.MAX_RELATIVE)
        worst = {"absolute": _largest(off), "relative": _largest(share)}
    return {"official": bool(right), "custom": loaded.checker is not None, **worst, **outcome}


def _results(job: Job) -> Result:
    return _replayed(job)[3]


def _replayed(job: Job) -> tuple[Loaded, tuple[list[Any], list[Any]], Any, Result]:
    """The kernel's model with the calls to the device answered: what it gave, also as files."""
    recorder = Recorder(_replies(job))
    loaded = _open(job, recorder)
    made, given = _inputs(job, loaded)
    marked = tensors.marks_new_memory()
    with _step("bindings"):
        try:
            got = loaded.module.ModelNew(*tensors.copied(made))(*tensors.copied(given))
        except Captured:
            number = len(recorder.calls) - 1
            name, arguments = recorder.calls[-1]
            described = recording.describe(arguments, job.folder, f"call{number}", marked=marked)
            call = {"name": name, "arguments": described}
            return loaded, (made, given), None, {"call": call}
    return loaded, (made, given), got, {"outputs": _saved(got, job.folder, "outputs")}


def _largest(values: Any) -> float | None:
    """The largest of a checker's errors, as far as it gives numbers."""
    try:
        return float(values.max()) if values.numel() else 0.0
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return None  # checkers give what they like; nothing depends on it


def _replies(job: Job) -> list[dict[int, list[Any]]]:
    return [
        {int(position): [tensors.load(one, job.folder) for one in values] for position, values in reply.items()}
        for reply in job.replies
    ]


def _saved(values: Any, folder: Path, prefix: str) -> list[Result]:
    found = []
    for name, leaf in tensors.leaves(values):
        if tensors.is_tensor(leaf):
            found.append({"name": name, **tensors.save(tensors.to_array(leaf), folder, f"{prefix}.{name}")})
        else:
            found.append({"name": name, "value": leaf if leaf is None else repr(leaf)})
    return found
