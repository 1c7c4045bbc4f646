//! Neurons that fire: at the event a potential runs off to infinity, so fast that the time does not tell where it is.
//!
//! Between two spikes the potential is V = VT - D ln(e^((VT - V0)/D) - t/τ), and a second state w decays at a rate k.
//! At each spike V is set back and w goes over as in the logistic map: after how many spikes they repeat is that map's.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::{End, Label};
use slipstick_study::AttractorKind;

/// Values of r of the logistic map next to which it has a stable cycle of so many points.
const CYCLES: [(f64, usize); 6] = [(2.3, 1), (2.8, 1), (3.2, 2), (3.5, 4), (3.83, 3), (3.74, 5)];

/// A neuron of random units: the system, at which V it fires, to which V it is set back, and the speed there.
struct Neuron {
    system: String,
    fires: f64,
    back: f64,
    /// The time from spike to spike.
    time: f64,
}

impl Neuron {
    /// Of which the potential would be infinite so little after the event as 3e-13 of the time from spike to spike.
    fn random(random: &mut Random, r: f64) -> Self {
        let d = random.log_between(0.1, 10.0);
        let tau = random.log_between(0.1, 10.0);
        let lower = random.between(1.0, 8.0);
        let (below, above) = (d * lower, d * random.between(5.0, 28.8 - lower));
        // The potential at the event is zero for some, and what is large beside its errors for others.
        let fires = match random.below(3) {
            0 => d * random.between(-20.0, 20.0),
            _ => 0.0,
        };
        let threshold = fires - above;
        let back = threshold - below;
        let time = tau * ((below / d).exp() - (-above / d).exp());
        let rate = random.log_between(0.1, 2.0) / time;
        let grown = (rate * time).exp();
        let guard = if fires == 0.0 {
            "V".to_owned()
        } else {
            format!("V - ({fires:?})")
        };
        let system = format!(
            "Hybrid(states: [\"V\", \"w\"], parameters: {{\"r\": {r:?}}}, modes: {{\"on\": Mode(\
             equations: [\"V' = ({:?})*exp((V - ({threshold:?}))/({d:?}))\", \"w' = -({rate:?})*w\"], \
             events: {{\"spike\": Event(guard: \"{guard}\", direction: Up, to: \"on\", \
             reset: {{\"V\": \"{back:?}\", \"w\": \"r*(w*({grown:?}))*(1 - w*({grown:?}))\"}})}})}}, \
             start: Start(mode: \"on\", at: {{\"V\": {back:?}, \"w\": {:?}}}))",
            d / tau,
            random.between(0.3, 0.6)
        );
        Self {
            system,
            fires,
            back,
            time,
        }
    }
}

#[test]
fn spikes_repeat_after_as_many_as_their_map_says() {
    let class = "spikes repeat";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (r, wanted) = CYCLES[random.below(CYCLES.len())];
        let neuron = Neuron::random(&mut random, r);
        let text = format!(
            "Study(title: \"t\", system: {}, attractors: [Attractors(name: \"seen\", sweep: \"r\", range: ({:?}, {:?}), count: 2, starts: 2, within: {{\"V\": ({:?}, {:?}), \"w\": (0.2, 0.8)}})], \
             tasks: [OrbitDiagram(name: \"event\", over: {{\"r\": Values([{r:?}])}}, section: Event(\"spike\"), transient: 1000, longest: 1e9),\
             OrbitDiagram(name: \"maximum\", over: {{\"r\": Values([{r:?}])}}, transient: 1000, longest: 1e9)])",
            neuron.system,
            r - 1e-4,
            r + 1e-4,
            neuron.back,
            neuron.back + 1e-3 * neuron.back.abs()
        );
        let result = run(&text);
        let mut bad = vec![];
        for (name, table) in result.analyses.iter().flat_map(|a| &a.tables) {
            if table.names().iter().all(|n| n != "period") {
                continue;
            }
            let periods = table.numbers("period").unwrap();
            let kinds = table.texts("kind").unwrap();
            let there = table.numbers("V").unwrap();
            let off = there.iter().fold(0.0f64, |m, v| m.max((v - neuron.fires).abs()));
            if kinds.iter().any(|k| k != "orbit")
                || periods.iter().any(|p| *p != wanted as f64)
                || off > 1e-12 * neuron.back.abs()
            {
                bad.push(format!(
                    "{name}: {:?} {:?}, off by {off:e}",
                    kinds.first(),
                    periods.first()
                ));
            }
        }
        let sweep = &result.attractors[0];
        let largest = sweep.monitors.iter().position(|m| m == "V_max").unwrap();
        for one in &sweep.found {
            let spikes = one.attracting.as_ref().map(|orbit| orbit.word.len());
            let beyond = one.rows.first().map(|row| row[largest] - neuron.fires);
            if !matches!(one.kind, AttractorKind::Orbit { .. })
                || spikes != Some(wanted)
                || beyond.is_none_or(|b| b.abs() > 1e-9 * (1.0 + neuron.back.abs()))
            {
                bad.push(format!(
                    "{} at {}, {spikes:?} spikes, beyond by {beyond:?}: {}",
                    one.kind.name(),
                    one.value,
                    one.message
                ));
            }
        }
        if !bad.is_empty() {
            wrong.push((member, format!("{wanted}: {bad:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn curves_of_spikes_run_over_their_range_and_never_beyond_the_event() {
    let class = "curves of spikes";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let neuron = Neuron::random(&mut random, 2.5);
        let text = format!(
            "Study(title: \"t\", system: {}, curves: [Curve(name: \"c\", orbit: Periodic(\"on spike\"), start: Settle(at: {{\"r\": 2.5}}), \
             free: \"r\", range: (1.5, 3.5))])",
            neuron.system
        );
        let result = run(&text);
        if !result.missing.is_empty() {
            wrong.push((member, format!("{:?}\n{text}", result.missing)));
            continue;
        }
        let found = curve(&result, "c");
        let said: Vec<(Label, f64)> = labels(found).iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&said, &[(Label::PD, 3.0)], 1e-7);
        let ends: Vec<&End> = found.pieces.iter().flat_map(|p| &p.branch.ends).collect();
        let largest = found.monitors.iter().position(|m| m == "V_max").unwrap();
        let beyond = found
            .points()
            .map(|(_, _, p)| (p.record.monitors[largest] - neuron.fires).abs())
            .fold(0.0, f64::max);
        if !verdict.is_right() || ends != [&End::Range; 2] || beyond > 1e-9 * (1.0 + neuron.back.abs()) {
            wrong.push((member, format!("{verdict:?} {ends:?}, beyond by {beyond:e}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Where the logistic map is chaotic, so are the spikes, with the exponents of that map over the time between them.
#[test]
fn chaotic_spikes_have_the_exponents_of_their_map() {
    let class = "chaotic spikes";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let r = [3.7, 3.8, 3.9, 3.95, 3.98][random.below(5)];
        let neuron = Neuron::random(&mut random, r);
        let (mut x, mut sum) = (0.4, 0.0);
        const ITERATES: usize = 200_000;
        for _ in 0..ITERATES {
            x = r * x * (1.0 - x);
            sum += (r * (1.0 - 2.0 * x)).abs().ln();
        }
        let exponent = sum / (ITERATES as f64 * neuron.time);
        let text = format!(
            "Study(title: \"t\", system: {}, tasks: [OrbitDiagram(name: \"d\", over: {{\"r\": Values([{r:?}])}}, section: Event(\"spike\"), \
             transient: 200, points: 400, longest: 1e9, exponents: 1)])",
            neuron.system
        );
        let result = run(&text);
        let table = &result.analyses[0].tables[0].1;
        let kind = &table.texts("kind").unwrap()[0];
        let found = table.numbers("exponent1").unwrap()[0];
        if kind != "chaos" || (found - exponent).abs() > 0.2 * exponent {
            let said = &table.texts("message").unwrap()[0];
            wrong.push((member, format!("{kind} {found} instead of {exponent}, {said}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
