//! Which curves of a diagram share a colour and a line of the legend.

use std::collections::BTreeMap;

/// Colours that are distinguished at a glance; with more curves than these, daughters look like the curve they branch
/// off.
const COLOURS: usize = 7;

/// Curves in groups of one look.
pub(super) struct Groups {
    /// Every curve with the index of its group.
    of: BTreeMap<String, usize>,
    /// What each group is called.
    names: Vec<String>,
}

impl Groups {
    /// Curves with the same label are one group; so are, of more curves than there are colours, a curve and its
    /// daughters.
    pub(super) fn new(curves: &[String], labels: &BTreeMap<String, String>) -> Self {
        let crowded = curves.len() > COLOURS;
        let mut names: Vec<String> = Vec::new();
        let mut of = BTreeMap::new();
        for curve in curves {
            let own = if crowded { ancestor(curve, curves) } else { curve };
            let name = labels
                .get(curve)
                .or_else(|| labels.get(own))
                .cloned()
                .unwrap_or_else(|| title(own));
            let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            of.insert(curve.clone(), at);
        }
        Self { of, names }
    }

    /// The group of a curve.
    pub(super) fn of(&self, curve: &str) -> usize {
        self.of.get(curve).copied().unwrap_or(0)
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// What the group of a curve is called: the label it has in common, or the curve that the others descend from.
    pub(super) fn name<'a>(&'a self, curve: &'a str) -> &'a str {
        self.of.get(curve).map_or(curve, |&at| &self.names[at])
    }

    /// The first of `curves` in each group, in their order: those that the legend names.
    pub(super) fn leaders<'a>(&self, curves: &'a [String]) -> Vec<&'a String> {
        let mut seen = Vec::new();
        curves
            .iter()
            .filter(|curve| {
                let group = self.of(curve);
                let new = !seen.contains(&group);
                seen.push(group);
                new
            })
            .collect()
    }
}

/// What a curve is called: a daughter by the curve and the point it branches off, so that both directions from one
/// point are one branch: `steady-BP1a` is "steady, from BP 1".
pub(super) fn title(curve: &str) -> String {
    let mut stem = curve;
    let mut points: Vec<String> = Vec::new();
    while let Some((rest, last)) = stem.rsplit_once('-') {
        let letters: String = last.chars().take_while(char::is_ascii_uppercase).collect();
        let after = &last[letters.len()..];
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        let side = &after[digits.len()..];
        let one_letter = side.is_empty() || (side.len() == 1 && side.chars().all(|c| c.is_ascii_lowercase()));
        if rest.is_empty() || !(2..=3).contains(&letters.len()) || digits.is_empty() || !one_letter {
            break;
        }
        points.push(format!("{letters} {digits}"));
        stem = rest;
    }
    // The curves that a sweep has started: `seen-1`.
    let started = stem.rsplit_once('-').filter(|(rest, number)| {
        rest.starts_with(char::is_alphabetic) && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
    });
    let stem = started.map_or_else(|| stem.to_owned(), |(rest, number)| format!("{rest} {number}"));
    if points.is_empty() {
        return stem;
    }
    points.reverse();
    format!("{stem}, from {}", points.join(", "))
}

/// The curve from which a daughter (`cycles-BP1a-PD1`) descends, itself if it is nobody's daughter.
fn ancestor<'a>(curve: &'a String, curves: &'a [String]) -> &'a String {
    let descends = |other: &&String| {
        curve
            .strip_prefix(other.as_str())
            .is_some_and(|rest| rest.starts_with('-'))
    };
    curves
        .iter()
        .filter(descends)
        .min_by_key(|other| other.len())
        .unwrap_or(curve)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn few_curves_keep_a_look_each_and_daughters_of_many_share_one() {
        let few = names(&["steady", "steady-BP1a"]);
        let groups = Groups::new(&few, &BTreeMap::new());
        assert_eq!((groups.of("steady"), groups.of("steady-BP1a")), (0, 1));
        let many = names(&["a", "a-BP1a", "a-BP1b", "a-BP1b-PD1", "ab", "b-BP1a", "b", "c"]);
        let groups = Groups::new(&many, &BTreeMap::new());
        let of: Vec<usize> = many.iter().map(|name| groups.of(name)).collect();
        assert_eq!(of, [0, 0, 0, 0, 1, 2, 2, 3]);
        assert_eq!(groups.leaders(&many), [&many[0], &many[4], &many[5], &many[7]]);
    }

    #[test]
    fn daughters_are_called_after_the_point_they_branch_off() {
        assert_eq!(title("steady-BP1a-BP1b"), "steady, from BP 1, BP 1");
        assert_eq!(title("cycles-PD2"), "cycles, from PD 2");
        assert_eq!(title("1e-3"), "1e-3");
        assert_eq!(title("seen-2-LP1"), "seen 2, from LP 1");
        assert_eq!(title("slip-stick"), "slip-stick");
        let both = names(&["x", "x-BP1a", "x-BP1b"]);
        let groups = Groups::new(&both, &BTreeMap::new());
        assert_eq!((groups.of("x-BP1a"), groups.of("x-BP1b"), groups.count()), (1, 1, 2));
        assert_eq!(groups.name("x-BP1b"), "x, from BP 1");
    }

    #[test]
    fn curves_of_one_label_are_one_group() {
        let curves = names(&["rest", "cycles", "other"]);
        let labels = [("rest", "$p=1$"), ("cycles", "$p=1$")].map(|(name, label)| (name.to_owned(), label.to_owned()));
        let groups = Groups::new(&curves, &BTreeMap::from(labels));
        assert_eq!((groups.of("rest"), groups.of("cycles"), groups.of("other")), (0, 0, 1));
    }
}
