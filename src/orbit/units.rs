//! The units in which unknowns are eliminated.
//!
//! Orthogonal reductions mix the rows of an interval, and leave each row known to rounding of the largest. Along a
//! curve a state may become far smaller than another, as the position of an oscillator whose spring stiffens; in its
//! own unit it keeps its digits. All units are powers of two, so that they round nothing.

/// Unknowns this much smaller or larger than one are eliminated in units of their own.
const EXTREME: f64 = 2048.0;

/// The unit for an unknown of this size.
pub(crate) fn unit_of(size: f64) -> f64 {
    if (EXTREME.recip()..=EXTREME).contains(&size) || !(size > 0.0 && size.is_finite()) {
        return 1.0;
    }
    size.log2().round().clamp(-800.0, 800.0).exp2()
}

/// The unit of a state that is this large here, and whose unit is otherwise `usual`.
pub(crate) fn unit_here(size: f64, usual: f64) -> f64 {
    match size / usual {
        part if part < EXTREME.recip() => usual * unit_of(part),
        _ => usual,
    }
}

/// Multiply vectors, one after the other, by the units of their components.
pub(crate) fn multiply(vectors: &mut [f64], units: &[f64]) {
    for own in vectors.chunks_exact_mut(units.len()) {
        own.iter_mut().zip(units).for_each(|(v, unit)| *v *= unit);
    }
}

/// Divide vectors, one after the other, by the units of their components.
pub(crate) fn divide(vectors: &mut [f64], units: &[f64]) {
    for own in vectors.chunks_exact_mut(units.len()) {
        own.iter_mut().zip(units).for_each(|(v, unit)| *v /= unit);
    }
}

/// Jacobians (n×n by rows), one after the other, in these units of the states.
pub(crate) fn scale_jacobians(units: &[f64], jacobians: &mut [f64]) {
    let n = units.len();
    for (row, rates) in jacobians.chunks_exact_mut(n).enumerate() {
        let own = units[row % n];
        rates.iter_mut().zip(units).for_each(|(v, unit)| *v *= unit / own);
    }
}

/// Tell the map of a link (n×n by rows), and what it has of the shared unknowns, in the units of the states that it
/// leads from and to.
#[inline(always)]
pub(crate) fn link_in((from, to): (&[f64], &[f64]), map: &mut [f64], shared: &mut [f64]) {
    let n = from.len();
    let rows = map.chunks_exact_mut(n).zip(shared.chunks_exact_mut(shared.len() / n));
    for ((map, shared), own) in rows.zip(to) {
        map.iter_mut().zip(from).for_each(|(v, unit)| *v *= unit / own);
        shared.iter_mut().for_each(|v| *v /= own);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::periodic::PeriodicOrbit;
    use crate::segment::discretisation::Discretisation;
    use crate::segment::mesh::MeshOptions;
    use crate::word::Letter;
    use crate::word::Word;
    use proptest::prelude::*;
    use slipstick_continuation::{Newton, NewtonOptions, Problem, tangent_at};
    use slipstick_flow::FlowOptions;
    use slipstick_system::{System, Units};

    /// A forced oscillation in one segment on a mesh: its unknowns and the unit tangent by the parameter, in these
    /// units of the states.
    fn oscillation(system: &System, units: [f64; 3], method: Discretisation) -> (Vec<f64>, Vec<f64>) {
        let word = Word {
            letters: vec![Letter { mode: 0, event: None }],
            symmetric: false,
        };
        let parameters = system.default_parameters();
        let mut orbit =
            PeriodicOrbit::discretised(system, word, parameters, vec![0], FlowOptions::default(), &[method]);
        let dense = |_: usize, t: f64, out: &mut [f64]| {
            let own = [-0.5 * t.cos(), 0.5 * t.sin(), t];
            out.iter_mut()
                .zip(own.iter().zip(units))
                .for_each(|(o, (v, unit))| *o = v / unit);
        };
        let mut start = vec![0.0; 3];
        dense(0, 0.0, &mut start);
        let mut z = orbit.guess_along(&[start], &[std::f64::consts::TAU], &dense).unwrap();
        let mut row = vec![0.0; z.len()];
        *row.last_mut().unwrap() = 1.0;
        let (anchor, options) = (
            z.clone(),
            NewtonOptions {
                polish: true,
                ..NewtonOptions::default()
            },
        );
        Newton::default()
            .solve(&mut orbit, &mut z, &row, &anchor, &[0.0], &options)
            .unwrap();
        orbit.linearise(&z.clone(), &mut vec![0.0; z.len() - 1]).unwrap();
        let tangent = tangent_at(&mut orbit, z.clone(), &row, 1.0).unwrap().tangent;
        let rate = *tangent.last().unwrap();
        (z, tangent.iter().map(|t| t / rate).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn an_orbit_and_its_tangent_keep_their_digits_whatever_the_units_of_its_states(
            power in 13i32..25,
            small in prop::bool::ANY,
            first in prop::bool::ANY,
        ) {
            let text = r#"Study(title: "t", system: Smooth(states: ["x", "v", "phase"], angles: {"phase": "2*pi"}, parameters: {"a": 1},
                equations: ["x' = v", "v' = a*sin(phase) - 2*v - x - x^3/10", "phase' = 1"]))"#;
            let plan = slipstick_study::parse("t.ron".as_ref(), text.into()).unwrap().plan(&[]).unwrap();
            let plain = &plan.systems[0].system;
            let unit = f64::from(if small { power } else { -power }).exp2();
            let units = if first { [unit, 1.0, 1.0] } else { [1.0, unit, 1.0] };
            let scaled = plain.in_units(Units { states: units.to_vec(), time: 1.0 }, &|_, _| 1.0);
            let method = Discretisation::Collocation(MeshOptions::default());
            let (x, dx) = oscillation(plain, [1.0; 3], method);
            let (y, dy) = oscillation(&scaled, units, method);
            prop_assert_eq!(x.len(), y.len());
            // The start, the duration, then stages and nodes.
            let own = |i: usize| match i {
                0..3 => units[i],
                3 => 1.0,
                i if i + 1 == x.len() => 1.0,
                i => units[(i - 4) % 3],
            };
            for (a, b) in [(&x, &y), (&dx, &dy)] {
                let size = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    prop_assert!((a - b * own(i)).abs() <= 1e-11 * size, "{}: {} {}", i, a, b * own(i));
                }
            }
        }
    }
}
