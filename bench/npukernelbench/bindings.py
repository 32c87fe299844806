"""Build tasks' torch bindings against torch for CPUs, with our own helper header in the card's place.

The bindings are compiled as they are (two placeholders are replaced, as the benchmark itself does), so that output
shapes, conversions and the order of arguments are those of the benchmark. Most of a compilation goes into torch's
headers: they are precompiled once, and several tasks share a translation unit, each in a namespace and a Python
submodule of its name. Everything lies in the compiler cache by content.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.bench.npukernelbench.checkout import TaskFolder
from agentkernel.errors import ConfigError
from agentkernel.simulator.cache import cache_folder

INCLUDE = Path(__file__).parent / "include"
_SECONDS = 900.0
_STANDARD = "-std=c++20"
"""torch's headers ask for it from 2.10 on; earlier ones and the bindings compile with it too."""
_PRELUDE = """\
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/types.h>
"""
_INCLUDE_LINE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.MULTILINE)
_TOGETHER = 20
"""Bindings in one translation unit: what each adds is small beside what all share."""
_MODULE = """
static void agentkernel_define(pybind11::module_ &m)
{
%s}
extern "C" __attribute__((visibility("default"))) PyObject *PyInit_kernel_gen_ops()
{
    static pybind11::module_::module_def definition;
    auto m = pybind11::module_::create_extension_module("kernel_gen_ops", nullptr, &definition);
    agentkernel_define(m);
    return m.release().ptr();
}
"""
_ASK = """\
import json, sysconfig, torch
root = torch.__path__[0]
print(json.dumps({
    "torch": torch.__version__, "abi": int(torch._C._GLIBCXX_USE_CXX11_ABI), "lib": root + "/lib",
    "include": [root + "/include", root + "/include/torch/csrc/api/include", sysconfig.get_paths()["include"]],
}))
"""


class _CompilerError(Exception):
    """The compiler's first error."""


class Torch(BaseModel):
    """Where the torch of an interpreter keeps what extensions need."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    torch: str
    """Version."""
    abi: int
    """Which form of the C++ library's strings it was built with."""
    lib: Path
    include: tuple[Path, ...]


class Bindings:
    """Builds and keeps bindings.

    Args:
        python: The interpreter that they are loaded into.
        compiler: A C++ compiler; `g++` or `c++` of the path by default.

    Raises:
        ConfigError: There is no compiler, or the interpreter has no torch.
    """

    def __init__(self, *, python: str = sys.executable, compiler: str | None = None) -> None:
        found = compiler or shutil.which("g++") or shutil.which("c++")
        if found is None:
            raise ConfigError("the benchmark's bindings need a C++ compiler", hint="install g++")
        self._compiler = found
        self._folder = cache_folder() / "npukernelbench"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._torch = _ask(python, self._folder)

    def build(self, tasks: Sequence[TaskFolder]) -> dict[str, Path | str]:
        """The shared objects of tasks' bindings, by task name; the compiler's first error for one that has some.

        Raises:
            ConfigError: A task has no bindings, or torch's own headers do not compile.
        """
        texts = {task.name: self._text(task) for task in tasks}
        targets = {name: self._folder / f"{name}.{self._key(text)}.so" for name, text in texts.items()}
        with _locked(self._folder / "bindings.lock"):
            missing = [name for name in texts if not targets[name].exists()]
            wrong: dict[str, str] = {}
            for start in range(0, len(missing), _TOGETHER):
                group = {name: texts[name] for name in missing[start : start + _TOGETHER]}
                wrong |= self._compile_group(group, targets)
        return {name: wrong.get(name) or targets[name] for name in texts}

    def _text(self, task: TaskFolder) -> str:
        try:
            text = task.bindings_file.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"cannot read {task.bindings_file}: {error}", hint="is the checkout complete?") from error
        return text.replace("aclnnCustomOp", f"aclnn{task.name}").replace("custom_pybind_api", task.entry)

    def _key(self, text: str) -> str:
        helpers = "".join(path.read_text(encoding="utf-8") for path in sorted(INCLUDE.rglob("*.h*")))
        whole = "\0".join((text, helpers, _PRELUDE, _STANDARD, self._torch.model_dump_json(), self._compiler))
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def _compile_group(self, texts: dict[str, str], targets: dict[str, Path]) -> dict[str, str]:
        """Errors by task; a group with one is compiled again task by task, because it hides the others."""
        try:
            self._compile(texts, targets)
        except _CompilerError as error:
            if len(texts) == 1:
                return dict.fromkeys(texts, str(error))
            wrong: dict[str, str] = {}
            for name, text in texts.items():
                wrong |= self._compile_group({name: text}, targets)
            return wrong
        return {}

    def _compile(self, texts: dict[str, str], targets: dict[str, Path]) -> None:
        prelude = self._prelude()
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            source, built = Path(folder) / "pybind.cpp", Path(folder) / "built.so"
            source.write_text(_together(texts), encoding="utf-8")
            libraries = [f"-L{self._torch.lib}", "-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10"]
            self._call(["-include", str(prelude), "-shared", str(source), "-o", str(built), *libraries])
            for name in texts:
                os.link(built, f"{targets[name]}.new")
                os.replace(f"{targets[name]}.new", targets[name])

    def _prelude(self) -> Path:
        prelude = self._folder / f"prelude.{self._key('')}.hpp"
        ready = Path(f"{prelude}.gch")
        if not ready.exists():
            prelude.write_text(_PRELUDE, encoding="utf-8")
            try:
                self._call(["-x", "c++-header", str(prelude), "-o", f"{ready}.new"])
            except _CompilerError as error:
                raise ConfigError(
                    f"{self._compiler} does not compile the headers of torch {self._torch.torch}: {error}",
                    hint="use a newer compiler, or an older torch",
                ) from error
            os.replace(f"{ready}.new", ready)
        return prelude

    def _call(self, arguments: list[str]) -> None:
        command = [
            *(self._compiler, _STANDARD, "-O0", "-fPIC", "-w", "-fvisibility=hidden"),
            *("-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=kernel_gen_ops"),
            f"-D_GLIBCXX_USE_CXX11_ABI={self._torch.abi}",
            *(f"-I{folder}" for folder in (INCLUDE, *self._torch.include)),
            *arguments,
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise _CompilerError(f"compiling took longer than {_SECONDS:.0f} seconds") from error
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()[-1:]
            raise _CompilerError(lines[0] if lines else f"the compiler ended with status {done.returncode}")


def _together(texts: dict[str, str]) -> str:
    """One translation unit of several tasks' bindings. Their includes move to the top: a namespace may hold none."""
    includes = dict.fromkeys(line for text in texts.values() for line in _INCLUDE_LINE.findall(text))
    parts = [*includes, "#undef PYBIND11_MODULE"]
    for name, text in texts.items():
        parts += [
            f"#define PYBIND11_MODULE(name, m) static void agentkernel_define_{name}(pybind11::module_ &m)",
            f"namespace npukb_{name} {{",
            _INCLUDE_LINE.sub("", text),
            "}",
            "#undef PYBIND11_MODULE",
        ]
    defined = "".join(
        f'    {{ auto part = m.def_submodule("{name}"); npukb_{name}::agentkernel_define_{name}(part); }}\n'
        for name in texts
    )
    return "\n".join(parts) + _MODULE % defined


def _ask(python: str, folder: Path) -> Torch:
    """Facts about an interpreter's torch, kept because importing torch takes seconds."""
    kept = folder / f"torch.{hashlib.sha256(python.encode()).hexdigest()[:16]}.json"
    if kept.exists():
        known = Torch.model_validate_json(kept.read_text(encoding="utf-8"))
        version = known.lib.parent / "version.py"
        if version.exists() and version.stat().st_mtime < kept.stat().st_mtime:
            return known
    done = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise ConfigError(
            f"{python} has no torch: {said[-1] if said else 'no reason given'}",
            hint="pip install 'agentkernel[npukernelbench]'",
        )
    found = Torch.model_validate_json(done.stdout)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_text(found.model_dump_json(), encoding="utf-8")
    os.replace(new, kept)
    return found


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
