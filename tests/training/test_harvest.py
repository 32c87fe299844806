"""The harvest: which rows come out of which runs, that counts add up, and that nothing leaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from agentkernel.diagnostic import Level
from agentkernel.errors import ConfigError, StoreError
from agentkernel.kernel import Kernel
from agentkernel.testing.samples import sample_attempt, sample_header, sample_task
from agentkernel.traces import FolderStore
from agentkernel.training.collect import HarvestOptions, split_of
from agentkernel.training.harvest import harvest
from agentkernel.training.report import HarvestReport, Tally
from agentkernel.trajectory import Attempt, Completion, Message, Turn

Rows = dict[str, list[dict[str, Any]]]
Harvested = Callable[..., tuple[HarvestReport, Rows]]


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "runs")


@pytest.fixture
def harvested(store: FolderStore, tmp_path: Path) -> Harvested:
    """Harvest the store; rows by kind, both splits together."""

    def run(**options: Any) -> tuple[HarvestReport, Rows]:
        suites = options.pop("exclude_suites", ())
        report = harvest(
            [store.root], tmp_path / "out", exclude_suites=suites, options=HarvestOptions(**options), command="x"
        )
        rows: Rows = {}
        for file in sorted((tmp_path / "out").glob("*/*.jsonl")):
            rows.setdefault(file.parent.name, []).extend(json.loads(line) for line in file.read_text().splitlines())
        return report, rows

    return run


def keep(store: FolderStore, *attempts: Attempt, run_id: str = "run-1", task: str = "add-float16", **more: Any) -> None:
    sample = more.pop("sample", 0)
    store.begin(sample_header(run_id, task=sample_task(task, **more), sample=sample))
    for attempt in attempts:
        store.append(run_id, attempt)
    store.close()


def text_of(messages: Sequence[dict[str, str]]) -> str:
    return messages[-1]["content"]


def test_a_draft_that_passes_at_once_is_a_row(store: FolderStore, harvested: Harvested) -> None:
    keep(store, sample_attempt(0, source="void right();\n"))
    report, rows = harvested()
    (row,) = rows["sft_draft"]
    assert [m["role"] for m in row["prompt"]] == ["system", "user"]
    assert row["prompt"][1]["content"].startswith("Turn 0: write add_float16.")
    assert row["completion"] == [{"role": "assistant", "content": "```cpp\nvoid right();\n```"}]
    assert (row["task"], row["run_id"], row["failed"], row["passed"]) == ("add-float16", "run-1", -1, 0)
    assert row["provenance"] == "simulated"
    assert report.tallies["sft_draft"].seen == 1


def test_every_failed_kernel_is_paired_with_the_kernel_that_fixed_it(store: FolderStore, harvested: Harvested) -> None:
    keep(
        store,
        sample_attempt(0, Level.API),
        sample_attempt(1, Level.NUMERIC),
        sample_attempt(2, Level.FORMAT),
        sample_attempt(3, Level.HAZARD),
        sample_attempt(4),
    )
    report, rows = harvested()
    assert [(r["failed"], r["failure"], r["prompt"][1]["content"][:6]) for r in rows["sft_repair_api"]] == [
        (0, "sample-api", "Turn 1")
    ]
    assert [(r["failed"], r["failure"], r["prompt"][1]["content"][:6]) for r in rows["sft_repair_kernel"]] == [
        (1, "sample-numeric", "Turn 2"),
        (3, "sample-hazard", "Turn 4"),
    ]
    for row in rows["sft_repair_api"] + rows["sft_repair_kernel"]:
        assert "version 4" in text_of(row["completion"])
        assert row["passed"] == 4
    assert report.tallies["sft_repair_format"] == Tally(
        seen=1, kept={"train": 0, "validation": 0}, dropped={"no-kernel": 1}
    )
    assert report.tallies["sft_draft"].dropped == {"failed": 1}


@pytest.mark.parametrize(
    ("level", "kind"),
    [
        (Level.API, "sft_repair_api"),
        (Level.HOST, "sft_repair_api"),
        (Level.RUNTIME, "sft_repair_kernel"),
        (Level.HAZARD, "sft_repair_kernel"),
        (Level.NUMERIC, "sft_repair_kernel"),
    ],
)
def test_repairs_are_told_apart_by_the_level_of_the_failure(
    level: Level, kind: str, store: FolderStore, harvested: Harvested
) -> None:
    keep(store, sample_attempt(0, level), sample_attempt(1))
    _, rows = harvested()
    assert {k for k in rows if k.startswith("sft_repair")} == {kind}


def test_a_failure_that_nothing_fixed_gives_no_row(store: FolderStore, harvested: Harvested) -> None:
    keep(store, sample_attempt(0), sample_attempt(1, Level.NUMERIC), sample_attempt(2, Level.API))
    report, rows = harvested()
    assert set(rows) == {"sft_draft", "grpo"}
    assert report.tallies["sft_repair_kernel"].dropped == {"never-fixed": 1}


def human(index: int, level: Level | None = None, source: str = "") -> Attempt:
    """A kernel that a person wrote."""
    attempt = sample_attempt(index, level, source=source, messages=(), turn=Turn.HUMAN)
    return attempt.model_copy(update={"completion": None})


def test_a_fix_by_hand_is_learnt_from_with_the_prompt_that_a_model_would_have_had(
    store: FolderStore, harvested: Harvested
) -> None:
    keep(store, sample_attempt(0, Level.NUMERIC, source="int wrong;\n"), human(1, source="int right;\n"))
    _, rows = harvested()
    (row,) = rows["sft_repair_kernel"]
    assert row["completion"][0]["content"] == "```cpp\nint right;\n```\n"
    assert row["model"] == "human"
    prompt = row["prompt"][-1]["content"]
    assert "int wrong;" in prompt
    assert "sample-numeric" in prompt or "a fault of the numeric level" in prompt
    assert "dpo" not in rows or all(r["pairing"] == "later-turn" for r in rows["dpo"])


def test_a_kernel_of_several_files_is_written_so_that_it_can_be_taken_out_again(
    store: FolderStore, harvested: Harvested
) -> None:
    files = {"op_kernel/add_float16.cpp": '#include "a.h"\nint x;\n', "op_kernel/a.h": "int y;\n"}
    fix = human(1).model_copy(update={"kernel": Kernel(files=files, entry="add_float16")})
    keep(store, sample_attempt(0, Level.NUMERIC), fix)
    report, rows = harvested()
    (row,) = rows["sft_repair_kernel"]
    assert "op_kernel/a.h" in text_of(row["completion"])
    assert report.tallies["sft_repair_kernel"].dropped == {}


def test_a_kernel_that_cannot_be_written_as_an_answer_is_dropped(store: FolderStore, harvested: Harvested) -> None:
    odd = Kernel(files={"op_kernel/add_float16.cpp": "int x;\r\n// ```\nint y;\n"}, entry="add_float16")
    keep(store, sample_attempt(0, Level.NUMERIC), human(1).model_copy(update={"kernel": odd}))
    report, _ = harvested()
    assert report.tallies["sft_repair_kernel"].dropped == {"no-answer": 1}


class TestReasoning:
    """Reasoning is one column's worth of text, wherever an endpoint put it."""

    COMPLETIONS = (
        Completion(text="answer", reasoning="thought"),
        Completion(text="<think>\nthought\n</think>\n\nanswer"),
        Completion(text="thought\n</think>\n\nanswer"),
    )

    @pytest.mark.parametrize("completion", COMPLETIONS, ids=["separate", "tags", "opened-by-the-prompt"])
    @pytest.mark.parametrize(
        ("kept", "text"), [(True, "<think>\nthought\n</think>\n\nanswer"), (False, "answer")], ids=["kept", "left-out"]
    )
    def test_it_is_kept_between_tags_or_left_out(
        self, completion: Completion, kept: bool, text: str, store: FolderStore, harvested: Harvested
    ) -> None:
        keep(store, sample_attempt(0, completion=completion))
        _, rows = harvested(reasoning=kept)
        assert text_of(rows["sft_draft"][0]["completion"]) == text

    def test_an_answer_that_never_came_is_no_rejected_answer(self, store: FolderStore, harvested: Harvested) -> None:
        cut = Completion(text="<think> on and on", finish_reason="length")
        keep(store, sample_attempt(0, Level.FORMAT, completion=cut), sample_attempt(1))
        report, rows = harvested(reasoning=False)
        assert report.tallies["dpo"].dropped == {"no-answer": 1}
        assert "dpo" not in rows


def samples(store: FolderStore, *drafts: Attempt, **more: Any) -> None:
    for number, draft in enumerate(drafts):
        keep(store, draft, run_id=f"sample-{number}", sample=number, **more)


class TestPairs:
    """Passes beats wrong beats uncompiled, for equal prompts only."""

    def test_samples_of_one_prompt_are_ranked_by_how_far_they_came(
        self, store: FolderStore, harvested: Harvested
    ) -> None:
        levels = (Level.API, None, Level.NUMERIC, Level.FORMAT)
        samples(store, *(sample_attempt(0, level, source=f"int v{n};") for n, level in enumerate(levels)))
        report, rows = harvested()
        assert [(r["chosen_from"], r["rejected_from"], r["reason"]) for r in rows["dpo"]] == [
            ("sample-1/0", "sample-2/0", "passes-over-wrong"),
            ("sample-1/0", "sample-3/0", "passes-over-uncompiled"),
            ("sample-1/0", "sample-0/0", "passes-over-uncompiled"),
            ("sample-2/0", "sample-3/0", "compiles-over-uncompiled"),
            ("sample-2/0", "sample-0/0", "compiles-over-uncompiled"),
        ]
        assert report.tallies["dpo"].seen == 5
        first = rows["dpo"][0]
        assert (text_of(first["chosen"]), text_of(first["rejected"])) == ("```cpp\nint v1;```", "```cpp\nint v2;```")
        assert first["turn"] == "draft"
        assert all(r["pairing"] == "sampled" for r in rows["dpo"])

    def test_a_cheat_is_rejected_for_a_pass_and_never_chosen(self, store: FolderStore, harvested: Harvested) -> None:
        levels = (Level.CHEAT, None, Level.NUMERIC, Level.API)
        samples(store, *(sample_attempt(0, level, source=f"int v{n};") for n, level in enumerate(levels)))
        _, rows = harvested()
        assert ("sample-1/0", "sample-0/0", "passes-over-cheat") in {
            (r["chosen_from"], r["rejected_from"], r["reason"]) for r in rows["dpo"]
        }
        assert all(r["chosen_from"] != "sample-0/0" for r in rows["dpo"])
        assert all(r["chosen_from"] == "sample-1/0" for r in rows["dpo"] if r["rejected_from"] == "sample-0/0")

    def test_answers_to_different_prompts_or_tasks_are_never_compared(
        self, store: FolderStore, harvested: Harvested
    ) -> None:
        other = (Message(role="user", content="another prompt"),)
        keep(store, sample_attempt(0), run_id="a")
        keep(store, sample_attempt(0, Level.API, messages=other), run_id="b")
        keep(store, sample_attempt(0, Level.API), run_id="c", task="sub-float16")
        report, _ = harvested()
        assert report.tallies["dpo"].seen == 0

    def test_the_answer_that_solved_a_run_is_preferred_at_its_earlier_prompts(
        self, store: FolderStore, harvested: Harvested
    ) -> None:
        keep(store, sample_attempt(0, Level.API), sample_attempt(1, Level.NUMERIC), sample_attempt(2))
        _, rows = harvested()
        assert [(r["turn"], r["chosen_from"], r["rejected_from"], r["pairing"]) for r in rows["dpo"]] == [
            ("draft", "run-1/2", "run-1/0", "later-turn"),
            ("repair-api", "run-1/2", "run-1/1", "later-turn"),
        ]
        assert rows["dpo"][1]["prompt"][1]["content"].startswith("Turn 1")
        report, rows = harvested(later_turns=False)
        assert report.tallies["dpo"].seen == 0
        assert "dpo" not in rows

    def test_forks_of_one_run_are_compared_at_their_repair_prompt(
        self, store: FolderStore, harvested: Harvested
    ) -> None:
        first = sample_attempt(0, Level.API)
        keep(store, first, sample_attempt(1, Level.HAZARD, source="int a;"), run_id="a")
        keep(store, first, sample_attempt(1, source="int b;"), run_id="b", sample=1)
        _, rows = harvested(later_turns=False)
        assert [(r["turn"], r["chosen_from"], r["rejected_from"]) for r in rows["dpo"]] == [
            ("repair-api", "b/1", "a/1")
        ]

    def test_faster_kernels_are_preferred_only_where_asked_and_only_by_the_factor(
        self, store: FolderStore, harvested: Harvested
    ) -> None:
        times = (10.0, 8.0, 9.5, None)
        samples(store, *(sample_attempt(0, source=f"int v{n};", kernel_us=t) for n, t in enumerate(times)))
        assert harvested()[0].tallies["dpo"].seen == 0
        _, rows = harvested(faster=1.1)
        assert sorted((r["chosen_from"], r["rejected_from"], r["reason"]) for r in rows["dpo"]) == [
            ("sample-1/0", "sample-0/0", "faster"),
            ("sample-1/0", "sample-2/0", "faster"),
        ]

    def test_repetitions_count_once(self, store: FolderStore, harvested: Harvested) -> None:
        drafts = [sample_attempt(0, source="int right;")] * 2
        drafts += [sample_attempt(0, Level.NUMERIC, source=f"int v{n % 5};") for n in range(10)]
        samples(store, *drafts)
        report, rows = harvested()
        assert len({text_of(r["rejected"]) for r in rows["dpo"]}) == len(rows["dpo"]) == 5
        assert report.tallies["dpo"].dropped == {"duplicate": 15}

    def test_a_limit_leaves_every_answer_its_share(self, store: FolderStore, harvested: Harvested) -> None:
        samples(store, *(sample_attempt(0, Level.NUMERIC if n % 2 else None, source=f"int v{n};") for n in range(8)))
        report, rows = harvested(pairs_per_prompt=4)
        assert len({r["chosen_from"] for r in rows["dpo"]}) == 4
        assert len({r["rejected_from"] for r in rows["dpo"]}) == 4
        assert report.tallies["dpo"].dropped == {"capped": 12}

    def test_a_kernel_is_not_preferred_over_itself(self, store: FolderStore, harvested: Harvested) -> None:
        samples(
            store,
            sample_attempt(0, source="int a; // one\n"),
            sample_attempt(0, Level.RUNTIME, source="int   a;\n"),
        )
        report, _ = harvested()
        assert report.tallies["dpo"].dropped == {"same-source": 1}


class TestDuplicates:
    """Sources are compared without comments and layout."""

    def test_equal_drafts_are_kept_once(self, store: FolderStore, harvested: Harvested) -> None:
        sources = (
            'char c = \'"\'; const char* s = "// no comment";\n',
            'char c = \'"\';   /* the quote */\n\nconst char* s = "// no comment"; // end',
            'char c = \'"\'; const char* s = "// another";\n',
        )
        samples(store, *(sample_attempt(0, source=source) for source in sources))
        report, rows = harvested()
        assert [r["run_id"] for r in rows["sft_draft"]] == ["sample-0", "sample-2"]
        assert report.tallies["sft_draft"].dropped == {"duplicate": 1}

    def test_equal_kernels_of_different_tasks_are_both_kept(self, store: FolderStore, harvested: Harvested) -> None:
        keep(store, sample_attempt(0, source="int a;"), run_id="a")
        keep(store, sample_attempt(0, source="int a;"), run_id="b", task="sub-float16")
        assert len(harvested()[1]["sft_draft"]) == 2

    def test_a_repair_is_a_duplicate_where_both_its_kernels_are(self, store: FolderStore, harvested: Harvested) -> None:
        for n, (wrong, right) in enumerate([("a", "x"), ("a", "x"), ("b", "x"), ("a", "y")]):
            keep(
                store,
                sample_attempt(0, Level.NUMERIC, source=f"int {wrong};"),
                sample_attempt(1, source=f"int {right};"),
                run_id=f"r{n}",
                sample=n,
            )
        report, rows = harvested()
        assert [r["run_id"] for r in rows["sft_repair_kernel"]] == ["r0", "r2", "r3"]
        assert report.tallies["sft_repair_kernel"].dropped == {"duplicate": 1}

    def test_a_failure_equal_to_its_fix_teaches_nothing(self, store: FolderStore, harvested: Harvested) -> None:
        keep(store, sample_attempt(0, Level.RUNTIME, source="int a;"), sample_attempt(1, source="int a; // same"))
        report, _ = harvested()
        assert report.tallies["sft_repair_kernel"].dropped == {"same-as-fix": 1}

    def test_a_run_given_twice_counts_once(self, store: FolderStore, tmp_path: Path) -> None:
        keep(store, sample_attempt(0))
        report = harvest([store.root, store.root / "run-1", store.root / "../runs"], tmp_path / "out")
        assert (report.runs, report.tallies["sft_draft"].seen) == (1, 1)


class TestSplit:
    """Whole tasks go to one split, and excluded suites nowhere."""

    NAMES = tuple(f"task-{n}" for n in range(40))

    def test_a_task_is_in_one_split_by_its_name_alone(
        self, store: FolderStore, harvested: Harvested, tmp_path: Path
    ) -> None:
        for number, name in enumerate(self.NAMES):
            keep(store, sample_attempt(0, Level.API), sample_attempt(1), run_id=name, task=name, sample=number)
        report, _ = harvested(validation=0.25)
        tasks = {
            split: {
                json.loads(line)["task"]
                for file in (tmp_path / "out").glob(f"*/{split}.jsonl")
                for line in file.read_text().splitlines()
            }
            for split in ("train", "validation")
        }
        assert not tasks["train"] & tasks["validation"]
        assert tasks["train"] | tasks["validation"] == set(self.NAMES)
        assert report.tasks == {split: len(names) for split, names in tasks.items()}
        assert 2 <= len(tasks["validation"]) <= 20
        assert {name for name in self.NAMES if split_of(name, 0.25) == "validation"} == tasks["validation"]

    def test_no_share_means_no_validation(self) -> None:
        assert {split_of(name, 0.0) for name in self.NAMES} == {"train"}

    def test_an_excluded_suite_gives_no_row_of_any_kind(self, store: FolderStore, harvested: Harvested) -> None:
        turns = (sample_attempt(0, Level.API), sample_attempt(1))
        keep(store, *turns, run_id="a", suite="bench")
        keep(store, sample_attempt(0, source="int b;"), run_id="b", suite="bench", sample=1)
        keep(store, *turns, run_id="c", task="sub-float16", suite="own")
        keep(store, *turns, run_id="d", task="mul-float16")
        report, rows = harvested(exclude_suites=("bench",))
        assert {r["task"] for kind in rows.values() for r in kind} == {"sub-float16", "mul-float16"}
        dropped = {kind: tally.dropped.get("excluded-suite") for kind, tally in report.tallies.items()}
        assert dropped == {
            "sft_draft": 1,
            "sft_repair_api": 1,
            "sft_repair_kernel": None,
            "sft_repair_format": None,
            "dpo": 2,
            "grpo": 1,
        }


def test_grpo_rows_hold_each_task_once_with_how_often_it_was_solved(store: FolderStore, harvested: Harvested) -> None:
    samples(store, sample_attempt(0), sample_attempt(0, Level.API), sample_attempt(0, Level.API))
    _, rows = harvested()
    (row,) = rows["grpo"]
    assert (row["drafts"], row["drafts_passed"]) == (3, 1)
    assert row["prompt"][1]["content"].startswith("Turn 0")
    assert type(sample_task()).model_validate_json(row["task_json"]) == sample_task()


def test_rows_longer_than_the_limit_are_dropped_and_the_longest_is_reported(
    store: FolderStore, harvested: Harvested
) -> None:
    keep(store, sample_attempt(0, source="int a;"), run_id="a")
    keep(store, sample_attempt(0, source=f"int a = {'1' * 2000};"), run_id="b", sample=1)
    report, rows = harvested(max_chars=1000)
    assert [r["run_id"] for r in rows["sft_draft"]] == ["a"]
    assert report.tallies["sft_draft"].dropped == {"too-long": 1}
    assert 400 <= report.longest < 1000
    assert harvested()[0].longest > 2000


MESSAGE = {"role", "content"}
ORIGIN = {"task": str, "suite": str, "task_level": str, "provenance": str, "model": str}
SCHEMAS: dict[str, dict[str, type]] = {
    "sft": {"prompt": list, "completion": list, "run_id": str, "failed": int, "passed": int, "failure": str},
    "dpo": {
        "prompt": list,
        "chosen": list,
        "rejected": list,
        "turn": str,
        "reason": str,
        "pairing": str,
        "chosen_from": str,
        "rejected_from": str,
    },
    "grpo": {"prompt": list, "task_json": str, "drafts": int, "drafts_passed": int},
}


def test_every_row_has_the_columns_that_trl_reads_with_one_type_each(store: FolderStore, harvested: Harvested) -> None:
    """Rows of one file must agree in columns and types, or `datasets` does not load them."""
    keep(store, sample_attempt(0, Level.API), sample_attempt(1, Level.NUMERIC), sample_attempt(2), run_id="a")
    keep(store, sample_attempt(0, Level.NUMERIC), human(1), run_id="b", sample=1)
    keep(store, sample_attempt(0), run_id="c", sample=2)
    _, rows = harvested()
    assert set(rows) == {"sft_draft", "sft_repair_api", "sft_repair_kernel", "dpo", "grpo"}
    for kind, found in rows.items():
        schema = ORIGIN | SCHEMAS[kind.partition("_")[0]]
        for row in found:
            assert {name: type(value) for name, value in row.items()} == schema
            for name in ("prompt", "completion", "chosen", "rejected"):
                for message in row.get(name, []):
                    assert set(message) == MESSAGE
                    assert all(isinstance(value, str) and value for value in message.values())
            assert row["prompt"][-1]["role"] == "user"
            for name in ("completion", "chosen", "rejected"):
                assert [m["role"] for m in row.get(name, [])] in ([], ["assistant"])


def test_counts_add_up_and_the_card_tells_them(store: FolderStore, harvested: Harvested, tmp_path: Path) -> None:
    keep(store, sample_attempt(0, Level.API), sample_attempt(1, Level.NUMERIC), sample_attempt(2), run_id="a")
    keep(store, sample_attempt(0, Level.FORMAT), sample_attempt(1, Level.API), run_id="b", sample=1)
    keep(store, sample_attempt(0), run_id="c", sample=2)
    report, rows = harvested()
    assert (report.runs, report.attempts_passed, report.attempts_failed) == (3, 2, 4)
    for kind, tally in report.tallies.items():
        assert tally.seen == sum(tally.kept.values()) + sum(tally.dropped.values())
        assert len(rows.get(kind, [])) == sum(tally.kept.values())
    assert report.provenance == {"simulated": sum(map(len, rows.values()))}
    assert HarvestReport.model_validate_json((tmp_path / "out/report.json").read_text()) == report

    text = (tmp_path / "out/README.md").read_text()
    _, head, body = text.split("---\n", 2)
    for config in yaml.safe_load(head)["configs"]:
        for file in config["data_files"]:
            assert (tmp_path / "out" / file["path"]).is_file()
    listed = {file["path"] for config in yaml.safe_load(head)["configs"] for file in config["data_files"]}
    assert listed == {str(f.relative_to(tmp_path / "out")) for f in (tmp_path / "out").glob("*/*.jsonl")}
    for kind, tally in report.tallies.items():
        train, validation = tally.kept["train"], tally.kept["validation"]
        dropped = sum(tally.dropped.values())
        assert f"| {kind} | {train} | {validation} | {dropped} | {tally.seen} |" in body
        for reason, count in tally.dropped.items():
            assert f"| {kind} | {reason} | {count} |" in body
        assert f"{tally.seen} seen = {train + validation} kept" in report.for_person()


def test_counts_that_do_not_add_up_are_no_report() -> None:
    with pytest.raises(ValidationError, match="3 rows were seen, and 2 were kept or dropped"):
        Tally(seen=3, kept={"train": 1}, dropped={"failed": 1})


def test_the_card_tells_the_command_that_makes_the_same_again(store: FolderStore, tmp_path: Path) -> None:
    keep(store, sample_attempt(0))
    report = harvest([store.root], tmp_path / "my out", exclude_suites=["bench"])
    assert report.command == f"agentkernel harvest {store.root} --out '{tmp_path}/my out' --exclude-suite bench"
    assert report.command in (tmp_path / "my out/README.md").read_text()


def test_the_same_runs_give_the_same_bytes(store: FolderStore, harvested: Harvested, tmp_path: Path) -> None:
    samples(store, *(sample_attempt(0, level) for level in (None, Level.API, Level.NUMERIC)))

    def contents() -> dict[str, bytes]:
        harvested()
        return {str(f): f.read_bytes() for f in (tmp_path / "out").rglob("*") if f.is_file()}

    assert contents() == contents()


class TestTarget:
    """A harvest replaces a harvest, and nothing else."""

    def test_an_earlier_harvest_is_replaced_as_a_whole(
        self, store: FolderStore, harvested: Harvested, tmp_path: Path
    ) -> None:
        keep(store, sample_attempt(0, Level.API), sample_attempt(1))
        assert "dpo" in harvested()[1]
        assert "dpo" not in harvested(later_turns=False)[1]
        assert not (tmp_path / "out/dpo").exists()
        assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []

    def test_a_folder_with_other_content_is_left_alone(self, store: FolderStore, tmp_path: Path) -> None:
        keep(store, sample_attempt(0))
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine/thesis.tex").write_text("years of work")
        with pytest.raises(ConfigError, match="exists and is no harvest"):
            harvest([store.root], tmp_path / "mine")
        with pytest.raises(ConfigError, match="exists and is no harvest"):
            harvest([store.root], tmp_path / "mine/thesis.tex")
        assert (tmp_path / "mine/thesis.tex").read_text() == "years of work"

    @pytest.mark.parametrize("name", ["missing", "empty"])
    def test_a_folder_without_runs_is_named(self, name: str, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(ConfigError, match=f"no runs in .*{name}"):
            harvest([tmp_path / name], tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_a_damaged_run_is_named_and_nothing_is_written(self, store: FolderStore, tmp_path: Path) -> None:
        keep(store, sample_attempt(0))
        with (store.root / "run-1/attempts.jsonl").open("a") as f:
            f.write("{}\n")
        with pytest.raises(StoreError, match=r"attempts\.jsonl:2"):
            harvest([store.root], tmp_path / "out")
        assert not (tmp_path / "out").exists()
