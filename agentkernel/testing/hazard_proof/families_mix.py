"""Kernels with cube cores: their pipes, and blocks of a cube core and vector cores that hand tiles to each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agentkernel.testing.hazard_proof.kernel import (
    TILE,
    Floats,
    MarkedKernel,
    Reference,
    flag,
    set_flag,
    statements,
    tbufs,
    wait_flag,
)

_ROWS, _DEPTH = 16, 8
FRACTAL = _ROWS * _DEPTH
"""Floats of a fractal: 16 rows of 32 bytes."""
_BUFFERS = """TBuf<TPosition::A1> a1; pipe.InitBuffer(a1, 512); LocalTensor<float> la = a1.Get<float>();
TBuf<TPosition::B1> b1; pipe.InitBuffer(b1, 512); LocalTensor<float> lb = b1.Get<float>();
TBuf<TPosition::A2> a2; pipe.InitBuffer(a2, 512); LocalTensor<float> l0a = a2.Get<float>();
TBuf<TPosition::B2> b2; pipe.InitBuffer(b2, 512); LocalTensor<float> l0b = b2.Get<float>();
TBuf<TPosition::CO1> co; pipe.InitBuffer(co, 1024); LocalTensor<float> c = co.Get<float>();
const LoadData2DParams whole(0, 1, 1, 0, 0, false, 0);
MmadParams mm; mm.m = 16; mm.n = 16; mm.k = 8;
"""


def _product(x: Floats, z: Floats) -> Floats:
    """16 x 16 values: rows of one fractal times rows of another."""
    return x[:FRACTAL].reshape(_ROWS, _DEPTH) @ z[:FRACTAL].reshape(_ROWS, _DEPTH).T


def _kernel(
    name: str,
    family: str,
    body: str,
    reference: Reference,
    *,
    type_: str = "MIX_AIC_1_0",
    blocks: int = 1,
    autosync: bool = False,
) -> MarkedKernel:
    return MarkedKernel(
        name=name,
        family=family,
        declarations=("const int32_t me = GetBlockIdx();", "const int32_t n = GetBlockNum();"),
        body=statements(body),
        autosync=autosync,
        reference=reference,
        blocks=blocks,
        type=type_,
    )


def _cube(body: str) -> str:
    return "if ASCEND_IS_AIC {\n" + _BUFFERS + body + "}\n"


def _vector(body: str, elements: int = TILE) -> str:
    return "if ASCEND_IS_AIV {\n" + "\n".join(tbufs("a b", elements)) + "\n" + body + "}\n"


def _multiply(left: str, right: str, to: str, *, rows: int = 16, number: int = 0, again: bool = False) -> str:
    """A product of two fractals of global memory; `again`: the buffers have been used before."""

    def free(event: str) -> str:
        return wait_flag(event, 3, f"free{event}{number - 1}") if again else ""

    return (
        free("MTE1_MTE2")
        + f"DataCopy(la, {left}, {FRACTAL});\nDataCopy(lb, {right}, {FRACTAL});\n"
        + flag("MTE2_MTE1", number, f"in{number}")
        + free("M_MTE1")
        + "LoadData(l0a, la, whole);\nLoadData(l0b, lb, whole);\n"
        + flag("MTE1_M", number, f"load{number}")
        + free("FIX_M")
        + "Mmad(c, l0a, l0b, mm);\n"
        + flag("M_FIX", number, f"out{number}")
        + f"Fixpipe({to}, c, FixpipeParamsV220(16, {rows}, 16, 16, false));\n"
    )


def _store_columns(to: str) -> str:
    """The first four columns of a product: of a product of products, those that float holds exactly."""
    return f"Fixpipe({to}, c, FixpipeParamsV220(4, 16, 16, 4, false));\n"


def one_product() -> Iterator[MarkedKernel]:
    """Every pipe of the cube core once."""
    for autosync in (False, True):
        body = _cube(_multiply("x", "z", "y"))
        name = "cube" if autosync else "cube_off"
        yield _kernel(name, "cube, one product", body, lambda x, z: _product(x, z).reshape(-1), autosync=autosync)


def again() -> Iterator[MarkedKernel]:
    """The same buffers twice: each pipe waits until the next one has read what it overwrites."""
    free = "".join(set_flag(event, 3, f"free{event}0") for event in ("MTE1_MTE2", "M_MTE1", "FIX_M"))
    first = _multiply("x", "z", "y", rows=8)
    second = _multiply(f"x[{FRACTAL}]", "z[32]", f"y[{FRACTAL}]", rows=8, number=1, again=True)

    def reference(x: Floats, z: Floats) -> Floats:
        return np.concatenate([_product(x, z)[:8], _product(x[FRACTAL:], z[32:])[:8]]).reshape(-1)

    yield _kernel("cube_again_off", "cube, buffers used again", _cube(first + free + second), reference)


def through_memory() -> Iterator[MarkedKernel]:
    """A product that the cube core reads back from global memory."""
    body = _cube(
        _multiply("x", "x", "w")
        + flag("FIX_MTE2", 2, "back")
        + "DataCopy(la, w, 128);\n"
        + flag("MTE2_MTE1", 1, "in1")
        + "LoadData(l0a, la, whole);\n"
        + flag("MTE1_M", 1, "load1")
        + "Mmad(c, l0a, l0b, mm);\n"
        + flag("M_FIX", 1, "out1")
        + _store_columns("y")
    )

    def reference(x: Floats, z: Floats) -> Floats:
        return _product(_product(x, x).reshape(-1), x)[:, :4].reshape(-1)

    yield _kernel("cube_round_trip_off", "cube, through global memory", body, reference)


def to_vectors() -> Iterator[MarkedKernel]:
    """The cube core computes what its vector cores copy on."""
    for vectors, kind in ((1, "flags"), (2, "flags"), (2, "barrier")):
        barrier = "SyncAll<false>();  //~all\n" if kind == "barrier" else ""
        cube = _multiply("x", "z", "w") + (barrier or "CrossCoreSetFlag<2, PIPE_FIX>(3);  //~cross\n")
        vector = (
            (barrier or "CrossCoreWaitFlag(3);  //~cross\n")
            + "DataCopy(a, w[me * N], N);\n"
            + flag("MTE2_V", 0, "in")
            + "Adds(b, a, 1.0f, N);\n"
            + flag("V_MTE3", 0, "out")
            + "DataCopy(y[me * N], b, N);\n"
        )

        def reference(x: Floats, z: Floats, vectors: int = vectors) -> Floats:
            return _product(x, z).reshape(-1)[: vectors * TILE] + 1

        yield _kernel(
            f"cube_to_vectors_{vectors}" + ("_barrier" if barrier else ""),
            "cube core to vector cores",
            _cube(cube) + _vector(vector),
            reference,
            type_=f"MIX_AIC_1_{vectors}",
        )


_HALVES = "DataCopy(a, x[me * N], N);\n" + flag("MTE2_MTE3", 0, "in") + "DataCopy(w[me * N], a, N);\n"


def to_cube() -> Iterator[MarkedKernel]:
    """Both vector cores of a block store half of what the cube core multiplies."""
    vector = _HALVES + "CrossCoreSetFlag<2, PIPE_MTE3>(4);  //~cross\n"
    cube = "CrossCoreWaitFlag(4);  //~cross\n" + _multiply("w", "z", "y")
    yield _kernel(
        "vectors_to_cube",
        "vector cores to cube core",
        _vector(vector) + _cube(cube),
        lambda x, z: _product(x, z).reshape(-1),
        type_="MIX_AIC_1_2",
    )


def there_and_back() -> Iterator[MarkedKernel]:
    """Vector cores hand parts over, take the product, and overwrite what the cube core has read."""
    for vectors in (1, 2):
        part = FRACTAL // vectors
        vector = (
            f"DataCopy(a, x[me * {part}], {part});\n"
            + flag("MTE2_MTE3", 0, "in")
            + f"DataCopy(w[me * {part}], a, {part});\nCrossCoreSetFlag<2, PIPE_MTE3>(4);  //~there\n"
            + f"CrossCoreWaitFlag(6);  //~back\nDataCopy(b, y[{FRACTAL} + me * {part}], {part});\n"
            + flag("MTE2_MTE3", 1, "again")
            + f"DataCopy(w[me * {part}], b, {part});\nDataCopy(y[me * {part}], b, {part});\n"
        )
        cube = (
            "CrossCoreWaitFlag(4);  //~there\n"
            + _multiply("w", "z", f"y[{FRACTAL}]", rows=8)
            + "CrossCoreSetFlag<2, PIPE_FIX>(6);  //~back\n"
        )
        yield _kernel(
            f"there_and_back_{vectors}",
            "there and back",
            _vector(vector, part) + _cube(cube),
            lambda x, z: np.tile(_product(x, z)[:8].reshape(-1), 2),
            type_=f"MIX_AIC_1_{vectors}",
        )


def neighbours() -> Iterator[MarkedKernel]:
    """Flags in mode 1 between the vector cores of a block, and in mode 0 between cube cores."""
    exchange = (
        _HALVES
        + "CrossCoreSetFlag<1, PIPE_MTE3>(4);  //~cross\nCrossCoreWaitFlag(4);  //~cross\n"
        + "DataCopy(b, w[(1 - me) * N], N);\n"
        + flag("MTE2_MTE3", 1, "out")
        + "DataCopy(y[me * N], b, N);\n"
    )
    yield _kernel(
        "neighbours",
        "vector cores of a block",
        _vector(exchange),
        lambda x, z: np.roll(x[: 2 * TILE].reshape(2, TILE), 1, axis=0).reshape(-1),
        type_="MIX_AIC_1_2",
    )
    for kind in ("flags", "barrier"):
        sync = "CrossCoreSetFlag<0, PIPE_FIX>(4);  //~cross\nCrossCoreWaitFlag(4);  //~cross\n"
        body = (
            _multiply("x[me * N]", "x", "w[me * N]", rows=4)
            + (sync if kind == "flags" else "SyncAll();  //~\n")
            + flag("MTE1_MTE2", 2, "free")
            + "DataCopy(la, w, 128);\n"
            + flag("MTE2_MTE1", 1, "in1")
            + flag("M_MTE1", 3, "freeM")
            + "LoadData(l0a, la, whole);\n"
            + flag("MTE1_M", 1, "load1")
            + flag("FIX_M", 2, "freeF")
            + "Mmad(c, l0a, l0b, mm);\n"
            + flag("M_FIX", 1, "out1")
            + _store_columns("y[me * N]")
        )

        def reference(x: Floats, z: Floats) -> Floats:
            w = np.concatenate([_product(x[i * TILE :], x)[:4].reshape(-1) for i in range(2)])
            return np.tile(_product(w, x)[:, :4].reshape(-1), 2)

        yield _kernel(f"cubes_{kind}", "cube cores", _cube(body), reference, blocks=2)


def kernels() -> Iterator[MarkedKernel]:
    """All of them."""
    for family in (one_product, again, through_memory, to_cube, to_vectors, there_and_back, neighbours):
        yield from family()
