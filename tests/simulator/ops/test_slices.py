"""DataCopy with slices: pieces of rows, every so many rows, between layouts of different pitch."""

from __future__ import annotations

import numpy as np

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run

X = np.arange(3 * 87, dtype=np.float32)


def test_pieces_of_some_rows_are_packed(toolchain: SimulatorToolchain) -> None:
    # two pieces of 24 elements, 7 apart, from 16 to 70; rows 0 and 2
    body = """    SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}}, to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    DataCopy(z, xGlobal, to, from, 2);"""
    done = run(body, {"x": X}, {"z": ((2, 48), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    rows = X.reshape(3, 87)[[0, 2]]
    assert np.array_equal(done.outputs["z"], np.concatenate([rows[:, 16:40], rows[:, 47:71]], axis=1))


def test_pieces_are_spread_on_the_way_out(toolchain: SimulatorToolchain) -> None:
    x = np.arange(96, dtype=np.float16)
    body = """    SliceInfo from[] = {{0, 31, 0, 1, 32}, {0, 2, 0, 1, 3}};
    SliceInfo to[] = {{16, 79, 16, 1, 80}, {1, 5, 1, 1, 6}};
    Duplicate(z, half(0), 480); PipeBarrier<PIPE_ALL>(); DataCopy(zGlobal, z, 480); PipeBarrier<PIPE_ALL>();
    DataCopy(zGlobal, x, to, from, 2); PipeBarrier<PIPE_ALL>(); DataCopy(z, zGlobal, 480);"""
    done = run(body, {"x": x}, {"z": ((6, 80), "float16")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = np.zeros((6, 80), np.float16)
    for row in range(3):
        for piece in range(2):
            at = 16 + piece * 32
            expected[1 + 2 * row, at : at + 16] = x.reshape(3, 2, 16)[row, piece]
    assert np.array_equal(done.outputs["z"], expected)


def test_slices_that_do_not_correspond(toolchain: SimulatorToolchain) -> None:
    for to in ("{{0, 23, 0, 3, 48}}", "{{0, 47, 0, 2, 48}}"):
        body = f"    SliceInfo from[] = {{{{16, 70, 7, 3, 87}}}}, to[] = {to};\n    DataCopy(z, xGlobal, to, from);"
        done = run(body, {"x": X}, {"z": ((48,), "float32")}, toolchain=toolchain)
        assert "illegal-argument" in done.codes, to
