"""The `agentkernel` command.

Exit status: 0 done (a kernel passed, a file was written), 1 the candidate failed or nothing was solved, 2 wrong usage,
task or option, 3 toolchain missing or broken, 4 model endpoint, 5 run folder, 130 interrupted.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    from agentkernel.cli.app import run

    sys.exit(run())


if __name__ == "__main__":
    main()
