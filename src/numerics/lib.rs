//! Numbers that formulas are evaluated in, the linear algebra that the floors above share, and the stop that long loops
//! heed.

pub mod linalg;
pub mod scalar;
pub mod stop;
