"""Records survive whatever ends a run; tables say what became of tasks and what changed."""

import pytest

from agentkernel.bench.npukernelbench.records import CaseRecord, Journal, Sizes, Status
from agentkernel.bench.npukernelbench.table import compare_tables, read_csv, task_status, to_csv, to_markdown, totals
from agentkernel.errors import ConfigError


def record(case=0, status=Status.PASS, task="level1/Math/Twice", **more):
    return CaseRecord(task=task, case=case, status=status, elements=10, **more)


RECORDS = (
    record(0, official=True, ours=True, kernel_us=1.5, tiling_key=3),
    record(1, Status.HAZARD, code="missing-sync", reason="a | b\nc", official=True, ours=True),
    record(2, Status.GENERATOR_ERROR, reason="inputs: rand"),
)


def test_the_last_record_of_a_case_counts(tmp_path):
    journal = Journal(tmp_path / "new" / "journal")
    assert journal.read() == {}
    journal.add(record(0, Status.FAIL))
    journal.add(record(1))
    journal.add(record(0))
    assert [one.status for one in journal.read().values()] == [Status.PASS, Status.PASS]


def test_a_line_that_was_cut_off_is_dropped_and_written_over(tmp_path):
    path = tmp_path / "journal"
    journal = Journal(path)
    journal.add(record(0))
    path.write_bytes(path.read_bytes() + b'{"task": "level1/Ma')
    assert list(journal.read()) == [("level1/Math/Twice", 0)]
    journal.add(record(1))
    assert list(journal.read()) == [("level1/Math/Twice", 0), ("level1/Math/Twice", 1)]


def test_a_line_that_is_no_record_is_refused(tmp_path):
    path = tmp_path / "journal"
    path.write_text("nonsense\n")
    with pytest.raises(ConfigError, match=":1 is no record"):
        Journal(path).read()


def test_sizes_are_kept(tmp_path):
    Sizes(tmp_path / "sizes").add([("a", 1, 10), ("a", 2, -1)])
    again = Sizes(tmp_path / "sizes")
    assert (again.get("a", 1), again.get("a", 2), again.get("a", 3)) == (10, -1, None)


def test_a_table_reads_back_what_was_written(tmp_path):
    (tmp_path / "table.csv").write_text(to_csv(RECORDS))
    assert read_csv(tmp_path / "table.csv") == RECORDS
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ConfigError, match="no table of this command"):
        read_csv(tmp_path / "other.csv")


def test_a_task_passes_where_every_usable_case_does():
    assert task_status([RECORDS[0], RECORDS[2]]) == "pass"
    assert task_status(RECORDS) == "hazard"
    assert task_status([RECORDS[2]]) == "generator error"


def test_the_report_counts_cases_tasks_and_agreement():
    text = to_markdown(RECORDS, title="T", command="c", about=("commit x",))
    assert "| pass | 1 | 0 |" in text and "| hazard | 1 | 1 |" in text
    assert "| right | right | 2 |" in text
    assert "missing-sync a \\| b c" in text
    assert totals(RECORDS) == {"pass": 1, "hazard": 1, "generator error": 1}


def test_comparing_names_what_got_worse_first():
    new = (record(0, Status.FAIL, reason="worse"), record(1), record(3))
    text = compare_tables(RECORDS, new)
    lines = text.splitlines()
    assert "2 cases changed, 1 of them passed before." in lines
    assert "1 are new, 1 are gone." in lines
    changed = [line for line in lines if line.startswith("- ")]
    assert changed[0] == "- level1/Math/Twice 0: pass -> fail worse"
    assert changed[1] == "- level1/Math/Twice 1: hazard -> pass"
