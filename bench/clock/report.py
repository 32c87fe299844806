"""The table of measured and simulated figures, and what it says on the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from agentkernel.bench.clock.rows import Role, Row
from agentkernel.simulator.chips import Chip

COMMAND = "python -m agentkernel.bench.clock"


class Compared(BaseModel):
    """One figure of one row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: str
    figure: str
    role: Role
    documented: bool = False
    """Whether `measured` is a documented rule or effect size instead."""
    measured: float
    simulated: float

    @property
    def error(self) -> float:
        """Simulated against measured, in per cent; positive where the simulation is slower or larger."""
        return 100 * (self.simulated / self.measured - 1)


def compare(rows: Iterable[Row], simulate: Callable[[Row], Mapping[str, float]]) -> tuple[Compared, ...]:
    """Every figure of every row beside the simulated one.

    Raises:
        KeyError: A figure was not simulated.
    """
    compared: list[Compared] = []
    for row in rows:
        figures = simulate(row)
        compared += [
            Compared(
                row=row.name,
                figure=name,
                role=row.role_of(name),
                documented=row.documented,
                measured=value,
                simulated=figures[name],
            )
            for name, value in row.figures.items()
        ]
    return tuple(compared)


def _measured(compared: Iterable[Compared], role: Role) -> list[Compared]:
    return [one for one in compared if one.role == role and not one.documented]


def mean_error(compared: Iterable[Compared], role: Role) -> float:
    """Mean of |error| over the measured figures of a role, in per cent.

    Raises:
        ValueError: There is none.
    """
    errors = [abs(one.error) for one in _measured(compared, role)]
    if not errors:
        raise ValueError(f"no measured figure has the role {role!r}")
    return sum(errors) / len(errors)


def summary(compared: Sequence[Compared]) -> str:
    """One line for each role."""
    lines = []
    for role in ("check", "fit"):
        errors = sorted(_measured(compared, role), key=lambda one: -abs(one.error))
        rows = len({one.row for one in errors})
        worst = errors[0]
        lines.append(
            f"{role}: mean error {mean_error(compared, role):.1f} % over {len(errors)} measured figures of "
            f"{rows} rows, "
            f"{sum(abs(one.error) <= 20 for one in errors)} within 20 %; "
            f"worst {worst.row} {worst.figure} {worst.error:+.1f} %"
        )
    return "\n".join(lines)


def table(compared: Sequence[Compared]) -> str:
    """A Markdown table, one line a figure."""
    lines = ["| row | figure | role | measured | simulated | error |", "|---|---|---|---:|---:|---:|"]
    for one in compared:
        role = f"{one.role}, documented" if one.documented else one.role
        numbers = f"{one.measured:.7g} | {one.simulated:.6g} | {one.error:+.1f} %"
        lines.append(f"| {one.row} | {one.figure} | {role} | {numbers} |")
    return "\n".join(lines)


def document(compared: Sequence[Compared], rows: Sequence[Row], chip: Chip) -> str:
    """Text of docs/clock.md."""
    marks = "\n".join(f"- {line}" for line in summary(compared).splitlines())
    cases = "\n".join(f"| {row.name} | {row.table} | {_cell(row)} |" for row in rows)
    params = "\n".join(
        f"| {name} | {param.value:g} {param.unit} | {param.source} |"
        for name, param in chip.params.items()
        if name not in _SIZES and name not in _SIZES_OF_CUBE
    )
    return f"""# The clock against published measurements

Written by `{COMMAND}`. Times of the simulator are estimates, labelled `simulated` wherever they are shown.
No card was used: measured figures are those that write-ups of the A2 chip publish.

{marks}

The rows were split into `fit` (parameters may be fitted on them) and `check` (they may not) before the clock was
changed for them; the rule of the split, and which rows the first parameters had been fitted on, are in
`bench/clock/rows.yaml`. No parameter takes its value from a check row. They are not blind, though: who chose which
effects to model had read the whole collection. Means are over all measured figures of a role, misses included; rows
that state a documented rule or effect size are shown and not counted.

## Figures

{table(compared)}

Times end in `_us`: the task, its part on the cores (`aiv`) and busy times of the pipes. `ratio` is against the row's
base case, `cycles` are of the core's clock, `ticks` of the 50 MHz counter.

## What is missed

- `mte3_us` of add-bypass-48-cores: the published busy time of stores triples beside loads that bypass L2, probably by
  waiting for them. Stores here run at the core's own pace into L2; the task's time does not depend on it.
- `scalar_us` with 48 cores: the published scalar time of a tile grows with the number of cores, here it does not.
- add-vector-48-cores: 8 KiB copies of 48 cores reach less of the memory's bandwidth than 32 KiB ones; here the
  bandwidth of memory does not depend on the size of copies.
- Reductions one after another: one latency stands for all kinds of reductions.
- Not modelled: translation misses, instruction fetch, order of requests at a channel of memory, effects of the device
  compiler (constant folding). Two cores that read one line at different times are counted as if they met.

## Rows

| row | table | what the source says |
|---|---|---|
{cases}

Tables are numbered as in the project's collection of published figures. Rows with one core, and the loads of tiles, are
simulated at two smaller sizes and extended along the line through both; the others have their full size.

## Parameters of {chip.name}

| parameter | value | source |
|---|---|---|
{params}
"""


_SIZES = ("vector_cores", "ub_bytes", "ub_stack_end_bytes", "l1_bytes")
_SIZES_OF_CUBE = ("l0a_bytes", "l0b_bytes", "l0c_bytes", "bt_bytes", "fb_bytes")


def _cell(row: Row) -> str:
    text = f"{row.case}. {row.note}" if row.note else row.case
    return text.replace("|", "\\|")
