//! LU factors of small dense matrices in flat storage, row by row, in place.
//!
//! For the many small systems of a discretised orbit: no memory of their own, and unrolled for the sizes that occur
//! most.

/// Factorise the n×n matrix `a` in place with row interchanges; `pivots` (n entries) records them. The diagonal is left
/// inverted. False if a pivot vanishes or is not finite.
#[inline(always)]
pub fn lu_factorise(a: &mut [f64], pivots: &mut [u32]) -> bool {
    match pivots.len() {
        3 => factorise(a, pivots, 3),
        4 => factorise(a, pivots, 4),
        5 => factorise(a, pivots, 5),
        6 => factorise(a, pivots, 6),
        7 => factorise(a, pivots, 7),
        8 => factorise(a, pivots, 8),
        n => factorise(a, pivots, n),
    }
}

#[inline(always)]
fn factorise(a: &mut [f64], pivots: &mut [u32], n: usize) -> bool {
    let (a, pivots) = (&mut a[..n * n], &mut pivots[..n]);
    for k in 0..n {
        let (mut pivot, mut largest) = (k, a[k * n + k].abs());
        for i in k + 1..n {
            let v = a[i * n + k].abs();
            if v > largest {
                (pivot, largest) = (i, v);
            }
        }
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        pivots[k] = pivot as u32;
        if pivot != k {
            for j in 0..n {
                a.swap(k * n + j, pivot * n + j);
            }
        }
        let (head, tail) = a.split_at_mut((k + 1) * n);
        let top = &mut head[k * n..];
        let inverse = 1.0 / top[k];
        top[k] = inverse;
        for row in tail.chunks_exact_mut(n) {
            let factor = row[k] * inverse;
            row[k] = factor;
            for j in k + 1..n {
                row[j] -= factor * top[j];
            }
        }
    }
    true
}

/// Solve for several right-hand sides: `b` holds n rows of `columns` numbers and is overwritten by the solutions.
#[inline(always)]
pub fn lu_solve(a: &[f64], pivots: &[u32], b: &mut [f64], columns: usize) {
    match (columns, pivots.len()) {
        (1, 8) => solve(a, pivots, b, 1, 8),
        (4, 8) => solve_rows::<4>(a, pivots, b, 8),
        (6, 8) => solve_rows::<6>(a, pivots, b, 8),
        (1, n) => solve(a, pivots, b, 1, n),
        (4, n) => solve_rows::<4>(a, pivots, b, n),
        (6, n) => solve_rows::<6>(a, pivots, b, n),
        (columns, n) => solve(a, pivots, b, columns, n),
    }
}

#[inline(always)]
fn solve(a: &[f64], pivots: &[u32], b: &mut [f64], columns: usize, n: usize) {
    let (a, pivots, b) = (&a[..n * n], &pivots[..n], &mut b[..n * columns]);
    for (k, &pivot) in pivots.iter().enumerate() {
        let pivot = pivot as usize;
        if pivot != k {
            for c in 0..columns {
                b.swap(k * columns + c, pivot * columns + c);
            }
        }
    }
    for k in 0..n {
        let (head, tail) = b.split_at_mut((k + 1) * columns);
        let top = &head[k * columns..];
        for (i, row) in tail.chunks_exact_mut(columns).enumerate() {
            let factor = a[(k + 1 + i) * n + k];
            for (x, t) in row.iter_mut().zip(top) {
                *x -= factor * t;
            }
        }
    }
    for k in (0..n).rev() {
        let (head, tail) = b.split_at_mut((k + 1) * columns);
        let top = &mut head[k * columns..];
        let row = &a[k * n..(k + 1) * n];
        for (below, factor) in tail.chunks_exact(columns).zip(&row[k + 1..]) {
            for (x, t) in top.iter_mut().zip(below) {
                *x -= factor * t;
            }
        }
        for x in top.iter_mut() {
            *x *= row[k];
        }
    }
}

/// The same with C right-hand sides: a row at a time stays in registers.
#[inline(always)]
fn solve_rows<const C: usize>(a: &[f64], pivots: &[u32], b: &mut [f64], n: usize) {
    let (a, pivots) = (&a[..n * n], &pivots[..n]);
    let (rows, _) = b.as_chunks_mut::<C>();
    let rows = &mut rows[..n];
    for (k, &pivot) in pivots.iter().enumerate() {
        if pivot as usize != k {
            rows.swap(k, pivot as usize);
        }
    }
    for k in 0..n {
        let mut own = rows[k];
        for j in 0..k {
            let factor = a[k * n + j];
            for c in 0..C {
                own[c] -= factor * rows[j][c];
            }
        }
        rows[k] = own;
    }
    for k in (0..n).rev() {
        let mut own = rows[k];
        for j in k + 1..n {
            let factor = a[k * n + j];
            for c in 0..C {
                own[c] -= factor * rows[j][c];
            }
        }
        let inverse = a[k * n + k];
        rows[k] = own.map(|v| v * inverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn solutions_reproduce_the_right_hand_sides(
            n in 1usize..13,
            columns in 1usize..7,
            entries in prop::collection::vec(-1.0..1.0f64, 12 * 12 + 12 * 6),
        ) {
            let a: Vec<f64> = entries[..n * n].to_vec();
            let b: Vec<f64> = entries[144..144 + n * columns].to_vec();
            let (mut lu, mut pivots, mut x) = (a.clone(), vec![0; n], b.clone());
            prop_assume!(lu_factorise(&mut lu, &mut pivots));
            lu_solve(&lu, &pivots, &mut x, columns);
            let size = x.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for i in 0..n {
                for c in 0..columns {
                    let image: f64 = (0..n).map(|j| a[i * n + j] * x[j * columns + c]).sum();
                    prop_assert!((image - b[i * columns + c]).abs() < 1e-13 * size * n as f64);
                }
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        assert!(!lu_factorise(&mut [1.0, 2.0, 2.0, 4.0], &mut [0, 0]));
        assert!(!lu_factorise(&mut [f64::NAN], &mut [0]));
    }
}
