"""Load a task's Python files in a child process, with what they import from the card's software stood in for."""

from __future__ import annotations

import hashlib
import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from agentkernel.bench.npukernelbench import rules
from agentkernel.bench.npukernelbench.recorder import MODULE, Recorder
from agentkernel.bench.npukernelbench.tensors import torch


class Loaded:
    """The Python side of a task.

    Args:
        module: `validation/module.py`.
        inputs: The module that generates inputs: `prepare_inputs.py`, or `module` where it does so itself.
    """

    def __init__(self, module: ModuleType, inputs: ModuleType) -> None:
        self.module = module
        self._inputs = inputs

    def inputs(self, row: Any, seed: int, device: str = "cpu") -> tuple[Any, Any]:
        """Arguments of a model's constructor and of its forward pass; equal seeds give equal values."""
        set_seed(seed)
        made = self._inputs.get_init_inputs(row, device=device)
        return made, self._inputs.get_inputs(row, device=device)

    @property
    def checker(self) -> Callable[[Any, Any, Any], tuple[Any, Any, Any]] | None:
        """The task's own comparison, where it has one."""
        return getattr(self._inputs, "custom_check_precision", None)


def load(folder: Path, recorder: Recorder, ops: Path | None) -> Loaded:
    """Load a task.

    Args:
        folder: The task's folder.
        recorder: Gets the calls of the bindings.
        ops: The built bindings (or any Python module that calls the recorder); without them calls are refused.

    Raises:
        Exception: Whatever the files raise when they are imported.
    """
    _stand_in(recorder, ops, folder.name)
    module = _import("npukb_module", folder / "validation" / "module.py")
    if hasattr(module, "get_init_inputs"):
        return Loaded(module, module)
    return Loaded(module, _import("npukb_inputs", folder / "validation" / "prepare_inputs.py"))


def seed_of(*names: object) -> int:
    """A seed that depends on names alone."""
    text = "\0".join(map(str, names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


def set_seed(seed: int) -> None:
    """Seed every generator that a task may draw from."""
    import numpy as np

    random.seed(seed)
    np.random.seed(seed)
    torch().manual_seed(seed)


def _stand_in(recorder: Recorder, ops: Path | None, task: str) -> None:
    sys.modules[MODULE] = _module(MODULE, execute=recorder.execute)
    transfer = _module("torch_npu.contrib.transfer_to_npu")
    contrib = _module("torch_npu.contrib", transfer_to_npu=transfer)
    nothing = SimpleNamespace(synchronize=lambda: None, is_available=lambda: False)
    sys.modules["torch_npu"] = _module("torch_npu", contrib=contrib, npu=nothing)
    sys.modules["torch_npu.contrib"] = contrib
    sys.modules["torch_npu.contrib.transfer_to_npu"] = transfer
    utils = _module("framework.utils", check_precision=rules.check_precision)
    sys.modules["framework"] = _module("framework", utils=utils)
    sys.modules["framework.utils"] = utils
    built = _import("kernel_gen_ops", ops) if ops is not None else _module("kernel_gen_ops")
    sys.modules["kernel_gen_ops"] = getattr(built, task, built)  # several tasks share an object


def _module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []  # a package, so that its parts can be imported
    for key, value in members.items():
        setattr(module, key, value)
    return module


def _import(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
