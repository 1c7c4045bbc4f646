//! Space as a viewer sees it: the projection of points and surfaces, and the box of the axes.

use super::markup::Label;
use super::scene::{AxisScale, Fill, SpaceAxes, SpaceWords, Surface, Tone};
use super::space_hidden::{Depth, Seen};
use super::ticks::ticks;

/// A point of space, or a direction.
pub(super) type Vector = [f64; 3];

/// What numbers and names take at the left, right, top and bottom of the page.
const BESIDE: [f64; 4] = [0.15, 0.09, 0.02, 0.13];
/// The panel is not higher than this part of its width.
const HIGHEST: f64 = 0.85;
/// Length of ticks as a part of the box, and how many numbers an axis has.
const TICK: f64 = 0.025;
const NUMBERS: usize = 5;
/// Where the light comes from, as the viewer sees it: to the right, up, towards.
const LIGHT: Vector = [-0.35, 0.55, 0.76];
/// Pieces of surfaces are so much larger than they are, that no gap shines through between them.
const OVERLAP: f64 = 0.0012;

/// A surface: a mesh of points, row by row, those without a place left out.
pub(super) struct Mesh {
    pub(super) columns: usize,
    pub(super) points: Vec<Option<Vector>>,
    /// Which surface each point is on, if it is not on the border of two.
    pub(super) kinds: Vec<Option<Surface>>,
}

/// Who looks at the box of the axes, from where.
pub(super) struct Viewer<'a> {
    axes: &'a [AxisScale],
    right: Vector,
    up: Vector,
    towards: Vector,
    /// The page: its corner at the lower left, its size, in the units of the box.
    corner: (f64, f64),
    size: (f64, f64),
    pub(super) aspect: f64,
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl<'a> Viewer<'a> {
    pub(super) fn new((around, above): (f64, f64), axes: &'a [AxisScale]) -> Self {
        let (a, e) = (around.to_radians(), above.to_radians());
        let mut own = Self {
            axes,
            right: [-a.sin(), a.cos(), 0.0],
            up: [-e.sin() * a.cos(), -e.sin() * a.sin(), e.cos()],
            towards: [e.cos() * a.cos(), e.cos() * a.sin(), e.sin()],
            corner: (0.0, 0.0),
            size: (1.0, 1.0),
            aspect: 1.0,
        };
        let ends = |direction: Vector| {
            let half: f64 = direction.iter().map(|part| 0.5 * part.abs()).sum();
            (-half, 2.0 * half)
        };
        let ((left, width), (low, height)) = (ends(own.right), ends(own.up));
        let [beside, beyond, over, under] = BESIDE;
        let aspect = (height / (1.0 - over - under)) / (width / (1.0 - beside - beyond));
        own.aspect = aspect.min(HIGHEST);
        own.size = (width / (1.0 - beside - beyond), height / (1.0 - over - under));
        own.corner = (left - beside * own.size.0, low - under * own.size.1);
        own
    }

    /// A point of the box, from 0 to 1 along each axis.
    fn project(&self, part: Vector) -> Seen {
        let centred = part.map(|part| part - 0.5);
        Seen {
            at: (
                (dot(centred, self.right) - self.corner.0) / self.size.0,
                (dot(centred, self.up) - self.corner.1) / self.size.1,
            ),
            near: dot(centred, self.towards),
        }
    }

    fn part(&self, point: Vector) -> Option<Vector> {
        let [x, y, z] = [0, 1, 2].map(|k| self.axes[k].part(point[k]));
        Some([x?, y?, z?])
    }

    /// A point, if it lies inside the box.
    pub(super) fn inside(&self, point: Vector) -> Option<Seen> {
        let part = self.part(point)?;
        let within = part.iter().all(|part| (-1e-9..=1.0 + 1e-9).contains(part));
        within.then(|| self.project(part))
    }

    /// The pieces of a surface inside the box.
    pub(super) fn facets(&self, mesh: &Mesh, depth: &mut Depth, facets: &mut Vec<(f64, Fill)>) {
        let rows = mesh.points.len() / mesh.columns;
        let light = dot(LIGHT, LIGHT).sqrt();
        for i in 1..rows {
            for j in 1..mesh.columns {
                let corners = [(i - 1, j - 1), (i - 1, j), (i, j), (i, j - 1)].map(|(i, j)| i * mesh.columns + j);
                let parts: Option<Vec<Vector>> = corners.iter().map(|&at| self.part(mesh.points[at]?)).collect();
                let Some(parts) = parts else { continue };
                let within = |part: &Vector| part.iter().all(|part| (-1e-9..=1.0 + 1e-9).contains(part));
                // A piece across the whole box is an angle that wraps.
                let wraps = (0..3).any(|k| parts.iter().any(|part| (part[k] - parts[0][k]).abs() > 0.5));
                if wraps || !parts.iter().all(within) {
                    continue;
                }
                let seen: Vec<Seen> = parts.iter().map(|part| self.project(*part)).collect();
                depth.add([seen[0], seen[1], seen[2]]);
                depth.add([seen[0], seen[2], seen[3]]);
                let difference = |a: Vector, b: Vector| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                let (u, v) = (difference(parts[2], parts[0]), difference(parts[3], parts[1]));
                let normal = [
                    u[1] * v[2] - u[2] * v[1],
                    u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0],
                ];
                let length = dot(normal, normal).sqrt();
                let as_seen = [dot(normal, self.right), dot(normal, self.up), dot(normal, self.towards)];
                let shine = if length > 0.0 {
                    dot(as_seen, LIGHT).abs() / (length * light)
                } else {
                    1.0
                };
                let bright = (shine * f64::from(Tone::LIGHTS)).round() as u8;
                let middle = seen
                    .iter()
                    .fold((0.0, 0.0), |sum, s| (sum.0 + 0.25 * s.at.0, sum.1 + 0.25 * s.at.1));
                let outline = seen.iter().map(|s| {
                    let (dx, dy) = (s.at.0 - middle.0, s.at.1 - middle.1);
                    let more = 1.0 + OVERLAP / dx.hypot(dy).max(OVERLAP);
                    (middle.0 + more * dx, middle.1 + more * dy)
                });
                // That of most corners.
                let kinds: Vec<Surface> = corners.iter().filter_map(|&at| mesh.kinds[at]).collect();
                let count = |kind: &Surface| kinds.iter().filter(|other| *other == kind).count();
                let kind = kinds.iter().copied().max_by_key(count).unwrap_or(Surface::Attracting);
                let near = seen.iter().map(|s| s.near).sum::<f64>() / 4.0;
                facets.push((
                    near,
                    Fill {
                        tone: Tone::Facet(kind, bright),
                        outline: outline.collect(),
                    },
                ));
            }
        }
    }

    /// The box with its axes.
    pub(super) fn axes(&self) -> SpaceAxes {
        let mut box_of_axes = SpaceAxes::default();
        // The sides nearer to the viewer.
        let near = [0, 1, 2].map(|k| if self.towards[k] > 0.0 { 1.0 } else { 0.0 });
        let corner = |at: Vector| self.project(at).at;
        let mut edges: Vec<(usize, Vector, Vector)> = Vec::new();
        for k in 0..3 {
            for (a, b) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
                let mut from = [0.0; 3];
                from[(k + 1) % 3] = a;
                from[(k + 2) % 3] = b;
                let mut to = from;
                to[k] = 1.0;
                edges.push((k, from, to));
            }
        }
        // An axis upwards stands at the left, the others lie along the lower front.
        let left = |edge: &&(usize, Vector, Vector)| corner(edge.1).0;
        let upright = edges
            .iter()
            .filter(|edge| edge.0 == 2)
            .min_by(|a, b| left(a).total_cmp(&left(b)));
        let is_axis = |edge: &(usize, Vector, Vector)| match edge.0 {
            2 => upright == Some(edge),
            k => edge.1[2] == 0.0 && edge.1[1 - k] == near[1 - k],
        };
        for edge in &edges {
            // Edges at the corner that is nearest to the viewer stand before the picture.
            let before = (0..3).filter(|&k| k != edge.0).all(|k| edge.1[k] == near[k]);
            if is_axis(edge) {
                box_of_axes.axes.push([corner(edge.1), corner(edge.2)]);
                self.write_axis(edge, near, &mut box_of_axes);
            } else if !before {
                box_of_axes.behind.push([corner(edge.1), corner(edge.2)]);
            }
        }
        box_of_axes
    }

    fn write_axis(&self, (k, from, to): &(usize, Vector, Vector), near: Vector, into: &mut SpaceAxes) {
        let axis = &self.axes[*k];
        let along = |part: f64| {
            let mut at = *from;
            at[*k] = part;
            at
        };
        // Ticks point into the box along the floor, those of the upright axis towards its middle.
        let across = if *k == 2 {
            usize::from(self.right[1].abs() > self.right[0].abs())
        } else {
            1 - *k
        };
        let inward = if *k == 2 {
            1.0 - 2.0 * from[across]
        } else {
            1.0 - 2.0 * near[across]
        };
        let tip = |part: f64| {
            let mut at = along(part);
            at[across] += inward * TICK;
            at
        };
        let (a, b) = (self.project(tip(0.5)).at, self.project(along(0.5)).at);
        let (dx, dy) = (b.0 - a.0, (b.1 - a.1) * self.aspect);
        let away = if *k == 2 {
            (-1.0, 0.0)
        } else {
            (dx / dx.hypot(dy), dy / dx.hypot(dy))
        };
        let found = ticks(axis.scale, axis.low, axis.high, NUMBERS);
        for (value, label) in &found.major {
            let Some(part) = axis.part(*value).filter(|part| (0.0..=1.0).contains(part)) else {
                continue;
            };
            into.ticks
                .push([self.project(along(part)).at, self.project(tip(part)).at]);
            into.words.push(SpaceWords {
                at: self.project(along(part)).at,
                away,
                label: label.clone(),
                names_axis: false,
            });
        }
        let mut label = axis.label.clone();
        if let Some(common) = &found.common {
            label.append(Label::plain(" ("));
            label.append(common.clone());
            label.append(Label::plain(")"));
        }
        let mut middle = *from;
        middle[*k] = 0.5 * (from[*k] + to[*k]);
        into.words.push(SpaceWords {
            at: self.project(middle).at,
            away,
            label,
            names_axis: true,
        });
    }
}
