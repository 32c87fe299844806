"""How a run ended, in diagnostics: what the runner recorded, and what became of its process."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.diagnostic import Diagnostic, Level, Location, Severity
from agentkernel.errors import ToolchainError
from agentkernel.simulator import symbolise
from agentkernel.simulator.gm_buffers import POISON
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.records import Finding, Records
from agentkernel.simulator.sandbox import Limits
from agentkernel.simulator.source_pass import PreparedSource
from agentkernel.verdict import Estimate, PipeTime

RUNNER_FAILED = 70
PRINTED = "kernel-prints"
SHOWN_PRINTS = 8


def how_it_ended(done: Finished, read: Records, limits: Limits) -> list[Diagnostic]:
    """Findings about the process itself; none where it ended by itself and said so.

    Once the candidate was started, its process can end with any status: none of them is taken for the runner's word.

    Raises:
        ToolchainError: The runner failed, not the candidate.
    """
    if done.timed_out:
        return [_time_limit(f"{limits.wall_seconds:.0f} seconds")]
    if done.returncode == RUNNER_FAILED and not read.started:
        return [_runner_failed(done, limits)]
    if done.returncode == RUNNER_FAILED and "bad_alloc" in done.output:
        return [_out_of_memory(limits)]
    if done.returncode < 0:
        return [_signalled(-done.returncode, read, done, limits)]
    problem = read.damage or ("it has no end" if read.end is None else "")
    if done.returncode != 0 and not problem:
        problem = f"the process ended with status {done.returncode}"
    if not problem:
        return []
    return [
        Diagnostic(
            code="forged-record",
            level=Level.CHEAT,
            message=f"The record of the run is not what the runner writes: {problem}.",
            hint="A kernel computes on its arguments; it does not touch the process that runs it.",
        )
    ]


def _runner_failed(done: Finished, limits: Limits) -> Diagnostic:
    why = done.output.strip().splitlines()
    text = why[0] if why else "it gave no reason"
    if "Operation not permitted" in text:
        raise ToolchainError(
            f"a built kernel cannot be loaded: {text}", hint="set TMPDIR to a folder that is not mounted noexec"
        )
    if "annot allocate memory" in text or "failed to map segment" in text or "bad_alloc" in text:
        return _out_of_memory(limits)
    raise ToolchainError(
        f"the simulator's runner failed: {text}", hint="run `agentkernel doctor`; remove the compiler cache"
    )


def _signalled(number: int, read: Records, done: Finished, limits: Limits) -> Diagnostic:
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if number == signal.SIGXCPU or (number == signal.SIGKILL and done.seconds >= limits.cpu_seconds):
        return _time_limit(f"{limits.cpu_seconds} seconds of processor time")
    if number == signal.SIGKILL:
        return Diagnostic(
            code="killed",
            level=Level.RUNTIME,
            message="The kernel's process was killed from outside, most likely because memory ran out.",
            hint="Use less memory: tensors live in global memory and in buffers of TPipe::InitBuffer.",
        )
    return Diagnostic(
        code="crash",
        level=Level.RUNTIME,
        message=f"The kernel's process ended by {name}.",
        hint="Check pointers, offsets and lengths.",
        evidence={"signal": number},
    )


def _time_limit(what: str) -> Diagnostic:
    return Diagnostic(
        code="time-limit",
        level=Level.RUNTIME,
        message=f"The kernel did not end within {what}.",
        hint="Look for a loop that does not end, or for scalar work element by element.",
    )


def _out_of_memory(limits: Limits) -> Diagnostic:
    return Diagnostic(
        code="out-of-memory",
        level=Level.RUNTIME,
        message=f"The kernel needs more than the {limits.memory_bytes >> 20} MiB of host memory that it may use.",
        hint="Large static arrays do not exist on the device; keep data in global memory and TPipe buffers.",
    )


def waiting(finding: Finding) -> list[dict[str, Any]]:
    """Calls of a deadlock that wait, as far as the record has them in the runner's form."""
    entries = finding.evidence.get("waiting") if finding.code == "deadlock" else None
    if not isinstance(entries, list):
        return []
    return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("site"), int)]


def sites_of(finding: Finding) -> list[int]:
    """Addresses of all calls that a finding names."""
    return [finding.site, finding.other_site, *(entry["site"] for entry in waiting(finding))]


def with_prints_joined(findings: Sequence[Finding]) -> list[Finding]:
    """Texts that one call printed as one finding, at the place of the first."""
    texts: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.code == PRINTED:
            texts.setdefault(finding.site, []).append(finding)
    kept: list[Finding] = []
    for finding in findings:
        if finding.code != PRINTED:
            kept.append(finding)
        elif same := texts.pop(finding.site, []):
            lines = [f"\n  {_core_of(one)}: {one.message}" for one in same]
            more = f"\n  and {len(lines) - SHOWN_PRINTS} more" if len(lines) > SHOWN_PRINTS else ""
            message = "The kernel prints" + "".join(lines[:SHOWN_PRINTS]) + more
            kept.append(finding.model_copy(update={"message": message, "core": -1}))
    return kept


def _core_of(finding: Finding) -> str:
    return f"{finding.core_type} {finding.core}" if finding.core_type else f"block {finding.core}"


def to_diagnostic(finding: Finding, places: Mapping[int, Location], prepared: PreparedSource) -> Diagnostic:
    """A recorded finding with its places in the author's text."""
    location = symbolise.point_at(places.get(finding.site), finding.api, prepared)
    other = symbolise.point_at(places.get(finding.other_site), finding.other_api, prepared)
    evidence = dict(finding.evidence)
    related = {} if other is None else {other: finding.other_api or "the other access"}
    if waits := waiting(finding):
        evidence["waiting"] = [
            entry | ({"line": places[entry["site"]].line} if entry["site"] in places else {}) for entry in waits
        ]
        for entry in waits:
            place = symbolise.point_at(places.get(entry["site"]), str(entry.get("api", "")), prepared)
            if place is not None and place != location:
                related.setdefault(place, f"{entry.get('api', 'a call')} waits here")
    if finding.core >= 0:
        evidence.setdefault("block", finding.core)
        if finding.core_type:
            evidence.setdefault("core_type", finding.core_type)
    return Diagnostic(
        code=finding.code,
        level=finding.level,
        message=finding.message,
        severity=Severity.NOTE if finding.gravity == "note" else Severity.ERROR,
        location=location,
        related=tuple(related.items()),
        hint=finding.hint,
        apis=tuple(dict.fromkeys(name for name in (finding.api, finding.other_api) if name)),
        evidence=evidence,
    )


def still_poison(array: NDArray[Any]) -> NDArray[np.intp]:
    """Flat indices of elements that still hold what outputs are filled with; none for one-byte types."""
    size = array.dtype.itemsize
    if size % 2:
        return np.empty(0, dtype=np.intp)
    pattern = np.frombuffer(POISON * (size // 2), dtype=f"u{size}")[0]
    return np.flatnonzero(np.ascontiguousarray(array).reshape(-1).view(f"u{size}") == pattern)


def not_written(name: str, count: int, array: NDArray[Any]) -> Diagnostic:
    """The finding for an output with elements that nothing wrote."""
    flat = array.reshape(-1)
    message = f"{count} of {flat.size} elements of the output `{name}` were never written"
    evidence: dict[str, Any] = {"output": name, "elements": count, "total": int(flat.size)}
    held = still_poison(array)
    if held.size:
        first = [int(index) for index in np.unravel_index(int(held[0]), array.shape)]
        message += f", the first at index {first}"
        evidence |= {"first": int(held[0]), "last": int(held[-1])}
    return Diagnostic(
        code="output-not-written",
        level=Level.RUNTIME,
        message=message + ".",
        hint="Check that blocks and tiles together cover the output, the tail included.",
        evidence=evidence,
    )


def estimate_of(read: Records, chip: str) -> Estimate | None:
    """The simulated time, None where the runner gave none."""
    if read.clock is None:
        return None
    pipes = (PipeTime(pipe=p.pipe, busy_us=p.busy_us, instructions=p.instructions) for p in read.clock.pipes)
    return Estimate(
        provenance="simulated",
        kernel_us=read.clock.kernel_us,
        bound=read.clock.bound,
        pipes=tuple(pipes),
        chip=chip,
    )
