//! slipstick: continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.

pub mod bifurcation;
pub mod cli;
pub mod continuation;
pub mod elastic;
pub mod floquet;
pub mod flow;
pub mod friction;
pub mod linalg;
pub mod orbit;
pub mod report;
pub mod scalar;
pub mod slow_fast;
pub mod study;
pub mod system;
