//! The projections that separate contact motion from the rest: V, W, A and H(t).
//!
//! State z = (x; x'), resolved variables y = V z = (y₁; y₂): displacements and velocities of the M contact points. W
//! puts all weight on M modes, so that V W = I and its range is invariant under the free dynamics R; then A = V R W is
//! a 2M×2M oscillator, A = [0, I; -K, -C]. With M = 1 it is [0, 1; -ω₁², -2 D₁ ω₁].
//!
//! Source: R. Szalai, Modelling elastic structures with strong nonlinearities with application to stick–slip friction,
//! Proc. R. Soc. A 470 (2014), §3; formulas re-derived.

use super::error::ElasticError;
use super::structure::Structure;
use nalgebra::{DMatrix, DVector};

/// Response of one mode to a unit impulse, and its integral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Impulse {
    /// g(t) = e^{-Dωt} sin(qωt)/(qω), q = √(1 - D²).
    pub(crate) g: f64,
    /// g'(t).
    pub(crate) dg: f64,
    /// ∫₀ᵗ g = (1 - g' - 2Dω g)/ω².
    pub(crate) integral: f64,
}

impl Impulse {
    /// Of a mode with natural frequency `omega` and damping ratio `damping`, at time `t`.
    pub(crate) fn new(omega: f64, damping: f64, t: f64) -> Self {
        let q = (1.0 - damping * damping).sqrt();
        let decay = (-damping * omega * t).exp();
        let (sin, cos) = (q * omega * t).sin_cos();
        let g = decay * sin / (q * omega);
        let dg = decay * (cos - damping / q * sin);
        Self {
            g,
            dg,
            integral: (1.0 - dg - 2.0 * damping * omega * g) / (omega * omega),
        }
    }
}

/// V, W, A and H(t) of a structure with M contact points.
///
/// ```
/// use slipstick_models::elastic::{Projection, Structure};
/// let projection = Projection::new(&Structure::string(10, 1.0, 0.1, &[0.4])?)?;
/// assert_eq!((projection.contacts(), projection.modes()), (1, 10));
/// // The modes that move least for this motion of the contact give it back.
/// let z = projection.embed(&[0.3, -1.0])?;
/// let y = projection.resolve(&z)?;
/// assert!((y[0] - 0.3).abs() < 1e-12 && (y[1] + 1.0).abs() < 1e-12);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    omega: Vec<f64>,
    damping: Vec<f64>,
    /// n_{jk}, M×N.
    shapes: DMatrix<f64>,
    /// The modes that carry W.
    carriers: Vec<usize>,
    /// Amplitudes of the carriers for unit contact motions, M×M.
    weights: DMatrix<f64>,
    stiffness: DMatrix<f64>,
    damper: DMatrix<f64>,
}

impl Projection {
    /// W rests on the first modes that the contacts can tell apart (mode 1 alone for one contact, unless it has a node
    /// there).
    pub fn new(structure: &Structure) -> Result<Self, ElasticError> {
        let (contacts, modes) = (structure.contacts(), structure.modes());
        let m = contacts.len();
        let shapes = DMatrix::from_fn(m, modes, |j, k| contacts[j].shape[k]);
        let largest = shapes.amax();
        for (j, contact) in contacts.iter().enumerate() {
            if shapes.row(j).amax() <= 1e-10 * largest || largest == 0.0 {
                return Err(ElasticError::Blind {
                    structure: structure.name().to_owned(),
                    contact: contact.name.clone(),
                    why: "at a node of every mode".to_owned(),
                });
            }
        }
        // Gram–Schmidt on the columns of shapes, in order: take a mode when it adds a direction
        let mut carriers = Vec::new();
        let mut directions: Vec<DVector<f64>> = Vec::new();
        for k in 0..modes {
            let mut rest = shapes.column(k).into_owned();
            for d in &directions {
                let along = d.dot(&rest);
                rest -= d * along;
            }
            if rest.norm() > 1e-6 * largest {
                let norm = rest.norm();
                directions.push(rest / norm);
                carriers.push(k);
            }
            if carriers.len() == m {
                break;
            }
        }
        let chosen = DMatrix::from_fn(m, carriers.len(), |j, i| shapes[(j, carriers[i])]);
        let inverse = if carriers.len() == m {
            chosen.clone().try_inverse()
        } else {
            None
        };
        let weights = inverse.ok_or_else(|| ElasticError::Blind {
            structure: structure.name().to_owned(),
            contact: contacts[m - 1].name.clone(),
            why: "not distinguishable from the other contacts with these modes".to_owned(),
        })?;
        let along = |f: &dyn Fn(usize) -> f64| {
            let diagonal = DMatrix::from_diagonal(&DVector::from_iterator(m, carriers.iter().map(|&k| f(k))));
            &chosen * diagonal * &weights
        };
        let (omega, damping) = (structure.omega().to_vec(), structure.damping().to_vec());
        let stiffness = along(&|k| omega[k] * omega[k]);
        let damper = along(&|k| 2.0 * damping[k] * omega[k]);
        Ok(Self {
            omega,
            damping,
            shapes,
            carriers,
            weights,
            stiffness,
            damper,
        })
    }

    /// Number of contact points M.
    pub fn contacts(&self) -> usize {
        self.shapes.nrows()
    }
    /// Number of modes N.
    pub fn modes(&self) -> usize {
        self.omega.len()
    }
    pub(crate) fn omega(&self) -> &[f64] {
        &self.omega
    }
    pub(crate) fn damping(&self) -> &[f64] {
        &self.damping
    }
    pub(crate) fn shapes(&self) -> &DMatrix<f64> {
        &self.shapes
    }
    /// K of A = [0, I; -K, -C], M×M: ω₁² for one contact.
    pub fn stiffness(&self) -> &DMatrix<f64> {
        &self.stiffness
    }
    /// C of A = [0, I; -K, -C], M×M: 2 D₁ ω₁ for one contact.
    pub fn damper(&self) -> &DMatrix<f64> {
        &self.damper
    }
    /// A = V R W, 2M×2M.
    pub fn a(&self) -> DMatrix<f64> {
        let m = self.contacts();
        let mut a = DMatrix::zeros(2 * m, 2 * m);
        a.view_mut((0, m), (m, m)).copy_from(&DMatrix::identity(m, m));
        a.view_mut((m, 0), (m, m)).copy_from(&-&self.stiffness);
        a.view_mut((m, m), (m, m)).copy_from(&-&self.damper);
        a
    }

    fn check(&self, z: &[f64]) -> Result<(), ElasticError> {
        let modes = self.modes();
        if z.len() == 2 * modes {
            return Ok(());
        }
        Err(ElasticError::State {
            found: z.len(),
            modes,
            needed: 2 * modes,
        })
    }

    /// y = V z: displacements, then velocities, of the contact points. `z` holds the N modal displacements, then the N
    /// velocities.
    pub fn resolve(&self, z: &[f64]) -> Result<DVector<f64>, ElasticError> {
        self.check(z)?;
        let (m, n) = (self.contacts(), self.modes());
        Ok(DVector::from_fn(2 * m, |i, _| {
            let part = if i < m { &z[..n] } else { &z[n..] };
            self.shapes.row(i % m).iter().zip(part).map(|(a, b)| a * b).sum()
        }))
    }

    /// z = W y: the motion that shows `y` (displacements, then velocities of the M contacts) with the carrier modes
    /// only.
    pub fn embed(&self, y: &[f64]) -> Result<Vec<f64>, ElasticError> {
        let (m, n) = (self.contacts(), self.modes());
        if y.len() != 2 * m {
            return Err(ElasticError::State {
                found: y.len(),
                modes: m,
                needed: 2 * m,
            });
        }
        let mut z = vec![0.0; 2 * n];
        for (i, &k) in self.carriers.iter().enumerate() {
            for j in 0..m {
                z[k] += self.weights[(i, j)] * y[j];
                z[n + k] += self.weights[(i, j)] * y[m + j];
            }
        }
        Ok(z)
    }

    /// e^{Rt} z: the unforced motion after time `t`.
    pub fn free_motion(&self, z: &[f64], t: f64) -> Result<Vec<f64>, ElasticError> {
        self.check(z)?;
        let n = self.modes();
        let mut out = vec![0.0; 2 * n];
        for k in 0..n {
            let (w, d) = (self.omega[k], self.damping[k]);
            let r = Impulse::new(w, d, t);
            out[k] = (r.dg + 2.0 * d * w * r.g) * z[k] + r.g * z[n + k];
            out[n + k] = -w * w * r.g * z[k] + r.dg * z[n + k];
        }
        Ok(out)
    }

    /// H(t) z = V R Q e^{Rt} z, 2M numbers: what the unresolved part of the start does to the contact points. The first
    /// M are 0.
    pub fn initial_forcing(&self, z: &[f64], t: f64) -> Result<DVector<f64>, ElasticError> {
        let (m, n) = (self.contacts(), self.modes());
        let moved = self.free_motion(z, t)?;
        let y = self.resolve(&moved)?;
        let mut out = DVector::zeros(2 * m);
        for j in 0..m {
            let mut sum = 0.0;
            for k in 0..n {
                let (w, d) = (self.omega[k], self.damping[k]);
                sum -= self.shapes[(j, k)] * (w * w * moved[k] + 2.0 * d * w * moved[n + k]);
            }
            for i in 0..m {
                sum += self.stiffness[(j, i)] * y[i] + self.damper[(j, i)] * y[m + i];
            }
            out[m + j] = sum;
        }
        Ok(out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::Contact;
    use proptest::prelude::*;

    #[test]
    fn one_contact_gives_the_first_oscillator() {
        let string = Structure::string(7, 1.3, 0.07, &[0.4]).unwrap();
        let p = Projection::new(&string).unwrap();
        let w = string.omega()[0];
        let a = p.a();
        assert_eq!((a[(0, 0)], a[(0, 1)]), (0.0, 1.0));
        assert!((a[(1, 0)] + w * w).abs() < 1e-14 && (a[(1, 1)] + 2.0 * 0.07 * w).abs() < 1e-15);
        let embedded = p.embed(&[0.3, -1.1]).unwrap();
        assert!((embedded[0] - 0.3 / string.contacts()[0].shape[0]).abs() < 1e-16);
        assert!(p.initial_forcing(&embedded, 0.37).unwrap().amax() < 1e-14);
    }

    #[test]
    fn a_mode_with_a_node_at_the_contact_is_passed_over() {
        let contact = Contact {
            name: "c".into(),
            shape: vec![0.0, 2.0, 1.0],
        };
        let s = Structure::new("s", vec![1.0, 2.0, 3.0], vec![0.0; 3], vec![contact]).unwrap();
        assert!((Projection::new(&s).unwrap().stiffness()[(0, 0)] - 4.0).abs() < 1e-15);
    }

    #[test]
    fn contacts_that_see_nothing_or_the_same_are_refused() {
        let c = |name: &str, shape: &[f64]| Contact {
            name: name.into(),
            shape: shape.to_vec(),
        };
        let s = Structure::new("s", vec![1.0, 2.0], vec![0.0; 2], vec![c("a", &[0.0, 0.0])]).unwrap();
        assert!(
            Projection::new(&s)
                .unwrap_err()
                .to_string()
                .contains("`a` is at a node of every mode")
        );
        let s = Structure::new(
            "s",
            vec![1.0, 2.0],
            vec![0.0; 2],
            vec![c("a", &[1.0, 2.0]), c("b", &[2.0, 4.0])],
        )
        .unwrap();
        assert!(
            Projection::new(&s)
                .unwrap_err()
                .to_string()
                .contains("not distinguishable")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn v_w_is_the_identity_and_the_range_of_w_is_invariant(
            xi in 0.05f64..0.45, eta in 0.55f64..0.95, damping in 0.0f64..0.9, y in proptest::array::uniform4(-2.0f64..2.0)
        ) {
            let mut string = Structure::string(9, 1.0, damping, &[xi, eta]).unwrap();
            if damping < 0.2 {
                string = Structure::new("s", string.omega().to_vec(), (0..9).map(|k| damping * f64::from(k) / 9.0).collect(),
                    string.contacts().to_vec()).unwrap();
            }
            let p = Projection::new(&string).unwrap();
            let z = p.embed(&y).unwrap();
            let back = p.resolve(&z).unwrap();
            for (a, b) in back.iter().zip(&y) {
                prop_assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
            // y' = A y along free motion that starts in the range of W
            let h = 1e-4;
            let at = |t: f64| p.resolve(&p.free_motion(&z, t).unwrap()).unwrap();
            let slope = (at(h) - at(-h)) / (2.0 * h);
            let expected = p.a() * at(0.0);
            prop_assert!((slope - &expected).amax() < 1e-5 * (1.0 + expected.amax()));
            prop_assert!(p.initial_forcing(&z, 0.3).unwrap().amax() < 1e-9);
        }
    }
}
