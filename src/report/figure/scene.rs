//! What a figure shows, in the numbers of its axes: curves, marks, shades. No lengths, no colours yet.

use super::markup::Label;
use super::spec::{Corner, Legend, Style};
use super::ticks::Scale;

/// A whole figure: panels in rows.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub(super) name: String,
    pub(super) style: Style,
    /// Panels side by side.
    pub(super) columns: usize,
    /// Whether panels below each other share the horizontal axis, and panels beside each other the vertical one.
    pub(super) share_x: bool,
    pub(super) share_y: bool,
    pub(super) panels: Vec<Panel>,
    /// A legend for all panels, above them.
    pub(super) heading: Vec<Entry>,
}

/// One pair of axes and what is drawn in it.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) x: AxisScale,
    pub(super) y: AxisScale,
    /// Height of the frame as a part of its width, if the page decides.
    pub(super) aspect: f64,
    /// Cells, behind everything.
    pub(super) cells: Option<Cells>,
    /// Shaded regions, behind the rest.
    pub(super) fills: Vec<Fill>,
    pub(super) series: Vec<Series>,
    /// Directions along curves.
    pub(super) arrows: Vec<Arrow>,
    pub(super) marks: Vec<Mark>,
    /// Dots under everything else.
    pub(super) dots: Vec<(f64, f64)>,
    /// Shaded ranges of the horizontal axis.
    pub(super) bands: Vec<(f64, f64)>,
    /// Ranges of the horizontal axis drawn as bars along its foot, a row for each ink.
    pub(super) strips: Vec<(Ink, Vec<(f64, f64)>)>,
    pub(super) rules: Vec<Rule>,
    pub(super) notes: Vec<NoteScene>,
    pub(super) inset: Option<InsetScene>,
    pub(super) legend: Legend,
    pub(super) entries: Vec<Entry>,
    /// What has its name beside it, so that the legend need not list it.
    pub(super) named: Vec<Entry>,
    /// What the colours of a ramp stand for, beside the frame.
    pub(super) bar: Option<AxisScale>,
    /// Where curves lie one behind another: what is in front.
    pub(super) front: Option<Front>,
    /// The box of axes of a picture of space; the axes of the panel are then those of the page.
    pub(super) space: Option<SpaceAxes>,
}

/// The box around a picture of space, in the numbers of the page: what stands behind, and the three axes.
#[derive(Clone, Debug, Default)]
pub(super) struct SpaceAxes {
    pub(super) behind: Vec<[(f64, f64); 2]>,
    pub(super) axes: Vec<[(f64, f64); 2]>,
    pub(super) ticks: Vec<[(f64, f64); 2]>,
    /// What is written at the axes: where its edge or middle is, on which side of it the axis lies (as a direction),
    /// and whether it is the name of the axis.
    pub(super) words: Vec<SpaceWords>,
}

/// Words at an axis in space.
#[derive(Clone, Debug)]
pub(super) struct SpaceWords {
    pub(super) at: (f64, f64),
    /// The direction from the axis to the words, of length 1 on the page.
    pub(super) away: (f64, f64),
    pub(super) label: Label,
    pub(super) names_axis: bool,
}

/// An axis: its label, its scale and the range it covers.
#[derive(Clone, Debug)]
pub(super) struct AxisScale {
    pub(super) label: Label,
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl AxisScale {
    /// An axis without a label and without a range.
    pub(super) fn new(scale: Scale) -> Self {
        Self {
            label: Label::default(),
            scale,
            low: 1.0,
            high: 2.0,
        }
    }

    /// The number at a part of the axis, which may lie beyond its ends.
    pub(super) fn value(&self, part: f64) -> f64 {
        let place = |value: f64| self.scale.place(value).unwrap_or(0.0);
        let at = place(self.low) + part * (place(self.high) - place(self.low));
        if self.scale == Scale::Log { 10f64.powf(at) } else { at }
    }

    /// Where a number lies on the axis: 0 at its low end, 1 at its high end.
    pub(super) fn part(&self, value: f64) -> Option<f64> {
        let (low, high) = (self.scale.place(self.low)?, self.scale.place(self.high)?);
        Some((self.scale.place(value)? - low) / (high - low)).filter(|part| part.is_finite())
    }
}

/// How far to the right and upwards the back of an oblique projection is, as parts of the frame.
pub(super) const SHIFT: (f64, f64) = (0.3, 0.36);

/// The upper ends of the axes at the front; those of the panel reach to the back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Front {
    pub(super) x_high: f64,
    pub(super) y_high: f64,
}

/// The part of a frame's width or height that an axis takes, and the axis.
pub(super) struct Edge {
    pub(super) axis: AxisScale,
    pub(super) part: f64,
}

impl Panel {
    /// Axes with nothing in them.
    pub(super) fn empty(x: AxisScale, y: AxisScale) -> Self {
        Self {
            x,
            y,
            aspect: 0.68,
            cells: None,
            fills: Vec::new(),
            series: Vec::new(),
            arrows: Vec::new(),
            marks: Vec::new(),
            dots: Vec::new(),
            bands: Vec::new(),
            strips: Vec::new(),
            rules: Vec::new(),
            notes: Vec::new(),
            inset: None,
            legend: Legend::Auto,
            entries: Vec::new(),
            named: Vec::new(),
            bar: None,
            front: None,
            space: None,
        }
    }

    /// The horizontal axis.
    pub(super) fn x_edge(&self) -> Edge {
        edge(&self.x, self.front.map(|front| front.x_high), SHIFT.0)
    }

    /// The vertical axis.
    pub(super) fn y_edge(&self) -> Edge {
        edge(&self.y, self.front.map(|front| front.y_high), SHIFT.1)
    }
}

fn edge(whole: &AxisScale, high: Option<f64>, shift: f64) -> Edge {
    let part = if high.is_some() { 1.0 - shift } else { 1.0 };
    let high = high.unwrap_or(whole.high);
    Edge {
        axis: AxisScale { high, ..whole.clone() },
        part,
    }
}

/// A connected piece of a curve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) ink: Ink,
    pub(super) stroke: Stroke,
    pub(super) points: Vec<(f64, f64)>,
}

/// Which colour: the palette says what it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// The n-th curve, column or orbit.
    Series(usize),
    /// Canard segments.
    Canard,
    /// A place on the ramp of colours, from its dark end to its light one.
    Ramp(u8),
    /// Lines through marked points.
    Locus,
    /// Reference lines, keys.
    Neutral,
}

impl Ink {
    /// The ink at this part of the ramp.
    pub(super) fn ramp(part: f64) -> Self {
        Self::Ramp((part.clamp(0.0, 1.0) * f64::from(u8::MAX)).round() as u8)
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// Stable parts and orbits.
    Solid,
    /// Unstable parts.
    Dashed,
    /// Inadmissible parts.
    Dotted,
    /// Canard segments.
    Thick,
    /// Reference lines.
    Thin,
    /// Families of many curves.
    Fine,
    /// What lies over another curve and lets it be seen.
    Over,
    /// What a surface in front hides.
    Hidden,
}

/// A shaded region with its closed outline.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fill {
    pub(super) tone: Tone,
    pub(super) outline: Vec<(f64, f64)>,
}

/// What a shade stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Sheets that attract along fast fibres.
    Attracting,
    /// Sheets that repel.
    Repelling,
    /// The band of dense oscillations, in a light shade of its curve.
    Band(Ink),
    /// A piece of the n-th surface in space in so much light, up to [`Tone::LIGHTS`].
    Facet(Surface, u8),
}

impl Tone {
    /// The brightest light.
    pub(super) const LIGHTS: u8 = 5;
}

/// A surface in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    Attracting,
    Repelling,
    /// The n-th of those given by formulas.
    Given(u8),
}

/// A plane of cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    /// The edges between cells along each axis, upwards, in its numbers: one more than there are cells.
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// The cells row by row from the lowest.
    pub(super) tints: Vec<Tint>,
}

/// What a cell looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tint {
    pub(super) hue: Hue,
    /// How strongly it attracts or how chaotic it is, up to [`Tint::LEVELS`]; none where exponents are not known.
    pub(super) level: Option<u8>,
}

impl Tint {
    /// The largest level.
    pub(super) const LEVELS: u8 = 7;

    /// Without a level.
    pub(super) fn plain(hue: Hue) -> Self {
        Self { hue, level: None }
    }
}

/// What the colour of a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hue {
    /// The n-th orbit or basin that has a colour of its own.
    Named(usize),
    /// Those that have none.
    Other,
    Rest,
    Torus,
    Chaos,
    Unsettled,
    Lost,
    /// So many attractors.
    Count(usize),
    /// No initial state, or nothing known.
    Blank,
}

/// An arrowhead in the middle between two neighbouring points of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrow {
    pub(super) ink: Ink,
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
}

/// A marked point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub(super) at: (f64, f64),
    pub(super) shape: Shape,
    /// The name written beside it.
    pub(super) name: Option<String>,
    pub(super) ink: Ink,
}

/// The symbol of a special point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Disc,
    Circle,
    Square,
    OpenSquare,
    Diamond,
    OpenDiamond,
    Triangle,
    OpenTriangle,
    OpenTriangleDown,
    Star,
    Cross,
    /// A small disc that does not ask for attention.
    Dot,
    /// A small ring.
    Ring,
}

impl Shape {
    /// The symbol of a label: full for smooth bifurcations, open for what happens at switching sets.
    pub(super) fn of(label: &str) -> Self {
        match label {
            "LP" => Self::Disc,
            "SB" => Self::Diamond,
            "BP" => Self::Square,
            "PD" => Self::Triangle,
            "NS" | "HB" | "CP" | "BT" | "GH" | "ZH" | "HH" | "GPD" | "CH" | "DP" => Self::Star,
            "VS" => Self::Circle,
            "GR" => Self::OpenTriangleDown,
            "VT" => Self::OpenTriangle,
            "OV" | "BE" => Self::OpenSquare,
            "TF" | "CT" => Self::OpenTriangle,
            "NU" => Self::OpenDiamond,
            "MX" => Self::Cross,
            "UZ" => Self::Ring,
            // Points of codimension two.
            "R1" | "R2" | "R3" | "R4" => Self::Star,
            _ if label.contains('+') => Self::Star,
            _ => Self::Dot,
        }
    }
}

/// A straight line across a panel.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) vertical: bool,
    pub(super) at: f64,
    pub(super) ink: Ink,
    pub(super) label: Option<Label>,
}

/// Words inside a panel, line by line, with the point they lead to.
#[derive(Clone, Debug)]
pub(super) struct NoteScene {
    pub(super) at: (f64, f64),
    pub(super) lines: Vec<Label>,
    pub(super) to: Option<(f64, f64)>,
}

/// A magnified part of the same panel.
#[derive(Clone, Debug)]
pub(super) struct InsetScene {
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
    pub(super) corner: Corner,
    pub(super) size: (f64, f64),
}

/// A line of a legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) sample: Sample,
    pub(super) label: Label,
}

impl Entry {
    /// A line of this look with words beside it.
    pub(super) fn line(ink: Ink, stroke: Stroke, label: Label) -> Self {
        Self {
            sample: Sample::Line(ink, stroke),
            label,
        }
    }
}

/// What stands beside the words of a legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sample {
    /// A piece of line.
    Line(Ink, Stroke),
    /// A shaded box.
    Band,
    /// A bar at the foot of a panel.
    Bar,
    /// A dot under the curves.
    Dot,
    /// A box in the shade of a region.
    Shade(Tone),
    /// A cell.
    Cell(Tint),
    /// A mark.
    Mark(Shape, Ink),
    /// Nothing: words about the legend itself.
    None,
}

/// Values of a logarithmic axis that are apart by more have nothing to do with each other.
const DECADES_OF_ROUNDING: f64 = 20.0;

/// The range of an axis that shows all `values`, with a little room at both ends; `None` if the scale has no place for
/// any of them. Of a logarithmic one values that rounding has left of zeros are not part.
pub(super) fn fitting_range(values: impl Iterator<Item = f64>, scale: Scale, room: f64) -> Option<(f64, f64)> {
    let mut places: Vec<f64> = values.filter_map(|value| scale.place(value)).collect();
    places.sort_by(f64::total_cmp);
    if scale == Scale::Log {
        // Below such a gap there is only what rounding has left of zeros.
        let rounding = places
            .windows(2)
            .rposition(|pair| pair[1] - pair[0] > DECADES_OF_ROUNDING);
        places.drain(..rounding.map_or(0, |last| last + 1));
    }
    let (low, high) = (*places.first()?, *places.last()?);
    let mut margin = room * (high - low);
    if high - low <= 1e-9 * low.abs().max(high.abs()) {
        // A constant: show it in the middle of a range of its own size.
        margin = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    }
    let back = |value: f64| if scale == Scale::Log { 10f64.powf(value) } else { value };
    Some((back(low - margin), back(high + margin)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_leaves_out_what_rounding_left_of_zeros_and_nothing_else() {
        let range = |values: &[f64], scale| fitting_range(values.iter().copied(), scale, 0.0).unwrap();
        let close = |(low, high): (f64, f64), (a, b): (f64, f64)| {
            assert!(
                (low / a - 1.0).abs() < 1e-12 && (high / b - 1.0).abs() < 1e-12,
                "{low} {high}"
            );
        };
        close(range(&[3.8e-183, 0.2, 5.9e-67, 0.0, 0.9], Scale::Log), (0.2, 0.9));
        // What becomes exponentially small does so without such a gap.
        let small: Vec<f64> = (0..=20).map(|k| 10f64.powi(-15 * k)).collect();
        close(range(&small, Scale::Log), (1e-300, 1.0));
        close(range(&[1e-183, 0.2], Scale::Linear), (1e-183, 0.2));
    }
}
