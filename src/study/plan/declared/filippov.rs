//! From fields that jump at surfaces to a hybrid system: the declaration is read and checked here.
//!
//! With the sign u of the switching function h left open, the rate of h along the field is A + B u. On the surface the
//! motion slides with u = -A/B as long as -r < u < r, r = 1 being Filippov's convex combination and r > 1 stiction.
//! (A. F. Filippov, *Differential equations with discontinuous righthand sides*, 1988; M. di Bernardo, C. J. Budd,
//! A. R. Champneys, P. Kowalczyk, *Piecewise-smooth dynamical systems*, 2008, chapter 2.)

use crate::plan::declared::expansion::{Declarations, Definition, Expansion, Sources};
use crate::plan::declared::maker::Maker;
use crate::plan::declared::pattern::Pattern;
use crate::plan::declared::sliding::Sliding;
use crate::plan::declared::surface_sides::SurfaceSides;
use crate::plan::declared::switched_field::{SwitchedField, sign, signs, with_signs};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{defined_name, quoted};
use crate::spec::system::declared::{HybridSpec, StartSpec, SymmetrySpec};
use crate::spec::system::filippov::FilippovSpec;
use crate::spec::system::named::{Named, Number};
use slipstick_system::text::{Symbolic, plain_name};

/// More surfaces make more modes than anybody reads.
const SURFACES: usize = 4;

/// A point is on a surface if its switching function is no larger, relative to 1 + |states|.
const ON: f64 = 1e-12;

impl FilippovSpec {
    /// The hybrid system that it stands for. `path` is its place in the study.
    pub(crate) fn expand(&self, path: &str) -> Result<Expansion, Vec<SystemError>> {
        self.with_maker(path, |maker, base, declarations, mut sources| {
            let system = self.system(maker, base, declarations, &mut sources, path)?;
            Ok(Expansion {
                system,
                sources,
                lying: Some(self.start.clone()),
            })
        })
    }

    /// Read the declaration, and make something of it.
    pub(crate) fn with_maker<R>(
        &self,
        path: &str,
        make: impl FnOnce(&Maker, &HybridSpec, &mut Declarations<'_>, Sources) -> Result<R, Vec<SystemError>>,
    ) -> Result<R, Vec<SystemError>> {
        let (once, moved) = self.with_each_surface_once(path)?;
        let (base, mut sources) = once.base();
        sources.append(moved);
        let made = Declarations::of(&base, path).and_then(|mut declarations| {
            let maker = once.maker(&mut declarations, path)?;
            let mut sources = sources.clone();
            let shared = HybridSpec {
                define: once.definitions(&declarations, &mut sources),
                ..base.clone()
            };
            make(&maker, &shared, &mut declarations, sources)
        });
        made.map_err(|errors| errors.into_iter().map(|e| sources.place(e, path)).collect())
    }

    fn maker(&self, declarations: &mut Declarations<'_>, path: &str) -> Result<Maker, Vec<SystemError>> {
        let surfaces = self.switching_functions(declarations, path)?;
        let field = self.switched_field(declarations, path)?;
        let stiction = self.ratios(declarations, path)?;
        let maker = Maker {
            sliding: Sliding::new(declarations, surfaces, field, stiction),
            names: self.names(path)?,
            surfaces: self.surfaces.iter().map(|(name, _)| plain_name(name)).collect(),
        };
        let made = maker.sliding.patterns();
        let missing = maker.names.iter().find(|(pattern, _)| !made.contains(pattern));
        match missing {
            None => Ok(maker),
            Some((pattern, name)) => {
                let why = match pattern.on().count() {
                    1 => "the field does not jump across the surface there",
                    _ => "the field holds no motion on the surfaces there",
                };
                let fault = SystemFault::Declaration {
                    what: format!(
                        "`{name}` names no mode: there is none for `{}`, as {why}",
                        pattern.text()
                    ),
                    instead: "leave the name out".to_owned(),
                };
                let here = format!("{path}.modes.{}", quoted(&pattern.text()));
                Err(vec![SystemError::new(here, fault)])
            }
        }
    }

    /// What the declaration shares with the system, with surfaces as definitions.
    pub(crate) fn base(&self) -> (HybridSpec, Sources) {
        let mut define = self.define.clone();
        let mut sources = Sources::default();
        for (k, (name, formula)) in self.surfaces.iter().enumerate() {
            sources.add(format!("define[{}]", define.0.len()), format!("surfaces[{k}]"));
            sources.add(format!("define.{}", quoted(name)), format!("surfaces.{}", quoted(name)));
            define.0.push((name.to_owned(), formula.clone()));
        }
        sources.add("define.sgn".to_owned(), "surfaces".to_owned());
        // What equations may say; sides are put in for it before anything is made of them.
        define.0.push(("sgn(u)".to_owned(), "sign(u)".to_owned()));
        let base = HybridSpec {
            name: self.name.clone(),
            about: self.about.clone(),
            states: self.states.clone(),
            angles: self.angles.clone(),
            parameters: self.parameters.clone(),
            define,
            forcing: self.forcing.clone(),
            symmetry: (!self.symmetry.is_empty()).then(|| SymmetrySpec {
                states: self.symmetry.clone(),
                modes: Named::default(),
            }),
            observables: self.observables.clone(),
            monitors: self.monitors.clone(),
            require: self.require.clone(),
            ..HybridSpec::default()
        };
        (base, sources)
    }

    fn system(
        &self,
        maker: &Maker,
        base: &HybridSpec,
        declarations: &Declarations<'_>,
        sources: &mut Sources,
        path: &str,
    ) -> Result<HybridSpec, Vec<SystemError>> {
        let patterns = maker.sliding.patterns();
        let equations = if self.equations.is_empty() {
            "fields"
        } else {
            "equations"
        };
        let mut modes = vec![];
        for pattern in &patterns {
            let name = maker.name(pattern);
            sources.add(format!("modes.{}", quoted(&name)), equations.to_owned());
            modes.push((name, maker.mode(pattern)));
        }
        let ends = maker.sliding.ends();
        modes.extend(ends.iter().map(|pattern| (maker.name(pattern), maker.end())));
        let symmetry = match &base.symmetry {
            None => None,
            Some(states) => Some(maker.symmetry(states, &[&patterns[..], &ends].concat(), declarations, path)?),
        };
        let sides = patterns.iter().chain(&ends).map(|p| maker.sliding.sides(p));
        let sides: Vec<Vec<Symbolic>> = sides.collect();
        let mut define = base.define.clone();
        for (name, _, body) in &maker.sliding.shared {
            sources.add(format!("define.{name}"), equations.to_owned());
            sources.add(format!("define.{}", quoted(name)), equations.to_owned());
            define.0.push((name.clone(), body.to_string()));
        }
        let system = HybridSpec {
            modes: Named(modes),
            define,
            symmetry,
            start: Some(self.start(maker, declarations, path)?),
            ..base.clone()
        };
        Ok(maker.with_sides_of_modes(system, &sides))
    }

    /// The definitions of the system. Those in which sides enter are put into the equations; they stay where columns
    /// and monitors speak of them.
    fn definitions(&self, declarations: &Declarations<'_>, sources: &mut Sources) -> Named<String> {
        let surfaces: Vec<String> = self.surfaces.iter().map(|(name, _)| plain_name(name)).collect();
        let columns = self.observables.iter().map(|(_, text)| text.as_str());
        let columns = columns.chain(self.monitors.iter().flat_map(|(_, monitor)| monitor.formulas()));
        let mut spoken: Vec<Symbolic> = columns.filter_map(|text| Symbolic::parse(text).ok()).collect();
        let mut about: Vec<Definition> = SurfaceSides::new(declarations, &surfaces, &self.bodies()).about;
        loop {
            let is_spoken = |(name, ..): &Definition| spoken.iter().any(|formula| formula.mentions(name));
            let (more, rest): (Vec<_>, Vec<_>) = about.into_iter().partition(is_spoken);
            about = rest;
            if more.is_empty() {
                break;
            }
            spoken.extend(more.into_iter().map(|(_, _, body)| body));
        }
        for name in &declarations.frame.used_names {
            sources.add(format!("define.{name}"), format!("define.{}", quoted(name)));
        }
        let base = &declarations.frame.spec.define;
        let stays = |head: &str| {
            let name = defined_name(head);
            name != "sgn" && !about.iter().any(|(own, ..)| *own == name)
        };
        Named(base.0.iter().filter(|(head, _)| stays(head)).cloned().collect())
    }

    fn switching_functions(
        &self,
        declarations: &mut Declarations<'_>,
        path: &str,
    ) -> Result<Vec<Symbolic>, Vec<SystemError>> {
        let here = format!("{path}.surfaces");
        let count = self.surfaces.iter().count();
        if count == 0 {
            return Err(vec![SystemError::new(here, SystemFault::None { what: "surface" })]);
        }
        if count > SURFACES {
            let why = format!("{count} surfaces make too many modes; there may be {SURFACES}");
            return Err(vec![SystemError::new(here, SystemFault::TooMany { why })]);
        }
        let mut errors = vec![];
        let mut functions = vec![];
        for (name, text) in self.surfaces.iter() {
            let here = format!("{path}.surfaces.{}", quoted(name));
            match declarations.formula(text, &here) {
                Ok(h) if declarations.depends_on_states(&h) => functions.push(h),
                Ok(_) => errors.push(SystemError::new(
                    here,
                    SystemFault::Declaration {
                        what: format!("the switching function `{name}` depends on no state"),
                        instead: "write a formula that vanishes where the field jumps, as `v - v0`".to_owned(),
                    },
                )),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(functions) } else { Err(errors) }
    }

    /// The functions of the surfaces; what is no formula is complained of elsewhere.
    fn bodies(&self) -> Vec<Symbolic> {
        let nothing = || Symbolic::number(0.0);
        let texts = self.surfaces.iter().map(|(_, text)| text);
        texts
            .map(|text| Symbolic::parse(text).unwrap_or_else(|_| nothing()))
            .collect()
    }

    /// The field as a function of the signs.
    fn switched_field(
        &self,
        declarations: &mut Declarations<'_>,
        path: &str,
    ) -> Result<SwitchedField, Vec<SystemError>> {
        let names: Vec<String> = self.surfaces.iter().map(|(name, _)| plain_name(name)).collect();
        let fault = |here: String, what: &str, instead: &str| {
            let (what, instead) = (what.to_owned(), instead.to_owned());
            vec![SystemError::new(here, SystemFault::Declaration { what, instead })]
        };
        if self.equations.is_empty() == self.fields.is_empty() {
            let what = "a field is written as `equations` with `sgn(...)` of the surfaces, or as `fields` for the patterns of signs";
            return Err(fault(path.to_owned(), what, "write one of the two"));
        }
        let mut read = |equations: &[String], here: &str| -> Result<Vec<Symbolic>, Vec<SystemError>> {
            let right = declarations.equations(equations, here)?;
            let errors: Vec<SystemError> = right
                .iter()
                .filter_map(|e| declarations.check_equation(e, equations, here).err())
                .collect();
            if errors.is_empty() {
                Ok(right.iter().map(Symbolic::of).collect())
            } else {
                Err(errors)
            }
        };
        if self.fields.is_empty() {
            let formulas = read(&self.equations, &format!("{path}.equations"))?;
            let bodies = self.bodies();
            let sides = SurfaceSides::new(declarations, &names, &bodies);
            let formulas: Vec<Symbolic> = formulas.iter().map(|formula| sides.of(formula)).collect();
            return Ok(SwitchedField::of_formulas(formulas, names.len()));
        }
        let mut fields = vec![];
        for (pattern, equations) in self.fields.iter() {
            let here = format!("{path}.fields.{}", quoted(pattern));
            let Some(sides) = Pattern::parse(pattern, names.len()).filter(|p| p.on().next().is_none()) else {
                let what = format!("`{pattern}` is no pattern of {} signs", names.len());
                return Err(fault(
                    format!("{here}#"),
                    &what,
                    "write `+` or `-` for each surface, in their order",
                ));
            };
            if fields.iter().any(|(other, _)| *other == sides) {
                let fault = SystemFault::Duplicate {
                    what: "field",
                    name: pattern.to_owned(),
                };
                return Err(vec![SystemError::new(format!("{here}#"), fault)]);
            }
            fields.push((sides, read(equations, &here)?));
        }
        let all = Pattern::all(names.len(), 0);
        if let Some(missing) = all.iter().find(|p| !fields.iter().any(|(own, _)| own == *p)) {
            let what = format!("there is no field for `{}`", missing.text());
            return Err(fault(format!("{path}.fields"), &what, "add its equations"));
        }
        // What equations say of sides, their pattern decides.
        let bodies = self.bodies();
        let sides = SurfaceSides::new(declarations, &names, &bodies);
        for (pattern, field) in &mut fields {
            for component in field {
                let sided = sides.of(component);
                if (0..names.len()).any(|i| sided.mentions(&sign(i))) {
                    *component = with_signs(&sided, &signs(pattern)).folded();
                }
            }
        }
        Ok(SwitchedField::of_corners(&fields, names.len()))
    }

    /// The ratio of the level in sticking to that in slipping, for each surface.
    fn ratios(&self, declarations: &mut Declarations<'_>, path: &str) -> Result<Vec<Symbolic>, Vec<SystemError>> {
        let mut ratios = vec![Symbolic::number(1.0); self.surfaces.iter().count()];
        for (name, text) in self.stiction.iter() {
            let here = format!("{path}.stiction.{}", quoted(name));
            let Some(surface) = self
                .surfaces
                .iter()
                .position(|(own, _)| plain_name(own) == plain_name(name))
            else {
                let fault = SystemFault::Unknown {
                    what: "surface",
                    name: name.to_owned(),
                    known: self.surfaces.iter().map(|(own, _)| own.to_owned()).collect(),
                };
                return Err(vec![SystemError::new(format!("{here}#"), fault)]);
            };
            let ratio = declarations.constant(text, &here).map_err(|e| vec![e])?;
            let value = declarations.value(&ratio, &vec![0.0; declarations.frame.states.len()]);
            if let Some(value) = value.filter(|value| !(*value >= 1.0)) {
                let fault = SystemFault::Declaration {
                    what: format!("the level in sticking is {value} times that in slipping, at the default parameters"),
                    instead: "write a ratio of at least 1".to_owned(),
                };
                return Err(vec![SystemError::new(here, fault)]);
            }
            ratios[surface] = ratio;
        }
        Ok(ratios)
    }

    /// The names that the study gives to modes.
    fn names(&self, path: &str) -> Result<Vec<(Pattern, String)>, Vec<SystemError>> {
        let count = self.surfaces.iter().count();
        let mut names: Vec<(Pattern, String)> = vec![];
        for (pattern, name) in self.modes.iter() {
            let here = format!("{path}.modes.{}", quoted(pattern));
            let Some(sides) = Pattern::parse(pattern, count) else {
                let what = format!("`{pattern}` is no pattern of {count} sides");
                let instead = "write `+`, `-` or `0` for each surface, in their order".to_owned();
                return Err(vec![SystemError::new(
                    format!("{here}#"),
                    SystemFault::Declaration { what, instead },
                )]);
            };
            if names.iter().any(|(_, other)| other == name) {
                let fault = SystemFault::Duplicate {
                    what: "mode",
                    name: name.clone(),
                };
                return Err(vec![SystemError::new(here, fault)]);
            }
            names.push((sides, name.clone()));
        }
        Ok(names)
    }

    /// Where trajectories begin: the mode is that of the point.
    fn start(&self, maker: &Maker, declarations: &Declarations<'_>, path: &str) -> Result<StartSpec, Vec<SystemError>> {
        let x = declarations.values(&declarations.start(&self.start, &format!("{path}.start"))?);
        let pattern = maker.sliding.pattern_at(&x, ON, declarations);
        let absent = maker.sliding.eliminated(&pattern);
        let is_absent = |name: &str| absent.iter().any(|e| e.state == plain_name(name));
        let at = self.start.iter().filter(|(name, _)| !is_absent(name));
        Ok(StartSpec {
            mode: maker.name(&pattern),
            at: Named(
                at.map(|(name, number): (&str, &Number)| (name.to_owned(), number.clone()))
                    .collect(),
            ),
        })
    }
}
