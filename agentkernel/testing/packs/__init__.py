"""Packs of small kernels: wrong ones that must be found out, unusual legal ones that must pass.

A kernel of a pack is a `.cpp` file, or a folder with `kernel.cpp` and its headers. Comments at its head say what it is:

    // The idea in a sentence or two.
    // fact: where the rule behind it is written down
    // in x: float32 4x16 = normal          an input: element type, shape, values
    // out z: float32 64 = x.ravel() + 1    an output, and its right values where they matter
    // entry: second                        the kernel that is launched (`kernel`)
    // blocks: 4                            how many blocks (1)
    // tolerance: 1e-4                      threshold of the precision standard (legal: equal bits)
    // expect: numeric-mismatch             a finding without a line
    // also: output-not-written             findings that may follow from the expected ones

`// expect: CODE` behind a statement says what is found on that line; `A|B` where the rule leaves it open.
Values are NumPy expressions (`agentkernel.testing.packs.values`).
"""

from agentkernel.testing.packs.kernel import Expected, PackKernel, TensorText, load, read
from agentkernel.testing.packs.run import Finding, Outcome, run

__all__ = ["Expected", "Finding", "Outcome", "PackKernel", "TensorText", "load", "read", "run"]
