"""Figures, as studies describe them.

Made from the sources of the engine by a test, which says how when they differ: do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._parts import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = [
    "Axes",
    "Basins",
    "Chart",
    "Data",
    "Diagram",
    "Family",
    "Horizontal",
    "Inset",
    "Manifold",
    "Millimetres",
    "Note",
    "Only",
    "Orbits",
    "Panels",
    "Path",
    "Plane",
    "Space",
    "Style",
    "Surface",
    "Through",
    "Time",
    "Trajectories",
    "Twins",
    "Vertical",
]


class Chart(Part):
    """A chart over two parameters, cell by cell: one colour for each word and period, lighter the more strongly the
    orbit attracts, darker the more chaotic, where the chart has exponents. Two-parameter curves are drawn over it.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: The chart: a task of the study.
        x: Parameter on the horizontal axis; by default the first of the chart that `y` is not.
        y: Parameter on the vertical axis; by default the next.
        at: Where the chart has further parameters: the values that the picture is at, by default the first of each. The
            nearest cells are shown.
        show: What is shown of cells with several attractors. Default: `Largest`.
        regimes: How many regimes, the most frequent, have a colour of their own; the others share one. Default: `8`.
        shade: Whether exponents shade the colours. Default: `true`.
        curves: Curves to draw over the cells; left out, all two-parameter curves whose free parameters are the axes.
        mark: Which special points of the curves are marked and named. Default: `All`.
        log: Axes with a logarithmic scale, besides those along which the values of the chart are logarithmic.
        x_range: Range of the horizontal axis; by default that of the cells.
        y_range: Range of the vertical axis; by default that of the cells.
        lines: Reference lines.
        notes: Words inside the panel, to name its regions.
        legend: Where the legend goes: above the panel unless a corner is named. Default: `Auto`.
        labels: Names of parameters, curves and regimes as they should read in this figure. Regimes go by their words or
            by what the legend calls them, e.g. `"period 3": "$1/3$"`, `"chaos": "chaotic"`.
        style: Size and look.
    """

    _written = "Chart"
    _fits = frozenset({"figure.Chart", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "text",
        "x": "text",
        "y": "text",
        "at": "{number}",
        "show": "#figure.Shown=Largest|Number",
        "regimes": "integer",
        "shade": "boolean",
        "curves": "[text]",
        "mark": "#figure.Marks=All|None",
        "log": "[#figure.Axis=X|Y]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "lines": "[#figure.Line]",
        "notes": "[#figure.Note]",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: str,
        x: str | None = None,
        y: str | None = None,
        at: Mapping[str, float] | None = None,
        show: AnyShown | None = None,
        regimes: int | None = None,
        shade: bool | None = None,
        curves: Sequence[str] | None = None,
        mark: AnyMarks | None = None,
        log: Sequence[AnyAxis] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        lines: Sequence[AnyLine] | None = None,
        notes: Sequence[Note] | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Basins(Part):
    """Basins of attraction in a plane of initial states: a colour for each attractor, and rings where attractors meet
    the plane, with their numbers in the table.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: The basins: a task of the study, over a grid.
        x: State on the horizontal axis; by default the first of the grid that `y` is not.
        y: State on the vertical axis; by default the next.
        at: Where the grid has further states: the values that the picture is at, by default the first of each. The
            nearest cells are shown.
        attractors: How many attractors, those with the largest basins, have a colour of their own; the others share
            one. Default: `8`.
        mark: Whether rings mark where attractors meet the plane. Default: `true`.
        log: Axes with a logarithmic scale, besides those along which the values of the grid are logarithmic.
        x_range: Range of the horizontal axis; by default that of the cells.
        y_range: Range of the vertical axis; by default that of the cells.
        lines: Reference lines.
        notes: Words inside the panel, to name its regions.
        legend: Where the legend goes: above the panel unless a corner is named. Default: `Auto`.
        labels: Names of states and attractors as they should read in this figure. Attractors go by their numbers, by
            the curves that pass through them, or by what the legend calls them: `"1": "left well"`.
        style: Size and look.
    """

    _written = "Basins"
    _fits = frozenset({"figure.Basins", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "text",
        "x": "text",
        "y": "text",
        "at": "{number}",
        "attractors": "integer",
        "mark": "boolean",
        "log": "[#figure.Axis=X|Y]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "lines": "[#figure.Line]",
        "notes": "[#figure.Note]",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: str,
        x: str | None = None,
        y: str | None = None,
        at: Mapping[str, float] | None = None,
        attractors: int | None = None,
        mark: bool | None = None,
        log: Sequence[AnyAxis] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        lines: Sequence[AnyLine] | None = None,
        notes: Sequence[Note] | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Data(Part):
    """Data of one's own in a diagram: two columns of a file as loggers and spreadsheets write it. The separator (comma,
    semicolon, tab or blanks), a decimal comma and a header are recognised; what follows `#` is a comment; rows without
    a number in one of the columns are left out.

    Args:
        file: The file, from the folder of the file that describes the figure.
        x: The column of the horizontal axis: its name in the header, in quotation marks, or its number from 1.
        y: The column of the vertical axis, likewise.
        draw: How they are drawn. Default: `Points`.
        label: What the legend calls them; by default the name of the file.
    """

    _written = "Data"
    _fits = frozenset({"figure.Data"})
    _keys = {
        "file": "text",
        "x": "formula",
        "y": "formula",
        "draw": "#figure.Drawn=Points|Line",
        "label": "text",
    }

    def __init__(
        self,
        *,
        file: str,
        x: str | int,
        y: str | int,
        draw: AnyDrawn | None = None,
        label: str | None = None,
    ) -> None:
        self._fill(locals())


class Diagram(Part):
    """Columns of `points.csv` against each other. Stable parts are solid, unstable ones dashed, inadmissible ones
    dotted; special points are marked and named. A column may be wrapped: `abs(x_min)`, `log10(margin)`. A `*` stands
    for any letters: `mult*_log10` draws every multiplier.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        x: Column on the horizontal axis.
        y: Column or columns on the vertical axis.
        of: Curves to draw; none means all. Two-parameter curves are among these only where the axes are their two free
            parameters; they are neither stable nor unstable.
        attractors: Sweeps for attractors, orbit diagrams and charts, drawn as dots under the curves; continua of states
            of rest by the lines along which they end.
        data: Data of one's own, in a figure that `slipstick plot` draws from a file.
        log: Axes with a logarithmic scale.
        x_range: Range of the horizontal axis; by default that of the data.
        y_range: Range of the vertical axis; by default that of the data inside `x_range`.
        mark: Which special points are marked and named. Default: `All`.
        lines: Reference lines.
        notes: Words inside the panel, to name its regions.
        inset: A magnified part in a corner.
        legend: Where the legend goes. Default: `Auto`.
        labels: Names of curves and columns as they should read in this figure, e.g. `"Omega": "forcing ratio
            $\\\\Omega$"`. An axis that shows several columns goes by their list: `"x_max, x_min": "$x$"`. Curves of the
            same name share a colour and a line of the legend.
        style: Size and look.
    """

    _written = "Diagram"
    _fits = frozenset({"figure.Diagram", "figure.Figure"})
    _keys = {
        "name": "text",
        "x": "text",
        "y": "names",
        "of": "[text]",
        "attractors": "[text]",
        "data": "[#figure.Data]",
        "log": "[#figure.Axis=X|Y]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "mark": "#figure.Marks=All|None",
        "lines": "[#figure.Line]",
        "notes": "[#figure.Note]",
        "inset": "#figure.Inset",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        x: str,
        y: str | Sequence[str],
        of: Sequence[str] | None = None,
        attractors: Sequence[str] | None = None,
        data: Sequence[Data] | None = None,
        log: Sequence[AnyAxis] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        mark: AnyMarks | None = None,
        lines: Sequence[AnyLine] | None = None,
        notes: Sequence[Note] | None = None,
        inset: Inset | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Family(Part):
    """The curves of a family in the colours of a parameter, with a bar that says which colour is which value. Stable
    parts are solid, unstable ones dashed, inadmissible ones dotted, as in a diagram.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: The family: a task of the study.
        x: Column on the horizontal axis.
        y: Column or columns on the vertical axis.
        colour: The parameter of the colours; by default the first of the family that has no value in `at`.
        at: Where the family goes over further parameters: the values that the members drawn have, or the nearest to
            them. Of parameters without a value here all members are drawn.
        view: How members lie. Default: `Plane`.
        curves: Curves to draw, with their branches; none means all of the family.
        mark: Which special points are marked: all by dots, or those with one of these labels by its symbol, which the
            legend explains. Default: `All`.
        trace: Labels whose special points are joined from member to member by black lines, named at their ends.
        log: Axes with a logarithmic scale. Colours follow the logarithm where the values of the family do.
        x_range: Range of the horizontal axis; by default that of the data.
        y_range: Range of the vertical axis; by default that of the data inside `x_range`.
        lines: Reference lines.
        notes: Words inside the panel, to name its regions.
        inset: A magnified part in a corner.
        legend: Where the legend goes. Default: `Auto`.
        labels: Names of columns and of the parameter of the colours as they should read in this figure, and of labels:
            `"LP": "fold"`.
        style: Size and look.
    """

    _written = "Family"
    _fits = frozenset({"figure.Family", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "text",
        "x": "text",
        "y": "names",
        "colour": "text",
        "at": "{number}",
        "view": "#figure.Members=Plane|Surface",
        "curves": "[text]",
        "mark": "#figure.Marks=All|None",
        "trace": "[text]",
        "log": "[#figure.Axis=X|Y]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "lines": "[#figure.Line]",
        "notes": "[#figure.Note]",
        "inset": "#figure.Inset",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: str,
        x: str,
        y: str | Sequence[str],
        colour: str | None = None,
        at: Mapping[str, float] | None = None,
        view: AnyMembers | None = None,
        curves: Sequence[str] | None = None,
        mark: AnyMarks | None = None,
        trace: Sequence[str] | None = None,
        log: Sequence[AnyAxis] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        lines: Sequence[AnyLine] | None = None,
        notes: Sequence[Note] | None = None,
        inset: Inset | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Manifold(Part):
    """Slow–fast objects of a portrait (`slow_fast` in the study) in a plane of two states: sheets of the critical
    manifold shaded by stability, folds, folded singularities, canards, slow manifolds, and orbits of curves laid over
    them, their canard segments in the colour of canards.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: The portrait.
        x: State or observable on the horizontal axis.
        y: State or observable on the vertical axis.
        show: What is drawn, from the back to the front. Default: `[Sheets, Folds, Canards, Singularities]`.
        through: The folded singularities (by their numbers in the tables) whose canards, manifolds and returns are
            drawn; none means all.
        orbits: Orbits laid over it, chosen as in `Orbits`: `"family: Omega=3"`.
        angles: Columns that are angles: drawn modulo 2π, broken where they wrap. Default: `["theta"]`.
        log: Axes with a logarithmic scale.
        x_range: Range of the horizontal axis; by default that of what is drawn.
        y_range: Range of the vertical axis.
        lines: Reference lines.
        notes: Words inside the panel.
        inset: A magnified part in a corner.
        legend: Where the legend goes. Default: `Auto`.
        labels: Names of columns and orbits as they should read in this figure.
        style: Size and look.
    """

    _written = "Manifold"
    _fits = frozenset({"figure.Manifold", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "text",
        "x": "text",
        "y": "text",
        "show": "[#figure.Object=Sheets|Slices|Folds|Flow|Canards|VraiCanards|SlowManifolds|MaximalCanards|Sections|Fates|Returns|Cycles|Singularities|Branches]",
        "through": "[integer]",
        "orbits": "[text]",
        "angles": "[text]",
        "log": "[#figure.Axis=X|Y]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "lines": "[#figure.Line]",
        "notes": "[#figure.Note]",
        "inset": "#figure.Inset",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: str,
        x: str,
        y: str,
        show: Sequence[AnyObject] | None = None,
        through: Sequence[int] | None = None,
        orbits: Sequence[str] | None = None,
        angles: Sequence[str] | None = None,
        log: Sequence[AnyAxis] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        lines: Sequence[AnyLine] | None = None,
        notes: Sequence[Note] | None = None,
        inset: Inset | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Panels(Part):
    """Several figures on one sheet.

    Args:
        name: Name of the figure and of its files.
        panels: The parts, row by row.
        columns: Panels side by side; 0 lets the page width decide. Default: `0`.
        share: Axes that panels below (X) or beside (Y) each other have in common.
        style: Size and look.
    """

    _written = "Panels"
    _fits = frozenset({"figure.Panels", "figure.Figure"})
    _keys = {
        "name": "text",
        "panels": "[#figure.Figure]",
        "columns": "integer",
        "share": "[#figure.Axis=X|Y]",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str,
        panels: Sequence[AnyFigure],
        columns: int | None = None,
        share: Sequence[AnyAxis] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Orbits(Part):
    """Orbits of labelled points.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: Which orbits: a curve, then what to take from it: labels, `column=value`, or indices, e.g. `"stiff: LP, SB,
            Omega=2, 17"`. The curve's name alone takes every orbit it has.
        panels: The views.
        columns: Panels side by side; 0 lets the page width decide. Default: `0`.
        shade: Shade the stick phases in time series. Default: `true`.
        angles: Columns that are angles: drawn modulo 2π, broken where they wrap. Default: `["theta"]`.
        legend: Where the legend goes. Default: `Auto`.
        labels: Names of curves, orbits and columns as they should read in this figure; an axis with several columns
            goes by their list, `"x, y"`. Canard segments go by `"canard"`.
        style: Size and look.
    """

    _written = "Orbits"
    _fits = frozenset({"figure.Orbits", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "[text]",
        "panels": "[#figure.View]",
        "columns": "integer",
        "shade": "boolean",
        "angles": "[text]",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: Sequence[str],
        panels: Sequence[AnyView],
        columns: int | None = None,
        shade: bool | None = None,
        angles: Sequence[str] | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Trajectories(Part):
    """Simulated trajectories.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: Names of the trajectories; none means all.
        panels: The views.
        columns: Panels side by side; 0 lets the page width decide. Default: `0`.
        shade: Shade the stick phases in time series. Default: `true`.
        angles: Columns that are angles: drawn modulo 2π, broken where they wrap. Default: `["theta"]`.
        legend: Where the legend goes. Default: `Auto`.
        labels: Names of trajectories and columns as they should read in this figure; an axis with several columns goes
            by their list, `"x, y"`.
        style: Size and look.
    """

    _written = "Trajectories"
    _fits = frozenset({"figure.Trajectories", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "[text]",
        "panels": "[#figure.View]",
        "columns": "integer",
        "shade": "boolean",
        "angles": "[text]",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: Sequence[str] | None = None,
        panels: Sequence[AnyView],
        columns: int | None = None,
        shade: bool | None = None,
        angles: Sequence[str] | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Note(Part):
    """Words inside a panel.

    Args:
        at: Where their middle is, in the units of the axes.
        text: The words; several lines are separated by `\\n`.
        to: A point of the panel that a thin line leads to from the words.
    """

    _written = "Note"
    _fits = frozenset({"figure.Note"})
    _keys = {
        "at": "(number, number)",
        "text": "text",
        "to": "(number, number)",
    }

    def __init__(
        self,
        *,
        at: tuple[float, float],
        text: str,
        to: tuple[float, float] | None = None,
    ) -> None:
        self._fill(locals())


class Inset(Part):
    """A magnified part of a panel.

    Args:
        x_range: Horizontal range magnified, by numbers or formulas of parameters as for lines.
        y_range: Vertical range magnified.
        corner: The corner it sits in; by default the emptiest. Default: `Auto`.
        size: Its width and height as parts of the panel's. Default: `(0.4, 0.4)`.
    """

    _written = "Inset"
    _fits = frozenset({"figure.Inset"})
    _keys = {
        "x_range": "(formula, formula)",
        "y_range": "(formula, formula)",
        "corner": "#figure.Corner=Auto|TopLeft|TopRight|BottomLeft|BottomRight",
        "size": "(number, number)",
    }

    def __init__(
        self,
        *,
        x_range: tuple[float | str, float | str],
        y_range: tuple[float | str, float | str],
        corner: AnyCorner | None = None,
        size: tuple[float, float] | None = None,
    ) -> None:
        self._fill(locals())


class Space(Part):
    """Curves and surfaces in the space of three columns: orbits, trajectories, objects of a portrait, surfaces and
    curves given by formulas. What a surface hides is drawn by fine dashes.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        x: Column along the first axis.
        y: Column along the second axis.
        z: Column along the axis that points upwards.
        orbits: Orbits, chosen as in `Orbits`. Formulas take the parameters of the first.
        trajectories: Simulated trajectories.
        of: The portrait whose objects are shown.
        show: What of the portrait is drawn: `Sheets`, `Folds`, `Flow`, `Canards`, `VraiCanards`, `SlowManifolds`,
            `MaximalCanards`, `Singularities`.
        through: The folded singularities whose canards and manifolds are drawn; none means all.
        surfaces: Surfaces given by formulas.
        paths: Curves given by formulas.
        angles: Columns that are angles: drawn modulo 2π, broken where they wrap. Default: `["theta"]`.
        x_range: Range of the first axis; by default that of what is drawn.
        y_range: Range of the second axis.
        z_range: Range of the axis upwards.
        view: Where the viewer stands: the direction in the plane of the first two axes, and the height above it, in
            degrees. Default: `(-60.0, 24.0)`.
        legend: Where the legend goes: above the panel unless a corner is named. Default: `Auto`.
        labels: Names of columns and orbits as they should read in this figure.
        style: Size and look.
    """

    _written = "Space"
    _fits = frozenset({"figure.Space", "figure.Figure"})
    _keys = {
        "name": "text",
        "x": "text",
        "y": "text",
        "z": "text",
        "orbits": "[text]",
        "trajectories": "[text]",
        "of": "text",
        "show": "[#figure.Object=Sheets|Slices|Folds|Flow|Canards|VraiCanards|SlowManifolds|MaximalCanards|Sections|Fates|Returns|Cycles|Singularities|Branches]",
        "through": "[integer]",
        "surfaces": "[#figure.Surface]",
        "paths": "[#figure.Path]",
        "angles": "[text]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "z_range": "(number, number)",
        "view": "(number, number)",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        x: str,
        y: str,
        z: str,
        orbits: Sequence[str] | None = None,
        trajectories: Sequence[str] | None = None,
        of: str | None = None,
        show: Sequence[AnyObject] | None = None,
        through: Sequence[int] | None = None,
        surfaces: Sequence[Surface] | None = None,
        paths: Sequence[Path] | None = None,
        angles: Sequence[str] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        z_range: tuple[float, float] | None = None,
        view: tuple[float, float] | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Surface(Part):
    """A surface given by formulas of `u`, `v` and the parameters.

    Args:
        x: The first coordinate.
        y: The second.
        z: The third.
        u: From where to where `u` goes: numbers or formulas of parameters.
        v: From where to where `v` goes.
        lines: So many lines along `u` are drawn on it. Default: `0`.
        label: Its name in the legend.
    """

    _written = "Surface"
    _fits = frozenset({"figure.Surface"})
    _keys = {
        "x": "text",
        "y": "text",
        "z": "text",
        "u": "(formula, formula)",
        "v": "(formula, formula)",
        "lines": "integer",
        "label": "text",
    }

    def __init__(
        self,
        *,
        x: str,
        y: str,
        z: str,
        u: tuple[float | str, float | str],
        v: tuple[float | str, float | str],
        lines: int | None = None,
        label: str | None = None,
    ) -> None:
        self._fill(locals())


class Path(Part):
    """A curve in space given by formulas of `u` and the parameters.

    Args:
        x: The first coordinate.
        y: The second.
        z: The third.
        u: From where to where `u` goes; a point if it does not.
        dashed: Whether it is dashed. Default: `false`.
        label: Its name in the legend.
    """

    _written = "Path"
    _fits = frozenset({"figure.Path"})
    _keys = {
        "x": "text",
        "y": "text",
        "z": "text",
        "u": "(formula, formula)",
        "dashed": "boolean",
        "label": "text",
    }

    def __init__(
        self,
        *,
        x: str,
        y: str,
        z: str,
        u: tuple[float | str, float | str],
        dashed: bool | None = None,
        label: str | None = None,
    ) -> None:
        self._fill(locals())


class Style(Part):
    """Size and look of a figure.

    Args:
        width: Width. Default: `OneColumn`.
        height: Height in millimetres; by default what suits the panels.
        palette: Colours. Default: `Colour`.
        font_size: Size of axis labels in points; the rest follows. Default: `8.0`.
        line_width: Width of curves in points. Default: `0.9`.
    """

    _written = "Style"
    _fits = frozenset({"figure.Style"})
    _keys = {
        "width": "#figure.Width=OneColumn|TwoColumns",
        "height": "number",
        "palette": "#figure.Palette=Colour|Monochrome",
        "font_size": "number",
        "line_width": "number",
    }

    def __init__(
        self,
        *,
        width: AnyWidth | None = None,
        height: float | None = None,
        palette: AnyPalette | None = None,
        font_size: float | None = None,
        line_width: float | None = None,
    ) -> None:
        self._fill(locals())


class Twins(Part):
    """How far the curves of regularisations and their special points are from those of the limit, over the small
    parameter in logarithmic axes. The legend says the order that fits each best.

    Args:
        name: Name of the figure and of its files. Not needed inside `Panels`.
        of: The comparison: a task of the study.
        columns: The columns whose distances are drawn; by default all that are compared, and the free parameter of
            special points.
        objects: The objects: `"curve"`, a label (`"LP"`) or one special point (`"LP 1"`); by default curves and special
            points.
        legend: Where the legend goes. Default: `Auto`.
        labels: Names of curves and columns as they should read in this figure.
        style: Size and look.
    """

    _written = "Twins"
    _fits = frozenset({"figure.Twins", "figure.Figure"})
    _keys = {
        "name": "text",
        "of": "text",
        "columns": "[text]",
        "objects": "[text]",
        "legend": "#figure.Legend=Auto|None|Outside|TopLeft|TopRight|BottomLeft|BottomRight",
        "labels": "{text}",
        "style": "#figure.Style",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        of: str,
        columns: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        legend: AnyLegend | None = None,
        labels: Mapping[str, str] | None = None,
        style: Style | None = None,
    ) -> None:
        self._fill(locals())


class Only(Part):
    """Those with one of these labels, named."""

    _written = "Only"
    _fits = frozenset({"figure.Marks"})
    _values = ("[text]",)

    def __init__(self, value1: Sequence[str], /) -> None:
        self._take(value1)


class Time(Part):
    """A column or several over time."""

    _written = "Time"
    _fits = frozenset({"figure.View"})
    _values = ("names",)

    def __init__(self, value1: str | Sequence[str], /) -> None:
        self._take(value1)


class Plane(Part):
    """One column against another: `Plane("theta", "y")`."""

    _written = "Plane"
    _fits = frozenset({"figure.View"})
    _values = ("text", "text")

    def __init__(self, value1: str, value2: str, /) -> None:
        self._take(value1, value2)


class Axes(Part):
    """Either of these with ranges and scales of its own.

    Args:
        x: Column on the horizontal axis.
        y: Column or columns on the vertical axis.
        log: Axes with a logarithmic scale.
        x_range: Range of the horizontal axis.
        y_range: Range of the vertical axis.
        lines: Reference lines.
        inset: A magnified part in a corner.
    """

    _written = "Axes"
    _fits = frozenset({"figure.View"})
    _keys = {
        "x": "text",
        "y": "names",
        "log": "[#figure.Axis=X|Y]",
        "x_range": "(number, number)",
        "y_range": "(number, number)",
        "lines": "[#figure.Line]",
        "inset": "#figure.Inset",
    }

    def __init__(
        self,
        *,
        x: str,
        y: str | Sequence[str],
        log: Sequence[AnyAxis] | None = None,
        x_range: tuple[float, float] | None = None,
        y_range: tuple[float, float] | None = None,
        lines: Sequence[AnyLine] | None = None,
        inset: Inset | None = None,
    ) -> None:
        self._fill(locals())


class Horizontal(Part):
    """A horizontal line across the panel.

    Args:
        at: Where.
        label: Text beside it.
    """

    _written = "Horizontal"
    _fits = frozenset({"figure.Line"})
    _keys = {
        "at": "formula",
        "label": "text",
    }

    def __init__(
        self,
        *,
        at: float | str,
        label: str | None = None,
    ) -> None:
        self._fill(locals())


class Vertical(Part):
    """A vertical line across the panel.

    Args:
        at: Where.
        label: Text beside it.
    """

    _written = "Vertical"
    _fits = frozenset({"figure.Line"})
    _keys = {
        "at": "formula",
        "label": "text",
    }

    def __init__(
        self,
        *,
        at: float | str,
        label: str | None = None,
    ) -> None:
        self._fill(locals())


class Through(Part):
    """A line through points.

    Args:
        points: The points.
        label: Its name in the legend.
    """

    _written = "Through"
    _fits = frozenset({"figure.Line"})
    _keys = {
        "points": "[(number, number)]",
        "label": "text",
    }

    def __init__(
        self,
        *,
        points: Sequence[tuple[float, float]],
        label: str | None = None,
    ) -> None:
        self._fill(locals())


class Millimetres(Part):
    """Any other."""

    _written = "Millimetres"
    _fits = frozenset({"figure.Width"})
    _values = ("number",)

    def __init__(self, value1: float, /) -> None:
        self._take(value1)


if TYPE_CHECKING:
    AnyShown: TypeAlias = Literal["Largest", "Number"]
    AnyDrawn: TypeAlias = Literal["Points", "Line"]
    AnyMarks: TypeAlias = Literal["All", "None"] | Only
    AnyMembers: TypeAlias = Literal["Plane", "Surface"]
    AnyObject: TypeAlias = Literal["Sheets", "Slices", "Folds", "Flow", "Canards", "VraiCanards", "SlowManifolds", "MaximalCanards", "Sections", "Fates", "Returns", "Cycles", "Singularities", "Branches"]
    AnyFigure: TypeAlias = Chart | Basins | Diagram | Family | Manifold | Panels | Orbits | Trajectories | Space | Twins
    AnyView: TypeAlias = Time | Plane | Axes
    AnyAxis: TypeAlias = Literal["X", "Y"]
    AnyLine: TypeAlias = Horizontal | Vertical | Through
    AnyCorner: TypeAlias = Literal["Auto", "TopLeft", "TopRight", "BottomLeft", "BottomRight"]
    AnyLegend: TypeAlias = Literal["Auto", "None", "Outside", "TopLeft", "TopRight", "BottomLeft", "BottomRight"]
    AnyWidth: TypeAlias = Literal["OneColumn", "TwoColumns"] | Millimetres
    AnyPalette: TypeAlias = Literal["Colour", "Monochrome"]
