"""Program under a pseudo-terminal: a session over the toy toolchain, which may kill itself at a chosen call.

usage: driver.py RUNS KERNEL RUN_ID start|resume KILL_AT [ANSWER_MARKS ...]

KILL_AT is the number of the toolchain call before which the process kills itself, 0 for never. Every ANSWER_MARKS is
one answer of the model: marks joined by commas, `-` for none, `down` for an endpoint that does not answer.
"""

import os
import signal
import sys
from pathlib import Path

from agentkernel.errors import ModelUnavailableError
from agentkernel.graphs.library import NoLibrary
from agentkernel.kernel import Kernel
from agentkernel.models.scripted import ScriptedClient
from agentkernel.session import RepairSession
from agentkernel.terminal import RepairTerminal
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_task


def main() -> int:
    runs, kernel, run_id, how, kill_at, *answers = sys.argv[1:]
    calls = []

    def on_call(what: str) -> None:
        calls.append(what)
        if len(calls) == int(kill_at):
            os.kill(os.getpid(), signal.SIGKILL)

    def answer(marks: str) -> str | Exception:
        if marks == "down":
            return ModelUnavailableError("the endpoint is down", hint="try later")
        return toy_answer(*(() if marks == "-" else marks.split(",")))

    seams = {
        "model": ScriptedClient(["", *map(answer, answers)], by_attempt=True),
        "toolchain": ToyToolchain(on_call),
        "runs": runs,
        "library": NoLibrary(),
        "check": toy_check,
    }

    def open_session(tell: object) -> RepairSession:
        if how == "resume":
            return RepairSession.resume(run_id, finish_step=False, on_event=tell, **seams)
        mine = Kernel.from_path(kernel, "toy_add")
        return RepairSession.start(mine, toy_task(), origin=kernel, run_id=run_id, on_event=tell, **seams)

    return RepairTerminal(open_session, origin=Path(kernel)).run()


if __name__ == "__main__":
    sys.exit(main())
