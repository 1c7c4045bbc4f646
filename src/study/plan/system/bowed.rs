//! The system of a bowed structure from its text.

use crate::analysis::elastic::StructureSpec;
use crate::plan::system::build::Built;
use crate::plan::system::error::{SystemError, SystemFault};
use crate::spec::system::bowed::BowedSystemSpec;
use slipstick_models::elastic::bowed_system;
use std::path::Path;

impl BowedSystemSpec {
    pub(crate) fn build(&self, path: &str) -> Result<Built, Vec<SystemError>> {
        let fail = |key: &str, fault: SystemFault| vec![SystemError::new(format!("{path}.{key}"), fault)];
        if matches!(self.structure, StructureSpec::Table { .. }) {
            return Err(fail("structure", SystemFault::ModesFromTable));
        }
        let folder = Path::new("");
        let words =
            |fault: crate::analysis::fault::Fault| fail(&fault.key, SystemFault::Elastic { what: fault.message });
        self.bow.check(&self.structure, self.modes, folder).map_err(words)?;
        let elastic = |e: slipstick_models::elastic::ElasticError| {
            fail("structure", SystemFault::Elastic { what: e.to_string() })
        };
        let structure = self.structure.build(self.modes, folder).map_err(elastic)?;
        let law = self.bow.law().map_err(elastic)?;
        let start = [self.start.0, self.start.1];
        let system = bowed_system(&structure, 0, &law, self.bow.v0, start).map_err(elastic)?;
        let steep = self.bow.warnings(&self.structure, self.modes, folder);
        let warnings = steep.into_iter().flat_map(words).collect();
        Ok(Built { system, warnings })
    }
}
