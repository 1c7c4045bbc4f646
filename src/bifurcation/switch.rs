//! Branch switching: the direction of the second curve through a branch point, from the null space of the
//! linearisation.

use crate::{Inspect, Monitor, Record};
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point, Problem, family_on_plane, tangent_at};

/// How far from the branch point the other branch is sought, one after the other: at last so near that a state far from
/// zero changes by what is small for the equations.
const STEPS: [f64; 8] = [0.02, 0.005, 0.05, 0.1, 0.001, 1e-4, 1e-5, 1e-6];

/// What lies within so many steps is near. What lies farther off, up to a part of the sizes of the unknowns, is taken
/// where nothing nearer is found: the parameter changes faster than a state that is measured by the others while it is
/// zero, and much smaller than they are elsewhere.
const NEAR: f64 = 20.0;
const FARTHEST: f64 = 0.1;

/// On the way to a point of the branch, a parabola or a straight line from the branch point holds to this part of the
/// way.
const ASTRAY: f64 = 0.5;

/// The first point on the other branch through `at`, whose tangent is that of the known branch, towards `side` (±1) of
/// the null vector.
///
/// At a simple branch point F' has a null space of dimension two. The null vector v orthogonal to the known tangent is
/// found by inverse iteration on `[F'; tᵀ]`, which is singular just there. The point is then corrected on the plane
/// `v · (z - z₀) = ds`, away from the known branch whatever its curvature, so no random push is needed. What lies there
/// may belong to another branch that does not go through z₀: points on the way must be met near a parabola or a
/// straight line. Where the other branch is a family at one value of the parameter, the problem holds its parameter
/// afterwards; that is looked for unless `families` says that it cannot be one.
///
/// Reference: H. B. Keller (1977), in *Applications of Bifurcation Theory*, pp. 359–384.
///
/// # Errors
/// [`Failure`] when no step off the known branch converges.
pub fn other_branch(problem: &mut dyn Problem, at: &Point, side: f64, families: bool) -> Result<Point, Failure> {
    problem.release_parameter();
    let v = null_vector(problem, at)?;
    let row: Vec<f64> = v.iter().zip(&at.weights).map(|(v, w)| v * w * side).collect();
    let options = NewtonOptions {
        iterations: 20,
        ..NewtonOptions::default()
    };
    // A branch that keeps the parameter may count twice, and is one where the parameter is held.
    for ds in STEPS.into_iter().filter(|_| families) {
        let z: Vec<f64> = at.z.iter().zip(&v).map(|(z, v)| z + side * ds * v).collect();
        let mut guess = z;
        guess[at.z.len() - 1] = at.parameter();
        if let Some(point) = family_on_plane(problem, &guess, (&row, &at.z, ds), &options)
            && at.distance(&point) < 3.0 * ds
            && comes_from(at, &v, side * ds, &point.z, &mut |part, guess| {
                guess[at.z.len() - 1] = at.parameter();
                family_on_plane(problem, guess, (&row, &at.z, part * ds), &options).map(|near| near.z)
            })
        {
            // The family goes through the branch point itself, and begins there.
            let here = family_on_plane(problem, &at.z, (&row, &at.z, 0.0), &options);
            return Ok(match here {
                Some(here) => here,
                None => family_on_plane(problem, &guess, (&row, &at.z, ds), &options).unwrap_or(point),
            });
        }
    }
    problem.release_parameter();
    let mut newton = Newton::default();
    let mut last = Failure::Evaluation("no step size is left to try".into());
    let mut farther: Option<Point> = None;
    for ds in STEPS {
        let mut z: Vec<f64> = at.z.iter().zip(&v).map(|(z, v)| z + side * ds * v).collect();
        match newton.solve(problem, &mut z, &row, &at.z, &[ds], &options) {
            Ok(()) => match tangent_at(problem, z, &row, 1.0) {
                Ok(point) => {
                    let distance = at.distance(&point);
                    let near = distance < NEAR * ds;
                    let comes = (near || (farther.is_none() && distance < FARTHEST))
                        && comes_from(at, &v, side * ds, &point.z, &mut |part, guess| {
                            let solved = newton.solve(problem, guess, &row, &at.z, &[part * ds], &options);
                            solved.is_ok().then(|| guess.to_vec())
                        });
                    if comes && near {
                        problem.linearise(&point.z, &mut vec![0.0; at.z.len() - 1])?;
                        return Ok(point);
                    }
                    farther = farther.or_else(|| comes.then_some(point));
                    last = Failure::Evaluation("the other branch was not found near the branch point".into());
                }
                Err(e) => last = e,
            },
            Err(e) => last = e,
        }
    }
    let point = farther.ok_or(last)?;
    problem.linearise(&point.z, &mut vec![0.0; at.z.len() - 1])?;
    Ok(point)
}

/// Does the branch of `found`, a step of `ds` along `v` from the branch point, come from there? `solve` gives the point
/// a part of that step off, from a guess.
fn comes_from(
    at: &Point,
    v: &[f64],
    ds: f64,
    found: &[f64],
    solve: &mut dyn FnMut(f64, &mut [f64]) -> Option<Vec<f64>>,
) -> bool {
    let length = |apart: &mut dyn Iterator<Item = f64>| {
        let parts = apart.zip(&at.weights).map(|(d, w)| d * d * w);
        parts.sum::<f64>().sqrt()
    };
    let way = length(&mut found.iter().zip(&at.z).map(|(f, z)| f - z));
    // In no simple ratio, which what is periodic along the way might have with its period.
    [0.62, 0.37, 0.2].into_iter().all(|part| {
        // On a corner the other branch leaves in another direction than v, and straight on.
        let bend = found.iter().zip(&at.z).zip(v).map(|((f, z), v)| f - z - ds * v);
        let at_part = |power: f64| -> Vec<f64> {
            let along = at.z.iter().zip(v).map(|(z, v)| z + part * ds * v);
            along.zip(bend.clone()).map(|(z, bend)| z + power * bend).collect()
        };
        let expected = [at_part(part * part), at_part(part)];
        expected.iter().any(|place| {
            let near = solve(part, &mut place.clone());
            near.is_some_and(|near| {
                let off = |place: &Vec<f64>| length(&mut near.iter().zip(place).map(|(a, b)| a - b));
                expected.iter().map(off).fold(f64::INFINITY, f64::min) <= ASTRAY * part * way
            })
        })
    })
}

/// The first point of a branch that leaves `at`, nearer to it where the `first` one lies outside of a `range` of the
/// parameter.
///
/// # Errors
/// [`Failure`] when the branch leaves the range at once, or no point of it converges within.
pub fn first_within(
    problem: &mut dyn Problem,
    at: &Point,
    mut first: Point,
    range: (f64, f64),
) -> Result<Point, Failure> {
    /// How often a nearer point is looked for, and how much nearer at once.
    const MOST: usize = 20;
    const NEARER: (f64, f64) = (0.03, 0.7);
    /// The part of the way of the parameter to the border that is aimed at.
    const PART: f64 = 0.5;
    for _ in 0..MOST {
        let border = if first.parameter() > range.1 {
            range.1
        } else if first.parameter() < range.0 {
            range.0
        } else {
            return Ok(first);
        };
        let (way, room) = (first.parameter() - at.parameter(), border - at.parameter());
        if !(room / way > 0.0) {
            return Err(Failure::Evaluation(
                "it leaves the range of the parameter at once".into(),
            ));
        }
        // The parameter changes as the square of the distance, or in proportion to it. Where no point is found so near,
        // one further off.
        let part = (PART * room / way).sqrt().clamp(NEARER.0, NEARER.1);
        let parts = [part, part.sqrt(), part.sqrt().sqrt()];
        let Some(nearer) = parts
            .into_iter()
            .find_map(|part| part_of_way(problem, at, &first, part))
        else {
            break;
        };
        first = nearer;
    }
    Err(Failure::Evaluation("no point of it was found within the range".into()))
}

/// The first point of a branch that leaves `at`: the `first` one, or a nearer one where stability changes between the
/// two, as it does soon on the branches of a cascade of doublings. It is looked at ever nearer, as long as the
/// multiplier that is +1 where the branch leaves differs from that.
pub fn first_alike(problem: &mut dyn Inspect, at: &Point, first: Point) -> Point {
    /// The way to the next point, as part of the way to the last.
    const NEARER: f64 = 0.3;
    const MOST: usize = 10;
    let Some(mut found) = Stability::of(problem, &first) else {
        return first;
    };
    let (mut chosen, mut last) = (first.clone(), first);
    for _ in 0..MOST {
        let nearer = part_of_way(problem, at, &last, NEARER).or_else(|| next_to(problem, at, &last, NEARER));
        let Some(nearer) = nearer else { break };
        let Some(there) = Stability::of(problem, &nearer).filter(|there| there.resolved) else {
            break;
        };
        if !there.is_like(&found) {
            chosen = nearer.clone();
        }
        (found, last) = (there, nearer);
    }
    chosen
}

/// A point of the branch along the null vector, where a parabola through the `known` one, too far off, does not lead
/// there: at a part of the way to it, or nearer.
fn next_to(problem: &mut dyn Problem, at: &Point, known: &Point, part: f64) -> Option<Point> {
    /// How far it may lie from the null vector, as part of its distance from the branch point.
    const NEAR: f64 = 0.5;
    const MOST: usize = 6;
    let v = null_vector(problem, at).ok()?;
    let row: Vec<f64> = v.iter().zip(&at.weights).map(|(v, w)| v * w).collect();
    let apart = known.z.iter().zip(&at.z).map(|(b, a)| b - a);
    let mut step: f64 = apart.zip(&row).map(|(d, r)| d * r).sum();
    for _ in 0..MOST {
        step *= part;
        let guess: Vec<f64> = at.z.iter().zip(&v).map(|(z, v)| z + step * v).collect();
        let found = solved_near(problem, at, (&row, step), &guess, NEAR * step.abs());
        if found.is_some() {
            return found;
        }
    }
    None
}

/// A multiplier nearer to +1 than this, or an eigenvalue nearer to zero as part of what it is made of, does not tell on
/// which side it lies.
const RESOLVED: f64 = 1e-6;
/// Nor one that is nearer to it than so many times the error of the orbit, which perturbations enlarge.
const ERRORS: f64 = 1e5;

/// What is stable at a point.
struct Stability {
    unstable: usize,
    admissible: bool,
    /// Can it be told on which side of +1 the nearest multiplier lies?
    resolved: bool,
}

impl Stability {
    fn of(problem: &mut dyn Inspect, point: &Point) -> Option<Self> {
        let mut residual = vec![0.0; point.z.len() - problem.free()];
        problem.linearise(&point.z, &mut residual).ok()?;
        let mut record = Record::default();
        problem.inspect(point, &mut record).ok()?;
        let multipliers = record
            .of_return_map()
            .iter()
            .filter_map(|m| Some((m.to_complex()? - 1.0).norm()));
        let eigenvalues = record.scaled_eigenvalues().map(|(v, scale)| v.norm() / scale);
        let apart = multipliers.chain(eigenvalues).fold(f64::INFINITY, f64::min);
        let error = Monitor::error(&problem.monitors()).map_or(0.0, |column| record.monitors[column]);
        Some(Self {
            unstable: record.unstable,
            admissible: record.admissible(),
            resolved: apart > RESOLVED.max(ERRORS * error),
        })
    }

    fn is_like(&self, other: &Self) -> bool {
        self.unstable == other.unstable && self.admissible == other.admissible
    }
}

/// The point of a branch a part of the way from the branch point `at` to a `known` one.
fn part_of_way(problem: &mut dyn Problem, at: &Point, known: &Point, part: f64) -> Option<Point> {
    /// How far it may lie from where it is expected, as part of its distance from the branch point.
    const NEAR: f64 = 0.5;
    // A parabola from the branch point through the known one with its tangent.
    let apart: Vec<f64> = known.z.iter().zip(&at.z).map(|(b, a)| b - a).collect();
    let row: Vec<f64> = apart.iter().zip(&known.weights).map(|(d, w)| d * w).collect();
    let square: f64 = row.iter().zip(&apart).map(|(r, d)| r * d).sum();
    let along: f64 = row.iter().zip(&known.tangent).map(|(r, t)| r * t).sum();
    let slopes = known.tangent.iter().map(|t| t * square / along);
    let guess: Vec<f64> = (at.z.iter().zip(&apart).zip(slopes))
        .map(|((z, d), slope)| z + part * ((2.0 - part) * d - (1.0 - part) * slope))
        .collect();
    let level = row.iter().zip(&guess).zip(&at.z).map(|((r, g), z)| r * (g - z)).sum();
    solved_near(problem, at, (&row, level), &guess, NEAR * part * square.sqrt())
}

/// The solution on the plane with this row and level, counted from `at`, where it lies no farther from the `guess` than
/// `near`.
fn solved_near(
    problem: &mut dyn Problem,
    at: &Point,
    (row, level): (&[f64], f64),
    guess: &[f64],
    near: f64,
) -> Option<Point> {
    let options = NewtonOptions {
        iterations: 20,
        ..NewtonOptions::default()
    };
    let mut z = guess.to_vec();
    Newton::default()
        .solve(problem, &mut z, row, &at.z, &[level], &options)
        .ok()?;
    let point = tangent_at(problem, z, row, 1.0).ok()?;
    let off = point.z.iter().zip(guess).zip(&point.weights);
    let off = off.map(|((a, b), w)| (a - b) * (a - b) * w).sum::<f64>().sqrt();
    (off <= near).then_some(point)
}

/// Components are equally large if they differ by no more than this part: an orbit twice around has each one twice.
const TIE: f64 = 1e-3;

/// The unit null vector of F' orthogonal to the tangent at `at`, its largest component, relative to the sizes of the
/// unknowns, positive, or the first of those that are equally large.
fn null_vector(problem: &mut dyn Problem, at: &Point) -> Result<Vec<f64>, Failure> {
    // At a branch point known to rounding the matrix may be exactly singular; a little beside it the null vector is the
    // same.
    let beside: Vec<f64> = at.z.iter().zip(&at.tangent).map(|(z, t)| z + 1e-7 * t).collect();
    null_vector_at(problem, at, &at.z).or_else(|_| null_vector_at(problem, at, &beside))
}

fn null_vector_at(problem: &mut dyn Problem, at: &Point, z: &[f64]) -> Result<Vec<f64>, Failure> {
    let n = at.z.len();
    let mut residual = vec![0.0; n - 1];
    problem.linearise(z, &mut residual)?;
    let row: Vec<f64> = at.tangent.iter().zip(&at.weights).map(|(t, w)| t * w).collect();
    // Any start with a part along v will do; a fixed one keeps results reproducible.
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (1.7 * i as f64).sin()).collect();
    for _ in 0..4 {
        v[n - 1] = 0.0;
        problem.solve(&row, &mut v)?;
        let length = v.iter().zip(&at.weights).map(|(v, w)| v * v * w).sum::<f64>().sqrt();
        v.iter_mut().for_each(|x| *x /= length);
    }
    let parts: Vec<f64> = v.iter().zip(&at.weights).map(|(v, w)| v * w.sqrt()).collect();
    let largest = parts.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if parts
        .iter()
        .find(|x| x.abs() >= (1.0 - TIE) * largest)
        .is_some_and(|x| *x < 0.0)
    {
        v.iter_mut().for_each(|x| *x = -*x);
    }
    Ok(v)
}
