"""Where and how an output differs from its reference, as one diagnostic with typed evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.dtypes import DType
from agentkernel.judge.limits import LIMITS
from agentkernel.judge.looks import Appearance, Evidence, Look, appearance
from agentkernel.judge.places import Place, Where, locate
from agentkernel.judge.precision import PrecisionResult
from agentkernel.task import Case, CaseTensor, Task

Array = NDArray[Any]

_SHOWN = 5
"""First bad elements that a diagnostic quotes."""

_LOOK_HINTS = {
    Look.UNWRITTEN: "copy every element of the output back to global memory",
    Look.NAN: "look for 0/0, inf - inf, logarithms and roots of negative numbers, and reads of memory never written",
    Look.LOST_NAN: "the operator passes NaN on: a comparison, a clip or a Select here drops it",
    Look.OVERFLOW: "compute in float, or subtract the maximum before exp",
    Look.ZEROS: "see whether the computation runs for these elements, and what it runs on",
    Look.INPUT: "the result of the computation is not what is copied out",
    Look.SWAPPED: "exchange the operands",
    Look.COMBINED: "another operation is needed here",
    Look.SIGN: "exchange the operands of the subtraction, or negate",
    Look.SHIFTED: "check the offsets of the copies into and out of the local buffers",
    Look.FACTOR: "check constants, the length that a mean divides by, and terms that are counted more than once",
    Look.OFFSET: "check constants that are added, and their sign",
    Look.ROUNDING: "check the round mode of Cast",
    Look.CONSTANT: "see whether a scalar is written where each element needs its own value",
    Look.PRECISION: "compute intermediates in float; prefer Div and Sqrt to Reciprocal and Rsqrt",
    Look.OTHER: "",
}
_WHERE_HINTS = {
    Where.TAIL: "the tail is handled wrongly: copy lengths are multiples of 32 bytes, DataCopyPad takes the rest",
    Where.ROW_TAIL: "the tail of a row is handled wrongly: rows are not a multiple of 32 bytes here",
    Where.PERIODIC: "the end of each tile is handled wrongly: check tile length, mask and repeat times",
    Where.BLOCKS: "check the offset and the length that a block computes from GetBlockIdx()",
    Where.EVERY_KTH: "check strides, and the width of the element type that is copied or cast",
}


def describe(
    *,
    task: Task,
    case: Case,
    spec: CaseTensor,
    result: PrecisionResult,
    got: Array,
    inputs: Mapping[str, Array],
    swapped: Callable[[str, str], Array | None],
) -> Diagnostic:
    """The diagnostic of one output that failed.

    Args:
        task: The task.
        case: The case that ran.
        spec: The output.
        result: What the precision standard says; some element is bad.
        got: The output, of the declared shape and dtype.
        inputs: Inputs of the case.
        swapped: Reference of this output with two inputs exchanged, None where that cannot be computed.
    """
    place = locate(result.bad, task.block_dim)
    seen = appearance(
        Evidence(
            expected=result.expected,
            got=got,
            bad=result.bad,
            dtype=spec.dtype,
            threshold=result.threshold,
            inputs=inputs,
            swapped=swapped,
        )
    )
    at_specials = _at_specials(result.bad, inputs)
    count, total = int(np.count_nonzero(result.bad)), int(result.bad.size)
    first = _element(result, got, int(np.flatnonzero(result.bad.reshape(-1))[0]))
    return Diagnostic(
        code="non-finite" if seen.look in (Look.NAN, Look.LOST_NAN, Look.OVERFLOW) else "numeric-mismatch",
        level=Level.NUMERIC,
        message=f"In case {case.name}, {_subject(spec, place, count, total)}"
        + (f"; {_told(seen, count)}" if count > 1 or seen.look is not Look.OTHER else "")
        + ("; an input is NaN, infinite, zero or extreme there" if at_specials else "")
        + f". First at {first['index']}: expected {_short(first['expected'])}, got {_short(first['got'])}.",
        hint=_hint(place, seen),
        evidence={
            "case": case.name,
            "output": spec.name,
            "shape": list(result.bad.shape),
            "dtype": str(spec.dtype),
            "mismatched": count,
            "total": total,
            "where": place.model_dump(mode="json", exclude_defaults=True),
            "look": seen.model_dump(mode="json", exclude_defaults=True),
            "only_at_special_inputs": at_specials,
            "first": [_element(result, got, int(i)) for i in np.flatnonzero(result.bad.reshape(-1))[:_SHOWN]],
            "worst": _element(result, got, _worst(result, got)),
            "mean_relative_error": result.mean_relative,
            "max_relative_error": result.max_relative,
            "threshold": result.threshold,
        },
    )


def _subject(spec: CaseTensor, place: Place, count: int, total: int) -> str:
    if total == 1:
        return f"the only element of {spec.name} is wrong"
    verb = "is" if count == 1 else "are"
    return f"{count} of {total} elements of {spec.name} {verb} wrong ({place.text})"


def _told(seen: Appearance, count: int) -> str:
    if count > 1:
        return f"they {seen.text}"
    verb, _, rest = seen.text.partition(" ")
    singular = {"are": "is", "were": "was", "have": "has"}[verb]
    return f"it {singular} {rest}"


def _hint(place: Place, seen: Appearance) -> str:
    hints = [_WHERE_HINTS.get(place.where, ""), _LOOK_HINTS[seen.look]]
    return "; ".join(hint for hint in hints if hint)


def _at_specials(bad: Array, inputs: Mapping[str, Array]) -> bool:
    """Whether every bad element stands where some input of the same shape is not an ordinary number."""
    special = np.zeros(bad.shape, np.bool_)
    for values in inputs.values():
        if values.shape != bad.shape or values.dtype.kind in "iub":
            continue
        wide = np.abs(values.astype(np.float64))
        limits = LIMITS[DType.from_numpy(values.dtype)]
        # zeros and subnormals are below the smallest normal value, NaN compares with nothing
        special |= ~(wide < limits.largest) | (wide < limits.smallest_normal)
    if special.all():
        return False
    return bool(np.all(special[bad]))


def _element(result: PrecisionResult, got: Array, flat: int) -> dict[str, Any]:
    index = [int(i) for i in np.unravel_index(flat, result.bad.shape)]
    return {
        "index": index,
        "expected": json_number(result.expected.reshape(-1)[flat]),
        "got": json_number(got.reshape(-1)[flat]),
    }


def _short(value: bool | int | float | str) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _worst(result: PrecisionResult, got: Array) -> int:
    """Flat index of the bad element with the largest absolute error; a NaN where there is one."""
    index = np.flatnonzero(result.bad.reshape(-1))
    expected = result.expected.reshape(-1)[index].astype(np.float64)
    with np.errstate(all="ignore"):
        error = np.abs(got.reshape(-1)[index].astype(np.float64) - expected)
    return int(index[int(np.argmax(np.where(np.isnan(error), np.inf, error)))])


def json_number(value: Any) -> bool | int | float | str:
    """A NumPy scalar as JSON can hold it: infinities and NaN as text."""
    if value.dtype == np.bool_:
        return bool(value)
    if value.dtype.kind in "iu":
        return int(value)
    number = float(value)
    return number if np.isfinite(number) else str(number)
