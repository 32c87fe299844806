"""`solve` writes a kernel for a task, keeps every run, picks the best kernel, and resumes what was killed."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentkernel.errors import ConfigError, ModelUnavailableError, StoreError
from agentkernel.graphs.library import NoLibrary
from agentkernel.models.base import ModelRequest
from agentkernel.models.scripted import ScriptedClient
from agentkernel.solve import SolveResult, asolve, solve
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_task
from agentkernel.traces.store import FolderStore
from agentkernel.trajectory import Completion, Outcome

TOY: dict[str, Any] = {"toolchain": ToyToolchain(), "check": toy_check, "library": NoLibrary()}
FOUR = [toy_answer("unknown-api"), toy_answer("wrong-tail"), toy_answer("missing-sync"), toy_answer()]


def scripted(*answers: str | Exception) -> ScriptedClient:
    return ScriptedClient(answers, by_attempt=True)


class BySeed:
    """Answers that depend on the sample, which its seed tells."""

    name = "by-seed"

    def __init__(self, answers: dict[int, list[str | Exception]]) -> None:
        self._answers = answers
        self.asked: list[tuple[int, int]] = []

    async def complete(self, request: ModelRequest) -> Completion:
        seed = request.sampling.seed or 0
        self.asked.append((seed, request.attempt))
        answer = self._answers[seed][request.attempt]
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=answer, prompt_tokens=10, completion_tokens=5)


def test_a_task_is_solved_and_everything_is_kept(tmp_path: Path) -> None:
    result = solve(toy_task(), model=scripted(*FOUR), runs=tmp_path, run_id="one", **TOY)
    assert result.solved
    assert result.outcome is Outcome.SOLVED
    assert (result.turns, result.task, result.model, result.toolchain) == (4, "toy-add", "scripted", "toy")
    assert result.kernel is not None
    assert result.kernel_path == tmp_path / "one/kernels/3/op_kernel/toy_add.cpp"
    assert result.kernel_path.read_text() == result.kernel.files[result.kernel.main_file]
    assert result.run_paths == (tmp_path / "one",)
    kept = FolderStore(tmp_path).load("one")
    assert kept == result.trajectories[0]
    assert kept.header.versions["toy"] == "1"
    assert SolveResult.model_validate_json(result.model_dump_json()) == result


def test_nothing_is_kept_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = solve(toy_task(), model=scripted(toy_answer()), runs=None, **TOY)
    assert result.solved
    assert result.kernel_path is None
    assert result.run_paths == ()
    assert list(tmp_path.iterdir()) == []


async def test_inside_a_running_loop_asolve_works_and_solve_says_so() -> None:
    result = await asolve(toy_task(), model=scripted(toy_answer()), runs=None, **TOY)
    assert result.solved
    with pytest.raises(ConfigError, match="await asolve"):
        solve(toy_task(), model=scripted(), runs=None, **TOY)


def test_without_a_kernel_the_result_says_how_it_ended() -> None:
    result = solve(toy_task(), model=scripted("no code", "none again"), turns=2, runs=None, **TOY)
    assert not result.solved
    assert result.outcome is Outcome.TURNS
    assert result.kernel is None
    assert result.verdict is not None
    assert result.verdict.diagnostics[0].code == "no-code-block"


def test_the_best_kernel_is_the_one_that_came_furthest() -> None:
    answers = [toy_answer("syntax"), toy_answer("wrong-tail"), toy_answer("unknown-api")]
    result = solve(toy_task(), model=scripted(*answers), turns=3, runs=None, **TOY)
    assert result.kernel is not None
    assert "wrong-tail" in result.kernel.files[result.kernel.main_file]


def test_samples_are_runs_with_consecutive_seeds_and_the_best_counts(tmp_path: Path) -> None:
    model = BySeed({5: [toy_answer("wrong-tail")] * 2, 6: [toy_answer("syntax"), toy_answer()], 7: ["?", "?"]})
    result = solve(toy_task(), model=model, samples=3, turns=2, seed=5, runs=tmp_path, run_id="three", **TOY)
    assert result.solved
    assert [t.outcome for t in result.trajectories] == [Outcome.TURNS, Outcome.SOLVED, Outcome.TURNS]
    assert [t.header.sample for t in result.trajectories] == [0, 1, 2]
    assert [path.name for path in result.run_paths] == ["three-0", "three-1", "three-2"]
    assert result.run_id == "three"
    assert result.tokens == 6 * 15
    assert sorted(model.asked) == [(seed, attempt) for seed in (5, 6, 7) for attempt in (0, 1)]
    assert list(FolderStore(tmp_path).runs()) == ["three-0", "three-1", "three-2"]


def test_the_first_solved_sample_stops_the_others_where_that_is_asked_for() -> None:
    model = BySeed({0: [toy_answer()], 1: [toy_answer("wrong-tail")] * 4, 2: [toy_answer("wrong-tail")] * 4})
    result = solve(toy_task(), model=model, samples=3, concurrency=1, runs=None, first_solved_stops=True, **TOY)
    assert result.solved
    assert model.asked == [(0, 0)]
    assert [t.outcome for t in result.trajectories] == [Outcome.SOLVED]


async def test_a_sample_that_waits_for_its_model_is_stopped_too() -> None:
    import asyncio

    class Slow(BySeed):
        async def complete(self, request: ModelRequest) -> Completion:
            if request.sampling.seed == 1:
                await asyncio.sleep(3600)
            return await super().complete(request)

    model = Slow({0: [toy_answer("syntax"), toy_answer()]})
    result = await asolve(toy_task(), model=model, samples=2, runs=None, first_solved_stops=True, **TOY)
    assert [t.outcome for t in result.trajectories] == [Outcome.SOLVED, Outcome.STOPPED]


def test_a_run_whose_endpoint_failed_is_resumed_where_it_was(tmp_path: Path) -> None:
    down = scripted(FOUR[0], FOUR[1], ModelUnavailableError("down"))
    with pytest.raises(ModelUnavailableError):
        solve(toy_task(), model=down, runs=tmp_path, run_id="one", **TOY)
    up = scripted(*FOUR)
    result = solve(resume="one", model=up, runs=tmp_path, **TOY)
    assert result.solved
    assert result.turns == 4
    assert [r.attempt for r in up.requests] == [2, 3]
    again = scripted()
    assert solve(resume="one", model=again, runs=tmp_path, **TOY).trajectories == result.trajectories
    assert again.requests == []


def test_a_search_whose_endpoint_failed_is_resumed_sample_by_sample(tmp_path: Path) -> None:
    down = BySeed({0: [toy_answer()], 1: [toy_answer("syntax"), ModelUnavailableError("down")], 2: [toy_answer()]})
    with pytest.raises(ModelUnavailableError):
        solve(toy_task(), model=down, samples=3, concurrency=1, runs=tmp_path, run_id="s", **TOY)
    up = BySeed({0: [], 1: ["", toy_answer()], 2: [toy_answer()]})
    result = solve(toy_task(), resume="s", model=up, runs=tmp_path, **TOY)
    assert [t.outcome for t in result.trajectories] == [Outcome.SOLVED] * 3
    assert sorted(up.asked) == [(1, 1), (2, 0)]


def test_a_single_sample_of_a_search_may_be_resumed_by_its_own_id(tmp_path: Path) -> None:
    down = BySeed({0: [toy_answer("syntax"), ModelUnavailableError("down")], 1: [toy_answer()]})
    with pytest.raises(ModelUnavailableError):
        solve(toy_task(), model=down, samples=2, concurrency=1, runs=tmp_path, run_id="s", **TOY)
    up = BySeed({0: ["", toy_answer()]})
    assert solve(resume="s-0", model=up, runs=tmp_path, **TOY).solved
    assert up.asked == [(0, 1)]


def test_a_resumed_run_is_held_to_what_it_was_begun_with(tmp_path: Path) -> None:
    solve(toy_task(), model=scripted(toy_answer()), runs=tmp_path, run_id="one", **TOY)
    other = ScriptedClient([], name="other")
    with pytest.raises(ConfigError, match="'scripted'"):
        solve(resume="one", model=other, runs=tmp_path, **TOY)
    changed = toy_task().model_copy(update={"description": "changed"})
    with pytest.raises(ConfigError, match="toy-add"):
        solve(changed, resume="one", model=scripted(), runs=tmp_path, **TOY)
    with pytest.raises(StoreError, match="no run 'two'"):
        solve(resume="two", model=scripted(), runs=tmp_path, **TOY)


@pytest.mark.parametrize("options", [{"samples": 0}, {"database": "mysql://x"}])
def test_wrong_options_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        solve(toy_task(), model=scripted(), runs=None, **options, **TOY)
    with pytest.raises(ConfigError, match="neither a task nor a run"):
        solve(model=scripted(), runs=None, **TOY)
    with pytest.raises(ConfigError, match="no toolchain 'gcc'"):
        solve(toy_task(), model=scripted(), runs=None, toolchain="gcc")


def test_the_public_names_are_there_and_cost_nothing_to_import() -> None:
    program = """
import sys
import agentkernel
heavy = {"langgraph", "openai", "pydantic", "numpy", "torch", "tree_sitter"} & set(sys.modules)
assert not heavy, heavy
from agentkernel.verify import CaseBank
from agentkernel import solve, verify
import agentkernel.solve
assert callable(solve) and callable(verify) and agentkernel.solve is solve
for name in agentkernel.__all__:
    assert getattr(agentkernel, name) is not None
heavy = {"langgraph", "openai", "torch"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)
