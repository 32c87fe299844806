"""How a kernel of a pack is read and judged: its head, its marks, its values, and what counts as held."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentkernel.errors import ConfigError, TaskError
from agentkernel.testing.packs import Expected, Finding, Outcome, PackKernel, load, read
from agentkernel.testing.packs.values import evaluate, tree

HEAD = """// An idea that needs
// two lines.
// fact: rule 7
// in x: float16 2x4 = ramp / 2
// out z: int32 8 = x.ravel()
// entry: second
// blocks: 3
// tolerance: 0.5
// expect: numeric-mismatch
// also: output-not-written, tensor-leak

int a = 0;
int b = 0;  // expect: misaligned-address|out-of-bounds
"""


def kernel(tmp_path: Path, text: str = HEAD) -> PackKernel:
    path = tmp_path / "one.cpp"
    path.write_text(text)
    return read(path)


def test_the_head_says_what_a_kernel_is(tmp_path: Path) -> None:
    one = kernel(tmp_path)
    assert (one.name, one.idea, one.fact) == ("one", "An idea that needs two lines.", "rule 7")
    assert (one.entry, one.blocks, one.tolerance) == ("second", 3, 0.5)
    assert one.also == {"output-not-written", "tensor-leak"}
    assert [str(e) for e in one.expected] == ["numeric-mismatch", "misaligned-address or out-of-bounds, line 13"]
    assert [t.shape for t in one.task.inputs] == [(2, 4)]


def test_values_are_numpy_expressions_over_the_inputs(tmp_path: Path) -> None:
    one = kernel(tmp_path)
    x = evaluate(one.inputs[0], {})
    assert x.dtype == np.float16
    assert x.tolist() == [[0.0, 0.5, 1.0, 1.5], [2.0, 2.5, 3.0, 3.5]]
    assert evaluate(one.outputs[0], {"x": x}).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_two_inputs_of_the_same_description_have_different_values(tmp_path: Path) -> None:
    text = HEAD.replace("// in x: float16 2x4 = ramp / 2", "// in x: float32 8 = normal\n// in y: float32 8 = normal")
    x, y = (evaluate(t, {}) for t in kernel(tmp_path, text).inputs)
    assert (x != y).all()


@pytest.mark.parametrize("values", ["nowhere", "ones(3)"])
def test_values_that_do_not_fit_are_an_error(tmp_path: Path, values: str) -> None:
    one = kernel(tmp_path, HEAD.replace("ramp / 2", values))
    with pytest.raises(TaskError, match="values of x"):
        evaluate(one.inputs[0], {})


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("float16 2x4", "float16", "no tensor"),
        ("misaligned-address", "no-such-code", "no code"),
        ("// blocks: 3", "// bloks: 3", "no line of a header"),
    ],
)
def test_a_head_that_is_not_understood_is_an_error(tmp_path: Path, old: str, new: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        kernel(tmp_path, HEAD.replace(old, new))


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no kernels"):
        load(tmp_path)


def test_a_kernel_holds_when_exactly_the_expected_is_found(tmp_path: Path) -> None:
    one = kernel(tmp_path)
    wrong = Finding(code="numeric-mismatch", line=None, message="")
    placed = Finding(code="out-of-bounds", line=13, message="")
    elsewhere = placed.model_copy(update={"line": 12})
    allowed = Finding(code="tensor-leak", line=2, message="")
    assert Outcome(kernel=one, findings=(wrong, placed, allowed)).held
    assert Outcome(kernel=one, findings=(wrong,)).missing == (one.expected[1],)
    assert Outcome(kernel=one, findings=(wrong, placed, elsewhere)).surplus == (elsewhere,)
    assert "not found: misaligned-address or out-of-bounds, line 13" in str(Outcome(kernel=one, findings=(wrong,)))


def test_legal_kernels_are_compared_bit_by_bit(tmp_path: Path) -> None:
    legal = kernel(tmp_path, "// Idea.\n// fact: f\n// in x: float32 8 = ramp\n// out z: float32 8 = x\n\nint a;\n")
    assert legal.expected == ()
    assert list(legal.task.tolerance.threshold.values()) == [0.0]
    assert Expected(codes=("syntax",), line=None) not in legal.expected


def test_a_tree_sums_neighbours_in_the_element_type() -> None:
    assert tree(np.array([2048, 1, 2048, 1], np.float16)).tolist() == [4096.0]
