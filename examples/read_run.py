#!/usr/bin/env python3
"""Read a finished run with pandas: python3 examples/read_run.py output/stiction

Prints each curve's range, its stable part, its special points and what the orbit at the first of them looks like.
"""

import sys
from pathlib import Path

import pandas as pd

# An empty label is no label, not a missing number; an empty number is a missing one; infinities are spelled as pandas expects.
TEXT = {"curve": str, "label": str, "word": str, "message": str, "mode": str}


def read(path):
    table = pd.read_csv(path, dtype=TEXT, keep_default_na=False, na_values=[""])
    return table.fillna({name: "" for name in TEXT if name in table})


def main(run):
    points = read(run / "points.csv")
    special = read(run / "special.csv")
    # Every column but these is a number or a flag.
    names = list(points.columns)
    free = max(names[3 : names.index("period")], key=lambda name: points[name].nunique())
    for curve, rows in points.groupby("curve", sort=False):
        stable = rows[rows["stable"] & rows["admissible"]]
        print(f"{curve}: {len(rows)} points, {free} from {rows[free].min():.9g} to {rows[free].max():.9g}, {len(stable)} stable")
        for _, row in special[special["curve"] == curve].iterrows():
            print(f"  {row['label']:3} at {free} = {row[free]:.15g}: {row['message']}")
    if not special.empty:
        first = special.iloc[0]
        orbit = read(run / "orbits" / f"{first['curve']}-{first['index']}.csv")
        modes = orbit["mode"].unique() if "mode" in orbit else []
        print(f"the orbit at the first of them has {len(orbit)} rows over {orbit['t'].iloc[-1]:.9g} and visits {', '.join(modes)}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "points.csv").is_file():
        sys.exit("usage: read_run.py RUN, a folder that `slipstick run` has written, as in output/stiction")
    main(Path(sys.argv[1]))
