//! A bowed structure of moderately many modes as a hybrid [`System`], for the common engine.
//!
//! States x1…xN, v1…vN; modes `slip-`, `slip+`, `stick`. In stick the velocity of one mode (the first that moves the
//! contact well) is left out: the constraint Σ n_k v_k = v₀ gives it. The stick mode is linear, so its flow is exact
//! where the engine takes it.

use super::error::ElasticError;
use super::friction::{FrictionKind, FrictionLaw};
use super::projection::Projection;
use super::structure::Structure;
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{
    Direction, Event, Formula, Inequality, Mode, ModeKind, Observable, OrbitMonitor, Parameter, Quantity,
    SharedFunction, Start, State, System,
};
use std::sync::Arc;

const V0: usize = 0;
const MU: usize = 1;
const KAPPA: usize = 2;
const SIGMA: usize = 3;
const DAMPING: usize = 4;

/// Which mode of motion a formula is read in.
#[derive(Clone, Copy, PartialEq)]
enum Motion {
    /// Slip with this sign of v_r.
    Slip(f64),
    Stick,
}

/// Modal data shared by all formulas.
struct Modes {
    omega: Vec<f64>,
    damping: Vec<f64>,
    /// All damping ratios are the parameter `D`.
    uniform: bool,
    shape: Vec<f64>,
    mobility: f64,
    kind: FrictionKind,
    /// The mode whose velocity is left out in stick.
    carrier: usize,
}

impl Modes {
    fn count(&self) -> usize {
        self.omega.len()
    }
    fn damping<T: Scalar>(&self, k: usize, p: &[T]) -> T {
        if self.uniform {
            p[DAMPING]
        } else {
            T::from_f64(self.damping[k])
        }
    }
    /// The position of v_k among the states; `None` for the one left out in stick.
    fn velocity_index(&self, motion: Motion, k: usize) -> Option<usize> {
        let n = self.count();
        match motion {
            Motion::Stick if k == self.carrier => None,
            Motion::Stick if k > self.carrier => Some(n + k - 1),
            _ => Some(n + k),
        }
    }
    fn velocity<T: Scalar>(&self, motion: Motion, k: usize, x: &[T], p: &[T]) -> T {
        self.velocity_index(motion, k)
            .map_or_else(|| self.dependent(x, p), |i| x[i])
    }
    /// The velocity left out in stick: (v₀ - Σ' n_k v_k)/n_carrier.
    fn dependent<T: Scalar>(&self, x: &[T], p: &[T]) -> T {
        let mut rest = p[V0];
        for k in 0..self.count() {
            if let Some(i) = self.velocity_index(Motion::Stick, k) {
                rest += x[i] * -self.shape[k];
            }
        }
        rest / self.shape[self.carrier]
    }
    fn displacement<T: Scalar>(&self, x: &[T]) -> T {
        let mut sum = T::zero();
        for (n, x) in self.shape.iter().zip(x) {
            sum += *x * *n;
        }
        sum
    }
    fn contact_velocity<T: Scalar>(&self, motion: Motion, x: &[T], p: &[T]) -> T {
        if motion == Motion::Stick {
            return p[V0];
        }
        self.displacement(&x[self.count()..])
    }
    /// The force that keeps the contact velocity constant.
    fn holding_force<T: Scalar>(&self, motion: Motion, x: &[T], p: &[T]) -> T {
        let mut sum = T::zero();
        for k in 0..self.count() {
            let (w, v) = (self.omega[k], self.velocity(motion, k, x, p));
            sum += (x[k] * (w * w) + self.damping(k, p) * v * (2.0 * w)) * self.shape[k];
        }
        sum / self.mobility
    }
    fn force<T: Scalar>(&self, motion: Motion, x: &[T], p: &[T]) -> T {
        match motion {
            Motion::Stick => self.holding_force(motion, x, p),
            Motion::Slip(sign) => {
                let speed = (self.contact_velocity(motion, x, p) - p[V0]) * sign;
                self.kind.force(speed, p[MU], p[KAPPA], p[SIGMA]) * -sign
            }
        }
    }
}

struct Field(Arc<Modes>, Motion);
impl Formula for Field {
    fn outputs(&self) -> usize {
        2 * self.0.count() - usize::from(self.1 == Motion::Stick)
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let (modes, motion) = (&self.0, self.1);
        let force = modes.force(motion, x, p);
        for k in 0..modes.count() {
            let (w, v) = (modes.omega[k], modes.velocity(motion, k, x, p));
            out[k] = v;
            if let Some(i) = modes.velocity_index(motion, k) {
                out[i] = force * modes.shape[k] - x[k] * (w * w) - modes.damping(k, p) * v * (2.0 * w);
            }
        }
    }
}

/// The scalars that guards, inequalities and observables are made of.
#[derive(Clone, Copy)]
enum Measure {
    Displacement,
    Velocity,
    Force,
    /// sign · (y₂ - v₀).
    Relative(f64),
    /// μ - sign · F_hold.
    Reserve(f64),
    /// sign · F_hold - μ.
    Excess(f64),
    /// The velocity left out in stick.
    Dependent,
}

struct Reading(Arc<Modes>, Motion, Measure);
impl Formula for Reading {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        let (modes, motion) = (&self.0, self.1);
        out[0] = match self.2 {
            Measure::Displacement => modes.displacement(&x[..modes.count()]),
            Measure::Velocity => modes.contact_velocity(motion, x, p),
            Measure::Force => modes.force(motion, x, p),
            Measure::Relative(sign) => (modes.contact_velocity(motion, x, p) - p[V0]) * sign,
            Measure::Reserve(sign) => p[MU] - modes.holding_force(motion, x, p) * sign,
            Measure::Excess(sign) => modes.holding_force(motion, x, p) * sign - p[MU],
            Measure::Dependent => modes.dependent(x, p),
        };
    }
}

/// A requirement `parameter > 0`, or `< 1` for the damping.
struct Positive(usize);
impl Formula for Positive {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = p[self.0];
    }
}
struct Below1(usize);
impl Formula for Below1 {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = -p[self.0] + 1.0;
    }
}

/// The bowed structure as a hybrid system with 2N states, parameters `v0`, `mu`, `kappa`, `sigma` and, when all modes
/// have one damping ratio, `D`. `start` is the contact motion (y₁, y₂) that a trajectory starts from, with the first
/// mode only.
pub fn bowed_system(
    structure: &Structure,
    contact: usize,
    law: &FrictionLaw,
    v0: f64,
    start: [f64; 2],
) -> Result<System, ElasticError> {
    let Some(point) = structure.contacts().get(contact) else {
        let requirement = "there is no contact of this number on the structure (they count from 0)";
        return Err(ElasticError::Parameter {
            name: "contact",
            value: contact as f64,
            requirement,
        });
    };
    let (omega, damping, shape) = (
        structure.omega().to_vec(),
        structure.damping().to_vec(),
        point.shape.clone(),
    );
    let alone = Structure::new(structure.name(), omega.clone(), damping.clone(), vec![point.clone()])?;
    let z = Projection::new(&alone)?.embed(&start)?;
    let largest = shape.iter().fold(0.0, |a: f64, n| a.max(n.abs()));
    let modes = Arc::new(Modes {
        uniform: damping.iter().all(|d| *d == damping[0]),
        mobility: shape.iter().map(|n| n * n).sum(),
        carrier: shape.iter().position(|n| n.abs() >= 0.1 * largest).unwrap_or(0),
        kind: law.kind(),
        omega,
        damping,
        shape,
    });
    let n = modes.count();
    let read = |motion, measure| -> SharedFunction { Arc::new(Reading(Arc::clone(&modes), motion, measure)) };
    let inequality = |name: &str, motion, measure| Inequality {
        name: name.to_owned(),
        function: read(motion, measure),
        strict: true,
    };
    let [behind, ahead, stick] = [0, 1, 2];
    let slip = |sign: f64| {
        let (motion, name) = (Motion::Slip(sign), if sign < 0.0 { "slip-" } else { "slip+" });
        let event = |name: &str, target, when| Event {
            name: name.to_owned(),
            guard: read(motion, Measure::Relative(1.0)),
            direction: if sign < 0.0 { Direction::Up } else { Direction::Down },
            when,
            target,
            reset: None,
        };
        let within = vec![
            inequality("F < μ", motion, Measure::Reserve(1.0)),
            inequality("-F < μ", motion, Measure::Reserve(-1.0)),
        ];
        // to cross, the contact would need a force beyond the bound on the far side to be held
        let beyond = vec![inequality("|F| > μ", motion, Measure::Excess(sign))];
        Mode {
            name: name.to_owned(),
            kind: ModeKind::Free,
            states: (0..2 * n).collect(),
            absent: None,
            field: Arc::new(Field(Arc::clone(&modes), motion)),
            events: vec![
                event("land", stick, within),
                event("cross", if sign < 0.0 { ahead } else { behind }, beyond),
            ],
            inequalities: vec![],
            surfaces: vec![],
            exact: None,
        }
    };
    let release = |name: &str, sign: f64, target| Event {
        name: name.to_owned(),
        guard: read(Motion::Stick, Measure::Excess(sign)),
        direction: Direction::Up,
        when: Vec::new(),
        target,
        reset: None,
    };
    let sticking = Mode {
        name: "stick".to_owned(),
        kind: ModeKind::Stick,
        states: (0..2 * n).filter(|i| *i != n + modes.carrier).collect(),
        absent: Some(read(Motion::Stick, Measure::Dependent)),
        field: Arc::new(Field(Arc::clone(&modes), Motion::Stick)),
        events: vec![release("release+", 1.0, behind), release("release-", -1.0, ahead)],
        // The guards themselves are what must not be passed before a segment's end.
        inequalities: vec![],
        surfaces: vec![],
        exact: None,
    };
    let observable = |name: &str, measure| Observable {
        name: name.to_owned(),
        by_mode: [Motion::Slip(-1.0), Motion::Slip(1.0), Motion::Stick]
            .map(|m| read(m, measure))
            .to_vec(),
    };
    let parameter = |name: &str, value, about: &str| Parameter {
        name: name.to_owned(),
        value,
        about: about.to_owned(),
    };
    let mut parameters = vec![
        parameter("v0", v0, "speed of the bow"),
        parameter("mu", law.mu(), "bound on the friction force, μ = g(0)"),
        parameter("kappa", law.kappa(), "κ of the friction law"),
        parameter("sigma", law.sigma(), "σ of the friction law, 1/velocity"),
    ];
    let requirement = |name: &str, function: SharedFunction| Inequality {
        name: name.to_owned(),
        function,
        strict: true,
    };
    let mut requirements = vec![
        requirement("mu > 0", Arc::new(Positive(MU))),
        requirement("sigma > 0", Arc::new(Positive(SIGMA))),
    ];
    if modes.uniform {
        parameters.push(parameter(
            "D",
            modes.damping[0],
            "damping ratio of every mode, 0 < D < 1",
        ));
        requirements.push(requirement("D > 0", Arc::new(Positive(DAMPING))));
        requirements.push(requirement("D < 1", Arc::new(Below1(DAMPING))));
    }
    let state = |letter: &str, k: usize| State {
        name: format!("{letter}{k}"),
        period: None,
    };
    Ok(System {
        name: "BowedStructure".to_owned(),
        about: format!(
            "{} modes of a {} bowed at one point, friction force {}; after R. Szalai, Proc. R. Soc. A 470 (2014).",
            n,
            structure.name(),
            law.kind().formula()
        ),
        states: (1..=n)
            .map(|k| state("x", k))
            .chain((1..=n).map(|k| state("v", k)))
            .collect(),
        parameters,
        modes: vec![slip(-1.0), slip(1.0), sticking],
        symmetry: None,
        observables: vec![
            observable("y1", Measure::Displacement),
            observable("y2", Measure::Velocity),
            observable("force", Measure::Force),
        ],
        monitors: vec![
            OrbitMonitor::duration("stick", vec![stick]),
            OrbitMonitor::at_entry("y1_stick", vec![stick], Quantity::Observable(0)),
            OrbitMonitor::at_entry("force_stick", vec![stick], Quantity::Observable(2)),
            OrbitMonitor::at_entry("y1_slip", vec![behind, ahead], Quantity::Observable(0)),
        ],
        start: Start::new(if start[1] < v0 { behind } else { ahead }, z).where_they_lie(),
        slow_fast: None,
        requirements,
        units: slipstick_system::Units::default(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::elastic::modal::ModalContact;
    use crate::elastic::{BowedStructure, OrbitOptions, Resolution};
    use slipstick_system::jacobian;

    fn system(modes: usize) -> (Structure, System) {
        let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
        let s = bowed_system(&string, 0, &FrictionLaw::bowed_string(), 1.5, [-2.9224, -2.7668]).unwrap();
        (string, s)
    }

    fn value(f: &SharedFunction, x: &[f64], p: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; f.outputs()];
        f.value(x, p, &mut out);
        out
    }

    #[test]
    fn slip_field_is_the_modal_model_and_its_jacobian_is_consistent() {
        let (string, s) = system(5);
        let p = s.default_parameters();
        let contact = ModalContact::new(&string, 0);
        let x: Vec<f64> = (0..10).map(|i| (0.3 + i as f64).sin() * 0.1).collect();
        for (mode, sign) in [(0, -1.0), (1, 1.0)] {
            let y2: f64 = string.contacts()[0].shape.iter().zip(&x[5..]).map(|(a, b)| a * b).sum();
            let force = -sign * FrictionKind::LosesShare.force(sign * (y2 - 1.5), 4.0, 0.32, 1.0);
            for (a, b) in value(&s.modes[mode].field, &x, &p).iter().zip(contact.rate(&x, force)) {
                assert!((a - b).abs() < 1e-13);
            }
        }
        let (mut out, mut dx, mut dp) = (vec![0.0; 10], vec![0.0; 100], vec![0.0; 50]);
        jacobian(&*s.modes[0].field, &x, &p, &[0, 1, 2, 3, 4], &mut out, &mut dx, &mut dp);
        let h = 1e-6;
        for j in 0..5 {
            let (mut up, mut down) = (p.clone(), p.clone());
            up[j] += h;
            down[j] -= h;
            let (up, down) = (value(&s.modes[0].field, &x, &up), value(&s.modes[0].field, &x, &down));
            for i in 0..10 {
                assert!((dp[i * 5 + j] - (up[i] - down[i]) / (2.0 * h)).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn the_orbit_of_the_large_solver_satisfies_the_hybrid_system() {
        let (string, s) = system(6);
        let p = s.default_parameters();
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let orbit = bowed
            .find_orbit(&s.start_at(&s.default_parameters()).1, 12.0, &OrbitOptions::default())
            .unwrap();
        // at the onset of stick: the guard of slip- is zero, landing is allowed, crossing is not
        let slip = &s.modes[0];
        assert!(value(&slip.events[0].guard, &orbit.onset, &p)[0].abs() < 1e-12);
        assert!(
            slip.events[0]
                .when
                .iter()
                .all(|w| value(&w.function, &orbit.onset, &p)[0] > 0.0)
        );
        assert!(value(&slip.events[1].when[0].function, &orbit.onset, &p)[0] < 0.0);
        // integrate the stick mode in its own 2N - 1 states by RK4 up to the release of the other solver
        let stick = &s.modes[2];
        let mut x: Vec<f64> = stick.states.iter().map(|&i| orbit.onset[i]).collect();
        let full = s.full_state(2, &x, &p);
        for (a, b) in full.iter().zip(&orbit.onset) {
            assert!((a - b).abs() < 1e-12);
        }
        let steps = 4000;
        let h = orbit.stick / f64::from(steps);
        for _ in 0..steps {
            let shift = |k: &[f64], h: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + h * k).collect() };
            let k1 = value(&stick.field, &x, &p);
            let k2 = value(&stick.field, &shift(&k1, h / 2.0), &p);
            let k3 = value(&stick.field, &shift(&k2, h / 2.0), &p);
            let k4 = value(&stick.field, &shift(&k3, h), &p);
            for i in 0..x.len() {
                x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
        }
        assert!(value(&stick.events[0].guard, &x, &p)[0].abs() < 1e-9);
        assert!((value(&s.observables[0].by_mode[2], &x, &p)[0] - orbit.y1_slip).abs() < 1e-9);
        assert!((value(&s.observables[2].by_mode[2], &x, &p)[0] - 4.0).abs() < 1e-9);
        let motion = orbit.motion(&bowed, &[], &Resolution::default()).unwrap();
        assert!((motion.events[0].t - orbit.stick).abs() < 1e-9);
    }

    #[test]
    fn the_common_engine_finds_the_same_orbit_and_multipliers() {
        use slipstick_bifurcation::{Inspect, Record};
        use slipstick_continuation::{Newton, NewtonOptions, Point};
        use slipstick_flow::FlowOptions;
        use slipstick_orbit::{PeriodicOrbit, Word};
        let (string, s) = system(5);
        let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5).unwrap();
        let orbit = bowed
            .find_orbit(&s.start_at(&s.default_parameters()).1, 12.0, &OrbitOptions::default())
            .unwrap();
        let word = Word::parse(&orbit.word(), false, &s).unwrap();
        let mut problem = PeriodicOrbit::new(&s, word, s.default_parameters(), vec![], FlowOptions::default());
        let motion = orbit.motion(&bowed, &[], &Resolution::default()).unwrap();
        let stick: Vec<f64> = s.modes[2].states.iter().map(|&i| orbit.onset[i]).collect();
        let released = bowed.simulate(
            &bowed.on_section(&orbit.onset),
            motion.events[0].t,
            &[],
            &Resolution::default(),
        );
        let starts = [stick, released.unwrap().end];
        let mut z = problem.guess(&starts, &orbit.durations).unwrap();
        Newton::default()
            .solve(&mut problem, &mut z, &[], &[], &[], &NewtonOptions::default())
            .unwrap();
        assert!(
            (problem.period(&z) - orbit.period).abs() < 1e-9,
            "{} {}",
            problem.period(&z),
            orbit.period
        );
        let mut record = Record::default();
        problem.inspect(&Point::alone(z), &mut record).unwrap();
        // slip leaves v₀ with a double zero, so its guard's least value inside is zero to rounding
        assert!(record.margin() > -1e-11, "{:?}", record.inequalities);
        for (a, b) in record.multipliers.iter().zip(&orbit.multipliers).take(4) {
            assert!((a.modulus() - b.value.norm()).abs() < 1e-7, "{a:?} {b:?}");
        }
    }

    #[test]
    fn uneven_damping_has_no_parameter_and_requirements_say_what_is_wrong() {
        let (string, s) = system(3);
        assert_eq!(s.parameter("D"), Some(4));
        let mut p = s.default_parameters();
        p[4] = 1.2;
        let broken: Vec<&str> = s
            .requirements
            .iter()
            .filter(|r| value(&r.function, &[], &p)[0] <= 0.0)
            .map(|r| r.name.as_str())
            .collect();
        assert_eq!(broken, ["D < 1"]);
        let contacts = string.contacts().to_vec();
        let uneven = Structure::new("s", string.omega().to_vec(), vec![0.1, 0.2, 0.3], contacts).unwrap();
        let s = bowed_system(&uneven, 0, &FrictionLaw::bowed_string(), 1.5, [0.0, 0.0]).unwrap();
        assert_eq!(s.parameter("D"), None);
        assert!(bowed_system(&uneven, 1, &FrictionLaw::bowed_string(), 1.5, [0.0, 0.0]).is_err());
    }
}
