//! The symbols of special points.

use super::axes::View;
use super::canvas::Canvas;
use super::geometry::{Point, Rect, distance};
use super::markup::Label;
use super::palette::{BLACK, Colour, GREY, Look, WHITE};
use super::place::Occupied;
use super::scene::{Mark, Shape};
use super::tags::{self, Tag, Wanted};
use super::typeset::TextLine;
use std::f64::consts::PI;

/// Marks nearer than this share a name.
const SAME_PLACE: f64 = 0.8;
const LEADER_LINE: f64 = 0.12;
/// From row to row of a list of names, in letters.
pub(super) const ROW_STEP: f64 = 1.3;

/// Outline of open symbols and strokes of crosses, in millimetres.
const OUTLINE: f64 = 0.22;

/// Distance from the centre that a symbol fills.
pub(super) fn mark_radius(shape: Shape) -> f64 {
    match shape {
        Shape::Dot => 0.35,
        Shape::Ring => 0.5,
        Shape::Disc | Shape::Circle => 0.8,
        Shape::Square | Shape::OpenSquare => 0.75,
        Shape::Cross => 0.8,
        Shape::Diamond | Shape::OpenDiamond | Shape::Triangle | Shape::OpenTriangle | Shape::OpenTriangleDown => 1.0,
        Shape::Star => 1.15,
    }
}

/// Shade of full symbols: light enough for the curves that are drawn over it.
const FULL: Colour = [165, 165, 165];

fn is_open(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Circle | Shape::OpenSquare | Shape::OpenDiamond | Shape::OpenTriangle | Shape::OpenTriangleDown
    )
}

/// Draw a symbol by itself.
pub(super) fn draw_mark(canvas: &mut Canvas, centre: Point, shape: Shape, colour: Colour) {
    draw_ground(canvas, centre, shape);
    draw_outline(canvas, centre, shape, colour);
}

/// The inside of a symbol, which lies under the curves so that it hides none.
fn draw_ground(canvas: &mut Canvas, centre: Point, shape: Shape) {
    let radius = mark_radius(shape);
    match shape {
        Shape::Dot | Shape::Cross => {}
        Shape::Ring | Shape::Circle => canvas.disc(centre, radius, WHITE),
        Shape::Disc => canvas.disc(centre, radius, FULL),
        _ => canvas.area(
            outline(centre, shape, radius),
            if is_open(shape) { WHITE } else { FULL },
        ),
    }
}

/// The outline of a symbol. That of a small one has the colour of its curve.
fn draw_outline(canvas: &mut Canvas, centre: Point, shape: Shape, colour: Colour) {
    let radius = mark_radius(shape);
    match shape {
        Shape::Dot => canvas.disc(centre, radius, colour),
        Shape::Ring => canvas.line(circle(centre, radius - 0.5 * OUTLINE), colour, OUTLINE),
        Shape::Disc | Shape::Circle => canvas.line(circle(centre, radius - 0.5 * OUTLINE), BLACK, OUTLINE),
        Shape::Cross => {
            let part = radius * 0.8;
            for (dx, dy) in [(part, part), (part, -part)] {
                canvas.line(
                    vec![(centre.0 - dx, centre.1 - dy), (centre.0 + dx, centre.1 + dy)],
                    BLACK,
                    OUTLINE + 0.06,
                );
            }
        }
        _ => {
            let mut closed = outline(centre, shape, radius - 0.5 * OUTLINE);
            closed.extend_from_within(..2);
            canvas.line(closed, BLACK, OUTLINE);
        }
    }
}

fn circle(centre: Point, radius: f64) -> Vec<Point> {
    let at = |k: i32| PI * f64::from(k) / 16.0;
    (0..=33)
        .map(|k| (centre.0 + radius * at(k).sin(), centre.1 - radius * at(k).cos()))
        .collect()
}

fn within(view: &View<'_>, mark: &Mark) -> Option<Point> {
    view.place(mark.at).filter(|&at| view.area.grown(0.05).contains(at))
}

/// What of the marks lies under the curves.
pub(super) fn paint_grounds(canvas: &mut Canvas, marks: &[Mark], view: &View<'_>) {
    for mark in marks {
        if let Some(at) = within(view, mark) {
            draw_ground(canvas, at, mark.shape);
        }
    }
}

/// Keep words off the marks.
pub(super) fn reserve_marks(marks: &[Mark], view: &View<'_>, occupied: &mut Occupied) {
    for mark in marks {
        if let Some(at) = within(view, mark) {
            occupied.add_box(Rect::around(at, mark_radius(mark.shape)));
        }
    }
}

/// Draw the outlines of the marks and their names; those inside `magnified` are named elsewhere. Marks of the same name
/// at the same place (ends of two curves that meet) are named once.
pub(super) fn paint_marks(
    canvas: &mut Canvas,
    marks: &[Mark],
    view: &View<'_>,
    occupied: &mut Occupied,
    magnified: Option<Rect>,
    size: f64,
    look: Look,
) -> Vec<Tag> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for mark in marks {
        let Some(at) = within(view, mark) else { continue };
        let is_new = |name: &&String| {
            !wanted
                .iter()
                .any(|other| other.name == **name && distance(other.mark, at) < SAME_PLACE)
        };
        let elsewhere = magnified.is_some_and(|area| area.contains(at));
        if let Some(name) = mark.name.as_ref().filter(is_new).filter(|_| !elsewhere) {
            wanted.push(Wanted {
                mark: at,
                radius: mark_radius(mark.shape),
                name: name.clone(),
            });
        }
        draw_outline(canvas, at, mark.shape, look.colour(mark.ink));
    }
    let line = |text: &str| TextLine::new(&Label::plain(text), size);
    let step = ROW_STEP * size;
    let measure = |text: &str| {
        let width = text.lines().map(|row| line(row).width).fold(0.0, f64::max);
        let below = step * text.lines().count().saturating_sub(1) as f64;
        (width, line("").ascent + below)
    };
    let tags = tags::place(&wanted, occupied, &measure);
    for tag in &tags {
        if let Some((from, to)) = tag.leader {
            canvas.line(vec![from, to], GREY, LEADER_LINE);
        }
        for (row, text) in tag.text.lines().enumerate() {
            let base = tag.area.top + line("").ascent + row as f64 * step;
            canvas.text(&line(text), (tag.area.left, base), BLACK);
        }
    }
    tags
}

fn outline(centre: Point, shape: Shape, radius: f64) -> Vec<Point> {
    let at = |angle: f64, radius: f64| (centre.0 + radius * angle.sin(), centre.1 - radius * angle.cos());
    let regular = |count: i32, turn: f64| {
        (0..count)
            .map(|k| at(turn + 2.0 * PI * f64::from(k) / f64::from(count), radius))
            .collect()
    };
    match shape {
        Shape::Square | Shape::OpenSquare => [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| (centre.0 + x * radius, centre.1 + y * radius))
            .to_vec(),
        Shape::Triangle | Shape::OpenTriangle => regular(3, 0.0),
        Shape::OpenTriangleDown => regular(3, PI),
        Shape::Star => (0..10)
            .map(|k| at(PI * f64::from(k) / 5.0, if k % 2 == 0 { radius } else { 0.45 * radius }))
            .collect(),
        _ => regular(4, 0.0),
    }
}
