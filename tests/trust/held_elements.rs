//! Jenkins elements beside a gap in contact, and beside one that is hit again and again, of one mass and of two that
//! move against each other: periodic orbits held against motions followed by hand.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use std::f64::consts::TAU;

/// Displacements and velocities of two masses, and the elongation of the element.
type Motion = [f64; 5];

/// Two masses, or one, with an element and a gap across `x - y`, or on the only one.
struct Machine {
    is_pair: bool,
    masses: [f64; 2],
    /// On `x`, on `y`, between them.
    stiffness: [f64; 3],
    damping: [f64; 3],
    force: f64,
    k_t: f64,
    limit: f64,
    distance: f64,
    restitution: f64,
    rest: f64,
}

/// Slip forwards or backwards, or stick.
#[derive(Clone, Copy, PartialEq)]
enum Element {
    Slips(f64),
    Sticks,
}

/// What happened in the last period.
#[derive(Default)]
struct Period {
    word: Vec<String>,
    lost: f64,
    least: f64,
}

impl Machine {
    fn random(random: &mut Random, member: usize) -> Self {
        let restitution = if member % 3 == 2 { random.between(0.2, 0.5) } else { 0.0 };
        let mut rounded = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        Self {
            is_pair: member % 2 == 1,
            masses: [rounded(0.7, 1.6), rounded(0.7, 1.6)],
            stiffness: [rounded(0.6, 1.4), rounded(0.6, 1.4), rounded(0.3, 1.2)],
            damping: [rounded(0.05, 0.2), rounded(0.05, 0.2), rounded(0.01, 0.05)],
            force: rounded(0.7, 1.4),
            k_t: rounded(0.5, 1.9),
            limit: rounded(0.1, 0.3),
            distance: rounded(0.1, 0.4),
            restitution,
            rest: 0.02,
        }
    }

    fn across(&self, of: &[f64]) -> f64 {
        if self.is_pair { of[0] - of[1] } else { of[0] }
    }

    fn apart(&self, y: &Motion) -> f64 {
        self.across(&y[..2])
    }

    fn speed(&self, y: &Motion) -> f64 {
        self.across(&y[2..4])
    }

    /// The forces on both masses.
    fn forces(&self, (t, omega): (f64, f64), y: &Motion, element: Element) -> [f64; 2] {
        let [k, k_y, k_between] = self.stiffness;
        let [c, c_y, c_between] = self.damping;
        let held = match element {
            Element::Slips(sign) => sign * self.limit,
            Element::Sticks => self.k_t * y[4],
        };
        let on_x = self.force * (omega * t).cos() - k * y[0] - c * y[2] - held;
        if !self.is_pair {
            return [on_x, 0.0];
        }
        let between = k_between * (y[0] - y[1]) + c_between * (y[2] - y[3]);
        [on_x - between, between - k_y * y[1] - c_y * y[3] + held]
    }

    fn rates(&self, at: (f64, f64), y: &Motion, element: Element, rests: bool) -> Motion {
        let [on_x, on_y] = self.forces(at, y, element);
        let (mut a, mut b) = (on_x / self.masses[0], on_y / self.masses[1]);
        if rests {
            a = if self.is_pair {
                (on_x + on_y) / (self.masses[0] + self.masses[1])
            } else {
                0.0
            };
            b = a;
        }
        let strains = element == Element::Sticks && !rests;
        [y[2], y[3], a, b, if strains { self.speed(y) } else { 0.0 }]
    }

    /// What presses the gap in contact.
    fn pressed(&self, at: (f64, f64), y: &Motion, element: Element) -> f64 {
        let [on_x, on_y] = self.forces(at, y, element);
        if !self.is_pair {
            return on_x;
        }
        on_x - self.masses[0] * (on_x + on_y) / (self.masses[0] + self.masses[1])
    }

    /// A step of Runge and Kutta's method.
    fn step(&self, (t, omega): (f64, f64), y: &Motion, h: f64, element: Element, rests: bool) -> Motion {
        let moved = |k: &Motion, part: f64| -> Motion { std::array::from_fn(|i| y[i] + part * h * k[i]) };
        let rates = |part: f64, y: &Motion| self.rates((t + part * h, omega), y, element, rests);
        let a = rates(0.0, y);
        let b = rates(0.5, &moved(&a, 0.5));
        let c = rates(0.5, &moved(&b, 0.5));
        let d = rates(1.0, &moved(&c, 1.0));
        std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    }

    /// What is positive once one of the events of a mode has happened: the gap, and the element on both sides.
    fn guards(&self, at: (f64, f64), y: &Motion, element: Element, rests: bool) -> [f64; 3] {
        const NEVER: f64 = -1.0;
        if rests {
            return [-self.pressed(at, y, element), NEVER, NEVER];
        }
        let met = self.apart(y) - self.distance;
        match element {
            Element::Slips(sign) => [met, -sign * self.speed(y), NEVER],
            Element::Sticks => [met, self.k_t * y[4] - self.limit, -self.k_t * y[4] - self.limit],
        }
    }

    /// The last period of the motion that there is after many, and whether it repeats what the one before was.
    fn settled(&self, omega: f64) -> Option<Period> {
        const PERIODS: usize = 260;
        const STEPS: usize = 1500;
        const SAME: f64 = 1e-11;
        let h = TAU / omega / STEPS as f64;
        let (mut y, mut element, mut rests) = ([0.0; 5], Element::Sticks, false);
        let (mut before, mut last) = (y, Period::default());
        for _ in 0..PERIODS {
            before = y;
            last = Period::default();
            for k in 0..STEPS {
                let end = (k + 1) as f64 * h;
                let mut t = k as f64 * h;
                let mut events = 0;
                while end - t > 1e-14 {
                    events += 1;
                    if events > 50 {
                        return None;
                    }
                    let (next, time, which) = self.until_event((t, omega), &y, end - t, (element, rests));
                    if y[2] < 0.0 && next[2] >= 0.0 {
                        last.least = last.least.min(self.turn((t, omega), &y, time, (element, rests)));
                    }
                    (y, t) = (next, t + time);
                    if let Some(which) = which {
                        let letter = self.after((t, omega), &mut y, which, (&mut element, &mut rests), &mut last.lost);
                        last.word.push(letter);
                    }
                }
            }
        }
        let largest = y.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        (largest < SAME).then_some(last)
    }

    /// To the first event within a step, or its end.
    fn until_event(
        &self,
        (t, omega): (f64, f64),
        y: &Motion,
        h: f64,
        (element, rests): (Element, bool),
    ) -> (Motion, f64, Option<usize>) {
        /// A guard that begins no further off than this begins at its surface.
        const AT: f64 = 1e-12;
        /// The element comes to its limit where the obstacle is met.
        const TOGETHER: f64 = 1e-9;
        let at = |part: f64| {
            let there = self.step((t, omega), y, part, element, rests);
            (there, self.guards((t + part, omega), &there, element, rests))
        };
        let begin = self.guards((t, omega), y, element, rests);
        let (whole, end) = at(h);
        let mut first: Option<(f64, usize)> = None;
        for which in 0..3 {
            if begin[which] > AT || end[which] <= AT {
                continue;
            }
            let (mut low, mut high) = (0.0, h);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at(middle).1[which] > 0.0 {
                    high = middle
                } else {
                    low = middle
                }
            }
            if first.is_none_or(|(time, _)| high + TOGETHER < time) {
                first = Some((high, which));
            }
        }
        match first {
            Some((time, which)) => (at(time).0, time, Some(which)),
            None => (whole, h, None),
        }
    }

    /// The displacement of `x` where it turns within a step.
    fn turn(&self, at: (f64, f64), y: &Motion, h: f64, (element, rests): (Element, bool)) -> f64 {
        let (mut low, mut high) = (0.0, h);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let turned = self.step(at, y, middle, element, rests)[2] >= 0.0;
            if turned { high = middle } else { low = middle }
        }
        self.step(at, y, high, element, rests)[0]
    }

    /// What an event makes of the motion; the mode that it ends and its name.
    fn after(
        &self,
        at: (f64, f64),
        y: &mut Motion,
        which: usize,
        (element, rests): (&mut Element, &mut bool),
        lost: &mut f64,
    ) -> String {
        let own = match element {
            Element::Slips(sign) if *sign > 0.0 => "j:slip+",
            Element::Slips(_) => "j:slip-",
            Element::Sticks => "j:stick",
        };
        let mode = format!("{own},w:{}", if *rests { "rest" } else { "open" });
        if *rests {
            *rests = false;
            return format!("{mode} w:leave");
        }
        if which > 0 {
            return match *element {
                Element::Slips(_) => {
                    *element = Element::Sticks;
                    format!("{mode} j:land")
                }
                Element::Sticks => {
                    let sign = if which == 1 { 1.0 } else { -1.0 };
                    *element = Element::Slips(sign);
                    y[4] = sign * self.limit / self.k_t;
                    format!("{mode} j:release{}", if which == 1 { "+" } else { "-" })
                }
            };
        }
        let approach = self.speed(y);
        let [m, m_y] = self.masses;
        let reduced = if self.is_pair { m * m_y / (m + m_y) } else { m };
        let thrown = |y: &Motion, whole: f64| {
            let impulse = -whole * reduced * approach;
            let mut after = *y;
            after[2] += impulse / m;
            after[3] -= if self.is_pair { impulse / m_y } else { 0.0 };
            after
        };
        let sticks = match *element {
            Element::Slips(_) => ",j:stick",
            Element::Sticks => "",
        };
        *element = Element::Sticks;
        let stopped = thrown(y, 1.0);
        let slow = self.restitution == 0.0 || approach < self.rest;
        *rests = slow && self.pressed(at, &stopped, *element) > 0.0;
        let part = if *rests { 0.0 } else { self.restitution };
        *y = thrown(y, 1.0 + part);
        *lost += 0.5 * reduced * approach * approach * (1.0 - part * part);
        format!("{mode} w:{}{sticks}", if *rests { "stop" } else { "hit" })
    }

    fn study(&self, word: &str, at: f64, levels: [f64; 3]) -> String {
        let Self {
            masses: [m, m_y],
            stiffness: [k, k_y, k_between],
            damping: [c, c_y, c_between],
            ..
        } = self;
        let (names, masses, springs, against) = if self.is_pair {
            (
                "\"x\", \"y\"",
                format!("\"x\": {m:?}, \"y\": {m_y:?}"),
                format!(
                    ", Spring(on: \"y\", stiffness: {k_y:?}, damping: {c_y:?}), Spring(on: \"x\", against: \
                     Coordinate(\"y\"), stiffness: {k_between:?}, damping: {c_between:?})"
                ),
                ", against: Coordinate(\"y\")",
            )
        } else {
            ("\"x\"", format!("\"x\": {m:?}"), String::new(), "")
        };
        let rest = if self.restitution > 0.0 {
            format!(", rest: {:?}", self.rest)
        } else {
            String::new()
        };
        format!(
            "Study(title: \"held\", system: Mechanical(coordinates: [{names}], parameters: {{\"w\": {at:?}}}, forcing: \
             Forcing(period: \"2*pi/w\"), masses: {{{masses}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: \
             {c:?}){springs}], forces: {{\"x\": \"{:?}*cos(w*t)\"}}, contacts: {{\"j\": Jenkins(on: \"x\"{against}, k_t: \
             {:?}, limit: {:?}), \"w\": Gap(on: \"x\"{against}, distance: {:?}, side: Above, restitution: {:?}{rest})}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"w\": {at:?}}}), free: \"w\", \
             range: ({:?}, {:?}), levels: {{\"w\": {levels:?}}})])",
            self.force,
            self.k_t,
            self.limit,
            self.distance,
            self.restitution,
            0.9 * at,
            1.1 * at,
        )
    }
}

/// Are two words the same but for where they begin?
fn same_word(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && (0..a.len()).any(|by| (0..a.len()).all(|k| a[k] == b[(k + by) % b.len()]))
}

/// While the gap is in contact nothing moves the element, and it does not slip: the motion with this order of events is
/// one orbit at each frequency, not a continuum, and the curve through these leads past all of them.
#[test]
fn elements_that_nothing_moves_do_not_slip() {
    let class = "elements held by a gap";
    let count = members(16);
    let (mut wrong, mut member, mut drawn) = (vec![], 0, 0);
    while member < count && drawn < 6 * count {
        let mut random = Random::of(class, drawn);
        let machine = Machine::random(&mut random, drawn);
        drawn += 1;
        let at = (random.between(0.6, 1.5) * 1e3).round() / 1e3;
        let levels = [0.98, 1.0, 1.02].map(|part| part * at);
        let Some([before, here, behind]) = levels
            .map(|w| machine.settled(w))
            .into_iter()
            .collect::<Option<Vec<Period>>>()
            .and_then(|all| <[Period; 3]>::try_from(all).ok())
        else {
            continue;
        };
        let touches = here.word.iter().any(|letter| letter.contains("w:"));
        let hits = here.word.iter().any(|letter| letter.contains(" w:"));
        let moves = here.word.iter().any(|letter| letter.contains("j:release"));
        let stays = same_word(&before.word, &here.word) && same_word(&behind.word, &here.word);
        if !(touches && hits && moves && stays) {
            continue;
        }
        let text = machine.study(&here.word.join(" "), at, levels);
        let result = run(&text);
        let Some(curve) = result.curves.first() else {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            member += 1;
            continue;
        };
        let column = |name: &str| curve.monitors.iter().position(|m| m == name).unwrap();
        let (least, lost) = (column("x_min"), column("w_loss"));
        if let Some((_, _, p)) = curve.points().find(|(_, _, p)| p.message.contains("continuum")) {
            wrong.push((member, format!("{}\n{text}", p.message)));
        }
        for (w, known) in levels.into_iter().zip([&before, &here, &behind]) {
            let found = curve
                .points()
                .filter(|(_, _, p)| (p.point.parameter() - w).abs() <= 1e-13);
            let found: Vec<[f64; 2]> = found
                .map(|(_, _, p)| [p.record.monitors[least], p.record.monitors[lost]])
                .collect();
            let right = |own: &[f64; 2]| {
                (own[0] - known.least).abs() <= 1e-9 * known.least.abs()
                    && (own[1] - known.lost).abs() <= 1e-9 * known.lost.max(1e-3)
            };
            if found.is_empty() || !found.iter().all(right) {
                let right = [known.least, known.lost];
                wrong.push((member, format!("{found:?}, not {right:?} at {w}\n{text}")));
            }
        }
        member += 1;
    }
    assert_eq!(member, count, "members of {drawn}");
    none_wrong(class, count, &wrong);
}
