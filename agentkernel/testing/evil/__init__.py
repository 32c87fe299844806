"""Hostile kernels and host programs: each is stopped and named, or does no harm, and none passes for a right one.

A hostile program is a file whose first three lines are comments:

    // expect: forbidden-syscall     codes of which the verdict has to hold one; `passed` where the trick does nothing
    // A thread that outlives the call.
    // category: processes

`kernels/` holds device code for a copy of 64 floats, `hosts/` the host side of an operator that does the same. A header
that a file includes by name is given to it. The API oracle is left out at first, since the walls have to hold without
it; what it would have said is noted beside.
"""

from agentkernel.testing.evil.program import Program, load
from agentkernel.testing.evil.run import Outcome, run

__all__ = ["Outcome", "Program", "load", "run"]
