"""Timelines of a run with places in the author's text instead of addresses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentkernel.simulator import symbolise
from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.source_pass import PreparedSource

_SITES = {"site": ("file", "line"), "held_site": ("held_file", "held_line")}


def keep(written: Path, kept: Path, images: Images, prepared: PreparedSource) -> bool:
    """Copy a timeline, naming file and line of every call that has a place. False where it is not one.

    The candidate shares the runner's process, so what it left may be anything.

    Args:
        written: The runner's file (runtime/PROTOCOL.md).
        kept: Where the copy goes.
        images: The candidate's objects.
        prepared: Says which files are the kernel's.

    Raises:
        OSError: The copy cannot be written.
    """
    try:
        trace = json.loads(written.read_bytes())
        events = trace["traceEvents"]
        sites = {int(event["args"][key]) for event in events for key in _SITES if key in event["args"]}
    except (OSError, ValueError, TypeError, KeyError):
        return False
    places = symbolise.resolve_images(images, sites, prepared)
    for event in events:
        args: dict[str, Any] = event["args"]
        for key, (file, line) in _SITES.items():
            place = places.get(args.pop(key, 0))
            if place is not None:
                args[file], args[line] = place.file, place.line
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(trace), encoding="utf-8")
    return True
