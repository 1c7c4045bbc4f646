//! Rows of stored orbits: polynomials from row to row are the orbit, also where it jumps; an orbit started from its
//! rows is that orbit again, and rows that tell of no orbit start none elsewhere.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_flow::{FlowOptions, Method, ModeFlow};
use slipstick_study::{self as study, RunResult, Silent};
use std::fs;

/// A relaxation oscillator, of which nothing is said of its time scales.
struct Oscillator {
    /// The system as studies write it, at its parameter.
    system: String,
    free: &'static str,
    value: f64,
    states: [&'static str; 2],
}

impl Oscillator {
    /// In random units of the states and of time.
    fn random(random: &mut Random, stiffest: f64) -> Self {
        let (x, y, t) = (
            random.log_between(1e-4, 1e4),
            random.log_between(1e-4, 1e4),
            random.log_between(1e-3, 1e3),
        );
        let value = random.log_between(3.0, stiffest);
        if random.below(2) == 0 {
            let equations = format!(
                "[\"x' = {x:?}/{t:?}*(y/{y:?})\", \"y' = {y:?}/{t:?}*(m*(1 - (x/{x:?})^2)*(y/{y:?}) - x/{x:?})\"]"
            );
            return Self {
                system: format!(
                    "Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": {value:?}}}, equations: {equations}, start: {{\"x\": {:?}}})",
                    2.0 * x
                ),
                free: "m",
                value,
                states: ["x", "y"],
            };
        }
        let a = random.between(0.0, 0.7);
        let equations = format!(
            "[\"x' = {x:?}/{t:?}*e*(y/{y:?} - (x/{x:?})^3/3 + x/{x:?})\", \"y' = {y:?}/{t:?}*({a:?} - x/{x:?})\"]"
        );
        Self {
            system: format!(
                "Smooth(states: [\"x\", \"y\"], parameters: {{\"e\": {value:?}}}, equations: {equations}, start: {{\"x\": {:?}}})",
                2.0 * x
            ),
            free: "e",
            value,
            states: ["x", "y"],
        }
    }

    fn study(&self, start: &str, part: f64) -> String {
        format!(
            "Study(title: \"rows\", system: {}, curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: {start}, free: \"{}\", range: ({:?}, {:?}))])",
            self.system,
            self.free,
            (1.0 - part) * self.value,
            (1.0 + part) * self.value
        )
    }

    /// Run from rows in a file.
    fn begun_from(&self, rows: &[(f64, Vec<f64>)]) -> RunResult {
        let home = tempfile::tempdir().unwrap();
        let mut table = format!("t,{},{}\n", self.states[0], self.states[1]);
        for (t, x) in rows {
            table += &format!("{t:?},{:?},{:?}\n", x[0], x[1]);
        }
        fs::write(home.path().join("orbit.csv"), table).unwrap();
        let start = format!("File(path: \"orbit.csv\", at: {{\"{}\": {:?}}})", self.free, self.value);
        let text = self.study(&start, 0.05);
        let path = home.path().join("study.ron");
        let loaded = study::parse(&path, text.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plan = loaded.plan(&[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        study::run(&plan, &Silent, &false.into())
    }
}

/// The largest distance, in ranges of the states, of the cubics between rows from the motions that start at the rows.
fn off(text: &str, value: f64, rows: &[(f64, Vec<f64>)]) -> f64 {
    let loaded = study::parse("study.ron".as_ref(), text.to_owned()).unwrap();
    let plan = loaded.plan(&[]).unwrap();
    let options = FlowOptions {
        rtol: 1e-11,
        atol: 1e-30,
        method: Method::Stiff,
        ..FlowOptions::default()
    };
    let flow = ModeFlow::new(&plan.systems[0].system, 0, options);
    let rates = |x: &[f64]| {
        let mut rates = vec![0.0; 2];
        plan.systems[0].system.modes[0].field.value(x, &[value], &mut rates);
        rates
    };
    let range = |i: usize| {
        let values = rows.iter().map(|row| row.1[i]);
        values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
    };
    let mut most = 0.0f64;
    for pair in rows.windows(2) {
        let (a, b, h) = (&pair[0].1, &pair[1].1, pair[1].0 - pair[0].0);
        let mut middle = a.clone();
        flow.advance(a, 0.5 * h, &[value], &mut middle).unwrap();
        let (from, to) = (rates(a), rates(b));
        for i in 0..2 {
            let cubic = 0.5 * (a[i] + b[i]) + 0.125 * h * (from[i] - to[i]);
            most = most.max((cubic - middle[i]).abs() / range(i));
        }
    }
    most
}

#[test]
fn relaxation_oscillations_begin_again_from_their_rows() {
    let class = "stored rows";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let oscillator = Oscillator::random(&mut random, 300.0);
        let start = format!("Settle(at: {{\"{}\": {:?}}})", oscillator.free, oscillator.value);
        let text = oscillator.study(&start, 0.05);
        let first = run(&text);
        let stored = |result: &RunResult, of: usize| {
            let piece = result.curves.first().and_then(|c| c.pieces.first())?;
            let at = if of == 0 {
                piece.orbits.first()
            } else {
                piece.orbits.last()
            }?;
            Some((piece.branch.points[at.0].clone(), at.1.clone()))
        };
        let (Some((low, _)), Some((high, sample))) = (stored(&first, 0), stored(&first, 1)) else {
            wrong.push((member, format!("{:?}\n{text}", first.missing)));
            continue;
        };
        let rows: Vec<(f64, Vec<f64>)> = sample.t.iter().copied().zip(sample.states).collect();
        let far = off(&text, high.point.parameter(), &rows);
        let at_end = Oscillator {
            value: high.point.parameter(),
            ..oscillator
        };
        let again = at_end.begun_from(&rows);
        let [a, b] = [0, 1].map(|end| stored(&again, end).map(|s| (s.0.point.parameter(), s.0.record.period)));
        // The curve from the rows begins at the upper end of the other one, and reaches its middle.
        let begins = again.curves.first().and_then(|c| {
            let piece = c.pieces.first()?;
            Some(piece.branch.points.get(piece.branch.start)?.record.period)
        });
        let same = begins.is_some_and(|period| (period / high.record.period - 1.0).abs() <= 1e-7);
        let goes_on = a
            .zip(b)
            .is_some_and(|(a, b)| a.0 < high.point.parameter() && b.0 > high.point.parameter());
        if !(far <= 1e-4 && rows.len() <= 4002 && same && goes_on && low.record.period > 0.0) {
            wrong.push((
                member,
                format!(
                    "off {far:.1e} in {} rows, {begins:?} {:?} {a:?} {b:?} {:?}\n{text}",
                    rows.len(),
                    high.record.period,
                    again.missing
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Over a few rounds, without `every`.
#[test]
fn tables_of_motions_resolve_their_jumps() {
    let class = "rows of motions";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let stiffness = random.log_between(1.0, 3000.0);
        let (x, y, t) = (
            random.log_between(1e-4, 1e4),
            random.log_between(1e-4, 1e4),
            random.log_between(1e-3, 1e3),
        );
        let time = t * random.between(0.5, 6.0) * stiffness.max(3.0);
        let text = format!(
            "Study(title: \"rows\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": {stiffness:?}}}, \
             equations: [\"x' = {x:?}/{t:?}*(y/{y:?})\", \"y' = {y:?}/{t:?}*(m*(1 - (x/{x:?})^2)*(y/{y:?}) - x/{x:?})\"], \
             start: {{\"x\": {:?}}}), simulations: [Simulation(name: \"s\", time: {time:?})])",
            random.between(0.5, 2.5) * x
        );
        let result = run(&text);
        let rows: Vec<(f64, Vec<f64>)> = result.trajectories[0]
            .rows
            .iter()
            .map(|r| (r.t, r.states.clone()))
            .collect();
        let far = off(&text, stiffness, &rows);
        if !(far <= 1e-4 && (401..=4010).contains(&rows.len())) {
            wrong.push((member, format!("off {far:.1e} in {} rows\n{text}", rows.len())));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Ellipses at equal distances in time, however long: of an orbit in the range and near them, or of none.
#[test]
fn rows_that_are_no_orbit_start_none_elsewhere() {
    let class = "rows of no orbit";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let oscillator = Oscillator {
            system: format!(
                "Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": 1}}, equations: [\"x' = y\", \"y' = m*(1 - x^2)*y - x\"], \
                 require: [\"m > {:?}\"])",
                0.0
            ),
            free: "m",
            value: random.log_between(1.0, 500.0),
            states: ["x", "y"],
        };
        let period = oscillator.value * random.log_between(0.01, 100.0);
        let (width, height) = (random.log_between(0.1, 3.0), random.log_between(0.1, 100.0));
        let count = 3 + random.below(60);
        let row = |k: usize| {
            let s = k as f64 / count as f64;
            let (sin, cos) = (std::f64::consts::TAU * s).sin_cos();
            (period * s, vec![width * cos, height * sin])
        };
        let rows: Vec<(f64, Vec<f64>)> = (0..=count).map(row).collect();
        let result = oscillator.begun_from(&rows);
        let range = 0.95 * oscillator.value..=1.05 * oscillator.value;
        let bad = result.curves.iter().flat_map(|c| c.points()).find(|(_, _, p)| {
            let near = (1e-3 * period..=1e3 * period).contains(&p.record.period);
            !near || !range.contains(&p.point.parameter())
        });
        if let Some((_, _, p)) = bad {
            wrong.push((
                member,
                format!(
                    "m = {}, period {} for {period} at {}",
                    p.point.parameter(),
                    p.record.period,
                    oscillator.value
                ),
            ));
        } else if result.curves.is_empty() && result.missing.is_empty() {
            wrong.push((member, "nothing is said".into()));
        }
    }
    none_wrong(class, count, &wrong);
}
