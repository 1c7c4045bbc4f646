//! The whole family Π_ε of the regularised oscillator at ε = 10⁻³ on one thread, as `studies/regularised.ron` asks for
//! it: the start, continuation, multipliers, monitors, canard columns and sampled orbits; no files.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use slipstick_study::{self as study, Silent};
use std::hint::black_box;

const FAMILY: &str = include_str!("../studies/regularised.ron");

fn family(criterion: &mut Criterion) {
    let study = study::parse("regularised.ron".as_ref(), FAMILY.to_owned()).expect("a study");
    let mut group = criterion.benchmark_group("regularised");
    for epsilon in [1e-2, 1e-3, 1e-4] {
        let plan = study.plan(&[("epsilon".to_owned(), epsilon)]).expect("a plan");
        let points: usize = study::run(&plan, &Silent, &false.into())
            .curves
            .iter()
            .map(study::CurveResult::len)
            .sum();
        group.throughput(Throughput::Elements(points as u64)).sample_size(10);
        group.bench_function(format!("family at {epsilon:e}"), |bench| {
            bench.iter(|| black_box(study::run(&plan, &Silent, &false.into())));
        });
    }
    group.finish();
}

criterion_group!(benches, family);
criterion_main!(benches);
