//! The cost of a point on a curve of periodic orbits by collocation, against the number of states and the number of
//! intervals: a ring of coupled oscillators, followed over twenty points with all monitors and multipliers.
//!
//! At the end the two laws are drawn into `target/cost-per-cycle-point.svg`, with the slopes n³ and n.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use plotters::prelude::*;
use slipstick_study::{self as study, Plan, Silent};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const PAIRS: [usize; 6] = [1, 2, 4, 8, 16, 25];
const EXPONENTS: [i32; 5] = [4, 6, 8, 10, 12];

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
    for pairs in PAIRS {
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
    for exponent in EXPONENTS {
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

/// Intervals of the last mesh, and the least time of five runs in milliseconds per point.
fn cost(plan: &Plan) -> (f64, f64) {
    let mut best = f64::INFINITY;
    let mut intervals = 0.0;
    for _ in 0..5 {
        let begin = Instant::now();
        let result = study::run(plan, &Silent, &false.into());
        let time = begin.elapsed().as_secs_f64();
        let curve = &result.curves[0];
        best = best.min(1e3 * time / curve.len() as f64);
        let meshes = curve.points().last().and_then(|(_, _, p)| p.point.meshes.clone());
        intervals = meshes.map_or(0, |m| m.iter().map(|mesh| mesh.len() - 1).sum::<usize>()) as f64;
    }
    (intervals, best)
}

/// One panel: measured costs and the line of a power through the last of them.
fn panel<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    what: &str,
    costs: &[(f64, f64)],
    (power, name): (i32, &str),
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let last = costs[costs.len() - 1];
    let law = |x: f64| last.1 * (x / last.0).powi(power);
    let x = costs[0].0 * 0.8..last.0 * 1.25;
    let low = costs.iter().map(|c| c.1.min(law(c.0))).fold(f64::INFINITY, f64::min);
    let high = costs.iter().map(|c| c.1.max(law(c.0))).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(x.log_scale(), (0.7 * low..1.5 * high).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(what)
        .y_desc("milliseconds per point")
        .label_style(("serif", 15))
        .draw()?;
    chart
        .draw_series(LineSeries::new(costs.iter().map(|&(x, _)| (x, law(x))), BLACK.mix(0.5)))?
        .label(name)
        .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], BLACK.mix(0.5)));
    let blue = RGBColor(0, 114, 178);
    chart
        .draw_series(costs.iter().map(|&at| Circle::new(at, 4, blue.filled())))?
        .label("measured")
        .legend(move |(x, y)| Circle::new((x + 11, y), 4, blue.filled()));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("serif", 15))
        .draw()
}

#[allow(clippy::print_stdout)]
fn draw(_: &mut Criterion) {
    let by_states: Vec<(f64, f64)> = PAIRS
        .map(|pairs| (2.0 * pairs as f64, cost(&ring(pairs, 1e-6)).1))
        .to_vec();
    let by_intervals: Vec<(f64, f64)> = EXPONENTS.map(|e| cost(&ring(2, 10f64.powi(-e)))).to_vec();
    for (what, costs) in [("states", &by_states), ("intervals", &by_intervals)] {
        for (x, cost) in costs {
            println!("{x:>4} {what}: {cost:.3} ms per point");
        }
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("cost-per-cycle-point.svg");
    let root = SVGBackend::new(&file, (900, 380)).into_drawing_area();
    root.fill(&WHITE).expect("a page");
    let (left, right) = root.split_horizontally(450);
    panel(&left, "states n", &by_states, (3, "n³")).expect("the cost over states");
    panel(&right, "intervals N", &by_intervals, (1, "N")).expect("the cost over intervals");
    root.present().expect("a figure");
    println!("drawn: {}", file.display());
}

criterion_group!(benches, against_states, against_intervals, draw);
criterion_main!(benches);
