"""What all parts of the generated code share: names, spelling of API words, members, helpers, constants."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.code import Code
from agentkernel.composer.ir import Inst, Op, Scalar, ScalarOp, Value
from agentkernel.composer.naming import Names, camel
from agentkernel.composer.naming import member as member_name
from agentkernel.composer.passes import Walk
from agentkernel.composer.scalars import ScalarText
from agentkernel.composer.style import Comments, Layout
from agentkernel.composer.tiling import Plan
from agentkernel.formula.graph import BinaryOp, CompareOp
from agentkernel.launch import tiling_fields


@dataclass(frozen=True)
class Member:
    """A variable that lives as long as the kernel."""

    ctype: str
    name: str
    is_buffer: bool = False
    """Whether it is a queue, a buffer or a tensor rather than a number."""


@dataclass
class Unit:
    """A kernel's code before it is arranged in a layout."""

    constants: list[str] = field(default_factory=list)
    helpers: list[Code] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    init: Code = field(default_factory=Code)
    process: Code = field(default_factory=Code)
    stages: dict[str, tuple[tuple[str, ...], Code]] = field(default_factory=dict)
    """Parameters (all uint32_t) and body by name, in order of first use."""


class Context:
    """Names and members of one kernel."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.style = plan.style
        task = plan.task
        taken = {t.name for t in (*task.inputs, *task.outputs)} | {a.name for a in task.attrs} | set(task.dim_names)
        self._tensors = {t.name for t in (*task.inputs, *task.outputs)}
        self.names = Names(plan.style.naming, taken | {task.entry, "workspace", "tiling"})
        self.unit = Unit()
        self._members: dict[str, Member] = {}
        self._helpers: set[str] = set()
        self._types = {name: ctype for ctype, name in tiling_fields(task)}
        for tensor in task.inputs:
            self._types[tensor.name] = tensor.dtype.ascendc
        self._users = _users(plan)

    # ---- spelling ----------------------------------------------------------------------------------------------

    def q(self, word: str) -> str:
        """An API word, qualified where the style wants it."""
        return f"AscendC::{word}" if self.style.qualified else word

    def ref(self, name: str) -> str:
        """A member as the code of the layout reaches it."""
        match self.style.layout:
            case Layout.ENTRY:
                return name
            case Layout.FUNCTIONS:
                return f"{self.state}.{name}"
        return member_name(self.style.naming, name)

    @property
    def state(self) -> str:
        """Name of the struct of buffers in free functions."""
        return self.names.variable("self" if self.style.naming.snake else "ctx")

    @property
    def pipe(self) -> str:
        """The pipe as the code of Init reaches it, with its access operator."""
        name = self.names.variable("pipe")
        return f"{name}." if self.style.layout is Layout.ENTRY else f"{name}->"

    def comment(self, text: str, *, rich: bool = False) -> tuple[str, ...]:
        """A comment line, if the style has such."""
        wanted = (Comments.RICH,) if rich else (Comments.BRIEF, Comments.RICH)
        return (f"// {text}",) if self.style.comments in wanted else ()

    # ---- members -----------------------------------------------------------------------------------------------

    def member(self, ctype: str, name: str, *, is_buffer: bool = False) -> str:
        """Declare a member once; its reference."""
        if name not in self._members:
            self._members[name] = Member(ctype, name, is_buffer)
            self.unit.members.append(self._members[name])
        return self.ref(name)

    def number(self, name: str) -> str:
        """A uint32_t member of the kernel's own."""
        return self.member("uint32_t", self.names.variable(name))

    def queue(self, buffer: Buffer) -> str:
        """The queue of an IN, HELD or OUT buffer."""
        is_input = buffer.place is not Place.OUT
        position = "VECIN" if is_input else "VECOUT"
        deep = self.style.deep_queues and buffer.place is not Place.HELD
        depth = (self.plan.buffers_in if is_input else self.plan.buffers_out) if deep else 1
        kind = f"{self.q('TQue')}<{self.q(f'{self.position}::{position}')}, {depth}>"
        return self.member(kind, self.names.queue(buffer.name, is_input=is_input), is_buffer=True)

    @property
    def position(self) -> str:
        """The enumeration of logical positions."""
        return "QuePosition" if not self.style.new_names else "TPosition"

    def tbuf(self, name: str, position: str = "VECCALC") -> str:
        """A TBuf member."""
        kind = f"{self.q('TBuf')}<{self.q(f'{self.position}::{position}')}>"
        return self.member(kind, name, is_buffer=True)

    def gm(self, tensor: str) -> str:
        """The global tensor of an input or output."""
        spec = next(t for t in (*self.plan.task.inputs, *self.plan.task.outputs) if t.name == tensor)
        return self.member(f"{self.q('GlobalTensor')}<{spec.dtype.ascendc}>", self.names.gm(tensor), is_buffer=True)

    def tensor_type(self, buffer: Buffer) -> str:
        """Type of the local tensor of a buffer."""
        return f"{self.q('LocalTensor')}<{buffer.storage.ctype}>"

    def local(self, buffer: Buffer) -> str:
        """Name of the local tensor of a buffer."""
        names = self.names
        if buffer.name:
            return names.local(buffer.name)
        key = f"buffer {buffer.place} {buffer.storage} {buffer.lane} {buffer.index}"
        if key not in names._given:
            meaning = self._meaning(buffer)
            kind = {"float": "", "half": "Half", "mask": "Mask"}.get(buffer.storage.value, "Int")
            if meaning:
                names.get(key, self.style.naming.local.format(meaning))
            elif buffer.is_row:
                names.get(key, f"stat{buffer.index}")
            else:
                names.get(key, self.style.naming.temp.format(f"{kind}{buffer.index}"))
        return names._given[key]

    def is_kept(self, buffer: Buffer) -> bool:
        """Whether a queue's tensor outlives the stage that takes it, so that a member holds it."""
        between = self.plan.walk is Walk.CHUNKED and buffer.is_row and buffer.place in (Place.IN, Place.OUT)
        return buffer.place is Place.HELD or between

    def tensor(self, buffer: Buffer) -> str:
        """The local tensor of a buffer as stages reach it."""
        if self.is_kept(buffer):
            return self.member(self.tensor_type(buffer), self.local(buffer), is_buffer=True)
        return self.local(buffer)

    def _meaning(self, buffer: Buffer) -> str:
        """What a buffer holds, where it holds one thing only."""
        held = self._users.get(buffer, ())
        if len(held) != 1:
            return ""
        inst = held[0]
        assert inst.dst is not None
        if inst.op is Op.DUPLICATE:
            number = inst.args[0]
            assert isinstance(number, Scalar)
            value = number.number if number.is_const else None
            return "ones" if value == 1 else "zeros" if value == 0 else "fill"
        if buffer.storage.value == "mask":
            return "mask"
        words = "" if is_plain(inst.dst.note) else inst.dst.note.replace(" as ", " ")
        if words in self._tensors:
            words = f"{words} {buffer.storage.value}"
        return camel(words) if words and all(c.isalnum() or c == " " for c in words) and len(words) < 18 else ""

    # ---- numbers -----------------------------------------------------------------------------------------------

    def constant(self, words: str, value: int | str, ctype: str = "uint32_t") -> str:
        """A named constant of the file."""
        name = self.names.constant(words)
        line = f"constexpr {ctype} {name} = {value};"
        if line not in self.unit.constants:
            self.unit.constants.append(line)
        return name

    def variable(self, op: ScalarOp, name: str) -> str:
        """A size, attribute or one-element tensor inside the kernel."""
        if op is ScalarOp.ELEMENT:
            return self.member(self._types[name], self.names.get(f"element {name}", f"{name}Value"))
        if self.is_row_length(op, name):
            return self.number("rowLength")
        if self.style.layout is Layout.ENTRY:
            return f"{self.names.variable('tilingData')}.{name}"
        decorated = self.style.layout is Layout.FUNCTIONS or self.style.naming.member != "{}"
        own = name if decorated else self.names.get(f"scalar {name}", f"{name}Value")
        return self.member(self._types[name], own)

    def is_row_length(self, op: ScalarOp, name: str) -> bool:
        """Whether a size is the length of a row, which the kernel keeps anyway."""
        return op is ScalarOp.SIZE and self.plan.walk is not Walk.FLAT and self.plan.row_dims == (name,)

    def scalar_text(self, row: object) -> ScalarText:
        """A writer of scalar expressions; `row` spells the current element of a ROW value."""
        assert callable(row)
        return ScalarText(self.variable, self._types, row)

    def event(self, code: Code, event: str) -> None:
        """One pipe waits for another."""
        name = self.names.get(f"event {event}", "event" + "".join(part.capitalize() for part in event.split("_")))
        hard = self.q(f"HardEvent::{event}")
        code.add(f"const {self.q('TEventID')} {name} = {self.q('GetTPipePtr')}()->FetchEventID({hard});")
        code.add(f"{self.q('SetFlag')}<{hard}>({name});", f"{self.q('WaitFlag')}<{hard}>({name});")

    def helper(self, name: str, code: Code) -> None:
        """A helper function of the file, once."""
        if name not in self._helpers:
            self._helpers.add(name)
            self.unit.helpers.append(code)


def is_plain(note: str) -> bool:
    """Whether a note says no more than the instruction does."""
    return note in set(BinaryOp) or note in set(CompareOp) or note in ("constant", "")


def _users(plan: Plan) -> dict[Buffer, tuple[Inst, ...]]:
    """Instructions that define values in every buffer."""
    found: dict[Buffer, list[Inst]] = {}
    for inst in plan.program.insts:
        if inst.dst is None:
            continue
        for buffer in _homes(plan, inst.dst):
            if inst not in found.setdefault(buffer, []):
                found[buffer].append(inst)
    return {buffer: tuple(insts) for buffer, insts in found.items()}


def _homes(plan: Plan, value: Value) -> set[Buffer]:
    shared = plan.assignment.shared.get(value)
    if shared is not None:
        return {shared}
    return {homes[value] for homes in plan.assignment.homes if value in homes}
