"""One process of `akhost`: the request as text, the process behind walls, the records."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import ToolchainError
from agentkernel.simulator.cache import Runtime
from agentkernel.simulator.host.calls import Argument, AttributeValue, HostTensor, OperatorCall, Platform
from agentkernel.simulator.host.description import Attribute, OpDescription
from agentkernel.simulator.host.ge_types import FORMATS, type_named
from agentkernel.simulator.host.records import Records, read_records
from agentkernel.simulator.host.runtime import HostRuntime
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.sandbox import Jail, Limits, Walls

LIMITS = Limits(wall_seconds=60.0, cpu_seconds=8, memory_bytes=1 << 30, file_bytes=64 << 20)
PRINTED_BYTES = 64 << 10


class HostMachine(BaseModel):
    """What runs host code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runtime: Runtime
    host: HostRuntime
    walls: Walls
    limits: Limits = LIMITS


class HostRun(BaseModel):
    """How one process went."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: Records
    printed: str
    finished: Finished


def run_host(
    target: Path,
    action: str,
    machine: HostMachine,
    base: Path,
    *,
    op: OpDescription | None = None,
    call: OperatorCall | None = None,
    platform: Platform | None = None,
    capacity: int = 8192,
) -> HostRun:
    """Load an object and ask it one thing.

    Args:
        target: The built host code.
        action: `describe`, `tiling`, `infer_shape` or `infer_dtype`.
        machine: Runner and walls.
        base: Folder for the files of the run; they are removed at the end.
        op: The operator, for everything but `describe`.
        call: Its call.
        platform: The chip.
        capacity: Bytes that the tiling data may take.

    Raises:
        ToolchainError: The runner itself failed, or the call does not fit the definition.
        SandboxError: A wall could not be set up.
    """
    folder = Path(tempfile.mkdtemp(prefix="host.", dir=base))
    try:
        records, printed = folder / "records", folder / "printed"
        lines = [
            f"object\t{target}",
            f"records\t{records}",
            f"printed\t{printed}",
            f"action\t{action}",
            f"cpu_seconds\t{machine.limits.cpu_seconds}",
            f"memory_bytes\t{machine.limits.memory_bytes}",
            f"file_bytes\t{machine.limits.file_bytes}",
            f"tiling_capacity\t{capacity}",
            *_platform_lines(platform or Platform()),
        ]
        if op is not None and call is not None:
            lines += [f"op\t{op.type}", f"deterministic\t{int(call.deterministic)}", *_call_lines(op, call, folder)]
        request = folder / "request"
        request.write_text("\n".join(lines) + "\n", encoding="utf-8")
        finished = _start(machine, folder, target, (records, printed))
        with printed.open("rb") as file:
            text = file.read(PRINTED_BYTES).decode("utf-8", "replace")
        return HostRun(records=read_records(records), printed=text, finished=finished)
    except OSError as error:
        raise ToolchainError(
            f"cannot write the files of a run under {base}: {error.strerror or error}",
            hint="free some space there, or set TMPDIR to a folder that has it",
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(machine: HostMachine, folder: Path, target: Path, writable: tuple[Path, ...]) -> Finished:
    for path in writable:
        path.touch()
    if machine.walls.user is not None:
        for path in (folder, *folder.iterdir()):
            os.chown(path, machine.walls.user, machine.walls.user)
    jail = Jail(
        runtime=machine.runtime,
        walls=machine.walls,
        limits=machine.limits,
        folder=folder,
        readable=(folder, target),
        executable=machine.host.compiler.folders,
        writable=writable,
    )
    return jail.run([machine.host.akhost, folder / "request"], env={})


def _platform_lines(platform: Platform) -> list[str]:
    numbers: Mapping[str, Mapping[str, object]] = {
        "version": {"Short_SoC_version": platform.soc, "NpuArch": platform.arch},
        "SoCInfo": {
            "ai_core_cnt": platform.cube_cores,
            "cube_core_cnt": platform.cube_cores,
            "vector_core_cnt": platform.vector_cores,
            "core_type_list": "CubeCore,VectorCore",
            "l2_size": platform.l2_bytes,
            "memory_size": platform.hbm_bytes,
        },
        "AICoreSpec": {
            "ub_size": platform.ub_bytes,
            "l1_size": platform.l1_bytes,
            "l0_a_size": platform.l0a_bytes,
            "l0_b_size": platform.l0b_bytes,
            "l0_c_size": platform.l0c_bytes,
            "bt_size": platform.bt_bytes,
            "fb0_size": platform.fb_bytes,
        },
        "AICoreMemoryRates": {
            "l2_rate": platform.l2_bytes_per_cycle,
            "ddr_rate": platform.hbm_bytes_per_cycle,
        },
    }
    return [f"platform\t{label}\t{key}\t{value}" for label, values in numbers.items() for key, value in values.items()]


def _call_lines(op: OpDescription, call: OperatorCall, folder: Path) -> list[str]:
    if op.defined:
        for what, given, wanted in (("inputs", call.inputs, op.inputs), ("outputs", call.outputs, op.outputs)):
            if len(given) != len(wanted):
                names = ", ".join(parameter.name for parameter in wanted)
                raise ToolchainError(
                    f"the call has {len(given)} {what}, and {op.type} defines {len(wanted)} ({names})",
                    hint="give every parameter of the definition; None for an optional one that is left out",
                )
    lines: list[str] = []
    count = 0
    for word, arguments in (("input", call.inputs), ("output", call.outputs)):
        for argument in arguments:
            lines.append(f"{word}\t{_form(argument)}")
            for tensor in _tensors(argument):
                lines.append(_tensor_line(tensor, folder / f"data.{count}"))
                count += 1
    return lines + _attribute_lines(op, call)


def _form(argument: Argument) -> str:
    if argument is None:
        return "absent"
    return "one" if isinstance(argument, HostTensor) else "list"


def _tensors(argument: Argument) -> Sequence[HostTensor]:
    if argument is None:
        return ()
    return (argument,) if isinstance(argument, HostTensor) else argument


def _tensor_line(tensor: HostTensor, path: Path) -> str:
    data = "-"
    if tensor.data is not None:
        path.write_bytes(tensor.data)
        data = str(path)
    dims = ",".join(map(str, tensor.shape))
    number = type_named(tensor.dtype).number
    return f"tensor\t{number}\t{FORMATS.index(tensor.format)}\t{data}" + (f"\t{dims}" if dims else "")


def _attribute_lines(op: OpDescription, call: OperatorCall) -> list[str]:
    """Every declared attribute in order; those that the call leaves out have the definition's default."""
    known = {attribute.name for attribute in op.attrs}
    unknown = [name for name in call.attrs if name not in known]
    if unknown and op.defined:
        raise ToolchainError(
            f"{op.type} has no attribute {unknown[0]!r}", hint=f"its attributes: {', '.join(sorted(known)) or 'none'}"
        )
    declared = op.attrs if op.defined else tuple(_guess(name, value) for name, value in call.attrs.items())
    lines = []
    for attribute in declared:
        value = call.attrs.get(attribute.name, attribute.default)
        if value is None and attribute.required:
            raise ToolchainError(
                f"the attribute {attribute.name!r} of {op.type} is required", hint="give it in the call's attrs"
            )
        lines.append(f"attr\t{attribute.name}\t{attribute.kind}\t{_attribute_text(attribute.kind, value)}")
    return lines


def _guess(name: str, value: AttributeValue) -> Attribute:
    kinds: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "string"}
    kind = kinds.get(type(value))
    if kind is None:
        element = value[0] if isinstance(value, Sequence) and value else 0
        kind = "list_list_int" if isinstance(element, Sequence) else f"list_{kinds.get(type(element), 'int')}"
    return Attribute(name=name, kind=kind, required=True)


def _attribute_text(kind: str, value: object) -> str:
    """Values of an attribute; one without any default is empty, as a zeroed value is."""
    if kind in ("bool", "int"):
        return str(int(value)) if isinstance(value, (bool, int, float)) else "0"
    if kind == "float":
        return repr(float(value)) if isinstance(value, (bool, int, float)) else "0"
    if kind == "string":
        return str(value if value is not None else "").encode().hex()
    items = list(value) if isinstance(value, Sequence) else []
    if kind == "list_float":
        return ",".join(repr(float(item)) for item in items)
    if kind == "list_list_int":
        return ";".join(",".join(str(int(one)) for one in row) for row in items)
    return ",".join(str(int(item)) for item in items)
