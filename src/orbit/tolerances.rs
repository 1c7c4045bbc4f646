//! When two solved orbits are one: the tolerances that every floor above shares.

/// Orbits solved from different starts, or met on different curves, are one if what identifies them (invariants, ends,
/// points) agrees to this, relative to the sizes of the states. Newton's method solves to 1e-9, and the mesh of one may
/// differ from that of the other.
pub const SAME_ORBIT: f64 = 1e-6;

/// Places of one solved orbit coincide if they agree to this, relative to the sizes of the states: its own errors are
/// all that keeps them apart.
pub const SAME_PLACE: f64 = 1e-7;
