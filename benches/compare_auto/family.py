"""The family of the regularised stiction oscillator: for AUTO half an orbit in two segments, layer and slip, with the events at their ends.

This is the best that can be done in AUTO by hand: its mesh never steps over an event. AUTO finds no start of its own here; it begins with our orbit
at Ω = 2, and computes no multipliers.
"""

import csv
import math

# The intervals that serve AUTO best at each ε: with fewer it fails or misses folds, with more it is slower.
INTERVALS = {1e-2: 50, 1e-3: 100, 1e-4: 200, 1e-5: 200, 1e-6: 400}


def constants(epsilon, start, direction):
    landing, duration = start
    return f"""dat='start'
PAR={{'1': 2.0, '2': {epsilon!r}, '3': {landing!r}, '4': {duration!r}}}
NDIM=5, IPS=4, ILP=1, IRS=0
ICP=[1, 3, 4, 5, 6, 7]
NTST={INTERVALS[epsilon]}, NCOL=4, IAD=3, ISP=2, ISW=1, IPLT=0, NBC=7, NINT=0
NMX=4000, NPR=4000, MXBF=0, IID=0, ITMX=8, ITNW=7, NWTN=3, JAC=1
EPSL=1e-08, EPSU=1e-08, EPSS=1e-06
DS={direction}, DSMIN=1e-08, DSMAX=0.5, IADS=1
NPAR=7, THL={{}}, THU={{'2': 0.0, '5': 0.0}}
UZR={{}}
UZSTOP={{'5': 3.0, '1': [0.1, 3000.0]}}
"""


def write_start(run, target):
    """Writes our orbit at Ω = 2 of the largest amplitude as AUTO's data; returns the phase of landing and the duration of the layer."""
    with open(run / "special.csv") as file:
        points = [row for row in csv.DictReader(file) if row["label"] == "UZ" and float(row["Omega"]) == 2.0]
    point = max(points, key=lambda row: float(row["max_abs_x"]))
    with open(run / "orbits" / f"family-{point['index']}.csv") as file:
        rows = list(csv.DictReader(file))
    modes = [row["mode"] for row in rows]
    first = modes.index("layer")
    ends = next((i for i in range(first, len(rows)) if modes[i] != "layer"), len(rows))
    layer = rows[first:ends]
    slip = rows[:first]
    # Before the layer the block slips to the left; the orbit is symmetric, so that what comes after is that slip mirrored.
    duration = float(layer[-1]["t"]) - float(layer[0]["t"])
    whole = float(slip[-1]["t"]) - float(slip[0]["t"])
    upwards = 1.0 if float(layer[0]["yhat"]) < 0 else -1.0
    one = [(((float(r["t"]) - float(layer[0]["t"])) / duration), upwards * float(r["x"]), upwards * float(r["yhat"])) for r in layer]
    two = [(((float(r["t"]) - float(slip[0]["t"])) / whole), -upwards * float(r["x"]), -upwards * float(r["y"])) for r in slip]
    times = sorted({t for t, _, _ in one} | {t for t, _, _ in two})
    with open(target, "w") as file:
        for t in times:
            (a, b), (c, d) = at(one, t), at(two, t)
            file.write(" ".join(f"{value:.15e}" for value in (t, a, b, c, d, t)) + "\n")
    phase = float(layer[0]["theta"]) + (0.0 if upwards > 0 else math.pi)
    return phase, duration


def at(rows, t):
    """Linear between rows of (t, u, v)."""
    index = next((i for i in range(1, len(rows)) if rows[i][0] >= t), len(rows) - 1)
    (s, a, b), (e, c, d) = rows[index - 1], rows[index]
    part = 0.0 if e == s else (t - s) / (e - s)
    return a + part * (c - a), b + part * (d - b)
