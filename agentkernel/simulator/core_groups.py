"""Which cores a kernel runs on: how many cube and vector cores a block of a launch has, and how that is found out.

The toolchain compiles a kernel once per core type that it needs. A kernel says which by the qualifiers of its entry
(`__vector__`, `__cube__`, `__mix__(1, 2)`) or by KERNEL_TASK_TYPE_DEFAULT; else what it uses decides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.simulator.lexer import Lexed

CUBE_SITES = 1 << 40
"""What the runner adds to addresses in the cube image, so that one number names a call in either."""

Core = Literal["vector", "cube"]


class CoreGroup(BaseModel):
    """The cores of one block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cubes: int = Field(ge=0, le=1)
    vectors: int = Field(ge=0, le=2)
    scheduled: bool = True
    """Whether its cores can signal each other; not where the kernel says that it is for one core type alone."""

    @property
    def mixed(self) -> bool:
        """Whether both core types take part."""
        return self.cubes > 0 and self.vectors > 0

    @property
    def cores(self) -> tuple[Core, ...]:
        """Core types that the kernel is compiled for."""
        return (*(("vector",) if self.vectors else ()), *(("cube",) if self.cubes else ()))


VECTOR = CoreGroup(cubes=0, vectors=1)
CUBE = CoreGroup(cubes=1, vectors=0)
VECTOR_ONLY = CoreGroup(cubes=0, vectors=1, scheduled=False)
CUBE_ONLY = CoreGroup(cubes=1, vectors=0, scheduled=False)
MIX_1_1 = CoreGroup(cubes=1, vectors=1)
MIX_1_2 = CoreGroup(cubes=1, vectors=2)

TYPES = {
    "KERNEL_TYPE_AIV_ONLY": VECTOR_ONLY,
    "KERNEL_TYPE_AIC_ONLY": CUBE_ONLY,
    "KERNEL_TYPE_MIX_AIV_1_0": VECTOR,
    "KERNEL_TYPE_MIX_AIC_1_0": CUBE,
    "KERNEL_TYPE_MIX_AIC_1_1": MIX_1_1,
    "KERNEL_TYPE_MIX_AIC_1_2": MIX_1_2,
}
"""Kernel types of this chip. The others belong to chips whose cores are not split, and say nothing here."""

_QUALIFIER = re.compile(r"\b(?:(__vector__|__cube__)|__mix__\s*\(\s*([01])\s*,\s*([012])\s*\))")
_TASK_TYPE = re.compile(r"\bKERNEL_TASK_TYPE(_DEFAULT)?\s*\(([^()]*)\)")
_CUBE_CALL = re.compile(
    r"\b(?:Mmad\w*|LoadData\w*|Fixpipe\w*|REGIST_MATMUL_OBJ|Matmul|MatmulImpl|mad|load_(?:gm|cbuf)_to_c[ab]\w*)\s*[<(]"
)
"""Calls that only a cube core carries out."""
_CUBE_WORK = re.compile(r"akrt_c_(?:mmad|load_fractals\w*|load_squares|fixpipe\w*)|akrt_mm_regist\w*")
_VECTOR_WORK = re.compile(r"akrt_(?:v|l|cross)_\w+|akrt_mm_regist")
"""What an object imports when it gives work to the cube or the vector unit, or speaks with other cores."""


class Images(BaseModel):
    """A compiled kernel: one shared object per core type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: CoreGroup = VECTOR
    vector: Path | None = None
    cube: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All objects, that of the vector cores first."""
        return tuple(path for path in (self.vector, self.cube) if path is not None)

    @property
    def main(self) -> Path:
        """The object that names the build."""
        return self.paths[0]

    def share(self) -> None:
        """Let the user that runs candidates read them."""
        for path in self.paths:
            os.chmod(path, 0o644)


def stated(texts: Iterable[Lexed], entry: str) -> CoreGroup | None:
    """What the sources say as long as it does not depend on macros or keys; None where they do not.

    Args:
        texts: The author's files.
        entry: Name of the kernel function.
    """
    said: set[str] = set()
    for lexed in texts:
        for match in re.finditer(rf"\b{re.escape(entry)}\s*\(", lexed.code):
            head = re.split(r"[;{}]", lexed.code[: match.start()])[-1]
            qualifier = _QUALIFIER.search(head)
            if qualifier is not None:
                return _qualified(qualifier)
        for match in _TASK_TYPE.finditer(lexed.code):
            said.add(match.group(2).strip() if match.group(1) else "by key")
    return TYPES.get(said.pop()) if len(said) == 1 else None


def depends(texts: Iterable[Lexed]) -> bool:
    """Whether the sources name several kernel types, of which conditions or keys choose one."""
    said = {match.group(2).strip() for lexed in texts for match in _TASK_TYPE.finditer(lexed.code)}
    return len(said) > 1 or any("," in one for one in said)


def calls_cube(texts: Iterable[Lexed]) -> bool:
    """Whether the sources hold calls that only a cube core carries out."""
    return any(_CUBE_CALL.search(lexed.code) for lexed in texts)


def inferred(vector_imports: Iterable[str], cube_imports: Iterable[str]) -> CoreGroup:
    """The cores of a kernel that says nothing, from what its two images import of the runtime."""
    if not any(map(_CUBE_WORK.fullmatch, cube_imports)):
        return VECTOR
    return MIX_1_2 if any(map(_VECTOR_WORK.fullmatch, vector_imports)) else CUBE


def _qualified(match: re.Match[str]) -> CoreGroup:
    if match.group(1):
        return CUBE_ONLY if match.group(1) == "__cube__" else VECTOR_ONLY
    cubes, vectors = int(match.group(2)), int(match.group(3))
    return CoreGroup(cubes=cubes, vectors=vectors) if cubes or vectors else VECTOR
