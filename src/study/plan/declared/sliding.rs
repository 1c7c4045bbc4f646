//! Motion on the surfaces at which a field jumps: the signs that keep it there.

use crate::plan::declared::continuity::Values;
use crate::plan::declared::expansion::{Declarations, Definition};
use crate::plan::declared::intersection::{Abbreviations, Intersection};
use crate::plan::declared::pattern::{Pattern, Side};
use crate::plan::declared::switched_field::{SwitchedField, sign, signs};
use slipstick_system::text::Symbolic;
use std::collections::BTreeSet;

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
    /// Which switching functions may jump where the time alone decides.
    pub(crate) with_time: Vec<bool>,
    /// The patterns in which the rate of a switching function, of the surface of this number, does not jump although
    /// its sign enters.
    continuous: Vec<(Pattern, usize)>,
    /// What keeps motions on two surfaces at once, by pattern.
    intersections: Vec<(Pattern, Intersection)>,
    /// What enters their formulas many times, by name: each may use those before it.
    pub(crate) shared: Vec<Definition>,
}

/// A state that a surface leaves no freedom.
pub(crate) struct Eliminated {
    pub(crate) state: String,
    pub(crate) value: Symbolic,
    pub(crate) surface: usize,
}

/// The rate of a switching function as a function of its own sign u: `a + b u`.
pub(super) struct Rate {
    a: Symbolic,
    pub(super) b: Symbolic,
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
        let is_clock = |state: usize| frame.phase == Some(state);
        let with_time = surfaces.iter().map(|h| declarations.jumps(h, &is_clock)).collect();
        let mut sliding = Self {
            surfaces,
            with_time,
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
            continuous: vec![],
            intersections: vec![],
            shared: vec![],
        };
        sliding.find_continuous(declarations);
        sliding.find_intersections(declarations);
        sliding
    }

    /// Find where a sign enters without a jump.
    fn find_continuous(&mut self, declarations: &Declarations<'_>) {
        for pattern in Pattern::all(self.surfaces.len(), AT_ONCE) {
            for surface in pattern.on() {
                if self.vanishes(&pattern, (surface, surface), declarations) {
                    self.continuous.push((pattern.clone(), surface));
                }
            }
        }
    }

    /// Is what a sign multiplies in the rate of the function of a surface zero on the surface, but not beside it? Or is
    /// it a sum of constants that cancel, but for rounding? Other signs may have any value on their surfaces.
    fn vanishes(&self, pattern: &Pattern, (surface, by): (usize, usize), declarations: &Declarations<'_>) -> bool {
        if self.cancels(pattern, (surface, by)) {
            return true;
        }
        let slope = self
            .along(surface, &self.field.at(&signs(pattern)))
            .derivative(&sign(by), &|_| None);
        if slope.value().is_some() || self.is_constant(&slope) {
            return false;
        }
        let others = pattern.on().filter(|i| *i != by);
        let slope = others.fold(slope, |slope, i| put_in(&slope, &sign(i), &Symbolic::number(0.37)));
        let slope = put_in(&slope, &sign(by), &Symbolic::number(0.0));
        Values::of(declarations, &self.surfaces[surface], &slope).is_some_and(|values| values.vanishes())
    }

    /// Do the parts that the states have in what a sign multiplies in the rate of the function of a surface, all of
    /// them constants, cancel at general parameters and other signs, as where a system without a jump of this rate is
    /// written in other coordinates?
    fn cancels(&self, pattern: &Pattern, (surface, by): (usize, usize)) -> bool {
        /// Sets of parameters.
        const SETS: usize = 8;
        /// Of numbers written with all digits and of their products, beside the largest part.
        const ROUNDING: f64 = 1e-13;
        let slopes = self.slopes(&self.surfaces[surface]);
        let field = self.field.at(&signs(pattern));
        let jumps = field.iter().map(|own| own.derivative(&sign(by), &|_| None));
        let parts: Vec<Symbolic> = slopes
            .into_iter()
            .zip(jumps)
            .map(|(slope, jump)| slope * jump)
            .collect();
        let values = |k: usize| -> Option<Vec<f64>> {
            let part = |i: usize| 0.2 * (1.0 + 3.7 * k as f64 + 2.3 * i as f64).sin();
            let general =
                |i: usize, value: f64| Symbolic::number(if value == 0.0 { part(i) } else { value * (1.0 + part(i)) });
            let parameters = || self.parameters.iter().enumerate();
            let at = |f: &Symbolic| {
                let f = parameters().fold(f.clone(), |f, (i, (name, value))| put_in(&f, name, &general(i, *value)));
                let others = pattern.on().filter(|i| *i != by);
                others.fold(f, |f, i| put_in(&f, &sign(i), &Symbolic::number(4.0 * part(i))))
            };
            parts.iter().map(|part| at(part).value()).collect()
        };
        (0..SETS).all(|k| {
            values(k).is_some_and(|values| {
                let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                largest > 0.0 && values.iter().sum::<f64>().abs() <= ROUNDING * largest
            })
        })
    }

    /// Find what keeps motions on each two surfaces.
    fn find_intersections(&mut self, declarations: &Declarations<'_>) {
        let taken = declarations.names();
        let mut root = "both".to_owned();
        while taken.iter().any(|name| name.starts_with(&root)) {
            root.push('_');
        }
        for pattern in Pattern::all(self.surfaces.len(), AT_ONCE) {
            let on: Vec<usize> = pattern.on().collect();
            let [i, j] = on[..] else { continue };
            if self.are_parallel(i, j) {
                continue;
            }
            let [first, second] = [i, j].map(|own| {
                let mut rate = self.bilinear(&pattern, own, (i, j));
                for (slope, by) in [(1, i), (2, j)] {
                    if self.vanishes(&pattern, (own, by), declarations) {
                        rate[slope] = Symbolic::number(0.0);
                        rate[3] = Symbolic::number(0.0);
                    }
                }
                rate
            });
            let number = self.intersections.len() + 1;
            let mut abbreviations = Abbreviations::of(&[&first, &second], format!("{root}{number}"));
            if let Some(found) = Intersection::of(&first, &second, &mut abbreviations) {
                self.intersections.push((pattern, found));
                self.definitions.extend(abbreviations.definitions.iter().cloned());
                self.shared.append(&mut abbreviations.definitions);
            }
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

    /// The patterns that a motion on two surfaces comes into at a third one, of which no motion is made.
    pub(crate) fn ends(&self) -> Vec<Pattern> {
        let reached = |pattern: &Pattern| {
            let others = (0..pattern.0.len()).filter(|&i| pattern.0[i] != Side::On);
            others.map(|i| pattern.with(i, Side::On)).collect::<Vec<_>>()
        };
        let two = self.patterns();
        let two = two.iter().filter(|pattern| pattern.on().count() == AT_ONCE);
        let ends: BTreeSet<Pattern> = two.flat_map(reached).collect();
        ends.into_iter().collect()
    }

    /// Can a motion stay on the surfaces of a pattern? The field has to jump across one, and two have to determine
    /// both signs, whichever of them their rates jump by.
    pub(crate) fn is_possible(&self, pattern: &Pattern) -> bool {
        let on: Vec<usize> = pattern.on().collect();
        match on[..] {
            [] => true,
            [i] => self.jumps(pattern, i),
            _ => self.both(pattern).is_some(),
        }
    }

    /// Do two surfaces never meet, since on one of them the other's switching function is a number, not zero?
    fn are_parallel(&self, i: usize, j: usize) -> bool {
        let known = |name: &str| self.definition(name);
        let on = self.solved(&[(i, Symbolic::number(0.0))]);
        let other = self.surfaces[j].written_out(&known);
        on.first()
            .is_some_and(|e| self.is_constant(&put_in(&other, &e.state, &e.value)))
    }

    /// Does the rate of a switching function jump where it vanishes?
    pub(crate) fn jumps(&self, pattern: &Pattern, surface: usize) -> bool {
        let on = pattern.with(surface, Side::On);
        let is_own = |(own, i): &(Pattern, usize)| *i == surface && *own == on;
        !self.rate(&on, surface).b.is_zero() && !self.continuous.iter().any(is_own)
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
    pub(super) fn rate(&self, pattern: &Pattern, surface: usize) -> Rate {
        let rate = self.along(surface, &self.field.at(&signs(pattern)));
        Rate {
            a: without(&rate, surface),
            b: rate.derivative(&sign(surface), &|_| None),
        }
    }

    /// Which side of its surface the sign that keeps a motion there has not reached: positive as long as it slides.
    pub(super) fn before(&self, pattern: &Pattern, surface: usize, side: Side) -> Symbolic {
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
    pub(super) fn controls(&self, pattern: &Pattern) -> Vec<(usize, Symbolic)> {
        let on: Vec<usize> = pattern.on().collect();
        match on[..] {
            [i] => {
                let Rate { a, b } = self.rate(pattern, i);
                vec![(i, -(a / b))]
            }
            [i, j] => {
                let both = self.both(pattern);
                both.map_or_else(Vec::new, |both| vec![(i, both.first.clone()), (j, both.second.clone())])
            }
            _ => vec![],
        }
    }

    /// The signs that keep a motion on two surfaces; none where they never meet, or the rates of both do not determine
    /// them.
    pub(super) fn both(&self, pattern: &Pattern) -> Option<&Intersection> {
        let mut all = self.intersections.iter();
        all.find_map(|(own, both)| (own == pattern).then_some(both))
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
        let eliminated = self.eliminated(pattern);
        let mut field = if self.is_one_place(pattern) {
            // The signs make it vanish, whatever they are: as formulas, up to rounding only.
            vec![Symbolic::number(0.0); self.states.len()]
        } else {
            self.field.at(&self.sides(pattern))
        };
        for i in pattern.on().filter(|i| !eliminated.iter().any(|e| e.surface == *i)) {
            self.draw_back(i, &eliminated, &mut field);
        }
        field
    }

    /// Do the surfaces of a pattern leave no state any freedom, and stay where they are?
    fn is_one_place(&self, pattern: &Pattern) -> bool {
        let known = |name: &str| self.definition(name);
        let moves = |i: usize| {
            let phase = self.phase.iter().map(|(name, _)| name.as_str());
            let mut clocks = phase.chain(["t"]);
            clocks.any(|clock| self.surfaces[i].depends_on(clock, &known))
        };
        pattern.on().count() == self.states.len() && !pattern.on().any(moves)
    }

    /// Where a surface takes no state away: what is off it by rounding comes back, at the rate 1, along the gradient by
    /// the states that are left.
    fn draw_back(&self, surface: usize, eliminated: &[Eliminated], field: &mut [Symbolic]) {
        let known = |name: &str| self.definition(name);
        let own = &self.surfaces[surface];
        let h = match eliminated {
            [] => own.clone(),
            _ => eliminated
                .iter()
                .fold(own.written_out(&known), |h, e| put_in(&h, &e.state, &e.value)),
        };
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
        // The states do not jump with a surface.
        let stay = pattern.on().filter(|i| !self.with_time[*i]);
        let zeros: Vec<(usize, Symbolic)> = stay.map(|i| (i, Symbolic::number(0.0))).collect();
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
    pub(super) fn is_constant(&self, formula: &Symbolic) -> bool {
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
}

/// A formula in which the sign of a surface is zero.
fn without(formula: &Symbolic, surface: usize) -> Symbolic {
    put_in(formula, &sign(surface), &Symbolic::number(0.0))
}

/// A formula with a value in place of a name.
fn put_in(formula: &Symbolic, name: &str, value: &Symbolic) -> Symbolic {
    formula.replaced(&|own, arguments| (own == name && arguments.is_none()).then(|| value.clone()))
}
