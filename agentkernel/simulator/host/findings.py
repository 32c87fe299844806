"""How a process of host code ended, in diagnostics."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.errors import ToolchainError
from agentkernel.simulator.host.process import HostRun
from agentkernel.simulator.host.records import Crash, Missing, Status, Thrown, Unloadable
from agentkernel.simulator.sandbox import Limits

RUNNER_FAILED = 70

STAGES = {
    "loading": "a static initialiser",
    "definition": "the operator's definition",
    "tiling_parse": "the function of TilingParse",
    "tiling": "the tiling function",
    "infer_shape": "shape inference",
    "infer_dtype": "type inference",
    "result": "the host code",
}
GRAPH_FAILED = 0xFFFFFFFF
_NULL_PAGE = 65536

Places = Callable[[tuple[int, ...]], Location | None]
"""From addresses, innermost first, to the first that is a line of the author."""


def _host(code: str, message: str, location: Location | None = None, hint: str = "", **evidence: object) -> Diagnostic:
    return Diagnostic(code=code, level=Level.HOST, message=message, location=location, hint=hint, evidence=evidence)


def how_it_ended(run: HostRun, limits: Limits, place: Places) -> list[Diagnostic]:
    """Findings about the process; none where it did what it was asked for.

    Raises:
        ToolchainError: The runner failed, not the host code.
    """
    records = run.records
    if run.finished.timed_out:
        return [_time_limit(f"{limits.wall_seconds:.0f} seconds", None)]
    if run.finished.returncode == RUNNER_FAILED and not records.started:
        raise ToolchainError(
            f"the host runner failed: {run.finished.output.strip() or 'it gave no reason'}",
            hint="run `agentkernel doctor`; remove the compiler cache",
        )
    recorded = _recorded(run, limits, place)
    if recorded is not None:
        return [recorded]
    if run.finished.returncode < 0:
        number = -run.finished.returncode
        if number in (signal.SIGXCPU, signal.SIGKILL) and run.finished.seconds >= limits.cpu_seconds:
            return [_time_limit(f"{limits.cpu_seconds} seconds of processor time", None)]
        return [_host("host-crash", f"The process of the host code was ended by {_name(number)}.")]
    if not records.damage and records.ended:
        return []
    why = records.damage or "it ends without its last line"
    message = f"The host code ended its process, or wrote to what it may not: the record is not whole ({why})."
    return [_host("host-exited", message, hint="Tiling returns a status; it does not call exit.")]


def _recorded(run: HostRun, limits: Limits, place: Places) -> Diagnostic | None:
    """What the process itself said about its early end."""
    for record in run.records.all:
        if isinstance(record, Crash):
            return _crash(record, limits, place(record.sites), run.printed)
        if isinstance(record, Thrown):
            return _thrown(record, place(record.sites))
        if isinstance(record, Unloadable):
            return _unloadable(record)
        if isinstance(record, Missing):
            return _missing(record)
        if isinstance(record, Status):
            who = STAGES.get(record.stage, record.stage)
            return _host("host-tiling-failed", f"{_upper(who)} returned {_status(record.status)}.")
    return None


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _status(status: int) -> str:
    return "GRAPH_FAILED" if status == GRAPH_FAILED else f"status {status}"


def _time_limit(what: str, location: Location | None) -> Diagnostic:
    return _host(
        "host-time-limit", f"The host code did not end within {what}.", location, "Look for a loop that does not end."
    )


def _crash(crash: Crash, limits: Limits, location: Location | None, printed: str) -> Diagnostic:
    who = STAGES.get(crash.stage, "the host code")
    if crash.signal == signal.SIGSYS:
        message = f"{_upper(who)} attempts {crash.call}, which is not allowed."
        hint = "Tiling computes; it does not touch files, processes or the network."
        return Diagnostic(
            code="forbidden-syscall", level=Level.CHEAT, message=message, location=location, hint=hint,
            evidence={"stage": crash.stage},
        )  # fmt: skip
    if crash.signal == signal.SIGXCPU:
        return _time_limit(f"{limits.cpu_seconds} seconds of processor time", location)
    why, hint = _why(crash, printed)
    return _host("host-crash", f"{_upper(who)} {why}.", location, hint, stage=crash.stage)


def _why(crash: Crash, printed: str) -> tuple[str, str]:
    memory = crash.signal in (signal.SIGSEGV, signal.SIGBUS)
    if crash.signal == signal.SIGABRT:
        return _aborted(printed), "Check indices and sizes of containers, and pointers before they are used."
    if crash.stack:
        return "overflows its stack", "Look for recursion without end and for large local arrays."
    if memory and crash.address < _NULL_PAGE:
        hint = "Context functions answer null for what the call does not have: check before use."
        return f"uses a null pointer (address {crash.address})", hint
    if memory:
        hint = "Check indices, and the size of what is written to the tiling data."
        return "touches memory that is not its own", hint
    return _SIGNALS.get(
        crash.signal, (f"was ended by {_name(crash.signal)}", "A function without return, or a wild jump.")
    )


_SIGNALS: Mapping[int, tuple[str, str]] = {
    signal.SIGFPE: (
        "divides an integer by zero",
        "Check divisors: core counts, tile sizes and dimensions of the inputs can be 0.",
    ),
    signal.SIGXFSZ: ("printed more than it may", "Print little."),
}


def _aborted(printed: str) -> str:
    last = next((line for line in reversed(printed.splitlines()) if "Assertion" in line), "")
    told = last.partition("Assertion ")[2].partition(" failed")[0].strip("'")
    return f"was stopped by a check of the C++ library ({told})" if told else "called abort"


def _thrown(thrown: Thrown, location: Location | None) -> Diagnostic:
    who = STAGES.get(thrown.stage, "the host code")
    if thrown.type == "std::bad_alloc":
        message = f"{_upper(who)} asks for more memory than it may have."
        return _host("host-memory-limit", message, location, "Check the sizes of vectors and arrays.")
    told = f" ({thrown.what})" if thrown.what else ""
    message = f"{_upper(who)} throws {thrown.type}{told}, and nothing catches it."
    return _host("host-exception", message, location, stage=thrown.stage)


def _unloadable(record: Unloadable) -> Diagnostic:
    if record.symbol:
        return _host(
            "host-undefined-symbol",
            f"The host code uses `{record.symbol}`, which is declared but defined nowhere.",
            hint="Define it in one of the operator's files, or use a function that the host interface has.",
            symbol=record.symbol,
        )
    return _host("host-undefined-symbol", f"The host code cannot be loaded: {record.why}.")


_WHAT: Mapping[str, tuple[str, str, str]] = {
    "tiling": (
        "host-no-tiling",
        "a tiling function",
        "Register one: AICore().SetTiling(...) in the definition, or IMPL_OP_OPTILING(Op).Tiling(...).",
    ),
    "infer_shape": ("host-no-inference", "shape inference", "Register it with SetInferShape or IMPL_OP_INFERSHAPE."),
    "infer_dtype": ("host-no-inference", "type inference", "Register it with SetInferDataType."),
}


def _missing(record: Missing) -> Diagnostic:
    code, what, hint = _WHAT[record.what]
    return _host(code, f"The operator registers no {what.removeprefix('a ')}.", hint=hint)


def failed_status(stage: str, status: int, printed: str) -> Diagnostic:
    """A function that ran to its end and said that it failed."""
    who = STAGES[stage]
    code = "host-tiling-failed" if stage == "tiling" else "host-inference-failed"
    last = printed.strip().splitlines()[-1:] if printed.strip() else []
    told = f" Its last words: {last[0][:200]}" if last else ""
    return _host(
        code,
        f"{_upper(who)} returned {_status(status)} for this call.{told}",
        hint="Look at which check of it this call's shapes, types or attributes do not pass.",
        status=status,
    )
