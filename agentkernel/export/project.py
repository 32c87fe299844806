"""Writing a project: which files each form has."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentkernel.errors import ConfigError
from agentkernel.export.operator import described, require_single_tensors, values
from agentkernel.export.sources import device_files, with_tiling_argument
from agentkernel.kernel import Kernel
from agentkernel.launch import device_task, output_arguments, tiling_bytes, tiling_struct
from agentkernel.simulator.source_pass import defines_tiling
from agentkernel.task import Case, CaseTensor, Task
from agentkernel.task import Path as TaskPath

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_HOST_SIDE = ("op_host/{entry}_tiling.h", "op_host/{entry}.cpp")
Files = dict[str, str | bytes]


class Form(StrEnum):
    """Kind of project."""

    MSOPGEN = "msopgen"
    """Definition, host and device sources of an operator package, and the script that makes the package of them."""
    DIRECT = "direct"
    """One program that launches the kernel with `<<<>>>` on files, with the values of one case."""
    CANN_BENCH = "cann-bench"
    """Submission folder of cann-bench: a wheel with one PyTorch function."""


def export(kernel: Kernel, task: Task, form: Form, folder: str | Path, *, case: str | None = None) -> list[Path]:
    """Write a project of the real toolchain.

    Args:
        kernel: A kernel of the task; verify it first.
        task: What it was written for. Of a device-path task the host side is written here; a full-path kernel brings
            its own, which the direct form has no use for.
        form: Kind of project.
        folder: Where to write it: a new or empty folder.
        case: Case whose values the direct form has; the first by default.

    Returns:
        The files, in the order in which they were written.

    Raises:
        ConfigError: The folder is not empty, or kernel and task have no project of this form.
    """
    chosen = _case_of(task, case)
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"{target} is there already", hint="give a new or an empty folder")
    files = _WRITERS[form](kernel, task, chosen)
    written = []
    try:
        for name, content in files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            if name.endswith(".sh"):
                path.chmod(0o755)
            written.append(path)
    except OSError as error:
        raise ConfigError(
            f"cannot write {target}: {error.strerror or error}", hint="give a folder that can be written"
        ) from error
    return written


def _case_of(task: Task, name: str | None) -> Case:
    for case in task.cases:
        if name in (None, case.name):
            return case
    raise ConfigError(f"{task.name} has no case {name!r}", hint=f"cases: {', '.join(c.name for c in task.cases)}")


def _msopgen(kernel: Kernel, task: Task, case: Case) -> Files:
    del case
    files: Files = {}
    # a kernel that leaves the structure to the toolchain gets it from the registered class, under that class's name
    given = values(task)
    given["tiling_class"] = f"{given['op']}HostTiling" if defines_tiling(kernel.files.values()) else "TilingData"
    files.update(device_files(with_tiling_argument(kernel, task)))
    own = kernel.host_files
    if task.path is TaskPath.FULL and not own:
        raise ConfigError("the kernel has no host side", hint="a full-path kernel has files under op_host/")
    files.update(own or _rendered(_HOST_SIDE, "msopgen", given))
    files[f"{task.entry}.json"] = _definition(given)
    files.update(_rendered(("build.sh", "README.md"), "msopgen", given))
    return files


def host_side(task: Task, tiling_class: str) -> dict[str, str]:
    """A host side whose tiling data are the `TilingData` of the device path: definition, tiling, inference.

    Args:
        task: What the operator computes; its sizes are all sizes of inputs.
        tiling_class: Name of the structure. The kernel gets it under this name unless it defines it itself.

    Raises:
        ConfigError: The task has no form as an operator.
    """
    given = values(device_task(task)) | {"tiling_class": tiling_class}
    return _rendered(_HOST_SIDE, "msopgen", given)


def _definition(given: Mapping[str, Any]) -> str:
    def tensors(kind: str) -> list[dict[str, Any]]:
        return [
            {"name": t["name"], "param_type": t["param_type"], "format": ["ND"], "type": [t["msopgen"]]}
            for t in given[kind]
        ]

    attrs = [
        {"name": a["name"], "param_type": "optional", "type": a["type"], "default_value": a["msopgen"]}
        for a in given["attrs"]
    ]
    op = {"op": given["op"], "language": "cpp", "input_desc": tensors("inputs"), "output_desc": tensors("outputs")}
    return json.dumps([op | ({"attr": attrs} if attrs else {})], indent=2) + "\n"


def _direct(kernel: Kernel, task: Task, case: Case) -> Files:
    from agentkernel.judge import case_values

    if task.path is TaskPath.FULL:
        raise ConfigError(
            "a direct launch calls no host tiling, which this kernel brings", hint="export it with --form msopgen"
        )
    inputs, expected = case_values(task, case)
    tiling = tiling_bytes(task, case)
    given = {
        **described(task),
        **_launch_values(task, case),
        "case": case,
        "tiling_bytes": len(tiling),
        "main_file": f"op_kernel/{task.entry}.cpp",
        "struct": _struct(kernel, task),
    }
    files: Files = dict(device_files(kernel))
    files.update(
        _rendered(("tiling_data.h", "main.asc", "build.sh", "run.sh", "check.py", "README.md"), "direct", given)
    )
    files.update({f"data/{_file(name)}.bin": array.tobytes() for name, array in inputs.items()})
    files.update({f"data/{_file(name)}.expected.bin": array.tobytes() for name, array in expected.items()})
    if tiling:
        files["data/tiling.bin"] = tiling
    return files


def _file(name: str) -> str:
    """Name of an array's file: that of `x[2]` is `x.2`."""
    return name.replace("[", ".").replace("]", "")


def _launch_values(task: Task, case: Case) -> dict[str, Any]:
    """The memory of a launch: arrays that are loaded, allocated and saved, lists of them, and its arguments."""

    def described_array(one: CaseTensor) -> dict[str, Any]:
        return {
            "variable": _file(one.name).replace(".", "_"),
            "file": _file(one.name),
            "bytes": math.prod(one.shape) * one.dtype.itemsize,
            "shape": one.shape,
            "dtype": str(one.dtype),
            "compare": one.spec.compare,
        }

    own = [spec for spec in task.outputs if spec.name not in task.in_place]
    arguments = [*task.inputs, *(spec for _, spec in output_arguments(task))]
    return {
        "loaded": [described_array(one) for one in task.inputs_of(case)],
        "allocated": [described_array(one) for spec in own for one in task.tensors_of(spec, case)],
        "saved": [described_array(one) for one in task.outputs_of(case)],
        "lists": [
            {"variable": spec.name, "members": [described_array(one) for one in task.tensors_of(spec, case)]}
            for spec in (*task.inputs, *own)
            if spec.is_list
        ],
        "arguments": ["nullptr" if spec.name in case.absent else spec.name for spec in arguments],
    }


def _cann_bench(kernel: Kernel, task: Task, case: Case) -> Files:
    del case
    if task.path is TaskPath.FULL:
        raise ConfigError("a submission launches the kernel directly", hint="export it with --form msopgen")
    require_single_tensors(task, "a submission")
    given = values(task)
    strange = [t["name"] for t in (*given["inputs"], *given["outputs"]) if not t["torch"]]
    if strange:
        raise ConfigError(f"PyTorch has no type for {', '.join(strange)}", hint="export it with --form msopgen")
    given |= {"main_file": f"{task.entry}.cpp", "struct": _struct(kernel, task)}
    where = f"csrc/ops/{given['function']}"
    files: Files = {f"{where}/{name}": text for name, text in device_files(kernel).items()}
    names = {
        "launch.h": f"{where}/{task.entry}_launch.h",
        "tiling_data.h": f"{where}/op_kernel/tiling_data.h",
        "kernel.asc": f"{where}/op_kernel/{task.entry}_kernel.asc",
        "plugin.cpp": f"{where}/op_plugin/{task.entry}_plugin.cpp",
        "extension.cpp": "csrc/extension.cpp",
        "init.py": "cann_bench/__init__.py",
        "setup.py": "setup.py",
        "build.sh": "build.sh",
        "README.md": "README.md",
    }
    for template, name in names.items():
        files[name] = _render(f"{'direct' if template == 'tiling_data.h' else 'cann_bench'}/{template}", given)
    return files


def _struct(kernel: Kernel, task: Task) -> str:
    """The tiling structure where the kernel leaves it to the toolchain, which a direct launch has not."""
    return "" if defines_tiling(kernel.files.values()) else tiling_struct(task)


_WRITERS = {Form.MSOPGEN: _msopgen, Form.DIRECT: _direct, Form.CANN_BENCH: _cann_bench}


def _rendered(names: tuple[str, ...], form: str, given: Mapping[str, Any]) -> dict[str, str]:
    """Files whose templates have their names, with `op` in the place of the entry."""
    return {name.format(entry=given["entry"]): _render(f"{form}/{name.format(entry='op')}", given) for name in names}


def _render(name: str, given: Mapping[str, Any]) -> str:
    return _environment().get_template(f"{name}.j2").render(**given)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(  # source code: HTML escaping would change it
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
