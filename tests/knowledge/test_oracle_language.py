"""What a device kernel may not hold: parts of C++, includes, text that is not C++; and the entry that is launched."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentkernel.codes import level_of
from agentkernel.diagnostic import Level
from agentkernel.kernel import Kernel
from agentkernel.knowledge.exemplars import load_exemplars
from agentkernel.knowledge.oracle import check


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        ("float* p = new float[4];", "new float[4]"),
        ("delete pipe;", "delete pipe"),
        ("void* p = malloc(64);", "malloc(64)"),
        ("try { n++; } catch (...) { n--; }", "try { n++; } catch (...) { n--; }"),
        ("throw 3;", "throw 3;"),
        ("std::vector<int> v;", "std::vector<int>"),
        ("thread_local int k = 0;", "thread_local"),
    ],
)
def test_parts_of_cpp_that_device_code_does_not_have(bench: Any, body: str, marked: str) -> None:
    found = bench.findings(body)
    assert "forbidden-cpp" in [d.code for d in found]
    first = next(d for d in found if d.code == "forbidden-cpp")
    # the source pass marks the word, the syntax tree the whole expression
    assert marked.startswith(bench.marked(first, body))
    assert first.hint


@pytest.mark.parametrize("before", ["struct Base { virtual int Get() = 0; };", "struct D { int Get() override; };"])
def test_virtual_functions(bench: Any, before: str) -> None:
    assert "forbidden-cpp" in bench.codes("", before)


@pytest.mark.parametrize(
    "body",
    [
        "n = std::min(n, 3u); constexpr bool same = std::is_same<half, float>::value;",
        'char text[8] = {}; const char* said = "new delete malloc virtual try"; // new float[3]',
        "int fresh = 0; fresh = fresh ? 1 : 2;",
    ],
)
def test_parts_of_cpp_that_device_code_has(bench: Any, body: str) -> None:
    assert not bench.findings(body)


def test_recursion_is_found_through_other_functions(bench: Any) -> None:
    direct = bench.findings("Down(3);", "__aicore__ inline int Down(int n) { return n ? Down(n - 1) : 0; }")
    assert ["`Down` -> `Down`" in d.message for d in direct] == [True]
    before = """
__aicore__ int Odd(int n);
__aicore__ int Even(int n) { return Odd(n - 1); }
__aicore__ int Odd(int n) { return Even(n - 1); }
"""
    assert [d.code for d in bench.findings("Even(3);", before)] == ["forbidden-cpp", "forbidden-cpp"]


@pytest.mark.parametrize(
    "before",
    [
        "template <int N> __aicore__ inline int Sum() { if constexpr (N > 0) { return N + Sum<N - 1>(); } return 0; }",
        "__aicore__ inline int Go(int a) { return a; }\n__aicore__ inline int Go(int a, int b) { return Go(a + b); }",
        "struct Inner { void Run() {} };\nstruct Outer { Inner inner; void Run() { inner.Run(); } };",
    ],
)
def test_what_only_looks_like_recursion(bench: Any, before: str) -> None:
    assert not bench.findings("", before)


def test_global_objects_that_need_code_before_the_start(bench: Any) -> None:
    before = "int Seed() { return 3; }\nint seed = Seed();"
    assert bench.codes("", before) == ["static-initialiser"]
    assert not bench.findings(
        "", "constexpr int Three() { return 3; }\nconstexpr int three = Three();\nconst int more = 3;"
    )


@pytest.mark.parametrize("header", ["iostream", "vector", "thread", "sys/socket.h", "cstdlib"])
def test_headers_of_the_host(bench: Any, header: str) -> None:
    assert bench.codes("", f"#include <{header}>") == ["forbidden-include"]


@pytest.mark.parametrize(
    "line",
    [
        "#include <cstdint>",
        "#include <type_traits>",
        '#include "lib/matmul_intf.h"',
        '#include "kernel_tiling/kernel_tiling.h"',
        '#include "kernel_operator.h"',
    ],
)
def test_headers_that_a_kernel_may_include(bench: Any, line: str) -> None:
    assert not bench.findings("", line)


def test_files_of_the_kernel_itself_are_read(bench: Any) -> None:
    main = bench.kernel("Scale(h0, h1, 64);", '#include "scale.h"').files["op_kernel/negate.cpp"]
    scale = "__aicore__ inline void Scale(LocalTensor<half> a, LocalTensor<half> b, int n) { Muls(a, b, 2.0f, n); }\n"
    files = {
        "op_kernel/negate.cpp": main,
        "op_kernel/scale.h": scale,
        "op_host/negate.cpp": "#include <vector>\nstd::vector<int> sizes;\n",
    }
    found = check(Kernel.from_mapping(files, bench.task.entry), bench.task)
    assert [(d.code, d.location and d.location.file) for d in found] == [("scalar-type-mismatch", "op_kernel/scale.h")]


def test_a_file_that_is_cut_off(bench: Any) -> None:
    text = bench.kernel("Add(h0, h1, h2, 64);").files["op_kernel/negate.cpp"]
    found = check(Kernel.from_source(text[: text.index("private:")], bench.task.entry), bench.task)
    assert "syntax" in [d.code for d in found]


def test_a_bracket_that_does_not_fit_names_the_one_before_it(bench: Any) -> None:
    found = next(d for d in bench.findings("Add(h0, h1[0), h2, 64);") if d.code == "syntax")
    assert found.related and found.related[0][1] == "opened here"


def test_a_missing_semicolon(bench: Any) -> None:
    found = bench.only("        Add(h0, h1, h2, 64)\n        Exp(h0, h1, 64);")
    assert (found.code, found.message) == ("syntax", "`;` is missing after the call of `Add`.")


def test_brackets_in_literals_comments_and_directives_do_not_count(bench: Any) -> None:
    assert not bench.findings("char c = '{'; /* ( */ const char* s = \"[\"; // }", "#define OPEN {\n#define CLOSE }")


def test_a_macro_may_stand_without_semicolon(bench: Any) -> None:
    assert not bench.findings("        STEP(h0)\n        STEP(h1)", "#define STEP(x) Exp(x, x, 64);")


def test_the_entry_that_the_task_launches_must_be_there(bench: Any) -> None:
    source = bench.kernel("").files["op_kernel/negate.cpp"].replace("void negate(", "void negative(")
    found = check(Kernel.from_source(source, bench.task.entry), bench.task)
    assert [d.code for d in found] == ["no-kernel-entry"]
    assert bench.entry in found[0].hint


def test_the_entrys_arguments_must_fit_the_launch(bench: Any) -> None:
    source = bench.kernel("").files["op_kernel/negate.cpp"].replace(", GM_ADDR tiling", "")
    found = check(Kernel.from_source(source, bench.task.entry), bench.task)
    assert [d.code for d in found] == ["wrong-entry-signature"]
    assert bench.entry in found[0].hint


def test_findings_come_in_the_order_of_the_file_and_the_same_every_time(bench: Any) -> None:
    body = "VecAdd(h0); new int; Adds(h0, h1, 1.0f, 64);\nPipeBarrier(PIPE_V);"
    found = bench.findings(body)
    places = [(d.location.line, d.location.column) for d in found]
    assert places == sorted(places)
    assert found == bench.findings(body)
    assert {d.code for d in found} == {"unknown-api", "forbidden-cpp", "scalar-type-mismatch", "wrong-argument-count"}


def test_every_code_of_the_oracle_is_listed(bench: Any) -> None:
    body = """
        VecAdd(h0); inQue.EnQueue(h0); Cast(h0, f0, RoundMode::NO, 64); Subs(h0, h1, h2, 64); Adds(h0, h1, 1.0f, 64);
        Cast(b0, h0, RoundMode::CAST_RINT, 64); Mul(b0, b0, b0, 64); Add(h0, h1, 64); Add(h0, h1, f0, 64); new int;
    """
    before = '#include <vector>\n#include "gone/away.h"\nint Seed() { return 1; }\nint seed = Seed();'
    found = bench.findings(body, before) + bench.findings(body)
    assert {level_of(d.code) for d in found} == {Level.API}
    assert {d.code for d in found} >= {
        *(
            "unknown-member",
            "unknown-enum",
            "other-chip-api",
            "scalar-type-mismatch",
            "cast-not-supported",
            "unknown-api",
        ),
        *("dtype-not-supported", "wrong-argument-count", "no-matching-overload", "forbidden-cpp", "static-initialiser"),
        *("forbidden-include", "unknown-include"),
    }


HOSTILE = {
    "brackets": "int a = " + "(" * 5000 + "1" + ")" * 5000 + ";",
    "operators": "int a = " + "+".join(["b"] * 5000) + ";",
    "branches": "if (n) {} " + "else if (n) {} " * 2000,
    "blocks": "{" * 3000 + "}" * 3000,
    "templates": "A<" * 2000 + "int" + ">" * 2000 + " a;",
    "calls": "Foo(" * 2000 + ")" * 2000 + ";",
    "members": "a" + ".b" * 4000 + ";",
    "negations": "if constexpr (" + "!" * 3000 + "true) {}",
    "inventions": "".join(f"Invented{i}(h0);" for i in range(500)),
    "itself": "auto a = a; Exp(a, a, 64);",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_text_that_is_made_to_exhaust_the_checker(bench: Any, name: str) -> None:
    assert len(bench.findings(HOSTILE[name])) <= 60


@pytest.mark.parametrize(
    "before",
    [
        "using A = B; using B = A; A a;",
        "auto first = second; auto second = first;",
        "template <class T> struct R { R<R<T>> r; };",
        "struct S : S { S s; };",
        "#if " + "(" * 3000 + "1" + ")" * 3000 + "\n#endif",
        "#if A\n" * 500 + "#endif\n" * 500,
    ],
)
def test_declarations_in_circles(bench: Any, before: str) -> None:
    assert not [d for d in bench.findings("Add(h0, h1, h2, 64);", before) if d.code != "syntax"]


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_or_doubled_piece_of_a_kernel_is_read(bench: Any, data: st.DataObject) -> None:
    exemplar = data.draw(st.sampled_from(load_exemplars()))
    text = exemplar.source
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 200)))
    piece = data.draw(
        st.sampled_from(["", text[start:end] * 2, "{", "}", "<", "(", '"', "/*", "template", "#if X\n", "é"])
    )
    source = text[:start] + piece + text[end:]
    found = check(Kernel.from_source(source or " ", exemplar.task.entry), exemplar.task)
    lines = source.count("\n") + 1
    assert all(d.location is None or d.location.line <= lines for d in found)
