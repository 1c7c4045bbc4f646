"""Figures drawn by the engine: the same bytes as those of the command."""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path

from .errors import RunError, UnfinishedWarning

__all__ = ["Figure"]


class Figure:
    """A figure fit to print: SVG, PDF, PNG and LaTeX. A notebook shows it."""

    def __init__(self, drawn: tuple[str, str, bytes, bytes, str, list[str]]) -> None:
        self.name, self.svg, self.pdf, self.png, self.tex, unseen = drawn
        if unseen:
            # Said of the line that asked for the figure.
            warnings.warn("\n".join(unseen), UnfinishedWarning, stacklevel=3)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the figure to a file; the ending of its name says in which format: .svg, .pdf, .png or .tex."""
        path = Path(path)
        contents: dict[str, str | bytes] = {".svg": self.svg, ".pdf": self.pdf, ".png": self.png, ".tex": self.tex}
        if path.suffix not in contents:
            raise RunError(f"{path}: a figure is saved as one of {', '.join(contents)}")
        content = contents[path.suffix]
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def __repr__(self) -> str:
        return f"<Figure {self.name!r}>"

    def _repr_svg_(self) -> str:
        return self.svg
