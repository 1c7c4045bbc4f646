//! The bearing of a bridge: friction under slow forcing by temperature, and its identification from a record.
//!
//! The bearing point obeys Shaw's law with b = K (β T(t) - x), so slowly that the
//! [quasi-static](super::shaw::quasi_static) map holds: it rests while
//! |β T - x| ≤ a = f_s/K and then jumps by 2D, D = (f_s - f_d)/K. The sensor shows in addition the shear of the bearing, z = z₀ + x + K (β T - x)/K_BP =
//! z₀ + x + r (β T - x) with r = K/K_BP.
//!
//! - [`Record`]: temperature and displacement over time, from a CSV file as loggers write it;
//! - [`Bearing`]: the model, and a synthetic record without random numbers;
//! - [`Calibration`]: (a, D, β) by particle swarm and Nelder–Mead, z₀ and r by linear least squares; what is
//!   identifiable and how well.
//!
//! Source: A. Bensoussan, A. Brouste, F. B. Cartiaux, C. Mathey and L. Mertz, *Mathematical formulation of a dynamical
//! system with dry friction subjected to external forces*, §4. Its units are read consistently here: friction in MN
//! (f_s/K = 2.5 mm; 0.47 N would give 2.5 nm), K_BP = 2·10⁶ N/mm, and the K of the first row of its Table 1 is 1.75·10⁸
//! N/m.

mod calibration;
mod identifiability;
mod model;
mod objective;
mod record;
mod record_csv;
mod search;

pub use calibration::{Calibration, CalibrationError, Fit};
pub use identifiability::Identified;
pub use model::{Bearing, BearingMotion};
pub use record::{Record, RecordError};
pub use record_csv::{Column, RecordFormat};
pub use search::{CalibrationResult, Spread};
