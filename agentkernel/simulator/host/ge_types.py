"""Element types and formats of the host interface: our spelling, the numbers, and the names that sources use."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

_FORMATS = """
NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0 FRACTAL_DECONV_TRANSPOSE
FRACTAL_DECONV_SP_STRIDE_TRANS NC1HWC0_C04 FRACTAL_Z_C04 CHWN FRACTAL_DECONV_SP_STRIDE8_TRANS HWCN NC1KHKWHWC0
BN_WEIGHT FILTER_HWCK HASHTABLE_LOOKUP_LOOKUPS HASHTABLE_LOOKUP_KEYS HASHTABLE_LOOKUP_VALUE HASHTABLE_LOOKUP_OUTPUT
HASHTABLE_LOOKUP_HITS C1HWNCoC0 MD NDHWC FRACTAL_ZZ FRACTAL_NZ NCDHW DHWCN NDC1HWC0 FRACTAL_Z_3D CN NC DHWNC
FRACTAL_Z_3D_TRANSPOSE FRACTAL_ZN_LSTM FRACTAL_Z_G RESERVED ALL NULL ND_RNN_BIAS FRACTAL_ZN_RNN NYUV NYUV_A NCL
FRACTAL_Z_WINO C1HWC0 FRACTAL_NZ_C0_16 FRACTAL_NZ_C0_32 FRACTAL_NZ_C0_2 FRACTAL_NZ_C0_4 FRACTAL_NZ_C0_8
"""
FORMATS = tuple(_FORMATS.split())
"""Names of formats by their number."""


class GeType(BaseModel):
    """One element type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """As frameworks spell it, e.g. `float16`."""
    number: int
    """Value of the enumerator `ge::DT_...` and of the device macro of the same name."""
    macro: str
    """E.g. `DT_FLOAT16`."""
    device: str
    """Type in device source, which DTYPE_ macros stand for; `unknown` where a kernel cannot have it."""


_ROWS = """
float32 0 DT_FLOAT float
float16 1 DT_FLOAT16 half
int8 2 DT_INT8 int8_t
int32 3 DT_INT32 int32_t
uint8 4 DT_UINT8 uint8_t
int16 6 DT_INT16 int16_t
uint16 7 DT_UINT16 uint16_t
uint32 8 DT_UINT32 uint32_t
int64 9 DT_INT64 int64_t
uint64 10 DT_UINT64 uint64_t
float64 11 DT_DOUBLE double
bool 12 DT_BOOL bool
string 13 DT_STRING unknown
dual_sub_int8 14 DT_DUAL_SUB_INT8 unknown
dual_sub_uint8 15 DT_DUAL_SUB_UINT8 unknown
complex64 16 DT_COMPLEX64 complex64
complex128 17 DT_COMPLEX128 unknown
qint8 18 DT_QINT8 unknown
qint16 19 DT_QINT16 unknown
qint32 20 DT_QINT32 unknown
quint8 21 DT_QUINT8 unknown
quint16 22 DT_QUINT16 unknown
resource 23 DT_RESOURCE unknown
string_ref 24 DT_STRING_REF unknown
dual 25 DT_DUAL unknown
variant 26 DT_VARIANT unknown
bfloat16 27 DT_BF16 bfloat16_t
undefined 28 DT_UNDEFINED unknown
int4 29 DT_INT4 int4b_t
uint1 30 DT_UINT1 uint1b_t
int2 31 DT_INT2 unknown
uint2 32 DT_UINT2 unknown
complex32 33 DT_COMPLEX32 complex32
hifloat8 34 DT_HIFLOAT8 unknown
float8_e5m2 35 DT_FLOAT8_E5M2 unknown
float8_e4m3fn 36 DT_FLOAT8_E4M3FN unknown
float8_e8m0 37 DT_FLOAT8_E8M0 unknown
float6_e3m2 38 DT_FLOAT6_E3M2 unknown
float6_e2m3 39 DT_FLOAT6_E2M3 unknown
float4_e2m1 40 DT_FLOAT4_E2M1 unknown
float4_e1m2 41 DT_FLOAT4_E1M2 unknown
hifloat4 42 DT_HIFLOAT4 unknown
"""
TYPES = tuple(
    GeType(name=name, number=int(number), macro=macro, device=device)
    for name, number, macro, device in (line.split() for line in _ROWS.split("\n") if line)
)
_BY_NAME = {one.name: one for one in TYPES}
_BY_NUMBER = {one.number: one for one in TYPES}


def type_named(name: str) -> GeType:
    """The type of that name.

    Raises:
        KeyError: There is none.
    """
    return _BY_NAME[name]


def type_numbered(number: int) -> GeType:
    """The type of that number; `undefined` where there is none."""
    return _BY_NUMBER.get(number, _BY_NAME["undefined"])


def format_numbered(number: int) -> str:
    """Name of a format, its sub-format bits ignored."""
    primary = number & 0xFF
    return FORMATS[primary] if primary < len(FORMATS) else "RESERVED"
