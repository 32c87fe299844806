"""The doctor: what works is said, what is missing comes with a remedy, and nothing raises."""

from __future__ import annotations

import pytest

from agentkernel.doctor import checks


def by_name():
    return {check.name: check for check in checks()}


def test_on_a_machine_that_runs_these_tests_the_default_job_works():
    found = by_name()
    broken = [check for check in found.values() if check.required and not check.ok]
    assert broken == []
    for name in ("C++ compiler", "compiler cache", "precompiled header", "sandbox: seccomp", "tree-sitter"):
        assert found[name].ok and found[name].required


def test_names_are_distinct_and_what_is_missing_has_a_remedy():
    found = checks()
    assert len({check.name for check in found}) == len(found)
    assert all(check.hint for check in found if not check.ok)
    assert all(check.detail for check in found)


def test_without_a_compiler_the_rest_is_still_looked_at(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    found = by_name()
    assert not found["C++ compiler"].ok and "apt install" in found["C++ compiler"].hint
    assert "compiler cache" not in found and "CANN" in found and "tree-sitter" in found


def test_a_cache_that_cannot_be_written_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AGENTKERNEL_CACHE", str(tmp_path / "file"))
    found = by_name()
    assert not found["compiler cache"].ok and "AGENTKERNEL_CACHE" in found["compiler cache"].hint


@pytest.mark.parametrize(
    ("variables", "detail"),
    [
        ({}, "AGENTKERNEL_BASE_URL is not set"),
        ({"AGENTKERNEL_BASE_URL": "http://me:secret@host:8000/v1"}, "http://host:8000/v1, no key"),
        ({"OPENAI_API_KEY": "k-secret"}, "OpenAI's own, key from OPENAI_API_KEY"),
    ],
)
def test_the_endpoint_is_shown_without_secrets(monkeypatch, variables, detail):
    for name in ("AGENTKERNEL_BASE_URL", "OPENAI_BASE_URL", "AGENTKERNEL_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    check = by_name()["model endpoint"]
    assert check.detail == detail and "secret" not in str(check)
    assert check.ok == bool(variables)
