//! The modes that patterns of sides make, what leads from one to another, and what a symmetry makes of them.

use crate::plan::declared::expansion::Declarations;
use crate::plan::declared::pattern::{Pattern, Side};
use crate::plan::declared::sliding::{Eliminated, Sliding};
use crate::plan::declared::surface_sides::{named, with_sides};
use crate::plan::declared::switched_field::sign;
use crate::plan::declared::time_jumps::CLEAR;
use crate::plan::declared::transitions::Arrival;
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::defined_name;
use crate::plan::system::symmetry::images_of_states;
use crate::spec::system::declared::{DirectionSpec, EventSpec, HybridSpec, KindSpec, ModeSpec, SymmetrySpec};
use crate::spec::system::named::Named;
use slipstick_system::text::Symbolic;

/// Makes the modes of patterns.
pub(crate) struct Maker {
    pub(crate) sliding: Sliding,
    /// Names that the study gives.
    pub(crate) names: Vec<(Pattern, String)>,
    /// The names of the surfaces.
    pub(crate) surfaces: Vec<String>,
}

impl Maker {
    /// What a mode is called.
    pub(crate) fn name(&self, pattern: &Pattern) -> String {
        if let Some((_, name)) = self.names.iter().find(|(own, _)| own == pattern) {
            return name.clone();
        }
        let parts = self.surfaces.iter().zip(&pattern.0);
        let parts: Vec<String> = parts.map(|(name, side)| format!("{name}{}", side.letter())).collect();
        parts.join(",")
    }

    pub(crate) fn mode(&self, pattern: &Pattern) -> ModeSpec {
        let sliding = &self.sliding;
        let absent: Vec<Eliminated> = sliding.eliminated(pattern);
        let moves = |state: &&String| !absent.iter().any(|e| e.state == **state);
        let states: Vec<String> = sliding.states.iter().filter(moves).cloned().collect();
        let kept = pattern.on().filter(|i| absent.iter().all(|e| e.surface != *i));
        let field = sliding.field(pattern);
        let equations = sliding.states.iter().zip(&field).filter(|(state, _)| moves(state));
        let equations = equations.map(|(state, rate)| format!("{state}' = {rate}")).collect();
        ModeSpec {
            states: if absent.is_empty() { vec![] } else { states },
            absent: Named(absent.iter().map(|e| (e.state.clone(), e.value.to_string())).collect()),
            define: Named::default(),
            kind: if pattern.on().next().is_some() {
                KindSpec::Stick
            } else {
                KindSpec::Free
            },
            equations,
            surfaces: kept.map(|i| sliding.surfaces[i].to_string()).collect(),
            admissible: sliding.attracting(pattern),
            events: Named(self.events(pattern)),
        }
    }

    /// A mode in which motion ends.
    pub(crate) fn end(&self) -> ModeSpec {
        let states = &self.sliding.states;
        let absent = states.iter().skip(1).map(|name| (name.clone(), "0".to_owned()));
        ModeSpec {
            states: states.iter().take(1).cloned().collect(),
            absent: Named(absent.collect()),
            kind: KindSpec::Outside,
            equations: states.first().map(|name| format!("{name}' = 0")).into_iter().collect(),
            ..ModeSpec::default()
        }
    }

    /// The ways out of a mode.
    fn events(&self, pattern: &Pattern) -> Vec<(String, EventSpec)> {
        let mut events = vec![];
        for i in 0..self.surfaces.len() {
            let called = |what: &str| match self.surfaces.len() {
                1 => what.to_owned(),
                _ => format!("{}:{what}", self.surfaces[i]),
            };
            match pattern.0[i] {
                Side::On => {
                    events.extend(
                        self.jumps_of_surface(pattern, i)
                            .into_iter()
                            .map(|(what, event)| (called(&what), event)),
                    );
                    for (side, direction) in [(Side::Plus, DirectionSpec::Up), (Side::Minus, DirectionSpec::Down)] {
                        let beyond = pattern.with(i, side);
                        let arrivals = if self.sliding.is_possible(&beyond) {
                            vec![Arrival {
                                pattern: beyond,
                                leaves: vec![],
                                when: vec![],
                            }]
                        } else {
                            self.sliding.leaves_both(pattern, i, side)
                        };
                        for arrival in arrivals {
                            let others = self.left(&arrival);
                            let event = EventSpec {
                                guard: self.sliding.exit(pattern, i, side).to_string(),
                                direction,
                                when: arrival.when,
                                to: self.name(&arrival.pattern),
                                reset: Named::default(),
                            };
                            events.push((called(&format!("leave{}", side.letter())) + &others, event));
                        }
                    }
                }
                side => {
                    events.extend(
                        self.jumps_of_surface(pattern, i)
                            .into_iter()
                            .map(|(what, event)| (called(&what), event)),
                    );
                    for arrival in self.sliding.arrivals(pattern, i) {
                        let others = self.left(&arrival);
                        let what = if arrival.pattern.0[i] == Side::On {
                            "land"
                        } else {
                            "cross"
                        };
                        let event = EventSpec {
                            guard: self.surfaces[i].clone(),
                            direction: if side == Side::Plus {
                                DirectionSpec::Down
                            } else {
                                DirectionSpec::Up
                            },
                            when: arrival.when,
                            to: self.name(&arrival.pattern),
                            reset: Named::default(),
                        };
                        events.push((called(what) + &others, event));
                    }
                }
            }
        }
        if let Some((guard, arrivals)) = self.sliding.ceases(pattern) {
            for arrival in arrivals {
                let left = |(i, side): &(usize, Side)| format!("{}:leave{}", self.surfaces[*i], side.letter());
                let left: Vec<String> = arrival.leaves.iter().map(left).collect();
                let event = EventSpec {
                    guard: guard.to_string(),
                    direction: DirectionSpec::Down,
                    when: arrival.when,
                    to: self.name(&arrival.pattern),
                    reset: Named::default(),
                };
                events.push((format!("cease,{}", left.join(",")), event));
            }
        }
        events
    }

    /// What the name of an event says of the surfaces that are left with it.
    fn left(&self, arrival: &Arrival) -> String {
        let left = |(j, side): &(usize, Side)| format!(",{}:leave{}", self.surfaces[*j], side.letter());
        arrival.leaves.iter().map(left).collect()
    }

    /// A surface jumps with time: the motion goes on upon the side on which it is. Such events stand before all others
    /// of their surface.
    fn jumps_of_surface(&self, pattern: &Pattern, surface: usize) -> Vec<(String, EventSpec)> {
        if !self.sliding.with_time[surface] {
            return vec![];
        }
        let event = |guard: String, when: Vec<String>, side: Side| {
            let to = pattern.with(surface, side);
            let event = EventSpec {
                guard,
                direction: if side == Side::Plus {
                    DirectionSpec::Up
                } else {
                    DirectionSpec::Down
                },
                when,
                to: self.name(&to),
                reset: Named::default(),
            };
            self.sliding
                .is_possible(&to)
                .then(|| (format!("jump{}", side.letter()), event))
        };
        let own = &self.surfaces[surface];
        let off = |side: Side| {
            let edge = Symbolic::number(side.sign() * CLEAR);
            let guard = (Symbolic::name(own) - edge).to_string();
            event(guard, vec![], side)
        };
        let found = match pattern.0[surface] {
            Side::On => vec![off(Side::Plus), off(Side::Minus)],
            Side::Plus => vec![event(own.clone(), vec![format!("{own} < -{CLEAR:e}")], Side::Minus)],
            Side::Minus => vec![event(own.clone(), vec![format!("{own} > {CLEAR:e}")], Side::Plus)],
        };
        found.into_iter().flatten().collect()
    }

    /// The symmetry of the system, with the images of the modes: those of the surfaces say which they are.
    pub(crate) fn symmetry(
        &self,
        states: &SymmetrySpec,
        patterns: &[Pattern],
        declarations: &Declarations<'_>,
        path: &str,
    ) -> Result<SymmetrySpec, Vec<SystemError>> {
        let images = self.images(states, declarations, path)?;
        let mirrored = |pattern: &Pattern| {
            let side = |&(j, factor): &(usize, f64)| {
                if factor > 0.0 {
                    pattern.0[j]
                } else {
                    pattern.0[j].opposite()
                }
            };
            Pattern(images.iter().map(side).collect())
        };
        let pairs = patterns
            .iter()
            .map(|p| (p, mirrored(p)))
            .filter(|(p, image)| *p < image);
        Ok(SymmetrySpec {
            states: states.states.clone(),
            modes: Named(pairs.map(|(p, image)| (self.name(p), self.name(&image))).collect()),
        })
    }

    /// A system in whose definitions, columns and monitors the sides of surfaces are spoken of: each is a definition of
    /// every mode, with the value that it has there. `sides` are those of its modes.
    pub(crate) fn with_sides_of_modes(&self, mut system: HybridSpec, sides: &[Vec<Symbolic>]) -> HybridSpec {
        let called = |surface: usize| format!("sgn_{}", self.surfaces[surface]);
        let mut spoken = vec![false; self.surfaces.len()];
        let mut rewritten = |text: &mut String| {
            let Ok(formula) = Symbolic::parse(text) else {
                return;
            };
            let quotients = formula.with_signs_of_quotients(&|a, b| a.ratio_to(b));
            let mut signed = with_sides(&quotients, &self.surfaces, &|of| named(of, &self.surfaces));
            if signed == quotients {
                return;
            }
            for (i, spoken) in spoken.iter_mut().enumerate() {
                *spoken |= signed.mentions(&sign(i));
                signed = signed.replaced(&|name, _| (name == sign(i)).then(|| Symbolic::name(&called(i))));
            }
            *text = signed.to_string();
        };
        system.define.0.iter_mut().for_each(|(_, text)| rewritten(text));
        system.observables.0.iter_mut().for_each(|(_, text)| rewritten(text));
        let monitors = system.monitors.0.iter_mut();
        monitors
            .flat_map(|(_, monitor)| monitor.formulas_mut())
            .for_each(rewritten);
        let spoken: Vec<usize> = (0..spoken.len()).filter(|i| spoken[*i]).collect();
        let mut differ: Vec<String> = spoken.iter().map(|i| called(*i)).collect();
        // What uses them is another in every mode, too.
        let mut of_modes = vec![];
        loop {
            let uses = |(_, text): &(String, String)| {
                Symbolic::parse(text).is_ok_and(|body| differ.iter().any(|name| body.mentions(name)))
            };
            let (more, rest): (Vec<_>, Vec<_>) = system.define.0.into_iter().partition(uses);
            system.define = Named(rest);
            if more.is_empty() {
                break;
            }
            differ.extend(more.iter().map(|(head, _)| defined_name(head)));
            of_modes.extend(more);
        }
        for ((_, mode), sides) in system.modes.0.iter_mut().zip(sides) {
            let own = spoken.iter().map(|i| (called(*i), sides[*i].to_string()));
            mode.define.0.extend(own.chain(of_modes.iter().cloned()));
        }
        system
    }

    /// The surface that each one is carried to by a symmetry, and the factor between the function of the one at the
    /// image of a state and that of the other at the state.
    pub(crate) fn images(
        &self,
        states: &SymmetrySpec,
        declarations: &Declarations<'_>,
        path: &str,
    ) -> Result<Vec<(usize, f64)>, Vec<SystemError>> {
        /// Points at which surfaces are compared with their images.
        const POINTS: usize = 8;
        const EQUAL: f64 = 1e-9;
        let symmetry = images_of_states(states, &declarations.frame).map_err(|e| vec![e])?;
        let count = symmetry.source.len();
        let point = |k: usize| -> Vec<f64> {
            (0..count)
                .map(|i| (1.0 + 3.7 * k as f64 + 2.3 * i as f64).sin())
                .collect()
        };
        let image = |x: &[f64]| -> Vec<f64> {
            let image = |i: usize| symmetry.sign[i] * x[symmetry.source[i]] + symmetry.shift[i];
            (0..count).map(image).collect()
        };
        let mut images = vec![];
        for (i, h) in self.sliding.surfaces.iter().enumerate() {
            let factor = |j: usize| {
                let both = |k: usize| {
                    let x = point(k);
                    let own = declarations.value(h, &image(&x));
                    own.zip(declarations.value(&self.sliding.surfaces[j], &x))
                };
                let both = (0..POINTS).map(both).collect::<Option<Vec<(f64, f64)>>>()?;
                let size = both.iter().fold(0.0f64, |size, (own, _)| size.max(own.abs()));
                let (own, other) = both.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
                // A function may vanish for the default parameters.
                let factor = if own == other { 1.0 } else { own / other };
                let alike = both.iter().all(|(a, b)| (a - factor * b).abs() <= EQUAL * size);
                (alike && factor.is_finite() && factor != 0.0).then_some((j, factor))
            };
            let mut candidates = (0..self.surfaces.len()).filter_map(factor);
            let Some(found) = candidates.next() else {
                return Err(vec![SystemError::new(
                    format!("{path}.symmetry"),
                    SystemFault::Declaration {
                        what: format!(
                            "the surface `{}` has no mirror image under this symmetry",
                            self.surfaces[i]
                        ),
                        instead: "its switching function at the image of a state is that of a surface, but for a constant factor"
                            .to_owned(),
                    },
                )]);
            };
            images.push(found);
        }
        Ok(images)
    }
}
