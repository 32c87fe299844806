"""Judging outputs against the reference."""

from agentkernel.judge.inputs import make_inputs, special_values
from agentkernel.judge.judge import judge
from agentkernel.judge.looks import Appearance, Look
from agentkernel.judge.places import Place, Where, locate
from agentkernel.judge.precision import PrecisionResult, compare, default_threshold
from agentkernel.judge.reference import reference, same_precision
from agentkernel.judge.values import case_values

__all__ = [
    "Appearance",
    "Look",
    "Place",
    "PrecisionResult",
    "Where",
    "case_values",
    "compare",
    "default_threshold",
    "judge",
    "locate",
    "make_inputs",
    "reference",
    "same_precision",
    "special_values",
]
