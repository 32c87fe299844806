"""Official answers run through their own host side; what becomes of a case is one of the named results."""

import csv
import shutil

import pytest

from agentkernel.bench.npukernelbench import __main__ as command
from agentkernel.bench.npukernelbench.answers import Runner, asked_for, chosen
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import open_checkout
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.records import Status
from agentkernel.diagnostic import Diagnostic, Level

from .conftest import HERE

ANSWER = "tasks/level1/Math/Twice/answer/0"


@pytest.fixture(scope="module")
def machinery(worker, ops):
    return Machinery(worker, {"Twice": ops})


@pytest.fixture
def run(machinery, tmp_path):
    """Run a case of a copy of the checkout, in which some text of the answer is replaced."""

    def run_case(number, file="", old="", new=""):
        shutil.copytree(HERE / "synthetic", tmp_path / "copy")
        if file:
            path = tmp_path / "copy" / ANSWER / file
            text = path.read_text()
            assert old in text
            path.write_text(text.replace(old, new))
        checkout = open_checkout(tmp_path / "copy")
        task = checkout.find("Twice")
        row = next(row for row in read_rows(task.cases_file) if row.case_id == number)
        with Runner(checkout, machinery) as runner:
            return runner.run(task, row)

    return run_case


def test_a_right_answer_passes(run):
    record = run(0)
    assert (record.status, record.official, record.ours) == (Status.PASS, True, True)
    assert (record.elements, record.blocks, record.reference) == (64, 4, "double")
    assert record.dtypes == "float32, float32"
    assert record.kernel_us is not None and record.kernel_us > 0


def test_going_past_the_end_of_a_tensor_is_an_overrun_where_all_else_is_right(run):
    record = run(1)
    assert (record.status, record.code) == (Status.OVERRUN, "gm-out-of-bounds")
    assert (record.official, record.ours) == (True, True)
    assert "room behind" in record.second_look


def test_wrong_numbers_fail(run):
    record = run(0, "op_kernel/twice.cpp", "Add(y, x, x, tile)", "Mul(y, x, x, tile)")
    assert (record.status, record.official, record.ours) == (Status.FAIL, False, False)
    assert "64 elements wrong" in record.reason


def test_a_race_is_a_hazard_although_the_numbers_are_right(run):
    record = run(0, "op_kernel/twice.cpp", "            out.EnQue(y);\n", "")
    assert record.status in (Status.HAZARD, Status.FAIL)
    assert record.code


def test_host_code_that_does_not_compile_is_a_host_error(run):
    record = run(0, "op_host/twice.cpp", "data.set_tile(16)", "data.set_nothing(16)")
    assert record.status is Status.HOST_ERROR
    assert "set_nothing" in record.reason


def test_tiling_that_fails_is_a_host_error(run):
    record = run(0, "op_host/twice.cpp", "return ge::GRAPH_SUCCESS", "return ge::GRAPH_FAILED")
    assert (record.status, record.dtypes) == (Status.HOST_ERROR, "float32, float32")


def test_types_that_the_definition_does_not_list_are_a_host_error(run):
    record = run(0, "op_host/twice.cpp", "ge::DT_FLOAT}", "ge::DT_INT32}")
    assert (record.status, record.code) == (Status.HOST_ERROR, "host-no-variant")


def test_device_code_that_does_not_compile_is_a_compile_error(run):
    record = run(0, "op_kernel/twice.cpp", "Add(y, x, x, tile)", "Twofold(y, x, tile)")
    assert record.status is Status.COMPILE_ERROR
    assert record.place.startswith("op_kernel/twice.cpp:")


def test_a_generator_that_fails_is_not_the_answers_fault(run):
    record = run(2)
    assert record.status is Status.GENERATOR_ERROR
    assert record.elements == -1


def test_a_task_without_answer_is_said_to_have_none(run, tmp_path, machinery):
    shutil.copytree(HERE / "synthetic", tmp_path / "bare")
    shutil.rmtree(tmp_path / "bare" / ANSWER)
    checkout = open_checkout(tmp_path / "bare")
    with Runner(checkout, machinery) as runner:
        record = runner.run(checkout.find("Twice"), Row({"case_id": 0}))
    assert record.status is Status.NO_ANSWER


def test_an_output_that_nothing_was_written_to_counts_only_where_the_result_may_use_it():
    whole = Diagnostic(
        code="output-not-written",
        level=Level.RUNTIME,
        message="",
        evidence={"output": "rstd", "elements": 8, "total": 8},
    )
    part = whole.model_copy(update={"evidence": {"output": "rstd", "elements": 7, "total": 8}})
    other = Diagnostic(code="tensor-leak", level=Level.RUNTIME, message="")
    assert asked_for([whole, part, other], right=True) == ([part, other], ["output rstd is not asked for"])
    assert asked_for([whole, part, other], right=False) == ([whole, part, other], [])


def test_the_end_of_an_output_of_computed_shape_may_stay_unwritten():
    part = Diagnostic(
        code="output-not-written", level=Level.RUNTIME, message="", evidence={"output": "y", "elements": 7, "total": 8}
    )
    computed = frozenset({"y"})
    assert asked_for([part], right=True, computed=computed) == ([], ["output y is of computed shape"])
    assert asked_for([part], right=False, computed=computed) == ([part], [])


def test_a_buffer_beyond_ub_that_is_never_used_does_no_harm(run):
    last = "pipe.InitBuffer(out, 2, tile * sizeof(DTYPE_Y));"
    idle = f"{last}\n        TBuf<TPosition::VECCALC> idle;\n        pipe.InitBuffer(idle, 192 * 1024);"
    record = run(0, "op_kernel/twice.cpp", last, idle)
    assert (record.status, record.code) == (Status.OVERRUN, "ub-overflow")
    assert (record.official, record.ours) == (True, True)


def test_a_kernel_adds_to_an_output_that_the_binding_made_zero(worker, tmp_path, ops):
    adding = tmp_path / "adding.py"
    adding.write_text(ops.read_text().replace("torch.empty_like(x)", "torch.empty_like(x).zero_()"))
    shutil.copytree(HERE / "synthetic", tmp_path / "copy")
    kernel = tmp_path / "copy" / ANSWER / "op_kernel" / "twice.cpp"
    store = "DataCopy(yGm[at], y, tile);"
    kernel.write_text(
        kernel.read_text().replace(
            store, f"SetAtomicAdd<DTYPE_Y>();\n            {store}\n            SetAtomicNone();"
        )
    )
    checkout = open_checkout(tmp_path / "copy")
    task = checkout.find("Twice")
    row = read_rows(task.cases_file)[0]
    with Runner(checkout, Machinery(worker, {"Twice": adding})) as runner:
        assert runner.run(task, row).status is Status.PASS
    with Runner(checkout, Machinery(worker, {"Twice": ops})) as runner:
        assert runner.run(task, row).status is Status.FAIL


def test_the_smallest_cases_are_chosen_and_those_without_size_are_kept():
    rows = tuple(Row({"case_id": k}) for k in range(4))
    sizes = {0: 500, 1: -1, 2: 100, 3: 10**9}

    def ids(**options):
        return [row.case_id for row in chosen(rows, lambda row: sizes[row.case_id], **options)]

    assert ids(most=1000, cases=None) == [0, 1, 2]
    assert ids(most=1000, cases=1) == [2]


def test_a_stopped_run_goes_on_where_it_was(monkeypatch, machinery, tmp_path, capsys):
    """The command writes a journal line per case; the second call runs what is missing and writes the table."""
    monkeypatch.setattr("agentkernel.bench.npukernelbench.machinery.Machinery", lambda seed: machinery)
    monkeypatch.setattr(machinery, "close", lambda: None)
    ran = []
    original = Runner.run

    def counted(self, task, row):
        if len(ran) == 1:
            ran.append("stop")
            raise KeyboardInterrupt
        ran.append(row.case_id)
        return original(self, task, row)

    monkeypatch.setattr(Runner, "run", counted)
    out = tmp_path / "table.csv"
    arguments = ["answers", str(HERE / "synthetic"), "--max-elements", "200", "--out", str(out), "--report"]
    arguments += [str(tmp_path / "table.md"), "--cases", "2"]
    assert command.main(arguments) == 130
    assert "goes on from here" in capsys.readouterr().err
    assert not out.exists()
    assert command.main(arguments) == 0
    first, *rest = [one for one in ran if one != "stop"]
    assert first not in rest and len(rest) == 1
    with out.open() as file:
        assert len(list(csv.DictReader(file))) == 2
    assert "official answers" in (tmp_path / "table.md").read_text()
    assert command.main(["compare", str(out), str(out)]) == 0
    assert "0 cases changed" in capsys.readouterr().out


def test_a_folder_that_is_no_checkout_ends_with_a_hint(tmp_path, capsys):
    assert command.main(["answers", str(tmp_path), "--out", str(tmp_path / "t.csv")]) == 2
    assert "hint: clone the benchmark" in capsys.readouterr().err
