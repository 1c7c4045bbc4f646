"""The package gives the numbers of the command, bit for bit."""

import csv
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import slipstick

#: The command of the wheel, beside the interpreter.
COMMAND = shutil.which("slipstick", path=str(Path(sys.executable).parent)) or "slipstick"

#: Hybrid and smooth systems, a slow–fast one, an analysis, curves in two parameters.
STUDIES = [
    "stiction.ron",
    "regularised.ron",
    "shoe.ron",
    "benchmarks/lrz.ron",
    "benchmarks/relay.ron",
    "benchmarks/stickslip.ron",
    "benchmarks/cusp.ron",
]


def digests(folder):
    """The hashes of all files of a run but `run.json`, which has timings."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != "run.json"]
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.filterwarnings("ignore::slipstick.StudyWarning", "ignore::slipstick.UnfinishedWarning")
@pytest.mark.parametrize("study", STUDIES)
def test_a_run_has_the_bytes_of_the_command(study, studies, tmp_path):
    subprocess.run([COMMAND, "run", studies / study, "--out", tmp_path / "command", "--quiet"], check=False)
    slipstick.run(studies / study, out=tmp_path / "module", jobs=1)
    found = digests(tmp_path / "command")
    assert len(found) > 3
    assert digests(tmp_path / "module") == found


def test_columns_are_the_doubles_of_the_tables(stiction):
    with open(stiction.folder / "points.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in ("stiff", "compliant"):
        curve = stiction.curves[name]
        own = [row for row in rows if row["curve"] == name]
        assert len(curve) == len(own)
        for column in curve.columns:
            values = curve[column]
            if values.dtype == bool:
                assert [str(value).lower() for value in values] == [row[column] for row in own]
            elif values.dtype.kind == "U":
                assert list(values) == [row[column] for row in own]
            else:
                expected = np.array([float(row[column] or "nan") for row in own])
                assert values.tobytes() == expected.tobytes()


def test_a_value_from_outside_is_that_of_the_command(studies, tmp_path):
    out = tmp_path / "weaker"
    words = ["--set", "mu_s=1.05", "--set", "mu_d=0.3"]
    subprocess.run([COMMAND, "run", studies / "stiction.ron", "--out", out, "--quiet", *words], check=True)
    run = slipstick.run(studies / "stiction.ron", set={"mu_s": 1.05, "mu_d": 0.3})
    assert run.points.to_csv() == (out / "points.csv").read_text()
    assert run.set == {"mu_s": 1.05, "mu_d": 0.3}
    assert slipstick.open(out).special.to_csv() == run.special.to_csv()


def test_the_command_has_its_exit_codes(tmp_path, studies):
    def code(*words):
        return subprocess.run([COMMAND, *map(str, words)], capture_output=True, cwd=tmp_path, check=False).returncode

    assert code("--version") == 0
    assert code("check", studies / "stiction.ron") == 0
    assert code("rum") == 2
    assert code("show", "no such folder") == 2
    assert code("run", "no such study.ron") == 2
    (tmp_path / "missing.ron").write_text(
        'Study(title: "t", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x\' = a + x^2"]), '
        'curves: [Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"a": 1}, states: [{"x": 0.5}]), '
        'free: "a", range: (0.5, 2))])'
    )
    assert code("run", "missing.ron") == 1
    as_module = subprocess.run([sys.executable, "-m", "slipstick", "--version"], capture_output=True, check=True)
    assert as_module.stdout.decode().split() == ["slipstick", slipstick.__version__]
