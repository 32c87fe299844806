"""Judging the kernels of a run again: with another toolchain, a newer simulator, or to see that nothing changed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from agentkernel.toolchains.base import Toolchain
from agentkernel.traces.base import TraceStore
from agentkernel.verdict import Verdict


class Rejudged(BaseModel):
    """One attempt, judged again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int
    """Attempt in its run."""
    before: Verdict
    after: Verdict

    @property
    def differences(self) -> tuple[str, ...]:
        """What differs, one sentence each; wall times and walls of the sandbox do not count."""
        pairs = {
            "passed": (self.before.passed, self.after.passed),
            "stage": (self.before.stage.value, self.after.stage.value),
            "errors": (_errors(self.before), _errors(self.after)),
            "kernel time in us": (self.before.kernel_us, self.after.kernel_us),
        }
        cases = {case.case: case.passed for case in self.before.cases}
        for case in self.after.cases:
            pairs[f"case {case.case} passed"] = (cases.pop(case.case, None), case.passed)
        pairs |= {f"case {name} passed": (passed, None) for name, passed in cases.items()}
        return tuple(f"{what}: {old} before, {new} now" for what, (old, new) in pairs.items() if old != new)


def rejudge(store: TraceStore, run_id: str, toolchain: Toolchain, *, check: bool = True) -> tuple[Rejudged, ...]:
    """Verify every stored kernel of a run again. The run is not changed.

    Args:
        store: Holds the run.
        run_id: Run to judge.
        toolchain: Compiles and runs; may be another than the run had.
        check: Whether the API oracle reads the sources first, as it does in the loop.

    Returns:
        One entry for each attempt that has a kernel, in order.

    Raises:
        StoreError: There is no such run, or it is damaged.
        ToolchainError: The toolchain is missing or broken.
    """
    from agentkernel.verify import CaseBank, verify

    run = store.load(run_id)
    bank = CaseBank()
    return tuple(
        Rejudged(
            index=attempt.index,
            before=attempt.verdict,
            after=verify(attempt.kernel, run.header.task, toolchain, check=check, bank=bank),
        )
        for attempt in run.attempts
        if attempt.kernel is not None
    )


def _errors(verdict: Verdict) -> tuple[str, ...]:
    """Codes of the errors with their places, sorted."""
    return tuple(sorted(f"{d.code} at {d.location}" for d in verdict.all_diagnostics if d.is_error))
