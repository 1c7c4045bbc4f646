//! The signs that keep a motion on the intersection of two surfaces.

use crate::plan::declared::expansion::Definition;
use slipstick_system::text::Symbolic;

/// Rates that are no longer together, as texts, stand in the formulas of signs themselves.
const LONG: usize = 400;
/// Otherwise what is no longer does.
const SHORT: usize = 20;

/// Names for long formulas that enter others many times: the signs on an intersection repeat each rate hundreds of
/// times.
pub(super) struct Abbreviations {
    /// What the names begin with; none where all formulas are to stand for themselves.
    root: Option<String>,
    pub(super) definitions: Vec<Definition>,
}

impl Abbreviations {
    /// Those for formulas made of these rates.
    pub(super) fn of(rates: &[&[Symbolic; 4]; 2], root: String) -> Self {
        let length: usize = rates
            .iter()
            .flat_map(|own| own.iter())
            .map(|f| f.to_string().len())
            .sum();
        Self {
            root: (length > LONG).then_some(root),
            definitions: vec![],
        }
    }

    /// The formula, or its name if it is long.
    fn short(&mut self, formula: &Symbolic) -> Symbolic {
        let Some(root) = &self.root else {
            return formula.clone();
        };
        if formula.to_string().len() <= SHORT {
            return formula.clone();
        }
        if let Some((name, ..)) = self.definitions.iter().find(|(.., body)| body == formula) {
            return Symbolic::name(name);
        }
        let name = format!("{root}_{}", self.definitions.len() + 1);
        self.definitions.push((name.clone(), vec![], formula.clone()));
        Symbolic::name(&name)
    }
}

/// The signs that keep a motion on two surfaces.
#[derive(Clone)]
pub(super) struct Intersection {
    pub(super) first: Symbolic,
    pub(super) second: Symbolic,
    /// What is positive where they are real, if they may cease to be.
    pub(super) real: Option<Symbolic>,
    /// What is negative unless each of the surfaces by itself repels, if it may be positive.
    pub(super) repelling: Option<Symbolic>,
}

impl Intersection {
    /// The signs u and v at which both rates `a + b u + c v + d u v` and `e + f u + g v + h u v` vanish, of which
    /// p v² + q v + r = 0 is left without u.
    ///
    /// Of two solutions that at which the determinant of the rates by the signs is positive, 2 p v + q = √(q² - 4 p r):
    /// in any regularisation the signs are repelled from the other one, a saddle. It changes continuously as long as it
    /// is real.
    pub(super) fn of(first: &[Symbolic; 4], second: &[Symbolic; 4], abbreviations: &mut Abbreviations) -> Option<Self> {
        // What is zero, or a number, is so by the formulas themselves.
        let whole = Self::coefficients(first, second);
        let [first, second] = [first, second].map(|own| own.clone().map(|rate| abbreviations.short(&rate)));
        let named = Self::coefficients(&first, &second);
        let [p, q, r] = std::array::from_fn(|k| match whole[k].value() {
            Some(_) => whole[k].clone(),
            None => abbreviations.short(&named[k]),
        });
        let ([a, b, c, d], [e, f, g, h]) = (&first, &second);
        let (second, real) = if p.is_zero() {
            (!q.is_zero()).then(|| (-(r / q), None))?
        } else {
            Self::second(&p, &q, &r)?
        };
        let sign = |[a, b, c, d]: [&Symbolic; 4]| {
            let slope = b.clone() + d.clone() * second.clone();
            (!slope.is_zero()).then(|| -((a.clone() + c.clone() * second.clone()) / slope))
        };
        let first = sign([a, b, c, d]).or_else(|| sign([e, f, g, h]))?;
        let own = |slope: &Symbolic, mixed: &Symbolic, other: &Symbolic| slope.clone() + mixed.clone() * other.clone();
        let slopes = [own(b, d, &second), own(g, h, &first)];
        let attracts = slopes.iter().any(|slope| slope.value().is_some_and(|b| b < 0.0));
        let repelling = (!attracts).then(|| Symbolic::call("min", slopes.to_vec()));
        Some(Self {
            first,
            second,
            real,
            repelling,
        })
    }

    /// The coefficients p, q and r.
    fn coefficients([a, b, c, d]: &[Symbolic; 4], [e, f, g, h]: &[Symbolic; 4]) -> [Symbolic; 3] {
        let cross =
            |x: &Symbolic, y: &Symbolic, z: &Symbolic, w: &Symbolic| x.clone() * y.clone() - z.clone() * w.clone();
        [
            cross(g, d, h, c),
            cross(e, d, f, c) + cross(g, b, h, a),
            cross(e, b, f, a),
        ]
    }

    /// The larger root v of p v² + q v + r by p, and what is positive where it is real.
    fn second(p: &Symbolic, q: &Symbolic, r: &Symbolic) -> Option<(Symbolic, Option<Symbolic>)> {
        let number = Symbolic::number;
        if let [Some(p), Some(q), Some(r)] = [p, q, r].map(Symbolic::value) {
            let root = (q * q - 4.0 * p * r).sqrt();
            let v = if q < 0.0 {
                (root - q) / (2.0 * p)
            } else {
                -2.0 * r / (q + root)
            };
            return v.is_finite().then(|| (number(v), None));
        }
        let choice = |a, b, c| Symbolic::call("if", vec![a, b, c]);
        let discriminant = q.clone() * q.clone() - number(4.0) * p.clone() * r.clone();
        // Steps that look beyond the place where it ceases to be real find a number there.
        let sqrt = Symbolic::call("sqrt", vec![discriminant.clone()]);
        let root = choice(number(0.0).less(discriminant.clone()), sqrt, number(0.0));
        // Neither form loses digits by a difference of like numbers.
        let small = -(number(2.0) * r.clone() / (q.clone() + root.clone()));
        let large = (root - q.clone()) / (number(2.0) * p.clone());
        Some((choice(q.clone().less(number(0.0)), large, small), Some(discriminant)))
    }
}
