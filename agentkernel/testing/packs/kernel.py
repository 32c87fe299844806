"""A kernel of a pack: its sources and what the comments at its head say."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.codes import level_of
from agentkernel.dtypes import DType
from agentkernel.errors import ConfigError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, ShapeMode, Task, TensorSpec, Tolerance

_HEAD = re.compile(r"// (fact|in|out|entry|blocks|tolerance|expect|also)\b ?([^:]*): (.*)")
_TENSOR = re.compile(r"(\w+) (\d+(?:x\d+)*)(?: = (.*))?")
_MARK = re.compile(r"// expect: (\S+)\s*$")
_MAIN = "kernel.cpp"


class Expected(BaseModel):
    """A finding that a wrong kernel must give."""

    model_config = ConfigDict(frozen=True)

    codes: tuple[str, ...]
    """Codes that are right here, more than one only where the rule leaves it open."""
    line: int | None
    """Line of the file; None where the finding concerns the kernel as a whole."""

    def __str__(self) -> str:
        return " or ".join(self.codes) + (f", line {self.line}" if self.line is not None else "")


class TensorText(BaseModel):
    """An argument of the kernel as its header describes it."""

    model_config = ConfigDict(frozen=True)

    name: str
    dtype: DType
    shape: tuple[int, ...]
    values: str
    """NumPy expression; empty for an output whose values do not matter."""

    @property
    def spec(self) -> TensorSpec:
        """The argument as part of a task."""
        return TensorSpec(name=self.name, dtype=self.dtype, shape=self.shape)


class PackKernel(BaseModel):
    """A kernel of a pack with its description."""

    model_config = ConfigDict(frozen=True)

    name: str
    idea: str
    fact: str
    files: dict[str, str]
    """Text by relative path; the main file is first."""
    inputs: tuple[TensorText, ...]
    outputs: tuple[TensorText, ...]
    entry: str
    blocks: int
    tolerance: float | None
    """Threshold of the precision standard, None for the kernel's own default."""
    expected: tuple[Expected, ...]
    """Findings that must be there; none for a legal kernel."""
    also: frozenset[str]
    """Codes of errors that may be there as well."""

    @property
    def kernel(self) -> Kernel:
        """The sources as a candidate."""
        return Kernel.from_mapping(self.files, self.entry)

    @property
    def task(self) -> Task:
        """A static task with the kernel's arguments; its reference is never evaluated."""
        limit = 0.0 if self.tolerance is None and not self.expected else self.tolerance
        thresholds = {} if limit is None else {t.dtype: limit for t in self.outputs if t.dtype.is_float}
        return Task(
            name=self.name.replace("_", "-"),
            description=self.idea,
            level="L1",
            entry=self.entry,
            inputs=tuple(t.spec for t in self.inputs),
            outputs=tuple(t.spec for t in self.outputs),
            cases=(Case(name="only"),),
            reference=Reference(
                python="def reference(inputs, attrs): raise AssertionError('values come from the pack')"
            ),
            shape_mode=ShapeMode.STATIC,
            block_dim=self.blocks,
            tolerance=Tolerance(threshold=thresholds),
        )


def load(folder: Path) -> tuple[PackKernel, ...]:
    """All kernels of a pack, by name.

    Raises:
        ConfigError: There is none, or the head of one is not understood.
    """
    found = sorted([*folder.glob("*.cpp"), *(p.parent for p in folder.glob(f"*/{_MAIN}"))])
    if not found:
        raise ConfigError(f"no kernels in {folder}", hint="name a folder of .cpp files, such as tests/packs/legal")
    return tuple(read(path) for path in found)


def read(path: Path) -> PackKernel:
    """A kernel of a pack from its file, or from its folder.

    Raises:
        ConfigError: The head is not understood.
    """
    if path.is_dir():
        headers = sorted(p for p in path.iterdir() if p.suffix in {".h", ".hpp"})
        files = {p.name: p.read_text(encoding="utf-8") for p in (path / _MAIN, *headers)}
    else:
        files = {path.name: path.read_text(encoding="utf-8")}
    text = next(iter(files.values()))
    idea, entries = _head(path, text)
    one = {key: value for key, _, value in entries if key not in {"in", "out", "expect"}}
    expected = [_expected(path, value, None) for key, _, value in entries if key == "expect"]
    head = len(text.split("\n\n", 1)[0].splitlines())
    for number, line in enumerate(text.splitlines(), start=1):
        mark = _MARK.search(line)
        if mark is not None and number > head:
            expected.append(_expected(path, mark[1], number))
    return PackKernel(
        name=path.stem,
        idea=idea,
        fact=one.get("fact", ""),
        files=files,
        inputs=tuple(_tensor(path, name, value) for key, name, value in entries if key == "in"),
        outputs=tuple(_tensor(path, name, value) for key, name, value in entries if key == "out"),
        entry=one.get("entry", "kernel"),
        blocks=int(one.get("blocks", "1")),
        tolerance=float(one["tolerance"]) if "tolerance" in one else None,
        expected=tuple(expected),
        also=frozenset(filter(None, re.split(r",\s*", one.get("also", "")))),
    )


def _head(path: Path, text: str) -> tuple[str, list[tuple[str, str, str]]]:
    idea: list[str] = []
    entries: list[tuple[str, str, str]] = []
    for line in text.split("\n\n", 1)[0].splitlines():
        found = _HEAD.fullmatch(line)
        if found is not None:
            entries.append((found[1], found[2], found[3].strip()))
        elif entries or not line.startswith("// "):
            raise ConfigError(f"{path}: {line!r} is no line of a header", hint="see agentkernel.testing.packs")
        else:
            idea.append(line[3:])
    return " ".join(idea), entries


def _tensor(path: Path, name: str, text: str) -> TensorText:
    found = _TENSOR.fullmatch(text)
    if found is None:
        raise ConfigError(
            f"{path}: {text!r} is no tensor", hint="write TYPE SHAPE = VALUES, such as float32 4x16 = normal"
        )
    shape = tuple(int(size) for size in found[2].split("x"))
    return TensorText(name=name, dtype=DType(found[1]), shape=shape, values=found[3] or "")


def _expected(path: Path, text: str, line: int | None) -> Expected:
    codes = tuple(text.split("|"))
    for code in codes:
        if level_of(code) is None:
            raise ConfigError(f"{path}: there is no code {code!r}", hint="see docs/codes.md")
    return Expected(codes=codes, line=line)
