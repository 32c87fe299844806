"""Limits of the float types."""

from __future__ import annotations

from dataclasses import dataclass

from agentkernel.dtypes import DType


@dataclass(frozen=True)
class FloatLimits:
    """Extreme positive finite values of a float type."""

    largest: float
    smallest_normal: float
    smallest_subnormal: float


LIMITS = {
    DType.FLOAT16: FloatLimits(65504.0, 2.0**-14, 2.0**-24),
    DType.BFLOAT16: FloatLimits((2.0 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133),
    DType.FLOAT32: FloatLimits((2.0 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149),
}
"""By dtype (IEEE 754 binary16 and binary32; bfloat16 is binary32 cut to 8 bits of precision)."""
