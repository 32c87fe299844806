"""Finding a compiler, and saying what to install where there is none."""

from __future__ import annotations

import pytest

from agentkernel.errors import ToolchainError
from agentkernel.simulator.compiler import Compiler, find_compiler, identify, too_old


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


GCC = 'printf "#define __GNUC__ %s\\n#define __GNUC_MINOR__ 2\\n#define __GNUC_PATCHLEVEL__ 0\\n"'
CLANG = GCC + "; " + 'printf "#define __clang__ 1\\n#define __clang_major__ %s\\n#define __clang_minor__ 0\\n'
CLANG += '#define __clang_patchlevel__ 6\\n"'


def gcc(version: int) -> str:
    return GCC.replace("%s", str(version))


def clang(version: int) -> str:
    return CLANG.replace("%s", "4", 1).replace("%s", str(version))


def test_the_compiler_of_this_machine_is_identified():
    compiler = find_compiler()
    assert compiler.command[0].startswith("/") and not too_old(compiler)
    assert compiler.version.count(".") == 2
    assert compiler.kind in str(compiler)


def test_cxx_overrides_and_may_hold_options(tmp_path, monkeypatch):
    own = script(tmp_path / "mycxx", gcc(13))
    monkeypatch.setenv("CXX", f"{own} -B/opt")
    compiler = find_compiler()
    assert compiler.command == (str(own), "-B/opt")
    assert (compiler.kind, compiler.major) == ("gcc", 13)


@pytest.mark.parametrize(("text", "kind", "major"), [(gcc(12), "gcc", 12), (clang(16), "clang", 16)])
def test_kind_and_version_come_from_macros_not_from_the_name(tmp_path, text, kind, major):
    compiler = identify((str(script(tmp_path / "c++", text)),))
    assert (compiler.kind, compiler.major, too_old(compiler)) == (kind, major, "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (gcc(11), "older than 12"),
        (clang(15), "older than 16"),
        ("echo no; exit 1", "no g++ or clang++"),
        ("exec /nonexistent", "no g++ or clang++"),
    ],
)
def test_a_wrong_cxx_is_named_with_a_remedy(tmp_path, monkeypatch, text, word):
    monkeypatch.setenv("CXX", str(script(tmp_path / "old", text)))
    with pytest.raises(ToolchainError, match=word.replace("+", r"\+")) as raised:
        find_compiler()
    assert "apt install g++" in raised.value.hint


def test_a_cxx_that_does_not_exist_is_named(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolchainError, match="no-such-compiler"):
        find_compiler()


def test_no_compiler_at_all_gives_one_line_for_every_distribution(tmp_path, monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"no C\+\+ compiler") as raised:
        find_compiler()
    assert "\n" not in str(raised.value)
    assert all(word in raised.value.hint for word in ("apt", "dnf", "conda", "CXX"))


def test_an_old_one_is_passed_over_and_reported(tmp_path, monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    script(tmp_path / "g++", gcc(9))
    script(tmp_path / "clang++", clang(18))
    assert find_compiler().major == 18
    script(tmp_path / "clang++", clang(7))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"g\+\+ is gcc 9.2.0, older than 12"):
        find_compiler()


def test_identity_holds_everything_that_changes_objects():
    base = Compiler(command=("/g++",), kind="gcc", version="12.2.0", target="x86_64", cpu="sse avx")
    changes = ({"cpu": "sse"}, {"version": "12.3.0"}, {"command": ("/g++", "-m32")}, {"target": "aarch64"})
    others = [base.model_copy(update=change) for change in changes]
    assert len({base.identity, *(other.identity for other in others)}) == 5


def test_a_compiler_in_somebodys_home_does_not_open_that_home(tmp_path):
    own = tmp_path / "bin" / "c++"
    (tmp_path / "lib").mkdir()
    own.parent.mkdir()
    script(own, gcc(12))
    compiler = identify((str(own),))
    assert compiler.folders == (tmp_path / "bin", tmp_path / "lib")
