"""Hostile programs, and what other tests take out of them."""

from pathlib import Path

_POKES = (Path(__file__).parent / "kernels" / "pokes_the_runtime.cpp").read_text()
POKE = "    auto* frame" + _POKES.split("    auto* frame", 1)[1].rsplit("}", 1)[0]
"""Statements that store into the simulator's memory what is there already.

The frame of a kernel's function holds what the simulator's frames around it had in registers.
"""
