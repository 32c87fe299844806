"""The loop against a real HTTP server, then the harvest of what it kept."""

from __future__ import annotations

import json
from pathlib import Path

from agentkernel.graphs.library import NoLibrary
from agentkernel.models import Backoff, OpenAICompatibleClient
from agentkernel.solve import solve
from agentkernel.testing.server import Behaviour, CutStream, Garbage, ModelServer, rate_limited, server_error
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_task
from agentkernel.training.harvest import harvest


def answer(number: int, *marks: str) -> str:
    """An answer whose code differs from the others, for kernels that differ in comments alone count as one."""
    return toy_answer(*marks).replace("```cpp\n", f"```cpp\nconstexpr int VERSION = {number};\n")


def rows(folder: Path, kind: str) -> list[dict[str, object]]:
    return [json.loads(line) for file in (folder / kind).glob("*.jsonl") for line in file.read_text().splitlines()]


def test_a_run_over_a_shaky_endpoint_becomes_repairs_and_preferences(tmp_path: Path) -> None:
    script: list[Behaviour | str] = [
        rate_limited(),
        answer(0, "unknown-api"),
        server_error(),
        answer(1, "wrong-tail"),
        CutStream("```cpp\nhalf of a kernel"),
        Garbage(),
        answer(2, "missing-sync"),
        answer(3),
    ]
    with ModelServer(script) as server:
        client = OpenAICompatibleClient("tiny", server.base_url, backoff=Backoff(initial=0.001, jitter=0))
        result = solve(
            toy_task(),
            model=client,
            toolchain=ToyToolchain(),
            check=toy_check,
            library=NoLibrary(),
            runs=tmp_path / "runs",
            run_id="run",
        )
    assert (result.solved, result.turns, len(server.requests)) == (True, 4, len(script))

    report = harvest([tmp_path / "runs"], tmp_path / "out")
    assert (report.attempts_passed, report.attempts_failed) == (1, 3)
    api, kernel = rows(tmp_path / "out", "sft_repair_api"), rows(tmp_path / "out", "sft_repair_kernel")
    assert [row["failure"] for row in api] == ["unknown-api"]
    assert [row["failed"] for row in kernel] == [1, 2]
    assert len(rows(tmp_path / "out", "dpo")) == 3
    for row in (*api, *kernel):
        assert row["passed"] == 3
        prompt = json.dumps(row["prompt"])
        assert "toy_add" in prompt
        assert "VERSION = 3" in json.dumps(row["completion"])
        assert f"VERSION = {row['failed']}" in prompt
