//! Friction that is another one forwards than backwards, as of skis and bristles: motions in closed form.

use super::known::none_wrong;
use super::random::{Random, members};
use slipstick_flow::{SimulationOptions, simulate};
use slipstick_study as study;
use std::f64::consts::TAU;

/// A unit mass under F sin(ω t), with friction `up` forwards and `down` backwards.
struct Rubbed {
    force: f64,
    frequency: f64,
    up: f64,
    down: f64,
}

impl Rubbed {
    fn pull(&self, t: f64) -> f64 {
        self.force * (self.frequency * t).sin()
    }

    /// When it begins to slip and stops, and which way it slips then, until a time.
    fn events(&self, end: f64) -> Vec<(f64, f64)> {
        let step = TAU / self.frequency / 4000.0;
        let (mut t, mut side, mut events): (f64, f64, Vec<(f64, f64)>) = (0.0, 0.0, vec![]);
        while t < end {
            let (begin, sign) = (t, side);
            // Positive as long as it goes on like this.
            let goes_on = |at: f64| {
                if sign == 0.0 {
                    return (self.up - self.pull(at)).min(self.pull(at) + self.down);
                }
                let turned = (self.frequency * begin).cos() - (self.frequency * at).cos();
                let level = if sign > 0.0 { self.up } else { self.down };
                sign * self.force / self.frequency * turned - level * (at - begin)
            };
            let mut later = begin + step;
            while later < end && goes_on(later) > 0.0 {
                later += step;
            }
            let (mut a, mut b) = (later - step, later);
            for _ in 0..60 {
                let middle = 0.5 * (a + b);
                if goes_on(middle) > 0.0 {
                    a = middle;
                } else {
                    b = middle;
                }
            }
            t = b;
            if t >= end {
                break;
            }
            let pull = self.pull(t);
            side = match sign {
                s if s > 0.0 => {
                    if pull < -self.down {
                        -1.0
                    } else {
                        0.0
                    }
                }
                s if s < 0.0 => {
                    if pull > self.up {
                        1.0
                    } else {
                        0.0
                    }
                }
                _ => pull.signum(),
            };
            events.push((t, side));
        }
        events
    }
}

#[test]
fn levels_that_differ_with_the_direction() {
    let class = "directional friction";
    let count = members(15);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let levels = [random.between(0.1, 1.0), random.between(0.1, 1.0)];
        let most = levels[0].max(levels[1]);
        let rubbed = Rubbed {
            force: most * random.between(1.1, 4.0),
            frequency: random.log_between(0.3, 3.0),
            up: levels[0],
            down: levels[1],
        };
        let mu = [
            "if(v > 0, up, down)",
            "up*heaviside(v) + down*heaviside(-v)",
            "(up + down)/2 + (up - down)/2*sign(v)",
            "if(back >= 0, down, up)",
            "piecewise(v < 0 and up > 0, down, not (v < 0), up, 0)",
        ][member % 5];
        let text = format!(
            "Study(title: \"skis\", system: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], cyclic: [\"x\"], \
             parameters: {{\"up\": {:?}, \"down\": {:?}}}, define: {{\"back\": \"-2*v\"}}, \
             forcing: Forcing(period: \"{:?}\"), masses: {{\"x\": 1}}, forces: {{\"x\": \"{:?}*sin({:?}*t)\"}}, \
             contacts: {{\"f\": Coulomb(on: \"x\", mu: \"{mu}\")}}))",
            rubbed.up,
            rubbed.down,
            TAU / rubbed.frequency,
            rubbed.force,
            rubbed.frequency
        );
        let plan = study::parse("t.ron".as_ref(), text.clone()).unwrap().plan(&[]).unwrap();
        let system = &plan.systems[0].system;
        let end = 3.1 * TAU / rubbed.frequency;
        let options = SimulationOptions {
            t_end: end,
            ..SimulationOptions::default()
        };
        let p = system.default_parameters();
        let (mode, start) = system.start_at(&p);
        let motion = simulate(system, mode, &start, &p, &options).unwrap();
        let side = |mode: usize| match &system.modes[mode].name {
            name if name.ends_with('+') => 1.0,
            name if name.ends_with('-') => -1.0,
            _ => 0.0,
        };
        let found = motion
            .segments
            .iter()
            .filter_map(|s| Some((s.t0 + s.duration, side(s.next?))));
        let found: Vec<(f64, f64)> = found.collect();
        let known = rubbed.events(end);
        let same = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() < 1e-9 * end && a.1 == b.1;
        if found.len() != known.len() || !found.iter().zip(&known).all(same) {
            wrong.push((member, format!("{found:?}, not {known:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn levels_whose_sides_are_not_seen_are_refused() {
    for mu in ["if(v^3 + v > 0, 0.3, 0.5)", "0.4 + 0.1*sign(v^3 + v)"] {
        let text = format!(
            "Study(title: \"skis\", system: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], masses: {{\"x\": 1}}, \
             contacts: {{\"f\": Coulomb(on: \"x\", mu: \"{mu}\")}}))"
        );
        let study = study::parse("t.ron".as_ref(), text).unwrap().spec;
        let errors = study.system.unwrap().build("system").err().unwrap();
        assert!(
            errors
                .iter()
                .any(|e| e.fault.to_string().contains("level of friction jumps")),
            "{mu}: {errors:?}"
        );
    }
}
