//! slipstick: continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.

pub mod flow;
pub mod scalar;
pub mod slow_fast;
pub mod system;
