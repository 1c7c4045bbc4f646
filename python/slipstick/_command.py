"""The command ``slipstick``."""

from __future__ import annotations

import sys

from . import _slipstick


def main() -> int:
    """Carry out the command line of this process; the exit code."""
    return _slipstick.command(["slipstick", *sys.argv[1:]])
