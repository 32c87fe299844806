"""What the checker watches in arguments: masks, repeats, overlaps, offsets, scratch."""

from __future__ import annotations

from .mistake import TENSORS, Legal, Mistake

_EXTENT = "pitfalls 39, 48: beyond the tensor size"
_MASK = "pitfalls 49: b16 0..128, b32 0..64, high word 0 for b32"
_OVERLAP = "semantics 2.4, pitfalls 57: disjoint or exactly the same"

MISTAKES = (
    Mistake(
        "256 repeats of a reduction",
        "semantics 4: repeatTime 0..255",
        ("repeat-range",),
        """
        Duplicate(a, 1.0f, 64);
        - WholeReduceSum(b, a, 64, 256, 0, 1, 0); //@
        + WholeReduceSum(b, a, 64, 255, 0, 1, 0);
        """,
        words=("255",),
    ),
    Mistake(
        "mask of 65 elements of 32 bits",
        _MASK,
        ("mask-range",),
        """
        Duplicate(a, 1.0f, 64);
        - uint64_t mask = 65;
        + uint64_t mask = 64;
        Abs(b, a, mask, 1, {1, 1, 8, 8}); //@
        """,
        words=("64",),
    ),
    Mistake(
        "bits of the high word for 32-bit elements",
        _MASK,
        ("mask-range",),
        """
        Duplicate(a, 1.0f, 64);
        - uint64_t mask[2] = {255, 1};
        + uint64_t mask[2] = {255, 0};
        Abs(b, a, mask, 1, {1, 1, 8, 8}); //@
        """,
    ),
    Mistake(
        "mask of 129 elements of 16 bits",
        _MASK,
        ("mask-range",),
        """
        LocalTensor<half> p = a.ReinterpretCast<half>();
        LocalTensor<half> q = b.ReinterpretCast<half>();
        Duplicate(p, static_cast<half>(1.0f), 128);
        - uint64_t mask = 129;
        + uint64_t mask = 128;
        Abs(q, p, mask, 1, {1, 1, 8, 8}); //@
        """,
        words=("128",),
    ),
    Mistake(
        "comparison of 60 elements",
        "pitfalls 54: count * sizeof(T) is a multiple of 256",
        ("count-alignment",),
        """
        Duplicate(a, 1.0f, 64);
        Duplicate(b, 1.0f, 64);
        LocalTensor<uint8_t> bits = c.ReinterpretCast<uint8_t>();
        - Compare(bits, a, b, CMPMODE::LT, 60); //@
        + Compare(bits, a, b, CMPMODE::LT, 64);
        """,
        words=("256",),
    ),
    Mistake(
        "LT of int32",
        "pitfalls 55: int32 has EQ only",
        ("compare-mode",),
        """
        LocalTensor<int32_t> p = a.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> q = b.ReinterpretCast<int32_t>();
        Duplicate(p, 1, 64);
        Duplicate(q, 1, 64);
        LocalTensor<uint8_t> bits = c.ReinterpretCast<uint8_t>();
        - Compare(bits, p, q, CMPMODE::LT, 64); //@
        + Compare(bits, p, q, CMPMODE::EQ, 64);
        """,
        words=("EQ",),
    ),
    Mistake(
        # semantics 9: the kernel leaves the whole area free, so buffers may not reach into it either
        "operand in the scratch area of Select",
        "pitfalls 3, 56: modes 1 and 2 use the top 8 KB of UB",
        ("scratch-overlap",),
        """
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        - pipe.InitBuffer(buf, 192 * 1024);
        + pipe.InitBuffer(buf, 184 * 1024);
        LocalTensor<float> s = buf.GetWithOffset<float>(64, 0);
        LocalTensor<uint8_t> bits = buf.GetWithOffset<uint8_t>(32, 256);
        - LocalTensor<float> r = buf.GetWithOffset<float>(64, 184 * 1024);
        + LocalTensor<float> r = buf.GetWithOffset<float>(64, 184 * 1024 - 256);
        Duplicate(s, 1.0f, 64);
        Duplicate(bits.ReinterpretCast<uint16_t>(), static_cast<uint16_t>(1), 16);
        Select(r, bits, s, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64); //@
        """,
        setup="",
    ),
    Mistake(
        "scalar with a mode of two tensors",
        "semantics 9: mode 1 is the one with a scalar",
        ("select-mode",),
        """
        Duplicate(a, 1.0f, 64);
        LocalTensor<uint8_t> bits = c.ReinterpretCast<uint8_t>();
        Duplicate(c, 1.0f, 64);
        - Select(b, bits, a, 0.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64); //@
        + Select(b, bits, a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
        """,
    ),
    Mistake(
        "partial overlap",
        _OVERLAP,
        ("operand-overlap",),
        """
        Duplicate(a, 1.0f, 64);
        - Adds(a[8], a, 1.0f, 32); //@
        + Adds(a, a, 1.0f, 32);
        """,
    ),
    Mistake(
        "widening onto its own source",
        "pitfalls 57: type-changing forms allow no overlap",
        ("operand-overlap",),
        """
        LocalTensor<half> p = a.ReinterpretCast<half>();
        Duplicate(p, static_cast<half>(1.0f), 128);
        - Cast(a, p, RoundMode::CAST_NONE, 64); //@
        + Cast(b, p, RoundMode::CAST_NONE, 64);
        """,
    ),
    Mistake(
        "Brcb in place",
        "semantics 14: no in-place",
        ("operand-overlap",),
        """
        Duplicate(a, 1.0f, 64);
        - Brcb(a, a, 1, {1, 8}); //@
        + Brcb(b, a, 1, {1, 8});
        """,
    ),
    Mistake(
        "Brcb with too short a source",
        "pitfalls 69: 8 * repeat elements",
        ("out-of-bounds",),
        """
        Duplicate(a, 1.0f, 64);
        LocalTensor<float> wide = buf.GetWithOffset<float>(128, 512);
        - LocalTensor<float> s = buf.GetWithOffset<float>(8, 0);
        + LocalTensor<float> s = buf.GetWithOffset<float>(16, 0);
        Brcb(wide, s, 2, {1, 8}); //@
        """,
    ),
    Mistake(
        "Gather beyond the source",
        "pitfalls 62: byte offsets inside the source",
        ("gather-offset", "out-of-bounds"),
        """
        LocalTensor<uint32_t> offsets = b.ReinterpretCast<uint32_t>();
        Duplicate(a, 1.0f, 64);
        - Duplicate(offsets, static_cast<uint32_t>(256 * 1024), 64);
        + Duplicate(offsets, static_cast<uint32_t>(252), 64);
        Gather(c, a, offsets, 0, 64); //@
        """,
    ),
    Mistake(
        "Gather offset in elements",
        "pitfalls 62: multiples of sizeof(T)",
        ("gather-offset",),
        """
        LocalTensor<uint32_t> offsets = b.ReinterpretCast<uint32_t>();
        Duplicate(a, 1.0f, 64);
        - Duplicate(offsets, static_cast<uint32_t>(3), 64);
        + Duplicate(offsets, static_cast<uint32_t>(12), 64);
        Gather(c, a, offsets, 0, 64); //@
        """,
    ),
    Mistake(
        "Gather onto its source",
        "semantics 12: src and dst must not share memory",
        ("operand-overlap",),
        """
        LocalTensor<uint32_t> offsets = b.ReinterpretCast<uint32_t>();
        Duplicate(a, 1.0f, 64);
        Duplicate(offsets, static_cast<uint32_t>(4), 64);
        - Gather(a, a, offsets, 0, 64); //@
        + Gather(c, a, offsets, 0, 64);
        """,
    ),
    Mistake(
        "work tensor of ReduceMax too small",
        "semantics 4: 16 elements for 2 repeats with index",
        ("work-too-small", "out-of-bounds"),
        """
        LocalTensor<float> s = buf.GetWithOffset<float>(128, 0);
        Duplicate(s, 1.0f, 128);
        - LocalTensor<float> work = buf.GetWithOffset<float>(8, 768);
        + LocalTensor<float> work = buf.GetWithOffset<float>(16, 768);
        ReduceMax(c, s, work, 128, true); //@
        """,
    ),
    Mistake(
        "shift by 33",
        "pitfalls 66: 0..32 for b32",
        ("shift-range",),
        """
        LocalTensor<int32_t> p = a.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> q = b.ReinterpretCast<int32_t>();
        Duplicate(p, 1, 64);
        - ShiftLeft(q, p, 33, 64); //@
        + ShiftLeft(q, p, 32, 64);
        """,
        words=("32",),
    ),
    Mistake(
        "shift by 17 of 16 bits",
        "pitfalls 66: 0..16 for b16",
        ("shift-range",),
        """
        LocalTensor<uint16_t> p = a.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> q = b.ReinterpretCast<uint16_t>();
        Duplicate(p, static_cast<uint16_t>(1), 128);
        - ShiftRight(q, p, static_cast<uint16_t>(17), 128); //@
        + ShiftRight(q, p, static_cast<uint16_t>(16), 128);
        """,
        words=("16",),
    ),
    Mistake(
        "left padding of more than 32 bytes",
        "pitfalls 35: at most 32 bytes",
        ("copy-range", "illegal-argument"),
        """
        - DataCopyPadExtParams<float> pad{true, 9, 0, 0.0f};
        + DataCopyPadExtParams<float> pad{true, 8, 0, 0.0f};
        DataCopyPad(a, gx, {1, 32, 0, 0, 0}, pad); //@
        """,
    ),
    Mistake(
        "padding value of 8-byte elements",
        "pitfalls 35: 0 for 8-byte types",
        ("copy-range", "illegal-argument"),
        """
        GlobalTensor<int64_t> g;
        g.SetGlobalBuffer((__gm__ int64_t*)gx.GetPhyAddr(), 128);
        LocalTensor<int64_t> t = a.ReinterpretCast<int64_t>();
        - DataCopyPadExtParams<int64_t> pad{true, 0, 1, 5};
        + DataCopyPadExtParams<int64_t> pad{true, 0, 1, 0};
        DataCopyPad(t, g, {1, 24, 0, 0, 0}, pad); //@
        """,
    ),
    Mistake(
        "block of half an element",
        "semantics 15: blockLen is a multiple of sizeof(T) on the way in",
        ("copy-range", "illegal-argument", "unaligned-copy", "count-alignment"),
        """
        DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        - DataCopyPad(a, gx, {1, 30, 0, 0, 0}, pad); //@
        + DataCopyPad(a, gx, {1, 28, 0, 0, 0}, pad);
        """,
    ),
)

LEGAL = (
    Legal(
        "exactly the tensor",
        _EXTENT,
        """
        DataCopy(a, gx[192], 64);
        Sync<HardEvent::MTE2_V>();
        Adds(a, a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[192], a, 64);
        """,
    ),
    Legal(
        "count 0, repeat 0, mask 0",
        "semantics 2.1, 2.2, 2.3: nothing is executed",
        """
        Duplicate(a, 1.0f, 64);
        uint64_t mask = 64;
        Adds(b, a, 1.0f, 0);
        Adds(b, a, 1.0f, mask, 0, {1, 1, 8, 8});
        """,
    ),
    Legal(
        "dummy of a padded copy",
        "semantics 15: isPad=false without padding repeats the first element",
        """
        DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        DataCopyPad(a, gx, {1, 28, 0, 0, 0}, pad);
        Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 8);
        """,
    ),
    Legal(
        "accumulation over repeats",
        "semantics 2.4: dst overlaps src1 with a repeat stride of 0",
        """
        LocalTensor<float> s = buf.GetWithOffset<float>(128, 512);
        uint64_t mask = 64;
        Duplicate(s, 1.0f, 128);
        Duplicate(a, 0.0f, 64);
        Add(a, s, a, mask, 2, {1, 1, 1, 0, 8, 0});
        """,
    ),
    Legal(
        "bytes of global memory at any place",
        "semantics 15: GM needs 1-byte alignment in DataCopyPad",
        """
        LocalTensor<uint8_t> t = a.ReinterpretCast<uint8_t>();
        GlobalTensor<uint8_t> from;
        GlobalTensor<uint8_t> to;
        from.SetGlobalBuffer((__gm__ uint8_t*)gx.GetPhyAddr(), 1024);
        to.SetGlobalBuffer((__gm__ uint8_t*)gz.GetPhyAddr(), 1024);
        DataCopyPadExtParams<uint8_t> pad{false, 0, 0, 0};
        DataCopyPad(t, from[3], {1, 5, 0, 0, 0}, pad);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopyPad(to[7], t, {1, 5, 0, 0, 0});
        """,
    ),
    Legal(
        "reduction to an element",
        "semantics 4: reduce destinations need the alignment of an element only",
        """
        Duplicate(a, 1.0f, 64);
        WholeReduceSum(b[1], a, 64, 1, 1, 1, 8);
        WholeReduceMax(b[2], a, 64, 1, 1, 1, 8);
        """,
        setup=TENSORS,
    ),
)
