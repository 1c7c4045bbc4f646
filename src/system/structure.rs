//! Which arguments each component of a map depends on, and which derivatives can be taken at once because of that.

/// What is known of a Jacobian before it is evaluated: where it can differ from zero, and groups of its columns that no
/// row shares, so that one derivative along all of a group tells each of its columns.
///
/// Reference: A. R. Curtis, M. J. D. Powell and J. K. Reid, *On the estimation of sparse Jacobian matrices*, J. Inst.
/// Math. Appl. 13 (1974) 117–119.
///
/// ```
/// use slipstick_system::text::{Expression, Scope};
/// use slipstick_system::{Function, Structure};
/// let mut scope = Scope::new();
/// for i in 0..12 {
///     scope.state(&format!("x{i}"))?;
/// }
/// // A chain: each depends on itself and on the one before it, so that two groups of columns are enough.
/// let rates: Vec<Expression> = (0..12)
///     .map(|i: usize| Expression::parse(&format!("x{} - x{i}^3", i.saturating_sub(1))))
///     .collect::<Result<_, _>>()?;
/// let tape = scope.compile(&rates.iter().collect::<Vec<_>>()).unwrap();
/// let structure = Function::structure(&tape).ok_or("it has many states")?;
/// assert_eq!((structure.entries(), structure.groups()), (23, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Where the columns of each row begin in `columns`, and where the last end.
    begins: Vec<usize>,
    columns: Vec<usize>,
    /// The group of each column.
    group: Vec<usize>,
    groups: usize,
}

impl Structure {
    /// The structure of a map of `arguments` numbers whose components depend on these, in rising order.
    pub fn new(arguments: usize, rows: &[Vec<usize>]) -> Self {
        let mut begins = vec![0];
        let mut columns = vec![];
        for row in rows {
            columns.extend_from_slice(row);
            begins.push(columns.len());
        }
        let mut structure = Self {
            begins,
            columns,
            group: vec![0; arguments],
            groups: 0,
        };
        structure.divide();
        structure
    }

    /// Put each column into the first group with no column that shares a row with it.
    fn divide(&mut self) {
        let mut rows_of: Vec<Vec<usize>> = vec![vec![]; self.group.len()];
        for i in 0..self.rows() {
            for &d in self.row(i) {
                rows_of[d].push(i);
            }
        }
        // The column that last found a group taken.
        let mut taken: Vec<usize> = vec![];
        for d in 0..self.group.len() {
            for &i in &rows_of[d] {
                for &other in &self.columns[self.begins[i]..self.begins[i + 1]] {
                    if other >= d {
                        break;
                    }
                    taken[self.group[other]] = d;
                }
            }
            let free = taken.iter().position(|last| *last != d).unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(usize::MAX);
            }
            self.group[d] = free;
        }
        self.groups = taken.len();
    }

    /// How many components the map has.
    pub fn rows(&self) -> usize {
        self.begins.len() - 1
    }
    /// The arguments that component `i` depends on, in rising order.
    pub fn row(&self, i: usize) -> &[usize] {
        &self.columns[self.begins[i]..self.begins[i + 1]]
    }
    /// Where the entries of component `i` begin among those of all.
    pub fn begin(&self, i: usize) -> usize {
        self.begins[i]
    }
    /// How many derivatives can differ from zero.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }
    /// How many groups of columns there are.
    pub fn groups(&self) -> usize {
        self.groups
    }
    /// The group of column `d`; none of an argument that nothing depends on, and that stands after all that matter.
    pub fn group(&self, d: usize) -> Option<usize> {
        self.group.get(d).copied()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::text::{Expression, Scope, Tape};
    use crate::{Formula, Function, jacobian};
    use proptest::prelude::*;
    use slipstick_numerics::scalar::Scalar;

    /// A map of which nothing is known.
    struct Opaque(Tape);
    impl Formula for Opaque {
        fn outputs(&self) -> usize {
            Formula::outputs(&self.0)
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            self.0.eval(x, p, out);
        }
    }

    /// Neighbours on a line, a branch, a state that nothing depends on at the end, and two parameters.
    #[test]
    fn derivatives_taken_at_once_are_those_taken_one_by_one() {
        let n = 40;
        let mut scope = Scope::new();
        for i in 0..n {
            scope.state(&format!("x{i}")).unwrap();
        }
        for name in ["a", "b"] {
            scope.parameter(name).unwrap();
        }
        let rate = |i: usize| {
            let (left, right) = (i.saturating_sub(1), (i + 1).min(n - 2));
            let own = i.min(n - 2);
            Expression::parse(&format!(
                "a*(x{left} - 2*x{own} + x{right}) + if(x{left} < x{right}, x{own}^3, b*sin(x{right}))"
            ))
            .unwrap()
        };
        let rates: Vec<Expression> = (0..n).map(rate).collect();
        let tape = scope.compile(&rates.iter().collect::<Vec<_>>()).unwrap();
        let groups = Function::structure(&tape).unwrap().groups();
        assert!(groups <= 4, "{groups}");
        let x: Vec<f64> = (0..n).map(|i| (1.3 * i as f64).sin()).collect();
        let differentiate = |f: &dyn Function| {
            let (mut out, mut dx, mut dp) = (vec![0.0; n], vec![f64::NAN; n * n], vec![f64::NAN; 2 * n]);
            jacobian(f, &x, &[0.7, -1.1], &[0, 1], &mut out, &mut dx, &mut dp);
            (out, dx, dp)
        };
        let (known, opaque) = (differentiate(&tape), differentiate(&Opaque(tape.clone())));
        assert_eq!(known.0, opaque.0);
        assert!(known.1.iter().zip(&opaque.1).all(|(a, b)| a == b));
        assert_eq!(known.2, opaque.2);
    }

    proptest! {
        #[test]
        fn no_row_has_two_columns_of_one_group(
            n in 1usize..20,
            entries in prop::collection::vec(prop::bool::weighted(0.2), 400),
        ) {
            let rows: Vec<Vec<usize>> = (0..n).map(|i| (0..n).filter(|d| entries[20 * i + d]).collect()).collect();
            let structure = Structure::new(n, &rows);
            for row in &rows {
                let mut groups: Vec<usize> = row.iter().filter_map(|&d| structure.group(d)).collect();
                groups.sort_unstable();
                groups.dedup();
                prop_assert_eq!(groups.len(), row.len());
                prop_assert!(groups.iter().all(|g| *g < structure.groups()));
            }
        }
    }
}
