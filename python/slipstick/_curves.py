"""Curves of a run, their multipliers, and the orbits of their points."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _slipstick
from ._dense import ORDERS, Interpolant
from ._figures import Figure
from ._loading import settings
from ._plotting import plot_curve, plot_orbit
from ._ron import quoted
from ._tables import Table
from .errors import RunError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._runs import Run

__all__ = ["Multipliers", "Orbit", "TracedCurve"]


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
        if self.period == 0.0:
            # At rest.
            found = np.tile([self[name][0] for name in names], (t.size, 1))
        else:
            dense, turns = self._interpolant(names)
            first, length = dense.t[0], dense.t[-1] - dense.t[0]
            rounds = np.floor((t.ravel() - first) / length)
            found = dense(t.ravel() - rounds * length) + rounds[:, None] * turns
        states = found.T.reshape(len(names), *t.shape)
        if state is None:
            return states
        if state not in names:
            near = _slipstick.nearest(state, names)
            hint = f"did you mean `{near}`? " if near else ""
            raise KeyError(f"there is no state `{state}`; {hint}there are: {', '.join(names)}")
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
        text = f'Orbits(name: "orbit", of: [{quoted(f"{self._curve.name}: {self._index}")}], panels: [{view}])'
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
