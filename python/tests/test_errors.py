"""Errors, interruptions, threads, progress."""

import subprocess
import sys
import threading
import time
import warnings

import pytest
from conftest import FOLD, interruption

import slipstick

#: Hours of iterates.
LONG = """Study(
    title: "A ride of a lifetime",
    system: Map(states: ["x"], parameters: {"r": 3.9}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3}),
    tasks: [Lyapunov(name: "exponent", time: 1e12)],
)"""


def test_a_study_that_is_wrong_says_where():
    with pytest.raises(slipstick.StudyError) as caught:
        slipstick.run('Study(\n    titel: "x",\n)')
    error = caught.value
    assert (error.line, error.column) == (2, 5)
    assert "titel" in error.message and "title" in error.help
    assert "study.ron:2:5" in str(error) and "^^^^^" in str(error)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("study", [None, 3])
def test_what_is_no_study_is_refused(study):
    with pytest.raises(TypeError, match="a study is"):
        slipstick.run(study)


def test_every_flaw_is_there():
    with pytest.raises(slipstick.StudyError) as caught:
        slipstick.run(FOLD.replace('{"a": 1})', '{"b": 1})').replace("range: (-1, 2)", "range: (2, -1)"))
    flaws = caught.value.flaws
    assert len(flaws) == 2 and all(flaw.line for flaw in flaws)
    assert caught.value.message == flaws[0].message


def test_a_study_without_a_place(tmp_path):
    with pytest.raises(slipstick.StudyError) as caught:
        slipstick.run(tmp_path / "none.ron")
    assert caught.value.line is None and not caught.value.flaws
    with pytest.raises(slipstick.StudyError) as caught:
        slipstick.run('Study(title: "nothing")')
    assert caught.value.line is None and caught.value.flaws


def test_check_computes_nothing():
    slipstick.check(FOLD)
    with pytest.raises(slipstick.StudyError, match="mu_z"):
        slipstick.check(FOLD, set={"mu_z": 1.0})


def test_what_is_missing_is_warned_of():
    text = FOLD.replace("a - x^2", "a + x^2").replace('Settle(at: {"a": 1})', 'Guess(at: {"a": 1}, states: [{"x": 1}])')
    # Nothing at all is an error.
    with pytest.raises(slipstick.UnfinishedError, match="`rest` produced no points"):
        slipstick.run(text)
    motion = 'simulations: [Simulation(name: "motion", time: 0.1)],\n    curves:'
    with pytest.warns(slipstick.UnfinishedWarning, match="rest"):
        run = slipstick.run(text.replace("curves:", motion))
    assert list(run.missing) == ["rest"] and not run.curves
    assert run.missing["rest"] and "rest" in run.reported[0]
    assert "produced no points" in run._repr_html_()


def test_warnings_of_a_study_are_warnings():
    with pytest.warns(slipstick.StudyWarning):
        slipstick.run(FOLD.replace("free", 'levels: {"a": [7]}, free'))


def test_a_folder_of_others_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(slipstick.RunError, match="thesis.tex"):
        slipstick.run(FOLD, out=tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_nothing_is_printed(studies):
    code = f"import slipstick; slipstick.run(r'{studies / 'stiction.ron'}')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_control_c_interrupts_and_the_run_can_be_resumed(tmp_path):
    curve = (
        'curves: [Curve(name: "fixed", orbit: FixedPoint, start: Guess(at: {"r": 2.5}, states: [{"x": 0.6}]), '
        'free: "r", range: (2, 3.5))], '
    )
    text = LONG.replace("tasks:", curve + "tasks:")
    began = time.monotonic()
    with interruption(1.0), pytest.raises(KeyboardInterrupt):
        slipstick.run(text, out=tmp_path / "run")
    assert time.monotonic() - began < 10.0
    stopped = slipstick.open(tmp_path / "run")
    assert stopped.stopped and "interrupted" in repr(stopped) and len(stopped.curves["fixed"]) > 5
    with interruption(0.5), pytest.raises(KeyboardInterrupt):
        slipstick.run(text, out=tmp_path / "run", resume=True)
    # Without it nothing is left to go on from, and a run of another study takes its place.
    assert not slipstick.run(FOLD, out=tmp_path / "run").stopped


def test_a_finished_run_is_resumed_without_computing(tmp_path):
    first = slipstick.run(FOLD, out=tmp_path / "run")
    seen = []
    again = slipstick.run(FOLD, out=tmp_path / "run", resume=True, progress=seen.append)
    assert not seen and again.points.to_csv() == first.points.to_csv()
    with pytest.raises(slipstick.RunError, match="another study"):
        slipstick.run(FOLD.replace("A fold", "Another"), out=tmp_path / "run", resume=True)
    (tmp_path / "run" / "special.csv").unlink()
    slipstick.run(FOLD, out=tmp_path / "run", resume=True, progress=seen.append)
    assert seen and (tmp_path / "run" / "special.csv").is_file()


def test_a_temporary_folder_of_an_interrupted_run_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with interruption(0.5), pytest.raises(KeyboardInterrupt):
        slipstick.run(LONG)
    assert list(tmp_path.iterdir()) == []


def test_other_threads_run_meanwhile():
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    with interruption(1.0), pytest.raises(KeyboardInterrupt):
        slipstick.run(LONG)
    over.set()
    thread.join()
    assert counted[0] > 100


def test_runs_in_several_threads_do_not_disturb_each_other(studies):
    found, threads = {}, []
    for mu_s in (1.05, 1.1, 1.15):

        def work(mu_s=mu_s):
            found[mu_s] = slipstick.run(studies / "stiction.ron", set={"mu_s": mu_s}, jobs=1)

        threads.append(threading.Thread(target=work, daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for mu_s, run in found.items():
        alone = slipstick.run(studies / "stiction.ron", set={"mu_s": mu_s}, jobs=2)
        assert run.points.to_csv() == alone.points.to_csv()


def test_progress_is_called_and_may_end_the_run(studies):
    seen = []
    run = slipstick.run(studies / "stiction.ron", progress=seen.append)
    kinds = {progress.kind for progress in seen}
    assert {"curve begins", "searching", "point", "curve ends", "writing"} <= kinds
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert seen[-1].points >= sum(map(len, run.curves.values())) - 2 * len(run.curves)
    assert {progress.name for progress in seen} == {"stiff", "compliant", ""}

    def refuse(progress):
        if progress.kind == "point":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        slipstick.run(studies / "stiction.ron", progress=refuse)


def test_a_bar_of_tqdm(studies, capsys):
    pytest.importorskip("tqdm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slipstick.run(studies / "stiction.ron", progress=True)
    assert "100%" in capsys.readouterr().err
