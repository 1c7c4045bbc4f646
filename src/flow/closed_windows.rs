//! Windows of functions along paths without integrator steps, by interpolation of their values.

use super::error::FlowError;
use super::event_locator::{EventLocator, Target};
use super::exact::Exact;
use super::taylor_piece::{Halving, Noise, TaylorPiece};
use slipstick_numerics::stop::look;
use smallvec::SmallVec;
use std::cell::Cell;

/// Times of a walk, from first to last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Relative accuracy of values along exact and along integrated paths.
pub(super) const EXACT: f64 = 4.0 * f64::EPSILON;

/// The windows of one function, in the order of time, each made when it is asked for.
pub(super) struct ClosedWindows<'w, 'a, 'f> {
    exact: Exact<'w, 'a, 'f>,
    span: Span,
    count: f64,
    /// How many windows have been begun, of those that may have to be halved.
    begun: f64,
    absolute: f64,
    halving: Halving,
}

impl<'w, 'a, 'f> ClosedWindows<'w, 'a, 'f> {
    pub(super) fn new(locator: &'w EventLocator<'a>, h: &'w Target<'f>, x0: &'w [f64], span: Span) -> Self {
        let exact = Exact::new(locator, h, x0, &[]);
        let whole = (span.to - span.from).abs();
        // The natural window of a linear mode; a guess, halved as needed, for other closed forms.
        let length = locator.taylor().map_or(whole / 4.0, |t| 2.0 * t.half);
        Self {
            span,
            count: (whole / length).ceil().clamp(1.0, 1e6).floor(),
            begun: 0.0,
            absolute: exact.rounding(),
            halving: Halving::default(),
            exact,
        }
    }
    /// Up to when there have been windows.
    fn covered(&self) -> f64 {
        let ahead = self.halving.next_begin();
        ahead.unwrap_or_else(|| self.at(self.begun))
    }
    fn at(&self, k: f64) -> f64 {
        self.span.from + (self.span.to - self.span.from) * k / self.count
    }
}

impl Iterator for ClosedWindows<'_, '_, '_> {
    /// A window; or since when the function is not finite.
    type Item = Result<TaylorPiece, f64>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.halving.next_begin().is_none() {
            if self.begun >= self.count {
                return None;
            }
            let (begin, middle, end) = (
                self.at(self.begun),
                self.at(self.begun + 0.5),
                self.at(self.begun + 1.0),
            );
            // An angle may have grown large, and what is rounding with it.
            for t in [middle, end] {
                self.exact.sample(t);
                self.absolute = self.absolute.max(self.exact.rounding());
            }
            self.halving = Halving::of(begin, end);
            self.begun += 1.0;
        }
        let noise = Noise {
            relative: EXACT,
            absolute: self.absolute,
        };
        let exact = &mut self.exact;
        let piece = self.halving.next(&mut |t| exact.sample(t), noise)?;
        let lost = piece.q.iter().any(|c| !c.is_finite());
        Some(if lost { Err(piece.time(-1.0)) } else { Ok(piece) })
    }
}

impl EventLocator<'_> {
    /// As [`EventLocator::windows`] for several functions along a path without integrator steps, in turn: always those
    /// of the function that has been followed least far, so that none is followed far beyond what another one stops at.
    /// `to` may be drawn nearer meanwhile. For each function, whether the path was followed to the end of its windows.
    pub(crate) fn windows_in_turn(
        &self,
        functions: &[&Target<'_>],
        x0: &[f64],
        to: &Cell<f64>,
        each: &mut dyn FnMut(usize, &TaylorPiece) -> bool,
    ) -> SmallVec<[Result<(), FlowError>; 4]> {
        let span = Span {
            from: 0.0,
            to: to.get(),
        };
        let mut outcomes: SmallVec<[Result<(), FlowError>; 4]> = functions.iter().map(|_| Ok(())).collect();
        let mut active: SmallVec<[(usize, ClosedWindows<'_, '_, '_>); 4]> = SmallVec::new();
        if span.to > span.from {
            let own = functions.iter().map(|h| ClosedWindows::new(self, h, x0, span));
            active.extend(own.enumerate());
        }
        loop {
            look();
            let nearest = (0..active.len()).min_by(|&a, &b| active[a].1.covered().total_cmp(&active[b].1.covered()));
            let Some(next) = nearest else { return outcomes };
            let (function, windows) = &mut active[next];
            let function = *function;
            let goes_on = if windows.covered() < to.get() {
                match windows.next() {
                    Some(Ok(mut piece)) => {
                        piece.last = ((to.get() - piece.centre) / piece.half).min(1.0);
                        each(function, &piece)
                    }
                    Some(Err(t)) => {
                        outcomes[function] = Err(self.not_finite(t));
                        to.set(to.get().min(t));
                        false
                    }
                    None => false,
                }
            } else {
                false
            };
            if !goes_on {
                active.remove(next);
            }
        }
    }
}
