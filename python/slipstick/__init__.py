"""Continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.

``run`` carries out a study, ``open`` reads a finished run. A study is a file, a text, or a ``Study`` made of the parts
that ``studies``, ``systems``, ``figures`` and ``analyses`` declare; those of studies and systems, and the figures whose
names no task has, are here as well. A system by itself simulates, finds orbits and continues them:
``Smooth(...).flow``.
"""

from . import analyses, errors, figures, studies, systems
from ._curves import Multipliers, Orbit, TracedCurve
from ._figures import Figure
from ._parts import Part
from ._progress import Progress
from ._runs import Report, Run, check, run
from ._runs import open_run as open
from ._slipstick import __version__, meaning
from ._systems import Continuation, CurvePoint, Flow, FlowEvent, FoundOrbit, TextSystem, system
from ._tables import Table
from .errors import *
from .figures import *
from .studies import *  # type: ignore[assignment]
from .systems import *  # type: ignore[assignment]

# Without `open`: `from slipstick import *` leaves the one that Python has. `slipstick.open` is there all the same.
__all__ = [
    "Continuation",
    "CurvePoint",
    "Figure",
    "Flow",
    "FlowEvent",
    "FoundOrbit",
    "Multipliers",
    "Orbit",
    "Part",
    "Progress",
    "Report",
    "Run",
    "Table",
    "TextSystem",
    "TracedCurve",
    "__version__",
    "analyses",
    "check",
    "errors",
    "figures",
    "meaning",
    "run",
    "studies",
    "system",
    "systems",
    *errors.__all__,
    *figures.__all__,
    *studies.__all__,
    *systems.__all__,
]
