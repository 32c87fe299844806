"""Kernels as projects of the real toolchain: an operator package, a direct launch, a benchmark submission.

Nothing here has been built with CANN by us: the projects follow its public documentation, and what of them our own
simulator can compile and run is tested with it.
"""

from agentkernel.export.project import Form, export, host_side

__all__ = ["Form", "export", "host_side"]
