"""Judge a kernel of a pack the way a candidate is judged, and say whether what it promises held."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic
from agentkernel.judge import judge
from agentkernel.testing.packs.kernel import Expected, PackKernel
from agentkernel.testing.packs.values import Array, evaluate
from agentkernel.toolchains.base import Toolchain
from agentkernel.verify import check_step, compile_step


class Finding(BaseModel):
    """An error that was reported."""

    model_config = ConfigDict(frozen=True)

    code: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.code}{'' if self.line is None else f', line {self.line}'}: {self.message}"


class Outcome(BaseModel):
    """What came out of a kernel of a pack."""

    model_config = ConfigDict(frozen=True)

    kernel: PackKernel
    findings: tuple[Finding, ...]
    """Errors, in order."""

    @property
    def missing(self) -> tuple[Expected, ...]:
        """Expected findings that did not come."""
        return tuple(e for e in self.kernel.expected if not any(_fits(e, f) for f in self.findings))

    @property
    def surplus(self) -> tuple[Finding, ...]:
        """Errors that nobody expected."""
        kernel = self.kernel
        return tuple(
            f for f in self.findings if f.code not in kernel.also and not any(_fits(e, f) for e in kernel.expected)
        )

    @property
    def held(self) -> bool:
        """Whether exactly what was expected was found."""
        return not self.missing and not self.surplus

    def __str__(self) -> str:
        lines = [f"{self.kernel.name}: {'held' if self.held else 'did not hold'}"]
        lines += [f"  not found: {expected}" for expected in self.missing]
        lines += [f"  {'surplus' if finding in self.surplus else 'found'}: {finding}" for finding in self.findings]
        return "\n".join(lines)


def run(kernel: PackKernel, toolchain: Toolchain) -> Outcome:
    """Check, compile, launch and compare one kernel.

    Raises:
        TaskError: The values of a tensor cannot be evaluated.
        ToolchainError: The toolchain is missing or broken.
    """
    findings = [
        Finding(code=d.code, line=d.location.line if d.location is not None else None, message=d.message)
        for d in _diagnostics(kernel, toolchain)
        if d.is_error
    ]
    return Outcome(kernel=kernel, findings=tuple(findings))


def _diagnostics(kernel: PackKernel, toolchain: Toolchain) -> tuple[Diagnostic, ...]:
    task = kernel.task
    inputs: dict[str, Array] = {}
    for tensor in kernel.inputs:
        inputs[tensor.name] = evaluate(tensor, inputs)
    checked = check_step(kernel.kernel, task)
    if any(d.is_error for d in checked):
        return checked
    build = compile_step(kernel.kernel, task, toolchain)
    if not build.ok:
        return build.diagnostics
    done = toolchain.run(build, task.cases[0], inputs)
    # an output whose values do not matter is compared with itself
    expected = {
        t.name: evaluate(t, inputs) if t.values else done.outputs.get(t.name, np.zeros(t.shape, t.dtype.numpy))
        for t in kernel.outputs
    }
    with np.errstate(invalid="ignore"):  # what was never written may be a signalling NaN
        wide = {t.name: expected[t.name].astype(np.float64 if t.dtype.is_float else np.int64) for t in kernel.outputs}
    return judge(task, task.cases[0], inputs, done, expected=wide).diagnostics


def _fits(expected: Expected, finding: Finding) -> bool:
    return finding.code in expected.codes and expected.line in (None, finding.line)
