"""Where a kernel's time goes: what bounds it, how far it is from the roofline, where its pipes wait, what would help.

Every figure is an estimate of the CPU simulator's clock, never a measurement.
"""

from __future__ import annotations

from agentkernel.profile.analysis import Bubble, Gain, PipeProfile, Profile, Roofline
from agentkernel.profile.picture import plot
from agentkernel.profile.render import for_person
from agentkernel.profile.run import profile
from agentkernel.profile.trace import Event, Trace, read_trace

__all__ = [
    "Bubble",
    "Event",
    "Gain",
    "PipeProfile",
    "Profile",
    "Roofline",
    "Trace",
    "for_person",
    "plot",
    "profile",
    "read_trace",
]
