//! Oscillators at rest under a parametric drive, linear and not: the borders of their tongues as curves of branch points
//! and of period doublings, against the discriminant of the equation about rest.

use super::known::{curve, none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::RunResult;
use std::f64::consts::TAU;

/// u'' + c u' + (a + q cos wt + e sin 2wt) u = 0.
#[derive(Clone, Copy, Debug)]
struct Hill {
    c: f64,
    w: f64,
    e: f64,
}

impl Hill {
    /// The states after a period, by series about so many places of it.
    fn after_a_period(self, [a, q]: [f64; 2], start: [f64; 2]) -> [f64; 2] {
        const PLACES: usize = 80;
        const ORDER: usize = 24;
        let h = TAU / self.w / PLACES as f64;
        let mut state = start;
        for place in 0..PLACES {
            let t = h * place as f64;
            // The stiffness in powers of the time from here.
            let mut stiffness = [0.0; ORDER];
            let (mut drive, mut second) = (q, self.e);
            for (k, s) in stiffness.iter_mut().enumerate() {
                let quarter = 0.25 * TAU * k as f64;
                *s = drive * (self.w * t + quarter).cos() + second * (2.0 * self.w * t + quarter).sin();
                drive *= self.w / (k + 1) as f64;
                second *= 2.0 * self.w / (k + 1) as f64;
            }
            stiffness[0] += a;
            let mut u = [0.0; ORDER + 2];
            [u[0], u[1]] = state;
            for k in 0..ORDER {
                let pull: f64 = (0..=k).map(|j| stiffness[j] * u[k - j]).sum();
                let rate = (k + 1) as f64 * u[k + 1];
                u[k + 2] = -(self.c * rate + pull) / ((k + 1) * (k + 2)) as f64;
            }
            state = [0.0; 2];
            for (k, v) in u.iter().enumerate().rev() {
                state[0] = state[0] * h + v;
                if k > 0 {
                    state[1] = state[1] * h + k as f64 * v;
                }
            }
        }
        state
    }

    /// What is zero where a multiplier is `m`, which is 1 or -1.
    fn discriminant(self, place: [f64; 2], m: f64) -> f64 {
        let trace = self.after_a_period(place, [1.0, 0.0])[0] + self.after_a_period(place, [0.0, 1.0])[1];
        1.0 + (-self.c * TAU / self.w).exp() - m * trace
    }

    /// How far a place is from the border, to first order.
    fn distance(self, [a, q]: [f64; 2], m: f64) -> f64 {
        const BY: f64 = 1e-5;
        let at = |a, q| self.discriminant([a, q], m);
        let slope = [at(a + BY, q) - at(a - BY, q), at(a, q + BY) - at(a, q - BY)].map(|d| d / (2.0 * BY));
        (at(a, q) / slope[0].hypot(slope[1])).abs()
    }
}

/// The rectangle of parameters.
const RANGE: [(f64, f64); 2] = [(-1.5, 3.0), (0.05, 1.5)];

/// What rest is computed with, and how near the borders are then: harmonics resolve an eigenvector that grows and
/// decays by some factor along the orbit less well.
const METHODS: [(&str, f64); 3] = [("Collocation()", 1e-8), ("Shooting()", 1e-8), ("Harmonic()", 2e-6)];

fn method(member: usize) -> (&'static str, f64) {
    METHODS[member / 4 % METHODS.len()]
}

/// The study: rest traced in `a`, and the curves of its branch points and period doublings.
fn study(hill: Hill, member: usize, random: &mut Random) -> String {
    let Hill { c, w, e } = hill;
    let (size, tau) = match member % 4 {
        1 => (random.log_between(1e-4, 1e4), random.log_between(1e-2, 1e2)),
        _ => (1.0, 1.0),
    };
    let at = if member % 4 == 2 {
        size * random.between(0.5, 2.0)
    } else {
        0.0
    };
    let cubic = if member.is_multiple_of(3) {
        0.0
    } else {
        random.sign() * random.between(0.2, 1.5)
    };
    let u = if at == 0.0 {
        format!("(x/{size:?})")
    } else {
        format!("((x - {at:?})/{size:?})")
    };
    let own = w / tau;
    let drive = format!("(a + q*cos({own:?}*t) + ({e:?})*sin({:?}*t))", 2.0 * own);
    let force = format!("{size:?}*(-{drive}*{u} - ({cubic:?})*{u}^3) - {c:?}*v");
    let (mut states, mut equations) = (
        vec!["\"x\"", "\"v\""],
        vec![format!("\"x' = v/{tau:?}\""), format!("\"v' = ({force})/{tau:?}\"")],
    );
    let mut start = format!("\"x\": {at:?}, \"v\": 0");
    if member % 4 == 3 {
        states.push("\"y\"");
        equations.push(format!("\"y' = -y + cos({own:?}*t)\""));
        start.push_str(&format!(", \"y\": {:?}", 1.0 / (1.0 + own * own)));
    }
    let (method, _) = method(member);
    let [(low, high), (least, most)] = RANGE;
    let locus = |name: &str, label: &str| {
        format!(
            "Locus(name: \"{name}\", from: \"rest: {label}\", free: (\"a\", \"q\"), range: (({low:?}, {high:?}), ({least:?}, {most:?})))"
        )
    };
    let mut loci = vec![locus("d", "PD")];
    // By shots curves of branch points end after some points, see the limits in `docs/trust.md`.
    if method != "Shooting()" {
        loci.push(locus("p", "BP"));
    }
    let q = random.between(0.3, 0.9);
    format!(
        "Study(title: \"rest\", system: Smooth(states: [{}], parameters: {{\"a\": 0.6, \"q\": {q:?}}}, forcing: Forcing(period: \"{:?}\"), equations: [{}]), \
         curves: [Curve(name: \"rest\", orbit: PeriodicOrbit, method: {method}, start: Guess(at: {{\"a\": 0.6}}, states: [{{{start}}}], durations: [{:?}]), free: \"a\", range: (-1, 2.5))], \
         loci: [{}])",
        states.join(", "),
        TAU / own,
        equations.join(", "),
        TAU / own,
        loci.join(", "),
    )
}

fn place(point: &BranchPoint) -> [f64; 2] {
    [point.record.parameters[0], point.record.parameters[1]]
}

/// What is wrong with the borders on which a multiplier is `m`.
fn fault(result: &RunResult, hill: Hill, near: f64, (name, label, m): (&str, Label, f64)) -> Option<String> {
    let rest = curve(result, "rest");
    let starts: Vec<[f64; 2]> = rest
        .points()
        .filter(|(_, _, p)| p.label == Some(label))
        .map(|(_, _, p)| place(p))
        .collect();
    let found = pieces(result, name);
    if found.is_empty() && !starts.is_empty() {
        return Some(format!("{name}: no curve from {starts:?}: {:?}", result.missing));
    }
    for points in found {
        let off = points.iter().map(|p| hill.distance(place(p), m)).fold(0.0, f64::max);
        if !(off <= near) {
            return Some(format!("{name}: {off:e} off its border"));
        }
        let on_the_rim = |p: &&BranchPoint| {
            let near = |(v, (low, high)): (f64, (f64, f64))| (v - low).abs().min((v - high).abs()) <= 1e-9;
            place(p).into_iter().zip(RANGE).any(near)
        };
        let ends = [points.first()?, points.last()?];
        if let Some(end) = ends.into_iter().find(|p| !on_the_rim(p)) {
            return Some(format!("{name}: ends at {:?} with {:?}", place(end), end.message));
        }
    }
    None
}

/// Linear and with a cubic force; in units of their own, moved away from zero, beside a state that is driven by itself;
/// by collocation, shots and harmonics.
#[test]
fn borders_of_tongues_are_those_of_the_discriminant() {
    let class = "parametric rest";
    let count = members(12);
    let (mut wrong, mut borders) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let hill = Hill {
            c: random.between(0.05, 0.25),
            w: random.between(0.8, 2.0),
            e: random.sign() * random.between(0.05, 0.3),
        };
        let text = study(hill, member, &mut random);
        let result = run(&text);
        borders += pieces(&result, "p").len() + pieces(&result, "d").len();
        let (method, near) = method(member);
        let borders = [("p", Label::BP, 1.0), ("d", Label::PD, -1.0)];
        let followed = borders
            .into_iter()
            .filter(|(name, ..)| *name == "d" || method != "Shooting()");
        for said in followed.filter_map(|border| fault(&result, hill, near, border)) {
            wrong.push((member, format!("{said}\n{text}")));
        }
        // Of a linear equation no coefficient changes its sign.
        let coefficients = [Label::DP, Label::GPD];
        let changes = ["p", "d"].iter().flat_map(|name| pieces(&result, name)).flatten();
        let invented = changes
            .filter(|p| p.label.is_some_and(|l| coefficients.contains(&l)))
            .count();
        if member % 3 == 0 && invented > 0 {
            wrong.push((member, format!("{invented} coefficients change their sign\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(borders >= count, "only {borders} borders");
}

/// A motion that settles to rest under the drive is an orbit of its period, whatever it is computed with.
#[test]
fn rest_is_settled_to_by_all_methods() {
    let class = "settled parametric rest";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, q, w) = (
            random.between(0.1, 0.3),
            random.between(0.1, 0.3),
            random.between(2.8, 4.0),
        );
        let method = ["Auto", "Shooting()", "Harmonic()"][member % 3];
        let text = format!(
            "Study(title: \"rest\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"a\": 1, \"q\": {q:?}}}, forcing: Forcing(period: \"{:?}\"), \
             equations: [\"x' = v\", \"v' = -(a + q*cos({w:?}*t))*x - {c:?}*v - x^3\"]), \
             curves: [Curve(name: \"rest\", orbit: PeriodicOrbit, method: {method}, start: Settle(at: {{\"a\": 1}}, from: {{\"x\": 0.3}}), free: \"a\", range: (0.8, 1.2))])",
            TAU / w,
        );
        let result = run(&text);
        let at_rest = result.curves.iter().any(|c| {
            let most = |p: &BranchPoint| p.point.z[..2].iter().fold(0.0f64, |m, v| m.max(v.abs()));
            c.points().all(|(_, _, p)| most(p) < 1e-9)
        });
        if !at_rest {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
