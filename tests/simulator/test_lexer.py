"""The lexer: what is code, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentkernel.simulator.lexer import blank, lex, matching

PIECES = ["//", "/*", "*/", '"', "'", "\\", "\n", "\r\n", 'R"x(', ')x"', "#", "a", "1'0", " ", "(", ")", "include <a>"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_texts_keep_their_length_and_line_breaks(text):
    lexed = lex(text)
    for other in (lexed.bare, lexed.code):
        assert len(other) == len(text)
        assert [i for i, c in enumerate(other) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a // b\nc", "a     \nc"),
        ("a /* b\n c */ d", "a     \n      d"),
        ('f("x // y"); g', 'f("      "); g'),
        (r"""c = '"'; d = "e" """, """c = ' '; d = " " """),
        (r"'\'' + x", r"'  ' + x"),
        ("n = 1'000'000; m", "n = 1'000'000; m"),
        ('s = R"x( // " )" )x"; t', 's = R"' + " " * 13 + '"; t'),
        ('s = u8R"(a"b)"; t', 's = u8R"     "; t'),
        ("// a \\\n b\nc", "      \n  \nc"),
        ('"open\nx', '"    \nx'),
    ],
)
def test_comments_and_literals_are_blanked(text, code):
    assert lex(text).bare == code


def test_directives_are_found_and_blanked():
    text = '#include "a//b.h" // note\n # define F(x) \\\n   g(x)\nint a;\n#error don\'t\n'
    lexed = lex(text)
    assert [(d.name, d.rest) for d in lexed.directives] == [
        ("include", '"a//b.h"'),
        ("define", "F(x) g(x)"),
        ("error", "don'"),
    ]
    assert lexed.code.split() == ["int", "a;"]


def test_a_directive_inside_a_comment_is_none():
    assert lex("/*\n#include <a>\n*/\n").directives == ()


def test_digraph_directive_is_one():
    assert lex("%:include <a>\n").directives[0].name == "include"


def test_places_are_one_based():
    lexed = lex("ab\ncd")
    assert (lexed.line(3), lexed.column(3)) == (2, 1)
    assert (lexed.line(1), lexed.column(1)) == (1, 2)


def test_blank_keeps_tabs_and_line_breaks():
    assert blank("a\tb\n c") == " \t \n  "


def test_matching_bracket():
    assert matching("f(a, (b))", 1) == 8
    assert matching("f(a", 1) == -1
