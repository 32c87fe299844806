"""What works on this machine, what is missing, and how to get it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import AgentKernelError


class Check(BaseModel):
    """One thing that was looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ok: bool
    detail: str
    """What was found."""
    hint: str = ""
    """What to do where it is not ok."""
    required: bool = False
    """Whether the default job (the simulator, no endpoint) needs it."""


def checks(tell: Callable[[str], None] | None = None) -> list[Check]:
    """Look at everything. Nothing that is missing raises.

    Args:
        tell: Is told before something takes long: building the runtime may take a minute the first time.
    """
    return [*_simulator(tell), _line_tables(), _tree_sitter(), _memory(), _cann(), _card(), _endpoint()]


def _attempt(name: str, look: Callable[[], str], *, required: bool) -> Check:
    try:
        return Check(name=name, ok=True, detail=look(), required=required)
    except AgentKernelError as error:
        return Check(name=name, ok=False, detail=error.message, hint=error.hint, required=required)


def _simulator(tell: Callable[[str], None] | None) -> list[Check]:
    """Compiler, cache, precompiled header and the walls, each resting on the one before."""
    from agentkernel.simulator.cache import Runtime, cache_folder, open_runtime
    from agentkernel.simulator.compiler import Compiler, find_compiler
    from agentkernel.simulator.sandbox import Walls, probe, working_bubblewrap

    found: dict[str, Compiler | Runtime | Walls] = {}

    def compiler() -> str:
        found["compiler"] = it = find_compiler()
        return str(it)

    def cache() -> str:
        it = found["compiler"]
        assert isinstance(it, Compiler)
        found["runtime"] = open_runtime(it, tell=tell)
        return str(cache_folder())

    result = [_attempt("C++ compiler", compiler, required=True)]
    if "compiler" not in found:
        return result
    result.append(_attempt("compiler cache", cache, required=True))
    runtime = found.get("runtime")
    if not isinstance(runtime, Runtime):
        return result
    header = [path for path in runtime.prelude.parent.glob("prelude.h.*") if path.stat().st_size]
    size = f"{header[0].stat().st_size >> 20} MB" if header else "missing"
    result.append(
        Check(name="precompiled header", ok=bool(header), detail=size, hint="remove the cache", required=True)
    )
    walls = Walls()

    def walls_hold() -> str:
        found["walls"] = probe(runtime)
        return "found"

    probed = _attempt("sandbox", walls_hold, required=True)
    if not probed.ok:
        return [*result, probed]
    walls = found["walls"] if isinstance(found["walls"], Walls) else walls
    result.append(
        Check(
            name="sandbox: seccomp",
            ok=walls.seccomp,
            detail="holds" if walls.seccomp else "not allowed here",
            hint="allow seccomp in the container's profile; candidates are not run without it",
            required=True,
        )
    )
    result.append(
        Check(
            name="sandbox: landlock",
            ok=walls.landlock > 0,
            detail=f"version {walls.landlock}" if walls.landlock else "not in this kernel, or not allowed",
            hint="Linux 5.13 or later with Landlock enabled; or install bubblewrap",
        )
    )
    bubblewrap = working_bubblewrap()
    used = "works, used where Landlock is missing" if walls.landlock else "works, in use"
    result.append(
        Check(
            name="sandbox: bubblewrap",
            ok=bool(bubblewrap),
            detail=used if bubblewrap else "not installed, or not allowed",
            hint="" if walls.landlock else "Debian/Ubuntu `sudo apt install bubblewrap`",
        )
    )
    separate = walls.user is not None or os.geteuid() != 0
    detail = f"user {walls.user}" if walls.user is not None else "your own user" if separate else "root"
    result.append(
        Check(
            name="sandbox: user",
            ok=separate,
            detail=f"candidates run as {detail}",
            hint="run as an ordinary user: root cannot change the user here",
        )
    )
    return result


def _line_tables() -> Check:
    from agentkernel.simulator.symbolise import find_tool

    tool = find_tool()
    return Check(
        name="line tables",
        ok=tool is not None,
        detail=tool or "no addr2line, no llvm-symbolizer",
        hint="Debian/Ubuntu `sudo apt install binutils`; findings of a run have no lines without it",
    )


def _tree_sitter() -> Check:
    try:
        import tree_sitter
        import tree_sitter_cpp

        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
        ok = not parser.parse(b"int a;").root_node.has_error
    except (ImportError, ValueError, TypeError) as error:
        return Check(
            name="tree-sitter",
            ok=False,
            detail=str(error),
            hint="pip install --force-reinstall agentkernel",
            required=True,
        )
    return Check(name="tree-sitter", ok=ok, detail="parses C++", hint="reinstall agentkernel", required=True)


def _memory() -> Check:
    from agentkernel.shared_arrays import memory_base

    base = memory_base()
    detail = f"runs use {base}" if base is not None else "runs use the temporary folder"
    return Check(name="files in memory", ok=base is not None, detail=detail, hint="give /dev/shm a gigabyte or more")


def _cann() -> Check:
    from agentkernel.toolchains.cann import find_cann

    return _attempt("CANN", lambda: f"{find_cann().version} at {find_cann().home}", required=False)


def _card() -> Check:
    nodes = sorted(name for name in os.listdir("/dev") if name.startswith("davinci") and name[7:].isdigit())
    tool = shutil.which("npu-smi")
    ok = bool(nodes) and tool is not None
    detail = f"{len(nodes)} in /dev" if nodes else "none in /dev"
    return Check(
        name="Ascend card",
        ok=ok,
        detail=detail if tool else f"{detail}, no npu-smi",
        hint="the simulator needs none; for a real card install its driver and firmware",
    )


def _endpoint() -> Check:
    url = next((v for v in (os.environ.get(n, "") for n in ("AGENTKERNEL_BASE_URL", "OPENAI_BASE_URL")) if v), "")
    key = next((n for n in ("AGENTKERNEL_API_KEY", "OPENAI_API_KEY") if os.environ.get(n)), "")
    where = re.sub(r"//[^@/]*@", "//", url) or (
        "OpenAI's own" if key else ""
    )  # a password in a URL stays out of reports
    detail = f"{where}, key from {key}" if key else f"{where}, no key"
    return Check(
        name="model endpoint",
        ok=bool(where),
        detail=detail if where else "AGENTKERNEL_BASE_URL is not set",
        hint="the embedded composer needs none; set AGENTKERNEL_BASE_URL (and AGENTKERNEL_API_KEY) for a model",
    )
