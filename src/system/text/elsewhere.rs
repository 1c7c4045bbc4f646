//! Functions that other languages have and this one has not, with the formula that says the same.

/// How `name(x)`, `name(x, y)` is written here, if it is a function of C, Fortran, Python, MATLAB or of textbooks.
pub(super) fn written_here(name: &str) -> Option<&'static str> {
    let names_of_one = |(names, _): &&(&[&str], _)| names.contains(&name);
    WRITTEN.iter().find(names_of_one).map(|(_, formula)| *formula)
}

/// Names of one function, and its formula.
pub(super) const WRITTEN: &[(&[&str], &str)] = &[
    (&["sgn", "signum"], "sign(x)"),
    (&["fabs", "Abs", "ABS", "dabs"], "abs(x)"),
    (&["arcsin"], "asin(x)"),
    (&["arccos"], "acos(x)"),
    (&["arctan", "arctg", "atg"], "atan(x)"),
    (&["arctan2"], "atan2(y, x)"),
    (&["tg"], "tan(x)"),
    (&["sh"], "sinh(x)"),
    (&["ch"], "cosh(x)"),
    (&["th"], "tanh(x)"),
    (&["sec"], "1/cos(x)"),
    (&["csc", "cosec"], "1/sin(x)"),
    (&["cot", "ctg", "cotan"], "1/tan(x)"),
    (&["sech"], "1/cosh(x)"),
    (&["csch", "cosech"], "1/sinh(x)"),
    (&["coth"], "1/tanh(x)"),
    (&["asinh", "arsinh", "arcsinh"], "ln(x + sqrt(x^2 + 1))"),
    (&["acosh", "arcosh", "arccosh"], "ln(x + sqrt(x^2 - 1))"),
    (&["atanh", "artanh", "arctanh"], "ln((1 + x)/(1 - x))/2"),
    (&["sinc"], "sin(x)/x"),
    (&["pow", "power"], "x^y"),
    (&["sqr", "square"], "x^2"),
    (&["cbrt"], "sign(x)*abs(x)^(1/3)"),
    (&["root", "nthroot"], "x^(1/n)"),
    (&["hypot"], "sqrt(x^2 + y^2)"),
    (&["exp2"], "2^x"),
    (&["expm1"], "exp(x) - 1"),
    (&["log1p"], "ln(1 + x)"),
    (&["log2", "ld"], "ln(x)/ln(2)"),
    (&["lg"], "log10(x)"),
    (&["ceil", "ceiling"], "-floor(-x)"),
    (&["round", "rint"], "floor(x + 1/2)"),
    (&["trunc", "fix", "int"], "sign(x)*floor(abs(x))"),
    (&["fmod", "rem", "modulo"], "mod(x, y)"),
    (&["maximum", "fmax", "amax1"], "max(x, y)"),
    (&["minimum", "fmin", "amin1"], "min(x, y)"),
    (&["H", "step", "unitstep", "ustep", "Heaviside"], "heaviside(x)"),
    (&["relu", "pos", "ramp"], "max(x, 0)"),
    (&["sat"], "min(max(x, -1), 1)"),
    (&["clip", "clamp"], "min(max(x, low), high)"),
    (&["sigmoid", "logistic"], "1/(1 + exp(-x))"),
    (&["where", "ifelse", "ite", "cond", "iff"], "if(condition, a, b)"),
    (&["Piecewise", "cases"], "piecewise(condition, a, b)"),
];
