"""Element types of tensors: the spelling of tasks, of NumPy and of Ascend C, in one table."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import DTypeLike


class DType(StrEnum):
    """Element type of a tensor, spelled as frameworks spell it."""

    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    BOOL = "bool"

    @property
    def is_float(self) -> bool:
        """Whether values have a fraction."""
        return self in (DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32)

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return _ITEMSIZE[self]

    @property
    def ascendc(self) -> str:
        """Name of the type in Ascend C source."""
        return _ASCENDC[self]

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """NumPy dtype; bfloat16 is `ml_dtypes.bfloat16`."""
        if self is DType.BFLOAT16:
            import ml_dtypes

            bfloat16: np.dtype[np.generic] = np.dtype(ml_dtypes.bfloat16)
            return bfloat16
        return np.dtype(self.value)

    @classmethod
    def from_numpy(cls, dtype: DTypeLike) -> DType:
        """The element type of a NumPy array.

        Raises:
            ValueError: There is no such type here (float64, complex, ...).
        """
        return cls(np.dtype(dtype).name)


_ITEMSIZE = {
    DType.FLOAT16: 2, DType.BFLOAT16: 2, DType.FLOAT32: 4, DType.INT8: 1, DType.UINT8: 1, DType.INT16: 2,
    DType.UINT16: 2, DType.INT32: 4, DType.UINT32: 4, DType.INT64: 8, DType.BOOL: 1,
}  # fmt: skip

# bool tensors hold one byte an element, which kernels address as uint8_t
_ASCENDC = {
    DType.FLOAT16: "half", DType.BFLOAT16: "bfloat16_t", DType.FLOAT32: "float", DType.INT8: "int8_t",
    DType.UINT8: "uint8_t", DType.INT16: "int16_t", DType.UINT16: "uint16_t", DType.INT32: "int32_t",
    DType.UINT32: "uint32_t", DType.INT64: "int64_t", DType.BOOL: "uint8_t",
}  # fmt: skip
