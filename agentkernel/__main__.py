"""`python -m agentkernel`."""

from agentkernel.cli import main

main()
