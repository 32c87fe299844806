"""Simulated figures of a row: its kernel, at the size that the row has or extended linearly from two smaller ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from agentkernel.bench.clock.rows import Row
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.simulator.chips import Chip
from agentkernel.testing.simulate import snippet_task
from agentkernel.toolchains.base import Toolchain
from agentkernel.verdict import Estimate

KERNELS = Path(__file__).parent / "kernels"
ADD_ELEMENTS = 8192 * 8192
MATRIX_COLUMNS, MATRIX_ROWS_OF_CORE = 12288, 256
ROWS_KEPT = 64
"""Rows of the matrix that are kept for each core; the tiles that are simulated lie in them."""
TICKS_PER_US = 50
"""The counter that GetSystemCycle reads."""

Figures = dict[str, float]
Defines = Mapping[str, int | str]


class Launch(BaseModel):
    """One launch of a kernel of this folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: str
    defines: dict[str, int | str]
    inputs: dict[str, tuple[int, str]]
    """Elements and NumPy dtype by argument name."""
    output: tuple[int, str]
    cores: int = 1
    unordered: bool = False
    """Loads overwrite one another in UB: nothing reads them, and waiting would change what is measured."""


class Simulator:
    """Launches kernels and names the figures of their estimates as rows do.

    Args:
        toolchain: The simulator.
        chip: The chip that it simulates.
    """

    def __init__(self, toolchain: Toolchain, chip: Chip) -> None:
        self._toolchain = toolchain
        self._clock_mhz = chip.params["clock_mhz"].value
        self._chip = chip

    def figures(self, row: Row) -> Figures:
        """Simulated values of a row's figures; those that the row does not have may be among them.

        Raises:
            ToolchainError: A kernel of this folder did not compile or run, or there is no compiler.
        """
        return _HOW[row.kernel](self, row)

    def run(self, launch: Launch) -> Figures:
        """Figures of one launch."""
        defines = "".join(f"#define {name} {value}\n" for name, value in launch.defines.items())
        source = defines + (KERNELS / f"{launch.kernel}.cpp").read_text(encoding="utf-8")
        inputs = {name: np.zeros(size, dtype) for name, (size, dtype) in launch.inputs.items()}
        output = "z" if "y" in launch.inputs else "y"
        shape = ((launch.output[0],), launch.output[1])
        task = snippet_task(inputs, {output: shape}, entry=launch.kernel, blocks=launch.cores)
        build = self._toolchain.build(Kernel.from_source(source, launch.kernel), task)
        expected = {"output-not-written"} | ({"missing-sync"} if launch.unordered else set())
        errors = [d for d in build.diagnostics if d.is_error]
        estimate = None
        if build.ok:
            run = self._toolchain.run(build, task.cases[0], inputs)
            errors += [d for d in run.diagnostics if d.is_error and d.code not in expected]
            estimate = run.estimate
        if errors or estimate is None:
            raise ToolchainError(
                f"the kernel {launch.kernel} of bench/clock failed: {[(d.code, d.message) for d in errors]}",
                hint="the simulator and its kernels disagree: run the tests",
            )
        return self._named(estimate, launch.cores)

    def _named(self, estimate: Estimate, cores: int) -> Figures:
        busy = {pipe.pipe: pipe.busy_us for pipe in estimate.pipes}
        names = {"vec_us": "V", "scalar_us": "S", "mte2_us": "MTE2", "mte3_us": "MTE3", "cube_us": "M"}
        body = estimate.kernel_us - self._launch_us(cores)
        inside = body - self._chip.params["scalar_start_us"].value  # what the program itself can measure
        figures = {"task_us": estimate.kernel_us, "aiv_us": body, "ticks": inside * TICKS_PER_US}
        return figures | {name: busy.get(pipe, 0.0) for name, pipe in names.items()}

    def _launch_us(self, cores: int) -> float:
        params = self._chip.params
        return params["launch_us"].value + params["launch_core_us"].value * (cores - 1)

    def extended(self, at: Callable[[int], Launch], small: int, large: int, full: int) -> Figures:
        """Figures at `full`, on the line through those at `small` and `large`."""
        one, two = self.run(at(small)), self.run(at(large))
        return {name: two[name] + (two[name] - one[name]) * (full - large) / (large - small) for name in two}

    def each(self, at: Callable[[int], Launch], small: int, large: int) -> Figures:
        """What one more costs."""
        one, two = self.run(at(small)), self.run(at(large))
        return {name: (two[name] - one[name]) / (large - small) for name in two}

    def cycles(self, microseconds: float) -> float:
        """Core cycles."""
        return microseconds * self._clock_mhz


def _add(simulator: Simulator, row: Row) -> Figures:
    def at(tiles: int) -> Launch:
        size = tiles * row.tile
        return Launch(
            kernel="add",
            defines={
                "TILE": row.tile,
                "COUNT": tiles,
                "BYPASS": int(row.l2_bypass),
                "SCALAR": int(row.kernel == "add_scalar"),
            },
            inputs={"x": (size, "float16"), "y": (size, "float16")},
            output=(size, "float16"),
            cores=row.cores,
        )

    full = ADD_ELEMENTS // row.tile
    if row.cores > 1:  # what L2 keeps depends on the size
        return simulator.run(at(full))
    return simulator.extended(at, 4, 8, full) if row.kernel == "add_scalar" else simulator.extended(at, 64, 128, full)


def _load(simulator: Simulator, row: Row) -> Figures:
    width = row.tile // row.pieces

    def at(tiles: int) -> Launch:
        return Launch(
            kernel="load",
            defines={"PIECES": row.pieces, "WIDTH": width, "COUNT": tiles, "ROWS": ROWS_KEPT},
            inputs={"x": (row.cores * ROWS_KEPT * MATRIX_COLUMNS, "float16")},
            output=(16, "float16"),
            cores=row.cores,
            unordered=True,
        )

    full = MATRIX_ROWS_OF_CORE * MATRIX_COLUMNS // row.tile
    return simulator.extended(at, full // 96, full // 24, full)


def _load_nz(simulator: Simulator, row: Row) -> Figures:
    def at(tiles: int) -> Launch:
        return Launch(
            kernel="load_nz",
            defines={"WIDTH": row.tile // row.pieces, "COUNT": tiles, "ROWS": ROWS_KEPT},
            inputs={"x": (row.cores * ROWS_KEPT * MATRIX_COLUMNS, "float16")},
            output=(16, "float16"),
            cores=row.cores,
            unordered=True,
        )

    full = MATRIX_COLUMNS // row.cores * MATRIX_COLUMNS // row.tile
    return simulator.extended(at, full // 96, full // 24, full)


def _products(simulator: Simulator, row: Row) -> Figures:
    launch = Launch(
        kernel="products",
        defines={"N": row.tile, "COUNT": row.pieces},
        inputs={"x": (16, "float16")},
        output=(16, "float16"),
    )
    return {"cycles": simulator.cycles(simulator.run(launch)["cube_us"])}


def _stream(row: Row, tiles: int, *, same: bool = False, offset: int = 0, passes: int = 1) -> Launch:
    return Launch(
        kernel="stream",
        defines={"TILE": row.tile, "COUNT": tiles, "PASSES": passes, "SAME": int(same), "OFFSET": offset},
        inputs={"x": (tiles * row.tile + offset, "float16")},
        output=(16, "float16"),
        cores=row.cores,
        unordered=True,
    )


def _load_again(simulator: Simulator, row: Row) -> Figures:
    tiles = MATRIX_ROWS_OF_CORE * row.cores * MATRIX_COLUMNS // row.tile
    return simulator.run(_stream(row, tiles, passes=4))


def _load_unaligned(simulator: Simulator, row: Row) -> Figures:
    aligned = simulator.each(lambda n: _stream(row, n), 32, 64)
    shifted = simulator.each(lambda n: _stream(row, n, offset=16), 32, 64)
    return {"ratio": aligned["mte2_us"] / shifted["mte2_us"]}


def _load_same(simulator: Simulator, row: Row) -> Figures:
    own = simulator.each(lambda n: _stream(row, n * row.cores), 32, 64)
    same = simulator.each(lambda n: _stream(row, n, same=True), 32, 64)
    return {"ratio": own["mte2_us"] / same["mte2_us"]}


def _banks(row: Row, rounds: int, repeats: int, base: Mapping[str, int] | None = None) -> Launch:
    banks = row.banks
    if banks is None:
        raise ValueError(f"{row.name} names no UB addresses")
    defines: dict[str, int | str] = {
        "ROUNDS": rounds,
        "REPEATS": repeats,
        "TWO": int(banks.src1 is not None),
        "DST": banks.dst,
        "SRC0": banks.src0,
        "SRC1": banks.src1 or 0,
        "SRC0_BLOCK": banks.src0_block,
        "SRC0_REPEAT": banks.src0_repeat,
    }
    return Launch(
        kernel="banks", defines=defines | dict(base or {}), inputs={"x": (16, "float16")}, output=(16, "float16")
    )


NO_CONFLICT = {"SRC0": 256, "SRC1": 65536, "DST": 131072, "SRC0_BLOCK": 1, "SRC0_REPEAT": 8}
"""Addresses of the base row: the sources in different bank groups at every repeat, the destination in another layer."""


def _add_banks(simulator: Simulator, row: Row) -> Figures:
    base = simulator.each(lambda n: _banks(row, n, 64, NO_CONFLICT), 100, 200)
    own = simulator.each(lambda n: _banks(row, n, 64), 100, 200)
    return {"ratio": own["vec_us"] / base["vec_us"]}


def _copy_banks(simulator: Simulator, row: Row) -> Figures:
    rounds = 100
    each = simulator.each(lambda n: _banks(row, rounds, n), 32, 64)
    return {"cycles_per_repeat": simulator.cycles(each["vec_us"]) / rounds}


def _reduce_steps(simulator: Simulator, row: Row) -> Figures:
    steps = "".join(step[0].upper() for step in row.steps)

    def at(rounds: int) -> Launch:
        return Launch(
            kernel="reduce",
            defines={"COUNT": rounds, "STEPS": f'"{steps}"'},
            inputs={"x": (16, "float16")},
            output=(16, "float16"),
        )

    return {"cycles": simulator.cycles(simulator.each(at, 50, 100)["task_us"])}


def _sum(simulator: Simulator, row: Row) -> Figures:
    defines: dict[str, int | str] = {"HALVES": int(row.kernel == "sum_halves")}
    launch = Launch(kernel="sum", defines=defines, inputs={"x": (469 * 64, "float32")}, output=(64, "float32"))
    return simulator.run(launch)


def _masks(simulator: Simulator, row: Row) -> Figures:
    def at(counted: int) -> Launch:
        return Launch(
            kernel="masks", defines={"COUNTED": counted}, inputs={"x": (16, "float16")}, output=(16, "float16")
        )

    saved = simulator.run(at(1))["scalar_us"] - simulator.run(at(0))["scalar_us"]
    return {"cycles": simulator.cycles(saved)}


_HOW: Mapping[str, Callable[[Simulator, Row], Figures]] = {
    "add": _add,
    "add_scalar": _add,
    "load": _load,
    "load_nz": _load_nz,
    "products": _products,
    "load_again": _load_again,
    "load_unaligned": _load_unaligned,
    "load_same": _load_same,
    "add_banks": _add_banks,
    "copy_banks": _copy_banks,
    "reduce_steps": _reduce_steps,
    "sum_halves": _sum,
    "sum_repeats": _sum,
    "masks": _masks,
}
"""How the figures of each kind of row come about."""
