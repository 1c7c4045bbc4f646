//! States that keep their sign along a mesh: their errors count by what they are at each place, and they are
//! eliminated in units of that. A population that nearly dies out recovers from what is left of it.

use crate::segment::scheme::Guess;
use crate::units;
use slipstick_system::{Function, keep_sign};

/// Is a state that is nowhere larger than this nothing but rounding, beside what counts as its size? As an invader
/// that is not there.
pub(super) fn is_gone(largest: f64, size: f64) -> bool {
    const GONE: f64 = 1e-6;
    largest <= GONE * size
}

/// The states that keep their sign along a course that is known roughly, and are more than rounding there.
pub(super) fn relative_along(guess: &Guess<'_>, dense: &mut dyn FnMut(f64, &mut [f64])) -> Vec<bool> {
    const PLACES: u32 = 64;
    let mut x = vec![0.0; guess.sizes.len()];
    dense(0.0, &mut x);
    let mut relative = keep_sign(guess.field, &x, guess.p);
    if relative.contains(&true) {
        let mut largest = vec![0.0f64; x.len()];
        for place in 0..=PLACES {
            dense(f64::from(place) / f64::from(PLACES), &mut x);
            largest
                .iter_mut()
                .zip(&x)
                .for_each(|(most, v)| *most = most.max(v.abs()));
        }
        for (relative, (largest, size)) in relative.iter_mut().zip(largest.iter().zip(guess.sizes)) {
            *relative &= !is_gone(*largest, *size);
        }
    }
    relative
}

/// Which states keep their sign, and how large all states are along the mesh.
pub(super) struct Relative {
    /// For each state, whether it keeps its sign.
    pub(super) states: Vec<bool>,
    /// Where there are such states, the first stage of each interval and the end of the last.
    near_nodes: Vec<f64>,
}

impl Relative {
    /// None of `n` states, as long as nothing is known of them.
    pub(super) fn none(n: usize) -> Self {
        Self {
            states: vec![false; n],
            near_nodes: vec![],
        }
    }

    /// Of the unknowns on a mesh, of which each interval has so many.
    pub(super) fn note(&mut self, field: &dyn Function, n: usize, p: &[f64], block: &[f64], stride: usize) {
        self.states = keep_sign(field, &block[..n], p);
        self.near_nodes.clear();
        if self.any() {
            let first = block.chunks_exact(stride).flat_map(|own| &own[..n]);
            self.near_nodes.extend(first.chain(&block[block.len() - n..]));
        }
    }

    /// Are there any?
    pub(super) fn any(&self) -> bool {
        self.states.contains(&true)
    }

    /// The units of the states at each node, which are usually these: smaller ones where one that keeps its sign is
    /// small.
    pub(super) fn units_by_node(&self, usual: &[f64]) -> Vec<f64> {
        let n = usual.len();
        let largest = |c: usize| {
            let along = self.near_nodes.iter().skip(c).step_by(n);
            along.fold(0.0f64, |most, x| most.max(x.abs()))
        };
        let counts = |c: usize| self.states[c] && !is_gone(largest(c), usual[c]);
        let relative: Vec<bool> = (0..n).map(counts).collect();
        let unit = |(i, x): (usize, &f64)| match i % n {
            c if relative[c] => units::unit_here(x.abs(), usual[c]),
            c => usual[c],
        };
        self.near_nodes.iter().enumerate().map(unit).collect()
    }
}
