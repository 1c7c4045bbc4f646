//! Which orbits a report holds: as many as a browser loads at once.

use super::Story;
use crate::{RunData, Table};
use std::collections::{BTreeMap, BTreeSet};

/// The most orbits in a report.
const MOST: usize = 600;

/// An orbit to store.
pub(super) struct Chosen<'a> {
    /// Position of its curve.
    pub(super) curve: usize,
    pub(super) index: usize,
    pub(super) table: &'a Table,
}

type Orbits<'a> = BTreeMap<(usize, usize), &'a Table>;

/// All orbits where they fit. Otherwise those at special points come first, then those at the levels asked for, then
/// those between; what does not fit as a whole is shared between the curves and taken evenly along each. By curve and
/// index.
pub(super) fn chosen<'a>(data: &'a RunData, story: &'a Story<'_>, names: &[&str]) -> Vec<Chosen<'a>> {
    let special = special(data);
    let placed = |((curve, index), table): (&'a (String, usize), &'a Table)| {
        let at = names.iter().position(|name| name == curve)?;
        Some(((at, *index), table))
    };
    let labelled = |wanted: bool| -> Orbits<'a> {
        let is_wanted = |(curve, index): &(String, usize)| special.contains(&(curve.as_str(), *index)) == wanted;
        let fitting = data.orbits.iter().filter(|(key, _)| is_wanted(key));
        fitting.filter_map(placed).collect()
    };
    let between = story.orbits.iter().filter_map(placed).collect();
    let mut found = Orbits::new();
    for class in [labelled(true), labelled(false), between] {
        let room = MOST.saturating_sub(found.len());
        let class: Orbits<'a> = class.into_iter().filter(|(key, _)| !found.contains_key(key)).collect();
        found.extend(evenly(&class, room));
    }
    let chosen = |((curve, index), table)| Chosen { curve, index, table };
    found.into_iter().map(chosen).collect()
}

/// The points whose label is more than a level that the study asks for.
fn special(data: &RunData) -> BTreeSet<(&str, usize)> {
    let table = &data.special;
    let (Ok(curves), Ok(indices), Ok(labels)) = (table.texts("curve"), table.numbers("index"), table.texts("label"))
    else {
        return BTreeSet::new();
    };
    let wanted = (0..table.rows()).filter(|&row| labels[row] != "UZ");
    wanted
        .map(|row| (curves[row].as_str(), indices[row] as usize))
        .collect()
}

/// At most `room` of the orbits: of every curve as many, or all it has, spread evenly over them with both ends.
fn evenly<'a>(orbits: &Orbits<'a>, room: usize) -> Orbits<'a> {
    let mut curves: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (curve, index) in orbits.keys() {
        curves.entry(*curve).or_default().push(*index);
    }
    let shares = shares(&curves.values().map(Vec::len).collect::<Vec<_>>(), room);
    let mut kept = Orbits::new();
    for ((&curve, indices), share) in curves.iter().zip(shares) {
        let last = indices.len() - 1;
        for k in 0..share {
            let at = if share > 1 { k * last / (share - 1) } else { last / 2 };
            let key = (curve, indices[at]);
            kept.extend(orbits.get(&key).map(|table| (key, *table)));
        }
    }
    kept
}

/// How much each gets of `room`: what it asks for, or the same as the others that get less than they ask for, give or
/// take one.
fn shares(asked: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..asked.len()).collect();
    order.sort_by_key(|&i| asked[i]);
    let mut shares = vec![0; asked.len()];
    let mut left = room;
    for (served, &i) in order.iter().enumerate() {
        shares[i] = asked[i].min(left / (asked.len() - served));
        left -= shares[i];
    }
    shares
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Kind;

    fn orbit() -> Table {
        Table::new([("t", Kind::Number)])
    }

    fn run(labelled: &[(&str, usize, &str)]) -> RunData {
        let columns = [("curve", Kind::Text), ("index", Kind::Number), ("label", Kind::Text)];
        let mut data = RunData {
            special: Table::new(columns),
            ..RunData::default()
        };
        for &(curve, index, label) in labelled {
            let row = [curve.into(), index.into(), label.into()];
            data.special.push_row(row).unwrap();
            data.orbits.insert((curve.to_owned(), index), orbit());
        }
        data
    }

    #[test]
    fn a_short_curve_keeps_every_orbit_and_a_long_one_is_covered_evenly_to_its_ends() {
        let data = run(&[("long", 0, "EP"), ("long", 4000, "EP")]);
        let mut story = Story::default();
        story
            .orbits
            .extend((1..4000).map(|i| (("long".to_owned(), i), orbit())));
        story
            .orbits
            .extend((0..100).map(|i| (("short".to_owned(), i), orbit())));
        let chosen = chosen(&data, &story, &["long", "short"]);
        assert_eq!(chosen.len(), MOST);
        assert_eq!(chosen.iter().filter(|orbit| orbit.curve == 1).count(), 100);
        let long: Vec<usize> = chosen.iter().filter(|o| o.curve == 0).map(|o| o.index).collect();
        assert_eq!((long[0], long[long.len() - 1]), (0, 4000));
        assert!(long.windows(2).all(|pair| (1..=9).contains(&(pair[1] - pair[0]))));
    }

    #[test]
    fn of_too_many_labelled_points_those_that_are_no_mere_levels_stay() {
        let mut labelled: Vec<(&str, usize, &str)> = (0..10_000).map(|i| ("main", 2 * i, "UZ")).collect();
        labelled.extend([("main", 5001, "LP"), ("main", 9001, "PD")]);
        let data = run(&labelled);
        let mut story = Story::default();
        story.orbits.insert(("main".to_owned(), 3), orbit());
        let chosen = chosen(&data, &story, &["main"]);
        assert_eq!(chosen.len(), MOST);
        for index in [5001, 9001, 0, 19_998] {
            assert!(chosen.iter().any(|orbit| orbit.index == index), "{index}");
        }
        assert!(chosen.iter().all(|orbit| orbit.index != 3));
    }

    #[test]
    fn shares_are_fair_and_use_all_the_room() {
        assert_eq!(shares(&[10, 500, 3, 500], 313), [10, 150, 3, 150]);
        assert_eq!(shares(&[2, 3], 600), [2, 3]);
        assert_eq!(shares(&[5, 5, 5], 4).iter().sum::<usize>(), 4);
        assert!(shares(&[], 600).is_empty());
    }
}
