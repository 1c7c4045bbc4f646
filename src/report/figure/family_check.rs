//! Is a figure of a family drawable?

use super::check::Checker;
use super::error::FigureError;
use super::spec::{Axis, Family, Marks, Members};

impl Checker<'_> {
    pub(super) fn family(&self, family: &Family) -> Result<(), FigureError> {
        let over = self.over("family of curves", &family.of, &self.known.families)?;
        for name in family.colour.iter().chain(family.at.keys()) {
            self.one_of("parameter of the family", name, over)?;
        }
        for (name, value) in &family.at {
            if family.colour.as_ref() == Some(name) {
                let message = format!("`{name}` has the colours: its members are not of one value");
                return Err(self.unfit(name, &message));
            }
            if !value.is_finite() {
                return Err(self.unfit(name, "the value of a parameter is a finite number"));
            }
        }
        if over.iter().all(|name| family.at.contains_key(name)) {
            return Err(self.unfit(
                "at",
                "every parameter of the family has a value here: leave one to the colours",
            ));
        }
        if family.view == Members::Surface {
            for (word, given) in [("lines", !family.lines.is_empty()), ("inset", family.inset.is_some())] {
                if given {
                    return Err(self.unfit(word, "only members in one plane have these; leave out `view: Surface`"));
                }
            }
        }
        for curve in &family.curves {
            self.curve(curve)?;
        }
        let columns = &self.known.family_columns;
        self.column(&family.x, columns)?;
        self.names(&family.y, columns)?;
        self.marks(&family.mark)?;
        self.marks(&Marks::Only(family.trace.clone()))?;
        self.range("x_range", family.x_range, family.log.contains(&Axis::X))?;
        self.range("y_range", family.y_range, family.log.contains(&Axis::Y))?;
        self.lines(&family.lines, columns)?;
        self.notes(&family.notes)?;
        self.inset(family.inset.as_ref(), columns)?;
        self.labels(&family.labels)
    }
}
