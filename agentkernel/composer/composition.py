"""Composing: a task and a seed become a kernel."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from agentkernel.composer.errors import Refusal
from agentkernel.kernel import Kernel
from agentkernel.launch import device_task
from agentkernel.task import Path, Task


class Composition(BaseModel):
    """A composed kernel and what was decided for it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: Kernel
    notes: tuple[str, ...]
    """Decisions in words: how the data is walked, tile, precision path, rewrites."""
    seed: int


def compose(task: Task, seed: int = 0) -> Composition:
    """Compile a task's formula into a kernel by rules.

    Args:
        task: A task with a formula. For a full-path task the host side comes with the kernel.
        seed: Style seed, at least 0: different seeds give different kernels, all of them right.

    Raises:
        Refusal: The task is not composable; it names what and why.
        TaskError: The formula itself is wrong.
    """
    from agentkernel.composer.layouts import render
    from agentkernel.composer.lowering import lower
    from agentkernel.composer.style import style_for
    from agentkernel.composer.tiling import plan
    from agentkernel.composer.walks import build
    from agentkernel.formula import parse_task

    if seed < 0:
        raise ValueError(f"a style seed is at least 0, not {seed}")
    if task.beyond_single_tensors:
        raise Refusal(f"the task {task.name!r} with {task.beyond_single_tensors}", "rules are for single tensors alone")
    if task.reference.formula is None:
        raise Refusal(f"the task {task.name!r}", "its meaning is Python source, not a formula")
    if task.path is Path.FULL:
        return _with_host_side(compose(device_task(task), seed), task)
    style = style_for(task.digest, seed)
    graph = parse_task(task)
    program = lower(graph, style, _fixed(task))
    decided = plan(task, graph, program, style)
    context, unit = build(decided)
    source = render(context, unit)
    return Composition(
        kernel=Kernel.from_source(source, task.entry), notes=(*_notes(decided), *program.notes), seed=seed
    )


def _with_host_side(composed: Composition, task: Task) -> Composition:
    """The kernel reads its sizes from tiling data; the host side that writes them follows from the task."""
    from agentkernel.errors import ConfigError
    from agentkernel.export import host_side

    try:
        files = host_side(task, "HostTiling")
    except ConfigError as error:
        raise Refusal("a host side", error.message) from error
    kernel = Kernel(files={**files, **composed.kernel.files}, entry=task.entry)
    return composed.model_copy(update={"kernel": kernel})


def _fixed(task: Task) -> dict[str, float]:
    """Sizes and attributes of a static task."""
    from agentkernel.task import ShapeMode

    if task.shape_mode is not ShapeMode.STATIC:
        return {}
    case = task.cases[0]
    values = task.attr_values(case).items()
    return {**case.dims, **{name: value for name, value in values if not isinstance(value, str | tuple)}}


def _notes(decided: object) -> tuple[str, ...]:
    from agentkernel.composer.passes import Walk
    from agentkernel.composer.tiling import Plan

    assert isinstance(decided, Plan)
    split = {
        "chunk": "equal contiguous parts",
        "balanced": "contiguous parts that differ by at most one unit",
        "strided": "tiles dealt out in turn",
    }[decided.style.split]
    walk = {
        Walk.FLAT: f"all elements as one line, in tiles of up to {decided.tile}",
        Walk.SINGLE: f"one row at a time in local memory (rows of up to {decided.tile} elements)",
        Walk.BLOCK: f"up to {decided.max_rows} rows at a time in local memory",
        Walk.CHUNKED: f"rows in pieces of {decided.tile} elements, {len(decided.schedule.passes)} pass(es) over each",
    }[decided.walk]
    buffering = "double-buffered" if decided.buffers_in == 2 else "single-buffered"
    return (f"walk: {walk}", f"cores: {split}", f"inputs are {buffering}")
