"""Studies: curves, where they start, tasks. Every class has the keys of a study file.

Made from the sources of the engine by a test, which says how when they differ: do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._parts import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from . import systems, figures, analyses

__all__ = [
    "All",
    "Attractors",
    "Auto",
    "Basins",
    "Chart",
    "Collocation",
    "Curve",
    "Cycle",
    "Distances",
    "EquilibriumIn",
    "Event",
    "Everywhere",
    "Falling",
    "Family",
    "Fates",
    "File",
    "Guess",
    "Harmonic",
    "Linear",
    "Locus",
    "Log",
    "Lyapunov",
    "Maximum",
    "Minimum",
    "OrbitDiagram",
    "Over",
    "Periodic",
    "Phase",
    "Point",
    "Portrait",
    "Returns",
    "Rising",
    "Settle",
    "Shooting",
    "Simulation",
    "Step",
    "Study",
    "Symmetric",
    "Twins",
    "Values",
]


class Attractors(Part):
    """A sweep over a parameter: at each value many initial states are followed until they settle, and what they settle
    to is compared with the traced curves. Orbits that attract and lie on no curve are named in the run's summary.

    Args:
        name: The name of its table, `attractors/<name>.csv`, and in figures.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        sweep: The parameter to sweep over.
        range: The interval of its values, both ends included.
        count: How many values. Default: `48`.
        starts: How many initial states at each value. Default: `16`.
        within: For each state the interval to start in; by default what a trajectory visits, widened. Angles take their
            whole period.
        seed: The seed of the random initial states. Default: `1`.
        events: The largest number of events of a transient. Default: `4000`.
        exponents: How many Lyapunov exponents of each attractor, the largest first: columns `exponent1`, `exponent2`, …
            with their errors. Those of orbits follow from their multipliers. Default: `0`.
        compare: The curves to compare with, with their branches; by default all of the same system over the same
            parameter.
        trace: Trace the orbits that lie on no curve as curves of their own, called `NAME-1`, `NAME-2`, …, as the first
            of the curves compared with is traced. Default: `false`.
    """

    _written = "Attractors"
    _fits = frozenset({"study.AttractorsSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "sweep": "text",
        "range": "(number, number)",
        "count": "integer",
        "starts": "integer",
        "within": "{(number, number)}",
        "seed": "integer",
        "events": "integer",
        "exponents": "integer",
        "compare": "[text]",
        "trace": "boolean",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        sweep: str,
        range: tuple[float, float],
        count: int | None = None,
        starts: int | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        seed: int | None = None,
        events: int | None = None,
        exponents: int | None = None,
        compare: Sequence[str] | None = None,
        trace: bool | None = None,
    ) -> None:
        self._fill(locals())


class Basins(Part):
    """The basins of attraction over a grid of initial states, or over random ones.

    Args:
        name: The name of its tables.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        over: The states to go over, with their values: `{"x": Linear(-1, 1, 100)}`.
        sample: Instead of a grid: how many random initial states. Default: `0`.
        within: For each state the interval that random initial states are drawn from. Angles take their whole period.
        from_: The states that are not gone over; the system's own start where left out.
        mode: The mode to start in; by default the first that the state lies in.
        policy: What to do at forward non-uniqueness; `Both` sticks. Default: `Stick`.
        seed: The seed of random initial states. Default: `1`.
        events: The largest number of events of a transient. Default: `4000`.
        exponents: How many Lyapunov exponents of each attractor, the largest first. Default: `0`.
    """

    _written = "Basins"
    _fits = frozenset({"study.BasinsSpec", "study.TaskSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "over": "{#study.AxisSpec}",
        "sample": "integer",
        "within": "{(number, number)}",
        "from": "{number}",
        "mode": "text",
        "policy": "#study.PolicySpec=Stick|Slip|Both",
        "seed": "integer",
        "events": "integer",
        "exponents": "integer",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        over: Mapping[str, AnyAxis] | None = None,
        sample: int | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        from_: Mapping[str, float] | None = None,
        mode: str | None = None,
        policy: AnyPolicy | None = None,
        seed: int | None = None,
        events: int | None = None,
        exponents: int | None = None,
    ) -> None:
        self._fill(locals())


class Chart(Part):
    """A chart over parameters: in each cell random initial states are followed until they settle.

    Args:
        name: The name of its table.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        over: The parameters to go over, with their values: `{"Omega": Linear(0.4, 2.2, 100)}`.
        starts: How many initial states in each cell. Default: `8`.
        within: For each state the interval to start in; by default what a trajectory at the study's parameters visits,
            widened. Angles take their whole period.
        seed: The seed of the random initial states. Default: `1`.
        events: The largest number of events of a transient. Default: `4000`.
        exponents: How many Lyapunov exponents of each attractor, the largest first. Default: `0`.
        borders: Two-parameter curves of the study, in the two parameters of the chart, that its borders are compared
            with.
        orbits: Of how many cells, spread evenly, the orbits are stored for the report. Default: `40`.
    """

    _written = "Chart"
    _fits = frozenset({"study.ChartSpec", "study.TaskSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "over": "{#study.AxisSpec}",
        "starts": "integer",
        "within": "{(number, number)}",
        "seed": "integer",
        "events": "integer",
        "exponents": "integer",
        "borders": "[text]",
        "orbits": "integer",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        over: Mapping[str, AnyAxis],
        starts: int | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        seed: int | None = None,
        events: int | None = None,
        exponents: int | None = None,
        borders: Sequence[str] | None = None,
        orbits: int | None = None,
    ) -> None:
        self._fill(locals())


class Curve(Part):
    """One curve (or several, when its start finds several orbits that do not lie on one curve).

    Args:
        name: The name in tables and figures.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        orbit: The kind of solutions.
        start: Where the curve starts.
        free: The free parameter.
        range: The range of the free parameter.
        levels: Values of parameters or monitors at which points are computed (label UZ).
        within: Intervals that parameters or monitors must stay in; the curve ends (EP) where one leaves its interval.
        method: How segments without a closed form are discretised. Default: `Auto`.
        step: Step control; the defaults adapt. Default: all defaults.
        switch: What to do where the word stops being valid. Default: `Stop`.
        choice: Which word continues the curve where several are valid (label NU). Default: `Both`.
        branches: Labels at which bifurcating branches are traced: SB, PD, BP.
        generations: The number of generations of such branches. Default: `1`.
        directions: The directions from the start. Default: `Both`.
        points: The most points in each direction. Default: `100000`.
    """

    _written = "Curve"
    _fits = frozenset({"study.CurveSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "orbit": "#study.OrbitSpec=PeriodicOrbit|Equilibrium|FixedPoint",
        "start": "#study.StartSpec",
        "free": "text",
        "range": "(number, number)",
        "levels": "{[number]}",
        "within": "{(number, number)}",
        "method": "#study.MethodSpec=Auto|Flow",
        "step": "#study.StepSpec",
        "switch": "#study.SwitchSpec=Stop|Auto",
        "choice": "#study.ChoiceSpec=Both|Stick|Slip",
        "branches": "[#study.BranchLabel=SB|PD|BP]",
        "generations": "integer",
        "directions": "#study.Directions=Both|Up|Down",
        "points": "integer",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        orbit: AnyOrbit,
        start: AnyStart,
        free: str,
        range: tuple[float, float],
        levels: Mapping[str, Sequence[float]] | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        method: AnyMethod | None = None,
        step: Step | None = None,
        switch: AnySwitch | None = None,
        choice: AnyChoice | None = None,
        branches: Sequence[AnyBranchLabel] | None = None,
        generations: int | None = None,
        directions: AnyDirections | None = None,
        points: int | None = None,
    ) -> None:
        self._fill(locals())


class Step(Part):
    """Step control in units of the free parameter. Everything adapts; these are bounds.

    Args:
        initial: The first step of the free parameter.
        largest: The largest change of the free parameter in one step.
        turn: The turn of the curve's tangent that a step should make, in radians (default 0.1): smaller gives more
            points where the curve bends. No step turns by more than 0.3.
    """

    _written = "Step"
    _fits = frozenset({"study.StepSpec"})
    _keys = {
        "initial": "number",
        "largest": "number",
        "turn": "number",
    }

    def __init__(
        self,
        *,
        initial: float | None = None,
        largest: float | None = None,
        turn: float | None = None,
    ) -> None:
        self._fill(locals())


class Distances(Part):
    """A table of distances between curves at the levels (UZ) of their free parameter that they have in common.

    Args:
        name: The name of its file, `distances/<name>.csv`.
        reference: The curves that distances are taken from.
        of: The curves compared with them, in the order in which the rate is measured.
        column: The column compared.
        over: The parameter over which the rate of approach is measured.
    """

    _written = "Distances"
    _fits = frozenset({"study.DistancesSpec"})
    _keys = {
        "name": "text",
        "reference": "[text]",
        "of": "[text]",
        "column": "text",
        "over": "text",
    }

    def __init__(
        self,
        *,
        name: str,
        reference: Sequence[str],
        of: Sequence[str],
        column: str,
        over: str,
    ) -> None:
        self._fill(locals())


class Family(Part):
    """The curves of a study for every value of further parameters, as one result.

    Args:
        name: The name of its tables.
        over: The parameters to go over, with their values: `{"epsilon": Log(1e-6, 1e-2, 41)}`.
        curves: The curves; by default all of the study.
        set: Parameter values of all members that differ from the systems'.
    """

    _written = "Family"
    _fits = frozenset({"study.FamilySpec", "study.TaskSpec"})
    _keys = {
        "name": "text",
        "over": "{#study.AxisSpec}",
        "curves": "[text]",
        "set": "{number}",
    }

    def __init__(
        self,
        *,
        name: str,
        over: Mapping[str, AnyAxis],
        curves: Sequence[str] | None = None,
        set: Mapping[str, float] | None = None,
    ) -> None:
        self._fill(locals())


class Locus(Part):
    """A two-parameter curve: where a special point stays what it is while two parameters change.

    Args:
        name: The name in tables and figures.
        from_: A curve of this study and one of its labels, or the level of a user point: `"compliant: LP"`,
            `"compliant: LP 2"` for the second one alone, `"stiff: theta0=0.3"`. Branches are called by the curve and
            the labels where they leave: `"stiff-SB: PD"`.
        among: Intervals of parameters or monitors that the points to start from must lie in, where the curve has
            several with this label.
        free: The two free parameters.
        range: The range of each of them, in the same order.
        levels: Values of parameters or monitors at which points are computed (label UZ).
        within: Intervals that other parameters or monitors must stay in; the curve ends (EP) where one leaves its
            interval.
        step: Step control, in units of the first parameter; the defaults adapt. Default: all defaults.
        points: The most points in each direction. Default: `100000`.
    """

    _written = "Locus"
    _fits = frozenset({"study.LocusSpec"})
    _keys = {
        "name": "text",
        "from": "text",
        "among": "{(number, number)}",
        "free": "(text, text)",
        "range": "((number, number), (number, number))",
        "levels": "{[number]}",
        "within": "{(number, number)}",
        "step": "#study.StepSpec",
        "points": "integer",
    }

    def __init__(
        self,
        *,
        name: str,
        from_: str,
        among: Mapping[str, tuple[float, float]] | None = None,
        free: tuple[str, str],
        range: tuple[tuple[float, float], tuple[float, float]],
        levels: Mapping[str, Sequence[float]] | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        step: Step | None = None,
        points: int | None = None,
    ) -> None:
        self._fill(locals())


class Lyapunov(Part):
    """Lyapunov exponents of a motion from an initial state, or of orbits of a curve.

    Args:
        name: The name of its tables.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        of: The orbits of a curve, `"curve, label"`, as for starts: their exponents follow from their multipliers.
            Instead of a motion; the system is that of the curve.
        from_: Initial state; the system's own where left out.
        mode: The mode it starts in; if left out, the system's own or that in which `from` lies.
        policy: What to do at forward non-uniqueness; `Both` sticks. Default: `Stick`.
        transient: The time (of a map: iterates) before averaging begins; 100 by default.
        time: The time averaged over; 1000 by default.
        count: How many exponents, the largest first; all by default.
        vectors: At how many points of the motion covariant vectors are computed, evenly over `time`. Default: `0`.
    """

    _written = "Lyapunov"
    _fits = frozenset({"study.LyapunovSpec", "study.TaskSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "of": "text",
        "from": "{number}",
        "mode": "text",
        "policy": "#study.PolicySpec=Stick|Slip|Both",
        "transient": "number",
        "time": "number",
        "count": "integer",
        "vectors": "integer",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        of: str | None = None,
        from_: Mapping[str, float] | None = None,
        mode: str | None = None,
        policy: AnyPolicy | None = None,
        transient: float | None = None,
        time: float | None = None,
        count: int | None = None,
        vectors: int | None = None,
    ) -> None:
        self._fill(locals())


class OrbitDiagram(Part):
    """The bifurcation diagram by simulation: after a transient, the points of the motion on a section, for each value
    of a parameter.

    Args:
        name: The name of its table.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        over: The parameter and its values: `{"Omega": Linear(1.3, 1.5, 200)}`.
        section: Where points are taken. By default at phase zero of the forcing if there is one, else at the maxima of
            the first state that is no angle, and of angles alone at phase zero of the first; of a map every iterate.
        sweeps: How the values follow each other: each motion begins where the one at the value before has ended, or
            where the sweep began if that one was lost. Default: `[SweepSpec::Up]`.
        starts: How many motions besides from random initial states at each value. Default: `0`.
        within: For each state the interval that random initial states are drawn from; by default what a trajectory
            visits, widened. Angles take their whole period.
        seed: The seed of random initial states. Default: `1`.
        from_: Initial state at the first value of a sweep; the system's own where left out.
        mode: The mode it starts in; if left out, the system's own or that in which `from` lies.
        policy: What to do at forward non-uniqueness; `Both` sticks. Default: `Stick`.
        transient: How many points are let pass at each value. Default: `200`.
        points: How many points are taken. Default: `60`.
        longest: The longest time between two points: a motion that takes longer rests, or is `unsettled`; so is one
            with more than 200000 events in between. Default: `1000.0`.
        exponents: How many Lyapunov exponents at each value, the largest first. Default: `0`.
    """

    _written = "OrbitDiagram"
    _fits = frozenset({"study.OrbitDiagramSpec", "study.TaskSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "over": "{#study.AxisSpec}",
        "section": "#study.SectionSpec",
        "sweeps": "[#study.SweepSpec=Up|Down]",
        "starts": "integer",
        "within": "{(number, number)}",
        "seed": "integer",
        "from": "{number}",
        "mode": "text",
        "policy": "#study.PolicySpec=Stick|Slip|Both",
        "transient": "integer",
        "points": "integer",
        "longest": "number",
        "exponents": "integer",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        over: Mapping[str, AnyAxis],
        section: AnySection | None = None,
        sweeps: Sequence[AnySweep] | None = None,
        starts: int | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        seed: int | None = None,
        from_: Mapping[str, float] | None = None,
        mode: str | None = None,
        policy: AnyPolicy | None = None,
        transient: int | None = None,
        points: int | None = None,
        longest: float | None = None,
        exponents: int | None = None,
    ) -> None:
        self._fill(locals())


class Study(Part):
    """A study: systems, the curves to trace, trajectories to compute, figures to draw.

    Args:
        title: One line that says what the study shows.
        author: Who made it; the figures' files say so, too.
        system: The system that curves and simulations are about, unless they name another.
        systems: Further systems by name, for studies that compare several.
        seed: Seed of all random numbers. Default: `0`.
        curves: The curves to trace.
        loci: Two-parameter curves of special points.
        simulations: Trajectories to compute.
        attractors: Sweeps of simulations that find attractors, to be compared with the curves.
        distances: Tables of distances between curves.
        slow_fast: Slow–fast objects of systems declared slow–fast.
        analyses: Computations by a system's own solver.
        tasks: What else is to be computed: exponents, orbit diagrams, basins, charts.
        figures: Figures to draw from the tables.
        auto: Write each curve of a smooth system as AUTO's text files, too: `auto/b.NAME` and `auto/s.NAME`. Default:
            `false`.
    """

    _written = "Study"
    _fits = frozenset({"study.Study"})
    _keys = {
        "title": "text",
        "author": "text",
        "system": "#system.SystemSpec",
        "systems": "{#system.SystemSpec}",
        "seed": "integer",
        "curves": "[#study.CurveSpec]",
        "loci": "[#study.LocusSpec]",
        "simulations": "[#study.SimulationSpec]",
        "attractors": "[#study.AttractorsSpec]",
        "distances": "[#study.DistancesSpec]",
        "slow_fast": "[#study.PortraitSpec]",
        "analyses": "[#analysis.AnalysisSpec]",
        "tasks": "[#study.TaskSpec]",
        "figures": "[#figure.Figure]",
        "auto": "boolean",
    }

    def __init__(
        self,
        *,
        title: str,
        author: str | None = None,
        system: systems.System | None = None,
        systems: Mapping[str, systems.System] | None = None,
        seed: int | None = None,
        curves: Sequence[Curve] | None = None,
        loci: Sequence[Locus] | None = None,
        simulations: Sequence[Simulation] | None = None,
        attractors: Sequence[Attractors] | None = None,
        distances: Sequence[Distances] | None = None,
        slow_fast: Sequence[Portrait] | None = None,
        analyses: Sequence[analyses.AnyAnalysis] | None = None,
        tasks: Sequence[AnyTask] | None = None,
        figures: Sequence[figures.AnyFigure] | None = None,
        auto: bool | None = None,
    ) -> None:
        self._fill(locals())


class Portrait(Part):
    """What the slow–fast structure of a system looks like at fixed parameters: critical manifold, fold lines, folded
    singularities, canards, slow manifolds, and on request who jumps and who turns, the return of the fast fibres, the
    cycle on the slow manifold.

    Args:
        name: The name of its folder of tables, `slow_fast/<name>/`, and in figures.
        system: The name of one of the study's `systems`; by default its `system`. It must be declared slow–fast.
        set: Parameter values that differ from the system's.
        reduction: The reduction: singular or at finite ε. Default: `Singular`.
        within: The region looked at: an interval for each state of the slow–fast mode. An angle left out turns once, a
            fast state left out runs between the events that end the mode, and one slow state left out reaches as far as
            the critical manifold does.
        mesh: Nodes of the critical manifold's mesh, along the slow and along the fast state. Default: `(48, 80)`.
        time: The slow time for which orbits and canards are followed, to each side; by default half a turn of the
            angle.
        orbits: How many orbits of the reduced flow are drawn from each sheet; 0 for none. Default: `12`.
        manifolds: How many orbits are followed on each slow manifold of the full system; 0 for none, and no maximal
            canards. Default: `9`.
        spread: How far they are spread to both sides of the singular canard, as a part of the region. Default: `0.05`.
        fates: A family of initial conditions; each is classified as jumping or turning.
        returns: Where the fast fibres of the vrai canards lead, and the singular canard cycles.
        cycle: Near which slow states the limit cycle on the attracting slow manifold is sought by averaging: `{"x":
            0}`.
        over: A parameter over which the folded singularities are followed, with their changes of class.
    """

    _written = "Portrait"
    _fits = frozenset({"study.PortraitSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "reduction": "#study.ReductionSpec=Singular|Finite",
        "within": "{(number, number)}",
        "mesh": "(integer, integer)",
        "time": "number",
        "orbits": "integer",
        "manifolds": "integer",
        "spread": "number",
        "fates": "#study.FatesSpec",
        "returns": "#study.ReturnsSpec",
        "cycle": "{number}",
        "over": "#study.OverSpec",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        reduction: AnyReduction | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        mesh: tuple[int, int] | None = None,
        time: float | None = None,
        orbits: int | None = None,
        manifolds: int | None = None,
        spread: float | None = None,
        fates: Fates | None = None,
        returns: Returns | None = None,
        cycle: Mapping[str, float] | None = None,
        over: Over | None = None,
    ) -> None:
        self._fill(locals())


class Fates(Part):
    """A family of starts over one state.

    Args:
        over: The slow state that varies over its interval of `within`.
        from_: Values of the others. A slow state left out is that of the critical manifold.
        samples: How many starts. Default: `121`.
        horizon: The time after which an orbit in the layer counts as turning; by default the portrait's `time`.
    """

    _written = "Fates"
    _fits = frozenset({"study.FatesSpec"})
    _keys = {
        "over": "text",
        "from": "{number}",
        "samples": "integer",
        "horizon": "number",
    }

    def __init__(
        self,
        *,
        over: str,
        from_: Mapping[str, float] | None = None,
        samples: int | None = None,
        horizon: float | None = None,
    ) -> None:
        self._fill(locals())


class Returns(Part):
    """How fast fibres are followed from the repelling part of a vrai canard through other modes back onto an attracting
    sheet.

    Args:
        count: How many fibres. Default: `60`.
        horizon: The longest time away. Default: `10.0`.
        symmetric: Are cycles closed by the system's symmetry after one jump? Default: `false`.
    """

    _written = "Returns"
    _fits = frozenset({"study.ReturnsSpec"})
    _keys = {
        "count": "integer",
        "horizon": "number",
        "symmetric": "boolean",
    }

    def __init__(
        self,
        *,
        count: int | None = None,
        horizon: float | None = None,
        symmetric: bool | None = None,
    ) -> None:
        self._fill(locals())


class Over(Part):
    """A parameter and its range.

    Args:
        parameter: The parameter.
        range: Its range; the present value must lie in it.
    """

    _written = "Over"
    _fits = frozenset({"study.OverSpec"})
    _keys = {
        "parameter": "text",
        "range": "(number, number)",
    }

    def __init__(
        self,
        *,
        parameter: str,
        range: tuple[float, float],
    ) -> None:
        self._fill(locals())


class Simulation(Part):
    """A trajectory from an initial state.

    Args:
        name: The name of its table and in figures.
        system: The name of one of the study's `systems`; by default its `system`.
        set: Parameter values that differ from the system's.
        from_: Initial state; the system's own where left out.
        mode: The mode it starts in; if left out, the system's own or that in which `from` lies.
        integrate: Observables that are integrated along the motion, from zero: columns `integral_NAME`.
        time: How long; of a map how many iterates.
        policy: What to do at forward non-uniqueness. Default: `Stick`.
        every: The time between rows of the table; events are always included. By default a four-hundredth of `time`,
            with more rows where the motion is too fast for polynomials from row to row (if ten times as many are
            enough); of a map every iterate.
    """

    _written = "Simulation"
    _fits = frozenset({"study.SimulationSpec"})
    _keys = {
        "name": "text",
        "system": "text",
        "set": "{number}",
        "from": "{number}",
        "mode": "text",
        "integrate": "[text]",
        "time": "number",
        "policy": "#study.PolicySpec=Stick|Slip|Both",
        "every": "number",
    }

    def __init__(
        self,
        *,
        name: str,
        system: str | None = None,
        set: Mapping[str, float] | None = None,
        from_: Mapping[str, float] | None = None,
        mode: str | None = None,
        integrate: Sequence[str] | None = None,
        time: float,
        policy: AnyPolicy | None = None,
        every: float | None = None,
    ) -> None:
        self._fill(locals())


class Twins(Part):
    """The curves of a discontinuous system, those of its regularisation for several values of the small parameter, and
    how far these are from those.

    Args:
        name: The name of its tables.
        limit: The curves of the discontinuous system.
        twin: The curves of the regularisation, with the same free parameter.
        over: The small parameter with its values: `{"epsilon": Log(1e-5, 1e-2, 4)}`.
        columns: The columns of `points.csv` that are compared.
        at: The values of the free parameter at which curves are compared; by default 12 over the range that all of them
            have.
        set: Parameter values that differ from the systems'.
    """

    _written = "Twins"
    _fits = frozenset({"study.TwinsSpec", "study.TaskSpec"})
    _keys = {
        "name": "text",
        "limit": "[text]",
        "twin": "[text]",
        "over": "{#study.AxisSpec}",
        "columns": "[text]",
        "at": "#study.AxisSpec",
        "set": "{number}",
    }

    def __init__(
        self,
        *,
        name: str,
        limit: Sequence[str],
        twin: Sequence[str],
        over: Mapping[str, AnyAxis],
        columns: Sequence[str],
        at: AnyAxis | None = None,
        set: Mapping[str, float] | None = None,
    ) -> None:
        self._fill(locals())


class Linear(Part):
    """From, to, how many: evenly spaced, both ends included."""

    _written = "Linear"
    _fits = frozenset({"study.AxisSpec"})
    _values = ("number", "number", "integer")

    def __init__(self, value1: float, value2: float, value3: int, /) -> None:
        self._take(value1, value2, value3)


class Log(Part):
    """The same in the logarithm."""

    _written = "Log"
    _fits = frozenset({"study.AxisSpec"})
    _values = ("number", "number", "integer")

    def __init__(self, value1: float, value2: float, value3: int, /) -> None:
        self._take(value1, value2, value3)


class Values(Part):
    """These."""

    _written = "Values"
    _fits = frozenset({"study.AxisSpec"})
    _values = ("[number]",)

    def __init__(self, value1: Sequence[float], /) -> None:
        self._take(value1)


class Shooting(Part):
    """Multiple shooting. Smooth orbits: `shots` intervals of equal length (1: single shooting). In modes without a
    closed form: a stiff integrator, and as many intervals as the growth of perturbations requires.

    Args:
        shots: The number of shooting intervals of smooth orbits; 8 by default.
        tolerance: The tolerance, relative to the size of each state, in modes without a closed form. Default: `1e-9`.
    """

    _written = "Shooting"
    _fits = frozenset({"study.MethodSpec"})
    _keys = {
        "shots": "integer",
        "tolerance": "number",
    }

    def __init__(
        self,
        *,
        shots: int | None = None,
        tolerance: float | None = None,
    ) -> None:
        self._fill(locals())


class Collocation(Part):
    """Orthogonal collocation on an adaptive mesh.

    Args:
        stages: Collocation points in each interval. Default: `8`.
        tolerance: The tolerance, relative to the size of each state. Default: `1e-9`.
    """

    _written = "Collocation"
    _fits = frozenset({"study.MethodSpec"})
    _keys = {
        "stages": "integer",
        "tolerance": "number",
    }

    def __init__(
        self,
        *,
        stages: int | None = None,
        tolerance: float | None = None,
    ) -> None:
        self._fill(locals())


class Harmonic(Part):
    """Trigonometric collocation (harmonic balance): smooth periodic orbits as Fourier series of as many harmonics as
    the tolerance asks for.

    Args:
        harmonics: The most harmonics of the orbit's frequency; a curve on which more are needed ends there. Default:
            `200`.
        tolerance: The tolerance, relative to the size of each state. Default: `1e-12`.
    """

    _written = "Harmonic"
    _fits = frozenset({"study.MethodSpec"})
    _keys = {
        "harmonics": "integer",
        "tolerance": "number",
    }

    def __init__(
        self,
        *,
        harmonics: int | None = None,
        tolerance: float | None = None,
    ) -> None:
        self._fill(locals())


class Symmetric(Part):
    """A symmetric periodic orbit, by the word of its first half: `Symmetric("slip- stick")`."""

    _written = "Symmetric"
    _fits = frozenset({"study.OrbitSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Periodic(Part):
    """A periodic orbit, by the word of its full period: `Periodic("slip- stick slip+ stick")`."""

    _written = "Periodic"
    _fits = frozenset({"study.OrbitSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class EquilibriumIn(Part):
    """An equilibrium in a mode of a hybrid system, as rest in sliding: `EquilibriumIn("stick")`."""

    _written = "EquilibriumIn"
    _fits = frozenset({"study.OrbitSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Cycle(Part):
    """A cycle of so many points of a map: `Cycle(2)`."""

    _written = "Cycle"
    _fits = frozenset({"study.OrbitSpec"})
    _values = ("integer",)

    def __init__(self, value1: int, /) -> None:
        self._take(value1)


class Phase(Part):
    """Where an angle passes a phase, whichever way it turns: `Phase("theta", 0)`."""

    _written = "Phase"
    _fits = frozenset({"study.SectionSpec"})
    _values = ("text", "number")

    def __init__(self, value1: str, value2: float, /) -> None:
        self._take(value1, value2)


class Maximum(Part):
    """Where a state has a maximum."""

    _written = "Maximum"
    _fits = frozenset({"study.SectionSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Minimum(Part):
    """Where a state has a minimum."""

    _written = "Minimum"
    _fits = frozenset({"study.SectionSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class Rising(Part):
    """Where a state rises through a value: `Rising("x", 0)`; an angle in each turn. What a reset takes across the value
    has not passed it."""

    _written = "Rising"
    _fits = frozenset({"study.SectionSpec"})
    _values = ("text", "number")

    def __init__(self, value1: str, value2: float, /) -> None:
        self._take(value1, value2)


class Falling(Part):
    """Where a state falls through a value."""

    _written = "Falling"
    _fits = frozenset({"study.SectionSpec"})
    _values = ("text", "number")

    def __init__(self, value1: str, value2: float, /) -> None:
        self._take(value1, value2)


class Event(Part):
    """At an event, named with its mode as in words, just before it: `Event("flight impact")`; or by its name alone, in
    whatever mode: `Event("impact")`."""

    _written = "Event"
    _fits = frozenset({"study.SectionSpec"})
    _values = ("text",)

    def __init__(self, value1: str, /) -> None:
        self._take(value1)


class All(Part):
    """Every orbit of the word at these parameter values starts a curve; found by a systematic search for segments of up
    to eight periods of the forcing, or of up to 100 units of time in a system without one. No search of a region is a
    proof that there is nothing else: `seeds` and `within` widen it. For cycles of maps, and equilibria, each sequence
    of sides of the corners (`min`, `max`, `abs`, `if`) is tried as well, up to 4096 of them: in piecewise-linear maps
    all short cycles are found. Where no orbit is found, other values of the free parameter in the range are tried, and
    the run's summary says so.

    Args:
        at: Parameter values, among them the free one.
        seeds: How many seeds the search spreads; chosen by the dimension when left out.
        within: The interval of each state to search; by default the range of a simulated trajectory, widened.
    """

    _written = "All"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "at": "{number}",
        "seeds": "integer",
        "within": "{(number, number)}",
    }

    def __init__(
        self,
        *,
        at: Mapping[str, float],
        seeds: int | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self._fill(locals())


class Everywhere(Part):
    """As `All`, at many values of the free parameter spread over the range, so that every branch that reaches into it
    is found.

    Args:
        at: Values of other parameters.
        samples: How many values of the free parameter to search at. Default: `24`.
        seeds: How many seeds each search spreads; chosen by the dimension when left out.
        within: The interval of each state to search; by default the range of a simulated trajectory, widened.
    """

    _written = "Everywhere"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "at": "{number}",
        "samples": "integer",
        "seeds": "integer",
        "within": "{(number, number)}",
    }

    def __init__(
        self,
        *,
        at: Mapping[str, float] | None = None,
        samples: int | None = None,
        seeds: int | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self._fill(locals())


class Settle(Part):
    """Simulate through the transient, and start from the orbit or equilibrium reached.

    Args:
        at: Parameter values, among them the free one.
        from_: Initial state; the system's own where left out.
        mode: The mode the trajectory starts in; if left out, the system's own or that in which `from` lies.
        patience: How long a motion is followed without an event, or without a return, before it counts as one that
            moves freely; three periods of a forcing at least. Default 5000, or 5000 radians of the forcing if that is
            longer; where states, times or guards of a system with events are far from 1, 5000 measured units of time;
            of a smooth system without a forcing at least 500 times the inverse of its fastest rate at the start.
            Without it, what is still under way then is followed for up to a thousand times as long. A motion that has
            not become periodic after 20000 events, or after a million steps of the integrator, is given up with a
            message.
    """

    _written = "Settle"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "at": "{number}",
        "from": "{number}",
        "mode": "text",
        "patience": "number",
    }

    def __init__(
        self,
        *,
        at: Mapping[str, float],
        from_: Mapping[str, float] | None = None,
        mode: str | None = None,
        patience: float | None = None,
    ) -> None:
        self._fill(locals())


class Guess(Part):
    """Start from a guess that Newton corrects.

    Args:
        at: Parameter values, among them the free one.
        states: For each segment of the word: its start state. An equilibrium has one, a cycle of a map as many as it
            has points or only the first. An orbit without events begins where the phase of a forcing is zero, which
            need not be said.
        durations: For each segment: its duration; of a smooth periodic orbit the period. Not for equilibria and maps.
    """

    _written = "Guess"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "at": "{number}",
        "states": "[{number}]",
        "durations": "[number]",
    }

    def __init__(
        self,
        *,
        at: Mapping[str, float],
        states: Sequence[Mapping[str, float]],
        durations: Sequence[float] | None = None,
    ) -> None:
        self._fill(locals())


class Point(Part):
    """Start from a point of another curve: one above in this study, or one of a finished run. From a Hopf point (HB) of
    equilibria a curve of periodic orbits sets off.

    Args:
        from_: `"curve, label"` in this study, `"folder, curve, label"` in the output folder of another run (relative to
            the study file). The label is a code (`HB`: every such point), a code with a number (`HB 2`: the second
            along the curve), a level (`Omega=2`) or the index of a point that has an orbit file.
        at: Parameter values that differ from those of the point.
    """

    _written = "Point"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "from": "text",
        "at": "{number}",
    }

    def __init__(
        self,
        *,
        from_: str,
        at: Mapping[str, float] | None = None,
    ) -> None:
        self._fill(locals())


class File(Part):
    """Start from an orbit in a CSV file: a column `t`, one for each state by its name, and `mode` for hybrid systems;
    rows from the beginning of the period to its end. One row for an equilibrium, one for each point of a cycle of a
    map.

    Args:
        path: The file, relative to the study.
        at: Parameter values, among them the free one.
    """

    _written = "File"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "path": "text",
        "at": "{number}",
    }

    def __init__(
        self,
        *,
        path: str,
        at: Mapping[str, float],
    ) -> None:
        self._fill(locals())


class Auto(Part):
    """Start from a solution in a file of AUTO's (`s.NAME` or `fort.8`).

    Args:
        path: The file, relative to the study.
        label: The label of the solution, a number.
        numbers: The number under which AUTO knows each parameter: `{"rho": 1}` for PAR(1). By default they are numbered
            in the order of the system, without 11, the period.
        at: Parameter values that differ from those of the solution.
    """

    _written = "Auto"
    _fits = frozenset({"study.StartSpec"})
    _keys = {
        "path": "text",
        "label": "integer",
        "numbers": "{integer}",
        "at": "{number}",
    }

    def __init__(
        self,
        *,
        path: str,
        label: int,
        numbers: Mapping[str, int] | None = None,
        at: Mapping[str, float] | None = None,
    ) -> None:
        self._fill(locals())


if TYPE_CHECKING:
    AnyAxis: TypeAlias = Linear | Log | Values
    AnyMethod: TypeAlias = Literal["Auto", "Flow"] | Shooting | Collocation | Harmonic
    AnyOrbit: TypeAlias = Literal["PeriodicOrbit", "Equilibrium", "FixedPoint"] | Symmetric | Periodic | EquilibriumIn | Cycle
    AnySwitch: TypeAlias = Literal["Stop", "Auto"]
    AnyChoice: TypeAlias = Literal["Both", "Stick", "Slip"]
    AnyBranchLabel: TypeAlias = Literal["SB", "PD", "BP"]
    AnyDirections: TypeAlias = Literal["Both", "Up", "Down"]
    AnySection: TypeAlias = Phase | Maximum | Minimum | Rising | Falling | Event
    AnySweep: TypeAlias = Literal["Up", "Down"]
    AnyReduction: TypeAlias = Literal["Singular", "Finite"]
    AnyPolicy: TypeAlias = Literal["Stick", "Slip", "Both"]
    AnyStart: TypeAlias = All | Everywhere | Settle | Guess | Point | File | Auto
    AnyTask: TypeAlias = Basins | Chart | Family | Lyapunov | OrbitDiagram | Twins
