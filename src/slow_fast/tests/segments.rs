//! Canard segments of periodic orbits whose data were computed independently (event-aligned, high order).

use super::super::{Departure, FoldedClass, Reduction};
use super::{close, oscillator, problem};
use slipstick_flow::{FlowOptions, Method, ModeFlow, Path};
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Formula, System};
use std::f64::consts::TAU;

/// A visit to the layer from ŷ = -1 (landing) to ŷ = 1: x at both ends, phase of landing, duration.
struct Passage {
    omega: f64,
    epsilon: f64,
    land: f64,
    launch: f64,
    theta: f64,
    stick: f64,
}

/// On the canard branch, ε = 10⁻².
const CANARD: Passage = Passage {
    omega: 3.0,
    epsilon: 1e-2,
    land: -0.016_924_907_873_982_55,
    launch: -0.005_229_369_806_115_207,
    theta: 2.934_072_990_166_697_5,
    stick: 2.606_090_924_913_208_3,
};
/// Slip–stick near the Ω > 1 branch of the discontinuous model, ε = 10⁻³.
const ORDINARY: Passage = Passage {
    omega: 2.0,
    epsilon: 1e-3,
    land: -0.418_676_399_857_862,
    launch: -0.418_271_796_800_479_05,
    theta: 1.436_119_617_149_430_8,
    stick: 1.108_130_768_958_010_4,
};

impl Passage {
    fn path<'a>(&self, system: &'a System, p: &[f64], backwards: bool) -> Path<'a> {
        let options = FlowOptions {
            method: Method::Stiff,
            ..FlowOptions::default()
        };
        let flow = ModeFlow::new(system, 2, options);
        let start = if backwards {
            [self.launch, 1.0, self.theta + self.stick]
        } else {
            [self.land, -1.0, self.theta]
        };
        // Backwards only to a little before the fold: beyond it that direction blows up.
        flow.path(&start, if backwards { -0.45 * self.stick } else { self.stick }, p)
            .unwrap()
    }
}

fn at(path: &Path, t: f64) -> Vec<f64> {
    let mut x = vec![0.0; 3];
    path.eval(t, &mut x);
    x
}

#[test]
fn a_canard_orbit_is_followed_from_the_fold_to_its_jump() {
    let (s, p) = oscillator(CANARD.omega, CANARD.epsilon);
    let layer = problem(&s, &p, Reduction::Finite);
    // Neither direction can be integrated through the whole of a canard: forwards up to the fold, backwards down to it.
    let (forth, back) = (CANARD.path(&s, &p, false), CANARD.path(&s, &p, true));
    let join = 1.64;
    let (a, b) = (at(&forth, join), at(&back, join - CANARD.stick));
    for (a, b) in a.iter().zip(&b) {
        close(*a, *b, 2e-9);
    }
    let trajectory = |t: f64| {
        if t < join {
            at(&forth, t)
        } else {
            at(&back, t - CANARD.stick)
        }
    };
    let passage = layer.layer_segment(&trajectory, CANARD.stick, None).unwrap();
    let [segment] = &passage.segments[..] else {
        panic!("{passage:?}")
    };
    assert_eq!(segment.departure, Departure::Jumps);
    // It begins where ŷ = δ, and the delay runs from there to the end of the layer.
    close(trajectory(segment.from)[1], 0.6, 1e-12);
    close(passage.delay.unwrap(), CANARD.stick - segment.from, 1e-15);
    assert!((0.85..0.92).contains(&passage.delay.unwrap()), "{passage:?}");
    // The orbit leaves at a rate λ/ε: the measured end depends on the radius only at order ε log.
    let near = layer.layer_segment(&trajectory, CANARD.stick, Some(0.05)).unwrap();
    assert!((near.canard_time() - passage.canard_time()).abs() < 0.05);
    // With ε = 0.01 the radius reaches over the end of the layer, where the orbit is attracted again.
    let delay = passage.delay.unwrap();
    close(passage.canard_time(), delay, 1e-15);
    assert!(near.canard_time() < delay, "{passage:?}");
    assert!(passage.canard_time() > 0.8, "{passage:?}");
    assert!(segment.closest < CANARD.epsilon);
    // Like the slow manifold it is O(ε) off the sheet, but for the way in at the fold and the way out.
    assert!(segment.closest < segment.distance && segment.distance < 3.0 * CANARD.epsilon);
    assert!(passage.on_canard(2.0) && !passage.on_canard(1.0));

    // The same from samples of all states of the system, in a row of modes.
    let n = 1500;
    let mut t: Vec<f64> = (0..=n)
        .map(|k| 10.0 + CANARD.stick * f64::from(k) / f64::from(n))
        .collect();
    let mut states: Vec<Vec<f64>> = t.iter().map(|t| s.full_state(2, &trajectory(t - 10.0), &p)).collect();
    let mut modes = vec![2; t.len()];
    for (time, mode) in [(9.0, 1), (9.5, 1)] {
        t.insert(0, time);
        states.insert(0, vec![0.0; 4]);
        modes.insert(0, mode);
    }
    let passages = layer.canard_segments(&t, &states, &modes, None).unwrap();
    assert_eq!(passages.len(), 1);
    close(passages[0].time.0, 10.0, 0.0);
    close(passages[0].delay.unwrap(), passage.delay.unwrap(), 1e-10);
    close(passages[0].segments[0].from, 10.0 + segment.from, 1e-10);
    // The jump at the end is faster than the samples are dense.
    close(
        passages[0].canard_time(),
        passage.canard_time(),
        CANARD.stick / f64::from(n),
    );
    assert!(layer.canard_segments(&t[1..], &states, &modes, None).is_err());
}

#[test]
fn an_ordinary_jump_has_a_short_delay_and_no_segment() {
    let (s, p) = oscillator(ORDINARY.omega, ORDINARY.epsilon);
    let layer = problem(&s, &p, Reduction::Finite);
    let forth = ORDINARY.path(&s, &p, false);
    close(at(&forth, ORDINARY.stick)[0], ORDINARY.launch, 1e-9);
    let passage = layer.layer_segment(&|t| at(&forth, t), ORDINARY.stick, None).unwrap();
    assert!(passage.segments.is_empty(), "{passage:?}");
    let delay = passage.delay.unwrap();
    assert!(delay > 0.0 && delay < 4.0 * ORDINARY.epsilon.powf(2.0 / 3.0), "{delay}");
}

#[test]
fn an_orbit_beside_the_maximal_canard_turns_or_jumps() {
    let (s, p) = oscillator(2.0, 1e-2);
    let layer = problem(&s, &p, Reduction::Singular);
    let saddle = (layer
        .folded_singularities(&super::whole_layer(2.0))
        .unwrap()
        .into_iter())
    .find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0)
    .unwrap();
    let canard = layer.maximal_canard(&saddle, TAU).unwrap();
    let start = canard.points[0].state.clone();
    let mut times = Vec::new();
    for (shift, departure) in [
        (1e-6, Departure::Turns),
        (1e-9, Departure::Turns),
        (-1e-6, Departure::Jumps),
        (-1e-9, Departure::Jumps),
    ] {
        let (points, leaves) = layer.full_orbit(&[start[0] + shift, start[1], start[2]], 4.0).unwrap();
        assert_eq!(leaves, departure == Departure::Jumps);
        let t: Vec<f64> = points.iter().map(|p| p.time).collect();
        let states: Vec<Vec<f64>> = points.iter().map(|x| s.full_state(2, &x.state, &p)).collect();
        let passages = layer
            .canard_segments(&t, &states, &vec![2; t.len()], Some(0.1))
            .unwrap();
        let [segment] = &passages[0].segments[..] else {
            panic!("{shift:e} {:?}", passages[0])
        };
        assert_eq!(segment.departure, departure, "{shift:e}");
        times.push(passages[0].canard_time());
    }
    // The nearer, the longer.
    assert!(times[1] > times[0] + 0.02 && times[3] > times[2] + 0.02, "{times:?}");
}

/// ε y' = y² - 1: sheets y = ±1, of which the upper one repels; and a clock.
struct Sheets;
impl Formula for Sheets {
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
        out[0] = (x[0] * x[0] - 1.0) / p[0];
        out[1] = T::one();
    }
}

/// A course of period 1 that comes from the attracting sheet through y = 0 at 0.45, is beside the repelling one from
/// 0.5 to 0.8, `off` below it and drawing away in proportion to time, and goes back.
fn beside(t: f64, off: f64) -> f64 {
    match t {
        _ if t < 0.4 => -1.0,
        _ if t < 0.5 => -1.0 + (2.0 - off) * 10.0 * (t - 0.4),
        _ if t < 0.8 => 1.0 - off * (1.0 + (t - 0.5) / 0.3),
        _ if t < 0.9 => 1.0 - 2.0 * off - (2.0 - 2.0 * off) * 10.0 * (t - 0.8),
        _ => -1.0,
    }
}

#[test]
fn the_distance_is_the_mean_over_time_and_no_segment_is_cut_where_the_period_begins() {
    let system = super::others::smooth(&["y", "t"], &[("epsilon", 1e-2)], 0, Sheets);
    let layer = problem(&system, &[1e-2], Reduction::Finite);
    let times: Vec<f64> = (0..=2000).map(|k| f64::from(k) / 2000.0).collect();
    let off = 0.03;
    // Begun on the attracting sheet, and in the middle of the canard.
    for begin in [0.0, 0.65] {
        let trajectory = |t: f64| vec![beside((t + begin).rem_euclid(1.0), off), t];
        let passage = layer.endless_segment_at(&trajectory, &times, Some(0.07)).unwrap();
        let [segment] = &passage.segments[..] else {
            panic!("{passage:?}")
        };
        assert_eq!(segment.departure, Departure::Turns);
        // From the fold at 0.4 + 0.1/(2 - off) to where the distance is 0.07, on the way back.
        let from = 0.4 + 0.1 / (2.0 - off);
        let to = 0.8 + 0.1 * 0.01 / (2.0 - 2.0 * off);
        close((segment.from + begin).rem_euclid(1.0), from, 1e-9);
        close(segment.to - segment.from, to - from, 1e-9);
        // Off on the way: 1.5 off beside the sheet on average; coming and leaving take little time.
        close(passage.canard_distance().unwrap(), 1.5 * off, 1e-3);
        assert!(segment.closest >= off - 1e-12 && passage.longest() == Some(segment));
        // Attracted again where y = 0.
        let back = 0.8 + 0.1 * (1.0 - 2.0 * off) / (2.0 - 2.0 * off);
        close(passage.delay.unwrap(), back - from, 1e-9);
    }
}
