"""What the tests share: the repository's studies, and runs that several tests look at."""

import os
import signal
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import slipstick

ROOT = Path(os.environ.get("SLIPSTICK_ROOT", Path(__file__).parents[2]))

#: A fold of equilibria, x² = a.
FOLD = """Study(
    title: "A fold",
    system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"], start: {"x": 1}),
    curves: [Curve(name: "rest", orbit: Equilibrium, start: Settle(at: {"a": 1}), free: "a", range: (-1, 2))],
    figures: [Diagram(name: "fold", x: "a", y: "x")],
)
"""


@contextmanager
def interruption(seconds):
    """Ctrl-C after a time, unless the work is over before."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@pytest.fixture(scope="session")
def studies():
    return ROOT / "studies"


@pytest.fixture(scope="session")
def stiction(studies):
    return slipstick.run(studies / "stiction.ron", jobs=2)


@pytest.fixture(scope="session")
def fold():
    return slipstick.run(FOLD)


@pytest.fixture(scope="session")
def vibrations():
    """Periodic orbits of van der Pol's oscillator."""
    system = slipstick.Smooth(
        states=["x", "y"],
        parameters={"mu": 1.0},
        equations=["x' = y", "y' = mu*(1 - x^2)*y - x"],
        start={"x": 2.0},
    )
    curve = slipstick.Curve(
        name="cycles",
        orbit="PeriodicOrbit",
        start=slipstick.Settle(at={"mu": 1.0}),
        free="mu",
        range=(0.5, 2.0),
        levels={"mu": [1.0]},
    )
    return slipstick.run(slipstick.Study(title="van der Pol", system=system, curves=[curve]))
