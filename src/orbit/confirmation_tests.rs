//! A label that the tracer finds on a curve of orbits is confirmed at its point, and at no other of the curve.

use crate::periodic::PeriodicOrbit;
use crate::segment::discretisation::Discretisation;
use crate::segment::mesh::MeshOptions;
use crate::word::Word;
use slipstick_bifurcation::{Inspect, Label, TraceOptions, Tracer, is_confirmed};
use slipstick_continuation::{Curve, StepOptions};
use slipstick_flow::FlowOptions;
use slipstick_system::catalogue::{regularised_stiction, stiction};

/// Of a traced curve the one point with this label is confirmed, and with the same label no other that the tracer
/// passed is.
fn only_the_label_is_confirmed<P: Inspect>(problem: &mut P, start: Vec<f64>, range: (f64, f64), label: Label) {
    let branch = Tracer::new(problem, &TraceOptions::over(range))
        .from_guess(start)
        .unwrap();
    let of_label: Vec<usize> = (0..branch.points.len())
        .filter(|&i| branch.points[i].label == Some(label))
        .collect();
    let [special] = of_label[..] else {
        panic!("{of_label:?}")
    };
    let said = &branch.points[special].record;
    for (i, p) in branch.points.iter().enumerate() {
        let at = &p.point;
        if i != special && at.distance(&branch.points[special].point) < 0.1 {
            continue;
        }
        problem.restore(&at.meshes);
        problem.set_off(&at.z);
        let mut curve = Curve::resume(problem, at.clone(), StepOptions::default());
        let beside = [-0.02, 0.02].map(|s| curve.between(at, s).unwrap());
        let confirmed = is_confirmed(problem, label, (at, said), [&beside[0], &beside[1]]);
        assert_eq!(confirmed, i == special, "point {i}, {label} at {special}");
    }
}

#[test]
fn symmetry_breaking_is_confirmed_where_it_is_and_nowhere_else() {
    let system = stiction();
    let word = Word::parse("slip- stick", true, &system).unwrap();
    let mut orbit = PeriodicOrbit::new(
        &system,
        word,
        system.default_parameters(),
        vec![0],
        FlowOptions::default(),
    );
    let start = orbit
        .guess(&[vec![0.4, 0.0, -0.6], vec![-0.4, 1.4]], &[2.0, 1.1])
        .unwrap();
    only_the_label_is_confirmed(&mut orbit, start, (1.5, 2.2), Label::SB);

    // The perturbations that contract by 10^-1800 in a period do not hide the one that comes back opposite.
    let system = regularised_stiction();
    let word = Word::parse("slip- layer", true, &system).unwrap();
    let methods = [
        Discretisation::Flow,
        Discretisation::Flow,
        Discretisation::Collocation(MeshOptions::default()),
    ];
    let parameters = vec![2.0, 1.1, 0.4, 0.6, 1e-3];
    let mut orbit = PeriodicOrbit::discretised(&system, word, parameters, vec![0], FlowOptions::default(), &methods);
    let starts = [
        vec![0.418_271_796_8, -1e-3, 1.436_119_617_1 - 2.033_461_884_6],
        vec![-0.418_676_399_86, -1.0, 1.436_119_617_1],
    ];
    let start = orbit.guess(&starts, &[2.033_461_884_6, 1.108_130_768_96]).unwrap();
    only_the_label_is_confirmed(&mut orbit, start, (1.5, 2.2), Label::SB);
}
