//! Is a figure of distances drawable?

use super::check::Checker;
use super::error::FigureError;
use super::spec::Twins;

impl Checker<'_> {
    pub(super) fn twins(&self, twins: &Twins) -> Result<(), FigureError> {
        let columns = self.over("comparison of twins", &twins.of, &self.known.twins)?;
        for name in &twins.columns {
            self.one_of("column that is compared", name, columns)?;
        }
        self.labels(&twins.labels)
    }
}
