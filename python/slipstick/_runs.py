"""Runs: computed, opened, and what is in them."""

from __future__ import annotations

import html
import json
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from . import _progress, _slipstick
from ._curves import TracedCurve
from ._figures import Figure
from ._loading import loaded, settings
from ._tables import Table
from .errors import StudyWarning, UnfinishedError, UnfinishedWarning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._parts import Part

__all__ = ["Named", "Report", "Run", "check", "open_run", "run"]

_T = TypeVar("_T")


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

    The numbers are those of the command ``slipstick run``, bit for bit. While it computes, other threads of Python run,
    and Ctrl-C interrupts; a run that is interrupted in a folder of your own continues with ``resume=True``.

    Raises:
        StudyError: if the study is wrong, with line and column.
        RunError: if the folder cannot be used.
        UnfinishedError: if nothing of what was asked for could be computed; the text has the reasons.

    Warns:
        UnfinishedWarning: if something that was asked for gave no result; ``Run.missing`` has the reasons.
    """
    bar = _progress.bar() if progress is True else None
    callback = bar if progress is True else (progress or None)
    try:
        found = compute(loaded(study), settings(set), jobs, out, resume, callback, whole=True, stacklevel=3)
    finally:
        if bar is not None:
            bar.close()
    return found


def compute(
    study: _slipstick.LoadedStudy,
    values: list[tuple[str, float]],
    jobs: int | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    callback: _progress.ProgressCallback | None = None,
    *,
    whole: bool = False,
    stacklevel: int,
) -> Run:
    """Carry out a study that was read; its warnings are about the line that many calls up.

    Without any result there is no run to return, unless the caller asks for a part of a study, ``whole`` being false.
    """
    for warning in study.check(values):
        warnings.warn(warning, StudyWarning, stacklevel=stacklevel)
    reporter = None if callback is None else _progress.Reporter(callback, study.ranges(values))
    folder = Path(tempfile.mkdtemp(prefix="slipstick-")) if out is None else Path(out)
    try:
        said, complete = _slipstick.compute(study, folder, values, jobs, resume, reporter)
        found = Run(folder, study=study, temporary=out is None)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    found.reported = tuple(said)
    results = (found.curves, found.trajectories, found.attractors, found.portraits, found.tables)
    if whole and found.missing and not found.stopped and not any(results):
        raise UnfinishedError("\n".join(said) or "; ".join(found.missing.values()))
    if said or not complete:
        warnings.warn("\n".join(said) or "the run is not complete", UnfinishedWarning, stacklevel=stacklevel)
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
    return Run(Path(folder), study_folder=Path(study_folder or ""))


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

    def __init__(
        self,
        folder: Path,
        *,
        study: _slipstick.LoadedStudy | None = None,
        study_folder: Path | None = None,
        temporary: bool = False,
    ) -> None:
        self.folder = folder
        self.reported: tuple[str, ...] = ()
        self._run = _slipstick.FinishedRun.read(folder)
        self._summary: dict[str, Any] = json.loads(self._run.summary())
        self._study_folder = study_folder
        self._study = study
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
        reasons: dict[str, str] = {}
        for missing in self._summary["missing"]:
            before = reasons.get(missing["curve"])
            reason = missing["reason"]
            reasons[missing["curve"]] = reason if before is None else f"{before}; {reason}"
        return reasons

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
            f"<p><code>{html.escape(entry['curve'])}</code>{'' if entry.get('partly') else ' produced no points'}: "
            f"{html.escape(entry['reason'])}</p>"
            for entry in self._summary["missing"]
        )
        stopped = "<p>interrupted before its end</p>" if self.stopped else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if body else ""
        return f"<h4>{html.escape(self.title)}</h4>{table}{missing}{stopped}"


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
