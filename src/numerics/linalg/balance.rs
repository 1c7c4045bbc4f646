//! Units of coordinates in which a linear field is small.

use smallvec::SmallVec;

/// Scales d that make the row sums of |Mᵢⱼ| dⱼ/dᵢ small, and the largest such sum: a bound for the growth of the basis
/// in those scales. For an oscillator of frequency ω the plain norm is ω², the balanced one about ω. `m` is n×n by
/// rows.
///
/// Osborne's iteration; what is driven without driving back is scaled down until it no longer matters.
pub fn balance(m: &[f64], n: usize) -> (SmallVec<[f64; 17]>, f64) {
    const SWEEPS: usize = 3;
    let mut d: SmallVec<[f64; 17]> = SmallVec::from_elem(1.0, n);
    let norm = |d: &[f64]| {
        let sum = |(row, di): (&[f64], &f64)| row.iter().zip(d).map(|(v, dj)| v.abs() * dj / di).sum();
        m.chunks_exact(n).zip(d).map(sum).fold(0.0, f64::max)
    };
    let plain = norm(&d);
    // A lower bound for the fastest rate, from the pairs that drive each other.
    let mutual = |i: usize, j: usize| (m[i * n + j] * m[j * n + i]).abs().sqrt();
    let mut rate = (0..n)
        .flat_map(|i| (0..n).map(move |j| mutual(i, j)))
        .fold(0.0, f64::max);
    if rate == 0.0 {
        rate = plain;
    }
    for _ in 0..SWEEPS {
        for i in 0..n {
            let (mut row, mut column) = (0.0, 0.0);
            for j in (0..n).filter(|&j| j != i) {
                row += m[i * n + j].abs() * d[j] / d[i];
                column += m[j * n + i].abs() * d[i] / d[j];
            }
            if column > 0.0 {
                d[i] *= (f64::max(row, 0.1 * rate) / column).sqrt();
            }
        }
    }
    let balanced = norm(&d);
    if balanced < plain {
        (d, balanced)
    } else {
        (SmallVec::from_elem(1.0, n), plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oscillator_is_as_fast_as_its_frequency() {
        for omega in [1e-3f64, 1.0, 400.0, 1e6] {
            let (d, norm) = balance(&[0.0, 1.0, -omega * omega, -0.01 * omega], 2);
            assert!(norm <= 1.2 * omega, "{omega}: {norm}");
            assert!(((d[1] / d[0]) / omega).ln().abs() < 0.2);
        }
    }
}
