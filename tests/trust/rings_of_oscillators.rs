//! Forced oscillators coupled to equals: where several multipliers pass +1 or -1 together all families of cycles that
//! begin there are followed, as many as the symmetry of the ring or the network has axes.
//!
//! Reference: M. Golubitsky, I. Stewart and D. G. Schaeffer, *Singularities and Groups in Bifurcation Theory* 2,
//! Springer (1988), ch. XIII.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;
use std::f64::consts::TAU;

/// How the cells are coupled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coupling {
    /// Each to its two neighbours.
    Ring(usize),
    /// Each to all others.
    All(usize),
}

impl Coupling {
    const ALL: [Self; 6] = [
        Self::Ring(3),
        Self::Ring(4),
        Self::All(3),
        Self::All(4),
        Self::Ring(5),
        Self::Ring(6),
    ];

    fn cells(self) -> usize {
        match self {
            Self::Ring(n) | Self::All(n) => n,
        }
    }

    /// What is coupled to cell k of the quantity with this formula.
    fn sum(self, k: usize, of: &dyn Fn(usize) -> String) -> String {
        let others: Vec<usize> = match self {
            Self::Ring(n) => vec![(k + n - 1) % n, (k + 1) % n],
            Self::All(n) => (0..n).filter(|l| *l != k).collect(),
        };
        let terms: Vec<String> = others.iter().map(|l| of(*l)).collect();
        format!("({} - {}*{})", terms.join(" + "), others.len(), of(k))
    }

    /// The rates at which coupling of strength one makes its modes decay, with their multiplicities, those of equal
    /// cells left out.
    fn modes(self) -> Vec<(f64, usize)> {
        match self {
            Self::All(n) => vec![(n as f64, n - 1)],
            Self::Ring(n) => (1..=n / 2)
                .map(|j| {
                    let rate = 2.0 - 2.0 * (TAU * j as f64 / n as f64).cos();
                    (rate, if 2 * j == n { 1 } else { 2 })
                })
                .collect(),
        }
    }

    /// The order of the rotations by which mode number j is turned.
    fn rotations(self, j: usize) -> usize {
        let n = self.cells();
        let divisor = (1..=n)
            .rev()
            .find(|d| n.is_multiple_of(*d) && (j + 1).is_multiple_of(*d));
        n / divisor.unwrap_or(1)
    }

    /// How many half-branches begin at mode j where it passes +1, and how many families of doubled cycles begin where
    /// it passes -1. No number where only terms of high order separate these families.
    fn families(self, j: usize) -> (usize, Option<usize>) {
        match self {
            Self::All(4) => (14, Some(13)),
            Self::All(_) => (6, Some(6)),
            Self::Ring(_) => match self.rotations(j) {
                3 => (6, Some(6)),
                4 => (8, Some(4)),
                6 => (12, Some(6)),
                m => (2 * m, None),
            },
        }
    }
}

/// What differs at the points of this label on curve `c`: their places, and how many curves branch off.
fn differences(result: &RunResult, coupling: Coupling, label: Label, place: &dyn Fn(f64) -> f64) -> Option<String> {
    let found = labels(curve(result, "c"));
    let modes = coupling.modes();
    let mut right = found.len() == modes.len();
    for (j, ((own, at, p), (rate, count))) in found.iter().zip(&modes).enumerate() {
        right &= *own == label && (at - place(*rate)).abs() <= 1e-8;
        let stem = format!("c-{label}{}", j + 1);
        let branches = result.curves.iter().filter(|c| c.name.starts_with(&stem)).count();
        let (half_branches, doubled) = coupling.families(j);
        right &= match (count, label, doubled) {
            (1, Label::BP, _) => branches == 2,
            (1, ..) => branches == 1,
            (_, Label::BP, _) => {
                let said = format!("{} half-branches meet here", half_branches + 2);
                branches == half_branches && p.message.contains(&said) && !p.message.contains("may be more")
            }
            (_, _, Some(families)) => {
                let said = format!("{families} families of doubled orbits begin here");
                branches == families && p.message.contains(&said)
            }
            (_, _, None) => branches >= 1,
        };
    }
    // No two branches are the same.
    let branches: Vec<_> = result.curves.iter().filter(|c| c.name != "c").collect();
    right &= branches.iter().all(|c| c.pieces[0].branch.points.len() > 2);
    let reported = || {
        let names: Vec<_> = branches.iter().map(|c| &c.name).collect();
        let special: Vec<_> = found.iter().map(|(l, at, p)| (l, at, &p.message)).collect();
        format!("{special:#?} for {modes:?} of {coupling:?}; {names:?}")
    };
    (!right).then(reported)
}

fn study(equations: &[String], label: Label, end: f64) -> String {
    let states: Vec<String> = equations
        .iter()
        .map(|e| e.split('\'').next().unwrap_or("").into())
        .collect();
    let list = |f: &dyn Fn(&String) -> String| states.iter().map(f).collect::<Vec<_>>().join(", ");
    let quoted: Vec<String> = equations.iter().map(|e| format!("\"{e}\"")).collect();
    format!(
        "Study(title: \"equal cells\", system: Smooth(states: [{}], parameters: {{\"p\": -0.2}}, forcing: Forcing(period: \"2*pi\"), \
         equations: [{}]), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"p\": -0.2}}, from: {{{}}}), free: \"p\", \
         range: (-0.2, {end:?}), branches: [{label}], generations: 1, points: 40)])",
        list(&|s| format!("\"{s}\"")),
        quoted.join(", "),
        list(&|s| format!("\"{s}\": 0.1")),
    )
}

/// Cells u' = -u + A cos t + p (u - m) + c (u - m)² - (u - m)³, where m is their mean, that are coupled by κ: in phase
/// all do as one does alone, and a mode that the coupling makes decay at rate λκ has a multiplier +1 at p = 1 + λκ.
#[test]
fn networks_in_phase_lose_their_symmetry_in_all_ways_that_there_are() {
    let class = "equal forced cells at +1";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let coupling = Coupling::ALL[member % Coupling::ALL.len()];
        let n = coupling.cells();
        let (kappa, forcing) = (random.between(0.05, 0.15), random.between(0.3, 1.0));
        let c = random.sign() * random.between(0.2, 0.6);
        let all: Vec<String> = (0..n).map(|k| format!("u{k}")).collect();
        let mean = format!("(({})/{n})", all.join(" + "));
        let equation = |k: usize| {
            let off = format!("(u{k} - {mean})");
            let coupled = coupling.sum(k, &|l| format!("u{l}"));
            format!(
                "u{k}' = -u{k} + {forcing:?}*cos(t) + p*{off} + ({c:?} + 0.2*u{k})*{off}^2 - {off}^3 + {kappa:?}*{coupled}"
            )
        };
        let equations: Vec<String> = (0..n).map(equation).collect();
        let place = |rate: f64| 1.0 + rate * kappa;
        let end = coupling.modes().iter().map(|m| place(m.0)).fold(0.0, f64::max) + 0.05;
        let text = study(&equations, Label::BP, end);
        if let Some(what) = differences(&run(&text), coupling, Label::BP, &place) {
            wrong.push((member, format!("{what}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Cells ξ' = (p - 1) ξ - 2 m - ξ³, η' = -η, where m is the mean of ξ, in a frame that turns by half a turn in each
/// period of the forcing, coupled by κ through ξ: a mode that the coupling makes decay at rate λκ has a multiplier -1
/// at p = 1 + λκ. All together they double at p = 3.
#[test]
fn networks_in_phase_double_their_period_in_all_ways_that_there_are() {
    let class = "equal forced cells at -1";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let coupling = Coupling::ALL[member % 4];
        let n = coupling.cells();
        let (kappa, a) = (random.between(0.1, 0.2), random.between(0.1, 0.4));
        let xi = |k: usize| format!("(x{k}*cos(t/2) + y{k}*sin(t/2))");
        let eta = |k: usize| format!("(y{k}*cos(t/2) - x{k}*sin(t/2))");
        let equation = |k: usize| {
            let coupled = coupling.sum(k, &xi);
            let mean = (0..n).map(xi).collect::<Vec<_>>().join(" + ");
            let along = format!(
                "((p - 1)*{0} - 2*({mean})/{n} - {0}^3*(1 + {a:?}*cos(t)) + {kappa:?}*{coupled})",
                xi(k)
            );
            let across = format!("(-{} + {a:?}*{}^2*cos(t/2))", eta(k), xi(k));
            [
                format!("x{k}' = cos(t/2)*{along} - sin(t/2)*{across} - y{k}/2"),
                format!("y{k}' = sin(t/2)*{along} + cos(t/2)*{across} + x{k}/2"),
            ]
        };
        let equations: Vec<String> = (0..n).flat_map(equation).collect();
        let place = |rate: f64| 1.0 + rate * kappa;
        let end = coupling.modes().iter().map(|m| place(m.0)).fold(0.0, f64::max) + 0.05;
        let text = study(&equations, Label::PD, end);
        let result = run(&text);
        if let Some(what) = differences(&result, coupling, Label::PD, &place) {
            wrong.push((member, format!("{what}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Cells u' = -u + p (u - m) + c (u - m)² - (u - m)³, where m is their mean, that are coupled by κ and kicked together
/// each time a clock has run for a unit of time: the same places, of orbits with an event and without a mesh.
#[test]
fn networks_that_are_kicked_together_lose_their_symmetry_in_all_ways_that_there_are() {
    let class = "equal kicked cells at +1";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let coupling = Coupling::ALL[member % 4];
        let n = coupling.cells();
        let (kappa, kick) = (random.between(0.05, 0.15), random.between(0.3, 1.0));
        let c = random.sign() * random.between(0.2, 0.6);
        let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(", ");
        let mean = format!("(({})/{n})", list(&|k| format!("u{k}")).replace(", ", " + "));
        let equation = |k: usize| {
            let off = format!("(u{k} - {mean})");
            let coupled = coupling.sum(k, &|l| format!("u{l}"));
            format!("\"u{k}' = -u{k} + p*{off} + ({c:?} + 0.2*u{k})*{off}^2 - {off}^3 + {kappa:?}*{coupled}\"")
        };
        let place = |rate: f64| 1.0 + rate * kappa;
        let end = coupling.modes().iter().map(|m| place(m.0)).fold(0.0, f64::max) + 0.05;
        let text = format!(
            "Study(title: \"kicked cells\", system: Hybrid(states: [{}, \"s\"], parameters: {{\"p\": 0.9}}, modes: {{\"run\": \
             Mode(equations: [{}, \"s' = 1\"], events: {{\"kick\": Event(guard: \"s - 1\", direction: Up, to: \"run\", reset: {{{}, \"s\": \"0\"}})}})}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"run kick\"), start: Settle(at: {{\"p\": 0.9}}, mode: \"run\", from: {{{}}}), free: \"p\", \
             range: (0.9, {end:?}), branches: [BP], generations: 1, points: 120)])",
            list(&|k| format!("\"u{k}\"")),
            list(&equation),
            list(&|k| format!("\"u{k}\": \"u{k} + {kick:?}\"")),
            list(&|k| format!("\"u{k}\": 0.1")),
        );
        if let Some(what) = differences(&run(&text), coupling, Label::BP, &place) {
            wrong.push((member, format!("{what}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
