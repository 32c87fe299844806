"""A timeline as a picture: the whole launch of one core above, a stretch of it with names and waits below."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentkernel.errors import ConfigError

if TYPE_CHECKING:
    from agentkernel.profile.analysis import Profile
    from agentkernel.profile.trace import Event, Trace

COLOURS = {
    "S": "#8c8c8c",
    "V": "#3b78b5",
    "M": "#7a5195",
    "MTE1": "#b07aa1",
    "MTE2": "#3d9970",
    "MTE3": "#d9822b",
    "FIX": "#a05d56",
}
LAUNCH, WAIT, TEXT = "#dddddd", "#c23b3b", "#333333"
DETAIL_EVENTS = 28
"""Instructions that the lower panel shows: more cannot be named."""
NAME_ROOM = 0.0048
"""Part of the panel's width that one letter takes."""
ROW = 0.62
"""Height of a bar; rows are 1 apart."""


def require_matplotlib() -> None:
    """Fail where pictures cannot be drawn.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ConfigError(
            "drawing a timeline needs matplotlib, which is not installed", hint="pip install 'agentkernel[plot]'"
        )


def plot(profile: Profile, trace: Trace, path: str | Path) -> None:
    """Draw the timeline of the profile's core to a file (PNG, or what the suffix says).

    Args:
        profile: What is known about the launch.
        trace: The launch.
        path: The picture.

    Raises:
        ConfigError: matplotlib is missing, or the file cannot be written.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    events = trace.of_core(profile.core)
    pipes = [p.pipe for p in profile.pipes]
    first, last = stretch(events, profile.core_us)
    figure = Figure(figsize=(15, 2.6 + 0.95 * len(pipes)), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, height_ratios=[1, 1.5])
    figure.suptitle(_title(profile), x=0.01, ha="left", fontsize=12, color=TEXT)
    _whole(above, events, profile, pipes, (first, last))
    _detail(below, events, pipes, (first, last), trace.mte_latency_us)
    try:
        figure.savefig(path, dpi=110)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot write {path}: {error}", hint="name a .png in a folder that exists") from error


def stretch(events: Sequence[Event], core_us: float) -> tuple[float, float]:
    """Begin and end (us) of the part that is shown in detail: around the middle, where loops run steadily."""
    work = [e for e in events if not e.waiting and e.name != "start of the block"]
    if not work:
        return 0.0, core_us
    if len(work) <= DETAIL_EVENTS:
        begin, end = work[0].start, max(e.end for e in work)
    else:
        middle = len(work) // 2 - DETAIL_EVENTS // 2
        shown = work[middle : middle + DETAIL_EVENTS]
        begin, end = shown[0].start, max(e.end for e in shown)
    room = 0.02 * (end - begin)
    return max(0.0, begin - room), end + room


def _title(profile: Profile) -> str:
    text = (
        f"{profile.task} / {profile.case} on {profile.chip}: {profile.kernel_us:.2f} µs (simulated), "
        f"bound by {profile.bound}"
    )
    if profile.roofline is not None and profile.roofline.limit_us:
        text += f", {profile.roofline.distance:.1f} times the roofline"
    return text


def _whole(
    axes: Any, events: Sequence[Event], profile: Profile, pipes: Sequence[str], shown: tuple[float, float]
) -> None:
    for row, pipe in enumerate(pipes):
        bars = [(e.start, e.duration) for e in events if e.pipe == pipe and not e.waiting]
        axes.broken_barh(merged(bars, profile.core_us / 3000), (row - ROW / 2, ROW), color=COLOURS[pipe], linewidth=0)
    labels = {p.pipe: f"{p.pipe}  {p.share:.0%}" for p in profile.pipes}
    _rows(axes, [labels[pipe] for pipe in pipes])
    axes.axvspan(*shown, color="#f4e7a1", alpha=0.45, zorder=0)
    axes.set_xlim(0, profile.core_us * 1.001)
    whole = "whole run" if profile.complete else "beginning of the run (the trace is cut off)"
    title = f"core {profile.core} of {profile.cores}, {whole}; busy share beside each pipe; marked: the stretch below"
    axes.set_title(title, loc="left", fontsize=9, color=TEXT)


def _detail(
    axes: Any, events: Sequence[Event], pipes: Sequence[str], shown: tuple[float, float], latency: float
) -> None:
    first, last = shown
    width = last - first
    for row, pipe in enumerate(pipes):
        if pipe == "MTE2":
            on_the_way = merged([(e.end, latency) for e in events if e.pipe == pipe], 0)
            axes.broken_barh(on_the_way, (row - ROW / 8, ROW / 4), color=COLOURS[pipe], alpha=0.35, linewidth=0)
        for e in events:
            if e.pipe != pipe or e.end < first or e.start - e.waited > last:
                continue
            if e.waiting:
                _wait(axes, row, (e.start, e.end), e, shown)
                continue
            axes.broken_barh(
                [(e.start, e.duration)], (row - ROW / 2, ROW), facecolor=COLOURS[pipe], edgecolor="white", linewidth=0.6
            )
            name = e.name if e.line is None else f"{e.name}:{e.line}"
            _text(axes, row, (e.start, e.end), (name, e.name), shown, color="white")
            if e.held and e.waited > 0.004 * width:
                _wait(axes, row, (e.start - e.waited, e.start), e, shown)
    _rows(axes, pipes)
    axes.set_xlim(first, last)
    axes.set_xlabel("µs since the core began (simulated)", fontsize=9, color=TEXT)
    axes.set_title(
        "in detail: call and its line; pale: data on the way; red: the pipe stands still, and for which pipe",
        loc="left",
        fontsize=9,
        color=TEXT,
    )


def _wait(axes: Any, row: int, span: tuple[float, float], event: Event, shown: tuple[float, float]) -> None:
    begin, end = max(span[0], shown[0]), min(span[1], shown[1])
    if end <= begin:
        return
    axes.plot([begin, end], [row, row], color=WAIT, linewidth=1.2, alpha=0.75, solid_capstyle="butt")
    _text(axes, row - 0.2, (begin, end), (f"waits for {event.on}", event.on), shown, color=WAIT)


def _text(
    axes: Any, row: float, span: tuple[float, float], texts: Sequence[str], shown: tuple[float, float], *, color: str
) -> None:
    """Write the first of the texts that fits into the span, in its middle."""
    begin, end = max(span[0], shown[0]), min(span[1], shown[1])
    room = (end - begin) / (shown[1] - shown[0]) / NAME_ROOM
    for text in texts:
        if len(text) <= room:
            axes.text((begin + end) / 2, row, text, ha="center", va="center", fontsize=7.5, color=color, clip_on=True)
            return


def _rows(axes: Any, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)  # the scalar program on top
    axes.tick_params(labelsize=9, labelcolor=TEXT, length=0)
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def merged(bars: Sequence[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """(start, length) bars with those that are less than `gap` apart joined: thousands of bars are drawn as few."""
    result: list[tuple[float, float]] = []
    for start, length in sorted(bars):
        if result and start - (result[-1][0] + result[-1][1]) < gap:
            begin = result[-1][0]
            result[-1] = (begin, max(result[-1][0] + result[-1][1], start + length) - begin)
        else:
            result.append((start, length))
    return result
