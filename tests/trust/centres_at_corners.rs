//! Piecewise-linear systems with two zones. At the Hopf point of one zone its cycles fill a continuum at one value of
//! the parameter, up to the one that touches the corner; there the curve leaves that value, in a word with a passage
//! through the other zone (the focus-centre-limit-cycle bifurcation). Written with modes, with surfaces and with
//! corners it is the same curve.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::CurveResult;

/// x₁' = T x₁ - x₂, x₂' = M x₁ - x₃, x₃' = D x₁ - a, or x₁' = T x₁ - x₂, x₂' = D x₁ - a, with coefficients of their own
/// for x₁ > 0 and for x₁ < 0. On the right the eigenvalues are m ± iω, with the parameter m, and λ.
struct Zones {
    right: Vec<String>,
    left: Vec<f64>,
    a: f64,
    omega: f64,
    /// At the equilibrium on the right for m = -`reach`.
    rest: Vec<f64>,
    reach: f64,
    /// What is added to the first and to the last rate on the left.
    jumps: [f64; 2],
    units: Vec<f64>,
    time: f64,
}

impl Zones {
    fn random(random: &mut Random, n: usize) -> Self {
        let reach = 0.05;
        let (omega, decay) = (random.between(0.5, 2.0), -random.between(0.2, 2.0));
        let (growth, other, decays) = (
            random.sign() * random.between(0.05, 0.6),
            random.between(0.5, 2.0),
            -random.between(0.2, 2.0),
        );
        let (square, m) = (growth * growth + other * other, -reach);
        let here = m * m + omega * omega;
        let (right, left, a, rest) = if n == 2 {
            let a = omega * omega;
            let x = a / here;
            let right = vec!["2*m".into(), format!("(m^2 + {:?})", omega * omega)];
            (right, vec![2.0 * growth, square], a, vec![x, 2.0 * m * x])
        } else {
            let a = decay * omega * omega;
            let x = a / (decay * here);
            let right = vec![
                format!("(2*m + {decay:?})"),
                format!("(m^2 + {:?} + 2*m*({decay:?}))", omega * omega),
                format!("({decay:?})*(m^2 + {:?})", omega * omega),
            ];
            let left = vec![2.0 * growth + decays, square + 2.0 * growth * decays, decays * square];
            (
                right,
                left,
                a,
                vec![x, (2.0 * m + decay) * x, (here + 2.0 * m * decay) * x],
            )
        };
        Self {
            right,
            left,
            a,
            omega,
            rest,
            reach,
            jumps: [0.0; 2],
            units: (0..n).map(|_| random.log_between(1e-2, 1e2)).collect(),
            time: random.log_between(1e-2, 1e2),
        }
    }

    /// The equations with these factors of x₁, and what is added to the first and to the last rate.
    fn equations(&self, factors: &[String], added: [String; 2]) -> String {
        let n = self.units.len();
        let u = |i: usize| format!("x{}/({:?})", i + 1, self.units[i]);
        let line = |i: usize| {
            let next = if i + 1 < n { u(i + 1) } else { format!("({:?})", self.a) };
            let mut rate = format!("{} - {next}", factors[i]);
            for (k, at) in [0, n - 1].into_iter().enumerate().filter(|(_, at)| *at == i) {
                if self.jumps[k] != 0.0 && at == i {
                    rate.push_str(&format!(" + {}", added[k]));
                }
            }
            format!("\"x{}' = ({:?})*({rate})\"", i + 1, self.units[i] / self.time)
        };
        (0..n).map(line).collect::<Vec<_>>().join(", ")
    }

    /// The study, written with modes, with a surface, or with corners in one of three ways.
    fn text(&self, way: usize) -> String {
        let n = self.units.len();
        let x = format!("x1/({:?})", self.units[0]);
        let added = |sign: &str| self.jumps.map(|jump| format!("({jump:?}){sign}"));
        let linear = |all: &[String]| all.iter().map(|c| format!("{c}*{x}")).collect::<Vec<_>>();
        let left: Vec<String> = self.left.iter().map(|c| format!("({c:?})")).collect();
        let both = |write: &dyn Fn(&str, &str) -> String| -> Vec<String> {
            self.right.iter().zip(&left).map(|(r, l)| write(r, l)).collect()
        };
        let states: Vec<String> = (1..=n).map(|i| format!("\"x{i}\"")).collect();
        let rest = self.rest.iter().zip(&self.units).enumerate();
        let start: Vec<String> = rest.map(|(i, (v, u))| format!("\"x{}\": {:?}", i + 1, v * u)).collect();
        let start = format!("{{{}}}", start.join(", "));
        let head = format!(
            "states: [{}], parameters: {{\"m\": {:?}}}",
            states.join(", "),
            -self.reach
        );
        let (system, orbit) = match way {
            0 => (
                format!(
                    "Hybrid({head}, modes: {{\"right\": Mode(equations: [{}], events: {{\"out\": Event(guard: \"x1\", direction: Down, to: \"left\")}}), \
                     \"left\": Mode(equations: [{}], events: {{\"back\": Event(guard: \"x1\", direction: Up, to: \"right\")}})}}, \
                     start: Start(mode: \"right\", at: {start}))",
                    self.equations(&linear(&self.right), ["0", "0"].map(String::from)),
                    self.equations(&linear(&left), added("")),
                ),
                "Periodic(\"right free\")",
            ),
            1 => (
                format!(
                    "Filippov({head}, surfaces: {{\"s\": \"x1\"}}, equations: [{}], start: {start})",
                    self.equations(
                        &both(&|r, l| format!("({r}*heaviside(s) + {l}*(1 - heaviside(s)))*{x}")),
                        added("*(1 - heaviside(s))")
                    ),
                ),
                "Periodic(\"s+ free\")",
            ),
            _ => {
                let write = |r: &str, l: &str| match way {
                    2 => format!("({r}*max({x}, 0) + {l}*min({x}, 0))"),
                    3 => format!("0.5*({r}*({x} + abs({x})) + {l}*({x} - abs({x})))"),
                    _ => format!("if(x1 > 0, {r}, {l})*{x}"),
                };
                let equations = self.equations(&both(&write), ["0", "0"].map(String::from));
                (
                    format!("Smooth({head}, equations: [{equations}], start: {start})"),
                    "PeriodicOrbit",
                )
            }
        };
        let range = format!("({:?}, {:?})", -self.reach, self.reach);
        format!(
            "Study(title: \"zones\", system: {system}, curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Settle(at: {{\"m\": {:?}}}), \
             free: \"m\", range: {range}), Curve(name: \"c\", orbit: {orbit}, start: Point(from: \"rest, HB\"), free: \"m\", range: {range}, switch: Auto)])",
            -self.reach,
        )
    }

    /// The periods of the cycles through both zones of the plane, from where they cross the corner.
    fn periods(&self, m: f64) -> Vec<f64> {
        let right = [2.0 * m, m * m + self.omega * self.omega];
        let round = |y: f64| {
            let (above, first) = crossing(&right, self.a, 1.0, y);
            let (below, second) = crossing(&self.left, self.a, -1.0, above);
            (below - y, first + second)
        };
        let grid: Vec<f64> = (0..240).map(|k| -10f64.powf(-4.0 + 0.025 * f64::from(k))).collect();
        let pairs = grid.windows(2).filter(|pair| round(pair[0]).0 * round(pair[1]).0 < 0.0);
        let periods = pairs.map(|pair| {
            let (mut near, mut far) = (pair[0], pair[1]);
            for _ in 0..60 {
                let middle = 0.5 * (near + far);
                if round(middle).0 * round(near).0 > 0.0 {
                    near = middle;
                } else {
                    far = middle;
                }
            }
            round(far).1
        });
        periods.collect()
    }
}

/// Where the motion x' = T x - y, y' = D x - a from (0, y) crosses x = 0 again on this side, and when.
fn crossing(zone: &[f64], a: f64, side: f64, y: f64) -> (f64, f64) {
    let (half, det) = (0.5 * zone[0], zone[1]);
    let omega = (det - half * half).sqrt();
    let (x0, y0) = (a / det, zone[0] * a / det);
    let at = |t: f64| {
        let (s, c) = (omega * t).sin_cos();
        let (s, grown) = (s / omega, (half * t).exp());
        let (u, v) = (-x0, y - y0);
        let x = x0 + grown * (c * u + s * (half * u - v));
        (x, y0 + grown * (c * v + s * (det * u - half * v)))
    };
    // It is on this side first: for a long step of small amplitude only shortly.
    let mut low = 1e-6 / omega;
    while side * at(1.05 * low).0 > 0.0 {
        low *= 1.05;
    }
    let mut high = 1.05 * low;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if side * at(middle).0 > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (at(high).1, high)
}

/// The labels of a curve beside the continuum, and the period where it comes to the end of its range.
fn course(found: &CurveResult) -> (Vec<(Label, f64)>, f64, f64) {
    let own = labels(found).into_iter();
    let own = own.filter(|(label, m, _)| *label != Label::VS && m.abs() > 1e-9);
    let last = found.pieces.last().and_then(|piece| piece.branch.points.last());
    let (at, period) = last.map_or((f64::NAN, f64::NAN), |p| (p.point.parameter(), p.record.period));
    (own.map(|(label, m, _)| (label, m)).collect(), at, period)
}

/// What is wrong with a curve that has to leave the continuum at the corner and to come to an end of the range.
fn astray(found: &CurveResult, reach: f64, corner: bool) -> Option<String> {
    let touches = labels(found)
        .iter()
        .filter(|l| l.0 == Label::GR && l.1.abs() < 1e-9)
        .count();
    let (_, at, _) = course(found);
    let ends = found.pieces.last().and_then(|piece| piece.branch.ends.last());
    let whole = ends == Some(&End::Range) && at.abs() == reach && touches == usize::from(corner);
    (!whole).then(|| {
        format!(
            "{touches} at the corner, ends at {at:?} as {ends:?}\n{}",
            found.special()
        )
    })
}

#[test]
fn continua_of_a_zone_go_on_through_the_other_zone() {
    let class = "centres at corners";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 2 + member % 2;
        let zones = Zones::random(&mut random, n);
        let mut first: Option<(Vec<(Label, f64)>, f64, f64)> = None;
        for way in [0, 1, 2 + random.below(3)] {
            let text = zones.text(way);
            let result = run(&text);
            let found = curve(&result, "c");
            if let Some(why) = astray(found, zones.reach, way < 2) {
                wrong.push((member, format!("{why}\n{text}")));
                continue;
            }
            let here = course(found);
            let same = |a: f64, b: f64| (a - b).abs() <= 1e-8 * b.abs();
            if n == 2 {
                let known = zones.periods(here.1);
                if !known.iter().any(|known| same(here.2, zones.time * known)) {
                    wrong.push((member, format!("period {:?} of {known:?}\n{text}", here.2 / zones.time)));
                }
            }
            let alike = first.as_ref().is_none_or(|(labels, at, period)| {
                let pairs = labels.iter().zip(&here.0);
                labels.len() == here.0.len()
                    && pairs.into_iter().all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-8)
                    && *at == here.1
                    && same(here.2, *period)
            });
            if !alike {
                wrong.push((member, format!("{first:?}, written in another way {here:?}\n{text}")));
            }
            first.get_or_insert(here);
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn continua_go_on_where_rates_jump_beyond_the_surface() {
    let class = "centres at jumps";
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut zones = Zones::random(&mut random, 2 + member % 2);
        // What jumps is the velocity across the surface, on which motions slide then, or its rate.
        let slides = random.below(2) == 0;
        zones.jumps = match slides {
            true => [random.between(0.05, 0.5), 0.0],
            false => [0.0, random.sign() * random.between(0.05, 0.3)],
        };
        let way = if slides { 1 } else { random.below(2) };
        let text = zones.text(way);
        let result = run(&text);
        if let Some(why) = astray(curve(&result, "c"), zones.reach, true) {
            wrong.push((member, format!("{why}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
