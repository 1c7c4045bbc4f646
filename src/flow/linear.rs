//! Linear modes: recognise them, and flow them exactly.
//!
//! A field is linear here when it is affine in a *basis*: the states, where each angle state θ with a constant rate θ'
//! = r is replaced by the pair (sin θ, cos θ). With a 1 appended the basis obeys z' = M z, so z(t) = exp(M t) z(0).
//! Running the field in [`Affine`] arithmetic reads off M; running it in affine forms of dual numbers reads off ∂M/∂p
//! as well.

use super::expm::{SMALL, expm};
use slipstick_numerics::linalg::balance;
use slipstick_numerics::scalar::{AFFINE_TERMS, Affine, Dual, Gradient, LARGEST_BASIS, Scalar};
use slipstick_system::{Function, State};
use smallvec::SmallVec;

/// A number type in which [`Function`]s can be asked for their affine form.
pub(crate) trait AffineNumber: Scalar {
    /// Evaluate `f` in affine forms over this type.
    fn run(f: &dyn Function, x: &[Affine<Self>], p: &[Affine<Self>], out: &mut [Affine<Self>]);
}
impl AffineNumber for f64 {
    fn run(f: &dyn Function, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]) {
        f.affine(x, p, out);
    }
}
impl AffineNumber for Gradient {
    fn run(f: &dyn Function, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        f.affine_gradient(x, p, out);
    }
}

/// So many terms of the exponential series reach rounding for this ‖M h‖ ≤ 1.3: the next one is below 1/19!. Some are
/// taken in any case: a state that is pushed by others through a few more begins with a high power of h.
fn terms(norm: f64) -> usize {
    const LEAST: usize = 8;
    const MOST: usize = 20;
    const ROUNDING: f64 = 8.3e-18;
    let mut next = norm;
    for k in 1..MOST {
        next *= norm / (k + 1) as f64;
        if next <= ROUNDING {
            return k.max(LEAST);
        }
    }
    MOST
}

/// Where a state stands in the basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// The basis function itself.
    Direct(usize),
    /// Sine here, cosine next.
    Angle(usize),
}

/// How the states are laid out in the basis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    slots: SmallVec<[Slot; 8]>,
    /// Number of basis functions including the constant 1, which comes last.
    size: usize,
}

impl Layout {
    /// The layout in which the states marked in `angles` enter through sine and cosine; `None` if it is too large.
    fn new(angles: &[bool]) -> Option<Self> {
        let mut next = 0;
        let slots = angles
            .iter()
            .map(|&angle| {
                let here = next;
                next += if angle { 2 } else { 1 };
                if angle { Slot::Angle(here) } else { Slot::Direct(here) }
            })
            .collect();
        (next <= LARGEST_BASIS).then_some(Self { slots, size: next + 1 })
    }
    /// The states as affine forms of the basis, with coefficients from the basis function `first` on.
    fn states<T: Scalar>(&self, first: usize) -> SmallVec<[Affine<T>; 4]> {
        let form = |s: &Slot| match *s {
            Slot::Direct(i) => Affine::basis(i, first),
            Slot::Angle(i) => Affine::angle(i, first),
        };
        self.slots.iter().map(form).collect()
    }
    /// The first basis functions of the groups that coefficients are read in.
    fn groups(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.size.max(2) - 1).step_by(AFFINE_TERMS)
    }
}

/// The linear field z' = M z of a mode at fixed parameters.
#[derive(Clone, Debug)]
pub(crate) struct LinearField<T> {
    layout: Layout,
    /// M, row-major, `size`×`size`.
    pub(crate) matrix: Vec<T>,
    /// θ' of the angle states; zero for the others.
    rates: SmallVec<[T; 8]>,
}

impl LinearField<f64> {
    /// M among the states but this one, by rows, unless another is an angle.
    pub(crate) fn coefficients_without(&self, phase: usize) -> Option<Vec<f64>> {
        let slots = self.layout.slots.iter().enumerate().filter(|(k, _)| *k != phase);
        let places = slots.map(|(_, slot)| match *slot {
            Slot::Direct(i) => Some(i),
            Slot::Angle(_) => None,
        });
        let places: SmallVec<[usize; 16]> = places.collect::<Option<_>>()?;
        let rows = places.iter().map(|i| &self.matrix[i * self.layout.size..]);
        Some(rows.flat_map(|row| places.iter().map(|&j| row[j])).collect())
    }

    /// The linear form of `field` at the parameters `p`, if it has one.
    ///
    /// Periodic states with a constant rate are taken as angles first. If the formula then is not linear, every state
    /// with a constant rate is tried as an angle, and last none.
    pub(crate) fn recognise(field: &dyn Function, states: &[&State], p: &[f64]) -> Option<Self> {
        let n = states.len();
        let plain = Layout::new(&vec![false; n])?;
        let mut rates = vec![Affine::constant(0.0); n];
        f64::run(field, &plain.states(0), &constants(p), &mut rates);
        let constant_rate: Vec<bool> = rates.iter().map(Affine::is_constant).collect();
        let periodic: Vec<bool> = (0..n).map(|i| constant_rate[i] && states[i].period.is_some()).collect();
        [periodic, constant_rate, vec![false; n]]
            .iter()
            .filter_map(|angles| Layout::new(angles))
            .find_map(|layout| Self::in_layout(field, &layout, &constants(p)))
    }
}

impl<T: AffineNumber> LinearField<T> {
    /// The linear form of `field` in a given layout.
    pub(crate) fn in_layout(field: &dyn Function, layout: &Layout, p: &[Affine<T>]) -> Option<Self> {
        let size = layout.size;
        let mut rows: SmallVec<[Affine<T>; 4]> = SmallVec::from_elem(Affine::constant(T::zero()), layout.slots.len());
        let mut matrix = vec![T::zero(); size * size];
        let mut rates: SmallVec<[T; 8]> = SmallVec::from_elem(T::zero(), layout.slots.len());
        for first in layout.groups() {
            T::run(field, &layout.states(first), p, &mut rows);
            for ((row, slot), rate) in rows.iter().zip(&layout.slots).zip(&mut rates) {
                if !row.exact || row.angle.is_some() {
                    return None;
                }
                match *slot {
                    Slot::Direct(i) => write_row(row, first, &mut matrix[i * size..(i + 1) * size]),
                    Slot::Angle(i) => {
                        if !row.is_constant() {
                            return None;
                        }
                        matrix[i * size + i + 1] = row.constant;
                        matrix[(i + 1) * size + i] = -row.constant;
                        *rate = row.constant;
                    }
                }
            }
        }
        Some(Self {
            layout: layout.clone(),
            matrix,
            rates,
        })
    }
    /// The layout alone.
    pub(crate) fn into_layout(self) -> Layout {
        self.layout
    }
    /// Number of basis functions including the constant.
    pub(crate) fn size(&self) -> usize {
        self.layout.size
    }
    /// The scalar function `f` as a row in the basis, `f = row · z`, if it is affine in it.
    pub(crate) fn row(&self, f: &dyn Function, p: &[f64]) -> Option<Vec<T>> {
        let p: SmallVec<[Affine<T>; 4]> = p.iter().map(|&v| Affine::constant(T::from_f64(v))).collect();
        let mut out = [Affine::constant(T::zero())];
        let mut row = vec![T::zero(); self.size()];
        for first in self.layout.groups() {
            T::run(f, &self.layout.states(first), &p, &mut out);
            if !out[0].exact || out[0].angle.is_some() {
                return None;
            }
            write_row(&out[0], first, &mut row);
        }
        Some(row)
    }
}

impl LinearField<f64> {
    /// The basis functions at the state `x`.
    pub(crate) fn embed(&self, x: &[f64], z: &mut [f64]) {
        for (&v, slot) in x.iter().zip(&self.layout.slots) {
            match *slot {
                Slot::Direct(i) => z[i] = v,
                Slot::Angle(i) => (z[i], z[i + 1]) = v.sin_cos(),
            }
        }
        z[self.size() - 1] = 1.0;
    }
    /// The largest of the angles, without sign.
    pub(crate) fn largest_angle(&self, x: &[f64]) -> f64 {
        let angle = |(v, slot): (&f64, &Slot)| matches!(slot, Slot::Angle(_)).then_some(v.abs());
        x.iter().zip(&self.layout.slots).filter_map(angle).fold(0.0, f64::max)
    }
    /// The states at time `t` since `x0`, from the basis functions there.
    pub(crate) fn project(&self, x0: &[f64], t: f64, z: &[f64], x: &mut [f64]) {
        for (i, slot) in self.layout.slots.iter().enumerate() {
            x[i] = match *slot {
                Slot::Direct(j) => z[j],
                Slot::Angle(_) => x0[i] + self.rates[i] * t,
            };
        }
    }
    /// x(t) from `x0`.
    pub(crate) fn advance(&self, x0: &[f64], t: f64, x: &mut [f64]) {
        let n = self.size();
        let mut z: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, n);
        self.embed(x0, &mut z);
        self.propagate(&mut z, t);
        self.project(x0, t, &z, x);
    }
    /// x(t) from `x0` in any arithmetic.
    pub(crate) fn propagate_in_place<T: Scalar>(&self, x0: &mut [T], t: f64) {
        let size = self.size();
        let mut z: SmallVec<[T; 17]> = SmallVec::from_elem(T::one(), size);
        for (&v, slot) in x0.iter().zip(&self.layout.slots) {
            match *slot {
                Slot::Direct(i) => z[i] = v,
                Slot::Angle(i) => (z[i], z[i + 1]) = v.sin_cos(),
            }
        }
        let e = expm(&self.matrix, t, size);
        for (i, (x, slot)) in x0.iter_mut().zip(&self.layout.slots).enumerate() {
            *x = match *slot {
                Slot::Direct(r) => {
                    let row = &e[r * size..(r + 1) * size];
                    row.iter().zip(&z).fold(T::zero(), |sum, (&e, &z)| sum + z * e)
                }
                Slot::Angle(_) => *x + self.rates[i] * t,
            };
        }
    }
    /// The nonzero entries (row, column, value) of M, row by row.
    pub(crate) fn entries(&self) -> SmallVec<[(usize, usize, f64); 24]> {
        let n = self.size();
        let nonzero = self.matrix.iter().enumerate().filter(|(_, v)| **v != 0.0);
        nonzero.map(|(e, &v)| (e / n, e % n, v)).collect()
    }
    /// The number of sub-steps with ‖M h‖ ≤ 1, if need be in balanced units, that make up the time `t`, if they are not
    /// too many, and how many terms of the series each takes.
    fn substeps(&self, t: f64) -> Option<(usize, usize)> {
        const MOST: f64 = 64.0;
        let steps = |norm: f64| {
            let whole = norm * t.abs();
            let steps = whole.ceil().max(1.0);
            (steps <= MOST).then(|| (steps as usize, terms(whole / steps)))
        };
        let rows = self.matrix.chunks_exact(self.size());
        let plain = rows.map(|row| row.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max);
        let large = self.size() > SMALL;
        let balanced = || large.then(|| balance(&self.matrix, self.size()).1).and_then(steps);
        steps(plain).or_else(balanced)
    }
    /// z ← exp(M t) z, by the Taylor series of the action on sub-steps.
    pub(crate) fn propagate(&self, z: &mut [f64], t: f64) {
        let n = self.size();
        let Some((steps, terms)) = self.substeps(t) else {
            let e = expm(&self.matrix, t, n);
            let out = self.end_of(&e, z, t);
            z.copy_from_slice(&out);
            return;
        };
        let h = t / steps as f64;
        let entries = self.entries();
        let matrix = Multiplied::of(self, &entries);
        for _ in 0..steps {
            matrix.add_series(z, h, terms);
        }
    }
    /// The derivatives of exp(M t) z by the parameters of the first `lanes` lanes of M: w' = M w + (∂M/∂p) z from w =
    /// 0, by the same series.
    fn driven(
        &self,
        dual: &[Gradient],
        lanes: usize,
        z: &[f64],
        t: f64,
        (steps, count): (usize, usize),
    ) -> Vec<Vec<f64>> {
        let n = self.size();
        let h = t / steps as f64;
        let entries = self.entries();
        let own = Multiplied::of(self, &entries);
        let by_lane = |lane: usize| -> Vec<(usize, usize, f64)> {
            let entries = dual.iter().enumerate().map(|(e, v)| (e / n, e % n, v.eps[lane]));
            entries.filter(|e| e.2 != 0.0).collect()
        };
        let changes: Vec<_> = (0..lanes).map(by_lane).collect();
        // z, and w of each lane.
        let mut sums = vec![vec![0.0; n]; lanes + 1];
        sums[0].copy_from_slice(z);
        let mut next = sums.clone();
        for _ in 0..steps {
            let mut terms = sums.clone();
            for k in 1..=count {
                for (lane, next) in next.iter_mut().enumerate() {
                    next.fill(0.0);
                    own.add_image(&terms[lane], next);
                    if lane > 0 {
                        add_image(&changes[lane - 1], &terms[0], next);
                    }
                }
                for (sum, next) in sums.iter_mut().zip(&mut next) {
                    for (sum, next) in sum.iter_mut().zip(next) {
                        *next *= h / k as f64;
                        *sum += *next;
                    }
                }
                std::mem::swap(&mut terms, &mut next);
            }
        }
        sums.split_off(1)
    }
    /// exp(M t) z from the exponential `e`. Where its terms cancel after they have grown, as on an orbit near a saddle
    /// that leaves along it late, rounding in `e` would be in all directions as large as perturbations grow: then the
    /// way is gone in parts, whose rounding grows where the motion does and decays where it does.
    fn end_of(&self, e: &[f64], z: &[f64], t: f64) -> SmallVec<[f64; 17]> {
        /// Terms so much larger than what they add up to, or were at first, have grown and cancel.
        const CANCEL: f64 = 1e4;
        let n = self.size();
        let image =
            |e: &[f64], z: &[f64]| -> SmallVec<[f64; 17]> { e.chunks_exact(n).map(|row| dot(row, z)).collect() };
        let terms = |row: &[f64]| -> f64 { row.iter().zip(z).map(|(e, z)| (e * z).abs()).sum() };
        let mut end = image(e, z);
        // Two rows for each component: of the exponential, and of the field.
        let rows = e.chunks_exact(n).zip(self.matrix.chunks_exact(n));
        let growth = rows.zip(end.iter().zip(z)).map(|((e, m), (end, begin))| {
            let at_first = begin.abs() + (t * terms(m)).abs();
            terms(e) / (end.abs() + at_first).max(f64::MIN_POSITIVE)
        });
        let most = growth.fold(0.0, f64::max);
        if most > CANCEL && most.is_finite() {
            // About e-fold growth in each.
            let parts = most.ln().ceil();
            let part = expm(&self.matrix, t / parts, n);
            end = SmallVec::from_slice(z);
            for _ in 0..parts as usize {
                end = image(&part, &end);
            }
        }
        end
    }
    /// x(t), ∂x(t)/∂x0 (n×n row-major) and the field at the end.
    pub(crate) fn linearise(&self, x0: &[f64], t: f64, x: &mut [f64], dx: &mut [f64], f: &mut [f64]) {
        let (n, size) = (x0.len(), self.size());
        let e = expm(&self.matrix, t, size);
        let mut z0: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, size);
        self.embed(x0, &mut z0);
        let z = self.end_of(&e, &z0, t);
        self.project(x0, t, &z, x);
        for (i, row) in self.layout.slots.iter().enumerate() {
            let Slot::Direct(r) = *row else {
                for j in 0..n {
                    dx[i * n + j] = f64::from(u8::from(i == j));
                }
                f[i] = self.rates[i];
                continue;
            };
            let e = &e[r * size..(r + 1) * size];
            for (j, column) in self.layout.slots.iter().enumerate() {
                dx[i * n + j] = match *column {
                    Slot::Direct(c) => e[c],
                    Slot::Angle(c) => e[c] * z0[c + 1] - e[c + 1] * z0[c],
                };
            }
            f[i] = dot(&self.matrix[r * size..(r + 1) * size], &z);
        }
    }
    /// Its linear form with derivatives by up to eight parameters.
    fn with_parameters(&self, field: &dyn Function, p: &[f64], lanes: &[usize]) -> Option<LinearField<Gradient>> {
        let mut parameters: Vec<Affine<Gradient>> =
            p.iter().map(|&v| Affine::constant(Gradient::constant(v))).collect();
        for (lane, &i) in lanes.iter().enumerate() {
            parameters[i] = Affine::constant(Gradient::variable(p[i], lane));
        }
        LinearField::in_layout(field, &self.layout, &parameters)
    }
    /// Is `field` linear in the same layout at parameters near `p`?
    pub(crate) fn is_linear_nearby(&self, field: &dyn Function, p: &[f64]) -> bool {
        let all: Vec<usize> = (0..p.len()).collect();
        all.chunks(8)
            .all(|lanes| self.with_parameters(field, p, lanes).is_some())
    }
    /// ∂x(t)/∂p for the parameters in `free`, n×`free.len()` row-major.
    pub(crate) fn parameter_derivatives(
        &self,
        field: &dyn Function,
        x0: &[f64],
        t: f64,
        p: &[f64],
        free: &[usize],
        dp: &mut [f64],
    ) {
        const FEW: usize = 4;
        let size = self.size();
        let mut z0: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, size);
        self.embed(x0, &mut z0);
        for (chunk, lanes) in free.chunks(8).enumerate() {
            let Some(dual) = self.with_parameters(field, p, lanes) else {
                continue;
            };
            let images = match self.substeps(t).filter(|_| size > SMALL) {
                Some(steps) => self.driven(&dual.matrix, lanes.len(), &z0, t, steps),
                // Of a large matrix the exponential with the derivative by one parameter at a time: with all eight
                // places of a gradient it takes as long as that by four.
                None if size > SMALL && lanes.len() <= FEW => (0..lanes.len())
                    .map(|lane| {
                        let by = |v: &Gradient| Dual {
                            re: v.re,
                            eps: [v.eps[lane]],
                        };
                        let e = expm(&dual.matrix.iter().map(by).collect::<Vec<_>>(), t, size);
                        let image = |row: &[Dual<f64, 1>]| row.iter().zip(&z0).map(|(e, z)| e.eps[0] * z).sum();
                        e.chunks_exact(size).map(image).collect()
                    })
                    .collect(),
                None => {
                    let e = expm(&dual.matrix, t, size);
                    let image =
                        |(row, lane): (&[Gradient], usize)| row.iter().zip(&z0).map(|(e, z)| e.eps[lane] * z).sum();
                    let lanes = (0..lanes.len()).map(|lane| e.chunks_exact(size).map(move |row| (row, lane)));
                    lanes.map(|rows| rows.map(image).collect()).collect()
                }
            };
            for (i, slot) in self.layout.slots.iter().enumerate() {
                for (lane, image) in images.iter().enumerate() {
                    dp[i * free.len() + chunk * 8 + lane] = match *slot {
                        Slot::Direct(r) => image[r],
                        Slot::Angle(_) => dual.rates[i].eps[lane] * t,
                    };
                }
            }
        }
    }
}

/// The parameters as constant forms.
pub(crate) fn constants(p: &[f64]) -> SmallVec<[Affine<f64>; 4]> {
    p.iter().map(|&v| Affine::constant(v)).collect()
}

/// Write the coefficients of `form`, which are those from the basis function `first` on, and its constant into a row.
fn write_row<T: Scalar>(form: &Affine<T>, first: usize, row: &mut [T]) {
    let last = row.len() - 1;
    let group = first..last.min(first + AFFINE_TERMS);
    row[group.clone()].copy_from_slice(&form.terms[..group.len()]);
    row[last] = form.constant;
}

/// M as it is multiplied with.
pub(crate) enum Multiplied<'m> {
    Sparse(&'m [(usize, usize, f64)]),
    Dense(&'m [f64]),
}

impl<'m> Multiplied<'m> {
    /// The matrix of `field`, of which these are the nonzero entries.
    pub(crate) fn of(field: &'m LinearField<f64>, entries: &'m [(usize, usize, f64)]) -> Self {
        /// An entry by its place takes as long as so many side by side.
        const TIMES: usize = 8;
        let n = field.size();
        if n > SMALL + 1 && TIMES * entries.len() > n * n {
            Self::Dense(&field.matrix)
        } else {
            Self::Sparse(entries)
        }
    }
    /// z ← exp(M h) z for ‖M‖ |h| ≤ 1.3, the norm in any units of the basis.
    pub(crate) fn step(&self, z: &mut [f64], h: f64, norm: f64) {
        self.add_series(z, h, terms(norm * h.abs()));
    }
    /// z ← z + M h z + … + (M h)ᵏ z / k! for so many terms.
    fn add_series(&self, z: &mut [f64], h: f64, terms: usize) {
        let mut term: SmallVec<[f64; 17]> = SmallVec::from_slice(z);
        let mut next: SmallVec<[f64; 17]> = SmallVec::from_elem(0.0, z.len());
        for k in 1..=terms {
            next.fill(0.0);
            self.add_image(&term, &mut next);
            for (next, z) in next.iter_mut().zip(&mut *z) {
                *next *= h / k as f64;
                *z += *next;
            }
            std::mem::swap(&mut term, &mut next);
        }
    }
    /// image += M z.
    fn add_image(&self, z: &[f64], image: &mut [f64]) {
        match self {
            Self::Sparse(entries) => add_image(entries, z, image),
            Self::Dense(matrix) => {
                let rows = image.iter_mut().zip(matrix.chunks_exact(z.len()));
                rows.for_each(|(image, row)| *image += dot(row, z));
            }
        }
    }
}

/// image += M z, of the nonzero entries of M.
fn add_image(entries: &[(usize, usize, f64)], z: &[f64], image: &mut [f64]) {
    for &(i, j, v) in entries {
        image[i] += v * z[j];
    }
}

/// The scalar product. Long ones are several sums side by side, which do not wait for each other.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const SIDE_BY_SIDE: usize = 8;
    if a.len() <= SMALL + 1 {
        return a.iter().zip(b).map(|(x, y)| x * y).sum();
    }
    let (mut long, mut other) = (a.chunks_exact(SIDE_BY_SIDE), b.chunks_exact(SIDE_BY_SIDE));
    let mut sums = [0.0; SIDE_BY_SIDE];
    for (a, b) in long.by_ref().zip(other.by_ref()) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f64 = long.remainder().iter().zip(other.remainder()).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}
