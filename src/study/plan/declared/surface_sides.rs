//! Where formulas speak of the sides of surfaces: by the sign of a switching function, by conditions on it, by its
//! size.

use crate::plan::declared::coincidence::number;
use crate::plan::declared::expansion::{Declarations, Definition};
use crate::plan::declared::switched_field::sign;
use slipstick_system::text::Symbolic;

/// The surfaces of a declaration, for equations that speak of their sides.
pub(crate) struct SurfaceSides<'a> {
    declarations: &'a Declarations<'a>,
    names: &'a [String],
    /// The functions as they are declared.
    bodies: &'a [Symbolic],
    /// The definitions that lead to an end: what enters itself is complained of where it is used.
    definitions: Vec<Definition>,
    /// Those of them that have arguments.
    functions: Vec<Definition>,
    /// The other definitions in which sides enter, themselves or by others.
    pub(crate) about: Vec<Definition>,
}

impl<'a> SurfaceSides<'a> {
    pub(crate) fn new(declarations: &'a Declarations<'a>, names: &'a [String], bodies: &'a [Symbolic]) -> Self {
        let definitions = with_an_end(declarations.definitions());
        let functions = definitions.iter().filter(|(_, arguments, _)| !arguments.is_empty());
        let mut sides = Self {
            declarations,
            names,
            bodies,
            functions: functions.cloned().collect(),
            definitions: definitions.clone(),
            about: vec![],
        };
        let mut rest: Vec<Definition> = definitions
            .into_iter()
            .filter(|(own, ..)| !names.contains(own))
            .collect();
        loop {
            let enters = |(_, arguments, body): &Definition| {
                let uses = |(name, ..): &Definition| body.mentions(name);
                sides.about.iter().any(uses) || sides.of_functions(&apart(arguments, body)).is_some()
            };
            let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(enters);
            if more.is_empty() {
                return sides;
            }
            sides.about.extend(more);
            rest = others;
        }
    }

    /// A formula without definitions in which sides enter, and with the sides called by [`sign`].
    pub(crate) fn of(&self, formula: &Symbolic) -> Symbolic {
        let known = |name: &str| of_name(&self.about, name);
        let own = formula.written_out(&known);
        self.of_functions(&own).unwrap_or(own)
    }

    /// A formula with its functions written out, so that sides stand in the formula itself; none if there are none.
    fn of_functions(&self, formula: &Symbolic) -> Option<Symbolic> {
        let call = |name: &str| of_name(&self.functions, name);
        let written = formula.written_out(&call);
        let signed = written.with_signs_of_quotients(&|a, b| self.multiple(a, b));
        let written = with_sides(&signed, self.names, &|of| self.ratio(of));
        let compared = written.with_comparisons(&|of| {
            let (surface, ratio) = self.ratio(of)?;
            let ratio = ratio.value().map_or(ratio, |value| Symbolic::number(value.signum()));
            Some(ratio * Symbolic::name(&sign(surface)))
        });
        let own = with_sizes(&compared, self.names, self.bodies);
        (0..self.names.len()).any(|i| own.mentions(&sign(i))).then_some(own)
    }

    /// The surface whose function a formula is but for a factor, and this factor: as both are written, or else by their
    /// values, as `y1 > y2 + v0` beside the function `y1 - y2 - v0`.
    fn ratio(&self, of: &Symbolic) -> Option<(usize, Symbolic)> {
        if of.value().is_some() {
            return None;
        }
        let known = |name: &str| of_name(&self.definitions, name);
        let written = of.written_out(&known);
        let ratio = |i: usize| {
            let (own, body) = (Symbolic::name(&self.names[i]), &self.bodies[i]);
            let as_written = of.ratio_to(&own).or_else(|| of.ratio_to(body));
            let as_written = as_written.or_else(|| written.ratio_to(&body.written_out(&known)));
            as_written.or_else(|| number(self.declarations, body, &written).map(Symbolic::number))
        };
        // Factors that move may vanish with the function.
        let states = &self.declarations.frame.states;
        let moves = |name: &str, ratio: &Symbolic| ratio.depends_on(name, &known);
        let stays = |ratio: &Symbolic| !moves("t", ratio) && !states.iter().any(|s| moves(&s.name, ratio));
        (0..self.names.len()).find_map(|i| Some((i, ratio(i).filter(stays)?)))
    }

    /// What one formula is times another one, if both are the function of one surface but for factors.
    fn multiple(&self, of: &Symbolic, other: &Symbolic) -> Option<Symbolic> {
        let (surface, own) = self.ratio(of)?;
        let (_, other) = self.ratio(other).filter(|(beside, _)| *beside == surface)?;
        Some(if own == other {
            Symbolic::number(1.0)
        } else {
            own / other
        })
    }
}

/// The definitions that do not come back to themselves, nor to others that do.
fn with_an_end(mut rest: Vec<Definition>) -> Vec<Definition> {
    let mut found: Vec<Definition> = vec![];
    loop {
        let waits = |(_, arguments, body): &Definition| {
            let body = apart(arguments, body);
            rest.iter().any(|(name, ..)| body.mentions(name))
        };
        let (left, more): (Vec<_>, Vec<_>) = rest.iter().cloned().partition(waits);
        if more.is_empty() {
            return found;
        }
        found.extend(more);
        rest = left;
    }
}

fn of_name(definitions: &[Definition], name: &str) -> Option<(Vec<String>, Symbolic)> {
    let found = definitions.iter().find(|(own, ..)| own == name);
    found.map(|(_, arguments, body)| (arguments.clone(), body.clone()))
}

/// The body of a definition in which no argument has the name of a state.
fn apart(arguments: &[String], body: &Symbolic) -> Symbolic {
    body.replaced(&|name, call| {
        let place = arguments.iter().position(|own| own == name && call.is_none())?;
        Some(Symbolic::name(&format!("#argument{place}")))
    })
}

/// A formula with the signs of the functions of surfaces called by [`sign`]. `ratio` gives the surface whose function
/// another formula is, but for a factor.
pub(crate) fn with_sides(
    formula: &Symbolic,
    surfaces: &[String],
    ratio: &dyn Fn(&Symbolic) -> Option<(usize, Symbolic)>,
) -> Symbolic {
    formula.replaced(&|name, arguments| {
        let [argument] = arguments? else { return None };
        if !matches!(name, "sgn" | "sign" | "heaviside") {
            return None;
        }
        let own = surfaces.iter().position(|s| *argument == Symbolic::name(s));
        let (surface, ratio) = own.map(|i| (i, Symbolic::number(1.0))).or_else(|| ratio(argument))?;
        let turned = match ratio.value() {
            Some(value) => Symbolic::number(value.signum()),
            None => Symbolic::call("sign", vec![ratio]),
        };
        let side = turned * Symbolic::name(&sign(surface));
        Some(match name {
            "heaviside" => (Symbolic::number(1.0) + side) / Symbolic::number(2.0),
            _ => side,
        })
    })
}

/// The number that a formula is times a surface that it names.
pub(crate) fn named(of: &Symbolic, surfaces: &[String]) -> Option<(usize, Symbolic)> {
    let ratio = |name: &String| {
        of.ratio_to(&Symbolic::name(name))
            .filter(|ratio| ratio.value().is_some())
    };
    surfaces
        .iter()
        .enumerate()
        .find_map(|(i, name)| Some((i, ratio(name)?)))
}

/// A formula with the size of the function of a surface written with its side, where its kink lies on the surface: a
/// mode then has the law of its own side, also where it begins, on the surface itself. `bodies` are the functions.
fn with_sizes(formula: &Symbolic, surfaces: &[String], bodies: &[Symbolic]) -> Symbolic {
    formula.replaced(&|name, arguments| {
        let ("abs", [argument]) = (name, arguments?) else {
            return None;
        };
        let ratio = |i: usize| {
            let own = Symbolic::name(&surfaces[i]);
            argument.ratio_to(&own).or_else(|| argument.ratio_to(&bodies[i]))
        };
        let (surface, ratio) = (0..surfaces.len()).find_map(|i| Some((i, ratio(i)?)))?;
        let size = match ratio.value() {
            Some(value) => Symbolic::number(value.abs()),
            None => Symbolic::call("abs", vec![ratio]),
        };
        Some(size * Symbolic::name(&sign(surface)) * Symbolic::name(&surfaces[surface]))
    })
}
