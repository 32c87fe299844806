"""Prepared answers, recordings, and the words that name a client."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentkernel.errors import ConfigError, ModelError, ModelUnavailableError, ReplayMissError
from agentkernel.models import (
    ModelClient,
    OpenAICompatibleClient,
    RecordingClient,
    ReplayClient,
    ScriptedClient,
    make_client,
)
from agentkernel.testing import model_client
from agentkernel.testing.model_client import request
from agentkernel.testing.server import ModelServer
from agentkernel.trajectory import Completion, Sampling


@contextmanager
def scripted(answers: Sequence[str]) -> Iterator[ModelClient]:
    yield ScriptedClient(answers)


@pytest.mark.parametrize("check", model_client.CHECKS, ids=lambda check: check.__name__)
async def test_a_script_conforms(check: Any) -> None:
    await check(scripted)


class _Recorded:
    """Asks the same requests of a recorder first that the check will ask of the replay."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        return "recorded"

    async def complete(self, asked: Any) -> Completion:
        self._replay = getattr(self, "_replay", None) or ReplayClient(self._folder)
        await self._recorder.complete(asked)
        return await self._replay.complete(asked)

    @contextmanager
    def make(self, answers: Sequence[str]) -> Iterator[ModelClient]:
        self._recorder = RecordingClient(ScriptedClient(answers), self._folder)
        yield self


@pytest.mark.parametrize("check", model_client.CHECKS, ids=lambda check: check.__name__)
async def test_a_recording_conforms(check: Any, tmp_path: Path) -> None:
    await check(_Recorded(tmp_path).make)


def test_scripts_and_recordings_work_over_event_loops(tmp_path: Path) -> None:
    model_client.it_works_in_one_event_loop_after_another(scripted)
    model_client.it_works_in_one_event_loop_after_another(_Recorded(tmp_path).make)


async def test_a_script_raises_its_exceptions_and_names_its_end() -> None:
    client = ScriptedClient([ModelUnavailableError("down"), "up"], name="story")
    with pytest.raises(ModelUnavailableError, match="down"):
        await client.complete(request())
    assert (await client.complete(request("again"))).text == "up"
    with pytest.raises(ModelError, match="script 'story' has 2 answers and was asked for number 3"):
        await client.complete(request())
    assert [r.messages[1].content for r in client.requests] == ["Write a kernel.", "again", "Write a kernel."]


async def test_a_script_file_is_answered_by_attempt_so_that_a_resumed_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text('{"text": "zero"}\n\n{"text": "one", "finish_reason": "length", "completion_tokens": 5}\n')
    client = make_client(f"script:{file}")
    assert client.name == "script:script.jsonl"
    got = await client.complete(request(attempt=1))
    assert got == Completion(text="one", finish_reason="length", completion_tokens=5)
    assert (await client.complete(request(attempt=0))).text == "zero"


@pytest.mark.parametrize("line", ["not json", '{"txt": "a"}', '{"text": 5}', "[]"])
def test_a_bad_line_of_a_script_file_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text(f'{{"text": "fine"}}\n{line}\n')
    with pytest.raises(ConfigError, match=r"script\.jsonl:2 is no completion"):
        make_client(f"script:{file}")


async def test_a_replay_answers_as_recorded_and_refuses_everything_else(tmp_path: Path) -> None:
    recorder = RecordingClient(ScriptedClient(["first", "second", "other"]), tmp_path)
    for asked in (request(), request(), request("other question")):
        await recorder.complete(asked)
    replay = ReplayClient(tmp_path)
    assert [(await replay.complete(request())).text for _ in range(2)] == ["first", "second"]
    with pytest.raises(ReplayMissError, match="holds 2 answers for attempt 0"):
        await replay.complete(request())
    with pytest.raises(ReplayMissError, match="record again"):
        await replay.complete(request("a new question"))
    changed = request().model_copy(update={"sampling": Sampling(temperature=0)})
    with pytest.raises(ReplayMissError, match="no answer to attempt 0"):
        await replay.complete(changed)


async def test_the_same_question_of_two_attempts_is_replayed_by_attempt(tmp_path: Path) -> None:
    recorder = RecordingClient(ScriptedClient(["at 0", "at 3"]), tmp_path)
    await recorder.complete(request(attempt=0))
    await recorder.complete(request(attempt=3))
    resumed = ReplayClient(tmp_path)
    assert (await resumed.complete(request(attempt=3))).text == "at 3"


async def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    recorder = RecordingClient(ScriptedClient([ModelUnavailableError("down")]), tmp_path / "recording")
    with pytest.raises(ModelUnavailableError):
        await recorder.complete(request())
    assert not (tmp_path / "recording").exists()


async def test_a_damaged_recording_is_named(tmp_path: Path) -> None:
    await RecordingClient(ScriptedClient(["a"]), tmp_path).complete(request())
    (file,) = tmp_path.iterdir()
    question, answer = file.read_text().splitlines()
    assert json.loads(question)["messages"][1]["content"] == "Write a kernel."
    file.write_text(f"{question}\n{answer.replace('attempt', 'attmpt')}\n")
    with pytest.raises(ReplayMissError, match=r"jsonl:2 is damaged"):
        await ReplayClient(tmp_path).complete(request())


class TestMakeClient:
    """The forms of a specification."""

    @pytest.mark.parametrize("spec", ["qwen", "openai:qwen", "completions:qwen", "openai:qwen:7b"])
    async def test_an_endpoint_is_found_in_the_environment(self, spec: str) -> None:
        kind = spec.partition(":")[0]
        with ModelServer(["hello"]) as server:
            env = {"AGENTKERNEL_BASE_URL": server.base_url, "OPENAI_API_KEY": "k"}
            client = make_client(spec, environment=env)
            assert (await client.complete(request())).text == "hello"
        path = "/v1/completions" if spec.startswith("completions") else "/v1/chat/completions"
        assert server.requests[0].path == path
        assert server.requests[0].body["model"] == client.name == spec.removeprefix(f"{kind}:")
        assert server.requests[0].headers["authorization"] == "Bearer k"

    @pytest.mark.parametrize(
        ("environment", "url", "variable"),
        [
            (
                {"AGENTKERNEL_BASE_URL": "http://a/v1", "OPENAI_BASE_URL": "http://b/v1"},
                "http://a/v1",
                "OPENAI_API_KEY",
            ),
            ({"OPENAI_BASE_URL": "http://b/v1/"}, "http://b/v1", "OPENAI_API_KEY"),
            ({"OPENAI_API_KEY": "k"}, "https://api.openai.com/v1", "OPENAI_API_KEY"),
            (
                {"AGENTKERNEL_API_KEY": "k", "OPENAI_API_KEY": "j", "OPENAI_BASE_URL": "http://b"},
                "http://b",
                "AGENTKERNEL_API_KEY",
            ),
        ],
    )
    def test_the_project_s_own_variables_come_first(self, environment: dict[str, str], url: str, variable: str) -> None:
        client = make_client("m", environment=environment)
        assert isinstance(client, OpenAICompatibleClient)
        assert (client.endpoint.url, client.endpoint.key_variable) == (url, variable)

    def test_a_given_url_wins_and_options_reach_the_client(self) -> None:
        client = make_client("m", base_url="http://c/v1", environment={"AGENTKERNEL_BASE_URL": "http://a/v1"})
        assert isinstance(client, OpenAICompatibleClient)
        assert client.endpoint.url == "http://c/v1"
        with pytest.raises(ConfigError, match="must be positive"):
            make_client("m", base_url="http://c/v1", timeout=0)

    @pytest.mark.parametrize(
        ("spec", "said"),
        [
            ("m", "no endpoint is configured.*AGENTKERNEL_BASE_URL"),
            ("openai:", "no name"),
            ("", "no name"),
            ("qwen:7b", "unknown model 'qwen:7b'.*openai:NAME"),
            ("composer:7", "unknown model"),
            ("replay:", "unknown model"),
            ("replay:/nowhere/at/all", "no recording at"),
            ("script:/nowhere.jsonl", "cannot read the script"),
        ],
    )
    def test_what_names_no_client_is_refused_with_a_hint(self, spec: str, said: str) -> None:
        with pytest.raises(ConfigError, match=said) as caught:
            make_client(spec, environment={})
        assert caught.value.hint

    def test_endpoint_options_are_refused_for_other_clients(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="timeout are for endpoints"):
            make_client(f"replay:{tmp_path}", timeout=5)
        assert isinstance(make_client(f"replay:{tmp_path}"), ReplayClient)
