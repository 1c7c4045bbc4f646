//! Events and extremes along the solution from any start, at the parameters of a locator: on the exact solution where
//! there is one, else on an integrated path.

use super::closed_windows::Span;
use super::error::FlowError;
use super::event_locator::{Crossing, EventLocator, Extreme, Target};
use slipstick_system::Direction;

impl EventLocator<'_> {
    /// The first time in [from, to] at which the guard crosses zero in the given direction, along the solution from
    /// `x0`; touching zero within rounding counts. A zero at `from` itself, where the solution has just started, does
    /// not. Backwards if `to < from`.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn first_crossing(
        &self,
        guard: &Target<'_>,
        x0: &[f64],
        direction: Direction,
        from: f64,
        to: f64,
    ) -> Result<Option<Crossing>, FlowError> {
        if !self.is_exact() {
            return self.flow().path(x0, to, self.parameters())?.first_crossing(
                guard.function,
                direction,
                &guard.p,
                from,
                to,
            );
        }
        self.crossings_of(guard, x0, &[], direction, Span { from, to }, true)
            .map(|c| c.first().copied())
    }
    /// The smallest value of `sign·h` over the open interval (from, to) along the solution from `x0`: the lowest
    /// interior local minimum, and with `ends` the values at both ends too. `None` if there is no interior minimum and
    /// the ends are left out.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn minimum(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        sign: f64,
        from: f64,
        to: f64,
        ends: bool,
    ) -> Result<Option<Extreme>, FlowError> {
        if !self.is_exact() {
            return self
                .flow()
                .path(x0, to, self.parameters())?
                .interior_minimum(h.function, sign, &h.p, from, to, ends);
        }
        self.minimum_of(h, x0, &[], sign, Span { from, to }, ends)
    }

    /// [`Path::least_inside`](super::Path::least_inside) along the solution from `x0` over `duration`.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn least_inside(
        &self,
        h: &Target<'_>,
        x0: &[f64],
        sign: f64,
        ends_here: bool,
        duration: f64,
    ) -> Result<f64, FlowError> {
        if !self.is_exact() {
            return self
                .flow()
                .path(x0, duration, self.parameters())?
                .least_inside(h.function, sign, ends_here, &h.p);
        }
        self.least_inside_of(h, x0, &[], sign, ends_here, duration)
    }
    /// The smallest and the largest value of `h` along the solution from `x0` over `duration`, the ends included.
    ///
    /// # Errors
    /// When the state leaves the finite numbers or the integrator gives up.
    pub fn extrema(&self, h: &Target<'_>, x0: &[f64], duration: f64) -> Result<(f64, f64), FlowError> {
        if !self.is_exact() {
            return self
                .flow()
                .path(x0, duration, self.parameters())?
                .extrema(h.function, &h.p);
        }
        self.extrema_of(h, x0, &[], duration)
    }
}
