"""Whole kernels of cube and vector cores, written from the facts as a user would: inputs, results in float64."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from agentkernel.testing.simulate import Simulation, simulate

from .batch import Array
from .values import FLOAT, HALF, INT32


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
    """File in tests/facts/kernels."""
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


def split_k() -> Case:
    """C = A B over all of K, in parts."""
    m, n, k = 45, 50, 600
    rng = np.random.default_rng(1)
    a, b = _uniform(rng, (m, k)), _uniform(rng, (k, n))
    return Case(
        "gemm with K split over cores",
        "split_k.cpp",
        {"sizes": _words(m, n, k), "a": a, "b": b},
        {"c": Want(_wide(a) @ _wide(b), FLOAT)},
        blocks=4,
        apis=("Mmad", "Fixpipe", "SetAtomicAdd", "SyncAll", "InitOutput"),
        missing=_RACE,
    )


def grouped(name: str, groups: tuple[int, ...], missing: frozenset[str] = frozenset()) -> Case:
    """C = A_g B_g by groups of rows."""
    n, k = 100, 90
    rng = np.random.default_rng(2)
    a, b = _uniform(rng, (sum(groups), k)), _uniform(rng, (len(groups), k, n))
    which = np.repeat(np.arange(len(groups)), groups)
    exact = np.einsum("mk,mkn->mn", _wide(a), _wide(b)[which])
    return Case(
        name,
        "grouped_matmul.cpp",
        {"sizes": _words(len(groups), n, k), "list": _words(*groups), "a": a, "b": b},
        {"c": Want(exact, FLOAT)},
        blocks=3,
        apis=("Mmad", "LoadData", "Fixpipe", "DataCopy"),
        missing=missing,
    )


def gemv(name: str, n: int, k: int, missing: frozenset[str] = frozenset()) -> Case:
    """Y = A x."""
    rng = np.random.default_rng(n)
    x, a = _uniform(rng, (k,)), _uniform(rng, (n, k))
    return Case(
        name,
        "gemv.cpp",
        {"sizes": _words(n, k), "x": x, "a": a},
        {"y": Want(_wide(a) @ _wide(x), FLOAT)},
        blocks=2,
        apis=("Mmad", "LoadData", "Fixpipe", "DataCopy"),
        missing=missing,
    )


def attention(
    name: str, heads: int, queries: int, keys: int, *, causal: bool = False, missing: frozenset[str] = frozenset()
) -> Case:
    """O = softmax(Q K^T / 8) V by heads of depth 64; causal: the last query sees all keys, each before it one less."""
    rng = np.random.default_rng(queries * keys)
    depth, blocks = 64, 2
    q, k = (rng.uniform(-2, 2, (heads, length, depth)).astype(HALF) for length in (queries, keys))
    v = rng.uniform(0, 1, (heads, keys, depth)).astype(HALF)
    scores = _wide(q) @ _wide(k).transpose(0, 2, 1) / np.sqrt(depth)
    if causal:
        scores = np.where(np.tri(queries, keys, keys - queries, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    exact = weights / weights.sum(axis=2, keepdims=True) @ _wide(v)
    return Case(
        name,
        "attention.cpp",
        {"sizes": _words(heads, queries, keys, causal), "q": q, "k": k, "v": v},
        {"o": Want(exact, HALF)},
        blocks=blocks,
        apis=("CrossCoreSetFlag", "CrossCoreWaitFlag", "Mmad", "Fixpipe", "WholeReduceMax", "WholeReduceSum", "Brcb"),
        scratch={
            "scores": np.zeros((blocks, 32, 64), FLOAT),
            "weights": np.zeros((blocks, 32, 64), HALF),
            "products": np.zeros((blocks, 32, 64), FLOAT),
        },
        missing=missing,
    )


def quant_gemm(name: str, m: int, n: int, k: int, missing: frozenset[str] = frozenset()) -> Case:
    """C = (A B^T + bias) scale, with factors of 8 bits and one scale a column."""
    rng = np.random.default_rng(m)
    padded = -(-n // 64) * 64
    a, b = (rng.integers(-128, 128, (rows, k), dtype=np.int8) for rows in (m, n))
    bias = np.zeros(padded, INT32)
    bias[:n] = rng.integers(-(10**5), 10**5, n)
    # Fixpipe takes ten bits of a scale's fraction.
    scales = (rng.uniform(1e-4, 1e-3, padded).astype(FLOAT).view(np.uint32) & ~np.uint32((1 << 13) - 1)).view(FLOAT)
    exact = (_wide(a) @ _wide(b).T + bias[:n]) * _wide(scales)[:n]
    return Case(
        name,
        "quant_gemm.cpp",
        {"sizes": _words(m, n, k), "a": a, "b": b, "bias": bias, "scales": scales.view(np.uint32).astype(np.int64)},
        {"c": Want(exact, HALF)},
        blocks=3,
        apis=("Mmad", "LoadData", "Fixpipe", "DataCopy"),
        missing=missing,
    )


def gelu_gemm(name: str, m: int, n: int, k: int, missing: frozenset[str] = frozenset()) -> Case:
    """Y = gelu(A B + bias)."""
    rng = np.random.default_rng(n)
    a, b, bias = _uniform(rng, (m, k)), _uniform(rng, (k, n)), _uniform(rng, (n,), FLOAT)
    x = _wide(a) @ _wide(b) + _wide(bias)
    exact = x / (1 + np.exp(-1.5957691216057308 * (x + 0.044715 * x**3)))
    blocks = 2
    return Case(
        name,
        "gelu_gemm.cpp",
        {"sizes": _words(m, n, k), "a": a, "b": b, "bias": bias},
        {"y": Want(exact, HALF)},
        blocks=blocks,
        apis=("CrossCoreSetFlag", "CrossCoreWaitFlag", "Mmad", "Fixpipe", "Gelu", "DataCopyPad"),
        scratch={"slots": np.zeros((blocks, 2, 32, 64), FLOAT)},
        missing=missing,
    )


def top_k(name: str, length: int, distinct: int, missing: frozenset[str] = frozenset()) -> Case:
    """The 64 largest of a vector and their indices, the first of equal ones in front."""
    rng = np.random.default_rng(length)
    x = (rng.permutation(length) % distinct - distinct / 2).astype(FLOAT)
    order = np.argsort(-x, kind="stable")[:64]
    return Case(
        name,
        "top_k.cpp",
        {"sizes": _words(length), "x": x},
        {"values": Want(_wide(x[order]), FLOAT), "indices": Want(order, np.dtype(np.uint32))},
        blocks=4,
        apis=("Sort32", "MrgSort", "GatherMask", "SyncAll", "CreateVecIndex"),
        scratch={"heads": np.zeros(512, FLOAT)},
        missing=missing,
    )


CASES = (
    gemm("gemm of whole tiles", (128, 96, 128)),
    gemm("gemm with tails", (83, 61, 135), missing=_MISSING),
    gemm("gemm with a bias", (70, 50, 100), biased=True),
    gemm("gemm, first factor transposed", (70, 50, 100), transpose=(True, False)),
    gemm("gemm, second factor transposed", (70, 50, 100), transpose=(False, True)),
    gemm("gemm, both transposed, biased", (37, 100, 75), transpose=(True, True), biased=True),
    gemm("batched gemm", (20, 30, 70), batch=5),
    gemm("gemm of single elements", (1, 1, 1)),
    gemm("gemm with tails of one", (65, 49, 129), biased=True),
    gemm("gemm with tails of one, transposed", (65, 49, 129), transpose=(True, True)),
    quant_gemm("gemm of 8 bits", 100, 90, 300, missing=_MISSING),
    quant_gemm("gemm of 8 bits and whole tiles", 96, 128, 256),
    gelu_gemm("gemm with gelu", 150, 180, 100, missing=_RACE),
    gelu_gemm("gemm with gelu of one tile", 20, 30, 40),
    split_k(),
    grouped("grouped matmul", (40, 0, 1, 33, 17), missing=_MISSING),
    grouped("grouped matmul of one group", (64,)),
    gemv("gemv", 150, 700, missing=_MISSING),
    gemv("gemv of one tile", 64, 256),
    attention("attention", 2, 70, 150, missing=_RACE),
    attention("attention of whole tiles", 1, 64, 128),
    attention("causal attention", 2, 80, 150, causal=True),
    attention("causal attention of a square", 1, 96, 96, causal=True),
    attention("attention of one query and few keys", 3, 1, 5),
    top_k("top-k of distinct values", 4001, 5000, missing=_RACE),
    top_k("top-k of equal values", 4096, 20),
)


HERE = Path(__file__).parents[1] / "kernels"
INCLUDE = '#include "tile.h"\n'


def source_lines(case: Case) -> list[str]:
    """Lines of a kernel with what it includes."""
    text = (HERE / case.source).read_text(encoding="utf-8")
    return text.replace(INCLUDE, (HERE / "tile.h").read_text(encoding="utf-8")).splitlines()


def launched(case: Case, *, without: Collection[int] = ()) -> Simulation:
    """Compile and launch a kernel; lines whose numbers from zero are in `without` become empty statements."""
    lines = [";" if number in without else line for number, line in enumerate(source_lines(case))]
    outputs = {name: (array.shape, array.dtype.name) for name, array in ((*case.wants.items(), *case.scratch.items()))}
    return simulate("\n".join(lines) + "\n", case.inputs, outputs, blocks=case.blocks)
