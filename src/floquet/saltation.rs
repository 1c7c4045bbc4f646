//! How a perturbation passes an event.

use super::FloquetError;

/// The saltation matrix `S = DR + (f⁺ - DR f⁻) ∇gᵀ / (∇gᵀ f⁻)` of an event.
///
/// `f_minus` (n⁻ entries) and `f_plus` (n⁺) are the fields just before and after the event, in the states of the two
/// modes; `gradient` (n⁻) is that of the guard g at the point before the reset; `jump` is the Jacobian DR of the reset,
/// n⁺×n⁻ row by row (the identity, or the projection onto fewer states, when nothing jumps). `out` gets the n⁺×n⁻
/// matrix row by row. It maps f⁻ to f⁺, so the flow direction stays the trivial one, also between modes of different
/// dimension.
///
/// A time-dependent event needs no extra term when time is a state.
///
/// Sources: R. Leine, H. Nijmeijer, *Dynamics and Bifurcations of Non-Smooth Mechanical Systems*, Springer (2004), ch.
/// 7; M. di Bernardo, C. Budd, A. Champneys, P. Kowalczyk, *Piecewise-smooth Dynamical Systems*, Springer (2008), §2.5.
///
/// # Errors
/// [`FloquetError::Grazing`] if the orbit meets the surface tangentially, `∇gᵀf⁻ = 0` to rounding.
pub fn saltation(
    f_minus: &[f64],
    f_plus: &[f64],
    gradient: &[f64],
    jump: &[f64],
    out: &mut [f64],
) -> Result<(), FloquetError> {
    let n = f_minus.len();
    debug_assert_eq!(gradient.len(), n);
    debug_assert_eq!(jump.len(), n * f_plus.len());
    let rate: f64 = gradient.iter().zip(f_minus).map(|(g, f)| g * f).sum();
    let size: f64 = gradient.iter().zip(f_minus).map(|(g, f)| (g * f).abs()).sum();
    if rate.is_nan() || rate.abs() <= f64::EPSILON * size {
        return Err(FloquetError::Grazing { rate });
    }
    for ((row, jump), f_plus) in out.chunks_exact_mut(n).zip(jump.chunks_exact(n)).zip(f_plus) {
        let image: f64 = jump.iter().zip(f_minus).map(|(j, f)| j * f).sum();
        let kick = (f_plus - image) / rate;
        for ((s, j), g) in row.iter_mut().zip(jump).zip(gradient) {
            *s = j + kick * g;
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_elastic_bounce_against_its_closed_form() {
        // Ball under gravity, states (x, v), floor x = 0, v → -e v: S = [-e 0; -(1+e)g/v⁻ -e].
        let (e, g, v) = (0.8, 9.81, -2.0);
        let mut s = [0.0; 4];
        saltation(&[v, -g], &[-e * v, -g], &[1.0, 0.0], &[1.0, 0.0, 0.0, -e], &mut s).unwrap();
        let expected = [-e, 0.0, -(1.0 + e) * g / v, -e];
        for (a, b) in s.iter().zip(expected) {
            assert!((a - b).abs() < 1e-14, "{s:?}");
        }
    }

    #[test]
    fn landing_in_stick_drops_a_state_and_keeps_the_flow_direction() {
        // (x, y, θ) → (x, θ) at y = 0: the projection is the saltation matrix only because θ' = 1 on both sides.
        let (f_minus, f_plus) = ([0.0, 1.7, 1.0], [0.0, 1.0]);
        let mut s = [f64::NAN; 6];
        let projection = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        saltation(&f_minus, &f_plus, &[0.0, 1.0, 0.0], &projection, &mut s).unwrap();
        for (row, f) in s.chunks_exact(3).zip(f_plus) {
            let image: f64 = row.iter().zip(f_minus).map(|(a, b)| a * b).sum();
            assert_eq!(image, f);
        }
    }

    #[test]
    fn grazing_is_refused() {
        let mut s = [0.0; 4];
        let error = saltation(&[0.0, -1.0], &[0.0, -1.0], &[1.0, 0.0], &[1.0, 0.0, 0.0, 1.0], &mut s);
        assert_eq!(error, Err(FloquetError::Grazing { rate: 0.0 }));
    }
}
