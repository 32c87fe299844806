"""The source pass: entries are found, what is not C++ is blanked, nothing moves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentkernel.kernel import Kernel
from agentkernel.launch import signature
from agentkernel.simulator.source_pass import prepare
from tests.simulator.support import ENTRY, HEAD, prepared, source, task


def codes(text, for_task=None):
    return [d.code for d in prepared(text, for_task).diagnostics]


def test_the_authors_text_stays_and_the_launcher_follows():
    text = source("  return; // done")
    result = prepared(text)
    body = result.files["op_kernel/kernel.cpp"]
    assert body.startswith(text)
    assert result.kernel.files["op_kernel/kernel.cpp"] == text
    assert "akrt_launch" in body.splitlines()[result.appended_line]
    assert result.ok and result.entry is not None
    assert (result.entry.line, result.entry.column) == (3, ENTRY.index("kernel") + 1)


@pytest.mark.parametrize("end", ["", "// a comment", "int a; \\", "/* closed */", "#define A \\"])
def test_the_launcher_begins_a_line_of_its_own(end):
    result = prepared(source("") + end)
    lines = result.files[result.main_file].split("\n")
    assert lines[result.appended_line - 1].startswith("struct akrt_argument")
    assert not lines[result.appended_line - 2].endswith("\\")


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("__forceinline__ [aicore] void f() {}", "__forceinline__          void f() {}"),
        ("[host, aicore] int g();", "               int g();"),
        ("[[nodiscard]] int h();", "[[nodiscard]] int h();"),
        ("int a[aicore_count];", "int a[aicore_count];"),
        ("__global__ __mix__(1, 2) void m() {}", "__global__ __aicore__    void m() {}"),
        ("// [aicore] stays in a comment", "// [aicore] stays in a comment"),
    ],
)
def test_qualifiers_in_brackets_are_blanked(written, left):
    text = HEAD + written + "\n" + ENTRY + "{}\n"
    assert prepared(text).files["op_kernel/kernel.cpp"].split("\n")[2] == left


def test_launches_are_blanked_and_recorded():
    text = source("") + "void host(void* s, uint8_t* x) {\n  ns::kernel<int, 3><<<8, nullptr, s>>>(x,\n    f(x));\n}\n"
    result = prepared(text)
    lines = result.files[result.main_file].split("\n")
    assert lines[7].strip() == "" and lines[8] == "         ;"
    site = result.launches[0]
    assert (site.kernel, site.configuration) == ("ns::kernel<int, 3>", "8, nullptr, s")
    assert (site.location.line, site.location.column) == (8, 3)


def test_shift_and_comparison_are_no_launch():
    text = source("int a = 1 << 2; bool b = a < 3 && a > 1;")
    assert prepared(text).launches == ()


def test_an_entry_with_a_name_of_libc_is_renamed_and_calls_stay():
    text = HEAD + ENTRY.replace("kernel", "exp") + "\n{\n  float a = exp(1.0f);\n}\n"
    result = prepared(text, task("exp"))
    assert result.symbol != "exp" and len(result.symbol) == 3
    body = result.files[result.main_file]
    assert f"void {result.symbol}(GM_ADDR" in body
    assert "float a = exp(1.0f);" in body
    assert f"{result.symbol}(akrt_argument" in body


def test_a_free_name_is_not_one_that_the_source_uses():
    text = HEAD + "int ex_;\n" + ENTRY.replace("kernel", "exp") + "\n{\n}\n"
    assert prepared(text, task("exp")).symbol not in {"ex_", "exp"}


@pytest.mark.parametrize(
    ("text", "code", "word"),
    [
        ("int a;\n", "no-kernel-entry", "defines no kernel"),
        (source("").replace("void kernel(", "void kernle("), "no-kernel-entry", "`kernle`"),
        (source("").replace("__global__ ", ""), "no-kernel-entry", "`__global__` is missing"),
        (source("").replace("__aicore__ ", ""), "wrong-entry-signature", "`__aicore__`"),
        (source("").replace(", GM_ADDR workspace", ""), "wrong-entry-signature", "takes 2 arguments"),
        (source("").replace("GM_ADDR y", "int32_t y"), "wrong-entry-signature", "argument 2 is `int32_t y`"),
        (source("").replace("void kernel", "int kernel"), "wrong-entry-signature", "returns `void`"),
        (source("").replace('extern "C"', "template <class T>"), "wrong-entry-signature", "template"),
        ("// " + ENTRY + "{}\n", "no-kernel-entry", "defines no kernel"),
        (HEAD + ENTRY + ";\n", "no-kernel-entry", "defines no kernel"),
    ],
)
def test_what_is_wrong_with_an_entry_is_named(text, code, word):
    found = prepared(text).diagnostics
    assert [d.code for d in found] == [code]
    assert word in found[0].message
    assert signature(task()) in found[0].hint
    assert found[0].is_error


@pytest.mark.parametrize(
    "parameters",
    ["GM_ADDR x, GM_ADDR y, GM_ADDR workspace", "__gm__ uint8_t *x, __gm__ half* y, __gm__ uint8_t* __restrict__ w"],
)
def test_pointers_of_any_element_fit(parameters):
    text = f'{HEAD}extern "C" {{\n__global__ __aicore__ void kernel(\n    {parameters})\n{{\n}}\n}}\n'
    assert codes(text) == []


def test_one_of_several_definitions_fits():
    text = HEAD + "#if 0\n" + ENTRY.replace(", GM_ADDR workspace", "") + "{}\n#else\n" + ENTRY + "{}\n#endif\n"
    assert codes(text) == []


def test_the_entry_may_stand_in_another_file():
    files = {"op_kernel/kernel.cpp": '#include "impl.h"\n', "op_kernel/impl.h": source("")}
    result = prepare(Kernel.from_mapping(files, "kernel"), task())
    assert result.ok and result.entry is not None and result.entry.file == "op_kernel/impl.h"


def test_tiling_data_is_given_where_the_kernel_has_none():
    entry = ENTRY.replace("workspace", "workspace, GM_ADDR tiling")
    result = prepared(HEAD + entry + "{}\n", task(dynamic=True))
    assert result.ok
    assert "struct TilingData {\n    uint32_t n;\n    float alpha;\n};" in result.prelude
    own = prepared(HEAD + "struct TilingData { uint32_t n; float alpha; };\n" + entry + "{}\n", task(dynamic=True))
    assert "uint32_t" not in own.prelude and "struct TilingData;" in own.prelude
    typedef = prepared(HEAD + "typedef struct { uint32_t n; } TilingData;\n" + entry + "{}\n", task(dynamic=True))
    assert typedef.prelude == ""
    assert prepared(source("")).prelude == ""


def test_places_in_the_appended_part_mean_the_entry():
    result = prepared(source(""))
    assert result.locate(result.main_file, result.appended_line + 1) == result.entry
    assert result.locate(result.main_file, 2, 5).column == 5


@settings(max_examples=60)
@given(st.text(alphabet="ab{}()<>;:,*&#\"'/\\\n []_", max_size=200))
def test_no_text_breaks_the_pass(text):
    result = prepared(text)
    assert result.files[result.main_file].count("\n") >= text.count("\n")
    lines = result.files[result.main_file].split("\n")
    assert [len(line) for line in lines[: text.count("\n")]] == [len(line) for line in text.split("\n")[:-1]]
