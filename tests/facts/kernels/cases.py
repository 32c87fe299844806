"""The kernels' cases: inputs, and results in float64."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..semantics.batch import Array
from ..semantics.values import FLOAT, HALF, INT32


@dataclass(frozen=True)
class Want:
    """One output."""

    exact: Array
    """Values in float64, or integers."""
    dtype: np.dtype
    """What the kernel writes."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.exact.shape


@dataclass(frozen=True)
class Case:
    """One launch of a kernel."""

    name: str
    source: str
    """File beside this one."""
    inputs: Mapping[str, Array]
    """Arguments in the kernel's order, before the outputs."""
    wants: dict[str, Want]
    """Outputs in the kernel's order, behind the inputs."""
    blocks: int
    apis: tuple[str, ...]
    scratch: dict[str, Array] = field(default_factory=dict)
    """Outputs behind the others that the kernel uses as it likes."""
    missing: frozenset[str] = frozenset()
    """Codes of which one is reported when the marked lines are left out; the case is the one that is tried so."""
    tolerated: frozenset[str] = frozenset()
    """Codes that do not matter."""


def _words(*values: int) -> Array:
    return np.array([*values, *[0] * (-len(values) % 8)], INT32)


def _uniform(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype = HALF) -> Array:
    return rng.uniform(-1, 1, shape).astype(dtype)


def _wide(array: Array) -> Array:
    return array.astype(np.float64)


def gemm(
    name: str,
    shape: tuple[int, int, int],
    *,
    batch: int = 1,
    transpose: tuple[bool, bool] = (False, False),
    biased: bool = False,
    missing: frozenset[str] = frozenset(),
) -> Case:
    """C = op(A) op(B) + bias."""
    m, n, k = shape
    rng = np.random.default_rng(m * n * k)
    a, b, bias = _uniform(rng, (batch, m, k)), _uniform(rng, (batch, k, n)), _uniform(rng, (n,), FLOAT)
    exact = _wide(a) @ _wide(b) + (_wide(bias) if biased else 0)
    return Case(
        name,
        "gemm.cpp",
        {
            "shape": _words(batch, m, n, k, *transpose, biased),
            "a": np.ascontiguousarray(a.transpose(0, 2, 1)) if transpose[0] else a,
            "b": np.ascontiguousarray(b.transpose(0, 2, 1)) if transpose[1] else b,
            "bias": bias,
        },
        {"c": Want(exact, FLOAT)},
        blocks=4,
        apis=("Mmad", "LoadData", "Fixpipe", "DataCopy", "InitConstValue"),
        missing=missing,
    )


_MISSING = frozenset({"missing-sync"})
_RACE = frozenset({"gm-race"})

CASES = (
    gemm("gemm of whole tiles", (128, 96, 128)),
    gemm("gemm with tails", (83, 61, 135), missing=_MISSING),
    gemm("gemm with a bias", (70, 50, 100), biased=True),
    gemm("gemm, first factor transposed", (70, 50, 100), transpose=(True, False)),
    gemm("gemm, second factor transposed", (70, 50, 100), transpose=(False, True)),
    gemm("gemm, both transposed, biased", (37, 100, 75), transpose=(True, True), biased=True),
    gemm("batched gemm", (20, 30, 70), batch=5),
)
