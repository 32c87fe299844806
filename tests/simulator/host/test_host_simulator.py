"""Host code compiles as it is, says what it defines, and its tiling runs for a call."""

from __future__ import annotations

import struct

import pytest

from agentkernel.errors import ToolchainError
from agentkernel.simulator.host import HostSimulator, HostTensor, OperatorCall, Platform, tiling_header
from tests.simulator.host.operators import SHIFT_FILES, operator


def call(shape: tuple[int, ...] = (8, 32), dtype: str = "float16", **attrs: float) -> OperatorCall:
    tensor = HostTensor(shape=shape, dtype=dtype)
    return OperatorCall(inputs=(tensor, None), outputs=(tensor,), attrs=attrs)


def probe(shape: tuple[int, ...] = (8, 32)) -> OperatorCall:
    tensor = HostTensor(shape=shape, dtype="float32")
    return OperatorCall(inputs=(tensor,), outputs=(tensor,))


def test_a_definition_is_read_as_data(host: HostSimulator) -> None:
    """Parameters, attributes with their defaults, chips and functions come out of the definition."""
    description, problems = host.describe(host.build_host(SHIFT_FILES))
    op = description.operator("Shift")
    assert problems == () and op is not None
    assert [(p.name, p.option, p.dtypes) for p in op.inputs] == [
        ("x", "required", ("float16", "float32")),
        ("bias", "optional", ("float16", "float32")),
    ]
    assert [(a.name, a.kind, a.required, a.default) for a in op.attrs] == [
        ("alpha", "float", False, 0.5),
        ("tile", "int", False, 256),
    ]
    assert [config.soc for config in op.configs] == ["ascend910b"]
    assert op.has_tiling and op.has_tiling_parse and op.has_infer_shape and op.has_infer_dtype


def test_the_bytes_of_tiling_data_are_laid_out_as_the_kernel_reads_them(host: HostSimulator) -> None:
    """Natural alignment, structures at multiples of 8 and padded to them, padding as fields of its own."""
    description, _ = host.describe(host.build_host(SHIFT_FILES))
    shift = next(one for one in description.classes if one.registered == "Shift")
    assert [(f.name, f.offset) for f in shift.fields] == [
        ("kind", 0), ("totalPH", 1), ("total", 8), ("tile", 16), ("splitPH", 20), ("split", 24), ("alpha", 40),
        ("ShiftTilingPH", 44),
    ]  # fmt: skip
    assert shift.size == 48
    split = next(one for one in description.classes if one.registered == "RowSplitOp")
    assert split.size == 16


def test_tiling_runs_with_its_compile_information(host: HostSimulator) -> None:
    """TilingParse runs first; block dim, key, workspaces, bytes and printed text come back."""
    build = host.build_host(SHIFT_FILES)
    outcome = host.run_tiling(build, "Shift", call(tile=64), Platform(vector_cores=40))
    assert outcome.diagnostics == ()
    assert (outcome.block_dim, outcome.tiling_key, outcome.workspaces) == (40, 0, (1024,))
    assert outcome.printed == "total 256 ub 196352\n"
    kind, total, tile, rows, *marks, alpha = struct.unpack("<Bxxxxxxxq I4x I3H6x f4x", outcome.data)
    assert (kind, total, tile, rows, marks, alpha) == (1, 256, 64, 8, [1, 2, 3], 0.5)


def test_a_key_has_its_own_structure(host: HostSimulator) -> None:
    """`Type_KEY` is what GET_TILING_DATA means for that key; the others keep the operator's own."""
    build = host.build_host(SHIFT_FILES)
    outcome = host.run_tiling(build, "Shift", call((4, 2)), Platform())
    assert (outcome.tiling_key, outcome.data) == (7, struct.pack("<i4x", 8))
    classes = host.describe(build)[0].classes
    assert "using AkDefaultTiling = ShiftSmall;" in tiling_header(classes, "Shift", 7)
    header = tiling_header(classes, "Shift", 0)
    assert "using AkDefaultTiling = ShiftTiling;" in header
    assert header.index("class RowSplit") < header.index("class ShiftTiling")


def test_shapes_and_types_are_inferred(host: HostSimulator) -> None:
    """Both inference functions of the definition run."""
    build = host.build_host(SHIFT_FILES)
    assert host.infer_shape(build, "Shift", call((3, 5))).shapes == ((3, 5, 2),)
    assert host.infer_dtype(build, "Shift", call(dtype="float32")).dtypes == ("float32",)


@pytest.mark.parametrize(
    ("body", "code", "line", "says"),
    [
        ("  auto s = context->GetInputShape(5)->GetStorageShape().GetDimNum();", "host-crash", 7, "null pointer"),
        ("  int z = 0;\n  context->SetBlockDim(8 / z);", "host-crash", 8, "divides an integer by zero"),
        ("  std::vector<int> v;\n  context->SetBlockDim(v[3]);", "host-crash", 8, "check of the C++ library"),
        ("  std::vector<int> v;\n  context->SetBlockDim(v.at(3));", "host-exception", 8, "std::out_of_range"),
        ("  for (;;) context->SetBlockDim(1);", "host-time-limit", 7, "did not end"),
        ("  std::vector<char> v(1ull << 40);", "host-memory-limit", 7, "more memory"),
        ("  context->SetBlockDim(1);\n  return ge::GRAPH_FAILED;", "host-tiling-failed", None, "returned GRAPH_FAILED"),
        ("  context->SetTilingKey(1);", "host-block-dim", None, "block dim of 0"),
        ("  std::exit(0);", "host-exited", None, "ended its process"),
        (
            "  char* p = (char*)context->GetRawTilingData()->GetData();\n  for (int i = 0; i < 100000; ++i) p[i] = 1;",
            "host-crash", 8, "not its own",
        ),
        (
            "  context->SetBlockDim(1);\n  context->GetRawTilingData()->SetDataSize(1 << 20);",
            "host-tiling-size", None, "1048576",
        ),
    ],
)  # fmt: skip
def test_what_goes_wrong_in_tiling_is_named_with_its_line(
    host: HostSimulator, body: str, code: str, line: int | None, says: str
) -> None:
    """Crashes, exceptions, limits and senseless results are diagnostics of level host, at the author's line."""
    outcome = host.run_tiling(host.build_host(operator(body)), "Probe", probe(), Platform())
    assert [d.code for d in outcome.diagnostics] == [code]
    found = outcome.diagnostics[0]
    assert found.level == "host" and says in found.message
    assert (found.location.line if found.location else None) == line


def test_host_code_cannot_reach_the_system(host: HostSimulator) -> None:
    """Files and processes are refused when the object is built, and stopped when a call comes another way."""
    refused = host.build_host(operator('  system("id");'))
    assert [(d.code, d.location.line) for d in refused.diagnostics if d.location] == [("host-forbidden-call", 7)]
    build = host.build_host(operator('  std::ofstream("/tmp/x") << 1;', before="#include <fstream>"))
    outcome = host.run_tiling(build, "Probe", probe(), Platform())
    assert [d.code for d in outcome.diagnostics] == ["forbidden-syscall"]


@pytest.mark.parametrize(
    ("body", "before", "code", "line"),
    [
        ("  context->SetBlockDimm(1);", "", "host-compile-error", 7),
        ("", '#include "tiling/tiling_apis.h"', "host-unknown-include", 5),
        ("", "#include <sys/socket.h>", "host-forbidden-include", 5),
        ("", '#include "../../secret.h"', "host-forbidden-include", 5),
        ('  asm("nop");', "", "host-forbidden-cpp", 7),
    ],
)
def test_what_does_not_compile_is_named_with_its_line(
    host: HostSimulator, body: str, before: str, code: str, line: int
) -> None:
    """A compiler's error stands at the author's line."""
    build = host.build_host(operator(body, before=before))
    assert not build.ok
    assert [(d.code, d.location.line if d.location else None) for d in build.diagnostics] == [(code, line)]


def test_a_declared_function_that_nobody_defines_is_named(host: HostSimulator) -> None:
    """The loader's word becomes a readable name."""
    build = host.build_host(operator("  context->SetBlockDim(Cores(3));", before="uint32_t Cores(int);"))
    _, problems = host.describe(build)
    assert [d.code for d in problems] == ["host-undefined-symbol"]
    assert "Cores(int)" in problems[0].message


def test_an_unknown_operator_names_those_that_are_there(host: HostSimulator) -> None:
    """Asking for another operator is a finding that lists what is registered."""
    build = host.build_host(operator("  context->SetBlockDim(1);"))
    outcome = host.run_tiling(build, "Probes", probe(), Platform())
    assert outcome.diagnostics[0].code == "host-no-operator" and "`Probe`" in outcome.diagnostics[0].message


def test_a_call_that_does_not_fit_the_definition_is_the_callers_error(host: HostSimulator) -> None:
    """A wrong number of inputs or an unknown attribute is no candidate's failure."""
    build = host.build_host(SHIFT_FILES)
    tensor = HostTensor(shape=(4,), dtype="float16")
    with pytest.raises(ToolchainError, match="1 inputs"):
        host.run_tiling(build, "Shift", OperatorCall(inputs=(tensor,), outputs=(tensor,)), Platform())
    with pytest.raises(ToolchainError, match="no attribute 'beta'"):
        host.run_tiling(build, "Shift", call(beta=1), Platform())
