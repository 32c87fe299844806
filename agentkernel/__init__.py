"""agentkernel: language models write Ascend C kernels, checked on a CPU simulator or on a card."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from agentkernel.diagnostic import Diagnostic, Level, Location, Severity
    from agentkernel.errors import AgentKernelError
    from agentkernel.kernel import Kernel
    from agentkernel.session import RepairSession
    from agentkernel.solve import SolveResult, asolve, solve
    from agentkernel.task import Case, Reference, Task, TensorSpec
    from agentkernel.trajectory import Attempt, Budget, Completion, Message, Outcome, Sampling, Trajectory
    from agentkernel.verdict import Stage, Verdict
    from agentkernel.verify import verify

_HOMES = {
    "AgentKernelError": "errors",
    "Attempt": "trajectory",
    "Budget": "trajectory",
    "Case": "task",
    "Completion": "trajectory",
    "Diagnostic": "diagnostic",
    "Kernel": "kernel",
    "Level": "diagnostic",
    "Location": "diagnostic",
    "Message": "trajectory",
    "Outcome": "trajectory",
    "Reference": "task",
    "RepairSession": "session",
    "Sampling": "trajectory",
    "Severity": "diagnostic",
    "SolveResult": "solve",
    "Stage": "verdict",
    "Task": "task",
    "TensorSpec": "task",
    "Trajectory": "trajectory",
    "Verdict": "verdict",
    "asolve": "solve",
    "solve": "solve",
    "verify": "verify",
}
"""Module of every public name. They are imported when they are first used, so that `import agentkernel` is free."""

__all__ = [
    "AgentKernelError",
    "Attempt",
    "Budget",
    "Case",
    "Completion",
    "Diagnostic",
    "Kernel",
    "Level",
    "Location",
    "Message",
    "Outcome",
    "Reference",
    "RepairSession",
    "Sampling",
    "Severity",
    "SolveResult",
    "Stage",
    "Task",
    "TensorSpec",
    "Trajectory",
    "Verdict",
    "__version__",
    "asolve",
    "solve",
    "verify",
]


class _Package(ModuleType):
    """The package, where `solve` and `verify` stay the functions although modules of the same names are imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'agentkernel' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"agentkernel.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


sys.modules[__name__].__class__ = _Package
