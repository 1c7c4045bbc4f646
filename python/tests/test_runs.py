"""Runs, curves, orbits, tables."""

import gc
import math
import sys

import numpy as np
import pytest
from conftest import FOLD

import slipstick


def test_a_run_has_its_curves_and_says_what_it_is(stiction):
    assert list(stiction.curves) == ["stiff", "compliant"]
    assert stiction.title == "Slip-stick orbits of the stiction oscillator"
    assert not stiction.stopped and not stiction.missing and stiction.seconds > 0.0
    assert stiction.study.lstrip().startswith(("//", "Study"))
    assert "curves stiff, compliant" in repr(stiction)
    page = stiction._repr_html_()
    assert "<td>stiff</td>" in page and "reached the end of the range" in page
    assert "SB" in stiction.show("stiff") and "stable" in stiction.show("stiff, SB")


def test_names_that_are_not_there_are_answered(stiction):
    with pytest.raises(KeyError, match="did you mean `stiff`"):
        stiction.curves["stif"]
    with pytest.raises(KeyError, match="did you mean `Omega`"):
        stiction.curves["stiff"]["Omga"]
    with pytest.raises(AttributeError):
        stiction.curves["stiff"].omega_nought
    with pytest.raises(slipstick.RunError, match="PD"):
        stiction.curves["stiff"].orbit("PD")
    with pytest.raises(slipstick.RunError):
        stiction.curves["stiff"].orbit(10_000)
    with pytest.raises(KeyError, match="no orbit is stored"):
        stiction.curves["stiff"].orbit(1)
    with pytest.raises(slipstick.RunError, match="no folder"):
        slipstick.open("no such folder")


def test_columns_are_views_that_nobody_writes_to(stiction):
    curve = stiction.curves["stiff"]
    assert curve.Omega is curve["Omega"]
    assert curve.Omega.dtype == np.float64 and curve["stable"].dtype == np.bool_
    assert curve.Omega.base is not None and not curve.Omega.flags.owndata
    with pytest.raises(ValueError):
        curve.Omega[0] = 1.0
    # Arrays outlive what they came from.
    values = slipstick.run(FOLD).curves["rest"].a
    gc.collect()
    assert np.all((values > -1e-9) & (values <= 2.0))


def test_special_points(stiction, fold):
    curve = stiction.curves["stiff"]
    special = curve.special
    assert list(special["label"])[:2] == ["VS", "SB"]
    row = special.row(1)
    assert abs(row["Omega"] - 1.627747758837944) < 1e-12 and "symmetry breaking" in row["message"]
    assert curve.index("SB") == int(row["index"]) == curve.index(int(row["index"]))
    assert curve.index("UZ 2") != curve.index("UZ")
    assert curve.index(-1) == len(curve) - 1
    assert len(stiction.special) == sum(len(curve.special) for curve in stiction.curves.values())
    assert slipstick.meaning("LP") == "fold" and slipstick.meaning("??") is None
    assert fold.curves["rest"].special.row(fold_at(fold))["x"] == pytest.approx(0.0, abs=1e-9)


def fold_at(run):
    return list(run.curves["rest"].special["label"]).index("LP")


def test_multipliers(stiction, fold):
    curve = stiction.curves["stiff"]
    assert curve.multipliers.log10.shape == (len(curve), 2)
    sb = curve.index("SB")
    assert abs(curve.half_multipliers.log10[sb, 0]) < 1e-9
    assert curve.half_multipliers.values[sb, 0] == pytest.approx(-1.0)
    assert curve.orbit("SB").multipliers.values[0, 0] == pytest.approx(1.0)
    assert np.all(curve.multipliers.values[:, 1] == 0.0)
    rest = fold.curves["rest"]
    assert rest.eigenvalues.shape == (len(rest), 1)
    assert np.allclose(rest.eigenvalues[:, 0].real, -2.0 * rest.x, atol=1e-9)
    assert fold.curves["rest"].multipliers.log10.shape[1] == 0


def test_huge_multipliers_stay_logarithms():
    huge = slipstick.Multipliers(np.array([[1623.0, -5595.0]]), np.array([[math.pi, 0.0]]))
    assert huge.values[0, 0] == -np.inf and huge.values[0, 1] == 0.0


def test_an_orbit_is_a_function_of_time(stiction):
    orbit = stiction.curves["stiff"].orbit("SB")
    assert orbit.states == ["x", "y", "theta"]
    t = np.linspace(0.0, 2.0 * orbit.period, 1001)
    states = orbit(t)
    assert states.shape == (3, 1001) and orbit(1.0).shape == (3,)
    assert orbit(1.0, "x") == orbit(1.0)[0] == orbit(np.array([[1.0]]), "x")[0, 0]
    # It goes round, and the phase of the forcing goes on.
    assert np.allclose(states[:2, :500], states[:2, 500:1000], atol=1e-11)
    assert np.allclose(states[2], states[2, 0] + t, atol=1e-11)
    # The second half mirrors the first.
    half = 0.5 * orbit.period
    assert np.allclose(orbit(t + half)[:2], -states[:2], atol=1e-11)
    # Its rows are its rows.
    inside = orbit["t"] < orbit.period
    assert np.allclose(orbit(orbit["t"][inside], "x"), orbit["x"][inside], atol=1e-13)
    with pytest.raises(KeyError, match="did you mean"):
        orbit(0.0, "thta")


def test_between_its_rows_an_orbit_obeys_the_equations(stiction):
    orbit = stiction.curves["stiff"].orbit("SB")
    omega, mu_d = orbit.at["Omega"], orbit.at["mu_d"]
    # Free slip to the left is x'' + Ω² x = -sin θ + μ_d, of which the solution from any row is known.
    rows = [k for k in range(len(orbit) - 1) if orbit["mode"][k] == orbit["mode"][k + 1] == "slip-"]
    h = 1e-4
    for k in rows[:: len(rows) // 20]:
        t = 0.37 * orbit["t"][k] + 0.63 * orbit["t"][k + 1]
        before, here, after = (orbit(t + d * h, "x") for d in (-1, 0, 1))
        force = -math.sin(orbit(t, "theta")) + mu_d
        assert (before - 2.0 * here + after) / h**2 == pytest.approx(force - omega**2 * here, abs=1e-5)


def test_a_smooth_orbit_agrees_with_the_simulation(vibrations):
    orbit = vibrations.curves["cycles"].orbit("UZ")
    system = slipstick.Smooth(
        states=["x", "y"], parameters={"mu": 1.0}, equations=["x' = y", "y' = mu*(1 - x^2)*y - x"]
    )
    flow = system.flow(orbit(0.0), orbit.period)
    t = np.linspace(0.0, orbit.period, 777)
    assert np.max(np.abs(orbit(t) - flow(t))) < 1e-8
    assert np.max(np.abs(orbit(orbit.period) - orbit(0.0))) < 1e-8


def test_figures(stiction, tmp_path):
    figure = stiction.figure("amplitude")
    assert figure.svg.startswith("<svg") and figure.pdf.startswith(b"%PDF") and figure.png[1:4] == b"PNG"
    for ending in ("svg", "pdf", "png", "tex"):
        assert figure.save(tmp_path / f"a.{ending}").stat().st_size > 1000
    assert (tmp_path / "a.pdf").read_bytes() == (stiction.folder / "figures/amplitude.pdf").read_bytes()
    assert (tmp_path / "a.svg").read_bytes() == (stiction.folder / "figures/amplitude.svg").read_bytes()
    with pytest.raises(slipstick.RunError, match="svg"):
        figure.save(tmp_path / "a.gif")
    drawn = stiction.figure(slipstick.Diagram(name="mine", x="Omega", y="max_abs_x", x_range=(1.3, 3.0)))
    assert drawn.name == "mine" and drawn.svg != figure.svg
    assert stiction.figure('Diagram(name: "mine", x: "Omega", y: "max_abs_x", x_range: (1.3, 3))').svg == drawn.svg
    with pytest.raises(KeyError, match="amplitude"):
        stiction.figure("amplitud")
    with pytest.raises(slipstick.RunError, match="max_abs_x"):
        stiction.figure(slipstick.Diagram(name="mine", x="Omega", y="max_abs_z"))
    with pytest.raises(slipstick.StudyError, match="nme"):
        stiction.figure('Diagram(nme: "mine")')
    with pytest.warns(slipstick.UnfinishedWarning, match="does not show `stiff: PD`"):
        orbits = stiction.figure('Orbits(name: "orbits", of: ["stiff: SB, PD"], panels: [Time("x")])')
    assert orbits.svg.startswith("<svg")


def test_a_notebook_shows_things(stiction, fold):
    for shown in (stiction.curves["stiff"], stiction.curves["stiff"].orbit("SB"), stiction.figure("amplitude")):
        assert shown._repr_svg_().startswith("<svg")
    assert fold.curves["rest"]._repr_svg_().startswith("<svg")
    assert "<table>" in stiction.special._repr_html_() and "srcdoc" in stiction.report()._repr_html_()


def test_the_report_and_a_copy_of_the_run(stiction, tmp_path):
    report = stiction.report()
    assert report.html.startswith("<!") and report.save(tmp_path / "report.html").is_file()
    kept = stiction.save(tmp_path / "kept")
    assert slipstick.open(kept).points.to_csv() == stiction.points.to_csv()


def test_a_table_is_like_a_data_frame(stiction):
    curve = stiction.curves["stiff"]
    assert "Omega" in curve and "omega" not in curve and list(curve) == curve.columns == curve.keys()
    assert dict(curve)["Omega"] is curve.Omega
    assert {"Omega", "orbit", "special"} <= set(dir(curve))
    assert curve.row(0)["curve"] == "stiff" and isinstance(curve.row(0)["stable"], bool)
    assert curve.to_csv().startswith("curve,index,label,Omega")
    assert "rows of" in repr(stiction.special) and "207 points" in repr(curve)
    assert set(stiction.curves._ipython_key_completions_()) == {"stiff", "compliant"}


def test_inequalities_and_stored_orbits(stiction):
    curve = stiction.curves["stiff"]
    margins = curve.inequalities
    assert len(margins) == len(curve)
    smallest = np.nanmin([margins[name] for name in margins if name != "index"], axis=0)
    assert smallest.tobytes() == curve.margin.tobytes()
    assert curve.orbits == [int(index) for index in curve.special["index"]]
    orbit = curve.orbit(curve.orbits[0])
    assert orbit.curve is curve and orbit.plane == ("x", "y") and "VS" in orbit.title
    assert orbit.figure(x="t", y="x").svg != orbit.figure().svg
    assert curve.figure(y="x_max").svg != curve.figure().svg


@pytest.mark.filterwarnings("ignore::slipstick.UnfinishedWarning")
def test_curves_in_two_parameters_and_slow_fast_objects():
    text = """Study(
        title: "Cusp",
        system: Smooth(states: ["x"], parameters: {"a": 0, "b": 1}, equations: ["x' = a + b*x - x^3"], start: {"x": 1}),
        curves: [Curve(name: "rest", orbit: Equilibrium, start: Settle(at: {"a": 0}), free: "a", range: (-2, 2))],
        loci: [Locus(name: "folds", from: "rest: LP", free: ("a", "b"), range: ((-2, 2), (-2, 2)))],
    )"""
    run = slipstick.run(text)
    folds = run.curves["folds"]
    assert folds.free_parameters == ["a", "b"] and folds.main_column == "b"
    assert np.allclose(27 * folds.a**2, 4 * folds.b**3, atol=1e-8)
    assert "CP" in folds.special["label"]
    layer = slipstick.Study(
        title="van der Pol",
        system=slipstick.Smooth(
            states=["x", "y"],
            parameters={"a": 0.9, "epsilon": 0.01},
            equations=["x' = (y - x^3/3 + x)/epsilon", "y' = a - x"],
            start={"x": 0.9},
            slow_fast=slipstick.SlowFast(fast="x", epsilon="epsilon"),
        ),
        slow_fast=[slipstick.Portrait(name="layer", within={"x": (-2.5, 2.5), "y": (-1.5, 1.5)}, time=2.0)],
    )
    objects = slipstick.run(layer).portraits
    assert all(name.startswith("layer/") for name in objects) and objects
    assert all(len(table) > 0 for table in objects.values())


def test_a_temporary_folder_goes_with_its_run():
    run = slipstick.run(FOLD)
    folder, curve = run.folder, run.curves["rest"]
    del run
    gc.collect()
    assert folder.is_dir(), "the curve still needs it"
    del curve
    gc.collect()
    assert not folder.exists()


def test_other_libraries_read_tables(stiction, monkeypatch):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    curve = stiction.curves["stiff"]
    frame = curve.to_pandas()
    assert list(frame.columns) == curve.columns and len(frame) == len(curve)
    assert frame["Omega"].to_numpy().tobytes() == curve.Omega.tobytes()
    assert isinstance(frame, pandas.DataFrame)
    table = pyarrow.table(curve)
    assert table.column_names == curve.columns and table["stable"].to_pylist() == list(curve["stable"])
    polars = pytest.importorskip("polars")
    for _ in range(2):
        frame = polars.DataFrame(curve)
        assert frame.columns == curve.columns and frame["label"].to_list() == list(curve["label"])
        assert frame["Omega"].to_numpy().tobytes() == curve.Omega.tobytes()
        # Without pyarrow as well.
        monkeypatch.setitem(sys.modules, "pyarrow", None)


def test_matplotlib_draws_stable_solid_and_unstable_dashed(stiction, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (diagram, plane) = plt.subplots(1, 2)
    curve = stiction.curves["stiff"]
    curve.plot(diagram)
    styles = {line.get_linestyle() for line in diagram.lines}
    assert {"-", "--"} <= styles
    drawn = sum(len(line.get_xdata()) - 1 for line in diagram.lines if line.get_linestyle() in ("-", "--"))
    assert drawn == len(curve) - 1
    assert "SB" in {text.get_text() for text in diagram.texts}
    assert diagram.get_xlabel() == "Omega" and diagram.get_ylabel() == "max_abs_x"
    curve.orbit("SB").plot(plane)
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("x", "y")
    assert len(stiction.plot(plt.figure().gca(), y="x_max", labels=False).texts) == 0
    figure.savefig(tmp_path / "figure.png")
    plt.close("all")


def test_tables_besides_curves(studies):
    text = """Study(
        title: "Motions", system: Stiction(),
        simulations: [Simulation(name: "ride", from: {"x": 1}, time: 20)],
    )"""
    run = slipstick.run(text)
    ride = run.trajectories["ride"]
    assert ride.columns[:2] == ["t", "x"] and ride.t[-1] == 20.0
    assert not run.curves and not run.attractors and not run.tables and not run.portraits
    with pytest.raises(slipstick.UnfinishedError):
        run.plot()
