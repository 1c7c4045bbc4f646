"""AUTO's executable, one run after the other: what its Python shell does, without the time of that shell."""

import os
import re
import resource
import shutil
import subprocess

# The fastest of the options tried. AUTO's own Makefile says -O3 and then -O, of which the compiler takes the last.
FLAGS = ["-O3", "-march=native"]
UNITS = """auto_constants.f90 nompi.f90 f2003.f90 mesh.f90 support.f90 io.f90 interfaces.f90 ae.f90 solvebv.f90 bvp.f90 toolboxae.f90
    toolboxbv.f90 floquet.f90 equilibrium.f90 periodic.f90 homcont.f90 maps.f90 optimization.f90 parabolic.f90 timeint.f90 blas.f lapack.f
    main.f90""".split()
# How AUTO's tables call a point, in their column of types.
KINDS = {"BP": (1, 6), "LP": (2, 5), "HB": (3,), "UZ": (-4, 4), "PD": (7,), "TR": (8,), "EP": (9,)}


def timed(command, folder, log):
    """Runs a command; its user and system time, and its exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "w") as out:
        code = subprocess.call(command, cwd=folder, stdout=out, stderr=out, env=dict(os.environ, OMP_NUM_THREADS="1"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, code


def build(sources, folder):
    """Compiles AUTO's library into `folder`; the user's own folder, built or not, stays as it is."""
    shutil.copytree(sources / "src", folder / "src", ignore=shutil.ignore_patterns("*.o", "*.mod"))
    shutil.copytree(sources / "include", folder / "include")
    objects = []
    for unit in UNITS:
        target = folder / (unit.split(".")[0] + ".o")
        legacy = ["-std=legacy", "-w"]
        subprocess.check_call(["gfortran", *FLAGS, *legacy, "-I../include", "-c", unit, "-o", target], cwd=folder / "src")
        objects.append(target)
    return objects


class Auto:
    """A system compiled with AUTO, and its runs in a folder of their own."""

    def __init__(self, objects, equations, folder):
        self.folder = folder
        self.program = folder / "auto.exe"
        self.seconds = 0.0
        self.points = 0
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "equations.f90"
        source.write_text(equations)
        subprocess.check_call(["gfortran", *FLAGS, "-w", source, *objects, "-o", self.program], cwd=folder)

    def again(self):
        """Forgets what was measured, for the next round."""
        self.seconds, self.points = 0.0, 0

    def run(self, name, constants, start=None, **changes):
        """Runs AUTO with a text of constants and changes to it, from the solution (NAME, LABEL); its results are called `name`."""
        text = constants
        if start:
            text += f"\ns='{start[0]}'\n"
            changes["IRS"] = start[1]
        for key, value in changes.items():
            text = re.sub(rf"(?<![A-Za-z]){key}\s*=\s*(\[[^\]]*\]|\{{[^}}]*\}}|[^,\n]*)", "", text)
            text = re.sub(r",\s*,", ",", text) + f"\n{key} = {value}\n"
        text = re.sub(r"(?m)^\s*,|,\s*$", "", text)
        (self.folder / "fort.2").write_text(text)
        for old in ("fort.3", "fort.7", "fort.8", "fort.9"):
            (self.folder / old).unlink(missing_ok=True)
        seconds, code = timed([self.program], self.folder, self.folder / f"log.{name}")
        if code != 0 or not (self.folder / "fort.7").exists():
            raise SystemExit(f"AUTO stopped in {self.folder}: see log.{name} there")
        self.seconds += seconds
        for old, new in (("fort.7", "b"), ("fort.8", "s"), ("fort.9", "d")):
            if (self.folder / old).exists():
                os.replace(self.folder / old, self.folder / f"{new}.{name}")
        self.points += len(self.rows(name))
        return name

    def rows(self, name):
        """The rows of a table of points: branch, number, type, label, then numbers."""
        rows = []
        for line in (self.folder / f"b.{name}").read_text().splitlines():
            words = line.split()
            if words and words[0] != "0":
                # Numbers of three digits in the exponent have no letter before it.
                fields = [re.sub(r"(?<=\d)([+-]\d{3})$", r"E\1", word) for word in words[4:]]
                rows.append([int(word) for word in words[:4]] + [float(field) for field in fields])
        return rows

    def labelled(self, name, kind, number=1):
        """The start (NAME, LABEL) at the point of a kind with this number along the run, or nothing."""
        # Tens tell on what kind of curve the point lies.
        kinds = [(row[3], (abs(row[2]) % 10) * (1 if row[2] > 0 else -1)) for row in self.rows(name)]
        found = [label for label, code in kinds if label and code in KINDS[kind]]
        return (name, found[number - 1]) if len(found) >= number else None
