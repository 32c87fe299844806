"""What the layer above an operator does with the arguments of its aclnn call, for the operators that have one.

The answers of these operators come with that layer as source, written for a framework that has more operators than the
answer (casts, fills, older kernels). What it does to the call of the answer's own operator is stated here. Where it
would choose another operator for the sake of time, the answer's is run all the same; where the answer's cannot run on
the chip, it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.npukernelbench.recorded import MappingError, OtherOperatorError, Recorded

Given = Sequence[tuple[int, Recorded]]
"""Arguments with their places in the recorded call."""

_REDUCTIONS = ("none", "mean", "sum")


def layer_above(op_type: str) -> Callable[[Given], Given] | None:
    """What makes the arguments of an operator, in the order of its definition, from those of its call."""
    return {
        "MseLossGradV2": _mse_loss_grad,
        "BatchNormV3": _batch_norm,
        "LayerNormV4": _layer_norm,
        "TopKV3": _top_k,
    }.get(op_type)


def _mse_loss_grad(given: Given) -> Given:
    """`aclnnMseLossBackward(grad, self, target, reduction, out)`; the operator takes self, target, grad."""
    grad, predict, label, (place, reduction), out = given
    return [predict, label, grad, (place, Recorded("string", _REDUCTIONS[reduction.value])), out]


def _top_k(given: Given) -> Given:
    """`aclnnTopKV3(self, k, dim, largest, sorted, values, indices)`: the answer's operator is for Ascend 310P alone.

    Its kernel sorts region proposals, which Ascend 910B has no instructions for.

    Raises:
        OtherOperatorError: Always.
    """
    raise OtherOperatorError("on Ascend 910B the layer above calls a built-in operator (TopKV2), not the answer's")


def _layer_norm(given: Given) -> Given:
    """`aclnnLayerNorm(input, normalizedShape, weight, bias, eps, out, mean, rstd)`.

    The shape becomes a tensor of int32; an absent weight is ones and an absent bias zeros, in the type of the other one
    or else of the input.
    """
    tensor, (place, shape), weight, bias, *rest = given
    present = [_array(one) for _, one in (weight, bias, tensor) if one.value is not None]
    extents = np.array(shape.value, np.int32)
    return [
        tensor,
        (place, Recorded("tensor", extents)),
        _filled(weight, 1, tuple(shape.value), present[0]),
        _filled(bias, 0, tuple(shape.value), present[0]),
        *rest,
    ]


def _batch_norm(given: Given) -> Given:
    """`aclnnBatchNorm(input, weight, bias, mean, var, training, momentum, eps, out, saveMean, saveInvstd)`.

    The attributes are epsilon, momentum, is_training; only training is for this operator. Weight and bias have the type
    of the input where both do, else float, and are ones and zeros where they are absent. The statistics are float; what
    is written to them is converted back. Inputs of less than four axes get further ones of length 1.

    Raises:
        OtherOperatorError: The call is an evaluation.
    """
    tensor, weight, bias, mean, variance, training, momentum, epsilon, out, *saved = given
    if not training[1].value:
        raise OtherOperatorError("in evaluation the layer above calls a built-in operator, not the answer's")
    tensor, out = _with_axes(tensor, 4), _with_axes(out, 4)
    like = _array(tensor[1])
    single = np.zeros(0, np.float32)
    weight, bias = (_filled(one, value, like.shape[1:2], single) for one, value in ((weight, 1), (bias, 0)))
    kept = _array(weight[1]).dtype == _array(bias[1]).dtype == like.dtype
    if not kept:
        weight, bias = _as_float(weight), _as_float(bias)
    statistics = (_as_float(mean), _as_float(variance))
    return [tensor, weight, bias, *statistics, epsilon, momentum, training, out, *(_as_float(one) for one in saved)]


def _filled(
    given: tuple[int, Recorded], value: int, shape: tuple[int, ...], like: NDArray[Any]
) -> tuple[int, Recorded]:
    place, one = given
    if one.value is not None:
        return given
    return place, Recorded("tensor", np.full(shape, value, like.dtype))


def _as_float(given: tuple[int, Recorded]) -> tuple[int, Recorded]:
    place, one = given
    return place, replace(one, value=_array(one).astype(np.float32))


def _with_axes(given: tuple[int, Recorded], least: int) -> tuple[int, Recorded]:
    place, one = given
    array = _array(one)
    return place, replace(one, value=array.reshape(array.shape + (1,) * (least - array.ndim)))


def _array(one: Recorded) -> NDArray[Any]:
    if one.kind != "tensor":
        raise MappingError(f"a {one.kind} is given where a tensor belongs")
    array: NDArray[Any] = one.value
    return array
