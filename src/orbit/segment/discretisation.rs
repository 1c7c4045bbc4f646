//! Which discretisations there are.
use crate::segment::collocation::Collocation;
use crate::segment::flow::Flow;
use crate::segment::harmonic::Harmonic;
use crate::segment::harmonic::HarmonicOptions;
use crate::segment::mesh::MeshOptions;
use crate::segment::scheme::Scheme;
use crate::segment::shooting::Shooting;

/// How the segments in one mode are discretised.
///
/// ```
/// use slipstick_orbit::{Discretisation, MeshOptions};
/// // One for each mode of a system: here the first is flowed exactly, the second has a mesh.
/// let modes = [Discretisation::Flow, Discretisation::Collocation(MeshOptions::default())];
/// assert_eq!(modes[0], Discretisation::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Discretisation {
    /// By the mode's flow: closed form, matrix exponential or integrator; the segment is one shot.
    #[default]
    Flow,
    /// By orthogonal collocation on an adaptive mesh.
    Collocation(MeshOptions),
    /// By multiple shooting with an integrator for stiff modes: backwards where perturbations grow, forwards where they
    /// decay, on as many sub-segments as the growth that is left asks for.
    Shooting(MeshOptions),
    /// By trigonometric collocation (harmonic balance with the field evaluated in time): orbits without events, each as
    /// one segment.
    Harmonic(HarmonicOptions),
}

impl Discretisation {
    /// Is an orbit that meets no event always one segment?
    pub(crate) fn has_whole_orbits(&self) -> bool {
        matches!(self, Self::Harmonic(_))
    }

    /// The scheme of a segment of `n` states; a segment that no event ends comes back by the linear map `closing`, n×n
    /// by rows.
    pub(super) fn scheme(&self, n: usize, closing: &[f64]) -> Box<dyn Scheme> {
        match self {
            Self::Harmonic(options) => Box::new(Harmonic::new(n, *options, closing)),
            Self::Flow => Box::new(Flow),
            Self::Collocation(options) => Box::new(Collocation::new(n, *options)),
            Self::Shooting(options) => Box::new(Shooting::new(n, *options)),
        }
    }
}
