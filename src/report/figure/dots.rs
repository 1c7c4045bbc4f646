//! Dots of attractors, under the curves.

use super::axes::View;
use super::canvas::Canvas;
use super::geometry::Point;
use super::place::Occupied;
use std::collections::BTreeSet;

/// Dots of attractors: radius and shade, light enough to lie under the curves and large enough to be seen beside them.
pub(super) const DOT: f64 = 0.42;
/// As many dots that can be told apart have this radius; of more, each is smaller, down to this part of it.
const FEW_DOTS: f64 = 3000.0;
const LEAST_DOT: f64 = 0.3;
/// The part of the page that a cloud of dots takes around each of them.
const PATCH: f64 = 1.5;
pub(super) const DOT_GREY: [u8; 3] = [160, 160, 160];

/// The dots, which keep legends and names away from where they lie; many of them are smaller.
pub(super) fn paint_dots(canvas: &mut Canvas, dots: &[(f64, f64)], view: &View<'_>, occupied: &mut Occupied) {
    let within = |part: Option<f64>| part.is_some_and(|part| (0.0..=1.0).contains(&part));
    let inside = |&&(x, y): &&(f64, f64)| within(view.x.part(x)) && within(view.y.part(y));
    let centres: Vec<Point> = dots.iter().filter(inside).filter_map(|&at| view.place(at)).collect();
    let apart = |cell: f64| {
        let of = |&(x, y): &Point| ((x / cell).round() as i64, (y / cell).round() as i64);
        let mut taken = BTreeSet::new();
        centres
            .iter()
            .filter(|&at| taken.insert(of(at)))
            .copied()
            .collect::<Vec<Point>>()
    };
    for (x, y) in apart(PATCH) {
        occupied.add_line(&[(x - 0.5 * PATCH, y), (x + 0.5 * PATCH, y)]);
    }
    let seen = apart(0.5 * DOT);
    if seen.len() as f64 <= FEW_DOTS {
        let all = if centres.len() as f64 <= FEW_DOTS {
            centres
        } else {
            seen
        };
        all.into_iter().for_each(|centre| canvas.disc(centre, DOT, DOT_GREY));
        return;
    }
    let radius = DOT * (FEW_DOTS / seen.len() as f64).max(LEAST_DOT);
    for centre in apart(0.5 * radius) {
        canvas.disc(centre, radius, DOT_GREY);
    }
}
