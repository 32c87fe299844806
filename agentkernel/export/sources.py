"""A kernel's sources as a project needs them: its entry takes workspace and tiling, as every operator's does."""

from __future__ import annotations

import re

from agentkernel.errors import ConfigError
from agentkernel.kernel import Kernel
from agentkernel.task import Path, ShapeMode, Task


def with_tiling_argument(kernel: Kernel, task: Task) -> Kernel:
    """The kernel of a static task with the `tiling` argument that its entry does without; others as they are.

    Raises:
        ConfigError: The entry is not found as it must be written.
    """
    if task.path is Path.FULL or task.shape_mode is ShapeMode.DYNAMIC:
        return kernel
    pattern = re.compile(rf"(__global__[^;{{}}]*?\b{re.escape(kernel.entry)}\s*\()([^)]*)\)")
    text = kernel.files[kernel.main_file]
    found = list(pattern.finditer(text))
    if not found:
        raise ConfigError(
            f"{kernel.main_file} does not define the entry {kernel.entry!r}",
            hint="verify the kernel first: agentkernel verify KERNEL --task TASK",
        )
    changed = pattern.sub(lambda match: f"{match[1]}{match[2].rstrip()}, GM_ADDR tiling)", text)
    return Kernel(files={**kernel.files, kernel.main_file: changed}, entry=kernel.entry)


def device_files(kernel: Kernel) -> dict[str, str]:
    """The kernel's files below `op_kernel/`, the main one named after the entry."""
    main = kernel.main_file
    files = {}
    for name, text in kernel.files.items():
        if name.startswith("op_host/"):
            continue
        inner = name.removeprefix("op_kernel/")
        files[f"op_kernel/{kernel.entry}.cpp" if name == main else f"op_kernel/{inner}"] = text
    return files
