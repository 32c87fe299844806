"""The terminal front, through a pseudo-terminal: what a person types, what they see, and what survives a kill."""

import signal
import sys
from pathlib import Path

import pexpect
import pytest

from agentkernel.testing.toy import toy_source
from agentkernel.traces.store import FolderStore
from agentkernel.trajectory import Outcome, Turn

DRIVER = Path(__file__).parent / "driver.py"
ASK = r"quit\] > "


class Person:
    """Types into a session and reads what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kernel = folder / "mine.cpp"
        self.runs = folder / "runs"
        self._child: pexpect.spawn[str] | None = None

    def open(self, how: str, *answers: str, kill_at: int = 0) -> None:
        arguments = [str(DRIVER), str(self.runs), str(self.kernel), "s", how, str(kill_at), *answers]
        self._child = pexpect.spawn(sys.executable, arguments, encoding="utf-8", timeout=60, dimensions=(50, 160))

    @property
    def child(self) -> "pexpect.spawn[str]":
        assert self._child is not None
        return self._child

    def sees(self, *patterns: str) -> None:
        for pattern in patterns:
            self.child.expect(pattern)

    def types(self, line: str) -> None:
        self.child.expect(ASK)
        self.child.sendline(line)

    def leaves(self) -> int | None:
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

    def attempts(self) -> list[Turn]:
        return [a.turn for a in FolderStore(self.runs).load("s").attempts]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    someone = Person(tmp_path)
    someone.kernel.write_text(toy_source("wrong-tail"))
    return someone


def test_hint_try_and_accept(person: Person) -> None:
    person.open("start", "missing-sync", "-")
    person.sees("session s: toy-add", "failed at comparing with the reference, 1 of 2 cases passed")
    person.types("hint Mind the tail.")
    person.sees(r"\.\.\. repair", r"error\[missing-sync\]", r"4 \|     Step0", r"cases: aligned, tail")
    person.types("t")
    person.sees("passed: 2 of 2 cases")
    person.types("diff")
    person.sees(r"-    Step0\(z, x, y, n\);  // toy: wrong-tail")
    person.types("accept")
    person.sees("written: ", "session s ended: solved")
    assert person.leaves() == 0
    assert person.kernel.read_text() == toy_source()
    run = FolderStore(person.runs).load("s")
    assert run.outcome is Outcome.SOLVED
    assert run.attempts[1].hint == "Mind the tail."


def test_an_edit_reads_the_file_again(person: Person) -> None:
    person.open("start")
    person.types("edit")
    person.sees("is the current kernel already")
    person.child.expect(ASK)
    person.kernel.write_text(toy_source())
    person.child.sendline("edit")
    person.sees("passed: 2 of 2 cases")
    person.types("stop")
    person.sees("ended: stopped")
    assert person.leaves() == 1
    assert person.attempts() == [Turn.HUMAN, Turn.HUMAN]


def test_a_change_that_the_session_does_not_know_is_not_overwritten(person: Person) -> None:
    person.open("start", "-")
    person.types("try")
    person.sees("passed: 2 of 2 cases", ASK)
    person.kernel.write_text("// my own thoughts\n")
    person.child.sendline("accept")
    person.sees("was changed since the session read it")
    person.types("write")
    person.sees("was changed since the session read it")
    assert person.kernel.read_text() == "// my own thoughts\n"
    person.types("quit")
    person.sees("go on with: agentkernel repair --resume s")
    assert person.leaves() == 1


def test_nonsense_is_answered_with_the_commands(person: Person) -> None:
    person.open("start")
    person.types("make it fast")
    person.sees("there is no command `make it fast`", "let the model try with a hint", r"read .*mine\.cpp again")
    person.types("hint")
    person.sees("a hint needs words")
    person.types("print")
    person.sees("toy: wrong-tail")
    person.child.expect(ASK)
    person.child.sendeof()
    person.sees("left; go on with")
    assert person.leaves() == 1


def test_closing_the_terminal_loses_nothing(person: Person) -> None:
    person.open("start", "missing-sync")
    person.types("hint one")
    person.sees(r"error\[missing-sync\]", ASK)
    person.child.kill(signal.SIGHUP)
    person.leaves()
    person.open("resume", "missing-sync", "-")
    person.sees("session s: toy-add", r"error\[missing-sync\]")
    person.types("try")
    person.sees("passed: 2 of 2 cases")
    person.types("accept")
    assert person.leaves() == 0
    assert person.attempts() == [Turn.HUMAN, Turn.REPAIR_KERNEL, Turn.REPAIR_KERNEL]


@pytest.mark.parametrize("kill_at", [4, 5])
def test_a_kill_while_a_try_is_judged_costs_no_second_answer(person: Person, kill_at: int) -> None:
    # calls 1 to 3 judge the person's kernel, 4 builds the model's, 5 runs it
    person.open("start", "-", kill_at=kill_at)
    person.types("hint one")
    person.leaves()
    assert person.child.signalstatus == signal.SIGKILL
    # the endpoint is down now: an answer that was paid for has to be enough
    person.open("resume", "down")
    person.sees("passed: 2 of 2 cases")
    person.types("accept")
    assert person.leaves() == 0
    assert person.attempts() == [Turn.HUMAN, Turn.REPAIR_KERNEL]


def test_an_endpoint_that_is_down_may_be_asked_again_or_left_alone(person: Person) -> None:
    person.open("start", "down")
    person.types("try")
    person.sees("error: the endpoint is down", "try later", r"back, quit\] > ")
    person.child.sendline("again")
    person.sees("error: the endpoint is down", r"back, quit\] > ")
    person.child.sendline("back")
    person.sees("1 of 2 cases passed", ASK)
    person.kernel.write_text(toy_source())
    person.child.sendline("edit")
    person.sees("passed: 2 of 2 cases")
    person.types("a")
    assert person.leaves() == 0
