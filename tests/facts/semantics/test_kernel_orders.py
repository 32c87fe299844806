"""Every order of the whole kernels counts: without one of them a kernel is reported, unless others imply it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from .batch import explain
from .kernels import CASES, Case, launched, source_lines

_ALONE = re.compile(r"^\s+(Order<HardEvent::\w+>|PipeBarrier<\w+>|SyncAll(?:<\w+>)?)\(\)")
_FLAG = re.compile(r"^\s+(?:Set|Wait)Flag<HardEvent::(\w+)>\((EVENT_ID\d)")
_CROSS = re.compile(r"^\s+CrossCore(?:Set|Wait)Flag(?:<[^>]*>)?\(([A-Z_]+)")


def orders(lines: list[str]) -> dict[str, list[int]]:
    """Line numbers from zero of each order: a statement alone, or the setting and waiting of one flag."""
    found: dict[str, list[int]] = {}
    seen: Counter[str] = Counter()
    for number, line in enumerate(lines):
        if alone := _ALONE.match(line):
            seen[alone[1]] += 1
            found[f"{alone[1]} {seen[alone[1]]}"] = [number]
        elif flag := _FLAG.match(line):
            found.setdefault(f"{flag[1]} {flag[2]}", []).append(number)
        elif cross := _CROSS.match(line):
            found.setdefault(cross[1], []).append(number)
    return found


_NO_ROW = "the case has no tile of one row"
_ONE_BUFFER = "the factors have one buffer in L0: the second product waits for MTE1, which waits for the first"
_ACROSS = "the cube core waits for this tile before it lets the vector cores have the next"

IMPLIED = {
    ("gemm.cpp", "PipeBarrier<PIPE_MTE2> 1"): "the case has no bias",
    ("gemm.cpp", "PipeBarrier<PIPE_MTE2> 2"): _NO_ROW,
    ("gelu_gemm.cpp", "PipeBarrier<PIPE_MTE2> 1"): _NO_ROW,
    ("split_k.cpp", "PipeBarrier<PIPE_MTE2> 1"): _NO_ROW,
    ("attention.cpp", "PipeBarrier<PIPE_MTE2> 1"): _NO_ROW,
    ("quant_gemm.cpp", "PipeBarrier<PIPE_M> 1"): _ONE_BUFFER,
    ("gelu_gemm.cpp", "PipeBarrier<PIPE_M> 1"): _ONE_BUFFER,
    ("split_k.cpp", "PipeBarrier<PIPE_M> 1"): _ONE_BUFFER,
    ("grouped_matmul.cpp", "PipeBarrier<PIPE_M> 1"): _ONE_BUFFER,
    ("gemv.cpp", "PipeBarrier<PIPE_M> 1"): _ONE_BUFFER,
    ("attention.cpp", "PipeBarrier<PIPE_M> 1"): "each sum is one product",
    ("quant_gemm.cpp", "Order<HardEvent::FIX_M> 1"): "the next product waits for MTE1, MTE1 for MTE2, and MTE2 for FIX",
    ("split_k.cpp", "FIX_M EVENT_ID0"): "each core has one sum",
    ("split_k.cpp", "PipeBarrier<PIPE_ALL> 1"): "SyncAll follows",
    ("top_k.cpp", "PipeBarrier<PIPE_ALL> 1"): "SyncAll follows",
    ("attention.cpp", "V_MTE2 EVENT_ID0"): _ACROSS,
    ("attention.cpp", "V_MTE2 EVENT_ID1"): _ACROSS,
    ("attention.cpp", "MTE3_V EVENT_ID0"): _ACROSS,
    ("attention.cpp", "MTE3_V EVENT_ID1"): _ACROSS,
}
"""Why a kernel is right without an order of it, by file and order."""

ORDERS = [
    pytest.param(case, name, tuple(numbers), id=f"{case.source}: {name}")
    for case in CASES
    if case.missing
    for name, numbers in orders(source_lines(case)).items()
]


def test_implied_orders_exist() -> None:
    assert set(IMPLIED) <= {(case.source, name) for case, name, _ in (param.values for param in ORDERS)}


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name", "numbers"), ORDERS)
def test_a_kernel_without_one_order_is_reported(case: Case, name: str, numbers: tuple[int, ...]) -> None:
    simulation = launched(case, without=numbers)
    assert simulation.compiled, explain(simulation)
    found = set(simulation.codes) - {"output-not-written"}
    assert bool(found) != ((case.source, name) in IMPLIED), f"{case.source}: {name}: {explain(simulation)}"
