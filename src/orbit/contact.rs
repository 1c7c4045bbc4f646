//! The leading term of the discontinuity map where a motion touches the surface of an event.
//!
//! A motion with the field f touches the surface of a guard g, which it must not pass: with g counted upwards, dg/dt =
//! 0 and a = d²g/dt² < 0 there. A motion nearby that would pass the surface by y arrives with the speed √(2|a|y), and
//! would be back after 2√(2y/|a|). What happens beyond shifts its state, seen from its highest point,
//!
//! - by W √(2|a|y) where the event resets the state to R(x) = x + W dg/dt, of which W = (R' - 1) f / a;
//! - by (f₂ - f) 2√(2|a|y)/|a₂| where another field f₂ takes over that also turns back, as d²g/dt² = a₂ < 0 along it;
//! - by E (4/3) √(2/|a|) y^{3/2} where that field is f + E g + …, continuous across the surface.
//!
//! Reference: M. di Bernardo, C. J. Budd, A. R. Champneys, P. Kowalczyk, *Piecewise-smooth Dynamical Systems*, Springer
//! (2008), ch. 6 and 7.

use slipstick_flow::Junction;
use slipstick_numerics::linalg::dot;
use slipstick_system::{System, jacobian, rate_gradient};

/// Differences up to this, relative to what they are differences of, are zero: a tangency is found to about this.
const ZERO: f64 = 1e-6;

/// How the discontinuity map begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Leading {
    /// With this vector times √y, where it is known.
    Root(Option<Vec<f64>>),
    /// With this vector times y^{3/2}; none where there is no one vector for all directions of approach.
    ThreeHalves(Option<Vec<f64>>),
    /// With a higher power of y.
    Higher,
    /// With a finite shift.
    Jump,
}

/// A touching.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contact {
    /// The second derivative of the guard, as it is written, along the flow.
    pub(crate) curvature: f64,
    /// How the discontinuity map begins.
    pub(crate) leading: Leading,
}

/// The size of a vector whose components have these sizes.
fn norm(v: impl IntoIterator<Item = f64>, sizes: &[f64]) -> f64 {
    let parts = v.into_iter().zip(sizes).map(|(v, size)| (v / size).abs());
    parts.fold(0.0, f64::max)
}

/// The touching of the surface of event `e` in `mode` at `x`, where states have these sizes. None where the event leads
/// to other states, or where the motion does not turn back.
pub(crate) fn contact(system: &System, mode: usize, e: usize, x: &[f64], p: &[f64], sizes: &[f64]) -> Option<Contact> {
    let from = &system.modes[mode];
    let event = &from.events[e];
    let to = &system.modes[event.target];
    if from.states != to.states {
        return None;
    }
    let n = x.len();
    let (guard, sign) = (event.guard.as_ref(), event.direction.sign());
    let mut f = vec![0.0; n];
    let mut own = vec![0.0; n * n];
    jacobian(from.field.as_ref(), x, p, &[], &mut f, &mut own, &mut []);
    let (_, slope, _) = rate_gradient(guard, from.field.as_ref(), x, p, &[]);
    let curvature = dot(&slope, &f);
    let a = sign * curvature;
    if !(a < 0.0) {
        return None;
    }
    let found = |leading| Some(Contact { curvature, leading });
    let (mut reset, mut by) = (vec![0.0; n], vec![0.0; n * n]);
    Junction::new(system, mode, Some(e), false).linearise(x, p, &[], &mut reset, &mut by, &mut []);
    if norm(reset.iter().zip(x).map(|(r, x)| r - x), sizes) > ZERO * norm(x.iter().copied(), sizes).max(1.0) {
        return found(Leading::Jump);
    }
    let product = |matrix: &[f64], v: &[f64]| -> Vec<f64> { matrix.chunks_exact(n).map(|row| dot(row, v)).collect() };
    let changed: Vec<f64> = product(&by, &f).iter().zip(&f).map(|(image, f)| image - f).collect();
    let resets = norm(changed.iter().copied(), sizes) > ZERO * norm(f.iter().copied(), sizes);
    if resets {
        let by_speed = |c: &f64| c / a * (2.0 * a.abs()).sqrt();
        let own = event.target == mode;
        return found(Leading::Root(own.then(|| changed.iter().map(by_speed).collect())));
    }
    if event.target == mode {
        return None;
    }
    let (mut g, mut normal) = ([0.0], vec![0.0; n]);
    jacobian(guard, x, p, &[], &mut g, &mut normal, &mut []);
    let mut beyond = vec![0.0; n];
    let mut other = vec![0.0; n * n];
    jacobian(to.field.as_ref(), x, p, &[], &mut beyond, &mut other, &mut []);
    let jump: Vec<f64> = beyond.iter().zip(&f).map(|(beyond, f)| beyond - f).collect();
    let speed = norm(f.iter().copied(), sizes).max(norm(beyond.iter().copied(), sizes));
    if norm(jump.iter().copied(), sizes) > ZERO * speed {
        let leaves = dot(&normal, &beyond);
        let across = normal
            .iter()
            .zip(sizes)
            .map(|(n, size)| (n * size).abs())
            .fold(0.0, f64::max);
        let (_, slope, _) = rate_gradient(guard, to.field.as_ref(), x, p, &[]);
        let back = sign * dot(&slope, &beyond);
        if leaves.abs() > ZERO * across * speed || !(back < 0.0) {
            return found(Leading::Jump);
        }
        let factor = 2.0 * (2.0 * a.abs()).sqrt() / back.abs();
        return found(Leading::Root(Some(jump.iter().map(|j| j * factor).collect())));
    }
    let kink: Vec<f64> = other.iter().zip(&own).map(|(other, own)| other - own).collect();
    // Derivatives in units of sizes.
    let scaled = |m: &[f64]| {
        let parts = m
            .iter()
            .enumerate()
            .map(|(i, v)| (v * sizes[i % n] / sizes[i / n]).abs());
        parts.fold(0.0, f64::max)
    };
    let size = scaled(&own).max(scaled(&other));
    if scaled(&kink) <= ZERO * size {
        return found(Leading::Higher);
    }
    let square = dot(&normal, &normal);
    let along: Vec<f64> = product(&kink, &normal).iter().map(|k| k / square).collect();
    let left: Vec<f64> = (0..n * n).map(|i| kink[i] - along[i / n] * normal[i % n]).collect();
    if scaled(&left) > ZERO * size {
        return found(Leading::ThreeHalves(None));
    }
    let factor = sign * 4.0 / 3.0 * (2.0 / a.abs()).sqrt();
    found(Leading::ThreeHalves(Some(along.iter().map(|e| e * factor).collect())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::word::Word;
    use slipstick_flow::{SimulationOptions, simulate};

    /// x'' = -1 below x = 0, where it touches; beyond what is given.
    fn system(modes: &str) -> System {
        let text = format!(
            "Study(title: \"touching\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"e\": 0.7, \"b\": 3, \"F\": -0.4}}, \
             modes: {{{modes}}}, start: Start(mode: \"l\")))"
        );
        let plan = slipstick_study::parse("touching.ron".as_ref(), text)
            .unwrap()
            .plan(&[])
            .unwrap();
        plan.systems[0].system.clone()
    }

    fn leading(modes: &str) -> Leading {
        let system = system(modes);
        let mode = system.mode("l").unwrap();
        let event = system.event(mode, "in").unwrap();
        let p = system.default_parameters();
        let found = contact(&system, mode, event, &[0.0, 0.0], &p, &[1.0, 1.0]).unwrap();
        assert!((found.curvature + 1.0).abs() < 1e-14);
        found.leading
    }

    fn two(beyond: &str) -> String {
        format!(
            "\"l\": Mode(equations: [\"x' = v\", \"v' = -1\"], events: {{\"in\": Event(guard: \"x\", direction: Up, to: \"r\")}}), \
             \"r\": Mode(equations: [\"x' = v\", \"v' = {beyond}\"], events: {{\"out\": Event(guard: \"x\", direction: Down, to: \"l\")}})"
        )
    }

    #[test]
    fn leading_terms_of_normal_forms_have_their_closed_forms() {
        let impact = "\"l\": Mode(equations: [\"x' = v\", \"v' = -1\"], events: {\"in\": Event(guard: \"x\", direction: Up, to: \"l\", reset: {\"v\": \"-e*v\"})})";
        let Leading::Root(Some(c)) = leading(impact) else {
            panic!("an impact")
        };
        assert!(c[0].abs() < 1e-14 && (c[1] + 1.7 * 2f64.sqrt()).abs() < 1e-14, "{c:?}");
        let Leading::Root(Some(c)) = leading(&two("-1 + F")) else {
            panic!("a jump of the force")
        };
        assert!((c[1] + 0.4 * 2.0 * 2f64.sqrt() / 1.4).abs() < 1e-14, "{c:?}");
        let Leading::ThreeHalves(Some(c)) = leading(&two("-1 - b*x")) else {
            panic!("a spring")
        };
        assert!((c[1] + 4.0 * 2f64.sqrt()).abs() < 1e-14, "{c:?}");
        assert_eq!(leading(&two("-1 - b*v")), Leading::ThreeHalves(None));
        assert_eq!(leading(&two("-1 - b*x^2")), Leading::Higher);
        assert_eq!(leading(&two("2")), Leading::Jump);
    }

    /// The terms are what remains of the shift by integration as y goes to zero.
    #[test]
    fn leading_terms_are_those_of_integrated_motions() {
        for (beyond, power) in [("-1 + F", 0.5), ("-1 - b*x", 1.5)] {
            let modes = two(beyond);
            let system = system(&modes);
            let (Leading::Root(Some(c)) | Leading::ThreeHalves(Some(c))) = leading(&modes) else {
                panic!("{beyond}")
            };
            let word = Word::parse("l in r out", false, &system).unwrap();
            let off = |y: f64| {
                // From one time unit before the highest point to one after it, where x = y - 1/2 and v = -1 without the
                // surface.
                let options = SimulationOptions {
                    t_end: 2.0,
                    ..SimulationOptions::default()
                };
                let p = system.default_parameters();
                let run = simulate(&system, word.letters[0].mode, &[y - 0.5, 1.0], &p, &options).unwrap();
                let end = &run.segments.last().unwrap().end;
                (end[1] + 1.0) / y.powf(power) - c[1]
            };
            let (near, nearer) = (off(1e-4), off(1e-6));
            assert!(
                near.abs() < 0.1 * c[1].abs() && nearer.abs() < 0.2 * near.abs() + 1e-4,
                "{beyond}: {near} {nearer}"
            );
        }
    }
}
