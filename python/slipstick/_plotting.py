"""Curves and orbits on axes of matplotlib: stable solid, unstable dashed, special points with their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._curves import Orbit, TracedCurve


def own_axes(ax: Axes | None) -> Axes:
    """The axes given, or the current ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def plot_curve(
    curve: TracedCurve, ax: Axes | None, x: str | None, y: str | None, labels: bool, style: dict[str, Any]
) -> Axes:
    """Draw a curve of a diagram."""
    ax = own_axes(ax)
    x, y = x or curve.free_parameters[0], y or curve.main_column
    horizontal, vertical, stable = curve[x], curve[y], curve["stable"]
    name: str | None = style.pop("label", curve.name)
    # A piece of the line between two points is stable where both are.
    solid = stable[1:] & stable[:-1]
    changes = np.flatnonzero(np.diff(solid)) + 1
    for begin, end in zip([0, *changes], [*changes, len(solid)]):
        if begin < end:
            kind = "-" if solid[begin] else "--"
            points = slice(begin, end + 1)
            (line,) = ax.plot(horizontal[points], vertical[points], **{"linestyle": kind, "label": name, **style})
            # One curve has one colour, and one entry in the legend.
            style["color"], name = line.get_color(), None
    special = curve.special
    shown = [row for row, label in enumerate(special["label"]) if label != "EP"]
    if labels and shown and "color" in style:
        at = special["index"][shown].astype(int)
        ax.plot(horizontal[at], vertical[at], "o", color=style["color"], markersize=4)
        for row, index in zip(shown, at):
            place = (horizontal[index], vertical[index])
            ax.annotate(special["label"][row], place, xytext=(4, 4), textcoords="offset points", fontsize="small")
    if not ax.get_xlabel():
        ax.set_xlabel(x)
    if not ax.get_ylabel():
        ax.set_ylabel(y)
    return ax


def plot_orbit(orbit: Orbit, ax: Axes | None, x: str | None, y: str | None, style: dict[str, Any]) -> Axes:
    """Draw an orbit in a plane of two of its columns."""
    ax = own_axes(ax)
    first, second = orbit.plane
    x, y = x or first, y or second
    style.setdefault("label", orbit.title)
    ax.plot(orbit[x], orbit[y], **style)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax
