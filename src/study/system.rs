//! Systems of a study, as written and as built.

pub use crate::plan::system::build::Built;
pub use crate::plan::system::error::{SystemError, SystemFault};
pub use crate::plan::system::mechanical_fault::MechanicalFault;
pub use crate::spec::system::bowed::BowedSystemSpec;
pub use crate::spec::system::declared::{
    DirectionSpec, EventSpec, ForcingSpec, HybridSpec, KindSpec, MapSpec, ModeSpec, MonitorSpec, SlowFastSpec,
    SmoothSpec, StartSpec, SymmetrySpec,
};
pub use crate::spec::system::entry::SystemSpec;
pub use crate::spec::system::filippov::FilippovSpec;
pub use crate::spec::system::mechanical::{AgainstSpec, ContactSpec, MatrixSpec, MechanicalSpec, SideSpec, SpringSpec};
pub use crate::spec::system::named::{Named, Number};
pub use crate::spec::system::regularised::{JumpingSpec, LawSpec, RegularisedSpec};
pub use crate::spec::system::tangencies::{TangenciesSpec, TangentSpec};
