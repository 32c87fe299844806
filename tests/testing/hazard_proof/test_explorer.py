"""The explorer of schedules, held to the rules of facts (sections 5 to 7) one by one."""

from __future__ import annotations

import pytest

from agentkernel.testing.hazard_proof.explorer import Explorer, TooManySchedulesError, Verdict
from agentkernel.testing.hazard_proof.trace import Await, Signal, Trace

from .traces import trace

LOAD, STORE = "MTE2 GM:x[0:4] -> UB[0:4]\n", "MTE3 UB[4:8] -> GM:y[0:4]\n"
COMPUTE = "V UB[0:4] -> UB[4:8]\n"
IN, OUT = "set MTE2_V 0\nwait MTE2_V 0\n", "set V_MTE3 0\nwait V_MTE3 0\n"
BACK = "set V_MTE2 0\nwait V_MTE2 0\n"


def racy(text: str, *, autosync: bool = False) -> bool:
    return Explorer(trace(text), autosync=autosync).verdict().racy


ORDERED = {
    "flags over three pipes": LOAD + IN + COMPUTE + OUT + STORE,
    "PIPE_ALL": LOAD + "barrier ALL\n" + COMPUTE + "barrier ALL\n" + STORE,
    "stalls": LOAD + "stall MTE2\n" + COMPUTE + "stall V\n" + STORE,
    "read after write in V": COMPUTE + "barrier V\nV UB[4:8] -> UB[8:12]\nbarrier ALL\nMTE3 UB[8:12] -> GM:y[0:4]",
    "overlapping loads": LOAD + "barrier MTE2\n" + LOAD.replace("GM:x", "GM:z") + "barrier ALL\n"
                         "MTE3 UB[0:4] -> GM:y[0:4]",
    "overlapping stores": STORE + "barrier MTE3\n" + STORE.replace("UB[4:8]", "UB[0:4]"),
    "store and load of global memory": STORE + "set MTE3_MTE2 0\nwait MTE3_MTE2 0\nMTE2 GM:y[0:4] -> UB[0:4]\n"
                                       "barrier ALL\nMTE3 UB[0:4] -> GM:y[4:8]",
    "buffer loaded again after its last read": COMPUTE + BACK + LOAD + "barrier ALL\n" + STORE,
    "scalar read of a result": COMPUTE + "set V_S 0\nwait V_S 0\nS UB[4] ->",
    "scalar write before an instruction": "S -> UB[0]\nset S_V 0\nwait S_V 0\n" + COMPUTE + "barrier ALL\n" + STORE,
    "scalar read, then overwritten": "S UB[0] ->\nset S_V 0\nwait S_V 0\nV UB[4:8] -> UB[0:4]",
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERED)
def test_what_flags_and_barriers_order_has_one_result(name: str) -> None:
    assert not racy(ORDERED[name])


@pytest.mark.parametrize("name", ORDERED)
def test_every_single_flag_barrier_and_stall_of_them_is_needed(name: str) -> None:
    rows = ORDERED[name].splitlines()
    edges = {" ".join(row.split()[1:]) for row in rows if row.split()[0] in ("set", "wait", "barrier", "stall")}
    for edge in edges:
        kept = [row for row in rows if " ".join(row.split()[1:]) != edge]
        if edge == "ALL" and rows.count("barrier ALL") > 1:
            kept = rows[: rows.index("barrier ALL")] + rows[rows.index("barrier ALL") + 1 :]
        assert racy("\n".join(kept)), edge


def test_pipes_are_free_of_each_other() -> None:
    assert racy(LOAD + COMPUTE + "barrier ALL\n" + STORE)
    assert racy(COMPUTE + STORE)
    assert racy("MTE2 GM:x[0:4] -> UB[0:4]\nMTE3 UB[0:4] -> GM:y[0:4]")


def test_what_touches_different_bytes_needs_no_order() -> None:
    assert not racy("MTE2 GM:x[0:4] -> UB[0:4]\nMTE2 GM:x[4:8] -> UB[4:8]\nbarrier ALL\nMTE3 UB[0:8] -> GM:y[0:8]")
    assert not racy("V UB[0:4] -> UB[8:12]\nS -> UB[4]\nbarrier ALL\nMTE3 UB[4:12] -> GM:y[0:8]")


def test_a_race_that_nobody_can_see_is_none() -> None:
    dead = "V UB[0:4] -> UB[4:8]\nMTE2 GM:x[0:4] -> UB[4:8]\n"
    assert not racy(dead)
    assert Explorer(trace(dead), autosync=False).verdict().racy_inside
    assert racy(dead + "barrier ALL\n" + STORE)


def test_storing_the_same_elements_twice_is_no_race() -> None:
    loads = "MTE2 GM:x[0:4] -> UB[0:4]\nMTE2 GM:x[2:6] -> UB[4:8]\nbarrier ALL\n"
    squares = "Mul.V UB[0:4]+UB[0:4] -> UB[8:12]\nMul.V UB[4:8]+UB[4:8] -> UB[12:16]\nbarrier ALL\n"
    stores = "MTE3 UB[8:12] -> GM:y[0:4]\nMTE3 UB[12:16] -> GM:y[2:6]"
    assert not racy(loads + squares + stores)
    assert racy(loads + squares.replace("Mul", "Op") + stores)


def test_flag_covers_all_that_its_pipe_was_given_before() -> None:
    two = LOAD + "MTE2 GM:z[0:4] -> UB[8:12]\nset MTE2_V 1\nwait MTE2_V 1\nV UB[0:4]+UB[8:12] -> UB[4:8]\n"
    assert not racy(two + "barrier ALL\n" + STORE)


def test_flag_covers_nothing_behind_it() -> None:
    assert racy("set MTE2_V 0\nwait MTE2_V 0\n" + LOAD + COMPUTE + "barrier ALL\n" + STORE)
    assert racy(LOAD + "set MTE2_V 0\n" + COMPUTE + "wait MTE2_V 0\nbarrier ALL\n" + STORE)


def test_wait_holds_its_own_pipe_alone() -> None:
    assert racy(LOAD + "set MTE2_V 0\nwait MTE2_V 0\nMTE3 UB[0:4] -> GM:y[0:4]")


def test_order_goes_through_a_third_pipe() -> None:
    assert not racy(LOAD + "set MTE2_V 0\nwait MTE2_V 0\nset V_MTE3 0\nwait V_MTE3 0\nMTE3 UB[0:4] -> GM:y[0:4]")


def test_stalled_program_issues_nothing() -> None:
    assert not racy(LOAD + "set MTE2_S 0\nwait MTE2_S 0\nMTE3 UB[0:4] -> GM:y[0:4]")


def test_waits_meet_sets_one_by_one() -> None:
    loop = LOAD + "set MTE2_V 0\nwait MTE2_V 0\n" + COMPUTE + "set V_MTE2 0\nwait V_MTE2 0\n"
    again = "MTE2 GM:z[0:4] -> UB[0:4]\nset MTE2_V 0\nwait MTE2_V 0\nbarrier V\nV UB[0:4]+UB[4:8] -> UB[4:8]\n"
    assert not racy(loop + again + "barrier ALL\n" + STORE)
    assert racy(loop + again.replace("set MTE2_V 0\nwait MTE2_V 0\n", "") + "barrier ALL\n" + STORE)


def test_atomic_stores_are_free_of_each_other_alone() -> None:
    adds = "MTE3 UB[0:4] => GM:y[0:4]\nMTE3 UB[4:8] => GM:y[0:4]\n"
    assert not racy(adds)
    assert racy("MTE3 UB[8:12] -> GM:y[0:4]\n" + adds)
    assert not racy("MTE3 UB[8:12] -> GM:y[0:4]\nbarrier MTE3\n" + adds)


def test_autosync_orders_dependent_vector_instructions() -> None:
    chain = COMPUTE + "V UB[4:8] -> UB[8:12]\nV UB[0:4] -> UB[4:8]\nbarrier ALL\nMTE3 UB[4:12] -> GM:y[0:8]"
    assert racy(chain)
    assert not racy(chain, autosync=True)


@pytest.mark.parametrize("pipe", ["V", "MTE2"])
def test_autosync_orders_scalar_reads_behind_and_before_instructions(pipe: str) -> None:
    source = "UB[8:12]" if pipe == "V" else "GM:x[0:4]"
    text = f"{pipe} {source} -> UB[0:4]\nS UB[1] ->\nbarrier {pipe}\n{pipe} {source} -> UB[0:4]\n"
    assert racy(text)
    assert not racy(text, autosync=True)


def test_autosync_orders_scalar_writes_before_stores_and_behind_them() -> None:
    text = "S -> UB[1]\nMTE3 UB[0:4] -> GM:y[0:4]\nS -> UB[1]\nMTE3 UB[0:4] -> GM:y[4:8]\n"
    assert racy(text)
    assert not racy(text, autosync=True)


def test_autosync_leaves_raw_scalar_accesses_alone() -> None:
    assert racy(COMPUTE + "raw S UB[4] ->", autosync=True)
    assert racy("raw S -> UB[0]\n" + COMPUTE + "barrier ALL\n" + STORE, autosync=True)


@pytest.mark.parametrize("text", [LOAD + COMPUTE + "barrier ALL\n" + STORE, COMPUTE + STORE, STORE + COMPUTE,
                                  STORE + "MTE2 GM:y[0:4] -> UB[0:4]\nbarrier ALL\nMTE3 UB[0:4] -> GM:y[4:8]",
                                  COMPUTE + LOAD + "barrier ALL\n" + STORE])  # fmt: skip
def test_autosync_adds_nothing_between_the_other_pipes(text: str) -> None:
    assert racy(text, autosync=True)


def test_unpaired_wait_is_stuck_in_every_schedule() -> None:
    verdict = Explorer(trace(LOAD + "wait MTE2_V 0\n" + COMPUTE), autosync=False).verdict()
    assert verdict.stuck
    assert Explorer(trace(LOAD + "wait V_S 0\n", ended=False), autosync=False).verdict().stuck
    assert not Explorer(trace(LOAD + "barrier ALL"), autosync=False).verdict().stuck


def test_misused_flags_are_named() -> None:
    twice = Explorer(trace("set MTE2_V 0\nset MTE2_V 0\nwait MTE2_V 0\nwait MTE2_V 0"), autosync=False).verdict()
    assert twice.misuse == ("MTE2_V id 0 is set twice without a wait between",)
    left = Explorer(trace("set MTE2_V 3"), autosync=False).verdict()
    assert left.misuse == ("MTE2_V id 3 is set when the program ends",)


def test_both_schedules_of_a_race_are_shown() -> None:
    verdict = Explorer(trace(LOAD + COMPUTE + "barrier ALL\n" + STORE), autosync=False).verdict()
    assert sorted(verdict.reference, key=str) == sorted(verdict.other, key=str)
    assert verdict.reference != verdict.other
    assert verdict.pair is not None


def test_too_large_a_search_is_given_up_loudly() -> None:
    many = "".join(f"MTE3 UB[{4 * i}:{4 * i + 4}] => GM:y[0:4]\n" for i in range(3))
    with pytest.raises(TooManySchedulesError):
        Explorer(trace(many), autosync=False, most=5).results(reduce=False)


STORES = "MTE2 GM:x[0] -> UB[0]\nset MTE2_MTE3 0\nwait MTE2_MTE3 0\nMTE3 UB[0] -> GM:w[0]\n"
LOADS = "MTE2 GM:w[0] -> UB[0]\nset MTE2_MTE3 0\nwait MTE2_MTE3 0\nMTE3 UB[0] -> GM:y[0]\n"


def between(first: str, second: str) -> Verdict:
    return Explorer([trace(first), trace(second)], autosync=False).verdict()


def test_cores_that_share_a_place_race_unless_a_signal_orders_them() -> None:
    assert between(STORES, LOADS).racy
    assert not between(STORES + "signal MTE3 s", "await s\n" + LOADS).racy
    assert not between(STORES + "barrier ALL\nsignal S s", "await s\n" + LOADS).racy


def test_a_signal_covers_what_its_pipe_was_given_before_it() -> None:
    assert between("signal MTE3 s\n" + STORES, "await s\n" + LOADS).racy
    assert between(STORES + "signal MTE2 s", "await s\n" + LOADS).racy
    assert between(STORES + "signal S s", "await s\n" + LOADS).racy


def test_what_was_issued_before_a_core_awaits_is_not_covered() -> None:
    assert between(STORES + "signal MTE3 s", LOADS + "await s\n").racy


def test_local_memories_of_cores_are_their_own() -> None:
    assert not between(STORES, STORES.replace("w[0]", "v[0]")).racy_inside


def test_a_signal_that_nobody_sends_is_stuck() -> None:
    assert between(STORES, "await s\n" + LOADS).stuck


def test_a_flag_that_a_core_is_told_and_does_not_await_is_left_set() -> None:
    names = tuple(f"flag 3 #1 of {core}" for core in range(2))
    sets = [Trace(entries=(Signal(pipe="MTE3", signal=name, to=(0, 1)),)) for name in names]
    both = [Trace(entries=(*one.entries, Await(signals=names))) for one in sets]
    assert Explorer(sets, autosync=False).verdict().misuse == ("flag 3 is left set",)
    assert Explorer([both[0], sets[1]], autosync=False).verdict().misuse
    assert not Explorer(both, autosync=False).verdict().misuse
