"""What can be done with a system without a study: simulations, single orbits, their continuation point by point."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _slipstick
from ._dense import ORDERS, Interpolant
from ._loading import of_text, settings
from ._parts import Part
from ._ron import mapping, number, quoted
from ._tables import Table
from .errors import StudyWarning, UnfinishedError, UnfinishedWarning

if TYPE_CHECKING:
    from ._curves import Orbit, TracedCurve
    from ._runs import Run

__all__ = ["Continuation", "CurvePoint", "Flow", "FlowEvent", "FoundOrbit", "System", "TextSystem", "system"]


class System(Part):
    """A system of equations. ``Smooth``, ``Map``, ``Hybrid``, … and the built-in systems are such."""

    def flow(
        self,
        x0: Mapping[str, float] | Sequence[float] | None = None,
        t: float = 100.0,
        *,
        set: Mapping[str, float] | None = None,
        mode: str | None = None,
        every: float | None = None,
        policy: str = "Stick",
    ) -> Flow:
        """Simulate: events are located, modes change.

        Args:
            x0: The initial state, by name or all states in order; by default that of the system.
            t: How long; of a map how many iterates.
            set: Parameter values that differ from the system's.
            mode: The mode to start in; by default that of the system.
            every: The time between rows of the result; events are always among them.
            policy: What to do where the future is not unique: "Stick" or "Slip".

        Raises:
            StudyError: if the system or a name is wrong.
            UnfinishedError: if there is no such motion.
        """
        start = "" if x0 is None else f"from: {mapping(self._state(x0))}, "
        start += "" if mode is None else f"mode: {quoted(mode)}, "
        start += "" if every is None else f"every: {number(every)}, "
        simulation = f'Simulation(name: "flow", {start}time: {number(t)}, policy: {policy})'
        return Flow(self, self._run(f"simulations: [{simulation}]", set), dict(set or {}))

    def orbit(
        self,
        orbit: str | Part = "PeriodicOrbit",
        guess: Mapping[str, float] | Sequence[float] | Sequence[Mapping[str, float] | Sequence[float]] | None = None,
        durations: float | Sequence[float] = (),
        *,
        set: Mapping[str, float] | None = None,
        symmetric: bool = False,
        free: str | None = None,
        settle: bool = False,
    ) -> FoundOrbit:
        """Find a periodic orbit, an equilibrium or a fixed point.

        Args:
            orbit: A word, as ``"slip- stick slip+ stick"``, or what a curve's key ``orbit`` takes: ``"Equilibrium"``,
                ``"PeriodicOrbit"``, ``"FixedPoint"``, ``Cycle(2)``, ….
            guess: The state at the start of each segment of the word, for Newton's method, by name or all states in
                order. Without a guess orbits are searched for.
            durations: How long each segment takes; of a smooth periodic orbit the period.
            set: Parameter values that differ from the system's.
            symmetric: Is the word that of one half of a symmetric orbit?
            free: The parameter that the orbit's curve could go along; by default the first one.
            settle: Simulate, from ``guess`` if there is one, and take what the motion comes to.

        Raises:
            StudyError: if the system, the word or a name is wrong.
            ValueError: if the system has events and no word is given.
            UnfinishedError: if there is no such orbit.

        Warns:
            StudyWarning: if what was found of a ``Cycle`` is one of fewer points, gone through several times.
        """
        from .studies import Cycle

        declared = self._declared()
        values = {**dict(declared[2]), **{name: float(value) for name, value in (set or {}).items()}}
        if free is None:
            if not values:
                raise UnfinishedError(
                    "an orbit is found as the start of a curve, for which the system needs a parameter"
                )
            free = next(iter(values))
        kind = self._kind(orbit, symmetric)
        if kind == "PeriodicOrbit" and declared[7]:
            modes = ", ".join(name for name, _ in declared[3])
            raise ValueError(
                "a periodic orbit of a system with events is named by its word, modes and events in order: "
                f"orbit(\"word\", settle=True); the modes are {modes}, and flow(t).word is the word of a motion"
            )
        at = values.get(free, 0.0)
        states = self._states(guess)
        if settle:
            start = f"Settle(at: {mapping(values)}, from: {mapping(states[0] if states else {})})"
        elif states:
            given = ", ".join(map(mapping, states))
            times = [float(time) for time in np.ravel(durations)]
            lasting = f", durations: [{', '.join(number(time) for time in times)}]" if times else ""
            start = f"Guess(at: {mapping(values)}, states: [{given}]{lasting})"
        else:
            start = f"All(at: {mapping(values)})"
        # The shortest curve through the orbit: it has a point there, and stores its orbit.
        near = max(abs(at), 1.0) * 1e-3
        curve = (
            f'Curve(name: "orbit", orbit: {kind}, start: {start}, free: {quoted(free)}, '
            f"range: ({number(at - near)}, {number(at + near)}), levels: {{{quoted(free)}: [{number(at)}]}}, "
            "directions: Up, points: 2)"
        )
        run = self._run(f"curves: [{curve}]", set)
        if not run.curves:
            raise UnfinishedError("; ".join(run.missing.values()))
        found = FoundOrbit(self, kind, run, free, dict(set or {}))
        if isinstance(orbit, Cycle):
            wanted, length = int(orbit._content["0"]), round(found.period)
            if length < wanted:
                what = "a fixed point" if length == 1 else f"a cycle of {length} points"
                said = f"what was found is {what}, gone through {wanted // length} times; the orbit returned is that"
                warnings.warn(said, StudyWarning, stacklevel=2)
                found._kind = "FixedPoint" if length == 1 else f"Cycle({length})"
        return found

    def _kind(self, orbit: str | Part, symmetric: bool) -> str:
        if isinstance(orbit, Part):
            return orbit.to_ron()
        if orbit in ("PeriodicOrbit", "Equilibrium", "FixedPoint"):
            return orbit
        return f"{'Symmetric' if symmetric else 'Periodic'}({quoted(orbit)})"

    def _study(self, content: str) -> _slipstick.LoadedStudy:
        text = f'Study(\n    title: "Python",\n    system: {self._text(4)},\n    {content},\n)\n'
        return of_text(text)

    def _run(self, content: str, set: Mapping[str, float] | None) -> Run:
        from ._runs import compute

        with warnings.catch_warnings():
            # What is missing is raised as an error.
            warnings.simplefilter("ignore", UnfinishedWarning)
            return compute(self._study(content), settings(set), stacklevel=4)

    def _declared(self) -> Any:
        return self._study("simulations: []").declared([])[0]

    def _states(
        self, guess: Mapping[str, float] | Sequence[float] | Sequence[Mapping[str, float] | Sequence[float]] | None
    ) -> list[dict[str, float]]:
        """One state or several, each by name or all states in order."""
        if guess is None:
            return []
        if isinstance(guess, Mapping):
            return [self._state(guess)]
        several: list[Any] = list(guess)
        if several and all(np.ndim(value) == 0 and not isinstance(value, Mapping) for value in several):
            return [self._state(several)]
        return [self._state(state) for state in several]

    def _state(self, x0: Mapping[str, float] | Sequence[float]) -> dict[str, float]:
        if isinstance(x0, Mapping):
            return {name: float(value) for name, value in x0.items()}
        names = [name for name, _ in self._declared()[1]]
        if len(x0) != len(names):
            raise ValueError(f"the system has {len(names)} states, {', '.join(names)}; {len(x0)} are given")
        return {name: float(value) for name, value in zip(names, x0)}


class TextSystem(System):
    """A system that is given by its text in a study."""

    _written = ""
    _fits = frozenset({"system.SystemSpec", "system.JumpingSpec", "system.TangentSpec"})

    def __init__(self, text: str, /) -> None:
        object.__setattr__(self, "_content", {"0": text})

    def _text(self, indent: int) -> str:
        return str(self._content["0"])

    def __repr__(self) -> str:
        return f"TextSystem({self._content['0']!r})"


def system(text: str) -> TextSystem:
    """A system from its text, as a study writes it: ``system('Stiction(mu_s: 1.1)')``."""
    return TextSystem(text)


class FlowEvent:
    """What happens at the end of a segment of a motion.

    Attributes:
        t: When.
        name: The event.
        mode: The mode that it ends.
        to: The mode that it leads to; none at the end of the motion.
    """

    def __init__(self, t: float, name: str, mode: str, to: str | None) -> None:
        self.t, self.name, self.mode, self.to = t, name, mode, to

    def __repr__(self) -> str:
        return f"FlowEvent(t={self.t!r}, name={self.name!r}, mode={self.mode!r}, to={self.to!r})"


class Flow(Table):
    """A simulated motion: a table over time, and a function of time.

    ``flow(t)`` has all states by state and time, ``flow(t, "x")`` one of them.
    """

    def __init__(self, system: System, run: Run, set: dict[str, float]) -> None:
        if "flow" not in run.trajectories:
            raise UnfinishedError("; ".join(run.missing.values()))
        super().__init__(run._run.table_of("trajectories", "flow"))
        self._of, self._set = run, set
        self._declared = run._loaded().declared(list(set.items()))[0]
        self._dense: Interpolant | None = None
        self._account: dict[str, Any] = run._summary["trajectories"][0]

    @property
    def states(self) -> list[str]:
        """The names of the states."""
        return [name for name, _ in self._declared[1]]

    @property
    def ended(self) -> str:
        """Why it ended, in words."""
        return str(self._account["ended"])

    @property
    def word(self) -> str:
        """Modes and events in order."""
        return str(self._account["word"])

    @property
    def nonunique(self) -> list[tuple[float, str]]:
        """Where the future was not unique: the time, and what would have been possible."""
        return [(float(t), str(choice)) for t, choice in self._account["nonunique"]]

    @property
    def events(self) -> list[FlowEvent]:
        """The events in order."""
        happened = _slipstick.events(self._of._loaded(), list(self._set.items()))
        return [FlowEvent(*event) for event in happened]

    @overload
    def __call__(self, t: float, state: str) -> float: ...
    @overload
    def __call__(self, t: Any, state: str | None = None) -> np.ndarray: ...

    def __call__(self, t: Any, state: str | None = None) -> Any:
        if self._dense is None:
            self._dense = self._interpolant()
        t = np.asarray(t, dtype=float)
        first, last = self._dense.t[0], self._dense.t[-1]
        if np.any((t < first) | (t > last)):
            raise ValueError(f"the motion is known from t = {first:.9g} to {last:.9g}")
        found = self._dense(t.ravel()).T.reshape(len(self.states), *t.shape)
        if state is None:
            return found
        one = found[self.states.index(state)]
        return float(one) if one.ndim == 0 else one

    def _interpolant(self) -> Interpolant:
        table = _slipstick.derivatives(self._of._loaded(), list(self._set.items()), "flow", [], self._table)
        if table is None:
            raise UnfinishedError("iterates of a map are points only: they are no function of time")
        rates = Table(table)
        names = self.states
        # The table has angles within one turn.
        columns = [
            self[name] if period is None else np.unwrap(self[name], period=period) for name, period in self._declared[1]
        ]
        derivatives = [np.stack([rates[f"{name} {k}"] for name in names], axis=1) for k in range(1, ORDERS + 1)]
        return Interpolant(self["t"], np.stack(columns, axis=1), np.stack(derivatives))

    def __repr__(self) -> str:
        return f"<Flow: {self.word[:60]}, to t = {self['t'][-1]:.9g}, {self.ended}>"


class CurvePoint(Mapping[str, float]):
    """A point of a curve that is traced: its columns by name.

    Attributes:
        free: The name of the free parameter.
        label: The label of a special point, or none.
        message: What is to be said of it.
        log10: log₁₀ of the moduli of the multipliers, in descending order.
        argument: Their arguments.
        eigenvalues: Of equilibria.
        stable: Is it stable?
    """

    def __init__(self, free: str, row: Any) -> None:
        columns, self.label, self.message, multipliers, eigenvalues, self.stable = row
        self.free = free
        self._columns: dict[str, float] = dict(columns)
        self.log10 = np.array([log10 for log10, _ in multipliers])
        self.argument = np.array([argument for _, argument in multipliers])
        self.eigenvalues = np.array([complex(re, im) for re, im in eigenvalues])

    @property
    def parameter(self) -> float:
        """The value of the free parameter."""
        return self._columns[self.free]

    def __getitem__(self, name: str) -> float:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        label = f" {self.label}" if self.label else ""
        return f"<CurvePoint{label}: {self.free} = {self.parameter!r}>"


class Continuation(Iterator[CurvePoint]):
    """The points of a curve in the order in which they are computed.

    The computation waits for the loop, but for a few points that are computed ahead; it ends when the loop is left and
    the iterator is closed, by ``close``, by a ``with``, or when nobody refers to it any more.
    """

    def __init__(self, study: _slipstick.LoadedStudy, set: Mapping[str, float], free: str) -> None:
        self._free = free
        self._trace = _slipstick.Trace(study, list(set.items()))
        self._count = 0
        self._keeps: Run | None = None

    def __next__(self) -> CurvePoint:
        row = self._trace.next()
        if row is None:
            if self._count == 0 and not self._trace.stopped:
                raise UnfinishedError(self._trace.ended)
            raise StopIteration
        self._count += 1
        return CurvePoint(self._free, row)

    def close(self) -> None:
        """End the computation."""
        self._trace.stop()

    def __enter__(self) -> Continuation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ended(self) -> str:
        """Why the curve ended, in words; empty before it has."""
        return self._trace.ended


class FoundOrbit:
    """An orbit that was found: its table, its multipliers, and the curve through it.

    ``orbit(t)`` has its states at the time ``t``, as those of a curve's ``Orbit``; everything that these have, it has.
    """

    def __init__(self, system: System, kind: str, run: Run, free: str, set: dict[str, float]) -> None:
        self.system = system
        self._kind, self._run, self._free, self._set = kind, run, free, set
        curves: list[TracedCurve] = list(run.curves.values())
        self._curve = curves[0]
        self.orbit: Orbit = self._curve.orbit("UZ")

    def __call__(self, t: Any, state: str | None = None) -> Any:
        return self.orbit(t, state)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.orbit, name)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.orbit[name]

    def continue_(self, free: str, range: tuple[float, float], **keys: Any) -> Continuation:
        """Continue the orbit in a parameter: an iterator over the points of the curve, which a loop can leave.

        Args:
            free: The free parameter.
            range: Its range.
            keys: Further keys of a ``Curve``: ``levels``, ``step``, ``directions="Up"``, ``switch="Auto"``, ….

        Raises:
            StudyError: if a name or a key is wrong.
            UnfinishedError: from the iterator, if the curve has no points.
        """
        from .studies import Curve, File, Study

        index = self.orbit._index
        path = (self._run.folder / "orbits" / f"{self._curve.name}-{index}.csv").resolve()
        names = [name for name, _ in self.system._declared()[2]]
        at = {name: float(self._curve[name][index]) for name in names}
        start = File(path=str(path), at=at)
        kind: Any = _Text(self._kind)
        curve = Curve(name="curve", orbit=kind, start=start, free=free, range=range, **keys)
        study = Study(title="Python", system=self.system, curves=[curve])
        found = Continuation(_slipstick.LoadedStudy.parse(study.to_ron(), "system.ron"), self._set, free)
        # The file must stay while it is read.
        found._keeps = self._run
        return found

    def __repr__(self) -> str:
        return f"<FoundOrbit: period {self.orbit.period:.9g}, {len(self.orbit)} rows>"

    def _repr_svg_(self) -> str:
        return self.orbit._repr_svg_()

    def _repr_html_(self) -> str:
        return self.orbit._repr_html_()


class _Text(Part):
    """A part in the words of the study file."""

    _written = ""
    _fits = frozenset({"study.OrbitSpec"})

    def __init__(self, text: str, /) -> None:
        object.__setattr__(self, "_content", {"0": text})

    def _text(self, indent: int) -> str:
        return str(self._content["0"])
