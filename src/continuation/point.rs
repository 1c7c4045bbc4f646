//! The points of curves with their tangents.

use super::{Failure, Meshes, Problem};

/// A point of a curve with its unit tangent (in the metric of the weights).
///
/// ```
/// use slipstick_continuation::{Curve, StepOptions};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let curve = Curve::start(&mut rest, vec![1.1, 1.0], -1.0, StepOptions::default())?;
/// let point = curve.point();
/// // On the parabola a = x², with a tangent that leads to smaller a: da = 2 x dx.
/// assert!((point.parameter() - point.z[0] * point.z[0]).abs() < 1e-14 && point.parameter_rate() < 0.0);
/// assert!((point.tangent[1] - 2.0 * point.z[0] * point.tangent[0]).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Point {
    /// The unknowns, parameters last.
    pub z: Vec<f64>,
    /// dz/ds, oriented along the direction of travel.
    pub tangent: Vec<f64>,
    /// The weights at this point.
    pub weights: Vec<f64>,
    /// The meshes that the unknowns refer to, if the problem has meshes.
    pub meshes: Option<Meshes>,
}

impl Point {
    /// A solution by itself, to be measured: without a direction and without meshes, all unknowns of the size one.
    pub fn alone(z: Vec<f64>) -> Self {
        Self {
            tangent: vec![0.0; z.len()],
            weights: vec![1.0; z.len()],
            meshes: None,
            z,
        }
    }
    /// The free parameter.
    pub fn parameter(&self) -> f64 {
        self.z.last().copied().unwrap_or(f64::NAN)
    }
    /// The parameter's component of the tangent; its sign change is a fold.
    pub fn parameter_rate(&self) -> f64 {
        self.tangent.last().copied().unwrap_or(f64::NAN)
    }
    /// Does the parameter stand still here, to rounding: at a fold, or all along a family at one value of it?
    pub fn stays_at_parameter(&self) -> bool {
        let weight = self.weights.last().copied().unwrap_or(f64::NAN);
        self.parameter_rate().abs() * weight.sqrt() <= 1e-7
    }
    /// Arclength coordinate of another point of the same discretisation: its offset along this point's tangent.
    pub fn arclength_to(&self, other: &Self) -> f64 {
        self.tangent
            .iter()
            .zip(&other.z)
            .zip(&self.z)
            .zip(&self.weights)
            .map(|(((t, b), a), w)| t * (b - a) * w)
            .sum()
    }
    /// The cosine between the tangents, in the metric of this point.
    pub(super) fn alignment(&self, other: &Self) -> f64 {
        let both = self.tangent.iter().zip(&other.tangent).zip(&self.weights);
        both.map(|((a, b), w)| a * b * w).sum()
    }
    /// The cubic through this point and another of the same discretisation with their tangents, at arclength `s` from
    /// here.
    pub fn cubic(&self, other: &Self, s: f64) -> Vec<f64> {
        let weights = self.hermite(other, s);
        let known = self.z.iter().zip(&self.tangent).zip(other.z.iter().zip(&other.tangent));
        known.map(|((a, s), (b, t))| mix(&weights, *a, *s, *b, *t)).collect()
    }
    /// One unknown on that cubic.
    pub fn cubic_of(&self, other: &Self, s: f64, place: usize) -> f64 {
        let (a, b) = (self.z[place], other.z[place]);
        mix(&self.hermite(other, s), a, self.tangent[place], b, other.tangent[place])
    }
    /// Weights of the other point's offset and of both tangents.
    fn hermite(&self, other: &Self, s: f64) -> [f64; 3] {
        let width = self.arclength_to(other);
        // In the arclength of this point, in which the other tangent has the length 1/alignment.
        let rate = self.alignment(other);
        let u = s / width;
        let v = u - 1.0;
        [u * u * (3.0 - 2.0 * u), width * u * v * v, width / rate * u * u * v]
    }
    /// The angle between the tangents here and at another point of the same discretisation, in the metric here.
    pub fn turn_to(&self, other: &Self) -> f64 {
        let (mut ab, mut bb) = (0.0, 0.0);
        for ((x, y), w) in self.tangent.iter().zip(&other.tangent).zip(&self.weights) {
            ab += x * y * w;
            bb += y * y * w;
        }
        (ab / bb.sqrt()).clamp(-1.0, 1.0).acos()
    }
    /// Scaled distance to another point of the same discretisation; infinite if the discretisations differ.
    pub fn distance(&self, other: &Self) -> f64 {
        if self.z.len() != other.z.len() {
            return f64::INFINITY;
        }
        let sum: f64 = self
            .z
            .iter()
            .zip(&other.z)
            .zip(&self.weights)
            .map(|((a, b), w)| (a - b) * (a - b) * w)
            .sum();
        sum.sqrt()
    }
}

/// One component of a cubic: from values and slopes at both ends.
fn mix(weights: &[f64; 3], a: f64, slope_a: f64, b: f64, slope_b: f64) -> f64 {
    a + weights[0] * (b - a) + weights[1] * slope_a + weights[2] * slope_b
}

/// The unit tangent at a zero where the problem is linearised: the solution of `[F'; row] t = (0, 1)`, oriented along
/// `direction · row`.
pub fn tangent_at<P: Problem + ?Sized>(
    problem: &mut P,
    z: Vec<f64>,
    row: &[f64],
    direction: f64,
) -> Result<Point, Failure> {
    let n = z.len();
    let mut tangent = vec![0.0; n];
    tangent[n - 1] = 1.0;
    problem.solve(row, &mut tangent)?;
    let mut weights = vec![0.0; n];
    problem.weights(&z, &mut weights);
    let length = tangent.iter().zip(&weights).map(|(t, w)| t * t * w).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Failure::Evaluation("the curve has no tangent here".into()));
    }
    let scale = direction.signum() / length;
    tangent.iter_mut().for_each(|t| *t *= scale);
    Ok(Point {
        z,
        tangent,
        weights,
        meshes: problem.meshes(),
    })
}
