"""The error function on float64 arrays, which NumPy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rational Chebyshev approximations of W. J. Cody, Mathematics of Computation 23 (1969), 631-637: relative error below
# 1e-16 in each of the three ranges |x| <= 0.46875, <= 4, > 4. Numerators and denominators, highest power first.
_SMALL = (
    (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)  # fmt: skip
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
     3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
)  # fmt: skip
_LARGE = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
     2.33520497626869185e-3),
)  # fmt: skip
_ONE_OVER_SQRT_PI = 5.6418958354775628695e-1


def erf(x: NDArray[Any]) -> NDArray[Any]:
    """The error function of every element, in float64; NaN stays NaN, infinities give +-1."""
    values = np.asarray(x, np.float64)
    result = np.sign(values) * 1.0  # what |x| >= 6 rounds to; NaN stays NaN
    size = np.abs(values)
    small = size <= 0.46875
    part = values[small]
    result[small] = part * _ratio(_SMALL, part * part)
    middle = (size > 0.46875) & (size <= 4.0)
    part = size[middle]
    result[middle] = np.sign(values[middle]) * (1.0 - np.exp(-part * part) * _ratio(_MIDDLE, part))
    large = (size > 4.0) & (size < 6.0)
    part = size[large]
    inverse = 1.0 / (part * part)
    tail = (_ONE_OVER_SQRT_PI - inverse * _ratio(_LARGE, inverse)) / part
    result[large] = np.sign(values[large]) * (1.0 - np.exp(-part * part) * tail)
    return result


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: NDArray[Any]) -> NDArray[Any]:
    above, below = coefficients
    ratio: NDArray[Any] = np.polyval(above, x) / np.polyval(below, x)
    return ratio
