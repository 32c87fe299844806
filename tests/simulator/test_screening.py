"""Screening: what a kernel's text may not hold."""

from __future__ import annotations

import pytest

from agentkernel.diagnostic import Level
from tests.simulator.support import prepared, source


def found(body: str, before: str = ""):
    return prepared(source(body, before)).diagnostics


@pytest.mark.parametrize(
    ("before", "code"),
    [
        ('#include "/etc/passwd"\n', "forbidden-include"),
        ("#include </etc/passwd>\n", "forbidden-include"),
        ('#include "../../secret.h"\n', "forbidden-include"),
        ("#define P <x>\n#include P\n", "forbidden-include"),
        ("#include_next <x.h>\n", "forbidden-directive"),
        ('#embed "/etc/passwd"\n', "forbidden-directive"),
        ("#line 7\n", "forbidden-directive"),
        ('# 7 "other.cpp"\n', "forbidden-directive"),
        ('#pragma GCC dependency "/etc/passwd"\n', "forbidden-directive"),
        ('#pragma GCC pch_preprocess "x"\n', "forbidden-directive"),
        ("#pragma redefine_extname a b\n", "forbidden-directive"),
        ('_Pragma("GCC dependency \\"/etc/passwd\\"")\n', "forbidden-directive"),
        ('_Pragma ( "weak a" )\n', "forbidden-directive"),
        ("_Pragma(WORDS)\n", "forbidden-directive"),
        ('\f#include "/etc/passwd"\n', "forbidden-include"),
        ('#\\\ninclude "/etc/passwd"\n', "forbidden-include"),
        ("#if __has_include(<x>)\n#endif\n", "forbidden-directive"),
        ('__asm__(".incbin \\"/etc/passwd\\"");\n', "forbidden-cpp"),
        ("int* f() { return new int[4]; }\n", "forbidden-cpp"),
        ("void* f() { return std::malloc (4); }\n", "forbidden-cpp"),
        ("struct S { virtual void f(); };\n", "forbidden-cpp"),
    ],
)
def test_what_reads_files_or_hides_places_is_refused(before, code):
    diagnostics = found("", before)
    assert [d.code for d in diagnostics] == [code]
    assert diagnostics[0].location is not None and diagnostics[0].location.line >= 3


@pytest.mark.parametrize(
    "before",
    [
        "#include <type_traits>\n",
        '#include "../op_kernel/helper.h"\n',
        "#pragma once\n#pragma unroll\n#pragma GCC unroll 4\n",
        '_Pragma("unroll")\n_Pragma("GCC unroll 4")\n',
        '// asm\nconst char* s = "asm";\nint basm;\n',
        "// new\nint newest; int mallocs(int v) { return v; }\n",
        "#ifdef X\n#elif defined(Y)\n#else\n#endif\n#undef X\n",
    ],
)
def test_what_kernels_do_is_let_through(before):
    assert found("", before) == ()


def test_the_harness_is_not_to_be_named():
    diagnostics = found("  akrt_pipe_destroy(false, nullptr);\n  akrt::Site s;")
    assert [(d.code, d.level) for d in diagnostics] == [("harness-access", Level.CHEAT)] * 2
    assert (diagnostics[0].location.line, diagnostics[0].location.column) == (5, 3)


def test_a_cast_to_another_memory_in_a_declaration_is_seen():
    diagnostics = found("  __gm__ half* p = (__ubuf__ half*)x;\n  __gm__ half* q = (__gm__ half*)x;")
    assert [d.code for d in diagnostics] == ["address-space"]
    assert "`p` is declared `__gm__`" in diagnostics[0].message
    assert diagnostics[0].location.line == 5


def test_includes_are_listed_also_those_that_are_not_taken():
    text = source("", '#if 0\n#include <a.h>\n#endif\n#include "b.h"\n')
    assert [(i.target, i.form) for i in prepared(text).includes] == [
        ("kernel_operator.h", "quoted"),
        ("a.h", "bracketed"),
        ("b.h", "quoted"),
    ]
