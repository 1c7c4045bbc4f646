//! What exponents are computed of: a motion that takes a frame of tangent vectors along.

use super::frame::Frame;
use super::options::SpectrumError;
use super::sizes::Sizes;

/// What a motion of any kind can do.
pub(super) trait Motion<'s> {
    /// Go on until the time `until`, and take the frame along.
    fn advance(&mut self, until: f64, frame: &mut Frame) -> Result<(), SpectrumError>;

    /// The number of events since the last call.
    fn take_events(&mut self) -> usize;

    /// The mode and its states now.
    fn state(&self) -> (usize, &[f64]);

    /// The sizes in which perturbations are measured.
    fn sizes(&mut self) -> &mut Sizes<'s>;
}
