//! States that count from anywhere, in any unit: where motions and cycles are looked for when a study does not say, and
//! what is found there.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::{AttractorKind, CurveResult, RunResult};

/// How a state is written: `origin + unit·u`.
struct Written {
    origin: f64,
    unit: f64,
}

impl Written {
    /// Anywhere, as far from zero as this, in any unit.
    fn random(random: &mut Random) -> Self {
        let unit = random.sign() * 10f64.powf(random.between(-4.0, 6.0));
        let far = random.below(3) > 0;
        let lengths = if far {
            random.sign() * random.log_between(15.0, 1e4)
        } else {
            0.0
        };
        Self {
            origin: unit * lengths,
            unit,
        }
    }

    /// Far from zero, in a unit of one or one that is far from it; and another way to write the same.
    fn far(random: &mut Random) -> [Self; 2] {
        let power = match random.below(3) {
            0 => 0.0,
            1 => random.between(1.2, 6.0),
            _ => random.between(-4.0, -1.2),
        };
        let unit = 10f64.powf(power);
        let usual = if power == 0.0 { 1.0 } else { 1e3 };
        let lengths = random.sign() * random.log_between(15.0, 1e4);
        [(unit, lengths), (usual, 1e3)].map(|(unit, lengths)| Self {
            origin: unit * lengths,
            unit,
        })
    }

    fn state(&self, u: f64) -> f64 {
        self.origin + self.unit * u
    }

    fn logistic(&self) -> String {
        let Self { origin, unit } = self;
        format!(
            "Map(states: [\"x\"], parameters: {{\"r\": 2.8}}, define: {{\"u\": \"(x - ({origin:?}))/({unit:?})\"}}, \
             equations: [\"x+ = {origin:?} + ({unit:?})*r*u*(1 - u)\"], start: {{\"x\": {:?}}})",
            self.state(0.3)
        )
    }

    /// A forced oscillator in a well that motions of about one leave.
    fn well(&self, damping: f64, hybrid: bool) -> String {
        let Self { origin, unit } = self;
        let equations = format!(
            "equations: [\"x' = v\", \"v' = -{damping:?}*v - (x - ({origin:?})) + ({unit:?})*(u^3 + F*cos(t))\"]"
        );
        let start = format!("{{\"x\": {:?}}}", self.state(0.1));
        let (kind, body) = if hybrid {
            let modes = format!("modes: {{\"m\": Mode({equations})}}, start: Start(mode: \"m\", at: {start})");
            ("Hybrid", modes)
        } else {
            ("Smooth", format!("{equations}, start: {start}"))
        };
        format!(
            "{kind}(states: [\"x\", \"v\"], parameters: {{\"F\": 0.05}}, forcing: Forcing(period: \"2*pi\"), \
             define: {{\"u\": \"(x - ({origin:?}))/({unit:?})\"}}, {body})"
        )
    }
}

/// What random starts come to, and how many of them, in a sweep, a chart and an orbit diagram over a parameter.
fn found(system: &str, parameter: &str, (low, high, count): (f64, f64, usize), starts: usize) -> Vec<String> {
    let over = format!("over: {{\"{parameter}\": Linear({low:?}, {high:?}, {count})}}");
    let text = format!(
        "Study(title: \"t\", system: {system}, \
         attractors: [Attractors(name: \"a\", sweep: \"{parameter}\", range: ({low:?}, {high:?}), count: {count}, starts: {starts})], \
         tasks: [Chart(name: \"c\", {over}, starts: {starts}), \
                 OrbitDiagram(name: \"o\", {over}, starts: {starts}, sweeps: [], points: 4, transient: 100)])"
    );
    let result = run(&text);
    let kind = |kind: &AttractorKind| match kind {
        AttractorKind::Orbit { word, period } => format!("{word} {period:.4}"),
        other => other.name().to_owned(),
    };
    let swept = result.attractors[0].found.iter();
    let mut all: Vec<String> = swept
        .map(|a| format!("sweep {:.4} {} {}", a.value, kind(&a.kind), a.starts))
        .collect();
    for name in ["c", "o"] {
        all.extend(rows(&result, name, parameter));
    }
    all
}

fn rows(result: &RunResult, name: &str, parameter: &str) -> Vec<String> {
    let tables = || result.analyses.iter().flat_map(|a| &a.tables);
    let (_, table) = tables().find(|(n, _)| n == name).unwrap();
    let values = table.numbers(parameter).unwrap();
    let periods = table.numbers("period").unwrap();
    let kinds = table.texts("kind").unwrap();
    let row = |k: usize| format!("{name} {:.4} {} {:.4}", values[k], kinds[k], periods[k]);
    let mut rows: Vec<String> = (0..values.len()).map(row).collect();
    rows.dedup();
    rows
}

/// Sweeps, charts and orbit diagrams start in the same region, and find the same, wherever the states count from. At
/// every value some start stays in the well.
#[test]
fn random_starts_do_not_depend_on_where_states_count_from() {
    let class = "origins";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let ways = Written::far(&mut random);
        let (damping, hybrid) = (random.between(0.2, 0.4), random.below(2) == 0);
        let maps = [0, 1].map(|k| found(&ways[k].logistic(), "r", (3.3, 3.9, 4), 6));
        let wells = [0, 1].map(|k| found(&ways[k].well(damping, hybrid), "F", (0.02, 0.08, 2), 2));
        for [own, known] in [maps, wells] {
            let stays = |row: &&String| row.starts_with("sweep") && !row.contains("lost");
            if own != known || own.iter().filter(stays).count() < 2 {
                wrong.push((
                    member,
                    format!(
                        "{} from {}: {own:#?}\ninstead of {known:#?}",
                        ways[0].unit, ways[0].origin
                    ),
                ));
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// Random starts find orbits in units of any size.
#[test]
fn random_starts_find_orbits_in_any_unit() {
    let class = "units of starts";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let written = Written::random(&mut random);
        let well = written.well(random.between(0.2, 0.4), random.below(2) == 0);
        let map = written.logistic();
        for (system, parameter, over, starts) in [(map, "r", (3.3, 3.9, 4), 12), (well, "F", (0.02, 0.08, 3), 6)] {
            let all = found(&system, parameter, over, starts);
            for what in ["sweep", "c", "o"] {
                let own = all.iter().filter(|row| row.starts_with(&format!("{what} ")));
                let stay = own.filter(|row| !row.contains("lost"));
                let mut values: Vec<&str> = stay.map(|row| row.split(' ').nth(1).unwrap()).collect();
                values.dedup();
                if values.len() < over.2 {
                    wrong.push((member, format!("{what}: {values:?}\n{system}\n{all:#?}")));
                }
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// The labels of all curves, and whether cycles are as long as they are said to be.
fn of_cycles(system: &str, length: usize, r: f64) -> Result<(Vec<CurveResult>, Vec<(Label, f64)>), String> {
    let text = format!(
        "Study(title: \"t\", system: {system}, curves: [\
         Curve(name: \"c\", orbit: Cycle({length}), start: All(at: {{\"r\": {r:?}}}), free: \"r\", range: (3.4, 4))])"
    );
    let result = run(&text);
    if !result.missing.is_empty() {
        return Err(format!("{:?}", result.missing));
    }
    curve(&result, "c");
    let places = result.curves.iter().flat_map(labels);
    let mut places: Vec<(Label, f64)> = places.map(|(label, r, _)| (label, r)).collect();
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok((result.curves, places))
}

/// All cycles of the logistic map, with their folds and doublings, wherever the state counts from and in any unit: none
/// is missed, none is a shorter one gone through several times, and each place has one label.
#[test]
fn cycles_of_maps_do_not_depend_on_where_states_count_from() {
    let class = "origins of cycles";
    let count = members(40);
    let mut wrong = vec![];
    let plain = Written { origin: 0.0, unit: 1.0 };
    for member in 0..count {
        let mut random = Random::of(class, member);
        let written = Written::random(&mut random);
        let (length, r) = [
            (2, 3.42),
            (3, 3.84),
            (3, 3.9),
            (4, 3.5),
            (5, 3.74),
            (5, 3.92),
            (6, 3.7),
            (6, 3.85),
        ][random.below(8)];
        let (known, places) = of_cycles(&plain.logistic(), length, r).unwrap();
        let verdict = match of_cycles(&written.logistic(), length, r) {
            Err(missing) => Some(missing),
            Ok((curves, own)) => {
                let near = |a: &(Label, f64), b: &(Label, f64)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-7;
                let same = own.len() == places.len() && own.iter().zip(&places).all(|(a, b)| near(a, b));
                // Where a branch ends on the cycle that it is born from, that closes earlier.
                let goes_round = curves.iter().all(|c| {
                    let middle = c.points().nth(c.points().count() / 2).unwrap().2;
                    let monitor = |name: &str| c.monitors.iter().position(|m| m == name).unwrap();
                    let [high, low] = ["x_max", "x_min"].map(|name| middle.record.monitors[monitor(name)]);
                    high - low > 1e-3 * written.unit.abs()
                });
                (!same || !goes_round || curves.len() != known.len()).then(|| {
                    format!(
                        "{} curves instead of {}: {own:?} instead of {places:?}",
                        curves.len(),
                        known.len()
                    )
                })
            }
        };
        if let Some(verdict) = verdict {
            wrong.push((member, format!("{verdict}\n{length} {r}\n{}", written.logistic())));
        }
    }
    none_wrong(class, count, &wrong);
}
