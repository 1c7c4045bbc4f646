//! Linear conditions on the coordinates, or on their velocities, solved for some of them.

use slipstick_system::text::Symbolic;

/// The sum of the named quantities, each times its factor, is `right`.
#[derive(Clone)]
pub(crate) struct Condition {
    /// The factors, and their values at the default parameters.
    pub(crate) factors: Vec<(Symbolic, f64)>,
    pub(crate) right: Symbolic,
}

/// What is left of a condition that follows from others is rounding.
const ROUNDING: f64 = 1e-10;

/// For each condition the quantity that it is solved for, and what that is by those that are left; none for one that
/// follows from those before it. The largest factor decides.
pub(crate) fn solved(conditions: &[Condition], names: &[Symbolic]) -> Vec<Option<(usize, Symbolic)>> {
    let done = eliminated(conditions);
    let value = |(pivot, own): (usize, Condition)| {
        let others = own.factors.iter().zip(names).enumerate().filter(|(i, _)| *i != pivot);
        let left = others.fold(own.right, |left, (_, ((factor, _), name))| {
            left - factor.clone() * name.clone()
        });
        (pivot, left)
    };
    done.into_iter().map(|own| own.map(value)).collect()
}

/// What is left of a condition when others hold.
pub(crate) fn left(conditions: &[Condition], own: &Condition) -> Condition {
    let mut left = own.clone();
    for (pivot, other) in eliminated(conditions).iter().flatten() {
        left = left.without(*pivot, other);
    }
    // Rounding is nothing.
    for (factor, value) in left.factors.iter_mut().filter(|f| !(f.1.abs() > ROUNDING * own.size())) {
        (*factor, *value) = (Symbolic::number(0.0), 0.0);
    }
    left
}

/// For each condition the quantity that it is solved for, and the condition without those of all others; none for one
/// that follows from those before it. The largest factor decides.
fn eliminated(conditions: &[Condition]) -> Vec<Option<(usize, Condition)>> {
    let mut done: Vec<Option<(usize, Condition)>> = vec![];
    for given in conditions {
        let mut own = given.clone();
        for (pivot, other) in done.iter().flatten() {
            own = own.without(*pivot, other);
        }
        let largest = |most: usize, i: usize| {
            if own.factors[i].1.abs() > own.factors[most].1.abs() {
                i
            } else {
                most
            }
        };
        let pivot = (0..own.factors.len()).fold(0, largest);
        if !(own.size() > ROUNDING * given.size()) {
            done.push(None);
            continue;
        }
        let own = own.over(pivot);
        for (_, other) in done.iter_mut().flatten() {
            *other = other.without(pivot, &own);
        }
        done.push(Some((pivot, own)));
    }
    done
}

impl Condition {
    /// Does it speak of nothing?
    pub(crate) fn vanishes(&self) -> bool {
        self.size() == 0.0
    }

    /// How many times another one speaks of the same; none where it speaks of something else.
    pub(crate) fn ratio(&self, other: &Self) -> Option<f64> {
        let pairs = || {
            self.factors
                .iter()
                .zip(&other.factors)
                .map(|(own, other)| (own.1, other.1))
        };
        let square: f64 = pairs().map(|(_, other)| other * other).sum();
        let ratio = pairs().map(|(own, other)| own * other).sum::<f64>() / square;
        let same = pairs().all(|(own, other)| (own - ratio * other).abs() <= ROUNDING * self.size());
        (same && ratio != 0.0).then_some(ratio)
    }

    fn size(&self) -> f64 {
        self.factors.iter().fold(0.0, |most, f| most.max(f.1.abs()))
    }

    /// Less so much of another one, whose factor there is one, that the quantity does not enter any more.
    fn without(&self, pivot: usize, other: &Self) -> Self {
        let (factor, value) = &self.factors[pivot];
        let pairs = self.factors.iter().zip(&other.factors).enumerate();
        let factors = pairs.map(|(i, (own, other))| {
            if i == pivot {
                (Symbolic::number(0.0), 0.0)
            } else {
                (
                    own.0.clone() - factor.clone() * other.0.clone(),
                    own.1 - value * other.1,
                )
            }
        });
        Self {
            factors: factors.collect(),
            right: self.right.clone() - factor.clone() * other.right.clone(),
        }
    }

    /// Divided by one of its factors.
    fn over(&self, pivot: usize) -> Self {
        let (by, value) = &self.factors[pivot];
        let divided = |(factor, own): &(Symbolic, f64)| (factor.clone() / by.clone(), own / value);
        let mut factors: Vec<(Symbolic, f64)> = self.factors.iter().map(divided).collect();
        factors[pivot] = (Symbolic::number(1.0), 1.0);
        Self {
            factors,
            right: self.right.clone() / by.clone(),
        }
    }
}
