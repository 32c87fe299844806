"""A stand-in named torch for tests: the few operations that the synthetic checkout and the child process use."""

import builtins
from types import SimpleNamespace

import ml_dtypes
import numpy as np


class dtype:  # noqa: N801
    def __init__(self, kind):
        self.kind = np.dtype(kind)
        self.is_complex = self.kind.kind == "c"
        self.is_floating_point = self.kind.kind == "f" or self.kind == np.dtype(ml_dtypes.bfloat16)


float16, float32, float64 = dtype(np.float16), dtype(np.float32), dtype(np.float64)
bfloat16, complex64, complex128 = dtype(ml_dtypes.bfloat16), dtype(np.complex64), dtype(np.complex128)
int16, int32, int64, bool_ = dtype(np.int16), dtype(np.int32), dtype(np.int64), dtype(np.bool_)
_TYPES = (float16, float32, float64, bfloat16, complex64, complex128, int16, int32, int64, bool_)
_random = SimpleNamespace(generator=np.random.default_rng(0))


class Tensor:
    is_sparse = False

    def __init__(self, values):
        self.values = np.asarray(values)

    @property
    def dtype(self):
        return next(one for one in _TYPES if one.kind == self.values.dtype)

    @property
    def shape(self):
        return self.values.shape

    def numel(self):
        return self.values.size

    def detach(self):
        return self

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.values).reshape(self.values.shape))

    def clone(self):
        return Tensor(self.values.copy())

    def numpy(self):
        return self.values

    def view(self, kind):
        return Tensor(self.values.view(kind.kind))

    def to(self, kind):
        return Tensor(self.values.astype(kind.kind))

    def zero_(self):
        self.values[...] = 0
        return self

    def copy_(self, other):
        self.values[...] = other.values

    def reshape(self, *shape):
        return Tensor(self.values.reshape(*shape))

    def all(self):
        return Tensor(self.values.all())

    def any(self):
        return Tensor(self.values.any())

    def max(self):
        return Tensor(self.values.max())

    def __bool__(self):
        return builtins.bool(self.values)

    def __float__(self):
        return float(self.values)

    def _with(self, other, operation):
        mine = getattr(other, "values", other)
        with np.errstate(all="ignore"):
            return Tensor(operation(self.values, np.asarray(mine).astype(self.values.dtype)))

    def __add__(self, other):
        return self._with(other, np.add)

    def __sub__(self, other):
        return self._with(other, np.subtract)

    def __truediv__(self, other):
        return self._with(other, np.divide)

    def __mul__(self, other):
        return self._with(other, np.multiply)

    def __gt__(self, bound):
        return Tensor(self.values > bound)

    def __and__(self, other):
        return Tensor(self.values & other.values)


def manual_seed(seed):
    _random.generator = np.random.default_rng(seed)


def rand(shape, dtype=float32, device="cpu"):
    if not dtype.is_floating_point:
        raise RuntimeError("rand is for floats")
    if device == "meta":
        return Tensor(np.broadcast_to(np.zeros((), dtype.kind), shape))
    return Tensor(_random.generator.random(shape).astype(dtype.kind))


utils = SimpleNamespace(deterministic=SimpleNamespace(fill_uninitialized_memory=False))


def use_deterministic_algorithms(mode, warn_only=False):
    """New memory is filled in any case."""


def empty_like(tensor):
    return Tensor(np.full_like(tensor.values, np.nan))


def from_numpy(array):
    return Tensor(array)


def abs(tensor):
    return Tensor(np.abs(tensor.values))


def isfinite(tensor):
    return Tensor(np.isfinite(tensor.values.astype(np.float64)))


def cat(tensors):
    return Tensor(np.concatenate([tensor.values for tensor in tensors]))


bool = bool_
