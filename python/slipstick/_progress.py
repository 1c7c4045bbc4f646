"""How a run is going."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

__all__ = ["Progress", "ProgressCallback"]


@dataclass(frozen=True)
class Progress:
    """What a progress callback is given, each time that something happens in a run."""

    #: "curve begins", "searching", "point", "curve ends", "work begins", "work", "work ends" or "writing".
    kind: str
    #: The name of the curve or task.
    name: str
    #: The value of the free parameter, where there is one.
    value: float | None
    #: The label of a special point.
    label: str | None
    #: How many parts of a task are done, or seeds of a search are tried, …
    done: int | None
    #: … and how many there are.
    of: int | None
    #: How many points were computed so far, on all curves.
    points: int
    #: How much of the ranges of all curves is covered, from 0 to 1.
    fraction: float


ProgressCallback = Callable[[Progress], object]


class Reporter:
    """Adds up what single events say, and passes it on."""

    def __init__(self, callback: ProgressCallback, ranges: list[tuple[str, tuple[float, float]]]) -> None:
        self._callback = callback
        self._ranges = dict(ranges)
        self._reached: dict[str, tuple[float, float]] = {}
        self._ended: set[str] = set()
        self._points = 0

    def _part(self, name: str) -> float:
        if name in self._ended:
            return 1.0
        if name not in self._reached:
            return 0.0
        (a, b), (low, high) = self._ranges[name], self._reached[name]
        if a > 0.0 and b > 10.0 * a and low > 0.0:
            part = log(high / low) / log(b / a)
        else:
            part = (high - low) / (b - a)
        # A curve may turn and come back: it is over when it says so.
        return min(max(part, 0.0), 0.99)

    def __call__(
        self, kind: str, name: str, value: float | None, label: str | None, done: int | None, of: int | None
    ) -> None:
        if kind == "point":
            self._points += 1
            if name in self._ranges and value is not None:
                low, high = self._reached.get(name, (value, value))
                self._reached[name] = (min(low, value), max(high, value))
        elif kind == "curve ends":
            self._ended.add(name)
        parts = [self._part(name) for name in self._ranges]
        fraction = sum(parts) / len(parts) if parts else float(kind == "writing")
        self._callback(Progress(kind, name, value, label, done, of, self._points, fraction))


class Bar:
    """A bar of tqdm."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}{postfix}")

    def __call__(self, progress: Progress) -> None:
        where = progress.name or progress.kind
        if progress.value is not None:
            where += f" at {progress.value:.7g}"
        elif progress.done is not None:
            where += f" {progress.done}/{progress.of}"
        self._bar.set_postfix_str(f"{progress.points} points, {where}", refresh=False)
        self._bar.update(max(progress.fraction - self._bar.n, 0.0))

    def close(self) -> None:
        self._bar.refresh()
        self._bar.close()


def bar() -> Bar | None:
    """A bar of tqdm, where that is installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return Bar(tqdm)
