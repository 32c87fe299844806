"""Compiler messages as diagnostics: the author's line, one short sentence, a stable code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.simulator.compiler_output import CompilerError, Note, Place
from agentkernel.simulator.lexer import lex
from agentkernel.simulator.source_pass import PreparedSource

MAX_DIAGNOSTICS = 12
"""Later errors mostly follow from earlier ones, and a prompt has no room for more."""
MAX_TEXT = 320
MAX_CANDIDATES = 4

_STEP_LIMIT = "hit maximum step limit"
_SMALLER = "Make the compile-time work smaller: fewer or shallower templates and constant expressions."

Parts = dict[str, Any]
"""Fields of a Diagnostic that a rule found out: message, hint, apis, evidence."""


def to_diagnostics(errors: Sequence[CompilerError], prepared: PreparedSource) -> tuple[Diagnostic, ...]:
    """Diagnostics for a compiler's errors, doubles removed, at most `MAX_DIAGNOSTICS`."""
    found: dict[tuple[object, ...], Diagnostic] = {}
    for error in errors:
        diagnostic = _diagnostic(error, prepared)
        if diagnostic is not None:
            place = diagnostic.location
            found.setdefault((diagnostic.code, place and (place.file, place.line), diagnostic.message), diagnostic)
    return tuple(found.values())[:MAX_DIAGNOSTICS]


def shorten(text: str) -> str:
    """A compiler's text without what only a library author needs: aliases, defaults, our namespace, quotes, paths."""
    text = text.replace("couldn't", "could not")  # its apostrophe is no quote
    text = re.sub(r" \{aka '[^']*'\}", "", text)
    text = re.sub(r"\(aka '[^']*'\)", "", text)
    text = re.sub(r"\b(?:AscendC|std|akrt)::(?:__cxx11::)?", "", text)
    text = re.sub(r"\b(?:class|struct|enum) (?=[A-Za-z_])", "", text)
    text = re.sub(r" \[-[\w-]+=?\]| \(use '-f[^)]*\)", "", text)
    text = re.sub(r"(?:/[\w.+-]+)+/([\w.+-]+)", r"\1", text)
    for long, short in _TYPES:
        text = text.replace(long, short)
    text = re.sub(r"'([^']+)'", r"`\1`", text)
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


_TYPES = (
    ("_Float16", "half"),
    ("unsigned char", "uint8_t"),
    ("signed char", "int8_t"),
    ("short unsigned int", "uint16_t"),
    ("unsigned short", "uint16_t"),
    ("short int", "int16_t"),
    ("long unsigned int", "uint64_t"),
    ("unsigned long", "uint64_t"),
    ("long int", "int64_t"),
    ("unsigned int", "uint32_t"),
)


def _diagnostic(error: CompilerError, prepared: PreparedSource) -> Diagnostic | None:
    if "too many errors emitted" in error.text:
        return None
    location, called = _locate(error, prepared)
    code, parts = _classify(error, called)
    message = parts.pop("message", "") or _sentence(shorten(error.text))
    if prepared.symbol != prepared.kernel.entry:
        message = re.sub(rf"\b{re.escape(prepared.symbol)}\b", prepared.kernel.entry, message)
    if error.place is not None and _is_appended(error.place, prepared):
        return _about_the_end(prepared, location, message)
    location = _on_name(location, parts, prepared)
    return Diagnostic(code=code, level=Level.API, message=message, location=location, **parts)


def _classify(error: CompilerError, called: str) -> tuple[str, Parts]:
    if any(_STEP_LIMIT in note.text for note in error.notes):  # clang's error only says "not a constant"
        return "compile-limit", {"message": "A constant expression takes too many steps.", "hint": _SMALLER}
    for pattern, code, rule in _RULES:
        match = pattern.search(error.text)
        if match is not None:
            parts = rule(match, error, called)
            return parts.pop("code", code), parts
    return "compile-error", {}


def _is_appended(place: Place, prepared: PreparedSource) -> bool:
    return prepared.own_file(place.file) == prepared.main_file and place.line >= prepared.appended_line


def _about_the_end(prepared: PreparedSource, location: Location | None, message: str) -> Diagnostic:
    """What the compiler says of the launcher behind the author's text is about that text's end, or about the entry."""
    code = lex(prepared.kernel.files[prepared.main_file]).code
    if code.count("{") > code.count("}"):
        end = Location(file=prepared.main_file, line=max(1, prepared.appended_line - 1))
        message = "The file ends inside an open `{`."
        return Diagnostic(code="syntax", level=Level.API, message=message, location=end, hint="Close every brace.")
    hint = "The launch passes addresses (GM_ADDR) only."
    return Diagnostic(code="wrong-entry-signature", level=Level.API, message=message, location=location, hint=hint)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:] if text[:1].islower() else text
    return text if text.endswith((".", "…", "?")) else text + "."


def _locate(error: CompilerError, prepared: PreparedSource) -> tuple[Location | None, str]:
    """The author's place of an error, and the library function that was called there when it arose inside of one."""
    if error.place is None:
        return None, ""
    places = [error.place, *error.trace, *(n.place for n in error.notes if _is_macro(n))]
    for place in places:
        file = prepared.own_file(place.file)
        if file is not None:
            column = _characters(prepared.files[file], place)
            return prepared.locate(file, place.line, column), _name_of(place.function)
    return None, ""


def _is_macro(note: Note) -> bool:
    return note.text.startswith(("in expansion of macro", "in definition of macro", "expanded from macro"))


def _characters(text: str, place: Place) -> int | None:
    """A printed column counts bytes; ours count characters."""
    if place.column is None:
        return None
    lines = text.split("\n")
    if place.line > len(lines):
        return None
    return len(lines[place.line - 1].encode()[: place.column - 1].decode("utf-8", "ignore")) + 1


def _name_of(function: str) -> str:
    """`Add` for `void AscendC::Add(const AscendC::LocalTensor<T>&, ...) [with T = int]`."""
    head = re.sub(r"<[^<>]*>", "", function.partition("(")[0])
    match = re.search(r"([A-Za-z_]\w*)$", head.strip())
    return match.group(1) if match else ""


def _on_name(location: Location | None, parts: Parts, prepared: PreparedSource) -> Location | None:
    """g++ points at the parenthesis of a call; point at the name that the finding is about, where the line has it."""
    if location is None or location.file not in prepared.files:
        return location
    line = prepared.kernel.files[location.file].split("\n")[location.line - 1 : location.line]
    for api in parts.get("apis", ()):
        hits = [match.start() + 1 for match in re.finditer(rf"\b{re.escape(api)}\b", line[0])] if line else []
        if hits:
            column = location.column or hits[0]
            nearest = min(hits, key=lambda hit: abs(hit - column))
            return Location(file=location.file, line=location.line, column=nearest, end_column=nearest + len(api))
    return location


# ---- rules: one for each kind of message, first match wins ----


def _unknown(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    groups = match.groupdict()
    name = groups["name"].split("::")[-1]
    scope = shorten(groups.get("scope") or "")
    suggestion = re.search(r"did you mean '((?!(?:akrt|akc|Ak|AK_|ak)[\w:])[^']+)'", error.text)  # no names of ours
    where = f" in `{scope}`" if scope else ""
    return {
        "message": f"There is no `{name}`{where}.",
        "hint": f"Did you mean `{shorten(suggestion.group(1))}`?" if suggestion else "",
        "apis": (name,),
        "evidence": {"name": name, **({"scope": scope} if scope else {})},
    }


def _overload(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    call = shorten(match["call"])
    name = _name_of(call + "(") if "(" not in call else _name_of(call)
    arguments = _arguments(call)
    candidates = _candidates(error, name, None if arguments is None else len(arguments))
    shown = dict.fromkeys(": ".join(filter(None, (c["signature"], c["reason"]))) for c in candidates)
    described = f"`{call}` fits" if arguments is not None else f"This call of `{name}` fits"
    return {
        "message": f"{described} no overload of `{name}`.",
        "hint": _clip("Candidates: " + "; ".join(shown)) if any(shown) else "",
        "apis": (name,),
        "evidence": {"api": name, "arguments": arguments or [], "candidates": candidates},
    }


def _clip(text: str) -> str:
    limit = 3 * MAX_TEXT
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _candidates(error: CompilerError, name: str, given: int | None) -> list[dict[str, str]]:
    """Signature in short form and why it does not fit; nearest first: by the number of arguments."""
    found: list[dict[str, str]] = []
    for note in error.notes:
        if _is_macro(note):
            continue
        declared = re.match(r"candidate(?: \d+)?: '(.*)'", note.text)
        text = shorten(note.text)
        if declared:
            found.append({"signature": _short_signature(shorten(declared.group(1)), name), "reason": ""})
        elif match := re.match(
            r"candidate (?:function |constructor )?(?:template )?(?:ignored|not viable): (.*)", text
        ):
            found.append({"signature": "", "reason": match.group(1)})
        elif found and not found[-1]["reason"] and not text.startswith("template argument deduction"):
            found[-1]["reason"] = text

    def distance(candidate: dict[str, str]) -> int:
        takes = len(_arguments(candidate["signature"]) or ())
        return abs(takes - given) if given is not None and takes else 2 * ("requires" in candidate["reason"])

    return sorted(found, key=distance)[:MAX_CANDIDATES]


def _short_signature(text: str, name: str) -> str:
    """`Add(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, int32_t)`."""
    position = text.find(f"{name}(")
    if position < 0:
        return text
    signature = text[position:].partition(" [with")[0]
    return re.sub(r"\bconst (?=[A-Za-z_])", "", signature).replace("&", "")


def _arguments(call: str) -> list[str] | None:
    opening = call.find("(")
    if opening < 0 or not call.endswith(")"):
        return None
    inside = call[opening + 1 : -1].replace("&", "")
    parts, depth, start = [], 0, 0
    for position, character in enumerate(inside):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(inside[start:position].strip())
            start = position + 1
    return [part for part in (*parts, inside[start:].strip()) if part]


def _assertion(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    """Our headers say `Ascend C <API>: <what>; legal: <list>`."""
    text = match["text"].strip().strip('"')
    ours = re.match(r"Ascend C ([\w:]+): (.*?)(?:; legal: (.*))?$", text)
    if ours is None:
        return {"message": _sentence(shorten(text)), "apis": (called,) if called else ()}
    api, what, legal = ours.groups()
    given = {name: value for step in error.trace for name, value in _bindings(step.function)} if error.trace else {}
    types = ", ".join(f"{name} = {value}" for name, value in given.items() if len(name) <= 2)
    return {
        "code": "dtype-not-supported" if "dtype" in what else "illegal-call",
        "message": _sentence(f"{api}: {what}" + (f" (here {types})" if types else "")),
        "hint": f"Legal: {legal}." if legal else "",
        "apis": (api.split("::")[-1],),
        "evidence": {
            "api": api,
            "legal": [item.strip() for item in legal.split(",")] if legal else [],
            "given": given,
        },
    }


def _bindings(function: str) -> Iterator[tuple[str, str]]:
    """Template arguments of a traced function: `[with T = short int; U = half]` (g++)."""
    bound = re.search(r"\[with (.*)\]$", function)
    for part in bound.group(1).split(";") if bound else ():
        name, _, value = part.partition(" = ")
        if value and not name.strip().endswith("_t"):  # aliases are listed among the arguments
            short = shorten(value.strip())
            yield name.strip(), "int32_t" if short == "int" else short


def _plain(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    """Messages that name types alone: notes say which call they are about."""
    name = called or next(filter(None, map(_noted, error.notes)), "")
    return {"apis": (name,)} if name else {}


def _noted(note: Note) -> str:
    about = re.match(r"(?:(?:initializing|in passing) argument \d+ of|in call to) '(?P<function>.+)'", note.text)
    if about is not None:
        return _name_of(about["function"])
    declared = re.fullmatch(r"'(?P<name>\w+)' declared here", note.text)
    return declared["name"] if declared else ""


def _operator(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    """The operands' types of clang's message are in its notes."""
    reasons = dict.fromkeys(candidate["reason"] for candidate in _candidates(error, "operator", None))
    return {**_plain(match, error, called), "hint": _clip(" ".join(_sentence(reason) for reason in reasons if reason))}


def _deleted_operator(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    """Of the types in the headers only bfloat16_t has deleted operators."""
    return {
        "message": f"No `operator{match['operator']}` for `bfloat16_t`: the chip has no arithmetic of that type.",
        "hint": "Convert the operands with `ToFloat` first.",
    }


def _handle(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    return {
        "message": "`DeQue()` without a type returns a `TBufHandle`, not a tensor.",
        "hint": "Name the element type: `DeQue<T>()`.",
        "apis": ("DeQue",),
    }


def _limit(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    return {"hint": _SMALLER}


def _no_exceptions(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    return {"message": "Device code has no exceptions, no typeid and no dynamic_cast.", "hint": "Remove it."}


def _poisoned(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    name = match["name"]
    what = f"`{name}`" if name else "A name that is built here (asm, __has_include)"
    return {"message": f"{what} cannot be used in a kernel.", "hint": "Write it with Ascend C APIs alone."}


def _missing(match: re.Match[str], error: CompilerError, called: str) -> Parts:
    name = match["name"]
    return {
        "message": f"There is no header `{name}` for device code.",
        "hint": 'Include "kernel_operator.h"; host headers and the host side are not part of a device kernel.',
        "evidence": {"include": name},
    }


_NAME = r"'(?P<name>~?[\w:]+)'"
_SCOPE = r"'(?P<scope>.+?)'"

_Rule = Callable[[re.Match[str], CompilerError, str], Parts]
_PATTERNS: tuple[tuple[str, _Rule, tuple[str, ...]], ...] = (
    (
        "illegal-call",
        _assertion,
        (r"static(?:_assert| assertion) failed(?: due to requirement '.*?')?: (?P<text>.+)$",),
    ),
    ("compile-error", _plain, (r"static(?:_assert| assertion) failed",)),
    ("forbidden-cpp", _poisoned, (r"poisoned (?:identifier)?[\"']?(?P<name>\w*)",)),
    ("forbidden-cpp", _no_exceptions, (r"exception handling disabled", r"with exceptions disabled", r"no-rtti")),
    (
        "unknown-include",
        _missing,
        (r"^(?P<name>\S+): No such file or directory$", r"^'(?P<name>[^']+)' file not found$"),
    ),
    (
        "unknown-name",
        _unknown,
        (
            rf"'(?P<scope>.+)' has no member named {_NAME}",
            rf"^no (?:(?:member|type|template|struct|class) )?named {_NAME} in (?:namespace )?{_SCOPE}",
            rf"^{_NAME} (?:is not a member of|in (?:namespace|class|struct)) {_SCOPE}",
            rf"^{_NAME} (?:was not declared|has not been declared|does not name a)",
            rf"^(?:use of undeclared identifier|unknown type name|no template named|no type named) {_NAME}",
            rf"^there are no arguments to {_NAME}",
        ),
    ),
    (
        "no-matching-overload",
        _overload,
        (
            r"^no matching (?:member )?(?:function|constructor)? ?(?:for )?"
            r"(?:call to|initialization of) '(?P<call>[^']+)'",
        ),
    ),
    ("no-matching-overload", _plain, (r"^too (?:few|many) arguments (?:to|provided)",)),
    ("ambiguous-call", _plain, (r" is ambiguous$",)),
    (
        "compile-limit",
        _limit,
        (
            r"template instantiation depth exceeds|recursive template instantiation",
            r"(?:constexpr|constant expression|constant evaluation).*(?:limit|exceed)|hit maximum step limit",
            r"memory exhausted|out of memory|[Cc]annot allocate memory|Killed|internal compiler error|File too large",
            r"nested too deeply|nested depth|nesting level exceeded",
        ),
    ),
    ("compile-error", _plain, (r"discards qualifiers|drops '?const'? qualifier|but function is not marked const",)),
    ("type-conversion", _operator, (r"^no viable overloaded",)),
    (
        "type-conversion",
        _deleted_operator,
        (
            r"^use of deleted function 'void operator(?P<operator>[^\s(]+)\(",
            r"^overload resolution selected deleted operator '(?P<operator>[^']+)'",
        ),
    ),
    (
        "type-conversion",
        _handle,
        (r"^(?:conversion from|no viable conversion from) '[^']*TBufHandle'",),
    ),
    (
        "type-conversion",
        _plain,
        (
            r"^(?:cannot convert|invalid conversion|could not convert|conversion from|cannot initialize|incompatible)",
            r"^(?:no viable conversion|no known conversion|assigning to|no match for|binding|narrowing)",
            r"^invalid (?:operands|initialization of|static_cast|cast|'\w+_cast'|user-defined|types)",
            r"^cannot (?:bind|cast|assign)|^reinterpret_cast",
        ),
    ),
    (
        "syntax",
        _plain,
        (
            r"^(?:expected|stray|missing terminating|unterminated|extraneous|unbalanced|unexpected|unknown escape)",
            r"^(?:invalid preprocessing|#endif|#else|#elif)",
            r"^(?:a )?function[- ]definition is not allowed",
        ),
    ),
)
_RULES = tuple((re.compile(pattern), code, rule) for code, rule, patterns in _PATTERNS for pattern in patterns)
"""One for each kind of message; the first that matches wins."""
