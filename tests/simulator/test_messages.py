"""Compiler messages as diagnostics: g++ and clang++ say the same thing in different words."""

# ruff: noqa: E501  (what compilers print is quoted as they print it)
from __future__ import annotations

import pytest

from agentkernel.simulator.compiler_output import opened_headers, parse
from agentkernel.simulator.messages import MAX_DIAGNOSTICS, MAX_TEXT, shorten, to_diagnostics
from tests.simulator.support import prepared, source

FILE = "op_kernel/kernel.cpp"
TEXT = source("  LocalTensor<half> a; LocalTensor<float> b;\n  Add(a, a, b, 3); // größer\n  auto c = Adds(a, 3);\n")
HEADER = "/somewhere/cache/0123/src/include/ascendc/elementwise.h"


def diagnose(output: str, text: str = TEXT):
    return to_diagnostics(parse(output), prepared(text))


@pytest.mark.parametrize(
    ("line", "code", "message", "hint"),
    [
        ("'Ad' was not declared in this scope; did you mean 'Add'?", "unknown-name", "There is no `Ad`.", "Did you mean `Add`?"),
        ("use of undeclared identifier 'Ad'; did you mean 'Add'?", "unknown-name", "There is no `Ad`.", "Did you mean `Add`?"),
        ("'set_deqscale' was not declared in this scope; did you mean 'akrt_set_deqscale'?", "unknown-name",
         "There is no `set_deqscale`.", ""),
        ("'class AscendC::LocalTensor<_Float16>' has no member named 'SetVlue'; did you mean 'SetValue'?", "unknown-name",
         "There is no `SetVlue` in `LocalTensor<half>`.", "Did you mean `SetValue`?"),
        ("no member named 'SetVlue' in 'AscendC::LocalTensor<_Float16>'; did you mean 'SetValue'?", "unknown-name",
         "There is no `SetVlue` in `LocalTensor<half>`.", "Did you mean `SetValue`?"),
        ("'Foo' is not a member of 'AscendC'", "unknown-name", "There is no `Foo` in `AscendC`.", ""),
        ("no type named 'Foo' in namespace 'AscendC'", "unknown-name", "There is no `Foo` in `AscendC`.", ""),
        ("'LocalTensr' does not name a type", "unknown-name", "There is no `LocalTensr`.", ""),
        ("unknown type name 'LocalTensr'", "unknown-name", "There is no `LocalTensr`.", ""),
        ("expected ';' before '}' token", "syntax", "Expected `;` before `}` token.", ""),
        ("expected ';' after expression", "syntax", "Expected `;` after expression.", ""),
        ("invalid conversion from 'int' to 'float*' [-fpermissive]", "type-conversion",
         "Invalid conversion from `int` to `float*`.", ""),
        ("cannot initialize a variable of type 'float *' with an rvalue of type 'int'", "type-conversion",
         "Cannot initialize a variable of type `float *` with an rvalue of type `int`.", ""),
        ("call of overloaded 'Max(int, float)' is ambiguous", "ambiguous-call", "Call of overloaded `Max(int, float)` is ambiguous.", ""),
        ("exception handling disabled, use '-fexceptions' to enable", "forbidden-cpp",
         "Device code has no exceptions, no typeid and no dynamic_cast.", "Remove it."),
        ("cannot use 'throw' with exceptions disabled", "forbidden-cpp",
         "Device code has no exceptions, no typeid and no dynamic_cast.", "Remove it."),
        ("attempt to use poisoned \"asm\"", "forbidden-cpp", "`asm` cannot be used in a kernel.", "Write it with Ascend C APIs alone."),
        ("redefinition of 'int q'", "compile-error", "Redefinition of `int q`.", ""),
    ],
)  # fmt: skip
def test_one_error_of_each_kind(line, code, message, hint):
    found = diagnose(f"{FILE}: In function 'void kernel(GM_ADDR)':\n{FILE}:6:3: error: {line}\n")
    assert [(d.code, d.message, d.hint) for d in found] == [(code, message, hint)]
    assert (found[0].location.file, found[0].location.line) == (FILE, 6)


def test_an_overload_error_names_arguments_and_nearest_candidates():
    args = "AscendC::LocalTensor<_Float16>&, AscendC::LocalTensor<_Float16>&, AscendC::LocalTensor<float>&, int"
    tensor = "const AscendC::LocalTensor<T>&"
    output = f"""\
{FILE}:6:6: error: no matching function for call to 'Add({args})'
In file included from prelude.h:1:
{HEADER}:7:25: note: candidate: 'template<class T> void AscendC::Add({tensor}, {tensor}, {tensor}, uint64_t, uint8_t, const AscendC::BinaryRepeatParams&)'
{HEADER}:7:25: note:   template argument deduction/substitution failed:
{FILE}:6:6: note:   candidate expects 6 arguments, 4 provided
{HEADER}:6:25: note: candidate: 'template<class T> void AscendC::Add({tensor}, {tensor}, {tensor}, const int32_t&)'
{HEADER}:6:25: note: in definition of macro 'AK_BINARY'
{HEADER}:6:25: note:   template argument deduction/substitution failed:
{FILE}:6:6: note:   deduced conflicting types for parameter 'T' ('_Float16' and 'float')
"""
    (found,) = diagnose(output)
    assert found.code == "no-matching-overload"
    assert found.message == (
        "`Add(LocalTensor<half>&, LocalTensor<half>&, LocalTensor<float>&, int)` fits no overload of `Add`."
    )
    assert (found.location.line, found.location.column, found.location.end_column) == (6, 3, 6)
    assert found.apis == ("Add",)
    assert found.evidence["arguments"] == ["LocalTensor<half>", "LocalTensor<half>", "LocalTensor<float>", "int"]
    assert [c["signature"] for c in found.evidence["candidates"]] == [
        "Add(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, int32_t)",
        "Add(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, uint64_t, uint8_t, BinaryRepeatParams)",
    ]
    assert (
        found.evidence["candidates"][0]["reason"] == "deduced conflicting types for parameter `T` (`half` and `float`)"
    )
    assert "/somewhere" not in found.model_dump_json()


def test_clang_gives_the_reasons_alone():
    output = f"""\
{FILE}:6:3: error: no matching function for call to 'Add'
{HEADER}:6:25: note: candidate template ignored: deduced conflicting types for parameter 'T' ('_Float16' vs. 'float')
{HEADER}:7:25: note: candidate function template not viable: requires 6 arguments, but 4 were provided
1 error generated.
"""
    (found,) = diagnose(output)
    assert found.code == "no-matching-overload" and found.message == "This call of `Add` fits no overload of `Add`."
    assert "deduced conflicting types for parameter `T` (`half` vs. `float`)" in found.hint


GCC_ASSERT = f"""\
In file included from /x/prelude.h:3:
{HEADER}: In instantiation of 'void AscendC::detail::check() [with T = signed char]':
{HEADER}:40:9:   required from 'void AscendC::Add(const AscendC::LocalTensor<T>&, int32_t) [with T = signed char; int32_t = int]'
{FILE}:6:6:   required from 'void Outer<T>::f() [with T = signed char]'
{FILE}:7:4:   required from here
{HEADER}:12:3: error: static assertion failed: Ascend C Add: dtype is not supported on Ascend 910B; legal: half, float
"""
CLANG_ASSERT = f"""\
{HEADER}:12:3: error: static assertion failed due to requirement 'kOneOf<signed char, _Float16>': Ascend C Add: dtype is not supported on Ascend 910B; legal: half, float
{HEADER}:40:9: note: in instantiation of function template specialization 'AscendC::detail::check<signed char>' requested here
{FILE}:6:3: note: in instantiation of function template specialization 'AscendC::Add<signed char>' requested here
{FILE}:7:4: note: in instantiation of member function 'Outer<signed char>::f' requested here
"""


@pytest.mark.parametrize("output", [GCC_ASSERT, CLANG_ASSERT], ids=["gcc", "clang"])
def test_an_error_inside_our_headers_is_told_at_the_innermost_line_of_the_author(output):
    (found,) = diagnose(output)
    assert (found.code, found.location.line, found.location.column) == ("dtype-not-supported", 6, 3)
    assert found.message.startswith("Add: dtype is not supported on Ascend 910B")
    assert found.hint == "Legal: half, float."
    assert found.evidence["legal"] == ["half", "float"]
    assert found.apis == ("Add",)


def test_gcc_tells_the_type_that_was_given():
    (found,) = diagnose(GCC_ASSERT)
    assert found.message.endswith("(here T = int8_t).")
    assert found.evidence["given"] == {"T": "int8_t"}


def test_an_assertion_about_something_else_is_an_illegal_call():
    text = "Ascend C TPipe::InitBuffer: a TBuf has no buffer number; legal: InitBuffer(TBuf, len)"
    (found,) = diagnose(f"{FILE}:6:3: error: static assertion failed: {text}\n")
    assert (found.code, found.hint) == ("illegal-call", "Legal: InitBuffer(TBuf, len).")


@pytest.mark.parametrize(
    "text",
    [
        "use of deleted function 'void operator<(const A&, const B&) [with A = bfloat16_t; B = int]'",
        "overload resolution selected deleted operator '<'",
    ],
)
def test_arithmetic_of_bfloat16_is_a_conversion_that_lacks(text):
    (found,) = diagnose(f"{FILE}:6:3: error: {text}\n")
    assert (found.code, found.hint) == ("type-conversion", "Convert the operands with `ToFloat` first.")
    assert "`operator<` for `bfloat16_t`" in found.message


def test_an_error_in_a_macro_of_ours_is_told_where_the_macro_is_used():
    output = f"{HEADER}:9:29: error: invalid conversion from 'const char*' to 'int'\n"
    output += f"{FILE}:7:3: note: in expansion of macro 'CHECK'\n"
    assert diagnose(output)[0].location.line == 7


def test_columns_count_characters():
    text = source("  /* größer */ Ad(1);")
    byte_column = "  /* größer */ Ad(1);".encode().index(b"Ad") + 1
    (found,) = diagnose(f"{FILE}:5:{byte_column}: error: 'Ad' was not declared in this scope\n", text)
    assert found.location.column == "  /* größer */ Ad(1);".index("Ad") + 1


def test_what_is_said_of_the_launcher_is_said_of_the_entry():
    source_of = prepared(TEXT)
    output = f"{FILE}:{source_of.appended_line + 1}:3: error: cannot convert 'akrt_argument' to 'Foo'\n"
    (found,) = diagnose(output)
    assert found.code == "wrong-entry-signature" and found.location == source_of.entry


def test_an_open_brace_is_named_as_such():
    text = TEXT + "namespace a {\n"
    appended = prepared(text).appended_line
    output = f"{FILE}:{appended + 2}:1: error: expected '}}' at end of input\n"
    (found,) = diagnose(output, text)
    assert (found.code, found.message) == ("syntax", "The file ends inside an open `{`.")
    assert found.location.line == appended - 1


def test_a_renamed_entry_is_called_by_its_own_name():
    text = TEXT.replace("void kernel(", "void exp(")
    from tests.simulator.support import task  # the entry decides the name

    source_of = prepared(text, task("exp"))
    output = f"op_kernel/exp.cpp:6:3: error: redefinition of 'void {source_of.symbol}(int)'\n"
    (found,) = to_diagnostics(parse(output), source_of)
    assert found.message == "Redefinition of `void exp(int)`."


@pytest.mark.parametrize(
    "line",
    [
        "template instantiation depth exceeds maximum of 200 (use '-ftemplate-depth=' to increase the maximum)",
        "recursive template instantiation exceeded maximum depth of 200",
        "'constexpr' evaluation operation count exceeds limit of 2000000",
    ],
)
def test_compile_time_bombs_are_limits(line):
    (found,) = diagnose(f"{FILE}:6:3: fatal error: {line}\ncompilation terminated.\n")
    assert found.code == "compile-limit" and "-f" not in found.message


def test_the_step_limit_of_clang_is_in_a_note():
    output = f"{FILE}:6:3: error: constexpr variable 'v' must be initialized by a constant expression\n"
    output += f"{FILE}:5:3: note: constexpr evaluation hit maximum step limit; possible infinite loop?\n"
    assert diagnose(output)[0].code == "compile-limit"


def test_doubles_and_floods_are_cut():
    once = f"{FILE}:6:3: error: 'Ad' was not declared in this scope\n"
    assert len(diagnose(once * 3)) == 1
    flood = "".join(f"{FILE}:6:3: error: 'a{i}' was not declared in this scope\n" for i in range(1000))
    assert len(diagnose(flood)) == MAX_DIAGNOSTICS
    long = f"{FILE}:6:3: error: redefinition of '{'std::tuple<int, ' * 2000}'\n"
    assert len(diagnose(long)[0].message) <= MAX_TEXT + 1


def test_shorten():
    assert shorten("'const AscendC::LocalTensor<T>&' {aka 'x'} from 'short unsigned int'") == (
        "`const LocalTensor<T>&` from `uint16_t`"
    )
    assert shorten("in /a/b/c.h:3 [-Wfoo]") == "in c.h:3"


def test_opened_headers():
    assert list(opened_headers(". /a.h\n.. /b.h\n! /p.gch\nx.cpp:1:1: error: .\n")) == [(1, "/a.h"), (2, "/b.h")]


def test_noise_is_no_error():
    assert parse("In file included from a:1:\nwarning: unused\nnote: lone note\n\n") == []
