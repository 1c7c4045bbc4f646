//! The flow checked against closed forms, extended-precision values, invariants and orders of convergence.
#![allow(clippy::unwrap_used)]

mod events;
mod exact;
mod integrators;
mod returns;
mod simulation;
mod systems;
