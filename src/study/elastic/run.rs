//! Carry out what a study asks of elastic structures.

use super::spec::{BranchSpec, ElasticSpec, KernelSpec, MethodSpec, ModesSpec, MotionSpec, StructureSpec};
use crate::bifurcation::{Inspect, TraceOptions};
use crate::continuation::StepOptions;
use crate::elastic::{
    BowedOrbit, BowedProblem, BowedStructure, ElasticError, EulerRun, EulerSetting, MemoryKernel, ModalKernel, Motion,
    OrbitOptions, ReducedEquation, Resolution, StringKernel, euler, euler_modal, extrapolate_modes, orbits_over_modes,
};
use crate::report::{Cell, Kind, ReportError, Table};
use crate::study::run::{CurveResult, Observer, Piece};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub(super) const MOTION_COLUMNS: [&str; 4] = ["t", "y1", "y2", "force"];
pub(super) const MODES_COLUMNS: [&str; 9] = [
    "modes",
    "inverse",
    "period",
    "stick",
    "y1_stick",
    "y1_slip",
    "gap",
    "abs_gap",
    "gap_times_modes",
];
pub(super) const CURVE_COLUMNS: [&str; 15] = [
    "index",
    "v0",
    "mu",
    "kappa",
    "sigma",
    "period",
    "stick",
    "y1_stick",
    "y1_slip",
    "gap",
    "force_stick",
    "y1_max",
    "y1_min",
    "margin",
    "unstable",
];

/// What an entry gave.
pub(crate) enum Outcome {
    /// A table for the folder of trajectories, by name.
    Table(String, Table),
    /// A curve.
    Curve(CurveResult),
    /// Nothing, and why.
    Missing(String, String),
}

/// Why an entry gave nothing.
enum Failure {
    Elastic(ElasticError),
    Report(ReportError),
}
impl From<ElasticError> for Failure {
    fn from(e: ElasticError) -> Self {
        Self::Elastic(e)
    }
}
impl From<ReportError> for Failure {
    fn from(e: ReportError) -> Self {
        Self::Report(e)
    }
}

/// Compute all entries, in parallel, results in the order of the study.
pub(crate) fn run(specs: &[ElasticSpec], observer: &dyn Observer, stop: &AtomicBool) -> Vec<Outcome> {
    let one = |spec: &ElasticSpec| {
        let outcome = match spec {
            ElasticSpec::Kernel(s) => kernel(s).map(|t| Outcome::Table(s.name.clone(), t)),
            ElasticSpec::Motion(s) => motion(s).map(|t| Outcome::Table(s.name.clone(), t)),
            ElasticSpec::Modes(s) => modes(s).map(|t| Outcome::Table(s.name.clone(), t)),
            ElasticSpec::Branch(s) => branch(s, observer, stop).map(Outcome::Curve),
        };
        outcome.unwrap_or_else(|failure| {
            let why = match failure {
                Failure::Elastic(e) => e.to_string(),
                Failure::Report(e) => e.to_string(),
            };
            Outcome::Missing(spec.name().to_owned(), why)
        })
    };
    specs.par_iter().map(one).collect()
}

fn numbers(names: impl IntoIterator<Item = impl Into<String>>) -> Table {
    Table::new(names.into_iter().map(|n| (n, Kind::Number)))
}

fn continuum(structure: &StructureSpec) -> Result<StringKernel, ElasticError> {
    match structure {
        StructureSpec::String { damping, at, c } => StringKernel::new(*c, *damping, &[*at]),
        _ => Err(ElasticError::Parameter {
            name: "continuum",
            value: f64::NAN,
            requirement: "the kernel with all modes is known for strings only",
        }),
    }
}

fn kernel(spec: &KernelSpec) -> Result<Table, Failure> {
    let mut kernels: Vec<Box<dyn MemoryKernel>> = vec![];
    let mut names = vec!["t".to_owned()];
    for &n in &spec.modes {
        kernels.push(Box::new(ModalKernel::new(&spec.structure.build(n)?)?));
        names.push(format!("L1_{n}"));
    }
    if spec.continuum {
        kernels.push(Box::new(continuum(&spec.structure)?));
        names.push("L1_inf".to_owned());
    }
    let time = |i: usize| {
        let share = i as f64 / (spec.rows - 1) as f64;
        if spec.log {
            spec.from * (spec.until / spec.from).powf(share)
        } else {
            spec.from + share * (spec.until - spec.from)
        }
    };
    let rows: Vec<Vec<f64>> = (0..spec.rows)
        .into_par_iter()
        .map(|i| {
            std::iter::once(time(i))
                .chain(kernels.iter().map(|k| k.l1(time(i))[(0, 0)]))
                .collect()
        })
        .collect();
    let mut table = numbers(names);
    for row in rows {
        table.push_row(row.into_iter().map(Cell::Number))?;
    }
    Ok(table)
}

fn motion(spec: &MotionSpec) -> Result<Table, Failure> {
    let structure = spec.structure.build(spec.modes)?;
    let law = spec.law.build()?;
    let bowed = BowedStructure::new(&structure, 0, law, spec.v0)?;
    let z = bowed.start(spec.start.0, spec.start.1)?;
    let resolution = Resolution::default();
    let setting = |step| EulerSetting {
        law,
        v0: spec.v0,
        start: [spec.start.0, spec.start.1],
        step,
        until: spec.time,
    };
    match spec.method {
        MethodSpec::Full => of_motion(&bowed.simulate(&z, spec.time, &[], &resolution)?),
        MethodSpec::Reduced => {
            let reduced = ReducedEquation::new(&ModalKernel::new(&structure)?)?;
            of_motion(&reduced.simulate(law, spec.v0, &z, spec.time, &[], &resolution)?)
        }
        MethodSpec::Euler(step) => of_euler(&euler_modal(&ModalKernel::new(&structure)?, &setting(step))?),
        MethodSpec::EulerContinuum(step) => of_euler(&euler(&continuum(&spec.structure)?, &setting(step))?),
    }
}

fn motion_table() -> Table {
    Table::new(
        MOTION_COLUMNS
            .iter()
            .map(|n| (*n, Kind::Number))
            .chain([("mode", Kind::Text)]),
    )
}

fn of_motion(motion: &Motion) -> Result<Table, Failure> {
    let mut table = motion_table();
    for s in &motion.samples {
        let values = [s.t, s.y1, s.y2, s.force].map(Cell::Number);
        table.push_row(values.into_iter().chain([Cell::Text(s.phase.name().into())]))?;
    }
    Ok(table)
}

fn of_euler(run: &EulerRun) -> Result<Table, Failure> {
    let mut table = motion_table();
    for (q, (force, stick)) in run.force.iter().zip(&run.stick).enumerate() {
        let values = [q as f64 * run.step, run.y1[q], run.y2[q], *force].map(Cell::Number);
        let mode = match (stick, *force > 0.0) {
            (true, _) => "stick",
            (false, true) => "slip-",
            (false, false) => "slip+",
        };
        table.push_row(values.into_iter().chain([Cell::Text(mode.into())]))?;
    }
    Ok(table)
}

fn modes(spec: &ModesSpec) -> Result<Table, Failure> {
    let law = spec.law.build()?;
    let build = |n| BowedStructure::new(&spec.structure.build(n)?, 0, law, spec.v0);
    let options = OrbitOptions {
        multipliers: 0,
        ..OrbitOptions::default()
    };
    let orbits = orbits_over_modes(
        build,
        &spec.modes,
        [spec.start.0, spec.start.1],
        spec.transient,
        &options,
    )?;
    let measures: [fn(&BowedOrbit) -> f64; 5] = [|o| o.period, |o| o.stick, |o| o.y1_stick, |o| o.y1_slip, |o| o.gap];
    let mut table = numbers(MODES_COLUMNS);
    for (orbit, &n) in orbits.iter().zip(&spec.modes) {
        let [period, stick, y1_stick, y1_slip, gap] = measures.map(|m| m(orbit));
        let row = [
            n as f64,
            1.0 / n as f64,
            period,
            stick,
            y1_stick,
            y1_slip,
            gap,
            gap.abs(),
            gap * n as f64,
        ];
        table.push_row(row.map(Cell::Number))?;
    }
    // the limit, by the parabola in 1/N through the last three
    let last = orbits.len().saturating_sub(3);
    let limit = |f: &dyn Fn(usize, &BowedOrbit) -> f64| {
        let values: Vec<(usize, f64)> = spec
            .modes
            .iter()
            .zip(&orbits)
            .skip(last)
            .map(|(&n, o)| (n, f(n, o)))
            .collect();
        extrapolate_modes(&values).map_or(f64::NAN, |e| e.limit)
    };
    let [period, stick, y1_stick, y1_slip, gap] = measures.map(|m| limit(&|_, o| m(o)));
    let scaled = limit(&|n, o| n as f64 * o.gap);
    let row = [
        f64::INFINITY,
        0.0,
        period,
        stick,
        y1_stick,
        y1_slip,
        gap,
        gap.abs(),
        scaled,
    ];
    table.push_row(row.map(Cell::Number))?;
    Ok(table)
}

fn branch(spec: &BranchSpec, observer: &dyn Observer, stop: &AtomicBool) -> Result<CurveResult, Failure> {
    observer.curve_begins(&spec.name);
    let clock = Instant::now();
    let bowed = BowedStructure::new(&spec.structure.build(spec.modes)?, 0, spec.law.build()?, spec.v0)?;
    let options = OrbitOptions {
        multipliers: spec.multipliers,
        ..OrbitOptions::default()
    };
    let orbit = bowed.find_orbit(&bowed.start(spec.start.0, spec.start.1)?, spec.transient, &options)?;
    let trace = TraceOptions {
        range: spec.range,
        levels: vec![],
        within: vec![],
        steps: StepOptions::default(),
        points: 1000,
        directions: vec![1.0, -1.0],
    };
    let branch = bowed.trace(&orbit, spec.free, options, &trace, &mut |point| {
        observer.point(&spec.name, point);
        !stop.load(Ordering::Relaxed)
    })?;
    let problem = BowedProblem::new(&bowed, &orbit.phases, &[spec.free], options)?;
    let result = CurveResult {
        name: spec.name.clone(),
        system: 0,
        parameters: problem.parameter_names(),
        free: spec.free.name().to_owned(),
        monitors: problem.monitors(),
        pieces: vec![Piece {
            word: orbit.word(),
            branch,
            orbits: vec![],
        }],
        seconds: clock.elapsed().as_secs_f64(),
    };
    observer.curve_ends(&result);
    Ok(result)
}
