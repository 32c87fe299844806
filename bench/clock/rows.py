"""Published measurements and what the clock may do with them: fit on them, or be checked against them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

FILE = Path(__file__).parent / "rows.yaml"

Role = Literal["fit", "check"]

FIGURES = (
    "task_us",
    "aiv_us",
    "vec_us",
    "scalar_us",
    "mte2_us",
    "mte3_us",
    "cycles",
    "cycles_per_repeat",
    "ticks",
    "ratio",
)
"""Names that a figure may have; rows.yaml says what they mean."""


class Banks(BaseModel):
    """UB byte addresses of operands, and the strides of the first source in blocks of 32 bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    src0: int
    dst: int
    src1: int | None = None
    """None for an instruction with one source."""
    src0_block: int = 1
    src0_repeat: int = 8


class Row(BaseModel):
    """One published row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    table: str
    """Section of the collection of published figures."""
    case: str
    """What the source says about it."""
    kernel: str
    """What is run for it (`kernels.py`)."""
    cores: int = 1
    tile: int = 0
    """Elements per DataCopy."""
    pieces: int = 1
    """Pieces (blockCount) per DataCopy."""
    gap_bytes: int = 0
    dtype: Literal["half", "float"]
    l2_bypass: bool = False
    banks: Banks | None = None
    steps: tuple[Literal["block", "whole"], ...] = ()
    documented: bool = False
    """Whether the figure is a documented rule or effect size, not a measurement; it then counts in no mean."""
    role: Role
    used_by: tuple[str, ...] = ()
    """Parameters that had been fitted on this row when the split was made."""
    figures: dict[str, float] = Field(min_length=1)
    """Measured values by name; the unit stands in the name."""
    fit_figures: tuple[str, ...] = ()
    """Figures of a check row that repeat a fit row's."""
    note: str = ""

    @model_validator(mode="after")
    def _names_are_known(self) -> Row:
        for name in (*self.figures, *self.fit_figures):
            if name not in FIGURES:
                raise ValueError(f"{self.name}: there is no figure {name!r}")
        for name in self.fit_figures:
            if name not in self.figures:
                raise ValueError(f"{self.name}: {name!r} is not among its figures")
        return self

    def role_of(self, figure: str) -> Role:
        """Whether a figure may be fitted on."""
        return "fit" if figure in self.fit_figures else self.role


def load_rows(path: Path = FILE) -> tuple[Row, ...]:
    """Every row, in the order of the file.

    Raises:
        pydantic.ValidationError: The file is damaged.
    """
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(Row.model_validate(row) for row in data["rows"])
