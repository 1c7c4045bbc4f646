//! Motion on the surfaces at which a field jumps: the signs that keep it there, where it begins and ends.

use crate::plan::declared::expansion::{Declarations, Definition};
use crate::plan::declared::pattern::{Pattern, Side};
use crate::plan::declared::switched_field::{SwitchedField, sign, signs};
use slipstick_system::text::Symbolic;

/// The motion of more than two surfaces at once is not made.
const AT_ONCE: usize = 2;

/// Surfaces with the field that jumps at them.
pub(crate) struct Sliding {
    /// The switching functions.
    pub(crate) surfaces: Vec<Symbolic>,
    /// The names of the states that have equations.
    pub(crate) states: Vec<String>,
    /// Those of them that are no angles.
    straight: Vec<String>,
    pub(crate) field: SwitchedField,
    /// The ratios of static to kinetic levels.
    pub(crate) stiction: Vec<Symbolic>,
    definitions: Vec<Definition>,
    /// The phase of the forcing with its rate.
    phase: Option<(String, Symbolic)>,
    /// The parameters with their values.
    parameters: Vec<(String, f64)>,
}

/// A state that a surface leaves no freedom.
pub(crate) struct Eliminated {
    pub(crate) state: String,
    pub(crate) value: Symbolic,
    surface: usize,
}

/// Where a motion that reaches a surface goes on.
pub(crate) struct Arrival {
    pub(crate) pattern: Pattern,
    /// Surfaces that it leaves at the same time, and to which side.
    pub(crate) leaves: Vec<(usize, Side)>,
    /// Under which conditions.
    pub(crate) when: Vec<String>,
}

/// The rate of a switching function as a function of its own sign u: `a + b u`.
struct Rate {
    a: Symbolic,
    b: Symbolic,
}

impl Sliding {
    pub(crate) fn new(
        declarations: &Declarations<'_>,
        surfaces: Vec<Symbolic>,
        field: SwitchedField,
        stiction: Vec<Symbolic>,
    ) -> Self {
        let frame = &declarations.frame;
        let own = |k: &usize| Some(*k) != frame.phase;
        let own: Vec<_> = (0..frame.states.len()).filter(own).map(|k| &frame.states[k]).collect();
        Self {
            surfaces,
            states: own.iter().map(|s| s.name.clone()).collect(),
            straight: own
                .iter()
                .filter(|s| s.period.is_none())
                .map(|s| s.name.clone())
                .collect(),
            field,
            stiction,
            definitions: declarations.definitions(),
            phase: declarations.phase_rate(),
            parameters: frame.parameters.iter().map(|p| (p.name.clone(), p.value)).collect(),
        }
    }

    fn definition(&self, name: &str) -> Option<(Vec<String>, Symbolic)> {
        let found = self.definitions.iter().find(|(own, ..)| own == name);
        found.map(|(_, arguments, body)| (arguments.clone(), body.clone()))
    }

    /// The patterns of sides in which motion is possible: on a surface only where the field jumps across it.
    pub(crate) fn patterns(&self) -> Vec<Pattern> {
        let mut all = Pattern::all(self.surfaces.len(), AT_ONCE);
        all.retain(|pattern| self.is_possible(pattern));
        all
    }

    /// Can a motion stay on the surfaces of a pattern? The field has to jump across each, and two have to determine
    /// both signs.
    pub(crate) fn is_possible(&self, pattern: &Pattern) -> bool {
        let on: Vec<usize> = pattern.on().collect();
        let determined = match on[..] {
            [i, j] => self.both(pattern, (i, j)).is_some(),
            _ => on.len() <= AT_ONCE,
        };
        determined && on.into_iter().all(|i| self.jumps(pattern, i))
    }

    /// Does the rate of a switching function jump where it vanishes?
    pub(crate) fn jumps(&self, pattern: &Pattern, surface: usize) -> bool {
        !self.rate(&pattern.with(surface, Side::On), surface).b.is_zero()
    }

    /// The rate of change of a switching function along a field.
    pub(crate) fn along(&self, surface: usize, field: &[Symbolic]) -> Symbolic {
        self.rate_of(&self.surfaces[surface], field)
    }

    /// The derivatives of a scalar by the states.
    pub(crate) fn slopes(&self, of: &Symbolic) -> Vec<Symbolic> {
        let known = |name: &str| self.definition(name);
        self.states.iter().map(|state| of.derivative(state, &known)).collect()
    }

    /// The rate of change of a scalar along a field.
    pub(crate) fn rate_of(&self, h: &Symbolic, field: &[Symbolic]) -> Symbolic {
        let known = |name: &str| self.definition(name);
        let slope = |name: &str| h.derivative(name, &known);
        let mut rate = Symbolic::number(0.0);
        for (state, own) in self.states.iter().zip(field) {
            rate = rate + slope(state) * own.clone();
        }
        if let Some((phase, turns)) = &self.phase {
            rate = rate + slope(phase) * turns.clone() + slope("t");
        }
        rate
    }

    /// The rate of a switching function on its surface; signs of others on which the motion stays, too, are open.
    fn rate(&self, pattern: &Pattern, surface: usize) -> Rate {
        let rate = self.along(surface, &self.field.at(&signs(pattern)));
        Rate {
            a: without(&rate, surface),
            b: rate.derivative(&sign(surface), &|_| None),
        }
    }

    /// Which side of its surface the sign that keeps a motion there has not reached: positive as long as it slides.
    fn before(&self, pattern: &Pattern, surface: usize, side: Side) -> Symbolic {
        let Rate { a, b } = self.rate(pattern, surface);
        let ratio = &self.stiction[surface];
        if ratio.value() == Some(1.0) {
            // The field of that side itself.
            let mut there = signs(pattern);
            there[surface] = Symbolic::number(side.sign());
            let rate = self.along(surface, &self.field.at(&there));
            return if side == Side::Plus { -rate } else { rate };
        }
        let reached = ratio.clone() * b;
        if side == Side::Plus {
            -(a + reached)
        } else {
            a - reached
        }
    }

    /// The signs that keep the motion on its surfaces, with the surfaces.
    fn controls(&self, pattern: &Pattern) -> Vec<(usize, Symbolic)> {
        let on: Vec<usize> = pattern.on().collect();
        match on[..] {
            [i] => {
                let Rate { a, b } = self.rate(pattern, i);
                vec![(i, -(a / b))]
            }
            [i, j] => {
                let both = self.both(pattern, (i, j));
                both.map_or_else(Vec::new, |both| vec![(i, both.first), (j, both.second)])
            }
            _ => vec![],
        }
    }

    /// The signs that keep a motion on two surfaces; none where the rates of both do not determine them.
    fn both(&self, pattern: &Pattern, (i, j): (usize, usize)) -> Option<Intersection> {
        let [first, second] = [i, j].map(|own| self.bilinear(pattern, own, (i, j)));
        Intersection::of(&first, &second)
    }

    /// The rate of a switching function where two signs are open: constant, slopes by both, and their product's.
    fn bilinear(&self, pattern: &Pattern, surface: usize, (i, j): (usize, usize)) -> [Symbolic; 4] {
        let rate = self.along(surface, &self.field.at(&signs(pattern)));
        let by = |formula: &Symbolic, own: usize| formula.derivative(&sign(own), &|_| None);
        let (by_i, by_j) = (by(&rate, i), by(&rate, j));
        let mixed = by(&by_i, j);
        [
            without(&without(&rate, i), j),
            without(&by_i, j),
            without(&by_j, i),
            mixed,
        ]
    }

    /// The signs of a pattern; where the motion stays on a surface, that which keeps it there.
    pub(crate) fn sides(&self, pattern: &Pattern) -> Vec<Symbolic> {
        let mut values = signs(pattern);
        for (surface, control) in self.controls(pattern) {
            values[surface] = control;
        }
        values
    }

    /// The field of a pattern.
    pub(crate) fn field(&self, pattern: &Pattern) -> Vec<Symbolic> {
        let mut field = self.field.at(&self.sides(pattern));
        let eliminated = self.eliminated(pattern);
        for i in pattern.on().filter(|i| !eliminated.iter().any(|e| e.surface == *i)) {
            self.draw_back(i, &mut field);
        }
        field
    }

    /// Where a surface takes no state away: what is off it by rounding comes back, at the rate 1, along the gradient.
    fn draw_back(&self, surface: usize, field: &mut [Symbolic]) {
        let known = |name: &str| self.definition(name);
        let h = &self.surfaces[surface];
        let gradient: Vec<Symbolic> = self.states.iter().map(|s| h.derivative(s, &known)).collect();
        let square = gradient
            .iter()
            .fold(Symbolic::number(0.0), |sum, g| sum + g.clone() * g.clone());
        for (rate, slope) in field.iter_mut().zip(gradient) {
            *rate = rate.clone() - h.clone() * slope / square.clone();
        }
    }

    /// The states that the surfaces of a pattern leave no freedom: one for each surface in whose switching function a
    /// state enters with a constant factor.
    pub(crate) fn eliminated(&self, pattern: &Pattern) -> Vec<Eliminated> {
        let zeros: Vec<(usize, Symbolic)> = pattern.on().map(|i| (i, Symbolic::number(0.0))).collect();
        let mut found = self.solved(&zeros);
        // A mode has a state.
        found.truncate(self.states.len().saturating_sub(1));
        found
    }

    /// For each surface a state and its value where some switching functions have these heights; none where no state
    /// enters with a constant factor.
    pub(crate) fn solved_for(&self, heights: &[(usize, Symbolic)]) -> Vec<Option<(String, Symbolic)>> {
        let found = self.solved(heights);
        let of = |i: usize| {
            let own = found.iter().find(|e| e.surface == i);
            own.map(|e| (e.state.clone(), e.value.clone()))
        };
        (0..self.surfaces.len()).map(of).collect()
    }

    fn solved(&self, heights: &[(usize, Symbolic)]) -> Vec<Eliminated> {
        let known = |name: &str| self.definition(name);
        let mut all: Vec<Eliminated> = vec![];
        for (surface, height) in heights {
            let h = all.iter().fold(self.surfaces[*surface].written_out(&known), |h, e| {
                put_in(&h, &e.state, &e.value)
            });
            let candidates = self.straight.iter().rev().filter_map(|state| {
                let factor = h.derivative(state, &|_| None);
                let rest = put_in(&h, state, &Symbolic::number(0.0));
                self.is_constant(&factor).then_some((state, factor, rest))
            });
            // A plain number is best.
            let Some((state, factor, rest)) = candidates.min_by_key(|(_, factor, _)| factor.value().is_none()) else {
                continue;
            };
            let value = (height.clone() - rest) / factor;
            for earlier in &mut all {
                earlier.value = put_in(&earlier.value, state, &value);
            }
            all.push(Eliminated {
                state: state.clone(),
                value,
                surface: *surface,
            });
        }
        all
    }

    /// Is it a number other than zero at all states and times?
    fn is_constant(&self, formula: &Symbolic) -> bool {
        let moves = self.states.iter().map(String::as_str).chain(["t"]);
        let moves = moves.chain(self.phase.iter().map(|(name, _)| name.as_str()));
        let known = |name: &str| self.definition(name);
        let mut moves = moves.filter(|name| formula.depends_on(name, &known));
        if formula.is_zero() || moves.next().is_some() {
            return false;
        }
        let value = self.parameters.iter().fold(formula.clone(), |f, (name, value)| {
            put_in(&f, name, &Symbolic::number(*value))
        });
        value.value() != Some(0.0)
    }

    /// What changes its sign from negative to positive (for `Plus`) or back (for `Minus`) where motion on a surface
    /// ends to this side.
    pub(crate) fn exit(&self, pattern: &Pattern, surface: usize, side: Side) -> Symbolic {
        if pattern.on().count() == 1 {
            let before = self.before(pattern, surface, side);
            return if side == Side::Plus { -before } else { before };
        }
        let control = self.controls(pattern).into_iter().find(|(own, _)| *own == surface);
        let control = control.map_or_else(|| Symbolic::number(0.0), |(_, control)| control);
        let ratio = self.stiction[surface].clone();
        if side == Side::Plus {
            control - ratio
        } else {
            control + ratio
        }
    }

    /// What must hold while the motion stays on its surface: it is attracted from both sides.
    pub(crate) fn attracting(&self, pattern: &Pattern) -> Vec<String> {
        let on: Vec<usize> = pattern.on().collect();
        let repelling = match on[..] {
            [i] => Some(self.rate(pattern, i).b),
            [i, j] => self.both(pattern, (i, j)).and_then(|both| both.repelling),
            _ => None,
        };
        // Where it is the same everywhere, what lands has seen to it.
        let varies = repelling.filter(|repelling| on.len() > 1 || !self.is_constant(repelling));
        varies.iter().map(|repelling| format!("{repelling} < 0")).collect()
    }

    /// Where a motion goes on that reaches a surface.
    pub(crate) fn arrivals(&self, pattern: &Pattern, surface: usize) -> Vec<Arrival> {
        let side = pattern.0[surface];
        let beyond = pattern.with(surface, side.opposite());
        let arrival = |pattern: Pattern, when: Vec<String>| Arrival {
            pattern,
            leaves: vec![],
            when,
        };
        let positive = |formula: &Symbolic| format!("{formula} > 0");
        let negative = |formula: &Symbolic| format!("{formula} < 0");
        let on: Vec<usize> = pattern.on().collect();
        match on[..] {
            [] if !self.jumps(pattern, surface) => vec![arrival(beyond, vec![])],
            [] => {
                let sticks = pattern.with(surface, Side::On);
                let stays = self.before(&sticks, surface, side.opposite());
                vec![
                    arrival(sticks, vec![positive(&stays)]),
                    arrival(beyond, vec![negative(&stays)]),
                ]
            }
            [j] => {
                // Away from the surface, once it is beyond it.
                let away = |p: &Pattern| {
                    let rate = self.along(surface, &self.field(p));
                    if side == Side::Plus {
                        negative(&rate)
                    } else {
                        positive(&rate)
                    }
                };
                let mut all = vec![];
                let both = pattern.with(surface, Side::On);
                if self.is_possible(&both) {
                    let within = |(i, control): (usize, Symbolic)| {
                        let ratio = &self.stiction[i];
                        format!("{} < {control} < {ratio}", -ratio.clone())
                    };
                    let within = self.controls(&both).into_iter().map(within);
                    all.push(arrival(both.clone(), within.chain(self.attracting(&both)).collect()));
                }
                let [up, down] = [Side::Plus, Side::Minus].map(|s| self.before(&beyond, j, s));
                if self.is_possible(&beyond) {
                    all.push(arrival(
                        beyond.clone(),
                        vec![positive(&up), positive(&down), away(&beyond)],
                    ));
                }
                for (to, left) in [(Side::Plus, up), (Side::Minus, down)] {
                    let free = beyond.with(j, to);
                    let when = vec![negative(&left), away(&free)];
                    all.push(Arrival {
                        pattern: free,
                        leaves: vec![(j, to)],
                        when,
                    });
                }
                for to in [Side::Plus, Side::Minus] {
                    let on_the_other = both.with(j, to);
                    if self.is_possible(&on_the_other) {
                        let when = self.goes_on(&on_the_other, (surface, j)).iter().map(positive).collect();
                        all.push(Arrival {
                            pattern: on_the_other,
                            leaves: vec![(j, to)],
                            when,
                        });
                    }
                }
                all
            }
            // On two surfaces already: the third is crossed.
            _ => vec![arrival(beyond, vec![])],
        }
    }

    /// What is positive where a motion at the intersection of two surfaces goes on in this pattern: signs that keep it
    /// on a surface lie between the sides, and away from a surface it moves off.
    fn goes_on(&self, pattern: &Pattern, (i, j): (usize, usize)) -> Vec<Symbolic> {
        if pattern.0[i] == Side::On && pattern.0[j] == Side::On {
            let within = |(own, control): (usize, Symbolic)| {
                let ratio = self.stiction[own].clone();
                [ratio.clone() - control.clone(), ratio + control]
            };
            let attracts = self.both(pattern, (i, j)).and_then(|both| both.repelling);
            let controls = self.controls(pattern).into_iter().flat_map(within);
            return controls.chain(attracts.map(|repelling| -repelling)).collect();
        }
        let field = self.field(pattern);
        let of = |own: usize| match pattern.0[own] {
            Side::On => [Side::Plus, Side::Minus]
                .map(|side| self.before(pattern, own, side))
                .to_vec(),
            Side::Plus => vec![self.along(own, &field)],
            Side::Minus => vec![-self.along(own, &field)],
        };
        [i, j].into_iter().flat_map(of).collect()
    }

    /// The patterns in which a motion may leave the intersection of two surfaces, those on one of them first.
    fn beside(&self, pattern: &Pattern, (i, j): (usize, usize)) -> Vec<Pattern> {
        let sides = [Side::Plus, Side::Minus];
        let one = |on: usize, other: usize| sides.map(|side| pattern.with(on, Side::On).with(other, side));
        let none = sides
            .into_iter()
            .flat_map(|a| sides.map(|b| pattern.with(i, a).with(j, b)));
        let possible = |p: &Pattern| p.on().all(|own| [i, j].contains(&own)) && self.is_possible(p);
        one(i, j)
            .into_iter()
            .chain(one(j, i))
            .chain(none)
            .filter(possible)
            .collect()
    }

    /// Where the motion on two surfaces ceases because the signs that keep it there cease to be real: what falls through
    /// zero there, and where it goes on.
    pub(crate) fn ceases(&self, pattern: &Pattern) -> Option<(Symbolic, Vec<Arrival>)> {
        let on: Vec<usize> = pattern.on().collect();
        let [i, j] = on[..] else { return None };
        let real = self.both(pattern, (i, j))?.real?;
        let arrival = |beside: Pattern| Arrival {
            leaves: [i, j]
                .into_iter()
                .filter(|own| beside.0[*own] != Side::On)
                .map(|own| (own, beside.0[own]))
                .collect(),
            when: self
                .goes_on(&beside, (i, j))
                .iter()
                .map(|formula| format!("{formula} > 0"))
                .collect(),
            pattern: beside,
        };
        let arrivals = self.beside(pattern, (i, j)).into_iter().map(arrival).collect();
        Some((real, arrivals))
    }

    /// The pattern that a point lies in; on a surface where the motion stays there, and else on the side that it leaves
    /// to. A switching function is zero if it is no larger than `zero`, relative to 1 + |states|.
    pub(crate) fn pattern_at(&self, x: &[f64], zero: f64, declarations: &Declarations<'_>) -> Pattern {
        let size = x.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
        let value = |formula: &Symbolic| declarations.value(formula, x).unwrap_or(f64::NAN);
        let heights: Vec<f64> = self.surfaces.iter().map(value).collect();
        let mut pattern = Pattern(
            heights
                .iter()
                .map(|h| if *h < 0.0 { Side::Minus } else { Side::Plus })
                .collect(),
        );
        let met: Vec<usize> = (0..heights.len())
            .filter(|i| heights[*i].abs() <= zero * size)
            .collect();
        if let [i, j] = met[..] {
            let both = pattern.with(i, Side::On).with(j, Side::On);
            let candidates = Some(both)
                .filter(|both| self.is_possible(both))
                .into_iter()
                .chain(self.beside(&pattern, (i, j)));
            let goes_on = |p: &Pattern| self.goes_on(p, (i, j)).iter().all(|formula| value(formula) > 0.0);
            if let Some(found) = candidates.into_iter().find(goes_on) {
                return found;
            }
        }
        for surface in met {
            let sticks = pattern.with(surface, Side::On);
            let [up, down] = [Side::Plus, Side::Minus].map(|side| {
                let jumps = self.jumps(&sticks, surface) && pattern.on().next().is_none();
                if jumps {
                    value(&self.before(&sticks, surface, side))
                } else {
                    f64::NAN
                }
            });
            pattern = if up > 0.0 && down > 0.0 {
                sticks
            } else if up <= 0.0 {
                pattern.with(surface, Side::Plus)
            } else {
                let side = if down <= 0.0 { Side::Minus } else { pattern.0[surface] };
                pattern.with(surface, side)
            };
        }
        pattern
    }
}

/// A formula in which the sign of a surface is zero.
fn without(formula: &Symbolic, surface: usize) -> Symbolic {
    put_in(formula, &sign(surface), &Symbolic::number(0.0))
}

/// A formula with a value in place of a name.
fn put_in(formula: &Symbolic, name: &str, value: &Symbolic) -> Symbolic {
    formula.replaced(&|own, arguments| (own == name && arguments.is_none()).then(|| value.clone()))
}

/// The signs that keep a motion on two surfaces.
struct Intersection {
    first: Symbolic,
    second: Symbolic,
    /// What is positive where they are real, if they may cease to be.
    real: Option<Symbolic>,
    /// What is negative unless each of the surfaces by itself repels, if it may be positive.
    repelling: Option<Symbolic>,
}

impl Intersection {
    /// The signs u and v at which both rates `a + b u + c v + d u v` and `e + f u + g v + h u v` vanish, of which
    /// p v² + q v + r = 0 is left without u.
    ///
    /// Of two solutions that at which the determinant of the rates by the signs is positive, 2 p v + q = √(q² - 4 p r): in
    /// any regularisation the signs are repelled from the other one, a saddle. It changes continuously as long as it is real.
    fn of([a, b, c, d]: &[Symbolic; 4], [e, f, g, h]: &[Symbolic; 4]) -> Option<Self> {
        let cross =
            |x: &Symbolic, y: &Symbolic, z: &Symbolic, w: &Symbolic| x.clone() * y.clone() - z.clone() * w.clone();
        let p = cross(g, d, h, c);
        let q = cross(e, d, f, c) + cross(g, b, h, a);
        let r = cross(e, b, f, a);
        let (second, real) = if p.is_zero() {
            (!q.is_zero()).then(|| (-(r / q), None))?
        } else {
            Self::second(&p, &q, &r)?
        };
        let sign = |[a, b, c, d]: [&Symbolic; 4]| {
            let slope = b.clone() + d.clone() * second.clone();
            (!slope.is_zero()).then(|| -((a.clone() + c.clone() * second.clone()) / slope))
        };
        let first = sign([a, b, c, d]).or_else(|| sign([e, f, g, h]))?;
        let own = |slope: &Symbolic, mixed: &Symbolic, other: &Symbolic| slope.clone() + mixed.clone() * other.clone();
        let slopes = [own(b, d, &second), own(g, h, &first)];
        let attracts = slopes.iter().any(|slope| slope.value().is_some_and(|b| b < 0.0));
        let repelling = (!attracts).then(|| Symbolic::call("min", slopes.to_vec()));
        Some(Self {
            first,
            second,
            real,
            repelling,
        })
    }

    /// The larger root v of p v² + q v + r by p, and what is positive where it is real.
    fn second(p: &Symbolic, q: &Symbolic, r: &Symbolic) -> Option<(Symbolic, Option<Symbolic>)> {
        let number = Symbolic::number;
        if let [Some(p), Some(q), Some(r)] = [p, q, r].map(Symbolic::value) {
            let root = (q * q - 4.0 * p * r).sqrt();
            let v = if q < 0.0 {
                (root - q) / (2.0 * p)
            } else {
                -2.0 * r / (q + root)
            };
            return v.is_finite().then(|| (number(v), None));
        }
        let choice = |a, b, c| Symbolic::call("if", vec![a, b, c]);
        let discriminant = q.clone() * q.clone() - number(4.0) * p.clone() * r.clone();
        // Steps that look beyond the place where it ceases to be real find a number there.
        let sqrt = Symbolic::call("sqrt", vec![discriminant.clone()]);
        let root = choice(number(0.0).less(discriminant.clone()), sqrt, number(0.0));
        // Neither form loses digits by a difference of like numbers.
        let small = -(number(2.0) * r.clone() / (q.clone() + root.clone()));
        let large = (root - q.clone()) / (number(2.0) * p.clone());
        Some((choice(q.clone().less(number(0.0)), large, small), Some(discriminant)))
    }
}
