//! Names: what a name may look like, Greek letters, and the nearest known name to a misspelt one.

/// The plain spelling of a name: Greek letters spelt out, subscripts behind an underscore.
///
/// `Ω` is `Omega`, `μ_s` and `μₛ` are `mu_s`, `θ0` is `theta0`, `x₁` is `x_1`.
///
/// ```
/// use slipstick_system::text::plain_name;
/// assert_eq!(plain_name("Ω"), "Omega");
/// assert_eq!(plain_name("μₛ"), "mu_s");
/// ```
pub fn plain_name(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut in_subscript = false;
    for c in name.chars() {
        if let Some(below) = subscript(c) {
            if !in_subscript && !plain.ends_with('_') {
                plain.push('_');
            }
            in_subscript = true;
            plain.push(below);
        } else {
            in_subscript = false;
            match greek(c) {
                Some(letter) => plain.push_str(letter),
                None => plain.push(c),
            }
        }
    }
    plain
}

/// May a name begin with this character?
pub(super) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || greek(c).is_some()
}

/// May a name go on with this character?
pub(super) fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || subscript(c).is_some()
}

/// Is this a name: a letter or underscore, then letters, digits and underscores?
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

/// The closest of the `known` names, if one is close enough to have been meant.
///
/// Close means at most one edit in three letters (an edit inserts, deletes or changes a letter, or swaps two), or the
/// same letters in another case.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .filter(|k| *k != name)
        .map(|k| {
            let distance = if k.to_lowercase() == lower {
                0
            } else {
                strsim::damerau_levenshtein(name, k)
            };
            (distance, k)
        })
        .filter(|(distance, k)| *distance <= name.chars().count().max(k.chars().count()).div_ceil(3))
        .filter(|(distance, k)| *distance < name.chars().count().max(k.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

fn greek(c: char) -> Option<&'static str> {
    Some(match c {
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' | 'ϵ' => "epsilon",
        'ζ' => "zeta",
        'η' => "eta",
        'θ' | 'ϑ' => "theta",
        'ι' => "iota",
        'κ' => "kappa",
        'λ' => "lambda",
        'μ' | '\u{b5}' => "mu",
        'ν' => "nu",
        'ξ' => "xi",
        'ο' => "omicron",
        'π' => "pi",
        'ρ' => "rho",
        'σ' | 'ς' => "sigma",
        'τ' => "tau",
        'υ' => "upsilon",
        'φ' | 'ϕ' => "phi",
        'χ' => "chi",
        'ψ' => "psi",
        'ω' => "omega",
        'Γ' => "Gamma",
        'Δ' => "Delta",
        'Θ' => "Theta",
        'Λ' => "Lambda",
        'Ξ' => "Xi",
        'Π' => "Pi",
        'Σ' => "Sigma",
        'Υ' => "Upsilon",
        'Φ' => "Phi",
        'Ψ' => "Psi",
        'Ω' | '\u{2126}' => "Omega",
        _ => return None,
    })
}

fn subscript(c: char) -> Option<char> {
    Some(match c {
        '₀' => '0',
        '₁' => '1',
        '₂' => '2',
        '₃' => '3',
        '₄' => '4',
        '₅' => '5',
        '₆' => '6',
        '₇' => '7',
        '₈' => '8',
        '₉' => '9',
        'ₐ' => 'a',
        'ₑ' => 'e',
        'ₕ' => 'h',
        'ᵢ' => 'i',
        'ⱼ' => 'j',
        'ₖ' => 'k',
        'ₗ' => 'l',
        'ₘ' => 'm',
        'ₙ' => 'n',
        'ₒ' => 'o',
        'ₚ' => 'p',
        'ᵣ' => 'r',
        'ₛ' => 's',
        'ₜ' => 't',
        'ᵤ' => 'u',
        'ᵥ' => 'v',
        'ₓ' => 'x',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greek_and_subscripts_are_spelt_out() {
        assert_eq!(plain_name("θ0"), "theta0");
        assert_eq!(plain_name("μ_s"), "mu_s");
        assert_eq!(plain_name("x₁₂"), "x_12");
        assert!(is_name("ξ") && is_name("_a1") && !is_name("1a") && !is_name("slip-") && !is_name(""));
    }

    #[test]
    fn the_nearest_name_is_a_plausible_one() {
        let known = ["sigma", "rho", "beta", "x", "y", "Omega"];
        assert_eq!(nearest("sgima", known), Some("sigma"));
        assert_eq!(nearest("omega", known), Some("Omega"));
        assert_eq!(nearest("X", known), Some("x"));
        assert_eq!(nearest("q", known), None);
        assert_eq!(nearest("temperature", known), None);
    }
}
