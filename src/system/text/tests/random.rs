//! Random expressions against an oracle with its own values and symbolic derivatives, and random texts that must not
//! panic.

use super::*;
use proptest::prelude::*;
use slipstick_numerics::scalar::{Second, Third};

/// A random expression with its own value and its own derivative, computed symbolically: the oracle.
#[derive(Clone, Debug)]
enum Tree {
    Number(f64),
    Variable(usize),
    Call(&'static str, Box<Tree>),
    Pair(char, Box<Tree>, Box<Tree>),
    Powi(Box<Tree>, i32),
    If(Box<Tree>, Box<Tree>, Box<Tree>, Box<Tree>),
}
use Tree::{Call, If, Number, Pair, Powi, Variable};

fn pair(op: char, a: Tree, b: Tree) -> Tree {
    Pair(op, Box::new(a), Box::new(b))
}
fn call(f: &'static str, a: Tree) -> Tree {
    Call(f, Box::new(a))
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Number(v) => format!("{v}"),
            Variable(k) => ["x", "y", "theta", "a", "b", "Omega"][*k].into(),
            Call(f, a) => format!("{f}({})", a.text()),
            Pair(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Powi(a, n) => format!("({})^{n}", a.text()),
            If(a, b, c, d) => format!("if({} < {}, {}, {})", a.text(), b.text(), c.text(), d.text()),
        }
    }
    fn value(&self, v: &[f64]) -> f64 {
        match self {
            Number(c) => *c,
            Variable(k) => v[*k],
            Call(f, a) => {
                let a = a.value(v);
                match *f {
                    "sin" => a.sin(),
                    "cos" => a.cos(),
                    "exp" => a.exp(),
                    "ln" => a.ln(),
                    "sqrt" => a.sqrt(),
                    "atan" => a.atan(),
                    "tanh" => a.tanh(),
                    "sinh" => a.sinh(),
                    "cosh" => a.cosh(),
                    "abs" => a.abs(),
                    "sign" if a == 0.0 => 0.0,
                    "sign" => a.signum(),
                    _ => -a,
                }
            }
            Pair(op, a, b) => {
                let (a, b) = (a.value(v), b.value(v));
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => a / b,
                }
            }
            Powi(a, n) => a.value(v).powi(*n),
            If(a, b, c, d) => {
                if a.value(v) < b.value(v) {
                    c.value(v)
                } else {
                    d.value(v)
                }
            }
        }
    }
    /// Is a decision so close that rounding may turn it?
    fn close_call(&self, v: &[f64]) -> bool {
        let near = |a: &Tree, b: f64| !((a.value(v) - b).abs() > 1e-9 * (1.0 + b.abs()));
        match self {
            Number(_) | Variable(_) => false,
            Call(f, a) => (*f == "sign" && near(a, 0.0)) || a.close_call(v),
            Pair(_, a, b) => a.close_call(v) || b.close_call(v),
            Powi(a, _) => a.close_call(v),
            If(a, b, c, d) => near(a, b.value(v)) || [a, b, c, d].iter().any(|t| t.close_call(v)),
        }
    }
    fn derivative(&self, k: usize) -> Tree {
        let d = |t: &Tree| t.derivative(k);
        match self {
            Number(_) => Number(0.0),
            Variable(j) => Number(if *j == k { 1.0 } else { 0.0 }),
            Call(f, a) => {
                let same = (**a).clone();
                let outer = match *f {
                    "sin" => call("cos", same),
                    "cos" => call("-", call("sin", same)),
                    "exp" => self.clone(),
                    "ln" => pair('/', Number(1.0), same),
                    "sqrt" => pair('/', Number(0.5), self.clone()),
                    "atan" => pair('/', Number(1.0), pair('+', Number(1.0), Powi(Box::new(same), 2))),
                    "tanh" => pair('-', Number(1.0), Powi(Box::new(self.clone()), 2)),
                    "sinh" => call("cosh", same),
                    "cosh" => call("sinh", same),
                    "abs" => call("sign", same),
                    "sign" => Number(0.0),
                    _ => Number(-1.0),
                };
                pair('*', outer, d(a))
            }
            Pair(op, a, b) => match op {
                '+' | '-' => pair(*op, d(a), d(b)),
                '*' => pair('+', pair('*', d(a), (**b).clone()), pair('*', (**a).clone(), d(b))),
                _ => pair('/', pair('-', d(a), pair('*', self.clone(), d(b))), (**b).clone()),
            },
            Powi(a, n) => pair('*', pair('*', Number(f64::from(*n)), Powi(a.clone(), n - 1)), d(a)),
            If(a, b, c, e) => If(a.clone(), b.clone(), Box::new(d(c)), Box::new(d(e))),
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (-20..20i32).prop_map(|k| Number(f64::from(k) / 4.0)),
        (0..6usize).prop_map(Variable)
    ];
    leaf.prop_recursive(6, 48, 4, |inner| {
        const FUNCTIONS: &[&str] = &[
            "sin", "cos", "exp", "ln", "sqrt", "atan", "tanh", "sinh", "cosh", "abs", "sign", "-",
        ];
        prop_oneof![
            (prop::sample::select(FUNCTIONS), inner.clone()).prop_map(|(f, a)| call(f, a)),
            (
                prop::sample::select(&['+', '-', '*', '/'][..]),
                inner.clone(),
                inner.clone()
            )
                .prop_map(|(op, a, b)| pair(op, a, b)),
            (inner.clone(), -5..9i32).prop_map(|(a, n)| Powi(Box::new(a), n)),
            (inner.clone(), inner.clone(), inner.clone(), inner).prop_map(|(a, b, c, d)| If(
                Box::new(a),
                Box::new(b),
                Box::new(c),
                Box::new(d)
            )),
        ]
    })
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tapes_compute_what_trees_do_and_their_exact_derivatives(
        tree in trees(),
        v in prop::array::uniform6(-2.0..2.0f64),
    ) {
        let text = tree.text();
        let Ok(expression) = Expression::parse(&text) else { panic!("{text}") };
        // Random trees may divide by a zero written as one: that is a fault, and the only one.
        let tape = match scope().compile(&[&expression]) {
            Ok(tape) => tape,
            Err(fault) => {
                prop_assert_eq!(fault.error.kind, TextErrorKind::DivisionByZero);
                return Ok(());
            }
        };
        let value = tree.value(&v);
        let got = eval(&tape, &v[..3], &v[3..]);
        if !value.is_finite() || value.abs() > 1e6 || tree.close_call(&v) {
            return Ok(());
        }
        prop_assert!(close(got, value, 1e-9), "{text}: {got} {value}");
        let dual: Vec<Gradient> = (0..6).map(|k| Gradient::variable(v[k], k)).collect();
        let gradient = eval(&tape, &dual[..3], &dual[3..]);
        prop_assert!(close(gradient.re, got, 1e-9));
        for k in 0..6 {
            let exact = tree.derivative(k).value(&v);
            if exact.is_finite() && exact.abs() < 1e6 {
                prop_assert!(close(gradient.eps[k], exact, 1e-7), "{text}: {} {exact}", gradient.eps[k]);
            }
        }
    }

    #[test]
    fn formulas_written_down_again_have_the_same_values_and_derivatives(
        tree in trees(),
        v in prop::array::uniform6(-2.0..2.0f64),
    ) {
        let expression = Expression::parse(&tree.text()).unwrap();
        let symbolic = Symbolic::of(&expression);
        let Ok(tape) = scope().compile(&[&expression]) else { return Ok(()) };
        let value = eval(&tape, &v[..3], &v[3..]);
        if !value.is_finite() || value.abs() > 1e6 || tree.close_call(&v) {
            return Ok(());
        }
        let text = symbolic.to_string();
        let again = Expression::parse(&text).unwrap();
        let Ok(tape) = scope().compile(&[&again]) else { panic!("{text}") };
        prop_assert!(close(eval(&tape, &v[..3], &v[3..]), value, 1e-9), "{text}");
        for (k, name) in ["x", "y", "theta", "a", "b", "Omega"].into_iter().enumerate() {
            let exact = tree.derivative(k).value(&v);
            let text = symbolic.derivative(name, &|_| None).to_string();
            let Ok(tape) = scope().compile(&[&Expression::parse(&text).unwrap()]) else { continue };
            let got = eval(&tape, &v[..3], &v[3..]);
            if exact.is_finite() && got.is_finite() && exact.abs() < 1e6 {
                prop_assert!(close(got, exact, 1e-7), "{text}: {got} {exact}");
            }
        }
    }

    #[test]
    fn second_and_third_derivatives_agree_with_differences_of_lower_ones(
        k in 0..4usize,
        x in 0.3..0.9f64,
    ) {
        let text = ["x^5*sin(a*x)/(1 + x^2)", "if(x < 2, exp(-x^2)*x^3, 0)", "atan2(x, 1 + x)*tanh(x)^2", "x^Omega*ln(x + 1)"][k];
        let tape = compiled(text);
        let p = [1.7, 0.4, 2.5];
        let derivatives = |x: f64| {
            let state = [Third::mixed(x, 1.0, 1.0, 1.0), Third::from_f64(0.1), Third::from_f64(0.2)];
            let v = eval(&tape, &state, &p.map(Third::from_f64));
            [v.re.re.re, v.re.re.eps[0], v.re.eps[0].eps[0], v.eps[0].eps[0].eps[0]]
        };
        let h = 1e-4;
        // Fourth-order central differences: error h⁴ f⁽⁵⁾/30, below 1e-12 here, plus rounding of 1e-11.
        let (a, b, c, d) = (derivatives(x - 2.0 * h), derivatives(x - h), derivatives(x + h), derivatives(x + 2.0 * h));
        let exact = derivatives(x);
        for order in 0..3 {
            let difference = (a[order] - 8.0 * b[order] + 8.0 * c[order] - d[order]) / (12.0 * h);
            prop_assert!(close(difference, exact[order + 1], 1e-8), "{text} {order}: {difference} {}", exact[order + 1]);
        }
        let second = eval(&tape, &[Second::mixed(x, 1.0, 1.0), Second::from_f64(0.1), Second::from_f64(0.2)], &p.map(Second::from_f64));
        prop_assert!(close(second.eps[0].eps[0], exact[2], 1e-13));
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}") {
        let _ = Expression::parse(&text).map(|e| scope().compile(&[&e]));
        let _ = Equation::parse(&text, EquationForm::Rate);
        let _ = Equation::parse(&text, EquationForm::Next);
        let _ = scope().define(&text, &text);
    }

    #[test]
    fn no_soup_of_words_makes_it_panic(
        words in prop::collection::vec(
            prop::sample::select(&[
                "x", "y", "θ", "2", "1.5e3", "+", "-", "*", "/", "^", "(", ")", ",", "<", ">=", "==", "!=", "=", "'", "and", "or",
                "not", "if(", "piecewise(", "sin(", "min(", "f(", "f", "0", "1e400", ".", "²", "→", "\"", "pi", "e",
            ][..]),
            0..24,
        ),
        blank in prop::sample::select(&["", " "][..]),
    ) {
        let text = words.join(blank);
        let mut scope = scope();
        let _ = scope.define("f(u)", &text);
        if let Ok(expression) = Expression::parse(&text) {
            match scope.compile(&[&expression]) {
                Ok(tape) => {
                    let _ = eval(&tape, &[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
                }
                Err(fault) => {
                    if fault.place == Source::Expression(0) {
                        prop_assert!(text.get(fault.error.span).is_some());
                    }
                }
            }
        } else if let Err(error) = Expression::parse(&text) {
            prop_assert!(text.get(error.span).is_some());
        }
    }
}
