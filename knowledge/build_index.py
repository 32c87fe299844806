"""Build `data/ascendc_a2.json` from the fact files: `python -m agentkernel.knowledge.build_index FACTS_DIR`.

`ascendc_api.csv` gives names, categories, purposes and most signatures. `data/overlay.yaml`, written by hand, gives
the exact A2 overload sets, structures, enums and constants, and wins wherever both speak. The output is
deterministic: the same inputs give the same bytes.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from agentkernel.knowledge.declarations import find_overloads, overload, split_top, template_params
from agentkernel.knowledge.index import DATA, Api, CastRule, Combo, Constant, Field, Overload, Status, TypeInfo

_UNJUDGED = ("host", "C API", "high-level: conv3d", "debug: CPU twin", "SuperKernel", "language")
_ELEMENT_TYPES = frozenset(
    (
        *("half", "float", "double", "bfloat16_t", "bool", "int4b_t", "int8_t", "uint8_t", "int16_t", "uint16_t"),
        *("int32_t", "uint32_t", "int64_t", "uint64_t"),
    )
)
# fragments that every row of a family repeats and that cards say once
_BOILERPLATE = re.compile(
    r"^(operands in UB|PIPE_V$|repeat limit|forms|forms:|resource management|tensor object|kernel macro|utility$"
    r"|high-level Matmul client|ND only|LocalTensor in UB|UB operands 32 B)"
)
_FIVE = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")


def build(facts: Path, overlay_path: Path = DATA / "overlay.yaml") -> dict[str, Any]:
    """The index as plain data, ready for JSON.

    Args:
        facts: Folder with `ascendc_api.csv`.
        overlay_path: The hand-written corrections.
    """
    overlay = yaml.safe_load(overlay_path.read_text(encoding="utf-8"))
    with (facts / "ascendc_api.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    apis: dict[str, dict[str, Any]] = {}
    types: dict[str, dict[str, Any]] = {}
    words: set[str] = set(overlay["reserved"].split())
    for row in rows:
        _read_row(row, apis, types, words)
    for entry in overlay["apis"]:
        _apply(entry, apis)
    for name, entry in overlay["types"].items():
        types[name] = _type(name, entry, types.get(name, {}))
    for name in [n for n in apis if types.get(n, {}).get("kind") == "class"]:
        del apis[name]  # the row of a class, not of a function
    for old, entry in [(n, e) for n, e in apis.items() if e.get("renamed_to")]:
        apis.setdefault(entry["renamed_to"], {})["formerly"] = old
    return {
        "chip": "Atlas A2",
        "chips": overlay["chips"],
        "apis": {name: _dump(Api, name, apis[name]) for name in sorted(apis)},
        "types": {name: _dump(TypeInfo, name, types[name]) for name in sorted(types)},
        "constants": {
            name: _dump(Constant, name, {"type": entry[0], "value": str(entry[1])})
            for name, entry in sorted(overlay["constants"].items())
        },
        "casts": [rule.model_dump(mode="json", exclude_defaults=True) for rule in _casts(overlay["casts"])],
        "reserved": sorted(words - set(apis) - set(types) - set(overlay["constants"])),
    }


def render(index: Mapping[str, Any]) -> str:
    """JSON text of the index: one entry a line, so that a change shows as a line in a diff."""
    sections = []
    for key, value in index.items():
        if isinstance(value, dict):
            lines = ",\n".join(f"{_json(name)}:{_json(entry)}" for name, entry in value.items())
            sections.append(f"{_json(key)}:{{\n{lines}\n}}")
        elif key == "casts":
            sections.append(f"{_json(key)}:[\n" + ",\n".join(_json(rule) for rule in value) + "\n]")
        else:
            sections.append(f"{_json(key)}:{_json(value)}")
    return "{" + ",\n".join(sections) + "}\n"


def main(argv: Sequence[str]) -> int:
    """Write the index; exit status 0."""
    if len(argv) != 1:
        print("usage: python -m agentkernel.knowledge.build_index FACTS_DIR", file=sys.stderr)
        return 2
    text = render(build(Path(argv[0])))
    target = DATA / "ascendc_a2.json"
    target.write_text(text, encoding="utf-8")
    print(f"{target.name}: {len(text)} bytes")
    return 0


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _dump(model: type[Api] | type[TypeInfo] | type[Constant], name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    # validated on the way out, so that the committed file can only hold what the models accept
    data = model.model_validate({"name": name, **entry}).model_dump(mode="json", exclude_defaults=True)
    data.pop("name")
    return data


# ---- rows of the csv


def _read_row(row: Mapping[str, str], apis: dict[str, Any], types: dict[str, Any], words: set[str]) -> None:
    raw, category = row["name"], row["category"]
    plain = re.sub(r"\s*\([^)]*\)\s*$", "", raw.replace("(ISASI)", "")).strip()
    if category.startswith(_UNJUDGED):
        # known, never judged: their names must not look like inventions; of the host's only what kernels call too
        names = re.findall(r"[A-Za-z_]\w{2,}", plain)
        words.update(
            n
            for n in names
            if ("TmpSize" in n or "TmpBufferFactorSize" in n)
            or (not category.startswith("host") and not re.fullmatch(r"[a-z]+|[A-Z][a-z]+", n))
        )
        return
    if category == "enum":
        for match in re.finditer(r"enum(?: class)? (\w+)(?: : (\w+))? \{([^}]*)\}", row["overload_signatures"]):
            types[match.group(1)] = _enum(match.group(1), match.group(3), match.group(2) or "", category="enum")
        return
    if category == "parameter struct":
        types[plain] = _struct_row(plain, row)
        return
    if raw.startswith(("constructor", "(custom pool)", "Coordinate", "layout", "is_")):
        return
    if "::" in plain or "constructor" in plain or "(overview)" in raw or category.startswith("cube group"):
        owner = plain.split("::")[0].split()[0].split("/")[0]
        _read_method(owner, plain, row, types, words)
        return
    if category == "debug" and "#define" in row["overload_signatures"]:
        plain = " / ".join(dict.fromkeys(re.findall(r"#define (\w+)\(", row["overload_signatures"])))
    for name in re.split(r"\s*/\s*", plain):
        if re.fullmatch(r"[A-Za-z_]\w*", name):
            _merge_row(name, row, apis)


def _merge_row(name: str, row: Mapping[str, str], apis: dict[str, Any]) -> None:
    status = _status(row)
    found = [_typed(o, row["dtypes_a2"]) for o in find_overloads(row["overload_signatures"], name)]
    entry = apis.get(name)
    if entry is None:
        entry = apis[name] = {
            "category": row["category"], "status": status, "pipe": row["pipe"], "purpose": row["purpose"],
            "overloads": [], "constraints": _constraints(row["key_constraints"]),
            "kind": "macro" if "macro" in row["category"] or "#define" in row["overload_signatures"] else "function",
        }  # fmt: skip
    elif entry["status"] is not Status.SUPPORTED and status is Status.SUPPORTED:
        entry.update(category=row["category"], status=status, pipe=row["pipe"], purpose=row["purpose"], overloads=[])
        entry["constraints"] = _constraints(row["key_constraints"])
    if entry["status"] is status:
        known = {_key(o) for o in entry["overloads"]}
        entry["overloads"] += [o.model_dump() for o in found if _key(o.model_dump()) not in known]


def _key(entry: Mapping[str, Any]) -> str:
    return str([(p["type"]) for p in entry["params"]]) + str(len(entry["template"]))


def _typed(found: Overload, dtypes: str) -> Overload:
    """Attach a row's dtype list where it is plainly a list for T."""
    # segments that name an operand (`mask: uint8_t`) speak of that operand only
    plain = [
        m.group(1).split("/") for s in dtypes.split(";") if (m := re.fullmatch(r"(?:T: |T/U: )?([\w/]+)", s.strip()))
    ]
    names = plain[0] if len(plain) == 1 else []
    if not names or not set(names) <= _ELEMENT_TYPES:
        return found
    tensor = next((p for p in found.params if p.kind.value in {"local", "global"} and p.element == "T"), None)
    return found.model_copy(update={"dtypes": {"T": tuple(names)}}) if tensor else found


def _read_method(owner: str, plain: str, row: Mapping[str, str], types: dict[str, Any], words: set[str]) -> None:
    if not re.fullmatch(r"[A-Za-z_]\w*", owner):
        words.update(re.findall(r"[A-Za-z_]\w{2,}", plain))
        return
    entry = types.setdefault(owner, {"kind": "class", "category": row["category"], "methods": []})
    name = plain.partition("::")[2]
    if owner == "Matmul":
        words.add(name)  # some of its rows are free functions, such as GetNormalConfig
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return
    if any(m["name"] == name for m in entry.setdefault("methods", [])):
        return
    overloads = [o.model_dump() for o in find_overloads(row["overload_signatures"], name)]
    method = {"name": name, "kind": "method", "purpose": row["purpose"], "overloads": overloads, "status": _status(row)}
    entry["methods"].append(method)


def _struct_row(name: str, row: Mapping[str, str]) -> dict[str, Any]:
    text = row["overload_signatures"]
    body = re.search(r"\{(.*)\}", text)
    head = re.search(r"template\s*<([^>]*)>", text)
    fields = []
    for item in (body.group(1) if body else "").split(";"):
        match = re.fullmatch(r"\s*(.+?)\s+(\w+)(?:\[[^\]]*\])?(?: \(alias (\w+)\))?(?:\s*=\s*(.+?))?\s*", item)
        if match and "ctor" not in item:
            names = [match.group(2)] + ([match.group(3)] if match.group(3) else [])
            fields += [Field(name=n, type=match.group(1), default=match.group(4)) for n in names]
    return {
        "kind": "struct", "category": "parameter struct", "status": _status(row),
        "template": [t.model_dump() for t in template_params(head.group(1))] if head else [],
        "fields": [f.model_dump() for f in fields], "constraints": _constraints(row["key_constraints"]),
    }  # fmt: skip


def _status(row: Mapping[str, str]) -> Status:
    return Status.OTHER_CHIP if row["a2_support"] == "no" else Status.SUPPORTED


def _constraints(text: str) -> list[str]:
    parts = [p.strip() for p in text.split(";")]
    return [p for p in parts if p and not _BOILERPLATE.match(p)][:6]


# ---- the overlay


def _expand(form: str) -> list[str]:
    """Write out the shorthand of one form; a form with options gives several."""
    option = re.search(r"\[(,[^\[\]]*)\]", form)
    if option:
        rest = form[: option.start()], form[option.end() :]
        return _expand(rest[0] + rest[1]) + _expand(rest[0] + option.group(1) + rest[1])
    for word, choices in {
        "CMASK": ("const uint64_t mask[]", "const uint64_t mask"),
        "IMASK": ("const int32_t mask", "const uint64_t mask[]"),
        "MASK": ("uint64_t mask[]", "uint64_t mask"),
    }.items():
        if re.search(rf"\b{word}\b", form):
            return [text for choice in choices for text in _expand(re.sub(rf"\b{word}\b", choice, form, count=1))]
    for pattern, text in (
        (r"\bcl\b", "const LT<T>&"), (r"\bcu\b", "const LT<U>&"), (r"\bcg\b", "const GT<T>&"),
        (r"\bLT<", "LocalTensor<"), (r"\bGT<", "GlobalTensor<"),
    ):  # fmt: skip
        form = re.sub(pattern, text, form)
    return [form]


def _form(form: str) -> Overload:
    match = re.fullmatch(r"(?:<(.*?)>\s*)?\((.*)\)(?:\s*->\s*(.+))?", form.strip())
    if match is None:
        raise ValueError(f"overlay: cannot read the form {form!r}")
    return overload(match.group(3) or "void", match.group(1) or "", match.group(2))


def _forms(entry: Mapping[str, Any], kind: str = "") -> list[Overload]:
    found = []
    for form in entry.get("forms", ()):
        for text in _expand(form):
            item = _form(text) if kind != "macro" else _macro_form(text)
            types = entry.get(f"dtypes{item.level}", entry.get("dtypes", {}))
            params = {p.element for p in item.params} | {t.name for t in item.template}
            dtypes = {name: tuple(str(names).split()) for name, names in types.items() if name in params}
            update: dict[str, Any] = {"dtypes": dtypes}
            if "combo" in entry and set(entry["combo"]["params"].split()) <= params:
                choices = tuple(tuple(c.split()) for c in entry["combo"]["choices"])
                update["combo"] = Combo(params=tuple(entry["combo"]["params"].split()), choices=choices)
            found.append(item.model_copy(update=update))
            if entry.get("twin"):
                found.append(_twin(found[-1]))
    return found


def _macro_form(text: str) -> Overload:
    return overload("", "", ", ".join(f"macro {p}" for p in split_top(text.strip().strip("()"))))


def _twin(first: Overload) -> Overload:
    """The declaration for TensorTrait elements: the scalar has a type parameter of its own."""
    params = tuple(
        p.model_copy(update={"type": p.type.replace("T", "U"), "element": "U"} if p.kind.value == "element" else
                     {"default": None} if p.name == "roundEn" else {})
        for p in first.params
    )  # fmt: skip
    head = template_params("typename T, typename U") + tuple(t for t in first.template if t.name != "T")
    return first.model_copy(update={"params": params, "template": head, "twin": True})


def _apply(entry: Mapping[str, Any], apis: dict[str, Any]) -> None:
    for name in entry["names"]:
        target = apis.setdefault(name, {"category": "", "overloads": [], "constraints": []})
        texts = (
            "category",
            "pipe",
            "purpose",
            "kind",
            "instead",
            "renamed_to",
            "example",
            "mistake",
            "see_also",
            "status",
        )
        for key in texts:
            if key in entry:
                value = entry[key]
                target[key] = value.replace("{name}", name) if isinstance(value, str) else value
        if entry.get("constraints"):
            target["constraints"] = entry["constraints"]
        if entry.get("keep"):
            continue
        forms = [o.model_dump() for o in _forms(entry, entry.get("kind", ""))]
        target["overloads"] = (target["overloads"] + forms) if entry.get("append") else forms
        target["status"] = entry.get("status", Status.SUPPORTED)
        target["exact"] = entry.get("exact", bool(forms))


def _enum(name: str, members: str, underlying: str, *, scoped: bool = True, category: str = "enum") -> dict[str, Any]:
    values: dict[str, int] = {}
    following = 0
    for item in re.split(r"[,\s]+", re.sub(r"\s*=\s*", "=", members.strip())):
        label, _, value = item.partition("=")
        if not label:
            continue
        following = values[value] if value in values else int(value, 0) if value else following
        values[label] = following
        following += 1
    return {
        "kind": "enum", "category": category, "values": values, "underlying": underlying, "scoped": scoped,
        "exact": name != "QuantMode_t",
    }  # fmt: skip


def _type(name: str, entry: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    if "enum" in entry:
        scoped = entry.get("scoped", True)
        made = _enum(name, entry["enum"], entry.get("underlying", ""), scoped=scoped)
        return made | {"exact": not entry.get("open")}
    if "alias" in entry:
        return {"kind": "alias", "target": entry["alias"]}
    if "scalar" in entry:
        return {"kind": "scalar", "underlying": f"{entry['scalar']} bytes"}
    template = entry.get("template", "").strip("<>")
    made = {
        "kind": entry.get("kind", "struct"),
        "category": entry.get("category", known.get("category", "parameter struct")),
        "purpose": entry.get("purpose", ""),
        "template": [t.model_dump() for t in template_params(template)],
        "constraints": entry.get("constraints", known.get("constraints", [])),
        "aggregate": entry.get("aggregate", False),
        "exact": entry.get("exact", _closed(entry)),
    }
    if "methods" in entry:
        made["methods"] = [
            {
                "name": method, "kind": "method", "exact": True,
                "overloads": [_form(t).model_dump() for form in forms for t in _expand(form)],
            }
            for method, forms in sorted(entry["methods"].items())
        ]  # fmt: skip
    else:
        made["methods"] = known.get("methods", [])
    if "ctor" in entry:
        made["constructors"] = [_form(form).model_dump() for form in (entry["ctor"], *entry.get("more", ()))]
        defaults = str(entry.get("defaults", "")).split()
        params = _form(entry["ctor"]).params
        fields = [
            {"name": p.name, "type": p.type, "default": defaults[i] if defaults else None} for i, p in enumerate(params)
        ]
        made["fields"] = fields + [{"name": n, "type": t} for n, t in entry.get("extra", {}).items()]
    else:
        made["constructors"] = [_form(form).model_dump() for form in entry.get("constructors", ())]
        made["fields"] = [{"name": n, "type": t} for n, t in entry.get("fields", {}).items()]
    return made


def _closed(entry: Mapping[str, Any]) -> bool:
    """A structure is closed when its constructor or fields are spelled out and it is not marked open."""
    return not entry.get("open") and ("ctor" in entry or "fields" in entry)


def _casts(rules: Sequence[Sequence[Any]]) -> list[CastRule]:
    made = []
    for src, dst, modes, *note in rules:
        names: list[str] = []
        for mode in str(modes).split():
            names += [f"CAST_{m}" for m in (_FIVE if mode == "5" else (mode,))]
        made += [
            CastRule(src=s, dst=d, modes=tuple(names), note=note[0] if note else "")
            for s in src.split()
            for d in dst.split()
        ]
    return sorted(made, key=lambda rule: (rule.src, rule.dst))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
