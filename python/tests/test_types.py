"""The annotations hold, and tell a type checker what a study may have."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def mypy(*words, **settings):
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False, **settings)


def test_the_package_agrees_with_its_annotations(cache):
    done = mypy("mypy", "--strict", "--ignore-missing-imports", "--cache-dir", cache, "--package", "slipstick")
    assert done.returncode == 0, done.stdout


def test_the_module_agrees_with_its_stub(tmp_path):
    done = mypy("mypy.stubtest", "slipstick._slipstick", "--ignore-disjoint-bases", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_type_checker_knows_keys_and_words(tmp_path, cache):
    script = tmp_path / "script.py"
    script.write_text(
        "import slipstick\n"
        "slipstick.Step(largst=0.1)\n"
        "slipstick.Curve(name='c', orbit='Equilibrum', start=slipstick.All(at={}), free='a', range=(0, 1))\n"
        "slipstick.Curve(name='c', orbit='Equilibrium', start=slipstick.All(at={}), free='a', range=(0, 1))\n"
        "run = slipstick.run(slipstick.Study(title='t', system=slipstick.Stiction(mu_s=1.1)))\n"
        "run.curves['c'].orbit('SB')(0.5, 'x').hex()\n"
    )
    done = mypy("mypy", "--ignore-missing-imports", "--cache-dir", cache, script)
    lines = {line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {"2", "3"}, done.stdout
