//! A cyclic sequence of transition matrices between nodes of an orbit.

use super::FloquetError;

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
    /// Growth beyond all doubles, in order: at this node, before the factor that starts there, the two states are
    /// multiplied by these powers of two.
    growth: Vec<(usize, [i64; 2])>,
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
    /// Multiply the two states at the last node by these powers of two: exact, and of any size. A factor that starts
    /// there must follow.
    pub(super) fn grow(&mut self, exponents: [i64; 2]) {
        debug_assert_eq!(self.dims.last(), Some(&2), "growth of two states");
        self.growth.push((self.len(), exponents));
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
    pub(super) fn growth_at(&self, node: usize) -> Option<[i64; 2]> {
        // Most chains have none.
        if self.growth.is_empty() {
            return None;
        }
        let found = self.growth.binary_search_by_key(&node, |(at, _)| *at).ok()?;
        Some(self.growth[found].1)
    }
    /// The binary exponents of all growth, for the two states together.
    pub(super) fn growth(&self) -> i64 {
        self.growth.iter().map(|(_, [a, b])| a + b).sum()
    }
    /// Measure the states of the nodes in these units, given for each number of states.
    pub(super) fn scale<'a>(&mut self, units: impl Fn(usize) -> &'a [f64]) {
        let mut rest = self.data.as_mut_slice();
        for dims in self.dims.windows(2) {
            let (from, to) = (units(dims[0]), units(dims[1]));
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
