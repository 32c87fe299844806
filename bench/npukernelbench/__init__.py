"""NPUKernelBench: a user's checkout of the public benchmark as tasks, and its official answers run in the simulator.

Nothing of the benchmark is part of this package: it reads a checkout that the user has (`open_checkout`), runs its
generators and references in processes of their own (torch is an extra: `pip install 'agentkernel[npukernelbench]'`),
and its operators through the simulator's host side and device side.

The modules fall in two halves. `loading`, `recorder`, `rules`, `tensors` and `child` run inside the child processes and
are the only ones that touch torch, which they never import by themselves where they can be given it; the others run in
the caller's process and see files and plain data. So the whole chain can be tried with a small module named `torch`
that is no torch (tests do); what really needs torch is marked slow in the tests.
"""

from agentkernel.bench.npukernelbench.cases import Row, Tier, read_rows, tier_of
from agentkernel.bench.npukernelbench.checkout import Checkout, TaskFolder, open_checkout

__all__ = ["Checkout", "Row", "TaskFolder", "Tier", "open_checkout", "read_rows", "tier_of"]
