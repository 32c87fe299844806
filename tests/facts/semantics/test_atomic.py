"""Atomic stores: read, combine, write on the way to global memory (facts: semantics, section 16)."""

from __future__ import annotations

import numpy as np
import pytest

from .arithmetic import maximum, minimum
from .batch import Batch
from .marks import api
from .values import BF16, CTYPE, FLOAT, HALF, INT16, INT32, assert_same, tame_values

_TYPES = (np.dtype(np.int8), INT16, HALF, BF16, INT32, FLOAT)
_CALLS = {"SetAtomicAdd": lambda a, b: (a + b).astype(a.dtype), "SetAtomicMax": maximum, "SetAtomicMin": minimum}


@pytest.mark.parametrize("call", [pytest.param(name, marks=api(name, "SetAtomicNone")) for name in _CALLS])
def test_stores_combine_with_what_is_there(call: str) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        old, a = tame_values(dtype, 128, rng, 50), tame_values(dtype, 128, rng, 50)
        r, plain, part = batch.out_global(old), batch.out_global(old), batch.out_global(old)
        d = batch.out(a)
        batch.do(
            f"{call}<{CTYPE[dtype]}>();",
            f"DataCopy({r}, {d}, 64);",
            f"DataCopyPad({part}, {d}, DataCopyExtParams{{2, {5 * dtype.itemsize}, 0, {3 * dtype.itemsize}, 0}});",
            "SetAtomicNone();",
            f"DataCopy({plain}, {d}, 64);",
        )
        with np.errstate(all="ignore"):
            combined = _CALLS[call](old, a)
        first = np.arange(128) < 64
        expected[r] = np.where(first, combined, old)
        expected[plain] = np.where(first, a, old)
        want, per_block = old.copy(), 32 // dtype.itemsize
        want[:5] = _CALLS[call](old[:5], a[:5])
        want[8:13] = _CALLS[call](old[8:13], a[per_block : per_block + 5])
        expected[part] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want.astype(want.dtype), zero_sign=False, context=f"{call} {want.dtype} {name}")


@api("SetAtomicAdd", "DisableDmaAtomic", "SetAtomicNone")
def test_the_mode_stays_until_it_is_taken_off() -> None:
    batch = Batch()
    ones = np.ones(16, FLOAT)
    r, s, d = batch.out_global(np.zeros(16, FLOAT)), batch.out_global(np.zeros(16, FLOAT)), batch.out(ones)
    batch.do("SetAtomicAdd<float>();", f"DataCopy({r}, {d}, 16);")
    batch.do(f"DataCopy({r}, {d}, 16);")
    batch.do(f"DataCopy({r}, {d}, 16);", "DisableDmaAtomic();")
    batch.do(f"DataCopy({s}, {d}, 16);")
    batch.do(f"DataCopy({s}, {d}, 16);")
    got = batch.run()
    assert_same(got[r], 3 * ones)
    assert_same(got[s], ones)
