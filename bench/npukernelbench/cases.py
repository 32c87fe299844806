"""Rows of a task's case table, typed as the benchmark's own reader types them, and size tiers.

The benchmark reads its tables with pandas and hands each row to the task's generator. Which type a value has decides
what the generator does with it (`eval` of a text, arithmetic with a number), so the reader here follows pandas' rules
for whole columns; a row offers what generators use of a pandas row: `row[...]`, `row.get(...)`, attribute access,
iteration over names.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from agentkernel.errors import ConfigError

_MISSING = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"}
_MISSING |= {"NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
"""Texts that pandas 2 reads as a missing value."""
_INTEGER = re.compile(r"\s*[+-]?\d+\s*")
_FLOAT = re.compile(r"\s*[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|Inf|INF|infinity)\s*")
_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


class Tier(StrEnum):
    """Size of a case, by the number of elements of all its inputs."""

    TINY = "1e5"
    SMALL = "1e6"
    MEDIUM = "4e6"
    LARGE = "1e7"
    HUGE = "1e8"
    BEYOND = "more"


_TIERS = (
    (100_000, Tier.TINY),
    (1_000_000, Tier.SMALL),
    (4_000_000, Tier.MEDIUM),
    (10_000_000, Tier.LARGE),
    (100_000_000, Tier.HUGE),
)


def tier_of(elements: int) -> Tier:
    """The tier of a case with so many input elements."""
    return next((tier for most, tier in _TIERS if elements <= most), Tier.BEYOND)


class Row(Mapping[str, Any]):
    """One case: values by column name, in the table's order.

    Args:
        values: Values by column; `case_id` is one of them.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._values:
            return self._values[name]
        raise AttributeError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "".join(f"{name:<24}{value}\n" for name, value in self._values.items())

    def to_dict(self) -> dict[str, Any]:
        """The values as a plain dictionary."""
        return dict(self._values)

    @property
    def case_id(self) -> int:
        """Number of the case."""
        return int(self._values["case_id"])


def read_rows(file: Path) -> tuple[Row, ...]:
    """The cases of a table, in its order.

    Raises:
        ConfigError: The table cannot be read, has no `case_id`, or rows of different length.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {file}: {error}", hint="the checkout is not complete") from error
    lines = [line for line in csv.reader(io.StringIO(text), delimiter=";") if any(cell.strip() for cell in line)]
    if not lines or lines[0][0] != "case_id":
        raise ConfigError(f"{file}: the first column is not case_id", hint="a table of cases begins with it")
    names, body = lines[0], lines[1:]
    for number, line in enumerate(body, start=2):
        if len(line) > len(names):
            raise ConfigError(f"{file}:{number}: {len(line)} values for {len(names)} columns", hint="look for a `;`")
    columns = [_column([line[k] if k < len(line) else "" for line in body]) for k in range(len(names))]
    if all(isinstance(value, int | float) for column in columns for value in column):
        columns = _one_type(columns)
    return tuple(Row(dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True))


def _column(cells: list[str]) -> list[Any]:
    """A column's values with the type that all of them allow: integers, floats or texts.

    Booleans become 1 and 0, and whole floats integers, as the benchmark makes them; a missing value is a NaN.
    """
    present = [cell for cell in cells if cell not in _MISSING]
    if len(present) == len(cells) and all(_INTEGER.fullmatch(cell) for cell in cells):
        return [int(cell) for cell in cells]
    if all(_FLOAT.fullmatch(cell) for cell in present):
        numbers = [math.nan if cell in _MISSING else float(cell) for cell in cells]
        whole = all(math.isfinite(number) and number == int(number) for number in numbers)
        return [int(number) for number in numbers] if whole else list(numbers)
    if all(cell in _TRUTH for cell in present):
        if len(present) == len(cells):
            return [int(_TRUTH[cell]) for cell in cells]
        return [math.nan if cell in _MISSING else _TRUTH[cell] for cell in cells]
    return [math.nan if cell in _MISSING else cell for cell in cells]


def _one_type(columns: list[list[Any]]) -> list[list[Any]]:
    """A row of numbers alone has one type: a float among them makes floats of all."""
    if any(isinstance(value, float) for column in columns for value in column):
        return [[float(value) for value in column] for column in columns]
    return columns
