//! AUTO's demos over AUTO's own ranges, as `benches/compare_auto` has them: the computation alone, on one thread and
//! without files. What AUTO takes, and whole processes, are measured by the script there.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use slipstick_study::{self as study, Plan, Silent};
use std::hint::black_box;

/// All but `lor`, whose start is a file of AUTO's.
const DEMOS: [(&str, &str); 7] = [
    ("ab", include_str!("compare_auto/studies/ab.ron")),
    ("pp2", include_str!("compare_auto/studies/pp2.ron")),
    ("frc", include_str!("compare_auto/studies/frc.ron")),
    ("lrz", include_str!("compare_auto/studies/lrz.ron")),
    ("cusp", include_str!("compare_auto/studies/cusp.ron")),
    ("tor", include_str!("compare_auto/studies/tor.ron")),
    ("plp", include_str!("compare_auto/studies/plp.ron")),
];

fn plan(name: &str, text: &str) -> Plan {
    let study = study::parse(name.as_ref(), text.to_owned()).expect("a study");
    study.plan(&[]).expect("a plan")
}

fn points(plan: &Plan) -> usize {
    let result = study::run(plan, &Silent, &false.into());
    result.curves.iter().map(study::CurveResult::len).sum()
}

fn demos(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("AUTO's demos");
    group.sample_size(10);
    for (name, text) in DEMOS {
        let plan = plan(name, text);
        group.throughput(Throughput::Elements(points(&plan) as u64));
        group.bench_function(name, |bench| bench.iter(|| points(black_box(&plan))));
    }
    group.finish();
}

/// The demo with homoclinic ends at looser tolerances, which must not be slower.
fn tolerances(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("the demo ab by tolerance");
    group.sample_size(10);
    for exponent in [4, 5, 6, 7, 8, 9] {
        let method = format!("orbit: PeriodicOrbit,\n            method: Collocation(tolerance: 1e-{exponent}),");
        let plan = plan("ab", &DEMOS[0].1.replace("orbit: PeriodicOrbit,", &method));
        group.throughput(Throughput::Elements(points(&plan) as u64));
        group.bench_function(format!("1e-{exponent}"), |bench| {
            bench.iter(|| points(black_box(&plan)))
        });
    }
    group.finish();
}

criterion_group!(benches, demos, tolerances);
criterion_main!(benches);
