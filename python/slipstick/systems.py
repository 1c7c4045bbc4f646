"""Systems: equations, modes and events, contacts, and the built-in ones.

Made from the sources of the engine by a test, which says how when they differ: do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._parts import Part
from ._systems import System

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from . import analyses

__all__ = [
    "AtEntry",
    "AtEvent",
    "Belt",
    "BowedStructure",
    "Coordinate",
    "Coulomb",
    "Duration",
    "Event",
    "Filippov",
    "Forcing",
    "Gap",
    "Hybrid",
    "Integral",
    "Jenkins",
    "Law",
    "Map",
    "Max",
    "Mean",
    "Mechanical",
    "Min",
    "Mode",
    "Regularised",
    "RegularisedStiction",
    "Relay",
    "Rms",
    "Shaw",
    "Shoe",
    "SlowFast",
    "Smooth",
    "Smoothstep",
    "Spring",
    "Start",
    "Stiction",
    "StictionContact",
    "StictionLaw",
    "Stribeck",
    "Sum",
    "Symmetry",
    "System",
    "Tangencies",
    "Value",
    "Wear",
]


class Stiction(System):
    """Friction oscillator with stiction (Bossolini, Brøns and Kristiansen 2017, eq. 4): stick up to the static friction
    mu_s, slip with the dynamic friction mu_d.

    Args:
        Omega: natural frequency over forcing frequency. Default: `2`.
        mu_s: static friction over forcing amplitude. Default: `1.1`.
        mu_d: dynamic friction over forcing amplitude. Default: `0.4`.
        monitors: Monitors besides its own.
    """

    _written = "Stiction"
    _fits = frozenset({"system.SystemSpec"})
    _keys = {
        "Omega": "formula",
        "mu_s": "formula",
        "mu_d": "formula",
        "monitors": "{#system.MonitorSpec}",
    }

    def __init__(
        self,
        *,
        Omega: float | str | None = None,
        mu_s: float | str | None = None,
        mu_d: float | str | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
    ) -> None:
        self._fill(locals())


class RegularisedStiction(System):
    """Friction oscillator with stiction, regularised (Bossolini, Brøns and Kristiansen 2017, eq. 10): friction is a
    smooth function phi(y/epsilon) that rises to mu_s at y = delta epsilon and falls to mu_d at y = epsilon.

    Args:
        Omega: natural frequency over forcing frequency. Default: `2`.
        mu_s: static friction over forcing amplitude. Default: `1.1`.
        mu_d: dynamic friction over forcing amplitude. Default: `0.4`.
        delta: where phi is greatest, in units of the layer's half-width. Default: `0.6`.
        epsilon: half-width of the layer: dimensionless velocity. Default: `0.001`.
        monitors: Monitors besides its own.
    """

    _written = "RegularisedStiction"
    _fits = frozenset({"system.SystemSpec"})
    _keys = {
        "Omega": "formula",
        "mu_s": "formula",
        "mu_d": "formula",
        "delta": "formula",
        "epsilon": "formula",
        "monitors": "{#system.MonitorSpec}",
    }

    def __init__(
        self,
        *,
        Omega: float | str | None = None,
        mu_s: float | str | None = None,
        mu_d: float | str | None = None,
        delta: float | str | None = None,
        epsilon: float | str | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
    ) -> None:
        self._fill(locals())


class Shaw(System):
    """Oscillator with static and dynamic friction under harmonic forcing (Shaw 1986; Bensoussan et al., eqs. 1, 3 and
    23).

    Args:
        m: mass. Default: `1`.
        K: stiffness. Default: `1`.
        beta: displacement per unit of forcing. Default: `6`.
        omega: angular frequency of the forcing. Default: `0.5`.
        alpha: viscous damping: the force is 2 alpha x'. Default: `0`.
        f_s: static friction. Default: `1.2`.
        f_d: dynamic friction. Default: `1`.
        monitors: Monitors besides its own.
    """

    _written = "Shaw"
    _fits = frozenset({"system.SystemSpec"})
    _keys = {
        "m": "formula",
        "K": "formula",
        "beta": "formula",
        "omega": "formula",
        "alpha": "formula",
        "f_s": "formula",
        "f_d": "formula",
        "monitors": "{#system.MonitorSpec}",
    }

    def __init__(
        self,
        *,
        m: float | str | None = None,
        K: float | str | None = None,
        beta: float | str | None = None,
        omega: float | str | None = None,
        alpha: float | str | None = None,
        f_s: float | str | None = None,
        f_d: float | str | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
    ) -> None:
        self._fill(locals())


class Wear(System):
    """A mass with Coulomb friction on a harmonically vibrating base, and the wear power of the contact (Code_Aster
    SDND104).

    Args:
        m: mass, kg. Default: `1`.
        g: gravity, m/s^2. Default: `10`.
        mu: coefficient of friction. Default: `0.1`.
        a0: amplitude of the acceleration of the base, m/s^2. Default: `1.5`.
        omega: angular frequency of the base, rad/s. Default: `6.283185307179586`.
        monitors: Monitors besides its own.
    """

    _written = "Wear"
    _fits = frozenset({"system.SystemSpec"})
    _keys = {
        "m": "formula",
        "g": "formula",
        "mu": "formula",
        "a0": "formula",
        "omega": "formula",
        "monitors": "{#system.MonitorSpec}",
    }

    def __init__(
        self,
        *,
        m: float | str | None = None,
        g: float | str | None = None,
        mu: float | str | None = None,
        a0: float | str | None = None,
        omega: float | str | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
    ) -> None:
        self._fill(locals())


class Shoe(System):
    """A sliding shoe on a spring with Coulomb friction, which rests after finitely many half swings (Code_Aster
    SDND100).

    Args:
        m: mass, kg. Default: `1`.
        k: stiffness, N/m. Default: `10000`.
        mu: coefficient of friction. Default: `0.1`.
        g: gravity, m/s^2. Default: `10`.
        monitors: Monitors besides its own.
    """

    _written = "Shoe"
    _fits = frozenset({"system.SystemSpec"})
    _keys = {
        "m": "formula",
        "k": "formula",
        "mu": "formula",
        "g": "formula",
        "monitors": "{#system.MonitorSpec}",
    }

    def __init__(
        self,
        *,
        m: float | str | None = None,
        k: float | str | None = None,
        mu: float | str | None = None,
        g: float | str | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
    ) -> None:
        self._fill(locals())


class Smooth(System):
    """`Smooth(...)`: a system of ordinary differential equations.

    Args:
        name: A name for reports.
        about: A sentence or two: what it is, and the source.
        states: The names of the states, in the order of tables.
        angles: Those states that are angles, with the period each is taken modulo: `{"theta": "2*pi"}`.
        parameters: The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
        define: Abbreviations: `{"r2": "x^2 + y^2", "phi(u)": "u - u^3"}`, in any order.
        forcing: For a field that depends on the time `t`: its period.
        equations: One equation for each state, in any order: `"x' = sigma*(y - x)"`.
        symmetry: The image of each state under a symmetry of the system: the same or another state, with a sign and a
            shift. States left out stay as they are. `{"x": "-x", "phase": "phase + pi"}`.
        observables: Further columns of the tables: `{"energy": "y^2/2 - cos(x)"}`.
        monitors: Named scalars of orbits, cycles and equilibria, as columns of the tables: `{"power": Mean("c*v^2")}`.
        start: The default initial state of trajectories; zero where left out. Parameters may enter: `"F/k"`.
        slow_fast: The split of time scales, if there is one.
        require: Conditions on the parameters: `["eps > 0"]`.
    """

    _written = "Smooth"
    _fits = frozenset({"system.SmoothSpec", "system.SystemSpec"})
    _keys = {
        "name": "text",
        "about": "text",
        "states": "[text]",
        "angles": "{formula}",
        "parameters": "{formula}",
        "define": "{text}",
        "forcing": "#system.ForcingSpec",
        "equations": "[text]",
        "symmetry": "{text}",
        "observables": "{text}",
        "monitors": "{#system.MonitorSpec}",
        "start": "{formula}",
        "slow_fast": "#system.SlowFastSpec",
        "require": "[text]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        about: str | None = None,
        states: Sequence[str],
        angles: Mapping[str, float | str] | None = None,
        parameters: Mapping[str, float | str] | None = None,
        define: Mapping[str, str] | None = None,
        forcing: Forcing | None = None,
        equations: Sequence[str],
        symmetry: Mapping[str, str] | None = None,
        observables: Mapping[str, str] | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
        start: Mapping[str, float | str] | None = None,
        slow_fast: SlowFast | None = None,
        require: Sequence[str] | None = None,
    ) -> None:
        self._fill(locals())


class Map(System):
    """`Map(...)`: a map, iterated.

    Args:
        name: A name for reports.
        about: A sentence or two: what it is, and the source.
        states: The names of the states, in the order of tables.
        angles: Those states that are angles, with the period each is taken modulo.
        parameters: The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
        define: Abbreviations: `{"r2": "x^2 + y^2", "phi(u)": "u - u^3"}`, in any order.
        equations: The next value of each state, in any order: `"x+ = r*x*(1 - x)"`.
        symmetry: The image of each state under a symmetry of the map.
        observables: Further columns of the tables.
        monitors: Named scalars of orbits, cycles and equilibria, as columns of the tables: `{"power": Mean("c*v^2")}`.
        start: Where an iteration starts when nothing else is said; zero where left out. Parameters may enter.
        require: Conditions on the parameters.
    """

    _written = "Map"
    _fits = frozenset({"system.MapSpec", "system.SystemSpec"})
    _keys = {
        "name": "text",
        "about": "text",
        "states": "[text]",
        "angles": "{formula}",
        "parameters": "{formula}",
        "define": "{text}",
        "equations": "[text]",
        "symmetry": "{text}",
        "observables": "{text}",
        "monitors": "{#system.MonitorSpec}",
        "start": "{formula}",
        "require": "[text]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        about: str | None = None,
        states: Sequence[str],
        angles: Mapping[str, float | str] | None = None,
        parameters: Mapping[str, float | str] | None = None,
        define: Mapping[str, str] | None = None,
        equations: Sequence[str],
        symmetry: Mapping[str, str] | None = None,
        observables: Mapping[str, str] | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
        start: Mapping[str, float | str] | None = None,
        require: Sequence[str] | None = None,
    ) -> None:
        self._fill(locals())


class Hybrid(System):
    """`Hybrid(...)`: modes with a field each, joined by events.

    Args:
        name: A name for reports.
        about: A sentence or two: what it is, and the source.
        states: The names of the states of all modes together, in the order of tables.
        angles: Those states that are angles, with the period each is taken modulo: `{"theta": "2*pi"}`.
        parameters: The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
        define: Abbreviations, usable everywhere: `{"xi": "Omega^2*x + sin(theta)"}`, in any order.
        forcing: For fields that depend on the time `t`: their period.
        modes: The modes by name.
        symmetry: A symmetry of the system, if there is one.
        observables: Further columns of the tables, defined in every mode.
        monitors: Named scalars of orbits, as columns of the tables: the phase at which it starts to slip, how long it
            sticks, the power it takes.
        start: The default initial state of trajectories: by default the first mode, at zero.
        slow_fast: The split of time scales, if there is one.
        require: Conditions on the parameters: `["mu_d < mu_s"]`.
    """

    _written = "Hybrid"
    _fits = frozenset({"system.HybridSpec", "system.SystemSpec"})
    _keys = {
        "name": "text",
        "about": "text",
        "states": "[text]",
        "angles": "{formula}",
        "parameters": "{formula}",
        "define": "{text}",
        "forcing": "#system.ForcingSpec",
        "modes": "{#system.ModeSpec}",
        "symmetry": "#system.SymmetrySpec",
        "observables": "{text}",
        "monitors": "{#system.MonitorSpec}",
        "start": "#system.StartSpec",
        "slow_fast": "#system.SlowFastSpec",
        "require": "[text]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        about: str | None = None,
        states: Sequence[str],
        angles: Mapping[str, float | str] | None = None,
        parameters: Mapping[str, float | str] | None = None,
        define: Mapping[str, str] | None = None,
        forcing: Forcing | None = None,
        modes: Mapping[str, Mode],
        symmetry: Symmetry | None = None,
        observables: Mapping[str, str] | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
        start: Start | None = None,
        slow_fast: SlowFast | None = None,
        require: Sequence[str] | None = None,
    ) -> None:
        self._fill(locals())


class Mode(Part):
    """`Mode(...)`: one kind of motion of a hybrid system.

    Args:
        states: The states of this mode; by default all that have no value in `absent`.
        absent: The values of the other states, as formulas in the states of the mode: `{"y": "0"}`. An event that leads
            to a mode where such a state moves starts from this value, unless it resets it.
        define: Abbreviations of this mode, which may stand for something else in other modes: an observable that uses
            one is defined mode by mode.
        kind: `Free` (the default) for free or slipping motion, `Stick` for motion under a constraint. Default: `Free`.
        equations: One equation for each state that moves, in any order.
        surfaces: The surfaces that the motion keeps to: formulas that are zero here. States beside them do not lie in
            the mode.
        admissible: Inequalities that must hold throughout the segment: `["-mu_s < xi < mu_s"]`.
        events: The events that end the mode, by name.
    """

    _written = "Mode"
    _fits = frozenset({"system.ModeSpec"})
    _keys = {
        "states": "[text]",
        "absent": "{text}",
        "define": "{text}",
        "kind": "#system.KindSpec=Free|Stick|Equations|Outside",
        "equations": "[text]",
        "surfaces": "[text]",
        "admissible": "[text]",
        "events": "{#system.EventSpec}",
    }

    def __init__(
        self,
        *,
        states: Sequence[str] | None = None,
        absent: Mapping[str, str] | None = None,
        define: Mapping[str, str] | None = None,
        kind: AnyKind | None = None,
        equations: Sequence[str],
        surfaces: Sequence[str] | None = None,
        admissible: Sequence[str] | None = None,
        events: Mapping[str, Event] | None = None,
    ) -> None:
        self._fill(locals())


class Event(Part):
    """`Event(...)`: a transition out of a mode.

    Args:
        guard: The formula that crosses zero.
        direction: `Up`: from negative to positive; `Down`: from positive to negative.
        when: What else must hold at the crossing: `["xi > mu_s"]`. Distinguishes events with the same guard.
        to: The next mode. Where it is the same one and the reset does not turn the motion back, the guard is passed:
            the event happens once at each crossing.
        reset: The states that jump, with their values after the event as formulas in the values before: `{"v":
            "-e*v"}`. The others keep their values.
    """

    _written = "Event"
    _fits = frozenset({"system.EventSpec"})
    _keys = {
        "guard": "text",
        "direction": "#system.DirectionSpec=Up|Down",
        "when": "[text]",
        "to": "text",
        "reset": "{text}",
    }

    def __init__(
        self,
        *,
        guard: str,
        direction: AnyDirection,
        when: Sequence[str] | None = None,
        to: str,
        reset: Mapping[str, str] | None = None,
    ) -> None:
        self._fill(locals())


class Forcing(Part):
    """`Forcing(...)`: makes the time `t` available in a periodically forced system. The system gets one more state, an
    angle of period 2π that turns once per period of the forcing; `t` stands for that angle times period over 2π.
    Forcings like `cos(omega*t)` with `period: "2*pi/omega"` become harmonics of the angle exactly.

    Args:
        period: The period, a formula in the parameters: `"2*pi/omega"`.
        phase: The name of the angle in tables. Default: `"phase"`.
    """

    _written = "Forcing"
    _fits = frozenset({"system.ForcingSpec"})
    _keys = {
        "period": "text",
        "phase": "text",
    }

    def __init__(
        self,
        *,
        period: str,
        phase: str | None = None,
    ) -> None:
        self._fill(locals())


class Symmetry(Part):
    """`Symmetry(...)`: a symmetry of a hybrid system.

    Args:
        states: The image of each state: the same or another state, with a sign and a shift. States left out stay as
            they are. `{"x": "-x", "y": "-y", "theta": "theta + pi"}`.
        modes: The modes that change places; one direction is enough, modes left out stay. `{"slip+": "slip-"}`.
    """

    _written = "Symmetry"
    _fits = frozenset({"system.SymmetrySpec"})
    _keys = {
        "states": "{text}",
        "modes": "{text}",
    }

    def __init__(
        self,
        *,
        states: Mapping[str, str] | None = None,
        modes: Mapping[str, str] | None = None,
    ) -> None:
        self._fill(locals())


class Start(Part):
    """`Start(...)`: a point of a hybrid system.

    Args:
        mode: The mode.
        at: The states that move in it; zero where left out. Parameters may enter: `"F/k"`.
    """

    _written = "Start"
    _fits = frozenset({"system.StartSpec"})
    _keys = {
        "mode": "text",
        "at": "{formula}",
    }

    def __init__(
        self,
        *,
        mode: str,
        at: Mapping[str, float | str] | None = None,
    ) -> None:
        self._fill(locals())


class SlowFast(Part):
    """`SlowFast(...)`: a declaration that one state is fast: `epsilon * fast' = ...`. Equations are those of slow time:
    as epsilon decreases, the rate of the fast state grows like 1/epsilon, and those of the others stay as they are.

    Args:
        mode: The mode in which the time scales split; needed when there are several.
        fast: The fast state: its equation is divided by the small parameter, `x' = (...)/eps`.
        epsilon: The small parameter, which the equations of slow states are not multiplied by: time is the slow one.
    """

    _written = "SlowFast"
    _fits = frozenset({"system.SlowFastSpec"})
    _keys = {
        "mode": "text",
        "fast": "text",
        "epsilon": "text",
    }

    def __init__(
        self,
        *,
        mode: str | None = None,
        fast: str,
        epsilon: str,
    ) -> None:
        self._fill(locals())


class Filippov(System):
    """`Filippov(...)`: a field that jumps at surfaces h = 0. The program makes the modes on both sides, the sliding
    modes on the surfaces by Filippov's convex combination, and the events between them.

    Args:
        name: A name for reports.
        about: A sentence or two: what it is, and the source.
        states: The names of the states, in the order of tables.
        angles: Those states that are angles, with the period each is taken modulo: `{"theta": "2*pi"}`.
        parameters: The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
        define: Abbreviations, usable everywhere, in any order.
        forcing: For fields that depend on the time `t`: their period.
        surfaces: The switching functions by name: the field jumps where one vanishes. `{"slip": "v - v0"}`.
        equations: One equation for each state, in any order, in which `sgn(name)`, `heaviside(name)` and conditions on
            `name` of a surface say on which side it is: `"v' = -k*x - mu*sgn(slip)"`.
        fields: Instead: the equations for each pattern of signs of the surfaces, in their order, as `"+"`, `"-"` or
            `"+-"`.
        stiction: Where more than Filippov's combination holds the motion on a surface, as in static friction: the ratio
            of the level in sticking to that in slipping, a formula of at least 1. `{"slip": "mu_s/mu_d"}`.
        modes: Names of modes, by their pattern: `{"+": "slip+", "-": "slip-", "0": "stick"}`. Without one a mode is
            called by its surfaces with their signs, as `slip+` or `a+,b0`.
        symmetry: The image of each state under a symmetry of the system; those of the modes follow.
        observables: Further columns of the tables, defined in every mode.
        monitors: Named scalars of orbits, as columns of the tables.
        start: The default initial state of trajectories; zero where left out. The mode is the one that it lies in.
            Parameters may enter.
        require: Conditions on the parameters.
    """

    _written = "Filippov"
    _fits = frozenset({"system.FilippovSpec", "system.JumpingSpec", "system.TangentSpec", "system.SystemSpec"})
    _keys = {
        "name": "text",
        "about": "text",
        "states": "[text]",
        "angles": "{formula}",
        "parameters": "{formula}",
        "define": "{text}",
        "forcing": "#system.ForcingSpec",
        "surfaces": "{text}",
        "equations": "[text]",
        "fields": "{[text]}",
        "stiction": "{text}",
        "modes": "{text}",
        "symmetry": "{text}",
        "observables": "{text}",
        "monitors": "{#system.MonitorSpec}",
        "start": "{formula}",
        "require": "[text]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        about: str | None = None,
        states: Sequence[str],
        angles: Mapping[str, float | str] | None = None,
        parameters: Mapping[str, float | str] | None = None,
        define: Mapping[str, str] | None = None,
        forcing: Forcing | None = None,
        surfaces: Mapping[str, str],
        equations: Sequence[str] | None = None,
        fields: Mapping[str, Sequence[str]] | None = None,
        stiction: Mapping[str, str] | None = None,
        modes: Mapping[str, str] | None = None,
        symmetry: Mapping[str, str] | None = None,
        observables: Mapping[str, str] | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
        start: Mapping[str, float | str] | None = None,
        require: Sequence[str] | None = None,
    ) -> None:
        self._fill(locals())


class Regularised(System):
    """`Regularised(...)`: the system in which every jump of a field is spread over a layer of width ε: the sign of a
    switching function h becomes φ(h/ε).

    Args:
        of: The system: `Filippov(...)` or `Mechanical(...)`.
        by: The function φ that takes the place of the sign.
        epsilon: The width ε of the layer, which becomes the parameter `epsilon`.
        start: The default initial state of trajectories, in place of that of the system: zero where left out.
            Parameters may enter.
    """

    _written = "Regularised"
    _fits = frozenset({"system.RegularisedSpec", "system.SystemSpec"})
    _keys = {
        "of": "#system.JumpingSpec",
        "by": "#system.LawSpec=Tanh|Algebraic",
        "epsilon": "formula",
        "start": "{formula}",
    }

    def __init__(
        self,
        *,
        of: AnyJumping,
        by: AnyLaw,
        epsilon: float | str,
        start: Mapping[str, float | str] | None = None,
    ) -> None:
        self._fill(locals())


class Tangencies(System):
    """`Tangencies(...)`: the equations of the points of a surface at which the fields of its sides are tangent to it:
    of one side a tangency, of both a two-fold. Their solutions are followed like equilibria. There are as many
    equations as states: in the plane for tangencies, in three dimensions for two-folds. States that are too many become
    parameters, and tangencies in three dimensions a curve along one of them.

    Args:
        of: The system: `Filippov(...)`.
        surface: The surface, by name.
        sides: The sides whose fields are tangent to it: `"+"`, `"-"`, or `"+-"` for two-folds.
        others: The sides of the other surfaces, of a system that has more than one: `{"q": "+"}`.
        along: States that become parameters, with their values.
    """

    _written = "Tangencies"
    _fits = frozenset({"system.TangenciesSpec", "system.SystemSpec"})
    _keys = {
        "of": "#system.TangentSpec",
        "surface": "text",
        "sides": "text",
        "others": "{text}",
        "along": "{formula}",
    }

    def __init__(
        self,
        *,
        of: AnyTangent,
        surface: str,
        sides: str,
        others: Mapping[str, str] | None = None,
        along: Mapping[str, float | str] | None = None,
    ) -> None:
        self._fill(locals())


class Mechanical(System):
    """`Mechanical(...)`: M x'' + C x' + K x = forces, and contacts between coordinates, with the ground or with moving
    belts. The program makes the modes, one for each combination of the states of the contacts, and the events between
    them.

    Args:
        name: A name for reports.
        about: A sentence or two: what it is, and the source.
        coordinates: The names of the coordinates.
        velocities: The names of their velocities; by default `v_x` of a coordinate `x`. The states are the coordinates,
            then the velocities, then the elongations of `Jenkins` elements.
        cyclic: Cyclic coordinates: nothing depends on their values, which may drift from period to period. They are no
            states; their velocities are.
        parameters: The parameters with their values: numbers, or formulas of numbers like `"8/3"`.
        define: Abbreviations, usable everywhere, in any order.
        forcing: For forces and belts that depend on the time `t`: their period.
        masses: The mass of each coordinate, where masses are not coupled: a number or a formula of the parameters.
        springs: Springs with dampers, added to `K` and `C`.
        M: The mass matrix, instead of `masses`: symmetric and positive definite.
        C: The damping matrix.
        K: The stiffness matrix.
        forces: Further forces on coordinates, formulas of states and time: `{"x": "F*cos(omega*t) - k3*x^3"}`.
        points: Points whose displacements are sums of those of coordinates: `{"tip": {"q1": 2, "q2": -2}}`. Forces,
            springs and contacts may be on them as on coordinates; `tip` and its velocity `v_tip` may be used in
            formulas.
        contacts: The contacts by name; modes and events are called after them: `belt:stick`, `belt:release+`. The order
            of the contacts is that in which events of the same instant happen.
        modes: Of more than 27 combinations of states of contacts only those become modes that an orbit visits, and
            these, by name: `["belt1:stick,belt2:slip+"]`.
        symmetry: The image of each coordinate, and of the phase, under a symmetry of the system; those of velocities
            and modes follow.
        observables: Further columns of the tables. `energy` and, of a contact called `belt`, the dissipated power
            `belt_power` are columns of their own where these names are free, and `belt_energy` of one that stores
            energy; the force `belt_force` of the contact may be used here. Of a rigid obstacle called `wall`,
            `wall_loss` is a monitor: the energy lost at its hits in a period.
        monitors: Named scalars of orbits, as columns of the tables.
        start: The default initial state of trajectories, zero where left out; the mode follows from it. Parameters may
            enter.
        require: Conditions on the parameters.
    """

    _written = "Mechanical"
    _fits = frozenset({"system.MechanicalSpec", "system.JumpingSpec", "system.SystemSpec"})
    _keys = {
        "name": "text",
        "about": "text",
        "coordinates": "[text]",
        "velocities": "[text]",
        "cyclic": "[text]",
        "parameters": "{formula}",
        "define": "{text}",
        "forcing": "#system.ForcingSpec",
        "masses": "{formula}",
        "springs": "[#system.SpringSpec]",
        "M": "any",
        "C": "any",
        "K": "any",
        "forces": "{formula}",
        "points": "{{formula}}",
        "contacts": "{#system.ContactSpec}",
        "modes": "[text]",
        "symmetry": "{text}",
        "observables": "{text}",
        "monitors": "{#system.MonitorSpec}",
        "start": "{formula}",
        "require": "[text]",
    }

    def __init__(
        self,
        *,
        name: str | None = None,
        about: str | None = None,
        coordinates: Sequence[str],
        velocities: Sequence[str] | None = None,
        cyclic: Sequence[str] | None = None,
        parameters: Mapping[str, float | str] | None = None,
        define: Mapping[str, str] | None = None,
        forcing: Forcing | None = None,
        masses: Mapping[str, float | str] | None = None,
        springs: Sequence[Spring] | None = None,
        M: Any | None = None,
        C: Any | None = None,
        K: Any | None = None,
        forces: Mapping[str, float | str] | None = None,
        points: Mapping[str, Mapping[str, float | str]] | None = None,
        contacts: Mapping[str, AnyContact] | None = None,
        modes: Sequence[str] | None = None,
        symmetry: Mapping[str, str] | None = None,
        observables: Mapping[str, str] | None = None,
        monitors: Mapping[str, AnyMonitor] | None = None,
        start: Mapping[str, float | str] | None = None,
        require: Sequence[str] | None = None,
    ) -> None:
        self._fill(locals())


class Spring(Part):
    """`Spring(...)`: a linear spring with a damper.

    Args:
        on: The coordinate at one end.
        against: What is at the other end: `Ground` (the default) or `Coordinate("x2")`. Default: `Ground`.
        stiffness: Force over elongation, a number or a formula of the parameters. Default: `0`.
        damping: Force over rate of elongation. Default: `0`.
    """

    _written = "Spring"
    _fits = frozenset({"system.SpringSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "stiffness": "formula",
        "damping": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        stiffness: float | str | None = None,
        damping: float | str | None = None,
    ) -> None:
        self._fill(locals())


class BowedStructure(System):
    """`BowedStructure(...)`: N modes of an elastic structure under friction against a body that moves at constant
    speed, as a hybrid system with the states `x1` … `xN`, `v1` … `vN` and the parameters `v0`, `mu`, `kappa`, `sigma`,
    `D`.

    Args:
        structure: The structure: `String(...)` or `Cantilever(...)`.
        modes: Number of modes.
        bow: The bow and its friction.
        start: Contact displacement and velocity that a trajectory starts from; the first mode alone is excited.
    """

    _written = "BowedStructure"
    _fits = frozenset({"system.BowedSystemSpec", "system.SystemSpec"})
    _keys = {
        "structure": "#analysis.StructureSpec",
        "modes": "integer",
        "bow": "#analysis.BowSpec",
        "start": "(number, number)",
    }

    def __init__(
        self,
        *,
        structure: analyses.AnyStructure | None = None,
        modes: int | None = None,
        bow: analyses.Bow | None = None,
        start: tuple[float, float] | None = None,
    ) -> None:
        self._fill(locals())


class Value(Part):
    """The value at the initial point: phase zero of a forcing, the first point of a cycle of a map, the equilibrium."""

    _written = "Value"
    _fits = frozenset({"system.MonitorSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class AtEntry(Part):
    """The value where the orbit first enters one of the modes.

    Args:
        modes: The modes.
        of: What is read: a formula.
    """

    _written = "AtEntry"
    _fits = frozenset({"system.MonitorSpec"})
    _keys = {
        "modes": "[text]",
        "of": "text",
    }

    def __init__(
        self,
        *,
        modes: Sequence[str],
        of: str,
    ) -> None:
        self._fill(locals())


class AtEvent(Part):
    """The value where one of the events first happens, before what it resets.

    Args:
        events: The events, by name.
        of: What is read: a formula.
    """

    _written = "AtEvent"
    _fits = frozenset({"system.MonitorSpec"})
    _keys = {
        "events": "[text]",
        "of": "text",
    }

    def __init__(
        self,
        *,
        events: Sequence[str],
        of: str,
    ) -> None:
        self._fill(locals())


class Sum(Part):
    """The sum over all events of the period of what each is worth, before what it resets: `Sum(of: {"hit": "(1 -
    e^2)*v^2/2"})`. Events not listed are worth nothing.

    Args:
        of: For each event, by name, a formula.
    """

    _written = "Sum"
    _fits = frozenset({"system.MonitorSpec"})
    _keys = {
        "of": "{text}",
    }

    def __init__(
        self,
        *,
        of: Mapping[str, str],
    ) -> None:
        self._fill(locals())


class Duration(Part):
    """The duration of the first segment in one of the modes; zero if there is none.

    Args:
        modes: The modes.
    """

    _written = "Duration"
    _fits = frozenset({"system.MonitorSpec"})
    _keys = {
        "modes": "[text]",
    }

    def __init__(
        self,
        *,
        modes: Sequence[str],
    ) -> None:
        self._fill(locals())


class Max(Part):
    """The largest value over the period."""

    _written = "Max"
    _fits = frozenset({"system.MonitorSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Min(Part):
    """The least value over the period."""

    _written = "Min"
    _fits = frozenset({"system.MonitorSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Mean(Part):
    """The mean over the period."""

    _written = "Mean"
    _fits = frozenset({"system.MonitorSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Integral(Part):
    """The integral over the period; of a map the sum over the points of the cycle."""

    _written = "Integral"
    _fits = frozenset({"system.MonitorSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Rms(Part):
    """The root of the mean square over the period."""

    _written = "Rms"
    _fits = frozenset({"system.MonitorSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Smoothstep(Part):
    """The odd polynomial that reaches ±1 at s = ±1 with so many derivatives equal to zero there, from 1 to 4, and is
    constant beyond."""

    _written = "Smoothstep"
    _fits = frozenset({"system.LawSpec"})
    _values = ("integer",)

    def __init__(self, value1: int, /) -> None:
        self._take(value1)


class StictionLaw(Part):
    """The polynomial of the stiction oscillator: it rises to the ratio of the static to the kinetic level, which
    `stiction` gives, at s = `delta`, falls to 1 at s = 1, and is constant beyond.

    Args:
        delta: Where it is largest, between 0 and 1; it becomes the parameter `delta`.
    """

    _written = "Stiction"
    _fits = frozenset({"system.LawSpec"})
    _keys = {
        "delta": "formula",
    }

    def __init__(
        self,
        *,
        delta: float | str,
    ) -> None:
        self._fill(locals())


class Law(Part):
    """A formula in `s` and the parameters, smooth everywhere: `Law("atan(s)*2/pi")`."""

    _written = "Law"
    _fits = frozenset({"system.LawSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Belt(Part):
    """A belt with this velocity, a number or a formula of parameters and time: `Belt("v0")`. Where it jumps with time,
    as `if(mod(t, T) < D, 1, -3)`, what sticks slips from there on, by the event `belt:jump+` or `belt:jump-`."""

    _written = "Belt"
    _fits = frozenset({"system.AgainstSpec"})
    _values = ("formula",)

    def __init__(self, value1: float | str, /) -> None:
        self._take(value1)


class Coordinate(Part):
    """Another coordinate: `Coordinate("x2")`."""

    _written = "Coordinate"
    _fits = frozenset({"system.AgainstSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Coulomb(Part):
    """Dry friction of the same level in stick and slip. States: `stick`, `slip+`, `slip-`; events: `release+`,
    `release-`, `land`, `reverse`.

    Args:
        on: The coordinate it acts on.
        against: The other side. Default: `Ground`.
        mu: The coefficient of friction, a number or a formula. It may differ with the direction: `if(v > 0, mp, mm)`
            with the relative velocity.
        normal: The normal force, a number or a formula; 1 by default. Default: `1`.
    """

    _written = "Coulomb"
    _fits = frozenset({"system.ContactSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "mu": "formula",
        "normal": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        mu: float | str,
        normal: float | str | None = None,
    ) -> None:
        self._fill(locals())


class StictionContact(Part):
    """Dry friction with a higher level in stick; states and events as of `Coulomb`.

    Args:
        on: The coordinate it acts on.
        against: The other side. Default: `Ground`.
        mu_s: The coefficient up to which it sticks.
        mu_d: The coefficient in slip.
        normal: The normal force; 1 by default. Default: `1`.
    """

    _written = "Stiction"
    _fits = frozenset({"system.ContactSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "mu_s": "formula",
        "mu_d": "formula",
        "normal": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        mu_s: float | str,
        mu_d: float | str,
        normal: float | str | None = None,
    ) -> None:
        self._fill(locals())


class Stribeck(Part):
    """Dry friction that depends on the relative speed; states and events as of `Coulomb`.

    Args:
        on: The coordinate it acts on.
        against: The other side. Default: `Ground`.
        law: The coefficient in slip as a formula of the relative speed `v`, which is positive: `"0.2 + 0.1*exp(-v)"`.
        mu_s: The coefficient up to which it sticks; the law at `v = 0` if left out.
        normal: The normal force; 1 by default. Default: `1`.
    """

    _written = "Stribeck"
    _fits = frozenset({"system.ContactSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "law": "formula",
        "mu_s": "formula",
        "normal": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        law: float | str,
        mu_s: float | str | None = None,
        normal: float | str | None = None,
    ) -> None:
        self._fill(locals())


class Jenkins(Part):
    """A spring in series with dry friction. Its elongation is a state called after it, with `_z`. States: `stick` (the
    spring is strained), `slip+`, `slip-`; events: `release+`, `release-`, `land`.

    Args:
        on: The coordinate it acts on.
        against: The other side. Default: `Ground`.
        k_t: The stiffness of its spring, a formula of the parameters.
        limit: The largest force, a formula of the parameters.
    """

    _written = "Jenkins"
    _fits = frozenset({"system.ContactSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "k_t": "formula",
        "limit": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        k_t: float | str,
        limit: float | str,
    ) -> None:
        self._fill(locals())


class Gap(Part):
    """An obstacle, rigid (`restitution`) or compliant (`stiffness`, `damping`). Rigid: state `open`, event `hit`
    (`hit+` and `hit-` with obstacles on both sides), and with `rest` also state `rest`, events `stop` and `leave`.
    Compliant: states `open` and `closed` (`closed+`, `closed-`), events `close` and `open`.

    Args:
        on: The coordinate it acts on.
        against: The other side; no belt. Default: `Ground`.
        distance: The relative displacement at contact, not negative; a formula of the parameters. Default: `0`.
        side: The side on which the obstacle is. Default: `Above`.
        restitution: The ratio of the speeds after and before a hit, from 0 to 1.
        rest: A hit slower than this that the forces do not part ends in permanent contact; with `restitution: 0` every
            such hit.
        stiffness: Contact force over penetration.
        damping: Contact force over rate of penetration.
    """

    _written = "Gap"
    _fits = frozenset({"system.ContactSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "distance": "formula",
        "side": "#system.SideSpec=Above|Below|Both",
        "restitution": "formula",
        "rest": "formula",
        "stiffness": "formula",
        "damping": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        distance: float | str | None = None,
        side: AnySide | None = None,
        restitution: float | str | None = None,
        rest: float | str | None = None,
        stiffness: float | str | None = None,
        damping: float | str | None = None,
    ) -> None:
        self._fill(locals())


class Relay(Part):
    """A force against the relative displacement, of constant size. States: `+` and `-`, the sign of the relative
    displacement; events: `switch+`, `switch-`.

    Args:
        on: The coordinate it acts on.
        against: The other side; no belt. Default: `Ground`.
        level: The size of the force, a formula of the parameters.
        hysteresis: It switches to `+` at this relative displacement, to `-` at minus it. Default: `0`.
    """

    _written = "Relay"
    _fits = frozenset({"system.ContactSpec"})
    _keys = {
        "on": "text",
        "against": "#system.AgainstSpec=Ground",
        "level": "formula",
        "hysteresis": "formula",
    }

    def __init__(
        self,
        *,
        on: str,
        against: AnyAgainst | None = None,
        level: float | str,
        hysteresis: float | str | None = None,
    ) -> None:
        self._fill(locals())


if TYPE_CHECKING:
    AnyKind: TypeAlias = Literal["Free", "Stick", "Equations", "Outside"]
    AnyDirection: TypeAlias = Literal["Up", "Down"]
    AnyMonitor: TypeAlias = Value | AtEntry | AtEvent | Sum | Duration | Max | Min | Mean | Integral | Rms
    AnyJumping: TypeAlias = Filippov | Mechanical
    AnyLaw: TypeAlias = Literal["Tanh", "Algebraic"] | Smoothstep | StictionLaw | Law
    AnyTangent: TypeAlias = Filippov
    AnyAgainst: TypeAlias = Literal["Ground"] | Belt | Coordinate
    AnySide: TypeAlias = Literal["Above", "Below", "Both"]
    AnyContact: TypeAlias = Coulomb | StictionContact | Stribeck | Jenkins | Gap | Relay
