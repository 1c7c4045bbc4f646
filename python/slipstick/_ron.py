"""Values as a study writes them."""

from __future__ import annotations

import math


def quoted(text: str) -> str:
    """A text in quotes."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


def number(value: float) -> str:
    """A number with all of its digits."""
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def mapping(values: dict[str, float]) -> str:
    """Numbers by name."""
    return "{" + ", ".join(f"{quoted(name)}: {number(value)}" for name, value in values.items()) + "}"
