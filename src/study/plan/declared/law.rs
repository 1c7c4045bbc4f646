//! Functions that take the place of a sign.

use crate::spec::system::regularised::LawSpec;
use slipstick_system::text::Symbolic;

/// A function φ(s), as definitions of a system.
#[derive(Clone)]
pub(crate) struct Law {
    /// Its name in formulas.
    name: String,
    /// What it is made of, last itself: heads and bodies.
    pub(crate) definitions: Vec<(String, String)>,
    /// Is it constant where |s| > 1, and another formula within?
    pub(crate) has_layer: bool,
}

impl Law {
    /// The law that a study names, with the ratio of static to kinetic levels; `is_taken` says which names are.
    pub(crate) fn of(spec: &LawSpec, ratio: &Symbolic, is_taken: &dyn Fn(&str) -> bool) -> Self {
        let mut name = "law".to_owned();
        while is_taken(&name) || (1..=7).any(|k| is_taken(&format!("{name}_{k}"))) {
            name.push('_');
        }
        let mut definitions = vec![];
        let body = match spec {
            LawSpec::Tanh => "tanh(s)".to_owned(),
            LawSpec::Algebraic => "s/sqrt(1 + s^2)".to_owned(),
            LawSpec::Law(text) => text.clone(),
            LawSpec::Smoothstep(order) => odd(&smoothstep(*order)).to_string(),
            LawSpec::Stiction { .. } => {
                let coefficients = stiction(ratio, &Symbolic::name("delta"));
                let named = |(k, body): (usize, Symbolic)| {
                    let own = format!("{name}_{}", 2 * k + 1);
                    definitions.push((own.clone(), body.to_string()));
                    Symbolic::name(&own)
                };
                let named: Vec<Symbolic> = coefficients.into_iter().enumerate().map(named).collect();
                odd(&named).to_string()
            }
        };
        definitions.push((format!("{name}(s)"), body));
        Self {
            name,
            definitions,
            has_layer: matches!(spec, LawSpec::Smoothstep(_) | LawSpec::Stiction { .. }),
        }
    }

    /// Its value at an argument.
    pub(crate) fn at(&self, argument: Symbolic) -> Symbolic {
        Symbolic::call(&self.name, vec![argument])
    }
}

fn number(value: f64) -> Symbolic {
    Symbolic::number(value)
}

/// The coefficients of s, s³, … in the integral of (1 - s²)^n, scaled to 1 at s = 1.
fn smoothstep(order: u8) -> Vec<Symbolic> {
    let n = i32::from(order);
    let mut binomial = 1.0;
    let mut coefficients = vec![];
    for k in 0..=n {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        coefficients.push(sign * binomial / f64::from(2 * k + 1));
        binomial = binomial * f64::from(n - k) / f64::from(k + 1);
    }
    let total: f64 = coefficients.iter().sum();
    coefficients.iter().map(|c| number(c / total)).collect()
}

/// s (c₀ + c₁ s² + c₂ s⁴ + …), by Horner's rule.
fn odd(coefficients: &[Symbolic]) -> Symbolic {
    let s = Symbolic::name("s");
    let square = s.clone() * s.clone();
    let sum = coefficients.iter().rev().cloned();
    let sum = sum.reduce(|sum, c| sum * square.clone() + c);
    s * sum.unwrap_or_else(|| number(0.0))
}

/// The coefficients d, c, b, a of `s (a s⁶ + b s⁴ + c s² + d)` with the largest value `r` at s = δ, where it is flat,
/// as at s = 1 with the value 1. (Bossolini, Brøns and Kristiansen 2017, section 6.1.)
fn stiction(r: &Symbolic, delta: &Symbolic) -> Vec<Symbolic> {
    let q = delta.clone() * delta.clone();
    let m = q.clone() - number(1.0);
    let half = number(0.5) / (m.clone() * m.clone() * m);
    let r = r.clone() / (delta.clone() * q.clone());
    let a = (number(5.0) - q.clone() - (number(5.0) * q.clone() - number(1.0)) * r.clone()) * half.clone();
    let e = ((number(7.0) * q.clone() - number(3.0)) * r - q.clone() * (number(7.0) - number(3.0) * q.clone())) * half;
    let b = number(0.2) * (e.clone() - number(7.0) * a.clone() * (q.clone() + number(1.0)));
    let c = (number(7.0) * a.clone() * q.clone() - e.clone() * (q.clone() + number(1.0))) / number(3.0);
    vec![e * q, c, b, a]
}
