//! Find several equilibria or cycles of a map at given parameters.
//!
//! Newton's method is started from seeds spread over a box (a Halton sequence), on equations that repel it from what
//! was found already: the residual is multiplied by `Π (1/|x - xⱼ|² + 1)`, so an iteration that would fall into a known
//! solution is driven on to another. It is started on the equations as they are too, since what repels from one
//! solution may repel from another beside it. Lengths are measured in those of the box, as in all units. Where a state
//! stays at a value, as species that are absent do, solutions are looked for there first; see [`super::walls`]. Where
//! the equations have corners, solutions are looked for on each sequence of their sides at last; see
//! [`super::side_sequences`].
//!
//! Reference: P. E. Farrell, Á. Birkisson and S. W. Funke, SIAM J. Sci. Comput. 37 (2015) A2026–A2045.

use super::FixedPoint;
use super::corners;
use super::degenerate::is_degenerate;
use super::guards;
use super::measure::measure;
use super::side_sequences;
use super::walls::walls;
use crate::search::Searched;
use crate::seeds::halton;
use crate::tolerances::{SAME_ORBIT, SAME_PLACE};
use slipstick_bifurcation::{Inspect, Record};
use slipstick_continuation::Problem;
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::stop::look;
use slipstick_system::ModeKind;

/// Where to look, and how hard.
///
/// ```
/// use slipstick_orbit::{FixedPoint, PointSearch, find_points};
/// use slipstick_study as study;
/// let text = r#"Study(title: "wells", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a*x - x^3"]))"#;
/// let plan = study::parse("wells.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let search = PointSearch { seeds: 40, region: vec![(-3.0, 3.0)] };
/// let found = find_points(&mut rest, &search, &mut |_| true);
/// // All three, from left to right.
/// assert_eq!(found.len(), 3);
/// assert!(found.iter().zip([-1.0, 0.0, 1.0]).all(|(z, x)| (z[0] - x).abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PointSearch {
    /// The number of seeds.
    pub seeds: usize,
    /// For each state of the mode: the interval that seeds are spread over.
    pub region: Vec<(f64, f64)>,
}

/// All equilibria or cycles found from the seeds at the problem's present parameters, as unknowns, ordered by their
/// first points. Cycles that close earlier are left out. `observe` receives each seed and may end the search.
pub fn find_points(
    problem: &mut FixedPoint<'_>,
    search: &PointSearch,
    observe: &mut dyn FnMut(Searched) -> bool,
) -> Vec<Vec<f64>> {
    /// Seeds where states stay at a value, for each of the others; and about the most of all such places.
    const ON_WALL: usize = 24;
    const ON_WALLS: usize = 2048;
    let mut found: Vec<Vec<f64>> = vec![];
    let widths: Vec<f64> = search.region.iter().map(|(lo, hi)| hi - lo).collect();
    problem.searched.clone_from(&widths);
    let solved = counts_as_solved(problem, search);
    let walls = walls(problem, &search.region);
    for wall in &walls {
        let free = wall.iter().filter(|at| at.is_none()).count();
        let most = (ON_WALLS / walls.len()).min(ON_WALL * free).max(1);
        let seeds = search.seeds.min(if free == 0 { 1 } else { most });
        for k in 0..seeds {
            look();
            let mut x = seed(search, k);
            x.iter_mut().zip(wall).for_each(|(x, at)| *x = at.unwrap_or(*x));
            find(problem, &x, (&solved, &widths), &mut found);
        }
    }
    let mut misses = 0;
    for k in 0..search.seeds {
        look();
        let so_far = Searched {
            tried: k,
            seeds: search.seeds,
            found: found.len(),
        };
        if !observe(so_far) {
            break;
        }
        let x = seed(search, k);
        if find(problem, &x, (&solved, &widths), &mut found) {
            misses = 0;
        }
        misses += 1;
        // Long after the last find, in proportion to what there is, and to what was asked for.
        if misses > (64 * (1 + found.len())).max(search.seeds / 8) {
            break;
        }
    }
    beside_found(problem, search, (&solved, &widths), &mut found, observe);
    by_sides(problem, search, (&solved, &widths), &mut found);
    found.retain(|z| !closes_earlier(problem, z));
    found.sort_by(|a, b| {
        let order = a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne());
        order.unwrap_or(std::cmp::Ordering::Equal)
    });
    found
}

/// Solutions in clusters leave each other thin basins: look for others beside each that has been found, along each
/// state of the first point.
fn beside_found(
    problem: &mut FixedPoint<'_>,
    search: &PointSearch,
    (solved, widths): (&[f64], &[f64]),
    found: &mut Vec<Vec<f64>>,
    observe: &mut dyn FnMut(Searched) -> bool,
) {
    /// How far beside, in widths of the region, and from how many starts at most.
    const BESIDE: [f64; 4] = [-0.01, 0.01, -0.05, 0.05];
    const MOST: usize = 512;
    if problem.large.is_some() {
        return;
    }
    let mut starts = 0;
    let mut k = 0;
    while k < found.len() {
        for (c, by) in (0..problem.n).flat_map(|c| BESIDE.map(|by| (c, by))) {
            look();
            let so_far = Searched {
                tried: search.seeds,
                seeds: search.seeds,
                found: found.len(),
            };
            if starts >= MOST || !observe(so_far) {
                return;
            }
            starts += 1;
            let mut x = problem.point(&found[k], 0).to_vec();
            x[c] += by * widths[c];
            find(problem, &x, (solved, widths), found);
        }
        k += 1;
    }
}

/// Add what is new among the solutions with each sequence of sides of corners.
fn by_sides(
    problem: &mut FixedPoint<'_>,
    search: &PointSearch,
    (solved, widths): (&[f64], &[f64]),
    found: &mut Vec<Vec<f64>>,
) {
    for points in side_sequences::guesses(problem, &search.region, &|k| seed(search, k)) {
        look();
        let guess = problem.guess_points(&points);
        let Some(z) = deflated(problem, guess, &[], widths) else {
            continue;
        };
        if keeps_sides(problem, &z)
            && is_new(problem, &z, (found, SAME_PLACE), (solved, widths))
            && !is_degenerate(problem, &z)
        {
            found.push(z);
        }
    }
}

/// Are the equations solved at `z`, and is that as far as `near` from what is known?
fn is_new(
    problem: &mut FixedPoint<'_>,
    z: &[f64],
    (known, near): (&[Vec<f64>], f64),
    (solved, widths): (&[f64], &[f64]),
) -> bool {
    let points = problem.points(z);
    let other = |f: &Vec<f64>| !problem.match_points(&problem.points(f), &points, near);
    known.iter().all(other) && holds(problem, z, (solved, widths))
}

/// Add what is new from a seed. Is there anything?
fn find(
    problem: &mut FixedPoint<'_>,
    x: &[f64],
    (solved, widths): (&[f64], &[f64]),
    found: &mut Vec<Vec<f64>>,
) -> bool {
    /// What the equations as they are lead to is known if it is so near to something known.
    const BESIDE: f64 = 1e-3;
    let before = found.len();
    // Once from every seed, then again and again as long as that leads to something new.
    loop {
        let guess = problem.guess(x);
        let deflated = on_sides(problem, guess, found, widths);
        let Some(z) = deflated.filter(|z| is_new(problem, z, (found, SAME_PLACE), (solved, widths))) else {
            break;
        };
        found.push(z);
    }
    if problem.large.is_none() && !found.is_empty() {
        let guess = problem.guess(x);
        // Copies of a multiple root are as far apart as rounding leaves them: those are known.
        if let Some(z) = on_sides(problem, guess, &[], widths)
            && is_new(problem, &z, (found, BESIDE), (solved, widths))
            && !is_degenerate(problem, &z)
        {
            found.push(z);
        }
    }
    found.len() > before
}

/// Seed number `k`: the middle of the region, then all over it.
pub(super) fn seed(search: &PointSearch, k: usize) -> Vec<f64> {
    let place = |(d, (lo, hi)): (usize, &(f64, f64))| match k {
        0 => 0.5 * (lo + hi),
        _ => lo + halton(k, d) * (hi - lo),
    };
    search.region.iter().enumerate().map(place).collect()
}

/// The most that is left of each equation that is solved: a small part of what it is over the region. Next to a
/// singularity, as of `exp(-E/T)` at T = 0, updates are small, and what is left of the equations may have any size.
fn counts_as_solved(problem: &mut FixedPoint<'_>, search: &PointSearch) -> Vec<f64> {
    /// Seeds that are looked at, and the part.
    const SEEDS: usize = 33;
    const PART: f64 = 1e-3;
    if problem.large.is_some() {
        return vec![];
    }
    let left: Vec<Vec<f64>> = (0..SEEDS)
        .filter_map(|k| {
            let z = problem.guess(&seed(search, k));
            left_over(problem, &z)
        })
        .collect();
    let usual = |r: usize| {
        let mut sizes: Vec<f64> = left.iter().map(|left| left[r]).filter(|left| *left > 0.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).map_or(f64::INFINITY, |usual| PART * usual)
    };
    (0..problem.n * problem.length).map(usual).collect()
}

/// Are the equations solved at `z`?
fn holds(problem: &mut FixedPoint<'_>, z: &[f64], (solved, widths): (&[f64], &[f64])) -> bool {
    if problem.large.is_some() || problem.length == 1 && solved.iter().all(|most| *most == f64::INFINITY) {
        return true;
    }
    left_over(problem, z).is_some_and(|left| {
        left.iter().zip(solved).all(|(left, most)| left <= most) && returns(problem, z, &left, widths)
    })
}

/// Do the points of a cycle follow each other, as far as doubles can tell? From the largest of them the others cannot
/// be seen: where a map drives motions far away, updates that are small beside the one may be many times as large as
/// these. What is left of each equation, just linearised, must be small beside the terms that it is made of, and what
/// rounding of these terms does to each point must be small beside that point.
fn returns(problem: &mut FixedPoint<'_>, z: &[f64], left: &[f64], widths: &[f64]) -> bool {
    /// Of the terms of an equation, and of a point.
    const PART: f64 = 1e-3;
    /// A state counts as so much of the region at least: there it may be zero.
    const LEAST: f64 = 1e-3;
    /// What is nearer than so many times the region is seen.
    const FAR: f64 = 1e3;
    let states = || z.iter().zip(widths.iter().cycle()).take(problem.n * problem.length);
    if problem.length == 1 || states().all(|(z, width)| z.abs() < FAR * width) {
        return true;
    }
    let width = problem.unknowns();
    let sizes: Vec<f64> = states().map(|(z, width)| z.abs().max(LEAST * width)).collect();
    let rows = problem.jacobian.chunks_exact(width);
    let terms = rows.map(|row| row.iter().zip(&sizes).map(|(v, size)| v.abs() * size).sum::<f64>());
    let terms: Vec<f64> = terms.collect();
    if left.iter().zip(&terms).any(|(left, terms)| *left > PART * terms) {
        return false;
    }
    let mut border = vec![0.0; width * problem.free.len()];
    for (k, row) in border.chunks_exact_mut(width).enumerate() {
        row[sizes.len() + k] = 1.0;
    }
    // Fixed signs keep results reproducible.
    let rounding = |(r, terms): (usize, &f64)| f64::EPSILON * terms * (1.0 + 0.5 * (1.7 * r as f64).sin());
    let mut errors: Vec<f64> = terms.iter().enumerate().map(rounding).collect();
    errors.resize(width, 0.0);
    problem.solve(&border, &mut errors).is_ok()
        && errors
            .iter()
            .zip(&sizes)
            .all(|(error, size)| error.abs() <= PART * size)
}

/// What is left of the equations at `z`; none where they have no value.
fn left_over(problem: &mut FixedPoint<'_>, z: &[f64]) -> Option<Vec<f64>> {
    let mut residual = vec![0.0; problem.n * problem.length];
    problem.linearise(z, &mut residual).ok()?;
    residual.iter_mut().for_each(|r| *r = r.abs());
    residual.iter().all(|r| r.is_finite()).then_some(residual)
}

/// Do all inequalities hold at a solution?
pub fn is_admissible(problem: &mut FixedPoint<'_>, z: &[f64]) -> bool {
    let mut record = Record::default();
    measure(problem, z, &mut record).is_ok() && record.admissible()
}

/// The border of admissibility beyond which a solution lies, if it is not admissible: what happens there, in words.
pub fn border_passed(problem: &mut FixedPoint<'_>, z: &[f64]) -> Option<String> {
    let mut record = Record::default();
    measure(problem, z, &mut record).ok()?;
    let passed = record.inequalities.iter().position(|v| *v < 0.0)?;
    problem.inequalities().into_iter().nth(passed).map(|spec| spec.meaning)
}

/// The modes of the fields on both sides, where a solution at rest on a surface lies in an escaping region: all of them
/// point away from the surface there.
pub fn escapes_to(problem: &FixedPoint<'_>, z: &[f64]) -> Option<Vec<usize>> {
    let mode = &problem.system.modes[problem.mode];
    let bounds = guards::bounds(problem);
    let sticks = problem.rest && !problem.escaping && mode.kind == ModeKind::Stick;
    let beyond = |&event: &usize| guards::height(problem, event, z) < 0.0;
    let all = sticks && bounds.len() > 1 && bounds.iter().all(beyond);
    all.then(|| bounds.iter().map(|&event| mode.events[event].target).collect())
}

/// Is a cycle of k points one of fewer points, gone through several times?
fn closes_earlier(problem: &FixedPoint<'_>, z: &[f64]) -> bool {
    let points = problem.points(z);
    let count = points.len();
    (1..count).filter(|d| count.is_multiple_of(*d)).any(|d| {
        (0..count).all(|i| problem.match_points(&points[i..=i], &points[(i + d) % count..=(i + d) % count], SAME_ORBIT))
    })
}

/// A solution from a guess whose sides of corners are held; where what is found lies on other sides it is none, and the
/// equations as they are written are solved.
fn on_sides(problem: &mut FixedPoint<'_>, guess: Vec<f64>, known: &[Vec<f64>], widths: &[f64]) -> Option<Vec<f64>> {
    let found = deflated(problem, guess.clone(), known, widths);
    if problem.one_sided.is_empty() || found.as_ref().is_some_and(|z| keeps_sides(problem, z)) {
        return found;
    }
    problem.release_sides();
    deflated(problem, guess, known, widths)
}

/// Do the points at `z` lie on the sides of the corners that the equations are solved on?
fn keeps_sides(problem: &FixedPoint<'_>, z: &[f64]) -> bool {
    corners::corner_margins(problem, z).iter().all(|margin| *margin >= 0.0)
}

/// Does Newton's iteration come nearer to a multiple root? There each update is about the same part of the one before.
fn comes_nearer(updates: &[f64]) -> bool {
    /// So many updates, and the part that is too large.
    const LAST: usize = 5;
    const PART: f64 = 0.9;
    updates.len() > LAST
        && updates[updates.len() - LAST..]
            .windows(2)
            .all(|pair| pair[1] <= PART * pair[0])
}

/// Newton's method on the deflated equations, at fixed parameters. Lengths are measured in the `widths` of the region.
fn deflated(problem: &mut FixedPoint<'_>, mut z: Vec<f64>, known: &[Vec<f64>], widths: &[f64]) -> Option<Vec<f64>> {
    /// The most iterations, and those towards a multiple root, at which each halves the distance or less.
    const USUAL: usize = 50;
    const MOST: usize = 150;
    /// So near to a multiple root the matrix may be singular to rounding.
    const NEAR: f64 = 1e-4;
    let size = problem.n * problem.length;
    let width = z.len();
    let mut residual = vec![0.0; size];
    let mut sizes = vec![0.0; width];
    let mut matrix = DenseSystem::new(if problem.large.is_some() { 0 } else { size });
    let mut history: Vec<f64> = vec![];
    for iteration in 0..MOST {
        look();
        if iteration >= USUAL && !comes_nearer(&history) {
            return None;
        }
        problem.linearise(&z, &mut residual).ok()?;
        let step = if problem.large.is_some() {
            problem.large_step(&residual)?
        } else {
            matrix.clear();
            for r in 0..size {
                for c in 0..size {
                    matrix.add(r, c, problem.jacobian[r * width + c]);
                }
            }
            let mut step: Vec<f64> = residual.iter().map(|r| -r).collect();
            if matrix.factorise().and_then(|()| matrix.solve(&mut step)).is_err() {
                // At a multiple root nothing is left of the matrix, nor of the equations.
                return (comes_nearer(&history) && history.last()? <= &NEAR).then_some(z);
            }
            step
        };
        // With M = Π (1/dⱼ² + 1) the step of the deflated equations is the plain one divided by 1 + ∇(ln M)·step.
        let slope: f64 = known
            .iter()
            .map(|other| log_slope(&z, &classified_beside(problem, other, &z), &step, widths))
            .sum();
        let factor = (1.0 - slope).recip();
        let factor = if factor.is_finite() { factor } else { 1.0 };
        problem.sizes(&z, &mut sizes);
        within_region(problem, &z, widths, &mut sizes);
        let change = step
            .iter()
            .zip(&sizes)
            .fold(0.0f64, |m, (s, size)| m.max((s / size).abs()));
        let wide = step.iter().zip(&sizes).zip(widths.iter().cycle());
        let across = wide.fold(0.0f64, |m, ((s, size), width)| m.max((s / size.max(*width)).abs()));
        let stride = (factor.abs() * across).max(1e-300);
        let damped = factor * (1.0f64).min(2.0 / stride);
        z.iter_mut().zip(&step).for_each(|(z, s)| *z += damped * s);
        turn_back(problem, &mut z);
        history.push(change);
        if change < 1e-12 || (history.len() > 2 && change < 1e-10) {
            problem.linearise(&z, &mut residual).ok()?;
            return residual.iter().all(|r| r.is_finite()).then_some(z);
        }
    }
    None
}

/// Iterates of a seed may be far beyond the region: updates that are small beside those tell nothing.
fn within_region(problem: &FixedPoint<'_>, z: &[f64], widths: &[f64], sizes: &mut [f64]) {
    let n = problem.n;
    for (c, width) in widths.iter().enumerate().filter(|(_, width)| **width > 0.0) {
        let here = (0..problem.length).fold(0.0f64, |m, i| m.max(z[i * n + c].abs()));
        (0..problem.length).for_each(|i| sizes[i * n + c] = sizes[i * n + c].min(width.max(here)));
    }
}

/// The whole turns of each angle that lead from one value of it to within half a turn of another.
pub(super) fn turns(problem: &FixedPoint<'_>, c: usize, from: f64, to: f64) -> f64 {
    let state = problem.system.modes[problem.mode].states[c];
    let period = problem.system.states[state].period;
    period.map_or(0.0, |period| ((to - from) / period).round() * period)
}

/// The same solution with its angles turned to within half a turn of those at `near`: copies of one solution are
/// not found as others.
fn classified_beside(problem: &FixedPoint<'_>, z: &[f64], near: &[f64]) -> Vec<f64> {
    let mut turned = z.to_vec();
    for k in 0..problem.n * problem.length {
        turned[k] += turns(problem, k % problem.n, z[k], near[k]);
    }
    turned
}

/// Turn the angles of all points back together, so that those of the first are within half a turn of zero: far away
/// rounding leaves nothing of them.
fn turn_back(problem: &FixedPoint<'_>, z: &mut [f64]) {
    for c in 0..problem.n {
        let turns = turns(problem, c, z[c], 0.0);
        if turns.is_finite() {
            (0..problem.length).for_each(|i| z[i * problem.n + c] += turns);
        }
    }
}

/// `∇ ln(1/d² + 1) · step`, d the distance to a known solution in the widths of the region.
fn log_slope(z: &[f64], other: &[f64], step: &[f64], widths: &[f64]) -> f64 {
    let (mut square, mut along) = (0.0, 0.0);
    for (((z, o), s), width) in z.iter().zip(other).zip(step).zip(widths.iter().cycle()) {
        let unit = if *width > 0.0 { *width } else { 1.0 };
        let off = (z - o) / unit;
        square += off * off;
        along += off * (s / unit);
    }
    if square == 0.0 {
        return 0.0;
    }
    -2.0 * along / (square * (1.0 + square))
}
