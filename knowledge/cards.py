"""API cards: what a model must know about one Ascend C name, short enough for a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from agentkernel.knowledge.index import Api, Constant, Index, Overload, ParamKind, Status, TypeInfo, load_index


class Card(BaseModel):
    """Reference text about one name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    """The name."""
    text: str
    """Markdown."""


def cards(names: Sequence[str], budget: int, *, target: str = "ascend910b") -> tuple[Card, ...]:
    """Cards of names, in their order, inside a token budget.

    A card that does not fit in full is tried in its short form (forms and element types only); what does not fit then
    is left out. Names that the index does not know have no card.

    Args:
        names: Functions, types or constants, without namespace; repetitions count once.
        budget: Tokens for all cards together.
        target: Chip.
    """
    from agentkernel.prompts.budget import estimate_tokens

    index = load_index(target)
    made: list[Card] = []
    left = budget
    for name in dict.fromkeys(names):
        for text in variants(name, index):
            cost = estimate_tokens(text)
            if cost <= left:
                made.append(Card(title=name, text=text))
                left -= cost
                break
    return tuple(made)


def variants(name: str, index: Index) -> tuple[str, ...]:
    """Texts of one card, fullest first; empty for an unknown name."""
    api = index.api(name)
    if api is not None:
        return tuple(dict.fromkeys(("\n".join(_api(api, index)), "\n".join(_api_short(api)))))
    info = index.type(name)
    if info is not None:
        return tuple(dict.fromkeys(("\n".join(_type(info)), "\n".join(_type_short(info)))))
    constant = index.constant(name)
    return (_constant(constant),) if constant is not None else ()


# ---- functions


def _api(api: Api, index: Index) -> Iterator[str]:
    yield from _heading(api)
    if api.status is not Status.SUPPORTED:
        yield f"Not on this chip. Instead: {api.instead}." if api.instead else "Not on this chip."
        return
    yield from _forms(api)
    types = _types(api)
    if types:
        yield f"Element types: {types}."
    if api.name == "Cast":
        yield "Pairs and round modes:"
        yield from _casts(index)
    if any(p.kind is ParamKind.STRUCT for o in api.overloads for p in o.params):
        used = dict.fromkeys(
            p.element.partition("<")[0] for o in api.overloads for p in o.params if p.kind is ParamKind.STRUCT
        )
        yield from (
            f"`{_constructor(info)}`" for n in used if (info := index.type(n)) is not None and info.constructors
        )
    if api.constraints:
        yield "Rules: " + "; ".join(api.constraints) + "."
    if api.example:
        yield f"Example: `{api.example}`"
    if api.mistake:
        yield f"Common mistake: {api.mistake}."
    other = api.renamed_to or api.formerly
    if other:
        yield f"`{other}` is {'the newer' if api.renamed_to else 'an older'} spelling."


def _api_short(api: Api) -> Iterator[str]:
    yield from _heading(api)
    if api.status is not Status.SUPPORTED:
        yield f"Not on this chip. Instead: {api.instead}." if api.instead else "Not on this chip."
        return
    own = [o for o in api.overloads if not o.twin]
    # the form with a count is what most calls want; without one, the first two forms are the main ones
    yield from (f"`{o.signature(api.name)}`" for o in [o for o in own if o.level == 2][:1] or own[:2])
    types = _types(api)
    if types:
        yield f"Element types: {types}."


def _heading(api: Api) -> Iterator[str]:
    pipe = f" (pipe {api.pipe})" if api.pipe else ""
    yield f"**{api.name}**" + (f": {api.purpose}" if api.purpose else "") + pipe


def _forms(api: Api) -> Iterator[str]:
    shown = sorted((o for o in api.overloads if not o.twin), key=lambda o: o.level == 0)
    if not shown:
        return
    yield "```cpp"
    previous = ""
    for overload in shown[:8]:
        text = overload.signature(api.name) + ";"
        # the form with a mask array differs from the one with a mask count in one word
        alike = text.replace("const uint64_t mask[]", "uint64_t mask").replace("uint64_t mask[]", "uint64_t mask")
        alike = alike.replace("const uint64_t mask", "uint64_t mask").replace("const int32_t mask", "uint64_t mask")
        if alike != previous:
            yield text
        previous = alike
    yield "```"
    if len(shown) > 8:
        yield f"and {len(shown) - 8} more forms."


def _types(api: Api) -> str:
    combos = [o.combo for o in api.overloads if o.combo is not None]
    if combos:
        pairs = ", ".join("/".join(choice) for choice in combos[0].choices)
        return f"({', '.join(combos[0].params)}) one of {pairs}"
    by_level: dict[int | None, str] = {}
    for overload in api.overloads:
        if overload.dtypes and not overload.twin:
            by_level.setdefault(overload.level, _by_param(overload))
    distinct = list(dict.fromkeys(by_level.values()))
    if len(distinct) == 1:
        return distinct[0]
    words = {0: "with mask", 2: "with count", None: "otherwise"}
    return "; ".join(f"{words[level]} {text}" for level, text in by_level.items())


def _by_param(overload: Overload) -> str:
    return "; ".join(f"{name}: {', '.join(types)}" for name, types in overload.dtypes.items())


def _casts(index: Index) -> Iterator[str]:
    by_rule: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for rule in index.casts:
        by_rule.setdefault((rule.src, rule.modes), []).append(rule.dst)
    for (src, modes), targets in by_rule.items():
        short = [m.removeprefix("CAST_") for m in modes]
        yield f"- {src} -> {', '.join(targets)}: {' '.join(short)}"


# ---- types


def _type(info: TypeInfo) -> Iterator[str]:
    yield f"**{info.name}**" + (f": {info.purpose}" if info.purpose else "")
    if info.kind == "enum":
        yield "Enumerators: " + ", ".join(info.values) + "."
    elif info.kind == "alias":
        yield f"Another name of `{info.target}`."
    if info.constructors:
        yield "Constructors (a brace list gives all values or none): " + "; ".join(
            f"`{_constructor(info, i)}`" for i in range(len(info.constructors))
        )
    elif info.fields and info.kind == "struct":
        yield "Fields: " + ", ".join(f"{f.type} {f.name}" for f in info.fields) + "."
    if info.fields and info.constructors and any(f.default for f in info.fields):
        yield "Defaults: " + ", ".join(f"{f.name} = {f.default}" for f in info.fields if f.default) + "."
    yield from _methods(info.methods)
    if info.constraints:
        yield "Rules: " + "; ".join(info.constraints) + "."


def _type_short(info: TypeInfo) -> Iterator[str]:
    yield f"**{info.name}**" + (f": {info.purpose}" if info.purpose else "")
    if info.kind == "enum":
        yield "Enumerators: " + ", ".join(list(info.values)[:12]) + "."
    elif info.constructors:
        yield f"`{_constructor(info)}`"
    elif info.methods:
        yield "Members: " + ", ".join(m.name for m in info.methods) + "."


def _methods(methods: Iterable[Api]) -> Iterator[str]:
    shown = [f"{o.signature(m.name)};" for m in methods for o in m.overloads]
    if shown:
        yield "```cpp"
        yield from shown[:24]
        yield "```"


def _constructor(info: TypeInfo, which: int = 0) -> str:
    generic = f"<{', '.join(t.name for t in info.template)}>" if info.template else ""
    return info.constructors[which].signature(info.name + generic, template=False).replace("void ", "")


def _constant(constant: Constant) -> str:
    return f"**{constant.name}**: {constant.type} {constant.value}".rstrip()
