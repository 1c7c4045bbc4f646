"""Systems without a study: simulation, orbits, continuation."""

import math
import time
import warnings

import numpy as np
import pytest
from conftest import interruption

import slipstick

#: x'' + x = 0 over a floor at x = 0, with an ideal bounce.
BOUNCE = slipstick.Hybrid(
    states=["x", "v"],
    parameters={"g": 1.0, "r": 0.5},
    modes={
        "flight": slipstick.Mode(
            equations=["x' = v", "v' = -g"],
            events={"bounce": slipstick.Event(guard="x", direction="Down", to="flight", reset={"v": "-r*v"})},
        )
    },
    start=slipstick.Start(mode="flight", at={"x": 1.0, "v": 0.0}),
)


@pytest.fixture(scope="module")
def oscillator():
    return slipstick.Smooth(
        states=["x", "y"],
        parameters={"mu": 1.0},
        equations=["x' = y", "y' = mu*(1 - x^2)*y - x"],
        start={"x": 2.0},
    )


def test_a_flow_is_a_table_and_a_function():
    rotation = slipstick.Smooth(states=["x", "y"], equations=["x' = y", "y' = -x"])
    flow = rotation.flow([0.0, 1.0], 10.0)
    assert flow["t"][-1] == 10.0 and flow.states == ["x", "y"] and flow.ended == "reached the end time"
    t = np.linspace(0.0, 10.0, 1234)
    assert np.max(np.abs(flow(t) - [np.sin(t), np.cos(t)])) < 1e-12
    assert flow(math.pi / 2, "x") == pytest.approx(1.0, abs=1e-12)
    assert rotation.flow({"y": 1.0}, 10.0, every=0.5)(3.3, "x") == pytest.approx(math.sin(3.3), abs=1e-9)
    with pytest.raises(ValueError, match="from t = 0 to 10"):
        flow(10.5)
    with pytest.raises(ValueError, match="2 states"):
        rotation.flow([1.0])
    with pytest.raises(slipstick.StudyError, match="did you mean|unknown"):
        rotation.flow({"z": 1.0})


def test_events_of_a_flow():
    flow = BOUNCE.flow(t=3.0)
    first = math.sqrt(2.0)
    times = [first, 2.0 * first, 2.5 * first]
    assert [event.name for event in flow.events] == ["bounce"] * len(flow.events)
    assert [event.t for event in flow.events][:2] == pytest.approx(times[:2], abs=1e-12)
    assert flow.events[0].mode == flow.events[0].to == "flight"
    assert flow(first + 0.1, "v") == pytest.approx(0.5 * first - 0.1, abs=1e-12)
    faster = BOUNCE.flow(t=1.0, set={"g": 4.0})
    assert faster.events[0].t == pytest.approx(math.sqrt(0.5), abs=1e-12)


def test_the_phase_of_a_forcing_goes_on():
    flow = slipstick.Stiction().flow({"x": 2.0}, 30.0)
    t = np.linspace(0.0, flow["t"][-1], 99)
    assert np.allclose(flow(t, "theta") - flow(0.0, "theta"), t, atol=1e-11)
    assert {event.mode for event in flow.events} >= {"slip-", "slip+"}
    words = flow.word.split(" ")
    assert [event.name for event in flow.events] == words[1::2]
    assert [event.mode for event in flow.events] == words[0:-1:2]
    # The first leaves at once, and has no rows; each other one has two.
    times = flow["t"]
    assert [event.t for event in flow.events if event.t > 0.0] == list(times[1:][times[1:] == times[:-1]])


def test_a_map_is_iterated():
    logistic = slipstick.Map(states=["x"], parameters={"r": 3.2}, equations=["x+ = r*x*(1 - x)"], start={"x": 0.3})
    flow = logistic.flow(t=4)
    x = [0.3]
    for _ in range(4):
        x.append(3.2 * x[-1] * (1.0 - x[-1]))
    assert list(flow["x"]) == pytest.approx(x, abs=1e-15)
    with pytest.raises(slipstick.UnfinishedError):
        flow(0.5)
    cycle = logistic.orbit(slipstick.Cycle(2), [{"x": 0.5}, {"x": 0.8}])
    assert cycle.period == 2 and sorted(cycle["x"]) == pytest.approx([0.5130445, 0.7994555], abs=1e-7)
    with pytest.raises(slipstick.RunError, match="map"):
        cycle(0.5)


def test_orbits_are_found(oscillator):
    settled = oscillator.orbit(settle=True)
    guessed = oscillator.orbit("PeriodicOrbit", {"x": 2.0, "y": 0.0}, 6.6)
    assert settled.period == pytest.approx(guessed.period, abs=1e-8)
    assert settled.period == pytest.approx(6.6632868593231, abs=1e-7)
    assert settled.multipliers.values[0, 0].real == pytest.approx(8.59695e-4, rel=1e-4)
    rest = oscillator.orbit("Equilibrium", {"x": 0.1, "y": 0.0})
    assert rest.curve.eigenvalues[0] == pytest.approx([0.5 + 0.75**0.5 * 1j, 0.5 - 0.75**0.5 * 1j])
    assert rest.period == 0.0 and np.allclose(rest(np.linspace(0.0, 1.0, 5)), 0.0) and rest(0.5).shape == (2,)
    hybrid = slipstick.Stiction().orbit("slip- stick", symmetric=True, set={"Omega": 2.0})
    assert hybrid.period == pytest.approx(2.0 * math.pi)
    assert hybrid._repr_svg_().startswith("<svg")
    with pytest.raises(slipstick.UnfinishedError):
        restless = slipstick.Smooth(states=["x"], parameters={"a": 1.0}, equations=["x' = a + x^2"])
        restless.orbit("Equilibrium", {"x": 1.0})
    with pytest.raises(slipstick.StudyError):
        slipstick.Stiction().orbit("slipp- stick")
    with pytest.raises(ValueError, match=r'orbit\("word", settle=True\); the modes are slip\+, slip-, stick') as caught:
        slipstick.Stiction().orbit(settle=True)
    assert "system.ron" not in str(caught.value)
    settled = slipstick.Stiction().orbit("slip- stick slip+ stick", {"x": 1.0}, settle=True, set={"Omega": 2.0})
    assert settled.period == pytest.approx(hybrid.period)
    with pytest.raises(TypeError, match=r"written without one, Belt\(...\)"):
        slipstick.Belt(v0=1)


@pytest.mark.parametrize("guess", [{"x": 2, "y": 0}, [2.0, 0.0], np.array([2.0, 0.0]), [[2, 0]], np.array([[2.0, 0.0]])])
def test_guesses_are_given_by_name_or_in_order(oscillator, guess):
    assert abs(oscillator.orbit("PeriodicOrbit", guess, np.float64(6.6)).period - 6.663286859323128) < 1e-9
    with pytest.raises(ValueError, match="the system has 2 states"):
        oscillator.orbit("PeriodicOrbit", [2.0], 6.6)


def test_a_relaxation_oscillation_is_resolved(oscillator):
    """Between rows, too; and a curve begins at it."""
    orbit = oscillator.orbit(settle=True, set={"mu": 100})
    t = orbit["t"]
    middle = 0.5 * (t[1:] + t[:-1])
    x, y = orbit(middle)
    # The rates of the polynomial are those of the equations.
    step = 1e-3 * np.diff(t)
    slope = (orbit(middle + step, "x") - orbit(middle - step, "x"))[step > 0] / (2 * step[step > 0])
    assert np.max(np.abs(slope - y[step > 0])) < 1e-4 * np.ptp(y)
    curve = list(orbit.continue_("mu", (95, 105)))
    assert len(curve) > 2 and all(point["period"] > 100 for point in curve)


def test_a_curve_is_traced_point_by_point(oscillator):
    orbit = oscillator.orbit(settle=True)
    points = list(orbit.continue_("mu", (0.5, 2.0), directions="Up", levels={"mu": [1.5]}))
    values = [point.parameter for point in points]
    assert values[0] == pytest.approx(1.0) and values[-1] == 2.0 and values == sorted(values)
    level = next(point for point in points if point.label == "UZ")
    assert level["mu"] == 1.5 and level.stable and level["x_max"] == pytest.approx(2.0, abs=0.05)
    # What a study's curve has, bit for bit.
    curve = slipstick.Curve(
        name="cycles",
        orbit="PeriodicOrbit",
        start=slipstick.Settle(at={"mu": 1.0}),
        free="mu",
        range=(0.5, 2.0),
        levels={"mu": [1.5]},
    )
    run = slipstick.run(slipstick.Study(title="t", system=oscillator, curves=[curve]))
    traced = run.curves["cycles"].orbit("UZ").at
    assert level["period"] == pytest.approx(traced["period"], rel=1e-9)
    assert level.log10[0] == pytest.approx(traced["mult1_log10"], abs=1e-6)


def test_special_points_come_with_their_labels():
    orbit = slipstick.Stiction().orbit("slip- stick", symmetric=True, set={"Omega": 2.0})
    with orbit.continue_("Omega", (1.0, 15.0)) as points:
        found = {point.label: point for point in points if point.label}
    assert abs(found["SB"].parameter - 1.627747758837944) < 1e-12
    assert "vanishes" in found["VS"].message and found["EP"].parameter == 15.0
    assert points.ended


def test_a_loop_can_stop_a_curve(oscillator):
    orbit = oscillator.orbit(settle=True)
    points = orbit.continue_("mu", (0.1, 50.0), step=slipstick.Step(largest=1e-4))
    seen = [point for _, point in zip(range(5), points)]
    assert len(seen) == 5
    # It waits for the loop.
    time.sleep(0.2)
    began = time.monotonic()
    points.close()
    assert time.monotonic() - began < 5.0
    assert list(points) == []
    # And is stopped when it is forgotten.
    forgotten = orbit.continue_("mu", (0.1, 50.0), step=slipstick.Step(largest=1e-4))
    next(forgotten)
    del forgotten


def test_control_c_interrupts_a_curve(oscillator):
    orbit = oscillator.orbit(settle=True)
    with interruption(0.5), pytest.raises(KeyboardInterrupt):
        for _ in orbit.continue_("mu", (0.1, 50.0), step=slipstick.Step(largest=1e-6)):
            pass


def test_a_curve_without_points_says_why(oscillator):
    orbit = oscillator.orbit(settle=True)
    with pytest.raises(slipstick.StudyError):
        orbit.continue_("nu", (0.5, 2.0))
    with pytest.raises(TypeError, match="did you mean `levels`"):
        orbit.continue_("mu", (0.5, 2.0), level={})


def test_a_system_of_its_text():
    stiction = slipstick.system("Stiction(mu_s: 1.1, mu_d: 0.4)")
    flow = stiction.flow({"x": 2.0}, 10.0)
    assert flow["x"].tobytes() == slipstick.Stiction(mu_s=1.1, mu_d=0.4).flow({"x": 2.0}, 10.0)["x"].tobytes()


def test_large_units_are_measured(oscillator):
    """Systems far from one are computed in units of their own; what is passed on is in those of the study."""
    system = slipstick.Smooth(
        states=["x", "y"],
        parameters={"mu": 1.0},
        equations=["x' = y", "y' = mu*(1 - (x/1e9)^2)*y - x"],
        start={"x": 2e9},
    )
    orbit = system.orbit(settle=True)
    assert orbit.period == pytest.approx(6.6632868593231, rel=1e-7)
    points = orbit.continue_("mu", (0.9, 1.1), directions="Up")
    first = next(points)
    points.close()
    assert first["period"] == pytest.approx(orbit.period, rel=1e-7)
    assert first["x_max"] == pytest.approx(orbit.at["x_max"], rel=1e-7)
    flow = system.flow(orbit(0.0), orbit.period)
    t = np.linspace(0.0, 0.999 * orbit.period, 99)
    assert np.max(np.abs(flow(t) - orbit(t))) < 1e2


def test_a_cycle_gone_through_several_times_is_said():
    """From a guess next to a shorter cycle that one is found, and it is said."""
    logistic = slipstick.Map(states=["x"], parameters={"r": 2.5}, equations=["x+ = r*x*(1 - x)"])
    for length in (2, 3, 4):
        with pytest.warns(slipstick.StudyWarning, match=f"a fixed point, gone through {length} times"):
            orbit = logistic.orbit(slipstick.Cycle(length), {"x": 0.61})
        assert orbit.period == 1 and orbit["x"][0] == pytest.approx(0.6, abs=1e-12)
        with orbit.continue_("r", (2.4, 2.6), directions="Up") as points:
            assert next(points)["x"] == pytest.approx(0.6, abs=1e-12)
    with pytest.warns(slipstick.StudyWarning, match="a cycle of 2 points, gone through 2 times"):
        assert logistic.orbit(slipstick.Cycle(4), [{"x": 0.513}, {"x": 0.799}] * 2, set={"r": 3.2}).period == 2
    # As asked for: nothing to say.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert logistic.orbit(slipstick.Cycle(2), [{"x": 0.513}, {"x": 0.799}], set={"r": 3.2}).period == 2


def test_all_names_leave_those_of_python():
    """`from slipstick import *` replaces no builtin."""
    import builtins

    names: dict[str, object] = {}
    exec("from slipstick import *", names)
    assert not [name for name in slipstick.__all__ if hasattr(builtins, name)]
    assert "open" not in names and callable(slipstick.open)
