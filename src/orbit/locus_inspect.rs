//! What is measured along a two-parameter curve: all that is measured on its orbits, and test functions for points of codimension two.

use super::Locus;
use super::locus::Kept;
use crate::bifurcation::{InequalitySpec, Inspect, Label, Record, TestSpec};
use crate::continuation::{Failure, Point, Problem};
use crate::floquet::{Multiplier, UnitPair, nearest_unit_pair, psi_minus, psi_ns, psi_plus};
use crate::system::Closure;
use std::f64::consts::PI;

/// A test function of a two-parameter curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    /// A fold curve turns back in both parameters.
    Cusp,
    /// A further multiplier is +1.
    Plus,
    /// A further multiplier is -1.
    Minus,
    /// A further pair is on the unit circle.
    Torus,
    /// The argument is 2π/3.
    Third,
    /// The argument is π/2.
    Fourth,
}

impl Locus<'_> {
    fn list(&self) -> Vec<Test> {
        let mut tests = vec![Test::Plus, Test::Minus, Test::Torus];
        match self.kept {
            Kept::Multiplier(Label::LP) => tests.push(Test::Cusp),
            Kept::Multiplier(Label::NS) => tests.extend([Test::Third, Test::Fourth]),
            _ => {}
        }
        tests
    }

    /// The multipliers (of the half map, for symmetric orbits) apart from those that are kept on the unit circle.
    fn others(&self, record: &Record) -> Vec<Multiplier> {
        let all = if self.plain.word().symmetric {
            &record.nu
        } else {
            &record.multipliers
        };
        let mut left = all.clone();
        let target = match self.kept {
            Kept::Multiplier(Label::LP) => 0.0,
            Kept::Multiplier(Label::SB | Label::PD) => PI,
            Kept::Multiplier(Label::NS) => {
                for conjugate in [1.0, -1.0] {
                    take_nearest(&mut left, |m| {
                        if m.is_real() || m.arg * conjugate < 0.0 {
                            f64::INFINITY
                        } else {
                            m.log10.abs()
                        }
                    });
                }
                return left;
            }
            _ => return left,
        };
        take_nearest(&mut left, |m| m.log10.abs() + (m.arg.abs() - target).abs());
        left
    }

    /// The angle by which the eigenvectors of a kept pair turn in a period (in half of it, for symmetric orbits).
    fn angle(&self, z: &[f64]) -> f64 {
        let half: f64 = (0..self.held.problem().segments.len())
            .map(|k| self.held.problem().duration(z, k))
            .sum();
        z[z.len() - 3] * half
    }

    /// The rates of both parameters along a unit tangent, in units of their sizes.
    fn parameter_rates(&self, z: &[f64], tangent: &[f64]) -> [f64; 2] {
        let n = z.len();
        [n - 2, n - 1].map(|i| tangent[i] / z[i].abs().max(0.1))
    }

    /// Keep the direction in which the fold curve runs, whichever way the tangent goes: at a cusp the tangent turns about and the curve does not.
    pub(super) fn orient(&mut self, z: &[f64], tangent: &[f64]) {
        let rates = self.parameter_rates(z, tangent);
        let length = rates[0].hypot(rates[1]);
        if length < 1e-9 {
            return;
        }
        let along = self.course.map_or(1.0, |c| c[0] * rates[0] + c[1] * rates[1]);
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        self.course = Some(rates.map(|r| sign * r / length));
    }

    /// Measure the orbit of a point.
    pub(super) fn measure_plain(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        let orbit = self.orbit_at(point);
        let mut residual = vec![0.0; orbit.z.len() - 2];
        self.plain.linearise(&orbit.z, &mut residual)?;
        self.plain.inspect(&orbit, record)
    }

    /// What is kept, in words.
    fn subject(&self) -> String {
        let label = self.kept.label();
        format!("the curve of {label} ({})", label.meaning())
    }

    fn meeting(&self, other: Label) -> Label {
        Label::meeting(self.kept.label(), other)
    }
}

fn take_nearest(left: &mut Vec<Multiplier>, distance: impl Fn(&Multiplier) -> f64) {
    let nearest = left
        .iter()
        .enumerate()
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))
        .map(|(i, _)| i);
    if let Some(i) = nearest {
        left.remove(i);
    }
}

impl Inspect for Locus<'_> {
    fn parameter_names(&self) -> Vec<String> {
        self.plain.parameter_names()
    }
    fn free_parameters(&self) -> &[usize] {
        self.plain.free_parameters()
    }
    fn monitors(&self) -> Vec<String> {
        self.plain.monitors()
    }
    fn tests(&self) -> Vec<TestSpec> {
        let symmetric = self.plain.word().symmetric;
        let kept = match self.kept {
            Kept::Multiplier(label) => Some(label),
            Kept::Scalar(..) => None,
        };
        let subject = self.subject();
        self.list()
            .into_iter()
            .map(|test| {
                let (label, meaning) = match (test, kept) {
                    (Test::Cusp, _) => (
                        Label::CP,
                        "cusp: two curves of folds meet and end in a point; beyond it there is one orbit where there were three".into(),
                    ),
                    (Test::Plus, Some(Label::LP)) => (Label::R1, "resonance 1:1: a second multiplier is +1".into()),
                    (Test::Plus, _) => (
                        self.meeting(Label::LP),
                        format!("{subject} meets a fold: a multiplier is +1 as well"),
                    ),
                    (Test::Minus, Some(Label::PD | Label::SB)) => {
                        (Label::R2, "resonance 1:2: a second multiplier is -1".into())
                    }
                    (Test::Minus, _) if symmetric => (
                        self.meeting(Label::SB),
                        format!("{subject} meets a symmetry breaking: ν = -1 as well"),
                    ),
                    (Test::Minus, _) => (
                        self.meeting(Label::PD),
                        format!("{subject} meets a period doubling: a multiplier is -1 as well"),
                    ),
                    (Test::Torus, _) => (
                        self.meeting(Label::NS),
                        format!("{subject} meets a Neimark–Sacker curve: a further pair of multipliers is on the unit circle"),
                    ),
                    (Test::Third, _) => (
                        Label::R3,
                        "resonance 1:3: the pair of multipliers is e^{±2πi/3}".into(),
                    ),
                    (Test::Fourth, _) => (
                        Label::R4,
                        "resonance 1:4: the pair of multipliers is ±i".into(),
                    ),
                };
                TestSpec { label, meaning }
            })
            .collect()
    }
    fn inequalities(&self) -> Vec<InequalitySpec> {
        let subject = self.subject();
        let mut specs: Vec<InequalitySpec> = self
            .plain
            .inequalities()
            .into_iter()
            .zip(&self.watched)
            .filter(|(_, watched)| **watched)
            .map(|(spec, _)| InequalitySpec {
                label: self.meeting(spec.label),
                duration: spec.duration,
                meaning: format!("{subject} ends: {}", spec.meaning),
            })
            .collect();
        if self.closure == Some(Closure::Rotated) {
            let mut push = |label, meaning: &str| {
                specs.push(InequalitySpec {
                    label,
                    duration: false,
                    meaning: meaning.into(),
                });
            };
            push(
                Label::R1,
                "resonance 1:1: the pair of multipliers meets at +1 and becomes real; beyond it there are neutral saddles",
            );
            push(
                Label::R2,
                "resonance 1:2: the pair of multipliers meets at -1 and becomes real; beyond it there are neutral saddles",
            );
        }
        specs
    }
    fn word(&self) -> String {
        Inspect::word(&self.plain)
    }
    fn confirm(&self, test: usize, record: &Record) -> bool {
        self.list().get(test) != Some(&Test::Torus)
            || matches!(
                nearest_unit_pair(&self.others(record)),
                Some(UnitPair::Conjugate { .. })
            )
    }
    fn folds(&self) -> bool {
        false
    }
    fn inspect(&mut self, point: &Point, record: &mut Record) -> Result<(), Failure> {
        self.measure_plain(point, record)?;
        let mut watched = self.watched.iter();
        record.inequalities.retain(|_| watched.next().copied().unwrap_or(true));
        if self.closure == Some(Closure::Rotated) {
            let angle = self.angle(&point.z);
            record.inequalities.extend([angle, PI - angle]);
        }
        let others = self.others(record);
        // A multiplier that is kept on the circle is neither in nor out.
        record.unstable = others.iter().filter(|m| m.log10 > 0.0).count();
        if self.course.is_none() {
            self.orient(&point.z, &point.tangent);
        }
        let rates = self.parameter_rates(&point.z, &point.tangent);
        let tests = self.list();
        record.tests.clear();
        record.tests.extend(tests.into_iter().map(|test| match test {
            Test::Cusp => self.course.map_or(1.0, |c| c[0] * rates[0] + c[1] * rates[1]),
            Test::Plus => psi_plus(&others),
            Test::Minus => psi_minus(&others),
            Test::Torus => psi_ns(&others),
            Test::Third => self.angle(&point.z).cos() + 0.5,
            Test::Fourth => self.angle(&point.z).cos(),
        }));
        Ok(())
    }
}
