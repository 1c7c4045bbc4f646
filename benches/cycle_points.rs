//! The cost of a point on a curve of periodic orbits by collocation, against the number of states and the number of intervals: a ring of
//! coupled oscillators, followed over twenty points with all monitors and multipliers.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use slipstick::study::{self, Plan, Silent};
use std::hint::black_box;

/// `pairs` oscillators with the cycle of radius √μ, coupled to their neighbours; all of them in phase.
fn ring(pairs: usize, tolerance: f64) -> Plan {
    let name = |axis: &str, i: usize| format!("{axis}{}", i % pairs);
    let (mut states, mut equations) = (vec![], vec![]);
    for i in 0..pairs {
        let (x, y) = (name("x", i), name("y", i));
        let (left, right) = (i + pairs - 1, i + 1);
        let pull = |axis: &str| {
            format!(
                "0.3*({} + {} - 2*{})",
                name(axis, left),
                name(axis, right),
                name(axis, i)
            )
        };
        equations.push(format!("\"{x}' = mu*{x} - {y} - {x}*({x}^2 + {y}^2) + {}\"", pull("x")));
        equations.push(format!("\"{y}' = {x} + mu*{y} - {y}*({x}^2 + {y}^2) + {}\"", pull("y")));
        states.extend([format!("\"{x}\""), format!("\"{y}\"")]);
    }
    let guess: Vec<String> = (0..pairs).map(|i| format!("\"x{i}\": 1, \"y{i}\": 0")).collect();
    let text = format!(
        "Study(title: \"ring\", system: Smooth(states: [{}], parameters: {{\"mu\": 1}}, equations: [{}]), curves: [Curve(name: \"ring\",
            orbit: PeriodicOrbit, method: Collocation(stages: 4, tolerance: {tolerance:e}), points: 20, directions: Up,
            start: Guess(at: {{\"mu\": 1}}, states: [{{{}}}], durations: [6.283185307179586]), free: \"mu\", range: (0.5, 9),
            step: Step(initial: 0.01, largest: 0.01))])",
        states.join(","),
        equations.join(","),
        guess.join(",")
    );
    let study = study::parse("ring.ron".as_ref(), text).expect("a study");
    study.plan(&[]).expect("a plan")
}

fn points(plan: &Plan) -> usize {
    let result = study::run(plan, &Silent, &false.into());
    result.curves.iter().map(study::CurveResult::len).sum()
}

fn against_states(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("twenty points by states");
    group.sample_size(10);
    for pairs in [1, 2, 4, 8, 16, 25] {
        let plan = ring(pairs, 1e-6);
        group.bench_with_input(BenchmarkId::from_parameter(2 * pairs), &plan, |b, plan| {
            b.iter(|| points(black_box(plan)));
        });
    }
    group.finish();
}

fn against_intervals(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("twenty points by tolerance");
    group.sample_size(10);
    for exponent in [4, 6, 8, 10] {
        let plan = ring(2, 10f64.powi(-exponent));
        group.bench_with_input(
            BenchmarkId::from_parameter(format!("1e-{exponent}")),
            &plan,
            |b, plan| {
                b.iter(|| points(black_box(plan)));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, against_states, against_intervals);
criterion_main!(benches);
