//! A cyclic sequence of transition matrices between nodes of an orbit.

use super::FloquetError;
use smallvec::SmallVec;

/// The most decades of growth in one stretch: as many as the labels of the regularised stiction oscillator have been
/// seen confirmed with, at ε = 10⁻¹⁰. At 10⁻¹¹ a symmetry breaking was off by a millionth.
const MOST_DECADES: f64 = 3.3e10;

/// Factors A₁, …, A_K of a product `A_K ⋯ A₁`; A_k maps the tangent space at node k-1 to that at node k, node K being
/// node 0.
///
/// The nodes may have different numbers of states. Storage is flat and kept by [`FactorChain::clear`], so a chain can
/// be refilled for every point of a curve without allocating.
///
/// ```
/// use slipstick_floquet::FactorChain;
/// let mut chain = FactorChain::new();
/// // A segment in two states, then a jump onto one state and back.
/// chain.push(2, 2, &[1.0, 0.5, 0.0, 1.0])?;
/// chain.push(1, 2, &[1.0, 0.0])?;
/// chain.push(2, 1, &[1.0, 2.0])?;
/// assert_eq!((chain.len(), chain.factors().count()), (3, 3));
/// # Ok::<(), slipstick_floquet::FloquetError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactorChain {
    /// Dimensions of the nodes 0 … K; empty as long as there are no factors.
    dims: Vec<usize>,
    /// The factors one after the other, row by row.
    data: Vec<f64>,
    /// Growth beyond all doubles, in order: at this node, before the factor that starts there, the states are
    /// multiplied by these powers of two.
    growth: Vec<(usize, SmallVec<[i64; 2]>)>,
}

impl FactorChain {
    /// A chain without factors.
    pub fn new() -> Self {
        Self::default()
    }
    /// Remove all factors, keep the memory.
    pub fn clear(&mut self) {
        self.dims.clear();
        self.data.clear();
        self.growth.clear();
    }
    /// Append the `rows × cols` matrix `factor`, given row by row.
    ///
    /// # Errors
    /// [`FloquetError::Shape`] if it does not start at the node where the previous factor ends.
    pub fn push(&mut self, rows: usize, cols: usize, factor: &[f64]) -> Result<(), FloquetError> {
        let expected = self.dims.last().copied().unwrap_or(cols);
        if cols != expected || factor.len() != rows * cols {
            return Err(FloquetError::Shape {
                factor: self.len(),
                rows,
                cols,
                len: factor.len(),
                expected,
            });
        }
        self.data.extend_from_slice(factor);
        self.note(rows, cols);
        Ok(())
    }
    /// Append a zero matrix of this shape and return its entries (row by row) to be filled in place.
    ///
    /// # Errors
    /// As [`FactorChain::push`].
    pub fn push_zeros(&mut self, rows: usize, cols: usize) -> Result<&mut [f64], FloquetError> {
        let expected = self.dims.last().copied().unwrap_or(cols);
        let first = self.data.len();
        if cols != expected {
            return Err(FloquetError::Shape {
                factor: self.len(),
                rows,
                cols,
                len: rows * cols,
                expected,
            });
        }
        self.data.resize(first + rows * cols, 0.0);
        self.note(rows, cols);
        Ok(&mut self.data[first..])
    }
    /// Append a factor before which the states at the last node are multiplied by `e^growth`, each by its own, of any
    /// size: the factor is given row by row.
    ///
    /// ```
    /// use slipstick_floquet::{FactorChain, multipliers};
    /// let mut chain = FactorChain::new();
    /// chain.push(3, 3, &[1.0, 0.2, 0.3, 0.0, 1.0, 0.1, 0.0, 0.0, 1.0])?;
    /// chain.push_grown(3, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[-0.5, -300.0, -40_000.0])?;
    /// let mut found = vec![];
    /// multipliers(&chain, &mut found)?;
    /// assert!((found[2].log10 * std::f64::consts::LN_10 + 40_000.0).abs() < 1e-9);
    /// # Ok::<(), slipstick_floquet::FloquetError>(())
    /// ```
    ///
    /// # Errors
    /// As [`FactorChain::push`], with one growth for each column, and [`FloquetError::Growth`] when it is beyond what
    /// is computed.
    pub fn push_grown(&mut self, rows: usize, cols: usize, factor: &[f64], growth: &[f64]) -> Result<(), FloquetError> {
        let decades = growth.iter().fold(0.0f64, |most, g| most.max(g.abs())) / std::f64::consts::LN_10;
        if decades > MOST_DECADES {
            return Err(FloquetError::Growth { decades });
        }
        let first = self.data.len();
        self.push(rows, cols, factor)?;
        let split = growth.iter().map(|g| exponential(*g));
        let (parts, powers): (SmallVec<[f64; 2]>, SmallVec<[i64; 2]>) = split.unzip();
        for row in self.data[first..].chunks_exact_mut(cols.max(1)) {
            row.iter_mut().zip(&parts).for_each(|(a, part)| *a *= part);
        }
        self.growth.push((self.len() - 1, powers));
        Ok(())
    }
    fn note(&mut self, rows: usize, cols: usize) {
        if self.dims.is_empty() {
            self.dims.push(cols);
        }
        self.dims.push(rows);
    }
    /// The number of factors K.
    pub fn len(&self) -> usize {
        self.dims.len().saturating_sub(1)
    }
    /// No factors?
    pub fn is_empty(&self) -> bool {
        self.dims.is_empty()
    }
    /// The dimensions of the nodes 0 … K.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }
    /// The factors in order: rows, columns, entries row by row.
    pub fn factors(&self) -> impl Iterator<Item = (usize, usize, &[f64])> {
        self.dims.windows(2).scan(self.data.as_slice(), |rest, d| {
            let (factor, tail) = rest.split_at(d[0] * d[1]);
            *rest = tail;
            Some((d[1], d[0], factor))
        })
    }
    /// The powers of two by which the states are multiplied at a node before the factor that starts there.
    pub(super) fn growth_at(&self, node: usize) -> Option<&[i64]> {
        // Most chains have none.
        if self.growth.is_empty() {
            return None;
        }
        let found = self.growth.binary_search_by_key(&node, |(at, _)| *at).ok()?;
        Some(&self.growth[found].1)
    }
    /// The binary exponents of all growth, for all states together.
    pub(super) fn growth(&self) -> i64 {
        self.growth.iter().flat_map(|(_, powers)| powers).sum()
    }
    /// Are there directions at this node, more than two, that grow each by its own, and no states?
    pub(super) fn has_directions(&self, node: usize) -> bool {
        self.dims[node] > 2 && self.growth_at(node % self.len()).is_some()
    }
    /// Measure the nodes in these units, given for each number of states, or of directions that grow each by its own.
    pub(super) fn scale<'a>(&mut self, units: impl Fn(usize, bool) -> &'a [f64]) {
        let of_nodes: Vec<&[f64]> = (0..self.dims.len())
            .map(|node| units(self.dims[node], self.has_directions(node)))
            .collect();
        let mut rest = self.data.as_mut_slice();
        for (dims, units) in self.dims.windows(2).zip(of_nodes.windows(2)) {
            let (from, to) = (units[0], units[1]);
            let (factor, tail) = rest.split_at_mut(dims[0] * dims[1]);
            for (row, unit) in factor.chunks_exact_mut(dims[0].max(1)).zip(to) {
                row.iter_mut().zip(from).for_each(|(a, d)| *a *= d / unit);
            }
            rest = tail;
        }
    }
    /// All entries of all factors, in order.
    pub(super) fn entries(&self) -> &[f64] {
        &self.data
    }
    /// Check that there are factors and that they form a cycle.
    pub(super) fn check(&self) -> Result<(), FloquetError> {
        match (self.dims.first(), self.dims.last()) {
            (Some(&first), Some(&last)) if first == last => Ok(()),
            (Some(&first), Some(&last)) => Err(FloquetError::NotCyclic { first, last }),
            _ => Err(FloquetError::Empty),
        }
    }
    /// The error that names the first factor with an entry that is not finite.
    #[cold]
    pub(super) fn not_finite(&self) -> FloquetError {
        let factor = self
            .factors()
            .position(|(_, _, f)| f.iter().any(|x| !x.is_finite()))
            .unwrap_or_default();
        FloquetError::NotFinite { factor }
    }
}

/// e^x as a double near one and a power of two, to half a unit in the last place of x: relative to itself where |x| is
/// small, and as well as x is known where it is not.
fn exponential(x: f64) -> (f64, i64) {
    use std::f64::consts::LN_2;
    /// What rounding takes from ln 2.
    const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;
    if !x.is_finite() {
        return (x.exp(), 0);
    }
    let power = (x / LN_2).round();
    let product = power * LN_2;
    let rounded = power.mul_add(LN_2, -product);
    ((x - product - rounded - power * LN_2_REST).exp(), power as i64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::{Random, found};
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn an_exponential_of_any_size_keeps_its_digits() {
        assert_eq!(exponential(0.0), (1.0, 0));
        for x in [1e-9, -0.3, 0.7, 55.5, -600.0] {
            let (digits, power) = exponential(x);
            let value = digits * f64::powi(2.0, power as i32);
            assert!((value / x.exp() - 1.0).abs() < 2e-16 * (2.0 + x.abs()), "{x}");
        }
        // e^(10^12) = 10^434294481903.2518…, of which ln 2 · 1442695040888 is all but 0.667….
        let (digits, power) = exponential(1e12);
        assert_eq!(power, 1_442_695_040_889);
        assert!((digits.ln() - -0.025_364_085_297_452_2).abs() < 1e-4, "{}", digits.ln());
        assert!(exponential(f64::INFINITY).0.is_infinite() && exponential(f64::NAN).0.is_nan());
    }

    /// Directions that grow by amounts far apart, pairs of them at one rate, each pair in two states of its own; then
    /// a projection that mixes all states. In one factor it is the same as in many that are ordinary.
    #[test]
    fn growth_of_many_directions_is_that_of_many_factors() {
        let mut random = Random(5);
        for member in 0..60 {
            let pairs = 2 + member % 7;
            let n = 2 * pairs;
            let mut growth: Vec<f64> = (0..pairs).map(|_| -(3.0 + 3.0 * random.next()).exp()).collect();
            growth.sort_by(|a, b| b.total_cmp(a));
            let growth: Vec<f64> = growth.into_iter().flat_map(|g| [g, g]).collect();
            // States: the first of each pair, then the second of each.
            let mut basis = DMatrix::zeros(n, n);
            for k in 0..pairs {
                let own = random.matrix(2, 2) * 0.3 + DMatrix::identity(2, 2);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    basis[(i * pairs + k, 2 * k + j)] = own[(i, j)];
                }
            }
            let inverse = basis.clone().try_inverse().unwrap();
            let direction = random.matrix(n, 1).normalize();
            let projection = DMatrix::identity(n, n) - &direction * direction.transpose();
            let (leave, enter) = (projection.rows(0, n - 1).into_owned(), {
                let mixed = random.matrix(n, n) * 0.1 + DMatrix::identity(n, n);
                mixed.columns(0, n - 1).into_owned()
            });
            let push = |chain: &mut FactorChain, m: &DMatrix<f64>| {
                chain.push(m.nrows(), m.ncols(), m.transpose().as_slice()).unwrap();
            };
            let chain = |whole: bool| {
                let mut chain = FactorChain::new();
                if whole {
                    push(&mut chain, &inverse);
                    chain.push_grown(n, n, basis.transpose().as_slice(), &growth).unwrap();
                } else {
                    let pieces = (-growth[n - 1] / 3.0).ceil();
                    let own = DVector::from_iterator(n, growth.iter().map(|g| (g / pieces).exp()));
                    let piece = &basis * DMatrix::from_diagonal(&own) * &inverse;
                    (0..pieces as usize).for_each(|_| push(&mut chain, &piece));
                }
                push(&mut chain, &leave);
                push(&mut chain, &enter);
                chain
            };
            let [whole, pieces] = [true, false].map(|whole| found(&chain(whole)));
            for (a, b) in whole.iter().zip(&pieces).take(n - 1) {
                let error = (a.log10 - b.log10).abs();
                assert!(
                    error < 1e-11 * b.log10.abs().max(1.0),
                    "{member} {n}: {} {}",
                    a.log10,
                    b.log10
                );
            }
        }
    }
}
