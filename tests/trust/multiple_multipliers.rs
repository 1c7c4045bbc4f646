//! Multipliers of maps and of forced cycles that pass the unit circle together: as many of them as there are, at the
//! place; and the families of doubled cycles of rings of equal maps.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::RunResult;

/// Scales of the states, the parameter and time, in powers of ten.
const SCALES: [f64; 3] = [4.0, 4.0, 0.0];

/// Where multipliers of a group pass.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    One,
    MinusOne,
    /// A pair, at this angle.
    Angle(f64),
}

/// Equal multipliers that all pass at one value of the parameter.
#[derive(Debug)]
struct Group {
    place: f64,
    at: At,
    count: usize,
}

impl Group {
    /// Groups at places that increase.
    fn random(random: &mut Random, number: usize) -> Vec<Self> {
        let mut place = -0.9;
        let mut next = || {
            place += random.between(0.1, 0.5);
            let at = match random.below(3) {
                0 => At::One,
                1 => At::MinusOne,
                _ => At::Angle(random.between(0.3, 2.8)),
            };
            let count = 1 + random.below(3);
            Self { place, at, count }
        };
        (0..number).map(|_| next()).collect()
    }

    fn label(&self) -> Label {
        match self.at {
            At::One => Label::BP,
            At::MinusOne => Label::PD,
            At::Angle(_) => Label::NS,
        }
    }

    fn multipliers(&self) -> usize {
        self.count * if matches!(self.at, At::Angle(_)) { 2 } else { 1 }
    }

    /// The images of a map with a fixed point at the origin.
    fn add_to_map(&self, images: &mut Vec<String>) {
        let growth = format!("(1 + q - ({:?}))", self.place);
        for _ in 0..self.count {
            let k = images.len() + 1;
            match self.at {
                At::One => images.push(format!("{growth}*u{k} - u{k}^3")),
                At::MinusOne => images.push(format!("-{growth}*u{k} + u{k}^3")),
                At::Angle(angle) => {
                    let (sin, cos) = angle.sin_cos();
                    let l = k + 1;
                    images.push(format!("{growth}*({cos:?}*u{k} - ({sin:?})*u{l}) - u{k}^3"));
                    images.push(format!("{growth}*({sin:?}*u{k} + ({cos:?})*u{l}) - u{l}^3"));
                }
            }
        }
    }

    /// The field of a forced oscillator of period 2π that is at rest at the origin. What turns by half a turn in each
    /// period, and grows along one of its axes and decays along the other, has a multiplier -1.
    fn add_to_field(&self, field: &mut Vec<String>) {
        let growth = format!("(p - ({:?}))", self.place);
        for _ in 0..self.count {
            let (k, l) = (field.len() + 1, field.len() + 2);
            match self.at {
                At::One => field.push(format!("{growth}*u{k} - u{k}^3*(1 + 0.3*cos(t))")),
                At::MinusOne => {
                    let (mean, half) = (format!("(0.5*({growth} - 1))"), format!("(0.5*({growth} + 1))"));
                    field.push(format!(
                        "({mean} + {half}*cos(t))*u{k} + ({half}*sin(t) - 0.5)*u{l} - u{k}^3"
                    ));
                    field.push(format!(
                        "({half}*sin(t) + 0.5)*u{k} + ({mean} - {half}*cos(t))*u{l} - u{l}^3"
                    ));
                }
                At::Angle(angle) => {
                    let rate = angle / std::f64::consts::TAU;
                    field.push(format!("{growth}*u{k} - ({rate:?})*u{l} - u{k}^3"));
                    field.push(format!("({rate:?})*u{k} + {growth}*u{l} - u{l}^3"));
                }
            }
        }
    }
}

/// What differs from the groups among the labels of the curve `c`, whose parameter has this unit.
fn differences(result: &RunResult, groups: &[Group], unit: f64, tolerance: f64) -> Option<String> {
    let found = curve(result, "c");
    let special: Vec<&BranchPoint> = labels(found).into_iter().map(|(_, _, p)| p).collect();
    let mut right = special.len() == groups.len() && !found.note.contains("no special point was located");
    for (p, group) in special.iter().zip(groups) {
        let passing = format!("{} multipliers pass the unit circle together", group.multipliers());
        right &= p.label == Some(group.label());
        right &= (p.point.parameter() / unit - group.place).abs() <= tolerance;
        right &= p.message.contains(&passing) == (group.count > 1);
    }
    let reported = || {
        special
            .iter()
            .map(|p| format!("{:?} at {}: {}", p.label, p.point.parameter() / unit, p.message))
            .collect::<Vec<_>>()
    };
    (!right).then(|| format!("{:#?} of {groups:?}; {}", reported(), found.note))
}

#[test]
fn of_maps_each_group_is_found_once_at_its_place_with_its_number() {
    let class = "multipliers of maps that pass together";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let groups = Group::random(&mut random, 1 + member % 3);
        let mut images = vec![];
        groups.iter().for_each(|group| group.add_to_map(&mut images));
        let coordinates = Coordinates::random(&mut random, images.len(), SCALES);
        let unit = coordinates.parameter;
        let end = groups[groups.len() - 1].place + random.log_between(1e-3, 0.1);
        let text = format!(
            "Study(title: \"together\", system: {}, curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"p\": {:?}}}, \
             states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
            coordinates.map(&images, -1.0),
            -unit,
            coordinates.states_text(&vec![0.0; images.len()]),
            -unit,
            unit * end,
        );
        if let Some(what) = differences(&run(&text), &groups, unit, 1e-9) {
            wrong.push((member, format!("{what}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn of_forced_cycles_each_group_is_found_once_at_its_place_with_its_number() {
    let class = "multipliers of cycles that pass together";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let groups = Group::random(&mut random, 1 + member % 2);
        let mut field = vec![];
        groups.iter().for_each(|group| group.add_to_field(&mut field));
        let list = |f: &dyn Fn(usize) -> String| (0..field.len()).map(f).collect::<Vec<_>>().join(", ");
        let method = if member % 3 == 2 { ", method: Shooting()" } else { "" };
        let end = groups[groups.len() - 1].place + random.log_between(1e-2, 0.1);
        let text = format!(
            "Study(title: \"together\", system: Smooth(states: [{}], parameters: {{\"p\": -1}}, forcing: Forcing(period: \"2*pi\"), \
             equations: [{}]), curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"p\": -1}}, states: [{{{}}}], \
             durations: [6.283185307179586]), free: \"p\", range: (-1, {end:?}){method})])",
            list(&|i| format!("\"u{}\"", i + 1)),
            list(&|i| format!("\"u{}' = {}\"", i + 1, field[i])),
            list(&|i| format!("\"u{}\": 0", i + 1)),
        );
        if let Some(what) = differences(&run(&text), &groups, 1.0, 1e-8) {
            wrong.push((member, format!("{what}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// In a ring of N equal maps modes of one wavelength run both ways, so that two multipliers pass -1 together, unless all
/// are in phase or alternate; and at each of these places families of doubled cycles of different shapes begin.
#[test]
fn rings_of_equal_maps_double_their_cycles_at_the_known_places_in_several_shapes() {
    let class = "rings";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let n = 3 + member % 3;
        let e = random.between(0.03, 0.12);
        let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(", ");
        let text = format!(
            "Study(title: \"ring\", system: Map(states: [{}], parameters: {{\"r\": 2.5, \"e\": {e:?}}}, define: {{\"f(x)\": \"r*x*(1 - x)\"}}, \
             equations: [{}]), curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"r\": 2.5}}, states: [{{{}}}]), free: \"r\", \
             range: (2.4, 3.7), branches: [PD], generations: 1)])",
            list(&|i| format!("\"x{i}\"")),
            list(&|i| {
                let (l, r) = ((i + n - 1) % n, (i + 1) % n);
                format!("\"x{i}+ = (1 - e)*f(x{i}) + e/2*(f(x{l}) + f(x{r}))\"")
            }),
            list(&|i| format!("\"x{i}\": 0.6")),
        );
        let result = run(&text);
        let place = |k: usize| 2.0 + 1.0 / (1.0 - e * (1.0 - (std::f64::consts::TAU * k as f64 / n as f64).cos()));
        let places: Vec<f64> = (0..=n / 2).map(place).filter(|r| *r < 3.7).collect();
        let found = labels(curve(&result, "c"));
        let mut right = found.len() == places.len();
        for (k, ((label, at, p), place)) in found.iter().zip(&places).enumerate() {
            let double = k > 0 && 2 * k < n;
            right &= *label == Label::PD && (at - place).abs() <= 1e-9;
            right &= p.message.contains("2 multipliers pass") == double;
            // The curves of five differ by terms of ninth order: one of them is found.
            let several = if n == 5 { 1 } else { 2 };
            let stem = format!("c-PD{}", k + 1);
            let families = result
                .curves
                .iter()
                .filter(|curve| curve.name.starts_with(&stem))
                .count();
            right &= if double { families >= several } else { families == 1 };
        }
        if !right {
            let names: Vec<_> = result.curves.iter().map(|c| c.name.clone()).collect();
            let found: Vec<_> = found.iter().map(|(l, at, p)| (l, at, p.message.clone())).collect();
            wrong.push((member, format!("{found:#?} for {places:?}; {names:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
