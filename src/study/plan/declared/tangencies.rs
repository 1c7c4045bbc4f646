//! The equations of tangencies: h = 0 and L h = 0, the derivative of the switching function h along the field of a
//! side. A tangency is visible if h grows away from the surface there, and cubic where the second derivative L²h is
//! zero. (A. F. Filippov, *Differential equations with discontinuous righthand sides*, 1988, §§ 17–19; M. A. Teixeira,
//! *Generic bifurcation of sliding vector fields*, J. Math. Anal. Appl. 176, 1993.)

use crate::plan::declared::expansion::{Expansion, Sources};
use crate::plan::declared::maker::Maker;
use crate::plan::declared::pattern::{Pattern, Side};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::spec::system::declared::{HybridSpec, KindSpec, ModeSpec, MonitorSpec, StartSpec};
use crate::spec::system::named::Named;
use crate::spec::system::tangencies::{TangenciesSpec, TangentSpec};
use slipstick_orbit::tangency;
use slipstick_system::text::{Symbolic, plain_name};

/// The only mode.
const MODE: &str = "tangent";

impl TangenciesSpec {
    /// The equations that it stands for, as a mode without motion. `path` is its place in the study.
    pub(crate) fn expand(&self, path: &str) -> Result<Expansion, Vec<SystemError>> {
        let fault = |key: &str, what: String, instead: &str| {
            let instead = instead.to_owned();
            let here = if key.is_empty() {
                path.to_owned()
            } else {
                format!("{path}.{key}")
            };
            vec![SystemError::new(here, SystemFault::Declaration { what, instead })]
        };
        let TangentSpec::Filippov(of) = &self.of;
        if of.forcing.is_some() {
            let what = "tangencies of a system with `forcing` are not made".to_owned();
            return Err(fault(
                "of",
                what,
                "declare the phase as a state with its own equation, under `angles`",
            ));
        }
        let sides: Vec<Side> = match &*self.sides {
            "+" => vec![Side::Plus],
            "-" => vec![Side::Minus],
            "+-" => vec![Side::Plus, Side::Minus],
            other => {
                let what = format!("`{other}` names no sides");
                return Err(fault("sides", what, "write \"+\" or \"-\", or \"+-\" for two-folds"));
            }
        };
        let count = of.states.len();
        let needed = 1 + sides.len();
        if count != needed + self.along.iter().count() {
            let what = format!(
                "{needed} equations for {} states",
                count - self.along.iter().count().min(count)
            );
            let instead = if count < needed {
                "in the plane two-folds are points, labelled TF, of the curves of tangencies of one side"
            } else {
                "name as many states under `along` as are too many"
            };
            return Err(fault("", what, instead));
        }
        for (name, _) in self.along.iter() {
            if !of.states.iter().any(|s| plain_name(s) == plain_name(name)) {
                let fault = SystemFault::Unknown {
                    what: "state",
                    name: name.to_owned(),
                    known: of.states.clone(),
                };
                return Err(vec![SystemError::new(format!("{path}.along"), fault)]);
            }
        }
        of.with_maker(&format!("{path}.of"), |maker, base, declarations, sources| {
            let (surface, pattern) = self.pattern(maker, path)?;
            let points = Points {
                maker,
                surface,
                pattern,
                straight: of.states.iter().map(|s| plain_name(s)).collect(),
            };
            let system = self.system(&points, &sides, base);
            let mut own = Sources::within("of", sources);
            // Of the fields only the rate of the switching function stays.
            let fields: Vec<Symbolic> = sides.iter().flat_map(|side| points.field(*side)).collect();
            let known = |name: &str| declarations.definition(name);
            let parameters = base.parameters.iter().map(|(name, _)| plain_name(name));
            for name in parameters.chain(declarations.definitions().into_iter().map(|(name, ..)| name)) {
                if fields.iter().any(|rate| rate.depends_on(&name, &known)) {
                    own.note_use(name);
                }
            }
            for (k, (name, _)) in self.along.iter().enumerate() {
                own.add(format!("parameters.{name}"), format!("along[{k}]"));
            }
            Ok(Expansion {
                system,
                sources: own,
                lying: None,
            })
        })
    }

    /// The surface, and the sides of all others.
    fn pattern(&self, maker: &Maker, path: &str) -> Result<(usize, Pattern), Vec<SystemError>> {
        let find = |name: &str, here: String| {
            let found = maker.surfaces.iter().position(|own| *own == plain_name(name));
            found.ok_or_else(|| {
                let fault = SystemFault::Unknown {
                    what: "surface",
                    name: name.to_owned(),
                    known: maker.surfaces.clone(),
                };
                vec![SystemError::new(here, fault)]
            })
        };
        let surface = find(&self.surface, format!("{path}.surface"))?;
        let mut sides: Vec<Option<Side>> = vec![None; maker.surfaces.len()];
        sides[surface] = Some(Side::Plus);
        for (k, (name, side)) in self.others.iter().enumerate() {
            let other = find(name, format!("{path}.others[{k}]#"))?;
            sides[other] = side.chars().next().and_then(Side::of).filter(|s| *s != Side::On);
        }
        match sides.iter().position(Option::is_none) {
            None => Ok((surface, Pattern(sides.into_iter().flatten().collect()))),
            Some(missing) => Err(vec![SystemError::new(
                format!("{path}.others"),
                SystemFault::Declaration {
                    what: format!("on which side of `{}` it is, is not said", maker.surfaces[missing]),
                    instead: format!("write `others: {{\"{}\": \"+\"}}`, or \"-\"", maker.surfaces[missing]),
                },
            )]),
        }
    }

    fn system(&self, points: &Points<'_>, sides: &[Side], base: &HybridSpec) -> HybridSpec {
        let rate = |side: Side| points.rate(&points.height(), side);
        let mut equations = vec![points.height()];
        equations.extend(sides.iter().map(|side| rate(*side)));
        let is_along = |name: &str| self.along.iter().any(|(own, _)| plain_name(own) == plain_name(name));
        let states: Vec<String> = base.states.iter().filter(|s| !is_along(s)).cloned().collect();
        let value = |formula: Symbolic| MonitorSpec::Value(formula.to_string());
        let mut monitors: Vec<(String, MonitorSpec)> = vec![];
        let mut add = |name: &str, formula: Symbolic| monitors.push((name.to_owned(), value(formula)));
        match *sides {
            [side] => {
                let other = side.opposite();
                add(tangency::VISIBILITY, points.visibility(side));
                add(tangency::OTHER_RATE, rate(other));
                add(tangency::OTHER_VISIBILITY, points.visibility(other));
                if points.straight.len() == 2 {
                    add(tangency::SPEED, points.speed(side));
                }
            }
            _ => {
                add(tangency::VISIBILITY_PLUS, points.visibility(Side::Plus));
                add(tangency::VISIBILITY_MINUS, points.visibility(Side::Minus));
            }
        }
        let mut parameters = base.parameters.clone();
        for (name, number) in self.along.iter() {
            parameters.0.push((name.to_owned(), number.clone()));
        }
        let TangentSpec::Filippov(of) = &self.of;
        let start = of.start.iter().filter(|(name, _)| !is_along(name));
        let start = start.map(|(name, number)| (name.to_owned(), number.clone()));
        let mode = ModeSpec {
            kind: KindSpec::Equations,
            equations: (states.iter().zip(&equations))
                .map(|(state, left)| format!("{}' = {left}", plain_name(state)))
                .collect(),
            ..ModeSpec::default()
        };
        HybridSpec {
            angles: Named(
                base.angles
                    .0
                    .iter()
                    .filter(|(name, _)| !is_along(name))
                    .cloned()
                    .collect(),
            ),
            states,
            parameters,
            modes: Named(vec![(MODE.to_owned(), mode)]),
            observables: Named::default(),
            monitors: Named(monitors),
            symmetry: None,
            start: Some(StartSpec {
                mode: MODE.to_owned(),
                at: Named(start.collect()),
            }),
            ..base.clone()
        }
    }
}

/// Points of one surface.
struct Points<'a> {
    maker: &'a Maker,
    surface: usize,
    /// The sides of all other surfaces.
    pattern: Pattern,
    /// The names of the states.
    straight: Vec<String>,
}

impl Points<'_> {
    fn height(&self) -> Symbolic {
        self.maker.sliding.surfaces[self.surface].clone()
    }

    fn field(&self, side: Side) -> Vec<Symbolic> {
        self.maker.sliding.field(&self.pattern.with(self.surface, side))
    }

    /// The rate of a scalar along the field of a side.
    fn rate(&self, of: &Symbolic, side: Side) -> Symbolic {
        self.maker.sliding.rate_of(of, &self.field(side))
    }

    /// The second derivative along the field of a side, positive where the tangency is visible.
    fn visibility(&self, side: Side) -> Symbolic {
        let second = self.rate(&self.rate(&self.height(), side), side);
        if side == Side::Plus { second } else { -second }
    }

    /// How fast the field of a side runs along the surface, in the plane.
    fn speed(&self, side: Side) -> Symbolic {
        let slopes = self.maker.sliding.slopes(&self.height());
        let field = self.field(side);
        slopes[0].clone() * field[1].clone() - slopes[1].clone() * field[0].clone()
    }
}
