//! Polynomials through points of a curve with their tangents.

/// The factors `(1 - 2 σᵢ (s - aᵢ)) ℓᵢ²` and `(s - aᵢ) ℓᵢ²` are made of: σᵢ = ℓᵢ'(aᵢ), then ℓᵢ and its derivative at
/// `s`.
fn lagrange(nodes: &[f64], i: usize, s: f64) -> (f64, f64, f64) {
    let a = nodes[i];
    let others = || nodes.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, b)| *b);
    let (mut value, mut rate, mut sigma) = (1.0, 0.0, 0.0);
    for b in others() {
        rate = (rate * (s - b) + value) / (a - b);
        value *= (s - b) / (a - b);
        sigma += 1.0 / (a - b);
    }
    (sigma, value, rate)
}

/// The weights at `s` of the values and of the slopes at `nodes` in Hermite's polynomial.
pub fn hermite_weights(nodes: &[f64], s: f64) -> (Vec<f64>, Vec<f64>) {
    let weights = nodes.iter().enumerate().map(|(i, a)| {
        let (sigma, value, _) = lagrange(nodes, i, s);
        let square = value * value;
        ((1.0 - 2.0 * sigma * (s - a)) * square, (s - a) * square)
    });
    weights.unzip()
}

/// The derivatives of these weights by `s`.
pub fn hermite_rates(nodes: &[f64], s: f64) -> (Vec<f64>, Vec<f64>) {
    let rates = nodes.iter().enumerate().map(|(i, a)| {
        let (sigma, value, rate) = lagrange(nodes, i, s);
        let (square, change) = (value * value, 2.0 * value * rate);
        (
            (1.0 - 2.0 * sigma * (s - a)) * change - 2.0 * sigma * square,
            (s - a) * change + square,
        )
    });
    rates.unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_degree_five_and_its_rate_are_told_by_three_points() {
        let f = |s: f64| 1.0 - 2.0 * s + s.powi(3) - 0.5 * s.powi(5);
        let g = |s: f64| -2.0 + 3.0 * s * s - 2.5 * s.powi(4);
        let nodes = [-0.7, 0.1, 0.9];
        let sum = |(v, t): (Vec<f64>, Vec<f64>)| -> f64 {
            nodes
                .iter()
                .zip(v.iter().zip(&t))
                .map(|(&a, (v, t))| v * f(a) + t * g(a))
                .sum()
        };
        for s in [-0.9, -0.7, 0.0, 0.3, 0.9] {
            assert!((sum(hermite_weights(&nodes, s)) - f(s)).abs() < 1e-14, "{s}");
            assert!((sum(hermite_rates(&nodes, s)) - g(s)).abs() < 1e-13, "{s}");
        }
    }
}
