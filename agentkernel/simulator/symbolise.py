"""From addresses in a candidate's object to places in its author's text."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from agentkernel.diagnostic import Location
from agentkernel.simulator.core_groups import CUBE_SITES, Images
from agentkernel.simulator.lexer import lex
from agentkernel.simulator.source_pass import PreparedSource

TOOLS = ("addr2line", "llvm-symbolizer", "llvm-addr2line", *(f"llvm-symbolizer-{v}" for v in range(23, 13, -1)))
SECONDS = 20.0
LOOK_BACK = 4
"""Lines before a call's line on which its name may stand: line tables name the line of a late argument at times."""


def find_tool() -> str | None:
    """Path of a program that reads line tables, None where there is none (findings then have no lines)."""
    return next((path for name in TOOLS if (path := shutil.which(name))), None)


class Sources(Protocol):
    """Whose lines are looked for."""

    @property
    def files(self) -> Mapping[str, str]:
        """Text by the author's file names."""
        ...

    def locate(self, file: str, line: int) -> Location:
        """A place in the author's text."""
        ...


def resolve(target: Path, sites: Iterable[int], prepared: Sources) -> dict[int, Location]:
    """Places of code addresses, one call for all. An address that belongs to no file of the kernel is left out.

    Where a function was inlined, the innermost frame in a file of the kernel counts.

    Args:
        target: The candidate's object.
        sites: Addresses in it (offsets from its load address).
        prepared: Says which files are the kernel's, and what was appended to them.
    """
    wanted = sorted({site for site in sites if site > 0})
    tool = find_tool()
    if not wanted or tool is None:
        return {}
    flags = ["-e", str(target), "-i", "-f", "-a"]
    if "symbolizer" in tool:
        flags = [f"--obj={target}", "--output-style=GNU", "--inlines", "--functions", "--addresses"]
    try:
        done = subprocess.run(
            [tool, *flags, *map(hex, wanted)], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}  # a finding without its line still says what is wrong
    places: dict[int, Location] = {}
    current = 0
    for line in done.stdout.splitlines():
        if re.fullmatch(r"0x[0-9a-fA-F]+", line):
            current = int(line, 16)
            continue
        match = re.match(r"(.+?):(\d+)(?::\d+)?(?: \(discriminator \d+\))?$", line)
        if match is None or current in places or int(match.group(2)) == 0:
            continue
        file = _own_file(match.group(1), prepared)
        if file is not None:
            places[current] = prepared.locate(file, int(match.group(2)))
    return places


def resolve_images(images: Images, sites: Iterable[int], prepared: Sources) -> dict[int, Location]:
    """Places of code addresses in either image; those in the cube image are told by `CUBE_SITES`."""
    wanted = set(sites)
    places: dict[int, Location] = {}
    if images.vector is not None:
        places |= resolve(images.vector, (site for site in wanted if site < CUBE_SITES), prepared)
    if images.cube is not None:
        found = resolve(images.cube, (site - CUBE_SITES for site in wanted if site > CUBE_SITES), prepared)
        places |= {site + CUBE_SITES: place for site, place in found.items()}
    return places


def _own_file(path: str, prepared: Sources) -> str | None:
    """Line tables hold `/somewhere/src/./op_kernel/add.cpp` for `op_kernel/add.cpp`."""
    normal = posixpath.normpath(path)
    fitting = [name for name in prepared.files if normal == name or normal.endswith("/src/" + name)]
    return max(fitting, key=len) if fitting else None


def point_at(location: Location | None, api: str, prepared: PreparedSource) -> Location | None:
    """Add the column where an API's name stands on (or shortly before) a line, where it can be found."""
    if location is None or not api or location.column is not None or location.file not in prepared.kernel.files:
        return location
    name = re.split(r"::|\.", api)[-1]
    code = lex(prepared.kernel.files[location.file]).code.split("\n")
    for line in range(location.line, max(0, location.line - LOOK_BACK), -1):
        if line < location.line and code[line - 1].rstrip().endswith((";", "{", "}")):
            break  # another statement, which may call the same function
        match = re.search(rf"\b{re.escape(name)}\b", code[line - 1]) if line <= len(code) else None
        if match:
            column = match.start() + 1
            return Location(file=location.file, line=line, column=column, end_column=column + len(name))
    return location


def find_place(prepared: PreparedSource, name: str) -> Location | None:
    """The first place where a kernel's code names something."""
    for file, text in prepared.kernel.files.items():
        lexed = lex(text)
        match = re.search(rf"\b{re.escape(name)}\b", lexed.code)
        if match:
            column = lexed.column(match.start())
            line = lexed.line(match.start())
            return Location(file=file, line=line, column=column, end_column=column + len(name))
    return None
