//! The symbols of special points.

use super::canvas::Canvas;
use super::geometry::Point;
use super::palette::{BLACK, Colour, WHITE};
use super::scene::Shape;
use std::f64::consts::PI;

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

/// Draw a symbol. Large ones are black with a white rim, which keeps them apart from the curves they sit on; small ones
/// have the colour of their curve.
pub(super) fn draw_mark(canvas: &mut Canvas, centre: Point, shape: Shape, colour: Colour) {
    let radius = mark_radius(shape);
    match shape {
        Shape::Dot => canvas.disc(centre, radius, colour),
        Shape::Ring | Shape::Circle => {
            let outline = if shape == Shape::Ring { colour } else { BLACK };
            canvas.disc(centre, radius, outline);
            canvas.disc(centre, radius - OUTLINE, WHITE);
        }
        Shape::Disc => {
            canvas.disc(centre, radius + 0.12, WHITE);
            canvas.disc(centre, radius, BLACK);
        }
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
            let corners = |radius: f64| outline(centre, shape, radius);
            let open = matches!(
                shape,
                Shape::OpenSquare | Shape::OpenDiamond | Shape::OpenTriangle | Shape::OpenTriangleDown
            );
            if open {
                let mut closed = corners(radius - 0.5 * OUTLINE);
                canvas.area(closed.clone(), WHITE);
                closed.extend_from_within(..2);
                canvas.line(closed, BLACK, OUTLINE);
            } else {
                canvas.area(corners(radius + 0.2), WHITE);
                canvas.area(corners(radius), BLACK);
            }
        }
    }
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
