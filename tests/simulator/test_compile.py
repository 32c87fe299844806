"""Building candidates with the real compiler: what is right gets an object, what is hostile gets a name."""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path

import pytest

from agentkernel.diagnostic import Level
from agentkernel.kernel import Kernel
from agentkernel.simulator.compiler import find_compiler
from agentkernel.simulator.elf import ElfError, read_shared_object
from tests.simulator.support import source, task


def build(simulator, body="", before="", files=None):
    text = source(body, before)
    kernel = Kernel.from_mapping({"op_kernel/kernel.cpp": text, **(files or {})}, "kernel")
    return simulator.build(kernel, task())


def codes(result):
    return [d.code for d in result.diagnostics]


def test_an_empty_kernel_becomes_an_object_that_shows_its_launcher_alone(simulator):
    result = build(simulator)
    assert result.ok and result.diagnostics == () and result.seconds > 0
    shared = read_shared_object_of(result)
    assert shared.exports == ("akrt_launch",)
    assert shared.imports == () and shared.initialisers == () and shared.problems == ()


def read_shared_object_of(result):
    return read_shared_object(Path(result.artifact))


def test_a_resolver_is_found_in_the_object(simulator):
    before = 'static int a() { return 1; }\nextern "C" void* pick() { return (void*)a; }\n'
    before += 'extern "C" int chosen() __attribute__((ifunc("pick")));\n'
    result = build(simulator, "  *(__gm__ int*)y = chosen();", before)
    assert not result.ok
    assert result.diagnostics[0].level is Level.CHEAT and "ifunc" in result.diagnostics[0].message


def test_files_of_the_kernel_may_include_each_other(simulator):
    files = {"op_kernel/impl/a.h": '#include "b.h"\n#include "../c.h"\n', "op_kernel/impl/b.h": "", "op_kernel/c.h": ""}
    before = '#include "impl/a.h"\n#include <type_traits>\n#include <cmath>\n'
    assert build(simulator, "", before, files).ok


def test_a_scalar_square_root_needs_no_library(simulator):
    result = build(simulator, "  *(__gm__ float*)y = sqrt(*(__gm__ float*)x);")
    assert result.ok, result.diagnostics


@pytest.mark.parametrize(
    ("body", "code", "line", "word"),
    [
        ("  Ad(x, y);", "unknown-name", 5, "`Ad`"),
        ("  LocalTensor<int8_t> a;\n  Add(a, a, a, 3);", "dtype-not-supported", 6, "Add"),
        ("  LocalTensor<half> a;\n  Add(a, a);", "no-matching-overload", 6, "Add"),
        ("  LocalTensor<half> a;\n  a.SetVlue(0, 1);", "unknown-name", 6, "SetVlue"),
        ("  float* q = 1;", "type-conversion", 5, "float"),
        ("  int a = 3\n  int b;", "syntax", None, ""),
        ("  throw 1;", "forbidden-cpp", 5, "exceptions"),
        ("  if (x) {", "syntax", None, "open `{`"),
    ],
)
def test_errors_have_a_code_and_the_authors_line(simulator, body, code, line, word):
    result = build(simulator, body)
    assert not result.ok and not result.artifact
    found = result.diagnostics[0]
    assert (found.code, found.level) == (code, Level.API)
    assert word in found.message
    assert line is None or found.location.line == line


@pytest.mark.parametrize(
    ("body", "before", "code", "word"),
    [
        ("  *(void* volatile*)y = __builtin_malloc(16);", "", "forbidden-symbol", "allocates memory"),
        ("  *(__gm__ float*)y = expf(GetBlockIdx());", "", "forbidden-symbol", "expf"),
        ("  static int a = GetBlockIdx(); *(__gm__ int*)y = a;", "", "forbidden-symbol", "static"),
        ("  *(__gm__ int*)y = system(0);", "extern \"C\" int system(const char*);\n", "forbidden-symbol", "system"),
        ("  *(__gm__ int*)y = t++;", "thread_local int t;\n", "forbidden-symbol", "thread-local"),
        ("  *(__gm__ long*)y = s.v;", "struct S { S() { v = GetBlockIdx(); } long v; };\nstatic S s;\n",
         "static-initialiser", "before the kernel starts"),
        ("", "volatile int g; __attribute__((constructor)) void early() { g = 1; }\n",
         "static-initialiser", "before the kernel"),
        ("", "int g; void early() { g = 1; }\n__attribute__((section(\".init_array\"), used)) void (*p)() = early;\n",
         "static-initialiser", "before the kernel"),
    ],
)  # fmt: skip
def test_what_does_not_exist_on_a_device_is_found_in_the_object(simulator, body, before, code, word):
    result = build(simulator, body, before)
    assert not result.ok
    assert codes(result)[0] == code
    assert word in result.diagnostics[0].message


@pytest.mark.parametrize(
    ("before", "code"),
    [
        ("#include <iostream>\n", "forbidden-include"),
        ("#include <fstream>\n#include <cmath>\n", "forbidden-include"),
        ("#include <sys/socket.h>\n", "forbidden-include"),
        ("#include <no_such_header.h>\n", "unknown-include"),
        ('#include "acl/acl.h"\n', "unknown-include"),
        ('#define JOIN(a, b) a##b\nJOIN(__as, m__)("nop");\n', "forbidden-cpp"),
        ("#define JOIN(a, b) a##b\n#if JOIN(__has_, include)(</etc/passwd>)\n#endif\n", "forbidden-cpp"),
        ("#include <../../../../../../../../../../etc/passwd>\n", "forbidden-include"),
    ],
)
def test_includes_and_pasted_names(simulator, before, code):
    result = build(simulator, "", before)
    assert not result.ok
    assert codes(result)[0] == code


@pytest.mark.parametrize(
    "before",
    [
        "template <int N> struct D { static constexpr int v = D<N + 1>::v + D<N + 2>::v; };\nint d = D<0>::v;\n",
        "constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nconstexpr int v = f(60);\n",
        "constexpr int f() { int n = 0; while (true) n = 1 - n; return n; }\nconstexpr int v = f();\n",
    ],
    ids=["depth", "steps", "endless"],
)
def test_template_and_constexpr_bombs_are_contained(simulator, before):
    result = build(simulator, "", before)
    assert codes(result)[0] == "compile-limit"


def test_a_preprocessor_bomb_is_contained(simulator, tmp_path):
    from agentkernel.simulator.compile import compile_candidate
    from agentkernel.simulator.sandbox import Limits
    from tests.simulator.support import prepared

    lines = ["#define A0 x x x x x x x x x x"] + [f"#define A{i} {' '.join([f'A{i - 1}'] * 10)}" for i in range(1, 12)]
    runtime, walls = simulator._workshop.prepare()
    limits = Limits(wall_seconds=20, cpu_seconds=2, memory_bytes=1 << 30, file_bytes=1 << 20, open_files=64)
    tmp_path.chmod(0o755)
    done = compile_candidate(prepared(source("A11", "\n".join(lines) + "\n")), runtime, walls, tmp_path, limits=limits)
    assert [d.code for d in done.diagnostics] == ["compile-limit"]


def test_a_flood_of_errors_is_cut(simulator):
    result = build(simulator, "\n".join(f"  undeclared{i}();" for i in range(5000)))
    assert 1 <= len(result.diagnostics) <= 12


def test_too_large_a_source_is_refused(simulator):
    result = build(simulator, "  // " + "x" * (3 << 20))
    assert codes(result) == ["compile-limit"]


def test_an_entry_named_like_a_libc_function(simulator):
    chosen = task("remove")
    text = source("").replace("void kernel(", "void remove(")
    assert simulator.build(Kernel.from_source(text, "remove"), chosen).ok


def test_tiling_data_with_and_without_a_definition(simulator):
    chosen = task(dynamic=True)
    body = "  GET_TILING_DATA(t, tiling);\n  *(__gm__ uint32_t*)y = t.n + (uint32_t)t.alpha;"
    text = source(body).replace("workspace)", "workspace, GM_ADDR tiling)")
    assert simulator.build(Kernel.from_source(text, "kernel"), chosen).ok
    own = text.replace(
        "using namespace AscendC;\n", "using namespace AscendC;\nstruct TilingData { uint32_t n; float alpha; };\n"
    )
    assert simulator.build(Kernel.from_source(own, "kernel"), chosen).ok


def compile_object(tmp_path, text, *flags):
    target = tmp_path / "a.so"
    path = tmp_path / "a.cpp"
    path.write_text(text)
    command = [*find_compiler().command, "-shared", "-fPIC", "-nostdlib", *flags, str(path), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def test_elf_reader_agrees_with_what_was_compiled(tmp_path):
    text = 'extern int other(); int mine = 1; extern "C" int f() { return other() + mine; }\n'
    shared = read_shared_object(compile_object(tmp_path, text))
    assert shared.exports == ("f", "mine") and shared.imports == ("_Z5otherv",)
    assert shared.initialisers == () and shared.problems == ()


def test_elf_reader_sees_libraries_and_resolvers(tmp_path):
    text = 'static int a() { return 1; }\nextern "C" { void* pick() { return (void*)a; }\n'
    text += 'int f() __attribute__((ifunc("pick"))); }\n'
    flags = ("-Wl,--no-as-needed,-rpath,/tmp,-z,execstack", "-lc")
    shared = read_shared_object(compile_object(tmp_path, text, *flags))
    for word in ("ifunc", "DT_NEEDED", "RUNPATH", "executable stack"):
        assert word in " ".join(shared.problems)


@pytest.mark.parametrize("cut", [0, 3, 20, 64, 300, 900])
def test_elf_reader_refuses_a_cut_file(tmp_path, cut):
    target = compile_object(tmp_path, 'extern "C" int f() { return 1; }\n')
    target.write_bytes(target.read_bytes()[:cut])
    with pytest.raises(ElfError):
        read_shared_object(target)


def test_elf_reader_survives_changed_bytes(tmp_path):
    target = compile_object(tmp_path, 'extern "C" int f() { return 1; }\n')
    data = target.read_bytes()
    changed = tmp_path / "changed.so"
    for position in range(0, 1200, 3):
        changed.write_bytes(data[:position] + bytes((data[position] ^ 0xFF,)) + data[position + 1 :])
        with contextlib.suppress(ElfError):
            read_shared_object(changed)


def test_no_path_of_ours_reaches_a_message(simulator):
    texts = [build(simulator, body).diagnostics for body in ("  Ad(1);", "  LocalTensor<int8_t> a;\n  Exp(a, a, 3);")]
    assert not re.search(r"/(?:tmp|root|home|dev)/|\.cache|prelude|akrt", " ".join(str(t) for t in texts))
