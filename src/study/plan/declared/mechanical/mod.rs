//! `Mechanical(...)`: masses, springs and contacts as a hybrid system.
//!
//! [`structure`] reads what is there without contacts, [`points`] where else elements can be, [`contact`] the contacts.
//! A combination of their states
//! ([`pattern`]) is a mode: contacts that stick tie velocities together, and [`motion`] finds the accelerations that
//! are left and the forces that the ties transmit. [`transition`] makes the ways out of a mode, [`together`] what
//! other contacts do at the same instant, [`locked`] what elements do whose ends move together, [`modes`] writes modes,
//! [`cyclic`] coordinates are left out,
//! [`sides`] tells levels of friction apart that differ with the direction.
//! [`explore`] chooses them, [`start`] finds the mode that given initial values belong to, [`mirror`] the image of a
//! mode under a symmetry. [`smoothed`] spreads jumps over layers, in which [`fast`] variables move;
//! [`regularised`] makes the slow–fast twin.

pub(crate) mod contact;
pub(crate) mod cyclic;
pub(crate) mod expand;
pub(crate) mod explore;
pub(crate) mod fast;
pub(crate) mod inverse;
pub(crate) mod locked;
pub(crate) mod mechanism;
pub(crate) mod mirror;
pub(crate) mod modes;
pub(crate) mod motion;
pub(crate) mod pattern;
pub(crate) mod points;
pub(crate) mod reader;
pub(crate) mod regularised;
pub(crate) mod sides;
pub(crate) mod smoothed;
pub(crate) mod start;
pub(crate) mod structure;
pub(crate) mod ties;
pub(crate) mod together;
pub(crate) mod transition;
