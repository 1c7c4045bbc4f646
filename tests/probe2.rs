use slipstick::{bifurcation::*, continuation::*, flow::*, orbit::*, system::*};
#[test]
fn probe() {
    let s = catalogue::regularised_stiction();
    let eps: f64 = std::env::var("EPS").unwrap_or("0.01".into()).parse().unwrap();
    let tol: f64 = std::env::var("TOL").unwrap_or("1e-8".into()).parse().unwrap();
    let word = Word::parse("slip- layer", true, &s).unwrap();
    let mut p = s.default_parameters();
    p[0] = 2.0;
    p[4] = eps;
    let layer = s.mode("layer").unwrap();
    let mut d = vec![Discretisation::Flow; 3];
    d[layer] = Discretisation::Collocation(MeshOptions {
        tolerance: tol,
        ..Default::default()
    });
    let mut orbit = PeriodicOrbit::discretised(&s, word, p.clone(), vec![0], FlowOptions::default(), &d);
    // reference: eps .01 Omega 2: theta_land 1.43, tau 1.1432, T_slip 1.998, x_land -.4255
    let th_end: f64 = 1.4307653091914438;
    let tslip = 1.9983745389809118;
    let tau = 1.1432181146088813;
    let x_land = -0.42553700132235944;
    // slip- starts at theta_land - tslip, x = -(x_launch)
    let u0 = vec![0.4212336104993617, -eps, th_end - tslip];
    let u1 = vec![x_land, -1.0, th_end];
    let t = std::time::Instant::now();
    let z = orbit.guess(&[u0, u1], &[tslip, tau]).unwrap();
    println!("guess {} unknowns {:?}", z.len(), t.elapsed());
    let o = TraceOptions {
        range: (0.3, 40.0),
        levels: [0.5, 2.0, 3.0, 5.0, 10.0]
            .map(|v| Level {
                column: Column::Parameter(0),
                name: "Omega".into(),
                value: v,
            })
            .into(),
        steps: StepOptions::default(),
        points: 400,
        directions: vec![1.0, -1.0],
    };
    let mon = orbit.monitors();
    println!("{mon:?}");
    let t = std::time::Instant::now();
    let b = trace(&mut orbit, z, &o, &mut |_| true).unwrap();
    println!("{} points, ends {:?} {:?}", b.points.len(), b.ends, t.elapsed());
    for (i, q) in b.special() {
        let n = q.point.z.len();
        println!(
            "{i} n={n} {:?} Om={} thl={:?} Ts={} nu={:?} lio {:?} {}",
            q.label,
            q.point.parameter(),
            q.point.z[6],
            q.point.z[3],
            q.record
                .multipliers
                .iter()
                .map(|m| (m.log10, m.arg))
                .collect::<Vec<_>>(),
            q.record.monitors.last(),
            q.message
        );
    }
}
