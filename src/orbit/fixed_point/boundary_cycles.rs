//! What is born in the plane where an equilibrium reaches a surface across which the field jumps.
//!
//! Next to the boundary equilibrium the field is linear on its side and constant on the other, up to a scale: what the
//! motion does on the side of the parameter where the equilibrium exists is the same at all distances. An orbit that
//! leaves the surface at its visible tangency goes round an unstable focus and lands; if it slides back to the tangency
//! from there, that is a cycle, whose size is in proportion to the distance of the parameter. (Yu. A. Kuznetsov, S.
//! Rinaldi, A. Gragnani, *One-parameter bifurcations in planar Filippov systems*, Int. J. Bifurcation Chaos 13, 2003.)

use slipstick_numerics::roots::bracketed_root;
use std::convert::Infallible;

type Vector = [f64; 2];

/// A boundary equilibrium in the plane.
pub(super) struct Passage {
    /// The derivatives of the field of its side.
    pub(super) a: [Vector; 2],
    /// The gradient of the switching function, towards this side.
    pub(super) normal: Vector,
    /// The field of the other side.
    pub(super) other: Vector,
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl Passage {
    fn times(&self, x: Vector) -> Vector {
        self.a.map(|row| dot(row, x))
    }

    fn trace(&self) -> f64 {
        self.a[0][0] + self.a[1][1]
    }

    fn determinant(&self) -> f64 {
        self.a[0][0] * self.a[1][1] - self.a[0][1] * self.a[1][0]
    }

    /// The solution of A x = b.
    fn solved(&self, b: Vector) -> Vector {
        let [[p, q], [r, s]] = self.a;
        let d = self.determinant();
        [(s * b[0] - q * b[1]) / d, (p * b[1] - r * b[0]) / d]
    }

    /// Does the field of the other side push to the surface?
    fn attracts(&self) -> bool {
        dot(self.normal, self.other) > 0.0
    }

    /// Real and imaginary part of the eigenvalues of a focus.
    fn focus(&self) -> Option<(f64, f64)> {
        let half = 0.5 * self.trace();
        let square = self.determinant() - half * half;
        (square > 0.0).then(|| (half, square.sqrt()))
    }

    /// Where the flow from a point, seen from the equilibrium, is after a time.
    fn flowed(&self, (alpha, omega): (f64, f64), x: Vector, t: f64) -> Vector {
        let (sin, cos) = (omega * t).sin_cos();
        let turned = self.times(x);
        [0, 1].map(|i| (alpha * t).exp() * (x[i] * cos + (turned[i] - alpha * x[i]) / omega * sin))
    }

    /// Is there a cycle that slides, on the side of the parameter where the equilibrium exists?
    fn has_cycle(&self) -> bool {
        let Some((alpha, omega)) = self.focus().filter(|f| f.0 > 0.0 && self.attracts()) else {
            return false;
        };
        // Seen from the equilibrium, the surface lies at height -1; on it the field is tangent at the multiple of A⁻¹t,
        // t along the surface.
        let along = [-self.normal[1], self.normal[0]];
        let tangent = self.solved(along);
        let scale = -1.0 / dot(self.normal, tangent);
        let from = tangent.map(|v| scale * v);
        let height = |t: f64| dot(self.normal, self.flowed((alpha, omega), from, t)) + 1.0;
        // It rises for half a turn, and falls for another.
        let (rise, fall) = (std::f64::consts::PI / omega, 2.0 * std::f64::consts::PI / omega);
        let Ok(t) = bracketed_root(rise, height(rise), fall, height(fall), 1e-14 * fall, |t| {
            Ok::<_, Infallible>(height(t))
        });
        let lands = self.flowed((alpha, omega), from, t);
        // Sliding rests where the field of this side is a negative multiple of the other one.
        let share = 1.0 / dot(self.normal, self.solved(self.other));
        if share < 0.0 {
            return true;
        }
        let rests = self.solved(self.other).map(|v| -share * v);
        let place = |x: Vector| dot(along, [x[0] - from[0], x[1] - from[1]]);
        let part = place(rests) / place(lands);
        !(0.0..=1.0).contains(&part)
    }
}

/// What is born at a boundary equilibrium in the plane, in words, to be appended to a message.
pub(super) fn born_in_plane(at: &Passage, mode: &str) -> String {
    /// Determinants and discriminants up to this, relative to the squares of the derivatives, decide nothing.
    const DEGENERATE: f64 = 1e-9;
    let size = at.a.iter().flatten().map(|v| v * v).sum::<f64>();
    let half = 0.5 * at.trace();
    let undecided = |v: f64| v.abs() <= DEGENERATE * size;
    if undecided(at.determinant()) || undecided(at.determinant() - half * half) || undecided(half * half) {
        return String::new();
    }
    let stability = if half > 0.0 { "unstable" } else { "stable" };
    let kind = match at.determinant() < 0.0 {
        true => "saddle".to_owned(),
        false if at.focus().is_some() => format!("{stability} focus"),
        false => format!("{stability} node"),
    };
    let born = match at.has_cycle() {
        true => format!(
            "a stable cycle with a sliding segment surrounds it on the side of the parameter where the equilibrium in `{mode}` exists; its size is in proportion to the distance of the parameter from this value"
        ),
        false => "no limit cycle is born here".to_owned(),
    };
    format!("; boundary {kind}: {born}")
}
