"""What can go wrong, as exceptions and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Flaw", "RunError", "StudyError", "StudyWarning", "UnfinishedError", "UnfinishedWarning"]


class Flaw(NamedTuple):
    """One thing that is wrong with a study."""

    message: str
    line: int | None
    column: int | None
    help: str | None


class StudyError(ValueError):
    """A study that is wrong.

    Its text shows every line concerned with a mark below. ``flaws`` lists what is wrong; ``line``, ``column`` (from 1),
    ``message`` and ``help`` are those of the first.
    """

    def __init__(self, text: str, flaws: Sequence[tuple[str, int | None, int | None, str | None]] = ()) -> None:
        super().__init__(text)
        self.flaws: tuple[Flaw, ...] = tuple(Flaw(*flaw) for flaw in flaws)
        first = self.flaws[0] if self.flaws else Flaw(text, None, None, None)
        self.message, self.line, self.column, self.help = first


class RunError(RuntimeError):
    """A folder that cannot be used, a figure that cannot be drawn, or something that a run does not have."""


class UnfinishedError(RuntimeError):
    """Nothing of what was asked for could be computed; the text says why."""


class UnfinishedWarning(UserWarning):
    """A run lacks something that was asked for; ``Run.missing`` has the reasons."""


class StudyWarning(UserWarning):
    """Something in a study that a reader should look at, though it is no error."""
