//! Families of doubled orbits that lie between two period doublings of one curve (period bubbles), of maps, of driven
//! flows and of orbits with events: both ends are period doublings, and lead back to the same parent.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::{CurveResult, RunResult};

/// Near the fixed point x of a return map -(1 + r) x + a x² + b x³, with r = e (1 - q²): doublings at q = ±1.
struct Bubble {
    size: f64,
    quadratic: f64,
    cubic: f64,
    /// Units of the state and of the parameter.
    scale: f64,
    parameter: f64,
}

/// Ways to write it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    Map,
    Events,
    Driven,
    /// As `Driven`, with a state that is zero all along the orbits that double.
    DrivenAlong,
}

impl Bubble {
    fn random(random: &mut Random) -> Self {
        Self {
            // The multiplier passes +1 where r is -2, beyond the range.
            size: random.between(0.2, 0.58),
            quadratic: random.between(-0.3, 0.3),
            cubic: random.between(0.5, 2.0),
            scale: random.sign() * random.log_between(1e-3, 1e3),
            parameter: random.log_between(1e-2, 1e2),
        }
    }

    fn growth(&self) -> String {
        format!("({:?}*(1 - (p/{:?})^2))", self.size, self.parameter)
    }

    /// The system, the orbits that double, as the study names them, and the doubled ones.
    fn system(&self, written: Written, random: &mut Random) -> (String, String, String) {
        let (s, r, a, b) = (self.scale, self.growth(), self.quadratic, self.cubic);
        let f = |x: &str| format!("-(1 + {r})*{x} + ({a:?})*{x}^2 + {b:?}*{x}^3");
        let start = 0.4 * (self.size / b).sqrt();
        let p = 2.0 * self.parameter;
        match written {
            Written::Map => (
                format!(
                    "Map(states: [\"x\"], parameters: {{\"p\": {p:?}}}, equations: [\"x+ = ({s:?})*({})\"], start: {{\"x\": {:?}}})",
                    f(&format!("(x/({s:?}))")),
                    start * s
                ),
                "FixedPoint".into(),
                "Cycle(2)".into(),
            ),
            Written::Events => {
                let (rate, period) = (random.between(0.3, 1.5), random.log_between(0.3, 3.0));
                // Counted from a place that is not zero.
                let (grown, place) = ((rate * period).exp(), random.between(0.5, 2.0));
                let y = format!("((x/({s:?}) - {:?})*{grown:?})", place);
                (
                    format!(
                        "Hybrid(states: [\"x\", \"tau\"], parameters: {{\"p\": {p:?}}}, modes: {{\"m\": Mode(equations: [\"x' = -{rate:?}*(x - ({:?}))\", \
                         \"tau' = {:?}\"], events: {{\"tick\": Event(guard: \"tau - 1\", direction: Up, to: \"m\", reset: {{\"tau\": \"0\", \
                         \"x\": \"({s:?})*({place:?} + {})\"}})}})}}, start: Start(mode: \"m\", at: {{\"x\": {:?}}}))",
                        place * s,
                        1.0 / period,
                        f(&y),
                        (start + place) * s
                    ),
                    "Periodic(\"m tick\")".into(),
                    "Periodic(\"m tick m tick\")".into(),
                )
            }
            Written::Driven | Written::DrivenAlong => {
                // In coordinates that turn by half a turn in each period u grows by r u - b u³, and v decays to a motion
                // that turns with them.
                let (w, decay, forced) = (
                    random.between(0.7, 2.0),
                    random.between(0.3, 1.0),
                    random.between(0.3, 1.5),
                );
                let driven = match written {
                    Written::Driven => random.between(0.2, 0.8),
                    _ => 0.0,
                };
                let (c, d) = ("cos(0.5*w*t)", "sin(0.5*w*t)");
                let x = format!("(x/({s:?}) - {forced:?}*cos(w*t))");
                let y = format!("(y/({s:?}))");
                let (u, v) = (format!("({c}*{x} + {d}*{y})"), format!("({c}*{y} - {d}*{x})"));
                let grows = format!("(0.3*{r}*{u} - {b:?}*{u}^3)");
                (
                    format!(
                        "Smooth(states: [\"x\", \"y\"], parameters: {{\"p\": {p:?}, \"w\": {w:?}}}, forcing: Forcing(period: \"2*pi/w\"), equations: [\
                         \"x' = ({s:?})*(-{forced:?}*w*sin(w*t) - 0.5*w*{y} + {c}*{grows} + {d}*({decay:?}*{v} - {driven:?}*{c}))\", \
                         \"y' = ({s:?})*(0.5*w*{x} + {d}*{grows} - {c}*({decay:?}*{v} - {driven:?}*{c}))\"], start: {{\"x\": {:?}, \"y\": {:?}}})",
                        (forced + start) * s,
                        0.1 * start * s,
                    ),
                    "PeriodicOrbit".into(),
                    String::new(),
                )
            }
        }
    }

    fn doublings(&self, curve: &CurveResult) -> Vec<f64> {
        let all = labels(curve).into_iter().filter(|(label, ..)| *label == Label::PD);
        let mut all: Vec<f64> = all.map(|(_, p, _)| p / self.parameter).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// What is wrong with a curve that has both doublings and no other label.
    fn said_of(&self, result: &RunResult, name: &str) -> Option<String> {
        const NEAR: f64 = 1e-6;
        let curve = result.curves.iter().find(|curve| curve.name == name)?;
        let doublings = self.doublings(curve);
        let others = labels(curve).len() - doublings.len();
        let right = matches!(doublings[..], [a, b] if (a + 1.0).abs() < NEAR && (b - 1.0).abs() < NEAR);
        (!right || others > 0).then(|| format!("{name}: {doublings:?} and {others} other labels"))
    }
}

#[test]
fn both_ends_of_a_bubble_are_period_doublings() {
    let class = "period bubbles";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let written = [Written::Map, Written::Events, Written::Driven, Written::DrivenAlong][member % 4];
        let bubble = Bubble::random(&mut random);
        let (system, once, twice) = bubble.system(written, &mut random);
        let (lo, hi) = (-2.1 * bubble.parameter, 2.1 * bubble.parameter);
        let study = |orbit: &str, from: f64| {
            format!(
                "Study(title: \"bubble\", system: {system}, curves: [Curve(name: \"c\", orbit: {orbit}, start: Settle(at: {{\"p\": {:?}}}), free: \"p\", \
                 range: ({lo:?}, {hi:?}), branches: [PD], generations: 2)])",
                from * bubble.parameter
            )
        };
        let text = study(&once, 2.0);
        let result = run(&text);
        let names: Vec<&str> = result.curves.iter().map(|curve| &curve.name[..]).collect();
        let mut said: Vec<String> = vec![];
        said.extend(bubble.said_of(&result, "c"));
        // Where a state is zero the program may fail to trace the branch, and says so.
        let is_told = written == Written::DrivenAlong && names == ["c"] && !result.missing.is_empty();
        if names != ["c", "c-PD1a"] && !is_told {
            said.push(format!("{names:?} {:?}", result.missing));
        } else if !is_told {
            // The first point of a branch may lie beside the doubling that it sets off from.
            let branch = curve(&result, "c-PD1a");
            let all = labels(branch);
            let last = all.last().map(|(label, at, _)| (*label, at / bubble.parameter));
            let right = matches!(last, Some((Label::PD, at)) if (at.abs() - 1.0).abs() < 1e-6);
            let ends = branch
                .ends()
                .into_iter()
                .filter(|end| matches!(end, End::Shrunk { .. }))
                .count();
            if !right || ends != 1 || all.iter().any(|(label, ..)| *label != Label::PD) {
                said.push(format!("{last:?} {}", branch.ended()));
            }
        }
        // From the doubled orbits to the others.
        if !twice.is_empty() {
            let result = run(&study(&twice, 0.0));
            let names: Vec<&str> = result.curves.iter().map(|curve| &curve.name[..]).collect();
            said.extend(bubble.said_of(&result, "c"));
            if names != ["c", "c-PD1a", "c-PD1b"] {
                said.push(format!("from the doubled: {names:?} {:?}", result.missing));
            }
        }
        if !said.is_empty() {
            wrong.push((
                member,
                format!("{written:?}: {}\n{text}\n{}", said.join("; "), study(&twice, 0.0)),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
