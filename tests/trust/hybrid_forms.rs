//! Coefficients of normal forms of orbits with events: return maps that are known, and the branches that are born.

use super::hybrid::{Impacts, impact_study};
use super::known::{Verdict, curve, labels, none_wrong, run};
use super::map_forms::{Doubling, Rotation};
use super::normal_forms::{class, coefficient, first_length, stable, stretched};
use super::random::{Coordinates, Random, members};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study as study;
use slipstick_system::Units;
use std::f64::consts::{PI, TAU};

/// How the state moves between the events.
#[derive(Clone, Copy, PartialEq)]
enum Flight {
    /// By a linear field, over the same time for all.
    Linear,
    /// The same way at a rate that depends on the state and on the time since the last event.
    Nonlinear,
    /// Besides, with a state that follows another one fast: on a mesh, and next to the label only, since such orbits
    /// take long.
    Stiff,
}

impl Flight {
    fn random(random: &mut Random) -> Self {
        match random.below(6) {
            0 | 1 => Self::Linear,
            2..=4 => Self::Nonlinear,
            _ => Self::Stiff,
        }
    }

    fn coordinates(self, random: &mut Random, n: usize) -> Coordinates {
        // That a field is stiff is told by the whole of its states: one that follows another is of the same size.
        let states = if self == Self::Stiff { 0.0 } else { 5.0 };
        Coordinates::random(random, n, [states, 5.0, 3.0])
    }

    /// The parameters about a label at q0.
    fn range(self, q0: f64) -> (f64, f64) {
        if self == Self::Stiff {
            (q0 - 0.03, q0 + 0.03)
        } else {
            (-0.9, 0.9)
        }
    }

    /// How well the label is located.
    fn place(self) -> f64 {
        if self == Self::Stiff { 1e-8 } else { 1e-9 }
    }

    /// How well coefficients are known.
    fn tolerance(self) -> f64 {
        if self == Self::Stiff { 1e-7 } else { 1e-9 }
    }
}

/// e^{-G}, by its series.
pub(crate) fn inverse_exponential(g: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = g.len();
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let mut sum: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| unit(i, j)).collect()).collect();
    let mut term = sum.clone();
    for k in 1..60 {
        let entry = |i: usize, j: usize| -(0..n).map(|l| term[i][l] * g[l][j]).sum::<f64>() / f64::from(k);
        let next: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        term = next;
        for i in 0..n {
            for j in 0..n {
                sum[i][j] += term[i][j];
            }
        }
    }
    sum
}

fn sum(row: &[f64], factor: f64, name: &str) -> String {
    let terms = row
        .iter()
        .enumerate()
        .map(|(j, a)| format!("({:?})*{name}{}", a * factor, j + 1));
    terms.collect::<Vec<_>>().join(" + ")
}

/// A study of a hybrid system whose return map is u → f(u, q) exactly: between events u' = h G u and c' = h, with any
/// rate h > 0; where c = 1, u is set to f(e^{-G} u) and c to 0. In coordinates x = s A (u + o), with the fixed point
/// away from zero.
fn study(
    random: &mut Random,
    coordinates: &Coordinates,
    fields: &[String],
    start: &[f64],
    (from, to): (f64, f64),
    flight: Flight,
) -> String {
    let n = fields.len();
    let g: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..n).map(|_| random.between(-0.8, 0.8)).collect())
        .collect();
    let back = inverse_exponential(&g);
    let offset: Vec<f64> = (0..n).map(|_| random.sign() * random.between(0.5, 2.0)).collect();
    let (k, l) = (random.between(-0.3, 0.6), random.between(-0.2, 0.2));
    let (s, rate) = (coordinates.state, coordinates.state / coordinates.time);
    let mut define = vec![format!("\"q\": \"p/({:?})\"", coordinates.parameter)];
    for i in 0..n {
        let (u, o) = (sum(&coordinates.inverse[i], 1.0 / s, "x"), offset[i]);
        define.push(format!("\"u{}\": \"{u} - ({o:?})\"", i + 1));
    }
    for i in 0..n {
        define.push(format!("\"v{}\": \"{}\"", i + 1, sum(&back[i], 1.0, "u")));
        define.push(format!("\"g{}\": \"{}\"", i + 1, sum(&g[i], 1.0, "u")));
    }
    for (i, field) in fields.iter().enumerate() {
        let field = field.replace('u', "v");
        define.push(format!("\"f{}\": \"{field} + ({:?})\"", i + 1, offset[i]));
    }
    let h = if flight == Flight::Linear {
        "1".to_owned()
    } else {
        format!("1/(1 + ({k:?})*c + ({l:?})*sin(u1)*cos(c))")
    };
    let duration = if flight == Flight::Linear { 1.0 } else { 1.0 + 0.5 * k };
    define.push(format!("\"h\": \"{h}\""));
    let mut equations: Vec<String> = (0..n)
        .map(|i| format!("\"x{}' = h*({})\"", i + 1, sum(&coordinates.matrix[i], rate, "g")))
        .collect();
    equations.push(format!("\"c' = h*({:?})\"", 1.0 / coordinates.time));
    let mut reset: Vec<String> = (0..n)
        .map(|i| format!("\"x{}\": \"{}\"", i + 1, sum(&coordinates.matrix[i], s, "f")))
        .collect();
    reset.push("\"c\": \"0\"".into());
    let mut names: Vec<String> = (1..=n).map(|i| format!("\"x{i}\"")).collect();
    names.push("\"c\"".into());
    let shifted: Vec<f64> = start.iter().zip(&offset).map(|(u, o)| u + o).collect();
    let mut at = coordinates.states_text(&shifted).replace('}', ", \"c\": 0}");
    if flight == Flight::Stiff {
        let fast = random.log_between(1.5e4, 4e4);
        equations.push(format!(
            "\"y' = ({:?})*(1 + 0.3*sin(u1) - y)\"",
            fast / coordinates.time
        ));
        reset.push("\"y\": \"0.7\"".into());
        names.push("\"y\"".into());
        at = at.replace('}', ", \"y\": 0.7}");
    }
    let method = if flight == Flight::Stiff {
        "method: Collocation(), "
    } else {
        ""
    };
    format!(
        "Study(title: \"return map\", system: Hybrid(states: [{}], parameters: {{\"p\": {p:?}}}, define: {{{}}}, modes: {{\"fly\": Mode(equations: [{}], \
         events: {{\"hit\": Event(guard: \"c - 1\", direction: Up, to: \"fly\", reset: {{{}}})}})}}, start: Start(mode: \"fly\")), \
         curves: [Curve(name: \"c\", orbit: Periodic(\"fly\"), {method}start: Guess(at: {{\"p\": {p:?}}}, states: [{at}], durations: [{:?}]), \
         free: \"p\", range: ({:?}, {:?}))])",
        names.join(", "),
        define.join(", "),
        equations.join(", "),
        reset.join(", "),
        duration * coordinates.time,
        coordinates.parameter * from.min(to),
        coordinates.parameter * from.max(to),
        p = coordinates.parameter * from,
    )
}

/// What is wrong with the one label that there should be, at q0 within `place`, with this coefficient and these words.
fn judge(
    text: &str,
    parameter: f64,
    (label, q0, place): (Label, f64, f64),
    (name, value, tolerance): (&str, f64, f64),
    words: &[&str],
) -> Option<String> {
    let result = run(text);
    if let Some(missing) = result.missing.first() {
        return Some(format!("{}\n{text}", missing.reason));
    }
    let all = labels(curve(&result, "c"));
    let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, l.1 / parameter)).collect();
    let verdict = Verdict::of(&found, &[(label, q0)], place);
    if !verdict.is_right() {
        return Some(format!("{verdict:?}\n{text}"));
    }
    let message = &all[0].2.message;
    let said = coefficient(message, name).map(|v| if label == Label::LP { v.abs() } else { v });
    if said.is_none_or(|v| (v - value).abs() > tolerance * value.abs()) {
        return Some(format!("{name} is {value:?}, not {said:?}: {message}\n{text}"));
    }
    let missing = words.iter().find(|w| !message.contains(**w));
    missing.map(|w| format!("not `{w}`: {message}\n{text}"))
}

/// Doublings u1 → -(1 + q - q0) u1 + α u1² + β u1³: c = α² + β.
#[test]
fn doublings_of_orbits_with_events() {
    class("doublings with events", 8, |random| {
        let n = 1 + random.below(3);
        let Doubling { q0, field, c, word } = Doubling::random(random);
        let mut fields = vec![field];
        fields.extend(stable(random, 1, n, true));
        let flight = Flight::random(random);
        let coordinates = flight.coordinates(random, n);
        let text = study(random, &coordinates, &fields, &vec![0.0; n], flight.range(q0), flight);
        let wanted = c / first_length(&coordinates).powi(2);
        let place = (Label::PD, q0, flight.place());
        judge(
            &text,
            coordinates.parameter,
            place,
            ("c", wanted, flight.tolerance()),
            &[word],
        )
    });
}

/// Neimark–Sacker points z → (1 + q - q0) e^{iθ} z (1 + (d + i e) |z|²): Re d, times two for the unit vector of length
/// one.
#[test]
fn invariant_curves_of_orbits_with_events() {
    class("invariant curves with events", 8, |random| {
        let n = 2 + random.below(2);
        let Rotation {
            q0,
            mut fields,
            d,
            word,
        } = Rotation::random(random);
        fields.extend(stable(random, 2, n, true));
        let flight = Flight::random(random);
        let coordinates = flight.coordinates(random, n);
        let text = study(random, &coordinates, &fields, &vec![0.0; n], flight.range(q0), flight);
        let wanted = d / stretched(&coordinates);
        let place = (Label::NS, q0, flight.place());
        judge(
            &text,
            coordinates.parameter,
            place,
            ("d", wanted, flight.tolerance()),
            &[word],
        )
    });
}

/// Pitchforks u1 → (1 + q - q0) u1 + b u1³ + κ u1 u2, u2 → λ u2 + c u1²: the cubic coefficient b + κ c/(1 - λ);
/// transcritical points, with a u1²; and folds u1 → u1 + q - q0 - a u1².
#[test]
fn crossings_and_folds_of_orbits_with_events() {
    class("crossings with events", 8, |random| {
        let (q0, b, c, kappa) = (
            random.between(-0.4, 0.4),
            random.between(-2.0, 2.0),
            random.between(-1.0, 1.0),
            random.between(-1.0, 1.0),
        );
        let (lambda, a) = (random.between(-0.7, 0.7), random.sign() * random.log_between(0.2, 2.0));
        let flight = Flight::random(random);
        let coordinates = flight.coordinates(random, 2);
        let length = first_length(&coordinates);
        let second = format!("({lambda:?})*u2 + ({c:?})*u1^2");
        let kind = random.below(3);
        let (low, high) = flight.range(q0);
        let (first, start, range) = match kind {
            0 => (
                format!("(1 + q - ({q0:?}))*u1 + ({b:?})*u1^3 + ({kappa:?})*u1*u2"),
                [0.0; 2],
                (low, high),
            ),
            1 => (
                format!("(1 + q - ({q0:?}))*u1 + ({a:?})*u1^2 + ({b:?})*u1^3 + ({kappa:?})*u1*u2"),
                [0.0; 2],
                (low, high),
            ),
            _ => {
                let u = ((high - q0) / a.abs()).sqrt();
                let first = format!("u1 + 0.3*(q - ({q0:?}) - ({:?})*u1^2)", a.abs());
                (first, [u, c * u * u / (1.0 - lambda)], (high, low))
            }
        };
        let text = study(random, &coordinates, &[first, second], &start, range, flight);
        // On meshes branch points are located to fewer digits.
        let place = if flight == Flight::Stiff { 1e-7 } else { 1e-9 };
        let crossing = (Label::BP, q0, place);
        match kind {
            0 => {
                let cubic = b + kappa * c / (1.0 - lambda);
                let sign = if cubic < 0.0 { "supercritical" } else { "subcritical" };
                let wanted = ("b", cubic / length.powi(2), 1e-6);
                judge(&text, coordinates.parameter, crossing, wanted, &["pitchfork", sign])
            }
            1 => {
                let vector = coordinates.states(&[1.0, 0.0]);
                let shifted = [0, 1].map(|i| vector[i] - coordinates.states(&[0.0, 0.0])[i]);
                let largest = if shifted[0].abs() >= shifted[1].abs() {
                    shifted[0]
                } else {
                    shifted[1]
                };
                let wanted = ("a", a * largest.signum() / length, 1e-6);
                judge(&text, coordinates.parameter, crossing, wanted, &["transcritical"])
            }
            _ => {
                let fold = (Label::LP, q0, flight.place());
                let wanted = ("a", 0.3 * a.abs() / length, flight.tolerance());
                judge(&text, coordinates.parameter, fold, wanted, &[])
            }
        }
    });
}

/// Half of the difference between the two starts of an orbit with two impacts: its amplitude along the null vector, in
/// states and phase, which points have in the units that the system is computed in.
fn amplitude(point: &BranchPoint, units: &Units, mirrored: bool) -> f64 {
    let own = |from: usize| [0, 1, 2].map(|i| point.point.z[from + i] * units.state(i));
    let (first, second) = (own(0), own(4));
    let image = if mirrored {
        [-second[0], -second[1], second[2] + PI]
    } else {
        [second[0], second[1], second[2]]
    };
    let turns = ((image[2] - first[2]) / TAU).round() * TAU;
    let d = [first[0] - image[0], first[1] - image[1], first[2] - image[2] + turns];
    0.5 * d.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Oscillators that hit one wall, or two walls in turn: the branch born at a doubling or a breaking of symmetry goes to
/// the side that the coefficient tells, and parameter over amplitude squared is c over the rate of the multiplier; c is
/// the same in turned coordinates and in other units of time.
fn born_branches(mirrored: bool) {
    let class = if mirrored {
        "born between walls"
    } else {
        "born at a wall"
    };
    let count = members(4);
    let (mut wrong, mut drawn, mut tried) = (vec![], 0, 0);
    while drawn < count {
        tried += 1;
        assert!(tried < 1_000_000, "no members of the class");
        let mut random = Random::of(class, tried);
        let system = Impacts::random(&mut random, mirrored);
        let [_, critical] = system.critical();
        // From beyond the label towards the grazing, as far as orbits are admissible.
        let largest = critical * random.between(1.15, 1.6);
        let fold = system.critical()[0] / largest;
        let (forcing, grazing) = (system.forcing(largest), system.forcing(0.0));
        let grows = system.forcing(largest * (1.0 + 1e-6)) > forcing;
        let alone = !(0.0..1.1).contains(&fold)
            && grows == (grazing < forcing)
            && (0.1..10.0).contains(&(critical / system.g).abs());
        if !alone || !system.admissible(largest) {
            continue;
        }
        drawn += 1;
        let label = if mirrored { Label::SB } else { Label::PD };
        let coordinates = Coordinates::random(&mut random, 2, [1.0, 2.0, 2.0]);
        let text = impact_study(&system, &coordinates, largest);
        let branching = text.replace(
            "free: \"p\", range",
            &format!("branches: [{label}], free: \"p\", range"),
        );
        match born_branch(&system, &coordinates, critical, &branching) {
            Err(what) => wrong.push((tried, format!("{what}\n{branching}"))),
            Ok(c) => {
                let (angle, exchanged) = (random.between(0.0, TAU), random.below(2) == 0);
                let other = coordinates.turned(angle, exchanged, random.log_between(0.1, 10.0));
                let text = impact_study(&system, &other, largest);
                let result = run(&text);
                let all = labels(curve(&result, "c"));
                let found = all.iter().find(|l| l.0 == label);
                let again = found.and_then(|l| coefficient(&l.2.message, "c"));
                if again.is_none_or(|again| (again - c).abs() > 1e-9 * c.abs()) {
                    wrong.push((tried, format!("c = {c:?} becomes {again:?}\n{text}")));
                }
            }
        }
    }
    none_wrong(class, count, &wrong);
}

/// The coefficient, if the branch that is born agrees with it.
fn born_branch(system: &Impacts, coordinates: &Coordinates, critical: f64, text: &str) -> Result<f64, String> {
    let label = if system.mirrored { Label::SB } else { Label::PD };
    let result = run(text);
    let plan = study::parse("study.ron".as_ref(), text.to_owned()).and_then(|loaded| loaded.plan(&[]));
    let plan = plan.map_err(|error| error.to_string())?;
    let units =
        study::in_measured_units(&plan).map_or_else(Units::default, |plan| plan.systems[0].system.units.clone());
    let all = labels(curve(&result, "c"));
    let at = all.iter().find(|l| l.0 == label).ok_or("no label")?;
    let message = &at.2.message;
    let c = coefficient(message, "c").ok_or_else(|| format!("no coefficient: {message}"))?;
    let branch = result.curves.iter().find(|c| c.name.starts_with("c-"));
    let branch = branch.ok_or_else(|| format!("no branch: {:?}", result.missing.first().map(|m| &m.reason)))?;
    // (p - p*)/w² is a series in w²: three values near the start, their squares apart.
    let mut near: Vec<(f64, f64)> = vec![];
    for (_, _, point) in branch.points() {
        let (w, moved) = (
            amplitude(point, &units, system.mirrored).powi(2),
            point.point.parameter() - at.1,
        );
        // Newton's method leaves 3e-10 of the parameter at a point of a branch: this much further on, that is 1e-4.
        let resolved = moved.abs() > 3e-6 * at.1.abs();
        if near.last().is_none_or(|last: &(f64, f64)| w > 2.0 * last.0) && resolved {
            near.push((w, moved / w));
        }
    }
    if near.len() < 3 {
        return Err(format!("{} points near the start of the branch", near.len()));
    }
    let slope: f64 = (0..3)
        .map(|i| {
            let others = (0..3).filter(|&j| j != i);
            near[i].1 * others.map(|j| near[j].0 / (near[j].0 - near[i].0)).product::<f64>()
        })
        .sum();
    let step = 1e-5;
    let rate = (system.multiplier(critical * (1.0 - step)) - system.multiplier(critical * (1.0 + step)))
        / (system.forcing(critical * (1.0 + step)) - system.forcing(critical * (1.0 - step)))
        / coordinates.parameter;
    let wanted = slope * rate;
    let word = if c > 0.0 { "supercritical" } else { "subcritical" };
    // What three points leave of the series.
    if (wanted / c - 1.0).abs() > 1e-3 || !message.contains(word) {
        return Err(format!("the branch has {wanted:?} from {near:?}: {message}"));
    }
    Ok(c)
}

#[test]
fn branches_born_at_a_wall() {
    born_branches(false);
}

#[test]
fn branches_born_between_walls() {
    born_branches(true);
}

/// A rate with a corner on the way from event to event: the label is right, and instead of a number the message names
/// the corner.
#[test]
fn corners_between_events_are_named() {
    class("corners between events", 4, |random| {
        let q0 = random.between(-0.4, 0.4);
        let fields = [format!("-(1 + q - ({q0:?}))*u1 + 0.7*u1^2 - 0.2*u1^3")];
        let coordinates = Coordinates::random(random, 1, [5.0, 5.0, 3.0]);
        let text = study(random, &coordinates, &fields, &[0.0], (-0.9, 0.9), Flight::Linear);
        let at = random.between(0.2, 0.8);
        let text = text.replace("\"h\": \"1\"", &format!("\"h\": \"1/(1 + 0.3*abs(c - ({at:?})))\""));
        let result = run(&text);
        let all = labels(curve(&result, "c"));
        let found: Vec<(Label, f64)> = all.iter().map(|l| (l.0, l.1 / coordinates.parameter)).collect();
        let verdict = Verdict::of(&found, &[(Label::PD, q0)], 1e-9);
        if !verdict.is_right() {
            return Some(format!("{verdict:?}\n{text}"));
        }
        let message = &all[0].2.message;
        let said = message.contains("its criticality could not be computed") && message.contains("corner of abs");
        (!said).then(|| format!("{message}\n{text}"))
    });
}
