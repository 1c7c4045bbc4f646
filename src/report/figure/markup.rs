//! Labels: plain words and a small part of TeX's mathematics, parsed into letters, scripts and accents.
//!
//! `\Omega^2 x_{max}`, `\max|x|`, `\hat y`, `\log_{10}|\nu_1|`. Variables are italic; digits, capital Greek, function
//! names and scripts of several letters (`x_{max}`) are upright. In a mixed text mathematics stands between dollars:
//! `phase $\theta_0$ of slip`.

use super::font;

/// How letters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// Digits, words, function names, capital Greek.
    Upright,
    /// Variables.
    Italic,
}

/// A parsed label.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Label {
    /// The label as LaTeX source.
    pub(super) tex: String,
    /// Its parts from left to right.
    pub(super) atoms: Vec<Atom>,
}

/// A part of a label.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// Letters of one face.
    Run(Face, String),
    /// Scripts to what came before.
    Scripts {
        /// Raised.
        above: Vec<Atom>,
        /// Lowered.
        below: Vec<Atom>,
    },
    /// An accent over what follows.
    Accent(char, Vec<Atom>),
    /// White space in em.
    Space(f64),
}

/// What is wrong with a label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LabelError {
    /// Mathematics begins with a dollar and does not end.
    #[error("`{label}`: a closing `$` is missing")]
    Dollar { label: String },
    /// Its mathematics cannot be read.
    #[error("label `{label}`: {fault}")]
    Mathematics {
        label: String,
        #[source]
        fault: MathFault,
    },
}

/// What is wrong with mathematics in a label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MathFault {
    #[error("a closing `}}` is missing")]
    Unclosed,
    #[error("`}}` closes nothing")]
    ClosesNothing,
    #[error("something is missing at the end")]
    Ends,
    #[error("a script is missing at the end")]
    NoScript,
    #[error("two `{sign}` to the same letter")]
    TwoScripts { sign: char },
    #[error("`\\{command}` needs its words in braces")]
    WithoutBraces { command: String },
    #[error(
        "`\\{command}` is not known; there are Greek letters, functions ({}), accents ({}), \\text{{…}} and common signs",
        FUNCTIONS.join(", "),
        ACCENTS.map(|(name, _)| name).join(", ")
    )]
    UnknownCommand { command: String },
}

/// White space around relations (=, <), around operators (+, −) and the thin space, in em, as in TeX.
const RELATION: f64 = 0.27;
const OPERATOR: f64 = 0.2;
const THIN: f64 = 0.16;

const FUNCTIONS: [&str; 14] = [
    "max", "min", "log", "ln", "exp", "sin", "cos", "tan", "arg", "det", "Re", "Im", "sup", "inf",
];

const ACCENTS: [(&str, char); 5] = [("hat", 'ˆ'), ("dot", '˙'), ("ddot", '¨'), ("bar", '¯'), ("tilde", '˜')];

const SYMBOLS: [(&str, &str); 63] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("varepsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "φ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Upsilon", "Υ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("infty", "∞"),
    ("partial", "∂"),
    ("prime", "′"),
    ("circ", "∘"),
    ("ast", "∗"),
    ("ldots", "…"),
    ("pm", "±"),
    ("mp", "∓"),
    ("times", "×"),
    ("cdot", "⋅"),
    ("le", "≤"),
    ("leq", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("approx", "≈"),
    ("sim", "∼"),
    ("ll", "≪"),
    ("gg", "≫"),
    ("equiv", "≡"),
    ("propto", "∝"),
    ("to", "→"),
    ("in", "∈"),
    ("{", "{"),
    ("}", "}"),
    ("%", "%"),
];

const RELATIONS: &str = "=<>≤≥≠≈∼≪≫≡∝→∈";
const OPERATORS: &str = "+−-±∓×⋅∗";

/// What `\name` stands for if it is a letter or sign: Greek and mathematical.
pub(super) fn symbol(name: &str) -> Option<&'static str> {
    SYMBOLS.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign)
}

/// Whether `\name` is a function set upright.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

impl Label {
    /// Words, set upright as they stand.
    pub(super) fn plain(text: &str) -> Self {
        let mut tex = String::new();
        for letter in text.chars() {
            match letter {
                '\\' => tex.push_str("\\textbackslash{}"),
                '{' | '}' | '_' | '#' | '%' | '&' | '$' => tex.extend(['\\', letter]),
                '^' | '~' => tex.extend(['\\', letter, '{', '}']),
                '<' | '>' | '|' => tex.extend(['$', letter, '$']),
                '\u{2212}' => tex.push_str("$-$"),
                _ => tex.push(letter),
            }
        }
        Self {
            tex,
            atoms: vec![Atom::Run(Face::Upright, text.to_owned())],
        }
    }

    /// Mathematics.
    ///
    /// # Errors
    /// [`LabelError`].
    pub(super) fn math(source: &str) -> Result<Self, LabelError> {
        let mut parser = Parser {
            rest: source,
            source,
            words: vec![],
        };
        let atoms = parser.row(false, false)?;
        let mut tex = String::from("$");
        let mut written = 0;
        for &(from, to) in &parser.words {
            tex.push_str(&source[written..from]);
            // TeX sets letters as single variables, and takes only the first without braces.
            let alone = source[..from].ends_with('{') && source[to..].starts_with('}');
            let (open, close) = if alone { ("", "") } else { ("{", "}") };
            tex.push_str(&format!("{open}\\mathrm{{{}}}{close}", &source[from..to]));
            written = to;
        }
        tex.push_str(&source[written..]);
        tex.push('$');
        Ok(Self { tex, atoms })
    }

    /// A label as people write it: with dollars a mixed text, with `\`, `_` or `^` or as a single letter mathematics,
    /// else words.
    ///
    /// # Errors
    /// [`LabelError`].
    pub(super) fn parse(text: &str) -> Result<Self, LabelError> {
        if text.contains('$') {
            let mut label = Self::default();
            for (at, part) in text.split('$').enumerate() {
                label.append(if at % 2 == 1 {
                    Self::math(part)?
                } else {
                    Self::plain(part)
                });
            }
            return match text.matches('$').count() % 2 {
                0 => Ok(label),
                _ => Err(LabelError::Dollar { label: text.to_owned() }),
            };
        }
        let single_letter = text.chars().count() == 1 && text.chars().all(char::is_alphabetic);
        if single_letter || text.contains(['\\', '_', '^']) {
            Self::math(text)
        } else {
            Ok(Self::plain(text))
        }
    }

    /// The label as one would type it.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        type_out(&self.atoms, &mut words);
        words
    }

    /// Put another label behind this one.
    pub(super) fn append(&mut self, other: Self) {
        self.tex.push_str(&other.tex);
        self.atoms.extend(other.atoms);
    }
}

/// The sign that mathematics has for what is typed.
fn typeset_sign(typed: char) -> char {
    match typed {
        '-' => '−',
        '\'' => '′',
        '*' => '∗',
        other => other,
    }
}

struct Parser<'a> {
    source: &'a str,
    rest: &'a str,
    /// Where words stand in scripts: upright, not a product of variables.
    words: Vec<(usize, usize)>,
}

impl Parser<'_> {
    /// Atoms up to the end, or up to the closing brace. `script`: no white space around signs, words upright.
    fn row(&mut self, braced: bool, script: bool) -> Result<Vec<Atom>, LabelError> {
        let mut atoms = Vec::new();
        loop {
            let Some(next) = self.rest.chars().next() else {
                return if braced {
                    Err(self.wrong(MathFault::Unclosed))
                } else {
                    Ok(atoms)
                };
            };
            match next {
                '}' if braced => {
                    self.skip(next);
                    return Ok(atoms);
                }
                '}' => return Err(self.wrong(MathFault::ClosesNothing)),
                ' ' => self.skip(next),
                '_' | '^' => self.scripts(&mut atoms)?,
                _ => {
                    let part = self.part(script)?;
                    space_out(&mut atoms, part, script);
                }
            }
        }
    }

    /// One letter, number, command or braced group.
    fn part(&mut self, script: bool) -> Result<Vec<Atom>, LabelError> {
        let Some(next) = self.rest.chars().next() else {
            return Err(self.wrong(MathFault::Ends));
        };
        if next == '\\' {
            return self.command(script);
        }
        if next == '{' {
            self.skip(next);
            return self.row(true, script);
        }
        if script && next.is_alphabetic() {
            let from = self.source.len() - self.rest.len();
            let word = self.take_while(char::is_alphabetic);
            let face = if word.chars().count() > 1 {
                self.words.push((from, from + word.len()));
                Face::Upright
            } else {
                letter_face(&word)
            };
            return Ok(vec![Atom::Run(face, word)]);
        }
        if next.is_ascii_digit() {
            let number = self.take_while(|c| c.is_ascii_digit() || c == '.');
            return Ok(vec![Atom::Run(Face::Upright, number)]);
        }
        self.skip(next);
        let sign = typeset_sign(next).to_string();
        Ok(vec![Atom::Run(letter_face(&sign), sign)])
    }

    /// `\name`, with its argument where it takes one.
    fn command(&mut self, script: bool) -> Result<Vec<Atom>, LabelError> {
        self.skip('\\');
        let mut name = self.take_while(|c| c.is_ascii_alphabetic());
        if name.is_empty()
            && let Some(sign) = self.rest.chars().next()
        {
            self.skip(sign);
            name.push(sign);
        }
        if let Some(sign) = symbol(&name) {
            return Ok(vec![Atom::Run(letter_face(sign), sign.to_owned())]);
        }
        if is_function(&name) {
            return Ok(vec![Atom::Run(Face::Upright, name)]);
        }
        if let Some((_, accent)) = ACCENTS.iter().find(|(known, _)| *known == name) {
            self.take_while(|c| c == ' ');
            return Ok(vec![Atom::Accent(*accent, self.part(script)?)]);
        }
        match name.as_str() {
            "text" | "mathrm" => {
                self.take_while(|c| c == ' ');
                let inside = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let Some((words, rest)) = inside else {
                    return Err(self.wrong(MathFault::WithoutBraces { command: name }));
                };
                self.rest = rest;
                Ok(vec![Atom::Run(Face::Upright, words.to_owned())])
            }
            "," => Ok(vec![Atom::Space(THIN)]),
            ";" => Ok(vec![Atom::Space(RELATION)]),
            " " => Ok(vec![Atom::Space(0.25)]),
            "quad" => Ok(vec![Atom::Space(1.0)]),
            _ => Err(self.wrong(MathFault::UnknownCommand { command: name })),
        }
    }

    fn scripts(&mut self, atoms: &mut Vec<Atom>) -> Result<(), LabelError> {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        while let Some(next @ ('_' | '^')) = self.rest.chars().next() {
            self.skip(next);
            self.take_while(|c| c == ' ');
            let script = if next == '^' { &mut above } else { &mut below };
            if !script.is_empty() {
                return Err(self.wrong(MathFault::TwoScripts { sign: next }));
            }
            *script = if self.rest.starts_with('{') || self.rest.starts_with('\\') {
                self.part(true)?
            } else {
                let letter = self
                    .rest
                    .chars()
                    .next()
                    .ok_or_else(|| self.wrong(MathFault::NoScript))?;
                self.skip(letter);
                let sign = typeset_sign(letter).to_string();
                vec![Atom::Run(letter_face(&sign), sign)]
            };
        }
        atoms.push(Atom::Scripts { above, below });
        Ok(())
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    fn skip(&mut self, letter: char) {
        self.rest = self.rest.strip_prefix(letter).unwrap_or(self.rest);
    }

    fn wrong(&self, fault: MathFault) -> LabelError {
        LabelError::Mathematics {
            label: self.source.to_owned(),
            fault,
        }
    }
}

/// Append a part with the white space that belongs around relations, operators, commas and function names.
fn space_out(atoms: &mut Vec<Atom>, part: Vec<Atom>, script: bool) {
    let sign = match part.as_slice() {
        [Atom::Run(_, text)] => text.as_str(),
        _ => "",
    };
    // A minus in front (−1, |−x) is a sign, not an operator.
    let after_operand = atoms.last().is_some_and(|last| match last {
        Atom::Run(_, text) => !text.ends_with(['(', '|', '[', ',']),
        Atom::Space(_) => false,
        _ => true,
    });
    let mut letters = sign.chars();
    let alone = letters.next().filter(|_| !script && letters.next().is_none());
    let space = match alone {
        Some(first) if RELATIONS.contains(first) => RELATION,
        Some(first) if OPERATORS.contains(first) && after_operand => OPERATOR,
        _ => 0.0,
    };
    let after_function = matches!(atoms.last(), Some(Atom::Run(Face::Upright, name)) if is_function(name));
    if space > 0.0 {
        atoms.push(Atom::Space(space));
    } else if after_function && !script && !sign.starts_with('(') {
        atoms.push(Atom::Space(THIN));
    }
    let comma = sign == ",";
    atoms.extend(part);
    if space > 0.0 {
        atoms.push(Atom::Space(space));
    } else if comma {
        atoms.push(Atom::Space(THIN));
    }
}

/// Letters as one would type them: scripts behind `^` and `_`, accents behind their letter.
fn type_out(atoms: &[Atom], words: &mut String) {
    for atom in atoms {
        match atom {
            Atom::Run(_, text) => words.push_str(text),
            Atom::Scripts { above, below } => {
                for (sign, script) in [('_', below), ('^', above)] {
                    if !script.is_empty() {
                        words.push(sign);
                        type_out(script, words);
                    }
                }
            }
            Atom::Accent(accent, over) => {
                type_out(over, words);
                words.push(*accent);
            }
            Atom::Space(width) if *width >= THIN => words.push(' '),
            Atom::Space(_) => {}
        }
    }
}

/// Variables are italic; capital Greek, digits and signs are upright.
fn letter_face(text: &str) -> Face {
    let italic = |c: char| !('Α'..='Ω').contains(&c) && font::italic(c).is_some();
    if text.chars().all(italic) {
        Face::Italic
    } else {
        Face::Upright
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        fn write(atoms: &[Atom]) -> String {
            let one = |atom: &Atom| match atom {
                Atom::Run(Face::Upright, text) => text.clone(),
                Atom::Run(Face::Italic, text) => format!("/{text}/"),
                Atom::Scripts { above, below } => format!("^[{}]_[{}]", write(above), write(below)),
                Atom::Accent(accent, over) => format!("{accent}[{}]", write(over)),
                Atom::Space(_) => "~".to_owned(),
            };
            atoms.iter().map(one).collect()
        }
        write(&Label::parse(source).unwrap().atoms)
    }

    #[test]
    fn mathematics_is_set_as_in_print() {
        assert_eq!(shown(r"\Omega^2 x_{max}"), "Ω^[2]_[]/x/^[]_[max]");
        assert_eq!(shown(r"\mu_s = 1.1"), "/μ/^[]_[/s/]~=~1.1");
        assert_eq!(shown(r"\max|x|"), "max~|/x/|");
        assert_eq!(shown(r"\log_{10}|\nu_1|"), "log^[]_[10]|/ν/^[]_[1]|");
        assert_eq!(shown(r"\hat y"), "ˆ[/y/]");
        assert_eq!(shown(r"\arg\nu"), "arg~/ν/");
        assert_eq!(shown(r"x_0^{-1}"), "/x/^[−1]_[0]");
        assert_eq!(shown("a-b"), "a-b");
        assert_eq!(shown(r"a_1-b"), "/a/^[]_[1]~−~/b/");
        assert_eq!(shown("t"), "/t/");
        assert_eq!(shown("stick phase"), "stick phase");
        assert_eq!(shown(r"phase $\theta_0$ of slip"), "phase /θ/^[]_[0] of slip");
        assert_eq!(shown(r"10^{-3}"), "10^[−3]_[]");
    }

    #[test]
    fn labels_are_typed_out() {
        for (source, words) in [
            (r"\Omega^2 x_{max}", "Ω^2x_max"),
            (r"\max|x|", "max |x|"),
            (r"phase $\theta_0$ of slip", "phase θ_0 of slip"),
            ("stick phase", "stick phase"),
        ] {
            assert_eq!(Label::parse(source).unwrap().words(), words);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (source, wanted) in [
            (r"\Omga", "`\\Omga` is not known"),
            (r"x_{max", "`}` is missing"),
            (r"x_1}", "closes nothing"),
            ("$x", "closing `$`"),
            ("x_", "missing at the end"),
            ("x_1_2", "two `_`"),
            (r"\hat", "missing at the end"),
        ] {
            let message = Label::parse(source).unwrap_err().to_string();
            assert!(message.contains(wanted), "{source}: {message}");
        }
    }

    #[test]
    fn tex_is_kept_and_words_are_escaped() {
        assert_eq!(Label::parse(r"phase $\theta_0$").unwrap().tex, r"phase $\theta_0$");
        assert_eq!(Label::plain("50% of a_b").tex, r"50\% of a\_b");
        for (source, tex) in [
            (r"\Omega^2 x_{max}", r"$\Omega^2 x_{\mathrm{max}}$"),
            // As in TeX, only the first letter is the subscript.
            (r"x_max", r"$x_max$"),
            (r"x_{max,i}", r"$x_{{\mathrm{max}},i}$"),
            (
                r"k_{\mathrm{lin}} \max a_{ij}",
                r"$k_{\mathrm{lin}} \max a_{\mathrm{ij}}$",
            ),
        ] {
            assert_eq!(Label::math(source).unwrap().tex, tex);
        }
    }
}
