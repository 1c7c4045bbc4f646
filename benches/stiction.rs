//! Points per second on the Ω > 1 branch of the stiction oscillator, from Ω = 1.36 to 15, on one thread: continuation,
//! all monitors, admissibility and multipliers at every point. The largest step is short, so that points and not
//! special ones are counted.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use slipstick_bifurcation::{Branch, TraceOptions, Tracer};
use slipstick_continuation::StepOptions;
use slipstick_flow::FlowOptions;
use slipstick_orbit::{PeriodicOrbit, Word};
use slipstick_system::catalogue;
use std::hint::black_box;

/// The largest change of Ω in a step.
const STEP: f64 = 1e-3;

/// The symmetric slip-stick orbit at Ω = 2.
const STATES: [&[f64]; 2] = [
    &[0.416670202822743, 0.0, -0.602471800393803],
    &[-0.416670202822743, 1.437986979326011],
];
const DURATIONS: [f64; 2] = [2.040458779719814, 1.101133873869979];

fn branch() -> Branch {
    let system = catalogue::stiction();
    let word = Word::parse("slip- stick", true, &system).expect("a word of the system");
    let mut orbit = PeriodicOrbit::new(&system, word, vec![2.0, 1.1, 0.4], vec![0], FlowOptions::default());
    let start = orbit.guess(&STATES.map(<[f64]>::to_vec), &DURATIONS).expect("a start");
    let options = TraceOptions {
        steps: StepOptions {
            largest_parameter: STEP,
            ..StepOptions::default()
        },
        ..TraceOptions::over((1.36, 15.0))
    };
    Tracer::new(&mut orbit, &options).from_guess(start).expect("a branch")
}

fn stiction(criterion: &mut Criterion) {
    let points = branch().points.len();
    let mut group = criterion.benchmark_group("stiction");
    group.throughput(Throughput::Elements(points as u64)).sample_size(20);
    group.bench_function("branch 1.36 to 15", |bench| bench.iter(|| black_box(branch())));
    group.finish();
}

criterion_group!(benches, stiction);
criterion_main!(benches);
