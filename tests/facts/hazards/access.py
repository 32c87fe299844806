"""What the checker watches in operands: extents, alignment, unwritten memory, inputs."""

from __future__ import annotations

from .mistake import Mistake

_EXTENT = "pitfalls 39, 48: beyond the tensor size"
_ALIGNED = "pitfalls 31: UB operands start at a multiple of 32 bytes"
_BLOCKS = "pitfalls 30: a DataCopy that is no multiple of 32 bytes"
_UNWRITTEN = "semantics 5: contents of a new tensor are undefined"
_INPUT = "design 4.7, pitfalls 93: inputs are read-only"

MISTAKES = (
    Mistake(
        "count beyond the tensor",
        _EXTENT,
        ("out-of-bounds",),
        """
        - Duplicate(a, 1.0f, 72); //@
        + Duplicate(a, 1.0f, 64);
        """,
    ),
    Mistake(
        "repeats beyond the tensor",
        _EXTENT,
        ("out-of-bounds",),
        """
        uint64_t mask = 64;
        - Duplicate(a, 1.0f, mask, 2, 1, 8); //@
        + Duplicate(a, 1.0f, mask, 1, 1, 8);
        """,
    ),
    Mistake(
        "source shorter than the count",
        _EXTENT,
        ("out-of-bounds",),
        """
        LocalTensor<float> all = buf.Get<float>();
        Duplicate(all, 1.0f, 256);
        LocalTensor<float> half32 = buf.GetWithOffset<float>(32, 0);
        - Adds(b, half32, 1.0f, 64); //@
        + Adds(b, half32, 1.0f, 32);
        """,
    ),
    Mistake(
        "copy beyond the tensor",
        _EXTENT,
        ("out-of-bounds",),
        """
        - DataCopy(a, gx, 72); //@
        + DataCopy(a, gx, 64);
        """,
    ),
    Mistake(
        "strided copy beyond the tensor",
        "pitfalls 32: gaps count from the end of a block",
        ("out-of-bounds",),
        """
        - DataCopy(a, gx, {2, 4, 0, 4}); //@
        + DataCopy(a, gx, {2, 2, 0, 4});
        """,
    ),
    Mistake(
        "GetValue beyond the tensor",
        _EXTENT,
        ("out-of-bounds",),
        """
        Duplicate(a, 1.0f, 64);
        - float v = a.GetValue(64); //@
        + float v = a.GetValue(63);
        """,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "SetValue beyond the tensor",
        _EXTENT,
        ("out-of-bounds",),
        """
        - a.SetValue(64, 1.0f); //@
        + a.SetValue(63, 1.0f);
        """,
    ),
    Mistake(
        "offset beyond the tensor",
        _EXTENT,
        ("out-of-bounds",),
        """
        - LocalTensor<float> t = a[72]; //@
        + LocalTensor<float> t = a[56];
        """,
    ),
    Mistake(
        "read beyond the argument",
        "semantics 15, design 4.2: out-of-bounds GM",
        ("gm-out-of-bounds",),
        """
        - DataCopy(a, gx[224], 64); //@
        + DataCopy(a, gx[192], 64);
        """,
        words=("x",),
    ),
    Mistake(
        "write beyond the argument",
        "semantics 15, design 4.2: out-of-bounds GM",
        ("gm-out-of-bounds",),
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopy(gz[224], a, 64); //@
        + DataCopy(gz[192], a, 64);
        """,
        words=("z",),
    ),
    Mistake(
        "scalar read beyond the argument",
        "semantics 15, design 4.2: out-of-bounds GM",
        ("gm-out-of-bounds",),
        """
        - float v = gx.GetValue(256); //@
        + float v = gx.GetValue(255);
        """,
    ),
    Mistake(
        "padded copy one element too far",
        "pitfalls 33: blockLen counts bytes",
        ("gm-out-of-bounds",),
        """
        DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        - DataCopyPad(a, gx[250], {1, 28, 0, 0, 0}, pad); //@
        + DataCopyPad(a, gx[250], {1, 24, 0, 0, 0}, pad);
        """,
    ),
    Mistake(
        "vector operand off a block",
        _ALIGNED,
        ("misaligned-address",),
        """
        Duplicate(a, 1.0f, 64);
        - Adds(b, a[3], 1.0f, 32); //@
        + Adds(b, a[8], 1.0f, 32);
        """,
        words=("32",),
    ),
    Mistake(
        "destination off a block",
        _ALIGNED,
        ("misaligned-address",),
        """
        - Duplicate(a[4], 1.0f, 32); //@
        + Duplicate(a[8], 1.0f, 32);
        """,
    ),
    Mistake(
        "copy to a place off a block",
        _ALIGNED,
        ("misaligned-address",),
        """
        - DataCopy(a[1], gx, 32); //@
        + DataCopy(a[8], gx[1], 32);
        """,
    ),
    Mistake(
        "copy from a place off a block",
        _ALIGNED,
        ("misaligned-address",),
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopy(gz, a[1], 32); //@
        + DataCopy(gz[1], a[8], 32);
        """,
    ),
    Mistake(
        "padded copy off a block",
        _ALIGNED,
        ("misaligned-address",),
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopyPad(gz, a[2], {1, 20, 0, 0, 0}); //@
        + DataCopyPad(gz[2], a, {1, 20, 0, 0, 0});
        """,
    ),
    Mistake(
        "copy in of 60 elements",
        _BLOCKS,
        ("unaligned-copy",),
        """
        - DataCopy(a, gx, 60); //@
        + DataCopy(a, gx, 56);
        """,
    ),
    Mistake(
        "copy out of 60 elements",
        _BLOCKS,
        ("unaligned-copy",),
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopy(gz, a, 60); //@
        + DataCopyPad(gz, a, {1, 240, 0, 0, 0});
        """,
        words=("DataCopyPad",),
    ),
    Mistake(
        "local copy of 60 elements",
        _BLOCKS,
        ("unaligned-copy",),
        """
        Duplicate(a, 1.0f, 64);
        - DataCopy(b, a, 60); //@
        + DataCopy(b, a, 64);
        """,
    ),
    Mistake(
        "read of what nothing wrote",
        _UNWRITTEN,
        ("uninitialised-read",),
        """
        + Duplicate(a, 1.0f, 64);
        Adds(b, a, 1.0f, 64); //@
        """,
    ),
    Mistake(
        "read of a tail that nothing wrote",
        _UNWRITTEN,
        ("uninitialised-read",),
        """
        Duplicate(a, 1.0f, 60);
        - Adds(b, a, 1.0f, 64); //@
        + Adds(b, a, 1.0f, 60);
        """,
        fails=False,
    ),
    *(
        Mistake(
            f"{api} over a tail that nothing wrote",
            "pitfalls 36: a reduction over the aligned length",
            ("uninitialised-read",),
            f"""
            Duplicate(a, 1.0f, 60);
            - {api}({wrong}); //@
            + {api}({right});
            """,
        )
        for api, wrong, right in (
            ("WholeReduceSum", "b, a, 64, 1, 1, 1, 8", "b, a, 60, 1, 1, 1, 8"),
            ("WholeReduceMax", "b, a, 64, 1, 1, 1, 8", "b, a, 60, 1, 1, 1, 8"),
            ("ReduceSum", "b, a, c, 64", "b, a, c, 60"),
            ("ReduceMin", "b, a, c, 64", "b, a, c, 60"),
        )
    ),
    Mistake(
        "copy out of what nothing wrote",
        _UNWRITTEN,
        ("uninitialised-read",),
        """
        + Duplicate(a, 1.0f, 64);
        + Sync<HardEvent::V_MTE3>();
        DataCopy(gz, a, 64); //@
        """,
    ),
    Mistake(
        "scalar read of what nothing wrote",
        _UNWRITTEN,
        ("uninitialised-read",),
        """
        + a.SetValue(3, 1.0f);
        float v = a.GetValue(3); //@
        """,
    ),
    Mistake(
        "destination of FusedMulAdd not written",
        "semantics 3: FusedMulAdd reads dst",
        ("uninitialised-read",),
        """
        Duplicate(a, 1.0f, 64);
        Duplicate(b, 1.0f, 64);
        + Duplicate(c, 1.0f, 64);
        FusedMulAdd(c, a, b, 64); //@
        """,
    ),
    Mistake(
        "padding read whose value is not set",
        "pitfalls 36, semantics 15: isPad=false with padding != 0 is unspecified",
        ("uninitialised-read",),
        """
        - DataCopyPadExtParams<float> pad{false, 0, 1, 0.0f};
        + DataCopyPadExtParams<float> pad{true, 0, 1, 0.0f};
        DataCopyPad(a, gx, {1, 28, 0, 0, 0}, pad);
        Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 8); //@
        """,
        fails=False,
    ),
    Mistake(
        "padding reduced whose value is not set",
        "pitfalls 36, semantics 15: SetPadValue gives the padding of isPad=false its value",
        ("uninitialised-read",),
        """
        + SetPadValue(0.0f);
        DataCopyPadExtParams<float> pad{false, 1, 0, 0.0f};
        DataCopyPad(a, gx, {1, 20, 0, 0, 0}, pad);
        Sync<HardEvent::MTE2_V>();
        WholeReduceSum(b, a, 8, 1, 1, 1, 8); //@
        """,
    ),
    Mistake(
        "copy to an input",
        _INPUT,
        ("gm-read-only",),
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopy(gx, a, 64); //@
        + DataCopy(gz, a, 64);
        """,
        words=("x",),
    ),
    Mistake(
        "scalar store to an input",
        _INPUT,
        ("gm-read-only",),
        """
        - gx.SetValue(3, 1.0f); //@
        - Flush(gx);
        + gz.SetValue(3, 1.0f);
        + Flush(gz);
        """,
    ),
)
