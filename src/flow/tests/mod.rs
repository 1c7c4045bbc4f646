//! The flow checked against closed forms, extended-precision values, invariants and orders of convergence.
// Reference values keep the digits they were computed with.
#![allow(
    clippy::unwrap_used,
    clippy::excessive_precision,
    clippy::needless_range_loop,
    clippy::type_complexity
)]

mod events;
mod exact;
mod integrators;
mod returns;
mod simulation;
mod systems;
