//! The inverse of a symmetric positive definite matrix of formulas.

use crate::plan::declared::mechanical::reader::Made;
use slipstick_system::text::Symbolic;

/// The inverse, by elimination without pivoting, in blocks that do not act on each other. Long formulas become
/// definitions.
pub(crate) fn inverse(matrix: &[Vec<Symbolic>], made: &mut Made) -> Vec<Vec<Symbolic>> {
    let n = matrix.len();
    let mut all = vec![vec![Symbolic::number(0.0); n]; n];
    for block in blocks(matrix) {
        let inside: Vec<Vec<Symbolic>> = block
            .iter()
            .map(|&i| block.iter().map(|&j| matrix[i][j].clone()).collect())
            .collect();
        for (row, &i) in of_block(&inside, made).into_iter().zip(&block) {
            for (entry, &j) in row.into_iter().zip(&block) {
                all[i][j] = entry;
            }
        }
    }
    all
}

/// Sets of indices between which the matrix has no entries.
fn blocks(matrix: &[Vec<Symbolic>]) -> Vec<Vec<usize>> {
    let n = matrix.len();
    let mut seen = vec![false; n];
    let mut all = vec![];
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let mut block = vec![first];
        let mut at = 0;
        while let Some(&i) = block.get(at) {
            for j in 0..n {
                if !seen[j] && !matrix[i][j].is_zero() {
                    seen[j] = true;
                    block.push(j);
                }
            }
            at += 1;
        }
        block.sort_unstable();
        all.push(block);
    }
    all
}

/// L D Lᵀ, then one solution for each column.
fn of_block(matrix: &[Vec<Symbolic>], made: &mut Made) -> Vec<Vec<Symbolic>> {
    let n = matrix.len();
    let zero = || Symbolic::number(0.0);
    let mut short = |formula: Symbolic| made.short("inertia", formula, "coordinates");
    let (mut lower, mut pivots) = (vec![vec![zero(); n]; n], vec![zero(); n]);
    for j in 0..n {
        let square = |k: usize| lower[j][k].clone() * lower[j][k].clone() * pivots[k].clone();
        pivots[j] = short((0..j).fold(matrix[j][j].clone(), |left, k| left - square(k)));
        for i in j + 1..n {
            let part = |k: usize| lower[i][k].clone() * lower[j][k].clone() * pivots[k].clone();
            let left = (0..j).fold(matrix[i][j].clone(), |left, k| left - part(k));
            lower[i][j] = short(left / pivots[j].clone());
        }
    }
    let mut columns = vec![];
    for c in 0..n {
        let mut x: Vec<Symbolic> = vec![zero(); n];
        x[c] = Symbolic::number(1.0);
        for i in c + 1..n {
            x[i] = short((c..i).fold(zero(), |left, k| left - lower[i][k].clone() * x[k].clone()));
        }
        for i in (0..n).rev() {
            let own = x[i].clone() / pivots[i].clone();
            x[i] = short((i + 1..n).fold(own, |left, k| left - lower[k][i].clone() * x[k].clone()));
        }
        columns.push(x);
    }
    // The inverse is symmetric, so its columns are its rows.
    columns
}

/// The pivots of elimination without pivoting of a matrix of numbers; all are positive where it is positive definite.
pub(crate) fn pivots(matrix: &[Vec<f64>]) -> Vec<f64> {
    let mut left = matrix.to_vec();
    let n = left.len();
    for k in 0..n {
        let row = left[k].clone();
        for below in left.iter_mut().skip(k + 1) {
            let factor = below[k] / row[k];
            below
                .iter_mut()
                .zip(&row)
                .for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    (0..n).map(|k| left[k][k]).collect()
}
