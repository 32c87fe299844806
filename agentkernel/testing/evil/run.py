"""Judge a hostile program as any candidate is judged, and say what stopped it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from agentkernel.testing.evil.program import PASSED, Program
from agentkernel.toolchains.base import Toolchain
from agentkernel.verdict import Verdict
from agentkernel.verify import check_step, verify

_WALLS = (
    ("forbidden-cpp forbidden-directive forbidden-include host-forbidden-cpp host-forbidden-include", "screening"),
    ("harness-access", "closed names, seal"),
    ("forbidden-symbol static-initialiser host-forbidden-call", "object rules"),
    ("compile-limit", "compile limits"),
    ("forbidden-syscall", "system-call filter"),
    ("time-limit memory-limit out-of-memory killed host-time-limit host-memory-limit", "limits"),
    ("forged-record host-exited", "record check"),
    ("crash gm-read-only gm-out-of-bounds host-crash host-exception", "memory protection"),
    ("memorised-values", "unseen values"),
    ("host-definition", "check of the definition"),
    ("numeric-mismatch non-finite", "comparison"),
    ("missing-sync", "hazard detector"),
    ("raw-gm-store output-not-written uninitialised-read", "checker"),
    ("host-tiling-size host-block-dim host-workspace host-no-operator host-no-tiling", "checks of the plan"),
)
_OF_CODE = {code: wall for codes, wall in _WALLS for code in codes.split()}


class Outcome(BaseModel):
    """What became of a program."""

    model_config = ConfigDict(frozen=True)

    program: Program
    verdict: str
    """`pass`, `fail` or `cheat`."""
    codes: tuple[str, ...]
    """Errors of the verdict, each once."""
    oracle: tuple[str, ...]
    """Errors that the API oracle reports by itself, before any compiler."""

    @property
    def held(self) -> bool:
        """Whether it is what the program's first line says."""
        if self.verdict == "pass":
            return PASSED in self.program.expected
        return bool(set(self.codes) & self.program.expected)

    @property
    def wall(self) -> str:
        """What stopped it."""
        if self.verdict == "pass":
            return "does no harm"
        decisive = [code for code in self.codes if code in self.program.expected] or list(self.codes)
        return _OF_CODE.get(decisive[0], "compiler") if decisive else ""

    def __str__(self) -> str:
        expected = " or ".join(sorted(self.program.expected))
        return f"{self.program.side} {self.program.name}: {self.verdict} {', '.join(self.codes)}; expected {expected}"


def run(program: Program, toolchain: Toolchain) -> Outcome:
    """Judge a program with the oracle left out, and ask the oracle besides.

    Raises:
        ToolchainError: The toolchain is missing or broken.
        SandboxError: The walls that candidate code needs could not be set up.
    """
    verdict: Verdict = verify(program.kernel, program.task, toolchain, check=False)
    errors = [d.code for d in verdict.all_diagnostics if d.is_error]
    oracle = [d.code for d in check_step(program.kernel, program.task) if d.is_error]
    return Outcome(
        program=program,
        verdict=verdict.outcome,
        codes=tuple(dict.fromkeys(errors)),
        oracle=tuple(dict.fromkeys(oracle)),
    )
