"""Pitfalls: rules with what they belong to."""

from __future__ import annotations

from agentkernel.codes import level_of
from agentkernel.knowledge.index import load_index
from agentkernel.knowledge.pitfalls import load_pitfalls, pitfalls_for


def test_rules_have_distinct_names_and_say_something_short() -> None:
    pitfalls = load_pitfalls()
    assert len({p.id for p in pitfalls}) == len(pitfalls) >= 50
    assert all(20 < len(p.text) < 400 for p in pitfalls)


def test_rules_name_apis_that_exist() -> None:
    index = load_index()
    methods = {m.name for name in index.type_names if (info := index.type(name)) for m in info.methods}
    named = {api for p in load_pitfalls() for api in p.apis}
    assert {n for n in named if n not in index and n not in methods} == set()


def test_rules_explain_codes_that_exist() -> None:
    assert {code for p in load_pitfalls() for code in p.codes if level_of(code) is None} == set()


def test_what_is_found_most_has_a_rule() -> None:
    explained = {code for p in load_pitfalls() for code in p.codes}
    assert explained >= {
        *(
            "dtype-not-supported",
            "scalar-type-mismatch",
            "cast-not-supported",
            "wrong-argument-count",
            "other-chip-api",
        ),
        *(
            "no-matching-overload",
            "forbidden-cpp",
            "no-kernel-entry",
            "wrong-entry-signature",
            "missing-sync",
            "gm-race",
        ),
        *("ub-overflow", "output-not-written", "numeric-mismatch", "alloc-no-free-buffer"),
    }


def test_a_code_finds_the_rule_that_explains_it() -> None:
    assert pitfalls_for(codes=["scalar-type-mismatch"])[0].id == "scalar-type"
    assert pitfalls_for(codes=["cast-not-supported"], apis=["Cast"])[0].id == "cast-pairs"
    assert "pad-in-out" in [p.id for p in pitfalls_for(codes=["no-matching-overload"], apis=["DataCopyPad"])]


def test_an_unknown_code_finds_nothing() -> None:
    assert pitfalls_for(codes=["no-such-code"]) == ()


def test_no_more_rules_than_asked_for_and_the_same_every_time() -> None:
    first = pitfalls_for(tags=["copy", "sync"], limit=4)
    assert len(first) == 4
    assert first == pitfalls_for(tags=["copy", "sync"], limit=4)
