"""The source pass: what is not C++ in a kernel's files is blanked, the entry is found, and a launcher is appended.

The author's files stay as they are; the compiler and the API oracle read prepared copies in which every line and
column is where it was. Replacements are spaces of equal length; new text comes after the last line only.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.kernel import Kernel
from agentkernel.launch import arguments, tiling_struct
from agentkernel.simulator import core_groups, dialect, screening
from agentkernel.simulator.core_groups import CoreGroup
from agentkernel.simulator.lexer import Lexed, blank, lex, matching
from agentkernel.simulator.libc_names import LIBC_NAMES
from agentkernel.task import Task

LAUNCHER = "akrt_launch"
DEFAULT_TILING = "AkDefaultTiling"
"""Name under which the headers' GET_TILING_DATA looks for the structure."""

MAX_SOURCE_BYTES = 2 << 20
"""Size of all files together; the largest public kernel has 0.2 MB."""

_BRACKET_ATTRIBUTE = re.compile(
    r"(?<!\[)\[\s*(?:host\s*,\s*)?aicore(?:\s*,\s*host)?\s*\](?!\])(?=\s*(?:[A-Za-z_~:\[&*#]|\Z))"
)
_CALLED_QUALIFIER = re.compile(r"\b(?:__mix__|__schedmode__|__launch_bounds__)\s*\(")
_SAME_AS_AICORE = "__aicore__"
"""What is left of `__mix__(1, 2)`, which marks a kernel by itself; it is shorter than the shortest of them."""
_CORE_QUALIFIER = re.compile(r"\b(?:__aicore__|__vector__|__cube__|__mix__)(?!\w)")
_LAUNCH = re.compile(r"<<<")
_GLOBAL = re.compile(r"\b__global__\b")
_SCALAR = re.compile(
    r"^(?:const|unsigned|signed|volatile|\s)*"
    r"(?:bool|char|short|int|long|float|double|half|bfloat16_t|float16_t|float32_t|size_t|u?int(?:8|16|32|64)_t|auto)\b"
)


class LaunchSite(BaseModel):
    """A `kernel<<<...>>>(...)` in the author's text; it is blanked, because the launch is ours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    location: Location
    kernel: str
    """What is launched, as written, e.g. `add_custom`."""
    configuration: str
    """Text between `<<<` and `>>>`."""


class EntryContract(BaseModel):
    """How a kernel is called: the name of its entry and its arguments, and what it may take for granted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: str
    arguments: tuple[str, ...]
    """Names in order; each is a GM_ADDR."""
    tiling: str = ""
    """Definition of `TilingData`, where the launch passes one that the kernel need not define itself."""
    prelude: str = ""
    """Further text that is read before the kernel's files: macros of a variant, structures of its host side."""
    group: CoreGroup | None = None
    """Cores of a block, where that is known from elsewhere than the sources."""

    @classmethod
    def of_task(cls, task: Task) -> EntryContract:
        """The contract of a task's kernels."""
        return cls(entry=task.entry, arguments=arguments(task), tiling=tiling_struct(task))

    @property
    def signature(self) -> str:
        """The declaration that a kernel must define, as one line of C++."""
        names = ", ".join(f"GM_ADDR {name}" for name in self.arguments)
        return f'extern "C" __global__ __aicore__ void {self.entry}({names})'


class PreparedSource(BaseModel):
    """A kernel's files as the compiler and the oracle read them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: Kernel
    files: dict[str, str]
    """Prepared text by the kernel's own file names; equal lines and columns, the launcher after the main file's end."""
    main_file: str
    prelude: str = ""
    """Text that has to be read after the Ascend C headers and before the main file: `TilingData`, where the task has
    one and the kernel does not define it itself, and its role in GET_TILING_DATA."""
    entry: Location | None = None
    """Where the entry's name stands in its definition."""
    symbol: str
    """Name of the entry in the prepared text: the task's, or one of equal length where libc owns that name."""
    appended_line: int
    """First line of the main file that is ours, not the author's."""
    group: CoreGroup | None = None
    """Cores of a block as the contract or the sources state them; None where they do not, or not in one way."""
    types_differ: bool = False
    """Whether conditions or keys choose among several kernel types."""
    calls_cube: bool = False
    """Whether there are calls that only a cube core carries out."""
    launches: tuple[LaunchSite, ...] = ()
    includes: tuple[screening.Include, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found that makes compiling pointless."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    def own_file(self, path: str) -> str | None:
        """Name of the kernel's file that a compiler means by a path relative to the sources; None for other files."""
        name = posixpath.normpath(path)
        return name if name in self.files else None

    def locate(self, file: str, line: int, column: int | None = None) -> Location:
        """A place in the author's text; what we appended counts as the entry (else the last line)."""
        if file == self.main_file and line >= self.appended_line:
            return self.entry or Location(file=file, line=max(1, self.appended_line - 1))
        return Location(file=file, line=line, column=column)


def prepare(kernel: Kernel, task: Task | EntryContract) -> PreparedSource:
    """Prepare a kernel's files for compiling and checking.

    What is wrong with them becomes diagnostics of the result; the texts are given in any case.

    Args:
        kernel: The files as the author wrote them.
        task: Says which entry is launched, with which arguments; a contract where there is no task.
    """
    contract = task if isinstance(task, EntryContract) else EntryContract.of_task(task)
    size = sum(len(text.encode()) for text in kernel.files.values())
    if size > MAX_SOURCE_BYTES:
        return _too_large(kernel, contract, size)
    diagnostics: list[Diagnostic] = []
    launches: list[LaunchSite] = []
    texts: dict[str, str] = {}
    defines = ""
    all_lexed = {name: lex(text) for name, text in kernel.files.items()}
    for name, lexed in all_lexed.items():
        cleaned, found = _strip(name, lexed)
        launches += found
        adapted = dialect.adapt(cleaned, defines.count("#define"))
        texts[name] = adapted.text
        defines += adapted.defines
        diagnostics += screening.screen(name, lexed)
    entry, problems = _find_entry(texts, kernel.main_file, contract)
    diagnostics += problems
    symbol = contract.entry
    if contract.entry in LIBC_NAMES:
        symbol = _free_name(contract.entry, kernel)
        texts = {name: _rename(text, contract.entry, symbol) for name, text in texts.items()}
    main, appended_line = _append_launcher(texts[kernel.main_file], symbol, len(contract.arguments))
    texts[kernel.main_file] = main
    return PreparedSource(
        kernel=kernel,
        files=texts,
        main_file=kernel.main_file,
        prelude=contract.prelude + defines + _tiling_prelude(texts.values(), contract) + _keyed_tilings(texts.values()),
        entry=entry,
        symbol=symbol,
        appended_line=appended_line,
        group=contract.group or core_groups.stated(all_lexed.values(), contract.entry),
        types_differ=core_groups.depends(all_lexed.values()),
        calls_cube=core_groups.calls_cube(all_lexed.values()),
        launches=tuple(launches),
        includes=tuple(i for name, lexed in all_lexed.items() for i in screening.includes(name, lexed)),
        diagnostics=tuple(diagnostics),
    )


def _too_large(kernel: Kernel, contract: EntryContract, size: int) -> PreparedSource:
    """Nothing of it is looked at: reading it takes seconds, compiling it minutes."""
    message = f"The kernel's files hold {size} bytes; at most {MAX_SOURCE_BYTES} are compiled."
    return PreparedSource(
        kernel=kernel,
        files=kernel.files,
        main_file=kernel.main_file,
        symbol=contract.entry,
        appended_line=kernel.files[kernel.main_file].count("\n") + 2,
        diagnostics=(Diagnostic(code="compile-limit", level=Level.API, message=message),),
    )


def _strip(name: str, lexed: Lexed) -> tuple[str, list[LaunchSite]]:
    """Blank bracket attributes, qualifiers with arguments, and launches."""
    text, code = lexed.text, lexed.code
    spans: list[tuple[int, int]] = [match.span() for match in _BRACKET_ATTRIBUTE.finditer(lexed.bare)]
    for match in _CALLED_QUALIFIER.finditer(lexed.bare):
        close = matching(lexed.bare, match.end() - 1)
        if close >= 0:
            spans.append((match.start(), close + 1))
    sites = []
    for match in _LAUNCH.finditer(code):
        end = code.find(">>>", match.end())
        opening = _skip_space(code, end + 3)
        close = matching(code, opening) if end >= 0 and code[opening : opening + 1] == "(" else -1
        if close < 0:
            continue
        start = _callee_start(code, match.start())
        spans.append((start, close + 1))
        sites.append(
            LaunchSite(
                location=Location(file=name, line=lexed.line(start), column=lexed.column(start)),
                kernel=" ".join(text[start : match.start()].split()),
                configuration=" ".join(text[match.end() : end].split()),
            )
        )
    for start, end in spans:
        stands_for = _SAME_AS_AICORE if text.startswith("__mix__", start) else ""
        text = text[:start] + stands_for + blank(text[start:end])[len(stands_for) :] + text[end:]
    return text, sites


def _skip_space(code: str, position: int) -> int:
    while position < len(code) and code[position].isspace():
        position += 1
    return position


def _callee_start(code: str, end: int) -> int:
    """Where the name of what is launched begins: `ns::kernel<T, 3>` before `<<<`."""
    position = len(code[:end].rstrip())
    if position and code[position - 1] == ">":
        depth = 0
        while position:
            position -= 1
            depth += {">": 1, "<": -1}.get(code[position], 0)
            if depth == 0:
                break
    name = re.search(r"(?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*\s*$", code[:position])
    return name.start() if name else position


class _Candidate(BaseModel):
    """A function called like the entry, or any `__global__` function."""

    model_config = ConfigDict(frozen=True)

    name: str
    head: str
    """Declaration text before the name."""
    parameters: tuple[str, ...]
    defined: bool
    location: Location


def _functions(file: str, lexed: Lexed, name_pattern: str) -> list[_Candidate]:
    # qualifiers with arguments are gone already; attributes may hold parentheses and are not part of the type
    code = re.sub(r"__attribute__\s*\(\(.*?\)\)", lambda m: blank(m.group()), lexed.code, flags=re.DOTALL)
    found = []
    for match in re.finditer(rf"\b({name_pattern})\s*\(", code):
        opening = match.end() - 1
        close = matching(code, opening)
        if close < 0:
            continue
        head = re.split(r"[;{}]", code[: match.start()])[-1]
        after = code[_skip_space(code, close + 1) :][:1]
        if after not in ("{", ";") or not head.strip():
            continue
        found.append(
            _Candidate(
                name=match.group(1),
                head=head,
                parameters=_split_parameters(code[opening + 1 : close]),
                defined=after == "{",
                location=Location(
                    file=file,
                    line=lexed.line(match.start(1)),
                    column=lexed.column(match.start(1)),
                    end_column=lexed.column(match.start(1)) + len(match.group(1)),
                ),
            )
        )
    return found


def _split_parameters(text: str) -> tuple[str, ...]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "(<[{":
            depth += 1
        elif character in ")>]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    cleaned = [" ".join(part.partition("=")[0].split()) for part in parts]
    return () if cleaned in ([""], ["void"]) else tuple(cleaned)


def _find_entry(
    texts: dict[str, str], main_file: str, contract: EntryContract
) -> tuple[Location | None, list[Diagnostic]]:
    """The definition that a launch calls, and what is wrong with it."""
    order = [main_file, *(name for name in texts if name != main_file)]
    lexed = {name: lex(texts[name]) for name in order}
    named = [c for name in order for c in _functions(name, lexed[name], re.escape(contract.entry))]
    definitions = [c for c in named if c.defined and not c.head.rstrip().endswith((".", "->", "=", "return"))]
    kernels = [c for c in definitions if _GLOBAL.search(c.head)]
    if not kernels:
        return None, [_no_entry(contract, definitions, order, lexed)]
    # several definitions stand under different #if; one that fits is enough, the compiler sees which one is live
    problems = [_signature_problem(candidate, contract) for candidate in kernels]
    for candidate, problem in zip(kernels, problems, strict=True):
        if not problem:
            return candidate.location, []
    return kernels[0].location, [_wrong_signature(kernels[0], problems[0], contract)]


def _no_entry(
    contract: EntryContract, definitions: list[_Candidate], order: list[str], lexed: dict[str, Lexed]
) -> Diagnostic:
    others = [
        candidate
        for name in order
        for candidate in _functions(name, lexed[name], r"[A-Za-z_]\w*")
        if candidate.defined and _GLOBAL.search(candidate.head)
    ]
    location = None
    if definitions:
        message = f"`{contract.entry}` is defined, but not as a kernel: `__global__` is missing."
        location = definitions[0].location
    elif others:
        names = ", ".join(f"`{candidate.name}`" for candidate in others[:4])
        message = f"The task launches `{contract.entry}`, and the source defines {names} instead."
        location = others[0].location
    else:
        message = f"The source defines no kernel: the task launches `{contract.entry}`."
    return Diagnostic(
        code="no-kernel-entry",
        level=Level.API,
        message=message,
        location=location,
        hint=f"Define `{contract.signature}`.",
        evidence={"expected": contract.signature, "found": [candidate.name for candidate in others[:8]]},
    )


def _signature_problem(candidate: _Candidate, contract: EntryContract) -> str:
    names = contract.arguments
    if not _CORE_QUALIFIER.search(candidate.head) and "[" not in candidate.head and "aicore" not in candidate.head:
        return "it is not marked `__aicore__`"
    if not re.search(r"\bvoid\s*$", candidate.head):
        return "a kernel returns `void`"
    if "template" in candidate.head.split():
        return "the launched kernel cannot be a template"
    if len(candidate.parameters) != len(names):
        return f"it takes {len(candidate.parameters)} arguments, and the launch passes {len(names)}"
    for index, parameter in enumerate(candidate.parameters):
        if "*" not in parameter and (_SCALAR.match(parameter) or "&" in parameter):
            return f"argument {index + 1} is `{parameter}`, and the launch passes the address of `{names[index]}`"
    return ""


def _wrong_signature(candidate: _Candidate, problem: str, contract: EntryContract) -> Diagnostic:
    return Diagnostic(
        code="wrong-entry-signature",
        level=Level.API,
        message=f"The kernel `{contract.entry}` cannot be launched: {problem}.",
        location=candidate.location,
        hint=f"Define `{contract.signature}`.",
        evidence={"expected": contract.signature, "parameters": list(candidate.parameters)},
    )


_TILING_TAG = re.compile(r"\b(?:struct|class)\s+(?:alignas\s*\([^)]*\)\s*)?TilingData\s*(?:final\s*)?[:{]")
_TILING_OTHER = re.compile(
    r"\}\s*TilingData\s*;|\busing\s+TilingData\b"
    r"|\bBEGIN_TILING_DATA_DEF\s*\(\s*TilingData\s*\)|#\s*define\s+TilingData\b"
)
_TILING_REGISTERED = re.compile(r"\bREGISTER_TILING_DEFAULT\s*\(")


def defines_tiling(texts: Iterable[str]) -> bool:
    """Whether sources say themselves what `TilingData` is."""
    bare = [lex(text).bare for text in texts]
    return any(_TILING_OTHER.search(text) or _TILING_TAG.search(text) for text in bare)


def _tiling_prelude(texts: Iterable[str], contract: EntryContract) -> str:
    """`TilingData` where the kernel leaves it to the toolchain, and its role as the default of GET_TILING_DATA."""
    struct = contract.tiling
    if not struct:
        return ""
    bare = [lex(text).bare for text in texts]
    if any(_TILING_OTHER.search(text) for text in bare):
        return ""
    defined = any(_TILING_TAG.search(text) for text in bare)
    registered = any(_TILING_REGISTERED.search(text) for text in bare)
    return ("struct TilingData;\n" if defined else struct) + (
        "" if registered else f"using {DEFAULT_TILING} = TilingData;\n"
    )


_TILING_FOR_KEY = re.compile(r'\bREGISTER_TILING_FOR_TILINGKEY\s*\(\s*"([^"\\\n]*)"\s*,\s*([\w:]+)\s*\)')
_KEY_EXPRESSION = re.compile(r"(?:TILING_KEY_VAR|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|[\s&|~^<>+\-*/%=!()])*")


def _keyed_tilings(texts: Iterable[str]) -> str:
    """The structure that is registered for the key that this is compiled for takes the place of the default one.

    Expressions are read by the preprocessor. One that holds anything but numbers, operators and the key is left out.
    """
    chosen = ""
    for text in texts:
        found = list(_TILING_FOR_KEY.finditer(text))
        code = lex(text).code if found else ""
        for match in found:
            expression, struct = match.groups()
            if not code[match.start()].isspace() and _KEY_EXPRESSION.fullmatch(expression):
                macro = f"#define REGISTER_TILING_DEFAULT(TilingStruct) using {DEFAULT_TILING} = {struct}\n"
                chosen += f"#if {expression}\n#undef REGISTER_TILING_DEFAULT\n{macro}#endif\n"
    return chosen


def _free_name(name: str, kernel: Kernel) -> str:
    """An identifier of equal length that neither the files nor libc use."""
    used = " ".join(kernel.files.values())
    for position in range(len(name) - 1, 0, -1):
        for letter in "_QXZWKJVY":
            candidate = name[:position] + letter + name[position + 1 :]
            if candidate not in LIBC_NAMES and not re.search(rf"\b{candidate}\b", used):
                return candidate
    return name


def _rename(text: str, name: str, symbol: str) -> str:
    """Rename declarations and definitions of the entry; calls of the libc function of that name stay."""
    lexed = lex(text)
    for match in reversed(list(re.finditer(rf"\b{re.escape(name)}(?=\s*\()", lexed.code))):
        head = re.split(r"[;{}]", lexed.code[: match.start()])[-1]
        if _GLOBAL.search(head) or re.search(r"\bvoid\s*$", head):
            text = text[: match.start()] + symbol + text[match.end() :]
    return text


def _append_launcher(text: str, symbol: str, count: int) -> tuple[str, int]:
    """Add the function that the runner calls. The line break ends a `//` comment or a spliced line before it."""
    values = ", ".join(f"akrt_argument{{akrt_arguments[{index}]}}" for index in range(count))
    launcher = (
        "struct akrt_argument { void* address; template <class T> operator T*() const "
        "{ return static_cast<T*>(address); } };\n"
        f'extern "C" void {LAUNCHER}(void** akrt_arguments) {{ {symbol}({values}); }}\n'
    )
    body = text + ("\n\n" if text.rstrip("\r\n").endswith("\\") else "\n")
    return body + launcher, body.count("\n") + 1
