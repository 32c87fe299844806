"""All kernels of the proof."""

from __future__ import annotations

from agentkernel.testing.hazard_proof import (
    families_cores,
    families_flags,
    families_forms,
    families_mix,
    families_order,
    families_queue,
    families_scalar,
)
from agentkernel.testing.hazard_proof.kernel import MarkedKernel

FEW = (
    "queue_2x1_two",
    "queue_2x2_inplace_loop_off",
    "bind_2x1",
    "depth0_2",
    "chain_3_off",
    "reuse_2_off",
    "ping_pong_2",
    "round_trip_32",
    "stores_32",
    "tail_8_guarded",
    "get_then_load_off",
    "set_for_vector_40_off",
    "vector_war_off",
    "all_scalar_off",
    "second_covers_first",
    "masks_off",
    "interleaved",
    "gathered_off",
    "get_first_of_two",
    "exchange_2_barrier",
    "exchange_twice_flags",
    "slots_2",
    "cube_again_off",
    "cube_to_vectors_2",
    "there_and_back_2",
)
"""One of most families: enough for a test that runs in seconds."""


def kernels() -> list[MarkedKernel]:
    """Every kernel, in a fixed order; names are unique."""
    rooms = (
        families_queue,
        families_flags,
        families_scalar,
        families_order,
        families_forms,
        families_cores,
        families_mix,
    )
    return [kernel for room in rooms for kernel in room.kernels()]


def few() -> list[MarkedKernel]:
    """The kernels named in FEW."""
    return [kernel for kernel in kernels() if kernel.name in FEW]
