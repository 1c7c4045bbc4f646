//! A structure of N modes bowed at one contact point: the full model.
//!
//! x_k'' + 2 D_k ω_k x_k' + ω_k² x_k = n_k F, with F from the friction law in slip and from y₂ = v₀ in stick:
//! F = -(Σ n_k (-ω_k² x_k - 2 D_k ω_k x_k')) / Σ n_k².

use super::error::ElasticError;
use super::friction::FrictionLaw;
use super::march::{March, Resolution};
use super::modal::{ModalContact, dot};
use super::motion::{Motion, record};
use super::projection::Projection;
use super::structure::Structure;
use serde::Deserialize;

/// How many parameters a bowed structure has: v₀, μ, κ, σ.
pub(crate) const PARAMETERS: usize = 4;

/// A parameter of a bowed structure.
///
/// ```
/// use slipstick_models::elastic::BowedParameter;
/// let names: Vec<&str> = BowedParameter::ALL.iter().map(|parameter| parameter.name()).collect();
/// assert_eq!(names, ["v0", "mu", "kappa", "sigma"]);
/// ```
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum BowedParameter {
    /// The bow speed v₀.
    V0,
    /// The bound μ of the friction force.
    Mu,
    /// κ of the friction law.
    Kappa,
    /// σ of the friction law.
    Sigma,
}

impl BowedParameter {
    /// All of them, in order.
    pub const ALL: [Self; PARAMETERS] = [Self::V0, Self::Mu, Self::Kappa, Self::Sigma];
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::Mu => "mu",
            Self::Kappa => "kappa",
            Self::Sigma => "sigma",
        }
    }
    /// Its position in [`BowedParameter::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A structure with friction against a body that moves at constant speed.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, Resolution, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let motion = bowed.simulate(&bowed.start(-2.9, -2.7)?, 2.0, &[0.5, 1.0, 2.0], &Resolution::default())?;
/// assert!(!motion.events.is_empty());
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BowedStructure {
    pub(crate) contact: ModalContact,
    pub(crate) law: FrictionLaw,
    pub(crate) v0: f64,
    projection: Projection,
}

impl BowedStructure {
    /// Friction at contact `contact` (zero-based) of `structure`; the other contacts are free. The body moves at speed
    /// `v0`.
    pub fn new(structure: &Structure, contact: usize, law: FrictionLaw, v0: f64) -> Result<Self, ElasticError> {
        let Some(point) = structure.contacts().get(contact) else {
            let requirement = "there is no contact of this number on the structure (they count from 0)";
            return Err(ElasticError::Parameter {
                name: "contact",
                value: contact as f64,
                requirement,
            });
        };
        let alone = Structure::new(
            structure.name(),
            structure.omega().to_vec(),
            structure.damping().to_vec(),
            vec![point.clone()],
        )?;
        if !v0.is_finite() {
            return Err(ElasticError::Parameter {
                name: "v0",
                value: v0,
                requirement: "the bow speed is finite",
            });
        }
        Ok(Self {
            contact: ModalContact::new(&alone, 0),
            law,
            v0,
            projection: Projection::new(&alone)?,
        })
    }

    /// v₀, μ, κ, σ.
    pub fn parameters(&self) -> [f64; PARAMETERS] {
        [self.v0, self.law.mu(), self.law.kappa(), self.law.sigma()]
    }
    /// The same structure with other values of v₀, μ, κ, σ.
    pub fn with_parameters(&self, [v0, mu, kappa, sigma]: [f64; PARAMETERS]) -> Result<Self, ElasticError> {
        if !v0.is_finite() {
            return Err(ElasticError::Parameter {
                name: "v0",
                value: v0,
                requirement: "the bow speed is finite",
            });
        }
        Ok(Self {
            law: FrictionLaw::new(self.law.kind(), mu, kappa, sigma)?,
            v0,
            ..self.clone()
        })
    }
    /// The same structure with another value of one parameter.
    pub fn with(&self, parameter: BowedParameter, value: f64) -> Result<Self, ElasticError> {
        let mut p = self.parameters();
        p[parameter.index()] = value;
        self.with_parameters(p)
    }
    /// Bow speed v₀.
    pub fn v0(&self) -> f64 {
        self.v0
    }
    /// The friction law.
    pub fn law(&self) -> &FrictionLaw {
        &self.law
    }
    /// Number of modes N.
    pub fn modes(&self) -> usize {
        self.contact.modes()
    }

    /// |z|² = Σ ω_k² x_k² + x_k'², rooted.
    pub(crate) fn energy_norm(&self, z: &[f64]) -> f64 {
        let n = self.modes();
        let elastic: f64 = z[..n]
            .iter()
            .zip(self.contact.omega())
            .map(|(x, w)| (x * w).powi(2))
            .sum();
        (elastic + dot(&z[n..], &z[n..])).sqrt()
    }

    /// The state with contact displacement `y1` and velocity `y2` that excites the first mode only, z = W y.
    pub fn start(&self, y1: f64, y2: f64) -> Result<Vec<f64>, ElasticError> {
        self.projection.embed(&[y1, y2])
    }

    pub(crate) fn march(&self, z: &[f64], resolution: &Resolution) -> Result<March<'_, ModalContact>, ElasticError> {
        let modes = self.modes();
        if z.len() != 2 * modes {
            return Err(ElasticError::State {
                found: z.len(),
                modes,
                needed: 2 * modes,
            });
        }
        if let Some(&value) = z.iter().find(|v| !v.is_finite()) {
            return Err(ElasticError::Parameter {
                name: "start",
                value,
                requirement: "the start must be finite",
            });
        }
        March::new(&self.contact, self.law, self.v0, z.to_vec(), resolution)
    }

    /// The motion from the modal state `z` (N displacements, then N velocities) up to time `until`, with the contact at
    /// the ascending times `at` besides.
    pub fn simulate(&self, z: &[f64], until: f64, at: &[f64], resolution: &Resolution) -> Result<Motion, ElasticError> {
        record(self.march(z, resolution)?, until, at, Vec::clone)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{Phase, Side};

    fn string(modes: usize) -> BowedStructure {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
        BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap()
    }

    #[test]
    fn reference_trajectory_of_the_bowed_string() {
        let bowed = string(160);
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let motion = bowed
            .simulate(&z, 10.0, &[0.5, 1.5, 3.0, 10.0], &Resolution::default())
            .unwrap();
        let sticks = [
            (0.079607902840, -2.932909587, -0.392462386, 0.209032221667, -2.738773109),
            (0.963261191900, 1.062057093, 0.177881164, 1.158269534611, 1.354569607),
            (2.138572249964, 0.102105621, -0.081455437, 2.771314837184, 1.051219502),
            (6.341104707879, 0.553449460, -0.023733524, 6.608693498911, 0.954832646),
            (8.309920823509, 0.518870818, -0.031028067, 8.628939167320, 0.997398334),
        ];
        let onsets: Vec<_> = motion.events.iter().filter(|e| e.to == Phase::Stick).collect();
        for (t_on, y_on, gap, t_off, y_off) in sticks {
            let on = onsets
                .iter()
                .min_by(|a, b| (a.t - t_on).abs().total_cmp(&(b.t - t_on).abs()))
                .unwrap();
            assert!((on.t - t_on).abs() < 1e-9 && (on.y1 - y_on).abs() < 2e-9 && (on.gap() - gap).abs() < 2e-8);
            let off = motion.events.iter().find(|e| e.t > on.t).unwrap();
            assert!((off.t - t_off).abs() < 1e-9 && (off.y1 - y_off).abs() < 2e-9);
        }
        assert_eq!(motion.events[1].to, Phase::Slip(Side::Ahead));
        assert!((motion.events[1].force_after + 4.0).abs() < 1e-12);
        let reference = [
            (-1.316956088, 6.809049733, -2.72633168),
            (0.90368236, -2.538550544, 2.742557437),
            (1.162626767, -0.1114710597, 2.975480043),
            (0.2887550367, 0.06182387535, 3.023821158),
        ];
        for (s, (y1, y2, force)) in motion.requested.iter().zip(reference) {
            assert!((s.y1 - y1).abs() < 2e-9 && (s.y2 - y2).abs() < 5e-9 && (s.force - force).abs() < 5e-9);
        }
        assert_eq!(motion.requested.len(), 4);
    }
}
