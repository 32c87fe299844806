"""DataCopy: contiguous and strided, between global memory and UB and inside UB (facts: semantics, section 15)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from .batch import Array, Batch
from .marks import api
from .moving import BLOCK, as_bytes, bursts
from .test_addressing import few
from .values import BF16, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same, random_values

pytestmark = api("DataCopy")

MOVED = (
    np.dtype(np.int8),
    np.dtype(np.uint8),
    INT16,
    UINT16,
    HALF,
    BF16,
    INT32,
    UINT32,
    FLOAT,
    np.dtype(np.int64),
)


def _random(dtype: np.dtype, count: int, rng: np.random.Generator) -> Array:
    return random_values(dtype, count, rng)


def test_contiguous_copies_of_every_type() -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in MOVED:
        per_block = BLOCK // dtype.itemsize
        a = _random(dtype, 6 * per_block, rng)
        g, r = batch.put_global(a), batch.out_global(np.zeros_like(a))
        x, d = batch.put(np.zeros_like(a)), batch.out(np.zeros_like(a))
        batch.do(
            f"DataCopy({x}, {g}, {5 * per_block});",
            "PipeBarrier<PIPE_ALL>();",
            f"DataCopy({d}, {x}, {6 * per_block});",
            "PipeBarrier<PIPE_ALL>();",
            f"DataCopy({r}, {d}, {4 * per_block});",
        )
        count = np.arange(6 * per_block)
        expected[d] = np.where(count < 5 * per_block, a, np.zeros_like(a))
        expected[r] = np.where(count < 4 * per_block, a, np.zeros_like(a))
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want.astype(want.dtype), context=f"{want.dtype} {name}")


def test_a_count_is_rounded_down_to_whole_blocks() -> None:
    batch = Batch()
    a = np.arange(1, 65, dtype=np.float32)
    g, r = batch.put_global(a), batch.out_global(np.zeros(64, FLOAT))
    x, y, d = batch.put(np.zeros(64, FLOAT)), batch.put(np.zeros(64, FLOAT)), batch.out(np.zeros(64, FLOAT))
    e = batch.out(a)
    batch.do(f"DataCopy({x}, {g}, 29);", f"DataCopy({y}, {g}, 7);")
    batch.do(f"DataCopy({d}, {x}, 64);", f"DataCopy({r}, {e}, 15);")
    got = batch.run(errors_allowed=True)
    assert_same(got[d], np.where(np.arange(64) < 24, a, 0).astype(np.float32))
    assert_same(got[r], np.where(np.arange(64) < 8, a, 0).astype(np.float32))


def test_global_memory_needs_only_the_alignment_of_an_element() -> None:
    batch = Batch()
    a = np.arange(100, dtype=np.float16)
    g, r = batch.put_global(a), batch.out_global(np.zeros(100, HALF))
    x, d = batch.put(np.zeros(64, HALF)), batch.out(a[:64].copy())
    batch.do(f"DataCopy({x}, {g}[3], 64);", f"DataCopy({r}[5], {d}, 32);")
    e = batch.out(np.zeros(64, HALF))
    batch.do(f"DataCopy({e}, {x}, 64);")
    got = batch.run()
    assert_same(got[e], a[3:67])
    assert_same(got[r], np.concatenate([np.zeros(5), a[:32], np.zeros(63)]).astype(np.float16))


strided = st.tuples(
    st.sampled_from((np.dtype(np.int8), HALF, FLOAT, np.dtype(np.int64))),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(0, 3),
)
"""Type, bursts, length, gap of the source, gap of the destination; all but the first two in 32-byte blocks."""


@few
@given(st.lists(strided, min_size=12, max_size=12), st.integers(0, 2**32 - 1))
def test_strided_copies_on_every_path(cases: list[tuple[np.dtype, int, int, int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, expected = Batch(), {}
    for dtype, count, length, src_gap, dst_gap in cases:
        per_block = BLOCK // dtype.itemsize
        a = _random(dtype, (count * (length + src_gap)) * per_block, rng)
        old = _random(dtype, (count * (length + dst_gap)) * per_block, rng)
        g, r = batch.put_global(a), batch.out_global(old)
        s, x, d, e = batch.put(old), batch.put(a), batch.out(old), batch.out(old)
        source = batch.out(a)
        params = f"{{{count}, {length}, {src_gap}, {dst_gap}}}"
        batch.do(f"DataCopy({s}, {g}, {params});")
        batch.do(
            f"DataCopy({e}, {s}, {old.size});",
            f"DataCopy({d}, {x}, {params});",
            f"DataCopy({r}, {source}, {params});",
        )
        want = as_bytes(old)
        bursts(
            want,
            as_bytes(a),
            count=count,
            length=length * BLOCK,
            src_pitch=(length + src_gap) * BLOCK,
            dst_pitch=(length + dst_gap) * BLOCK,
        )
        for name in (r, d, e):
            expected[name] = want.view(dtype), f"{dtype} {params}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=f"{name} {context}")


def test_the_fields_of_the_parameters() -> None:
    batch = Batch()
    a = np.arange(64, dtype=np.float32)
    x, d = batch.put(a), batch.out(np.zeros(64, FLOAT))
    batch.do(
        "DataCopyParams p;",
        "p.blockCount = 2; p.blockLen = 1; p.srcStride = 3; p.dstStride = 1;",
        f"DataCopy({d}, {x}, p);",
    )
    want = np.zeros(64, FLOAT)
    want[:8], want[16:24] = a[:8], a[32:40]
    assert_same(batch.run()[d], want)


def test_no_bursts_copy_nothing() -> None:
    batch = Batch()
    a = np.arange(64, dtype=np.float32)
    x, d = batch.put(a), batch.out(np.full(64, 9, FLOAT))
    batch.do(f"DataCopy({d}, {x}, {{0, 4, 0, 0}});", f"DataCopy({d}, {x}, {{4, 0, 0, 0}});")
    assert (batch.run(errors_allowed=True)[d] == 9).all()
