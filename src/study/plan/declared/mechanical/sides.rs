//! Friction that differs with the direction of slip, `if(v > 0, mu_up, mu_down)`: its levels on both sides.
//!
//! Where the relative velocity vanishes a formula like this has the value of one side. In stick both count: the level
//! at which slip forwards begins, and that at which it begins backwards.

use crate::plan::declared::coincidence::factor;
use crate::plan::declared::mechanical::reader::Reader;
use crate::plan::system::mechanical_fault::MechanicalFault;
use slipstick_system::text::Symbolic;

/// A formula, and what it is where a velocity is positive and where it is negative.
#[derive(Clone)]
pub(crate) struct Sides {
    pub(crate) whole: Symbolic,
    forwards: Symbolic,
    backwards: Symbolic,
}

impl Sides {
    /// Those of a formula at `key`, on both sides of where `velocity` vanishes.
    pub(crate) fn of(whole: Symbolic, velocity: &Symbolic, key: &str, reader: &mut Reader<'_>) -> Self {
        let declarations = &reader.declarations;
        let written = whole.written_out(&|name| declarations.definition(name));
        let on = |side: f64| {
            let sign = |of: &Symbolic| {
                let moves = reader.moving(of).is_some();
                moves
                    .then(|| factor(declarations, velocity, of))?
                    .map(|sign| side * sign)
            };
            let own = written.with_signs(&sign);
            // As it was written, where the side makes no difference.
            if own == written { whole.clone() } else { own }
        };
        let (forwards, backwards) = (on(1.0), on(-1.0));
        if [&forwards, &backwards]
            .into_iter()
            .any(|side| jumps_at_rest(side, velocity, reader))
        {
            reader.fault(key, MechanicalFault::LevelJumps);
        }
        Self {
            whole,
            forwards,
            backwards,
        }
    }

    /// On the side of this sign.
    pub(crate) fn at(&self, sign: f64) -> &Symbolic {
        if sign < 0.0 { &self.backwards } else { &self.forwards }
    }
}

/// Does a formula jump where a velocity vanishes, at general states?
fn jumps_at_rest(formula: &Symbolic, velocity: &Symbolic, reader: &Reader<'_>) -> bool {
    /// How far beside, and how much it differs there by, as a part of its size.
    const BESIDE: f64 = 1e-12;
    const DIFFERS: f64 = 1e-3;
    const POINTS: usize = 4;
    let declarations = &reader.declarations;
    if reader.moving(formula).is_none() {
        return false;
    }
    let count = declarations.frame.states.len();
    let jumps = |k: usize| -> Option<bool> {
        let mut x: Vec<f64> = (0..count)
            .map(|i| (1.0 + 3.7 * k as f64 + 2.3 * i as f64).sin())
            .collect();
        let here = declarations.value(velocity, &x)?;
        let (i, slope) = (0..count).find_map(|i| {
            let mut beside = x.clone();
            beside[i] += 1.0;
            let slope = declarations.value(velocity, &beside)? - here;
            (slope.abs() > BESIDE).then_some((i, slope))
        })?;
        let at_rest = x[i] - here / slope;
        let mut at = |by: f64| {
            x[i] = at_rest + by / slope;
            declarations.value(formula, &x)
        };
        // Rounding leaves the velocity at rest off by less than the second step.
        let (a, b) = (at(-BESIDE)?, at(BESIDE)?);
        Some((a - b).abs() > DIFFERS * (a.abs() + b.abs()))
    };
    (0..POINTS).any(|k| jumps(k) == Some(true))
}
