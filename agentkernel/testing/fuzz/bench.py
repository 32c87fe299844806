"""Compiles generated programs, many of them in one translation unit, and launches them one at a time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from agentkernel.diagnostic import Diagnostic
from agentkernel.kernel import Kernel
from agentkernel.simulator.cache import open_runtime
from agentkernel.simulator.chips import load_chip
from agentkernel.simulator.compile import compile_candidate
from agentkernel.simulator.compiler import find_compiler
from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.runner import Candidate, Machine, Options, run_case
from agentkernel.simulator.sandbox import probe
from agentkernel.simulator.source_pass import PreparedSource, prepare
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.program import HEAD, INPUTS, OUTPUTS, Program

SECONDS = 20.0
"""Wall clock of a launch; a generated program needs a few milliseconds."""


@dataclass(frozen=True)
class Launch:
    """What came out of a launch."""

    completed: bool
    outputs: Mapping[str, Array]
    """Of the arguments that the program uses."""
    diagnostics: tuple[Diagnostic, ...]
    """Their lines count in the program's own file."""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What would fail a candidate."""
        return tuple(d for d in self.diagnostics if d.is_error)


@dataclass(frozen=True)
class Built:
    """A translation unit."""

    images: Images
    prepared: PreparedSource
    starts: tuple[int, ...]
    """What to take from a line of the unit to get one of the program's own file, by program."""


class Bench:
    """A simulator for batches of programs; everything on disk goes with it."""

    def __init__(self) -> None:
        runtime = open_runtime(find_compiler())
        walls = probe(runtime)
        walls.require(insecure=False)
        self._machine = Machine(runtime=runtime, walls=walls, chip=load_chip("ascend910b"))
        self._scratch = tempfile.TemporaryDirectory(prefix="fuzz-")
        self._folder = Path(self._scratch.name)
        self._folder.chmod(0o711)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.cleanup()

    def build(self, programs: Sequence[Program]) -> tuple[Built | None, tuple[Diagnostic, ...]]:
        """Compile programs into one object; None where a compiler's error stopped that.

        Raises:
            ToolchainError: The machine failed.
        """
        text = HEAD
        starts = []
        for number, program in enumerate(programs):
            starts.append(text.count("\n") - HEAD.count("\n"))
            text += program.function(f"kernel_{number}") + "\n"
        names = [*INPUTS, *OUTPUTS, "workspace"]
        arguments = ", ".join(f"GM_ADDR {name}" for name in (*INPUTS, "which", *OUTPUTS, "workspace"))
        cases = "".join(f"    case {n}: kernel_{n}({', '.join(names)}); break;\n" for n in range(len(programs)))
        text += (
            f'extern "C" __global__ __aicore__ void kernel({arguments})\n'
            "{\n    switch (*reinterpret_cast<__gm__ int32_t*>(which)) {\n" + cases + "    }\n}\n"
        )
        prepared = prepare(Kernel.from_source(text, "kernel"), programs[0].task(which=True))
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        folder.chmod(0o755)
        compiled = compile_candidate(prepared, self._machine.runtime, self._machine.walls, folder)
        if compiled.images is None:
            shutil.rmtree(folder)
            return None, _moved(compiled.diagnostics, starts[0] if len(starts) == 1 else 0)
        compiled.images.share()
        return Built(compiled.images, prepared, tuple(starts)), ()

    def launch(
        self, built: Built, number: int, program: Program, arrays: Mapping[str, Array], *, seed: int = 0
    ) -> Launch:
        """Run one of the programs in a process of its own.

        Args:
            built: The unit.
            number: Place of the program in it.
            program: The program.
            arrays: Values of all inputs.
            seed: Order of the cores.

        Raises:
            ToolchainError: The machine failed.
        """
        task = program.task(which=True)
        run = run_case(
            Candidate(images=built.images, prepared=built.prepared, task=task),
            task.cases[0],
            {**arrays, "which": np.array([number], np.int32)},
            machine=self._machine,
            options=Options(autosync=program.autosync, seed=seed, timeout=SECONDS),
            base=built.images.main.parent,
        )
        used = {g.name for g in program.outputs}
        spare = tuple(name for name in OUTPUTS if name not in used)
        kept = [d for d in run.diagnostics if d.code != "output-not-written" or not _speaks_of(d, spare)]
        return Launch(
            completed=run.completed,
            outputs={name: array for name, array in run.outputs.items() if name in used},
            diagnostics=_moved(kept, built.starts[number]),
        )

    def close(self, built: Built) -> None:
        """Remove a unit from disk."""
        shutil.rmtree(built.images.main.parent)


def _speaks_of(diagnostic: Diagnostic, names: Sequence[str]) -> bool:
    return any(diagnostic.evidence.get("output") == name for name in names)


def _moved(diagnostics: Sequence[Diagnostic], start: int) -> tuple[Diagnostic, ...]:
    """Diagnostics whose lines count in the program's own file."""
    moved = []
    for d in diagnostics:
        place = d.location
        if place is not None and place.line > start:
            place = place.model_copy(update={"line": place.line - start})
        related = tuple(
            (where.model_copy(update={"line": where.line - start}) if where.line > start else where, text)
            for where, text in d.related
        )
        moved.append(d.model_copy(update={"location": place, "related": related}))
    return tuple(moved)
