//! Curves in two parameters along which an invader can just settle on a resident: transcritical points of equilibria,
//! of maps and of periodic orbits, whose null vectors turn along them.

use super::known::{none_wrong, run};
use super::random::{Random, members};

/// A resident N that saturates at K, and an invader P that eats it and dies at a rate m, with constants drawn at random
/// and other units.
struct Invasion {
    r: f64,
    a: f64,
    h: f64,
    e: f64,
    unit: f64,
    time: f64,
}

impl Invasion {
    fn random(random: &mut Random) -> Self {
        Self {
            r: random.between(0.5, 3.0),
            a: random.between(1.0, 6.0),
            h: random.between(0.1, 0.6),
            e: random.between(0.3, 0.9),
            unit: random.log_between(1e-3, 1e3),
            time: random.log_between(1e-2, 1e2),
        }
    }

    /// The death rate at which it can just settle.
    fn m(&self, k: f64) -> f64 {
        let k = k / self.unit;
        self.e * self.a * k / (1.0 + self.a * self.h * k) / self.time
    }

    /// The rates of both, those of N times `season`, the deaths times `deaths`.
    fn rates(&self, season: &str, deaths: &str) -> [String; 2] {
        let Self { r, a, h, e, unit, time } = self;
        let eaten = format!("{:?}*N*P/(1 + {:?}*N)", a / unit / time, a * h / unit);
        [
            format!("({:?})*{season}*N*(1 - N/K) - {eaten}", r / time),
            format!("({e:?})*{eaten} - m*{deaths}*P"),
        ]
    }
}

#[test]
fn borders_of_invasion_are_followed() {
    let class = "invasions";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let own = Invasion::random(&mut random);
        let (least, most) = (0.2 * own.unit, 4.0 * own.unit);
        let at = own.unit * random.between(0.6, 1.5);
        let m = own.m(at);
        let b = random.between(0.1, 0.6);
        let start = format!("{{\"K\": {:?}}}", 0.5 * at);
        let states = format!("{{\"N\": {:?}, \"P\": 0}}", 0.5 * at);
        let (system, orbit, start) = match member % 4 {
            0 => {
                let [n, p] = own.rates("1", "1");
                (
                    format!("Smooth(equations: [\"N' = {n}\", \"P' = {p}\"]"),
                    "Equilibrium",
                    format!("Guess(at: {start}, states: [{states}])"),
                )
            }
            1 => {
                let [n, p] = own.rates("1", "1");
                let step = 0.1 * own.time;
                (
                    format!("Map(equations: [\"N+ = N + {step:?}*({n})\", \"P+ = P + {step:?}*({p})\"]"),
                    "FixedPoint",
                    format!("Guess(at: {start}, states: [{states}])"),
                )
            }
            2 => {
                // The seasons do not move N from K, and leave the mean of the deaths as it is.
                let period = own.time * random.between(0.5, 4.0);
                let wave = format!("(1 + {b:?}*cos(2*pi*t/{period:?}))");
                let [n, p] = own.rates(&wave, &wave);
                (
                    format!(
                        "Smooth(forcing: Forcing(period: \"{period:?}\"), equations: [\"N' = {n}\", \"P' = {p}\"], start: {{\"N\": {:?}}}",
                        0.5 * at
                    ),
                    "PeriodicOrbit",
                    format!("Settle(at: {start})"),
                )
            }
            _ => {
                // Beside a circle that is run through in a time of its own.
                let w = random.between(0.5, 2.0) / own.time;
                let [n, p] = own.rates("1", &format!("(1 + {b:?}*x)"));
                let radial = format!("{:?}*(1 - x*x - y*y)", 1.0 / own.time);
                (
                    format!(
                        "Smooth(states: [\"x\", \"y\", \"N\", \"P\"], equations: [\"x' = {radial}*x - {w:?}*y\", \"y' = {radial}*y + {w:?}*x\", \
                         \"N' = {n}\", \"P' = {p}\"], start: {{\"x\": 1, \"N\": {:?}}}",
                        0.5 * at
                    ),
                    "PeriodicOrbit",
                    format!("Settle(at: {start})"),
                )
            }
        };
        let system = if system.contains("states:") {
            system
        } else {
            system.replacen('(', "(states: [\"N\", \"P\"], ", 1)
        };
        let text = format!(
            "Study(title: \"invasion\", system: {system}, parameters: {{\"K\": 1, \"m\": {m:?}}}), \
             curves: [Curve(name: \"c\", orbit: {orbit}, start: {start}, free: \"K\", range: ({:?}, {:?}))], \
             loci: [Locus(name: \"l\", from: \"c: BP\", free: (\"K\", \"m\"), range: (({least:?}, {most:?}), (0, {:?})))])",
            0.4 * at,
            1.4 * at,
            2.0 * own.m(most),
        );
        let result = run(&text);
        let Some(locus) = result.curves.iter().find(|l| l.name == "l") else {
            wrong.push((
                member,
                format!("no curve in two parameters: {:?}\n{text}", result.missing),
            ));
            continue;
        };
        let points: Vec<(f64, f64)> = locus
            .points()
            .map(|(_, _, p)| (p.record.parameters[0], p.record.parameters[1]))
            .collect();
        let off = points
            .iter()
            .map(|(k, m)| (m / own.m(*k) - 1.0).abs())
            .fold(0.0, f64::max);
        let reached = |k: f64| points.iter().any(|p| (p.0 / k - 1.0).abs() < 1e-9);
        if off > 1e-8 || !reached(least) || !reached(most) {
            let ends = [points.first(), points.last()];
            wrong.push((
                member,
                format!("{} points off by {off:e}, {ends:?}\n{text}", points.len()),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
