//! The folder of a run's results: who may write there, what is there, and how the files of a run take their places.
//!
//! A run touches only files that a run wrote, as `run.json` lists them with their hashes. What it needs while it is
//! under way lies in one folder of its own ([`own`]). A [`Claim`] locks the results' folder, refuses one that holds
//! something else, and completes what a run that was killed was putting in place. A [`Staging`] takes the files of a
//! run, written beside those of an earlier run; its commit is one rename, after which the files are put in place
//! ([`placing`]) by this process or, if it is killed, by the next that claims the folder. Whatever stands in the way
//! and is not as a run wrote it is kept under another name ([`aside`]).

mod aside;
pub(crate) mod claim;
pub(crate) mod own;
mod placing;
pub(crate) mod staging;

pub use crate::run_folder::claim::Claim;
pub use crate::run_folder::claim::ClaimError;
pub use crate::run_folder::staging::Staging;
