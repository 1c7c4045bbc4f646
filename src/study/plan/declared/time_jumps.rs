//! Surfaces that jump with time, as that of a mass on a belt whose velocity does. The states do not jump with them: a
//! motion on such a surface, or beside it, is off it afterwards, on the side on which its states are.

/// A switching function beyond this has jumped there: crossings are found nearer to their surface.
pub(crate) const CLEAR: f64 = 1e-8;
