//! slipstick: continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.

pub mod friction;
pub mod scalar;
pub mod system;
