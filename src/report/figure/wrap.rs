//! Angles on an axis of one turn.

use std::f64::consts::{PI, TAU};

/// Lines with one coordinate taken modulo 2π, cut where it wraps. Jumps by more than π between neighbours count as
/// wraps that the data have made already.
pub(super) fn wrap(
    lines: Vec<Vec<(f64, f64)>>,
    is_angle: bool,
    angle: fn(&mut (f64, f64)) -> &mut f64,
) -> Vec<Vec<(f64, f64)>> {
    if !is_angle {
        return lines;
    }
    let mut wrapped = Vec::new();
    for mut line in lines {
        let mut turns = 0.0;
        for at in 1..line.len() {
            let before = *angle(&mut line[at - 1]);
            let here = angle(&mut line[at]);
            let jump = *here + turns * TAU - before;
            if jump.abs() > PI {
                turns -= (jump / TAU).round();
            }
            *here += turns * TAU;
        }
        let mut piece: Vec<(f64, f64)> = Vec::new();
        let mut cell = f64::NAN;
        for pair in line.windows(2) {
            let (mut from, mut to) = (pair[0], pair[1]);
            let (start, end) = (*angle(&mut from), *angle(&mut to));
            let at = |value: f64| {
                let part = if end == start {
                    0.0
                } else {
                    (value - start) / (end - start)
                };
                let mut point = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
                *angle(&mut point) = value;
                point
            };
            // The multiples of 2π on the way cut it into parts, each in a cell of its own.
            let (low, high) = (start.min(end), start.max(end));
            let mut cuts: Vec<f64> = ((low / TAU).floor() as i64 + 1..=(high / TAU).ceil() as i64 - 1)
                .map(|k| k as f64 * TAU)
                .collect();
            if end < start {
                cuts.reverse();
            }
            let stops: Vec<f64> = [start].into_iter().chain(cuts).chain([end]).collect();
            for stop in stops.windows(2) {
                let own_cell = (0.5 * (stop[0] + stop[1]) / TAU).floor();
                let shifted = |value: f64| {
                    let mut point = at(value);
                    *angle(&mut point) -= own_cell * TAU;
                    point
                };
                if own_cell != cell || piece.is_empty() {
                    if piece.len() > 1 {
                        wrapped.push(std::mem::take(&mut piece));
                    }
                    piece = vec![shifted(stop[0])];
                    cell = own_cell;
                }
                piece.push(shifted(stop[1]));
            }
        }
        if piece.len() > 1 {
            wrapped.push(piece);
        }
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_cut_exactly_at_the_wrap() {
        let line: Vec<(f64, f64)> = (0..=8).map(|k| (f64::from(k) * 1.0 + 3.0, f64::from(k))).collect();
        let pieces = wrap(vec![line], true, |point| &mut point.0);
        assert_eq!(pieces.len(), 2);
        let (end, start) = (pieces[0].last().copied().unwrap_or_default(), pieces[1][0]);
        assert!(
            (end.0 - TAU).abs() < 1e-12 && start.0.abs() < 1e-12,
            "{end:?} {start:?}"
        );
        assert!((end.1 - (TAU - 3.0)).abs() < 1e-12 && (start.1 - end.1).abs() < 1e-12);
        assert!(
            pieces
                .iter()
                .flatten()
                .all(|point| (-1e-12..=TAU + 1e-12).contains(&point.0))
        );
    }

    #[test]
    fn wrapped_data_are_not_joined_across() {
        let line = vec![(6.0, 0.0), (6.2, 1.0), (0.1, 2.0), (0.3, 3.0)];
        let pieces = wrap(vec![line], true, |point| &mut point.0);
        assert_eq!(pieces.len(), 2);
        let longest = pieces
            .iter()
            .flat_map(|piece| piece.windows(2))
            .map(|p| (p[1].0 - p[0].0).abs())
            .fold(0.0, f64::max);
        assert!(longest < 0.5, "{longest}");
    }
}
