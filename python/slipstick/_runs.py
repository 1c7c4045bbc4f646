"""Runs: computed, opened, and what is in them."""

from __future__ import annotations

import html
import json
import re
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar, overload

import numpy as np

from . import _progress, _slipstick
from ._dense import ORDERS, Interpolant
from ._figures import Figure
from ._plotting import plot_curve, plot_orbit
from ._ron import quoted
from ._tables import Table
from .errors import RunError, StudyWarning, UnfinishedError, UnfinishedWarning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._parts import Part

__all__ = ["Multipliers", "Orbit", "Report", "Run", "TracedCurve", "check", "open_run", "run"]

_T = TypeVar("_T")

#: How a text begins that is a study rather than the name of a file: comments and attributes aside, with `Study(` or `(`.
_STUDY = re.compile(r"(\s|//[^\n]*\n|#!\[[^\]]*\])*(Study\s*)?\(")


def loaded(study: str | PathLike[str] | Part) -> _slipstick.LoadedStudy:
    """The study of a file, of a text, or made of Python objects."""
    if isinstance(study, str):
        is_text = "\n" in study or (_STUDY.match(study) is not None and not Path(study).exists())
        if is_text:
            return _slipstick.LoadedStudy.parse(study, "study.ron")
        return _slipstick.LoadedStudy.load(study)
    if isinstance(study, PathLike):
        return _slipstick.LoadedStudy.load(study)
    return _slipstick.LoadedStudy.parse(study.to_ron(), "study.ron")


def settings(set: Mapping[str, float] | None) -> list[tuple[str, float]]:
    """Parameter values from outside, in their order."""
    return [(name, float(value)) for name, value in (set or {}).items()]


def run(
    study: str | PathLike[str] | Part,
    *,
    set: Mapping[str, float] | None = None,
    jobs: int | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | _progress.ProgressCallback | None = None,
) -> Run:
    """Carry out a study.

    Args:
        study: The path of a study file, the text of a study, or a ``Study`` made of Python objects.
        set: Parameter values that replace those of the study's systems, as ``--set`` of the command.
        jobs: Threads to use; all cores by default. Results do not depend on it.
        out: The folder for the results. By default a temporary one, which goes with the last object that needs it;
            ``Run.save`` keeps it.
        resume: Continue an interrupted run in ``out``.
        progress: ``True`` for a bar (if tqdm is installed), or a function that is called with a ``Progress``.

    The numbers are those of the command ``slipstick run``, bit for bit. While it computes, other threads of Python run, and
    Ctrl-C interrupts; a run that is interrupted in a folder of your own continues with ``resume=True``.

    Raises:
        StudyError: if the study is wrong, with line and column.
        RunError: if the folder cannot be used.

    Warns:
        UnfinishedWarning: if something that was asked for gave no result; ``Run.missing`` has the reasons.
    """
    own = loaded(study)
    values = settings(set)
    for warning in own.check(values):
        warnings.warn(warning, StudyWarning, stacklevel=2)
    callback = _progress.bar() if progress is True else (progress or None)
    reporter = None if callback is None else _progress.Reporter(callback, own.ranges(values))
    folder = Path(tempfile.mkdtemp(prefix="slipstick-")) if out is None else Path(out)
    try:
        said, complete = _slipstick.compute(own, folder, values, jobs, resume, reporter)
        found = Run(folder, study_folder=_folder_of(study), temporary=out is None)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if isinstance(callback, _progress.Bar):
            callback.close()
    found.reported = tuple(said)
    if said or not complete:
        warnings.warn("\n".join(said) or "the run is not complete", UnfinishedWarning, stacklevel=2)
    return found


def check(study: str | PathLike[str] | Part, *, set: Mapping[str, float] | None = None) -> list[str]:
    """Check a study without computing anything: what a reader of it should look at.

    Raises:
        StudyError: if it is wrong, with line and column.
    """
    return loaded(study).check(settings(set))


def open_run(folder: str | PathLike[str], *, study_folder: str | PathLike[str] | None = None) -> Run:
    """Open the folder of a finished run, as the command leaves it: ``slipstick.open("output/stiction")``.

    Args:
        folder: The folder.
        study_folder: Where files that the study names are looked for, by default the current folder; only what goes
            back to the equations needs them.

    Raises:
        RunError: if there is no run.
    """
    return Run(Path(folder), study_folder=None if study_folder is None else Path(study_folder))


def _folder_of(study: str | PathLike[str] | Part) -> Path | None:
    if isinstance(study, PathLike) or (isinstance(study, str) and "\n" not in study and Path(study).exists()):
        return Path(study).resolve().parent
    return None


class Named(Mapping[str, _T], Generic[_T]):
    """Things by name, in order."""

    def __init__(self, what: str, names: list[str], make: Callable[[str], _T]) -> None:
        self._what, self._names, self._make = what, names, make
        self._made: dict[str, _T] = {}

    def __getitem__(self, name: str) -> _T:
        if name not in self._made:
            if name not in self._names:
                near = _slipstick.nearest(name, self._names)
                hint = f"did you mean `{near}`? " if near else ""
                known = ", ".join(self._names) or "none"
                raise KeyError(f"the run has no {self._what} `{name}`; {hint}it has: {known}")
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._what}s: {', '.join(self._names) or 'none'}>"

    def _ipython_key_completions_(self) -> list[str]:
        return self._names


class Run:
    """A finished run: its curves, tables and figures.

    Attributes:
        folder: The folder that holds it.
        reported: What was to be said when it was computed, in words.
    """

    def __init__(self, folder: Path, *, study_folder: Path | None = None, temporary: bool = False) -> None:
        self.folder = folder
        self.reported: tuple[str, ...] = ()
        self._run = _slipstick.FinishedRun.read(folder)
        self._summary: dict[str, Any] = json.loads(self._run.summary())
        self._study_folder = study_folder
        self._study: _slipstick.LoadedStudy | None = None
        if temporary:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.curves: Named[TracedCurve] = Named("curve", self._run.curves(), lambda name: TracedCurve(self, name))

    def _tables(self, what: str, kind: str) -> Named[Table]:
        return Named(what, self._run.names(kind), lambda name: Table(self._run.table_of(kind, name)))

    @property
    def special(self) -> Table:
        """The special points of all curves, with a message for each."""
        return Table(self._run.special())

    @property
    def points(self) -> Table:
        """The points of all curves."""
        return Table(self._run.points())

    @property
    def trajectories(self) -> Named[Table]:
        """The simulated trajectories."""
        return self._tables("trajectory", "trajectories")

    @property
    def attractors(self) -> Named[Table]:
        """What sweeps for attractors saw."""
        return self._tables("sweep", "attractors")

    @property
    def inequalities(self) -> Named[Table]:
        """The margins of all inequalities, by curve."""
        return self._tables("table of inequalities", "inequalities")

    @property
    def tables(self) -> Named[Table]:
        """The tables of tasks and analyses."""
        return self._tables("table", "tables")

    @property
    def portraits(self) -> Named[Table]:
        """The slow–fast objects, as ``portraits["layer/fold_lines"]``."""
        return self._tables("slow–fast object", "portraits")

    @property
    def figures(self) -> Named[Figure]:
        """The figures of the run's own study."""
        return Named("figure", self._run.figures(), lambda name: Figure(self._run.draw(name, None)))

    def figure(self, figure: str | Part) -> Figure:
        """A figure of the study by its name, or one that is described: by a ``Diagram(...)`` or its text."""
        if isinstance(figure, str) and "(" not in figure:
            return self.figures[figure]
        text = figure if isinstance(figure, str) else figure.to_ron()
        return Figure(self._run.draw(None, text))

    def report(self) -> Report:
        """The run on one page, which needs no network."""
        return Report(self.folder / "report.html", self)

    def show(self, what: str | None = None, *, all: bool = False) -> str:
        """What the command ``slipstick show`` says: of the run, of a curve, or of a point as ``"stiff, SB"``."""
        return self._run.show(what, all)

    @property
    def title(self) -> str:
        """The title of the study."""
        return self._loaded().title

    @property
    def study(self) -> str:
        """The text of the study."""
        return self._run.study()

    @property
    def set(self) -> dict[str, float]:
        """The parameter values that were set from outside."""
        return dict(self._summary["set"])

    @property
    def missing(self) -> dict[str, str]:
        """What produced no results, and why."""
        return {missing["curve"]: missing["reason"] for missing in self._summary["missing"]}

    @property
    def stopped(self) -> bool:
        """Was the run interrupted before its end?"""
        return bool(self._summary["stopped"])

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float(self._summary["seconds"])

    def save(self, folder: str | PathLike[str]) -> Path:
        """Copy the run's folder to one that does not exist yet; where it is then."""
        return Path(shutil.copytree(self.folder, folder))

    def plot(self, ax: Axes | None = None, *, x: str | None = None, y: str | None = None, labels: bool = True) -> Axes:
        """Draw all curves with matplotlib: stable solid, unstable dashed, special points with their labels."""
        for curve in self.curves.values():
            ax = curve.plot(ax, x=x, y=y, labels=labels)
        if ax is None:
            raise UnfinishedError("the run has no curve")
        return ax

    def _loaded(self) -> _slipstick.LoadedStudy:
        if self._study is None:
            place = (self._study_folder or Path()) / "study.ron"
            self._study = _slipstick.LoadedStudy.parse(self._run.study(), place)
        return self._study

    def _curve_summary(self, name: str) -> dict[str, Any]:
        return next((curve for curve in self._summary["curves"] if curve["name"] == name), {})

    def __repr__(self) -> str:
        state = ", interrupted" if self.stopped else ""
        return f"<Run {self.title!r}: curves {', '.join(self.curves) or 'none'}{state}>"

    def _repr_html_(self) -> str:
        cells = ["name", "points", "free", "from", "to", "special", "ended"]
        head = "".join(f"<th>{cell}</th>" for cell in ["curve", *cells[1:]])

        def cell(value: object) -> str:
            return html.escape(f"{value:.9g}" if isinstance(value, float) else str(value))

        body = "".join(
            "<tr>" + "".join(f"<td>{cell(curve.get(name))}</td>" for name in cells) + "</tr>"
            for curve in self._summary["curves"]
        )
        missing = "".join(
            f"<p><code>{html.escape(name)}</code> produced no points: {html.escape(why)}</p>"
            for name, why in self.missing.items()
        )
        stopped = "<p>interrupted before its end</p>" if self.stopped else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if body else ""
        return f"<h4>{html.escape(self.title)}</h4>{table}{missing}{stopped}"


class Multipliers:
    """Multipliers of every point of a curve, in descending order, as logarithms that neither overflow nor underflow.

    Attributes:
        log10: log₁₀ of the modulus, by point and multiplier.
        argument: The argument, likewise.
    """

    def __init__(self, log10: np.ndarray, argument: np.ndarray) -> None:
        self.log10, self.argument = log10, argument

    @property
    def values(self) -> np.ndarray:
        """The multipliers as complex numbers: infinite or zero where they leave what a double can hold."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            modulus = np.power(10.0, self.log10)
            # On the real axis they stay there.
            is_real = (self.argument == 0.0) | (np.abs(self.argument) == np.pi)
            real = modulus * np.cos(self.argument)
            imaginary = np.where(is_real, 0.0, modulus * np.sin(self.argument))
        values: np.ndarray = real + 1j * imaginary
        return values

    def __len__(self) -> int:
        return len(self.log10)

    def __repr__(self) -> str:
        return f"<{self.log10.shape[1]} multipliers of {len(self)} points>"


class TracedCurve(Table):
    """A curve of a run: a table of its points.

    ``curve["x_max"]`` and ``curve.x_max`` are a column as an array; ``len(curve)`` is the number of points.

    Attributes:
        name: Its name.
    """

    def __init__(self, run: Run, name: str) -> None:
        super().__init__(run._run.points(name))
        self.name = name
        self._of = run

    @property
    def run(self) -> Run:
        """The run that the curve belongs to."""
        return self._of

    @property
    def free_parameters(self) -> list[str]:
        """The free parameter; of a locus both."""
        return [name.strip() for name in str(self._of._curve_summary(self.name).get("free", "")).split(",")]

    @property
    def ended(self) -> str:
        """Why it ended, in words."""
        return str(self._of._curve_summary(self.name).get("ended", ""))

    @property
    def main_column(self) -> str:
        """The column that a diagram shows by default: the first monitor; of a locus the second parameter."""
        free = self.free_parameters
        if len(free) > 1:
            return free[1]
        columns = self.columns
        first = columns.index("period") + 1
        return columns[first] if first < columns.index("word") else "period"

    @property
    def special(self) -> Table:
        """The special points with a message for each."""
        return Table(self._of._run.special(self.name))

    @property
    def multipliers(self) -> Multipliers:
        """The multipliers over the full period."""
        return self._multipliers("mult")

    @property
    def half_multipliers(self) -> Multipliers:
        """Of symmetric orbits: the multipliers ν of the half map."""
        return self._multipliers("nu")

    def _multipliers(self, name: str) -> Multipliers:
        def part(ending: str) -> np.ndarray:
            numbers = sorted(
                int(match[1]) for column in self.columns if (match := re.fullmatch(rf"{name}(\d+)_{ending}", column))
            )
            columns = [self[f"{name}{number}_{ending}"] for number in numbers]
            return np.stack(columns, axis=1) if columns else np.empty((len(self), 0))

        return Multipliers(part("log10"), part("arg"))

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of equilibria: the eigenvalues by point, largest real part first."""
        numbers = [column[3:-3] for column in self.columns if re.fullmatch(r"eig\d+_re", column)]
        columns = [self[f"eig{number}_re"] + 1j * self[f"eig{number}_im"] for number in numbers]
        return np.stack(columns, axis=1) if columns else np.empty((len(self), 0), dtype=complex)

    @property
    def inequalities(self) -> Table | None:
        """The margin of every inequality at each point, if there are any."""
        return self._of.inequalities.get(self.name)

    @property
    def orbits(self) -> list[int]:
        """The indices of the points whose orbits are stored: the special ones."""
        return self._of._run.orbits(self.name)

    def index(self, point: str | int) -> int:
        """The index of a point: of a label ``"SB"`` (the first of its kind), ``"SB 2"``, or a level ``"Omega=5"``.

        Raises:
            RunError: if there is none.
        """
        if not isinstance(point, str):
            size = len(self)
            if not -size <= point < size:
                raise RunError(f"`{self.name}` has no point {point}; its points are 0 to {size - 1}")
            return int(point) % size
        found = self._of._run.find(self.name, point)
        if not found:
            raise RunError(f"`{self.name}` has no point {point}")
        return found[0]

    def orbit(self, point: str | int) -> Orbit:
        """The orbit at a special point, as ``curve.orbit("SB")``, ``curve.orbit("UZ 2")`` or by its index.

        Raises:
            RunError: if there is no such point.
            KeyError: if its orbit is not stored.
        """
        return Orbit(self, self.index(point))

    def figure(self, x: str | None = None, y: str | None = None) -> Figure:
        """A diagram of the curve, drawn by the engine."""
        x, y = x or self.free_parameters[0], y or self.main_column
        text = f"Diagram(name: {quoted(self.name)}, x: {quoted(x)}, y: {quoted(y)}, of: [{quoted(self.name)}])"
        return Figure(self._of._run.draw(None, text))

    def plot(
        self, ax: Axes | None = None, *, x: str | None = None, y: str | None = None, labels: bool = True, **style: Any
    ) -> Axes:
        """Draw the curve with matplotlib: stable solid, unstable dashed, special points with their labels.

        Args:
            ax: The axes; the current ones by default.
            x: The column to the right; the free parameter by default.
            y: The column upwards; the first monitor by default.
            labels: Mark the special points?
            style: What ``Axes.plot`` takes.
        """
        return plot_curve(self, ax, x, y, labels, style)

    def __repr__(self) -> str:
        special = ", ".join(label for label in self.special["label"])
        return f"<TracedCurve {self.name!r}: {len(self)} points, special points {special or 'none'}>"

    def _repr_svg_(self) -> str:
        return self.figure().svg

    def _repr_html_(self) -> str:
        return self.figure().svg


class Orbit(Table):
    """The orbit at a point of a curve: a table of its states over one period, and a function of time.

    ``orbit(t)`` has all states at the time ``t`` or, by state and time, at many times; ``orbit(t, "x")`` one of them.
    Times beyond the period go round. Between the rows the equations are used (see ``docs/python.md``).
    """

    def __init__(self, curve: TracedCurve, index: int) -> None:
        super().__init__(curve._of._run.orbit(curve.name, index))
        self._curve, self._index = curve, index
        self._dense: Interpolant | None = None

    @property
    def curve(self) -> TracedCurve:
        """The curve that the orbit is on."""
        return self._curve

    @property
    def at(self) -> dict[str, Any]:
        """What the curve's table says of its point: parameters, period, monitors, stability."""
        return self._curve.row(self._index)

    @property
    def title(self) -> str:
        """The curve and its point in a few words."""
        label = str(self._curve["label"][self._index])
        free = self._curve.free_parameters[0]
        value = self._curve[free][self._index]
        return f"{self._curve.name}{', ' + label if label else ''} ({free} = {value:.6g})"

    @property
    def period(self) -> float:
        """Its period; of a map the number of points."""
        return float(self._curve["period"][self._index])

    @property
    def multipliers(self) -> Multipliers:
        """Its multipliers."""
        row = slice(self._index, self._index + 1)
        of = self._curve.multipliers
        return Multipliers(of.log10[row], of.argument[row])

    @property
    def states(self) -> list[str]:
        """The names of the states."""
        return [name for name, _ in self._system()[1]]

    @property
    def plane(self) -> tuple[str, str]:
        """The two columns of its portrait."""
        names = [name for name in self.columns if name not in ("t", "mode", "canard", "label")]
        return (names[0], names[1]) if len(names) > 1 else ("t", names[0])

    def _system(self) -> Any:
        run = self._curve._of
        declared = run._loaded().declared(settings(run.set))
        fits = [system for system in declared if all(name in self for name, _ in system[1])]
        return max(fits, key=lambda system: len(system[1]))

    @overload
    def __call__(self, t: float, state: str) -> float: ...
    @overload
    def __call__(self, t: Any, state: str | None = None) -> np.ndarray: ...

    def __call__(self, t: Any, state: str | None = None) -> Any:
        names = self.states
        t = np.asarray(t, dtype=float)
        dense, turns = self._interpolant(names)
        first, length = dense.t[0], dense.t[-1] - dense.t[0]
        rounds = np.floor((t.ravel() - first) / length)
        found = dense(t.ravel() - rounds * length) + rounds[:, None] * turns
        states = found.T.reshape(len(names), *t.shape)
        if state is None:
            return states
        if state not in names:
            near = _slipstick.nearest(state, names)
            raise KeyError(f"there is no state `{state}`; {f'did you mean `{near}`? ' if near else ''}there are: {', '.join(names)}")
        one = states[names.index(state)]
        return float(one) if one.ndim == 0 else one

    def _interpolant(self, names: list[str]) -> tuple[Interpolant, np.ndarray]:
        values = np.stack([self[name] for name in names], axis=1)
        # An angle that turns round goes on turning.
        ends = values[-1] - values[0]
        whole = np.round(ends / (2.0 * np.pi))
        turns = np.where((whole != 0.0) & (np.abs(ends - 2.0 * np.pi * whole) < 1e-6 * np.abs(whole)), ends, 0.0)
        if self._dense is None:
            run = self._curve._of
            row = {name: value for name, value in self.at.items() if isinstance(value, float)}
            table = _slipstick.derivatives(
                run._loaded(), settings(run.set), self._curve.name, list(row.items()), self._table
            )
            if table is None:
                raise RunError("a cycle of a map has points only: it is no function of time")
            rates = Table(table)
            derivatives = np.stack(
                [np.stack([rates[f"{name} {order}"] for name in names], axis=1) for order in range(1, ORDERS + 1)]
            )
            self._dense = Interpolant(self["t"], values, derivatives)
        return self._dense, turns

    def figure(self, x: str | None = None, y: str | None = None) -> Figure:
        """The orbit in a plane of two of its columns, drawn by the engine."""
        first, second = self.plane
        x, y = x or first, y or second
        view = f"Time({quoted(y)})" if x == "t" else f"Plane({quoted(x)}, {quoted(y)})"
        text = f"Orbits(name: \"orbit\", of: [{quoted(f'{self._curve.name}: {self._index}')}], panels: [{view}])"
        return Figure(self._curve._of._run.draw(None, text))

    def plot(self, ax: Axes | None = None, *, x: str | None = None, y: str | None = None, **style: Any) -> Axes:
        """Draw the orbit with matplotlib in a plane of two of its columns; ``x="t"`` over time."""
        return plot_orbit(self, ax, x, y, style)

    def __repr__(self) -> str:
        return f"<Orbit {self.title}: period {self.period:.9g}, {len(self)} rows>"

    def _repr_svg_(self) -> str:
        return self.figure().svg

    def _repr_html_(self) -> str:
        return self.figure().svg


class Report:
    """The report of a run: one page that needs no network."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path
        self._run = run

    @property
    def html(self) -> str:
        """The page."""
        return self.path.read_text(encoding="utf-8")

    def save(self, path: str | PathLike[str]) -> Path:
        """Copy the page to a file."""
        return Path(shutil.copyfile(self.path, path))

    def open(self) -> bool:
        """Show the page in a browser; could that be asked for?"""
        import webbrowser

        return webbrowser.open(self.path.resolve().as_uri())

    def __repr__(self) -> str:
        return f"<Report {self.path}>"

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0"></iframe>'
