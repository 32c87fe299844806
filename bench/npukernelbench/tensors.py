"""Tensors of a child process as files, and back: raw little-endian bytes beside a description.

Everything here takes the `torch` module as it finds it in `sys.modules`; only what is written below is asked of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Described = dict[str, Any]
"""`{"dtype": "float16", "shape": [2, 3], "file": "inputs.0"}`; JSON values alone."""


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of a name, `bfloat16` included."""
    if name == "bfloat16":
        import ml_dtypes

        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16
    return np.dtype(name)


def save(array: Array, folder: Path, name: str) -> Described:
    """Write an array; the description finds it again."""
    np.ascontiguousarray(array).reshape(-1).view(np.uint8).tofile(folder / name)
    return {"dtype": array.dtype.name, "shape": list(array.shape), "file": name}


def load(described: Described, folder: Path) -> Array:
    """Read what `save` wrote."""
    dtype = numpy_dtype(described["dtype"])
    raw = np.fromfile(folder / described["file"], dtype=np.uint8)
    return raw.view(dtype).reshape(described["shape"])


def torch() -> Any:
    """The torch module of this process."""
    import importlib

    return sys.modules.get("torch") or importlib.import_module("torch")


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor of the process's torch."""
    return isinstance(value, torch().Tensor)


def marks_new_memory() -> bool:
    """Let torch fill new memory with NaN or the largest integer, so that what is zero was made so.

    Returns:
        Whether the process's torch can do that (2.2 and later).
    """
    t = torch()
    if not hasattr(getattr(getattr(t, "utils", None), "deterministic", None), "fill_uninitialized_memory"):
        return False
    t.utils.deterministic.fill_uninitialized_memory = True
    t.use_deterministic_algorithms(True, warn_only=True)
    return True


def to_array(tensor: Any) -> Array:
    """The values of a dense tensor as an array of the same type, in row-major order."""
    t = torch()
    plain = tensor.detach().contiguous()
    if plain.dtype == t.bfloat16:
        raw: Array = plain.view(t.int16).numpy()
        return raw.view(numpy_dtype("bfloat16"))
    values: Array = plain.numpy()
    return values


def to_tensor(array: Array) -> Any:
    """A tensor with an array's values and type."""
    t = torch()
    # a copy: arrays of files are read-only or views, and torch warns about the former
    owned = np.array(array, order="C")
    if owned.dtype == numpy_dtype("bfloat16"):
        return t.from_numpy(owned.view(np.int16)).view(t.bfloat16)
    return t.from_numpy(owned)


def leaves(value: object, name: str = "") -> Iterator[tuple[str, Any]]:
    """Tensors and other values in nested lists and tuples, with their place (`0`, `1.2`; empty for a single one).

    A sparse tensor counts as its indices and its values.
    """
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from leaves(item, f"{name}.{index}" if name else str(index))
    elif is_tensor(value) and getattr(value, "is_sparse", False):
        whole = value.coalesce()  # type: ignore[attr-defined]
        yield from leaves([whole.indices(), whole.values()], name)
    else:
        yield name, value


def elements(value: object) -> int:
    """Elements of all tensors in nested lists and tuples."""
    return sum(int(leaf.numel()) for _, leaf in leaves(value) if is_tensor(leaf))


def copied(value: Any, *, double: bool = False) -> Any:
    """Nested lists and tuples with tensors of their own.

    Args:
        value: Tensors, other values, lists and tuples of them.
        double: Whether floating tensors become float64 and complex ones complex128.
    """
    if isinstance(value, list | tuple):
        return type(value)(copied(item, double=double) for item in value)
    if not is_tensor(value):
        return value
    if double and value.dtype.is_complex:
        return value.to(torch().complex128)
    if double and value.dtype.is_floating_point:
        return value.to(torch().float64)
    return value.clone()
