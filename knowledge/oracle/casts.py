"""Legal conversions of Cast: pair of element types and round mode."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from agentkernel.knowledge.index import Index
from agentkernel.knowledge.oracle.calls import Argument, Problem


def cast_problem(index: Index, args: Sequence[Argument]) -> Problem | None:
    """What is wrong with `Cast(dst, src, roundMode, ...)`; None if it is legal or not known.

    Args:
        index: The chip's index with its cast rules.
        args: Arguments of the call.
    """
    tensors = [a.type for a in args[:2] if a.type is not None and a.type.is_tensor]
    if len(args) < 4 or len(tensors) < 2:
        return None
    dst, src = tensors[0].element, tensors[1].element
    known = {name for rule in index.casts for name in (rule.src, rule.dst)} | {"uint16_t", "uint32_t", "uint64_t"}
    if dst is None or src is None or dst.name not in known or src.name not in known:
        return None
    rules = {(rule.src, rule.dst): rule for rule in index.casts}
    rule = rules.get((src.name, dst.name))
    if rule is None:
        return Problem(
            "cast-not-supported",
            f"`Cast` from {src.name} to {dst.name} does not exist on this chip.",
            _detour(rules.keys(), src.name, dst.name),
            argument=0,
            evidence={"src": src.name, "dst": dst.name, "legal": sorted(d for s, d in rules if s == src.name)},
        )
    mode = re.fullmatch(r"(?:AscendC::)?(?:RoundMode::)(CAST_\w+)", args[2].text)
    modes = index.type("RoundMode")
    named = mode.group(1) if mode is not None else ""
    if modes is None or named not in modes.values or named in rule.modes or "ignored" in rule.note:
        return None
    legal = ", ".join(f"RoundMode::{m}" for m in rule.modes)
    return Problem(
        "cast-not-supported",
        f"`Cast` from {src.name} to {dst.name} does not take RoundMode::{named}.",
        f"Legal: {legal}.",
        argument=2,
        evidence={"src": src.name, "dst": dst.name, "mode": named, "legal": list(rule.modes)},
    )


def _detour(legal: Set[tuple[str, str]], src: str, dst: str) -> str:
    for middle in ("float", "half", "int32_t"):
        if (src, middle) in legal and (middle, dst) in legal:
            return f"Cast {src} to {middle} first, then {middle} to {dst}."
    targets = sorted(d for s, d in legal if s == src)
    return (
        f"From {src} the chip casts to {', '.join(targets)} only." if targets else f"The chip has no Cast from {src}."
    )
