use crate::plan::declared::expansion::Expansion;
use crate::plan::system::error::SystemError;
use crate::spec::system::filippov::FilippovSpec;
impl FilippovSpec {
    pub(crate) fn expand(&self, path: &str) -> Result<Expansion, Vec<SystemError>> {
        let _ = path;
        Ok(Expansion {
            system: Default::default(),
            sources: vec![],
        })
    }
}
