//! The course of one segment in time, from its flow or from its mesh: values, extremes, what it comes near to.

use crate::perturbation::evaluation;
use crate::segment::Segment;
use crate::segment::scheme::Profile;
use crate::turning_points::{refined, turning_points};
use slipstick_continuation::Failure;
use slipstick_flow::Path;
use slipstick_numerics::linalg::dot;
use slipstick_numerics::roots::bracketed_root;
use slipstick_numerics::scalar::{AFFINE_TERMS, Affine, LARGEST_BASIS};
use slipstick_numerics::tableau::Tableau;
use slipstick_system::{Direction, Function, SharedFunction, System, jacobian};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// A segment that can be looked at anywhere.
pub(crate) enum DenseOutput<'z, 's> {
    /// By the flow of its mode.
    Flow(Path<'s>),
    /// By the states along it.
    Mesh(MeshOutput<'z>),
}

/// The course of a segment on a mesh.
pub(crate) struct MeshOutput<'a> {
    profile: &'a dyn Profile,
    start: &'a [f64],
    block: &'a [f64],
    duration: f64,
    field: &'a SharedFunction,
    /// What each state does.
    states: SmallVec<[OnceCell<Look>; 4]>,
}

impl<'z, 's> DenseOutput<'z, 's> {
    /// A segment of an orbit with unknowns `z`.
    pub(crate) fn new(system: &'z System, segment: &'z Segment<'s>, z: &'z [f64], p: &[f64]) -> Result<Self, Failure> {
        let start = &z[segment.offset..segment.offset + segment.n];
        let duration = z[segment.offset + segment.n];
        match segment.profile() {
            Some(profile) => Ok(Self::Mesh(MeshOutput {
                profile,
                start,
                block: &z[segment.block()],
                duration,
                field: &system.modes[segment.mode].field,
                states: (0..segment.n).map(|_| OnceCell::new()).collect(),
            })),
            None => {
                let path = match &segment.guard {
                    Some(guard) => {
                        let surface = (guard.as_ref(), segment.direction);
                        segment.flow.path_onto(start, duration, p, surface)
                    }
                    None => segment.flow.path(start, duration, p),
                };
                path.map(Self::Flow).map_err(evaluation)
            }
        }
    }

    /// The states at time `t` of the segment.
    pub(crate) fn eval(&self, t: f64, out: &mut [f64]) {
        match self {
            Self::Flow(path) => path.eval(t, out),
            Self::Mesh(m) => m.eval(t, out),
        }
    }

    /// The ends of intervals that resolve the course for a method of high order: those of its mesh, or every few steps
    /// of its integrator.
    pub(crate) fn nodes(&self) -> Vec<f64> {
        /// Steps of the integrator, of order five where it is implicit, for one of order thirteen.
        const TOGETHER: usize = 4;
        match self {
            Self::Mesh(m) => m.profile.mesh().iter().map(|sigma| sigma * m.duration).collect(),
            Self::Flow(path) => {
                let nodes = path.nodes();
                let mut some: Vec<f64> = nodes.iter().step_by(TOGETHER).copied().collect();
                if (nodes.len() - 1) % TOGETHER != 0 {
                    some.push(path.duration());
                }
                some
            }
        }
    }

    /// The quadrature that goes with the equations between neighbouring nodes, where the segment is solved on a mesh.
    pub(crate) fn scheme(&self) -> Option<&Tableau> {
        match self {
            Self::Mesh(m) => Some(m.profile.gauss()),
            Self::Flow(_) => None,
        }
    }

    /// Visit Gauss points over the segment's `duration` with their weights in time, for integrals of functions of the
    /// `n` states.
    pub(crate) fn integrate(&self, n: usize, duration: f64, each_node: &mut dyn FnMut(f64, &[f64])) {
        /// Panels of the quadrature of a flow in closed form; an integrated one has a panel for each step. Eight Gauss
        /// points each.
        const PANELS: usize = 64;
        match self {
            Self::Flow(path) => {
                let gauss = Tableau::gauss(8);
                let nodes = path.nodes();
                // Where a panel begins, how many of its width after which time.
                let panels: Vec<(f64, f64, f64)> = if nodes.len() == 2 {
                    let width = duration / PANELS as f64;
                    (0..PANELS).map(|panel| (0.0, panel as f64, width)).collect()
                } else {
                    nodes.windows(2).map(|pair| (pair[0], 0.0, pair[1] - pair[0])).collect()
                };
                let mut x = vec![0.0; n];
                for (from, before, width) in panels {
                    for (b, c) in gauss.b.iter().zip(&gauss.c) {
                        path.eval(from + (before + c) * width, &mut x);
                        each_node(b * width, &x);
                    }
                }
            }
            Self::Mesh(m) => m.profile.integrate(m.start, m.block, duration, each_node),
        }
    }

    /// Smallest and largest value of `h` over the closed segment.
    pub(crate) fn extrema(&self, h: &dyn Function, p: &[f64]) -> Result<(f64, f64), Failure> {
        match self {
            Self::Flow(path) => path.extrema(h, p).map_err(evaluation),
            Self::Mesh(m) => {
                let look = m.look(h, p);
                let values = look.ends.into_iter().chain(look.turns.iter().map(|t| t.1));
                Ok(values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v))))
            }
        }
    }

    /// Where the smallest value of `sign · h` over the closed segment is met, and that value.
    pub(crate) fn least(&self, h: &dyn Function, sign: f64, p: &[f64]) -> Result<(f64, f64), Failure> {
        match self {
            Self::Flow(path) => {
                let whole = path.interior_minimum(h, sign, p, 0.0, path.duration(), true);
                let found = whole.map_err(evaluation)?;
                Ok(found.map_or((0.0, f64::INFINITY), |e| (e.t, e.value)))
            }
            Self::Mesh(m) => {
                let look = m.look(h, p);
                let ends = [(0.0, sign * look.ends[0]), (m.duration, sign * look.ends[1])];
                let all = ends.into_iter().chain(look.turns.iter().map(|t| (t.0, sign * t.1)));
                Ok(all.fold((0.0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a }))
            }
        }
    }

    /// The smallest value of `sign · h` that speaks about the inside, and the time at which it is met: interior local
    /// minima, the start unless it lies on the surface and the segment may begin there, the end unless the segment
    /// `ends_here` on the surface, where what is `near` zero lies on it. `None` if nothing is left.
    pub(crate) fn least_inside_at(
        &self,
        h: &dyn Function,
        (sign, near): (f64, f64),
        (begins_here, ends_here): (bool, bool),
        p: &[f64],
    ) -> Result<Option<(f64, f64)>, Failure> {
        match self {
            Self::Flow(path) => {
                let found = path.least_inside_at(h, (sign, near), (begins_here, ends_here), p);
                Ok(found.map_err(evaluation)?.map(|e| (e.t, e.value)))
            }
            Self::Mesh(m) => Ok(m.least_inside_at(h, (sign, near), (begins_here, ends_here), p)),
        }
    }

    /// The times inside the segment of this `duration` at which `h` crosses zero in the given direction.
    pub(crate) fn crossings(
        &self,
        h: &dyn Function,
        direction: Direction,
        p: &[f64],
        duration: f64,
    ) -> Result<Vec<f64>, Failure> {
        match self {
            Self::Flow(path) => {
                let found = path.crossings(h, direction, p, 0.0, duration);
                let found = found.map_err(evaluation)?;
                Ok(found.into_iter().filter(|c| !c.touching).map(|c| c.t).collect())
            }
            Self::Mesh(m) => Ok(m.crossings(h, direction, p)),
        }
    }

    /// The lowest local minimum of `sign · h` between two times, and when it is met.
    pub(crate) fn least_between(
        &self,
        h: &dyn Function,
        sign: f64,
        p: &[f64],
        from: f64,
        to: f64,
    ) -> Result<Option<(f64, f64)>, Failure> {
        match self {
            Self::Flow(path) => {
                let found = path.interior_minimum(h, sign, p, from, to, false);
                let found = found.map_err(evaluation)?;
                Ok(found.map(|e| (e.t, e.value)))
            }
            Self::Mesh(m) => {
                let look = m.look(h, p);
                let minima = look.turns.iter().filter(|t| sign * t.2 > 0.0 && t.0 > from && t.0 < to);
                Ok(minima.map(|t| (t.0, sign * t.1)).min_by(|a, b| a.1.total_cmp(&b.1)))
            }
        }
    }
}

/// What a scalar does along a mesh.
#[derive(Clone, Debug)]
struct Look {
    ends: [f64; 2],
    /// Local extremes: time, value, and +1 for a minimum, -1 for a maximum.
    turns: Vec<(f64, f64, f64)>,
}

impl Look {
    /// The same for `factor` times the scalar plus a `constant`.
    fn mapped(&self, factor: f64, constant: f64) -> Self {
        let value = |v: f64| factor * v + constant;
        Self {
            ends: self.ends.map(value),
            turns: self
                .turns
                .iter()
                .map(|&(t, v, kind)| (t, value(v), kind * factor.signum()))
                .collect(),
        }
    }
}

/// A scalar function of the states with its rate along the flow.
trait ScalarAlong {
    fn rate(&mut self, x: &[f64], f: &[f64]) -> (f64, f64);
}

/// One of the states.
struct State(usize);

impl ScalarAlong for State {
    fn rate(&mut self, x: &[f64], f: &[f64]) -> (f64, f64) {
        (x[self.0], f[self.0])
    }
}

/// Any function, by its gradient.
struct General<'a> {
    function: &'a dyn Function,
    p: &'a [f64],
    gradient: Vec<f64>,
}

impl ScalarAlong for General<'_> {
    fn rate(&mut self, x: &[f64], f: &[f64]) -> (f64, f64) {
        let mut value = [0.0];
        jacobian(self.function, x, self.p, &[], &mut value, &mut self.gradient, &mut []);
        (value[0], dot(&self.gradient, f))
    }
}

/// `h = factor · x[i] + constant`, if it is of that form.
fn single_state(h: &dyn Function, n: usize, p: &[f64]) -> Option<(usize, f64, f64)> {
    if n > LARGEST_BASIS {
        return None;
    }
    let p: SmallVec<[Affine<f64>; 8]> = p.iter().map(|&v| Affine::constant(v)).collect();
    let mut only = None;
    for first in (0..n).step_by(AFFINE_TERMS) {
        let x: SmallVec<[Affine<f64>; 4]> = (0..n).map(|i| Affine::basis(i, first)).collect();
        let mut out = [Affine::constant(0.0)];
        h.affine(&x, &p, &mut out);
        let [form] = out;
        for (i, &factor) in form.terms.iter().enumerate().filter(|t| *t.1 != 0.0) {
            let several = only.replace((first + i, factor, form.constant)).is_some();
            if several || !form.exact {
                return None;
            }
        }
    }
    only
}

impl MeshOutput<'_> {
    fn eval(&self, t: f64, out: &mut [f64]) {
        let sigma = if self.duration == 0.0 { 0.0 } else { t / self.duration };
        self.profile.eval(self.start, self.block, sigma, out);
    }

    fn least_inside_at(
        &self,
        h: &dyn Function,
        (sign, near): (f64, f64),
        (begins_here, ends_here): (bool, bool),
        p: &[f64],
    ) -> Option<(f64, f64)> {
        /// A tangency turns this close to its end, for a curvature of 1.
        const NEAR_END: f64 = 1e-4;
        let look = self.look(h, p);
        // What begins or ends tangentially on the surface turns there within rounding.
        let on = |v: f64| v.abs() <= near;
        let leaving = look.turns.iter().position(|t| !on(t.1)).unwrap_or(look.turns.len());
        let begins_here = begins_here && on(look.ends[0]);
        let leaving = if begins_here { leaving } else { 0 };
        let from = self.duration - NEAR_END * (1.0 + self.duration);
        let turns = look.turns[leaving..]
            .iter()
            .filter(|t| sign * t.2 > 0.0 && !(ends_here && on(t.1) && t.0 >= from))
            .map(|t| (t.0, sign * t.1));
        let start = (!begins_here).then_some((0.0, sign * look.ends[0]));
        let end = (!ends_here).then_some((self.duration, sign * look.ends[1]));
        turns.chain(start).chain(end).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The times at which `h` crosses zero in the given direction: between two turning points, at most once.
    fn crossings(&self, h: &dyn Function, direction: Direction, p: &[f64]) -> Vec<f64> {
        let look = self.look(h, p);
        let turns = look.turns.iter().map(|t| (t.0, t.1));
        let points: Vec<(f64, f64)> = std::iter::once((0.0, look.ends[0]))
            .chain(turns)
            .chain(std::iter::once((self.duration, look.ends[1])))
            .collect();
        let mut x = vec![0.0; self.profile.states()];
        let mut at = |t: f64| {
            let mut v = [0.0];
            self.eval(t, &mut x);
            h.value(&x, p, &mut v);
            Ok::<_, std::convert::Infallible>(v[0])
        };
        let sign = direction.sign();
        let crossed = points.windows(2).filter(|w| sign * w[0].1 < 0.0 && sign * w[1].1 > 0.0);
        crossed
            .map(|w| bracketed_root(w[0].0, w[0].1, w[1].0, w[1].1, 1e-15, &mut at).unwrap_or(w[1].0))
            .collect()
    }

    /// What `h` does along the mesh. States, and what is a state up to scale and shift, are followed once.
    fn look(&self, h: &dyn Function, p: &[f64]) -> Look {
        if let Some((i, factor, constant)) = single_state(h, self.profile.states(), p) {
            return self.states[i]
                .get_or_init(|| self.follow(&mut State(i), false, p))
                .mapped(factor, constant);
        }
        let mut along = General {
            function: h,
            p,
            gradient: vec![0.0; self.profile.states()],
        };
        self.follow(&mut along, true, p)
    }

    /// Turning points of a scalar, by its rate at the ends and at points that resolve the profile, each located to
    /// rounding. The field at these points is that of the last evaluation of the equations. What a formula makes of the
    /// states may need more points than these do.
    fn follow(&self, along: &mut dyn ScalarAlong, formula: bool, p: &[f64]) -> Look {
        let n = self.profile.states();
        let (mut x, mut f) = (vec![0.0; n], vec![0.0; n]);
        self.field.value(self.start, p, &mut f);
        let (first, rate) = along.rate(self.start, &f);
        let mut samples = vec![(0.0, rate)];
        self.profile.each_node(self.start, self.block, &mut |sigma, x, f| {
            if samples.last().is_some_and(|s| sigma > s.0) && sigma < 1.0 {
                samples.push((sigma, along.rate(x, f).1));
            }
        });
        let end = self.profile.node(self.start, self.block, self.profile.intervals());
        self.field.value(end, p, &mut f);
        let (last, rate) = along.rate(end, &f);
        samples.push((1.0, rate));
        let mut at = |sigma: f64| {
            self.profile.eval(self.start, self.block, sigma, &mut x);
            self.field.value(&x, p, &mut f);
            along.rate(&x, &f)
        };
        if formula {
            samples = refined(samples, &mut |sigma| at(sigma).1);
        }
        let turns = turning_points(&samples, &mut |sigma| at(sigma).1);
        let turn = |(sigma, rises): (f64, bool)| (sigma * self.duration, at(sigma).0, if rises { 1.0 } else { -1.0 });
        Look {
            ends: [first, last],
            turns: turns.into_iter().map(turn).collect(),
        }
    }
}
