"""Columns of findings: where the name of the reported function stands."""

from __future__ import annotations

import pytest

from agentkernel.diagnostic import Location
from agentkernel.kernel import Kernel
from agentkernel.simulator.source_pass import PreparedSource, prepare
from agentkernel.simulator.symbolise import point_at
from agentkernel.testing.simulate import snippet_task

FILE = "op_kernel/kernel.cpp"
TEXT = """\
extern "C" __global__ __aicore__ void kernel(GM_ADDR workspace)
{
    SetFlag(PIPE_V, PIPE_MTE2, EVENT_ID6);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
    DataCopy(target,
             source,

             64);
}
"""


@pytest.fixture
def prepared() -> PreparedSource:
    return prepare(Kernel.from_source(TEXT, "kernel"), snippet_task({}, {"z": ((8,), "float32")}))


def test_a_name_on_an_earlier_line_of_the_call_is_found(prepared: PreparedSource) -> None:
    place = point_at(Location(file=FILE, line=8), "DataCopy", prepared)
    assert place == Location(file=FILE, line=5, column=5, end_column=13)


def test_a_call_before_it_is_another_one(prepared: PreparedSource) -> None:
    assert point_at(Location(file=FILE, line=4), "SetFlag", prepared) == Location(file=FILE, line=4)
    assert point_at(Location(file=FILE, line=3), "SetFlag", prepared) == Location(
        file=FILE, line=3, column=5, end_column=12
    )
