//! Elastic friction elements that slip no more: where the slips both ways vanish together the curve ends, and the motions
//! beyond fill a continuum, which a word without events follows.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// A forced oscillator with a Jenkins element, m = k = 1.
struct Oscillator {
    damping: f64,
    stiffness: f64,
    limit: f64,
    force: f64,
}

impl Oscillator {
    fn random(random: &mut Random) -> Self {
        let stiffness = random.between(0.4, 1.5);
        let limit = random.between(0.3, 0.8);
        let damping = random.between(0.02, 0.06);
        // At resonance it slips, well away from it it sticks.
        let peak = limit / stiffness * damping * (1.0 + stiffness).sqrt();
        let force = peak * random.between(2.0, 5.0);
        Self {
            damping,
            stiffness,
            limit,
            force,
        }
    }

    /// The frequencies at which the motion with the element stuck reaches the limit, if stuck it swings about zero.
    fn onsets(&self) -> [f64; 2] {
        // |k - s + i c √s| = F kₜ / limit with s = ω².
        let (k, c) = (1.0 + self.stiffness, self.damping);
        let reach = self.force * self.stiffness / self.limit;
        let half = k - 0.5 * c * c;
        let root = (half * half - k * k + reach * reach).sqrt();
        [(half - root).sqrt(), (half + root).sqrt()]
    }

    /// How far the displacement swings with the element stuck.
    fn amplitude(&self, omega: f64) -> f64 {
        self.force / (1.0 + self.stiffness - omega * omega).hypot(self.damping * omega)
    }

    fn study(&self, curve: &str) -> String {
        let Self {
            damping,
            stiffness,
            limit,
            force,
        } = self;
        format!(
            "Study(title: \"element\", system: Mechanical(coordinates: [\"x\"], velocities: [\"v\"], parameters: {{\"w\": 1}}, \
             forcing: Forcing(period: \"2*pi/w\"), masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {damping:?})], \
             forces: {{\"x\": \"{force:?}*cos(w*t)\"}}, contacts: {{\"j\": Jenkins(on: \"x\", k_t: {stiffness:?}, limit: {limit:?})}}), \
             curves: [Curve(name: \"c\", {curve}, free: \"w\", switch: Auto)])"
        )
    }
}

#[test]
fn both_slips_vanish_together_where_the_element_begins_to_stick_and_no_other_word_is_followed() {
    let class = "elements that slip no more";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let oscillator = Oscillator::random(&mut random);
        let onsets = oscillator.onsets();
        let middle = 0.5 * (onsets[0] + onsets[1]);
        let text = oscillator.study(&format!(
            "orbit: Periodic(\"j:slip+ j:stick j:slip- j:stick\"), start: Settle(at: {{\"w\": {middle:?}}}), range: ({:?}, {:?})",
            0.7 * onsets[0],
            1.3 * onsets[1]
        ));
        let result = run(&text);
        let found = curve(&result, "c");
        let points = &found.pieces[0].branch.points;
        let ends = [points.first(), points.last()].map(|p| p.expect("points"));
        let mut right = found.pieces.len() == 1;
        for (end, onset) in ends.iter().zip(onsets) {
            right &= end.label == Some(Label::VS) && (end.point.parameter() - onset).abs() <= 1e-9;
            right &= end.message.contains("vanish together: beyond, `j:stick` lasts");
        }
        if !right {
            let found: Vec<_> = ends.map(|p| (p.label, p.point.parameter(), p.message.clone())).into();
            wrong.push((member, format!("{found:#?} for {onsets:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn motions_with_the_element_stuck_fill_a_continuum_between_the_two_at_which_it_reaches_its_limit() {
    let class = "elements that stick all along";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let oscillator = Oscillator::random(&mut random);
        let onsets = oscillator.onsets();
        let omega = onsets[0] * random.between(0.6, 0.95);
        let text = oscillator.study(&format!(
            "orbit: Periodic(\"j:stick free\"), start: Settle(at: {{\"w\": {omega:?}}}), range: ({:?}, {:?})",
            0.5 * omega,
            1.3 * onsets[1]
        ));
        let result = run(&text);
        let found = curve(&result, "c");
        let amplitude = oscillator.amplitude(omega);
        let special = labels(found);
        let mut right = found.pieces.len() == 1 && special.len() == 2;
        right &= special
            .iter()
            .all(|(label, at, _)| *label == Label::GR && (at - omega).abs() <= 1e-12);
        let column = |name: &str| found.monitors.iter().position(|m| m == name).expect(name);
        let (low, high) = (column("x_min"), column("x_max"));
        for point in found.pieces.iter().flat_map(|piece| &piece.branch.points) {
            let record = &point.record;
            let swing = 0.5 * (record.monitors[high] - record.monitors[low]);
            right &= (swing - amplitude).abs() <= 1e-9;
        }
        // At its ends the element reaches its limit, one way and the other.
        let elongation = oscillator.limit / oscillator.stiffness;
        let reached = |p: &slipstick_bifurcation::BranchPoint| {
            let [high, low] = ["j_z_max", "j_z_min"].map(|name| p.record.monitors[column(name)]);
            [high - elongation, low + elongation]
        };
        let ends: Vec<[f64; 2]> = special.iter().map(|(_, _, p)| reached(p)).collect();
        right &= ends.iter().any(|[high, _]| high.abs() <= 1e-9) && ends.iter().any(|[_, low]| low.abs() <= 1e-9);
        if !right {
            let found: Vec<_> = special.iter().map(|(l, at, p)| (l, at, p.message.clone())).collect();
            wrong.push((member, format!("{found:#?} {ends:?} for {omega} {amplitude}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A mass that sticks beside one that is forced may do so anywhere between the two places at which the largest force on
/// it reaches the limit. Beyond them it slips once, and comes back: no orbit slips one way only.
#[test]
fn continua_of_stick_end_at_both_limits_and_nothing_is_labelled_beyond() {
    let class = "ends of continua of stick";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [m, n] = [random.between(0.7, 1.5), random.between(0.8, 2.0)];
        let [k, between, beyond] = [(0.5, 1.8), (0.6, 1.2), (0.6, 1.3)].map(|(low, high)| random.between(low, high));
        let [c, d, e] = [0, 1, 2].map(|_| random.between(0.1, 0.3));
        let (w, force) = (random.between(0.9, 2.0), random.between(0.5, 1.5));
        // The largest force of the swing on the mass that sticks at zero, and how much of the limit it leaves.
        let swing = force / (between + beyond - n * w * w).hypot((d + e) * w);
        let pull = swing * between.hypot(d * w);
        let limit = pull * random.between(1.1, 2.0);
        let end = (limit - pull) / (k + between * beyond / (between + beyond));
        let text = format!(
            "Study(title: \"beside\", system: Mechanical(coordinates: [\"x\", \"y\"], parameters: {{\"mu\": {limit:?}}}, forcing: Forcing(period: \"2*pi/{w:?}\"), \
             masses: {{\"x\": {m:?}, \"y\": {n:?}}}, springs: [Spring(on: \"x\", stiffness: {k:?}, damping: {c:?}), \
             Spring(on: \"y\", against: Coordinate(\"x\"), stiffness: {between:?}, damping: {d:?}), Spring(on: \"y\", stiffness: {beyond:?}, damping: {e:?})], \
             forces: {{\"y\": \"{force:?}*cos({w:?}*t)\"}}, contacts: {{\"a\": Coulomb(on: \"x\", mu: \"mu\")}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"a:stick free\"), start: Settle(at: {{\"mu\": {limit:?}}}, mode: \"a:stick\"), free: \"mu\", \
             range: ({:?}, {:?}), switch: Auto)])",
            0.3 * limit,
            3.0 * limit,
        );
        let result = run(&text);
        let found = labels(curve(&result, "c"));
        // States come first among the unknowns of a point.
        let mut places: Vec<f64> = found.iter().map(|(_, _, p)| p.point.z[0] / end).collect();
        places.sort_by(f64::total_cmp);
        let limits = found.iter().all(|(label, _, _)| *label == Label::OV);
        let right = limits && places.len() == 2 && (places[0] + 1.0).abs() < 1e-8 && (places[1] - 1.0).abs() < 1e-8;
        if !right {
            let said: Vec<_> = found.iter().map(|(label, at, _)| (*label, *at)).collect();
            wrong.push((member, format!("{said:?} {places:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A block that carries an oscillator, and slips one way only: with U the amplitude of the oscillator while the block
/// sticks, the force on the block reaches m ω² U. Where that is the smaller limit the slip vanishes, and the curve goes
/// on in stick with integrals that are nothing but rounding.
#[test]
fn slips_vanish_where_the_force_reaches_the_limit_and_averages_of_rounding_are_found_at_once() {
    let class = "blocks that carry oscillators";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [block, mass] = [random.between(0.5, 2.0), random.between(0.3, 2.0)];
        let damping = random.between(0.2, 0.5);
        // Below the resonance the force grows with the frequency.
        let onset = random.between(0.4, 0.8) / mass.sqrt();
        let limit = mass * onset.powi(2) / (1.0 - mass * onset.powi(2)).hypot(damping * onset);
        let other = limit * random.between(1.5, 2.5);
        // The same states in two orders, one of them with other signs.
        let (states, equations) = if member % 2 == 0 {
            let states = "\"v\", \"u\", \"w\"";
            let spring = format!("(u + {damping:?}*w - cos(om*t))");
            let equations = [
                format!("v' = ({spring} - fr)/{block:?}"),
                "u' = w".to_owned(),
                format!("w' = -{spring}/{mass:?} - ({spring} - fr)/{block:?}"),
            ];
            (states, equations)
        } else {
            let states = "\"W\", \"U\", \"v\"";
            let spring = format!("(-U - {damping:?}*W - cos(om*t))");
            let equations = [
                format!("W' = {spring}/{mass:?} + ({spring} - fr)/{block:?}"),
                "U' = W".to_owned(),
                format!("v' = ({spring} - fr)/{block:?}"),
            ];
            (states, equations)
        };
        let equations = equations.map(|equation| format!("\"{equation}\"")).join(", ");
        let start = 1.04 * onset;
        let text = format!(
            "Study(title: \"block\", system: Filippov(states: [{states}], parameters: {{\"om\": {start:?}}}, forcing: Forcing(period: \"2*pi/om\"), \
             surfaces: {{\"d\": \"v\"}}, define: {{\"fr\": \"{limit:?}*heaviside(d) - {other:?}*(1 - heaviside(d))\"}}, \
             modes: {{\"+\": \"d:slip+\", \"-\": \"d:slip-\", \"0\": \"d:stick\"}}, equations: [{equations}], monitors: {{\"V\": Mean(\"v\")}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"d:slip+ land d:stick leave+\"), start: Settle(at: {{\"om\": {start:?}}}), free: \"om\", \
             range: ({:?}, {:?}), switch: Auto, choice: Stick)])",
            0.8 * onset,
            1.05 * onset,
        );
        let result = run(&text);
        let found = curve(&result, "c");
        let special = labels(found);
        let mut right = matches!(special[..], [(Label::VS, at, _)] if (at - onset).abs() <= 1e-9 * onset);
        let mean = found.monitors.iter().position(|m| m == "V").expect("V");
        for point in found.pieces.iter().flat_map(|piece| &piece.branch.points) {
            right &= point.point.parameter() > onset || point.record.monitors[mean].abs() <= 1e-12;
        }
        right &= found.pieces.len() == 2;
        if !right {
            let found: Vec<_> = special.iter().map(|(l, at, p)| (l, at, p.message.clone())).collect();
            wrong.push((member, format!("{found:#?} for {onset}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
