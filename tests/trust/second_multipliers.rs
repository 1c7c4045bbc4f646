//! Curves of folds, branch points, period doublings and symmetry breakings of cycles along which a second multiplier
//! comes to the one that is kept: with an eigenvector of its own, or with one eigenvector for both. Of forced oscillators, of cycles without a forcing, and
//! of orbits with an event; in random linear coordinates that swing with the cycle, in units of 10^±1.5.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use std::f64::consts::TAU;

/// The curves in two parameters reach from Q = -1 to 1.
const REACH: f64 = 1.0;

/// What drives the cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drive {
    /// A forcing of period 2π.
    Forcing,
    /// The same, of systems with a symmetry: the cycles are their own mirror images half a period later.
    Symmetric,
    /// An oscillator of two states with that period, among the states.
    Oscillator,
    /// A clock of which the event at time one applies a map.
    Event,
}

/// What is kept at P = 0, and comes to it a second time at Q = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A fold, and a pitchfork with an eigenvector of its own.
    FoldAndBranch,
    /// A branch point, and a fold of the family that persists, with an eigenvector of its own.
    BranchAndFold,
    /// Two multipliers +1 with one eigenvector.
    ResonantFold,
    /// Two period doublings, or symmetry breakings, with an eigenvector each.
    TwoDoublings,
    /// Two multipliers -1 with one eigenvector.
    ResonantDoubling,
}

impl Kind {
    fn doubles(self) -> bool {
        matches!(self, Self::TwoDoublings | Self::ResonantDoubling)
    }

    fn kept(self, drive: Drive) -> Label {
        match (self.doubles(), drive) {
            _ if self == Self::BranchAndFold => Label::BP,
            (false, _) => Label::LP,
            (true, Drive::Symmetric) => Label::SB,
            (true, _) => Label::PD,
        }
    }

    fn label(self, drive: Drive) -> Label {
        match self {
            Self::FoldAndBranch => Label::codimension_two(Label::LP, Label::BP),
            Self::BranchAndFold => Label::codimension_two(Label::BP, Label::LP),
            Self::ResonantFold => Label::R1,
            Self::TwoDoublings => Label::codimension_two(self.kept(drive), self.kept(drive)),
            Self::ResonantDoubling => Label::R2,
        }
    }

    /// The rates of u1 and u2, whose equilibria bifurcate, with the squares `s1` and `s2` of these.
    fn rates(self, [c, s, e, alpha]: [f64; 4], [u1, u2, s1, s2]: [&str; 4]) -> [String; 2] {
        match self {
            Self::FoldAndBranch => [
                format!("(P - ({c:?})*{s1} - ({e:?})*{s2})"),
                format!("({u2}*(({alpha:?})*{u1} - Q) - ({s:?})*{u2}*{s2})"),
            ],
            Self::BranchAndFold => [
                format!("(P + ({:?})*Q^2 - ({c:?})*{s1} - ({e:?})*{s2})", c / (alpha * alpha)),
                format!("({u2}*(({alpha:?})*{u1} - Q) - ({s:?})*{u2}*{s2})"),
            ],
            Self::ResonantFold => [
                u2.to_owned(),
                format!("(P + Q*{u2} - ({c:?})*{s1} + ({e:?})*{u1}*{u2})"),
            ],
            Self::TwoDoublings => [
                format!("(0.25*P - ({c:?})*{s1} + ({e:?})*{s2})*{u1}"),
                format!("(0.25*Q - ({s:?})*{s2} + ({alpha:?})*{s1})*{u2}"),
            ],
            Self::ResonantDoubling => [
                u2.to_owned(),
                format!("((0.25*P - ({c:?})*{s1})*{u1} + (0.5*Q - ({s:?})*{s1})*{u2})"),
            ],
        }
    }
}

/// The functions f1, f2, … of the states u1, u2, … and what they are made of: rates, or images of a map.
///
/// Of a flow that doubles, a state is the part of two along a direction that turns by half a turn in each period; the
/// part across it decays.
fn functions(random: &mut Random, kind: Kind, drive: Drive, terms: [f64; 4]) -> (Vec<String>, Vec<String>) {
    let mut decays = random.between(0.4, 1.0);
    if kind.doubles() && matches!(drive, Drive::Forcing | Drive::Oscillator) {
        let mut define = vec![
            "\"P11\": \"(1 + cosine)/2\"".to_owned(),
            "\"P12\": \"sine/2\"".to_owned(),
            "\"P22\": \"(1 - cosine)/2\"".to_owned(),
        ];
        for k in 1..=2 {
            let (i, j) = (2 * k - 1, 2 * k);
            define.push(format!("\"a{k}\": \"P11*u{i} + P12*u{j}\""));
            define.push(format!("\"b{k}\": \"P12*u{i} + P22*u{j}\""));
            define.push(format!("\"W{k}\": \"u{i}*a{k} + u{j}*b{k}\""));
        }
        let [along, across] = ["a", "b"].map(|v| {
            let names = [format!("{v}1"), format!("{v}2")];
            kind.rates(terms, [&names[0], &names[1], "W1", "W2"])
        });
        let mut all = vec![];
        for k in 0..2 {
            let (i, j) = (2 * k + 1, 2 * k + 2);
            all.push(format!("-0.5*u{j} + {} - ({decays:?})*(u{i} - a{})", along[k], k + 1));
            all.push(format!("0.5*u{i} + {} - ({decays:?})*(u{j} - b{})", across[k], k + 1));
        }
        return (all, define);
    }
    let mut all = kind.rates(terms, ["u1", "u2", "u1^2", "u2^2"]).to_vec();
    if random.below(2) == 0 {
        let odd = if drive == Drive::Symmetric { "u1^3" } else { "u1*u2" };
        all.push(format!("-({decays:?})*u3 + {odd}"));
    }
    if drive == Drive::Event {
        let sign = if kind.doubles() { "-" } else { "" };
        decays = 0.4;
        for (i, f) in all.iter_mut().enumerate() {
            *f = format!("{sign}(u{} + ({decays:?})*({f}))", i + 1);
        }
    }
    (all, vec![])
}

/// The coefficients of the rates.
fn terms(random: &mut Random, kind: Kind) -> [f64; 4] {
    let [c, s] = [0; 2].map(|_| random.between(0.4, 1.2));
    let [e, alpha] = [random.between(-0.6, 0.6), random.between(0.4, 1.2)];
    // The family that branch points lie on repels by a power of c/α.
    let slow = if kind == Kind::BranchAndFold { 0.3 } else { 1.0 };
    [slow * c, s, e, alpha]
}

/// The labels along the curve in both parameters, with their Q.
fn known(kind: Kind, drive: Drive, [c, s, e, alpha]: [f64; 4]) -> Vec<(Label, f64)> {
    let mut labels = vec![(kind.label(drive), 0.0)];
    // Along u1 = Q/α the cubic coefficient of branch points vanishes here.
    let degenerate = -alpha * alpha * e / (2.0 * c * s);
    if kind == Kind::BranchAndFold && degenerate.abs() < REACH {
        labels.push((Label::DP, degenerate));
        labels.sort_by(|a, b| a.1.total_cmp(&b.1));
    }
    labels
}

/// The study of these functions, with a curve over P from u = `start` and one in both parameters.
fn study(random: &mut Random, kind: Kind, drive: Drive, terms: [f64; 4]) -> String {
    let (functions, made_of) = functions(random, kind, drive, terms);
    let n = functions.len();
    let mut rotation: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for i in 0..n {
        for j in 0..i {
            let (sin, cos) = random.between(-3.0, 3.0).sin_cos();
            for row in &mut rotation {
                (row[i], row[j]) = (cos * row[i] - sin * row[j], sin * row[i] + cos * row[j]);
            }
        }
    }
    let units: Vec<f64> = (0..n).map(|_| 10f64.powf(random.between(-1.5, 1.5))).collect();
    // The states u swing by a (sin, cos).
    let swings: Vec<[f64; 2]> = (0..n)
        .map(|_| {
            [0; 2].map(|_| {
                if drive == Drive::Event {
                    0.0
                } else {
                    random.between(-0.5, 0.5)
                }
            })
        })
        .collect();
    let rates: Vec<f64> = (0..n).map(|_| random.between(0.2, 0.8)).collect();
    // Those that do not swing are off zero.
    let offsets: Vec<f64> = (0..n)
        .map(|_| {
            if drive == Drive::Event {
                random.sign() * random.between(0.3, 0.8)
            } else {
                0.0
            }
        })
        .collect();
    let q = random.sign() * random.between(0.3, 0.6);
    let (p, end): (f64, f64) = if kind.doubles() { (-0.1, 0.2) } else { (0.03, -0.06) };
    let mut start = vec![0.0; n];
    if !kind.doubles() {
        // Newton's method starts beside the equilibrium of u1.
        start[0] = 0.2;
    }
    if kind == Kind::BranchAndFold {
        let [c, _, _, alpha] = terms;
        start[0] = (p / c + (q / alpha).powi(2)).sqrt().copysign(q);
    }
    let sum = |terms: Vec<String>| terms.join(" + ");
    let mut define = match drive {
        Drive::Forcing | Drive::Symmetric => {
            vec!["\"cosine\": \"cos(t)\"".to_owned(), "\"sine\": \"sin(t)\"".to_owned()]
        }
        Drive::Oscillator => vec!["\"cosine\": \"k\"".to_owned(), "\"sine\": \"s\"".to_owned()],
        Drive::Event => vec![],
    };
    for i in 0..n {
        let own = sum((0..n)
            .map(|j| format!("({:?})*y{}", rotation[j][i] / units[j], j + 1))
            .collect());
        let [a, b] = swings[i];
        define.push(match drive {
            // At the event the states have decayed by this factor, which the map takes back.
            Drive::Event => format!(
                "\"v{0}\": \"{own} - ({2:?})\", \"u{0}\": \"v{0}*({1:?})\"",
                i + 1,
                rates[i].exp(),
                offsets[i]
            ),
            _ => format!("\"u{}\": \"{own} - ({a:?})*sine - ({b:?})*cosine\"", i + 1),
        });
    }
    define.extend(made_of);
    for (i, f) in functions.iter().enumerate() {
        let [a, b] = swings[i];
        define.push(match drive {
            Drive::Event => format!("\"f{}\": \"{f} + ({:?})\"", i + 1, offsets[i]),
            _ => format!("\"f{}\": \"{f} + ({a:?})*cosine - ({b:?})*sine\"", i + 1),
        });
    }
    let mapped = |i: usize, name: &str| {
        let terms = (0..n).map(|j| {
            format!(
                "({:?})*{}",
                units[i] * rotation[i][j],
                name.replace('#', &(j + 1).to_string())
            )
        });
        sum(terms.collect())
    };
    let begins = |i: usize| {
        (0..n)
            .map(|j| units[i] * rotation[i][j] * (start[j] + swings[j][1] + offsets[j]))
            .sum::<f64>()
    };
    let mut states: Vec<String> = (0..n).map(|i| format!("\"y{}\"", i + 1)).collect();
    let mut at: Vec<String> = (0..n).map(|i| format!("\"y{}\": {:?}", i + 1, begins(i))).collect();
    let equation = |i: usize, right: String| format!("\"y{}' = {right}\"", i + 1);
    let mut equations: Vec<String> = match drive {
        Drive::Event => (0..n)
            .map(|i| {
                let decaying: Vec<String> = (0..n)
                    .map(|j| format!("({:?})*v{}", -rates[j] * units[i] * rotation[i][j], j + 1))
                    .collect();
                equation(i, sum(decaying))
            })
            .collect(),
        _ => (0..n).map(|i| equation(i, mapped(i, "f#"))).collect(),
    };
    let further: &[(&str, &str, f64)] = match drive {
        Drive::Forcing | Drive::Symmetric => &[],
        Drive::Oscillator => &[
            ("k", "0.4*k*(1 - k^2 - s^2) - s", 1.0),
            ("s", "0.4*s*(1 - k^2 - s^2) + k", 0.0),
        ],
        Drive::Event => &[("c", "1", 0.0)],
    };
    for (name, rate, begin) in further {
        states.push(format!("\"{name}\""));
        at.push(format!("\"{name}\": {begin:?}"));
        equations.push(format!("\"{name}' = {rate}\""));
    }
    let (states, equations) = (states.join(", "), equations.join(", "));
    let common = format!(
        "states: [{states}], parameters: {{\"P\": {p:?}, \"Q\": {q:?}}}, define: {{{}}}",
        define.join(", ")
    );
    let (system, orbit, period) = match drive {
        Drive::Event => {
            let resets: Vec<String> = (0..n)
                .map(|i| format!("\"y{}\": \"{}\"", i + 1, mapped(i, "f#")))
                .collect();
            let event = format!(
                "Event(guard: \"c - 1\", direction: Up, to: \"on\", reset: {{{}, \"c\": \"0\"}})",
                resets.join(", ")
            );
            let modes = format!("{{\"on\": Mode(equations: [{equations}], events: {{\"tick\": {event}}})}}");
            (
                format!("Hybrid({common}, modes: {modes}, start: Start(mode: \"on\"))"),
                "Periodic(\"on\")",
                1.0,
            )
        }
        Drive::Symmetric => {
            let images: Vec<String> = (1..=n).map(|i| format!("\"y{i}\": \"-y{i}\"")).collect();
            let symmetry = format!("{{{}, \"theta\": \"theta + pi\"}}", images.join(", "));
            let forcing = "Forcing(period: \"2*pi\", phase: \"theta\")";
            (
                format!("Smooth({common}, forcing: {forcing}, symmetry: {symmetry}, equations: [{equations}])"),
                "Symmetric(\"smooth\")",
                TAU,
            )
        }
        Drive::Forcing => (
            format!("Smooth({common}, forcing: Forcing(period: \"2*pi\"), equations: [{equations}])"),
            "PeriodicOrbit",
            TAU,
        ),
        Drive::Oscillator => (
            format!("Smooth({common}, equations: [{equations}])"),
            "PeriodicOrbit",
            TAU,
        ),
    };
    format!(
        "Study(title: \"second multiplier\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, \
         start: Guess(at: {{\"P\": {p:?}}}, states: [{{{}}}], durations: [{period:?}]), free: \"P\", range: ({:?}, {:?}))], \
         loci: [Locus(name: \"l\", from: \"c: {} 1\", free: (\"P\", \"Q\"), range: ((-3, 3), (-{REACH}, {REACH})))])",
        at.join(", "),
        p.min(end),
        p.max(end),
        kind.kept(drive),
    )
}

#[test]
fn second_multipliers_of_cycles_with_two_eigenvectors_are_no_resonances() {
    let class = "second multipliers";
    let mut pairs = vec![
        (Kind::TwoDoublings, Drive::Symmetric),
        (Kind::ResonantDoubling, Drive::Symmetric),
    ];
    for kind in [
        Kind::FoldAndBranch,
        Kind::ResonantFold,
        Kind::TwoDoublings,
        Kind::ResonantDoubling,
    ] {
        pairs.extend([Drive::Forcing, Drive::Oscillator, Drive::Event].map(|drive| (kind, drive)));
    }
    pairs.extend([Drive::Forcing, Drive::Oscillator].map(|drive| (Kind::BranchAndFold, drive)));
    let count = members(pairs.len());
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (kind, drive) = pairs[member % pairs.len()];
        let terms = terms(&mut random, kind);
        let text = study(&mut random, kind, drive, terms);
        let result = run(&text);
        let found = pieces(&result, "l");
        let at = |p: &BranchPoint| [p.record.parameters[0], p.record.parameters[1]];
        let is_right = |points: &Vec<&BranchPoint>| {
            let ends = [points.first(), points.last()];
            let reached = |p: Option<&&BranchPoint>| p.is_some_and(|p| p.message.starts_with("end of the range"));
            let inner = points.iter().skip(1).take(points.len().saturating_sub(2));
            let mut special: Vec<(Label, f64)> = inner.filter_map(|p| Some((p.label?, at(p)[1]))).collect();
            special.sort_by(|a, b| a.1.total_cmp(&b.1));
            let known = known(kind, drive, terms);
            let is_known = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-7;
            ends.into_iter().all(reached)
                && points.iter().all(|p| at(p)[0].abs() <= 1e-8)
                && special.len() == known.len()
                && special.iter().zip(&known).all(is_known)
        };
        if found.len() != 1 || !found.iter().all(is_right) {
            let labelled = found
                .iter()
                .flatten()
                .filter_map(|p| Some((p.label?, at(p), &p.message)));
            let said: Vec<_> = labelled.collect();
            wrong.push((
                member,
                format!("{kind:?} {drive:?}: {said:?} {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
