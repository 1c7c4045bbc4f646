"""What is given to a run: studies and parameter values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from . import _slipstick

if TYPE_CHECKING:
    from ._parts import Part

#: How a text begins that is a study rather than the name of a file: comments and attributes aside, with `Study(` or
#: `(`.
_STUDY = re.compile(r"(\s|//[^\n]*\n|#!\[[^\]]*\])*(Study\s*)?\(")


def loaded(study: str | PathLike[str] | Part) -> _slipstick.LoadedStudy:
    """The study of a file, of a text, or made of Python objects."""
    if isinstance(study, str):
        is_text = "\n" in study or (_STUDY.match(study) is not None and not Path(study).exists())
        if is_text:
            return _slipstick.LoadedStudy.parse(study, "study.ron")
        return _slipstick.LoadedStudy.load(study)
    if isinstance(study, PathLike):
        return _slipstick.LoadedStudy.load(study)
    if not hasattr(study, "to_ron"):
        kind = type(study).__name__
        raise TypeError(f"a study is the path of a file, the text of a study or a `Study`, not {kind}")
    return _slipstick.LoadedStudy.parse(study.to_ron(), "study.ron")


def settings(set: Mapping[str, float] | None) -> list[tuple[str, float]]:
    """Parameter values from outside, in their order."""
    return [(name, float(value)) for name, value in (set or {}).items()]


@lru_cache(maxsize=8)
def of_text(text: str) -> _slipstick.LoadedStudy:
    """The study of a text, once: large systems take seconds to prepare."""
    return _slipstick.LoadedStudy.parse(text, "system.ron")
