"""Functions of one real operand, built from the chip's instructions with care for overflow and small arguments.

All take and give values of one storage type (float, or half where the caller decided that it is exact enough).
Instructions follow IEEE 754 in the edges (facts: x/0 = inf, exp(-inf) = 0, NaN goes through), which the forms below
rely on: each was chosen so that +-inf and NaN come out as the function's meaning says.
"""

from __future__ import annotations

import math

from agentkernel.composer.builder import Builder
from agentkernel.composer.ir import Op, Operand, Storage, Value, const

# erfc(a) = t * exp(-a^2) * p(t), t = 1 / (1 + a / 2), for a >= 0: least-squares fit of the relative error, re-weighted
# to its maximum, over [0, 14]; relative error 4.5e-8, 3.3e-7 in float32 arithmetic
_ERFC = (
    0.282084332, 0.282412084, 0.242835266, 0.203751747, -0.0291462508, 0.281729334, -0.490402363, 0.286121762,
    -0.0593859552,
)  # fmt: skip
# below this the power series is used, above it the direct form has lost at most log2(10) bits
_SMALL = 0.1


class Numerics:
    """Builds functions with a builder.

    Args:
        build: Where instructions go.
        precise: Whether results must keep their relative precision near zero (float32 outputs): the judge's zone of
            small values allows 2^-30 there, for the 16-bit types 2^-16.
        relu_as_max: Whether relu is written as Maxs.
    """

    def __init__(self, build: Builder, *, precise: bool, relu_as_max: bool) -> None:
        self._b = build
        self._precise = precise
        self._relu_as_max = relu_as_max

    def add(self, a: Operand, b: Operand | float, note: str = "") -> Value:
        """Sum."""
        return self._two(Op.ADD, a, b, note)

    def sub(self, a: Operand, b: Operand | float, note: str = "") -> Value:
        """Difference."""
        return self._two(Op.SUB, a, b, note)

    def mul(self, a: Operand, b: Operand | float, note: str = "") -> Value:
        """Product."""
        return self._two(Op.MUL, a, b, note)

    def div(self, a: Operand | float, b: Operand, note: str = "") -> Value:
        """Quotient."""
        a = const(a, b.storage) if isinstance(a, float | int) else a
        result = self._b.binary(Op.DIV, a, b, note)
        assert isinstance(result, Value)
        return result

    def _two(self, op: Op, a: Operand, b: Operand | float, note: str) -> Value:
        b = const(b, a.storage) if isinstance(b, float | int) else b
        result = self._b.binary(op, a, b, note)
        assert isinstance(result, Value)
        return result

    def neg(self, x: Value, note: str = "") -> Value:
        """-x."""
        return self.mul(x, -1.0, note)

    def exp(self, x: Value, note: str = "") -> Value:
        """e^x."""
        return self._b.unary(Op.EXP, x, note=note)

    def rsqrt(self, x: Value, note: str = "") -> Value:
        """1 / sqrt(x); the chip's own Rsqrt is an approximation below the precision standard."""
        return self.div(1.0, self._b.unary(Op.SQRT, x), note)

    def relu(self, x: Value, note: str = "") -> Value:
        """max(x, 0); both forms give NaN for NaN."""
        if self._relu_as_max:
            return self._two(Op.MAX, x, 0.0, note)
        return self._b.unary(Op.RELU, x, note=note)

    def one_plus_exp_neg(self, x: Value) -> Value:
        """1 + e^-x, the denominator of the logistic function."""
        return self.add(self.exp(self.neg(x), "exp(-x)"), 1.0, "1 + exp(-x)")

    def sigmoid(self, x: Value, note: str = "") -> Value:
        """1 / (1 + e^-x): e^-x may overflow to inf, which gives the right 0."""
        return self.div(1.0, self.one_plus_exp_neg(x), note)

    def tanh(self, x: Value, note: str = "") -> Value:
        """1 - 2 / (1 + e^2x), which has no inf/inf; near zero x - x^3/3 + 2x^5/15."""
        above = self.add(self.exp(self.mul(x, 2.0), "exp(2x)"), 1.0)
        big = self.add(self.mul(self.div(1.0, above), -2.0), 1.0, note)
        if not self._precise:
            return big
        square = self.mul(x, x)
        small = self.mul(self._horner(square, (1.0, -1 / 3, 2 / 15)), x, "series of tanh near 0")
        near = self._b.compare("LT", square, const(_SMALL**2, x.storage), "close to 0")
        return self._b.select(near, small, big, x.storage, note)

    def expm1(self, x: Value, note: str = "") -> Value:
        """e^x - 1; near zero the power series, as the difference loses its digits there."""
        big = self.sub(self.exp(x), 1.0, note)
        if not self._precise:
            return big
        small = self.mul(self._horner(x, (1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120)), x, "series of exp(x) - 1 near 0")
        near = self._b.compare("LT", self._b.unary(Op.ABS, x), const(_SMALL, x.storage), "close to 0")
        return self._b.select(near, small, big, x.storage, note)

    def log1p(self, x: Value, note: str = "") -> Value:
        """ln(1 + x); near zero the power series."""
        big = self._b.unary(Op.LN, self.add(x, 1.0), note=note)
        if not self._precise:
            return big
        terms = tuple((1.0 if i % 2 == 0 else -1.0) / (i + 1) for i in range(5))
        small = self.mul(self._horner(x, terms), x, "series of log(1 + x) near 0")
        near = self._b.compare("LT", self._b.unary(Op.ABS, x), const(_SMALL, x.storage), "close to 0")
        return self._b.select(near, small, big, x.storage, note)

    def erfc_of_abs(self, x: Value) -> Value:
        """erfc(|x|), relative error below 1e-6."""
        a = self._b.unary(Op.ABS, x, note="|x|")
        t = self.div(1.0, self.add(self.mul(a, 0.5), 1.0), "t = 1 / (1 + |x| / 2)")
        gauss = self.exp(self.mul(self.mul(a, a), -1.0), "exp(-x^2)")
        return self.mul(self.mul(self._horner(t, _ERFC), t), gauss, "erfc(|x|)")

    def erfc(self, x: Value, note: str = "") -> Value:
        """1 - erf(x), relative precision kept on the side where it is small."""
        tail = self.erfc_of_abs(x)
        above = self._b.compare("GT", x, const(0.0, x.storage), "x > 0")
        other = self.add(self.neg(tail), 2.0, "2 - erfc(|x|)")
        return self._b.select(above, tail, other, x.storage, note)

    def erf(self, x: Value, note: str = "") -> Value:
        """The error function: 1 - erfc(|x|) with the sign of x; near zero the power series."""
        tail = self.erfc_of_abs(x)
        positive = self.add(self.neg(tail), 1.0, "1 - erfc(|x|)")
        negative = self.sub(tail, 1.0, "erfc(|x|) - 1")
        above = self._b.compare("GT", x, const(0.0, x.storage), "x > 0")
        big = self._b.select(above, positive, negative, x.storage, note)
        if not self._precise:
            return big
        square = self.mul(x, x)
        scale = 2 / math.sqrt(math.pi)
        terms = tuple(scale * c for c in (1.0, -1 / 3, 1 / 10, -1 / 42))
        small = self.mul(self._horner(square, terms), x, "series of erf near 0")
        near = self._b.compare("LT", square, const(0.04, x.storage), "close to 0")
        return self._b.select(near, small, big, x.storage, note)

    def rounded(self, x: Value, mode: str, note: str = "") -> Value:
        """floor, ceil, round, trunc: a conversion of float to float with a RoundMode."""
        assert x.storage is Storage.FLOAT
        return self._b.cast(x, Storage.FLOAT, mode, note)

    def _horner(self, x: Value, coefficients: tuple[float, ...]) -> Value:
        # lowest power first
        result = self.mul(x, coefficients[-1])
        for c in reversed(coefficients[1:-1]):
            result = self.mul(self.add(result, c), x)
        return self.add(result, coefficients[0])
