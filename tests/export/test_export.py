"""Projects of the real toolchain: what they hold, that their kernels are the verified ones, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agentkernel.bench.suites import load_task, suite
from agentkernel.composer import Refusal, compose
from agentkernel.errors import ConfigError
from agentkernel.export import Form, export
from agentkernel.export.operator import size_sources
from agentkernel.kernel import Kernel
from agentkernel.launch import tiling_bytes
from agentkernel.operators import operator_name
from agentkernel.task import Case, ShapeMode, Task, TensorSpec
from agentkernel.verify import verify


def project(name: str, form: Form, folder: Path) -> tuple[Task, Kernel, Path]:
    task = load_task(name)
    kernel = compose(task).kernel
    export(kernel, task, form, folder / "out")
    return task, kernel, folder / "out"


@pytest.mark.parametrize("form", list(Form))
def test_every_composable_task_has_a_project_of_every_form(form: Form, tmp_path: Path) -> None:
    made = 0
    for task in suite("core"):
        try:
            kernel = compose(task).kernel
        except Refusal:
            continue
        assert export(kernel, task, form, tmp_path / task.name)
        made += 1
    assert made > 50


def test_an_operator_package_holds_definition_host_side_and_the_kernel_as_it_is(tmp_path: Path) -> None:
    task, kernel, out = project("softmax-float32", Form.MSOPGEN, tmp_path)
    definition = json.loads((out / f"{task.entry}.json").read_text())[0]
    assert definition["op"] == "SoftmaxCustom"
    assert [t["name"] for t in definition["input_desc"]] == ["x"]
    assert definition["output_desc"][0]["type"] == ["float"]
    host = (out / "op_host" / f"{task.entry}.cpp").read_text()
    assert "set_rows(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetDim(0)))" in host
    assert "class SoftmaxCustom : public OpDef" in host
    assert (out / "op_kernel" / f"{task.entry}.cpp").read_text() == kernel.files[kernel.main_file]
    assert (out / "build.sh").stat().st_mode & 0o100


def test_attributes_are_registered_with_their_defaults_and_read_by_the_tiling(tmp_path: Path) -> None:
    task = next(t for t in suite("core") if t.attrs and t.shape_mode is ShapeMode.DYNAMIC)
    export(compose(task).kernel, task, Form.MSOPGEN, tmp_path / "out")
    host = (tmp_path / "out" / "op_host" / f"{task.entry}.cpp").read_text()
    for spec in task.attrs:
        assert f'Attr("{spec.name}").AttrType(OPTIONAL)' in host
        assert f"tiling.set_{spec.name}(" in host


def test_the_kernel_of_a_direct_project_still_passes(tmp_path: Path) -> None:
    task, _, out = project("relu-float16", Form.DIRECT, tmp_path)
    assert verify(Kernel.from_path(out / "op_kernel", task.entry), task).passed


def test_a_direct_project_has_the_values_of_the_case_and_its_check_tells_right_from_wrong(tmp_path: Path) -> None:
    task, _, out = project("relu-float32", Form.DIRECT, tmp_path)
    case = task.cases[0]
    assert (out / "data" / "tiling.bin").read_bytes() == tiling_bytes(task, case)
    expected = np.fromfile(out / "data" / "y.expected.bin", np.float64)

    def check(values: np.ndarray) -> int:
        values.astype(np.float32).tofile(out / "data" / "y.out.bin")
        return subprocess.run([sys.executable, "check.py"], cwd=out, capture_output=True, check=False).returncode

    assert check(expected) == 0
    expected[3] += 1
    assert check(expected) == 1
    expected[3] = np.nan
    assert check(expected) == 1


def test_an_entry_of_a_static_task_gets_the_argument_that_operators_have(tmp_path: Path) -> None:
    task = Task(
        name="twice", description="y = 2 x", level="L1", entry="twice_custom",
        inputs=(TensorSpec(name="x", dtype="float32", shape=(64,)),),
        outputs=(TensorSpec(name="y", dtype="float32", shape=(64,)),),
        cases=(Case(name="only"),), reference={"formula": "y = 2 * x"}, shape_mode=ShapeMode.STATIC,
    )  # fmt: skip
    kernel = compose(task).kernel
    export(kernel, task, Form.MSOPGEN, tmp_path / "out")
    text = (tmp_path / "out" / "op_kernel" / "twice_custom.cpp").read_text()
    assert "workspace, GM_ADDR tiling)" in text
    assert "tiling" not in kernel.files[kernel.main_file]


def test_a_kernel_that_leaves_the_structure_to_the_toolchain_gets_it(tmp_path: Path) -> None:
    task = load_task("relu-float32")
    source = (
        '#include "kernel_operator.h"\n'
        f'extern "C" __global__ __aicore__ void {task.entry}(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)\n'
        "{ GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling); }\n"
    )
    kernel = Kernel.from_source(source, task.entry)
    export(kernel, task, Form.DIRECT, tmp_path / "direct")
    assert "struct TilingData {" in (tmp_path / "direct" / "tiling_data.h").read_text()
    export(kernel, task, Form.MSOPGEN, tmp_path / "package")
    assert "BEGIN_TILING_DATA_DEF(TilingData)" in (tmp_path / "package/op_host" / f"{task.entry}_tiling.h").read_text()


def test_a_submission_has_a_function_with_the_names_of_the_task(tmp_path: Path) -> None:
    _, _, out = project("add-float16", Form.CANN_BENCH, tmp_path)
    assert 'module.def("add", &add, py::arg("x"), py::arg("y"));' in (out / "csrc/extension.cpp").read_text()
    compile((out / "setup.py").read_text(), "setup.py", "exec")
    compile((out / "cann_bench/__init__.py").read_text(), "__init__.py", "exec")


@pytest.mark.parametrize(("entry", "name"), [("add", "Add"), ("layer_norm_custom", "LayerNormCustom")])
def test_operator_types_are_the_ones_whose_kernel_the_toolchain_looks_for(entry: str, name: str) -> None:
    assert operator_name(entry) == name


def test_an_entry_that_no_operator_type_has_is_refused() -> None:
    with pytest.raises(ConfigError, match="no operator type"):
        operator_name("add__2d")


def test_a_size_that_is_in_no_input_is_refused() -> None:
    task = Task(
        name="fill", description="ones", level="L1", entry="fill",
        inputs=(TensorSpec(name="x", dtype="float32", shape=("n",)),),
        outputs=(TensorSpec(name="y", dtype="float32", shape=("n", "m")),),
        cases=(Case(name="only", dims={"n": 4, "m": 2}),),
        reference={"python": "def reference(inputs, attrs):\n    return {}"},
    )  # fmt: skip
    with pytest.raises(ConfigError, match="'m' is in no input's shape"):
        size_sources(task)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    task = load_task("relu-float32")
    (tmp_path / "mine").write_text("keep")
    with pytest.raises(ConfigError, match="is there already"):
        export(compose(task).kernel, task, Form.DIRECT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_unknown_case_names_the_known_ones(tmp_path: Path) -> None:
    task = load_task("relu-float32")
    with pytest.raises(ConfigError, match="no case 'none'") as error:
        export(compose(task).kernel, task, Form.DIRECT, tmp_path / "out", case="none")
    assert "aligned" in error.value.hint


ANSWERS = Path(__file__).parent.parent / "bench" / "answers"


@pytest.mark.parametrize("name", ["scale-list-operator", "momentum-operator", "rms-norm-optional-operator"])
def test_a_package_of_lists_optional_tensors_and_updates_says_what_they_are(name: str, tmp_path: Path) -> None:
    task = load_task(name)
    kernel = Kernel.from_path(ANSWERS / task.entry, task.entry)
    export(kernel, task, Form.MSOPGEN, tmp_path / "out")
    definition = json.loads((tmp_path / "out" / f"{task.entry}.json").read_text())[0]
    for key, specs in (("input_desc", task.inputs), ("output_desc", task.outputs)):
        assert [(t["name"], t["param_type"]) for t in definition[key]] == [(s.name, s.param_type) for s in specs]
    assert (tmp_path / "out/op_host" / f"{task.entry}.cpp").read_text() == kernel.files[f"op_host/{task.entry}.cpp"]


def on_the_device(name: str) -> Task:
    return Task.model_validate(load_task(name).model_dump() | {"path": "device"})


@pytest.mark.parametrize(
    ("name", "case", "call"),
    [
        ("scale-list-operator", "mixed-ranks", "(x, y, workspace, tiling)"),
        ("momentum-operator", "one", "(grad, weight, velocity, weight, velocity, workspace, tiling)"),
        ("rms-norm-optional-operator", "without-gamma", "(x, nullptr, y, rstd, workspace, tiling)"),
    ],
)
def test_a_direct_launch_makes_lists_null_addresses_and_updates(
    name: str, case: str, call: str, tmp_path: Path
) -> None:
    task = on_the_device(name)
    kernel = Kernel.from_source("// not looked at", task.entry)
    export(kernel, task, Form.DIRECT, tmp_path / "out", case=case)
    main = (tmp_path / "out" / "main.asc").read_text()
    assert f"stream>>>{call};" in main
    if name == "scale-list-operator":
        sizes = ["x_0, {1}", "x_1, {15}", "x_2, {33, 7}", "x_3, {3, 5, 64}"]
        assert "uint8_t* x = List({" + ", ".join("{" + one + "}" for one in sizes) + "});" in main
        assert 'Save("data/y.3.out.bin", y_3, 3840);' in main
        assert (tmp_path / "out/data/x.2.bin").stat().st_size == 33 * 7 * 4
    for updated in task.in_place:
        assert f'uint8_t* {updated} = Load("data/{updated}.bin", 4);' in main
        assert f'Save("data/{updated}.out.bin", {updated}, 4);' in main
    program = (tmp_path / "out" / "check.py").read_text()
    for one in task.outputs_of(next(c for c in task.cases if c.name == case)):
        assert f'"{one.name.replace("[", ".").replace("]", "")}": ("float32"' in program


def test_a_submission_does_not_carry_lists_and_says_so(tmp_path: Path) -> None:
    task = on_the_device("scale-list-operator")
    kernel = Kernel.from_source("// not looked at", task.entry)
    with pytest.raises(ConfigError, match=r"has lists of tensors, which a submission does not carry") as error:
        export(kernel, task, Form.CANN_BENCH, tmp_path / "out")
    assert "path: full" in error.value.hint


def test_a_list_whose_shapes_no_input_has_has_no_written_host_side(tmp_path: Path) -> None:
    data = on_the_device("scale-list-operator").model_dump() | {"reference": {"python": "..."}}
    data["outputs"] = [{"name": "y", "dtype": "float32", "shape": ["*others"], "param_type": "dynamic"}]
    data["cases"] = [{"name": "c", "shapes": {"parts": [[1]], "others": [[2]]}}]
    task = Task.model_validate(data)
    with pytest.raises(ConfigError, match="the list 'y' has the shapes of no input list"):
        export(Kernel.from_source("// not looked at", task.entry), task, Form.MSOPGEN, tmp_path / "out")
