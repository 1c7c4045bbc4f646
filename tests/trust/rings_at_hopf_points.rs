//! Rings of equal oscillators, where pairs of eigenvalues with one frequency pass the imaginary axis together: all
//! families of cycles that branch off there.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;
use std::f64::consts::TAU;

/// Oscillators z' = (a + i) z - (1 - i b) |z|² z, each coupled to both neighbours by c times the difference.
struct Ring {
    n: usize,
    b: f64,
    c: (f64, f64),
}

impl Ring {
    fn random(random: &mut Random, n: usize) -> Self {
        Self {
            n,
            b: random.between(-0.8, 0.8),
            c: (random.between(0.05, 0.2), random.between(-0.1, 0.1)),
        }
    }

    /// What the coupling adds to the mode of wave number k, real and imaginary part.
    fn coupling(&self, k: usize) -> (f64, f64) {
        let factor = 2.0 * (TAU * k as f64 / self.n as f64).cos() - 2.0;
        (factor * self.c.0, factor * self.c.1)
    }

    /// Where the modes of wave numbers k and -k become unstable.
    fn place(&self, k: usize) -> f64 {
        -self.coupling(k).0
    }

    /// The period of the wave of wave number k that turns about the ring, at this value of the parameter.
    fn period(&self, k: usize, a: f64) -> f64 {
        let (re, im) = self.coupling(k);
        TAU / (1.0 + im + self.b * (a + re)).abs()
    }

    fn study(&self, (k, beyond): (usize, f64), method: &str) -> String {
        let Self { n, b, c: (re, im) } = *self;
        let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(", ");
        let equations = |j: usize| {
            let (l, r) = ((j + n - 1) % n, (j + 1) % n);
            let square = format!("(x{j}^2 + y{j}^2)");
            let (dx, dy) = (format!("(x{l} + x{r} - 2*x{j})"), format!("(y{l} + y{r} - 2*y{j})"));
            format!(
                "\"x{j}' = a*x{j} - y{j} - (x{j} + ({b:?})*y{j})*{square} + {re:?}*{dx} - ({im:?})*{dy}\", \
                 \"y{j}' = x{j} + a*y{j} - (y{j} - ({b:?})*x{j})*{square} + {re:?}*{dy} + ({im:?})*{dx}\""
            )
        };
        let place = self.place(k);
        format!(
            "Study(title: \"ring\", system: Smooth(states: [{}], parameters: {{\"a\": 0}}, equations: [{}]), curves: [\
             Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"a\": {:?}}}, states: [{{{}}}]), free: \"a\", range: ({:?}, {:?})), \
             Curve(name: \"c\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"a\", range: ({:?}, {:?}), points: 12{method})])",
            list(&|j| format!("\"x{j}\", \"y{j}\"")),
            list(&equations),
            place - 0.02,
            list(&|j| format!("\"x{j}\": 0, \"y{j}\": 0")),
            place - 0.02,
            place + 0.02,
            place - 0.02,
            place + beyond,
        )
    }
}

/// Which wave turns about the ring along this curve: +1, -1, or none does.
fn turns(ring: &Ring, k: usize, family: &CurveResult) -> Option<f64> {
    let (_, _, last) = family.points().last()?;
    let a = last.point.parameter();
    let is_wave = (last.record.period / ring.period(k, a) - 1.0).abs() < 1e-7;
    let z = &last.point.z;
    let radius = |j: usize| z[2 * j].hypot(z[2 * j + 1]);
    let radius_known = (a + ring.coupling(k).0).sqrt();
    let round = (0..ring.n).all(|j| (radius(j) / radius_known - 1.0).abs() < 1e-6);
    // How far the second oscillator is ahead of the first one.
    let ahead = (z[3].atan2(z[2]) - z[1].atan2(z[0])).sin();
    let known = (TAU * k as f64 / ring.n as f64).sin();
    (is_wave && round && (ahead.abs() - known.abs()).abs() < 1e-6).then_some(ahead.signum())
}

/// By theory two waves turn about the ring, one each way, and others stand: 2n families of them where n is odd, n where
/// it is even, counted for the ring of n / gcd(n, k) oscillators.
#[test]
fn waves_both_ways_and_standing_ones_branch_off_where_two_pairs_pass_together() {
    let class = "waves";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = [3, 5, 6, 3, 6, 7][member % 6];
        let ring = Ring::random(&mut random, n);
        let (k, apparent) = if n == 6 && member % 2 == 0 { (2, 3) } else { (1, n) };
        let method = if member % 6 == 3 { ", method: Shooting()" } else { "" };
        let text = ring.study((k, 0.5), method);
        let result = run(&text);
        let found: Vec<_> = labels(curve(&result, "rest"))
            .into_iter()
            .filter(|l| l.0 == Label::HB)
            .collect();
        let mut right = found.len() == 1 && (found[0].1 - ring.place(k)).abs() <= 1e-9;
        right &= found
            .iter()
            .all(|(_, _, p)| p.message.contains("2 pairs of eigenvalues") && p.message.contains("2 isolated"));
        let families: Vec<&CurveResult> = result.curves.iter().filter(|c| c.name != "rest").collect();
        let waves: Vec<f64> = families.iter().filter_map(|c| turns(&ring, k, c)).collect();
        right &= waves.len() == 2 && waves.iter().sum::<f64>() == 0.0;
        // Of larger rings waves that stand differ by terms of high order only.
        let standing = if apparent % 2 == 1 { 2 * apparent } else { apparent };
        right &= apparent > 3 && apparent != 6 || families.len() == 2 + standing;
        if !right {
            let found: Vec<_> = found.iter().map(|(_, at, p)| (at, p.message.clone())).collect();
            let notes: Vec<_> = families.iter().map(|c| (&c.name, &c.note)).collect();
            wrong.push((
                member,
                format!("{found:#?} for {}; {waves:?} of {notes:#?}\n{text}", ring.place(k)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
