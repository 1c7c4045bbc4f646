//! Initial states of a sweep.
use crate::plan::attractors::AttractorsPlan;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipstick_system::System;

/// A random state in a mode that it can start in.
pub(crate) fn initial(
    system: &System,
    sweep: &AttractorsPlan,
    region: &[(f64, f64)],
    p: &[f64],
    (k, i): (usize, usize),
) -> Option<(usize, Vec<f64>)> {
    let mut random = ChaCha8Rng::seed_from_u64(sweep.seed);
    random.set_stream((k * sweep.starts + i) as u64);
    let first = random.random_range(0..system.modes.len());
    for _ in 0..20 {
        let full: Vec<f64> = system
            .states
            .iter()
            .zip(region)
            .map(|(s, &(lo, hi))| {
                let (lo, hi) = s.period.map_or((lo, hi), |period| (0.0, period));
                lo + random.random::<f64>() * (hi - lo)
            })
            .collect();
        for m in 0..system.modes.len() {
            let mode = (first + m) % system.modes.len();
            let x: Vec<f64> = system.modes[mode].states.iter().map(|&s| full[s]).collect();
            if fits(system, mode, &x, p) {
                return Some((mode, x));
            }
        }
    }
    None
}

/// Does a state lie on the inner side of all surfaces of a mode?
fn fits(system: &System, mode: usize, x: &[f64], p: &[f64]) -> bool {
    let m = &system.modes[mode];
    let value = |f: &slipstick_system::SharedFunction| {
        let mut v = [0.0];
        f.value(x, p, &mut v);
        v[0]
    };
    m.events.iter().all(|e| e.direction.sign() * value(&e.guard) < 0.0)
        && m.inequalities.iter().all(|i| value(&i.function) > 0.0)
}
