"""Studies made of Python objects."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import slipstick
from slipstick import analyses, figures, studies, systems
from slipstick._parts import Part

PARTS = [
    getattr(module, name)
    for module in (studies, systems, figures, analyses)
    for name in module.__all__
    if getattr(module, name) is not slipstick.systems.System
]


def test_a_study_of_objects_is_that_of_its_text(studies, stiction):
    study = slipstick.Study(
        title="Slip-stick orbits",
        system=slipstick.Stiction(mu_s=1.1, mu_d=0.4),
        curves=[
            slipstick.Curve(
                name="stiff",
                orbit=slipstick.Symmetric("slip- stick"),
                start=slipstick.All(at={"Omega": 2.0}),
                free="Omega",
                range=(1, 15),
                levels={"Omega": np.array([2.0, 5.0, 9.0]), "theta0": (np.float64(0.3),)},
            )
        ],
        figures=[slipstick.Diagram(name="amplitude", x="Omega", y="max_abs_x", of=["stiff"], log=["X"])],
    )
    run = slipstick.run(study)
    again = slipstick.run(study.to_ron())
    assert run.points.to_csv() == again.points.to_csv()
    assert run.study == study.to_ron()
    assert abs(run.curves["stiff"].orbit("SB").at["Omega"] - 1.627747758837944) < 1e-12
    assert run.figure("amplitude").svg.startswith("<svg")


def test_keys_that_are_wrong_are_refused_at_once():
    with pytest.raises(TypeError, match="did you mean `name`"):
        slipstick.Curve(nme="x")
    with pytest.raises(TypeError, match="required"):
        slipstick.Curve(name="x")
    with pytest.raises(TypeError, match="did you mean 'Equilibrium'"):
        slipstick.Curve(name="x", orbit="Equilibrum", start=slipstick.All(at={}), free="a", range=(0, 1))
    with pytest.raises(TypeError, match="tuple of 2"):
        slipstick.Curve(name="x", orbit="Equilibrium", start=slipstick.All(at={}), free="a", range=(0, 1, 2))
    with pytest.raises(TypeError, match="integer"):
        slipstick.Study(title="x", seed=1.5)
    with pytest.raises(TypeError, match="a text"):
        slipstick.Study(title=3)
    with pytest.raises(TypeError, match="a list"):
        slipstick.Smooth(states="x", equations=["x' = x"])
    with pytest.raises(TypeError, match="a part for System"):
        slipstick.Study(title="x", system=slipstick.Step())
    with pytest.raises(TypeError, match="a number"):
        slipstick.Settle(at={"a": "one"})
    with pytest.raises(TypeError, match="a dictionary"):
        slipstick.Settle(at=[1.0])
    with pytest.raises(TypeError):
        slipstick.Linear(0.0, 1.0)


def test_parts_can_be_looked_at_and_changed():
    step = slipstick.Step(largest=0.1)
    assert (step.largest, step.turn) == (0.1, None) and step == slipstick.Step(largest=0.1)
    step.turn = 0.05
    assert step.to_ron() == "Step(largest: 0.1, turn: 0.05)" and repr(step) == "Step(largest=0.1, turn=0.05)"
    step.turn = None
    assert step != slipstick.Step() and step.to_ron() == "Step(largest: 0.1)"
    with pytest.raises(TypeError, match="did you mean `largest`"):
        step.larges = 0.2
    with pytest.raises(AttributeError):
        step.larges
    simulation = slipstick.Simulation(name="ride", time=10, from_={"x": 1})
    assert simulation.from_ == {"x": 1} and simulation.to_ron() == 'Simulation(name: "ride", from: {"x": 1}, time: 10)'


def test_numbers_and_texts_are_written_so_that_they_read_back():
    for value in (0.1, 1e-300, -1e22, 1 / 3, 123456789.0, float("inf"), np.float32(0.5), np.int64(7)):
        text = slipstick.Step(largest=value).to_ron()
        assert float(text[len("Step(largest: ") : -1]) == float(value)
    title = 'a "quoted" \\ title\nof two lines, Ω'
    loaded = slipstick._slipstick.LoadedStudy.parse(slipstick.Study(title=title).to_ron(), "study.ron")
    assert loaded.title == title


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.__module__}.{part.__name__}")
def test_every_part_declares_what_it_writes(part):
    assert issubclass(part, Part) and part.__doc__ and part._written and part._fits
    parameters = inspect.signature(part).parameters
    if part._values:
        assert len(parameters) == len(part._values)
    else:
        assert [name.rstrip("_") for name in parameters] == list(part._keys)


def test_parts_can_be_copied():
    curve = slipstick.Curve(name="c", orbit="Equilibrium", start=slipstick.All(at={"a": 1}), free="a", range=(1, 2))
    assert pickle.loads(pickle.dumps(curve)) == copy.deepcopy(curve) == curve


def parsed(**keys):
    """Is a study with these keys read?"""
    text = slipstick.Study(title="t", **keys).to_ron()
    return slipstick._slipstick.LoadedStudy.parse(text, "study.ron")


#: A value of every plain kind.
PLAIN = {"text": "x", "number": 0.5, "integer": 2, "boolean": True, "formula": "2*x", "names": ["x", "y"]}


def sample(kind, depth=0):
    """A value of a kind; none where it would go too deep."""
    if kind in PLAIN:
        return PLAIN[kind]
    if kind[0] == "[":
        inner = sample(kind[1:-1], depth)
        return None if inner is None else [inner]
    if kind[0] == "{":
        inner = sample(kind[1:-1], depth)
        return None if inner is None else {"x": inner}
    if kind[0] == "(":
        return tuple(sample(one, depth) for one in slipstick._parts._inner(kind))
    if kind[0] == "#":
        wanted, _, words = kind[1:].partition("=")
        if words:
            return words.split("|")[-1]
        fitting = [part for part in PARTS if wanted in part._fits]
        return filled(fitting[0], depth + 1) if fitting and depth < 3 else None
    return None


def filled(part, depth=0):
    """A part with all of its keys."""
    if part._values:
        return part(*(sample(kind, depth) for kind in part._values))
    values = {("from_" if key == "from" else key): sample(kind, depth) for key, kind in part._keys.items()}
    return part(**{key: value for key, value in values.items() if value is not None or _required(part, key)})


def _required(part, key):
    return inspect.signature(part).parameters[key].default is inspect.Parameter.empty


def holders():
    """Each key of a study that takes parts, and the parts that it takes."""
    keys = slipstick.Study._keys
    for key in keys:
        kind = keys[key].strip("[]{}")
        for part in PARTS:
            if kind[1:].partition("=")[0] in part._fits:
                yield pytest.param(key, keys[key], part, id=f"{key}: {part.__name__}")


@pytest.mark.parametrize(("key", "kind", "part"), list(holders()))
def test_the_engine_reads_every_key_that_a_part_can_have(key, kind, part):
    value = filled(part)
    parsed(**{key: [value] if kind[0] == "[" else {"one": value} if kind[0] == "{" else value})


def places(owner):
    """The keys of a study that take a part."""
    return [
        (name, of) for name, of in slipstick.Study._keys.items() if of.strip("[]{}#").partition("=")[0] in owner._fits
    ]


def every_choice():
    """Each key of any part that takes one of several parts or words, with each of these."""
    for owner in PARTS:
        for key, kind in owner._keys.items():
            bare = kind.strip("[]{}")
            # Parts of parts are read with these.
            if not bare.startswith("#") or owner is slipstick.Study or not places(owner):
                continue
            wanted, _, words = bare[1:].partition("=")
            choices = [*words.split("|")] if words else []
            choices += [part for part in PARTS if wanted in part._fits]
            for choice in choices:
                name = choice if isinstance(choice, str) else choice.__name__
                yield pytest.param(owner, key, kind, choice, id=f"{owner.__name__}.{key}: {name}")


@pytest.mark.parametrize(("owner", "key", "kind", "choice"), list(every_choice()))
def test_the_engine_reads_every_choice(owner, key, kind, choice):
    value = choice if isinstance(choice, str) else filled(choice, 1)
    whole = filled(owner)
    for bracket in reversed([c for c in kind if c in "[{"]):
        value = [value] if bracket == "[" else {"x": value}
    setattr(whole, key, value)
    name, of = places(owner)[0]
    parsed(**{name: [whole] if of[0] == "[" else {"one": whole} if of[0] == "{" else whole})
