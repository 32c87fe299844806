"""Does a call fit a known function? Overload resolution as far as types are known, and why it fails if it does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentkernel.knowledge.declarations import ENUMS
from agentkernel.knowledge.index import Api, Index, Overload, Param, ParamKind
from agentkernel.knowledge.oracle.cpptypes import QUEUES, CppType, canonical

_DEDUCTION = 20
"""Ranks below it: an argument is of the wrong kind; from it on: types do not agree, or are not legal."""


@dataclass(frozen=True)
class Argument:
    """One argument of a call."""

    text: str
    type: CppType | None = None
    listed: int | None = None
    """Number of values of a brace list; None for an expression."""
    temporary: bool = False
    """Whether it is certainly no variable, so that a non-const reference rejects it."""

    @property
    def is_zero(self) -> bool:
        """Whether it is the literal 0, which is a number and a null pointer alike."""
        return self.text == "0"


@dataclass(frozen=True)
class TemplateArgument:
    """One explicit template argument."""

    text: str
    type: CppType | None = None
    is_type: bool | None = None
    """True for a type, False for a value, None where the text may be either."""
    enum: str = ""
    """Of an enumerator: its enum, where that is known."""


@dataclass(frozen=True)
class Problem:
    """Why a call does not fit."""

    code: str
    message: str
    hint: str
    argument: int | None = None
    """Index of the argument that is wrong; None for the call as a whole."""
    evidence: Mapping[str, object] = field(default_factory=dict)


@dataclass
class _Failure:
    rank: int
    """Higher is nearer to a fit; the nearest one is reported."""
    code: str
    message: str
    argument: int | None
    overload: Overload
    evidence: dict[str, object] = field(default_factory=dict)


class Matcher:
    """Fits calls to overloads of one chip's index."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def judge(
        self,
        api: Api,
        args: Sequence[Argument],
        explicit: Sequence[TemplateArgument],
        outer: Mapping[str, CppType | None],
        owner: str = "",
    ) -> Problem | None:
        """The reason why no overload takes the call; None if one does or may.

        Args:
            api: The function, with its overloads.
            args: Arguments in order.
            explicit: Explicit template arguments.
            outer: Template arguments of the class, for a method.
            owner: Class of a method, for messages.
        """
        own = [o for o in api.overloads if not o.twin]
        if not own:
            return None
        fitting = [o for o in own if _fits_template(o, explicit)]
        counted = [o for o in fitting if o.accepts(len(args))]
        if not counted:
            return self._wrong_count(api, own, args, explicit, owner)
        tried = [(overload, self._try(overload, args, explicit, outer)) for overload in counted]
        failures = [failure for _, failure in tried if failure is not None]
        if len(failures) < len(tried):
            return _ambiguous(api.name, [overload for overload, failure in tried if failure is None], args)
        worst = max(failures, key=lambda f: f.rank)
        return self._report(api, worst, failures, args, own)

    def _wrong_count(
        self, api: Api, own: list[Overload], args: Sequence[Argument], explicit: Sequence[TemplateArgument], owner: str
    ) -> Problem | None:
        if any(o.accepts(len(args)) for o in own):
            given = ", ".join(t.text for t in explicit)
            return Problem(
                "no-matching-overload",
                f"The template arguments of `{api.name}<{given}>` fit no form of it with {_arguments(len(args))}.",
                _legal(api.name, [o for o in own if o.accepts(len(args))]),
            )
        counts = sorted({n for o in own for n in range(o.required, len(o.params) + 1)})
        where = f" of {owner}" if owner else ""
        legal = "none" if counts == [0] else _or(counts)
        return Problem(
            "wrong-argument-count",
            f"`{api.name}`{where} is called with {_arguments(len(args))}; it takes {legal}.",
            _legal(api.name, own) + (f" Example: `{api.example}`" if api.example and len(own) <= 2 else ""),
            evidence={"given": len(args), "legal": counts},
        )

    # ---- one overload

    def _try(
        self,
        overload: Overload,
        args: Sequence[Argument],
        explicit: Sequence[TemplateArgument],
        outer: Mapping[str, CppType | None],
    ) -> _Failure | None:
        binding: dict[str, CppType | None] = dict(outer)
        fixed = set(outer)
        for parameter, given in zip(overload.template, explicit, strict=False):
            if parameter.type == "typename":
                binding[parameter.name] = given.type
                fixed.add(parameter.name)
        for i, (param, arg) in enumerate(zip(overload.params, args, strict=False)):
            wrong = self._kind_problem(param, arg, binding)
            if wrong:
                return _Failure(10 + i, "no-matching-overload", wrong, i, overload)
        missing = _undeduced(overload, len(explicit), len(args))
        if missing:
            message = f"the template argument `{missing}` cannot be deduced and must be given"
            return _Failure(20, "no-matching-overload", message, None, overload)
        return self._deduce(overload, args, binding, fixed) or self._dtype_problem(overload, binding, args)

    def _kind_problem(self, param: Param, arg: Argument, binding: Mapping[str, CppType | None]) -> str:
        """What is wrong with the argument's kind, apart from element types that are to be deduced."""
        type_ = arg.type
        if arg.listed is not None:
            return self._list_problem(param, arg)
        if type_ is None or not self._is_known(type_):
            return ""
        wanted = _wanted(param, type_, arg)
        if not wanted and param.type.endswith("*"):
            wanted = _pointer_wanted(param, type_, binding)
        if wanted:
            return f"`{arg.text}` is {_a(type_)}, {wanted} is needed"
        needed = param.element if param.kind is ParamKind.NUMBER else type_.name
        if param.mutable_ref and param.kind is not ParamKind.ANY and (arg.temporary or type_.name != needed):
            shown = "a temporary" if arg.temporary else _a(type_)
            return f"`{arg.text}` is {shown}, a variable of type {needed} is needed"
        return ""

    def _list_problem(self, param: Param, arg: Argument) -> str:
        count = arg.listed or 0
        if param.kind in {ParamKind.LOCAL, ParamKind.GLOBAL, ParamKind.QUEUE, ParamKind.BUFFER}:
            return "a brace list stands where a tensor or buffer is needed"
        if param.kind in {ParamKind.NUMBER, ParamKind.ELEMENT, ParamKind.ENUM}:
            return "" if count <= 1 else f"a brace list of {count} values stands where one number is needed"
        if param.kind is ParamKind.STRUCT:
            name = param.element.partition("<")[0]
            counts = constructor_counts(self.index, name)
            if counts is not None and (count not in counts or re.fullmatch(r"\{\s*\d\w*\s*\}", arg.text)):
                return f"the brace list has {count} values, {name} takes {_or(sorted(counts - {1}))}"
        return ""

    def _is_known(self, type_: CppType) -> bool:
        """Whether the type is one whose conversions we know: a number, an enum, or a type of the index."""
        return CppType(type_.name).is_number or self.index.type(type_.name) is not None

    def _deduce(
        self, overload: Overload, args: Sequence[Argument], binding: dict[str, CppType | None], fixed: set[str]
    ) -> _Failure | None:
        """Bind element types from tensors first, then check scalars against them."""
        by: dict[str, str] = {}
        names = {t.name for t in overload.template} | fixed
        for i, param, arg, element in _tensors(overload, args):
            wanted = (
                param.element if param.kind is not ParamKind.STRUCT else param.element.partition("<")[2].rstrip("> ")
            )
            if wanted not in names:
                if wanted and CppType(canonical(wanted)).is_number and element.name != canonical(wanted):
                    message = f"`{arg.text}` has elements of type {element}, {wanted} is needed"
                    return _Failure(30, "no-matching-overload", message, i, overload)
                continue
            bound = binding.get(wanted)
            if bound is None:
                if wanted not in fixed:
                    binding[wanted] = element
                    by[wanted] = arg.text
                continue
            if bound.name != element.name:
                other = f"`{by[wanted]}`" if wanted in by else "the template argument"
                message = f"`{arg.text}` has elements of type {element}, {other} has {bound}: they must be the same"
                return _Failure(
                    30, "no-matching-overload", message, i, overload, {"got": element.name, "expected": bound.name}
                )
        for i, (param, arg) in enumerate(zip(overload.params, args, strict=False)):
            if (
                param.kind is not ParamKind.ELEMENT
                or param.element in fixed
                or arg.type is None
                or not arg.type.is_number
            ):
                continue
            bound = binding.get(param.element)
            if bound is None:
                binding[param.element] = arg.type
            elif bound.name != arg.type.name:
                message = f"the scalar `{arg.text}` is {_a(arg.type)}, and the tensor's elements are {bound}"
                evidence: dict[str, object] = {"got": arg.type.name, "expected": bound.name, "scalar": arg.text}
                return _Failure(40, "scalar-type-mismatch", message, i, overload, evidence)
        return None

    def _dtype_problem(
        self, overload: Overload, binding: Mapping[str, CppType | None], args: Sequence[Argument]
    ) -> _Failure | None:
        if overload.combo is not None:
            got = tuple(binding.get(p) for p in overload.combo.params)
            if None not in got and all(t.is_number for t in got if t is not None):
                names = tuple(t.name for t in got if t is not None)
                if names not in overload.combo.choices:
                    legal = "; ".join(" with ".join(c) for c in overload.combo.choices)
                    message = f"element types {' and '.join(names)} are not supported together; legal: {legal}"
                    evidence: dict[str, object] = {
                        "got": list(names),
                        "legal": [list(c) for c in overload.combo.choices],
                    }
                    return _Failure(50, "dtype-not-supported", message, 0, overload, evidence)
        for parameter, legal_types in overload.dtypes.items():
            bound = binding.get(parameter)
            if bound is None or not _judged(bound) or bound.name in legal_types:
                continue
            index = next((i for i, p in enumerate(overload.params) if p.element == parameter and i < len(args)), None)
            message = f"element type {bound.name} is not supported on this chip; legal: {', '.join(legal_types)}"
            evidence = {"got": bound.name, "legal": list(legal_types)}
            return _Failure(50, "dtype-not-supported", message, index, overload, evidence)
        return None

    # ---- words

    def _report(
        self, api: Api, worst: _Failure, failures: list[_Failure], args: Sequence[Argument], own: list[Overload]
    ) -> Problem:
        hint = _legal(api.name, [f.overload for f in failures if f.rank == worst.rank])
        message = worst.message
        if worst.rank < _DEDUCTION:
            # the operands may belong to a form with another number of arguments
            longer = [o for o in own if not o.accepts(len(args)) and self._begins(o, args)]
            if longer:
                counts = sorted({n for o in longer for n in range(o.required, len(o.params) + 1)})
                message = f"with these operands it takes {_or(counts)} arguments, not {len(args)}"
                hint = _legal(api.name, longer)
        if worst.code == "scalar-type-mismatch":
            wanted, scalar = worst.evidence["expected"], worst.evidence["scalar"]
            hint = f"Write `static_cast<{wanted}>({scalar})`, or `{api.name}<{wanted}>(...)`."
        elif worst.code == "dtype-not-supported":
            hint = _dtype_hint(worst, failures)
            legal = list(dict.fromkeys(t for f in failures if f.code == worst.code for t in _legal_types(f)))
            if legal and worst.overload.combo is None:
                message = (
                    f"element type {worst.evidence['got']} is not supported on this chip; legal: {', '.join(legal)}"
                )
        return Problem(worst.code, f"`{api.name}`: {message}.", hint, worst.argument, dict(worst.evidence))

    def _begins(self, overload: Overload, args: Sequence[Argument]) -> bool:
        """Whether the arguments are the first ones of a longer form, as far as their kinds go."""
        pairs = list(zip(overload.params, args, strict=False))
        return len(overload.params) > len(args) >= 2 and not any(self._kind_problem(p, a, {}) for p, a in pairs)


def constructor_counts(index: Index, name: str) -> set[int] | None:
    """Numbers of values that may stand in a brace list for a structure; None where the structure is not closed."""
    info = index.type(name)
    if info is None or not info.exact or info.kind != "struct":
        return None
    if info.aggregate:
        return set(range(len(info.fields) + 1))
    counts = {0, 1} if info.constructors else set()  # 1: a copy
    for constructor in info.constructors:
        counts |= set(range(constructor.required, len(constructor.params) + 1))
    return counts or None


def _ambiguous(name: str, fitting: Sequence[Overload], args: Sequence[Argument]) -> Problem | None:
    """A literal 0 where forms with a number and with an array both fit: the compiler cannot choose."""
    for i, arg in enumerate(args):
        kinds = {o.params[i].kind for o in fitting if i < len(o.params) and "uint64_t" in o.params[i].type}
        if arg.is_zero and kinds >= {ParamKind.NUMBER, ParamKind.MASK_ARRAY}:
            return Problem(
                "ambiguous-call",
                f"`{name}`: the literal 0 is a mask count and a null mask array alike.",
                "Write `static_cast<uint64_t>(0)`, or pass a uint64_t variable.",
                argument=i,
            )
    return None


def _wanted(param: Param, type_: CppType, arg: Argument) -> str:
    """What the parameter needs instead of a type of the wrong kind; empty where the kind fits."""
    kind, name = param.kind, "" if type_.pointers else type_.name
    if kind in {ParamKind.LOCAL, ParamKind.GLOBAL}:
        tensor = "LocalTensor" if kind is ParamKind.LOCAL else "GlobalTensor"
        return "" if name == tensor else f"a {tensor}"
    if kind in {ParamKind.ELEMENT, ParamKind.NUMBER}:
        return "" if type_.is_number or name in {"event_t", "pipe_t"} else "a number"
    if kind is ParamKind.MASK_ARRAY:
        return "" if arg.is_zero else _mask_wanted(param, type_)
    if kind in {ParamKind.STRUCT, ParamKind.ENUM}:
        return "" if name == param.element.partition("<")[0] else param.element
    wrong = {
        ParamKind.QUEUE: (name not in QUEUES, "a TQue"),
        ParamKind.BUFFER: (name != "TBuf", "a TBuf"),
        ParamKind.ANY: (param.type.endswith("[]") and type_.is_number, "an array"),
    }[kind]
    return wrong[1] if wrong[0] else ""


def _mask_wanted(param: Param, type_: CppType) -> str:
    if type_.constant and not param.type.startswith("const "):
        return "a non-const array of uint64_t"
    return "" if type_.pointers else "an array of uint64_t"


def _pointer_wanted(param: Param, type_: CppType, binding: Mapping[str, CppType | None]) -> str:
    """The pointer type that a parameter needs where a pointer to another number is given."""
    pointed = re.sub(r"const |__gm__ |\*", "", param.type).strip()
    target = binding.get(pointed) if pointed in binding else CppType(canonical(pointed))
    if target is None or not target.is_number or type_.pointers != 1 or not CppType(type_.name).is_number:
        return ""
    return "" if target.name == type_.name else f"`__gm__ {target}*` (cast it)"


def _judged(type_: CppType) -> bool:
    return type_.is_number or type_.name == "int4b_t"


def _tensors(overload: Overload, args: Sequence[Argument]) -> Iterator[tuple[int, Param, Argument, CppType]]:
    for i, (param, arg) in enumerate(zip(overload.params, args, strict=False)):
        if arg.type is None or arg.type.pointers or arg.listed is not None:
            continue
        typed = param.kind in {ParamKind.LOCAL, ParamKind.GLOBAL} or (
            param.kind is ParamKind.STRUCT and "<" in param.element
        )
        if typed and arg.type.element is not None and _judged(arg.type.element):
            yield i, param, arg, arg.type.element


def _fits_template(overload: Overload, explicit: Sequence[TemplateArgument]) -> bool:
    if len(explicit) > len(overload.template):
        return False
    for parameter, given in zip(overload.template, explicit, strict=False):
        if given.enum and parameter.type != given.enum and (parameter.type in ENUMS or parameter.type == "typename"):
            return False
        if given.is_type is None:
            continue
        if (parameter.type == "typename") != given.is_type:
            return False
    return True


def _undeduced(overload: Overload, explicit: int, count: int) -> str:
    """First template parameter that neither the call nor a default settles."""
    used = " ".join(f" {p.type} {p.element} " for p in overload.params[:count])
    for parameter in overload.template[explicit:]:
        if parameter.default is None and not re.search(rf"\b{parameter.name}\b", used):
            return parameter.name if parameter.type == "typename" else f"{parameter.type} {parameter.name}"
    return ""


def _legal(name: str, overloads: Sequence[Overload]) -> str:
    forms = list(dict.fromkeys(_short(name, o) for o in overloads))
    shown = "; ".join(f"`{form}`" for form in forms[:4])
    return f"Legal: {shown}" + (f" and {len(forms) - 4} more." if len(forms) > 4 else ".")


def _short(name: str, overload: Overload) -> str:
    """A form as it is called: the template arguments that must be given, and the parameters."""
    needed = [t.name for t in overload.template if t.default is None and not _deducible(overload, t.name)]
    given = f"<{', '.join(needed)}>" if needed else ""
    params = ", ".join(_word(p) for p in overload.params)
    return f"{name}{given}({params})"


def _deducible(overload: Overload, name: str) -> bool:
    return any(re.search(rf"\b{name}\b", f"{p.type} {p.element}") for p in overload.params)


def _word(param: Param) -> str:
    kinds = {ParamKind.LOCAL: "LocalTensor", ParamKind.GLOBAL: "GlobalTensor"}
    if param.kind in kinds:
        return f"{kinds[param.kind]}<{param.element}> {param.name}"
    plain = param.type.replace("const ", "").replace("&", "").strip()
    plain = {"QUEUE": "TQue&", "BUFFER": "TBuf&", "POOL": "TBufPool&"}.get(plain, plain)
    if plain in {"macro", ""}:
        return param.name
    text = f"{plain} {param.name}".strip()
    if "[" in plain:
        text = f"{plain[: plain.index('[')].strip()} {param.name}[]"
    return text + (f" = {param.default}" if param.default is not None else "")


def _dtype_hint(worst: _Failure, failures: list[_Failure]) -> str:
    got = worst.evidence["got"]
    legal = {t for f in failures if f.code == "dtype-not-supported" for t in _legal_types(f)}
    if isinstance(got, list):
        return "Cast the operands so that they match one of the legal pairs."
    if got == "bfloat16_t" and "float" in legal:
        return "Cast to float (RoundMode::CAST_NONE), compute in float, cast back (RoundMode::CAST_RINT)."
    if got in {"int8_t", "uint8_t"} and "half" in legal:
        return "Cast to half (RoundMode::CAST_NONE), compute in half, cast back."
    if got in {"int32_t", "int16_t", "int64_t"} and "float" in legal:
        return "Cast to float, compute in float, cast back with an explicit RoundMode."
    if got in {"int32_t", "uint32_t"} and "uint16_t" in legal:
        return "View both tensors as uint16_t with ReinterpretCast<uint16_t>() and double the count."
    return f"Use a tensor of {' or '.join(sorted(legal))}." if legal else ""


def _legal_types(failure: _Failure) -> list[str]:
    legal = failure.evidence.get("legal", [])
    return [t for t in legal if isinstance(t, str)] if isinstance(legal, list) else []


def _a(type_: CppType) -> str:
    text = str(type_)
    return f"{'an' if text[0] in 'aeiouAEIOU' and not text.startswith('u') else 'a'} {text}"


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


def _or(counts: Sequence[int]) -> str:
    words = [str(c) for c in counts]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
