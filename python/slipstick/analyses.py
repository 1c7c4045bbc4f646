"""Computations by a system's own solver.

Made from the sources of the engine by a test, which says how when they differ: do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._parts import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = [
    "Bow",
    "Bowed",
    "BowedBranch",
    "BowedConvergence",
    "BowedModes",
    "Calibration",
    "Cantilever",
    "Convergence",
    "CsvForcing",
    "CsvRecordSource",
    "Ensemble",
    "EulerMotionMethod",
    "EulerSolver",
    "Expression",
    "Harmonic",
    "Kernel",
    "OrnsteinUhlenbeck",
    "Oscillator",
    "RecordFormat",
    "Shaw",
    "Shoe",
    "SlidingShoe",
    "SlowForcing",
    "String",
    "Synthetic",
    "Table",
    "Tones",
    "VibratingBase",
    "WearPower",
]


class Synthetic(Part):
    """The parameters of the bearing.

    Args:
        stiffness: Stiffness K, N/m. Default: `189000000.0`.
        f_s: Static friction f_s, N. Default: `470000.0`.
        f_d: Dynamic friction f_d, N. Default: `420000.0`.
        beta: Dilatation β, m/K. Default: `0.000306`.
        offset: Offset z₀ of the sensor, m. Default: `0.00967`.
        shear_stiffness: Stiffness K_BP of the bearing in shear, N/m; `None` when it is rigid. Default: `2000000000.0`.
    """

    _written = "Synthetic"
    _fits = frozenset({"friction.Bearing", "analysis.RecordSource"})
    _keys = {
        "stiffness": "number",
        "f_s": "number",
        "f_d": "number",
        "beta": "number",
        "offset": "number",
        "shear_stiffness": "number",
    }

    def __init__(
        self,
        *,
        stiffness: float | None = None,
        f_s: float | None = None,
        f_d: float | None = None,
        beta: float | None = None,
        offset: float | None = None,
        shear_stiffness: float | None = None,
    ) -> None:
        self._fill(locals())


class RecordFormat(Part):
    """How to read a record. The separator, a decimal comma, a header and dates are recognised.

    Args:
        time: The column of the time: numbers, or dates like `2015-08-31 13:20`. Default: `Usual`.
        temperature: The column of the temperature. Default: `Usual`.
        displacement: The column of the displacement. Default: `Usual`.
        metres: How many metres the unit of displacement has: 1e-3 for millimetres. Default: `1.0`.
    """

    _written = "RecordFormat"
    _fits = frozenset({"friction.RecordFormat"})
    _keys = {
        "time": "any",
        "temperature": "any",
        "displacement": "any",
        "metres": "number",
    }

    def __init__(
        self,
        *,
        time: str | int | None = None,
        temperature: str | int | None = None,
        displacement: str | int | None = None,
        metres: float | None = None,
    ) -> None:
        self._fill(locals())


class Oscillator(Part):
    """The parameters of the oscillator, without its forcing.

    Args:
        mass: Mass m > 0. Default: `1.0`.
        stiffness: Stiffness K > 0. Default: `1.0`.
        beta: Displacement per unit of forcing: β in K (β T - x). Default: `6.0`.
        alpha: Viscous damping α ≥ 0; the damping force is 2α x'. Default: `0.0`.
        f_s: Static friction. Default: `1.2`.
        f_d: Dynamic friction, at most the static one. Default: `1.0`.
    """

    _written = "Oscillator"
    _fits = frozenset({"friction.Oscillator"})
    _keys = {
        "mass": "number",
        "stiffness": "number",
        "beta": "number",
        "alpha": "number",
        "f_s": "number",
        "f_d": "number",
    }

    def __init__(
        self,
        *,
        mass: float | None = None,
        stiffness: float | None = None,
        beta: float | None = None,
        alpha: float | None = None,
        f_s: float | None = None,
        f_d: float | None = None,
    ) -> None:
        self._fill(locals())


class OrnsteinUhlenbeck(Part):
    """`v' = -rate v + intensity w'` with a Wiener process w. Over a step h the law is known: v(t + h) = v(t) e^{-rate
    h} + √((1 - e^{-2 rate h}) / (2 rate)) · intensity · ξ with ξ standard normal, so a path on a grid has the right
    distribution whatever the step. Reference: D. T. Gillespie, Phys. Rev. E 54 (1996) 2084–2091.

    Args:
        rate: Inverse correlation time, positive. Default: `1.0`.
        intensity: Intensity of the white noise. The stationary variance is intensity²/(2 rate). Default: `1.0`.
        start: The value at the start. Default: `0.0`.
    """

    _written = "OrnsteinUhlenbeck"
    _fits = frozenset({"friction.OrnsteinUhlenbeck"})
    _keys = {
        "rate": "number",
        "intensity": "number",
        "start": "number",
    }

    def __init__(
        self,
        *,
        rate: float | None = None,
        intensity: float | None = None,
        start: float | None = None,
    ) -> None:
        self._fill(locals())


class Shoe(Part):
    """The shoe.

    Args:
        mass: Mass m. Default: `1.0`.
        stiffness: Stiffness k. Default: `10000.0`.
        mu: Coefficient of friction μ along the direction of motion. Default: `0.1`.
        gravity: Gravity g. Default: `10.0`.
        start: Where it is released, at rest. Default: `0.00085`.
    """

    _written = "Shoe"
    _fits = frozenset({"friction.Shoe"})
    _keys = {
        "mass": "number",
        "stiffness": "number",
        "mu": "number",
        "gravity": "number",
        "start": "number",
    }

    def __init__(
        self,
        *,
        mass: float | None = None,
        stiffness: float | None = None,
        mu: float | None = None,
        gravity: float | None = None,
        start: float | None = None,
    ) -> None:
        self._fill(locals())


class VibratingBase(Part):
    """The mass and the motion of its base.

    Args:
        mass: Mass m. Default: `1.0`.
        gravity: Gravity g. Default: `10.0`.
        mu: Coefficient of friction μ. Default: `0.1`.
        acceleration: Amplitude a₀ of the acceleration of the base. Default: `1.5`.
        omega: Angular frequency ω. Default: `6.283185307179586`.
    """

    _written = "VibratingBase"
    _fits = frozenset({"friction.VibratingBase"})
    _keys = {
        "mass": "number",
        "gravity": "number",
        "mu": "number",
        "acceleration": "number",
        "omega": "number",
    }

    def __init__(
        self,
        *,
        mass: float | None = None,
        gravity: float | None = None,
        mu: float | None = None,
        acceleration: float | None = None,
        omega: float | None = None,
    ) -> None:
        self._fill(locals())


class Calibration(Part):
    """A calibration (times in days, temperatures in °C, lengths in metres): runs in `tables/<name>-runs.csv`, mean and
    spread in `-spread.csv`, what is identified in `-identified.csv`; record, model and residual in
    `trajectories/<name>.csv`.

    Args:
        name: Its name. Default: `"calibration"`.
        record: The record. Default: `Synthetic(stiffness: 189000000.0, f_s: 470000.0, f_d: 420000.0, beta: 0.000306,
            offset: 0.00967, shear_stiffness: 2000000000.0)`.
        dynamic_reach: The range of f_d/K to search, m. Default: `(0.0002, 0.006)`.
        half_jump: The range of (f_s - f_d)/K to search, m. Default: `(1e-5, 0.0015)`.
        beta: The range of β to search, m/K. Default: `(0.0001, 0.0006)`.
        noise: Standard deviation of noise added to the displacements before they are fitted, m. Default: `0.0`.
        window: A stretch of time, in days, that is also written to `trajectories/<name>-window.csv`.
        free_start: Is x(0) unknown? Default: `false`.
        shear_stiffness: K_BP, N/m; `None` for a rigid bearing. Default: `2000000000.0`.
        runs: How many runs, from as many seeds. Default: `10`.
        particles: Particles of the swarm. Default: `60`.
        iterations: Iterations of the swarm. Default: `60`.
    """

    _written = "Calibration"
    _fits = frozenset({"analysis.CalibrationSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "record": "#analysis.RecordSource",
        "dynamic_reach": "(number, number)",
        "half_jump": "(number, number)",
        "beta": "(number, number)",
        "noise": "number",
        "window": "(number, number)",
        "free_start": "boolean",
        "shear_stiffness": "number",
        "runs": "integer",
        "particles": "integer",
        "iterations": "integer",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        record: AnyRecordSource | None = None,
        dynamic_reach: tuple[float, float] | None = None,
        half_jump: tuple[float, float] | None = None,
        beta: tuple[float, float] | None = None,
        noise: float | None = None,
        window: tuple[float, float] | None = None,
        free_start: bool | None = None,
        shear_stiffness: float | None = None,
        runs: int | None = None,
        particles: int | None = None,
        iterations: int | None = None,
    ) -> None:
        self._fill(locals())


class Bowed(Part):
    """A motion: `trajectories/<name>.csv` with contact displacement `y1`, velocity `y2`, force on the structure and
    mode, and its changes of phase in `tables/<name>-events.csv`, with the jump of the force (`gap`).

    Args:
        name: Its name. Default: `"bowed"`.
        structure: The structure. Default: `String(damping: 0.1, at: 0.4, c: 1.0)`.
        modes: Number of modes. Default: `160`.
        bow: The bow and its friction. Default: all defaults.
        start: Contact displacement and velocity at the start; the first mode alone is excited. Default: `(-2.9224,
            -2.7668)`.
        time: How long. Default: `12.0`.
        rows: Rows of the table, besides events; the Euler scheme writes every so many steps. Default: `2401`.
        method: How it is computed. Default: `Full`.
    """

    _written = "Bowed"
    _fits = frozenset({"analysis.BowedSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "structure": "#analysis.StructureSpec",
        "modes": "integer",
        "bow": "#analysis.BowSpec",
        "start": "(number, number)",
        "time": "number",
        "rows": "integer",
        "method": "#analysis.MotionMethod=Full|Reduced",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        structure: AnyStructure | None = None,
        modes: int | None = None,
        bow: Bow | None = None,
        start: tuple[float, float] | None = None,
        time: float | None = None,
        rows: int | None = None,
        method: AnyMotionMethod | None = None,
    ) -> None:
        self._fill(locals())


class BowedBranch(Part):
    """The periodic orbit that the motion settles to, continued over one parameter: a curve of `points.csv` with the
    parameters `v0`, `mu`, `kappa`, `sigma` and the monitors `stick`, `y1_stick`, `y1_slip`, `gap`, `force_stick`,
    `y1_max`, `y1_min`; the orbits at its labelled points in `orbits/`.

    Args:
        name: The name of the curve. Default: `"bowed-branch"`.
        structure: The structure. Default: `String(damping: 0.1, at: 0.4, c: 1.0)`.
        modes: Number of modes. Default: `20`.
        bow: The bow and its friction at the start. Default: all defaults.
        start: Contact displacement and velocity that the search starts from. Default: `(-2.9224, -2.7668)`.
        transient: How long to wait before the motion is taken for nearly periodic. Default: `12.0`.
        sticks: Onsets of stick in one period. Default: `1`.
        free: The free parameter: `v0`, `mu`, `kappa` or `sigma`. Default: `V0`.
        range: Its range. Default: `(0.1, 3.0)`.
        levels: Values of parameters or monitors at which points are computed (label UZ).
        multipliers: How many multipliers are computed. Default: `8`.
        points: The most points in each direction. Default: `1000`.
    """

    _written = "BowedBranch"
    _fits = frozenset({"analysis.BowedBranchSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "structure": "#analysis.StructureSpec",
        "modes": "integer",
        "bow": "#analysis.BowSpec",
        "start": "(number, number)",
        "transient": "number",
        "sticks": "integer",
        "free": "any",
        "range": "(number, number)",
        "levels": "{[number]}",
        "multipliers": "integer",
        "points": "integer",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        structure: AnyStructure | None = None,
        modes: int | None = None,
        bow: Bow | None = None,
        start: tuple[float, float] | None = None,
        transient: float | None = None,
        sticks: int | None = None,
        free: Any | None = None,
        range: tuple[float, float] | None = None,
        levels: Mapping[str, Sequence[float]] | None = None,
        multipliers: int | None = None,
        points: int | None = None,
    ) -> None:
        self._fill(locals())


class BowedConvergence(Part):
    """The largest error of the contact displacement at the grid points of the scheme, for several steps:
    `tables/<name>.csv`.

    Args:
        name: Its name. Default: `"bowed-convergence"`.
        structure: The structure. Default: `String(damping: 0.1, at: 0.4, c: 1.0)`.
        modes: Number of modes. Default: `160`.
        bow: The bow and its friction. Default: all defaults.
        start: Contact displacement and velocity at the start. Default: `(-2.9224, -2.7668)`.
        time: How long. Default: `12.0`.
        steps: The time steps. Default: `[0.002, 0.001, 0.0005, 0.00025, 0.000125]`.
    """

    _written = "BowedConvergence"
    _fits = frozenset({"analysis.BowedConvergenceSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "structure": "#analysis.StructureSpec",
        "modes": "integer",
        "bow": "#analysis.BowSpec",
        "start": "(number, number)",
        "time": "number",
        "steps": "[number]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        structure: AnyStructure | None = None,
        modes: int | None = None,
        bow: Bow | None = None,
        start: tuple[float, float] | None = None,
        time: float | None = None,
        steps: Sequence[float] | None = None,
    ) -> None:
        self._fill(locals())


class BowedModes(Part):
    """The periodic orbit that the motion settles to, for each number of modes: `tables/<name>.csv`. The last row, at
    `inverse` = 0, holds the limits of the parabolas in 1/N through the last three rows; `exponent` is p in |gap| ∝ N^-p
    since the row before.

    Args:
        name: Its name. Default: `"bowed-modes"`.
        structure: The structure. Default: `String(damping: 0.1, at: 0.4, c: 1.0)`.
        modes: Numbers of modes, ascending. Default: `[20, 40, 80, 160, 320, 640]`.
        bow: The bow and its friction. Default: all defaults.
        start: Contact displacement and velocity that the search starts from. Default: `(-2.9224, -2.7668)`.
        transient: How long to wait before the motion is taken for nearly periodic. Default: `12.0`.
        sticks: Onsets of stick in one period. Default: `1`.
    """

    _written = "BowedModes"
    _fits = frozenset({"analysis.BowedModesSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "structure": "#analysis.StructureSpec",
        "modes": "[integer]",
        "bow": "#analysis.BowSpec",
        "start": "(number, number)",
        "transient": "number",
        "sticks": "integer",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        structure: AnyStructure | None = None,
        modes: Sequence[int] | None = None,
        bow: Bow | None = None,
        start: tuple[float, float] | None = None,
        transient: float | None = None,
        sticks: int | None = None,
    ) -> None:
        self._fill(locals())


class Convergence(Part):
    """The error of the Euler scheme under cos(ω t): `tables/<name>.csv`.

    Args:
        name: Its name. Default: `"convergence"`.
        oscillator: The oscillator. Default: all defaults.
        omega: ω. Default: `0.5`.
        start: Initial displacement, at rest. Default: `5.0`.
        time: How long. Default: `28.0`.
        every: Errors are taken at multiples of this time. Default: `0.1`.
        steps: The time steps. Default: `[0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001]`.
    """

    _written = "Convergence"
    _fits = frozenset({"analysis.ConvergenceSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "oscillator": "#friction.Oscillator",
        "omega": "number",
        "start": "number",
        "time": "number",
        "every": "number",
        "steps": "[number]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        oscillator: Oscillator | None = None,
        omega: float | None = None,
        start: float | None = None,
        time: float | None = None,
        every: float | None = None,
        steps: Sequence[float] | None = None,
    ) -> None:
        self._fill(locals())


class Bow(Part):
    """A rigid body that moves past the contact at constant speed, and the friction between them.

    Args:
        v0: Its speed. Default: `1.5`.
        law: The friction law, g(v) with g(0) = μ. Default: `LosesShare`.
        mu: μ, the bound of the force in stick. Default: `4.0`.
        kappa: κ of the law. Default: `0.32`.
        sigma: σ of the law. Default: `1.0`.
    """

    _written = "Bow"
    _fits = frozenset({"analysis.BowSpec"})
    _keys = {
        "v0": "number",
        "law": "any",
        "mu": "number",
        "kappa": "number",
        "sigma": "number",
    }

    def __init__(
        self,
        *,
        v0: float | None = None,
        law: Any | None = None,
        mu: float | None = None,
        kappa: float | None = None,
        sigma: float | None = None,
    ) -> None:
        self._fill(locals())


class Ensemble(Part):
    """An ensemble under T = cos(ω t) + ρ v(t): statistics in `tables/<name>.csv`, one row a path in
    `tables/<name>-paths.csv`, and the exact motion of the first paths in `trajectories/<name>-path<i>.csv`.

    Args:
        name: Its name. Default: `"ensemble"`.
        oscillator: The oscillator. Default: all defaults.
        omega: ω. Default: `0.5`.
        rho: Strength ρ of the noise. Default: `0.25`.
        noise: The noise v. Default: all defaults.
        start: Initial displacement, at rest. Default: `5.0`.
        from_: Statistics are taken from this time … Default: `0.0`.
        to: … to this one. Default: `30.0`.
        step: The step of the noise and of the Euler scheme. Default: `0.01`.
        solver: How paths are solved. Default: `Euler`.
        paths: How many paths. Default: `1000`.
        show: How many of them are written out as motions. Default: `1`.
        rows: Rows of a motion. Default: `1500`.
    """

    _written = "Ensemble"
    _fits = frozenset({"analysis.EnsembleSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "oscillator": "#friction.Oscillator",
        "omega": "number",
        "rho": "number",
        "noise": "#friction.OrnsteinUhlenbeck",
        "start": "number",
        "from": "number",
        "to": "number",
        "step": "number",
        "solver": "#friction.PathSolver=Euler|Exact",
        "paths": "integer",
        "show": "integer",
        "rows": "integer",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        oscillator: Oscillator | None = None,
        omega: float | None = None,
        rho: float | None = None,
        noise: OrnsteinUhlenbeck | None = None,
        start: float | None = None,
        from_: float | None = None,
        to: float | None = None,
        step: float | None = None,
        solver: AnyPathSolver | None = None,
        paths: int | None = None,
        show: int | None = None,
        rows: int | None = None,
    ) -> None:
        self._fill(locals())


class Kernel(Part):
    """The kernel of the reduced equation, y' = A y + L̄ F + ∫ dL₁(s) F'(t - s) + …, over time:
    `trajectories/<name>-20.csv` for 20 modes, with the columns `t`, `L`, `L0` = L - L̄ and `L1` = ∫ L0;
    `trajectories/<name>-inf.csv` for all modes, with `L1`. With several contacts there are columns for each pair:
    `L1_12` is the motion of contact 1 under a force at contact 2. Constants are in `tables/<name>-constants.csv`: K and
    C of A = [0, I; -K, -C], L̄, the mobility Σ n², the static compliance and the jump L₁(0+); modes and projections V
    and W in `tables/<name>-modes.csv`; Hölder exponents in `tables/<name>-hoelder.csv`.

    Args:
        name: Its name. Default: `"kernel"`.
        structure: The structure. Default: `String(damping: 0.1, at: 0.4, c: 1.0)`.
        modes: Numbers of modes.
        continuum: All modes as well? For strings. Default: `false`.
        from_: First time. Default: `0.0`.
        until: Last time. Default: `2.0`.
        rows: Rows of the tables over time. Default: `1001`.
        log: Are times spaced evenly in their logarithm? Default: `false`.
        exponent: Times between which the Hölder exponent at 0+ is fitted.
    """

    _written = "Kernel"
    _fits = frozenset({"analysis.KernelSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "structure": "#analysis.StructureSpec",
        "modes": "[integer]",
        "continuum": "boolean",
        "from": "number",
        "until": "number",
        "rows": "integer",
        "log": "boolean",
        "exponent": "(number, number)",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        structure: AnyStructure | None = None,
        modes: Sequence[int] | None = None,
        continuum: bool | None = None,
        from_: float | None = None,
        until: float | None = None,
        rows: int | None = None,
        log: bool | None = None,
        exponent: tuple[float, float] | None = None,
    ) -> None:
        self._fill(locals())


class Shaw(Part):
    """A motion of Shaw's oscillator: `trajectories/<name>.csv`, and with the exact solver the instants τ in
    `tables/<name>-instants.csv`.

    Args:
        name: Its name. Default: `"shaw"`.
        oscillator: The oscillator. Default: all defaults.
        forcing: The forcing T(t). Default: `Harmonic(omega: 0.5)`.
        start: Initial displacement. Default: `5.0`.
        velocity: Initial velocity. Default: `0.0`.
        time: How long. Default: `28.0`.
        rows: Rows of the table, besides the instants. Default: `1200`.
        solver: How it is computed. Default: `Exact`.
    """

    _written = "Shaw"
    _fits = frozenset({"analysis.ShawSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "oscillator": "#friction.Oscillator",
        "forcing": "#analysis.ForcingSpec",
        "start": "number",
        "velocity": "number",
        "time": "number",
        "rows": "integer",
        "solver": "#analysis.SolverSpec=Exact",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        oscillator: Oscillator | None = None,
        forcing: AnyForcing | None = None,
        start: float | None = None,
        velocity: float | None = None,
        time: float | None = None,
        rows: int | None = None,
        solver: AnySolver | None = None,
    ) -> None:
        self._fill(locals())


class SlidingShoe(Part):
    """A sliding shoe: its motion in `trajectories/<name>.csv`, its turning points in `tables/<name>-turns.csv`.

    Args:
        name: Its name. Default: `"shoe"`.
        shoe: The shoe. Default: all defaults.
        friction_axis: The angle between the motion and the axis along which friction acts, degrees; zero for isotropic
            friction. Default: `0.0`.
        projection: The angle between the motion and the axis on which `projected` is taken, degrees. Default: `45.0`.
        time: How long; a tenth more than it takes to stop if left out.
        rows: Rows of the table. Default: `600`.
    """

    _written = "SlidingShoe"
    _fits = frozenset({"analysis.ShoeSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "shoe": "#friction.Shoe",
        "friction_axis": "number",
        "projection": "number",
        "time": "number",
        "rows": "integer",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        shoe: Shoe | None = None,
        friction_axis: float | None = None,
        projection: float | None = None,
        time: float | None = None,
        rows: int | None = None,
    ) -> None:
        self._fill(locals())


class SlowForcing(Part):
    """The quasi-static limit under cos(ω t): the whole motion in `tables/<name>.csv`, the first slip in
    `tables/<name>-slips.csv`.

    Args:
        name: Its name. Default: `"slow"`.
        oscillator: The oscillator. Default: all defaults.
        start: Initial displacement, at rest. Default: `5.0`.
        omegas: The forcing frequencies. Default: `[0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 5e-5, 2e-5,
            1e-5]`.
        periods: How many periods of the forcing are compared. Default: `1.25`.
    """

    _written = "SlowForcing"
    _fits = frozenset({"analysis.SlowForcingSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "oscillator": "#friction.Oscillator",
        "start": "number",
        "omegas": "[number]",
        "periods": "number",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        oscillator: Oscillator | None = None,
        start: float | None = None,
        omegas: Sequence[float] | None = None,
        periods: float | None = None,
    ) -> None:
        self._fill(locals())


class WearPower(Part):
    """Wear power over a₀, with η beside it: `tables/<name>.csv`. Rows where the regime changes are always included.

    Args:
        name: Its name. Default: `"wear"`.
        base: The mass and its base; the amplitude is replaced by those of the sweep. Default: all defaults.
        range: The range of amplitudes a₀. Default: `(0.9, 20.0)`.
        rows: How many of them, evenly spaced in ln a₀. Default: `400`.
        at: Amplitudes besides. Default: `[0.99, 1.01, 1.5, 15.0]`.
        window: A window of time over which the mean power is taken, besides the asymptotic one. Default: `(4.0, 12.0)`.
    """

    _written = "WearPower"
    _fits = frozenset({"analysis.WearSpec", "analysis.AnalysisSpec"})
    _keys = {
        "name": "text",
        "base": "#friction.VibratingBase",
        "range": "(number, number)",
        "rows": "integer",
        "at": "[number]",
        "window": "(number, number)",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        base: VibratingBase | None = None,
        range: tuple[float, float] | None = None,
        rows: int | None = None,
        at: Sequence[float] | None = None,
        window: tuple[float, float] | None = None,
    ) -> None:
        self._fill(locals())


class CsvRecordSource(Part):
    """A CSV file.

    Args:
        file: The file, relative to the study.
        format: How to read it. Default: all defaults.
        longest_unbroken: Only its longest stretch without a gap. Default: `false`.
    """

    _written = "Csv"
    _fits = frozenset({"analysis.RecordSource"})
    _keys = {
        "file": "text",
        "format": "#friction.RecordFormat",
        "longest_unbroken": "boolean",
    }

    def __init__(
        self,
        *,
        file: str,
        format: RecordFormat | None = None,
        longest_unbroken: bool | None = None,
    ) -> None:
        self._fill(locals())


class EulerMotionMethod(Part):
    """The reduced equation by the Euler scheme of the source, of first order.

    Args:
        step: The time step.
        continuum: With the kernel of all modes (strings)? Its convolution is summed: O(t) operations for each step.
            Default: `false`.
    """

    _written = "Euler"
    _fits = frozenset({"analysis.MotionMethod"})
    _keys = {
        "step": "number",
        "continuum": "boolean",
    }

    def __init__(
        self,
        *,
        step: float,
        continuum: bool | None = None,
    ) -> None:
        self._fill(locals())


class String(Part):
    """A pre-tensed string on 0 ≤ ξ ≤ 1.

    Args:
        damping: Damping ratio D of all modes.
        at: Position of the contact. Default: `Positions([0.4])`.
        c: Wave speed. Default: `1.0`.
    """

    _written = "String"
    _fits = frozenset({"analysis.StructureSpec"})
    _keys = {
        "damping": "number",
        "at": "any",
        "c": "number",
    }

    def __init__(
        self,
        *,
        damping: float,
        at: float | Sequence[float] | None = None,
        c: float | None = None,
    ) -> None:
        self._fill(locals())


class Cantilever(Part):
    """An Euler–Bernoulli cantilever of unit length, clamped at ξ = 0.

    Args:
        damping: Damping ratio D of all modes.
        at: Position of the contact. Default: `Positions([1.0])`.
    """

    _written = "Cantilever"
    _fits = frozenset({"analysis.StructureSpec"})
    _keys = {
        "damping": "number",
        "at": "any",
    }

    def __init__(
        self,
        *,
        damping: float,
        at: float | Sequence[float] | None = None,
    ) -> None:
        self._fill(locals())


class Table(Part):
    """A table of modes: a CSV file with the columns `omega`, `damping` and one for each contact.

    Args:
        file: The file, relative to the study.
        contacts: The columns of the contacts to use; all if left out.
    """

    _written = "Table"
    _fits = frozenset({"analysis.StructureSpec"})
    _keys = {
        "file": "text",
        "contacts": "[text]",
    }

    def __init__(
        self,
        *,
        file: str,
        contacts: Sequence[str] | None = None,
    ) -> None:
        self._fill(locals())


class Harmonic(Part):
    """cos(ω t).

    Args:
        omega: ω.
    """

    _written = "Harmonic"
    _fits = frozenset({"analysis.ForcingSpec"})
    _keys = {
        "omega": "number",
    }

    def __init__(
        self,
        *,
        omega: float,
    ) -> None:
        self._fill(locals())


class Tones(Part):
    """A sum of tones `(amplitude, omega, phase)`."""

    _written = "Tones"
    _fits = frozenset({"analysis.ForcingSpec"})
    _values = ("[(number, number, number)]",)

    def __init__(self, value1: Sequence[tuple[float, float, float]], /) -> None:
        self._take(value1)


class Expression(Part):
    """An expression of `t`, followed by cubics to `tolerance`.

    Args:
        of: The expression.
        tolerance: The largest error of the cubics. Default: `1e-10`.
    """

    _written = "Expression"
    _fits = frozenset({"analysis.ForcingSpec"})
    _keys = {
        "of": "text",
        "tolerance": "number",
    }

    def __init__(
        self,
        *,
        of: str,
        tolerance: float | None = None,
    ) -> None:
        self._fill(locals())


class CsvForcing(Part):
    """The first two columns of a CSV file, times and values, as loggers and spreadsheets write them; rows with a
    missing value are left out.

    Args:
        file: The file, relative to the study.
        interpolation: Between samples.
    """

    _written = "Csv"
    _fits = frozenset({"analysis.ForcingSpec"})
    _keys = {
        "file": "text",
        "interpolation": "any",
    }

    def __init__(
        self,
        *,
        file: str,
        interpolation: Any | None = None,
    ) -> None:
        self._fill(locals())


class EulerSolver(Part):
    """By the time stepping of the variational inequality.

    Args:
        step: The time step.
    """

    _written = "Euler"
    _fits = frozenset({"analysis.SolverSpec"})
    _keys = {
        "step": "number",
    }

    def __init__(
        self,
        *,
        step: float,
    ) -> None:
        self._fill(locals())


if TYPE_CHECKING:
    AnyPathSolver: TypeAlias = Literal["Euler", "Exact"]
    AnyRecordSource: TypeAlias = Synthetic | CsvRecordSource
    AnyMotionMethod: TypeAlias = Literal["Full", "Reduced"] | EulerMotionMethod
    AnyStructure: TypeAlias = String | Cantilever | Table
    AnyForcing: TypeAlias = Harmonic | Tones | Expression | CsvForcing
    AnyAnalysis: TypeAlias = Calibration | Bowed | BowedBranch | BowedConvergence | BowedModes | Convergence | Ensemble | Kernel | Shaw | SlidingShoe | SlowForcing | WearPower
    AnySolver: TypeAlias = Literal["Exact"] | EulerSolver
