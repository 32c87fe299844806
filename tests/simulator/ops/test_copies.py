"""DataCopy and DataCopyPad: units, gaps, padding, tails, atomics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

TEMPLATE = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR xGm, GM_ADDR zGm, GM_ADDR workspace) {
    TPipe pipe;
    GlobalTensor<TYPE> x, z;
    x.SetGlobalBuffer((__gm__ TYPE*)xGm);
    z.SetGlobalBuffer((__gm__ TYPE*)zGm);
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 16384);
    LocalTensor<TYPE> t = buffer.Get<TYPE>();
    PipeBarrier<PIPE_ALL>();
BODY
    PipeBarrier<PIPE_ALL>();
}
"""


def launch(
    toolchain: SimulatorToolchain, kind: str, x: NDArray[Any], body: str, *, shape: tuple[int, ...]
) -> Simulation:
    source = TEMPLATE.replace("TYPE", kind).replace("BODY", body)
    return simulate(source, {"x": x}, {"z": (shape, x.dtype.name)}, toolchain=toolchain)


def moved(toolchain: SimulatorToolchain, load: str, n: int, x: NDArray[Any], kind: str = "float") -> NDArray[Any]:
    """The first n elements of UB after `load`."""
    store = f"DataCopyPad(z, t, DataCopyExtParams(1, {n} * sizeof({kind}), 0, 0, 0));"
    body = f"    {load}\n    PipeBarrier<PIPE_ALL>();\n    {store}"
    done = launch(toolchain, kind, x, body, shape=(n,))
    assert done.completed, done.diagnostics
    assert not [c for c in done.codes if c != "uninitialised-read"], done.diagnostics
    return done.outputs["z"]


X = np.arange(1, 1025, dtype=np.float32)


def test_params_count_blocks_of_32_bytes_and_gaps(toolchain: SimulatorToolchain) -> None:
    got = moved(toolchain, "DataCopy(t, x, {3, 2, 1, 2});", 3 * 32, X)
    for i in range(3):
        assert np.array_equal(got[32 * i : 32 * i + 16], X[24 * i : 24 * i + 16])


def test_pad_form_counts_bytes_in_gm_and_blocks_in_ub(toolchain: SimulatorToolchain) -> None:
    load = "DataCopyPad(t, x, DataCopyExtParams(3, 20, 12, 1, 0), DataCopyPadExtParams<float>(true, 1, 2, -9.0f));"
    got = moved(toolchain, load, 3 * 16, X)
    for i in range(3):
        source = X[8 * i : 8 * i + 5]
        assert np.array_equal(got[16 * i : 16 * i + 8], np.concatenate([[-9], source, [-9, -9]]))


def test_a_block_without_padding_is_filled_up_with_its_first_element(toolchain: SimulatorToolchain) -> None:
    load = "DataCopyPad(t, x[3], DataCopyParams(1, 12, 0, 0), DataCopyPadParams(false, 0, 0, 0));"
    assert moved(toolchain, load, 8, X).tolist() == [4, 5, 6, 4, 4, 4, 4, 4]


def test_padding_that_is_not_asked_for_comes_from_the_pad_register(toolchain: SimulatorToolchain) -> None:
    load = (
        "SetPadValue(2.5f); "
        "DataCopyPad(t, x, DataCopyExtParams(1, 12, 0, 0, 0), DataCopyPadExtParams<float>(false, 1, 0, 0.0f));"
    )
    assert moved(toolchain, load, 8, X).tolist() == [2.5, 1, 2, 3, 2.5, 2.5, 2.5, 2.5]


def test_64_bit_elements_are_padded_with_zero(toolchain: SimulatorToolchain) -> None:
    x = np.arange(1, 9, dtype=np.int64)
    load = "DataCopyPad(t, x, DataCopyExtParams(1, 16, 0, 0, 0), DataCopyPadExtParams<int64_t>(true, 1, 1, 0));"
    assert moved(toolchain, load, 4, x, "int64_t").tolist() == [0, 1, 2, 0]


def test_storing_blocks_with_gaps(toolchain: SimulatorToolchain) -> None:
    body = (
        "    DataCopy(t, x, 64);\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopyPad(z, t, DataCopyExtParams(3, 20, 1, 8, 0));"
    )
    done = launch(toolchain, "float", X, body, shape=(32,))
    assert done.codes == ("output-not-written",), done.diagnostics
    for i in range(3):
        assert np.array_equal(done.outputs["z"][7 * i : 7 * i + 5], X[16 * i : 16 * i + 5])
    assert done.unwritten == {"z": 32 - 15}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("DataCopy(t, x, 100 + 3);", "unaligned-copy"),
        ("DataCopy(t, x, {4096, 1, 0, 0});", "copy-range"),
        ("DataCopyPad(t, x, {1, 6, 0, 0, 0}, {false, 0, 0, 0});", "copy-range"),
        ("DataCopyPad(t, x, {1, 8, 0, 0, 0}, {true, 9, 0, 0});", "copy-range"),
        ("DataCopy(t[1], x, 8);", "misaligned-address"),
        ("DataCopy(t, x, 2048);", "gm-out-of-bounds"),
        ("SetAtomicAdd<half>(); DataCopy(t, x, 8); PipeBarrier<PIPE_ALL>(); DataCopy(z, t, 8);", "atomic-dtype"),
        ("DataCopy(x, t, 8);", "gm-read-only"),
    ],
)
def test_misuse_is_named(toolchain: SimulatorToolchain, body: str, code: str) -> None:
    done = launch(toolchain, "float", X, "    " + body, shape=(64,))
    assert code in done.codes, done.diagnostics


def test_an_unaligned_count_copies_whole_blocks_only(toolchain: SimulatorToolchain) -> None:
    body = (
        "    Duplicate(t, 0.0f, 64);\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(t, x, 13);\n"
        "    PipeBarrier<PIPE_ALL>();\n    DataCopy(z, t, 16);"
    )
    done = launch(toolchain, "float", X, body, shape=(16,))
    assert done.codes == ("unaligned-copy",)
    assert done.outputs["z"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8] + [0] * 8


@pytest.mark.parametrize(
    ("kind", "dtype"), [("half", "float16"), ("float", "float32"), ("int32_t", "int32"), ("int16_t", "int16")]
)
@pytest.mark.parametrize(("operation", "combine"), [("Add", np.add), ("Max", np.maximum), ("Min", np.minimum)])
def test_atomic_stores_combine_with_memory(
    toolchain: SimulatorToolchain, kind: str, dtype: str, operation: str, combine: Any
) -> None:
    x = (np.random.default_rng(80).uniform(-50, 50, 256)).astype(dtype)
    body = f"""    LocalTensor<{kind}> u = buffer.GetWithOffset<{kind}>(128, 4096);
    DataCopy(t, x, 128);
    DataCopy(u, x[128], 128);
    PipeBarrier<PIPE_ALL>();
    DataCopy(z, t, 128);
    PipeBarrier<PIPE_MTE3>();
    SetAtomic{operation}<{kind}>();
    DataCopy(z, u, 128);
    SetAtomicNone();"""
    done = launch(toolchain, kind, x, body, shape=(128,))
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], combine(x[:128], x[128:]).astype(dtype))


def test_copy_inside_ub_runs_on_the_vector_pipe(toolchain: SimulatorToolchain) -> None:
    body = (
        "    DataCopy(t, x, 64);\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(t[256], t, 64);\n"
        "    DataCopy(t[512], t, {4, 1, 1, 0});\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopy(z, t[256], 64);\n    DataCopy(z[64], t[512], 32);"
    )
    done = launch(toolchain, "float", X, body, shape=(96,))
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"][:64], X[:64])
    assert np.array_equal(done.outputs["z"][64:], X[:64].reshape(4, 16)[:, :8].ravel())


@pytest.mark.parametrize("n", [5, 5000])
def test_init_output_fills_global_memory_of_any_length(toolchain: SimulatorToolchain, n: int) -> None:
    body = f"    InitOutput<float>(z, {n}, 2.5f);"
    done = launch(toolchain, "float", X, body, shape=(n,))
    assert not done.codes, done.diagnostics
    assert set(done.outputs["z"]) == {np.float32(2.5)}


def test_a_tensor_without_memory_is_named(toolchain: SimulatorToolchain) -> None:
    done = launch(toolchain, "float", X, "    LocalTensor<float> none;\n    DataCopy(none, x, 8);", shape=(8,))
    assert "unallocated-tensor" in done.codes and not done.completed


def test_a_length_beyond_32_bits_does_not_wrap(toolchain: SimulatorToolchain) -> None:
    done = launch(toolchain, "float", X, "    DataCopy(t, x, 1u << 30);", shape=(8,))
    assert "gm-out-of-bounds" in done.codes and not done.completed
    done = launch(toolchain, "float", X, "    Adds(t, t, 1.0f, 1 << 30);", shape=(8,))
    assert "out-of-bounds" in done.codes and not done.completed


@pytest.mark.parametrize(("count", "right"), [(5, True), (10, False)])
def test_padding_may_fill_up_the_block_in_which_a_tensor_ends(
    toolchain: SimulatorToolchain, count: int, right: bool
) -> None:
    length = f"DataCopyExtParams(1, {4 * count}, 0, 0, 0)"
    body = f"""
    LocalTensor<float> few = buffer.Get<float>(5);
    DataCopyPad(few, x, {length}, DataCopyPadExtParams<float>(false, 0, 0, 0));
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(z, t, {length});"""
    done = launch(toolchain, "float", X, body, shape=(count,))
    assert ("out-of-bounds" in done.codes) != right, done.diagnostics
    assert np.array_equal(done.outputs["z"], X[:count])
