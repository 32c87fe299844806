"""What a statement may use: tensors, which of them are defined, and how well their values are known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.program import EXACT, UNKNOWN, Apply, Arg, Call, Line, State, compute

FILLABLE = ("half", "float", "int16_t", "int32_t", "uint16_t", "uint32_t", "bfloat16_t")
"""Element types of Duplicate."""


@dataclass
class Scope:
    """The tensors of a kernel's body; all have the same number of elements."""

    chance: random.Random
    room: int
    """Elements of every tensor, a multiple of 256."""
    whole: bool
    """Whether tiles are always full; else only the first `n` elements hold something, and `n` is a variable."""
    autosync: bool
    specials: bool
    pool: bool
    """Whether there is a TPipe whose unallocated memory library calls may take."""
    types: dict[str, str] = field(default_factory=dict)
    """Element type by tensor."""
    quality: dict[str, int] = field(default_factory=dict)
    """How well the values are known; a tensor without an entry is undefined."""
    work: dict[str, str] = field(default_factory=dict)
    """Element type by work tensor, in the order of their declaration."""
    lines: list[Line] = field(default_factory=list)
    steps: list[Apply] = field(default_factory=list)
    used: list[tuple[str, str, str]] = field(default_factory=list)
    names: int = 0
    scratch: bool = False
    """Whether `scratch`, 16 KB of uint8_t, is needed."""

    @property
    def count(self) -> str:
        """Number of elements that a full call works on."""
        return str(self.room) if self.whole else "n"

    def some_count(self) -> str:
        """A number of elements, at most a full one."""
        if not self.whole:
            return "n"
        return str(self.chance.choice((self.room, self.room, self.chance.randint(1, self.room))))

    def fresh(self, prefix: str) -> str:
        """A name that nothing has."""
        self.names += 1
        return f"{prefix}{self.names}"

    def defined(self, types: Sequence[str]) -> list[str]:
        """Tensors that hold something, of some element types."""
        return [t for t in self.quality if self.types[t] in types]

    def source(self, types: Sequence[str]) -> str | None:
        """A tensor to read from."""
        found = self.defined(types)
        return self.chance.choice(found) if found else None

    def target(self, dtype: str, *, avoid: Sequence[str] = (), full: bool = True) -> str:
        """A tensor to write to; where not all of it is written, it holds something already."""
        found = [t for t, of in self.types.items() if of == dtype and t not in avoid and (full or t in self.quality)]
        if found and (len(self.work) > 7 or self.chance.random() < 0.7):
            return self.chance.choice(found)
        name = self.new_work(dtype)
        if not full:
            self.fill(name)
        return name

    def new_work(self, dtype: str) -> str:
        """A work tensor of its own."""
        name = self.fresh("t")
        self.types[name] = dtype
        self.work[name] = dtype
        return name

    def fill(self, name: str) -> None:
        """Define all of a work tensor by Duplicate, whatever its element type."""
        dtype = self.types[name]
        if dtype in FILLABLE:
            text, value = elements.literal(dtype, self.chance)
            call = Call("Duplicate", "count", (Arg(name, "dst", dtype), Arg(text, "scalar", dtype), self.count_arg()))
        else:  # as 16-bit words; only whole tiles have such tensors to fill
            text, value = "static_cast<int16_t>(0)", elements.numpy_of(dtype).type(0)
            words = self.room * elements.size(dtype) // 2
            call = Call("Duplicate", "count", (Arg(f"{name}.ReinterpretCast<int16_t>()", "dst", "int16_t"),
                        Arg(text, "scalar", "int16_t"), Arg(str(words), "count")))  # fmt: skip

        def apply(state: State) -> None:
            state.tensors[name][: state.n] = value

        self.emit([call], apply, {name: EXACT})

    def count_arg(self, text: str | None = None) -> Arg:
        """The element count as an argument."""
        return Arg(self.count if text is None else text, "count")

    def emit(self, calls: Sequence[Call | Line], apply: Apply, written: dict[str, int], *, full: bool = True) -> None:
        """Append a statement.

        Args:
            calls: Its calls and lines, in order.
            apply: Its model.
            written: How well values are known of the tensors that it writes.
            full: Whether it writes all of them; else what they held before counts as well.
        """
        for item in calls:
            if isinstance(item, Line):
                self.lines.append(item)
                continue
            dtype = next((a.dtype for a in item.args if a.role in ("src", "dst")), "")
            self.used.append((item.api, item.form, dtype))
            self.lines.append(compute(item))
            if not self.autosync:
                self.lines.append(Line("PipeBarrier<PIPE_V>();", "barrier", "V"))
        self.steps.append(apply)
        for name, quality in written.items():
            self.quality[name] = quality if full else max(quality, self.quality.get(name, UNKNOWN))

    def worst(self, *names: str) -> int:
        """How well values are known that depend on all of some tensors: a value that is close counts as unknown."""
        return EXACT if all(self.quality[name] == EXACT for name in names) else UNKNOWN
