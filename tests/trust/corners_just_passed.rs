//! Orbits that pass a corner of their equations for a short while only: a visit beyond it that falls between the stages
//! of an integrator's step counts as much as any other.

use super::known::{curve, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// Real and imaginary parts of the multipliers, in order.
fn multipliers(point: &BranchPoint) -> Vec<(f64, f64)> {
    let parts = point.record.multipliers.iter().map(|m| {
        let (s, c) = m.arg.sin_cos();
        (10f64.powf(m.log10) * c, 10f64.powf(m.log10) * s)
    });
    let mut parts: Vec<(f64, f64)> = parts.collect();
    parts.sort_by(|a, b| a.partial_cmp(b).unwrap());
    parts
}

#[test]
fn multipliers_beside_a_grazing_are_those_of_the_system_with_modes() {
    let class = "corners just passed";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (damping, grazes) = (random.between(0.05, 0.2), random.between(1.1, 1.8));
        let (mean, force, stiffness) = (
            random.between(-0.3, 0.3),
            random.between(0.5, 2.0),
            random.log_between(1.0, 20.0),
        );
        let unit = random.log_between(1e-3, 1e3);
        // The amplitude of the linear motion, and the distance that it just reaches at w = `grazes`.
        let amplitude = force / (1.0 - grazes * grazes).hypot(damping * grazes);
        let stop = unit * (mean + amplitude);
        let rate = |contact: &str| {
            format!(
                "v' = ({:?})*cos(w*t) + ({:?}) - x - {damping:?}*v - {contact}",
                unit * force,
                unit * mean
            )
        };
        let pressed = match member % 3 {
            0 => format!("{stiffness:?}*max(x - ({stop:?}), 0)"),
            1 => format!("{:?}*(x - ({stop:?}) + abs(x - ({stop:?})))", 0.5 * stiffness),
            _ => format!("if(x > {stop:?}, {stiffness:?}*(x - ({stop:?})), 0)"),
        };
        let head = "states: [\"x\", \"v\"], parameters: {\"w\": 1}, forcing: Forcing(period: \"2*pi/w\")";
        let smooth = format!("Smooth({head}, equations: [\"x' = v\", \"{}\"])", rate(&pressed));
        let hybrid = format!(
            "Hybrid({head}, modes: {{\"off\": Mode(equations: [\"x' = v\", \"{}\"], events: {{\"hit\": Event(guard: \"x - ({stop:?})\", direction: Up, to: \"on\")}}), \
             \"on\": Mode(equations: [\"x' = v\", \"{}\"], events: {{\"leave\": Event(guard: \"x - ({stop:?})\", direction: Down, to: \"off\")}})}}, \
             start: Start(mode: \"off\"))",
            rate("0"),
            rate(&format!("{stiffness:?}*(x - ({stop:?}))")),
        );
        let levels: Vec<String> = (2..8).map(|k| format!("{:?}", grazes - 10f64.powi(-k))).collect();
        let text = |system: &str, orbit: &str| {
            format!(
                "Study(title: \"stop\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"w\": {:?}}}), \
                 free: \"w\", range: ({:?}, {:?}), levels: {{\"w\": [{}]}}, switch: Auto)])",
                grazes + 0.1,
                grazes - 0.02,
                grazes + 0.1,
                levels.join(", "),
            )
        };
        let texts = [text(&smooth, "PeriodicOrbit"), text(&hybrid, "Periodic(\"off free\")")];
        let at_levels = texts.each_ref().map(|text| {
            let result = run(text);
            let points = curve(&result, "c").points();
            let mut own: Vec<(f64, Vec<(f64, f64)>)> = points
                .filter(|(_, _, p)| p.label == Some(Label::UZ))
                .map(|(_, _, p)| (p.point.parameter(), multipliers(p)))
                .collect();
            own.sort_by(|a, b| a.0.total_cmp(&b.0));
            own
        });
        let [smooth, hybrid] = &at_levels;
        let same = |(a, b): (&(f64, Vec<(f64, f64)>), &(f64, Vec<(f64, f64)>))| {
            let mut parts = a.1.iter().zip(&b.1);
            (a.0 - b.0).abs() <= 1e-12 && parts.all(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1) <= 1e-6)
        };
        if smooth.len() != hybrid.len() || smooth.is_empty() || !smooth.iter().zip(hybrid).all(same) {
            wrong.push((
                member,
                format!("{smooth:?}\nwith modes {hybrid:?}\n{}\n{}", texts[0], texts[1]),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
