//! Orbits with events that pass close by a saddle, up to the homoclinic orbit at which they end, in any unit of time.

use super::known::{curve, labels, run};
use super::normal_forms::class;
use slipstick_bifurcation::{BranchPoint, End};
use slipstick_study::CurveResult;
use std::f64::consts::PI;

/// A quantity is known to this part of itself, or as well as a parameter that is off by `BACKWARD` of itself would
/// make it, ten times what a step of the integrator may be: next to a homoclinic orbit digits of the period are digits
/// of the parameter's distance from its limit.
const FORWARD: f64 = 1e-8;
const BACKWARD: f64 = 1e-11;

/// Is the period that was found at the parameter that of the closed form, which is none beyond the homoclinic orbit?
fn is_period(found: f64, parameter: f64, closed_form: &dyn Fn(f64) -> Option<f64>) -> bool {
    let beside = [1.0 - BACKWARD, 1.0, 1.0 + BACKWARD].map(|by| closed_form(parameter * by));
    let [Some(less), Some(here), Some(more)] = beside else {
        return beside.iter().any(Option::is_some);
    };
    (found - here).abs() <= FORWARD * here + (more - less).abs()
}

/// What is wrong along a curve whose periods are known and whose parameter tends to `limit`.
fn wrong_points(traced: &CurveResult, limit: f64, closed_form: &dyn Fn(f64) -> Option<f64>) -> Option<String> {
    let points: Vec<&BranchPoint> = traced.points().map(|(_, _, p)| p).collect();
    let off: Vec<(usize, f64, f64)> = points
        .iter()
        .enumerate()
        .filter(|(_, p)| !is_period(p.record.period, p.point.parameter(), closed_form))
        .map(|(i, p)| (i, p.point.parameter(), p.record.period))
        .collect();
    // Newton's method corrects a parameter to 1e-9 of itself and far better: beside the limit it stays in order.
    let back = points
        .windows(2)
        .filter(|pair| pair[1].point.parameter() < pair[0].point.parameter() * (1.0 - BACKWARD))
        .count();
    let ends = traced.pieces.iter().flat_map(|piece| &piece.branch.ends);
    let reached = ends.filter(|end| matches!(end, End::Homoclinic { .. })).count();
    let nearest = points
        .iter()
        .map(|p| (p.point.parameter() / limit - 1.0).abs())
        .fold(f64::INFINITY, f64::min);
    (!off.is_empty()
        || reached != 1
        || nearest > 1e-6
        || back.min(points.len() - 1 - back) > 0
        || !labels(traced).is_empty())
    .then(|| {
        format!(
            "{} of {} points are off: {:?}; {back} steps back, {reached} homoclinic ends, {nearest:e} off the limit",
            off.len(),
            points.len(),
            &off[..off.len().min(4)]
        )
    })
}

/// Five-point Gauss quadrature over equal panels.
fn integral(f: &dyn Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const PANELS: usize = 200;
    let (a, b) = (5.0f64, 2.0 * (10.0f64 / 7.0).sqrt());
    let nodes = [0.0, (a - b).sqrt() / 3.0, (a + b).sqrt() / 3.0];
    let root = 13.0 * 70f64.sqrt();
    let weights = [128.0 / 225.0, (322.0 + root) / 900.0, (322.0 - root) / 900.0];
    let half = 0.5 * (to - from) / PANELS as f64;
    let panel = |k: usize| {
        let middle = from + (2 * k + 1) as f64 * half;
        let pair = |i: usize| weights[i] * (f(middle - half * nodes[i]) + f(middle + half * nodes[i]));
        half * (weights[0] * f(middle) + pair(1) + pair(2))
    };
    (0..PANELS).map(panel).sum()
}

/// A rimless wheel with half the angle α between its spokes, on a slope γ: θ'' = G sin θ from γ - α to γ + α, where the
/// next spoke meets the ground and cos 2α of the speed is left.
struct Wheel {
    alpha: f64,
    gravity: f64,
}

impl Wheel {
    /// The square of the speed with which a step begins in steady motion.
    fn square(&self, slope: f64) -> f64 {
        let left = (2.0 * self.alpha).cos().powi(2);
        left * 4.0 * self.gravity * slope.sin() * self.alpha.sin() / (1.0 - left)
    }

    /// The square of the speed with which the wheel passes upright.
    fn upright(&self, slope: f64) -> f64 {
        self.square(slope) - 4.0 * self.gravity * (0.5 * (slope - self.alpha)).sin().powi(2)
    }

    /// The slope at which it just gets there.
    fn limit(&self) -> f64 {
        let (mut low, mut high) = (0.0, self.alpha);
        while high - low > 2.0 * f64::EPSILON * high {
            let middle = 0.5 * (low + high);
            if self.upright(middle) < 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        high
    }

    /// How long a step lasts, with sin(θ/2) = b sinh u and (2 b)² G the square of the speed upright.
    fn period(&self, slope: f64) -> Option<f64> {
        let square = self.upright(slope);
        if !(square > 0.0) {
            return None;
        }
        let b = (square / (4.0 * self.gravity)).sqrt();
        let place = |theta: f64| ((0.5 * theta).sin() / b).asinh();
        let rate = |u: f64| 1.0 / (1.0 - (b * u.sinh()).powi(2)).sqrt();
        let angle = integral(&rate, place(slope - self.alpha), place(slope + self.alpha));
        Some(angle / self.gravity.sqrt())
    }
}

#[test]
fn rimless_wheels_roll_ever_more_slowly_in_any_unit_of_time() {
    class("rimless wheels that nearly stop", 8, |random| {
        // Where rates are some tens of what counts as one is no worse than elsewhere.
        let gravity = if random.below(2) == 0 {
            random.log_between(30.0, 3e3)
        } else {
            random.log_between(1e-6, 1e6)
        };
        let wheel = Wheel {
            alpha: random.between(0.15, 0.6),
            gravity,
        };
        let limit = wheel.limit();
        let slope = 1.5 * limit;
        let text = format!(
            "Study(title: \"wheel\", system: Hybrid(states: [\"th\", \"om\"], parameters: {{\"gam\": {slope:?}, \"al\": {:?}, \"G\": {:?}}}, \
             modes: {{\"roll\": Mode(equations: [\"th' = om\", \"om' = G*sin(th)\"], events: {{\"step\": Event(guard: \"th - (gam + al)\", \
             direction: Up, to: \"roll\", reset: {{\"th\": \"gam - al\", \"om\": \"cos(2*al)*om\"}})}})}}, \
             start: Start(mode: \"roll\", at: {{\"th\": \"gam - al\", \"om\": {:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"roll step\"), start: Settle(at: {{}}), free: \"gam\", range: ({:?}, {:?}))])",
            wheel.alpha,
            wheel.gravity,
            wheel.square(slope).sqrt(),
            0.3 * limit,
            1.5 * wheel.alpha,
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let traced = curve(&result, "c");
        let multiplier = 2.0 * (2.0 * wheel.alpha).cos().abs().log10();
        let worst = traced
            .points()
            .map(|(_, _, p)| {
                p.record
                    .multipliers
                    .first()
                    .map_or(1.0, |m| (m.log10 - multiplier).abs())
            })
            .fold(0.0, f64::max);
        let wrong = wrong_points(traced, limit, &|slope| wheel.period(slope));
        let wrong = wrong.or_else(|| (worst > 1e-6).then(|| format!("multipliers are off by {worst:e} decades")));
        wrong.map(|why| format!("{why}\n{text}"))
    });
}

/// The complete elliptic integral K, by the complement of the modulus.
fn complete(complement: f64) -> f64 {
    let (mut a, mut b) = (1.0, complement);
    while (a - b) / a > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    0.5 * PI / a
}

/// Pendulums and wells x'' = ω² (-x + x³) without damping whose speed v is set to √(r² v² + J) where they pass a place
/// upwards: v² = J/(1 - r²) there, and the period is that of the free swing, up to where it reaches the saddle.
#[test]
fn kicked_swings_last_as_long_as_free_ones_in_any_unit_of_time() {
    class("kicked swings", 8, |random| {
        let rate = random.log_between(1e-3, 1e3);
        let (place, r) = (random.between(-0.3, 0.3), random.between(0.4, 0.9));
        let pendulum = random.below(2) == 0;
        let (force, twice) = if pendulum {
            ("-sin(x)", 2.0 * (1.0 + place.cos()))
        } else {
            ("-x + x^3", 0.5 - place * place + 0.5 * place.powi(4))
        };
        let limit = twice * (1.0 - r * r);
        // With the part of the energy that is missing at the saddle.
        let period = |kick: f64| {
            let missing = 0.5 * (limit - kick) / (1.0 - r * r);
            (missing > 0.0).then(|| {
                let (complement, slower) = if pendulum {
                    ((0.5 * missing).sqrt(), 1.0)
                } else {
                    let root = 2.0 * missing.sqrt();
                    ((2.0 * root / (1.0 + root)).sqrt(), (0.5 * (1.0 + root)).sqrt())
                };
                4.0 * complete(complement) / (slower * rate)
            })
        };
        let text = format!(
            "Study(title: \"swing\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"J\": {:?}}}, \
             modes: {{\"m\": Mode(equations: [\"x' = ({rate:?})*v\", \"v' = ({rate:?})*({force})\"], events: {{\
             \"kick\": Event(guard: \"x - ({place:?})\", direction: Up, to: \"m\", reset: {{\"v\": \"sqrt(({:?})*v^2 + J)\"}})}})}}, \
             start: Start(mode: \"m\", at: {{\"x\": {place:?}, \"v\": {:?}}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"m kick\"), start: Settle(at: {{}}), free: \"J\", range: ({:?}, {:?}))])",
            0.3 * limit,
            r * r,
            (0.3 * twice).sqrt(),
            0.1 * limit,
            2.0 * limit,
        );
        let result = run(&text);
        if let Some(missing) = result.missing.first() {
            return Some(format!("{}\n{text}", missing.reason));
        }
        let wrong = wrong_points(curve(&result, "c"), limit, &period);
        wrong.map(|why| format!("{why}\n{text}"))
    });
}
