//! The slow–fast twin of a field that jumps: the sign u of a switching function h becomes φ(h/ε).
//!
//! Where the rate of h jumps and a state x enters h with a constant factor, h/ε takes the place of x: `ε (h/ε)' = ∇h ·
//! f(x, φ(h/ε))` is the fast equation of the layer. A law that is constant beyond |h| = ε leaves the field of either
//! side as it is there, in a mode of its own; one that is smooth everywhere makes one smooth system.

use crate::plan::declared::expansion::{Declarations, Expansion, Sources};
use crate::plan::declared::law::Law;
use crate::plan::declared::maker::Maker;
use crate::plan::declared::pattern::{Pattern, Side};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::defined_name;
use crate::spec::system::declared::{
    DirectionSpec, EventSpec, HybridSpec, ModeSpec, SlowFastSpec, StartSpec, SymmetrySpec,
};
use crate::spec::system::filippov::FilippovSpec;
use crate::spec::system::named::{Named, Number};
use crate::spec::system::regularised::{JumpingSpec, LawSpec, RegularisedSpec};
use slipstick_system::text::{Symbolic, plain_name};

/// The small parameter.
const EPSILON: &str = "epsilon";

impl RegularisedSpec {
    /// The system that it stands for. `path` is its place in the study.
    pub(crate) fn expand(&self, path: &str) -> Result<Expansion, Vec<SystemError>> {
        let fault = |here: String, what: String, instead: &str| {
            let instead = instead.to_owned();
            vec![SystemError::new(here, SystemFault::Declaration { what, instead })]
        };
        if let LawSpec::Smoothstep(order) = self.by
            && !(1..=4).contains(&order)
        {
            let what = format!("a `Smoothstep` has 1 to 4 derivatives, not {order}");
            return Err(fault(format!("{path}.by"), what, "write `Smoothstep(2)`"));
        }
        let (parameters, key) = match &self.of {
            JumpingSpec::Filippov(of) => (&of.parameters, "of.parameters"),
            JumpingSpec::Mechanical(of) => (&of.parameters, "of.parameters"),
        };
        let own = [EPSILON, "delta"];
        let own = &own[..if matches!(self.by, LawSpec::Stiction { .. }) {
            2
        } else {
            1
        }];
        if let Some(k) = parameters
            .iter()
            .position(|(name, _)| own.contains(&&*plain_name(name)))
        {
            let name = &parameters.0[k].0;
            let what = format!("`{name}` is already taken by a parameter of the twin");
            return Err(fault(format!("{path}.{key}[{k}]#"), what, "give this one another name"));
        }
        let of = match &self.of {
            JumpingSpec::Filippov(of) => self.with_parameters(of),
            JumpingSpec::Mechanical(of) => return self.expand_mechanical(of, path),
        };
        of.with_maker(&format!("{path}.of"), |maker, base, declarations, sources| {
            let sticks = maker.sliding.stiction.iter().any(|ratio| ratio.value() != Some(1.0));
            let rises = matches!(self.by, LawSpec::Stiction { .. });
            if sticks != rises && !matches!(self.by, LawSpec::Law(_)) {
                let (what, instead) = if sticks {
                    (
                        "the law never exceeds 1, and `stiction` of the system asks for a higher level in sticking",
                        "write `Stiction(delta: 0.6)`, or a `Law(\"...\")` that rises to that level",
                    )
                } else {
                    (
                        "this law rises to the level in sticking, and the system has none",
                        "give the system `stiction`, or write `Smoothstep(2)`",
                    )
                };
                return Err(fault(format!("{path}.by"), what.to_owned(), instead));
            }
            let law = self.law(maker, declarations, path)?;
            if law.has_layer && maker.surfaces.len() > 1 {
                let what = "with several surfaces the law must be smooth everywhere".to_owned();
                return Err(fault(
                    format!("{path}.by"),
                    what,
                    "write `Tanh`, `Algebraic` or a `Law(\"...\")`",
                ));
            }
            let mut twin = Sources::within("of", sources);
            twin.add("parameters.epsilon".to_owned(), EPSILON.to_owned());
            let layer = Layer::new(maker, &law);
            let mut base = base.clone();
            for (head, body) in &law.definitions {
                twin.add(format!("define.{}", defined_name(head)), "by".to_owned());
                twin.add(format!("define[{}]", base.define.0.len()), "by".to_owned());
                base.define.0.push((head.clone(), body.clone()));
            }
            let (start, here) = self.own_start(&of, path);
            let at = layer.start(start, declarations, &here)?;
            if !law.has_layer {
                return Ok(Expansion {
                    system: layer.everywhere(&base, declarations, &at, path)?,
                    sources: twin,
                    lying: None,
                });
            }
            let side = layer.side(start, declarations, &here)?;
            Ok(Expansion {
                system: layer.between_sides(&base, declarations, (&side, &at), path)?,
                sources: twin,
                lying: Some(at),
            })
        })
    }

    /// The system with ε, and δ, as parameters.
    fn with_parameters(&self, of: &FilippovSpec) -> FilippovSpec {
        let mut of = of.clone();
        self.add_parameters(&mut of.parameters, &mut of.require);
        of
    }

    /// ε, and δ, with the conditions on them.
    pub(crate) fn add_parameters(&self, parameters: &mut Named<Number>, require: &mut Vec<String>) {
        parameters.0.push((EPSILON.to_owned(), self.epsilon.clone()));
        require.push("epsilon > 0".to_owned());
        if let LawSpec::Stiction { delta } = &self.by {
            parameters.0.push(("delta".to_owned(), delta.clone()));
            require.push("0 < delta < 1".to_owned());
        }
    }

    /// Where trajectories begin, and where that is said.
    fn own_start<'a>(&'a self, of: &'a FilippovSpec, path: &str) -> (&'a Named<Number>, String) {
        if self.start.is_empty() {
            (&of.start, format!("{path}.of.start"))
        } else {
            (&self.start, format!("{path}.start"))
        }
    }

    fn law(&self, maker: &Maker, declarations: &mut Declarations<'_>, path: &str) -> Result<Law, Vec<SystemError>> {
        self.check_law(declarations, path)?;
        let frame = &declarations.frame;
        let names = frame.states.iter().map(|s| &s.name);
        let names = names.chain(frame.parameters.iter().map(|p| &p.name)).cloned();
        let names: Vec<String> = names
            .chain(declarations.definitions().into_iter().map(|d| d.0))
            .collect();
        let is_taken = |name: &str| names.iter().any(|n| n == name);
        Ok(Law::of(&self.by, &maker.sliding.stiction[0], &is_taken))
    }

    /// Is the law a formula of its argument and the parameters?
    pub(crate) fn check_law(&self, declarations: &mut Declarations<'_>, path: &str) -> Result<(), Vec<SystemError>> {
        if let LawSpec::Law(text) = &self.by {
            let here = format!("{path}.by");
            // With a number in the place of its argument.
            let sample = Symbolic::parse(text).map_err(|error| vec![SystemError::text(here.clone(), error)])?;
            let sample = sample.replaced(&|name, _| (name == "s").then(|| Symbolic::number(0.5)));
            let read = declarations.constant(&sample.to_string(), &here);
            read.map_err(|error| vec![SystemError { within: None, ..error }])?;
        }
        Ok(())
    }
}

/// What takes the place of a jump.
struct Layer<'a> {
    maker: &'a Maker,
    /// For each surface the state that h/ε takes the place of, with its value, if there is one; and the name of h/ε.
    fast: Vec<Option<(String, Symbolic)>>,
    names: Vec<String>,
    /// The signs there.
    signs: Vec<Symbolic>,
}

impl<'a> Layer<'a> {
    fn new(maker: &'a Maker, law: &Law) -> Self {
        let names: Vec<String> = maker.surfaces.iter().map(|name| format!("{name}_hat")).collect();
        let epsilon = Symbolic::name(EPSILON);
        // Only what the jump drives itself is fast: not the displacement of a relay that acts on the velocity.
        let open = Pattern(vec![Side::On; names.len()]);
        let fast = (0..names.len()).filter(|&i| maker.sliding.jumps(&open, i));
        let heights: Vec<(usize, Symbolic)> = fast.map(|i| (i, epsilon.clone() * Symbolic::name(&names[i]))).collect();
        let fast = maker.sliding.solved_for(&heights);
        let argument = |i: usize| match &fast[i] {
            Some(_) => Symbolic::name(&names[i]),
            None => Symbolic::name(&maker.surfaces[i]) / epsilon.clone(),
        };
        Self {
            signs: (0..names.len()).map(|i| law.at(argument(i))).collect(),
            maker,
            fast,
            names,
        }
    }

    /// The fast states.
    fn hats(&self) -> impl Iterator<Item = &String> {
        let named = self.names.iter().zip(&self.fast);
        named.filter(|(_, fast)| fast.is_some()).map(|(name, _)| name)
    }

    /// Does a fast state take the place of this one?
    fn replaces(&self, state: &str) -> bool {
        self.fast.iter().flatten().any(|(own, _)| own == state)
    }

    /// The mode in which the jump is spread.
    fn mode(&self) -> ModeSpec {
        let sliding = &self.maker.sliding;
        let field = sliding.field.at(&self.signs);
        let slow = sliding
            .states
            .iter()
            .zip(&field)
            .filter(|(state, _)| !self.replaces(state));
        let mut equations: Vec<String> = slow.clone().map(|(state, rate)| format!("{state}' = {rate}")).collect();
        for (i, name) in self.names.iter().enumerate().filter(|(i, _)| self.fast[*i].is_some()) {
            let rate = sliding.along(i, &field) / Symbolic::name(EPSILON);
            equations.push(format!("{name}' = {rate}"));
        }
        let absent = self
            .fast
            .iter()
            .flatten()
            .map(|(state, value)| (state.clone(), value.to_string()));
        let states = slow.map(|(state, _)| state).chain(self.hats()).cloned();
        ModeSpec {
            states: states.collect(),
            absent: Named(absent.collect()),
            equations,
            ..ModeSpec::default()
        }
    }

    /// One smooth system, in which the states that are replaced are definitions, and columns of the tables as they
    /// are in those of the discontinuous system.
    fn everywhere(
        &self,
        base: &HybridSpec,
        declarations: &Declarations<'_>,
        at: &Named<Number>,
        path: &str,
    ) -> Result<HybridSpec, Vec<SystemError>> {
        const SMOOTH: &str = "smooth";
        let mut mode = self.mode();
        mode.states.clear();
        mode.absent = Named::default();
        let slow = base.states.iter().filter(|state| !self.replaces(&plain_name(state)));
        let mut define = base.define.clone();
        let mut observables = base.observables.clone();
        for (state, value) in self.fast.iter().flatten() {
            define.0.push((state.clone(), value.to_string()));
            observables.0.push((state.clone(), state.clone()));
        }
        let system = HybridSpec {
            states: slow.chain(self.hats()).cloned().collect(),
            define,
            observables,
            modes: Named(vec![(SMOOTH.to_owned(), mode)]),
            symmetry: self.symmetry(base, vec![], declarations, path)?,
            start: Some(StartSpec {
                mode: SMOOTH.to_owned(),
                at: only(at, |name| !self.replaces(name)),
            }),
            slow_fast: self.slow_fast(None),
            ..base.clone()
        };
        Ok(self
            .maker
            .with_sides_of_modes(system, std::slice::from_ref(&self.signs)))
    }

    /// A layer between the fields of both sides of the only surface.
    fn between_sides(
        &self,
        base: &HybridSpec,
        declarations: &Declarations<'_>,
        (side, at): (&Pattern, &Named<Number>),
        path: &str,
    ) -> Result<HybridSpec, Vec<SystemError>> {
        let (maker, surface) = (self.maker, &self.maker.surfaces[0]);
        let hat = self.fast[0].as_ref().map(|_| &self.names[0]);
        let name = |side: Side| maker.name(&Pattern(vec![side]));
        let event = |guard: String, direction, to: String, reset: Vec<(String, String)>| EventSpec {
            guard,
            direction,
            when: vec![],
            to,
            reset: Named(reset),
        };
        let mut modes = vec![];
        let mut layer = self.mode();
        for (side, inwards, outwards) in [
            (Side::Plus, DirectionSpec::Down, DirectionSpec::Up),
            (Side::Minus, DirectionSpec::Up, DirectionSpec::Down),
        ] {
            let edge = format!("{surface} {} {EPSILON}", if side == Side::Plus { "-" } else { "+" });
            let mut beside = maker.mode(&Pattern(vec![side]));
            let entering = hat.map(|hat| (hat.clone(), format!("{}", side.sign())));
            let enter = event(edge.clone(), inwards, name(Side::On), entering.into_iter().collect());
            beside.events = Named(vec![("enter".to_owned(), enter)]);
            if let Some(hat) = hat {
                beside.states.clone_from(&maker.sliding.states);
                beside.absent = Named(vec![(hat.clone(), format!("{surface}/{EPSILON}"))]);
            }
            modes.push((name(side), beside));
            let guard = hat.map_or(edge, |hat| {
                format!("{hat} {}", if side == Side::Plus { "- 1" } else { "+ 1" })
            });
            let leave = event(guard, outwards, name(side), vec![]);
            layer.events.0.push((format!("leave{}", side.letter()), leave));
        }
        modes.push((name(Side::On), layer));
        let patterns: Vec<Pattern> = Pattern::all(1, 1);
        let images = match &base.symmetry {
            None => vec![],
            Some(states) => maker.symmetry(states, &patterns, declarations, path)?.modes.0,
        };
        let system = HybridSpec {
            states: base.states.iter().chain(self.hats()).cloned().collect(),
            modes: Named(modes),
            symmetry: self.symmetry(base, images, declarations, path)?,
            slow_fast: self.slow_fast(Some(name(Side::On))),
            start: Some(StartSpec {
                mode: maker.name(side),
                at: only(at, |name| match side.0[0] {
                    Side::On => !self.replaces(name),
                    _ => !self.names.iter().any(|hat| hat == name),
                }),
            }),
            ..base.clone()
        };
        let beside = [Side::Plus, Side::Minus].map(|side| vec![Symbolic::number(side.sign())]);
        let sides = [&beside[..], std::slice::from_ref(&self.signs)].concat();
        Ok(maker.with_sides_of_modes(system, &sides))
    }

    fn slow_fast(&self, mode: Option<String>) -> Option<SlowFastSpec> {
        let mut hats = self.hats();
        let (Some(fast), None) = (hats.next(), hats.next()) else {
            return None;
        };
        Some(SlowFastSpec {
            mode,
            fast: fast.clone(),
            epsilon: EPSILON.to_owned(),
        })
    }

    /// The symmetry with the images of the fast states: those of their surfaces.
    fn symmetry(
        &self,
        base: &HybridSpec,
        modes: Vec<(String, String)>,
        declarations: &Declarations<'_>,
        path: &str,
    ) -> Result<Option<SymmetrySpec>, Vec<SystemError>> {
        /// Layers whose widths differ by less are as wide.
        const SAME: f64 = 1e-9;
        let Some(states) = &base.symmetry else { return Ok(None) };
        let images = self.maker.images(states, declarations, path)?;
        let stay = modes.is_empty();
        let kept = states
            .states
            .iter()
            .filter(|(state, _)| !stay || !self.replaces(&plain_name(state)));
        let mut all: Vec<(String, String)> = kept.map(|(state, image)| (state.to_owned(), image.clone())).collect();
        for (i, &(j, factor)) in images.iter().enumerate() {
            if self.fast[i].is_some() {
                if (factor.abs() - 1.0).abs() > SAME {
                    return Err(vec![SystemError::new(
                        format!("{path}.symmetry"),
                        SystemFault::Declaration {
                            what: format!(
                                "the layer of `{}` has no mirror image under this symmetry: another is wider or narrower",
                                self.maker.surfaces[i]
                            ),
                            instead: "write surfaces that are images of each other without a factor".to_owned(),
                        },
                    )]);
                }
                let minus = if factor < 0.0 { "-" } else { "" };
                all.push((self.names[i].clone(), format!("{minus}{}", self.names[j])));
            }
        }
        Ok(Some(SymmetrySpec {
            states: Named(all),
            modes: Named(modes),
        }))
    }

    /// The start in the states of the twin, formulas of the parameters: of the fast states too.
    fn start(
        &self,
        start: &Named<Number>,
        declarations: &Declarations<'_>,
        path: &str,
    ) -> Result<Named<Number>, Vec<SystemError>> {
        let states = declarations.start(start, path)?;
        let mut at = start.clone();
        for (i, name) in self.names.iter().enumerate().filter(|(i, _)| self.fast[*i].is_some()) {
            at.0.push((name.clone(), Number::of(&self.height(i, &states, declarations))));
        }
        Ok(at)
    }

    /// h/ε of a surface where the states have these values.
    fn height(&self, surface: usize, states: &[Symbolic], declarations: &Declarations<'_>) -> Symbolic {
        let height = self.maker.sliding.surfaces[surface].clone() / Symbolic::name(EPSILON);
        declarations.put_in(&height, states)
    }

    /// The side of the layer, or the layer, that a start lies in at the default parameters.
    fn side(
        &self,
        start: &Named<Number>,
        declarations: &Declarations<'_>,
        path: &str,
    ) -> Result<Pattern, Vec<SystemError>> {
        let states = declarations.start(start, path)?;
        let height = declarations.values(&[self.height(0, &states, declarations)])[0];
        let side = match height {
            height if height.abs() < 1.0 => Side::On,
            height if height > 0.0 => Side::Plus,
            _ => Side::Minus,
        };
        Ok(Pattern(vec![side]))
    }
}

/// Those of the states that a mode has.
fn only(at: &Named<Number>, has: impl Fn(&str) -> bool) -> Named<Number> {
    let own = at.iter().filter(|(name, _)| has(&plain_name(name)));
    Named(own.map(|(name, number)| (name.to_owned(), number.clone())).collect())
}
