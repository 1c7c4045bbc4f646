//! Lyapunov exponents, ready to compute.

use crate::plan::exponents::check_exponents;
use crate::plan::parameters::Subject;
use crate::plan::referable::Referable;
use crate::plan::source::{Source, resolve};
use crate::plan::start::initial_state;
use crate::spec::curve::CurveSpec;
use crate::spec::lyapunov::LyapunovSpec;
use crate::spec::simulation::PolicySpec;
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use slipstick_flow::check_simulation;
use slipstick_flow::exponents::ExponentOptions;
use slipstick_report::reference_parts;
use slipstick_system::System;

/// Of what exponents are computed.
///
/// ```
/// use slipstick_study::{self as study, LyapunovOf, TaskPlan};
/// let text = r#"Study(
///     title: "Stick-slip",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     tasks: [Lyapunov(name: "motion", from: {"x": 0.2}, mode: "stick")],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::Lyapunov(motion) = &plan.tasks[0] else { panic!("it is one") };
/// assert!(matches!(&motion.of, LyapunovOf::Motion { from, .. } if from[0] == 0.2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub enum LyapunovOf {
    /// The motion from these states of a mode.
    Motion {
        /// The mode.
        mode: usize,
        /// Its states.
        from: Vec<f64>,
    },
    /// Orbits of a curve of the study.
    Orbits(Source),
}

/// Lyapunov exponents, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, TaskPlan};
/// let text = r#"Study(
///     title: "Stick-slip",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     tasks: [Lyapunov(name: "motion", set: {"Omega": 1.4}, time: 2000, count: 2)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::Lyapunov(motion) = &plan.tasks[0] else { panic!("it is one") };
/// assert_eq!((motion.parameters[0], motion.options.count), (1.4, Some(2)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct LyapunovPlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// Of what.
    pub of: LyapunovOf,
    /// Over how long, and how many.
    pub options: ExponentOptions,
    /// At how many points covariant vectors are computed.
    pub vectors: usize,
}

impl LyapunovPlan {
    /// The name of the table of covariant vectors.
    pub(crate) fn vectors_name(&self) -> String {
        format!("{}-vectors", self.name)
    }

    /// The tables that it gives, with their number columns.
    pub(crate) fn outputs(&self, system: &System) -> Vec<(String, Vec<String>)> {
        let named = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        let mut columns = named(&[
            "point",
            "index",
            "exponent",
            "error",
            "sum",
            "sum_error",
            "kaplan_yorke",
            "events",
        ]);
        columns.extend(system.parameters.iter().map(|p| p.name.clone()));
        let mut outputs = vec![(self.name.clone(), columns)];
        if self.vectors > 0 {
            outputs.push((self.vectors_name(), named(&["t", "angle"])));
        }
        outputs
    }
}

/// The curve of this study that `"curve, label"` names, if it is one of those that are written down.
fn curve_named<'s>(of: &str, curves: &'s [CurveSpec]) -> Option<&'s CurveSpec> {
    let [name, _] = reference_parts(of)[..] else {
        return None;
    };
    let own = |c: &&CurveSpec| name == c.name || name.starts_with(&format!("{}-", c.name));
    curves.iter().filter(own).max_by_key(|c| c.name.len())
}

/// Resolve and check.
pub(crate) fn plan_lyapunov(
    spec: &LyapunovSpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<LyapunovPlan> {
    let before = complaints.len();
    // The system of orbits is that of their curve.
    let of_curve = spec.of.as_deref().and_then(|of| curve_named(of, study.curves));
    let named = spec.system.as_ref().or_else(|| of_curve?.system.as_ref());
    let Subject {
        index,
        parameters,
        fine,
    } = study.subject(named, &spec.set, path, complaints)?;
    let system = &study.systems[index].system;
    let least = |key: &str, value: f64, fits: bool, complaints: &mut Vec<Complaint>| {
        if !(value.is_finite() && fits) {
            let message = format!("a time of {} is not possible", written(value));
            complaints.push(Complaint::new(format!("{path}.{key}"), message).help("give a positive number"));
        }
    };
    let defaults = ExponentOptions::default();
    let (time, transient) = (
        spec.time.unwrap_or(defaults.time),
        spec.transient.unwrap_or(defaults.transient),
    );
    least("time", time, time > 0.0, complaints);
    least("transient", transient, transient >= 0.0, complaints);
    if spec.count == Some(0) {
        complaints
            .push(Complaint::new(format!("{path}.count"), "no exponents are asked for").help("leave `count` out"));
    }
    check_exponents(spec.count.unwrap_or(0), system, (path, "count"), complaints);
    limits::ROWS.check(format!("{path}.vectors"), spec.vectors as f64, complaints);
    let options = ExponentOptions {
        transient,
        time,
        count: spec.count,
        policy: spec.policy.alone(),
        ..defaults
    };
    if system.is_map() && time < options.batches as f64 {
        let message = format!("{} iterates are too few for an average with an error", written(time));
        complaints.push(Complaint::new(format!("{path}.time"), message).help("give a thousand or more"));
    }
    let of = match &spec.of {
        Some(text) => {
            for (key, given) in [
                ("from", !spec.from.is_empty()),
                ("mode", spec.mode.is_some()),
                ("vectors", spec.vectors > 0),
                ("set", !spec.set.is_empty()),
                ("time", spec.time.is_some()),
                ("transient", spec.transient.is_some()),
                ("policy", spec.policy != PolicySpec::default()),
            ] {
                if given {
                    let message = format!("`{key}` belongs to a motion, and `of` names orbits");
                    complaints.push(Complaint::new(format!("{path}.{key}"), message).help("leave one of them out"));
                }
            }
            let (source, after) = resolve(
                text,
                (path, "of"),
                study.folder,
                (study.curves, study.systems),
                study.curves.len(),
                complaints,
            )?;
            if after.is_some_and(|k| study.curves[k].system.as_ref() != named) {
                let message = format!("curve `{}` is about another system", source.curve);
                complaints.push(Complaint::new(format!("{path}.of"), message).help("name its system with `system`"));
            }
            if source.folder.is_some() {
                let message = "the orbits of other runs have their multipliers in their own tables";
                complaints.push(Complaint::new(format!("{path}.of"), message).help("name a curve of this study"));
            }
            LyapunovOf::Orbits(source)
        }
        None => {
            let (mode, from) = initial_state((system, &parameters), spec.mode.as_ref(), &spec.from, path, complaints)?;
            if complaints.len() == before
                && fine
                && !system.is_map()
                && let Err(why) = check_simulation(system, mode, &from, &parameters, options.flow)
            {
                complaints.push(Complaint::new(path, why.to_string()));
            }
            LyapunovOf::Motion { mode, from }
        }
    };
    (complaints.len() == before && fine).then(|| LyapunovPlan {
        name: spec.name.clone(),
        system: index,
        parameters,
        of,
        options,
        vectors: spec.vectors,
    })
}
