"""A repair session shows the verdict, takes the person's decisions, and loses nothing when it is killed."""

from pathlib import Path
from typing import Any

import pytest

from agentkernel.errors import ConfigError, ModelUnavailableError, StoreError, ToolchainError
from agentkernel.graphs.library import NoLibrary
from agentkernel.kernel import Kernel
from agentkernel.models.scripted import ScriptedClient
from agentkernel.session import Accept, Edit, RepairSession, Stop, Try
from agentkernel.solve import solve
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_source, toy_task
from agentkernel.traces.store import FolderStore
from agentkernel.trajectory import Outcome, Turn
from agentkernel.verdict import Stage

MINE = Kernel.from_source(toy_source("wrong-tail"), "toy_add")


def seams(runs: Path, *answers: str | Exception, toolchain: ToyToolchain | None = None) -> dict[str, Any]:
    return {
        "model": ScriptedClient(["(a human turn has no answer)", *answers], by_attempt=True),
        "toolchain": toolchain or ToyToolchain(),
        "runs": runs,
        "library": NoLibrary(),
        "check": toy_check,
    }


def test_the_session_begins_with_the_verdict_of_the_given_kernel(tmp_path: Path) -> None:
    with RepairSession.start(MINE, toy_task(), origin=tmp_path / "mine.cpp", run_id="s", **seams(tmp_path)) as session:
        state = session.state
        assert state.kernel == MINE
        assert state.verdict.stage is Stage.VERIFY
        assert not state.verdict.passed
        assert state.outcome is None
        assert state.origin == tmp_path / "mine.cpp"
        assert not session.pending
        (attempt,) = state.trajectory.attempts
        assert attempt.turn is Turn.HUMAN
        assert attempt.messages == ()
        assert attempt.completion is None
        assert state.trajectory.header.session


def test_the_model_tries_with_a_hint_and_the_person_accepts(tmp_path: Path) -> None:
    given = seams(tmp_path, toy_answer("missing-sync"), toy_answer())
    with RepairSession.start(MINE, toy_task(), **given) as session:
        state = session.reply(Try(hint="Mind the tail."))
        assert state.trajectory.attempts[1].hint == "Mind the tail."
        assert [d.code for d in state.verdict.all_diagnostics] == ["missing-sync"] * 2
        state = session.reply(Try())
        assert state.verdict.passed
        assert state.outcome is None
        state = session.reply(Accept())
    assert state.outcome is Outcome.SOLVED
    asked = given["model"].requests
    assert "Mind the tail." in asked[0].messages[1].content
    assert "tail: FAILED" in asked[0].messages[1].content
    assert "Mind the tail." not in asked[1].messages[1].content
    assert [a.turn for a in state.trajectory.attempts] == [Turn.HUMAN, Turn.REPAIR_KERNEL, Turn.REPAIR_KERNEL]


def test_an_edit_by_hand_is_judged_like_the_models_kernels(tmp_path: Path) -> None:
    with RepairSession.start(MINE, toy_task(), **seams(tmp_path)) as session:
        state = session.reply(Edit(kernel=Kernel.from_source(toy_source("syntax"), "toy_add")))
        assert state.verdict.stage is Stage.COMPILE
        state = session.reply(Edit(kernel=Kernel.from_source(toy_source(), "toy_add")))
        assert state.verdict.passed
        assert [a.turn for a in state.trajectory.attempts] == [Turn.HUMAN] * 3


def test_accepting_a_failing_kernel_or_stopping_is_not_solving(tmp_path: Path) -> None:
    for action in (Accept(), Stop()):
        with RepairSession.start(MINE, toy_task(), **seams(tmp_path)) as session:
            assert session.reply(action).outcome is Outcome.STOPPED
            with pytest.raises(ConfigError, match="has ended"):
                session.reply(Try())


def test_an_unreadable_answer_leaves_the_kernel_before_it(tmp_path: Path) -> None:
    with RepairSession.start(MINE, toy_task(), **seams(tmp_path, "no idea", toy_answer())) as session:
        state = session.reply(Try())
        assert [d.code for d in state.unreadable] == ["no-code-block"]
        assert state.kernel == MINE
        state = session.reply(Try())
        assert state.verdict.passed
        assert state.unreadable == ()
        assert state.trajectory.attempts[2].turn is Turn.REPAIR_FORMAT


def test_a_session_goes_on_in_another_process(tmp_path: Path) -> None:
    with RepairSession.start(MINE, toy_task(), origin="a.cpp", run_id="s", **seams(tmp_path)) as session:
        before = session.state
    with RepairSession.resume("s", **seams(tmp_path, toy_answer())) as session:
        assert session.state == before
        assert session.reply(Try()).verdict.passed
        session.reply(Accept())
    with RepairSession.resume("s", **seams(tmp_path)) as session:
        assert session.state.outcome is Outcome.SOLVED
    assert len(FolderStore(tmp_path).load("s").attempts) == 2


def test_a_failed_step_is_made_again_or_given_up(tmp_path: Path) -> None:
    down = seams(tmp_path, ModelUnavailableError("down"))
    with RepairSession.start(MINE, toy_task(), run_id="s", **down) as session:
        with pytest.raises(ModelUnavailableError):
            session.reply(Try(hint="h"))
        assert session.pending
        with pytest.raises(ModelUnavailableError):
            session.retry()
        state = session.back()
        assert not session.pending
        assert state.kernel == MINE
        with pytest.raises(ModelUnavailableError):
            session.reply(Try(hint="again"))
    with RepairSession.resume("s", finish_step=False, **seams(tmp_path, toy_answer())) as session:
        assert session.pending
        assert session.state.kernel == MINE
        assert session.retry().verdict.passed
        assert session.state.trajectory.attempts[1].hint == "again"


def test_a_toolchain_that_fails_at_the_first_verdict_leaves_a_session_to_resume(tmp_path: Path) -> None:
    def fail(what: str) -> None:
        raise ToolchainError("no compiler")

    with pytest.raises(ToolchainError):
        RepairSession.start(MINE, toy_task(), run_id="s", **seams(tmp_path, toolchain=ToyToolchain(fail)))
    with RepairSession.resume("s", **seams(tmp_path)) as session:
        assert not session.state.verdict.passed


def test_sessions_and_solves_are_not_mixed_up(tmp_path: Path) -> None:
    given = seams(tmp_path)
    RepairSession.start(MINE, toy_task(), run_id="s", **given).close()
    with pytest.raises(ConfigError, match="is a repair session"):
        solve(resume="s", **given)
    solved = {**given, "model": ScriptedClient([toy_answer()], by_attempt=True)}
    solve(toy_task(), run_id="r", **solved)
    with pytest.raises(ConfigError, match="is no repair session"):
        RepairSession.resume("r", **given)
    with pytest.raises(StoreError, match="no run 'x'"):
        RepairSession.resume("x", **given)
    with pytest.raises(ConfigError, match="'scripted'"):
        RepairSession.resume("s", **{**given, "model": ScriptedClient([], name="other")})


def test_a_kernel_of_another_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'toy_add'"):
        RepairSession.start(Kernel.from_source("x", "other"), toy_task(), **seams(tmp_path))


async def test_the_forms_for_event_loops(tmp_path: Path) -> None:
    given = seams(tmp_path, toy_answer())
    session = await RepairSession.astart(MINE, toy_task(), run_id="s", **given)
    with session, pytest.raises(ConfigError, match="begins with a"):
        session.reply(Try())
    with await RepairSession.aresume("s", **given) as session:
        assert (await session.areply(Try())).verdict.passed
        assert (await session.areply(Accept())).outcome is Outcome.SOLVED
