//! Monitors along curves, labels, and the location of special points.
//!
//! One mechanism finds everything: a test function, an inequality, a level of a monitor or the tangent's parameter
//! component changes sign between two points of a curve; its zero is bracketed in arclength and found to rounding, each
//! trial point corrected by Newton.

mod branch;
mod codimension;
mod collision;
mod critical;
mod homoclinic;
mod inspect;
mod interpolate;
mod label;
mod limit;
mod logbook;
mod monitor;
mod prune;
mod prune_two_parameters;
mod record;
mod switch;
mod touch;
mod trace;
mod tracer;
mod track;

pub use branch::{Branch, BranchPoint, Column, End, Level, TraceOptions};
pub use codimension::{
    APART, AT_A_POLE, CROSSING_LOST, Coincidence, History, REAL_ENDS, Side, coincidences, distances_from_real,
    other_multipliers, passes_real, stays_complex, subject, take_nearest, take_pair,
};
pub use collision::pairs_that_leave_the_axis;
pub(crate) use inspect::InspectedCurve;
pub use inspect::rotation;
pub use inspect::{Domain, Inspect, Recurrence, Rest, TwoParameters};
pub use label::Label;
pub use limit::limit_of_multipliers;
pub use logbook::{Logbook, Pace, Past};
pub use monitor::{InequalitySpec, Monitor, MonitorKind, Rank, TestSpec};
pub use record::Record;
pub use switch::{first_alike, first_within, other_branch};
pub use trace::{is_confirmed, passed_the_axis};
pub use tracer::Tracer;
