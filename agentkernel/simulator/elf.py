"""A small ELF64 reader: what a candidate's object needs, shows and runs by itself.

The object was made from hostile text, so every read is bounded and every surprise is an `ElfError`.
Layouts follow the System V ABI, edition 4.1 (chapters 4 and 5), and its x86-64 and AArch64 supplements.
"""

from __future__ import annotations

import struct
from pathlib import Path

from pydantic import BaseModel, ConfigDict

_PT_LOAD, _PT_DYNAMIC, _PT_INTERP, _PT_GNU_STACK = 1, 2, 3, 0x6474E551
_PF_X, _PF_W = 1, 2
_DT_NEEDED, _DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ = 1, 5, 6, 7, 8
_DT_JMPREL, _DT_PLTRELSZ, _DT_TEXTREL = 23, 2, 22
_RUNS = {12: "DT_INIT", 13: "DT_FINI", 25: "DT_INIT_ARRAY", 26: "DT_FINI_ARRAY", 32: "DT_PREINIT_ARRAY"}
_ARRAYS = {27: "DT_INIT_ARRAY", 28: "DT_FINI_ARRAY", 33: "DT_PREINIT_ARRAY"}
_FOREIGN = {1: "DT_NEEDED", 15: "DT_RPATH", 29: "DT_RUNPATH", 0x7FFFFFFD: "DT_AUXILIARY", 0x7FFFFFFF: "DT_FILTER"}
_STT_GNU_IFUNC, _STT_TLS = 10, 6
_SHT_DYNSYM = 11
_IRELATIVE = {62: 37, 183: 1032}
"""Relocation that calls a resolver when the object is loaded, by machine (x86-64, AArch64)."""
_MAX_SYMBOLS = 100_000


class ElfError(Exception):
    """The file is not a well-formed ELF64 shared object."""


class SharedObject(BaseModel):
    """What matters of a shared object."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    imports: tuple[str, ...]
    """Dynamic symbols that it needs from elsewhere."""
    exports: tuple[str, ...]
    """Dynamic symbols that it shows."""
    initialisers: tuple[int, ...]
    """Addresses of functions that the loader would call on loading or unloading."""
    problems: tuple[str, ...]
    """Other things that run or change code on loading: resolvers, foreign libraries, writable code, ..."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def unpack(self, layout: str, offset: int) -> tuple[int, ...]:
        try:
            return struct.unpack_from("<" + layout, self.data, offset)
        except (struct.error, OverflowError) as error:
            raise ElfError(f"a structure at {offset:#x} lies outside the file") from error

    def text(self, offset: int) -> str:
        end = self.data.find(b"\0", offset, offset + 4096)
        if offset < 0 or end < 0:
            raise ElfError(f"no string at {offset:#x}")
        return self.data[offset:end].decode("utf-8", "replace")


def read_shared_object(path: Path) -> SharedObject:
    """Read a shared object.

    Raises:
        ElfError: It is not well-formed.
        OSError: It cannot be read.
    """
    reader = _Reader(path.read_bytes())
    if reader.data[:6] != b"\x7fELF\x02\x01":
        raise ElfError("not a little-endian ELF64 file")
    kind, machine = reader.unpack("HH", 16)
    if kind != 3:
        raise ElfError("not a shared object")
    loads, dynamic, problems = _segments(reader)
    tags = dict(reversed(dynamic))
    offset_of = _Mapper(loads)
    problems += [f"{_FOREIGN[tag]}" for tag, _ in dynamic if tag in _FOREIGN]
    if _DT_TEXTREL in tags:
        problems.append("relocations in code")
    imports: list[str] = []
    exports: list[str] = []
    for name, info, section in _symbols(reader, tags, offset_of):
        if info & 15 == _STT_GNU_IFUNC:
            problems.append(f"a resolver (ifunc) for {name}")
        if info & 15 == _STT_TLS:
            problems.append(f"the thread-local variable {name}")
        (exports if section else imports).append(name)
    relocations = list(_relocations(reader, tags, offset_of))
    if any(kind == _IRELATIVE.get(machine) for kind, _, _ in relocations):
        problems.append("a resolver (ifunc)")
    return SharedObject(
        imports=tuple(sorted(set(imports))),
        exports=tuple(sorted(set(exports))),
        initialisers=tuple(_initialisers(reader, tags, offset_of, relocations)),
        problems=tuple(dict.fromkeys(problems)),
    )


def _segments(reader: _Reader) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]], list[str]]:
    """(address, size in the file, offset) of what is loaded; dynamic entries; problems."""
    (header_offset,) = reader.unpack("Q", 32)
    header_size, headers = reader.unpack("HH", 54)
    loads: list[tuple[int, int, int]] = []
    dynamic: list[tuple[int, int]] = []
    problems: list[str] = []
    plain_stack = False
    for index in range(headers):
        kind, rights, offset, address, _, size = reader.unpack("IIQQQQ", header_offset + index * header_size)
        if kind == _PT_LOAD:
            loads.append((address, size, offset))
            if rights & _PF_W and rights & _PF_X:
                problems.append("a segment that is writable and executable")
        elif kind == _PT_INTERP:
            problems.append("an interpreter of its own")
        elif kind == _PT_GNU_STACK:
            plain_stack = not rights & _PF_X
        elif kind == _PT_DYNAMIC:
            dynamic = [_pair(reader, offset + 16 * entry) for entry in range(size // 16)]
    if not plain_stack:
        problems.append("an executable stack")
    return loads, dynamic, problems


def _pair(reader: _Reader, offset: int) -> tuple[int, int]:
    tag, value = reader.unpack("QQ", offset)
    return tag, value


class _Mapper:
    """File offset of a virtual address."""

    def __init__(self, loads: list[tuple[int, int, int]]) -> None:
        self._loads = loads

    def __call__(self, address: int) -> int:
        for start, size, offset in self._loads:
            if start <= address < start + size:
                return address - start + offset
        raise ElfError(f"address {address:#x} lies in no segment")


def _symbols(reader: _Reader, tags: dict[int, int], offset_of: _Mapper) -> list[tuple[str, int, int]]:
    """(name, info, section) of every dynamic symbol but the null one."""
    if _DT_SYMTAB not in tags or _DT_STRTAB not in tags:
        raise ElfError("no dynamic symbols")
    # dynamic entries give the table's place but not its length; the section that begins there does
    count = _section_size(reader, tags[_DT_SYMTAB]) // 24
    if count > _MAX_SYMBOLS:
        raise ElfError("too many symbols")
    table, strings = offset_of(tags[_DT_SYMTAB]), offset_of(tags[_DT_STRTAB])
    found = []
    for index in range(1, count):
        name, info, _, section = reader.unpack("IBBH", table + 24 * index)
        found.append((reader.text(strings + name), info, section))
    return found


def _section_size(reader: _Reader, address: int) -> int:
    """Size of the dynamic symbol section, which must begin at an address."""
    (start,) = reader.unpack("Q", 40)
    size, count = reader.unpack("HH", 58)
    for index in range(count):
        where = start + index * size
        (kind,) = reader.unpack("I", where + 4)
        begins, _, length = reader.unpack("QQQ", where + 16)
        if kind == _SHT_DYNSYM and begins == address:
            return length
    raise ElfError("no section holds the dynamic symbols")


def _relocations(reader: _Reader, tags: dict[int, int], offset_of: _Mapper) -> list[tuple[int, int, int]]:
    """(kind, place, addend) of every dynamic relocation."""
    found = []
    for table, size in ((_DT_RELA, _DT_RELASZ), (_DT_JMPREL, _DT_PLTRELSZ)):
        if table not in tags:
            continue
        start = offset_of(tags[table])
        for index in range(tags.get(size, 0) // 24):
            place, info, addend = reader.unpack("QQQ", start + 24 * index)
            found.append((info & 0xFFFFFFFF, place, addend))
    return found


def _initialisers(
    reader: _Reader, tags: dict[int, int], offset_of: _Mapper, relocations: list[tuple[int, int, int]]
) -> list[int]:
    found = []
    sizes = {name: tags.get(tag, 0) for tag, name in _ARRAYS.items()}
    for tag, name in _RUNS.items():
        if tag not in tags:
            continue
        if name not in sizes:
            found.append(tags[tag])
            continue
        start, end = tags[tag], tags[tag] + sizes[name]
        inside = [addend for _, place, addend in relocations if start <= place < end]
        stored = [reader.unpack("Q", offset_of(place))[0] for place in range(start, end, 8)]
        found += inside or [value for value in stored if value] or ([start] if end > start else [])
    return found
