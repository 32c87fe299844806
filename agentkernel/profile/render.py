"""A profile in words, for a person."""

from __future__ import annotations

from agentkernel.profile.analysis import Bubble, Profile

_HELD = {"flag": "a flag of", "barrier": "a barrier on", "result": "a reduction on"}


def for_person(profile: Profile) -> str:
    """The profile as text; of a kernel that did not run, what was found."""
    head = f"{profile.task}, case {profile.case}, {profile.chip}"
    if not profile.ran:
        found = "\n".join(f"  {d.code}: {d.message}" for d in profile.diagnostics if d.is_error)
        return f"{head}: the kernel did not run to its end\n{found}"
    lines = [
        f"{head}: {profile.kernel_us:.2f} us (simulated), of which launch {profile.launch_us:.2f} us; "
        f"{profile.cores} core(s) ran, core {profile.core} ends last after {profile.core_us:.2f} us",
        f"bound      {_bound(profile)}",
    ]
    if profile.roofline is not None:
        roof = profile.roofline
        rates = f"memory {roof.memory_us:.2f}, vector {roof.vector_us:.2f}"
        rates += f", cube {roof.cube_us:.2f}" if roof.cube_us else ""
        lines.append(
            f"roofline   {roof.limit_us:.2f} us ({rates}); "
            + (f"the kernel takes {roof.distance:.1f} times that" if roof.limit_us else "nothing to compare with")
        )
    errors = sum(d.is_error for d in profile.diagnostics)
    if errors:
        lines.append(
            f"findings   {errors} error(s): `agentkernel verify` says which; times of a wrong kernel mean little"
        )
    if not profile.complete:
        lines.append("trace      cut off: the launch has more events than are kept; figures below are of its beginning")
    lines += ["", "pipe    busy us  share  instr    full rate  conflicts  overhead   idle before"]
    for pipe in profile.pipes:
        parts = f"{pipe.work_us:11.2f} {pipe.conflict_us:10.2f} {pipe.overhead_us:9.2f}"
        if pipe.pipe == "S":
            parts = f"{'-':>11s} {'-':>10s} {'-':>9s}"
        head = f"{pipe.pipe:5s} {pipe.busy_us:9.2f} {pipe.share:6.0%} {pipe.instructions:6d}"
        lines.append(f"{head} {parts} {pipe.waited_us:13.2f}")
    bubbles = [(pipe.pipe, bubble) for pipe in profile.pipes for bubble in pipe.bubbles]
    if bubbles:
        lines += ["", "bubbles (a pipe stands still)"]
        lines += [f"  {pipe:5s}{bubble.us:8.2f} us  {_because(bubble)}" for pipe, bubble in bubbles]
    lines += ["", "what changes could give (estimates from the trace, each alone, at best)"]
    if not profile.gains:
        lines.append("  nothing that is worth a per cent of the kernel's time")
    for gain in profile.gains:
        lines.append(f"  {gain.saves_us:8.2f} us  {gain.change}: {gain.why}; {gain.kernel_us:.2f} us would be left")
    return "\n".join(lines)


def _bound(profile: Profile) -> str:
    if profile.bound == "GM":
        return "GM: the chip's memory bandwidth"
    if profile.bound == "launch":
        return "launch: starting and ending takes longer than the work; more work a launch, or fewer cores"
    busiest = max(profile.pipes, key=lambda p: p.share, default=None)
    if busiest is None:
        return profile.bound
    busy = f"{busiest.pipe} is busy {busiest.share:.0%} of the core's time"
    return f"latency: no pipe works half of the time ({busy})" if profile.bound == "latency" else busy


def _because(bubble: Bubble) -> str:
    where = f" (line {bubble.line})" if bubble.line is not None else ""
    often = f"{bubble.times} times " if bubble.times > 1 else ""
    if bubble.held == "issue":
        return f"{often}before {bubble.before}{where}: the scalar program had not come to it"
    if bubble.held == "cores":
        return f"{often}in {bubble.by or bubble.before}{where}: waits for other cores"
    if (bubble.by, bubble.by_line) == (bubble.before, bubble.line):  # the call itself waits
        return f"{often}in {bubble.before}{where}: waits for {bubble.on}"
    at = f" in {bubble.by}" if bubble.by else ""
    if bubble.by_line is not None:
        at += f", line {bubble.by_line}"
    return f"{often}before {bubble.before}{where}: waits for {_HELD[bubble.held]} {bubble.on}{at}"
