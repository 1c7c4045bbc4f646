//! The Poincaré map of an event: from one occurrence to the next, with its derivative.

use super::error::FlowError;
use super::junction::Junction;
use super::machine::{Happening, Machine, prepared_modes};
use super::mode_flow::{ModeFlow, Transition};
use super::options::FlowOptions;
use super::simulate::check_start;
use slipstick_system::{System, jacobian};

/// A return to an event.
///
/// ```
/// use slipstick_flow::{FlowOptions, poincare};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// // From one landing to the next that ends the same mode.
/// let land = system.event(slip, "land").unwrap();
/// let back = poincare(&system, slip, land, &[-0.4, 0.0, 1.4], &p, 20.0, FlowOptions::default())?;
/// assert_eq!(back.word.last(), Some(&(slip, land)));
/// assert!(back.x[1].abs() < 1e-12 && back.t > 0.0, "it lands again");
/// // Stick has forgotten the velocity: a change of it at the start changes nothing.
/// assert!((0..3).all(|i| back.dx[3 * i + 1].abs() < 1e-12));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Return {
    /// The states of the event's mode where it happens again, before the reset; angles unwrapped.
    pub x: Vec<f64>,
    /// The time it took.
    pub t: f64,
    /// ∂x/∂x0, n×n row-major, taken along the event's surface: times of events move with the start (saltation
    /// included).
    pub dx: Vec<f64>,
    /// ∂t/∂x0.
    pub dt: Vec<f64>,
    /// The visits on the way, the last one ended by the event itself.
    pub word: Vec<(usize, usize)>,
}

/// The states `x` of `mode` at the moment of its `event` → the states at the next occurrence of the same event. Where
/// the future is not unique the motion sticks.
///
/// With event guards gᵢ, flows Φᵢ and junctions Rᵢ the derivative is the product of (I - f ∇g/(∇g·f)) DΦ DR over the
/// visits.
///
/// # Errors
/// When the start does not fit, the flow fails, or the event does not happen again within `longest` time
/// ([`FlowError::NoReturn`]).
pub fn poincare(
    system: &System,
    mode: usize,
    event: usize,
    x: &[f64],
    p: &[f64],
    longest: f64,
    options: FlowOptions,
) -> Result<Return, FlowError> {
    check_start(system, mode, x, p)?;
    let name = &system.modes[mode].name;
    if event >= system.modes[mode].events.len() {
        return Err(FlowError::Argument {
            mode: name.clone(),
            what: format!(
                "it has {} events, counted from 0; there is no #{event}",
                system.modes[mode].events.len()
            ),
        });
    }
    let prepared_modes = prepared_modes(system, p, options);
    let mut machine = Machine::new(system, &prepared_modes, p, mode, x);
    machine.take(&smallvec::smallvec![event]);
    let n = x.len();
    // The derivative of the present start (rows) with respect to x (columns).
    let mut d: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect();
    let mut dt = vec![0.0; n];
    let mut word = vec![];
    let mut first = true;
    loop {
        match machine.advance(longest)? {
            Happening::Event(e) => {
                let segment = machine.close(Some(e));
                if !first {
                    word.push((segment.mode, e));
                    through(system, &segment, e, p, options, &mut d, &mut dt)?;
                }
                if !first && (segment.mode, e) == (mode, event) {
                    return Ok(Return {
                        x: segment.end,
                        t: machine.t,
                        dx: d,
                        dt,
                        word,
                    });
                }
                first = false;
                jump(system, segment.mode, e, &segment.end, p, n, &mut d);
            }
            Happening::Choice(choice) => machine.take(&choice.stick),
            Happening::Grazing => {}
            Happening::Time | Happening::Rest => {
                return Err(FlowError::NoReturn {
                    mode: name.clone(),
                    event: system.modes[mode].events[event].name.clone(),
                    longest,
                });
            }
        }
    }
}

/// Carry the derivative through a visit to its event.
fn through(
    system: &System,
    segment: &super::trajectory::Segment,
    event: usize,
    p: &[f64],
    options: FlowOptions,
    d: &mut Vec<f64>,
    dt: &mut [f64],
) -> Result<(), FlowError> {
    let m = segment.start.len();
    let n = dt.len();
    let guard = &*system.modes[segment.mode].events[event].guard;
    let mut tr = Transition::default();
    ModeFlow::new(system, segment.mode, options).linearise(&segment.start, segment.duration, p, &[], &mut tr)?;
    let mut gradient = vec![0.0; m];
    jacobian(guard, &segment.end, p, &[], &mut [0.0], &mut gradient, &mut []);
    let rate: f64 = gradient.iter().zip(&tr.f).map(|(g, f)| g * f).sum();
    let mut moved = vec![0.0; m * n];
    for c in 0..n {
        let column: Vec<f64> = (0..m)
            .map(|i| (0..m).map(|j| tr.dx[i * m + j] * d[j * n + c]).sum())
            .collect();
        let later = -gradient.iter().zip(&column).map(|(g, v)| g * v).sum::<f64>() / rate;
        dt[c] += later;
        for i in 0..m {
            moved[i * n + c] = column[i] + tr.f[i] * later;
        }
    }
    *d = moved;
    Ok(())
}

/// Carry the derivative through the junction after an event.
fn jump(system: &System, mode: usize, event: usize, x: &[f64], p: &[f64], n: usize, d: &mut Vec<f64>) {
    let mut junction = Junction::new(system, mode, Some(event), false);
    let (m, k) = (x.len(), junction.outputs());
    let (mut next, mut dx) = (vec![0.0; k], vec![0.0; k * m]);
    junction.linearise(x, p, &[], &mut next, &mut dx, &mut []);
    *d = (0..k * n)
        .map(|e| {
            let (i, c) = (e / n, e % n);
            (0..m).map(|j| dx[i * m + j] * d[j * n + c]).sum()
        })
        .collect();
}
