//! Iterates of a map: `x ↦ f(x, p)`, with angles kept within one turn.

use super::error::FlowError;
use slipstick_numerics::stop::look;
use slipstick_system::System;

/// A point that a map carries on and on.
///
/// ```
/// use slipstick_flow::Iterates;
/// use slipstick_study as study;
/// let text = r#"Study(title: "logistic", system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]))"#;
/// let plan = study::parse("map.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut x = Iterates::new(&plan.systems[0].system, 0, &[0.3], &[4.0])?;
/// x.advance_by(100)?;
/// assert!(x.count() == 100 && x.point()[0] < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Iterates<'a> {
    system: &'a System,
    mode: usize,
    p: &'a [f64],
    x: Vec<f64>,
    next: Vec<f64>,
    count: usize,
}

impl<'a> Iterates<'a> {
    /// Begin at the point `x` of a mode whose field gives next states.
    ///
    /// # Errors
    /// [`FlowError::Argument`] when `x` has the wrong length or is not finite.
    pub fn new(system: &'a System, mode: usize, x: &[f64], p: &'a [f64]) -> Result<Self, FlowError> {
        let own = &system.modes[mode];
        if x.len() != own.states.len() || !x.iter().all(|v| v.is_finite()) {
            return Err(FlowError::Argument {
                mode: own.name.clone(),
                what: format!("the start must be {} finite numbers, and is {x:?}", own.states.len()),
            });
        }
        let mut begun = Self {
            system,
            mode,
            p,
            next: x.to_vec(),
            x: x.to_vec(),
            count: 0,
        };
        begun.wrap();
        Ok(begun)
    }

    /// The present point, angles within half a turn of zero.
    pub fn point(&self) -> &[f64] {
        &self.x
    }

    /// How often the map was applied.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Apply the map once.
    ///
    /// # Errors
    /// [`FlowError::Escapes`] when the next point is not finite; the present one stays.
    pub fn advance(&mut self) -> Result<(), FlowError> {
        self.system.modes[self.mode]
            .field
            .value(&self.x, self.p, &mut self.next);
        self.arrive()
    }

    /// Apply the map `times` times.
    ///
    /// # Errors
    /// As [`Iterates::advance`].
    pub fn advance_by(&mut self, times: usize) -> Result<(), FlowError> {
        (0..times).try_for_each(|_| self.advance())
    }

    /// The next `count` points, the present one first; the map is applied once for each.
    ///
    /// # Errors
    /// As [`Iterates::advance`].
    pub fn take(&mut self, count: usize) -> Result<Vec<Vec<f64>>, FlowError> {
        (0..count)
            .map(|_| {
                let here = self.x.clone();
                self.advance().map(|()| here)
            })
            .collect()
    }

    /// How far apart two points are, relative to their size, angles up to whole turns.
    pub fn apart(&self, a: &[f64], b: &[f64]) -> f64 {
        let states = &self.system.modes[self.mode].states;
        a.iter().zip(b).zip(states).fold(0.0, |m: f64, ((a, b), &s)| {
            let mut d = a - b;
            if let Some(period) = self.system.states[s].period {
                d -= (d / period).round() * period;
            }
            m.max(d.abs() / (1.0 + a.abs()))
        })
    }

    /// Make the next point the present one.
    fn arrive(&mut self) -> Result<(), FlowError> {
        look();
        if let Some(c) = self.next.iter().position(|v| !v.is_finite()) {
            let mode = &self.system.modes[self.mode];
            return Err(FlowError::Escapes {
                state: self.system.states[mode.states[c]].name.clone(),
                iterates: self.count,
                from: self.x[c],
            });
        }
        std::mem::swap(&mut self.x, &mut self.next);
        self.count += 1;
        self.wrap();
        Ok(())
    }

    fn wrap(&mut self) {
        for (v, &s) in self.x.iter_mut().zip(&self.system.modes[self.mode].states) {
            if let Some(period) = self.system.states[s].period {
                *v = (*v + 0.5 * period).rem_euclid(period) - 0.5 * period;
            }
        }
    }
}
