//! Eigenvalues of equilibria that pass the imaginary axis together: as many of them as there are, at the place.

use super::known::{curve, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::Label;

/// Scales of the states, the parameter and time, in powers of ten.
const SCALES: [f64; 3] = [5.0, 5.0, 4.0];

/// Groups of equal eigenvalues that all pass at one value of the parameter, at x = 0 of a field with cubic terms.
struct Group {
    place: f64,
    /// Their imaginary part, zero of real ones.
    frequency: f64,
    count: usize,
}

impl Group {
    fn label(&self) -> Label {
        if self.frequency > 0.0 { Label::HB } else { Label::BP }
    }

    /// How many eigenvalues pass.
    fn eigenvalues(&self) -> usize {
        self.count * if self.frequency > 0.0 { 2 } else { 1 }
    }

    fn add_to(&self, fields: &mut Vec<String>) {
        let Group { place, frequency, .. } = self;
        for _ in 0..self.count {
            let k = fields.len() + 1;
            if *frequency > 0.0 {
                let l = k + 1;
                fields.push(format!("(q - ({place:?}))*u{k} - {frequency:?}*u{l} - u{k}^3"));
                fields.push(format!("{frequency:?}*u{k} + (q - ({place:?}))*u{l} - u{l}^3"));
            } else {
                fields.push(format!("(q - ({place:?}))*u{k} - u{k}^3"));
            }
        }
    }
}

#[test]
fn each_group_is_found_once_at_its_place_with_its_number() {
    let class = "eigenvalues that pass together";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let mut place = -0.9;
        let groups: Vec<Group> = (0..1 + member % 3)
            .map(|_| {
                place += random.between(0.1, 0.5);
                Group {
                    place,
                    frequency: if random.sign() > 0.0 {
                        random.log_between(0.03, 2.0)
                    } else {
                        0.0
                    },
                    count: random.between(1.0, 4.99) as usize,
                }
            })
            .collect();
        let mut fields = vec![];
        groups.iter().for_each(|group| group.add_to(&mut fields));
        let stiff = member % 4 == 3;
        // Rounding of the stiff eigenvalue is that of the others.
        let tolerance = if stiff { 1e-7 } else { 1e-8 };
        if stiff {
            fields.push(format!("-{:?}*u{}", random.log_between(10.0, 1e6), fields.len() + 1));
        }
        // The last group may lie within the last step.
        let end = place + random.log_between(1e-3, 0.1);
        let coordinates = Coordinates::random(&mut random, fields.len(), SCALES);
        let unit = coordinates.parameter;
        let text = format!(
            "Study(title: \"together\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
            coordinates.smooth(&fields, -1.0),
            -unit,
            coordinates.states_text(&vec![0.0; fields.len()]),
            -unit,
            unit * end,
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let special: Vec<_> = found
            .points()
            .map(|(_, _, p)| p)
            .filter(|p| p.label.is_some_and(|l| l != Label::EP))
            .collect();
        let mut right = special.len() == groups.len() && !found.note.contains("no special point was located");
        for (p, group) in special.iter().zip(&groups) {
            let passing = format!("{} eigenvalues pass the imaginary axis together", group.eigenvalues());
            right &= p.label == Some(group.label());
            right &= (p.point.parameter() / unit - group.place).abs() <= tolerance;
            right &= p.message.contains(&passing) == (group.count > 1);
        }
        if !right {
            let found: Vec<_> = special
                .iter()
                .map(|p| format!("{:?} at {}: {}", p.label, p.point.parameter() / unit, p.message))
                .collect();
            let note = &result.curves[0].note;
            let wanted: Vec<_> = groups.iter().map(|g| (g.place, g.frequency, g.count)).collect();
            wrong.push((member, format!("{found:#?} of {wanted:?}; {note}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Equal oscillators, each coupled to all others, in phase: N - 1 equal multipliers for each of two directions, which
/// are those of two oscillators coupled as strongly.
#[test]
fn cycles_of_oscillators_that_see_all_others_have_the_multipliers_of_two() {
    let class = "each to all";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (m, k, n) = (random.between(0.5, 1.5), random.between(0.1, 0.6), 4 + random.below(3));
        let study = |n: usize| {
            let list = |f: &dyn Fn(usize) -> String| (1..=n).map(f).collect::<Vec<_>>().join(", ");
            format!(
                "Study(title: \"all\", system: Smooth(states: [{}], parameters: {{\"m\": {m:?}, \"k\": {k:?}}}, define: {{\"mean\": \"({})/{n}\"}}, equations: [{}, {}], start: {{{}}}), \
                 curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Settle(at: {{\"m\": {m:?}}}), free: \"m\", range: ({:?}, {:?}))])",
                list(&|i| format!("\"x{i}\", \"v{i}\"")),
                (1..=n).map(|i| format!("v{i}")).collect::<Vec<_>>().join(" + "),
                list(&|i| format!("\"x{i}' = v{i}\"")),
                list(&|i| format!("\"v{i}' = m*(1 - x{i}^2)*v{i} - x{i} + k*(mean - v{i})\"")),
                list(&|i| format!("\"x{i}\": 0.5")),
                m,
                m + 0.3,
            )
        };
        let [one, two, all] = [1, 2, n].map(|n| {
            let result = run(&study(n));
            let found = result.curves.iter().find(|c| c.name == "c");
            let end = found.and_then(|c| c.points().find(|(_, _, p)| p.point.parameter() == m + 0.3));
            let end = end.ok_or_else(|| format!("{:?}", result.missing))?;
            Ok::<Vec<f64>, String>(end.2.record.multipliers.iter().map(|m| m.log10).collect())
        });
        // Those of one oscillator, and n - 1 times the others of two.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        let right = match (&one, &two, &all) {
            (Ok(one), Ok(two), Ok(all)) => {
                let across = two.iter().filter(|a| !one.iter().any(|b| near(**a, *b)));
                let mut expected: Vec<f64> = across.flat_map(|a| std::iter::repeat_n(*a, n - 1)).collect();
                expected.extend(one);
                expected.sort_by(|a, b| b.total_cmp(a));
                expected.len() == all.len() && expected.iter().zip(all).all(|(a, b)| near(*a, *b))
            }
            _ => false,
        };
        if !right {
            wrong.push((
                member,
                format!("one: {one:?}, two: {two:?}, {n}: {all:?}\n{}", study(n)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
