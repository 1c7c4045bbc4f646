//! Friction systems with a theory of their own, solved exactly.
//!
//! The engine treats these systems like any other (see the [catalogue](slipstick_system::catalogue)); here is what
//! their own mathematics gives beyond it: closed forms, tables of instants, statistics, calibration.
//!
//! - [`shaw`]: an oscillator with static and dynamic friction under harmonic, recorded or random forcing;
//! - [`bearing`]: the same, slowly forced by temperature: the bearing of a bridge, and how to identify it from a
//!   record;
//! - [`wear`]: a mass on a vibrating base, and the power that wears its contact;
//! - [`shoe`]: a sliding shoe that comes to rest after finitely many half swings.

pub mod bearing;
pub mod shaw;
pub mod shoe;
pub mod wear;
