//! Curves of folds of doubled cycles of maps and flows end at the generalised period doubling where they are born, in
//! smooth coordinates that move with the parameters, or with the cycle.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::{BranchPoint, Label};

/// Both parameters at a point.
fn place(point: &BranchPoint) -> [f64; 2] {
    [point.record.parameters[0], point.record.parameters[1]]
}

/// The labels of all curves, with their places.
fn labelled(found: &[Vec<&BranchPoint>]) -> Vec<(Label, [f64; 2])> {
    let labels = found.iter().flatten();
    labels.filter_map(|point| Some((point.label?, place(point)))).collect()
}

/// u⁺ = f(u) = -(1 + μ) u + a u² + ν u³ + e u⁴ + c u⁵ + d u w with a slave w⁺ = k w + h u², or, of cycles of two points,
/// f only where a state w of ±1 that changes its sign each time is positive, and u where it is negative. The fixed
/// points u = 0 double at μ = 0, with the cubic coefficient ν + a² + d h / (1 - k).
struct Doubling {
    kind: Kind,
    terms: [f64; 5],
    slave: [f64; 2],
    parameters: [[f64; 2]; 2],
    /// The value of ν for parameters that are zero.
    nu: f64,
    /// Of the coordinates, see [`Doubling::system`].
    bent: [f64; 2],
    angle: f64,
    origin: [f64; 2],
    drift: [f64; 4],
    unit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Line,
    Plane,
    CycleOfTwo,
}

impl Doubling {
    fn random(random: &mut Random, kind: Kind) -> Self {
        let mut small = |size: f64| random.between(-size, size);
        let (a, e, d) = (small(0.5), small(0.3), small(0.3));
        let drift = [0; 4].map(|_| small(0.4));
        let (mixed, slave) = ([small(0.3), small(0.3)], [small(0.6), small(0.5)]);
        // Formulas with small ones lose digits.
        let bent = [0; 2].map(|_| random.sign() * random.between(0.1, 0.4));
        let b = random.between(0.3, 0.6);
        let c = random.between(0.8, 2.0);
        let d = if kind == Kind::Plane { d } else { 0.0 };
        let degenerate = -a * a - d * slave[1] / (1.0 - slave[0]);
        Self {
            kind,
            terms: [a, e, c, d, degenerate],
            slave,
            parameters: [[1.0, mixed[0]], [mixed[1], 1.0]],
            nu: degenerate - b,
            bent,
            angle: random.between(-3.0, 3.0),
            origin: [0; 2].map(|_| random.between(-2.0, 2.0)),
            drift,
            unit: random.log_between(1e-2, 1e2),
        }
    }

    /// Where μ = 0 and the cubic coefficient is zero.
    fn place(&self) -> [f64; 2] {
        let [[a, b], [c, d]] = self.parameters;
        let (determinant, nu) = (a * d - b * c, self.terms[4] - self.nu);
        [-b * nu / determinant, a * nu / determinant]
    }

    /// The images of u and w.
    fn images(&self) -> [String; 2] {
        let [a, e, c, d, _] = self.terms;
        let [k, h] = self.slave;
        let f = format!("(-(1 + mu)*u + ({a:?})*u^2 + nu*u^3 + ({e:?})*u^4 + ({c:?})*u^5 + ({d:?})*u*w)");
        match self.kind {
            Kind::Line => [f, String::new()],
            Kind::Plane => [f, format!("({k:?})*w + ({h:?})*u^2")],
            Kind::CycleOfTwo => [format!("(1 + w)/2*{f} + (1 - w)/2*u"), "-w - 0.5*w*(1 - w^2)".into()],
        }
    }

    /// With X = A (u, w): of one state x = s (x₀ + (e^{βu} - 1)/β), of two x = s (x₀ + R(u + α w², w + β (u + α w²)²)),
    /// where R is a rotation and x₀ moves with the parameters.
    fn system(&self) -> String {
        let [[m, n], [k, l]] = self.parameters;
        let [alpha, beta] = self.bent;
        let moved = |i: usize| {
            let (p, q) = (self.drift[2 * i], self.drift[2 * i + 1]);
            format!("({:?} + ({p:?})*p + ({q:?})*q)", self.origin[i])
        };
        let parameters = format!(
            "\"mu\": \"({m:?})*p + ({n:?})*q\", \"nu\": \"{:?} + ({k:?})*p + ({l:?})*q\"",
            self.nu
        );
        let (unit, [f, g]) = (self.unit, self.images());
        let (sin, cos) = self.angle.sin_cos();
        if self.kind == Kind::Line {
            let f = f.replace("+ (0.0)*u*w", "");
            return format!(
                "Map(states: [\"x\"], parameters: {{\"p\": 0, \"q\": 0}}, define: {{{parameters}, \
                 \"u\": \"ln(1 + ({beta:?})*(x/({unit:?}) - {}))/({beta:?})\", \"f\": \"{f}\"}}, \
                 equations: [\"x+ = ({unit:?})*({} + (exp(({beta:?})*f) - 1)/({beta:?}))\"])",
                moved(0),
                moved(0)
            );
        }
        let own = |i: usize| format!("(x{}/({unit:?}) - {})", i + 1, moved(i));
        format!(
            "Map(states: [\"x1\", \"x2\"], parameters: {{\"p\": 0, \"q\": 0}}, define: {{{parameters}, \
             \"y1\": \"({cos:?})*{0} + ({sin:?})*{1}\", \"y2\": \"({cos:?})*{1} - ({sin:?})*{0}\", \
             \"w\": \"y2 - ({beta:?})*y1^2\", \"u\": \"y1 - ({alpha:?})*w^2\", \"f\": \"{f}\", \"g\": \"{g}\", \
             \"z1\": \"f + ({alpha:?})*g^2\", \"z2\": \"g + ({beta:?})*z1^2\"}}, \
             equations: [\"x1+ = ({unit:?})*({2} + ({cos:?})*z1 - ({sin:?})*z2)\", \
             \"x2+ = ({unit:?})*({3} + ({sin:?})*z1 + ({cos:?})*z2)\"])",
            own(0),
            own(1),
            moved(0),
            moved(1)
        )
    }

    /// The states where u = 0, at these parameters.
    fn states(&self, [p, q]: [f64; 2], w: f64) -> String {
        let moved = |i: usize| self.origin[i] + self.drift[2 * i] * p + self.drift[2 * i + 1] * q;
        if self.kind == Kind::Line {
            return format!("{{\"x\": {:?}}}", self.unit * moved(0));
        }
        let [alpha, beta] = self.bent;
        let z1 = alpha * w * w;
        let z2 = w + beta * z1 * z1;
        let (sin, cos) = self.angle.sin_cos();
        let turned = [cos * z1 - sin * z2, sin * z1 + cos * z2];
        let [x1, x2] = [0, 1].map(|i| self.unit * (moved(i) + turned[i]));
        format!("{{\"x1\": {x1:?}, \"x2\": {x2:?}}}")
    }
}

#[test]
fn folds_of_doubled_cycles_end_at_generalised_doublings() {
    let class = "generalised doublings";
    let count = members(24);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let kind = [Kind::Line, Kind::Plane, Kind::CycleOfTwo][member % 3];
        let map = Doubling::random(&mut random, kind);
        let start = -0.3;
        let (orbit, states) = match kind {
            Kind::CycleOfTwo => {
                let points = [1.0, -1.0].map(|w| map.states([start, 0.0], w));
                ("Cycle(2)", points.join(", "))
            }
            _ => ("FixedPoint", map.states([start, 0.0], 0.0)),
        };
        let [p, q] = map.place();
        let text = format!(
            "Study(title: \"ends\", system: {}, curves: [Curve(name: \"c\", orbit: {orbit}, \
             start: Guess(at: {{\"p\": {start:?}}}, states: [{states}]), free: \"p\", range: ({start:?}, 0.2), branches: [PD], generations: 1)], \
             loci: [Locus(name: \"l\", from: \"c-PD1a: LP\", free: (\"p\", \"q\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            map.system(),
            p - 1.0,
            p + 1.0,
            q - 0.9,
            q + 0.5,
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let special = labelled(&found);
        let is_there = |&[x, y]: &[f64; 2]| (x - p).abs() <= 1e-9 && (y - q).abs() <= 1e-9;
        let ends: Vec<&[f64; 2]> = special.iter().filter(|s| s.0 == Label::GPD).map(|s| &s.1).collect();
        let lost = special.iter().any(|s| s.0 == Label::MX);
        if found.len() != 1 || ends.len() != 1 || !ends.iter().all(|p| is_there(p)) || lost {
            wrong.push((
                member,
                format!(
                    "{kind:?} at {:?}, found {special:?} {:?}\n{text}",
                    [p, q],
                    result.missing
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A cycle of which a direction that turns by half a turn in each period carries a' = a (μ/4 + ν W/4 - c W² + d w),
/// W = a², with w' = h W - k w: it doubles at μ = 0, and folds of doubled cycles begin where ν + 4 d h/k is zero as
/// well. In random linear coordinates that swing with the cycle, in units of 10^±1.5.
fn flow(random: &mut Random, forced: bool, [nu, c, d, h, k]: [f64; 5], mixed: [f64; 2]) -> String {
    const N: usize = 3;
    let decays = random.between(0.4, 1.0);
    let mut rotation = [[0.0; N]; N];
    (0..N).for_each(|i| rotation[i][i] = 1.0);
    for i in 0..N {
        for j in 0..i {
            let (sin, cos) = random.between(-3.0, 3.0).sin_cos();
            for row in &mut rotation {
                (row[i], row[j]) = (cos * row[i] - sin * row[j], sin * row[i] + cos * row[j]);
            }
        }
    }
    let units = [(); N].map(|()| 10f64.powf(random.between(-1.5, 1.5)));
    let swings = [(); N].map(|()| [(); 2].map(|()| random.between(-0.5, 0.5)));
    let mut define = vec![
        format!(
            "\"mu\": \"p + ({:?})*q\", \"nu\": \"{nu:?} + ({:?})*p + q\"",
            mixed[0], mixed[1]
        ),
        if forced {
            "\"C\": \"cos(t)\", \"S\": \"sin(t)\"".into()
        } else {
            "\"C\": \"k\", \"S\": \"s\"".into()
        },
        "\"P11\": \"(1 + C)/2\", \"P12\": \"S/2\", \"P22\": \"(1 - C)/2\"".into(),
    ];
    for i in 0..N {
        let own: Vec<String> = (0..N)
            .map(|j| format!("({:?})*y{}", rotation[j][i] / units[j], j + 1))
            .collect();
        let [a, b] = swings[i];
        define.push(format!(
            "\"u{}\": \"{} - ({a:?})*S - ({b:?})*C\"",
            i + 1,
            own.join(" + ")
        ));
    }
    define.push("\"a\": \"P11*u1 + P12*u2\", \"b\": \"P12*u1 + P22*u2\", \"W\": \"u1*a + u2*b\"".into());
    define.push(format!("\"g\": \"mu/4 + nu*W/4 - ({c:?})*W^2 + ({d:?})*u3\""));
    let rates = [
        format!("-0.5*u2 + g*a - ({decays:?})*(u1 - a)"),
        format!("0.5*u1 + g*b - ({decays:?})*(u2 - b)"),
        format!("({h:?})*W - ({k:?})*u3"),
    ];
    for (i, (rate, [a, b])) in rates.iter().zip(swings).enumerate() {
        define.push(format!("\"f{}\": \"{rate} + ({a:?})*C - ({b:?})*S\"", i + 1));
    }
    let mut states: Vec<String> = (1..=N).map(|i| format!("\"y{i}\"")).collect();
    let mut equations: Vec<String> = (0..N)
        .map(|i| {
            let terms = (0..N).map(|j| format!("({:?})*f{}", units[i] * rotation[i][j], j + 1));
            format!("\"y{}' = {}\"", i + 1, terms.collect::<Vec<_>>().join(" + "))
        })
        .collect();
    let mut at: Vec<String> = (0..N)
        .map(|i| {
            let begin: f64 = (0..N).map(|j| units[i] * rotation[i][j] * swings[j][1]).sum();
            format!("\"y{}\": {begin:?}", i + 1)
        })
        .collect();
    let forcing = if forced {
        "forcing: Forcing(period: \"2*pi\"), "
    } else {
        states.extend(["\"k\"".to_owned(), "\"s\"".to_owned()]);
        equations.push("\"k' = 0.4*k*(1 - k^2 - s^2) - s\"".into());
        equations.push("\"s' = 0.4*s*(1 - k^2 - s^2) + k\"".into());
        at.extend(["\"k\": 1".to_owned(), "\"s\": 0".to_owned()]);
        ""
    };
    format!(
        "system: Smooth(states: [{}], parameters: {{\"p\": 0, \"q\": 0}}, define: {{{}}}, {forcing}equations: [{}]), \
         curves: [Curve(name: \"c\", orbit: PeriodicOrbit, \
         start: Guess(at: {{\"p\": -0.3}}, states: [{{{}}}], durations: [{:?}]), free: \"p\", range: (-0.3, 0.2), branches: [PD], generations: 1)]",
        states.join(", "),
        define.join(", "),
        equations.join(", "),
        at.join(", "),
        std::f64::consts::TAU,
    )
}

#[test]
fn folds_of_doubled_cycles_of_flows_end_at_generalised_doublings() {
    let class = "generalised doublings of flows";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let [b, c] = [random.between(0.6, 1.2), random.between(0.8, 2.0)];
        let [d, h] = [0; 2].map(|_| random.sign() * random.between(0.1, 0.4));
        let (k, mixed) = (random.between(0.5, 1.5), [0; 2].map(|_| random.between(-0.3, 0.3)));
        let nu = b - 4.0 * d * h / k;
        let system = flow(&mut random, member % 2 == 0, [nu, c, d, h, k], mixed);
        // p + m q = 0, b + n p + q = 0.
        let q = -b / (1.0 - mixed[0] * mixed[1]);
        let p = -mixed[0] * q;
        let text = format!(
            "Study(title: \"ends\", {system}, \
             loci: [Locus(name: \"l\", from: \"c-PD1a: LP\", free: (\"p\", \"q\"), range: (({:?}, {:?}), ({:?}, {:?})))])",
            p - 1.0,
            p + 1.0,
            q - 0.9,
            q + 1.5,
        );
        let result = run(&text);
        let found = pieces(&result, "l");
        let special = labelled(&found);
        // Along the folds μ = -(ν + 4 d h/k)²/(16 c).
        let off = found.iter().flatten().fold(0.0f64, |most, point| {
            let [x, y] = place(point);
            let (mu, slope) = (x + mixed[0] * y, b + mixed[1] * x + y);
            most.max((mu + slope * slope / (16.0 * c)).abs())
        });
        let is_there = |[x, y]: &[f64; 2]| (x - p).abs() <= 1e-9 && (y - q).abs() <= 1e-9;
        let ends: Vec<&[f64; 2]> = special.iter().filter(|s| s.0 == Label::GPD).map(|s| &s.1).collect();
        let lost = special.iter().any(|s| s.0 == Label::MX);
        if found.len() != 1 || ends.len() != 1 || !ends.iter().all(|p| is_there(p)) || lost || off > 1e-8 {
            wrong.push((
                member,
                format!(
                    "at {:?}, off {off:.1e}, found {special:?} {:?}\n{text}",
                    [p, q],
                    result.missing
                ),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
