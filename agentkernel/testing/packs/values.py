"""Values of tensors in a pack: NumPy expressions, and the few names that they may use beside NumPy's.

`ramp`, `normal` and `integers` have the tensor's own shape; the inputs are there by their names. The files of a
pack are trusted: an expression runs in this process.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.errors import TaskError
from agentkernel.testing.packs.kernel import TensorText

Array = NDArray[Any]


def tree(values: Array) -> Array:
    """The sum of 2^k values by a binary tree of neighbours, rounded to the element type at every node."""
    while values.size > 1:
        values = values[0::2] + values[1::2]
    return values


def evaluate(tensor: TensorText, inputs: Mapping[str, Array]) -> Array:
    """Values of a tensor.

    Args:
        tensor: An input, or an output that has values.
        inputs: Values of the inputs that came before, by name.

    Raises:
        TaskError: The expression fails, or its shape is not the tensor's.
    """
    rng = np.random.default_rng(zlib.crc32(tensor.name.encode()))
    names: dict[str, Any] = {
        **{name: getattr(np, name) for name in np.__all__},
        "ramp": np.arange(np.prod(tensor.shape)).reshape(tensor.shape),
        "normal": rng.standard_normal(tensor.shape),
        "integers": rng.integers(-100, 100, tensor.shape),
        "tree": tree,
        **inputs,
    }
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(eval(tensor.values, names)).astype(tensor.dtype.numpy)
    except Exception as error:
        raise TaskError(
            f"values of {tensor.name}: {error}", hint=f"correct the expression {tensor.values!r}"
        ) from error
    if values.shape != tensor.shape:
        raise TaskError(f"values of {tensor.name} have shape {values.shape}", hint=f"the header says {tensor.shape}")
    return np.ascontiguousarray(values)
