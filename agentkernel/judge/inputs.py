"""Input values of a case: drawn from seeds that name the task, the case and the input, so that order never matters."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel import shared_arrays
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.judge.limits import LIMITS
from agentkernel.task import Case, CaseTensor, Fill, Task

Array = NDArray[Any]

_SPECIAL_SHARE = 16
"""One element in so many is a special value, beside one of each kind wherever the tensor is large enough."""


def make_inputs(task: Task, case: Case) -> dict[str, Array]:
    """Every input of a case: read-only, contiguous, of the declared shape and dtype; lists as `x[0]`, `x[1]` and so on.

    The values of one input depend on the case's seed and on the names of task, case and input, and on nothing else.

    Raises:
        TaskError: A fill does not fit its input's dtype.
    """
    return {tensor.name: _make(task, case, tensor) for tensor in task.inputs_of(case)}


def _make(task: Task, case: Case, tensor: CaseTensor) -> Array:
    name = "\0".join((str(case.seed), task.name, case.name, tensor.name))
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little")
    rng = np.random.default_rng(seed)
    fill = case.fills.get(tensor.spec.name) or default_fill(tensor.dtype)
    _check(f"{task.name}/{case.name}", tensor, fill)
    with np.errstate(over="ignore"):  # a fill beyond the dtype's range gives infinities; validation tells
        values = _values(fill, tensor.dtype, tensor.shape, rng)
    values.flags.writeable = False
    return values


def default_fill(dtype: DType) -> Fill:
    """How an input without a fill of its own is drawn."""
    if dtype.is_float:
        return Fill(kind="uniform", low=-1.0, high=1.0)
    if dtype is DType.BOOL:
        return Fill(kind="integers", low=0, high=1)
    return Fill(kind="integers", low=0 if dtype.value.startswith("u") else -100, high=100)


def special_values(dtype: DType) -> Array:
    """Values at which an operator may behave differently, in the dtype.

    Floats: zeros of both signs, infinities, NaN, smallest subnormals and normals, largest finite values. Integers: the
    ends of the range, zero and its neighbours.
    """
    if dtype is DType.BOOL:
        return np.array([False, True])
    if not dtype.is_float:
        info = np.iinfo(np.dtype(dtype.value))
        near = [0, 1] if info.min == 0 else [0, 1, -1]
        return np.array([info.min, info.max, *near], dtype.numpy)
    limits = LIMITS[dtype]
    positive = [0.0, np.inf, limits.smallest_subnormal, limits.smallest_normal, limits.largest]
    return np.array([*positive, *(-value for value in positive), np.nan], dtype.numpy)


def _check(where: str, tensor: CaseTensor, fill: Fill) -> None:
    dtype = tensor.dtype
    if fill.low > fill.high and fill.kind != "constant":
        raise TaskError(f"{where}: the fill of {tensor.name!r} has low > high", hint="exchange them")
    if dtype.is_float:
        return
    low, high = (0, 1) if dtype is DType.BOOL else _range(dtype)
    top = fill.low if fill.kind == "constant" else fill.high
    if not (low <= fill.low and top <= high):
        raise TaskError(
            f"{where}: the fill of {tensor.name!r} goes from {fill.low:g} to {top:g}, which {dtype} cannot hold",
            hint=f"stay within {low} and {high}",
        )


def _range(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(np.dtype(dtype.value))
    return int(info.min), int(info.max)


def _values(fill: Fill, dtype: DType, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if fill.kind == "specials":
        plain = Fill(kind="uniform", low=fill.low, high=fill.high)
        return _with_specials(_values(plain, dtype, shape, rng), special_values(dtype), rng)
    if fill.kind == "constant":
        return _cast(np.full(shape, fill.low, np.float64), dtype)
    if fill.kind == "integers" or not dtype.is_float:
        drawn: Array = rng.integers(int(fill.low), int(fill.high), size=shape, endpoint=True)
        return _cast(drawn, dtype)
    if fill.kind == "uniform":
        return _cast(rng.uniform(fill.low, fill.high, shape), dtype)
    return _cast(rng.normal((fill.low + fill.high) / 2, (fill.high - fill.low) / 6, shape), dtype)


def _cast(values: Array, dtype: DType) -> Array:
    """Rounded to the dtype, where the runner of a kernel can map it."""
    cast = shared_arrays.empty(values.shape, dtype.numpy)
    np.copyto(cast, values, casting="unsafe")
    return cast


def _with_specials(values: Array, specials: Array, rng: np.random.Generator) -> Array:
    flat = values.reshape(-1)
    count = min(flat.size, max(len(specials), flat.size // _SPECIAL_SHARE))
    places = rng.permutation(flat.size)[:count]
    order = rng.permutation(len(specials))
    flat[places] = specials[order[np.arange(count) % len(specials)]]
    return values
