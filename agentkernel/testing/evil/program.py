"""A hostile program: its files, and what its first lines say."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.codes import level_of
from agentkernel.dtypes import DType
from agentkernel.errors import ConfigError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, ShapeMode, SizeRange, Task, TensorSpec
from agentkernel.task import Path as TaskPath

PASSED = "passed"
_HEAD = re.compile(r"// expect: (?P<expect>.+)\n// (?P<idea>.+)\n// category: (?P<category>.+)\n")
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([\w./]+)"', re.MULTILINE)
_SIZE = 64


class Program(BaseModel):
    """One idea, with the files that carry it out."""

    model_config = ConfigDict(frozen=True)

    name: str
    side: str
    """`kernel` or `host`."""
    category: str
    idea: str
    expected: frozenset[str]
    """Codes of which one has to be reported as an error; `passed` where a right verdict is right."""
    kernel: Kernel

    @property
    def task(self) -> Task:
        """A copy of 64 floats; of host programs as a whole operator, for up to as many."""
        host = self.side == "host"
        tensor = {"dtype": DType.FLOAT32, "shape": ("n",) if host else (_SIZE,)}
        return Task(
            name="evil-copy" if host else "probe",
            description="A probe.",
            level="L1",
            entry=self.kernel.entry,
            inputs=(TensorSpec(name="x", **tensor),),
            outputs=(TensorSpec(name="y", **tensor),),
            cases=(Case(name="only", dims={"n": _SIZE} if host else {}),),
            sizes={"n": SizeRange(high=_SIZE, multiple_of=8)} if host else {},
            reference=Reference(formula="y = x"),
            shape_mode=ShapeMode.DYNAMIC if host else ShapeMode.STATIC,
            path=TaskPath.FULL if host else TaskPath.DEVICE,
            block_dim=1,
        )


def load(folder: Path) -> tuple[Program, ...]:
    """All programs of a folder with `kernels/` and `hosts/`, by side and name.

    Raises:
        ConfigError: There are none, or the first lines of one are not understood.
    """
    found = [
        *(_kernel(path) for path in sorted((folder / "kernels").glob("*.cpp"))),
        *(_host(path) for path in sorted((folder / "hosts").glob("*.cpp"))),
    ]
    if not found:
        raise ConfigError(f"no hostile programs in {folder}", hint="name a folder such as tests/evil")
    return tuple(found)


def _kernel(path: Path) -> Program:
    text = path.read_text(encoding="utf-8")
    files = {f"op_kernel/{name}": content for name, content in {"kernel.cpp": text, **_headers(path, text)}.items()}
    return _program(path, "kernel", text, Kernel.from_mapping(files, "kernel"))


def _host(path: Path) -> Program:
    text = path.read_text(encoding="utf-8")
    files = {f"op_host/{name}": content for name, content in {"evil_copy.cpp": text, **_headers(path, text)}.items()}
    device = (path.parent / "kernel.h").read_text(encoding="utf-8")
    return _program(path, "host", text, Kernel.from_mapping({**files, "op_kernel/evil_copy.cpp": device}, "evil_copy"))


def _headers(path: Path, text: str) -> dict[str, str]:
    """Headers beside a file that it includes; a name that is no file of the folder is part of the trick."""
    named = [name for name in _INCLUDED.findall(text) if "/" not in name]
    return {name: (path.parent / name).read_text(encoding="utf-8") for name in named if (path.parent / name).is_file()}


def _program(path: Path, side: str, text: str, kernel: Kernel) -> Program:
    head = _HEAD.match(text)
    if head is None:
        raise ConfigError(f"{path}: the first lines are not understood", hint="see agentkernel.testing.evil")
    expected = frozenset(head["expect"].split())
    for code in expected - {PASSED}:
        if level_of(code) is None:
            raise ConfigError(f"{path}: there is no code {code!r}", hint="see docs/codes.md")
    return Program(
        name=path.stem, side=side, category=head["category"], idea=head["idea"], expected=expected, kernel=kernel
    )
