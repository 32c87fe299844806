"""Every synchronisation statement is changed in every way, and nothing else is."""

from __future__ import annotations

from collections import Counter

import pytest

from agentkernel.testing.hazard_proof.catalogue import kernels
from agentkernel.testing.hazard_proof.kernel import MarkedKernel, flag, statements
from agentkernel.testing.hazard_proof.mutations import KINDS, mutants


def kernel(body: str) -> MarkedKernel:
    return MarkedKernel(
        name="k", family="f", declarations=(), body=statements(body), autosync=True, reference=lambda x, z: x
    )


def texts(body: str, kind: str) -> list[list[str]]:
    return [[line.text for line in m.kernel.body] for m in mutants(kernel(body)) if m.kind == kind]


BODY = "A;\n" + flag("MTE2_V", 0, "in") + "B;\n"
SET, WAIT = "SetFlag<HardEvent::MTE2_V>(0);", "WaitFlag<HardEvent::MTE2_V>(0);"


def test_every_kind_of_change() -> None:
    assert texts(BODY, "removed") == [["A;", WAIT, "B;"], ["A;", SET, "B;"]]
    assert texts(BODY, "edge removed") == [["A;", "B;"]]
    assert texts(BODY, "earlier") == [[SET, "A;", WAIT, "B;"]]
    assert texts(BODY, "later") == [["A;", WAIT, SET, "B;"], ["A;", SET, "B;", WAIT]]
    assert texts(BODY, "other id") == [
        ["A;", SET.replace("0", "5"), WAIT, "B;"],
        ["A;", SET, WAIT.replace("0", "5"), "B;"],
    ]
    other = ["SetFlag<HardEvent::MTE2_MTE3>(5);", "WaitFlag<HardEvent::MTE2_MTE3>(5);"]
    assert texts(BODY, "other event") == [["A;", *other, "B;"]]
    assert texts("A;\nPipeBarrier<PIPE_V>();  //~\nB;", "other pipe") == [["A;", "PipeBarrier<PIPE_MTE3>();", "B;"]]


def test_statements_do_not_leave_their_block() -> None:
    body = "for (;;) {\nq.EnQue(a);  //~\nA;\n}\n"
    assert texts(body, "earlier") == []
    assert texts(body, "later") == [["for (;;) {", "A;", "q.EnQue(a);", "}"]]


def test_equal_mutants_count_once() -> None:
    found = mutants(kernel("SetFlag<HardEvent::V_S>(0);  //~\nSetFlag<HardEvent::S_V>(0);  //~\n"))
    assert Counter(m.kind for m in found)["later"] == 1
    assert Counter(m.kind for m in found)["earlier"] == 0


@pytest.mark.parametrize("chosen", kernels(), ids=lambda k: k.name)
def test_kernels_have_synchronisation_to_change(chosen: MarkedKernel) -> None:
    found = mutants(chosen)
    assert len({m.kernel.body for m in found}) == len(found)
    assert {m.kind for m in found} <= set(KINDS)
    removed = {m.place for m in found if m.kind == "removed"}
    same = {line.text for line in chosen.body if line.sync}
    assert removed and {chosen.body[place].text for place in removed} == same
