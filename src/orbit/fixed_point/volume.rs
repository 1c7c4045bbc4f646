//! The volume of solutions, by which a test for branch points of many unknowns is measured.

use slipstick_numerics::linalg::{dot, norm};

/// Zeros of the test for branch points up to this order are seen as such where it is made of volumes.
const VECTORS: usize = 3;
/// Fixed vectors keep results reproducible.
const FREQUENCIES: [f64; VECTORS] = [1.7, 2.3, 3.1];

/// The volume that the solutions for fixed right-hand sides span, those of rows of these sizes; none where there are no
/// solutions.
pub(super) fn solved_volume(rows: &[f64], mut solve: impl FnMut(&mut [f64]) -> Option<()>) -> Option<f64> {
    let mut volume = 1.0;
    let mut others: Vec<Vec<f64>> = vec![];
    for frequency in FREQUENCIES {
        let wave = |(i, row): (usize, &f64)| row * (frequency * (1.0 + i as f64)).sin();
        let mut x: Vec<f64> = rows.iter().enumerate().map(wave).chain([0.0]).collect();
        solve(&mut x)?;
        for _ in 0..2 {
            for other in &others {
                let part = dot(other, &x);
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
            }
        }
        let length = norm(&x);
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        volume *= length;
        x.iter_mut().for_each(|x| *x /= length);
        others.push(x);
    }
    Some(volume)
}
