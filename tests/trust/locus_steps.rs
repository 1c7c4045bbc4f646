//! Curves in two parameters of random polynomial fields and maps, in coordinates that are stretched by a factor of a
//! hundred: they have the same special points, and about as many points, as in those that the system was drawn in.

use super::known::{none_wrong, pieces, run};
use super::random::{Coordinates, Random, members};
use super::written_twice::{BASE, found, is_cut, lacking, polynomials, study_of};
use slipstick_bifurcation::Label;

/// What is drawn, and the labels whose curves are counted.
#[derive(Clone, Copy)]
enum Drawn {
    /// Folds and Hopf points.
    Fields,
    /// Folds, period doublings and Neimark–Sacker points.
    Maps,
    /// Fields in which the last state stays zero: transcritical points.
    Invaded,
    /// Maps in which it does.
    InvadedMaps,
}

impl Drawn {
    fn is_map(self) -> bool {
        matches!(self, Self::Maps | Self::InvadedMaps)
    }

    fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Fields => &["LP", "HB"],
            Self::Maps => &["LP", "PD", "NS"],
            Self::Invaded | Self::InvadedMaps => &["BP"],
        }
    }

    fn sides(self, random: &mut Random, n: usize) -> Vec<String> {
        let mut sides = polynomials(random, n, self.is_map());
        if matches!(self, Self::Invaded | Self::InvadedMaps) {
            let last = BASE[n - 1];
            let rate = if self.is_map() { 1.0 } else { 0.0 } + random.between(-0.4, 0.4);
            let terms: Vec<String> = BASE[..n]
                .iter()
                .map(|s| format!("({:?})*{s}", random.between(-1.0, 1.0)))
                .collect();
            sides[n - 1] = format!("{last}*({rate:?} + 0.3*p + 0.2*q + {})", terms.join(" + "));
        }
        sides
    }
}

fn as_many_points(class: &str, count: usize, drawn: Drawn) {
    /// By so much the number of points of a curve may differ.
    const FACTOR: f64 = 3.0;
    /// Curves with fewer points than this are not compared.
    const FEW: usize = 40;
    let mut wrong = vec![];
    let mut compared = 0;
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 2 + random.below(2);
        let sides = drawn.sides(&mut random, n);
        let coordinates = Coordinates::stretched(&mut random, n, (0.1, 10.0), [0.0, 0.0, 0.0]);
        let text = |coordinates| study_of(drawn.labels(), &sides, coordinates, 1.0, drawn.is_map(), ["p", "q"]);
        let texts = [text(None), text(Some(&coordinates))];
        let results = texts.each_ref().map(|text| run(text));
        let starts = results.each_ref().map(|r| {
            let rest = pieces(r, "rest").into_iter().flatten();
            rest.filter(|p| p.label.is_some()).count()
        });
        if starts[0] != starts[1] {
            continue;
        }
        for &label in drawn.labels() {
            let counts = results.each_ref().map(|r| pieces(r, label).concat().len());
            // Where two eigenvalues vanish the coefficient that is zero at DP has a pole.
            let [one, other] = results.each_ref().map(|r| {
                let mut all = found(r, &[label]);
                all.retain(|(_, of, _)| *of != Label::DP);
                all
            });
            let quotient = counts[1] as f64 / counts[0] as f64;
            if counts[0].max(counts[1]) < FEW {
                continue;
            }
            compared += 1;
            if !(1.0 / FACTOR..=FACTOR).contains(&quotient) {
                wrong.push((
                    member,
                    format!("{label}: {counts:?} points\n{}\n{}", texts[0], texts[1]),
                ));
            }
            let (missing, more) = (lacking(&one, &other), lacking(&other, &one));
            if !(results.iter().any(is_cut) || missing.is_empty() && more.is_empty()) {
                wrong.push((
                    member,
                    format!(
                        "only the first: {missing:?}; only the second: {more:?}\n{}\n{}",
                        texts[0], texts[1]
                    ),
                ));
            }
        }
    }
    assert!(2 * compared >= count, "{compared} of {count} compared");
    none_wrong(class, count, &wrong);
}

#[test]
fn curves_of_equilibria_take_as_many_points_in_any_coordinates() {
    as_many_points("steps of fields", members(12), Drawn::Fields);
}

#[test]
fn curves_of_maps_take_as_many_points_in_any_coordinates() {
    as_many_points("steps of maps", members(12), Drawn::Maps);
}

#[test]
fn curves_of_transcritical_points_take_as_many_points_in_any_coordinates() {
    as_many_points("steps of invaded fields", members(8), Drawn::Invaded);
    as_many_points("steps of invaded maps", members(8), Drawn::InvadedMaps);
}
