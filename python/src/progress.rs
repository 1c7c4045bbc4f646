//! What a run says of itself while it is under way, sent to the thread that waits for it.

use slipstick_bifurcation::BranchPoint;
use slipstick_study::{CurveResult, Observer};
use std::sync::mpsc::Sender;

/// What happens: kind, name of the curve or task, value of the free parameter, label, parts done and parts there are.
pub(crate) struct Happening {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) value: Option<f64>,
    pub(crate) label: Option<&'static str>,
    pub(crate) parts: Option<(usize, usize)>,
}

impl Happening {
    pub(crate) fn of(kind: &'static str, name: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            value: None,
            label: None,
            parts: None,
        }
    }
}

/// An observer that passes on what it sees, if anybody wants to know.
pub(crate) struct Reporter(pub(crate) Option<Sender<Happening>>);

impl Reporter {
    pub(crate) fn send(&self, happening: impl FnOnce() -> Happening) {
        if let Some(sender) = &self.0 {
            // The receiver may have stopped listening.
            let _ = sender.send(happening());
        }
    }
}

impl Observer for Reporter {
    fn curve_begins(&self, name: &str) {
        self.send(|| Happening::of("curve begins", name));
    }
    fn searching(&self, name: &str, value: f64, so_far: slipstick_orbit::Searched) {
        self.send(|| Happening {
            value: Some(value),
            parts: Some((so_far.tried, so_far.seeds)),
            ..Happening::of("searching", name)
        });
    }
    fn point(&self, name: &str, point: &BranchPoint) {
        self.send(|| Happening {
            value: Some(point.point.parameter()),
            label: point.label.map(|label| label.code()),
            ..Happening::of("point", name)
        });
    }
    fn curve_ends(&self, result: &CurveResult) {
        self.send(|| Happening::of("curve ends", &result.name));
    }
    fn work_begins(&self, name: &str) {
        self.send(|| Happening::of("work begins", name));
    }
    fn work_done(&self, name: &str, parts: usize, of: usize) {
        self.send(|| Happening {
            parts: Some((parts, of)),
            ..Happening::of("work", name)
        });
    }
    fn work_ends(&self, name: &str) {
        self.send(|| Happening::of("work ends", name));
    }
}
