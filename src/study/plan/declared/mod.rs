//! Systems that are declared: the program makes their modes, events and words. What is made is a hybrid system like one
//! that is written out, as text.

pub(crate) mod coincidence;
pub(crate) mod continuity;
pub(crate) mod expansion;
pub(crate) mod filippov;
mod intersection;
pub(crate) mod law;
pub(crate) mod maker;
pub(crate) mod mechanical;
mod one_surface;
pub(crate) mod pattern;
pub(crate) mod regularised;
pub(crate) mod sliding;
pub(crate) mod surface_sides;
pub(crate) mod switched_field;
pub(crate) mod tangencies;
pub(crate) mod time_jumps;
mod transitions;
