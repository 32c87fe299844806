"""The synthetic checkout, bindings in Python for it, and a worker whose torch is a stand-in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentkernel.bench.npukernelbench.checkout import Checkout, open_checkout
from agentkernel.bench.npukernelbench.worker import Limits, Worker

HERE = Path(__file__).parent
OPS = """
import agentkernel_npukb_recorder as recorder
import torch


def twice(x):
    y = torch.empty_like(x)
    recorder.execute("aclnnTwice", [("tensor", x), ("tensor", y)])
    return y
"""


@pytest.fixture(scope="module")
def checkout() -> Checkout:
    return open_checkout(HERE / "synthetic")


@pytest.fixture(scope="module")
def ops(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("ops") / "ops.py"
    file.write_text(OPS)
    return file


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(paths=(HERE / "fake",), limits=Limits(seconds=20)) as one:
        yield one
