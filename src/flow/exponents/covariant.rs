//! Covariant vectors: the directions that belong to the exponents, at points along a motion.

use super::frame::Frame;
use super::options::{ExponentOptions, SpectrumError};
use super::spectrum::on_motion;
use slipstick_numerics::linalg::norm;
use slipstick_system::System;

/// The directions at one point of a motion.
///
/// ```
/// use slipstick_flow::exponents::{ExponentOptions, covariant_vectors};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let options = ExponentOptions { time: 20.0, ..ExponentOptions::default() };
/// let found = covariant_vectors(&system, 2, &[0.4, 0.0], &[2.0, 1.1, 0.4], &options, 10)?;
/// // The first belongs to the exponent 0: it is the direction of the flow, in which time runs.
/// assert!(found.len() == 10 && found.iter().all(|point| point.vectors.len() == 2));
/// # Ok::<(), slipstick_flow::exponents::SpectrumError>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CovariantPoint {
    /// The time, counted from the end of the transient.
    pub t: f64,
    /// The mode.
    pub mode: usize,
    /// Its states.
    pub state: Vec<f64>,
    /// A vector of length one for each exponent that is finite, the largest first.
    pub vectors: Vec<Vec<f64>>,
}

/// The covariant vectors at `samples` evenly spaced times of [`ExponentOptions::time`], by the forward and backward
/// iteration of F. Ginelli et al., Phys. Rev. Lett. 99 (2007) 130601. The motion is followed half as long again for the
/// backward iteration to converge.
///
/// # Errors
/// [`SpectrumError`] when the motion cannot be followed for so long, or a direction is lost after the transient.
pub fn covariant_vectors(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &ExponentOptions,
    samples: usize,
) -> Result<Vec<CovariantPoint>, SpectrumError> {
    if samples == 0 {
        return Err(SpectrumError::Options {
            what: "covariant vectors at no points are asked for".into(),
        });
    }
    on_motion(system, (mode, x), p, options, &mut |motion, mut frame| {
        let lost = frame.lost();
        frame.record();
        let every = match options.time / samples as f64 {
            whole if system.is_map() => whole.round().max(1.0),
            every => every,
        };
        let mut points = vec![];
        for k in 0..samples + samples.div_ceil(2) {
            if k > 0 {
                motion.advance(options.transient + every * k as f64, &mut frame)?;
            }
            if frame.lost() > lost {
                return Err(SpectrumError::Options {
                    what: "a direction is lost after the transient; make the transient longer".into(),
                });
            }
            let (mode, state) = motion.state();
            let here = CovariantPoint {
                t: every * k as f64,
                mode,
                state: state.to_vec(),
                vectors: vec![],
            };
            points.push((here, frame.clone(), frame.take_triangles()));
        }
        let mut found = backwards(points, samples);
        for point in &mut found {
            for v in &mut point.vectors {
                v.iter_mut()
                    .enumerate()
                    .for_each(|(i, v)| *v *= motion.sizes().of(point.mode, i));
                let size = norm(v);
                v.iter_mut().for_each(|v| *v /= size);
            }
        }
        Ok(found)
    })
}

/// Solve for coordinates in the frames from the last point back, and keep those of the first `samples` points.
fn backwards(points: Vec<(CovariantPoint, Frame, Vec<Vec<f64>>)>, samples: usize) -> Vec<CovariantPoint> {
    let count = points.first().map_or(0, |(_, frame, _)| frame.count());
    // Coordinates, one vector after the other; any with a full diagonal do at the far end.
    let mut coordinates: Vec<Vec<f64>> = (0..count)
        .map(|j| (0..count).map(|i| if i <= j { 1.0 } else { 0.0 }).collect())
        .collect();
    let mut found = vec![];
    for (k, (mut point, frame, triangles)) in points.into_iter().enumerate().rev() {
        if k < samples {
            point.vectors = coordinates.iter().map(|c| combined(&frame, c)).collect();
            found.push(point);
        }
        // The triangles lead from the point before to this one.
        for triangle in triangles.iter().rev() {
            for (j, c) in coordinates.iter_mut().enumerate() {
                for i in (0..=j).rev() {
                    let known: f64 = (i + 1..=j).map(|l| triangle[i * count + l] * c[l]).sum();
                    c[i] = (c[i] - known) / triangle[i * count + i];
                }
                let size = norm(c);
                c.iter_mut().for_each(|v| *v /= size);
            }
        }
    }
    found.reverse();
    found
}

/// The vector with these coordinates in a frame.
fn combined(frame: &Frame, coordinates: &[f64]) -> Vec<f64> {
    let mut vector: Vec<f64> = vec![];
    for (q, c) in frame.vectors().zip(coordinates) {
        vector.resize(q.len(), 0.0);
        vector.iter_mut().zip(q).for_each(|(v, q)| *v += c * q);
    }
    vector
}
