"""An orbit between the rows of its table.

Between two rows of one mode a state is the polynomial that has its values and its first three derivatives at both ends;
the derivatives come from the equations. Where the equations are so stiff that higher derivatives mean nothing over the
distance of two rows, fewer of them are used.
"""

from __future__ import annotations

from math import comb, factorial

import numpy as np

#: The derivatives that are known at each row.
ORDERS = 3

#: How far, in units of a state's range, a cubic may leave the chord between two rows, which are chosen so that chords
#: follow the orbit.
FAR = 0.05


def _right(order: int) -> np.ndarray:
    """What turns the Taylor coefficients at the right end into those of the part of a polynomial that is zero at the
    left."""
    of = [[comb(order + 1 + j, k) for j in range(order + 1)] for k in range(order + 1)]
    return np.linalg.inv(np.array(of, dtype=float))


class Interpolant:
    """All states of an orbit at any time between its first and its last row."""

    def __init__(self, t: np.ndarray, states: np.ndarray, derivatives: np.ndarray) -> None:
        """``states`` by row and state; ``derivatives`` by order, row and state."""
        self.t = t
        h = np.diff(t)
        taylor = np.concatenate([states[None], derivatives])
        scale = np.array([1.0 / factorial(k) for k in range(ORDERS + 1)])[:, None, None] * (
            h[None, :, None] ** np.arange(ORDERS + 1)[:, None, None]
        )
        left, right = taylor[:, :-1] * scale, taylor[:, 1:] * scale
        self._polynomials = [_polynomial(left, right, order) for order in range(ORDERS + 1)]
        reach = np.ptp(states, axis=0)
        reach[reach == 0.0] = 1.0
        middles = [_evaluate(p, np.full(len(h), 0.5)) for p in self._polynomials]
        with np.errstate(invalid="ignore", over="ignore"):
            steps = [np.max(np.abs(b - a) / reach, axis=1) for a, b in zip(middles, middles[1:])]
            order = np.where(steps[0] <= FAR, 1, 0)
            for k in range(1, ORDERS):
                order = np.where((order == k) & (steps[k] <= steps[k - 1]), k + 1, order)
        self._order = order

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The states by time and state."""
        row = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 2)
        # The end of the last segment is not the beginning of another.
        h = self.t[row + 1] - self.t[row]
        s = np.divide(t - self.t[row], h, out=np.zeros_like(t), where=h > 0.0)
        found = np.empty((len(t), self._polynomials[0].shape[2]))
        for order, polynomial in enumerate(self._polynomials):
            here = self._order[row] == order
            found[here] = _evaluate(polynomial[:, row[here]], s[here])
        return found


def _polynomial(left: np.ndarray, right: np.ndarray, order: int) -> np.ndarray:
    """The coefficients of the polynomials with this many derivatives at both ends, by power, row and state."""
    m = order + 1
    low = left[:m]
    # What is left for the upper half at the right end, whose Taylor coefficients there are known.
    taken = np.array([[comb(j, k) if j >= k else 0 for j in range(m)] for k in range(m)], dtype=float)
    with np.errstate(invalid="ignore", over="ignore"):
        rest = right[:m] - np.tensordot(taken, low, axes=1)
        high = np.tensordot(_right(order), rest, axes=1)
    return np.concatenate([low, high])


def _evaluate(polynomial: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Horner's rule at one place of each row."""
    value = np.zeros(polynomial.shape[1:])
    with np.errstate(invalid="ignore", over="ignore"):
        for coefficient in polynomial[::-1]:
            value = value * s[:, None] + coefficient
    return value
