"""Harvest: runs of the loop become data sets for SFT, DPO and GRPO, in the formats that TRL reads.

    <out>/README.md                       data-set card with the counts and the command
    <out>/report.json                     the counts
    <out>/<kind>/{train,validation}.jsonl rows; a split without rows has no file

Kinds: `sft_draft`, `sft_repair_api`, `sft_repair_kernel`, `dpo`, `grpo`.
"""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import agentkernel
from agentkernel.errors import ConfigError
from agentkernel.traces.files import atomic_write, storage
from agentkernel.training.card import card
from agentkernel.training.collect import Collection, HarvestOptions, split_of
from agentkernel.training.report import HarvestReport, Split
from agentkernel.training.sources import read_runs


def harvest(
    stores: Sequence[str | Path],
    out: str | Path,
    *,
    exclude_suites: Sequence[str] = (),
    options: HarvestOptions | None = None,
    command: str | None = None,
) -> HarvestReport:
    """Turn runs into training rows.

    Args:
        stores: Folders of runs, or single run folders.
        out: Folder to write. It must be empty, missing, or an earlier harvest, which is then replaced as a whole.
        exclude_suites: Suites whose tasks give no rows; added to those of `options`.
        options: What is kept.
        command: Command line for the card; by default that of `agentkernel harvest` for these arguments.

    Raises:
        ConfigError: A folder holds no run, or `out` holds something else.
        StoreError: A run is damaged, or `out` cannot be written; nothing is left half-written.
    """
    target = Path(out)
    _check_target(target)
    options = options or HarvestOptions()
    suites = tuple(dict.fromkeys((*options.exclude_suites, *exclude_suites)))
    options = options.model_copy(update={"exclude_suites": suites})
    runs = list(read_runs(stores))
    collection = Collection(options)
    collection.add(runs)
    kept = [row for rows in collection.rows.values() for row in rows]
    tasks: Counter[Split] = Counter(split_of(name, options.validation) for name in {row.task for row in kept})
    attempts = [attempt for run in runs for attempt in run.attempts]
    passed = sum(attempt.verdict.passed for attempt in attempts)
    report = HarvestReport(
        agentkernel=agentkernel.__version__,
        command=command or _command(stores, target, suites),
        out=str(target),
        runs=len(runs),
        attempts_passed=passed,
        attempts_failed=len(attempts) - passed,
        tasks={split: tasks[split] for split in get_args(Split)},
        provenance=dict(sorted(Counter(row.provenance for row in kept).items())),
        longest=collection.longest,
        tallies=collection.tallies(),
    )
    _write(target, collection, report)
    return report


def _check_target(target: Path) -> None:
    with storage(f"read {target}"):
        if not target.exists() or (target.is_dir() and not any(target.iterdir())):
            return
        if (target / "report.json").is_file() and "tallies" in (target / "report.json").read_text(encoding="utf-8"):
            return
    raise ConfigError(f"{target} exists and is no harvest", hint="choose an empty or a new folder")


def _write(target: Path, collection: Collection, report: HarvestReport) -> None:
    """Write everything beside the target and put it in place at the end."""
    draft = target.parent / f".{target.name}-{secrets.token_hex(6)}"
    try:
        for (kind, split), rows in collection.rows.items():
            text = "".join(json.dumps(row.model_dump(mode="json"), ensure_ascii=False) + "\n" for row in rows)
            atomic_write(draft / kind / f"{split}.jsonl", text.encode())
        atomic_write(draft / "README.md", card(report).encode())
        atomic_write(draft / "report.json", report.model_dump_json(indent=1).encode() + b"\n")
        with storage(f"write {target}"):
            if target.exists():
                shutil.rmtree(target)
            draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _command(stores: Sequence[str | Path], target: Path, suites: Sequence[str]) -> str:
    words = ["agentkernel", "harvest", *map(str, stores), "--out", str(target)]
    for suite in suites:
        words += ["--exclude-suite", suite]
    return shlex.join(words)
