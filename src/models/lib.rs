//! Case studies with mathematics of their own: the friction systems of the literature and elastic structures under
//! friction.

pub mod elastic;
pub mod friction;
