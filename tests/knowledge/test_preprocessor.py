"""Conditions of `#if`: decided where they hang on the chip alone, left open where they do not."""

from __future__ import annotations

import pytest

from agentkernel.knowledge.oracle.preprocessor import evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", False),
        ("1", True),
        ("__CCE_AICORE__ == 220", True),
        ("__CCE_AICORE__ < 220", False),
        ("__NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510", True),
        ("defined(__CCE_AICORE__) && __CCE_AICORE__ == 220", True),
        ("!defined(__CCE_KT_TEST__)", True),
        ("defined ASCENDC_CPU_DEBUG", False),
        ("(TILE + 1) * 2 > 128", True),
        ("0x10 == 16u", True),
        ("UNKNOWN_MACRO", None),
        ("defined(UNKNOWN_MACRO)", None),
        ("UNKNOWN_MACRO || 1", True),
        ("UNKNOWN_MACRO && 0", False),
        ("UNKNOWN_MACRO && 1", None),
        ("TEXT == 1", None),
        ("1 +", None),
        ("(1", None),
        ("call(1)", None),
        ("1 / 0", None),
    ],
)
def test_a_condition_has_the_value_that_the_compiler_gives_it(text: str, value: bool | None) -> None:
    assert evaluate(text, {"TILE": "64", "TEXT": "half"}) is value
