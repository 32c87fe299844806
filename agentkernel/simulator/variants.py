"""Device code per variant: compiled for each combination of types and each tiling key, as the real toolchain does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.kernel import Kernel
from agentkernel.simulator.cache import Runtime
from agentkernel.simulator.compile import Compiled, compile_candidate, preprocess_candidate
from agentkernel.simulator.core_groups import CoreGroup
from agentkernel.simulator.host.columns import Column, merged
from agentkernel.simulator.host.description import OpDescription, Parameter
from agentkernel.simulator.host.ge_types import type_named
from agentkernel.simulator.kernel_facts import MARKS, KernelFacts, facts_of
from agentkernel.simulator.sandbox import Walls
from agentkernel.simulator.source_pass import EntryContract, PreparedSource, prepare

WORKSPACE, TILING = "workspace", "tiling"
"""Names of the last two arguments of a kernel with a host side."""


class Variant(BaseModel):
    """One binary of a kernel."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: str
    """Name of the kernel function."""
    arguments: tuple[str, ...]
    """Names of its arguments, in order."""
    macros: tuple[tuple[str, str], ...] = ()
    """DTYPE_, ORIG_DTYPE_ and FORMAT_ of every parameter, and others."""
    tiling_key: int = 0
    tiling_header: str = ""
    """Structures of tiling data (`agentkernel.simulator.host.tiling_header`)."""
    group: CoreGroup | None = None
    """Cores that the kernel type of the key asks for; None where the kernel leaves it to the compiler."""

    @property
    def contract(self) -> EntryContract:
        """What the source pass is told."""
        defines = "".join(f"#define {name} {value}\n" for name, value in self.macros)
        key = f"#undef TILING_KEY_VAR\n#define TILING_KEY_VAR {self.tiling_key}UL\n"
        prelude = defines + key + self.tiling_header
        return EntryContract(entry=self.entry, arguments=self.arguments, prelude=prelude, group=self.group)


def entry_names(op_type: str) -> tuple[str, ...]:
    """Names that a kernel of an operator may have: an underscore before every capital, or before every word."""
    plain = re.sub(r"(?<!^)(?=[A-Z])", "_", op_type).lower()
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", op_type).lower()
    return tuple(dict.fromkeys((plain, words)))


def operator_arguments(op: OpDescription) -> tuple[str, ...]:
    """Names of a kernel's arguments: inputs, outputs (those in place again), shapes of computed outputs, the rest."""
    inputs = [p.name for p in op.inputs]
    outputs = [f"{p.name}_ref" if p.in_place else p.name for p in op.outputs]
    computed = ["output_shapes"] if any(p.shape_depends_on_compute for p in op.outputs) else []
    return (*inputs, *outputs, *computed, WORKSPACE, TILING)


def type_macros(op: OpDescription, column: Column, soc: str = "") -> tuple[tuple[str, str], ...]:
    """DTYPE_, ORIG_DTYPE_ and FORMAT_ of every parameter for a column."""
    inputs, outputs = merged(op, soc)
    pairs: list[tuple[Parameter, tuple[str, str]]] = [
        *zip(inputs, column.inputs, strict=True),
        *zip(outputs, column.outputs, strict=True),
    ]
    found: list[tuple[str, str]] = []
    for parameter, (dtype, kind) in pairs:
        name = parameter.name.upper() + ("_REF" if parameter.in_place else "")
        if dtype:
            known = type_named(dtype)
            found += [(f"DTYPE_{name}", known.device), (f"ORIG_DTYPE_{name}", known.macro)]
        found.append((f"FORMAT_{name}", f"FORMAT_{kind}"))
    return (*found, ("DETERMINISTIC_MODE", "0"), ("HIGH_PERFORMANCE", "1"))


def operator_kernel(files: Mapping[str, str], entry: str) -> Kernel:
    """The kernel of an operator: the file that is named like the entry, or defines it, is the translation unit."""
    sources = [name for name in files if name.endswith((".cpp", ".cc", ".cxx"))]
    named = [name for name in sources if Path(name).stem == entry]
    defining = [name for name in sources if re.search(rf"\b{re.escape(entry)}\s*\(", files[name])]
    order = dict.fromkeys([*(named or defining), *files])
    return Kernel(files={name: files[name] for name in order}, entry=entry)


def compile_variant(
    kernel: Kernel, variant: Variant, runtime: Runtime, walls: Walls, folder: Path
) -> tuple[PreparedSource, Compiled]:
    """Compile a kernel for one variant.

    Args:
        kernel: All files below op_kernel.
        variant: What it is compiled for.
        runtime: Compiler, headers and precompiled header.
        walls: What this machine offers to contain the compiler.
        folder: An empty folder; it must outlive the result.

    Raises:
        ToolchainError: The compiler does not start.
        SandboxError: A wall could not be set up.
    """
    prepared = prepare(kernel, variant.contract)
    return prepared, compile_candidate(prepared, runtime, walls, folder, include_dirs=(runtime.shims,))


def look_through(kernel: Kernel, variant: Variant, runtime: Runtime, walls: Walls, folder: Path) -> KernelFacts | None:
    """Keys and core types of a kernel with a variant's macros; None where it cannot even be preprocessed.

    Raises:
        ToolchainError: The compiler does not start.
        SandboxError: A wall could not be set up.
    """
    contract = variant.contract
    marked = contract.model_copy(update={"prelude": contract.prelude + MARKS})
    prepared = prepare(kernel, marked)
    text = preprocess_candidate(prepared, runtime, walls, folder, include_dirs=(runtime.shims,))
    return None if text is None else facts_of(text)
