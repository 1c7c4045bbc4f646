//! The lift of a system to its tangent vectors: each state x moves together with one or two perturbations v of it.
//!
//! In each mode `x' = f(x, p)`, `v' = f_x(x, p) v`; at an event with guard g and landing map R the vectors jump with
//! the saltation `v⁺ = R_x (v - f (g_x v)/(g_x f))`. A periodic orbit of the lifted system that closes up with
//! `v(T) = v(0)`, `v(T) = -v(0)` or `v(T) = e^{iθ} v(0)` is an orbit of the system with a multiplier +1, -1 or e^{iθ},
//! together with its eigenvector: folds, period doublings, symmetry breakings and Neimark–Sacker points solved as
//! orbits, by whatever discretisation serves orbits. Equilibria of the rotated lift are Hopf points, those of the plain
//! one folds. All derivatives stay exact: first derivatives of the lift are second ones of the system.
//!
//! References: E. J. Doedel, H. B. Keller and J. P. Kernévez, *Numerical analysis and control of bifurcation problems
//! (II)*, Int. J. Bifurcation Chaos 1 (1991) 745–772; J. Guckenheimer, M. Myers and B. Sturmfels, *Computing Hopf
//! bifurcations I*, SIAM J. Numer. Anal. 34 (1997) 1–21.

use super::clocks::clocks;
use super::freed::Freed;
use super::function::{Function, SharedFunction};
use super::hybrid::{Event, Inequality, Mode, ModeKind, Parameter, State, Symmetry, System};
use super::tangent_number::{GenericMap, TangentNumber, hessian_by_passes};
use slipstick_numerics::scalar::{AFFINE_TERMS, Affine, Gradient, Hessian, LARGEST_BASIS, Scalar, Second, Third};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// How the tangent vectors close up after one period (of a symmetric orbit: after one half, the symmetry applied).
///
/// ```
/// use slipstick_system::{Closure, catalogue::stiction};
/// let system = stiction();
/// // For a period doubling each state gets a component of the eigenvector, v(T) = -v(0).
/// let doubled = system.extended(Closure::Opposite, false);
/// assert!(doubled.states.len() == 2 * system.states.len() && doubled.state("v_x").is_some());
/// // For Neimark–Sacker there are two vectors, and the rate at which their frame turns is an unknown.
/// assert_eq!((Closure::Rotated.vectors(), Closure::Rotated.parameters().len()), (2, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// `v(T) = v(0)`: a multiplier +1.
    Same,
    /// The same for orbits that no event pins in time: `v' = f_x v + β f` with the further parameter β, since f itself
    /// closes up.
    SameUpToShift,
    /// `v(T) = -v(0)`: a multiplier -1.
    Opposite,
    /// Two vectors in a frame that turns at the rate κ, a further parameter: `q' = f_x q + κ r`, `r' = f_x r - κ q`.
    /// Multipliers e^{±iκT}.
    Rotated,
    /// Two vectors at a crossing with another family of orbits that no event pins in time, with a rate each,
    /// `v' = f_x v + ρ f_λ + β f` and `w' = f_x w + σ f_λ + γ f`, both closing up. Such vectors have two dimensions
    /// there, those along the flow apart, also where a second one of them has no rate. The states themselves move with
    /// `x' = f + b v`; the further parameter b unfolds the crossing, and is zero wherever there is one.
    Crossing {
        /// The index of λ.
        parameter: usize,
    },
    /// The same at a crossing of families of equilibria or of points of maps, with the derivative along a direction δ
    /// in the plane of two parameters: `v' = f_x v + ρ f_δ` and `w' = f_x w + σ f_δ`.
    NullSpace {
        /// The indices of both parameters.
        parameters: [usize; 2],
    },
}

impl Closure {
    /// How many tangent vectors there are.
    pub fn vectors(self) -> usize {
        if matches!(self, Self::Rotated | Self::Crossing { .. } | Self::NullSpace { .. }) {
            2
        } else {
            1
        }
    }
    /// The names of further parameters. They come after those of the system.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Same | Self::Opposite => &[],
            Self::SameUpToShift => &["beta"],
            Self::Rotated => &["kappa"],
            Self::Crossing { .. } => &["rho", "sigma", "unfolding", "beta", "gamma"],
            Self::NullSpace { .. } => &["unfolding", "rho", "sigma"],
        }
    }
    /// The names of what stays along a curve behind these: the components of the direction δ.
    pub fn constants(self) -> &'static [&'static str] {
        match self {
            Self::NullSpace { .. } => &["delta_1", "delta_2"],
            _ => &[],
        }
    }
}

/// A vector in several parts.
type Few<T> = SmallVec<[T; 8]>;

/// The shape of the arguments: how many states, tangent vectors and parameters.
#[derive(Clone, Copy)]
struct Shape {
    n: usize,
    parameters: usize,
    closure: Closure,
}

impl Shape {
    fn states(self) -> usize {
        self.n * (1 + self.closure.vectors())
    }
    fn vector<T>(self, x: &[T], i: usize) -> &[T] {
        &x[(1 + i) * self.n..(2 + i) * self.n]
    }
}

/// The field of a mode, lifted. Of a map (no rates but next states) the pair turns by κ with each step.
struct ExtendedField {
    shape: Shape,
    field: SharedFunction,
    map: bool,
    /// The states that turn at a rate of their own: what unfolds a crossing leaves them alone.
    clocks: Vec<usize>,
}

impl ExtendedField {
    /// The field, and its derivative along a vector and these rates of parameters.
    fn along_parameters<T: TangentNumber>(
        &self,
        x: &[T],
        vector: usize,
        base: &[T],
        rates: &[(usize, T)],
        f: &mut [T],
        rate: &mut [T],
    ) {
        let moving = Freed {
            function: self.field.clone(),
            parameters: rates.iter().map(|(parameter, _)| *parameter).collect(),
        };
        let (mut at, mut direction): (Few<T>, Few<T>) = (
            SmallVec::from_slice(&x[..self.shape.n]),
            SmallVec::from_slice(self.shape.vector(x, vector)),
        );
        for (parameter, along) in rates {
            at.push(base[*parameter]);
            direction.push(*along);
        }
        T::along(&moving, &at, &direction, base, f, rate);
    }

    /// Let the states move with so much of the first vector. A phase of a forcing stays one: orbits are found, measured
    /// and sized as those of a forced system all along the curve.
    fn unfold<T: TangentNumber>(&self, f: &mut [T], x: &[T], by: T) {
        let moved = f.iter_mut().zip(self.shape.vector(x, 0)).enumerate();
        for (_, (f, v)) in moved.filter(|(i, _)| !self.clocks.contains(i)) {
            *f += *v * by;
        }
    }
}

impl GenericMap for ExtendedField {
    fn outputs(&self) -> usize {
        self.shape.states()
    }
    fn eval<T: TangentNumber>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let Shape { n, parameters, closure } = self.shape;
        let (base, more) = p.split_at(parameters);
        let (f, rates) = out.split_at_mut(n);
        for (i, rate) in rates.chunks_exact_mut(n).enumerate() {
            match closure {
                Closure::Crossing { parameter } => {
                    self.along_parameters(x, i, base, &[(parameter, more[i])], f, rate);
                }
                Closure::NullSpace { parameters: [a, b] } => {
                    let along = [(a, more[1 + i] * more[3]), (b, more[1 + i] * more[4])];
                    self.along_parameters(x, i, base, &along, f, rate);
                }
                _ => T::along(&*self.field, &x[..n], self.shape.vector(x, i), base, f, rate),
            }
        }
        match closure {
            Closure::Same | Closure::Opposite => {}
            Closure::SameUpToShift => {
                for (r, f) in rates.iter_mut().zip(f.iter()) {
                    *r += *f * more[0];
                }
            }
            Closure::Crossing { .. } => {
                for (rate, factor) in rates.chunks_exact_mut(n).zip(&more[3..]) {
                    for (r, f) in rate.iter_mut().zip(f.iter()) {
                        *r += *f * *factor;
                    }
                }
                self.unfold(f, x, more[2]);
            }
            Closure::NullSpace { .. } => self.unfold(f, x, more[0]),
            Closure::Rotated if self.map => turn_back(rates, n, more[0]),
            Closure::Rotated => {
                for c in 0..n {
                    rates[c] += x[2 * n + c] * more[0];
                    rates[n + c] -= x[n + c] * more[0];
                }
            }
        }
    }
}

/// Multiply the pair q + i r by `e^{-i angle}`.
fn turn_back<T: TangentNumber>(pair: &mut [T], n: usize, angle: T) {
    let (sin, cos) = angle.sin_cos();
    for c in 0..n {
        let (q, r) = (pair[c], pair[n + c]);
        pair[c] = q * cos + r * sin;
        pair[n + c] = r * cos - q * sin;
    }
}

/// The closed-form flow of a mode, lifted; the time is the last argument.
struct ExtendedFlow {
    shape: Shape,
    flow: SharedFunction,
}

impl GenericMap for ExtendedFlow {
    fn outputs(&self) -> usize {
        self.shape.states()
    }
    fn eval<T: TangentNumber>(&self, z: &[T], p: &[T], out: &mut [T]) {
        let Shape { n, parameters, closure } = self.shape;
        let (base, more) = p.split_at(parameters);
        let t = z[self.shape.states()];
        let mut at: Few<T> = SmallVec::from_slice(&z[..n]);
        at.push(t);
        let (x, vectors) = out.split_at_mut(n);
        for (i, rate) in vectors.chunks_exact_mut(n).enumerate() {
            let mut direction: Few<T> = SmallVec::from_slice(self.shape.vector(z, i));
            // The shift adds β t f(x(t)), which is a change of time by β t.
            direction.push(match closure {
                Closure::SameUpToShift => t * more[0],
                _ => T::zero(),
            });
            T::along(&*self.flow, &at, &direction, base, x, rate);
        }
        if closure == Closure::Rotated {
            turn_back(vectors, n, t * more[0]);
        }
    }
}

/// Where a state comes from when an event leads to the next mode.
enum Source {
    Same(usize),
    Map(usize),
    Zero,
}

/// What an event does to the states and, with the saltation, to the vectors. Of a reset there follow the rate of the
/// guard, `g_x f`, and what the reset makes of the field, `R_x f`: the saltation has the first as its denominator and
/// the second as its direction, and where the rate is small they tell how the vectors change with it.
struct ExtendedLanding {
    shape: Shape,
    field: SharedFunction,
    guard: SharedFunction,
    map: Option<SharedFunction>,
    sources: Vec<Source>,
    resets: bool,
}

impl ExtendedLanding {
    fn new(shape: Shape, system: &System, mode: &Mode, event: &Event) -> Self {
        let absent: Vec<usize> = (0..system.states.len()).filter(|s| !mode.states.contains(s)).collect();
        let target = &system.modes[event.target].states;
        let sources = target
            .iter()
            .enumerate()
            .map(|(position, state)| {
                if event.reset.is_some() {
                    Source::Map(position)
                } else if let Some(i) = mode.states.iter().position(|s| s == state) {
                    Source::Same(i)
                } else {
                    match absent.iter().position(|s| s == state) {
                        Some(i) if mode.absent.is_some() => Source::Map(i),
                        _ => Source::Zero,
                    }
                }
            })
            .collect();
        Self {
            shape,
            field: mode.field.clone(),
            guard: event.guard.clone(),
            map: event.reset.clone().or_else(|| mode.absent.clone()),
            sources,
            resets: event.reset.is_some(),
        }
    }
}

impl GenericMap for ExtendedLanding {
    fn outputs(&self) -> usize {
        let landed = self.sources.len();
        landed * (1 + self.shape.closure.vectors()) + if self.resets { 1 + landed } else { 0 }
    }
    fn eval<T: TangentNumber>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let Shape { n, parameters, closure } = self.shape;
        let base = &p[..parameters];
        let mut f: Few<T> = smallvec![T::zero(); n];
        T::value_of(&*self.field, &x[..n], base, &mut f);
        let (mut guard, mut crossing, mut displaced) = ([T::zero()], [T::zero()], [T::zero()]);
        T::along(&*self.guard, &x[..n], &f, base, &mut guard, &mut crossing);
        let count = self.map.as_ref().map_or(0, |m| m.outputs());
        let (mut value, mut rate): (Few<T>, Few<T>) = (smallvec![T::zero(); count], smallvec![T::zero(); count]);
        let (landed, rest) = out.split_at_mut(self.sources.len());
        let (vectors, at_the_event) = rest.split_at_mut(self.sources.len() * closure.vectors());
        if let (Some(map), [speed, direction @ ..]) = (&self.map, at_the_event) {
            *speed = crossing[0];
            T::along(&**map, &x[..n], &f, base, &mut value, direction);
        }
        for (i, landed_vector) in vectors.chunks_exact_mut(self.sources.len()).enumerate() {
            let v = self.shape.vector(x, i);
            T::along(&*self.guard, &x[..n], v, base, &mut guard, &mut displaced);
            let delay = displaced[0] / crossing[0];
            let w: Few<T> = v.iter().zip(&f).map(|(&v, &f)| v - f * delay).collect();
            if let Some(map) = &self.map {
                T::along(&**map, &x[..n], &w, base, &mut value, &mut rate);
            }
            for ((x_new, v_new), source) in landed.iter_mut().zip(landed_vector).zip(&self.sources) {
                (*x_new, *v_new) = match *source {
                    Source::Same(i) => (x[i], w[i]),
                    Source::Map(i) => (value[i], rate[i]),
                    Source::Zero => (T::zero(), T::zero()),
                };
            }
        }
    }
}

/// A [`GenericMap`] map as a [`Function`].
struct Raised<L>(L);

impl<L: GenericMap + AffineRows> Function for Raised<L> {
    fn outputs(&self) -> usize {
        GenericMap::outputs(&self.0)
    }
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        self.0.eval(x, p, out);
    }
    fn gradient(&self, x: &[Gradient], p: &[Gradient], out: &mut [Gradient]) {
        self.0.eval(x, p, out);
    }
    fn hessian(&self, x: &[Hessian], p: &[Hessian], out: &mut [Hessian]) {
        hessian_by_passes(x, p, out, |x, p, y| self.0.eval(x, p, y));
    }
    fn second(&self, x: &[Second], p: &[Second], out: &mut [Second]) {
        self.0.eval(x, p, out);
    }
    /// Third derivatives of a lift would be fourth ones of the system, which functions do not offer: not a number.
    fn third(&self, _: &[Third], _: &[Third], out: &mut [Third]) {
        out.fill(Third::from_f64(f64::NAN));
    }
    fn affine(&self, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]) {
        self.0.affine_rows(x, p, out, |f, x, p, y| f.affine(x, p, y));
    }
    fn affine_gradient(&self, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        self.0.affine_rows(x, p, out, |f, x, p, y| f.affine_gradient(x, p, y));
    }
}

/// The evaluation of a function in affine forms.
type RunAffine<T> = fn(&dyn Function, &[Affine<T>], &[Affine<T>], &mut [Affine<T>]);

/// Maps that may be affine in their states.
trait AffineRows {
    /// The affine form; by default there is none.
    fn affine_rows<T: Scalar>(&self, _: &[Affine<T>], _: &[Affine<T>], out: &mut [Affine<T>], _: RunAffine<T>) {
        refuse(out);
    }
}

fn refuse<T: Scalar>(out: &mut [Affine<T>]) {
    out.fill(Affine::constant(T::zero()));
    out.iter_mut().for_each(|o| o.exact = false);
}

impl AffineRows for ExtendedFlow {}
impl AffineRows for ExtendedLanding {}
impl AffineRows for ExtendedField {
    /// A field that is linear in the states themselves stays so when lifted: the vectors move with its matrix. Of
    /// another one the rates of the states are affine as far as they are without vectors: a phase of a forcing is one
    /// still, also where a term unfolds a crossing.
    fn affine_rows<T: Scalar>(&self, x: &[Affine<T>], p: &[Affine<T>], out: &mut [Affine<T>], run: RunAffine<T>) {
        let Shape { n, parameters, closure } = self.shape;
        let (base, more) = p.split_at(parameters);
        if n > LARGEST_BASIS || self.map {
            return refuse(out);
        }
        let mut rows: Few<Affine<T>> = smallvec![Affine::constant(T::zero()); n];
        if matches!(closure, Closure::Crossing { .. } | Closure::NullSpace { .. }) {
            refuse(out);
            run(&*self.field, &x[..n], base, &mut rows);
            self.clocks.iter().for_each(|&i| out[i] = rows[i]);
            return;
        }
        let (f, rates) = out.split_at_mut(n);
        run(&*self.field, &x[..n], base, f);
        rates.fill(Affine::constant(T::zero()));
        for first in (0..n).step_by(AFFINE_TERMS) {
            let plain: Few<Affine<T>> = (0..n).map(|i| Affine::basis(i, first)).collect();
            run(&*self.field, &plain, base, &mut rows);
            if rows.iter().any(|r| !r.exact || r.angle.is_some()) {
                return refuse(rates);
            }
            for (i, rate) in rates.chunks_exact_mut(n).enumerate() {
                let v = self.shape.vector(x, i);
                for (r, row) in rate.iter_mut().zip(&rows) {
                    for ((j, v), a) in v.iter().enumerate().skip(first).zip(&row.terms) {
                        if row.depends_on(j) {
                            *r += *v * Affine::constant(*a);
                        }
                    }
                }
            }
        }
        match closure {
            Closure::Same | Closure::Opposite | Closure::Crossing { .. } | Closure::NullSpace { .. } => {}
            Closure::SameUpToShift => {
                for (r, f) in rates.iter_mut().zip(f.iter()) {
                    *r += *f * more[0];
                }
            }
            Closure::Rotated => {
                for c in 0..n {
                    rates[c] += x[2 * n + c] * more[0];
                    rates[n + c] -= x[n + c] * more[0];
                }
            }
        }
    }
}

/// A function of the states alone, as one of states and vectors.
struct OfStates {
    shape: Shape,
    function: SharedFunction,
}

macro_rules! pass_on {
    ($($name:ident: $number:ty),*) => {
        $(fn $name(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
            self.function.$name(&x[..self.shape.n], &p[..self.shape.parameters], out);
        })*
    };
}

impl Function for OfStates {
    fn outputs(&self) -> usize {
        self.function.outputs()
    }
    pass_on!(value: f64, gradient: Gradient, hessian: Hessian, second: Second, third: Third,
        affine: Affine<f64>, affine_gradient: Affine<Gradient>);
}

impl System {
    /// The system lifted to its tangent vectors. States are those of the system followed by one set for each vector
    /// (`v_x`, or `q_x` and `r_x`); parameters those of the system followed by the closure's own, if it has one. With
    /// `symmetric`, its symmetry is the system's acting on vectors too, else none; an opposite closure turns the
    /// vectors about besides, also where there is no other symmetry: an orbit with `v(T) = -v(0)` is a symmetric one of
    /// the lift, of half its period.
    pub fn extended(&self, closure: Closure, symmetric: bool) -> Self {
        let count = self.states.len();
        let own = self.parameters.len();
        let prefixes: &[&str] = match closure {
            Closure::Rotated => &["q", "r"],
            Closure::Crossing { .. } | Closure::NullSpace { .. } => &["v", "w"],
            _ => &["v"],
        };
        let mut states = self.states.clone();
        for prefix in prefixes {
            states.extend(self.states.iter().map(|s| State {
                name: format!("{prefix}_{}", s.name),
                period: None,
            }));
        }
        let mut parameters = self.parameters.clone();
        let names = closure.parameters().iter().chain(closure.constants());
        parameters.extend(names.map(|name| Parameter {
            name: (*name).into(),
            value: 0.0,
            about: "of the tangent vectors".into(),
        }));
        let modes = self
            .modes
            .iter()
            .map(|mode| {
                let shape = Shape {
                    n: mode.states.len(),
                    parameters: own,
                    closure,
                };
                let of_states = |function: &SharedFunction| -> SharedFunction {
                    Arc::new(OfStates {
                        shape,
                        function: function.clone(),
                    })
                };
                let inequality = |i: &Inequality| Inequality {
                    name: i.name.clone(),
                    function: of_states(&i.function),
                    strict: i.strict,
                };
                Mode {
                    name: mode.name.clone(),
                    kind: mode.kind,
                    states: (0..=closure.vectors())
                        .flat_map(|k| mode.states.iter().map(move |s| s + k * count))
                        .collect(),
                    absent: None,
                    field: Arc::new(Raised(ExtendedField {
                        shape,
                        field: mode.field.clone(),
                        map: mode.kind == ModeKind::Map,
                        clocks: clocks(self, mode),
                    })),
                    events: mode
                        .events
                        .iter()
                        .map(|event| Event {
                            name: event.name.clone(),
                            guard: of_states(&event.guard),
                            direction: event.direction,
                            when: event.when.iter().map(inequality).collect(),
                            target: event.target,
                            reset: Some(Arc::new(Raised(ExtendedLanding::new(shape, self, mode, event)))),
                        })
                        .collect(),
                    inequalities: mode.inequalities.iter().map(inequality).collect(),
                    surfaces: mode.surfaces.iter().map(of_states).collect(),
                    exact: mode
                        .exact
                        .as_ref()
                        .filter(|_| !matches!(closure, Closure::Crossing { .. } | Closure::NullSpace { .. }))
                        .map(|flow| {
                            Arc::new(Raised(ExtendedFlow {
                                shape,
                                flow: flow.clone(),
                            })) as SharedFunction
                        }),
                }
            })
            .collect();
        Self {
            name: self.name.clone(),
            about: self.about.clone(),
            states,
            parameters,
            modes,
            symmetry: self.extended_symmetry(closure, symmetric),
            observables: vec![],
            monitors: vec![],
            start: self.start.clone(),
            slow_fast: None,
            requirements: vec![],
            units: self.units.clone(),
        }
    }

    fn extended_symmetry(&self, closure: Closure, symmetric: bool) -> Option<Symmetry> {
        let count = self.states.len();
        let base = match &self.symmetry {
            Some(s) if symmetric => s.clone(),
            _ if closure == Closure::Opposite => Symmetry {
                source: (0..count).collect(),
                sign: vec![1.0; count],
                shift: vec![0.0; count],
                modes: (0..self.modes.len()).collect(),
            },
            _ => return None,
        };
        let turn = if closure == Closure::Opposite { -1.0 } else { 1.0 };
        let mut extended = base.clone();
        for k in 1..=closure.vectors() {
            extended.source.extend(base.source.iter().map(|s| s + k * count));
            extended.sign.extend(base.sign.iter().map(|s| turn * s));
            extended.shift.extend(vec![0.0; count]);
        }
        Some(extended)
    }
}
