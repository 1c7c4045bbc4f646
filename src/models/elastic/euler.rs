//! The source's own scheme for the reduced equation with memory: explicit Euler with the rectangle rule.
//!
//! With step ε, d_j = L₁((j+1)ε) - L₁(jε), f_{-1} = 0 and h_q = Σ_{j=1}^{q} d_j (f_{q-j} - f_{q-j-1}): y₁ += ε y₂, y₂
//! += ε(-K y₁ - C y₂ + L̄ f_q) + d_0 (f_q - f_{q-1}) + h_q. When v_r = y₂ - v₀ would change sign, or in stick, the
//! force f* that makes y₂ = v₀ at the next step decides: |f*| ≤ μ sticks. First order in ε.
//!
//! Cost of step q: for an arbitrary kernel O(q) (the convolution is summed); for a modal kernel O(N), whatever q,
//! because each mode's share of h_q obeys a recursion.

use super::error::ElasticError;
use super::event::{ContactEvent, Phase, Side};
use super::friction::FrictionLaw;
use super::kernel::{MemoryKernel, ModalKernel};
use nalgebra::Complex;
use slipstick_numerics::stop::look;

/// A solution on the grid t = 0, ε, 2ε, ….
///
/// ```
/// use slipstick_models::elastic::{EulerSetting, FrictionLaw, ModalKernel, Structure, euler, euler_modal};
/// let kernel = ModalKernel::new(&Structure::string(8, 1.0, 0.1, &[0.4])?)?;
/// let setting = EulerSetting { law: FrictionLaw::bowed_string(), v0: 1.5, start: [-2.9, -2.7], step: 5e-3, until: 1.0 };
/// // The convolution summed, and carried along by one complex number for each mode: the same scheme.
/// let (summed, dependent) = (euler(&kernel, &setting)?, euler_modal(&kernel, &setting)?);
/// assert!(summed.y1.iter().zip(&dependent.y1).all(|(a, b)| (a - b).abs() < 1e-9));
/// assert!(summed.stick == dependent.stick && summed.force.len() + 1 == summed.y1.len());
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct EulerRun {
    /// Step ε.
    pub step: f64,
    /// Contact displacement at t = qε.
    pub y1: Vec<f64>,
    /// Contact velocity at t = qε.
    pub y2: Vec<f64>,
    /// Contact force used from t = qε on; one fewer than displacements.
    pub force: Vec<f64>,
    /// Whether step q sticks; one fewer than displacements.
    pub stick: Vec<bool>,
    /// Changes of phase.
    pub events: Vec<ContactEvent>,
}

/// What the scheme is given besides the kernel.
///
/// ```
/// use slipstick_models::elastic::{EulerSetting, FrictionLaw, StringKernel, euler};
/// let kernel = StringKernel::new(1.0, 0.1, &[0.4])?;
/// let setting = EulerSetting { law: FrictionLaw::bowed_string(), v0: 1.5, start: [-2.9, -2.7], step: 1e-2, until: 1.0 };
/// let run = euler(&kernel, &setting)?;
/// assert_eq!((run.y1[0], run.y2[0], run.y1.len()), (-2.9, -2.7, 101));
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EulerSetting {
    /// The friction law.
    pub law: FrictionLaw,
    /// Speed of the body v₀.
    pub v0: f64,
    /// Contact displacement and velocity at t = 0; the rest of the structure is at rest in the sense Q z(0) = 0.
    pub start: [f64; 2],
    /// Step ε.
    pub step: f64,
    /// Final time.
    pub until: f64,
}

/// Solve the reduced equation of a kernel with one contact by the source's scheme, summing the convolution.
pub fn euler(kernel: &dyn MemoryKernel, setting: &EulerSetting) -> Result<EulerRun, ElasticError> {
    let steps = setting.steps(kernel)?;
    let values: Vec<f64> = (0..=steps + 1)
        .map(|j| kernel.l1(j as f64 * setting.step)[(0, 0)])
        .collect();
    let increments: Vec<f64> = values.windows(2).map(|w| w[1] - w[0]).collect();
    let d0 = increments[0];
    let mut jumps: Vec<f64> = Vec::with_capacity(steps);
    Ok(march(kernel, setting, steps, d0, |jump| {
        // the newest jump of force belongs to d_1
        jumps.extend(jump);
        dot_reversed(&increments[1..=jumps.len()], &jumps)
    }))
}

/// The same for a modal kernel, with the convolution carried by one complex number for each mode.
pub fn euler_modal(kernel: &ModalKernel, setting: &EulerSetting) -> Result<EulerRun, ElasticError> {
    let steps = setting.steps(kernel)?;
    let mut modes: Vec<(Complex<f64>, Complex<f64>, Complex<f64>)> = kernel
        .exponentials(0, 0)
        .into_iter()
        .map(|(lambda, gamma)| {
            let factor = (lambda * setting.step).exp();
            (factor, gamma / lambda * (factor - 1.0), Complex::new(0.0, 0.0))
        })
        .collect();
    let d0 = modes.iter().map(|m| m.1.re).sum();
    Ok(march(kernel, setting, steps, d0, |jump| {
        let Some(jump) = jump else { return 0.0 };
        let mut sum = 0.0;
        for (factor, delta, memory) in &mut modes {
            *memory = *factor * (*memory + jump);
            sum += delta.re * memory.re - delta.im * memory.im;
        }
        sum
    }))
}

impl EulerSetting {
    fn steps(&self, kernel: &dyn MemoryKernel) -> Result<usize, ElasticError> {
        let refuse = |name, value, requirement| {
            Err(ElasticError::Parameter {
                name,
                value,
                requirement,
            })
        };
        if kernel.contacts() != 1 {
            return refuse(
                "contacts",
                kernel.contacts() as f64,
                "this scheme takes a kernel with one contact point",
            );
        }
        if !(self.step.is_finite() && self.step > 0.0) {
            return refuse("step", self.step, "the step of Euler's method is positive");
        }
        if !(self.until.is_finite() && self.until >= self.step) {
            return refuse("until", self.until, "the final time is at least one step");
        }
        if !(self.v0.is_finite() && self.start.iter().all(|y| y.is_finite())) {
            return refuse("v0", self.v0, "bow speed and start must be finite");
        }
        Ok((self.until / self.step).round() as usize)
    }
}

/// Σ_j d_j x_{len-1-j}, in a fixed order with four partial sums.
fn dot_reversed(d: &[f64], x: &[f64]) -> f64 {
    let mut partial = [0.0; 4];
    for (i, (a, b)) in d.iter().zip(x.iter().rev()).enumerate() {
        partial[i & 3] += a * b;
    }
    (partial[0] + partial[1]) + (partial[2] + partial[3])
}

/// The scheme itself; `memory` takes the jump f_{q-1} - f_{q-2} (nothing at q = 0) and returns h_q.
fn march(
    kernel: &dyn MemoryKernel,
    setting: &EulerSetting,
    steps: usize,
    d0: f64,
    mut memory: impl FnMut(Option<f64>) -> f64,
) -> EulerRun {
    let (stiffness, damper) = kernel.oscillator();
    let (k, c, l_bar) = (stiffness[(0, 0)], damper[(0, 0)], kernel.l_bar()[(0, 0)]);
    let (e, v0, mu) = (setting.step, setting.v0, setting.law.mu());
    let [mut y1, mut y2] = setting.start;
    let mut phase = Phase::Slip(Side::of(y2 - v0));
    let mut run = EulerRun {
        step: e,
        y1: vec![y1],
        y2: vec![y2],
        ..EulerRun::default()
    };
    let (mut last, mut before_last) = (0.0, 0.0);
    for q in 0..steps {
        look();
        let t = q as f64 * e;
        let h = memory((q > 0).then_some(last - before_last));
        let base = -k * y1 - c * y2;
        let pushed = |f: f64| y2 + e * (base + l_bar * f) + d0 * (f - last) + h;
        let holding = (v0 - y2 - e * base + d0 * last - h) / (e * l_bar + d0);
        // the phase of this step, the force in it, the velocity after it, and the force on either side of a change of
        // phase
        let (next, force, y2_next, sides) = match phase {
            Phase::Slip(side) => {
                let slip = |side: Side, y2: f64| -side.sign() * setting.law.force((side.sign() * (y2 - v0)).max(0.0));
                let force = slip(side, y2);
                let moved = pushed(force);
                if (moved - v0) * side.sign() > 0.0 {
                    (phase, force, moved, [force; 2])
                } else if holding.abs() <= mu {
                    (Phase::Stick, holding, v0, [force, holding])
                } else {
                    (
                        Phase::Slip(side.other()),
                        force,
                        moved,
                        [force, slip(side.other(), moved)],
                    )
                }
            }
            Phase::Stick if holding.abs() <= mu => (Phase::Stick, holding, v0, [holding; 2]),
            Phase::Stick => {
                let force = mu * holding.signum();
                (Phase::Slip(Side::of(-holding)), force, pushed(force), [last, force])
            }
        };
        if next != phase {
            run.events.push(ContactEvent {
                t,
                to: next,
                y1,
                force_before: sides[0],
                force_after: sides[1],
            });
        }
        phase = next;
        y1 += e * y2;
        y2 = y2_next;
        (before_last, last) = (last, force);
        run.y1.push(y1);
        run.y2.push(y2);
        run.force.push(force);
        run.stick.push(phase == Phase::Stick);
    }
    run
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::{BowedStructure, Resolution, StringKernel, Structure};

    fn setting(step: f64, until: f64) -> EulerSetting {
        EulerSetting {
            law: FrictionLaw::bowed_string(),
            v0: 1.5,
            start: [-2.9224, -2.7668],
            step,
            until,
        }
    }

    #[test]
    fn recursion_and_summed_convolution_are_the_same_scheme() {
        let string = Structure::string(20, 1.0, 0.1, &[0.4]).unwrap();
        let kernel = ModalKernel::new(&string).unwrap();
        let (summed, recursive) = (
            euler(&kernel, &setting(1e-3, 3.0)).unwrap(),
            euler_modal(&kernel, &setting(1e-3, 3.0)).unwrap(),
        );
        assert_eq!((summed.y1.len(), summed.force.len()), (3001, 3000));
        assert_eq!(summed.stick, recursive.stick);
        for (a, b) in summed.force.iter().zip(&recursive.force) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        for (a, b) in summed.y1.iter().zip(&recursive.y1) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn first_order_against_the_full_model_with_the_reference_errors() {
        let string = Structure::string(160, 1.0, 0.1, &[0.4]).unwrap();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let z = bowed.start(-2.9224, -2.7668).unwrap();
        let full = bowed.simulate(&z, 12.0, &[], &Resolution::default()).unwrap();
        let kernel = ModalKernel::new(&string).unwrap();
        for (step, reference) in [
            (1e-3, 0.011558),
            (5e-4, 0.005768),
            (2.5e-4, 0.002881),
            (1.25e-4, 0.001440),
        ] {
            let run = euler_modal(&kernel, &setting(step, 12.0)).unwrap();
            let error = (0..run.y1.len() - 1)
                .map(|q| (run.y1[q] - full.at(q as f64 * step).unwrap()[0]).abs())
                .fold(0.0, f64::max);
            assert!((error - reference).abs() < 6e-7, "{step}: {error}");
            let sequence = |events: &[ContactEvent]| events.iter().map(|e| e.to).collect::<Vec<_>>();
            assert_eq!(sequence(&run.events), sequence(&full.events));
        }
    }

    #[test]
    fn force_becomes_continuous_when_all_modes_are_kept() {
        let kernel = StringKernel::new(1.0, 0.1, &[0.4]).unwrap();
        for (step, reference) in [(5e-4, [-0.058, 0.024, -0.0071]), (1.25e-4, [-0.0127, 0.0044, -0.0037])] {
            let run = euler(&kernel, &setting(step, 2.3)).unwrap();
            let gaps: Vec<f64> = run
                .events
                .iter()
                .filter(|e| e.to == Phase::Stick)
                .map(ContactEvent::gap)
                .collect();
            assert_eq!(gaps.len(), 3);
            for (gap, expected) in gaps.iter().zip(reference) {
                assert!((gap - expected).abs() < 6e-4, "{gap} {expected}");
            }
        }
    }

    #[test]
    fn senseless_settings_are_refused() {
        let string = Structure::string(4, 1.0, 0.1, &[0.4]).unwrap();
        let kernel = ModalKernel::new(&string).unwrap();
        assert!(euler_modal(&kernel, &setting(0.0, 1.0)).is_err());
        assert!(euler_modal(&kernel, &setting(0.1, f64::NAN)).is_err());
        let two = ModalKernel::new(&Structure::string(4, 1.0, 0.1, &[0.2, 0.4]).unwrap()).unwrap();
        assert!(
            euler(&two, &setting(0.1, 1.0))
                .unwrap_err()
                .to_string()
                .contains("one contact")
        );
    }
}
