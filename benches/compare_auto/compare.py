"""AUTO-07p and slipstick, one after the other on the same work: user and system CPU seconds of the whole processes, on one thread.

    python3 benches/compare_auto/compare.py --auto AUTO_DIR [--slipstick target/release/slipstick] [--rounds 5] [--only ab,ring-16]

AUTO_DIR is a folder with AUTO's sources and demos, compiled or not; AUTO is compiled once more in a temporary folder, with all optimisations.
Needs gfortran. In each round both programs run in turn; the table has the medians, and the median of the ratios of the rounds.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import tempfile

import auto_program
import demos
import family
import ring

HERE = pathlib.Path(__file__).resolve().parent
# The intervals with which AUTO's error of a point is that of our meshes at this tolerance.
RING = {4: 20, 16: 20, 64: 20, 128: 20}
RING_TOLERANCE = "1e-6"


class Slipstick:
    """The command, run on a study in a folder of its own."""

    def __init__(self, command, folder):
        self.command = command
        self.folder = folder

    def run(self, study, *options):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        command = [self.command, "run", study, "--jobs", "1", "--quiet", "--out", out, *options]
        seconds, code = auto_program.timed(command, self.folder, self.folder / "log")
        if code != 0:
            raise SystemExit(f"slipstick stopped with exit code {code} on {pathlib.Path(study).name}: {(self.folder / 'log').read_text()}")
        return seconds, len((out / "points.csv").read_text().splitlines()) - 1


def demo(name, sources, objects, slipstick, folder):
    """A demo of AUTO's: how each of the programs runs it."""
    theirs = sources / "demos" / name
    auto = auto_program.Auto(objects, (theirs / f"{name}.f90").read_text(), folder)
    study = folder / f"{name}.ron"
    shutil.copy(HERE / "studies" / f"{name}.ron", study)
    data = theirs / f"{name}.dat"
    if data.exists():
        shutil.copy(data, folder)
        rows = [[float(word.replace("D", "E")) for word in line.split()] for line in data.read_text().splitlines() if line.strip()]
        lines = ["t,x,y,z"] + [",".join(repr(v) for v in [row[0] - rows[0][0], *row[1:]]) for row in rows]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")

    def run_auto():
        auto.again()
        getattr(demos, name)(auto, lambda constants: (theirs / f"c.{constants}").read_text())
        return auto.seconds, auto.points

    return run_auto, lambda: slipstick.run(study)


def ring_of(n, objects, slipstick, folder):
    auto = auto_program.Auto(objects, ring.fortran(n), folder)
    study = folder / "ring.ron"
    study.write_text(ring.study(n, RING_TOLERANCE))

    def run_auto():
        auto.again()
        auto.run("ring", ring.constants(n, RING[n]))
        return auto.seconds, auto.points

    return run_auto, lambda: slipstick.run(study)


def family_at(epsilon, tolerance, objects, slipstick, folder):
    auto = auto_program.Auto(objects, (HERE / "stiction_aligned.f90").read_text(), folder)
    study = folder / "family.ron"
    text = (HERE / "studies" / "family.ron").read_text()
    if tolerance:
        text = text.replace('orbit: Symmetric', f'method: Collocation(tolerance: {tolerance}),\n            orbit: Symmetric')
    study.write_text(text)
    options = ("--set", f"epsilon={epsilon!r}")
    slipstick.run(study, *options)
    start = family.write_start(slipstick.folder / "out", folder / "start.dat")

    def run_auto():
        auto.again()
        for name, direction in (("up", 0.01), ("down", -0.01)):
            auto.run(name, family.constants(epsilon, start, direction))
        return auto.seconds, auto.points

    return run_auto, lambda: slipstick.run(study, *options)


def works(sources, objects, slipstick, folder):
    """What there is to compare, by name."""
    found = {}
    for name in ("ab", "pp2", "frc", "lrz", "cusp", "tor", "lor", "plp"):
        found[name] = lambda name=name: demo(name, sources, objects, slipstick, folder / name)
    for n in RING:
        found[f"ring-{n}"] = lambda n=n: ring_of(n, objects, slipstick, folder / f"ring-{n}")
    for epsilon in family.INTERVALS:
        name = f"family-{epsilon:.0e}".replace("e-0", "e-")
        found[name] = lambda e=epsilon, name=name: family_at(e, None, objects, slipstick, folder / name)
    found["family-1e-3-at-1e-7"] = lambda: family_at(1e-3, "1e-7", objects, slipstick, folder / "family-ordinary")
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--auto", default=os.environ.get("AUTO_DIR"), help="AUTO's folder; by default the environment's AUTO_DIR")
    options.add_argument("--slipstick", default=HERE.parent.parent / "target" / "release" / "slipstick")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--only", help="names of works, with commas between them; by default all")
    chosen = options.parse_args()
    if not chosen.auto:
        options.error("where is AUTO? give --auto or set AUTO_DIR")
    sources, command = pathlib.Path(chosen.auto).resolve(), pathlib.Path(chosen.slipstick).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        objects = auto_program.build(sources, folder / "auto")
        (folder / "ours").mkdir()
        slipstick = Slipstick(command, folder / "ours")
        known = works(sources, objects, slipstick, folder)
        names = chosen.only.split(",") if chosen.only else list(known)
        unknown = [name for name in names if name not in known]
        if unknown:
            options.error(f"no work is called {', '.join(unknown)}; there are {', '.join(known)}")
        start_up = statistics.median(slipstick.run(HERE / "studies" / "start_up.ron")[0] for _ in range(max(chosen.rounds, 5)))
        print(f"AUTO with gfortran {' '.join(auto_program.FLAGS)}; {processor()}; {chosen.rounds} rounds; start-up {1e3 * start_up:.1f} ms\n")
        print("| work | AUTO, s | points | slipstick, s | points | ratio |\n|---|---|---|---|---|---|")
        for name in names:
            run_auto, run_ours = known[name]()
            rounds = [(run_auto(), run_ours()) for _ in range(chosen.rounds)]
            theirs = statistics.median(a[0] for a, _ in rounds)
            ours = statistics.median(b[0] for _, b in rounds)
            ratio = statistics.median(b[0] / a[0] for a, b in rounds)
            print(f"| {name} | {theirs:.3f} | {rounds[0][0][1]} | {ours:.3f} | {rounds[0][1][1]} | {ratio:.2f} |", flush=True)


def processor():
    """What the machine calls its processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


if __name__ == "__main__":
    main()
