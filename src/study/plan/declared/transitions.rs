//! Where motion on the surfaces at which a field jumps begins and ends.

use crate::plan::declared::expansion::Declarations;
use crate::plan::declared::pattern::{Pattern, Side};
use crate::plan::declared::sliding::Sliding;
use crate::plan::declared::switched_field::{sign, signs, with_signs};
use slipstick_system::text::Symbolic;

/// Where a motion that reaches a surface goes on.
pub(crate) struct Arrival {
    pub(crate) pattern: Pattern,
    /// Surfaces that it leaves at the same time, and to which side.
    pub(crate) leaves: Vec<(usize, Side)>,
    /// Under which conditions.
    pub(crate) when: Vec<String>,
}

impl Sliding {
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
            [i] => vec![self.rate(pattern, i).b],
            [_, _] => self.both(pattern).map_or_else(Vec::new, |both| both.repelling.clone()),
            _ => vec![],
        };
        // Where it is the same everywhere, what lands has seen to it.
        let varies = repelling.iter().filter(|own| on.len() > 1 || !self.is_constant(own));
        varies.map(|repelling| format!("{repelling} < 0")).collect()
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
                let crosses = |to: &Pattern| self.gives_way(to, surface, side.opposite());
                if self.is_possible(&beyond) {
                    let mut when = vec![positive(&up), positive(&down), away(&beyond)];
                    when.extend(crosses(&beyond));
                    all.push(arrival(beyond.clone(), when));
                }
                for (to, left) in [(Side::Plus, up), (Side::Minus, down)] {
                    let free = beyond.with(j, to);
                    let mut when = vec![negative(&left), away(&free)];
                    when.extend(crosses(&free));
                    all.push(Arrival {
                        pattern: free,
                        leaves: vec![(j, to)],
                        when,
                    });
                }
                for to in [Side::Plus, Side::Minus] {
                    let on_the_other = both.with(j, to);
                    if self.is_possible(&on_the_other) {
                        let departure = self.departure(pattern, on_the_other, &[surface, j]);
                        all.push(Arrival {
                            leaves: vec![(j, to)],
                            ..departure
                        });
                    }
                }
                all
            }
            // On two surfaces already: the motion stays on two of three at most.
            [i, j] => {
                let met = [i, j, surface];
                let out_of_three = |p: &Pattern| p.0[surface] != side && p.on().next().is_some();
                let mut all = self.beside(pattern, &met);
                all.retain(out_of_three);
                let three = pattern.with(surface, Side::On);
                let mut all: Vec<Arrival> = all.into_iter().map(|p| self.departure(pattern, p, &met)).collect();
                all.push(arrival(three, vec![]));
                all
            }
            _ => vec![],
        }
    }

    /// What is positive where a motion at the intersection of these surfaces goes on in this pattern: signs that keep
    /// it on a surface lie between the sides, and away from a surface it moves off.
    fn goes_on(&self, pattern: &Pattern, met: &[usize]) -> Vec<Symbolic> {
        let on: Vec<usize> = pattern.on().collect();
        let mut positive = match on[..] {
            [own] => [Side::Plus, Side::Minus]
                .map(|side| self.before(pattern, own, side))
                .to_vec(),
            [_, _] => {
                let within = |(own, control): (usize, Symbolic)| {
                    let ratio = self.stiction[own].clone();
                    [ratio.clone() - control.clone(), ratio + control]
                };
                let repelling = self.both(pattern).map_or_else(Vec::new, |both| both.repelling.clone());
                let controls = self.controls(pattern).into_iter().flat_map(within);
                controls.chain(repelling.into_iter().map(|own| -own)).collect()
            }
            _ => vec![],
        };
        let field = self.field(pattern);
        positive.extend(met.iter().filter_map(|&own| match pattern.0[own] {
            Side::On => None,
            Side::Plus => Some(self.along(own, &field)),
            Side::Minus => Some(-self.along(own, &field)),
        }));
        positive
    }

    /// The patterns in which a motion may leave the intersection of surfaces, those on most of them first.
    fn beside(&self, pattern: &Pattern, met: &[usize]) -> Vec<Pattern> {
        let mut all = vec![pattern.clone()];
        for &own in met {
            let sides = [Side::On, Side::Plus, Side::Minus];
            all = all.iter().flat_map(|p| sides.map(|side| p.with(own, side))).collect();
        }
        let left = |p: &Pattern| p.on().all(|own| met.contains(&own)) && p.on().count() < met.len();
        all.retain(|p| left(p) && self.is_possible(p));
        all.sort_by_key(|p| std::cmp::Reverse(p.on().count()));
        all
    }

    /// What must hold where a surface on which motions stick lets one go to this side, into a pattern: what would move
    /// off once it is let go stays as long as it is below its static level. None where that is the kinetic one.
    fn gives_way(&self, to: &Pattern, surface: usize, side: Side) -> Option<String> {
        let stays = to.with(surface, Side::On);
        if self.stiction[surface].value() == Some(1.0) || !self.is_possible(&stays) {
            return None;
        }
        let beyond = self.exit(&stays, surface, side);
        Some(format!("{beyond} {} 0", if side == Side::Plus { ">" } else { "<" }))
    }

    /// The departure of a motion in a pattern from the intersection of surfaces into another pattern.
    fn departure(&self, from: &Pattern, to: Pattern, met: &[usize]) -> Arrival {
        let goes_on = self.goes_on(&to, met);
        let mut when: Vec<String> = goes_on.iter().map(|formula| format!("{formula} > 0")).collect();
        let left = met.iter().filter(|&&own| to.0[own] != Side::On);
        let leaves: Vec<(usize, Side)> = left.map(|&own| (own, to.0[own])).collect();
        let given_way = leaves.iter().filter(|(own, side)| from.0[*own] != *side);
        when.extend(given_way.filter_map(|&(own, side)| self.gives_way(&to, own, side)));
        Arrival {
            leaves,
            when,
            pattern: to,
        }
    }

    /// Where a motion on two surfaces goes on that one of them lets go to this side, if its rate alone holds it on the
    /// other one: off both. At the end of the sign that rate is zero; beyond it has its sign by the slope there.
    pub(crate) fn leaves_both(&self, pattern: &Pattern, surface: usize, side: Side) -> Vec<Arrival> {
        let Some(other) = pattern.on().find(|own| *own != surface) else {
            return vec![];
        };
        let rate = self.along(other, &self.field.at(&signs(pattern)));
        let slope = with_signs(&rate.derivative(&sign(surface), &|_| None), &self.sides(pattern));
        let off = |to: Side| Arrival {
            pattern: pattern.with(surface, side).with(other, to),
            leaves: vec![(other, to)],
            when: vec![format!("{slope} {} 0", if to == side { "<" } else { ">" })],
        };
        vec![off(Side::Plus), off(Side::Minus)]
    }

    /// Where the motion on two surfaces ceases because the signs that keep it there cease to be real: what falls
    /// through zero there, and where it goes on.
    pub(crate) fn ceases(&self, pattern: &Pattern) -> Option<(Symbolic, Vec<Arrival>)> {
        let on: Vec<usize> = pattern.on().collect();
        let real = self.both(pattern)?.real.clone()?;
        let beside = self.beside(pattern, &on).into_iter();
        Some((real, beside.map(|to| self.departure(pattern, to, &on)).collect()))
    }

    /// The pattern that a point lies in; on a surface where the motion stays there, and else on the side that it leaves
    /// to. A switching function is zero if it is no larger than `zero`, relative to 1 + |states|.
    pub(crate) fn pattern_at(&self, x: &[f64], zero: f64, declarations: &Declarations<'_>) -> Pattern {
        let size = x.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
        let mut shared: Vec<(&str, Symbolic)> = vec![];
        let number = |formula: &Symbolic, shared: &[(&str, Symbolic)]| {
            let known = |name: &str| {
                shared
                    .iter()
                    .find(|(own, _)| *own == name)
                    .map(|(_, value)| value.clone())
            };
            let formula = formula.replaced(&|name, arguments| known(name).filter(|_| arguments.is_none()));
            declarations.value(&formula, x).unwrap_or(f64::NAN)
        };
        for (name, _, body) in &self.shared {
            let value = Symbolic::number(number(body, &shared));
            shared.push((name, value));
        }
        let value = |formula: &Symbolic| number(formula, &shared);
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
        if met.len() > 1 {
            let all = met.iter().fold(pattern.clone(), |p, &own| p.with(own, Side::On));
            let all = Some(all).filter(|all| self.is_possible(all));
            let candidates = all.into_iter().chain(self.beside(&pattern, &met));
            let goes_on = |p: &Pattern| self.goes_on(p, &met).iter().all(|formula| value(formula) > 0.0);
            if let Some(found) = { candidates }.find(goes_on) {
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
