//! Hammer drills: a driven mass that hits a block on a spring, which rubs. Families of their orbits end where the hits
//! lose their speed and the block comes to rest between them, at the edge of the band in which friction holds it.

use super::known::{labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::{CurveResult, Piece};
use std::f64::consts::TAU;

/// x'' + c₁ x' + k₁ x = A cos ωt, and m y'' + c₂ y' + k₂ y = -μ sign y', which meet where x = y + d with restitution e.
struct Drill {
    mass: f64,
    stiffness: [f64; 2],
    damping: [f64; 2],
    force: f64,
    omega: f64,
    distance: f64,
    restitution: f64,
    friction: f64,
}

impl Drill {
    fn random(random: &mut Random) -> Self {
        Self {
            mass: random.between(0.5, 3.0),
            stiffness: [random.between(0.5, 2.0), random.between(0.5, 3.0)],
            damping: [random.between(0.05, 0.2), random.between(0.05, 0.3)],
            force: random.between(0.5, 2.0),
            omega: random.between(0.6, 2.5),
            distance: random.between(0.0, 0.5),
            restitution: random.between(0.3, 0.9),
            friction: random.between(0.02, 0.4),
        }
    }

    /// The study of it, or of its mirror image, in some unit of length.
    fn study(&self, unit: f64, mirrored: bool) -> String {
        let [forth, back] = if mirrored { ["-", "+"] } else { ["+", "-"] };
        let (sign, side) = if mirrored { ("-", ", side: Below") } else { ("", "") };
        let ([k, k2], [c, c2]) = (self.stiffness, self.damping);
        format!(
            "Study(title: \"drill\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             masses: {{\"x\": 1, \"y\": {:?}}}, springs: [Spring(on: \"x\", damping: {c:?}, stiffness: {k:?}), \
             Spring(on: \"y\", damping: {c2:?}, stiffness: {k2:?})], forces: {{\"x\": \"{sign}({:?})*cos(w*t)\"}}, \
             contacts: {{\"hit\": Gap(on: \"x\", against: Coordinate(\"y\"), distance: {:?}, restitution: {:?}{side}), \
             \"dry\": Coulomb(on: \"y\", mu: {:?})}}), curves: [Curve(name: \"c\", \
             orbit: Periodic(\"hit:open,dry:slip{forth} dry:reverse hit:open,dry:slip{back} hit:hit,dry:slip{forth}\"), \
             start: Settle(at: {{}}), free: \"w\", range: ({:?}, {:?}), switch: Auto)])",
            self.mass,
            self.force * unit,
            self.distance * unit,
            self.restitution,
            self.friction * unit,
            0.8 * self.omega,
            1.3 * self.omega,
            w = self.omega,
        )
    }

    /// By how much the swing of the mass, without hits, passes the block at rest at the edge, as a part of it.
    fn passes(&self, omega: f64) -> f64 {
        let swing = self.force / (self.stiffness[0] - omega * omega).hypot(self.damping[0] * omega);
        (self.friction / self.stiffness[1] + self.distance) / swing - 1.0
    }

    /// (x, y, x', y') after the time `t` of free motion from such a state at this phase, with the block slipping in the
    /// direction `slip`, or sticking (0).
    fn free(&self, [x, y, u, v]: [f64; 4], (phase, omega): (f64, f64), slip: f64, t: f64) -> [f64; 4] {
        let [k, k2] = self.stiffness;
        let [c, c2] = self.damping;
        let (real, imaginary) = (k - omega * omega, c * omega);
        let size = self.force / real.hypot(imaginary);
        let forced = |t: f64| {
            let at = phase + omega * t - imaginary.atan2(real);
            (size * at.cos(), -size * omega * at.sin())
        };
        let (from, to) = (forced(0.0), forced(t));
        let (swing, speed) = decayed((x - from.0, u - from.1), (k, c), t);
        let (block, moves) = if slip == 0.0 {
            (y, 0.0)
        } else {
            let rest = -slip * self.friction / k2;
            let (off, moves) = decayed((y - rest, v), (k2 / self.mass, c2 / self.mass), t);
            (off + rest, moves)
        };
        [swing + to.0, block, speed + to.1, moves]
    }

    /// The state so much `later`, with its events found one by one on the closed solutions between them.
    fn simulated(&self, mut state: [f64; 4], mut phase: f64, (omega, later): (f64, f64)) -> [f64; 4] {
        const STEPS: f64 = 4000.0;
        let period = TAU / omega;
        let (mut slip, mut left) = (state[3].signum(), later);
        while left > 0.0 {
            let gap = |s: [f64; 4]| self.distance - (s[0] - s[1]);
            let flow = |t: f64| self.free(state, (phase, omega), slip, t);
            let happens = |s: [f64; 4]| gap(s) < 0.0 || slip != 0.0 && slip * s[3] < 0.0;
            let mut step = (period / STEPS).min(left);
            // Behind a hit the gap is zero to rounding.
            while gap(state) <= 1e-14 && gap(flow(step)) < 0.0 && gap(flow(0.5 * step)) < gap(flow(step)) {
                step *= 0.5;
            }
            let mut low = 0.0;
            while low + step < left && !happens(flow(low + step)) {
                low += step;
            }
            let mut high = (low + step).min(left);
            let is_event = happens(flow(high));
            while is_event && high - low > 1e-16 {
                let middle = 0.5 * (low + high);
                if middle == low || middle == high {
                    break;
                }
                if happens(flow(middle)) {
                    high = middle
                } else {
                    low = middle
                }
            }
            let hits = is_event && gap(flow(high)) < 0.0;
            state = flow(high);
            phase += omega * high;
            left -= high;
            if hits {
                let exchanged = (1.0 + self.restitution) * (state[2] - state[3]) / (1.0 + self.mass);
                state[0] = state[1] + self.distance;
                state[2] -= self.mass * exchanged;
                state[3] += exchanged;
                slip = state[3].signum();
            } else if is_event {
                let pull = -self.stiffness[1] * state[1];
                state[3] = 0.0;
                slip = if pull.abs() <= self.friction {
                    0.0
                } else {
                    pull.signum()
                };
            }
        }
        state
    }
}

/// A damped free oscillation y'' + c y' + k y = 0 after the time t.
fn decayed((y, v): (f64, f64), (k, c): (f64, f64), t: f64) -> (f64, f64) {
    let rate = 0.5 * c;
    let frequency = (k - rate * rate).sqrt();
    let ((sine, cosine), decay) = ((frequency * t).sin_cos(), (-rate * t).exp());
    let own = decay * (y * cosine + (v + rate * y) / frequency * sine);
    (own, decay * (v * cosine - (rate * v + k * y) / frequency * sine))
}

/// The pieces that end where the block comes to rest, with the parameter there and whether that is their start.
fn ends_at_rest(curve: &CurveResult) -> Vec<(&Piece, f64, bool)> {
    let mut found = vec![];
    for piece in &curve.pieces {
        let points = &piece.branch.points;
        for (end, at_start) in [(points.first(), true), (points.last(), false)] {
            let end = end.filter(|p| p.label == Some(Label::VS) && p.message.contains("comes to rest"));
            found.extend(end.map(|p| (piece, p.point.parameter(), at_start)));
        }
    }
    found
}

/// Labels at the places of the ends and of everything before them, in the units and the mirror image of a member and in
/// its own; the ends in closed form; and the orbit before an end against its own simulation.
#[test]
fn blocks_come_to_rest_between_hits() {
    let class = "hammer drills";
    let count = members(20);
    let (mut wrong, mut ends, mut drawn, mut simulated) = (vec![], 0, 0, 0);
    for member in 0.. {
        if drawn == count {
            break;
        }
        let mut random = Random::of(class, member);
        let drill = Drill::random(&mut random);
        let text = drill.study(1.0, false);
        let own = run(&text);
        let Some(curve) = own.curves.first().filter(|_| own.missing.is_empty()) else {
            continue;
        };
        drawn += 1;
        let mut faults = vec![];
        let image = run(&drill.study(random.log_between(1e-3, 1e3), true));
        let places = |curve: &CurveResult| -> Vec<(Label, f64)> {
            let mut all: Vec<(Label, f64)> = labels(curve).iter().map(|(label, at, _)| (*label, *at)).collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1));
            all
        };
        let (found, other) = (places(curve), image.curves.first().map(places).unwrap_or_default());
        let alike = |(a, b): (&(Label, f64), &(Label, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-9;
        if found.len() != other.len() || !found.iter().zip(&other).all(alike) {
            faults.push(format!("{found:?} but in the mirror {other:?}"));
        }
        if found.iter().any(|(label, _)| *label == Label::MX) {
            faults.push(format!("given up: {found:?}"));
        }
        for (piece, at, at_start) in ends_at_rest(curve) {
            ends += 1;
            if drill.passes(at).abs() > 1e-9 {
                faults.push(format!("the end at {at} is off: {:e}", drill.passes(at)));
            }
            // Nearer to the end a period multiplies rounding by more.
            let multiplies = |index: usize| {
                let all = &piece.branch.points[index].record.multipliers;
                all.iter().map(|m| m.log10).fold(f64::NEG_INFINITY, f64::max)
            };
            let mut samples = piece.between.iter().filter(|(index, _)| multiplies(*index) <= 1.5);
            let nearest = if at_start { samples.next() } else { samples.next_back() };
            let Some((index, sample)) = nearest else {
                continue;
            };
            let orbit = &piece.branch.points[*index];
            let (omega, period) = (orbit.point.parameter(), orbit.record.period);
            // In the middle of a slip, with the gap open.
            let open = |s: &[f64]| (drill.distance - s[0] + s[1]) * s[3].abs();
            let moving = sample.states.iter().max_by(|a, b| open(a).total_cmp(&open(b)));
            let Some(&[x, y, u, v, phase]) = moving.map(Vec::as_slice) else {
                continue;
            };
            simulated += 1;
            let start = [x, y, u, v];
            let later = drill.simulated(start, phase, (omega, period));
            let off = start.iter().zip(&later).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if off > 1e-8 {
                faults.push(format!("one period before the end, at {omega}: off by {off:e}"));
            }
        }
        if !faults.is_empty() {
            wrong.push((member, format!("{}\n{text}", faults.join("\n"))));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(
        4 * ends >= count && 4 * simulated >= count,
        "{ends} ends, {simulated} simulated, of {count}"
    );
}
