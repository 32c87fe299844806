"""Rules that kernels break most often, in a sentence each, with what they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.knowledge.index import DATA


class Pitfall(BaseModel):
    """One rule."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    text: str
    """The rule, and what to write; one to three sentences."""
    tags: tuple[str, ...] = ()
    """Subjects: `queue`, `sync`, `copy`, `tail`, `dtype`, `mask`, `reduce`, `language`, ..."""
    apis: tuple[str, ...] = ()
    """Ascend C names that it speaks about."""
    codes: tuple[str, ...] = ()
    """Diagnostic codes that it explains."""
    weight: int = Field(default=1, ge=0, le=3)
    """How often kernels break it: 3 for nearly every first draft."""


@cache
def load_pitfalls() -> tuple[Pitfall, ...]:
    """All rules, in the order of the file (by subject)."""
    import yaml

    raw = yaml.safe_load((DATA / "pitfalls.yaml").read_text(encoding="utf-8"))
    return tuple(Pitfall.model_validate(entry) for entry in raw)


def pitfalls_for(
    *, codes: Iterable[str] = (), apis: Iterable[str] = (), tags: Iterable[str] = (), limit: int = 5
) -> tuple[Pitfall, ...]:
    """Rules that explain diagnostic codes or speak about names or subjects, most fitting first.

    Args:
        codes: Codes of diagnostics; the strongest reason.
        apis: Names that the kernel uses or a diagnostic touches.
        tags: Subjects.
        limit: Largest number of rules.
    """
    wanted_codes, wanted_apis, wanted_tags = set(codes), set(apis), set(tags)
    scored = []
    for position, pitfall in enumerate(load_pitfalls()):
        score = (
            6 * len(wanted_codes & set(pitfall.codes))
            + 3 * len(wanted_apis & set(pitfall.apis))
            + 2 * len(wanted_tags & set(pitfall.tags))
        )
        if score:
            scored.append((-(score + pitfall.weight), position, pitfall))
    return tuple(pitfall for _, _, pitfall in sorted(scored, key=lambda item: item[:2])[:limit])
