//! Contacts: read, checked, and the forces that they exert.

use crate::plan::declared::mechanical::pattern::Status;
use crate::plan::declared::mechanical::reader::{Range, Reader};
use crate::plan::declared::mechanical::sides::Sides;
use crate::plan::declared::mechanical::smoothed::Smoothed;
use crate::plan::declared::mechanical::structure::{Structure, ends};
use crate::plan::declared::mechanical::ties::{Condition, solved};
use crate::plan::system::frame::quoted;
use crate::plan::system::mechanical_fault::MechanicalFault;
use crate::spec::system::declared::ForcingSpec;
use crate::spec::system::mechanical::{AgainstSpec, ContactSpec, MechanicalSpec, SideSpec};
use crate::spec::system::named::Number;
use slipstick_system::text::Symbolic;

/// A contact between a coordinate and another one, the ground or a belt.
pub(crate) struct Contact {
    pub(crate) name: String,
    pub(crate) on: usize,
    pub(crate) against: Option<usize>,
    /// The velocity of the belt, and its rate.
    pub(crate) belt: (Symbolic, Symbolic),
    /// May the velocity of the belt jump with time?
    pub(crate) belt_jumps: bool,
    /// Relative displacement and velocity.
    pub(crate) displacement: Symbolic,
    pub(crate) velocity: Symbolic,
    pub(crate) law: Law,
}

/// What a contact does.
pub(crate) enum Law {
    /// Dry friction: its magnitude in slip as a formula of [`SPEED`], and up to which it sticks.
    Friction {
        kinetic: Sides,
        level: Sides,
        /// The normal force, if it can change its sign.
        normal: Option<Symbolic>,
    },
    /// A spring in series with dry friction, and the name of its elongation.
    Jenkins {
        stiffness: Symbolic,
        limit: Symbolic,
        elongation: String,
    },
    /// A rigid obstacle.
    Rigid {
        distance: Symbolic,
        side: SideSpec,
        restitution: Symbolic,
        /// Hits slower than this end in contact; zero where the restitution is the number zero, and every hit does.
        rest: Option<Symbolic>,
    },
    /// A compliant obstacle.
    Compliant {
        distance: Symbolic,
        side: SideSpec,
        stiffness: Symbolic,
        damping: Symbolic,
    },
    /// A force against the displacement.
    Relay { level: Symbolic, hysteresis: Symbolic },
    /// A jump spread over a layer.
    Smoothed(Smoothed),
}

/// The relative speed in the magnitude of friction; no name of a study looks like it.
const SPEED: &str = "#speed";

/// The magnitude of friction at a relative speed.
pub(crate) fn at_speed(kinetic: &Symbolic, speed: &Symbolic) -> Symbolic {
    kinetic.replaced(&|name, _| (name == SPEED).then(|| speed.clone()))
}

fn number(value: f64) -> Symbolic {
    Symbolic::number(value)
}

/// A formula with the sign `sign`.
fn times(sign: f64, formula: &Symbolic) -> Symbolic {
    if sign < 0.0 { -formula.clone() } else { formula.clone() }
}

impl Contact {
    /// The sides on which it has obstacles.
    pub(crate) fn obstacles(&self) -> Vec<Status> {
        let (Law::Rigid { side, .. } | Law::Compliant { side, .. }) = &self.law else {
            return vec![];
        };
        match side {
            SideSpec::Above => vec![Status::Above],
            SideSpec::Below => vec![Status::Below],
            SideSpec::Both => vec![Status::Above, Status::Below],
        }
    }

    /// The states it can be in.
    pub(crate) fn states(&self) -> Vec<Status> {
        match &self.law {
            Law::Friction { .. } | Law::Jenkins { .. } => vec![Status::SlipPlus, Status::SlipMinus, Status::Stick],
            Law::Rigid { rest: None, .. } => vec![Status::Open],
            Law::Rigid { .. } | Law::Compliant { .. } => [Status::Open].into_iter().chain(self.obstacles()).collect(),
            Law::Relay { .. } => vec![Status::Above, Status::Below],
            Law::Smoothed(smoothed) => smoothed.states(),
        }
    }

    /// The name of the state of the system that is its own.
    pub(crate) fn own_state_name(&self) -> Option<&str> {
        match &self.law {
            Law::Jenkins { elongation, .. } => Some(elongation),
            Law::Smoothed(smoothed) if smoothed.is_fast => Some(&smoothed.hat),
            _ => None,
        }
    }

    /// What such a state is called.
    pub(crate) fn state_name(&self, status: Status) -> String {
        let side = |word: &str, side: SideSpec| match (side, status) {
            (SideSpec::Both, Status::Above) => format!("{word}+"),
            (SideSpec::Both, Status::Below) => format!("{word}-"),
            _ => word.to_owned(),
        };
        let word = match (status, &self.law) {
            (Status::SlipPlus, _) => "slip+".to_owned(),
            (Status::SlipMinus, _) => "slip-".to_owned(),
            (Status::Stick, Law::Smoothed(smoothed)) => smoothed.word().to_owned(),
            (Status::Stick, _) => "stick".to_owned(),
            (Status::Open, _) => "open".to_owned(),
            (_, Law::Rigid { side: own, .. }) => side("rest", *own),
            (_, Law::Compliant { side: own, .. }) => side("closed", *own),
            (Status::Above, _) => "+".to_owned(),
            (Status::Below, _) => "-".to_owned(),
        };
        format!("{}:{word}", self.name)
    }

    /// What an event of it is called: with the side, where there are two.
    pub(crate) fn event_name(&self, what: &str, status: Status) -> String {
        let both = match &self.law {
            Law::Rigid { side, .. } | Law::Compliant { side, .. } => *side == SideSpec::Both,
            _ => true,
        };
        let side = match status.sign() {
            s if s > 0.0 && both => "+",
            s if s < 0.0 && both => "-",
            _ => "",
        };
        format!("{}:{what}{side}", self.name)
    }

    /// Does it tie the relative velocity to zero in this state?
    pub(crate) fn ties(&self, status: Status) -> bool {
        match &self.law {
            Law::Friction { .. } => status == Status::Stick,
            Law::Rigid { .. } => status != Status::Open,
            _ => false,
        }
    }

    /// Is there a state in which it ties?
    fn can_tie(&self) -> bool {
        self.states().into_iter().any(|status| self.ties(status))
    }

    /// Does friction hold it on a belt whose velocity may jump?
    pub(crate) fn sticks_to_jumps(&self, status: Status) -> bool {
        self.belt_jumps && self.ties(status)
    }

    /// Is one of its sides a point?
    pub(crate) fn is_on_points(&self, structure: &Structure) -> bool {
        let sides = [Some(self.on), self.against].into_iter().flatten();
        sides.into_iter().any(|place| structure.points.point(place).is_some())
    }

    /// Its displacement or velocity is `right`.
    pub(crate) fn tie(&self, structure: &Structure, right: Symbolic) -> Condition {
        let mut factors = structure.points.shape(self.on);
        if let Some(other) = self.against {
            let both = factors.iter_mut().zip(structure.points.shape(other));
            both.for_each(|(own, other)| *own = (own.0.clone() - other.0, own.1 - other.1));
        }
        Condition { factors, right }
    }

    /// The force on its coordinate in a state in which it does not tie.
    pub(crate) fn force(&self, status: Status) -> Symbolic {
        let sign = status.sign();
        match &self.law {
            Law::Friction { kinetic, .. } => number(-sign) * at_speed(kinetic.at(sign), &times(sign, &self.velocity)),
            Law::Jenkins { limit, .. } if sign != 0.0 => number(-sign) * limit.clone(),
            Law::Jenkins {
                stiffness, elongation, ..
            } => -(stiffness.clone() * Symbolic::name(elongation)),
            Law::Rigid { .. } => number(0.0),
            Law::Compliant { .. } if sign == 0.0 => number(0.0),
            Law::Compliant { stiffness, damping, .. } => {
                let pressed = self.penetration(sign) * stiffness.clone();
                number(-sign) * pressed - damping.clone() * self.velocity.clone()
            }
            Law::Relay { level, .. } => number(-sign) * level.clone(),
            Law::Smoothed(smoothed) => {
                let sign = smoothed.sign(status);
                let speed = match sign.value() {
                    Some(value) => times(value, &self.velocity),
                    None => self.velocity.clone() * sign.clone(),
                };
                -(sign * at_speed(&smoothed.size, &speed))
            }
        }
    }

    /// The relative displacement while it rests on a rigid obstacle.
    pub(crate) fn resting(&self, status: Status) -> Option<Symbolic> {
        match &self.law {
            Law::Rigid { distance, .. } if self.ties(status) => Some(times(status.sign(), distance)),
            _ => None,
        }
    }

    /// How far it is beyond the obstacle above (`sign` 1) or below (-1).
    pub(crate) fn penetration(&self, sign: f64) -> Symbolic {
        match &self.law {
            Law::Rigid { distance, .. } | Law::Compliant { distance, .. } => {
                number(sign) * self.displacement.clone() - distance.clone()
            }
            _ => number(0.0),
        }
    }

    /// The power that it dissipates in a state, of elements that do so while time passes.
    pub(crate) fn power(&self, status: Status) -> Option<Symbolic> {
        match &self.law {
            Law::Rigid { .. } => None,
            Law::Jenkins { .. } | Law::Friction { .. } if status == Status::Stick => Some(number(0.0)),
            Law::Friction { .. } | Law::Jenkins { .. } | Law::Relay { .. } | Law::Smoothed(_) => {
                Some(-(self.force(status) * self.velocity.clone()))
            }
            Law::Compliant { .. } if status == Status::Open => Some(number(0.0)),
            Law::Compliant { damping, .. } => Some(damping.clone() * self.velocity.clone().power(number(2.0))),
        }
    }

    /// The energy that it stores.
    pub(crate) fn energy(&self) -> Symbolic {
        let half = |stiffness: &Symbolic, by: Symbolic| stiffness.clone() * by.power(number(2.0)) / number(2.0);
        match &self.law {
            Law::Jenkins {
                stiffness, elongation, ..
            } => half(stiffness, Symbolic::name(elongation)),
            Law::Compliant { side, stiffness, .. } => {
                let pressed = |sign| Symbolic::call("max", vec![number(0.0), self.penetration(sign)]);
                match side {
                    SideSpec::Above => half(stiffness, pressed(1.0)),
                    SideSpec::Below => half(stiffness, pressed(-1.0)),
                    SideSpec::Both => half(stiffness, pressed(1.0)) + half(stiffness, pressed(-1.0)),
                }
            }
            _ => number(0.0),
        }
    }
}

/// The name of the elongation of a Jenkins element.
pub(crate) fn elongation(name: &str) -> String {
    format!("{name}_z")
}

/// Can the name be part of those of modes and of formulas?
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// All contacts of a declaration. Those with faults are left out.
pub(crate) fn read(spec: &MechanicalSpec, structure: &Structure, reader: &mut Reader<'_>) -> Vec<Contact> {
    let mut all: Vec<Contact> = vec![];
    for (k, (name, contact)) in spec.contacts.iter().enumerate() {
        let key = format!("contacts.{}", quoted(name));
        if !is_plain(name) {
            let name = name.to_owned();
            reader.fault(&format!("contacts[{k}]#"), MechanicalFault::BadName { name });
        }
        let before = reader.errors.len();
        let made = one(name, contact, &key, spec.forcing.as_ref(), structure, reader);
        all.extend(made.filter(|_| reader.errors.len() == before));
    }
    all
}

fn one(
    name: &str,
    contact: &ContactSpec,
    key: &str,
    forcing: Option<&ForcingSpec>,
    structure: &Structure,
    reader: &mut Reader<'_>,
) -> Option<Contact> {
    let (on, other) = match contact {
        ContactSpec::Coulomb { on, against, .. }
        | ContactSpec::Stiction { on, against, .. }
        | ContactSpec::Stribeck { on, against, .. }
        | ContactSpec::Jenkins { on, against, .. }
        | ContactSpec::Gap { on, against, .. }
        | ContactSpec::Relay { on, against, .. } => (on, against),
    };
    let (what, belts) = match contact {
        ContactSpec::Gap { .. } => ("an obstacle", false),
        ContactSpec::Relay { .. } => ("a relay", false),
        _ => ("friction", true),
    };
    let (belt, fixed) = match other {
        AgainstSpec::Belt(velocity) if belts => {
            let belt = belt(velocity, &format!("{key}.against"), forcing, reader);
            (belt, AgainstSpec::Ground)
        }
        other => ((number(0.0), number(0.0)), other.clone()),
    };
    let ends = ends(on, &fixed, key, what, &structure.points.names(), reader);
    let across = |of: &dyn Fn(usize) -> Symbolic, on: usize, against: Option<usize>| match against {
        Some(other) => of(on) - of(other),
        None => of(on),
    };
    let points = &structure.points;
    // The law is read even where an end is missing, so that a user sees all faults at once.
    let (on, against) = ends.unwrap_or((0, None));
    let velocity = across(&|place| points.velocity(place), on, against) - belt.0.clone();
    let law = law(name, contact, key, &velocity, reader);
    Some(Contact {
        name: name.to_owned(),
        on,
        against,
        displacement: across(&|place| points.displacement(place), on, against),
        velocity,
        belt_jumps: reader.jumps_with_time(&belt.0),
        belt,
        law: law?,
    })
    .filter(|_| ends.is_some())
}

/// The velocity of a belt and its rate.
fn belt(velocity: &Number, key: &str, forcing: Option<&ForcingSpec>, reader: &mut Reader<'_>) -> (Symbolic, Symbolic) {
    let velocity = reader.formula(velocity, key);
    if let Some(state) = reader.moving(&velocity) {
        reader.fault(key, MechanicalFault::MovingBelt { state });
    }
    let mut rate = velocity.derivative("t", &|name| reader.declarations.definition(name));
    if let Some(forcing) = forcing
        && let Ok(period) = Symbolic::parse(&forcing.period)
    {
        let by_phase = velocity.derivative(&forcing.phase, &|name| reader.declarations.definition(name));
        rate = rate + by_phase * (number(2.0) * Symbolic::name("pi") / period);
    }
    (velocity, rate)
}

fn law(name: &str, contact: &ContactSpec, key: &str, velocity: &Symbolic, reader: &mut Reader<'_>) -> Option<Law> {
    let at = |part: &str| format!("{key}.{part}");
    match contact {
        ContactSpec::Coulomb { mu, normal, .. } => {
            let mu = coefficient(mu, &at("mu"), reader);
            let (normal, varies) = normal_force(normal, &at("normal"), reader);
            let level = Sides::of(mu * normal.clone(), velocity, &at("mu"), reader);
            Some(Law::Friction {
                kinetic: level.clone(),
                level,
                normal: varies.then_some(normal),
            })
        }
        ContactSpec::Stiction { mu_s, mu_d, normal, .. } => {
            let kinetic = coefficient(mu_d, &at("mu_d"), reader);
            let level = coefficient(mu_s, &at("mu_s"), reader);
            not_below(&level, &kinetic, &at("mu_s"), reader);
            let (normal, varies) = normal_force(normal, &at("normal"), reader);
            let mut sides = |of: Symbolic, key: &str| Sides::of(of * normal.clone(), velocity, &at(key), reader);
            Some(Law::Friction {
                kinetic: sides(kinetic, "mu_d"),
                level: sides(level, "mu_s"),
                normal: varies.then_some(normal),
            })
        }
        ContactSpec::Stribeck { law, mu_s, normal, .. } => {
            let text = match law {
                Number::Value(value) => format!("{value}"),
                Number::Formula(text) => text.clone(),
            };
            let Ok(law) = Symbolic::parse(&text) else {
                // Said with its place by whoever reads formulas.
                reader.formula(law, &at("law"));
                return None;
            };
            let of =
                |speed: &Symbolic| law.replaced(&|name, call| (name == "v" && call.is_none()).then(|| speed.clone()));
            let before = reader.errors.len();
            reader.check(&of(velocity), &text, &at("law"));
            if reader.errors.len() > before {
                return None;
            }
            let at_rest = of(&number(0.0));
            reader.range(&at_rest, &at("law"), "a coefficient of friction", Range::NotNegative);
            let level = match mu_s {
                Some(level) => coefficient(level, &at("mu_s"), reader),
                None => at_rest.clone(),
            };
            not_below(&level, &at_rest, &at("mu_s"), reader);
            let (normal, varies) = normal_force(normal, &at("normal"), reader);
            let mut sides = |of: Symbolic, key: &str| Sides::of(of * normal.clone(), velocity, &at(key), reader);
            Some(Law::Friction {
                kinetic: sides(of(&Symbolic::name(SPEED)), "law"),
                level: sides(level, if mu_s.is_some() { "mu_s" } else { "law" }),
                normal: varies.then_some(normal),
            })
        }
        ContactSpec::Jenkins { k_t, limit, .. } => {
            let stiffness = reader.constant(k_t, &at("k_t"));
            reader.range(&stiffness, &at("k_t"), "a stiffness", Range::Positive);
            let limit = reader.constant(limit, &at("limit"));
            reader.range(&limit, &at("limit"), "a level of friction", Range::Positive);
            Some(Law::Jenkins {
                stiffness,
                limit,
                elongation: elongation(name),
            })
        }
        ContactSpec::Gap {
            distance,
            side,
            restitution,
            rest,
            stiffness,
            damping,
            ..
        } => {
            let distance = reader.constant(distance, &at("distance"));
            match reader.value(&distance) {
                Some(value) if value < 0.0 => reader.fault(&at("distance"), MechanicalFault::NegativeGap { value }),
                Some(0.0) if *side == SideSpec::Both => reader.fault(&at("side"), MechanicalFault::NoRoom),
                _ if *side == SideSpec::Both => reader.require(&number(0.0).less(distance.clone())),
                _ => reader.require(&number(0.0).at_most(distance.clone())),
            }
            let compliant = stiffness.is_some() || damping.is_some();
            if restitution.is_some() == compliant {
                reader.fault(key, MechanicalFault::RigidOrCompliant { both: compliant });
                return None;
            }
            let zero = Number::Value(0.0);
            if let Some(e) = restitution {
                let restitution = reader.constant(e, &at("restitution"));
                reader.range(
                    &restitution,
                    &at("restitution"),
                    "a coefficient of restitution",
                    Range::Unit,
                );
                let rest = rest.as_ref().map(|rest| {
                    let formula = reader.constant(rest, &at("rest"));
                    reader.range(&formula, &at("rest"), "a speed", Range::Positive);
                    formula
                });
                // Without a rebound no hit is too fast to end in contact.
                let rest = if restitution.is_zero() { Some(number(0.0)) } else { rest };
                return Some(Law::Rigid {
                    distance,
                    side: *side,
                    restitution,
                    rest,
                });
            }
            if rest.is_some() {
                reader.fault(&at("rest"), MechanicalFault::RigidOrCompliant { both: true });
            }
            let stiffness = reader.constant(stiffness.as_ref().unwrap_or(&zero), &at("stiffness"));
            reader.range(&stiffness, &at("stiffness"), "a stiffness", Range::Positive);
            let damping = reader.constant(damping.as_ref().unwrap_or(&zero), &at("damping"));
            reader.range(&damping, &at("damping"), "a damping", Range::NotNegative);
            Some(Law::Compliant {
                distance,
                side: *side,
                stiffness,
                damping,
            })
        }
        ContactSpec::Relay { level, hysteresis, .. } => {
            let level = reader.constant(level, &at("level"));
            let hysteresis = reader.constant(hysteresis, &at("hysteresis"));
            reader.range(&hysteresis, &at("hysteresis"), "a hysteresis", Range::NotNegative);
            Some(Law::Relay { level, hysteresis })
        }
    }
}

fn coefficient(mu: &Number, key: &str, reader: &mut Reader<'_>) -> Symbolic {
    let mu = reader.formula(mu, key);
    reader.range(&mu, key, "a coefficient of friction", Range::NotNegative);
    mu
}

/// The normal force, and whether it depends on the motion.
fn normal_force(normal: &Number, key: &str, reader: &mut Reader<'_>) -> (Symbolic, bool) {
    let normal = reader.formula(normal, key);
    reader.range(&normal, key, "a normal force", Range::Positive);
    let varies = reader.varies(&normal);
    (normal, varies)
}

/// Friction in stick is not below that in slip, where both are constant.
fn not_below(level: &Symbolic, kinetic: &Symbolic, key: &str, reader: &mut Reader<'_>) {
    if reader.moving(level).is_some() || reader.moving(kinetic).is_some() {
        return;
    }
    if let (Some(level), Some(kinetic)) = (reader.value(level), reader.value(kinetic))
        && level < kinetic
    {
        reader.fault(key, MechanicalFault::StaticBelowKinetic { level, kinetic });
        return;
    }
    if level.to_string() != kinetic.to_string() {
        reader.require(&kinetic.clone().at_most(level.clone()));
    }
}

/// The first contact, of those that can stick together of which one is on a point, whose velocity follows from the
/// others'.
fn dependent(contacts: &[Contact], structure: &Structure) -> Option<String> {
    let tied: Vec<&Contact> = contacts.iter().filter(|contact| contact.can_tie()).collect();
    if !tied.iter().any(|contact| contact.is_on_points(structure)) {
        return None;
    }
    let conditions: Vec<Condition> = tied.iter().map(|contact| contact.tie(structure, number(0.0))).collect();
    let solved = solved(&conditions, &structure.points.coordinates_by_name());
    let (contact, _) = tied.iter().zip(solved).find(|(_, solved)| solved.is_none())?;
    Some(contact.name.clone())
}

/// Contacts that can stick together must not close a loop.
pub(crate) fn closed_loop(contacts: &[Contact], structure: &Structure, reader: &mut Reader<'_>) {
    if let Some(name) = dependent(contacts, structure) {
        let contacts = contacts.iter().map(|c| c.name.clone()).collect();
        reader.fault(
            &format!("contacts.{}", quoted(&name)),
            MechanicalFault::Loop { contacts },
        );
        return;
    }
    // The tree of each coordinate; the ground is the last one.
    let ground = structure.coordinates.len();
    let mut tree: Vec<usize> = (0..=ground).collect();
    let mut tied: Vec<&Contact> = vec![];
    for contact in contacts {
        if !contact.can_tie() || contact.is_on_points(structure) {
            continue;
        }
        let (a, b) = (tree[contact.on], tree[contact.against.unwrap_or(ground)]);
        tied.push(contact);
        if a == b {
            let known: Vec<&Contact> = tied.iter().copied().filter(|c| tree[c.on] == a).collect();
            let contacts = known.iter().map(|c| c.name.clone()).collect();
            let key = format!("contacts.{}", quoted(&contact.name));
            reader.fault(&key, MechanicalFault::Loop { contacts });
            return;
        }
        tree.iter_mut().filter(|t| **t == a).for_each(|t| *t = b);
    }
}
