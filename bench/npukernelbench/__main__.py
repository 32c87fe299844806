"""The benchmark's official answers in the simulator.

    python -m agentkernel.bench.npukernelbench answers CHECKOUT --out TABLE.csv --report TABLE.md
    python -m agentkernel.bench.npukernelbench compare OLD.csv NEW.csv
    python -m agentkernel.bench.npukernelbench tasks CHECKOUT --out FOLDER
    python -m agentkernel.bench.npukernelbench solutions CHECKOUT

A run can be stopped at any moment: every case that has ended is in `TABLE.csv.journal`, and the same command goes on
behind it. `--again` runs cases of given results once more (or, with `all`, every case).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from agentkernel import __version__
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import Checkout, TaskFolder, open_checkout
from agentkernel.bench.npukernelbench.records import CaseRecord, Journal, Sizes, Status
from agentkernel.bench.npukernelbench.table import compare_tables, read_csv, to_csv, to_markdown, totals
from agentkernel.errors import AgentKernelError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, or that of the error that ended it."""
    options = _parser().parse_args(arguments)
    try:
        command: Callable[[argparse.Namespace], int] = options.run
        return command(options)
    except AgentKernelError as error:
        print(f"error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agentkernel.bench.npukernelbench", description=__doc__)
    commands = parser.add_subparsers(required=True)
    answers = commands.add_parser("answers", help="run official answers and write a table")
    answers.add_argument("checkout", type=Path, help="root of a clone of the benchmark")
    answers.add_argument("--tasks", nargs="+", default=[], help="names of tasks, or parts of their keys")
    answers.add_argument("--without", nargs="+", default=[], help="parts of keys of tasks that are left out")
    answers.add_argument("--max-elements", type=int, default=4_000_000, help="largest case, in elements of all inputs")
    answers.add_argument("--cases", type=int, help="only so many of a task's cases, the smallest")
    answers.add_argument("--timeout", type=float, default=60.0, help="seconds of one launch of small tensors")
    answers.add_argument("--cores", type=int, default=48, help="vector cores that tiling is told of")
    answers.add_argument("--seed", type=int, default=0, help="of the generated inputs")
    answers.add_argument("--again", nargs="+", default=[], help="results that run once more, or `all`")
    answers.add_argument("--out", type=Path, required=True, help="table of all cases, CSV")
    answers.add_argument("--report", type=Path, help="report, Markdown")
    answers.set_defaults(run=_answers)
    compare = commands.add_parser("compare", help="what changed between two tables")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path)
    compare.set_defaults(run=_compare)
    tasks = commands.add_parser("tasks", help="write task files for the benchmark's tasks")
    tasks.add_argument("checkout", type=Path, help="root of a clone of the benchmark")
    tasks.add_argument("--tasks", nargs="+", default=[], help="names of tasks, or parts of their keys")
    tasks.add_argument(
        "--mode", choices=["static", "dynamic"], default="static", help="one task per case, or per group"
    )
    tasks.add_argument("--path", choices=["device", "full"], default="device", help="which part is to be written")
    tasks.add_argument("--max-elements", type=int, default=4_000_000, help="largest case, in elements of all inputs")
    tasks.add_argument("--cases", type=int, help="only so many of a task's cases, the smallest")
    tasks.add_argument("--out", type=Path, required=True, help="folder for the files, one per task of the benchmark")
    tasks.set_defaults(run=_tasks)
    solved = commands.add_parser("solutions", help="judge official answers against their tasks, as any kernel is")
    solved.add_argument("checkout", type=Path, help="root of a clone of the benchmark")
    solved.add_argument("--tasks", nargs="+", default=[], help="names of tasks, or parts of their keys")
    solved.add_argument("--max-elements", type=int, default=4_000_000, help="largest case, in elements of all inputs")
    solved.set_defaults(run=_solutions)
    return parser


def _compare(options: argparse.Namespace) -> int:
    print(compare_tables(read_csv(options.old), read_csv(options.new)), end="")
    return 0


def _answers(options: argparse.Namespace) -> int:
    from agentkernel.bench.npukernelbench.answers import Runner, Settings, chosen
    from agentkernel.bench.npukernelbench.machinery import Machinery

    checkout = open_checkout(options.checkout)
    tasks = _chosen_tasks(checkout, options.tasks, options.without)
    journal, sizes = Journal(Path(f"{options.out}.journal")), Sizes(Path(f"{options.out}.sizes"))
    done = {key: one for key, one in journal.read().items() if not _again(one, options.again)}
    settings = Settings(vector_cores=options.cores, timeout=options.timeout)
    with (
        Machinery(seed=options.seed) as machinery,
        Runner(checkout, machinery, settings=settings, tell=_tell) as runner,
    ):
        _tell("building the bindings of the tasks")
        machinery.build([task for task in tasks if task.answer is not None])
        for task in tasks:
            rows = read_rows(task.cases_file)
            _measure(task, rows, sizes, runner.measure)
            size: Callable[[Row], int] = lambda row, task=task: sizes.get(task.key, row.case_id) or 0  # type: ignore[misc]  # noqa: E731
            for row in chosen(rows, size, most=options.max_elements, cases=options.cases):
                if (task.key, row.case_id) not in done:
                    record = runner.run(task, row)
                    journal.add(record)
                    done[record.key] = record
                    _say(record)
            _write(options, checkout, tasks, done)
    print(", ".join(f"{count} {status}" for status, count in totals(done.values()).items()))
    return 0


def _tasks(options: argparse.Namespace) -> int:
    from agentkernel.bench.npukernelbench.files import table_of, write_tasks
    from agentkernel.bench.npukernelbench.machinery import Machinery
    from agentkernel.task import Path as TaskPath
    from agentkernel.task import ShapeMode

    checkout = open_checkout(options.checkout, broken=True)
    folders = _chosen_tasks(checkout, options.tasks, [])
    with Machinery() as machinery:
        machinery.build(folders)
        written = []
        for one in write_tasks(
            folders,
            options.out,
            mode=ShapeMode(options.mode),
            path=TaskPath(options.path),
            most=options.max_elements,
            cases=options.cases,
            machinery=machinery,
        ):
            written.append(one)
            for reason in one.left_out:
                _tell(f"left out: {reason}")
    print(table_of(written))
    print(f"{sum(len(one.tasks) for one in written)} tasks written to {options.out}")
    return 0


def _solutions(options: argparse.Namespace) -> int:
    from agentkernel.bench.npukernelbench.machinery import Machinery
    from agentkernel.bench.npukernelbench.solutions import solutions, solutions_text
    from agentkernel.toolchains.simulator import SimulatorToolchain

    folders = _chosen_tasks(open_checkout(options.checkout), options.tasks, [])
    found = []
    with Machinery() as machinery, SimulatorToolchain(tell=_tell) as toolchain:
        machinery.build(folders)
        most = options.max_elements
        for one in solutions(folders, most=most, machinery=machinery, toolchain=toolchain):
            found.append(one)
            _tell(f"{one.key}: {one.result} {one.reason}")
    print(solutions_text(found))
    return 0


def _chosen_tasks(checkout: Checkout, names: Sequence[str], without: Sequence[str]) -> tuple[TaskFolder, ...]:
    found = [task for task in checkout.tasks if not names or any(_named(task, name) for name in names)]
    if not found:
        checkout.find(names[0])  # says what there is
    return tuple(task for task in found if not any(_named(task, name) for name in without))


def _named(task: TaskFolder, name: str) -> bool:
    return name == task.name or ("/" in name and f"{task.key}/".startswith(name.rstrip("/") + "/"))


def _again(record: CaseRecord, words: Sequence[str]) -> bool:
    return "all" in words or record.status.value in words or record.task.rsplit("/", 1)[-1] in words


def _measure(task: TaskFolder, rows: Sequence[Row], sizes: Sizes, measure: Callable[[TaskFolder, Row], int]) -> None:
    missing = [row for row in rows if sizes.get(task.key, row.case_id) is None]
    if missing:
        sizes.add([(task.key, row.case_id, measure(task, row)) for row in missing])


def _write(
    options: argparse.Namespace,
    checkout: Checkout,
    tasks: Sequence[TaskFolder],
    done: dict[tuple[str, int], CaseRecord],
) -> None:
    order = {task.key: index for index, task in enumerate(checkout.tasks)}
    chosen = {task.key for task in tasks}
    records = sorted((r for r in done.values() if r.task in chosen), key=lambda r: (order.get(r.task, -1), r.case))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(to_csv(records), encoding="utf-8")
    if options.report is not None:
        about = [
            f"benchmark commit {_commit(checkout.root)}, agentkernel {__version__}",
            f"cases of at most {options.max_elements} input elements"
            + (f", the {options.cases} smallest of each task" if options.cases else ""),
            f"{options.cores} vector cores, seed {options.seed}, written {time.strftime('%Y-%m-%d')}",
        ]
        command = "python -m agentkernel.bench.npukernelbench answers CHECKOUT"
        command += "".join(f" --{name} {value}" for name, value in _given(options))
        options.report.parent.mkdir(parents=True, exist_ok=True)
        text = to_markdown(records, title="NPUKernelBench: official answers", command=command, about=about)
        options.report.write_text(text, encoding="utf-8")


def _given(options: argparse.Namespace) -> list[tuple[str, str]]:
    given = [("max-elements", str(options.max_elements))]
    given += [("cases", str(options.cases))] if options.cases else []
    given += [("tasks", " ".join(options.tasks))] if options.tasks else []
    given += [("without", " ".join(options.without))] if options.without else []
    return given


def _commit(root: Path) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def _say(record: CaseRecord) -> None:
    reason = "" if record.status is Status.PASS else f"  {record.code} {record.reason}"[:160]
    print(f"{record.task} {record.case}: {record.status} ({record.seconds:.1f} s){reason}", flush=True)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
