//! Canard segments of a computed orbit: where it follows the repelling sheet, for how long, how closely, and how it
//! leaves.
//!
//! A visit of the orbit to the slow–fast mode is searched for stretches with `f_y > 0`, where the terms of `f_y` that
//! vanish with ε are smaller than the others: beyond the layer of a regularised jump those that are left may well grow,
//! but only as fast as the slow states, and there is no sheet that repels. On such a stretch the orbit
//! *follows* the repelling sheet while its distance from it along the fast fibre stays within a radius r: of order
//! √ε, between the O(ε) of the slow manifold and the O(1) of a jump, so that the times measured depend on r only at
//! order ε log(1/ε). An orbit that jumps at a fold has no repelling sheet near it and no segment.

use super::error::SlowFastError;
use super::problem::SlowFastProblem;
use slipstick_numerics::roots::bracketed_root;
use slipstick_orbit::denser_at_ends;
use slipstick_system::Jacobian;
use std::convert::Infallible;

/// How a canard segment ends.
///
/// ```
/// use slipstick_flow::{FlowOptions, Method, ModeFlow};
/// use slipstick_slow_fast::{Departure, FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-2]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
/// // An orbit that starts a little beside the maximal canard, on the side where it will turn back.
/// let canard = layer.maximal_canard(saddle, TAU)?;
/// let mut start = canard.points[0].state.clone();
/// start[0] += 1e-9;
/// let flow = ModeFlow::new(&system, layer.mode_index(), FlowOptions { method: Method::Stiff, ..FlowOptions::default() });
/// let path = flow.path(&start, 4.0, &p)?;
/// let trajectory = |t| { let mut x = vec![0.0; 3]; path.eval(t, &mut x); x };
/// let stay = layer.layer_segment(&trajectory, path.duration(), Some(0.1))?;
/// assert_eq!(stay.segments[0].departure, Departure::Turns);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Away from the attracting sheet it came from: a canard with head.
    Jumps,
    /// Back to the attracting sheet it came from: a canard without head.
    Turns,
    /// Not before the visit ends: it follows the sheet to the end of the mode.
    Ends,
}

/// A stretch of an orbit along the repelling sheet.
///
/// ```
/// use slipstick_flow::{FlowOptions, Method, ModeFlow};
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-2]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
/// // An orbit that starts a little beside the maximal canard, on the side where it will turn back.
/// let canard = layer.maximal_canard(saddle, TAU)?;
/// let mut start = canard.points[0].state.clone();
/// start[0] += 1e-9;
/// let flow = ModeFlow::new(&system, layer.mode_index(), FlowOptions { method: Method::Stiff, ..FlowOptions::default() });
/// let path = flow.path(&start, 4.0, &p)?;
/// let trajectory = |t| { let mut x = vec![0.0; 3]; path.eval(t, &mut x); x };
/// let stay = layer.layer_segment(&trajectory, path.duration(), Some(0.1))?;
/// // It begins at the fold, ŷ = δ, and follows the repelling sheet for a while.
/// let segment = &stay.segments[0];
/// assert!((trajectory(segment.from)[1] - 0.6).abs() < 1e-6 && segment.to - segment.from > 0.2 && segment.closest < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CanardSegment {
    /// When it begins: at the fold, if the orbit came through one.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// The least distance from the repelling sheet on it, along the fast fibre, of the places looked at.
    pub closest: f64,
    /// The mean over time of that distance.
    pub distance: f64,
    /// How it ends.
    pub departure: Departure,
}

/// One visit of an orbit to the slow–fast mode.
///
/// ```
/// use slipstick_flow::{FlowOptions, Method, ModeFlow};
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-2]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
/// // An orbit that starts a little beside the maximal canard, on the side where it will turn back.
/// let canard = layer.maximal_canard(saddle, TAU)?;
/// let mut start = canard.points[0].state.clone();
/// start[0] += 1e-9;
/// let flow = ModeFlow::new(&system, layer.mode_index(), FlowOptions { method: Method::Stiff, ..FlowOptions::default() });
/// let path = flow.path(&start, 4.0, &p)?;
/// let trajectory = |t| { let mut x = vec![0.0; 3]; path.eval(t, &mut x); x };
/// let stay = layer.layer_segment(&trajectory, path.duration(), Some(0.1))?;
/// // The time on canard segments is a part of that since the fold was passed.
/// assert!(stay.canard_time() > 0.2 && stay.delay.ok_or("no fold is passed")? > stay.canard_time());
/// assert!(stay.on_canard(stay.segments[0].from + 0.1) && !stay.on_canard(stay.time.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerSegment {
    /// When the visit begins and ends.
    pub time: (f64, f64),
    /// Its canard segments, in order.
    pub segments: Vec<CanardSegment>,
    /// The time between the last passage of a fold, from attracting to repelling, and the end of the visit; where the
    /// orbit never leaves the mode, the longest time between such a passage and the next arrival where the mode
    /// attracts. `None` without such a passage. At an ordinary jump it is O(ε^(2/3)), after a canard O(1).
    pub delay: Option<f64>,
}

impl LayerSegment {
    /// Total time on canard segments.
    pub fn canard_time(&self) -> f64 {
        self.segments.iter().map(|s| s.to - s.from).sum()
    }
    /// The mean over time of the distance from the repelling sheet, along the fast fibre, over all canard segments;
    /// `None` without any.
    pub fn canard_distance(&self) -> Option<f64> {
        let [only] = &self.segments[..] else {
            let parts = self.segments.iter().map(|s| s.distance * (s.to - s.from));
            return (!self.segments.is_empty()).then(|| parts.sum::<f64>() / self.canard_time());
        };
        Some(only.distance)
    }
    /// The longest canard segment.
    pub fn longest(&self) -> Option<&CanardSegment> {
        let length = |s: &&CanardSegment| s.to - s.from;
        self.segments.iter().max_by(|a, b| length(a).total_cmp(&length(b)))
    }
    /// Does time `t` lie on a canard segment?
    pub fn on_canard(&self, t: f64) -> bool {
        self.segments.iter().any(|s| s.from <= t && t <= s.to)
    }
}

/// A visit as a function of time since its begin.
type Trajectory<'a> = &'a dyn Fn(f64) -> Vec<f64>;

/// f and f_y at many points of one problem, and the latter in the limit ε → 0.
struct Probe<'a> {
    given: Jacobian<'a>,
    limit: Jacobian<'a>,
    /// The values of ε in the two.
    scales: [f64; 2],
    fast: usize,
    values: Vec<f64>,
    derivatives: Vec<f64>,
}

impl<'a> Probe<'a> {
    fn new(problem: &'a SlowFastProblem<'_>) -> Self {
        let n = problem.dimension();
        let jacobian = |p: &'a [f64]| Jacobian::new(&**problem.field(), n, p, &[]);
        let (given, limit) = (problem.reduced_parameters(), problem.limit_parameters());
        Self {
            given: jacobian(given),
            limit: jacobian(limit),
            scales: [given, limit].map(|p| p[problem.epsilon_index()]),
            fast: problem.fast(),
            values: vec![0.0; n],
            derivatives: vec![0.0; n * n],
        }
    }
    /// f and f_y.
    fn at(&mut self, x: &[f64]) -> (f64, f64) {
        self.given.at(x, &mut self.values, &mut self.derivatives, &mut []);
        let n = self.values.len();
        (
            self.scales[0] * self.values[self.fast],
            self.scales[0] * self.derivatives[self.fast * n + self.fast],
        )
    }
    /// Positive where the fast field repels and what of f_y vanishes with ε is smaller than what is left.
    fn repulsion(&mut self, x: &[f64]) -> f64 {
        let given = self.at(x).1;
        self.limit.at(x, &mut self.values, &mut self.derivatives, &mut []);
        let limit = self.scales[1] * self.derivatives[self.fast * self.values.len() + self.fast];
        given.min(limit - (given - limit).abs())
    }
    fn looks(&mut self, trajectory: Trajectory, times: &[f64]) -> Vec<Look> {
        let look = |&t: &f64| {
            let x = trajectory(t);
            let slope = self.repulsion(&x);
            Look { t, x, slope }
        };
        times.iter().map(look).collect()
    }
    /// The signed distance of `x` from the repelling sheet next to it along the fast fibre, on the side from which the
    /// fast field comes, if there is one within `radius`.
    fn distance_from_repelling_sheet(&mut self, x: &[f64], radius: f64) -> Option<f64> {
        let mut on = x.to_vec();
        let begin = x[self.fast];
        let (force, slope) = self.at(x);
        if force == 0.0 {
            return (slope > 0.0).then_some(0.0);
        }
        // Where f is positive the fast state leaves such a sheet upwards.
        let way = -force.signum() * radius;
        let mut at = |part: f64| {
            on[self.fast] = begin + part * way;
            (self.at(&on).0, self.repulsion(&on))
        };
        let mut before = (0.0, force);
        for k in 1..=FIBRE_PIECES {
            let part = f64::from(k) / f64::from(FIBRE_PIECES);
            let here = at(part).0;
            if here * force <= 0.0 {
                let zero = bracketed_root(before.0, before.1, part, here, 0.0, |part| {
                    Ok::<_, Infallible>(at(part).0)
                });
                let zero = zero.unwrap_or(part);
                return (at(zero).1 > 0.0).then_some(-zero * way);
            }
            before = (part, here);
        }
        None
    }
}

/// Pieces of a fast fibre within the radius, at the ends of which f is looked at for a change of its sign.
const FIBRE_PIECES: u32 = 8;

/// An orbit whose fast state varies by less than this part of its size is a point.
const POINT: f64 = 1e-6;

/// One look at a visit.
struct Look {
    t: f64,
    x: Vec<f64>,
    /// f_y, positive where the sheet repels.
    slope: f64,
}

impl SlowFastProblem<'_> {
    /// The canard segments and the delay of one visit, given as the mode's states over `[0, duration]`. `radius` is
    /// the distance r; `None` takes √ε times the extent of the fast state on the visit. Times are those of
    /// `course`.
    ///
    /// # Errors
    /// When the duration is not positive.
    pub fn layer_segment(
        &self,
        trajectory: &dyn Fn(f64) -> Vec<f64>,
        duration: f64,
        radius: Option<f64>,
    ) -> Result<LayerSegment, SlowFastError> {
        self.layer_segment_at(trajectory, &denser_at_ends(duration), radius)
    }
    /// As [`SlowFastProblem::layer_segment`], looked at `times` of the caller's choice: increasing, from the begin of
    /// the visit to its end, and close enough to see every change between attraction and repulsion, as the nodes of a
    /// mesh that fits the orbit are.
    ///
    /// # Errors
    /// When the duration is not positive.
    pub fn layer_segment_at(
        &self,
        trajectory: &dyn Fn(f64) -> Vec<f64>,
        times: &[f64],
        radius: Option<f64>,
    ) -> Result<LayerSegment, SlowFastError> {
        let (begin, end) = self.bounds(times)?;
        let mut probe = Probe::new(self);
        let looks = probe.looks(trajectory, times);
        Ok(self.stay(trajectory, &mut probe, &looks, radius, (begin, end), false))
    }
    /// As [`SlowFastProblem::layer_segment_at`], for an orbit that never leaves the mode: `times` run over one period
    /// (or half of one, if a symmetry maps that to the other), and `course` is also asked for times before it, in the
    /// same frame. No segment is cut where the period begins; those that begin before it have negative times.
    ///
    /// # Errors
    /// When the duration is not positive.
    pub fn endless_segment_at(
        &self,
        trajectory: &dyn Fn(f64) -> Vec<f64>,
        times: &[f64],
        radius: Option<f64>,
    ) -> Result<LayerSegment, SlowFastError> {
        let (begin, end) = self.bounds(times)?;
        let mut probe = Probe::new(self);
        let mut looks = probe.looks(trajectory, times);
        let time = (begin, end);
        // Told from a place that attracts, if there is one.
        let Some(last) = looks.iter().rposition(|l| l.slope <= 0.0) else {
            return Ok(self.stay(trajectory, &mut probe, &looks, radius, time, true));
        };
        let mut tail = looks.split_off(last + 1);
        tail.pop();
        tail.insert(
            0,
            Look {
                x: vec![],
                ..looks[last]
            },
        );
        for look in &mut tail {
            look.t -= end - begin;
            look.x = trajectory(look.t);
        }
        tail.append(&mut looks);
        Ok(self.stay(trajectory, &mut probe, &tail, radius, time, true))
    }
    /// The begin and the end of a visit.
    fn bounds(&self, times: &[f64]) -> Result<(f64, f64), SlowFastError> {
        let begin = times.first().copied().unwrap_or(0.0);
        let end = times.last().copied().unwrap_or(0.0);
        if (end - begin > 0.0) && (end - begin).is_finite() {
            return Ok((begin, end));
        }
        Err(SlowFastError::Argument(format!(
            "a segment in mode `{}` of duration {} is too short to analyse",
            self.mode().name,
            end - begin
        )))
    }
    /// The visit over `time`, looked at `looks`; is it `endless`?
    fn stay(
        &self,
        trajectory: Trajectory,
        probe: &mut Probe<'_>,
        looks: &[Look],
        radius: Option<f64>,
        time: (f64, f64),
        endless: bool,
    ) -> LayerSegment {
        let mut stay = LayerSegment {
            time,
            segments: vec![],
            delay: None,
        };
        let radius = match radius {
            Some(radius) => radius,
            None => {
                let [low, high] = self.extremes(trajectory, looks);
                // An orbit that is a point to rounding follows no sheet.
                if high - low <= POINT * low.abs().max(high.abs()) {
                    return stay;
                }
                self.epsilon().sqrt() * (high - low)
            }
        };
        let mut k = 0;
        while k < looks.len() {
            if looks[k].slope <= 0.0 {
                k += 1;
                continue;
            }
            let stretch = looks[k..].iter().take_while(|l| l.slope > 0.0).count();
            let through_fold = (k > 0).then(|| {
                let (a, b) = (&looks[k - 1], &looks[k]);
                crossing((a.t, a.slope), (b.t, b.slope), |t| probe.repulsion(&trajectory(t)))
            });
            let last = &looks[k + stretch - 1];
            let attracted = looks.get(k + stretch).map(|next| {
                crossing((last.t, last.slope), (next.t, next.slope), |t| {
                    probe.repulsion(&trajectory(t))
                })
            });
            let until = attracted.filter(|_| endless).unwrap_or(time.1);
            if let Some(delay) = through_fold.map(|t| until - t) {
                let longest = stay.delay.filter(|d| endless && *d > delay);
                stay.delay = longest.or(Some(delay));
            }
            let own = &looks[k..k + stretch];
            if let Some(segment) = self.segment(trajectory, probe, own, (through_fold, attracted), radius, time.1) {
                stay.segments.push(segment);
            }
            k += stretch;
        }
        stay
    }
    /// The least and the largest value of the fast state, to more digits than the looks tell: their times depend on how
    /// the orbit was computed.
    fn extremes(&self, trajectory: Trajectory, looks: &[Look]) -> [f64; 2] {
        const NARROWINGS: usize = 24;
        let fast = self.fast();
        [-1.0, 1.0].map(|sign| {
            let value = |x: &[f64]| sign * x[fast];
            let best = (0..looks.len()).max_by(|&i, &j| value(&looks[i].x).total_cmp(&value(&looks[j].x)));
            let Some(k) = best else { return 0.0 };
            let (mut low, mut high) = (looks[k.saturating_sub(1)].t, looks[(k + 1).min(looks.len() - 1)].t);
            for _ in 0..NARROWINGS {
                let [a, b] = [(2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0];
                if value(&trajectory(a)) < value(&trajectory(b)) {
                    low = a;
                } else {
                    high = b;
                }
            }
            sign * value(&trajectory(0.5 * (low + high))).max(value(&looks[k].x))
        })
    }
    /// The canard segment on a stretch with `f_y > 0`, if the orbit follows the sheet there at all: between the times
    /// at which it comes through a fold and is `attracted` again, if that is before the visit's end.
    fn segment(
        &self,
        trajectory: Trajectory,
        probe: &mut Probe<'_>,
        looks: &[Look],
        (through_fold, attracted): (Option<f64>, Option<f64>),
        radius: f64,
        end: f64,
    ) -> Option<CanardSegment> {
        let distances: Vec<Option<f64>> = looks
            .iter()
            .map(|l| probe.distance_from_repelling_sheet(&l.x, radius))
            .collect();
        let follows = |d: &Option<f64>| d.is_some();
        let first = distances.iter().position(follows)?;
        let last = distances.iter().rposition(follows)?;
        let closest = distances.iter().flatten().fold(f64::INFINITY, |m, d| m.min(d.abs()));
        // Within the radius it falls to zero at its edge; beyond, it is only known to be beyond.
        let excess = |d: Option<f64>| d.map_or(radius, |d| (d.abs() - radius).min(-f64::MIN_POSITIVE));
        let ends = last + 1 == looks.len();
        // The next look, or where it is attracted again: which looks there are depends on how the orbit was computed.
        let after = if ends {
            attracted.map(|t| (t, excess(probe.distance_from_repelling_sheet(&trajectory(t), radius))))
        } else {
            Some((looks[last + 1].t, excess(distances[last + 1])))
        };
        let to = match after {
            None => looks[last].t,
            Some((t, off)) if off < 0.0 => t,
            Some(after) => crossing((looks[last].t, excess(distances[last])), after, |t| {
                excess(probe.distance_from_repelling_sheet(&trajectory(t), radius))
            }),
        };
        let came_from = trajectory(through_fold.unwrap_or(looks[first].t))[self.fast()];
        let departure = if attracted.is_none() && ends && to >= end {
            Departure::Ends
        } else {
            // Where the repelling side is left, against how far from the fold it has been: it goes back there, or on.
            let fast = |x: &[f64]| x[self.fast()] - came_from;
            let left = fast(&trajectory(attracted.unwrap_or(end)));
            let farthest = looks
                .iter()
                .map(|look| fast(&look.x))
                .fold(0.0, |m: f64, d| if d.abs() > m.abs() { d } else { m });
            if left.abs() < (farthest - left).abs() {
                Departure::Turns
            } else {
                Departure::Jumps
            }
        };
        let followed = (first..=last).map(|i| (looks[i].t, distances[i].map_or(radius, f64::abs)));
        Some(CanardSegment {
            distance: mean(followed).unwrap_or(closest),
            from: through_fold.unwrap_or(looks[first].t),
            to,
            closest,
            departure,
        })
    }
    /// All visits of a sampled orbit to the slow–fast mode: times, all states of the system and modes, row by row.
    /// Between samples the course is the cubic Hermite interpolant with the field's derivatives, so times are exact
    /// to the fourth power of the spacing where the orbit is slow.
    ///
    /// # Errors
    /// When the columns differ in length.
    pub fn canard_segments(
        &self,
        t: &[f64],
        states: &[Vec<f64>],
        modes: &[usize],
        radius: Option<f64>,
    ) -> Result<Vec<LayerSegment>, SlowFastError> {
        if t.len() != states.len() || t.len() != modes.len() {
            return Err(SlowFastError::Argument(format!(
                "a sampled orbit has as many times as states and modes; got {}, {} and {}",
                t.len(),
                states.len(),
                modes.len()
            )));
        }
        let own = |row: usize| -> Vec<f64> { self.mode().states.iter().map(|&i| states[row][i]).collect() };
        let mut stays = Vec::new();
        let mut begin = 0;
        while begin < t.len() {
            let same = |row: &usize| modes[*row] == modes[begin];
            let end = (begin..t.len()).take_while(same).last().unwrap_or(begin);
            if modes[begin] == self.mode_index() && t[end] > t[begin] {
                let rows: Vec<(f64, Vec<f64>, Vec<f64>)> = (begin..=end)
                    .map(|row| {
                        let x = own(row);
                        let mut rate = vec![0.0; x.len()];
                        self.mode().field.value(&x, self.parameters(), &mut rate);
                        (t[row] - t[begin], x, rate)
                    })
                    .collect();
                let trajectory = |s: f64| hermite(&rows, s);
                let mut stay = self.layer_segment(&trajectory, t[end] - t[begin], radius)?;
                stay.time = (t[begin], t[end]);
                for segment in &mut stay.segments {
                    segment.from += t[begin];
                    segment.to += t[begin];
                }
                stays.push(stay);
            }
            begin = end + 1;
        }
        Ok(stays)
    }
}

/// The mean over time of values at times, by the trapezoidal rule; `None` of a single one.
fn mean(mut values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let first = values.next()?;
    let (mut before, mut sum) = (first, 0.0);
    for (t, v) in values {
        sum += 0.5 * (t - before.0) * (v + before.1);
        before = (t, v);
    }
    (before.0 > first.0).then(|| sum / (before.0 - first.0))
}

/// The time between two looks (time, value) at which `h` changes sign.
fn crossing(a: (f64, f64), b: (f64, f64), mut h: impl FnMut(f64) -> f64) -> f64 {
    bracketed_root(a.0, a.1, b.0, b.1, 0.0, |t| Ok::<_, Infallible>(h(t))).unwrap_or(b.0)
}

/// Cubic Hermite interpolation of rows (time, state, rate) at `s`.
fn hermite(rows: &[(f64, Vec<f64>, Vec<f64>)], s: f64) -> Vec<f64> {
    let after = rows.partition_point(|r| r.0 <= s).clamp(1, rows.len() - 1);
    let ((t0, x0, v0), (t1, x1, v1)) = (&rows[after - 1], &rows[after]);
    let h = t1 - t0;
    if h <= 0.0 {
        return x1.clone();
    }
    let u = (s - t0) / h;
    (0..x0.len())
        .map(|i| {
            let (d, a, b) = (x1[i] - x0[i], h * v0[i], h * v1[i]);
            x0[i] + u * (d + (1.0 - u) * ((1.0 - u) * (a - d) + u * (d - b)))
        })
        .collect()
}
