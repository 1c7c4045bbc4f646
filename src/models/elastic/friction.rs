//! Friction between a structure and a rigid body that moves past it at constant speed.
//!
//! With v_r the velocity of the contact point relative to the body, the force on the structure is F = -sgn(v_r)
//! g(|v_r|) in slip and any value |F| ≤ g(0) = μ in stick. The law of the source (its equation 5.1) is not recoverable,
//! so the plausible ones are offered.

use super::error::ElasticError;
use super::structure::Structure;
use serde::{Deserialize, Serialize};
use slipstick_numerics::scalar::{Dual, Scalar};

/// The shape of g(v), v = |v_r| ≥ 0. All have g(0) = μ.
///
/// ```
/// use slipstick_models::elastic::FrictionKind;
/// // μ (1 - κ + κ e^{-σv}): μ at rest, and the share 1 - κ of it in fast slip.
/// let force = |v: f64| FrictionKind::LosesShare.force(v, 2.0, 0.25, 10.0);
/// assert!((force(0.0) - 2.0).abs() < 1e-15 && (force(10.0) - 1.5).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub enum FrictionKind {
    /// μ (1 - κ + κ e^{-σv}): loses the share κ. The recommended one ("law5" of our notes).
    LosesShare,
    /// μ (κ + (1 - κ) e^{-σv}): keeps the share κ ("law1").
    KeepsShare,
    /// μ e^{-σv} + κ v: weakening, then viscous.
    Viscous,
    /// μ (κ + (1 - κ)/(1 + σv)).
    KeepsShareRational,
    /// κ + (μ - κ) e^{-σv}: falls to the force κ.
    FallsTo,
    /// μ e^{-κv}.
    Exponential,
    /// μ/(1 + κv).
    Rational,
    /// μ (1 - κ tanh σv).
    Tanh,
    /// μ - κ arctan(v/σ).
    Arctan,
    /// μ (1 - κ v/(σ + v)).
    Saturating,
}

impl FrictionKind {
    /// All of them, in the order above.
    pub const ALL: [Self; 10] = [
        Self::LosesShare,
        Self::KeepsShare,
        Self::Viscous,
        Self::KeepsShareRational,
        Self::FallsTo,
        Self::Exponential,
        Self::Rational,
        Self::Tanh,
        Self::Arctan,
        Self::Saturating,
    ];

    /// The name used in studies.
    pub fn name(self) -> &'static str {
        match self {
            Self::LosesShare => "LosesShare",
            Self::KeepsShare => "KeepsShare",
            Self::Viscous => "Viscous",
            Self::KeepsShareRational => "KeepsShareRational",
            Self::FallsTo => "FallsTo",
            Self::Exponential => "Exponential",
            Self::Rational => "Rational",
            Self::Tanh => "Tanh",
            Self::Arctan => "Arctan",
            Self::Saturating => "Saturating",
        }
    }

    /// g in formula, for reports.
    pub fn formula(self) -> &'static str {
        match self {
            Self::LosesShare => "μ (1 - κ + κ exp(-σ v))",
            Self::KeepsShare => "μ (κ + (1 - κ) exp(-σ v))",
            Self::Viscous => "μ exp(-σ v) + κ v",
            Self::KeepsShareRational => "μ (κ + (1 - κ)/(1 + σ v))",
            Self::FallsTo => "κ + (μ - κ) exp(-σ v)",
            Self::Exponential => "μ exp(-κ v)",
            Self::Rational => "μ/(1 + κ v)",
            Self::Tanh => "μ (1 - κ tanh(σ v))",
            Self::Arctan => "μ - κ arctan(v/σ)",
            Self::Saturating => "μ (1 - κ v/(σ + v))",
        }
    }

    /// g(v) in any arithmetic.
    pub fn force<T: Scalar>(self, v: T, mu: T, kappa: T, sigma: T) -> T {
        let one = T::one();
        match self {
            Self::LosesShare => mu * (one - kappa + kappa * (-(sigma * v)).exp()),
            Self::KeepsShare => mu * (kappa + (one - kappa) * (-(sigma * v)).exp()),
            Self::Viscous => mu * (-(sigma * v)).exp() + kappa * v,
            Self::KeepsShareRational => mu * (kappa + (one - kappa) / (sigma * v + 1.0)),
            Self::FallsTo => kappa + (mu - kappa) * (-(sigma * v)).exp(),
            Self::Exponential => mu * (-(kappa * v)).exp(),
            Self::Rational => mu / (kappa * v + 1.0),
            Self::Tanh => mu * (one - kappa * (sigma * v).tanh()),
            Self::Arctan => mu - kappa * (v / sigma).atan(),
            Self::Saturating => mu * (one - kappa * v / (sigma + v)),
        }
    }
}

/// A friction law with its parameters.
///
/// ```
/// use slipstick_models::elastic::{FrictionKind, FrictionLaw};
/// let law = FrictionLaw::new(FrictionKind::Tanh, 1.0, 0.3, 5.0)?;
/// // The force against slip at speed 0.1, by the formula μ (1 - κ tanh σv).
/// assert!((law.force(0.1).abs() - (1.0 - 0.3 * 0.5f64.tanh())).abs() < 1e-15);
/// // Less than nothing holds no structure.
/// assert!(FrictionLaw::new(FrictionKind::Tanh, -1.0, 0.3, 5.0).is_err());
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionLaw {
    kind: FrictionKind,
    mu: f64,
    kappa: f64,
    sigma: f64,
}

impl FrictionLaw {
    /// μ > 0 bounds the force in stick; κ and σ as in [`FrictionKind::formula`], σ > 0, κ ≥ 0.
    pub fn new(kind: FrictionKind, mu: f64, kappa: f64, sigma: f64) -> Result<Self, ElasticError> {
        let refuse = |name, value, requirement| {
            Err(ElasticError::Parameter {
                name,
                value,
                requirement,
            })
        };
        if !(mu.is_finite() && mu > 0.0) {
            return refuse("mu", mu, "the bound on the friction force is positive");
        }
        if !(kappa.is_finite() && kappa >= 0.0) {
            return refuse("kappa", kappa, "κ of the friction law is not negative");
        }
        if !(sigma.is_finite() && sigma > 0.0) {
            return refuse("sigma", sigma, "σ of the friction law is positive");
        }
        Ok(Self { kind, mu, kappa, sigma })
    }

    /// The law and values used for the bowed string: μ (1 - κ + κ e^{-σv}), μ = 4, κ = 0.32, σ = 1.
    pub fn bowed_string() -> Self {
        Self {
            kind: FrictionKind::LosesShare,
            mu: 4.0,
            kappa: 0.32,
            sigma: 1.0,
        }
    }

    /// Its shape.
    pub fn kind(&self) -> FrictionKind {
        self.kind
    }
    /// The bound μ = g(0).
    pub fn mu(&self) -> f64 {
        self.mu
    }
    /// κ.
    pub fn kappa(&self) -> f64 {
        self.kappa
    }
    /// σ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// g(v). For v < 0, which no motion reaches but iterations do, the tangent at 0 goes on.
    pub fn force(&self, v: f64) -> f64 {
        if v < 0.0 {
            return self.linearised(v)[0];
        }
        self.kind.force(v, self.mu, self.kappa, self.sigma)
    }
    /// g(v), g'(v), ∂g/∂μ, ∂g/∂κ, ∂g/∂σ.
    pub fn linearised(&self, v: f64) -> [f64; 5] {
        type D = Dual<f64, 4>;
        let of = |i: usize, v: f64| D::variable(v, i);
        let (mu, kappa, sigma) = (of(1, self.mu), of(2, self.kappa), of(3, self.sigma));
        let g = if v < 0.0 {
            let constant = Dual::<D, 1>::constant;
            let start = Dual {
                re: D::constant(0.0),
                eps: [D::constant(1.0)],
            };
            let tangent = self.kind.force(start, constant(mu), constant(kappa), constant(sigma));
            tangent.re + tangent.eps[0] * of(0, v)
        } else {
            self.kind.force(of(0, v), mu, kappa, sigma)
        };
        let [slope, by_mu, by_kappa, by_sigma] = g.eps;
        [g.re, slope, by_mu, by_kappa, by_sigma]
    }

    /// Is slip well posed when the structure is a continuum with kernel jump L₁(0+)? See [`WellPosedness`].
    pub fn well_posedness(&self, structure: &Structure, contact: usize) -> WellPosedness {
        WellPosedness {
            slope: self.linearised(0.0)[1],
            jump: structure.kernel_jump(contact),
        }
    }
}

/// The condition |g'(0)| L₁(0+) < 1 under which slip along the continuum is well posed.
///
/// The contact velocity answers a jump of force at once, by L₁(0+) times the jump; with a steeper law the contact force
/// of a slipping continuum is not determined, and computations with N modes lose their limit.
///
/// ```
/// use slipstick_models::elastic::{FrictionKind, FrictionLaw, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// // A force that falls gently with the speed of slip is well posed on a string, one that falls steeply is not.
/// let verdict = |sigma| -> Result<_, slipstick_models::elastic::ElasticError> {
///     Ok(FrictionLaw::new(FrictionKind::Exponential, 1.0, sigma, 1.0)?.well_posedness(&string, 0))
/// };
/// let (gentle, steep) = (verdict(0.5)?, verdict(50.0)?);
/// assert!(gentle.warning().is_none() && gentle.product().is_some_and(|product| product < 1.0));
/// assert!(steep.warning().is_some() && steep.product().is_some_and(|product| product > 1.0));
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WellPosedness {
    /// g'(0).
    pub slope: f64,
    /// L₁(0+) of the continuum; `None` if only modes are known.
    pub jump: Option<f64>,
}

impl WellPosedness {
    /// |g'(0)| L₁(0+), if known.
    pub fn product(&self) -> Option<f64> {
        self.jump.map(|jump| self.slope.abs() * jump)
    }
    /// What to tell the user; `None` when all is well.
    pub fn warning(&self) -> Option<String> {
        match (self.jump, self.product()) {
            (Some(jump), Some(product)) if product >= 1.0 => Some(format!(
                "the friction law is too steep for the continuum: |g'(0)| L₁(0+) = {:.4} × {jump:.4} = {product:.4} is not below 1; \
                 results will depend on the number of modes (choose a law with |g'(0)| < {:.4})",
                self.slope.abs(),
                1.0 / jump
            )),
            (None, _) => Some(format!(
                "L₁(0+) of this structure is not known, so |g'(0)| L₁(0+) < 1 cannot be checked (|g'(0)| = {:.4}); compare runs with \
                 different numbers of modes",
                self.slope.abs()
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_law_starts_at_mu_and_has_the_derivatives_of_its_formula() {
        for kind in FrictionKind::ALL {
            let law = FrictionLaw::new(kind, 4.0, 0.32, 1.3).unwrap();
            assert!((law.force(0.0) - 4.0).abs() < 1e-15, "{kind:?}");
            for v in [-0.5, 0.4, 3.0] {
                let [g, slope, by_parameter @ ..] = law.linearised(v);
                let h = 1e-5;
                assert!((g - law.force(v)).abs() < 4e-15);
                assert!(
                    (slope - (law.force(v + h) - law.force(v - h)) / (2.0 * h)).abs() < 1e-9,
                    "{kind:?} {v}"
                );
                for (i, by) in by_parameter.into_iter().enumerate() {
                    let at = |h: f64| {
                        let mut p = [4.0, 0.32, 1.3];
                        p[i] += h;
                        FrictionLaw::new(kind, p[0], p[1], p[2]).unwrap().force(v)
                    };
                    assert!((by - (at(h) - at(-h)) / (2.0 * h)).abs() < 1e-8, "{kind:?} {v} {i}");
                }
            }
            assert!((law.force(-2.0) - (4.0 - 2.0 * law.linearised(0.0)[1])).abs() < 1e-14);
        }
    }

    #[test]
    fn the_recommended_law_is_well_posed_and_the_steep_variant_is_warned_about() {
        let string = Structure::string(20, 1.0, 0.1, &[0.4]).unwrap();
        let good = FrictionLaw::bowed_string().well_posedness(&string, 0);
        assert!((good.slope + 1.28).abs() < 1e-15 && good.warning().is_none());
        assert!((1.0 / good.jump.unwrap() - 2.1255).abs() < 5e-5);
        let steep = FrictionLaw::new(FrictionKind::KeepsShare, 4.0, 0.32, 1.0)
            .unwrap()
            .well_posedness(&string, 0);
        assert!((steep.slope + 2.72).abs() < 1e-15);
        assert!(steep.warning().unwrap().contains("choose a law with |g'(0)| < 2.1255"));
        let beam = Structure::cantilever(4, 0.1, &[1.0]).unwrap();
        assert_eq!(
            FrictionLaw::bowed_string().well_posedness(&beam, 0).product(),
            Some(0.0)
        );
        let table = Structure::from_csv("t", "omega,damping,n\n1,0.1,1\n".as_bytes()).unwrap();
        assert!(
            FrictionLaw::bowed_string()
                .well_posedness(&table, 0)
                .warning()
                .unwrap()
                .contains("cannot be checked")
        );
        assert!(FrictionLaw::new(FrictionKind::Tanh, -1.0, 0.0, 1.0).is_err());
        assert!(FrictionLaw::new(FrictionKind::Tanh, 1.0, f64::NAN, 1.0).is_err());
    }
}
