//! What the crate claims, checked from outside: the numbers of its studies, its files and its messages.
#![allow(clippy::unwrap_used, missing_docs)]

mod benchmarks;
mod command;
mod confirmed;
mod diagnostics;
mod explore;
mod figures;
mod invariance;
mod loci;
mod materials;
mod nonsmooth;
mod numerics;
mod reference;
mod regularised;
mod resume;
mod runs;
mod smooth;
mod support;
