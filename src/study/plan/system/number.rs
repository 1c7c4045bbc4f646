//! Numbers of a system that may be formulas of its parameters.

use crate::plan::system::error::SystemError;
use crate::plan::system::error::SystemFault;
use crate::spec::system::named::Number;
use slipstick_system::text::{Expression, Scope};

/// The value of a number at `path` in the study; formulas may use what `scope` has as constants.
pub(crate) fn number_at(number: &Number, scope: &Scope, path: &str) -> Result<f64, SystemError> {
    match number {
        Number::Value(value) if value.is_finite() => Ok(*value),
        Number::Value(value) => Err(SystemError::new(
            path,
            SystemFault::NotFinite {
                name: path.rsplit('.').next().unwrap_or_default().to_owned(),
                value: *value,
            },
        )),
        Number::Formula(text) => {
            let expression = Expression::parse(text).map_err(|error| SystemError::text(path, error))?;
            scope
                .constant(&expression)
                .map_err(|fault| SystemError::text(path, fault.error))
        }
    }
}
