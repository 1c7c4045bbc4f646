//! Linear oscillators with a wall, whose orbits with one impact have closed forms: the words beyond grazing, and where
//! the folds begin.

use super::known::{curve, labels, none_wrong, pieces, run};
use super::random::{Random, members, members_at_least};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::CurveResult;
use std::f64::consts::{PI, TAU};

/// x'' + c x' + k x = A cos ωt below x = d, where x' → -e x'.
struct Impacting {
    c: f64,
    k: f64,
    d: f64,
    e: f64,
}

impl Impacting {
    fn random(random: &mut Random) -> Self {
        let k = random.log_between(0.5, 2.0);
        Self {
            k,
            c: random.between(0.05, 0.3) * k.sqrt(),
            d: random.log_between(0.5, 2.0),
            e: random.between(0.4, 0.9),
        }
    }

    fn damped(&self) -> f64 {
        (self.k - 0.25 * self.c * self.c).sqrt()
    }

    /// The amplitude of the forcing with which the orbit without impacts touches the wall.
    fn grazing(&self, w: f64) -> f64 {
        self.d * (self.k - w * w).hypot(self.c * w)
    }

    /// α and β of the orbits with one impact of speed v in a period of the forcing: the forced part of the motion is at
    /// d - αv at the impact, and has the rate -βv.
    fn response(&self, w: f64) -> (f64, f64) {
        self.response_after(TAU / w)
    }

    /// The same with one impact in this time.
    fn response_after(&self, time: f64) -> (f64, f64) {
        let wd = self.damped();
        let decay = (-0.5 * self.c * time).exp();
        let (s, c) = ((wd * time).sin(), (wd * time).cos());
        // The free part begins with (η, q - e v), and ends with (η, q + v).
        let h = 0.5 * self.c;
        let rows = [
            [decay * (c + h * s / wd) - 1.0, decay * s / wd, self.e * decay * s / wd],
            [
                -decay * s * (wd + h * h / wd),
                decay * (c - h * s / wd) - 1.0,
                1.0 + self.e * decay * (c - h * s / wd),
            ],
        ];
        let [[a, b, r], [f, g, t]] = rows;
        let det = a * g - b * f;
        ((r * g - b * t) / det, (a * t - r * f) / det)
    }

    /// The study of the orbits without impacts, and what follows, at a frequency.
    fn study(&self, w: f64, curve: &str, more: &str) -> String {
        let Self { c, k, d, e } = self;
        let amplitude = self.grazing(w);
        format!(
            "Study(title: \"impacts\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"A\": {:?}, \"w\": {w:?}, \"c\": {c:?}, \"k\": {k:?}, \"d\": {d:?}, \"e\": {e:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), modes: {{\"flight\": Mode(equations: [\"x' = v\", \"v' = A*cos(w*t) - c*v - k*x\"], \
             events: {{\"impact\": Event(guard: \"x - d\", direction: Up, to: \"flight\", reset: {{\"v\": \"-e*v\"}})}})}}, \
             monitors: {{\"speed\": AtEvent(events: [\"impact\"], of: \"v\")}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"flight free\"), start: All(at: {{\"A\": {:?}}}), free: \"A\", range: ({:?}, {:?}), switch: Auto{curve})]{more})",
            0.5 * amplitude,
            0.5 * amplitude,
            0.05 * amplitude,
            1.5 * amplitude,
        )
    }
}

impl Impacting {
    /// How far 1 - trace + det and 1 + trace + det of the return map after an impact of speed v are from zero, in parts
    /// of their largest term; one of them is so on a curve of LP, the other one on a curve of PD.
    fn off_folds_and_doublings(&self, w: f64, time: f64, v: f64) -> [f64; 2] {
        let Self { c, k, d, e } = *self;
        let (wd, decay) = (self.damped(), (-0.5 * c * time).exp());
        let (alpha, beta) = self.response_after(time);
        let kick = -(1.0 + e) * (w * w * d / v + (k - w * w) * alpha + c * beta);
        let (passed, kicked) = (
            2.0 * e * decay * (wd * time).cos(),
            kick * decay * (wd * time).sin() / wd,
        );
        let det = (e * decay).powi(2);
        [1.0 + passed - kicked + det, 1.0 - passed + kicked + det].map(|v| v.abs() / (1.0 + kicked.abs()))
    }

    /// At speed zero the orbit touches the wall in each period of the forcing. With the speed the touches move off it: how
    /// fast the slowest one does, in parts of what the free motion begins with.
    fn touches_move_off(&self, w: f64, time: f64) -> f64 {
        let (alpha, beta) = self.response_after(time);
        let wd = self.damped();
        let times = (1..).map(|j| f64::from(j) * TAU / w).take_while(|t| *t < 0.99 * time);
        let speeds: Vec<f64> = times
            .map(|t| {
                let (decay, s, c) = ((-0.5 * self.c * t).exp(), (wd * t).sin() / wd, (wd * t).cos());
                (decay * (c + 0.5 * self.c * s) - 1.0) * alpha + decay * s * (beta - self.e)
            })
            .map(f64::abs)
            .collect();
        let least = speeds.iter().copied().fold(f64::INFINITY, f64::min);
        least / (alpha.abs() + beta.abs() + self.e)
    }

    /// What is wrong with a curve of LP, PD or GR of orbits with one impact, in words.
    fn wrong_along(&self, piece: &[&BranchPoint], label: Label, speed: usize) -> Vec<String> {
        let mut said = vec![];
        for p in piece {
            let (amplitude, w) = (p.record.parameters[0], p.record.parameters[1]);
            let (v, time) = (p.record.monitors[speed], p.record.period);
            let at = format!("{:?} at A = {amplitude}, w = {w}, v = {v}", p.label);
            if p.label == Some(Label::MX) {
                said.push(format!("{at}: {}", p.message));
            }
            let (alpha, beta) = self.response_after(time);
            let known = self.grazing(w) * (1.0 - alpha * v / self.d).hypot(beta * v / (w * self.d));
            if (amplitude / known - 1.0).abs() > 1e-8 {
                said.push(format!("{at}: A is {known}"));
            }
            let [fold, doubling] = self.off_folds_and_doublings(w, time, v);
            let off = match label {
                Label::LP => fold,
                Label::PD => doubling,
                _ => 0.0,
            };
            // Where the speed vanishes the terms are known to what is left of its digits.
            if v > 1e-6 && off > 1e-7 {
                said.push(format!("{at}: off by {off:.1e}"));
            }
            let off = match label {
                Label::GR => self.touches_move_off(w, time),
                _ => (self.damped() * time).sin().abs(),
            };
            if v <= 1e-6 && (v < -1e-7 || off > 1e-6) {
                said.push(format!("{at}: without speed, off by {off:.1e}"));
            }
        }
        said
    }
}

/// Near a resonant grazing the orbits with one impact in n periods of the forcing have their folds and period doublings
/// on curves in closed form, all of which come to the places where the velocity of an impact has no effect after these
/// periods, and end there. The curves on which such an orbit touches the wall another time end without speed, too, where
/// that does not move the touch off the wall.
#[test]
fn curves_of_folds_doublings_and_touches_end_at_resonant_grazing() {
    let class = "ends at resonant grazing";
    let count = members_at_least(3);
    let (mut wrong, mut ends) = (vec![], [0; 3]);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = Impacting {
            c: 2.0 * random.log_between(0.005, 0.2),
            k: 1.0,
            d: random.log_between(0.3, 1.0),
            e: random.between(0.2, 0.95),
        };
        let Impacting { c, d, e, .. } = system;
        let kept = [Label::LP, Label::PD, Label::GR];
        let loci = ["c", "w"].map(|from| {
            let free = "free: (\"A\", \"w\"), range: ((0.03, 5), (0.6, 4)), points: 3000";
            let locus = |l: &Label| format!("Locus(name: \"{from}{l}\", from: \"{from}: {l}\", {free})");
            kept.each_ref().map(locus).join(", ")
        });
        let text = format!(
            "Study(title: \"impacts\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"A\": 1, \"w\": {:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), modes: {{\"flight\": Mode(equations: [\"x' = v\", \"v' = A*cos(w*t) - {c:?}*v - x\"], \
             events: {{\"impact\": Event(guard: \"x - {d:?}\", direction: Up, to: \"flight\", reset: {{\"v\": \"-{e:?}*v\"}})}})}}, \
             monitors: {{\"speed\": AtEvent(events: [\"impact\"], of: \"v\")}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"flight impact\"), start: Everywhere(samples: 3), free: \"A\", range: (0.05, 4)), \
             Curve(name: \"w\", orbit: Periodic(\"flight impact\"), start: Everywhere(at: {{\"A\": 1.5}}, samples: 3), free: \"w\", range: (0.8, 3.5))], \
             loci: [{}])",
            random.between(1.3, 3.2),
            loci.join(", ")
        );
        let result = run(&text);
        let mut said = vec![];
        for (label, number) in kept.iter().zip(&mut ends) {
            let all = ["c", "w"]
                .map(|from| pieces(&result, &format!("{from}{label}")))
                .concat();
            for piece in all {
                let names = &result.curves[0].monitors;
                let speed = names.iter().position(|n| n == "speed").unwrap();
                let v = |p: &&&BranchPoint| p.record.monitors[speed];
                // On the curve on which the impact begins its speed is zero all along.
                if piece.iter().all(|p| v(&p) <= 1e-6) {
                    continue;
                }
                said.extend(system.wrong_along(&piece, *label, speed));
                *number += piece.iter().filter(|p| p.label.is_some() && v(p) <= 1e-6).count();
            }
        }
        if !said.is_empty() {
            said.truncate(6);
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(ends.iter().all(|n| *n > 0), "{ends:?}");
}

/// Is the number that follows `before` in a message this one?
fn says(message: &str, before: &str, value: f64, tolerance: f64) -> bool {
    let number = message
        .split(before)
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    let number = number.and_then(|n| n.trim_end_matches(',').parse::<f64>().ok());
    number.is_some_and(|n| (n - value).abs() <= tolerance * value.abs())
}

fn has_word(curve: &CurveResult, word: &str) -> bool {
    curve
        .pieces
        .iter()
        .any(|piece| piece.word == word && piece.branch.points.len() > 2)
}

#[test]
fn orbits_go_on_with_impacts_through_grazing_and_fold_where_they_should() {
    let class = "impacts";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = Impacting::random(&mut random);
        // The eigenvalues of the return map are not both near one, and grazing is not resonant.
        let w = system.damped() * random.between(0.6, 1.8);
        let text = system.study(w, "", "");
        let result = run(&text);
        let curve = curve(&result, "c");
        let found = labels(curve);
        let mut said = vec![];
        let grazing = system.grazing(w);
        let coefficient = -(1.0 + system.e) * (2.0 * system.d * w * w).sqrt();
        let met = found.iter().find(|(label, at, p)| {
            *label == Label::GR
                && (at / grazing - 1.0).abs() < 1e-10
                && says(&p.message, "c √y, c = ", coefficient, 1e-8)
                && p.message.contains("square-root")
        });
        if met.is_none() || !has_word(curve, "flight impact") {
            said.push(format!("no impacts beyond {grazing}"));
        }
        let (alpha, beta) = system.response(w);
        // (A/A_g)² d² = (d - αv)² + (βv/ω)²
        let square = alpha * alpha + (beta / w).powi(2);
        let fold = grazing * (1.0 - alpha * alpha / square).sqrt();
        let is_known = |at: &f64| (at / fold - 1.0).abs() < 1e-9;
        let folds: Vec<f64> = found.iter().filter(|f| f.0 == Label::LP).map(|f| f.1).collect();
        if alpha > 0.0 && fold > 0.1 * grazing && !folds.iter().any(is_known) {
            said.push(format!("no fold at {fold}: {folds:?}"));
        }
        if !said.is_empty() {
            let found: Vec<_> = found
                .iter()
                .map(|(label, at, p)| format!("{label} {at} {}", p.message))
                .collect();
            wrong.push((member, format!("{said:?} {found:#?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn folds_begin_at_resonant_grazing() {
    let class = "resonant grazing";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = match member {
            0 => Impacting {
                c: 0.1,
                k: 1.0,
                d: 1.0,
                e: 0.8,
            },
            _ => Impacting::random(&mut random),
        };
        let j = if member == 0 { 2 } else { 1 + random.below(3) };
        let place = 2.0 * system.damped() / f64::from(u32::try_from(j).unwrap());
        let start = place * random.between(1.01, 1.05);
        let (low, high) = (0.93 * place, 1.06 * place);
        let range = format!("(({low:?}, {high:?}), (0.01, 100))");
        let more = format!(", loci: [Locus(name: \"l\", from: \"c: GR\", free: (\"w\", \"A\"), range: {range})]");
        let text = system.study(start, ", points: 60", &more);
        let result = run(&text);
        let mut said = vec![];
        // At resonance α grows like this, and β is that.
        let decay = (-system.c * PI / place).exp() * if j % 2 == 0 { 1.0 } else { -1.0 };
        let slope = decay * TAU * (1.0 + system.e) / (place * (1.0 - decay)).powi(2);
        let beta = -(1.0 + system.e * decay) / (1.0 - decay);
        let coefficient = -0.5 * system.grazing(place) * (slope * place / beta).powi(2);
        let met: Vec<String> = curve(&result, "l")
            .points()
            .filter_map(|(_, _, p)| Some((p.label?, p)))
            .filter(|(label, _)| *label == Label::codimension_two(Label::GR, Label::LP))
            .filter(|(_, p)| {
                (p.point.parameter() / place - 1.0).abs() < 1e-9 && says(&p.message, "A of GR is ", coefficient, 1e-7)
            })
            .map(|(_, p)| p.message.clone())
            .collect();
        if met.len() != 1 || !met[0].contains("resonant grazing") {
            said.push(format!("{coefficient} at {place}, j = {j}"));
        }
        if !said.is_empty() {
            let found: Vec<_> = labels(curve(&result, "l"))
                .iter()
                .map(|(l, at, p)| format!("{l} {at} {}", p.message))
                .collect();
            wrong.push((member, format!("{said:?} {found:#?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The same where the impact leads to another mode with the same field, which a place passed on the way ends.
#[test]
fn resonant_grazing_does_not_depend_on_the_mode_that_an_impact_leads_to() {
    let class = "resonant grazing into another mode";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let system = Impacting::random(&mut random);
        let place = system.damped();
        let start = place * random.between(1.01, 1.05);
        let range = format!("(({:?}, {:?}), (0.01, 100))", 0.95 * place, 1.06 * place);
        let more = format!(", loci: [Locus(name: \"l\", from: \"c: GR\", free: (\"w\", \"A\"), range: {range})]");
        let impact = "\"impact\": Event(guard: \"x - d\", direction: Up, to: \"back\", reset: {\"v\": \"-e*v\"})";
        let field = "\"x' = v\", \"v' = A*cos(w*t) - c*v - k*x\"";
        let modes = format!(
            "modes: {{\"back\": Mode(equations: [{field}], events: {{{impact}, \"pass\": Event(guard: \"x\", direction: Up, to: \"flight\")}}), \"flight\": Mode(equations: [{field}], events: {{{impact}}})}}, monitors"
        );
        let amplitude = 1.3 * system.grazing(start);
        let text = system.study(start, ", points: 200", &more);
        let (before, after) = (text.find("modes: {").unwrap(), text.find(", monitors").unwrap());
        let text = format!("{}{modes}{}", &text[..before], &text[after + ", monitors".len()..])
            .replace("\"flight free\"", "\"flight impact back pass\"")
            .replace(
                &format!("All(at: {{\"A\": {:?}}})", 0.5 * system.grazing(start)),
                &format!("All(at: {{\"A\": {amplitude:?}}})"),
            );
        let result = run(&text);
        let told = pieces(&result, "l").into_iter().flatten().filter(|p| {
            p.label == Some(Label::codimension_two(Label::GR, Label::LP))
                && (p.record.parameters[1] / place - 1.0).abs() < 1e-9
                && p.message.contains("resonant grazing")
        });
        if told.count() == 0 {
            let missing = format!("{:?}", result.missing);
            wrong.push((member, format!("{place} {missing}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A block on a belt carries a light partner that hits a stop after each release: nearer to the stop it hits ever more
/// often, each time after another grazing, and these accumulate like the velocities of the rebounds.
#[test]
fn hits_are_added_one_after_another_up_to_chattering() {
    let class = "chains of low hits";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"chain\", system: Mechanical(coordinates: [\"x\", \"u\"], parameters: {{\"v0\": {:?}, \"d\": 1.5}}, masses: {{\"x\": 1, \"u\": {:?}}}, \
             springs: [Spring(on: \"x\", stiffness: 1, damping: 0.02), Spring(on: \"u\", against: Coordinate(\"x\"), stiffness: {:?}, damping: {:?})], \
             contacts: {{\"b\": Stiction(on: \"x\", against: Belt(\"v0\"), mu_s: 1.0, mu_d: {:?}), \"w\": Gap(on: \"u\", distance: \"d\", restitution: {:?})}}, \
             start: {{\"v_x\": \"v0\"}}), curves: [Curve(name: \"c\", orbit: Periodic(\"b:stick,w:open b:slip-,w:open\"), start: Settle(at: {{\"d\": 1.5}}), free: \"d\", \
             range: (0.8, 2), switch: Auto)])",
            random.between(0.25, 0.35),
            random.between(0.045, 0.055),
            random.between(22.0, 28.0),
            random.between(0.5, 0.7),
            random.between(0.45, 0.55),
            random.between(0.3, 0.5),
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let mut said = vec![];
        let hits: Vec<usize> = found.pieces.iter().map(|p| p.word.matches("hit").count()).collect();
        let most = hits.iter().copied().max().unwrap();
        // The curve begins where the hits accumulate.
        if hits.len() != most + 1 || !hits.iter().rev().copied().eq(0..=most) || most < 6 {
            said.push(format!("hits {hits:?}"));
        }
        let places: Vec<f64> = found.points().map(|(_, _, p)| p.point.parameter()).collect();
        // The last grazing is located to the accuracy of the surface.
        let back = places[1..].windows(2).map(|w| w[0] - w[1]).fold(0.0, f64::max);
        if back > 1e-11 {
            said.push(format!("the parameter turns back by {back}"));
        }
        let labelled = labels(found);
        if labelled.iter().any(|(label, _, _)| *label != Label::GR) {
            said.push("more than grazing".to_owned());
        }
        let grazing: Vec<f64> = labelled.iter().map(|(_, at, _)| *at).collect();
        let apart: Vec<f64> = grazing.windows(2).map(|w| w[1] - w[0]).collect();
        // Those nearest to the accumulation are located to the accuracy of the surface.
        let ratios: Vec<f64> = apart.windows(2).skip(2).map(|w| w[0] / w[1]).take(2).collect();
        if ratios.len() < 2 || (ratios[0] - ratios[1]).abs() > 0.1 * ratios[1] || ratios[0] >= 0.6 {
            said.push(format!("ratios {ratios:?} of {apart:?}"));
        }
        let first = labelled.first().map_or("", |(_, _, p)| &p.message);
        if !first.contains("chattering") {
            said.push(format!("ends with: {first}"));
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:?} {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}
