//! The course of one segment in time, from its flow or from its mesh: values, extremes, what it comes near to.

use super::collocation::Collocation;
use super::periodic::Segment;
use crate::bifurcation::bracketed_root;
use crate::continuation::Failure;
use crate::flow::Path;
use crate::linalg::dot;
use crate::system::{Function, SharedFunction, jacobian};

/// A segment that can be looked at anywhere.
pub(super) enum Course<'z, 's> {
    /// By the flow of its mode.
    Flow(Path<'s>),
    /// By the collocation polynomials.
    Mesh(MeshCourse<'z>),
}

/// The course of a segment on a mesh.
pub(super) struct MeshCourse<'a> {
    mesh: &'a Collocation,
    start: &'a [f64],
    block: &'a [f64],
    duration: f64,
    field: &'a SharedFunction,
}

/// A value below which a start counts as lying on a surface.
const ON_SURFACE: f64 = 1e-9;

impl<'z, 's> Course<'z, 's> {
    pub(super) fn new(
        segment: &'z Segment<'s>,
        field: &'z SharedFunction,
        z: &'z [f64],
        p: &[f64],
    ) -> Result<Self, Failure> {
        let start = &z[segment.offset..segment.offset + segment.n];
        let duration = z[segment.offset + segment.n];
        match &segment.mesh {
            Some((mesh, _)) => Ok(Self::Mesh(MeshCourse {
                mesh,
                start,
                block: &z[segment.block()],
                duration,
                field,
            })),
            None => segment
                .flow
                .path(start, duration, p)
                .map(Self::Flow)
                .map_err(|e| Failure::Evaluation(e.to_string())),
        }
    }

    /// The states at time `t` of the segment.
    pub(super) fn eval(&self, t: f64, out: &mut [f64]) {
        match self {
            Self::Flow(path) => path.eval(t, out),
            Self::Mesh(m) => m.eval(t, out),
        }
    }

    /// Smallest and largest value of `h` over the closed segment.
    pub(super) fn extrema(&self, h: &dyn Function, p: &[f64]) -> Result<(f64, f64), Failure> {
        match self {
            Self::Flow(path) => path.extrema(h, p).map_err(|e| Failure::Evaluation(e.to_string())),
            Self::Mesh(m) => {
                let look = m.look(h, p);
                let values = look.ends.into_iter().chain(look.turns.iter().map(|t| t.1));
                Ok(values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v))))
            }
        }
    }

    /// The smallest value of `sign · h` that speaks about the inside: interior local minima, the start unless it lies on the surface, the end
    /// unless the segment `ends_here` on the surface. Infinite if nothing is left.
    pub(super) fn least_inside(&self, h: &dyn Function, sign: f64, ends_here: bool, p: &[f64]) -> Result<f64, Failure> {
        match self {
            Self::Flow(path) => path
                .least_inside(h, sign, ends_here, p)
                .map_err(|e| Failure::Evaluation(e.to_string())),
            Self::Mesh(m) => {
                let look = m.look(h, p);
                let mut least = look
                    .turns
                    .iter()
                    .filter(|t| sign * t.2 > 0.0)
                    .map(|t| sign * t.1)
                    .fold(f64::INFINITY, f64::min);
                if look.ends[0].abs() > ON_SURFACE {
                    least = least.min(sign * look.ends[0]);
                }
                if !ends_here {
                    least = least.min(sign * look.ends[1]);
                }
                Ok(least)
            }
        }
    }
}

/// What a scalar does along a mesh.
struct Look {
    ends: [f64; 2],
    /// Local extremes: time, value, and +1 for a minimum, -1 for a maximum.
    turns: Vec<(f64, f64, f64)>,
}

impl MeshCourse<'_> {
    fn eval(&self, t: f64, out: &mut [f64]) {
        let sigma = if self.duration == 0.0 { 0.0 } else { t / self.duration };
        self.mesh.eval(self.start, self.block, sigma, out);
    }

    /// Value and rate of `h` at the scaled time `sigma`.
    fn rate(&self, h: &dyn Function, p: &[f64], x: &[f64]) -> (f64, f64) {
        let n = x.len();
        let mut value = [0.0];
        let mut dx = vec![0.0; n];
        jacobian(h, x, p, &[], &mut value, &mut dx, &mut []);
        let mut f = vec![0.0; n];
        self.field.value(x, p, &mut f);
        (value[0], dot(&dx, &f))
    }

    /// Turning points of `h`, by the sign of its rate at nodes and stages, each located to rounding.
    fn look(&self, h: &dyn Function, p: &[f64]) -> Look {
        let mut x = vec![0.0; self.mesh.n];
        let (first, mut before_rate) = self.rate(h, p, self.start);
        let mut before = 0.0;
        let mut turns = vec![];
        let mut last = first;
        for j in 0..self.mesh.len() {
            let (a, b) = (self.mesh.mesh[j], self.mesh.mesh[j + 1]);
            let n = self.mesh.n;
            for (i, &c) in self.mesh.gauss.c.iter().chain(&[1.0]).enumerate() {
                let sigma = a + c * (b - a);
                let at = if i < self.mesh.gauss.stages {
                    &self.mesh.stages(self.block, j)[i * n..(i + 1) * n]
                } else {
                    self.mesh.node(self.start, self.block, j + 1)
                };
                let (value, rate) = self.rate(h, p, at);
                last = value;
                if rate * before_rate < 0.0 {
                    let found = bracketed_root(before, before_rate, sigma, rate, 1e-15, |s| {
                        self.mesh.eval(self.start, self.block, s, &mut x);
                        Ok::<_, std::convert::Infallible>(self.rate(h, p, &x).1)
                    });
                    let s = found.unwrap_or(sigma);
                    self.mesh.eval(self.start, self.block, s, &mut x);
                    let kind = if before_rate < 0.0 { 1.0 } else { -1.0 };
                    turns.push((s * self.duration, self.rate(h, p, &x).0, kind));
                }
                (before, before_rate) = (sigma, rate);
            }
        }
        Look {
            ends: [first, last],
            turns,
        }
    }
}
