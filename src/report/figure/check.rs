//! Is a figure drawable? Every word of its description is looked up before any work starts.

use super::error::FigureError;
use super::font;
use super::formula;
use super::known::Known;
use super::markup;
use super::select::{Expression, OrbitChoice};
use super::spec::{Axis, Diagram, Figure, Inset, Line, Manifold, Marks, Names, Note, Object, Place, Style, View};
use slipstick_bifurcation::Label;
use std::collections::BTreeMap;

/// Look up every word of a figure.
///
/// # Errors
/// [`FigureError::Unknown`] with the names there are; [`FigureError::Unfit`] for reversed ranges, negative sizes,
/// broken labels.
pub fn check(figure: &Figure, known: &Known) -> Result<(), FigureError> {
    let checker = Checker {
        figure: figure.name(),
        known,
    };
    if figure.name().is_empty() {
        return Err(checker.unfit("name", "a figure needs a name: its files are called after it"));
    }
    if crate::run_data::check_file_name(figure.name()).is_err() {
        return Err(checker.unfit(
            figure.name(),
            "a figure's name is a file name: use letters, digits, - and _",
        ));
    }
    if let Some(style) = figure.style() {
        checker.style(style)?;
    }
    checker.figure(figure)
}

pub(super) struct Checker<'a> {
    figure: &'a str,
    pub(super) known: &'a Known,
}

impl Checker<'_> {
    fn figure(&self, figure: &Figure) -> Result<(), FigureError> {
        let known = self.known;
        match figure {
            Figure::Diagram(diagram) => self.diagram(diagram),
            Figure::Manifold(manifold) => self.manifold(manifold),
            Figure::Chart(chart) => self.chart(chart),
            Figure::Basins(basins) => self.basins(basins),
            Figure::Family(family) => self.family(family),
            Figure::Twins(twins) => self.twins(twins),
            Figure::Space(space) => self.space(space),
            Figure::Orbits(orbits) => {
                self.orbits(&orbits.of)?;
                if orbits.of.is_empty() {
                    return Err(self.unfit("of", "name at least one curve, e.g. of: [\"stiff: LP\"]"));
                }
                self.labels(&orbits.labels)?;
                self.views(&orbits.panels, &known.orbit_columns)
            }
            Figure::Trajectories(trajectories) => {
                for name in &trajectories.of {
                    self.one_of("trajectory", name, &known.trajectories)?;
                }
                self.labels(&trajectories.labels)?;
                self.views(&trajectories.panels, &known.trajectory_columns)
            }
            Figure::Panels(sheet) => {
                if sheet.panels.is_empty() {
                    return Err(self.unfit("panels", "the list of panels is empty"));
                }
                for panel in &sheet.panels {
                    if panel.style().is_some() {
                        return Err(
                            self.unfit("style", "size and look belong to the whole sheet, not to a panel of it")
                        );
                    }
                    if matches!(panel, Figure::Panels(_)) {
                        return Err(self.unfit("Panels", "a sheet cannot hold another sheet; list the panels in one"));
                    }
                    self.figure(panel)?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn orbits(&self, of: &[String]) -> Result<(), FigureError> {
        for of in of {
            let choice = OrbitChoice::parse(of);
            self.curve(&choice.curve)?;
            let points = self.known.points_of(&choice.curve);
            for label in choice.labels() {
                self.label(label, of)?;
                if let Some(why) = points.and_then(|points| points.refuses_label(&choice.curve, label)) {
                    return Err(self.unfit(of, &why));
                }
            }
            for (column, value) in choice.levels() {
                self.one_of("column", column, &self.known.columns)?;
                if let Some(why) = points.and_then(|points| points.refuses_level(&choice.curve, column, value)) {
                    return Err(self.unfit(of, &why));
                }
            }
        }
        Ok(())
    }

    fn manifold(&self, manifold: &Manifold) -> Result<(), FigureError> {
        let known = self.known;
        self.one_of("portrait", &manifold.of, &known.portraits)?;
        let mut columns = known.portrait_columns.clone();
        if manifold.show.contains(&Object::Sections) {
            columns.extend(["across".to_owned(), "fast".to_owned()]);
        }
        self.column(&manifold.x, &columns)?;
        self.column(&manifold.y, &columns)?;
        self.orbits(&manifold.orbits)?;
        if manifold.show.is_empty() && manifold.orbits.is_empty() {
            return Err(self.unfit("show", "name something to draw, e.g. show: [Sheets, Canards]"));
        }
        self.range("x_range", manifold.x_range, manifold.log.contains(&Axis::X))?;
        self.range("y_range", manifold.y_range, manifold.log.contains(&Axis::Y))?;
        self.lines(&manifold.lines, &[])?;
        self.notes(&manifold.notes)?;
        self.inset(manifold.inset.as_ref(), &[])?;
        self.labels(&manifold.labels)
    }

    fn diagram(&self, diagram: &Diagram) -> Result<(), FigureError> {
        for curve in &diagram.of {
            self.curve(curve)?;
        }
        for sweep in &diagram.attractors {
            self.one_of("sweep for attractors", sweep, &self.known.attractors)?;
        }
        for data in &diagram.data {
            if data.points.is_empty() {
                return Err(self.unfit(
                    &data.file,
                    "data of one's own are not part of a run; write the figure into a file: slipstick plot RUN FIGURE.ron",
                ));
            }
            self.markup(&data.label)?;
        }
        self.column(&diagram.x, &self.known.columns)?;
        self.names(&diagram.y, &self.known.columns)?;
        self.range("x_range", diagram.x_range, diagram.log.contains(&Axis::X))?;
        self.range("y_range", diagram.y_range, diagram.log.contains(&Axis::Y))?;
        self.marks(&diagram.mark)?;
        self.marks_on(diagram)?;
        self.lines(&diagram.lines, &self.known.columns)?;
        self.notes(&diagram.notes)?;
        self.inset(diagram.inset.as_ref(), &self.known.columns)?;
        self.labels(&diagram.labels)
    }

    pub(super) fn marks(&self, marks: &Marks) -> Result<(), FigureError> {
        if let Marks::Only(labels) = marks {
            let fits = |label: &&String| {
                !label.is_empty() && label.chars().all(|c| c.is_ascii_uppercase() || "+1234".contains(c))
            };
            if let Some(wrong) = labels.iter().find(|label| !fits(label)) {
                return Err(self.unfit(wrong, "labels are capital letters: LP, SB, VS, UZ, …"));
            }
            for label in labels {
                self.label(label, label)?;
            }
        }
        Ok(())
    }

    /// At least one of the curves must be able to have each label that a diagram marks.
    fn marks_on(&self, diagram: &Diagram) -> Result<(), FigureError> {
        let Marks::Only(labels) = &diagram.mark else {
            return Ok(());
        };
        let curves = if diagram.of.is_empty() {
            &self.known.curves
        } else {
            &diagram.of
        };
        for label in labels {
            let refuses = |curve: &String| self.known.points_of(curve)?.refuses_label(curve, label);
            let refusals: Option<Vec<String>> = curves.iter().map(refuses).collect();
            if let Some(why) = refusals.as_ref().and_then(|all| all.last()) {
                return Err(self.unfit(label, why));
            }
        }
        Ok(())
    }

    fn views(&self, views: &[View], columns: &[String]) -> Result<(), FigureError> {
        if views.is_empty() {
            return Err(self.unfit("panels", "name at least one view, e.g. panels: [Time(\"x\")]"));
        }
        for view in views {
            match view {
                View::Time(names) => self.names(names, columns)?,
                View::Plane(x, y) => {
                    self.column(x, columns)?;
                    self.column(y, columns)?;
                }
                View::Axes {
                    x,
                    y,
                    log,
                    x_range,
                    y_range,
                    lines,
                    inset,
                } => {
                    self.column(x, columns)?;
                    self.names(y, columns)?;
                    self.range("x_range", *x_range, log.contains(&Axis::X))?;
                    self.range("y_range", *y_range, log.contains(&Axis::Y))?;
                    self.lines(lines, &[])?;
                    self.inset(inset.as_ref(), &[])?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn names(&self, names: &Names, columns: &[String]) -> Result<(), FigureError> {
        names.0.iter().try_for_each(|name| self.column(name, columns))
    }

    pub(super) fn column(&self, word: &str, columns: &[String]) -> Result<(), FigureError> {
        let expression = Expression::parse(word);
        if word.contains('(') && expression.function.is_none() {
            return Err(self.unfit(word, "a column may be wrapped in abs(…) or log10(…)"));
        }
        if expression.expand(columns).is_empty() {
            return Err(self.unknown("column", expression.column, columns));
        }
        Ok(())
    }

    pub(super) fn curve(&self, name: &str) -> Result<(), FigureError> {
        if self.known.further.iter().any(|other| other == name) {
            return Ok(());
        }
        self.one_of("curve", name, &self.known.curves)
    }

    /// A label of special points, in a text of the figure.
    fn label(&self, label: &str, text: &str) -> Result<(), FigureError> {
        if Label::parse(label).is_some() {
            return Ok(());
        }
        let known: Vec<&str> = Label::ALL.iter().map(|l| l.code()).collect();
        Err(self.unfit(
            text,
            &format!(
                "`{label}` is no label of special points; labels are {}",
                known.join(", ")
            ),
        ))
    }

    pub(super) fn one_of(&self, what: &'static str, word: &str, known: &[String]) -> Result<(), FigureError> {
        if known.iter().any(|name| name == word) {
            Ok(())
        } else {
            Err(self.unknown(what, word, known))
        }
    }

    pub(super) fn range(&self, word: &str, range: Option<(f64, f64)>, log: bool) -> Result<(), FigureError> {
        let Some((low, high)) = range else { return Ok(()) };
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(self.unfit(
                word,
                &format!("({low}, {high}) is not a range; write the smaller number first"),
            ));
        }
        if log && low <= 0.0 {
            return Err(self.unfit(
                word,
                &format!("a logarithmic axis cannot start at {low}; start above zero"),
            ));
        }
        Ok(())
    }

    pub(super) fn inset(&self, inset: Option<&Inset>, names: &[String]) -> Result<(), FigureError> {
        let Some(inset) = inset else { return Ok(()) };
        for (word, (low, high)) in [("x_range", &inset.x_range), ("y_range", &inset.y_range)] {
            if !(self.place(low, names)? && self.place(high, names)?) {
                return Err(self.unfit(word, "an inset needs finite numbers"));
            }
            if let (Place::Number(low), Place::Number(high)) = (low, high) {
                self.range(word, Some((*low, *high)), false)?;
            }
        }
        let fine = |part: f64| (0.1..=0.9).contains(&part);
        if fine(inset.size.0) && fine(inset.size.1) {
            return Ok(());
        }
        Err(self.unfit("size", "an inset takes 0.1 to 0.9 of the panel's width and height"))
    }

    /// Lines whose formulas may use these names.
    pub(super) fn lines(&self, lines: &[Line], names: &[String]) -> Result<(), FigureError> {
        for line in lines {
            let (label, fine) = match line {
                Line::Horizontal { at, label } | Line::Vertical { at, label } => (label, self.place(at, names)?),
                Line::Through { points, label } => {
                    let finite = points.iter().all(|(x, y)| x.is_finite() && y.is_finite());
                    (label, finite && !points.is_empty())
                }
            };
            if !fine {
                return Err(self.unfit("lines", "a line needs finite numbers"));
            }
            self.markup(label)?;
        }
        Ok(())
    }

    /// Is the place finite?
    fn place(&self, at: &Place, names: &[String]) -> Result<bool, FigureError> {
        match at {
            Place::Number(at) => Ok(at.is_finite()),
            // Its value belongs to the run.
            Place::Formula(text) => match formula::check(text, names) {
                Ok(()) => Ok(true),
                Err(why) => Err(self.unfit(text, &why.to_string())),
            },
        }
    }

    pub(super) fn notes(&self, notes: &[Note]) -> Result<(), FigureError> {
        for note in notes {
            let (to, at) = (note.to.unwrap_or(note.at), note.at);
            if [at.0, at.1, to.0, to.1].iter().any(|number| !number.is_finite()) {
                return Err(self.unfit("notes", "a note needs finite numbers"));
            }
            note.text.lines().try_for_each(|line| self.markup(line))?;
        }
        Ok(())
    }

    pub(super) fn labels(&self, labels: &BTreeMap<String, String>) -> Result<(), FigureError> {
        labels.values().try_for_each(|label| self.markup(label))
    }

    pub(super) fn markup(&self, text: &str) -> Result<(), FigureError> {
        markup::Label::parse(text).map_err(|why| self.unfit(text, &why.to_string()))?;
        match text.chars().find(|&letter| !font::has(letter)) {
            Some(letter) => Err(self.unfit(text, &format!("the font has no letter `{letter}`"))),
            None => Ok(()),
        }
    }

    fn style(&self, style: &Style) -> Result<(), FigureError> {
        let within = |word: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(self.unfit(word, &format!("{value} is outside {low} to {high}")))
        };
        within("width", style.width.millimetres(), 30.0, 1000.0)?;
        within("height", style.height.unwrap_or(60.0), 20.0, 1000.0)?;
        within("font_size", style.font_size, 4.0, 40.0)?;
        within("line_width", style.line_width, 0.1, 10.0)
    }

    pub(super) fn unknown(&self, what: &'static str, word: &str, known: &[String]) -> FigureError {
        FigureError::Unknown {
            figure: self.figure.to_owned(),
            what,
            word: word.to_owned(),
            known: known.to_vec(),
        }
    }

    /// What is wrong, and after a semicolon what would be right.
    pub(super) fn unfit(&self, word: &str, message: &str) -> FigureError {
        let (message, help) = message.split_once("; ").unwrap_or((message, ""));
        FigureError::Unfit {
            figure: self.figure.to_owned(),
            word: word.to_owned(),
            message: message.to_owned(),
            help: help.to_owned(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn known() -> Known {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        Known {
            curves: owned(&["stiff", "compliant"]),
            further: owned(&["stiff-SB1a"]),
            columns: owned(&["Omega", "max_abs_x", "mult1_log10", "mult2_log10"]),
            orbit_columns: owned(&["t", "x", "y", "theta"]),
            trajectories: owned(&["settle"]),
            trajectory_columns: owned(&["t", "x"]),
            attractors: vec!["seen".into()],
            portraits: owned(&["layer"]),
            portrait_columns: owned(&["x", "yhat", "theta"]),
            ..Known::default()
        }
    }

    fn complaint(text: &str) -> String {
        check(&Figure::from_ron(text).unwrap(), &known())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn sound_figures_pass() {
        for text in [
            r#"Diagram(name: "a", x: "Omega", y: ["max_abs_x", "mult*_log10", "abs(mult1_log10)"], of: ["stiff"])"#,
            r#"Orbits(name: "a", of: ["stiff: LP, Omega=2, 7", "compliant"], panels: [Time("x"), Plane("theta", "y")])"#,
            r#"Orbits(name: "a", of: ["stiff-SB1a: LP+VT"], panels: [Time("x")])"#,
            r#"Trajectories(name: "a", panels: [Time("x")])"#,
            r#"Manifold(name: "a", of: "layer", x: "theta", y: "yhat", orbits: ["stiff: LP"], lines: [Horizontal(at: "pi/4")])"#,
            r#"Manifold(name: "a", of: "layer", x: "across", y: "fast", show: [Sections])"#,
            r#"Diagram(name: "a", x: "Omega", y: "max_abs_x", lines: [Vertical(at: "2*sqrt(Omega)", label: "bound")])"#,
            r#"Diagram(name: "a", x: "Omega", y: "max_abs_x", inset: Inset(x_range: (0, "2*Omega"), y_range: ("1/4", 1)))"#,
        ] {
            check(&Figure::from_ron(text).unwrap(), &known()).unwrap();
        }
    }

    #[test]
    fn every_wrong_word_is_named_with_the_right_ones() {
        let cases = [
            (
                r#"Diagram(name: "a", x: "omega", y: "max_abs_x")"#,
                "unknown column `omega`; there are: Omega, max_abs_x",
            ),
            (r#"Diagram(name: "a", x: "Omega", y: "nu*")"#, "unknown column `nu*`"),
            (
                r#"Diagram(name: "a", x: "Omega", y: "sqrt(Omega)")"#,
                "abs(…) or log10(…)",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", of: ["soft"])"#,
                "unknown curve `soft`; there are: stiff, compliant",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", x_range: (2, 1))"#,
                "(2, 1) is not a range",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", log: [Y], y_range: (0, 1))"#,
                "cannot start at 0",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", labels: {"Omega": "\\Omga"})"#,
                "`\\Omga` is not known",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", mark: Only(["lp"]))"#,
                "capital letters",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", mark: Only(["LP", "QQ"]))"#,
                "`QQ` is no label",
            ),
            (
                r#"Orbits(name: "a", of: ["stiff: LP, PD 2"], panels: [Time("x")])"#,
                "`PD 2` is no label",
            ),
            (r#"Diagram(x: "Omega", y: "Omega")"#, "needs a name"),
            (r#"Diagram(name: "a/b", x: "Omega", y: "Omega")"#, "file name"),
            (
                r#"Orbits(name: "a", of: ["stiff: omega=2"], panels: [Time("x")])"#,
                "unknown column `omega`",
            ),
            (
                r#"Orbits(name: "a", of: ["stiff"], panels: [Time("z")])"#,
                "unknown column `z`; there are: t, x, y, theta",
            ),
            (
                r#"Trajectories(name: "a", of: ["sett"], panels: [Time("x")])"#,
                "unknown trajectory `sett`",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "Omega", style: Style(height: -3))"#,
                "outside 20 to 1000",
            ),
            (
                r#"Manifold(name: "a", of: "leyer", x: "theta", y: "yhat")"#,
                "unknown portrait `leyer`; there are: layer",
            ),
            (
                r#"Manifold(name: "a", of: "layer", x: "theta", y: "fast")"#,
                "unknown column `fast`",
            ),
            (
                r#"Manifold(name: "a", of: "layer", x: "theta", y: "yhat", show: [])"#,
                "name something to draw",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "max_abs_x", lines: [Vertical(at: "1/sqrt(omega)")])"#,
                "omega",
            ),
            (
                r#"Manifold(name: "a", of: "layer", x: "theta", y: "yhat", lines: [Vertical(at: "1/Omega")])"#,
                "Omega",
            ),
            (
                r#"Diagram(name: "a", x: "Omega", y: "max_abs_x", inset: Inset(x_range: (1, 0), y_range: (0, 1)))"#,
                "not a range",
            ),
            (r#"Panels(name: "a", panels: [])"#, "empty"),
        ];
        for (text, wanted) in cases {
            let message = complaint(text);
            assert!(message.contains(wanted), "{text}\n{message}");
        }
    }
}
