"""agentkernel: language models write Ascend C kernels, checked on a CPU simulator or on a card."""

__version__ = "0.1.0"
