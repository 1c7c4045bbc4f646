//! A scalar along one segment: where it is smooth, its extremes, its integral over time.

use super::dense_output::DenseOutput;
use slipstick_continuation::Failure;
use slipstick_numerics::tableau::Tableau;
use slipstick_system::{Direction, Function, SharedFunction, jacobian};

/// A scalar of the states of one mode, with scalars of which one changes sign wherever it has a corner or jumps.
pub(super) struct Piecewise {
    pub(super) function: SharedFunction,
    surfaces: Vec<SharedFunction>,
}

impl Piecewise {
    pub(super) fn new(function: SharedFunction) -> Self {
        let surfaces = function.breaks();
        Self { function, surfaces }
    }

    /// The surface that is met at a break.
    pub(super) fn surface(&self, of: &Break) -> &dyn Function {
        self.surfaces[of.surface].as_ref()
    }
}

/// Where a scalar may have a corner or jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Break {
    pub(super) t: f64,
    surface: usize,
}

/// So close to the ends of a segment, as a part of it, a surface is one on which the segment starts or ends.
const AT_ENDS: f64 = 1e-11;
/// So far from a break, as a part of the segment, values are those of one side.
pub(super) const ASIDE: f64 = 1e-13;

/// How an integral over a segment was computed.
pub(super) struct Quadrature {
    pub(super) value: f64,
    /// Times, ascending, with their weights.
    pub(super) points: Vec<(f64, f64)>,
    pub(super) breaks: Vec<Break>,
}

impl DenseOutput<'_, '_> {
    /// Where a scalar may have a corner or jump inside the segment of this `duration`, ascending.
    fn breaks(&self, of: &Piecewise, p: &[f64], duration: f64) -> Result<Vec<Break>, Failure> {
        let mut breaks = vec![];
        let inside = AT_ENDS * duration..(1.0 - AT_ENDS) * duration;
        for (surface, function) in of.surfaces.iter().enumerate() {
            for direction in [Direction::Up, Direction::Down] {
                let met = self.crossings(function.as_ref(), direction, p, duration)?;
                breaks.extend(
                    met.into_iter()
                        .filter(|t| inside.contains(t))
                        .map(|t| Break { t, surface }),
                );
            }
        }
        breaks.sort_by(|a, b| a.t.total_cmp(&b.t));
        Ok(breaks)
    }

    /// The least and the largest value of a scalar of `n` states over the closed segment.
    pub(super) fn range_of(&self, of: &Piecewise, n: usize, p: &[f64], duration: f64) -> Result<(f64, f64), Failure> {
        let h = of.function.as_ref();
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut take = |v: f64| (lo, hi) = (lo.min(v), hi.max(v));
        let mut x = vec![0.0; n];
        let mut at = |t: f64| {
            self.eval(t, &mut x);
            let mut v = [0.0];
            h.value(&x, p, &mut v);
            v[0]
        };
        take(at(0.0));
        if !(duration > 0.0) {
            return Ok((lo, hi));
        }
        take(at(duration));
        let mut begin = 0.0;
        let breaks = self.breaks(of, p, duration)?;
        let aside = ASIDE * duration;
        for end in breaks.iter().map(|b| Some(b.t)).chain([None]) {
            let to = end.map_or(duration, |t| t - aside);
            if to > begin {
                for sign in [1.0, -1.0] {
                    if let Some((_, least)) = self.least_between(h, sign, p, begin, to)? {
                        take(sign * least);
                    }
                }
            }
            if let Some(t) = end {
                take(at(t - aside));
                take(at(t + aside));
                begin = t + aside;
            }
        }
        Ok((lo, hi))
    }

    /// The integral over the segment of what `made` makes of a scalar of `n` states.
    pub(super) fn integral_of(
        &self,
        of: &Piecewise,
        made: fn(f64) -> f64,
        n: usize,
        p: &[f64],
        duration: f64,
    ) -> Result<Quadrature, Failure> {
        /// Fewest panels of a segment.
        const PANELS: usize = 4;
        let mut found = Quadrature {
            value: 0.0,
            points: vec![],
            breaks: vec![],
        };
        if !(duration > 0.0) {
            return Ok(found);
        }
        found.breaks = self.breaks(of, p, duration)?;
        let mut nodes = self.nodes();
        if nodes.len() <= PANELS {
            nodes = (0..=PANELS).map(|i| duration * i as f64 / PANELS as f64).collect();
        }
        let mut x = vec![0.0; n];
        let mut integrand = |t: f64| {
            self.eval(t, &mut x);
            let mut v = [0.0];
            of.function.value(&x, p, &mut v);
            made(v[0])
        };
        let (mut x, mut gradient) = (vec![0.0; n], vec![0.0; n]);
        let mut rounding = |t: f64| {
            self.eval(t, &mut x);
            let mut v = [0.0];
            jacobian(of.function.as_ref(), &x, p, &[], &mut v, &mut gradient, &mut []);
            let terms: f64 = gradient.iter().zip(&x).map(|(g, x)| (g * x).abs()).sum();
            let off = f64::EPSILON * (terms + v[0].abs());
            (made(v[0] + off) - made(v[0] - off)).abs()
        };
        let gauss = Tableau::gauss(8);
        let own = self.scheme();
        let mut panels: Vec<(Panel, bool)> = vec![];
        for pair in nodes.windows(2) {
            let inside: Vec<f64> = found.breaks.iter().map(|b| b.t).collect();
            let inside = inside.into_iter().filter(|t| pair[0] < *t && *t < pair[1]);
            let ends: Vec<f64> = std::iter::once(pair[0]).chain(inside).chain([pair[1]]).collect();
            // The scheme that solved for the segment integrates to its own order at its own points, where nothing
            // breaks in between.
            let scheme = own.filter(|_| ends.len() == 2);
            for pair in ends.windows(2) {
                let panel = Panel::new(scheme.unwrap_or(&gauss), pair[0], pair[1], &mut integrand);
                panels.push((panel, scheme.is_some()));
            }
        }
        let size: f64 = panels.iter().map(|(panel, _)| panel.size).sum();
        for (panel, solved_for) in panels {
            panel.refine(solved_for, size, &gauss, &mut integrand, &mut rounding, &mut found);
        }
        Ok(found)
    }
}

/// A stretch of a quadrature.
struct Panel {
    from: f64,
    to: f64,
    value: f64,
    /// The integral of the modulus.
    size: f64,
    points: Vec<(f64, f64)>,
}

impl Panel {
    fn new(gauss: &Tableau, from: f64, to: f64, integrand: &mut dyn FnMut(f64) -> f64) -> Self {
        let width = to - from;
        let weights = gauss.c.iter().zip(&gauss.b);
        let points: Vec<(f64, f64)> = weights.map(|(c, b)| (from + c * width, b * width)).collect();
        let (mut value, mut size) = (0.0, 0.0);
        for (t, weight) in &points {
            let v = weight * integrand(*t);
            value += v;
            size += v.abs();
        }
        Self {
            from,
            to,
            value,
            size,
            points,
        }
    }

    /// Add the integral to what was `found`, halved until two halves agree with the whole; `size` is that of the whole
    /// integral, and `rounding` what the integrand is rounded by at a time. What the scheme that `solved_for` the
    /// segment gives is taken unless it does not resolve the integrand at all.
    fn refine(
        self,
        solved_for: bool,
        size: f64,
        gauss: &Tableau,
        integrand: &mut dyn FnMut(f64) -> f64,
        rounding: &mut dyn FnMut(f64) -> f64,
        found: &mut Quadrature,
    ) {
        /// Agreement, relative to the whole integral.
        const RESOLVED: f64 = 1e-13;
        const BY_SCHEME: f64 = 1e-7;
        /// Halves of a segment are halved so often at most.
        const HALVINGS: usize = 20;
        /// So often halved, smooth integrands are resolved: what is left may be rounding, which would be halved
        /// everywhere.
        const SMOOTH: usize = 4;
        /// So many times what its terms are rounded by.
        const ROUNDING: f64 = 64.0;
        /// From this depth on, an integrand that no half resolves better than the whole is rounding.
        const NOISE: usize = 6;
        /// The part of the error that is left in each half of a panel, at least, where the integrand is rounding: about
        /// a half. Smooth integrands leave 2^-17 in both, and one half holds an isolated corner.
        const LEFT: f64 = 1.0 / 64.0;
        let mut is_rounding = |off: f64, panel: &Self| {
            let middle = 0.5 * (panel.from + panel.to);
            off <= ROUNDING * rounding(middle) * (panel.to - panel.from)
        };
        let mut waiting = vec![(self.halved(gauss, integrand), 0)];
        while let Some((Halved { panel, halves, off }, depth)) = waiting.pop() {
            if solved_for && depth == 0 && !(off > BY_SCHEME * size) {
                found.value += panel.value;
                found.points.extend(panel.points);
                continue;
            }
            let enough = depth == HALVINGS || !(off > RESOLVED * size) || (depth >= SMOOTH && is_rounding(off, &panel));
            if enough {
                for half in halves {
                    half.add_to(found);
                }
                continue;
            }
            let [first, second] = halves.map(|half| half.halved(gauss, integrand));
            if depth >= NOISE && first.off.min(second.off) > LEFT * off {
                for quarter in first.halves.into_iter().chain(second.halves) {
                    quarter.add_to(found);
                }
            } else {
                waiting.push((second, depth + 1));
                waiting.push((first, depth + 1));
            }
        }
    }

    /// With its two halves.
    fn halved(self, gauss: &Tableau, integrand: &mut dyn FnMut(f64) -> f64) -> Halved {
        let middle = 0.5 * (self.from + self.to);
        let halves = [(self.from, middle), (middle, self.to)].map(|(a, b)| Self::new(gauss, a, b, integrand));
        let off = (self.value - halves[0].value - halves[1].value).abs();
        Halved {
            panel: self,
            halves,
            off,
        }
    }

    fn add_to(self, found: &mut Quadrature) {
        found.value += self.value;
        found.points.extend(self.points);
    }
}

/// A panel, its halves, and how far these are from the whole.
struct Halved {
    panel: Panel,
    halves: [Panel; 2],
    off: f64,
}
