"""compose(): the same seed gives the same kernel, other seeds give other ones, and refusals name what and why."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import pytest

from agentkernel.bench.suites import suite
from agentkernel.composer import Refusal, compose
from agentkernel.dtypes import DType
from agentkernel.launch import signature
from agentkernel.task import AttrSpec, Case, Path, Reference, ShapeMode, Task, TensorSpec

CORE = {task.name: task for task in suite("core")}


def a_task(
    formula: str,
    *,
    dtype: str = "float32",
    out: str = "",
    shape: Sequence[int | str] = ("n",),
    result: Sequence[int | str] | None = None,
    **more: Any,
) -> Task:
    """A task of one input `x` and one output `y`."""
    names = {dim for dim in (*shape, *(result or ())) if isinstance(dim, str)}
    return Task(
        name="made",
        description="made by a test",
        level="L1",
        entry="made_op",
        inputs=(TensorSpec(name="x", dtype=DType(dtype), shape=tuple(shape)),),
        outputs=(TensorSpec(name="y", dtype=DType(out or dtype), shape=tuple(shape if result is None else result)),),
        cases=(Case(name="only", dims=dict.fromkeys(names, 100)),),
        reference=Reference(formula=formula),
        **more,
    )


def source(task: Task, seed: int = 0) -> str:
    return compose(task, seed).kernel.files[f"op_kernel/{task.entry}.cpp"]


def test_equal_seeds_give_equal_kernels() -> None:
    for name in ("layer-norm-float16", "silu-mul-bfloat16"):
        assert compose(CORE[name], 3) == compose(CORE[name], 3)


def test_different_seeds_give_different_kernels() -> None:
    sources = {re.sub(r"\s+", " ", source(CORE["softmax-float32"], seed)) for seed in range(16)}
    assert len(sources) == 16


def test_a_few_seeds_in_a_row_cover_layouts_splits_and_walks() -> None:
    texts = [source(CORE["rms-norm-float32"], seed) for seed in range(12)]
    assert any("class " in text and "CopyIn" in text for text in texts)
    assert any("struct " in text and "Kernel& " in text.replace("Op&", "Kernel&") for text in texts)
    assert any("WholeReduceSum" in text or "ReduceRepeat" in text for text in texts)
    notes = {compose(CORE["rms-norm-float32"], seed).notes[0].split(" (")[0][:20] for seed in range(12)}
    assert len(notes) >= 3


@pytest.mark.parametrize("name", sorted(CORE))
def test_a_kernel_defines_the_entry_of_the_launch_contract(name: str) -> None:
    task = CORE[name]
    if task.reference.formula is None:
        with pytest.raises(Refusal, match="Python source"):
            compose(task)
        return
    for seed in range(4):
        flat = re.sub(r"\s+", " ", source(task, seed))
        assert signature(task) in flat
        assert ("GET_TILING_DATA" in flat) == (task.shape_mode is ShapeMode.DYNAMIC)


def test_a_static_kernel_holds_its_sizes_as_constants() -> None:
    task = CORE["relu-static-float16"]
    size = math.prod(task.shape_of(task.inputs[0], task.cases[0]))
    for seed in range(4):
        text = source(task, seed)
        assert str(size) in text
        assert "DataCopyPad" not in text or size * 2 % 32


def test_lines_are_short_enough_to_read() -> None:
    for name in ("layer-norm-float16", "not-equal-mask-float16", "softplus-float32"):
        for seed in range(8):
            assert max(len(line) for line in source(CORE[name], seed).splitlines()) <= 120


def test_names_of_the_task_are_never_taken_for_something_else() -> None:
    sizes = {"row": 4, "rowLength": 8}
    task = Task(
        name="awkward",
        description="names that the generated code would like to use itself",
        level="L2",
        entry="compute",
        inputs=(
            TensorSpec(name="pipe", dtype=DType.FLOAT32, shape=("row", "rowLength")),
            TensorSpec(name="ctx", dtype=DType.FLOAT32, shape=("rowLength",)),
        ),
        outputs=(TensorSpec(name="op", dtype=DType.FLOAT32, shape=("row", "rowLength")),),
        attrs=(AttrSpec(name="count", type="float", default=2.0),),
        cases=(Case(name="only", dims=sizes),),
        reference=Reference(formula="op = (pipe - mean(pipe)) * ctx * count"),
    )
    for seed in range(8):
        text = source(task, seed)
        for name in ("pipe", "ctx", "op"):
            assert not re.search(rf"TPipe\*? {name}\b|uint32_t {name}\b|\w+& {name}[,)]", text)


@pytest.mark.parametrize(
    ("task", "named"),
    [
        (a_task("y = x + x", dtype="int8"), "int8 arithmetic"),
        (a_task("y = x + x", dtype="int64"), "int64 arithmetic"),
        (a_task("y = sum(x)", dtype="int32", shape=("n", "m"), result=("n", 1)), "reduction of integers"),
        (a_task("y = sum(x, axis=0)", shape=("n", "m"), result=(1, "m")), "a reduction over axes"),
        (a_task("y = x - max(x) + sum(x, axis=0)", shape=("n", "m")), "reductions over different axes"),
        (a_task("y = 2.5 ** x"), "a power with a variable exponent"),
        (a_task("y = x ** 100"), "exponent 100"),
        (a_task("y = x << x", dtype="int32"), "a shift by a tensor"),
        (a_task("y = cast(x, 'uint16')", out="uint16"), "a conversion to uint16"),
    ],
    ids=lambda value: value.reference.formula if isinstance(value, Task) else "",
)
def test_a_refusal_names_what_is_not_composable(task: Task, named: str) -> None:
    with pytest.raises(Refusal, match=re.escape(named)) as caught:
        compose(task)
    assert caught.value.why


def test_a_full_path_task_gets_its_host_side_and_the_kernel_of_the_device_path() -> None:
    device = a_task("y = x * 2", shape=("n",))
    composed = compose(device.model_copy(update={"path": Path.FULL})).kernel
    assert composed.device_side.files == compose(device).kernel.files
    assert sorted(composed.host_files) == [f"op_host/{device.entry}.cpp", f"op_host/{device.entry}_tiling.h"]


def _buffers_in_flight(text: str, position: str) -> int:
    """Buffers of all queues of a position, as InitBuffer is told."""
    flat = re.sub(r"\s+", " ", text)
    constants = dict(re.findall(r"constexpr \w+ (\w+) = (\d+);", flat))
    queues = re.findall(rf"TQue<[\w:]*::{position}, \d> (\w+);", flat)
    given = dict(re.findall(r"InitBuffer\((?:\w+\.)?(\w+), (\w+), ", flat))
    assert queues and set(queues) <= set(given)
    return sum(int(constants.get(given[queue], given[queue])) for queue in queues)


def test_more_queues_than_events_are_not_double_buffered() -> None:
    inputs = tuple(TensorSpec(name=f"x{i}", dtype=DType.FLOAT16, shape=("n",)) for i in range(6))
    task = Task(
        name="many",
        description="six inputs",
        level="L1",
        entry="many",
        inputs=inputs,
        outputs=(TensorSpec(name="y", dtype=DType.FLOAT16, shape=("n",)),),
        cases=(Case(name="only", dims={"n": 64}),),
        reference=Reference(formula="y = " + " + ".join(f"x{i}" for i in range(6))),
    )
    for seed in range(12):
        assert _buffers_in_flight(source(task, seed), "VECIN") <= 8
        assert _buffers_in_flight(source(task, seed), "VECOUT") <= 8
    nine = task.model_copy(
        update={
            "inputs": tuple(TensorSpec(name=f"x{i}", dtype=DType.FLOAT16, shape=("n",)) for i in range(9)),
            "reference": Reference(formula="y = " + " + ".join(f"x{i}" for i in range(9))),
        }
    )
    with pytest.raises(Refusal, match="at once"):
        compose(nine)
