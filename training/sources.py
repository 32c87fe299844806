"""Reading runs for the harvest, and telling whether two kernels are the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentkernel.errors import ConfigError
from agentkernel.kernel import Kernel
from agentkernel.traces.store import FolderStore
from agentkernel.trajectory import Trajectory

_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)""", re.DOTALL
)


def read_runs(paths: Sequence[str | Path]) -> Iterator[Trajectory]:
    """Every run under some folders, each once, in the order given and oldest first within a store.

    Args:
        paths: Stores (folders of runs), or single run folders.

    Raises:
        ConfigError: A folder holds no run.
        StoreError: A run is damaged; the message names file and line.
    """
    seen: set[Path] = set()
    for path in map(Path, paths):
        single = (path / "header.json").is_file()
        store = FolderStore(path.parent if single else path)
        found = [path.name] if single else list(store.runs())
        if not found:
            raise ConfigError(f"no runs in {path}", hint="give the folder that `agentkernel solve --runs` wrote to")
        for run_id in found:
            place = (store.root / run_id).resolve()
            if place not in seen:
                seen.add(place)
                yield store.load(run_id)


def source_key(kernel: Kernel) -> str:
    """SHA-256 (hex) of the sources without comments and with every run of white space as one blank.

    Kernels with equal keys differ in layout and comments at most, so that one of them teaches as much as both.
    """
    text = "\0".join(f"{name}\0{_plain(kernel.files[name])}" for name in sorted(kernel.files))
    return hashlib.sha256(f"{kernel.entry}\0{text}".encode()).hexdigest()


def _plain(source: str) -> str:
    kept = _TOKEN.sub(lambda found: found["text"] if found["text"] is not None else " ", source)
    return " ".join(kept.split())
