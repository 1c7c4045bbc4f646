//! Smooth maps `(x, p) → ℝᵐ`: right-hand sides, guards, resets, inequalities, observables, closed-form flows.

use super::structure::Structure;
use super::text::Corners;
use pulp::{Arch, NullaryFnOnce};
use slipstick_numerics::scalar::{Affine, Dual, Gradient, Hessian, NarrowGradient, Precise, Scalar, Second, Third};
use smallvec::SmallVec;
use std::sync::Arc;

/// A formula written once for every kind of number. Implement this; [`Function`] follows.
///
/// ```
/// use slipstick_system::{Formula, Function};
/// use slipstick_numerics::scalar::Scalar;
/// struct Pendulum;
/// impl Formula for Pendulum {
///     fn outputs(&self) -> usize { 2 }
///     fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
///         out[0] = x[1];
///         out[1] = -x[0].sin() * p[0];
///     }
/// }
/// let mut out = [0.0; 2];
/// Pendulum.value(&[0.5, 1.0], &[2.0], &mut out);
/// assert_eq!(out, [1.0, -2.0 * 0.5f64.sin()]);
/// ```
pub trait Formula: Send + Sync {
    /// How many components `eval` writes.
    fn outputs(&self) -> usize;
    /// Evaluate at the point `x` with parameters `p` into `out`.
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]);
    /// Where it is not smooth, if that is known of it.
    fn corners(&self) -> Option<&Corners> {
        None
    }
    /// Which arguments each component depends on, if that is known of it and worth knowing.
    fn structure(&self) -> Option<&Structure> {
        None
    }
}

/// A [`Formula`] behind a pointer: the same map in each kind of number the engine needs.
///
/// ```
/// use slipstick_system::{Function, SharedFunction, catalogue, jacobian};
/// // Fields of unlike systems behind the same kind of pointer. Their Jacobians are exact, whatever they are made of.
/// let fields: Vec<(SharedFunction, Vec<f64>)> = catalogue::all()
///     .into_iter()
///     .map(|system| (system.modes[system.start.mode()].field.clone(), system.default_parameters()))
///     .collect();
/// for (field, p) in fields.iter().take(2) {
///     let n = field.outputs();
///     let (mut rates, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
///     jacobian(field.as_ref(), &vec![0.1; n], p, &[], &mut rates, &mut dx, &mut []);
///     assert!(rates.iter().chain(&dx).all(|v| v.is_finite()));
/// }
/// ```
pub trait Function: Send + Sync {
    /// How many components are written.
    fn outputs(&self) -> usize;
    /// Values.
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]);
    /// Values and first derivatives along eight directions.
    fn gradient(&self, x: &[Gradient], p: &[Gradient], out: &mut [Gradient]);
    /// Values and first derivatives along four directions.
    fn narrow_gradient(&self, x: &[NarrowGradient], p: &[NarrowGradient], out: &mut [NarrowGradient]) {
        let widen = |d: &NarrowGradient| {
            let mut wide = Gradient::constant(d.re);
            wide.eps[..4].copy_from_slice(&d.eps);
            wide
        };
        let x: SmallVec<[Gradient; 8]> = x.iter().map(widen).collect();
        let p: SmallVec<[Gradient; 8]> = p.iter().map(widen).collect();
        let mut wide: SmallVec<[Gradient; 8]> = SmallVec::from_elem(Gradient::zero(), out.len());
        self.gradient(&x, &p, &mut wide);
        for (o, w) in out.iter_mut().zip(&wide) {
            o.re = w.re;
            o.eps.copy_from_slice(&w.eps[..4]);
        }
    }
    /// A directional derivative and its gradient along eight directions.
    fn hessian(&self, x: &[Hessian], p: &[Hessian], out: &mut [Hessian]);
    /// Mixed second derivative along two directions.
    fn second(&self, x: &[Second], p: &[Second], out: &mut [Second]);
    /// Mixed third derivative along three directions.
    fn third(&self, x: &[Third], p: &[Third], out: &mut [Third]);
    /// The affine form in the basis the caller chose, if the map has one.
    fn affine(&self, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]);
    /// The affine form with first derivatives of its coefficients.
    fn affine_gradient(&self, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]);
    /// Values and a derivative along one direction with twice the digits; false where there are none.
    fn precise(&self, x: &[Precise], p: &[Precise], out: &mut [Precise]) -> bool {
        let _ = (x, p, out);
        false
    }
    /// Where it is not smooth, if that is known of it.
    fn corners(&self) -> Option<&Corners> {
        None
    }
    /// Which arguments each component depends on, if that is known of it and worth knowing.
    fn structure(&self) -> Option<&Structure> {
        None
    }
    /// Scalars of which one changes sign wherever this has a corner or jumps, so far as that is known of it.
    fn breaks(&self) -> Vec<SharedFunction> {
        let surfaces = self.corners().map_or_else(Vec::new, Corners::surfaces);
        surfaces.into_iter().map(|s| Arc::new(s) as SharedFunction).collect()
    }
}

/// An evaluation, compiled for each kind of vector unit.
struct Evaluation<'a, F, T>(&'a F, &'a [T], &'a [T], &'a mut [T]);
impl<F: Formula, T: Scalar> NullaryFnOnce for Evaluation<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        self.0.eval(self.1, self.2, self.3);
    }
}

impl<F: Formula> Function for F {
    fn outputs(&self) -> usize {
        Formula::outputs(self)
    }
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        self.eval(x, p, out);
    }
    fn gradient(&self, x: &[Gradient], p: &[Gradient], out: &mut [Gradient]) {
        self.eval(x, p, out);
    }
    fn narrow_gradient(&self, x: &[NarrowGradient], p: &[NarrowGradient], out: &mut [NarrowGradient]) {
        // Four derivatives fit a vector register.
        Arch::new().dispatch(Evaluation(self, x, p, out));
    }
    fn hessian(&self, x: &[Hessian], p: &[Hessian], out: &mut [Hessian]) {
        self.eval(x, p, out);
    }
    fn second(&self, x: &[Second], p: &[Second], out: &mut [Second]) {
        self.eval(x, p, out);
    }
    fn third(&self, x: &[Third], p: &[Third], out: &mut [Third]) {
        self.eval(x, p, out);
    }
    fn affine(&self, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]) {
        self.eval(x, p, out);
    }
    fn affine_gradient(&self, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        self.eval(x, p, out);
    }
    fn precise(&self, x: &[Precise], p: &[Precise], out: &mut [Precise]) -> bool {
        self.eval(x, p, out);
        true
    }
    fn corners(&self) -> Option<&Corners> {
        Formula::corners(self)
    }
    fn structure(&self) -> Option<&Structure> {
        Formula::structure(self)
    }
}

/// A shared map.
pub type SharedFunction = Arc<dyn Function>;

/// Value and exact Jacobian of `f` at `(x, p)`.
///
/// `out` gets the m values; `dx` the m×n derivatives with respect to `x`, row by row; `dp` those with respect to the
/// parameters listed in `free`, m×`free.len()`, row by row. Costs one pass for up to four directions, else one for
/// every eight. For many points at the same parameters see [`Jacobian`].
pub fn jacobian(
    f: &dyn Function,
    x: &[f64],
    p: &[f64],
    free: &[usize],
    out: &mut [f64],
    dx: &mut [f64],
    dp: &mut [f64],
) {
    // Used once, what the numbers are written into is not to be moved.
    match x.len() + free.len() {
        ..=4 => Seeds::new(f.outputs(), x.len(), p, free).pass(
            |x, p, y| f.narrow_gradient(x, p, y),
            free.len(),
            x,
            out,
            dx,
            dp,
        ),
        5..=8 => {
            Seeds::new(f.outputs(), x.len(), p, free).pass(|x, p, y| f.gradient(x, p, y), free.len(), x, out, dx, dp);
        }
        _ => Jacobian::new(f, x.len(), p, free).at(x, out, dx, dp),
    }
}

/// Values and exact Jacobians of a map at many points, parameters fixed: what does not change between points is set up
/// once.
///
/// ```
/// use slipstick_numerics::scalar::Scalar;
/// use slipstick_system::{Formula, Jacobian};
/// struct Pendulum;
/// impl Formula for Pendulum {
///     fn outputs(&self) -> usize { 2 }
///     fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
///         out[0] = x[1];
///         out[1] = -x[0].sin() * p[0];
///     }
/// }
/// let mut linearised = Jacobian::new(&Pendulum, 2, &[4.0], &[0]);
/// let (mut f, mut dx, mut dp) = ([0.0; 2], [0.0; 4], [0.0; 2]);
/// for angle in [0.0, 1.0] {
///     linearised.at(&[angle, 0.0], &mut f, &mut dx, &mut dp);
///     assert_eq!(dx, [0.0, 1.0, -4.0 * f64::cos(angle), 0.0]);
///     assert_eq!(dp[1], -f64::sin(angle));
/// }
/// ```
pub struct Jacobian<'a> {
    f: &'a dyn Function,
    n: usize,
    free: &'a [usize],
    lanes: Lanes,
}

/// Inputs and outputs in the kind of dual number that fits.
enum Lanes {
    Few(Seeds<4>),
    Many(Seeds<8>),
}

/// Arguments, parameters and values.
struct Seeds<const N: usize> {
    x: SmallVec<[Dual<f64, N>; 4]>,
    p: SmallVec<[Dual<f64, N>; 8]>,
    y: SmallVec<[Dual<f64, N>; 4]>,
}

impl<'a> Jacobian<'a> {
    /// For a map of `n` arguments at the parameters `p`, of which those listed in `free` are differentiated by.
    pub fn new(f: &'a dyn Function, n: usize, p: &[f64], free: &'a [usize]) -> Self {
        let lanes = if n + free.len() <= 4 {
            Lanes::Few(Seeds::new(f.outputs(), n, p, free))
        } else {
            Lanes::Many(Seeds::new(f.outputs(), n, p, free))
        };
        Self { f, n, free, lanes }
    }

    /// Values and derivatives at `x`, laid out as by [`jacobian`].
    pub fn at(&mut self, x: &[f64], out: &mut [f64], dx: &mut [f64], dp: &mut [f64]) {
        let f = self.f;
        match &mut self.lanes {
            Lanes::Few(seeds) => seeds.pass(|x, p, y| f.narrow_gradient(x, p, y), self.free.len(), x, out, dx, dp),
            Lanes::Many(seeds) if self.n + self.free.len() <= 8 => {
                seeds.pass(|x, p, y| f.gradient(x, p, y), self.free.len(), x, out, dx, dp);
            }
            Lanes::Many(seeds) => match f.structure() {
                Some(structure) => {
                    dx.fill(0.0);
                    let by = (structure, self.free);
                    let n = self.n;
                    seeds.grouped_passes(
                        |x, p, y| f.gradient(x, p, y),
                        by,
                        x,
                        out,
                        |i, _, d, v| dx[i * n + d] = v,
                        dp,
                    );
                }
                None => seeds.passes(|x, p, y| f.gradient(x, p, y), self.free, x, out, dx, dp),
            },
        }
    }
}

impl Jacobian<'_> {
    /// Values, the derivatives that can differ from zero, in the order of the rows of the map's
    /// [`Structure`], and those with respect to the free parameters, row by row; false if the structure is not known.
    pub fn entries_at(&mut self, x: &[f64], out: &mut [f64], entries: &mut [f64], dp: &mut [f64]) -> bool {
        let f = self.f;
        let (Lanes::Many(seeds), Some(structure)) = (&mut self.lanes, f.structure()) else {
            return false;
        };
        let by = (structure, self.free);
        seeds.grouped_passes(
            |x, p, y| f.gradient(x, p, y),
            by,
            x,
            out,
            |i, k, _, v| {
                entries[structure.begin(i) + k] = v;
            },
            dp,
        );
        true
    }
}

/// Deal values out into their places, and derivatives by `n` arguments and `k` parameters.
#[inline(always)]
fn deal<const N: usize>(y: &[Dual<f64, N>], n: usize, k: usize, out: &mut [f64], dx: &mut [f64], dp: &mut [f64]) {
    for (i, y) in y.iter().enumerate() {
        out[i] = y.re;
        dx[i * n..(i + 1) * n].copy_from_slice(&y.eps[..n]);
        dp[i * k..(i + 1) * k].copy_from_slice(&y.eps[n..n + k]);
    }
}

impl<const N: usize> Seeds<N> {
    #[inline(always)]
    fn new(m: usize, n: usize, p: &[f64], free: &[usize]) -> Self {
        let mut seeds = Self {
            x: SmallVec::new(),
            p: SmallVec::new(),
            y: SmallVec::new(),
        };
        seeds.x.resize(n, Dual::zero());
        seeds.p.extend(p.iter().map(|&v| Dual::constant(v)));
        seeds.y.resize(m, Dual::zero());
        if n + free.len() <= N {
            for i in 0..n + free.len() {
                seeds.target(i, free).eps[i] = 1.0;
            }
        }
        seeds
    }

    /// The input that column `i` of `[dx | dp]` differentiates by.
    fn target(&mut self, i: usize, free: &[usize]) -> &mut Dual<f64, N> {
        let n = self.x.len();
        if i < n {
            &mut self.x[i]
        } else {
            &mut self.p[free[i - n]]
        }
    }

    /// All columns at once.
    #[inline(always)]
    fn pass(
        &mut self,
        gradient: impl Fn(&[Dual<f64, N>], &[Dual<f64, N>], &mut [Dual<f64, N>]),
        k: usize,
        x: &[f64],
        out: &mut [f64],
        dx: &mut [f64],
        dp: &mut [f64],
    ) {
        let n = self.x.len();
        for (d, v) in self.x.iter_mut().zip(x) {
            d.re = *v;
        }
        gradient(&self.x, &self.p, &mut self.y);
        // With sizes known beforehand the few numbers are moved one by one, not by calls that copy memory.
        match (n, k) {
            (2, 0) => deal(&self.y, 2, 0, out, dx, dp),
            (2, 1) => deal(&self.y, 2, 1, out, dx, dp),
            (3, 0) => deal(&self.y, 3, 0, out, dx, dp),
            (3, 1) => deal(&self.y, 3, 1, out, dx, dp),
            (n, k) => deal(&self.y, n, k, out, dx, dp),
        }
    }

    /// As many groups of columns at a time as there are directions, then the free parameters. Derivatives that may
    /// differ from zero are handed over with their row, their number in it and their column.
    fn grouped_passes(
        &mut self,
        gradient: impl Fn(&[Dual<f64, N>], &[Dual<f64, N>], &mut [Dual<f64, N>]),
        (structure, free): (&Structure, &[usize]),
        x: &[f64],
        out: &mut [f64],
        mut derivative: impl FnMut(usize, usize, usize, f64),
        dp: &mut [f64],
    ) {
        let (n, k, groups) = (x.len(), free.len(), structure.groups());
        for first in (0..(groups + k).max(1)).step_by(N) {
            let lanes = first..(first + N).min(groups + k);
            for (d, v) in x.iter().enumerate() {
                self.x[d] = Dual::constant(*v);
                if let Some(group) = structure.group(d).filter(|group| lanes.contains(group)) {
                    self.x[d].eps[group - first] = 1.0;
                }
            }
            let parameters = lanes.start.max(groups)..lanes.end.max(groups);
            for lane in parameters.clone() {
                self.target(n + lane - groups, free).eps[lane - first] = 1.0;
            }
            gradient(&self.x, &self.p, &mut self.y);
            for (i, y) in self.y.iter().enumerate() {
                out[i] = y.re;
                for (number, &d) in structure.row(i).iter().enumerate() {
                    if let Some(group) = structure.group(d).filter(|group| lanes.contains(group)) {
                        derivative(i, number, d, y.eps[group - first]);
                    }
                }
                for lane in parameters.clone() {
                    dp[i * k + lane - groups] = y.eps[lane - first];
                }
            }
            for lane in parameters {
                self.target(n + lane - groups, free).eps[lane - first] = 0.0;
            }
        }
    }

    /// As many columns at a time as there are directions.
    fn passes(
        &mut self,
        gradient: impl Fn(&[Dual<f64, N>], &[Dual<f64, N>], &mut [Dual<f64, N>]),
        free: &[usize],
        x: &[f64],
        out: &mut [f64],
        dx: &mut [f64],
        dp: &mut [f64],
    ) {
        let (n, k) = (x.len(), free.len());
        for (d, v) in self.x.iter_mut().zip(x) {
            *d = Dual::constant(*v);
        }
        for first in (0..n + k).step_by(N) {
            let columns = first..(first + N).min(n + k);
            for d in columns.clone() {
                self.target(d, free).eps[d - first] = 1.0;
            }
            gradient(&self.x, &self.p, &mut self.y);
            for d in columns {
                for (i, y) in self.y.iter().enumerate() {
                    if d < n {
                        dx[i * n + d] = y.eps[d - first];
                    } else {
                        dp[i * k + d - n] = y.eps[d - first];
                    }
                }
                self.target(d, free).eps[d - first] = 0.0;
            }
        }
        for (o, y) in out.iter_mut().zip(&self.y) {
            *o = y.re;
        }
    }
}
