"""Memory of simulating a kernel, as a ratio to its tensors.

    python -m agentkernel.bench.memory

float32 add of 16 M elements and float32 softmax of 4096 x 1024, as in `simulator_speed`. Counted is the highest
proportional set size of this process and its children together while a kernel runs (`run`), and while it is verified
(`verify`: drawing inputs, the reference in float64, every case, judging), beyond what was there before there were
inputs. Proportional means that a page that two processes share counts once.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from agentkernel.bench.simulator_speed import SUBJECTS, Subject, Timed

SAMPLE_SECONDS = 0.005


def proportional_bytes() -> int:
    """Proportional set size of this process and all of its children now."""
    total = 0
    for pid in _family(os.getpid()):
        with contextlib.suppress(OSError):  # it has ended, or belongs to the kernel's user and shows nothing
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) << 10
    return total


def _family(pid: int) -> Iterator[int]:
    """A process and its descendants.

    Children that are still this program are left out: until they start another one they only borrow its memory (vfork).
    """
    yield pid
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                if os.readlink(f"/proc/{child}/exe") != os.readlink("/proc/self/exe"):
                    yield from _family(int(child))


class Watch:
    """Samples memory on a thread between entry and exit; `peak` is the highest."""

    def __enter__(self) -> Watch:
        self.peak = proportional_bytes()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, proportional_bytes())


def measure(subject: Subject) -> tuple[int, int, int]:
    """Bytes of the tensors, of running the kernel beside nothing, and of verifying it."""
    from agentkernel.bench.suites import load_task
    from agentkernel.composer import compose
    from agentkernel.task import Case
    from agentkernel.verify import verify

    small = Timed(Subject(subject.task, dict.fromkeys(subject.dims, 8), subject.numpy))
    small.simulate()  # everything is imported and built
    gc.collect()  # of what was measured before
    before = proportional_bytes()
    timed = Timed(subject)
    with Watch() as running:
        run = timed.run()
    tensors = sum(array.nbytes for array in (*timed.inputs.values(), *run.outputs.values()))
    del timed, run
    with Watch() as verifying:
        task = load_task(subject.task).model_copy(update={"cases": (Case(name="large", dims=subject.dims),)})
        if not verify(compose(task).kernel, task).passed:
            raise SystemExit(f"{subject.task}: the composed kernel does not pass")
    return tensors, running.peak - before, verifying.peak - before


def main() -> None:
    """Print the ratios of every subject."""
    argparse.ArgumentParser(description="memory of simulating a kernel").parse_args()
    for subject in SUBJECTS:
        tensors, run, verified = measure(subject)
        print(
            f"{subject.task}: tensors {tensors >> 20} MiB, run {run >> 20} MiB = {run / tensors:.2f} times, "
            f"verify {verified >> 20} MiB = {verified / tensors:.2f} times"
        )


if __name__ == "__main__":
    main()
