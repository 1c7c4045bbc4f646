//! Is a figure of cells drawable?

use super::check::Checker;
use super::error::FigureError;
use super::plane::axes;
use super::spec::{Axis, Basins, Chart};
use std::collections::BTreeMap;

impl Checker<'_> {
    pub(super) fn chart(&self, chart: &Chart) -> Result<(), FigureError> {
        let over = self.over("chart", &chart.of, &self.known.charts)?;
        if over.len() < 2 {
            return Err(self.unfit(
                &chart.of,
                "a chart over one parameter has no plane to show; draw it as a `Diagram` with `attractors`",
            ));
        }
        self.plane(
            "parameter of the chart",
            over,
            (chart.x.as_ref(), chart.y.as_ref()),
            &chart.at,
        )?;
        for curve in chart.curves.iter().flatten() {
            self.curve(curve)?;
        }
        self.marks(&chart.mark)?;
        self.range("x_range", chart.x_range, chart.log.contains(&Axis::X))?;
        self.range("y_range", chart.y_range, chart.log.contains(&Axis::Y))?;
        self.lines(&chart.lines, &self.known.columns)?;
        self.notes(&chart.notes)?;
        self.labels(&chart.labels)
    }

    pub(super) fn basins(&self, basins: &Basins) -> Result<(), FigureError> {
        let over = self.over("basins over a grid", &basins.of, &self.known.basins)?;
        if over.len() < 2 {
            return Err(self.unfit(
                &basins.of,
                "a grid over one state has no plane to show; go over two states",
            ));
        }
        self.plane(
            "state of the grid",
            over,
            (basins.x.as_ref(), basins.y.as_ref()),
            &basins.at,
        )?;
        self.range("x_range", basins.x_range, basins.log.contains(&Axis::X))?;
        self.range("y_range", basins.y_range, basins.log.contains(&Axis::Y))?;
        self.lines(&basins.lines, &[])?;
        self.notes(&basins.notes)?;
        self.labels(&basins.labels)
    }

    pub(super) fn over<'a>(
        &self,
        what: &'static str,
        name: &str,
        known: &'a BTreeMap<String, Vec<String>>,
    ) -> Result<&'a [String], FigureError> {
        match known.get(name) {
            Some(over) => Ok(over),
            None => Err(self.unknown(what, name, &known.keys().cloned().collect::<Vec<_>>())),
        }
    }

    /// The axes are two of the names gone over, and values are given of others only.
    fn plane(
        &self,
        what: &'static str,
        over: &[String],
        (x, y): (Option<&String>, Option<&String>),
        at: &BTreeMap<String, f64>,
    ) -> Result<(), FigureError> {
        for name in x.iter().chain(&y).copied().chain(at.keys()) {
            self.one_of(what, name, over)?;
        }
        let Some((x, y)) = axes(over, x, y) else {
            return Ok(());
        };
        if x == y {
            return Err(self.unfit(x, "a plane needs two; this is the same on both axes"));
        }
        for (name, value) in at {
            if name == x || name == y {
                return Err(self.unfit(
                    name,
                    &format!("`{name}` is on an axis; give the range of an axis instead"),
                ));
            }
            if !value.is_finite() {
                return Err(self.unfit(name, "the value of a further axis is a finite number"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::check;
    use super::super::known::Known;
    use super::super::spec::Figure;

    fn complaint(text: &str) -> String {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let known = Known {
            curves: owned(&["stiff", "compliant"]),
            charts: [
                ("regimes".to_owned(), owned(&["A", "Omega", "k"])),
                ("line".to_owned(), owned(&["Omega"])),
            ]
            .into(),
            basins: [("wells".to_owned(), owned(&["v", "x"]))].into(),
            ..Known::default()
        };
        let figure = Figure::from_ron(text).map_err(|e| e.to_string());
        figure.map_or_else(
            |e| e,
            |figure| check(&figure, &known).err().map_or_else(String::new, |e| e.to_string()),
        )
    }

    #[test]
    fn sound_figures_pass() {
        for text in [
            r#"Chart(name: "a", of: "regimes", x: "Omega", y: "A", at: {"k": 2}, curves: ["stiff"])"#,
            r#"Basins(name: "a", of: "wells", x: "x", labels: {"1": "left"})"#,
        ] {
            assert_eq!(complaint(text), "");
        }
    }

    #[test]
    fn every_wrong_word_is_named_with_the_right_ones() {
        for (text, wanted) in [
            (
                r#"Chart(name: "a", of: "regime")"#,
                "unknown chart `regime`; there are: line, regimes",
            ),
            (r#"Chart(name: "a", of: "line")"#, "draw it as a `Diagram`"),
            (
                r#"Chart(name: "a", of: "regimes", x: "omega")"#,
                "unknown parameter of the chart `omega`; there are: A, Omega, k",
            ),
            (
                r#"Chart(name: "a", of: "regimes", x: "A", y: "A")"#,
                "the same on both axes",
            ),
            (
                r#"Chart(name: "a", of: "regimes", x: "Omega", y: "A", at: {"A": 2})"#,
                "is on an axis",
            ),
            (
                r#"Chart(name: "a", of: "regimes", curves: ["soft"])"#,
                "unknown curve `soft`",
            ),
            (
                r#"Basins(name: "a", of: "wells", y: "y")"#,
                "unknown state of the grid `y`; there are: v, x",
            ),
            (
                r#"Basins(name: "a", of: "regimes")"#,
                "unknown basins over a grid `regimes`; there are: wells",
            ),
        ] {
            let message = complaint(text);
            assert!(message.contains(wanted), "{text}\n{message}");
        }
    }
}
