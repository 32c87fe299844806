"""`agentkernel doctor`: what works here, what is missing and how to get it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from agentkernel.cli.options import JsonOption, say

NEEDED = 3
"""Exit status when something that the default job needs is missing (as for a broken toolchain)."""


def doctor(
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what is missing.")] = False,
) -> int:
    """Say what works on this machine, what is missing and how to get it."""
    from agentkernel.doctor import checks

    found = checks(None if as_json or quiet else say)
    broken = [check for check in found if check.required and not check.ok]
    if as_json:
        typer.echo(json.dumps({"ok": not broken, "checks": [check.model_dump() for check in found]}, indent=2))
        return NEEDED if broken else 0
    for check in found:
        if quiet and check.ok:
            continue
        mark = "ok  " if check.ok else ("MISS" if check.required else "none")
        typer.echo(f"{mark}  {check.name:<22} {check.detail}")
        if not check.ok and check.hint:
            typer.echo(f"      {'':<22} -> {check.hint}")
    if broken:
        typer.echo(f"\n{len(broken)} of the things that the default job needs are missing.", err=True)
        return NEEDED
    return 0
