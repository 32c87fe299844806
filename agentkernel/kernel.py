"""Kernel: the source files that were written for a task."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agentkernel.errors import ConfigError


class Kernel(BaseModel):
    """Source files of one candidate, unmodified, with the entry function that a launch calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: dict[str, str] = Field(min_length=1)
    """Text by relative POSIX path, e.g. `op_kernel/add.cpp`. The first `.cpp` under op_kernel/ (else the first at all)
    is the translation unit; the others may be included from it."""
    entry: str
    """Name of the kernel function."""

    @field_validator("files")
    @classmethod
    def _relative(cls, files: dict[str, str]) -> dict[str, str]:
        for name in files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or name != str(path) or "\\" in name:
                raise ValueError(f"{name!r} is not a plain relative path")
        return files

    @property
    def main_file(self) -> str:
        """Path of the translation unit."""
        sources = [name for name in self.files if name.endswith((".cpp", ".cc", ".cxx", ".asc", ".cce"))]
        device = [name for name in sources if name.startswith("op_kernel/")]
        return (device or sources or list(self.files))[0]

    @property
    def host_files(self) -> dict[str, str]:
        """The files of the host side, those under `op_host/`; empty for a device-path kernel."""
        return {name: text for name, text in self.files.items() if name.startswith("op_host/")}

    @property
    def device_side(self) -> Kernel:
        """The kernel without its host side; itself where it has none, or nothing else."""
        rest = {name: text for name, text in self.files.items() if not name.startswith("op_host/")}
        return self if not rest or len(rest) == len(self.files) else Kernel(files=rest, entry=self.entry)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical JSON of the kernel: equal digests mean equal sources and entry."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @classmethod
    def from_source(cls, source: str, entry: str) -> Kernel:
        """A kernel of one file, `op_kernel/<entry>.cpp`."""
        return cls(files={f"op_kernel/{entry}.cpp": source}, entry=entry)

    @classmethod
    def from_path(cls, path: str | Path, entry: str) -> Kernel:
        """Read a kernel from a source file, or from a folder of source files (`.cpp`, `.h`, `.hpp`, `.asc`).

        Raises:
            ConfigError: Nothing is there, or it is not text.
        """
        root = Path(path)
        if not root.exists():
            raise ConfigError(f"no kernel at {root}", hint="give the path of a .cpp file or of a folder of sources")
        found = (
            [root]
            if root.is_file()
            else sorted(p for p in root.rglob("*") if p.suffix in {".cpp", ".cc", ".cxx", ".asc", ".cce", ".h", ".hpp"})
        )
        if not found:
            raise ConfigError(f"no C++ source under {root}", hint="a kernel folder holds at least one .cpp file")
        try:
            base = root.parent if root.is_file() else root
            texts = {p.relative_to(base).as_posix(): _read(p) for p in found}
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read {root}: {error}", hint="kernel sources must be UTF-8 text") from error
        return cls(files=texts, entry=entry)

    @classmethod
    def from_mapping(cls, files: Mapping[str, str], entry: str) -> Kernel:
        """A kernel of several files, text by relative path."""
        return cls(files=dict(files), entry=entry)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")
