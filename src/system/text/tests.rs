//! The language as a whole: values, derivatives, faults.
#![allow(clippy::unwrap_used)]

mod elsewhere;
mod random;

use super::*;
use crate::Formula;
use slipstick_numerics::scalar::{Affine, Gradient, Scalar};

/// A scope with states x, y, theta and parameters a, b, Omega.
fn scope() -> Scope {
    let mut scope = Scope::new();
    for name in ["x", "y", "theta"] {
        scope.state(name).unwrap();
    }
    for name in ["a", "b", "Omega"] {
        scope.parameter(name).unwrap();
    }
    scope
}

fn compiled(text: &str) -> Tape {
    scope().compile(&[&Expression::parse(text).unwrap()]).unwrap()
}

fn eval<T: Scalar>(tape: &Tape, x: &[T], p: &[T]) -> T {
    let mut out = [T::zero()];
    tape.eval(x, p, &mut out);
    out[0]
}

/// The value at x = 2, y = -3, theta = 0.5, a = 5, b = 7, Omega = 0.25.
fn value(text: &str) -> f64 {
    eval(&compiled(text), &[2.0, -3.0, 0.5], &[5.0, 7.0, 0.25])
}

fn fault_in(scope: &Scope, text: &str) -> TextError {
    match Expression::parse(text) {
        Err(error) => error,
        Ok(expression) => scope.compile(&[&expression]).unwrap_err().error,
    }
}

/// The fault of a text, with the piece it points at: `piece: message | help`.
fn fault(text: &str) -> String {
    let error = fault_in(&scope(), text);
    let help = error.help().map_or(String::new(), |help| format!(" | {help}"));
    format!("{:?}: {error}{help}", &text[error.span.clone()])
}

#[test]
fn operators_bind_and_group_as_on_paper() {
    assert_eq!(value("1 - 2 - 3"), -4.0);
    assert_eq!(value("12/2/3"), 2.0);
    assert_eq!(value("2^3^2"), 512.0);
    assert_eq!(value("-x^2"), -4.0);
    assert_eq!(value("2^-x"), 0.25);
    assert_eq!(value("x^-2"), 0.25);
    assert_eq!(value("-x*-y"), -6.0);
    assert_eq!(value("1 + 2*x^2/4 - -1"), 4.0);
    assert_eq!(value("(1 + x)*3"), 9.0);
    assert_eq!(value("+x - +y"), 5.0);
    assert_eq!(value("1.5e1 + .5 + 2.e0"), 17.5);
    assert_eq!(value("x·y − 1"), -7.0);
    assert_eq!(value("y^3"), -27.0);
    assert_eq!(value("y^a"), -243.0);
    assert_eq!(value("x^0.5"), 2f64.sqrt());
}

#[test]
fn functions_and_constants_mean_what_they_say() {
    assert_eq!(value("atan2(y, -x)"), (-3.0f64).atan2(-2.0));
    assert_eq!(value("cos(pi)"), -1.0);
    assert_eq!(value("ln(e)"), 1.0);
    assert_eq!(value("log(x)"), 2f64.ln());
    assert_eq!(value("e^theta"), 0.5f64.exp());
    assert!((value("log10(a*20*10)") - 3.0).abs() < 1e-15);
    assert_eq!(value("min(x, y, 1)"), -3.0);
    assert_eq!(value("max(x, y, 1)"), 2.0);
    assert_eq!(value("abs(y) + sign(y) + sign(0)"), 2.0);
    assert_eq!(value("heaviside(y) + heaviside(x) + heaviside(x - 2)"), 1.5);
    assert_eq!(value("mod(y, 2)"), 1.0);
    assert_eq!(
        value("mod(theta + 7*pi, 2*pi) - pi"),
        (0.5 + 7.0 * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
    );
    assert_eq!(value("floor(y/2)"), -2.0);
    assert_eq!(value("tanh(x)"), 2f64.tanh());
    assert!((value("asin(theta) + acos(theta)") - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
}

#[test]
fn conditions_choose() {
    assert_eq!(value("if(x > 1, 10, 20)"), 10.0);
    assert_eq!(value("if(-1 < x < 1, 10, 20)"), 20.0);
    assert_eq!(value("if(x >= 2 and not y > 0, 10, 20)"), 10.0);
    assert_eq!(value("if(x != 2 or y == -3, 10, 20)"), 10.0);
    assert_eq!(value("if(x > 3 or x > 1 and y > 0, 10, 20)"), 20.0);
    assert_eq!(value("piecewise(x < 0, 1, x < 2, 2, x < 3, 3, 4)"), 3.0);
    assert_eq!(value("if(x > 1, if(y > 0, 1, 2), 3) + if(x > 1, 4, y)"), 6.0);
    assert_eq!(value("if(1 < 2, x, sqrt(y))"), 2.0);
}

#[test]
fn a_branch_not_taken_leaves_no_trace() {
    // sqrt(-x) has no value, and neither have its derivatives.
    let tape = compiled("if(x > 0, sqrt(x), sqrt(-x)) + if(y < 0, 0, sqrt(y)*sqrt(x))");
    let x = [
        Gradient::variable(4.0, 0),
        Gradient::variable(-1.0, 1),
        Gradient::constant(0.0),
    ];
    let p = [Gradient::constant(0.0); 3];
    let v = eval(&tape, &x, &p);
    assert_eq!((v.re, v.eps[0], v.eps[1]), (2.0, 0.25, 0.0));
}

#[test]
fn greek_letters_are_the_names_they_spell() {
    assert_eq!(value("Ω*θ"), 0.125);
    let mut greek = Scope::new();
    assert_eq!(greek.parameter("μₛ"), Ok(0));
    assert_eq!(greek.names().collect::<Vec<_>>(), ["mu_s"]);
    let tape = greek.compile(&[&Expression::parse("mu_s + μ_s").unwrap()]).unwrap();
    assert_eq!(eval(&tape, &[], &[1.5]), 3.0);
}

#[test]
fn definitions_may_come_in_any_order_take_arguments_and_be_conditions() {
    let mut scope = scope();
    scope.define("twice", "2*half(r2)").unwrap();
    scope.define("half(u)", "u/2").unwrap();
    scope.define("r2", "x^2 + y^2").unwrap();
    scope.define("weighted(x, w)", "x*w + theta").unwrap();
    scope.define("outside", "r2 > 10").unwrap();
    let tape = |text| scope.compile(&[&Expression::parse(text).unwrap()]).unwrap();
    let value = |text| eval(&tape(text), &[2.0, -3.0, 0.5], &[5.0, 7.0, 0.25]);
    assert_eq!(value("twice"), 13.0);
    assert_eq!(value("weighted(y, a)"), -14.5);
    assert_eq!(value("if(outside, weighted(1, 1), 0)"), 1.5);
    let steps = |text| tape(text).steps();
    assert_eq!(
        steps("r2*r2 + twice"),
        steps("(x*x + y*y)*(y*y + x*x) + 2*((x^2 + y^2)/2)")
    );
}

#[test]
fn what_is_shared_is_computed_once_and_constants_beforehand() {
    // x², y², their sum, its root, the output.
    assert_eq!(compiled("sqrt(x^2 + y^2)").steps(), 5);
    // The root again, its double.
    assert_eq!(compiled("sqrt(x^2 + y^2) + sqrt(y*y + x*x)").steps(), 6);
    assert_eq!(compiled("2*pi/3 + 1").steps(), 2);
    // sine and cosine together, sum, output.
    assert_eq!(compiled("sin(x) + cos(x)").steps(), 3);
    assert_eq!(compiled("x^6 + x^4 + x^2").steps(), 6);
    assert_eq!(compiled("1*x + 0 - 0").steps(), 1);
    assert_eq!(compiled("a*x").parameters(), [0]);
    assert_eq!(compiled("if(1 > 2, a, y)").parameters(), [0usize; 0]);
}

#[test]
fn a_restitution_may_be_called_e_but_pi_stays_pi() {
    let mut scope = Scope::new();
    scope.parameter("e").unwrap();
    let tape = scope.compile(&[&Expression::parse("-e*2").unwrap()]).unwrap();
    assert_eq!(eval(&tape, &[], &[0.8]), -1.6);
    for name in ["pi", "π", "sin", "if", "and", "2x", "x y", "", "x'"] {
        assert!(matches!(
            scope.state(name).unwrap_err().kind,
            TextErrorKind::BadName { .. }
        ));
    }
    assert!(scope.state("e").unwrap_err().to_string().contains("already taken"));
}

#[test]
fn faults_are_pointed_at_with_a_way_out() {
    let all = [
        "",
        "2x",
        "2(x)",
        "(x)(y)",
        "x y",
        "2 sin(x)",
        "a(x + 1)",
        "sin x",
        "sin",
        "sinn(x)",
        "sgima",
        "q",
        "omega",
        "sin(x, y)",
        "if(x > 0, 1)",
        "piecewise(x > 0, 1)",
        "min(x)",
        "(x + 1",
        "x + 1)",
        "sin(x",
        ")",
        "x + ",
        "* x",
        "x ** 2",
        "x²",
        "x = 1",
        "x' + 1",
        "if(x, 1, 2)",
        "(x > 0)*3",
        "not x",
        "1/0",
        "x/(1 - 1)",
        "mod(x, 0)",
        "1e999",
        "x && y",
        "|x|",
        "x; y",
        "x,y",
        "f(,)",
        "sin()",
        "π()",
        "x $ y",
        "atan2(x)",
    ];
    let report: Vec<String> = all.iter().map(|text| format!("{text:20} {}", fault(text))).collect();
    insta::assert_snapshot!(report.join("\n"), @r##"
                         "": the expression is empty
    2x                   "x": `2` and `x` stand side by side without an operator | write `2*x` to multiply
    2(x)                 "(": `2` and `(...)` stand side by side without an operator | write `2*(...)` to multiply
    (x)(y)               "(": `(...)` and `(...)` stand side by side without an operator | write `(...)*(...)` to multiply
    x y                  "y": `x` and `y` stand side by side without an operator | write `x*y` to multiply
    2 sin(x)             "sin": `2` and `sin(...)` stand side by side without an operator | write `2*sin(...)` to multiply
    a(x + 1)             "a(x + 1)": `a` is a parameter, not a function | write `a*(...)` to multiply
    sin x                "sin": the function `sin` needs its arguments | write `sin(...)`
    sin                  "sin": the function `sin` needs its arguments | write `sin(...)`
    sinn(x)              "sinn(x)": unknown function `sinn` | did you mean `sin`?
    sgima                "sgima": unknown name `sgima` | known here: x, y, theta, a, b, Omega
    q                    "q": unknown name `q` | known here: x, y, theta, a, b, Omega
    omega                "omega": unknown name `omega` | did you mean `Omega`?
    sin(x, y)            "sin(x, y)": `sin` takes 1 argument, 2 given
    if(x > 0, 1)         "if(x > 0, 1)": `if` takes 3 arguments: a condition, the value if it holds, the value if not, 2 given
    piecewise(x > 0, 1)  "piecewise(x > 0, 1)": `piecewise` takes an odd number of arguments: condition, value, condition, value, ..., the value otherwise, 2 given
    min(x)               "min(x)": `min` takes 2 or more arguments, 1 given
    (x + 1               "(": this `(` is never closed
    x + 1)               ")": this `)` closes nothing
    sin(x                "(": this `(` is never closed
    )                    ")": this `)` closes nothing
    x +                  "": found the end, expected a number, a name or `(`
    * x                  "*": found `*`, expected a number, a name or `(`
    x ** 2               "**": unexpected character `*` | powers are written `^`
    x²                   "²": unexpected character `²` | write `^2`
    x = 1                "=": unexpected character `=` | a comparison is written `==`, and an equation has one `=`
    x' + 1               "'": unexpected character `'` | derivatives stand on the left of an equation only: write out the right-hand side meant
    if(x, 1, 2)          "x": a condition is needed here, and this is a number | compare it with something, for instance `> 0`
    (x > 0)*3            "(x > 0)": a number is needed here, and this is a condition | turn the condition into a number with `if(condition, 1, 0)`
    not x                "x": a condition is needed here, and this is a number | compare it with something, for instance `> 0`
    1/0                  "0": division by zero
    x/(1 - 1)            "(1 - 1)": division by zero
    mod(x, 0)            "0": division by zero
    1e999                "1e999": `1e999` is not a finite number
    x && y               "&&": unexpected character `&` | write `and`
    |x|                  "|": unexpected character `|` | write `abs(...)` for an absolute value, `or` between conditions
    x; y                 ";": unexpected character `;` | arguments are separated by commas
    x,y                  ",": found `,`, expected an operator or the end
    f(,)                 ",": found `,`, expected a number, a name or `(`
    sin()                "sin()": `sin` takes 1 argument, 0 given
    π()                  "π()": `pi` is a constant, not a function | write `pi*(...)` to multiply
    x $ y                "$": unexpected character `$`
    atan2(x)             "atan2(x)": `atan2` takes 2 arguments, 1 given
    "##);
}

#[test]
fn faults_in_definitions_name_the_definition() {
    let mut scope = scope();
    scope.define("first", "second + 1").unwrap();
    scope.define("second", "x + third(2)").unwrap();
    scope.define("third(u)", "first*u").unwrap();
    scope.define("wrong", "x + zz").unwrap();
    let fault = |text: &str| scope.compile(&[&Expression::parse(text).unwrap()]).unwrap_err();
    let circular = fault("1 + first");
    assert_eq!(
        circular.to_string(),
        "`first` is defined in terms of itself: first -> second -> third -> first"
    );
    assert_eq!(circular.place, Source::Definition("third".into()));
    let unknown = fault("x + wrong");
    assert_eq!(
        (unknown.place, unknown.error.span),
        (Source::Definition("wrong".into()), 4..6)
    );
    assert_eq!(fault("third").to_string(), "the function `third` needs its arguments");
    assert_eq!(fault("third(1, 2)").to_string(), "`third` takes 1 argument, 2 given");
    assert_eq!(
        fault("wrong(1)").to_string(),
        "`wrong` is a definition without arguments, not a function"
    );
}

#[test]
fn nothing_deep_or_long_overflows() {
    let deep = "(".repeat(100_000);
    assert!(matches!(
        Expression::parse(&deep).unwrap_err().kind,
        TextErrorKind::TooDeep { .. }
    ));
    for prefix in ["-", "not ", "2^", "sin(", "x + (", "if(x > 0, "] {
        assert!(matches!(
            Expression::parse(&prefix.repeat(50_000)).unwrap_err().kind,
            TextErrorKind::TooDeep { .. }
        ));
    }
    let sum = format!("x{}", " + x*y".repeat(20_000));
    assert_eq!(value(&sum), 2.0 - 6.0 * 20_000.0);
    let all = format!("if(x > 0{}, 1, 0)", " and x > 0".repeat(5_000));
    assert_eq!(value(&all), 1.0);
    let mut scope = scope();
    scope.define("f0(u)", "u + 1").unwrap();
    for k in 1..40 {
        scope
            .define(&format!("f{k}(u)"), &format!("f{}(u*2) + f{}(u*3)", k - 1, k - 1))
            .unwrap();
    }
    let long = scope.compile(&[&Expression::parse("f39(x)").unwrap()]).unwrap_err();
    assert!(matches!(long.error.kind, TextErrorKind::TooLong { .. }));
}

#[test]
fn many_live_values_spill_without_changing_the_result() {
    // Every one of the values is used twice, late: all are alive at once.
    let values: Vec<String> = (0..150).map(|k| format!("sin(x + {k})")).collect();
    let product: Vec<String> = (0..150)
        .map(|k| format!("sin(x + {k})*sin(x + {})", (7 * k + 3) % 150))
        .collect();
    let tape = compiled(&format!("({})*({})", values.join(" + "), product.join(" + ")));
    let x = 0.3;
    let s = |k: i32| (x + f64::from(k)).sin();
    let sum: f64 = (0..150).map(s).sum();
    let products: f64 = (0..150).map(|k| s(k) * s((7 * k + 3) % 150)).sum();
    let got = eval(&tape, &[x, 0.0, 0.0], &[0.0; 3]);
    assert!((got - sum * products).abs() < 1e-12 * products.abs());
    assert!(tape.registers > 128, "{}", tape.registers);
}

#[test]
fn linear_fields_are_recognised_through_the_text() {
    let x = [Affine::basis(0, 0), Affine::basis(1, 0), Affine::angle(2, 0)];
    let p = [2.0, -1.0, 0.5].map(Affine::<f64>::constant);
    let row = |text: &str| eval(&compiled(text), &x, &p);
    let r = row("-Omega^2*x - sin(theta + a) + if(a > b, 3, x^2) - y/b");
    assert!(r.exact);
    assert_eq!((r.terms[0], r.terms[1], r.constant), (-0.25, 1.0, 3.0));
    assert!((r.terms[2] + 2f64.cos()).abs() < 1e-15 && (r.terms[3] + 2f64.sin()).abs() < 1e-15);
    for text in [
        "x*y",
        "x^2",
        "if(x > 0, x, y)",
        "abs(x)",
        "sign(y)",
        "max(x, y)",
        "sin(2*theta)",
        "x/y",
        "mod(x, 2)",
    ] {
        assert!(!row(text).exact, "{text}");
    }
}

#[test]
fn the_time_of_a_forcing_is_its_phase_again() {
    let mut scope = Scope::new();
    let phase = scope.state("phase").unwrap();
    scope.parameter("omega").unwrap();
    scope.parameter("T").unwrap();
    scope.clock(phase);
    scope.define("t", "phase*(2*pi/omega)/(2*pi)").unwrap();
    scope.define("s", "phase*T/(2*pi)").unwrap();
    let steps = |text| scope.compile(&[&Expression::parse(text).unwrap()]).unwrap().steps();
    assert_eq!(steps("cos(omega*t)"), 2);
    assert_eq!(steps("cos(t*omega + 1)"), 3);
    assert_eq!(steps("cos(2*pi*s/T)"), 2);
    let tape = scope
        .compile(&[&Expression::parse("sin(3*omega*t) + t^2").unwrap()])
        .unwrap();
    let (phase, omega) = (1.3f64, 0.7);
    let got = eval(&tape, &[phase], &[omega, 1.0]);
    assert!((got - (3.0 * phase).sin() - (phase / omega).powi(2)).abs() < 1e-14);
}

#[test]
fn conditions_become_margins() {
    let margins = |text: &str| scope().margins(&Expression::parse(text).unwrap());
    let found = margins("-a < x < b and (y > 1 or not x >= 1)").unwrap();
    let names: Vec<&str> = found.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["-a < x", "x < b", "(y > 1 or not x >= 1)"]);
    let at = |x: f64, y: f64| {
        found
            .iter()
            .map(|m| eval(&m.tape, &[x, y, 0.0], &[2.0, 3.0, 0.0]))
            .collect::<Vec<_>>()
    };
    assert_eq!(at(0.5, -4.0), [2.5, 2.5, 0.5]);
    assert_eq!(at(2.0, 4.0), [4.0, 1.0, 3.0]);
    let kind = |text| margins(text).unwrap_err().error.kind;
    assert_eq!(kind("x == 1"), TextErrorKind::NotAnInequality);
    assert_eq!(kind("x > 0 and y"), TextErrorKind::NotACondition);
}

#[test]
fn what_first_stops_being_finite_is_found() {
    let scope = scope();
    let text = Expression::parse("if(y > 0, ln(y), 3) + a/(x - 2)*sin(theta)").unwrap();
    let at = |x, y| {
        scope
            .first_not_finite(&[&text], &[x, y, 0.0], &[1.0, 1.0, 1.0])
            .unwrap()
    };
    assert_eq!(at(2.0, -1.0), Some((Source::Expression(0), 22..31)));
    assert_eq!(at(1.0, -1.0), None);
}

proptest::proptest! {
    #[test]
    fn the_edge_of_a_domain_is_named_only_where_the_argument_can_vanish_nearby(
        power in 3.0..6.0f64,
        apart in -0.3..0.3f64,
        above in 0.5..2.0f64,
        small in 1e-12..1e-9f64,
    ) {
        let size = 10f64.powf(power);
        let edge = |text: &str, x: f64, y: f64, a: f64| {
            let tape = scope().compile_piecewise(&[&Expression::parse(text).unwrap()]).unwrap();
            let (x, p) = ([x, y, 0.0], [a, 1.0, 1.0]);
            let corners = Formula::corners(&tape).unwrap();
            let sizes = [x[0].abs(), x[1].abs(), 1.0];
            corners.edges_near(&x, &p, &sizes, 1e-4).next().map(|k| corners.describe(k))
        };
        // The numbers are far larger than the argument, which nevertheless never comes near to zero.
        proptest::prop_assert_eq!(edge("sqrt((x - y)^2 + a)", size, size + apart, above), None);
        // Next to the edge, by a state, by a parameter, and on it.
        for (text, x, y, a) in [
            ("sqrt(x - y)", size * (1.0 + small), size, 0.0),
            ("log(a - x^2)", 1.0, 0.0, 1.0 + small),
            ("acos(x)", 1.0 - small, 0.0, 0.0),
            ("sqrt(x)", 0.0, 0.0, 0.0),
        ] {
            let named = edge(text, x, y, a);
            proptest::prop_assert!(named.as_ref().is_some_and(|words| words.contains("edge of the domain")), "{} {:?}", text, named);
        }
    }
}

#[test]
fn formulas_are_differentiated_through_all_functions_and_definitions() {
    let mut scope = scope();
    let definitions = [
        ("cube(u)", "u^3 + b*shift"),
        ("shift", "x*y - theta"),
        ("mixed(x, u)", "x*cube(u) - y"),
    ];
    for (head, body) in definitions {
        scope.define(head, body).unwrap();
    }
    let known = |name: &str| {
        let (head, body) = definitions
            .iter()
            .find(|(head, _)| head.split('(').next() == Some(name))?;
        let arguments = head.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
        let arguments = arguments
            .split(", ")
            .filter(|a| !a.is_empty())
            .map(str::to_owned)
            .collect();
        Some((arguments, Symbolic::parse(body).unwrap()))
    };
    let state = [
        Gradient::variable(0.4, 0),
        Gradient::variable(-0.3, 1),
        Gradient::variable(0.7, 2),
    ];
    let p = [5.0, 7.0, 0.25].map(Gradient::from_f64);
    for text in [
        "tan(x) + asin(x*y) - acos(theta/2)",
        "log10(a + x) + log(theta)*ln(theta)",
        "atan2(y, x)*mod(x + 3*y, theta)",
        "min(x, y, theta)*max(x^2, y^2, theta^2)",
        "piecewise(x > 1, x, y < 0 and not theta < 0, x*y*theta, theta)",
        "heaviside(x)*x + sign(y)*theta + floor(theta)",
        "theta^x + x^-2 - (1 - theta)^2 - (x - (y - theta))",
        "cube(x) - cube(2*theta)/shift",
        "mixed(theta, shift) + mixed(y, mixed(x, x))",
        "-(-x^2)^3*-y/-(theta - x)",
    ] {
        let expression = Expression::parse(text).unwrap();
        let exact = eval(&scope.compile(&[&expression]).unwrap(), &state, &p);
        let symbolic = Symbolic::of(&expression);
        for (k, name) in ["x", "y", "theta"].into_iter().enumerate() {
            for formula in [
                symbolic.derivative(name, &known),
                symbolic.written_out(&known).derivative(name, &|_| None),
            ] {
                let formula = formula.to_string();
                let slope = eval(
                    &scope.compile(&[&Expression::parse(&formula).unwrap()]).unwrap(),
                    &state,
                    &p,
                );
                let difference = (slope.re - exact.eps[k]).abs();
                assert!(
                    difference < 1e-12 * (1.0 + exact.eps[k].abs()),
                    "{text} by {name}: {formula}"
                );
            }
        }
    }
}

#[test]
fn a_function_over_its_size_is_its_sign() {
    for (text, wanted) in [
        ("x/abs(x)", 1.0),
        ("abs(x)/x", 1.0),
        ("y/abs(y)", -1.0),
        ("a*(x - 3)/abs(x - 3)", -5.0),
        ("x/abs(2*x)", 0.5),
        ("abs(y)/(4*y)", -0.25),
    ] {
        assert_eq!(value(text), wanted, "{text}");
    }
    // It has a value where the function vanishes: that of the sign.
    assert_eq!((value("(x - 2)/abs(x - 2)"), value("sign(x - 2)")), (0.0, 0.0));
    assert_eq!(value("abs(x - 2)/(x - 2)"), 0.0);
    // A power that is another one has none.
    assert!(!value("(x - 2)/abs(x - 2)^2").is_finite());
}

#[test]
fn quotients_that_vanish_together_are_smooth() {
    let at = |text: &str, x: f64| {
        let [x, y, theta] = [
            Gradient::variable(x, 0),
            Gradient::constant(-3.0),
            Gradient::constant(0.5),
        ];
        let q: Gradient = eval(
            &compiled(text),
            &[x, y, theta],
            &[5.0, 7.0, 0.25].map(Gradient::constant),
        );
        (q.re, q.eps[0])
    };
    // The value and the slope at the place.
    for (text, x, value, slope) in [
        ("x/(exp(x) - 1)", 0.0, 1.0, -0.5),
        ("0.01*(10-x)/(exp((10-x)/10) - 1)", 10.0, 0.1, 0.005),
        ("0.1*(x + 40)/(1 - exp(-(x + 40)/10))", -40.0, 1.0, 0.05),
        ("0.1*(25 - x)/(exp(2.5 - 0.1*x) - 1)", 25.0, 1.0, 0.05),
        ("(x - a)/(exp((x - a)/b) - 1)", 5.0, 7.0, -0.5),
        (
            "y*a*(a - x)*cosh(x)/(b*(1 - exp((x - a)/b)))",
            5.0,
            -15.0 * 5f64.cosh(),
            f64::NAN,
        ),
        ("(exp(a*x) - 1)/(2*x)", 0.0, 2.5, 6.25),
        ("sin(b*x)/x", 0.0, 7.0, 0.0),
        ("(x - 1)/tanh(2*(x - 1))", 1.0, 0.5, 0.0),
        ("(2*x - 2)/sinh(1 - x)", 1.0, -2.0, 0.0),
    ] {
        let (v, s) = at(text, x);
        assert!((v - value).abs() <= 1e-13 * value.abs(), "{text}: {v}");
        assert!(slope.is_nan() || (s - slope).abs() <= 1e-13, "{text}: {s}");
        // And it is the quotient elsewhere.
        let (near, _) = at(text, x + 1e-3);
        assert!((near - value).abs() <= 0.02 * value.abs(), "{text}: {near}");
    }
    // Poles stay what they are.
    for (text, x) in [
        ("1/(exp(x) - 1)", 0.0),
        ("x/(exp(x - 1) - 1)", 1.0),
        ("(x + 1)/(exp(x) - 1)", 0.0),
        ("(x - 1)/sin(x - 1.1)", 1.1),
    ] {
        assert!(at(text, x).0.is_infinite(), "{text}");
    }
}
