"""Task files: variants, and errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernel.bench.taskfile import read_tasks
from agentkernel.bench.validation import validate
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError

GOOD = """\
name: scale-$dtype
description: y = a * x for $dtype, costs $$0
level: L1
entry: scale
inputs:
  - {name: x, dtype: $dtype, shape: [n]}
outputs:
  - {name: y, dtype: $dtype, shape: [n]}
attrs:
  - {name: a, type: float, default: 1e-5}
reference:
  formula: y = a * x
cases:
  - {name: one, dims: {n: 1}, fills: {x: {low: -$top, high: $top}}}
  - {name: two, dims: {n: 2}}
variants:
  - {dtype: float16, top: 100}
  - {dtype: float32, top: 1000}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "scale.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def edited(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_variants_fill_words_with_their_values(tmp_path: Path) -> None:
    half, single = read_tasks(write(tmp_path, GOOD.replace("-$top", "0")), suite="mine")
    assert (half.name, single.name) == ("scale-float16", "scale-float32")
    assert half.inputs[0].dtype is DType.FLOAT16
    assert half.description == "y = a * x for float16, costs $0"
    assert single.cases[0].fills["x"].high == 1000
    assert single.suite == "mine"


def test_numbers_with_an_exponent_are_numbers(tmp_path: Path) -> None:
    task = read_tasks(write(tmp_path, GOOD.replace("-$top", "0")))[0]
    assert task.attrs[0].default == 1e-5
    assert isinstance(task.attrs[0].default, float)


def test_a_mapping_of_lists_gives_all_combinations(tmp_path: Path) -> None:
    text = GOOD.replace("-$top", "0").split("variants:", maxsplit=1)[0].replace("scale-$dtype", "scale-$dtype-$top")
    tasks = read_tasks(write(tmp_path, text + "variants: {dtype: [float16, float32], top: [1, 2]}\n"))
    assert [t.name for t in tasks] == ["scale-float16-1", "scale-float16-2", "scale-float32-1", "scale-float32-2"]


def test_a_file_without_variants_is_one_task(tmp_path: Path) -> None:
    text = (
        GOOD.split("variants:", maxsplit=1)[0].replace("$dtype", "float32").replace("-$top", "0").replace("$top", "1")
    )
    assert [t.name for t in read_tasks(write(tmp_path, text))] == ["scale-float32"]


WRONG = {
    "not yaml": (edited("level: L1", "level: [L1"), r":\d+: not YAML"),
    "bad level": (edited("level: L1", "level: L9"), r":3: level: .*'L1'"),
    "unknown field": (edited("level: L1", "level: L1\nlevle: L2"), r":4: levle: Extra inputs"),
    "unknown dtype": (edited("y, dtype: $dtype", "y, dtype: float15"), r":8: outputs\.0\.dtype"),
    "missing field": (edited("entry: scale\n", ""), r":1: entry: Field required"),
    "missing size": (edited("dims: {n: 2}", "dims: {m: 2}"), r":15: cases.1: scale-float16/two: sizes \['m'\]"),
    "bad case name": (edited("{name: two", "{name: Two!"), r":15: cases\.1\.name"),
    "key twice": (edited("level: L1", "level: L1\nlevel: L2"), r":4: the key 'level' is given twice"),
    "unknown word": (edited("level: L1", "level: $nothing"), r":3: unknown word \$nothing"),
    "unused word": (edited("top: 1000}", "top: 1000, more: 1}"), r":16: nothing uses \$more"),
    "same names": (edited("scale-$dtype", "scale"), r":1: two variants have the name 'scale'"),
    "bad variants": (GOOD.split("variants:", maxsplit=1)[0] + "variants: float16\n", r":16: variants are neither"),
    "empty variants": (GOOD.split("variants:", maxsplit=1)[0] + "variants: []\n", r":16: variants are neither"),
    "two references": (
        edited("  formula: y = a * x", "  formula: y = a * x\n  python: x"),
        r":11: reference: a reference is either",
    ),
    "a list": ("- 1\n- 2\n", r":1: a task file is a mapping"),
    "nothing": ("", r":1: a task file is a mapping"),
    "strange characters": ("name: \x01\n", "not YAML"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=list(WRONG))
def test_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    text = text.replace("-$top", "0")
    with pytest.raises(TaskError, match=r"scale\.yaml" + ("" if message == "not YAML" else message)):
        read_tasks(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="cannot read"):
        read_tasks(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"name: \xe9\n")
    with pytest.raises(TaskError, match="UTF-8"):
        read_tasks(tmp_path / "latin.yaml")


def test_a_list_without_axes_is_at_the_line_of_the_tensor(tmp_path: Path) -> None:
    broken = edited("dtype: $dtype, shape: [n]}\noutputs", "dtype: $dtype, shape: [n], param_type: dynamic}\noutputs")
    with pytest.raises(TaskError, match=r"scale\.yaml:6: inputs\.0: 'x' is a list \(dynamic\)"):
        read_tasks(write(tmp_path, broken))


def test_a_list_and_what_is_absent_are_read(tmp_path: Path) -> None:
    text = """\
name: t
description: d
level: L1
entry: t
inputs:
  - {name: x, dtype: float32, shape: ["*parts"], param_type: dynamic}
  - {name: w, dtype: float32, shape: [1], param_type: optional}
outputs:
  - {name: x, dtype: float32, shape: ["*parts"], param_type: dynamic}
reference:
  python: |
    def reference(inputs, attrs):
        w = 0 if inputs["w"] is None else inputs["w"]
        return {"x": [x + w for x in inputs["x"]]}
cases:
  - {name: one, shapes: {parts: [[3], [], [2, 2]]}, absent: [w]}
"""
    (task,) = read_tasks(write(tmp_path, text))
    assert [tensor.shape for tensor in task.inputs_of(task.cases[0])] == [(3,), (), (2, 2)]
    assert validate([task]) == ()
