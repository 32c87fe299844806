"""Repeats, strides and masks: which elements a mask-form call touches, and what stays in the mask register."""

from __future__ import annotations

import numpy as np

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run

X = np.arange(1024, dtype=np.float32)
H = np.arange(1024, dtype=np.float16)


def added(toolchain: SimulatorToolchain, body: str, x: np.ndarray = X, n: int = 1024) -> np.ndarray:
    """Values of z after `body`, which starts at -1 everywhere."""
    kind = "half" if x.dtype == np.float16 else "float"
    fill = f"    Duplicate(z, ({kind})-1.0, {n});\n"
    done = run(fill + body, {"x": x}, {"z": ((n,), x.dtype.name)}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    return done.outputs["z"]


def test_continuous_mask_takes_the_first_elements_of_each_repeat(toolchain: SimulatorToolchain) -> None:
    z = added(toolchain, "    Adds(z, x, 1.0f, 20, 3, {1, 1, 8, 8});")
    expected = np.full(1024, -1, np.float32)
    for r in range(3):
        expected[64 * r : 64 * r + 20] = X[64 * r : 64 * r + 20] + 1
    assert np.array_equal(z, expected)


def test_bit_mask_takes_the_elements_whose_bit_is_set(toolchain: SimulatorToolchain) -> None:
    z = added(
        toolchain, "    uint64_t m[2] = {0x5555555555555555ull, 3};\n    Adds(z, x, (half)1, m, 2, {1, 1, 8, 8});", H
    )
    on = np.array([i % 2 == 0 for i in range(64)] + [i < 2 for i in range(64)])
    expected = np.full(1024, -1, np.float16)
    for r in range(2):
        part = slice(128 * r, 128 * r + 128)
        expected[part] = np.where(on, H[part] + 1, -1)
    assert np.array_equal(z, expected)


def test_strides_are_in_blocks_of_32_bytes(toolchain: SimulatorToolchain) -> None:
    z = added(toolchain, "    Adds(z, x, 0.0f, 64, 4, {2, 1, 16, 8});")
    expected = np.full(1024, -1, np.float32)
    for r in range(4):
        for b in range(8):
            expected[128 * r + 16 * b : 128 * r + 16 * b + 8] = X[64 * r + 8 * b : 64 * r + 8 * b + 8]
    assert np.array_equal(z, expected)


def test_a_source_block_stride_of_zero_repeats_the_first_block(toolchain: SimulatorToolchain) -> None:
    z = added(toolchain, "    Add(z, x, x[512], 64, 2, {1, 1, 0, 8, 8, 0});")
    assert np.array_equal(z[:128], X[:128] + np.tile(X[512:520], 16))


def test_accumulating_into_one_repeat(toolchain: SimulatorToolchain) -> None:
    z = added(toolchain, "    Add(z, x, z, 64, 4, {1, 1, 1, 0, 8, 0});")
    assert np.array_equal(z[:64], X[:256].reshape(4, 64).sum(axis=0) - 1)


def test_zero_mask_and_zero_repeat_touch_nothing(toolchain: SimulatorToolchain) -> None:
    z = added(
        toolchain,
        "    uint64_t none = 0;\n    Adds(z, x, 1.0f, none, 4, {1, 1, 8, 8});\n"
        "    Adds(z, x, 1.0f, 64, 0, {1, 1, 8, 8});\n    Adds(z, x, 1.0f, 0);",
    )
    assert np.all(z == -1)


def test_a_mask_that_is_kept_comes_from_the_register(toolchain: SimulatorToolchain) -> None:
    z = added(
        toolchain,
        "    SetVectorMask<float>(0, 0xF0);\n    Adds<float, false>(z, x, 0.0f, MASK_PLACEHOLDER, 2, {1, 1, 8, 8});\n"
        "    ResetMask();",
    )
    expected = np.full(1024, -1, np.float32)
    expected[4:8], expected[68:72] = X[4:8], X[68:72]
    assert np.array_equal(z, expected)


def test_counter_mode_counts_elements_over_all_repeats(toolchain: SimulatorToolchain) -> None:
    z = added(
        toolchain,
        "    SetMaskCount();\n    SetVectorMask<float, MaskMode::COUNTER>(150);\n"
        "    Adds<float, false>(z, x, 0.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});\n    SetMaskNorm();\n    ResetMask();",
    )
    assert np.array_equal(z[:150], X[:150]) and np.all(z[150:] == -1)


def test_counter_mode_with_strides(toolchain: SimulatorToolchain) -> None:
    z = added(
        toolchain,
        "    SetMaskCount();\n    SetVectorMask<float, MaskMode::COUNTER>(100);\n"
        "    Adds<float, false>(z, x, 0.0f, MASK_PLACEHOLDER, 1, {1, 1, 16, 8});\n    SetMaskNorm();\n    ResetMask();",
    )
    expected = np.full(1024, -1, np.float32)
    expected[:64], expected[128:164] = X[:64], X[64:100]
    assert np.array_equal(z, expected)


def test_count_form_leaves_normal_mode_and_a_full_mask(toolchain: SimulatorToolchain) -> None:
    z = added(
        toolchain,
        "    SetMaskCount();\n    SetVectorMask<float, MaskMode::COUNTER>(3);\n    Adds(z, x, 5.0f, 64);\n"
        "    Adds<float, false>(z[64], x, 0.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});",
    )
    assert np.array_equal(z[:64], X[:64] + 5) and np.array_equal(z[64:128], X[:64])


def test_count_form_with_a_kept_mask_does_one_repeat(toolchain: SimulatorToolchain) -> None:
    z = added(toolchain, "    SetVectorMask<float>(10);\n    Adds<float, false>(z, x, 0.0f, 1);\n    ResetMask();")
    assert np.array_equal(z[:10], X[:10]) and np.all(z[10:] == -1)


def test_narrow_operands_use_fewer_blocks_a_repeat(toolchain: SimulatorToolchain) -> None:
    body = "    Duplicate(z, -1.0f, 512);\n    Cast(z, x, RoundMode::CAST_NONE, 64, 3, {1, 1, 16, 4});"
    done = run(body, {"x": H}, {"z": ((512,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.full(512, -1, np.float32)
    for r in range(3):
        expected[128 * r : 128 * r + 64] = H[64 * r : 64 * r + 64]
    assert np.array_equal(done.outputs["z"], expected)


MISUSE = {
    "Adds(z, x, 1.0f, 65, 1, {1, 1, 8, 8});": "mask-range",
    "uint64_t m[2] = {1, 1}; Adds(z, x, 1.0f, m, 1, {1, 1, 8, 8});": "mask-range",
    "Adds(z, x, 1.0f, 1025);": "out-of-bounds",
    "Adds(z, x, 1.0f, -1);": "count-range",
    "Adds(z, x[3], 1.0f, 64);": "misaligned-address",
    "Adds(z, x[2000], 1.0f, 8);": "out-of-bounds",
    "Adds(z[8], z, 1.0f, 64);": "operand-overlap",
    "Adds(z[64], z, 1.0f, 64, 2, {1, 1, 8, 8});": "operand-overlap",
    "Exp(z, x, 64, 2, {0, 1, 8, 8});": "stride-range",
    "Add(z, z, x, 64, 4, {1, 1, 1, 0, 0, 8});": "operand-overlap",
}


def test_what_a_call_may_not_do_is_named(toolchain: SimulatorToolchain) -> None:
    outputs = {"z": ((1024,), "float32")}
    start = "    Duplicate(z, 0.0f, 1024);"
    found = codes_by_statement(list(MISUSE), {"x": X}, outputs, before=start, toolchain=toolchain)
    for (statement, code), codes in zip(MISUSE.items(), found, strict=True):
        assert code in codes, statement


LEGAL_OVERLAPS = (
    "Adds(z, z, 1.0f, 1000);",
    "Adds(z, z[64], 1.0f, 256);",  # a repeat is read after its predecessor's place was written
    "Add(z, x, z, 64, 4, {1, 1, 1, 0, 8, 0});",
    "Muls(z, z, 2.0f, 64, 4, {1, 1, 8, 8});",
)


def test_overlaps_that_are_allowed_pass(toolchain: SimulatorToolchain) -> None:
    body = "    Duplicate(z, 0.0f, 1024);\n    " + "\n    ".join(LEGAL_OVERLAPS)
    done = run(body, {"x": X}, {"z": ((1024,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics


NARROW = """    LocalTensor<float> wide = z;
    LocalTensor<half> narrow = z.ReinterpretCast<half>();
    Adds(wide, x, 0.0f, 256);
    Cast(narrow, wide, RoundMode::CAST_NONE, 256);
    Cast(wide[512], narrow, RoundMode::CAST_NONE, 256);
"""


def test_a_part_of_a_tensor_without_memory_is_an_error_where_it_is_used(toolchain: SimulatorToolchain) -> None:
    body = "    LocalTensor<float> none; LocalTensor<float> part = none[8];\n    Adds(z, USED, 1.0f, 64);\n"
    for used, codes in {"x": (), "part": ("unallocated-tensor",)}.items():
        done = run(body.replace("USED", used), {"x": X}, {"z": ((64,), "float32")}, toolchain=toolchain)
        assert done.codes == codes, done.diagnostics


def test_narrowing_in_place_is_only_remarked(toolchain: SimulatorToolchain) -> None:
    done = run(NARROW, {"x": X}, {"z": ((1024,), "float32")}, toolchain=toolchain)
    assert "operand-overlap" not in done.codes, done.diagnostics
    assert any(d.code == "operand-overlap" for d in done.diagnostics)
    assert np.array_equal(done.outputs["z"][512:768], X[:256].astype(np.float16).astype(np.float32))


def test_widening_the_end_of_a_buffer_into_the_whole_of_it_is_only_remarked(toolchain: SimulatorToolchain) -> None:
    body = "    LocalTensor<half> end = z.ReinterpretCast<half>()[256];\n    Cast(end, x, RoundMode::CAST_NONE, 256);\n"
    done = run(
        body + "    Cast(z, end, RoundMode::CAST_NONE, 256);\n",
        {"x": X},
        {"z": ((1024,), "float32")},
        toolchain=toolchain,
    )
    assert "operand-overlap" not in done.codes, done.diagnostics
    assert any(d.code == "operand-overlap" for d in done.diagnostics)
    assert np.array_equal(done.outputs["z"][:256], X[:256].astype(np.float16).astype(np.float32))


def test_widening_from_before_the_end_is_an_error(toolchain: SimulatorToolchain) -> None:
    body = "    Duplicate(z, 1.0f, 1024);\n    Cast(z, z.ReinterpretCast<half>()[240], RoundMode::CAST_NONE, 256);\n"
    done = run(body, {"x": X}, {"z": ((1024,), "float32")}, toolchain=toolchain)
    assert "operand-overlap" in done.codes


def test_narrowing_onto_a_later_repeat_is_an_error(toolchain: SimulatorToolchain) -> None:
    body = "    Cast(z.ReinterpretCast<half>()[128], x, RoundMode::CAST_NONE, 256);\n"
    body = body.replace("x,", "z,")
    done = run("    Duplicate(z, 1.0f, 1024);\n" + body, {"x": X}, {"z": ((1024,), "float32")}, toolchain=toolchain)
    assert "operand-overlap" in done.codes
