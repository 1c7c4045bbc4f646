//! Two-parameter curves of equilibria, of cycles of maps and of tangencies: folds, branch points, Hopf points, period
//! doublings, Neimark–Sacker points, cubic tangencies, two-folds, user levels.
//!
//! As for periodic orbits, the eigenvector is solved for along with the point: an equilibrium of the system lifted to
//! its tangent vectors (see [`System::extended`]). A Hopf point is an equilibrium of the rotated lift, whose frame
//! turns with the frequency.

use super::FixedPoint;
use super::boundary_modes;
use super::coefficients;
use super::guards;
use super::hopf_test::hopf_frequency;
use super::monitors;
use super::phases;
use super::tangent_points;
use crate::OrbitSample;
use crate::locus_start::is_near;
use crate::null_space::NullSpace;
use crate::vector_factor::multiplied_near;
use nalgebra::{Complex, DVector};
use slipstick_bifurcation::{BranchPoint, Column, History, Label, Record};
use slipstick_continuation::{Condition, Constrained, Failure, Newton, NewtonOptions, Point, Problem, tangent_at};
use slipstick_floquet::{UnitPair, nearest_unit_pair};
use slipstick_numerics::linalg::singular::Singular;
use slipstick_system::{Closure, System};

/// What stays along a two-parameter curve of equilibria or of points of a map.
///
/// ```
/// use slipstick_bifurcation::{Column, Label};
/// use slipstick_orbit::PointCondition;
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// // A Hopf point is kept together with its eigenvectors, a level needs none.
/// let hopf = PointCondition::Bifurcation(Label::HB);
/// assert!(hopf.extended_system(&system).states.len() > system.states.len());
/// let level = PointCondition::Level(Column::Parameter(0), 2.0);
/// assert_eq!((level.label(), level.extended_system(&system).states.len()), (Label::UZ, system.states.len()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointCondition {
    /// LP, HB, PD or NS.
    Bifurcation(Label),
    /// BP: another family crosses.
    Crossing {
        /// The indices of both parameters; along the first one the families are known to cross.
        parameters: [usize; 2],
    },
    /// BE: the equilibrium lies on the guard of an event of its mode.
    Boundary {
        /// The index of the event among those of the mode.
        event: usize,
    },
    /// CT, TF or BE on a curve of tangencies.
    Tangency {
        /// The label.
        label: Label,
        /// The index of the monitor that is zero there.
        monitor: usize,
    },
    /// A parameter, monitor or the period at a level.
    Level(Column, f64),
}

impl PointCondition {
    /// The condition for a point with this label on a curve of tangencies or two-folds; none if the label is not one of
    /// theirs alone.
    pub fn of_tangencies(problem: &FixedPoint<'_>, label: Label, record: &Record) -> Option<Self> {
        let monitor = tangent_points::vanishing(problem, label, record)?;
        Some(Self::Tangency { label, monitor })
    }

    /// The label.
    pub fn label(&self) -> Label {
        match self {
            Self::Bifurcation(label) | Self::Tangency { label, .. } => *label,
            Self::Crossing { .. } => Label::BP,
            Self::Boundary { .. } => Label::BE,
            Self::Level(..) => Label::UZ,
        }
    }

    fn closure(&self) -> Option<Closure> {
        let label = match *self {
            Self::Bifurcation(label) => label,
            Self::Crossing { parameters } => return Some(Closure::NullSpace { parameters }),
            Self::Boundary { .. } | Self::Tangency { .. } | Self::Level(..) => return None,
        };
        Some(match label {
            Label::HB | Label::NS => Closure::Rotated,
            Label::PD => Closure::Opposite,
            _ => Closure::Same,
        })
    }

    /// The system in which the curve is solved: lifted to the eigenvector, or as it is.
    pub fn extended_system(&self, system: &System) -> System {
        match self.closure() {
            Some(closure) => system.extended(closure, false),
            None => system.clone(),
        }
    }
}

/// A condition on a lifted point.
pub(super) enum Fixed {
    Level(Column, f64),
    /// The guard of an event vanishes.
    Guard(usize),
    /// A linear condition on the vectors, renewed from point to point.
    Row(Kind, Vec<f64>),
}

/// What is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// ⟨c, v⟩ = 1 with the eigenvector c of the point before; for a pair, over both parts.
    Length,
    /// ⟨c_q, r⟩ = ⟨c_r, q⟩, which fixes the complex phase of a pair.
    Phase,
    /// One of the conditions on the vectors of a crossing, see [`NullSpace`], for one of them.
    Dual([usize; 2]),
}

impl Fixed {
    /// The row for the eigenvector at `z`; `n` states of the system, `width` with vectors.
    fn renew(&mut self, z: &[f64], points: usize, n: usize, width: usize, crossing: Option<&NullSpace>) {
        let Self::Row(kind, row) = self else { return };
        if let (Kind::Dual(which), Some(crossing)) = (*kind, crossing) {
            *row = crossing.row(which, z.len());
            return;
        }
        row.clear();
        row.resize(z.len(), 0.0);
        let mut total = 0.0;
        for at in (0..points).map(|i| i * width) {
            for i in at + n..at + width {
                total += z[i] * z[i];
                row[i] = match *kind {
                    Kind::Phase if i < at + 2 * n => -z[i + n],
                    Kind::Phase => z[i - n],
                    _ => z[i],
                };
            }
        }
        row.iter_mut().for_each(|v| *v /= total);
    }
}

impl<'s> Condition<FixedPoint<'s>> for Fixed {
    fn evaluate(&mut self, problem: &FixedPoint<'s>, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        match self {
            Self::Level(of, level) => Ok(column(problem, *of, z, gradient)? - *level),
            Self::Guard(event) => {
                gradient.copy_from_slice(&guards::gradient(problem, *event, z));
                Ok(guards::height(problem, *event, z))
            }
            Self::Row(kind, row) => {
                gradient.copy_from_slice(row);
                let value: f64 = row.iter().zip(z).map(|(r, z)| r * z).sum();
                Ok(match kind {
                    Kind::Dual([condition, vector]) if condition != vector => value,
                    Kind::Length | Kind::Dual(_) => value - 1.0,
                    Kind::Phase => value,
                })
            }
        }
    }
}

/// A scalar of the points with its gradient.
fn column(problem: &FixedPoint<'_>, column: Column, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
    let points = problem.n * problem.length;
    let unfit = || Failure::Evaluation("this column cannot be a constraint".into());
    match column {
        Column::Period => Err(unfit()),
        Column::Parameter(i) => {
            let k = problem.free.iter().position(|&f| f == i).ok_or_else(unfit)?;
            gradient[points + k] = 1.0;
            Ok(z[points + k])
        }
        Column::Monitor(i) => monitors::gradient(problem, i, z, gradient),
    }
}

/// A two-parameter curve of equilibria or of cycles of a map as a problem.
///
/// ```
/// use slipstick_bifurcation::{Label, TraceOptions, Tracer};
/// use slipstick_orbit::{FixedPoint, PointCondition, PointLocus};
/// use slipstick_study as study;
/// let text = r#"Study(title: "cusp", system: Smooth(states: ["x"], parameters: {"a": 0, "b": 3}, equations: ["x' = a + b*x - x^3"]))"#;
/// let plan = study::parse("cusp.ron".as_ref(), text.into())?.plan(&[])?;
/// let system = &plan.systems[0].system;
/// let mut rest = FixedPoint::equilibrium(system, 0, vec![0.0, 3.0], vec![0]);
/// let branch = Tracer::new(&mut rest, &TraceOptions::over((-3.0, 3.0))).from_guess(vec![3f64.sqrt(), 0.0])?;
/// let (_, fold) = branch.special().find(|(_, p)| p.label == Some(Label::LP)).ok_or("no fold")?;
/// // The fold, followed in the plane of both parameters, runs into the cusp at the origin.
/// let condition = PointCondition::Bifurcation(Label::LP);
/// let extended_system = condition.extended_system(system);
/// let (mut locus, start) = PointLocus::through(&rest, &extended_system, condition, (0, 1), fold)?;
/// let folds = Tracer::new(&mut locus, &TraceOptions::over((-3.0, 3.0))).through(&start)?;
/// for p in &folds.points {
///     let [a, b] = [p.record.parameters[0], p.record.parameters[1]];
///     assert!((4.0 * b.powi(3) - 27.0 * a * a).abs() < 1e-9 * (1.0 + a * a));
/// }
/// assert!(folds.special().any(|(_, p)| p.label == Some(Label::CP)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PointLocus<'s> {
    pub(super) condition: PointCondition,
    pub(super) constrained: Constrained<FixedPoint<'s>, Fixed>,
    /// The points themselves, for measuring.
    pub(super) plain: FixedPoint<'s>,
    pub(super) closure: Option<Closure>,
    /// Of branch points: do two of the branches lie mirrored about the third?
    pub(super) pitchfork: bool,
    pub(super) history: History,
    /// Of a pair that is solved for with the angle of its conjugate: the whole turns that both add up to.
    pub(super) conjugate: Option<f64>,
    /// Has the start a multiplier +1 besides what it is, as all points of the curve may?
    pub(super) beside_one: bool,
    /// The largest singular value of the derivatives less the kept eigenvalue at the start, scaled.
    pub(super) usual_size: f64,
    /// Coefficients up to this size are rounding.
    pub(super) rounding: f64,
    /// Of boundary equilibria: the event, and the other mode of which they are equilibria.
    pub(super) other_mode: Option<(usize, usize)>,
}

impl<'s> PointLocus<'s> {
    /// The curve through `at`, a located point of the one-parameter problem `of`, in the parameters `free` (the first
    /// is the one that the range of a trace is about), with its first point. `lift` is what
    /// [`PointCondition::extended_system`] gives for its system.
    ///
    /// # Errors
    /// [`Failure`] when the point cannot be corrected to one of the two-parameter problem.
    pub fn through(
        of: &FixedPoint<'s>,
        extended_system: &'s System,
        condition: PointCondition,
        free: (usize, usize),
        at: &BranchPoint,
    ) -> Result<(Self, Point), Failure> {
        let closure = condition.closure();
        let parameters = at.record.parameters.clone();
        let both = vec![free.1, free.0];
        let plain = FixedPoint::new(of.system, of.mode, of.rest, of.length, parameters.clone(), both.clone());
        let mut extended = parameters;
        let mut all = vec![];
        for _ in closure.map_or(&[][..], Closure::parameters) {
            all.push(extended.len());
            extended.push(0.0);
        }
        all.extend(both);
        extended.extend(closure.map_or(&[][..], Closure::constants).iter().map(|_| 0.0));
        let mut problem = FixedPoint::new(extended_system, of.mode, of.rest, of.length, extended, all);
        if closure == Some(Closure::Opposite) {
            problem.closing[plain.n..].fill(-1.0);
        }
        let kinds: &[Kind] = match closure {
            None => &[],
            Some(Closure::Rotated) => &[Kind::Length, Kind::Phase],
            Some(Closure::NullSpace { .. }) => &[[0, 0], [0, 1], [1, 0], [1, 1]].map(Kind::Dual),
            Some(_) => &[Kind::Length],
        };
        let mut conditions: Vec<Fixed> = kinds.iter().map(|kind| Fixed::Row(*kind, vec![])).collect();
        if let PointCondition::Tangency { monitor, .. } = condition {
            conditions.push(Fixed::Level(Column::Monitor(monitor), 0.0));
        }
        if let PointCondition::Level(column, value) = condition {
            if let Column::Monitor(i) = column {
                monitors::can_fix(&plain, i).map_err(|why| Failure::Evaluation(why.to_string()))?;
            }
            conditions.push(Fixed::Level(column, value));
        }
        if let PointCondition::Boundary { event } = condition {
            conditions.push(Fixed::Guard(event));
        }
        let mut locus = Self {
            condition,
            constrained: Constrained::new(problem, conditions),
            plain,
            closure,
            pitchfork: false,
            history: History::default(),
            conjugate: None,
            beside_one: false,
            usual_size: 0.0,
            rounding: 0.0,
            other_mode: None,
        };
        let start = locus.begin(at)?;
        if let PointCondition::Boundary { event } = condition {
            let z = locus.point_at(&start).z;
            locus.plain.take_parameters(&z);
            locus.other_mode = boundary_modes::other_mode(&locus.plain, event, &z).map(|mode| (event, mode));
        }
        locus.note_conjugate(&start);
        locus.note_multiplier_one(&start)?;
        locus.note_size(&start);
        locus.note_rounding(&start);
        if condition.label() == Label::BP {
            let orbit = locus.point_at(&start);
            locus.pitchfork = coefficients::is_pitchfork(&locus.plain, &orbit.z).unwrap_or(false);
        }
        Ok((locus, start))
    }

    fn begin(&mut self, at: &BranchPoint) -> Result<Point, Failure> {
        let points = self.plain.n * self.plain.length;
        let mut plain = at.point.z[..points].to_vec();
        plain.extend(self.plain.free.iter().map(|&i| at.record.parameters[i]));
        self.plain.anchor(&plain);
        match self.condition {
            PointCondition::Crossing { parameters } => self.begin_crossing(&plain, at, parameters),
            _ => self.begin_at(&plain, at),
        }
    }

    /// The first point, corrected from the points and parameters in `plain`.
    pub(super) fn begin_at(&mut self, plain: &[f64], at: &BranchPoint) -> Result<Point, Failure> {
        let mut start = self.embed(plain, at)?;
        self.embed_second(&mut start, plain, at)?;
        self.constrained.problem_mut().anchor(&start);
        self.renew(&start);
        let n = start.len();
        let options = NewtonOptions {
            iterations: 20,
            ..NewtonOptions::default()
        };
        let row = |i: usize| {
            let mut row = vec![0.0; n];
            row[i] = 1.0;
            row
        };
        let mut last = Failure::Evaluation("no second free parameter is given".into());
        // One of the parameters stays while the other one is corrected.
        for (stays, other) in [(n - 2, n - 1), (n - 1, n - 2)] {
            let mut z = start.clone();
            let solved = Newton::default().solve(self, &mut z, &row(stays), &start, &[0.0], &options);
            let found = solved.and_then(|()| {
                tangent_at(self, z.clone(), &row(stays), 1.0).or_else(|_| tangent_at(self, z, &row(other), 1.0))
            });
            let found = found.and_then(|point| {
                is_near(&self.plain, plain, &self.point_at(&point).z)?;
                Ok(point)
            });
            match found {
                Ok(mut point) => {
                    if point.tangent[n - 1] < 0.0 {
                        point.tangent.iter_mut().for_each(|t| *t = -*t);
                    }
                    return Ok(point);
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// The unknowns of the lifted problem: those of the points, with the eigenvector.
    fn embed(&self, plain: &[f64], at: &BranchPoint) -> Result<Vec<f64>, Failure> {
        let (n, length) = (self.plain.n, self.plain.length);
        let Some(closure) = self.closure else {
            return Ok(plain.to_vec());
        };
        let missing = || Failure::Evaluation("no eigenvector was found".into());
        let expansion = coefficients::expansion(&self.plain, plain);
        let angle = match (closure, self.plain.rest) {
            (Closure::Rotated, true) => hopf_frequency(&at.record.eigenvalues, 0).ok_or_else(missing)?,
            (Closure::Rotated, false) => match nearest_unit_pair(&at.record.multipliers) {
                Some(UnitPair::Conjugate { arg }) => arg,
                _ => return Err(missing()),
            },
            _ => 0.0,
        };
        let mut vector: Vec<Complex<f64>> = if closure == Closure::Rotated {
            let value = if self.plain.rest {
                Complex::new(0.0, angle)
            } else {
                Complex::from_polar(1.0, angle)
            };
            let found = expansion.eigenvectors(value).ok_or_else(missing)?;
            found.right.iter().copied().collect()
        } else {
            let value = match (closure, self.plain.rest) {
                (Closure::Opposite, _) => -1.0,
                (_, true) => 0.0,
                (_, false) => 1.0,
            };
            // The vector that the derivatives less the eigenvalue shorten most.
            let shortened = || {
                let mut matrix = coefficients::scaled_monodromy(&self.plain, plain);
                (0..n).for_each(|i| matrix[(i, i)] -= value);
                let mut sizes = vec![0.0; plain.len()];
                self.plain.sizes(plain, &mut sizes);
                let sizes = DVector::from_column_slice(&sizes[..n]);
                let least = Singular::of(&matrix)?.least();
                Some(least.component_mul(&sizes))
            };
            // The eigenvalues of equations say nothing: zero may have a Jordan block. And the start may be off the
            // place by more than an eigenvalue may be.
            let right = if self.plain.has_no_motion() {
                shortened()
            } else {
                let found = expansion.real_eigenvectors(value).map(|vectors| vectors.right);
                found.or_else(|| self.plain.large.is_none().then(shortened).flatten())
            };
            let right = right.ok_or_else(missing)?;
            right.iter().map(|&v| Complex::new(v, 0.0)).collect()
        };
        // Along a cycle the vector moves with the map, its frame turning evenly.
        let step = angle / length as f64;
        let field = self.plain.system.modes[self.plain.mode].field.as_ref();
        let mut z = vec![];
        for i in 0..length {
            let x = self.plain.point(plain, i);
            z.extend_from_slice(x);
            z.extend(vector.iter().map(|v| v.re));
            match closure {
                Closure::Rotated => z.extend(vector.iter().map(|v| v.im)),
                Closure::NullSpace { .. } => z.resize(z.len() + n, 0.0),
                _ => {}
            }
            let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
            slipstick_system::jacobian(field, x, &self.plain.parameters, &[], &mut y, &mut dx, &mut []);
            let turn = Complex::from_polar(1.0, -step);
            vector = dx
                .chunks_exact(n)
                .map(|row| row.iter().zip(&vector).map(|(a, v)| *v * *a).sum::<Complex<f64>>() * turn)
                .collect();
        }
        match closure {
            Closure::Rotated => z.push(if self.plain.rest { angle } else { step }),
            _ => z.extend(vec![0.0; closure.parameters().len()]),
        }
        z.extend_from_slice(&plain[n * length..]);
        Ok(z)
    }

    pub(super) fn renew(&mut self, z: &[f64]) {
        let (n, length, width) = (self.plain.n, self.plain.length, self.constrained.problem().n);
        let crossing = self.null_space(z);
        for c in self.constrained.conditions_mut() {
            c.renew(z, length, n, width, crossing.as_ref());
        }
    }

    /// Does the vector q = u + iv of a pair turn from u to v in the sense in which that of the last accepted point
    /// does? Positive: yes, negative: the other way round; none where rounding hides the sense.
    ///
    /// Where a pair becomes real in a Jordan block, v vanishes with the frequency, and both come back with other signs:
    /// beyond it the same points follow, with the conjugate pair. Where two eigenvalues meet that have a vector each,
    /// only the frequency changes its sign. The sense tells the one from the other as surely as the frequency is known,
    /// while the parameters rest at the first of them.
    pub(super) fn turn_of_pair(&mut self, z: &[f64]) -> Option<f64> {
        /// Components smaller than this part of the largest, in the sizes of the states, may be rounding.
        const SMALL: f64 = 1e-9;
        /// Nearer to parallel than this u and v tell no sense.
        const PARALLEL: f64 = 1e-10;
        let (n, length) = (self.plain.n, self.plain.length);
        if self.closure != Some(Closure::Rotated) {
            return None;
        }
        let mut sizes = vec![0.0; n * length + self.plain.free.len()];
        self.plain.sizes(&self.plain_unknowns(z), &mut sizes);
        let last = self.constrained.conditions_mut().iter().find_map(|c| match c {
            Fixed::Row(Kind::Length, row) => Some(row),
            _ => None,
        })?;
        // At the first point of a cycle: at the others the frame has turned, and what is real at the first may be
        // imaginary there.
        let places = || (0..n).map(|i| (n + i, i));
        let of_last = |(at, size): (usize, usize)| last[at].hypot(last[at + n]) / sizes[size];
        let least = SMALL * places().map(of_last).fold(0.0, f64::max);
        // Each component in units of what it is at the last point.
        let (mut own, mut across) = ([[0.0f64; 2]; 2], [[0.0f64; 2]; 2]);
        for (at, size) in places() {
            let unit = of_last((at, size)).max(least) * sizes[size];
            let (before, now) = ([last[at], last[at + n]], [z[at], z[at + n]]);
            for (r, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                own[r][c] += before[r] / unit * (before[c] / unit);
                across[r][c] += now[r] / unit * (before[c] / unit);
            }
        }
        let area = |m: [[f64; 2]; 2]| m[0][0] * m[1][1] - m[0][1] * m[1][0];
        let parallel = !(area(own) > (PARALLEL * (own[0][0] + own[1][1])).powi(2));
        Some(area(across)).filter(|turn| !parallel && turn.is_finite() && *turn != 0.0)
    }

    /// The unknowns of the points alone.
    pub(super) fn plain_unknowns(&self, z: &[f64]) -> Vec<f64> {
        let (n, length, width) = (self.plain.n, self.plain.length, self.constrained.problem().n);
        let mut plain: Vec<f64> = (0..length).flat_map(|i| z[i * width..i * width + n].to_vec()).collect();
        plain.extend_from_slice(&z[z.len() - 2..]);
        plain
    }

    /// The points at a point of the curve: unknowns and tangent without eigenvectors, both parameters last.
    pub fn point_at(&self, point: &Point) -> Point {
        Point {
            z: self.plain_unknowns(&point.z),
            tangent: self.plain_unknowns(&point.tangent),
            weights: self.plain_unknowns(&point.weights),
            meshes: None,
        }
    }

    /// The solution at a point, its angles turned by whole periods to come nearest to those in `near`, and its vectors.
    pub(super) fn turned_near(&self, point: &Point, near: &[f64]) -> Option<Point> {
        let (n, length, width) = (self.plain.n, self.plain.length, self.constrained.problem().n);
        let mut turned = point.clone();
        for k in (0..length).flat_map(|k| (0..n).map(move |i| k * width + i)) {
            turned.z[k] += phases::turns_of_any(&self.plain, k % width, point.z[k], near[k]);
        }
        match self.with_vectors_near(&turned, near) {
            None => (turned.z != point.z).then_some(turned),
            both => both,
        }
    }

    /// The solution at a point, with the vectors that come nearest to those in `near`.
    fn with_vectors_near(&self, point: &Point, near: &[f64]) -> Option<Point> {
        match self.null_space(near) {
            Some(space) => space.nearest(point, near),
            None => multiplied_near(point, near, &self.vector_places(), self.closure?),
        }
    }

    /// Where the components of the first vector are among the unknowns, and how much further those of a second one.
    pub(super) fn vector_places(&self) -> Vec<(usize, usize)> {
        let (n, length, width) = (self.plain.n, self.plain.length, self.constrained.problem().n);
        (0..length)
            .flat_map(|k| (0..n).map(move |i| (k * width + n + i, n)))
            .collect()
    }

    /// The points as rows of a table, at a point that [`PointLocus::point_at`] gave.
    pub fn sample(&self, point: &Point) -> OrbitSample {
        self.plain.sample(&point.z)
    }
}
