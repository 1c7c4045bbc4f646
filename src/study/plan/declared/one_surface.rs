//! Surfaces of a discontinuous field that are one and the same, as those of `v - v0` and `2*(v0 - v)`: their
//! sides change together. The first of them is the surface; the others are definitions, with its sides.

use crate::plan::declared::coincidence::factor;
use crate::plan::declared::expansion::{Declarations, Sources};
use crate::plan::declared::pattern::Pattern;
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::quoted;
use crate::spec::system::filippov::FilippovSpec;
use crate::spec::system::named::Named;
use slipstick_system::text::{Symbolic, plain_name};
use std::borrow::Cow;

/// For each surface the first one that is the same, and the sign of the factor between their functions.
struct Firsts(Vec<(usize, f64)>);

impl FilippovSpec {
    /// The same with each surface once, and where what is moved for that comes from.
    pub(crate) fn with_each_surface_once(&self, path: &str) -> Result<(Cow<'_, Self>, Sources), Vec<SystemError>> {
        let firsts = self.firsts(path);
        let mut sources = Sources::default();
        if (0..firsts.0.len()).all(|j| firsts.is_first(j)) {
            return Ok((Cow::Borrowed(self), sources));
        }
        self.same_stiction(&firsts, path)?;
        let mut once = self.clone();
        let names: Vec<String> = self.surfaces.iter().map(|(name, _)| plain_name(name)).collect();
        once.surfaces.0.clear();
        for (j, entry) in self.surfaces.0.iter().enumerate() {
            if firsts.is_first(j) {
                once.surfaces.0.push(entry.clone());
                continue;
            }
            let source = format!("surfaces.{}", quoted(&entry.0));
            sources.add(format!("define[{}]", once.define.0.len()), source.clone());
            sources.add(format!("define.{}", quoted(&entry.0)), source.clone());
            sources.add(format!("define.{}", names[j]), source);
            once.define.0.push(entry.clone());
        }
        let sided = |text: &mut String| {
            let Ok(formula) = Symbolic::parse(text) else { return };
            let own = firsts.with_sides(&formula, &names);
            if own != formula {
                *text = own.to_string();
            }
        };
        once.define.0.iter_mut().for_each(|(_, text)| sided(text));
        once.observables.0.iter_mut().for_each(|(_, text)| sided(text));
        let monitors = once.monitors.0.iter_mut();
        monitors.flat_map(|(_, monitor)| monitor.formulas_mut()).for_each(sided);
        for equation in &mut once.equations {
            if let Some((state, right)) = equation.split_once('=') {
                let mut right = right.to_owned();
                sided(&mut right);
                *equation = format!("{state}={right}");
            }
        }
        once.fields = firsts.of_patterns(&self.fields, |_| Ok(()))?;
        once.modes = firsts.of_patterns(&self.modes, |pattern| {
            let fault = SystemFault::Declaration {
                what: format!(
                    "`{pattern}` names no mode: there are surfaces that are the same, whose sides change together"
                ),
                instead: "leave the name out".to_owned(),
            };
            let here = format!("{path}.modes.{}#", quoted(pattern));
            Err(vec![SystemError::new(here, fault)])
        })?;
        let stiction = once.stiction.0.into_iter();
        once.stiction = Named(
            stiction
                .filter(|(name, _)| once.surfaces.iter().any(|(own, _)| plain_name(own) == plain_name(name)))
                .collect(),
        );
        Ok((Cow::Owned(once), sources))
    }

    /// Which surfaces are the same; none where the declaration cannot be read, which whoever reads it says.
    fn firsts(&self, path: &str) -> Firsts {
        let count = self.surfaces.0.len();
        let alone = Firsts((0..count).map(|surface| (surface, 1.0)).collect());
        if count < 2 {
            return alone;
        }
        let (base, _) = self.base();
        let Ok(declarations) = Declarations::of(&base, path) else {
            return alone;
        };
        let functions = self.surfaces.iter().map(|(_, text)| Symbolic::parse(text).ok());
        let functions: Vec<Option<Symbolic>> = functions.collect();
        let mut all: Vec<(usize, f64)> = vec![];
        for j in 0..count {
            let first = (0..j).filter(|i| all[*i].0 == *i).find_map(|i| {
                let (one, other) = (functions[i].as_ref()?, functions[j].as_ref()?);
                Some((i, factor(&declarations, one, other)?))
            });
            all.push(first.unwrap_or((j, 1.0)));
        }
        Firsts(all)
    }

    /// Surfaces that are the same have one ratio of levels.
    fn same_stiction(&self, firsts: &Firsts, path: &str) -> Result<(), Vec<SystemError>> {
        let of = |name: &str| {
            let mut all = self.stiction.iter();
            all.find_map(|(own, text)| (plain_name(own) == plain_name(name)).then_some(text))
        };
        let names: Vec<&str> = self.surfaces.iter().map(|(name, _)| name).collect();
        for (name, &(first, _)) in names.iter().zip(&firsts.0) {
            if of(name) != of(names[first]) {
                let fault = SystemFault::Declaration {
                    what: format!(
                        "the surfaces `{}` and `{name}` are one and the same, with two ratios of the levels in sticking \
                         and slipping",
                        names[first]
                    ),
                    instead: "write one surface, and the ratio of the sums of both levels".to_owned(),
                };
                return Err(vec![SystemError::new(format!("{path}.stiction"), fault)]);
            }
        }
        Ok(())
    }
}

impl Firsts {
    fn is_first(&self, surface: usize) -> bool {
        self.0[surface].0 == surface
    }

    /// A formula with the sides of the first surfaces in the place of those of others.
    fn with_sides(&self, formula: &Symbolic, names: &[String]) -> Symbolic {
        formula.replaced(&|name, arguments| {
            let [argument] = arguments? else { return None };
            let surface = names.iter().position(|own| *argument == Symbolic::name(own))?;
            if self.is_first(surface) {
                return None;
            }
            let (first, factor) = self.0[surface];
            let side = |what: &str| Symbolic::call(what, vec![Symbolic::name(&names[first])]);
            let sign = Symbolic::number(factor) * side("sgn");
            match name {
                "sgn" | "sign" => Some(sign),
                "abs" => Some(sign * argument.clone()),
                "heaviside" if factor > 0.0 => Some(side("heaviside")),
                "heaviside" => Some(Symbolic::number(1.0) - side("heaviside")),
                _ => None,
            }
        })
    }

    /// What is given by patterns, by those of the first surfaces alone; `mixed` is asked about patterns in which the
    /// same surface has two sides.
    fn of_patterns<V: Clone>(
        &self,
        given: &Named<V>,
        mixed: impl Fn(&str) -> Result<(), Vec<SystemError>>,
    ) -> Result<Named<V>, Vec<SystemError>> {
        let mut all = vec![];
        for (text, value) in given.iter() {
            let Some(pattern) = Pattern::parse(text, self.0.len()) else {
                // Said with its place by whoever reads patterns.
                all.push((text.to_owned(), value.clone()));
                continue;
            };
            let side = |&(first, factor): &(usize, f64)| {
                let own = pattern.0[first];
                if factor > 0.0 { own } else { own.opposite() }
            };
            if self.0.iter().zip(&pattern.0).any(|(first, own)| side(first) != *own) {
                mixed(text)?;
                continue;
            }
            let firsts = (0..self.0.len()).filter(|surface| self.is_first(*surface));
            all.push((Pattern(firsts.map(|i| pattern.0[i]).collect()).text(), value.clone()));
        }
        Ok(Named(all))
    }
}
