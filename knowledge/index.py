"""The API index: every Ascend C name for Atlas A2, as typed data, from which headers, oracle, cards and docs agree.

`data/ascendc_a2.json` is written by `agentkernel.knowledge.build_index` and committed. Reading it costs a JSON parse;
entries become models one by one when they are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

DATA = Path(__file__).parent / "data"


class Status(StrEnum):
    """What Atlas A2 does with a name."""

    SUPPORTED = "supported"
    """Works on the chip."""
    DECLARED_ONLY = "declared-only"
    """Declared by the headers for every chip, but without a function on A2: a call does not compile or does nothing."""
    OTHER_CHIP = "other-chip"
    """Exists only on other chips."""


class ParamKind(StrEnum):
    """What an argument is, as far as overload resolution and operand rules care."""

    LOCAL = "local"
    """LocalTensor (UB, L1, L0): `element` names its element type."""
    GLOBAL = "global"
    """GlobalTensor."""
    ELEMENT = "element"
    """A scalar whose type is a template parameter that tensors share, so it must match their element type exactly."""
    NUMBER = "number"
    """An integer, float or bool of a fixed type; arguments convert to it."""
    MASK_ARRAY = "mask-array"
    """`uint64_t mask[]`: one bit per element."""
    STRUCT = "struct"
    """A parameter structure by const reference; a brace list calls its constructor."""
    ENUM = "enum"
    QUEUE = "queue"
    """Any TQue or TQueBind object."""
    BUFFER = "buffer"
    """A TBuf object."""
    ANY = "any"
    """Arrays, pointers, packs and what else is not judged."""


class TemplateParam(BaseModel):
    """One template parameter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str = "typename"
    """`typename`, or the type of a value parameter (`bool`, `HardEvent`, ...)."""
    default: str | None = None


class Param(BaseModel):
    """One function parameter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str
    """C++ type as a declaration would spell it, without the parameter's name."""
    kind: ParamKind = ParamKind.ANY
    element: str = ""
    """Template parameter (`T`) or concrete type (`uint8_t`) of a tensor's elements or of an element scalar; the
    structure's or enum's name for those kinds."""
    default: str | None = None
    mutable_ref: bool = False
    """A non-const lvalue reference: a temporary is rejected."""


class Combo(BaseModel):
    """Legal joint choices of several template parameters' element types."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    params: tuple[str, ...]
    """Template parameters, e.g. (`T`, `U`)."""
    choices: tuple[tuple[str, ...], ...]
    """Element types in the same order, one tuple for each legal choice."""


class Overload(BaseModel):
    """One function signature that A2 accepts, with its legal element types."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    returns: str = "void"
    template: tuple[TemplateParam, ...] = ()
    params: tuple[Param, ...] = ()
    level: Literal[0, 2] | None = None
    """2 for the form with an element count, 0 for the form with mask and repeat, None where neither is meant."""
    dtypes: dict[str, tuple[str, ...]] = {}
    """Legal element types by template parameter; a parameter without an entry is not judged."""
    combo: Combo | None = None
    twin: bool = False
    """The second declaration of a tensor-scalar call, which exists for TensorTrait only."""

    @property
    def required(self) -> int:
        """Smallest number of arguments."""
        return sum(1 for p in self.params if p.default is None)

    @property
    def variadic(self) -> bool:
        """Whether it ends in a parameter pack."""
        return bool(self.params) and "..." in self.params[-1].type

    def accepts(self, count: int) -> bool:
        """Whether it can be called with that many arguments."""
        return self.required <= count and (count <= len(self.params) or self.variadic)

    def signature(self, name: str, *, template: bool = True) -> str:
        """The declaration as one line of C++."""
        head = ""
        if template and self.template:
            items = ", ".join(
                f"{p.type} {p.name}".strip() + (f" = {p.default}" if p.default is not None else "")
                for p in self.template
            )
            head = f"template <{items}> "
        params = ", ".join(_declare(p) for p in self.params)
        return f"{head}{self.returns} {name}({params})".replace("  ", " ")


class Api(BaseModel):
    """One callable name: function, macro, intrinsic, or method of a class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    category: str = ""
    kind: Literal["function", "macro", "intrinsic", "method", "constructor"] = "function"
    status: Status = Status.SUPPORTED
    pipe: str = ""
    """Pipe that runs it: S, V, M, MTE1, MTE2, MTE3, FIX (`/` where it depends on the operands)."""
    purpose: str = ""
    overloads: tuple[Overload, ...] = ()
    exact: bool = False
    """Whether `overloads` is the complete set on A2, so that a call that fits none is certainly wrong."""
    constraints: tuple[str, ...] = ()
    renamed_to: str = ""
    """Newer spelling of the same function; this one keeps working."""
    formerly: str = ""
    """Older spelling of the same function."""
    instead: str = ""
    """What to write where the name does not work on A2."""
    example: str = ""
    """One correct call."""
    mistake: str = ""
    """The most common mistake with it."""
    see_also: tuple[str, ...] = ()

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Every element type that some form accepts for its first judged operand, in order of first mention."""
        seen: dict[str, None] = {}
        for overload in self.overloads:
            if overload.combo is not None:
                seen.update(dict.fromkeys(choice[0] for choice in overload.combo.choices))
            for types in list(overload.dtypes.values())[:1]:
                seen.update(dict.fromkeys(types))
        return tuple(seen)


class Field(BaseModel):
    """One data member of a structure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str
    default: str | None = None


class TypeInfo(BaseModel):
    """One type: class, structure, enum or alias."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Literal["class", "struct", "enum", "alias", "scalar"]
    status: Status = Status.SUPPORTED
    category: str = ""
    purpose: str = ""
    template: tuple[TemplateParam, ...] = ()
    target: str = ""
    """Of an alias: what it stands for."""
    scoped: bool = True
    """Of an enum: whether enumerators need the enum's name before them."""
    underlying: str = ""
    values: dict[str, int] = {}
    """Enumerators and their values."""
    fields: tuple[Field, ...] = ()
    constructors: tuple[Overload, ...] = ()
    """Besides the default constructor."""
    aggregate: bool = False
    """Whether a brace list fills fields in order, rather than calling a constructor."""
    methods: tuple[Api, ...] = ()
    exact: bool = False
    """Whether fields, methods and constructors are all that A2 has."""
    constraints: tuple[str, ...] = ()

    def method(self, name: str) -> Api | None:
        """A method by name."""
        return next((m for m in self.methods if m.name == name), None)


class Constant(BaseModel):
    """One named constant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str = ""
    value: str = ""


class CastRule(BaseModel):
    """One legal conversion of `Cast`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    src: str
    dst: str
    modes: tuple[str, ...]
    """Legal enumerators of RoundMode."""
    note: str = ""


class Index:
    """All names of one chip. Entries are built when asked for and kept."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._raw = raw
        self._apis: dict[str, Api] = {}
        self._types: dict[str, TypeInfo] = {}
        self._casts: tuple[CastRule, ...] | None = None

    @property
    def chip(self) -> str:
        """Name of the chip, as tasks spell their target."""
        return str(self._raw["chip"])

    @property
    def api_names(self) -> tuple[str, ...]:
        """Free functions, macros and intrinsics, sorted."""
        return tuple(self._raw["apis"])

    @property
    def type_names(self) -> tuple[str, ...]:
        """Types, sorted."""
        return tuple(self._raw["types"])

    @property
    def reserved(self) -> frozenset[str]:
        """Words that mean something to the device compiler or its headers, but have no entry of their own."""
        return frozenset(self._raw["reserved"])

    def api(self, name: str) -> Api | None:
        """A free function, macro or intrinsic by name, without namespace."""
        if name not in self._apis:
            raw = self._raw["apis"].get(name)
            if raw is None:
                return None
            self._apis[name] = Api.model_validate({"name": name, **raw})
        return self._apis[name]

    def type(self, name: str) -> TypeInfo | None:
        """A type by name, without namespace."""
        if name not in self._types:
            raw = self._raw["types"].get(name)
            if raw is None:
                return None
            self._types[name] = TypeInfo.model_validate({"name": name, **raw})
        return self._types[name]

    def constant(self, name: str) -> Constant | None:
        """A constant by name, without namespace."""
        raw = self._raw["constants"].get(name)
        return None if raw is None else Constant.model_validate({"name": name, **raw})

    @property
    def constant_names(self) -> tuple[str, ...]:
        """Constants, sorted."""
        return tuple(self._raw["constants"])

    @property
    def casts(self) -> tuple[CastRule, ...]:
        """Every legal conversion of `Cast`."""
        if self._casts is None:
            self._casts = tuple(CastRule.model_validate(rule) for rule in self._raw["casts"])
        return self._casts

    def apis(self) -> Iterator[Api]:
        """Every free function, macro and intrinsic, sorted by name."""
        for name in self.api_names:
            found = self.api(name)
            assert found is not None  # the name came from the same table
            yield found

    def __contains__(self, name: object) -> bool:
        raw = self._raw
        return name in raw["apis"] or name in raw["types"] or name in raw["constants"] or name in self.reserved


@cache
def load_index(chip: str = "ascend910b") -> Index:
    """The index of a chip (shared, read-only).

    Raises:
        ConfigError: There is no index for that chip.
    """
    from agentkernel.errors import ConfigError

    raw = json.loads((DATA / "ascendc_a2.json").read_text(encoding="utf-8"))
    if chip not in raw["chips"]:
        raise ConfigError(f"no API index for {chip!r}", hint=f"chips with an index: {', '.join(raw['chips'])}")
    return Index(raw)


def _declare(param: Param) -> str:
    bracket = param.type.find("[")
    text = (
        f"{param.type} {param.name}".strip()
        if bracket < 0
        else f"{param.type[:bracket].strip()} {param.name}{param.type[bracket:]}"
    )
    return text + (f" = {param.default}" if param.default is not None else "")
