//! In which mode a motion begins of which all initial states are given, as the cells of basins: against motions in
//! closed form.

use super::known::run;
use super::normal_forms::class;
use super::random::Random;

/// What the cells of basins come to, in the order of the table: the kind of the attractor, nothing where there is none.
fn kinds(system: &str, basins: &str) -> Vec<String> {
    let text = format!("Study(title: \"starts\", system: {system}, tasks: [Basins(name: \"b\", {basins})])");
    let result = run(&text);
    assert!(result.missing.is_empty(), "{:?}\n{text}", result.missing);
    let table = |wanted: &str| {
        let mut tables = result.analyses.iter().flat_map(|a| &a.tables);
        &tables.find(|(name, _)| name == wanted).unwrap().1
    };
    let kinds = table("b-attractors").texts("kind").unwrap();
    let cells = table("b").numbers("attractor").unwrap();
    let kind = |number: &f64| {
        if number.is_nan() {
            String::new()
        } else {
            kinds[*number as usize - 1].clone()
        }
    };
    cells.iter().map(kind).collect()
}

/// Numbers as a list of a study.
fn list(values: &[f64]) -> String {
    let each: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    format!("Values([{}])", each.join(", "))
}

/// A body on a spring and a belt that moves at `v0`, with a level of sticking above that of slip.
struct Belt {
    c: f64,
    v0: f64,
    slip: f64,
    stick: f64,
}

impl Belt {
    /// Where the velocity of a motion that begins below the belt's, once it has begun to rise, reaches that of the belt;
    /// or how much below it its largest one is.
    fn arrives(&self, x: f64, v: f64) -> Result<f64, f64> {
        let (u, decay) = (x - self.slip, 0.5 * self.c);
        let w = (1.0 - decay * decay).sqrt();
        let at = |t: f64, begin: f64, other: f64| (-decay * t).exp() * (begin * (w * t).cos() + other * (w * t).sin());
        let time = |k: u32| f64::from(k) * 1e-3;
        let speed = |k: u32| at(time(k), v, (-u - decay * v) / w);
        let rises = (0..8000).find(|&k| speed(k + 1) > speed(k)).unwrap();
        match (rises..8000).find(|&k| speed(k) >= self.v0) {
            Some(k) => Ok(self.slip + at(time(k), u, (v + decay * u) / w)),
            None => Err(self.v0 - (rises..8000).map(speed).fold(f64::NEG_INFINITY, f64::max)),
        }
    }

    /// Whether a motion comes to the cycle of stick and slip rather than to rest in slip; nothing where it nearly does, or
    /// comes to the belt's velocity where it does not stick.
    fn cycles(&self, x: f64, v: f64) -> Option<bool> {
        const CLEAR: f64 = 1e-2;
        if v == self.v0 && (x + self.c * v).abs() < self.stick {
            return Some(true);
        }
        if v == self.v0 && x < 0.0 {
            return None;
        }
        match self.arrives(x, v) {
            Ok(at) => (at.abs() < self.stick - CLEAR && self.arrives(x, v - CLEAR).is_ok()).then_some(true),
            Err(short) => (short > CLEAR).then_some(false),
        }
    }

    /// The modes written out in some order.
    fn hybrid(&self, random: &mut Random) -> String {
        let Self { c, v0, slip, stick } = self;
        let mut modes = [
            format!(
                "\"stick\": Mode(states: [\"x\"], absent: {{\"v\": \"v0\"}}, equations: [\"x' = v0\"], events: {{\
                 \"up\": Event(guard: \"x + {stick:?} + {c:?}*v0\", direction: Down, to: \"slip+\"), \
                 \"down\": Event(guard: \"x - {stick:?} + {c:?}*v0\", direction: Up, to: \"slip-\")}})"
            ),
            format!(
                "\"slip-\": Mode(equations: [\"x' = v\", \"v' = -x - {c:?}*v + {slip:?}\"], events: {{\
                 \"land\": Event(guard: \"v - v0\", direction: Up, to: \"stick\")}})"
            ),
            format!(
                "\"slip+\": Mode(equations: [\"x' = v\", \"v' = -x - {c:?}*v - {slip:?}\"], events: {{\
                 \"land\": Event(guard: \"v - v0\", direction: Down, to: \"stick\")}})"
            ),
        ];
        for k in (1..modes.len()).rev() {
            modes.swap(k, random.below(k + 1));
        }
        format!(
            "Hybrid(states: [\"x\", \"v\"], parameters: {{\"v0\": {v0:?}}}, modes: {{{}}}, \
             start: Start(mode: \"stick\", at: {{\"x\": 0}}))",
            modes.join(", ")
        )
    }

    fn declared(&self) -> String {
        let Self { c, v0, slip, stick } = self;
        format!(
            "Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": {v0:?}}}, masses: {{\"x\": 1}}, \
             springs: [Spring(on: \"x\", stiffness: 1, damping: {c:?})], contacts: {{\"belt\": \
             Stiction(on: \"x\", against: Belt(\"v0\"), mu_s: {stick:?}, mu_d: {slip:?}, normal: 1)}})"
        )
    }
}

/// A motion begins in stick only where its velocity is that of the belt, whatever the order of the modes; and on the
/// belt's velocity it sticks or slips, as the spring decides.
#[test]
fn bodies_on_belts_begin_where_their_velocity_is() {
    class("starts on belts", 6, |random| {
        let belt = loop {
            let slip = random.between(0.2, 0.5);
            let belt = Belt {
                c: random.log_between(2e-3, 2e-2),
                v0: random.between(0.3, 0.8),
                slip,
                stick: slip + random.between(0.2, 0.5),
            };
            let released = belt.stick - belt.c * belt.v0;
            if belt.arrives(released - 1e-2, belt.v0).is_ok() {
                break belt;
            }
        };
        let xs: Vec<f64> = (0..5).map(|_| belt.slip + random.between(-0.9, 0.9)).collect();
        let mut vs: Vec<f64> = (0..4).map(|_| random.between(-1.0, belt.v0)).collect();
        vs.push(belt.v0);
        let (system, velocity) = if random.below(2) == 0 {
            (belt.hybrid(random), "v")
        } else {
            (belt.declared(), "v_x")
        };
        let basins = format!("over: {{\"x\": {}, \"{velocity}\": {}}}", list(&xs), list(&vs));
        let found = kinds(&system, &basins);
        let cells: Vec<(f64, f64)> = xs.iter().flat_map(|&x| vs.iter().map(move |&v| (x, v))).collect();
        assert_eq!(found.len(), cells.len());
        cells.iter().zip(&found).find_map(|(&(x, v), kind)| {
            let expected = if belt.cycles(x, v)? { "orbit" } else { "rest" };
            (kind != expected).then(|| format!("({x:?}, {v:?}): `{kind}`, not `{expected}`\n{system}"))
        })
    });
}

/// A rimless wheel that has just made a step lies on the surface of the step back, and leaves it. It rolls on for ever
/// if it comes over the top, w² > 2 G (1 - cos(α - γ)).
#[test]
fn wheels_begin_just_after_a_step() {
    class("wheels after a step", 6, |random| {
        let (g, alpha) = (random.log_between(0.1, 30.0), random.between(0.2, 0.4));
        // Steps that repeat themselves come over the top by a tenth at least.
        let (gamma, least) = loop {
            let gamma = random.between(0.02, 0.95 * alpha);
            let least = (2.0 * g * (1.0 - f64::cos(alpha - gamma))).sqrt();
            let factor = f64::cos(2.0 * alpha).powi(2);
            let steady = factor * 4.0 * g * f64::sin(alpha) * f64::sin(gamma) / (1.0 - factor);
            if steady.sqrt() > 1.1 * least {
                break (gamma, least);
            }
        };
        let speeds: Vec<f64> = (0..6)
            .map(|k| {
                least
                    * if k < 3 {
                        random.between(0.2, 0.95)
                    } else {
                        random.between(1.05, 3.0)
                    }
            })
            .collect();
        let system = format!(
            "Hybrid(states: [\"om\", \"th\"], parameters: {{\"gam\": {gamma:?}, \"al\": {alpha:?}, \"G\": {g:?}}}, \
                 modes: {{\"roll\": Mode(equations: [\"th' = om\", \"om' = G*sin(th)\"], events: {{\
                 \"step\": Event(guard: \"th - (gam + al)\", direction: Up, to: \"roll\", reset: {{\"th\": \"gam - al\", \"om\": \"cos(2*al)*om\"}}), \
                 \"back\": Event(guard: \"th - (gam - al)\", direction: Down, to: \"roll\", reset: {{\"th\": \"gam + al\", \"om\": \"cos(2*al)*om\"}})}})}}, \
                 start: Start(mode: \"roll\", at: {{\"th\": \"gam - al\", \"om\": {:?}}}))",
            2.0 * least
        );
        let found = kinds(
            &system,
            &format!(
                "over: {{\"om\": {}}}, from: {{\"th\": {:?}}}",
                list(&speeds),
                gamma - alpha
            ),
        );
        speeds.iter().zip(&found).find_map(|(speed, kind)| {
            let rolls = *speed > least;
            let right = !kind.is_empty() && (kind == "orbit") == rolls;
            (!right).then(|| format!("{speed:?} beside {least:?}: `{kind}`\n{system}"))
        })
    });
}

/// Motions that begin on a wall, towards it, are those that leave it with what the hit leaves of their velocity.
#[test]
fn masses_begin_on_walls() {
    class("starts on walls", 6, |random| {
        let e = random.between(0.4, 0.9);
        let (force, w) = (random.between(0.3, 2.0), random.between(0.6, 1.6));
        let system = format!(
            "Mechanical(coordinates: [\"x\"], parameters: {{\"F\": {force:?}, \"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
                 masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: 0.1)], forces: {{\"x\": \"F*cos(w*t)\"}}, \
                 contacts: {{\"wall\": Gap(on: \"x\", distance: 1, restitution: {e:?})}})"
        );
        let towards: Vec<f64> = (0..4).map(|_| random.between(0.1, 3.0)).collect();
        let away: Vec<f64> = towards.iter().map(|v| -e * v).collect();
        let of = |speeds: &[f64]| {
            kinds(
                &system,
                &format!("over: {{\"v_x\": {}}}, from: {{\"x\": 1}}", list(speeds)),
            )
        };
        let (towards, away) = (of(&towards), of(&away));
        let right = towards == away && !towards.iter().any(String::is_empty);
        (!right).then(|| format!("{towards:?} against {away:?}\n{system}"))
    });
}
