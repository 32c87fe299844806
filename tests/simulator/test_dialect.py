"""Explicit specialisations in class scope and defaulted constructors of aggregates, for the host's compiler."""

from __future__ import annotations

import pytest

from agentkernel.simulator.dialect import adapt
from agentkernel.testing.simulate import simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

SPECIALISED = """class Op {
 public:
    template <int32_t CORE = g_coreType> void operator()(int x);
    template <>
    void operator()<AscendC::AIC>(int x) { y = x; }
    template <> void operator()<AscendC::AIV>(int x) { y = -x; }
    template <class T> struct Kind { static constexpr int value = 1; };
    template<> struct Kind<void> { static constexpr int value = 2; };
    int y = 0;
};
"""
AGGREGATE = """struct Callback {
    Callback() = default;
    int a;
    int b;
};
"""


@pytest.mark.parametrize("text", [SPECIALISED, AGGREGATE])
def test_lines_and_columns_stay(text: str) -> None:
    adapted = adapt(text).text
    assert adapted != text
    assert [len(line) for line in adapted.split("\n")] == [len(line) for line in text.split("\n")]


def test_macros_of_several_files_have_different_names() -> None:
    first, second = adapt(SPECIALISED), adapt(SPECIALISED, 3)
    assert first.defines.count("#define AK_S") == 3
    assert not set(first.defines.split()[1::4]) & {"AK_S3"}
    assert "AK_S3 " in second.defines


@pytest.mark.parametrize(
    "text",
    [
        "template <> void f<float>(float) {}\n",  # not in a class
        "struct A { A() = default; A(int) {} };\n",  # no aggregate in any case
        "struct A : B { A() = default; };\n",
        "struct A { struct B { B(int) {} }; ~A() = default; };\n",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    adapted = adapt(text)
    assert adapted.text == text
    assert adapted.defines == ""


def test_both_compile_and_mean_what_they_say(simulator: SimulatorToolchain) -> None:
    source = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        + SPECIALISED
        + AGGREGATE
        + """
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR w) {
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer((__gm__ int32_t*)y);
    Op op;
    op(7);
    Callback c[1];
    c[0] = {op.y, Op::Kind<void>::value * 10 + Op::Kind<int>::value};
    gy.SetValue(0, c[0].a);
    gy.SetValue(1, c[0].b);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gy);
}
"""
    )
    done = simulate(source, {}, {"y": ((2,), "int32")}, toolchain=simulator)
    assert done.codes == ()
    assert done.outputs["y"].tolist() == [-7, 21]
