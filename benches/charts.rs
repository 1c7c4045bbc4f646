//! Events per second of the stiction oscillator, initial states per second of its chart of regimes, and cells per second
//! of a chart of the logistic map, each on one thread.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use slipstick_flow::{SimulationOptions, simulate};
use slipstick_study::{self as study, RunResult, Silent};
use slipstick_system::catalogue;
use std::hint::black_box;

/// A chart of the stiction oscillator with 20 × 5 cells of those of `studies/regimes.ron`, and eight starts each.
const REGIMES: &str = r#"Study(
    title: "Regimes",
    system: Stiction(mu_d: 0.4),
    tasks: [
        Chart(
            name: "regimes", over: {"Omega": Linear(0.4075, 2.1925, 20), "mu_s": Linear(1.005, 1.395, 5)},
            within: {"x": (-3, 3), "y": (-3, 3)}, starts: 8, events: 1500, orbits: 0,
        ),
    ],
)"#;

/// A third of these cells is chaotic.
const LOGISTIC: &str = r#"Study(
    title: "Windows",
    system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]),
    tasks: [Chart(name: "windows", over: {"r": Linear(2.8, 4, 2000)}, within: {"x": (0.1, 0.9)}, starts: 1, orbits: 0)],
)"#;

fn run(text: &str) -> RunResult {
    let plan = study::parse("bench.ron".as_ref(), text.into())
        .and_then(|s| s.plan(&[]))
        .expect("a study");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| study::run(&plan, &Silent, &false.into()))
}

fn events(criterion: &mut Criterion) {
    let system = catalogue::stiction();
    let slip = system.mode("slip-").expect("a mode");
    let options = SimulationOptions {
        t_end: 5000.0,
        ..SimulationOptions::default()
    };
    // In the chaotic range.
    let follow = || simulate(&system, slip, &[0.5, -0.1, -0.5], &[1.4, 1.1, 0.4], &options).expect("a motion");
    let mut group = criterion.benchmark_group("events");
    group.throughput(Throughput::Elements(follow().segments.len() as u64));
    group.bench_function("stiction, chaotic", |bench| bench.iter(|| black_box(follow())));
    group.finish();
}

fn charts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("charts");
    group.sample_size(10);
    group.throughput(Throughput::Elements(800));
    group.bench_function("initial states of regimes", |bench| {
        bench.iter(|| black_box(run(REGIMES)))
    });
    group.throughput(Throughput::Elements(2000));
    group.bench_function("cells of the logistic map", |bench| {
        bench.iter(|| black_box(run(LOGISTIC)))
    });
    group.finish();
}

criterion_group!(benches, events, charts);
criterion_main!(benches);
