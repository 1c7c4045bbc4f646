//! Identification of a bridge bearing from synthetic records.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipstick_models::friction::bearing::{Bearing, Calibration, CalibrationResult, Record};

#[track_caller]
fn ratio(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!(
        (a / b - 1.0).abs() <= tolerance,
        "{what}: {a:e} is not {b:e} to {tolerance:e}"
    );
}

fn recovered(result: &CalibrationResult, truth: &Bearing, tolerance: f64) {
    let best = &result.best;
    ratio("a", best.reach, truth.f_s / truth.stiffness, tolerance);
    ratio(
        "D",
        best.half_jump,
        (truth.f_s - truth.f_d) / truth.stiffness,
        tolerance,
    );
    ratio("beta", best.beta, truth.beta, tolerance);
    assert!(
        (best.offset - truth.offset).abs() < 1e-2 * tolerance,
        "z0 {}",
        best.offset
    );
    if truth.shear_stiffness.is_some() {
        ratio("r", best.shear_share, truth.shear_share(), tolerance);
        ratio("K", best.stiffness.unwrap(), truth.stiffness, tolerance);
        ratio("f_s", best.f_s.unwrap(), truth.f_s, tolerance);
        ratio("f_d", best.f_d.unwrap(), truth.f_d, tolerance);
    }
}

#[test]
fn the_synthetic_record_is_fitted_back() {
    let truth = Bearing::default();
    let record = truth.synthetic_record().unwrap();
    let result = Calibration {
        runs: 6,
        ..Calibration::default()
    }
    .fit(&record)
    .unwrap();
    recovered(&result, &truth, 5e-3);
    assert!(result.best.rms < 5e-9, "{:e}", result.best.rms);
    assert!(result.residuals.iter().all(|r| r.abs() < 1e-7));
    assert_eq!(result.best.slips, 19);
    // Every run finds it, so that runs spread less than the record leaves open.
    assert!(result.fits.iter().all(|f| f.reached), "{:?}", result.fits);
    for s in &result.spread {
        assert!(s.variation < 5e-3, "{s:?}");
    }
    // What is sharp and what is not: slope and jump to the misfit that counts as none, a, beta and r only as well as
    // slips are located between samples.
    let width = |name: &str| result.identified.iter().find(|q| q.name == name).unwrap().relative();
    for sharp in ["r beta", "2D(1-r)"] {
        assert!(width(sharp) < 5e-5 && width(sharp) > 0.0, "{sharp} {}", width(sharp));
    }
    for loose in ["f_s/K", "beta", "r", "K"] {
        assert!(
            width(loose) > 5.0 * width("r beta") && width(loose) < 5e-3,
            "{loose} {}",
            width(loose)
        );
    }
    // The truth lies within.
    let truths = [
        ("f_s/K", truth.f_s / truth.stiffness),
        ("beta", truth.beta),
        ("r", truth.shear_share()),
        ("z0", truth.offset),
        ("K", truth.stiffness),
        ("f_s", truth.f_s),
    ];
    for (name, value) in truths {
        let q = result.identified.iter().find(|q| q.name == name).unwrap();
        assert!(q.low <= value && value <= q.high, "{q:?} {value:e}");
    }
}

/// Gaussian noise with the given standard deviation, by sums of twelve uniform numbers.
fn noisy(record: &Record, deviation: f64) -> Record {
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let mut noise = || deviation * ((0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0);
    Record {
        displacement: record.displacement.iter().map(|z| z + noise()).collect(),
        ..record.clone()
    }
}

#[test]
fn noise_of_a_fiftieth_of_a_millimetre_is_no_obstacle() {
    let truth = Bearing::default();
    let record = noisy(&truth.synthetic_record().unwrap(), 2e-5);
    let result = Calibration {
        runs: 4,
        ..Calibration::default()
    }
    .fit(&record)
    .unwrap();
    recovered(&result, &truth, 1e-2);
    ratio("rms", result.best.rms, 2e-5, 0.015);
    // It is that of the residuals, each for its share of time.
    let squares = result.residuals.iter().zip(record.weights()).map(|(r, w)| w * r * r);
    ratio("rms of residuals", result.best.rms, squares.sum::<f64>().sqrt(), 1e-8);
    ratio("jump", 2.0 * result.best.half_jump, 0.5291e-3, 2e-3);
    // The interval of each quantity holds the truth, or misses it by no more than its width.
    for (name, value) in [
        ("beta", truth.beta),
        ("z0", truth.offset),
        ("r beta", truth.shear_share() * truth.beta),
    ] {
        let q = result.identified.iter().find(|q| q.name == name).unwrap();
        let width = q.high - q.low;
        assert!(value > q.low - width && value < q.high + width, "{q:?} {value:e}");
    }
}

#[test]
fn another_bearing_and_a_rigid_one() {
    let softer = Bearing {
        stiffness: 0.9e8,
        f_s: 0.5e6,
        f_d: 0.42e6,
        beta: 4.1e-4,
        offset: -2e-3,
        ..Bearing::default()
    };
    let record = softer.synthetic_record().unwrap();
    recovered(
        &Calibration {
            runs: 4,
            ..Calibration::default()
        }
        .fit(&record)
        .unwrap(),
        &softer,
        5e-3,
    );

    let rigid = Bearing {
        shear_stiffness: None,
        ..Bearing::default()
    };
    let record = rigid.synthetic_record().unwrap();
    let calibration = Calibration {
        shear_stiffness: None,
        runs: 4,
        ..Calibration::default()
    };
    let result = calibration.fit(&record).unwrap();
    recovered(&result, &rigid, 5e-3);
    assert_eq!((result.best.stiffness, result.best.shear_share), (None, 0.0));
    let names: Vec<&str> = result.identified.iter().map(|q| q.name).collect();
    assert_eq!(names, ["f_s/K", "f_d/K", "D", "beta", "z0"]);
}

#[test]
fn gaps_and_uneven_steps_still_allow_a_fit() {
    let truth = Bearing::default();
    let full = truth.synthetic_record().unwrap();
    let pick = |kept: &dyn Fn(usize) -> bool| {
        let of = |v: &[f64]| {
            v.iter()
                .enumerate()
                .filter(|(i, _)| kept(*i))
                .map(|(_, v)| *v)
                .collect::<Vec<_>>()
        };
        Record::new(of(&full.t), of(&full.temperature), of(&full.displacement)).unwrap()
    };
    let calibration = Calibration {
        runs: 6,
        ..Calibration::default()
    };
    // Every seventh and eleventh sample lost: nothing that matters.
    let thinned = pick(&|i| i % 7 != 3 && i % 11 != 5);
    recovered(&calibration.fit(&thinned).unwrap(), &truth, 5e-3);
    // A week lost, with a swing that made the bearing slip: no fit of the whole is perfect, but one of what follows is.
    let torn = pick(&|i| !(9000..10_008).contains(&i));
    assert_eq!(torn.notes.len(), 1);
    let misled = calibration.fit(&torn).unwrap();
    assert!(misled.best.rms > 5e-5);
    let rest = torn.longest_unbroken();
    assert_eq!(rest.t.len(), 43_200 - 10_008);
    let result = Calibration {
        free_start: true,
        ..calibration
    }
    .fit(&rest)
    .unwrap();
    recovered(&result, &truth, 5e-3);
    let start = truth.motion(&full.temperature).x[10_008] - truth.beta * full.temperature[10_008];
    assert!((result.best.lead - start).abs() < 2e-5, "{} {start}", result.best.lead);
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    let record = Bearing::default().synthetic_record().unwrap();
    let calibration = Calibration {
        runs: 2,
        particles: 10,
        iterations: 5,
        ..Calibration::default()
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| calibration.fit(&record)).unwrap()
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn settings_and_records_without_an_answer_are_refused_in_words() {
    let record = Bearing::default().synthetic_record().unwrap();
    let error = |c: Calibration| c.fit(&record).unwrap_err().to_string();
    assert!(
        error(Calibration {
            beta: (3e-4, 1e-4),
            ..Calibration::default()
        })
        .contains("range [0.0003, 0.0001]")
    );
    assert!(
        error(Calibration {
            shear_stiffness: Some(-1.0),
            ..Calibration::default()
        })
        .contains("rigid bearing")
    );
    assert!(
        error(Calibration {
            runs: 0,
            ..Calibration::default()
        })
        .contains("at least one run")
    );
    let stuck = Bearing {
        f_s: 1e9,
        f_d: 0.9e9,
        ..Bearing::default()
    }
    .synthetic_record()
    .unwrap();
    let far = Calibration {
        dynamic_reach: (0.1, 1.0),
        runs: 1,
        particles: 5,
        iterations: 2,
        ..Calibration::default()
    };
    assert!(far.fit(&stuck).unwrap_err().to_string().contains("never slips"));
}
