//! Functions of other languages: the message has a formula that is their value.

use super::super::Scope;
use super::*;

/// Of each function a name, how many arguments it takes, and its value.
type Known = (&'static str, usize, fn(f64, f64) -> f64);

const KNOWN: &[Known] = &[
    ("sgn", 1, |x, _| x.signum()),
    ("fabs", 1, |x, _| x.abs()),
    ("arcsin", 1, |x, _| x.asin()),
    ("arccos", 1, |x, _| x.acos()),
    ("arctan", 1, |x, _| x.atan()),
    ("arctan2", 2, |y, x| y.atan2(x)),
    ("tg", 1, |x, _| x.tan()),
    ("sh", 1, |x, _| x.sinh()),
    ("ch", 1, |x, _| x.cosh()),
    ("th", 1, |x, _| x.tanh()),
    ("sec", 1, |x, _| x.cos().recip()),
    ("csc", 1, |x, _| x.sin().recip()),
    ("cot", 1, |x, _| x.tan().recip()),
    ("sech", 1, |x, _| x.cosh().recip()),
    ("csch", 1, |x, _| x.sinh().recip()),
    ("coth", 1, |x, _| x.tanh().recip()),
    ("asinh", 1, |x, _| x.asinh()),
    ("arcosh", 1, |x, _| x.acosh()),
    ("atanh", 1, |x, _| x.atanh()),
    ("sinc", 1, |x, _| x.sin() / x),
    ("pow", 2, f64::powf),
    ("sqr", 1, |x, _| x * x),
    ("cbrt", 1, |x, _| x.cbrt()),
    ("hypot", 2, f64::hypot),
    ("exp2", 1, |x, _| x.exp2()),
    ("expm1", 1, |x, _| x.exp_m1()),
    ("log1p", 1, |x, _| x.ln_1p()),
    ("log2", 1, |x, _| x.log2()),
    ("lg", 1, |x, _| x.log10()),
    ("ceil", 1, |x, _| x.ceil()),
    ("round", 1, |x, _| x.round()),
    ("trunc", 1, |x, _| x.trunc()),
    ("fmod", 2, f64::rem_euclid),
    ("fmax", 2, f64::max),
    ("fmin", 2, f64::min),
    ("H", 1, |x, _| if x > 0.0 { 1.0 } else { 0.0 }),
    ("relu", 1, |x, _| x.max(0.0)),
    ("sat", 1, |x, _| x.clamp(-1.0, 1.0)),
    ("sigmoid", 1, |x, _| 1.0 / (1.0 + (-x).exp())),
];

fn states(names: &[&str]) -> Scope {
    let mut scope = Scope::new();
    for name in names {
        scope.state(name).unwrap();
    }
    scope
}

/// What the message about an unknown function says to write.
fn written(call: &str) -> String {
    let help = fault_in(&scope(), call).help().unwrap();
    help.strip_prefix("write `")
        .and_then(|help| help.strip_suffix('`'))
        .unwrap_or_else(|| panic!("{call}: {help}"))
        .to_owned()
}

#[test]
fn what_they_are_written_with_has_their_values() {
    for &(name, arguments, function) in KNOWN {
        let formula = written(&format!("{name}({})", ["x", "x, y"][arguments - 1]));
        let tape = states(&["x", "y"])
            .compile(&[&Expression::parse(&formula).unwrap()])
            .unwrap();
        // `atan2` alone has y first.
        let at = |x: f64, y: f64| match name {
            "arctan2" => eval(&tape, &[y, x], &[]),
            _ => eval(&tape, &[x, y], &[]),
        };
        let mut compared = 0;
        for (x, y) in [
            (0.3, 1.7),
            (-0.45, 0.6),
            (0.9, 2.0),
            (1.2, 0.4),
            (3.6, 1.1),
            (-2.7, 3.0),
        ] {
            let expected = function(x, y);
            if expected.is_finite() {
                let found = at(x, y);
                let close = (found - expected).abs() <= 1e-13 * (1.0 + expected.abs());
                assert!(close, "{name}({x}, {y}) = {expected}, and {formula} = {found}");
                compared += 1;
            }
        }
        assert!(compared >= 2, "{name}");
    }
}

#[test]
fn all_of_them_are_formulas_of_the_language() {
    for (names, formula) in super::super::elsewhere::WRITTEN {
        let text = formula.replace("condition", "x > y");
        let scope = states(&["x", "y", "n", "a", "b", "low", "high"]);
        assert!(scope.compile(&[&Expression::parse(&text).unwrap()]).is_ok(), "{text}");
        for name in *names {
            assert_eq!(&written(&format!("{name}(x)")), formula);
        }
    }
}

#[test]
fn a_definition_with_nearly_this_name_comes_first() {
    let mut scope = scope();
    scope.define("step1(u)", "u").unwrap();
    let help = |call: &str| fault_in(&scope, call).help().unwrap();
    assert_eq!(help("step(x)"), "did you mean `step1`?");
    assert_eq!(help("sgn(x)"), "write `sign(x)`");
}
