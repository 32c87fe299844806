"""Exemplars are shown to models, so each one passes its own task in the simulator without any finding."""

from __future__ import annotations

from typing import Any

import pytest

from agentkernel.knowledge.exemplars import Exemplar, load_exemplars
from agentkernel.verify import verify


def test_there_are_exemplars_for_the_subjects_that_tasks_have() -> None:
    tags = {tag for exemplar in load_exemplars() for tag in exemplar.tags}
    wanted = {
        "elementwise",
        "reduction",
        "normalisation",
        "compare",
        "cast",
        "tail",
        "broadcast",
        "attribute",
        "static",
        "tensor-list",
    }
    assert wanted | {"float16", "bfloat16", "float32", "int32"} <= tags
    assert 6 <= len(load_exemplars()) <= 12


@pytest.mark.parametrize("exemplar", load_exemplars(), ids=lambda e: e.name)
def test_an_exemplar_passes_without_findings(toolchain: Any, exemplar: Exemplar) -> None:
    verdict = verify(exemplar.kernel, exemplar.task, toolchain=toolchain)
    assert verdict.passed, [(d.code, str(d.location), d.message) for d in verdict.all_diagnostics]
    assert not verdict.all_diagnostics


def test_the_result_does_not_depend_on_the_order_of_cores() -> None:
    from agentkernel.toolchains.simulator import SimulatorToolchain

    toolchain = SimulatorToolchain(seed=7)
    try:
        for exemplar in load_exemplars():
            if exemplar.name in {"row_energy", "choose_less"}:
                assert verify(exemplar.kernel, exemplar.task, toolchain=toolchain).passed
    finally:
        toolchain.close()
