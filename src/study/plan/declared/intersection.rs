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
    /// What is negative where regularisations are attracted to them, as far as it may be positive: it is so unless each
    /// of the surfaces by itself repels, and unless the signs are a saddle.
    pub(super) repelling: Vec<Symbolic>,
}

/// The rate of a switching function: constant, slopes by both signs, and that by their product.
type Rate = [Symbolic; 4];
/// The coefficients p, q and r of p v² + q v + r.
type Quadratic = [Symbolic; 3];

impl Intersection {
    /// The signs u and v at which both rates `a + b u + c v + d u v` and `e + f u + g v + h u v` vanish.
    ///
    /// Without u a quadratic equation p v² + q v + r = 0 is left of both, and another one without v, with the same
    /// discriminant. Of two solutions that at which the determinant of the rates by the signs is positive, which is the
    /// slope of either, 2 p v + q = √(q² - 4 p r): in any regularisation the signs are repelled from the other one,
    /// a saddle. It changes continuously as long as it is real. Neither sign is computed from the other one: the slope
    /// of a rate by a sign may be nothing but rounding where the determinant is not small.
    pub(super) fn of(first: &Rate, second: &Rate, abbreviations: &mut Abbreviations) -> Option<Self> {
        // What is zero, or a number, is so by the formulas themselves.
        let whole = Self::quadratics(first, second);
        let [first, second] = [first, second].map(|own| own.clone().map(|rate| abbreviations.short(&rate)));
        let in_turn = Self::in_turn(&first, &second);
        let ([u, v], determinant, real) = if let Some(signs) = in_turn {
            let determinant = Self::determinant(&first, &second, &signs);
            (signs, determinant, None)
        } else {
            let mut named = Self::quadratics(&first, &second);
            for (own, whole) in named.iter_mut().flatten().zip(whole.into_iter().flatten()) {
                *own = match whole.value() {
                    Some(_) => whole,
                    None => abbreviations.short(own),
                };
            }
            let [of_first, of_second] = named;
            let (root, real) = Self::root(&of_first, &of_second)?;
            let determinant = real.is_none().then(|| root.clone());
            let root = abbreviations.short(&root);
            let signs = [Self::zero(&of_first, &root)?, Self::zero(&of_second, &root)?];
            (signs, determinant, real)
        };
        let slopes = [along(&first[1], &first[3], &v), along(&second[2], &second[3], &u)];
        // Where neither surface attracts by itself, as where signs turn around one another, nothing draws to both.
        if slopes.iter().all(|slope| slope.value().is_some_and(|b| b >= 0.0)) {
            return None;
        }
        let attracts = slopes.iter().any(|slope| slope.value().is_some_and(|b| b < 0.0));
        let by_itself = (!attracts).then(|| Symbolic::call("min", slopes.to_vec()));
        let saddle = match determinant {
            Some(determinant) if determinant.value().is_some_and(|own| own <= 0.0) => return None,
            Some(determinant) if determinant.value().is_none() => Some(-determinant),
            _ => None,
        };
        Some(Self {
            first: u,
            second: v,
            real,
            repelling: by_itself.into_iter().chain(saddle).collect(),
        })
    }

    /// The signs where one of the rates has one of them only, and the other rate then the other one.
    fn in_turn(first: &Rate, second: &Rate) -> Option<[Symbolic; 2]> {
        let zero = |level: &Symbolic, slope: &Symbolic| (!slope.is_zero()).then(|| -(level.clone() / slope.clone()));
        for (own, other) in [(first, second), (second, first)] {
            let [a, b, c, d] = own;
            let [e, f, g, h] = other;
            if c.is_zero() && d.is_zero() {
                let u = zero(a, b)?;
                let v = zero(&along(e, f, &u), &along(g, h, &u))?;
                return Some([u, v]);
            }
            if b.is_zero() && d.is_zero() {
                let v = zero(a, c)?;
                let u = zero(&along(e, g, &v), &along(f, h, &v))?;
                return Some([u, v]);
            }
        }
        None
    }

    /// The determinant of the rates by the signs, where they do not decide it one by one.
    fn determinant(first: &Rate, second: &Rate, [u, v]: &[Symbolic; 2]) -> Option<Symbolic> {
        let ([_, b, c, d], [_, f, g, h]) = (first, second);
        let beside = along(c, d, u) * along(f, h, v);
        (!beside.is_zero()).then(|| along(b, d, v) * along(g, h, u) - beside)
    }

    /// The quadratics of the first sign and of the second one.
    fn quadratics([a, b, c, d]: &Rate, [e, f, g, h]: &Rate) -> [Quadratic; 2] {
        let cross =
            |x: &Symbolic, y: &Symbolic, z: &Symbolic, w: &Symbolic| x.clone() * y.clone() - z.clone() * w.clone();
        [
            [
                cross(b, h, d, f),
                cross(a, h, d, e) + cross(g, b, f, c),
                cross(a, g, c, e),
            ],
            [
                cross(g, d, h, c),
                cross(e, d, f, c) + cross(g, b, h, a),
                cross(e, b, f, a),
            ],
        ]
    }

    /// The slope of both quadratics where the determinant is positive, and what is positive where it is real. Where one
    /// of them is linear it is the slope of that one, of either sign.
    fn root(first: &Quadratic, second: &Quadratic) -> Option<(Symbolic, Option<Symbolic>)> {
        if let Some([_, q, _]) = [first, second].into_iter().find(|[p, ..]| p.is_zero()) {
            return (!q.is_zero()).then(|| (q.clone(), None));
        }
        let [p, q, r] = second;
        let number = Symbolic::number;
        let discriminant = q.clone() * q.clone() - number(4.0) * p.clone() * r.clone();
        if let Some(value) = discriminant.value() {
            return (value > 0.0).then(|| (number(value.sqrt()), None));
        }
        // Steps that look beyond the place where it ceases to be real find a number there. Without a condition, as the
        // numbers that the discriminant is made of may be far larger than itself.
        let sqrt = |of: Symbolic| Symbolic::call("sqrt", vec![of]);
        let root = sqrt(sqrt(discriminant.clone() * discriminant.clone()));
        Some((root, Some(discriminant)))
    }

    /// The zero of a quadratic at which its slope s is `root`: both (s - q)/(2 p) and -2 r/(s + q), weighted by the
    /// squares of their denominators, as one that is small loses digits, or is rounding.
    fn zero([p, q, r]: &Quadratic, root: &Symbolic) -> Option<Symbolic> {
        let number = Symbolic::number;
        if p.is_zero() {
            return (!q.is_zero()).then(|| -(r.clone() / q.clone()));
        }
        let (twice, sum) = (number(2.0) * p.clone(), root.clone() + q.clone());
        let above = (root.clone() - q.clone()) * twice.clone() - number(2.0) * r.clone() * sum.clone();
        let zero = above / (twice.clone() * twice + sum.clone() * sum);
        zero.value().is_none_or(f64::is_finite).then_some(zero)
    }
}

/// A line at a place.
fn along(level: &Symbolic, slope: &Symbolic, at: &Symbolic) -> Symbolic {
    level.clone() + slope.clone() * at.clone()
}
