//! slipstick: continuation and bifurcation of periodic orbits in systems that slip, stick, switch and split their time scales.

pub mod report;
pub mod scalar;
pub mod system;
pub mod continuation;
pub mod linalg;
pub mod bifurcation;
pub mod cli;
pub mod floquet;
pub mod flow;
pub mod orbit;
pub mod study;
