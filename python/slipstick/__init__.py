"""Continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales."""

from ._figures import Figure
from ._progress import Progress
from ._runs import Curve, Multipliers, Orbit, Report, Run, run
from ._runs import open_run as open
from ._slipstick import __version__, meaning
from ._tables import Table
from .errors import Flaw, RunError, StudyError, StudyWarning, UnfinishedError, UnfinishedWarning

