//! An orbit that was followed in shooting intervals, discretised on meshes instead: where rounding within a shot grows
//! by more than it can be followed, meshes still hold the orbit.

use crate::dense_output::DenseOutput;
use crate::growth::growth_within;
use crate::periodic::PeriodicOrbit;
use crate::segment::discretisation::Discretisation;
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, tangent_at};

/// How often the meshes are fitted to the orbit.
const REFITS: usize = 4;

impl PeriodicOrbit<'_> {
    /// How the segments in each mode are discretised; modes not listed use their flow.
    pub fn discretisations(&self) -> &[Discretisation] {
        &self.discretisations
    }

    /// Whether curves are to end where rounding within a shot grows by more than Newton's method can follow, as they
    /// can be begun again on meshes.
    pub fn limit_growth(&mut self, limited: bool) {
        self.limits_growth = limited;
    }

    /// Do they?
    #[doc(hidden)]
    pub fn limits_growth(&self) -> bool {
        self.limits_growth
    }

    /// Where rounding within a shot grows by more than that, in words.
    pub(crate) fn has_outgrown(&self, z: &[f64]) -> Option<String> {
        self.limits_growth.then(|| growth_within(self, z)).flatten()
    }
}

/// The orbit at `point` with other discretisations of its modes: its problem, and its point there with the tangent that
/// goes the same way.
///
/// # Errors
/// [`Failure`] where the orbit cannot be evaluated or is not found on the meshes.
pub fn discretised_anew<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    point: &Point,
    discretisations: &[Discretisation],
) -> Result<(PeriodicOrbit<'s>, Point), Failure> {
    orbit.restore(&point.meshes);
    let (old, p) = (&*orbit, orbit.parameters_at(&point.z));
    let count = old.segments.len();
    let mut other = PeriodicOrbit::discretised(
        old.system,
        old.word.clone(),
        p.clone(),
        old.free.clone(),
        old.options,
        discretisations,
    );
    other.least_parameters.clone_from(&old.least_parameters);
    other.sides = old.sides;
    let dense = old
        .segments
        .iter()
        .map(|s| DenseOutput::new(old.system, s, &point.z, &p))
        .collect::<Result<Vec<_>, _>>()?;
    let starts: Vec<Vec<f64>> = (0..count).map(|k| old.start(&point.z, k).to_vec()).collect();
    let durations: Vec<f64> = (0..count).map(|k| old.duration(&point.z, k)).collect();
    let mut z = other.guess_along(&starts, &durations, &|k, t, out| dense[k].eval(t, out))?;
    // The plane across what starts, durations and parameters do along the curve.
    let mut row = vec![0.0; z.len()];
    for (from, to) in old.segments.iter().zip(&other.segments) {
        for i in 0..=from.n {
            row[to.offset + i] = point.tangent[from.offset + i] * point.weights[from.offset + i];
        }
    }
    let (n, m, free) = (point.z.len(), z.len(), old.free.len());
    for i in 1..=free {
        row[m - i] = point.tangent[n - i] * point.weights[n - i];
    }
    let mut newton = Newton::default();
    let mut solved = |other: &mut PeriodicOrbit<'s>, z: &mut Vec<f64>, row: &[f64]| {
        let anchor = z.clone();
        newton.solve(other, z, row, &anchor, &[0.0], &NewtonOptions::default())?;
        tangent_at(other, z.clone(), row, 1.0)
    };
    let mut found = solved(&mut other, &mut z, &row)?;
    for _ in 0..REFITS {
        if !other.accept(&mut found.z, &mut found.tangent) {
            break;
        }
        let mut weights = vec![0.0; found.z.len()];
        other.weights(&found.z, &mut weights);
        let row: Vec<f64> = found.tangent.iter().zip(&weights).map(|(t, w)| t * w).collect();
        let mut z = found.z;
        found = solved(&mut other, &mut z, &row)?;
    }
    Ok((other, found))
}
