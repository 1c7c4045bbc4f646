//! Names of marked points: each stands beside its mark where that is free, further off at the end of a line where it is
//! not; marks that lie together share a line to a list of their names.

use super::geometry::{Point, Rect, distance};
use super::place::Occupied;

/// A name and the mark it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) mark: Point,
    pub(super) radius: f64,
    pub(super) name: String,
}

/// Words on the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tag {
    pub(super) text: String,
    /// The box of the words; their base line is at its foot.
    pub(super) area: Rect,
    /// The line that leads to them: from the mark to the words.
    pub(super) leader: Option<(Point, Point)>,
}

/// Directions around a mark, the conventional ones first: the upper right is where a reader looks.
const DIRECTIONS: [(f64, f64); 16] = [
    (1.0, -1.0),
    (1.0, 0.0),
    (-1.0, -1.0),
    (0.0, -1.0),
    (1.0, 1.0),
    (-1.0, 0.0),
    (-1.0, 1.0),
    (0.0, 1.0),
    (1.0, -0.5),
    (0.5, -1.0),
    (-0.5, -1.0),
    (-1.0, -0.5),
    (1.0, 0.5),
    (-1.0, 0.5),
    (0.5, 1.0),
    (-0.5, 1.0),
];
/// Gaps between mark and name without a line between them, in millimetres.
const GAPS: [f64; 3] = [0.4, 0.8, 1.3];
/// Room around words: to curves, marks and other words; and more than that beside words, which else read as one.
const ROOM: f64 = 0.3;
const BETWEEN_WORDS: f64 = 0.8;
/// Marks nearer than this lie together.
const TOGETHER: f64 = 2.4;
/// So many that lie together, and those of them that find no place beside their marks, have a list.
const MANY: usize = 3;
/// Steps of the search for room further off, and its prices beside the millimetres of line: for each curve it crosses,
/// for each word.
const STEP: f64 = 0.9;
const CROSSED_CURVE: f64 = 1.6;
const CROSSED_WORDS: f64 = 200.0;
/// Words nearer to their mark than this by a line would look as if they stood beside another.
const SHORTEST_LEADER: f64 = 1.6;
/// So often names are placed anew because a line crosses words.
const ROUNDS: usize = 6;
/// Names in a row of a list.
const ROW: usize = 4;

/// Place names. `size` measures words: their width and their height above the base line. What is placed counts as
/// occupied.
pub(super) fn place(wanted: &[Wanted], occupied: &mut Occupied, size: &dyn Fn(&str) -> (f64, f64)) -> Vec<Tag> {
    let groups = together(wanted);
    // Where the line to a name has to cross other words, the name is placed before these.
    let mut first: Vec<usize> = Vec::new();
    let mut rounds = 0;
    loop {
        rounds += 1;
        let mut page = occupied.clone();
        let (tags, crossing) = placed(wanted, &groups, &first, &mut page, size);
        let new: Vec<usize> = crossing.into_iter().filter(|at| !first.contains(at)).collect();
        if new.is_empty() || rounds == ROUNDS {
            *occupied = page;
            return tags;
        }
        first.extend(new);
    }
}

/// Place names, those of `first` before others; returns as well the marks whose lines cross words.
fn placed(
    wanted: &[Wanted],
    groups: &[Vec<usize>],
    first: &[usize],
    occupied: &mut Occupied,
    size: &dyn Fn(&str) -> (f64, f64),
) -> (Vec<Tag>, Vec<usize>) {
    let (mut tags, mut crossing) = (Vec::new(), Vec::new());
    let mut rest: Vec<Vec<usize>> = Vec::new();
    let mut order: Vec<(usize, usize, usize)> = Vec::new();
    for (group, members) in groups.iter().enumerate() {
        if members.iter().any(|at| first.contains(at)) {
            if let Some((tag, crosses)) = led(members, wanted, occupied, size) {
                tags.push(tag);
                crossing.extend(members.iter().filter(|_| crosses));
            }
        } else if members.len() >= MANY {
            rest.push(members.clone());
        } else {
            // Those with the least room choose first.
            order.extend(
                members
                    .iter()
                    .map(|&at| (beside(at, wanted, occupied, size).len(), group, at)),
            );
        }
    }
    order.sort_unstable();
    let mut homeless: Vec<(usize, usize)> = Vec::new();
    for (_, group, at) in order {
        match beside(at, wanted, occupied, size).first() {
            Some(&area) => {
                occupied.add_box(spaced(area));
                tags.push(Tag {
                    text: wanted[at].name.clone(),
                    area,
                    leader: None,
                });
            }
            None => homeless.push((group, at)),
        }
    }
    homeless.sort_unstable();
    for (group, at) in homeless {
        match rest.last_mut() {
            Some(last) if last.len() < MANY && groups[group].contains(&last[0]) => last.push(at),
            _ => rest.push(vec![at]),
        }
    }
    // Lists need most room.
    rest.sort_by_key(|members| std::cmp::Reverse(members.len()));
    for members in rest {
        if let Some((tag, crosses)) = led(&members, wanted, occupied, size) {
            tags.push(tag);
            crossing.extend(members.iter().filter(|_| crosses));
        }
    }
    (tags, crossing)
}

/// Words with the room to the words beside them.
fn spaced(area: Rect) -> Rect {
    Rect {
        left: area.left - BETWEEN_WORDS,
        right: area.right + BETWEEN_WORDS,
        ..area
    }
}

/// Marks that lie together, each group from left to right.
fn together(wanted: &[Wanted]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..wanted.len()).collect();
    for a in 0..wanted.len() {
        for b in 0..a {
            if distance(wanted[a].mark, wanted[b].mark) < TOGETHER && group[a] != group[b] {
                let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
                group.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![];
    for leader in 0..wanted.len() {
        let mut members: Vec<usize> = (0..wanted.len()).filter(|&at| group[at] == leader).collect();
        if !members.is_empty() {
            members.sort_by(|&a, &b| {
                let key = |at: usize| (wanted[at].mark.0, wanted[at].mark.1);
                key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1))
            });
            groups.push(members);
        }
    }
    groups
}

/// The free places beside a mark that are not nearer to another one, the best first.
fn beside(at: usize, all: &[Wanted], occupied: &Occupied, size: &dyn Fn(&str) -> (f64, f64)) -> Vec<Rect> {
    let wanted = &all[at];
    let (width, height) = size(&wanted.name);
    let places = GAPS.into_iter().flat_map(|gap| {
        DIRECTIONS.into_iter().map(move |direction| {
            // Diagonal places may sit closer: the corner of the box is what comes near.
            let off = (wanted.radius + gap) * if direction.0 * direction.1 == 0.0 { 1.0 } else { 0.75 };
            let centre = (
                wanted.mark.0 + direction.0 * (0.5 * width + off),
                wanted.mark.1 + direction.1 * (0.5 * height + off),
            );
            Rect::new(centre.0 - 0.5 * width, centre.1 - 0.5 * height, width, height)
        })
    });
    let off = |mark: &Wanted, area: Rect| distance(area.nearest(mark.mark), mark.mark) - mark.radius;
    // Of marks that overlap neither is mistaken for the other.
    let apart = |other: &&Wanted| distance(wanted.mark, other.mark) > wanted.radius + other.radius;
    let own = |area: Rect| {
        let mut others = all.iter().filter(apart);
        others.all(|other| off(wanted, area) <= off(other, area))
    };
    places
        .filter(|&area| occupied.is_free(area, ROOM) && own(area))
        .collect()
}

/// The names of some marks at the end of one line, and whether it crosses other words. Where a list has no room, their
/// number; where that has none either, nothing, rather than words over curves: the symbols say what the marks are.
fn led(
    members: &[usize],
    wanted: &[Wanted],
    occupied: &mut Occupied,
    size: &dyn Fn(&str) -> (f64, f64),
) -> Option<(Tag, bool)> {
    let list = listed(members.iter().map(|&at| wanted[at].name.as_str()));
    let number = format!("{} points", members.len());
    let mut texts = vec![list];
    texts.extend((members.len() > 1).then_some(number));
    texts
        .into_iter()
        .find_map(|text| led_to(text, members, wanted, occupied, size))
}

/// Words at the end of a line: the price, where they stand, the line, and whether it crosses other words.
type Led = (f64, Rect, (Point, Point), bool);

/// Words about some marks at the end of one line.
fn led_to(
    text: String,
    members: &[usize],
    wanted: &[Wanted],
    occupied: &mut Occupied,
    size: &dyn Fn(&str) -> (f64, f64),
) -> Option<(Tag, bool)> {
    let (width, height) = size(&text);
    let frame = occupied.frame();
    let marks: Vec<(Point, f64)> = members.iter().map(|&at| (wanted[at].mark, wanted[at].radius)).collect();
    let leader = |area: Rect| {
        // To the mark that is nearest.
        let ends = marks.iter().map(|&(mark, radius)| {
            let end = area.grown(0.25).nearest(mark);
            let length = distance(mark, end);
            let start = (radius / length.max(radius)).min(1.0);
            let from = (mark.0 + start * (end.0 - mark.0), mark.1 + start * (end.1 - mark.1));
            (length - radius, from, end)
        });
        ends.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut best: Option<Led> = None;
    let consider = |area: Rect, occupied: &Occupied, best: &mut Option<Led>| {
        let Some((length, from, end)) = leader(area) else {
            return;
        };
        let least = length.max(0.0);
        if least < SHORTEST_LEADER || best.as_ref().is_some_and(|(price, ..)| least >= *price) {
            return;
        }
        if !occupied.is_free(area, ROOM) {
            return;
        }
        // The marks of the list lie at the foot of the line: it starts a little off them.
        let off = |part: f64| (from.0 + part * (end.0 - from.0), from.1 + part * (end.1 - from.1));
        let (curves, words) = occupied.crossed(off((0.15 / least).min(0.5)), off(1.0 - (0.1 / least).min(0.4)));
        let price = least + CROSSED_CURVE * curves as f64 + CROSSED_WORDS * words as f64;
        if best.as_ref().is_none_or(|(least, ..)| price < *least) {
            *best = Some((price, area, (from, end), words > 0));
        }
    };
    let count = |length: f64, own: f64| ((length - own).max(0.0) / STEP).floor() as usize;
    let middle = marks[0].0;
    let spread = marks
        .iter()
        .map(|&(mark, radius)| distance(mark, middle) + radius)
        .fold(0.0, f64::max);
    let mut places: Vec<(f64, Rect)> = Vec::new();
    for i in 0..=count(frame.width(), width) {
        for j in 0..=count(frame.height(), height) {
            let (left, top) = (frame.left + i as f64 * STEP, frame.top + j as f64 * STEP);
            let area = Rect::new(left, top, width, height);
            places.push((distance(area.grown(0.25).nearest(middle), middle), area));
        }
    }
    // From near to far, until the line alone costs more than the best place.
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (off, area) in places {
        if best.as_ref().is_some_and(|(price, ..)| off - spread >= *price) {
            break;
        }
        consider(area, occupied, &mut best);
    }
    let (_, area, (from, end), crosses) = best?;
    occupied.add_box(spaced(area));
    occupied.add_line(&[from, end]);
    let leader = Some((from, end));
    Some((Tag { text, area, leader }, crosses))
}

/// Names in a list; those that follow each other with the same name are counted.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for name in names {
        match counted.iter_mut().find(|(_, last)| *last == name) {
            Some((count, _)) => *count += 1,
            None => counted.push((1, name)),
        }
    }
    let words: Vec<String> = counted
        .iter()
        .map(|(count, name)| {
            if *count == 1 {
                (*name).to_owned()
            } else {
                format!("{count} {name}")
            }
        })
        .collect();
    let rows: Vec<String> = words.chunks(ROW).map(|row| row.join(", ")).collect();
    rows.join(",\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rect = Rect {
        left: 0.0,
        top: 0.0,
        right: 66.0,
        bottom: 46.0,
    };

    fn size(text: &str) -> (f64, f64) {
        let rows = text.lines().count().max(1) as f64;
        let longest = text.lines().map(|row| row.chars().count()).max().unwrap_or(0) as f64;
        (1.5 * longest, 1.7 + 3.2 * (rows - 1.0))
    }

    fn named(mark: Point, name: &str) -> Wanted {
        Wanted {
            mark,
            radius: 0.8,
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_lone_name_stands_at_the_upper_right() {
        let tags = place(&[named((30.0, 20.0), "LP")], &mut Occupied::new(FRAME), &size);
        assert!(tags[0].leader.is_none() && tags[0].area.left > 30.0 && tags[0].area.bottom < 20.0);
    }

    #[test]
    fn many_at_one_place_have_one_line_to_a_list() {
        let marks = [(30.0, 20.0), (30.6, 20.3), (31.0, 20.1), (31.2, 20.9)];
        let wanted: Vec<Wanted> = marks
            .iter()
            .zip(["LP", "VS", "LP", "GR"])
            .map(|(&at, name)| named(at, name))
            .collect();
        let tags = place(&wanted, &mut Occupied::new(FRAME), &size);
        assert_eq!(tags.len(), 1);
        assert_eq!(tags[0].text, "2 LP, VS, GR");
        assert!(tags[0].leader.is_some());
    }

    /// Random diagrams with clusters of marks: no words touch a curve, a mark, other words or the line of others.
    #[test]
    fn names_touch_neither_curves_nor_marks_nor_each_other() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for trial in 0..150 {
            let mut page = Occupied::new(FRAME);
            let mut curves: Vec<Vec<Point>> = Vec::new();
            for _ in 0..1 + (random() * 5.0) as usize {
                let (a, b, c, d) = (random(), random(), random(), random());
                let curve: Vec<Point> = (0..120)
                    .map(|k| {
                        let s = f64::from(k) / 119.0;
                        let y = 0.5
                            + 0.4 * (6.0 * a * s + 6.0 * b).sin() * (1.0 - 0.6 * c * s)
                            + 0.08 * (20.0 * d * s).sin();
                        (FRAME.right * s, FRAME.bottom * y.clamp(0.02, 0.98))
                    })
                    .collect();
                page.add_line(&curve);
                curves.push(curve);
            }
            let mut wanted = Vec::new();
            for _ in 0..1 + (random() * 4.0) as usize {
                let curve = &curves[(random() * curves.len() as f64) as usize];
                let at = 5 + (random() * 100.0) as usize;
                for _ in 0..1 + (random() * 6.0) as usize {
                    let near = curve[(at + (random() * 12.0) as usize).min(119)];
                    wanted.push(named(near, ["LP", "VS", "GR+BP", "PD"][(random() * 4.0) as usize]));
                }
            }
            for mark in &wanted {
                page.add_box(Rect::around(mark.mark, mark.radius));
            }
            let tags = place(&wanted, &mut page, &size);
            for (k, tag) in tags.iter().enumerate() {
                assert!(FRAME.encloses(&tag.area), "{trial}: {tag:?}");
                let clear = curves
                    .iter()
                    .flat_map(|curve| curve.windows(2))
                    .all(|pair| tag.area.clip(pair[0], pair[1]).is_none());
                assert!(clear, "{trial}: {tag:?} on a curve");
                for mark in &wanted {
                    assert!(
                        tag.area.overlap(&Rect::around(mark.mark, mark.radius)) == 0.0,
                        "{trial}: {tag:?} on {mark:?}"
                    );
                }
                for other in &tags[..k] {
                    assert!(tag.area.overlap(&other.area) == 0.0, "{trial}: {tag:?} on {other:?}");
                }
                for (_, other) in tags.iter().enumerate().filter(|(j, _)| *j != k) {
                    let crossed = other.leader.is_some_and(|(a, b)| tag.area.clip(a, b).is_some());
                    assert!(!crossed, "{trial}: the line of {other:?} crosses {tag:?}");
                }
            }
            // Every name is written.
            let written: usize = tags
                .iter()
                .flat_map(|tag| tag.text.split([',', '\n']))
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(|part| {
                    part.split_once(' ')
                        .and_then(|(count, _)| count.parse().ok())
                        .unwrap_or(1)
                })
                .sum();
            assert_eq!(written, wanted.len(), "{trial}");
        }
    }
}
