//! On which side of zero a test function is where it is zero to the last digit.

use super::super::{Label, Record};
use super::one_way::OneWay;

impl OneWay<'_> {
    /// A test function that is exactly zero at a point, as where round numbers put a special point just there, is taken
    /// to be on the side that the curve comes from, `before`: the next interval has the change of its sign, if it
    /// changes. Branch points are looked for at touches of zero, too.
    pub(super) fn keep_sides(&self, before: &Record, record: &mut Record) {
        /// As a part of the value before, so that products with it are no zeros.
        const NOTHING: f64 = 1e-100;
        /// What has been taken so before stays zero: a function may vanish from here on.
        const VANISHED: f64 = 1e-60;
        let tests = self.tests.iter().zip(&before.tests).zip(&mut record.tests);
        for ((test, before), value) in tests {
            if *value == 0.0 && before.abs() > VANISHED && test.label != Label::BP {
                *value = NOTHING * before;
            }
        }
    }
}
