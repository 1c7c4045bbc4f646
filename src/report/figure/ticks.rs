//! Where the ticks of an axis stand and what is written at them.

use super::markup::Label;
use std::f64::consts::PI;

/// Evenly divided axes reach to here: lengths of ranges, powers of ten of their ticks and a margin around them stay
/// within the doubles. Smaller numbers lie on zero.
const LARGEST: f64 = 1e300;
const SMALLEST: f64 = 1e-300;
/// Angles beyond this have no digits left for parts of π.
const LARGEST_ANGLE: f64 = 1e12;

/// How an axis maps numbers to lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By decades.
    Log,
    /// Evenly, with ticks at parts of π.
    Angle,
}

impl Scale {
    /// The coordinate that grows evenly along the axis; `None` where the axis has no place for the number.
    pub(super) fn place(self, value: f64) -> Option<f64> {
        if self == Self::Log {
            return Some(value.log10()).filter(|placed| placed.is_finite());
        }
        match value.abs() {
            size if size < SMALLEST => Some(0.0),
            size if size <= LARGEST => Some(value),
            _ => None,
        }
    }
}

/// The ticks of one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ticks {
    /// Long ticks with what is written at them.
    pub(super) major: Vec<(f64, Label)>,
    /// Short ticks.
    pub(super) minor: Vec<f64>,
    /// What is done to all numbers, written at the end of the axis: ×10ⁿ, and what has been taken from them.
    pub(super) common: Option<Label>,
}

/// More decimals than these have the rest written apart.
const MOST_DECIMALS: i32 = 5;
/// More decades than this leave no room for a short tick at each.
const MOST_DECADES: usize = 200;
/// More fractions of π than this are hard to read.
const MOST_ANGLES: usize = 6;

/// Ticks in `[low, high]` with room for about `room` numbers.
pub(super) fn ticks(scale: Scale, low: f64, high: f64, room: usize) -> Ticks {
    let room = room.max(2);
    match scale {
        Scale::Linear => linear(low, high, room),
        Scale::Angle => angle(low, high, room),
        Scale::Log => logarithmic(low, high, room),
    }
}

fn linear(low: f64, high: f64, room: usize) -> Ticks {
    let span = high - low;
    if !(span >= SMALLEST && low.abs().max(high.abs()) <= 2.0 * LARGEST) {
        return alone(low);
    }
    // The smallest of 1, 2, 5 times a power of ten that leaves no more than `room` ticks; a lone tick says nothing of
    // the scale, so that a few more are allowed then.
    let step = |room: usize| {
        let mut power = (span / room as f64).log10().floor() as i32;
        loop {
            let fits = |factor: &&u32| count(low, high, f64::from(**factor) * 10f64.powi(power)) <= room;
            if let Some(&factor) = [1, 2, 5].iter().find(fits) {
                return (factor, power);
            }
            power += 1;
        }
    };
    let alone = |&(factor, power): &(u32, i32)| count(low, high, f64::from(factor) * 10f64.powi(power)) < 2;
    let candidates = (room..=room + 3).map(step);
    let (factor, power) = candidates
        .clone()
        .find(|found| !alone(found))
        .unwrap_or_else(|| step(room));
    let shared = |size: f64| {
        let largest = size.log10().floor() as i32;
        if !(-2..=4).contains(&largest) { largest } else { 0 }
    };
    let mut exponent = shared(low.abs().max(high.abs()));
    let mut offset = 0.0;
    if exponent - power > MOST_DECIMALS {
        // Numbers that differ in their last digits: their first ones are said once.
        let coarse = (span.log10() + 1e-9).floor() as i32 + 1;
        let scaled = 0.5 * (low + high) / 10f64.powi(coarse);
        offset = if coarse < 0 {
            scaled.round() / 10f64.powi(-coarse)
        } else {
            scaled.round() * 10f64.powi(coarse)
        };
        exponent = shared((low - offset).abs().max((high - offset).abs()));
    }
    let decimals = (exponent - power).max(0) as usize;
    let parts = if factor == 2 { 4 } else { 5 };
    let major = multiples(low, high, factor, power);
    let minor = multiples_of_part(low, high, factor, power, parts);
    Ticks {
        major: major
            .into_iter()
            .map(|value| (value, number((value - offset) / 10f64.powi(exponent), decimals)))
            .collect(),
        minor,
        common: common(exponent, offset),
    }
}

/// What is done to all numbers.
fn common(exponent: i32, offset: f64) -> Option<Label> {
    let power = match exponent {
        0 => String::new(),
        _ => format!(r"\times\,10^{{{exponent}}}"),
    };
    let sign = if offset < 0.0 { "-" } else { "+" };
    let shift = match format!("{:e}", offset.abs()).split_once('e') {
        _ if offset == 0.0 => String::new(),
        Some((digits, power)) if !(1e-4..1e7).contains(&offset.abs()) => {
            format!(r"{sign}{digits}\times 10^{{{power}}}")
        }
        _ => format!("{sign}{}", offset.abs()),
    };
    let source = power + &shift;
    Some(Label::math(&source).unwrap_or_default()).filter(|_| !source.is_empty())
}

/// The only tick of an axis without a range.
fn alone(value: f64) -> Ticks {
    let text = format!("{value:.1e}");
    let label = match text.split_once('e') {
        Some((digits, power)) if value != 0.0 => {
            Label::math(&format!(r"{}\times 10^{{{power}}}", digits.trim_end_matches(".0"))).unwrap_or_default()
        }
        _ => number(value, 0),
    };
    Ticks {
        major: vec![(value, label)],
        ..Ticks::default()
    }
}

/// How many multiples of `step` lie in the range.
fn count(low: f64, high: f64, step: f64) -> usize {
    let slack = 1e-9 * (high - low);
    ((((high + slack) / step).floor() - ((low - slack) / step).ceil()).max(-1.0) + 1.0) as usize
}

fn multiples(low: f64, high: f64, factor: u32, power: i32) -> Vec<f64> {
    let (slack, step) = (1e-9 * (high - low), f64::from(factor) * 10f64.powi(power));
    let (first, last) = (
        ((low - slack) / step).ceil() as i64,
        ((high + slack) / step).floor() as i64,
    );
    // Multiply or divide by a whole power of ten: 3 · 0.1 is not 0.3.
    let at = |k: i64| {
        let whole = k as f64 * f64::from(factor);
        if power < 0 {
            whole / 10f64.powi(-power)
        } else {
            whole * 10f64.powi(power)
        }
    };
    (first..=last).map(at).collect()
}

fn multiples_of_part(low: f64, high: f64, factor: u32, power: i32, parts: i64) -> Vec<f64> {
    let step = f64::from(factor) * 10f64.powi(power) / parts as f64;
    let slack = 1e-9 * (high - low);
    let (first, last) = (
        ((low - slack) / step).ceil() as i64,
        ((high + slack) / step).floor() as i64,
    );
    (first..=last)
        .filter(|k| k % parts != 0)
        .map(|k| k as f64 * step)
        .collect()
}

fn angle(low: f64, high: f64, room: usize) -> Ticks {
    let room = room.min(MOST_ANGLES);
    // Steps as (numerator, denominator) of π with the number of short ticks inside.
    const STEPS: [(i64, i64, i64); 6] = [(1, 8, 2), (1, 4, 2), (1, 2, 2), (1, 1, 2), (2, 1, 2), (4, 1, 2)];
    let length = |&(above, below, _): &(i64, i64, i64)| PI * above as f64 / below as f64;
    let fitting = STEPS.iter().find(|step| count(low, high, length(step)) <= room);
    let countable = low.abs().max(high.abs()) <= LARGEST_ANGLE;
    let Some(&(above, below, parts)) = fitting.filter(|step| countable && count(low, high, length(step)) > 1) else {
        return linear(low, high, room);
    };
    let unit = PI * above as f64 / below as f64;
    let slack = 1e-9 * (high - low);
    let range = |unit: f64| ((low - slack) / unit).ceil() as i64..=((high + slack) / unit).floor() as i64;
    let major = range(unit)
        .map(|k| (k as f64 * unit, part_of_pi(k * above, below)))
        .collect();
    let small = unit / parts as f64;
    let minor = range(small)
        .filter(|k| k % parts != 0)
        .map(|k| k as f64 * small)
        .collect();
    Ticks {
        major,
        minor,
        common: None,
    }
}

fn part_of_pi(above: i64, below: i64) -> Label {
    let mut divisor = (above.abs(), below);
    while divisor.1 != 0 {
        divisor = (divisor.1, divisor.0 % divisor.1);
    }
    let (above, below) = (above / divisor.0.max(1), below / divisor.0.max(1));
    let sign = if above < 0 { "-" } else { "" };
    let source = match (above.abs(), below) {
        (0, _) => "0".to_owned(),
        (1, 1) => format!(r"{sign}\pi"),
        (above, 1) => format!(r"{sign}{above}\pi"),
        (1, below) => format!(r"{sign}\pi/{below}"),
        (above, below) => format!(r"{sign}{above}\pi/{below}"),
    };
    Label::math(&source).unwrap_or_default()
}

fn logarithmic(low: f64, high: f64, room: usize) -> Ticks {
    let (from, to) = (low.log10(), high.log10());
    let decades = to - from;
    if !(decades > 0.0 && decades.is_finite()) {
        return alone(low);
    }
    let inside = |value: f64| value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9);
    let (first, last) = ((from - 1e-9).floor() as i32, (to + 1e-9).ceil() as i32);
    let every = |digits: &[f64]| -> Vec<f64> {
        (first..=last)
            .flat_map(|power| digits.iter().map(move |digit| (digit, power)))
            .map(|(digit, power)| {
                if power < 0 {
                    digit / 10f64.powi(-power)
                } else {
                    digit * 10f64.powi(power)
                }
            })
            .filter(|&value| value.is_finite() && inside(value))
            .collect()
    };
    let all_digits: Vec<f64> = (1..10).map(f64::from).collect();
    let powers = every(&[1.0]);
    if powers.len() >= 3 || decades > 2.2 {
        let stride = powers.len().div_ceil(room).max(1) as i32;
        let written = |value: &f64| (value.log10().round() as i32).rem_euclid(stride) == 0;
        let (major, between): (Vec<f64>, Vec<f64>) = powers.iter().copied().partition(written);
        let minor = if stride == 1 && decades < 12.0 {
            every(&all_digits)
                .into_iter()
                .filter(|value| !major.contains(value))
                .collect()
        } else if powers.len() <= MOST_DECADES {
            between
        } else {
            vec![]
        };
        return Ticks {
            major: major.into_iter().map(|value| (value, power_of_ten(value))).collect(),
            minor,
            common: None,
        };
    }
    // Less than two decades: plain numbers at 1, 2, 5 or finer; over a very short range the ticks of a linear axis.
    let finest: [&[f64]; 3] = [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0, 3.0]];
    let fitting = finest
        .iter()
        .map(|digits| every(digits))
        .find(|values| (2..=room).contains(&values.len()));
    match fitting {
        Some(major) => {
            let minor = every(&all_digits)
                .into_iter()
                .filter(|value| !major.contains(value))
                .collect();
            let plain = (1e-3..1e5).contains(&low) && high < 1e5;
            let write = |value: f64| {
                if plain {
                    plain_number(value)
                } else {
                    times_power_of_ten(value)
                }
            };
            Ticks {
                major: major.into_iter().map(|value| (value, write(value))).collect(),
                minor,
                common: None,
            }
        }
        None => linear(low, high, room),
    }
}

fn power_of_ten(value: f64) -> Label {
    Label::math(&format!("10^{{{}}}", value.log10().round() as i32)).unwrap_or_default()
}

fn times_power_of_ten(value: f64) -> Label {
    let power = (value.log10() + 1e-9).floor() as i32;
    let digits = plain_source((value / 10f64.powi(power) * 10.0).round() / 10.0);
    let source = if digits == "1" {
        format!("10^{{{power}}}")
    } else {
        format!(r"{digits}\times 10^{{{power}}}")
    };
    Label::math(&source).unwrap_or_default()
}

/// A number with a fixed count of decimals.
pub(super) fn number(value: f64, decimals: usize) -> Label {
    let text = format!("{value:.decimals$}");
    // No minus before zero.
    let text = if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    };
    Label::math(&text).unwrap_or_default()
}

fn plain_number(value: f64) -> Label {
    Label::math(&plain_source(value)).unwrap_or_default()
}

fn plain_source(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(scale: Scale, low: f64, high: f64, room: usize) -> Vec<String> {
        ticks(scale, low, high, room)
            .major
            .into_iter()
            .map(|(_, label)| label.tex.trim_matches('$').to_owned())
            .collect()
    }

    #[test]
    fn numbers_that_differ_in_their_last_digits_say_the_first_ones_once() {
        let close = ticks(Scale::Linear, 1.0 + 0.55e-11, 1.0 + 1.25e-11, 4);
        let labels: Vec<&str> = close
            .major
            .iter()
            .map(|(_, label)| label.tex.trim_matches('$'))
            .collect();
        assert_eq!(labels, ["-4", "-2", "0", "2"]);
        assert_eq!(
            close.common.map(|label| label.tex),
            Some(r"$\times\,10^{-12}+1.00000000001$".to_owned())
        );
        let large = ticks(Scale::Linear, 12_345_670.0, 12_345_680.0, 4);
        assert!(large.common.is_some_and(|label| label.tex.contains("1.23457")));
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(
            written(Scale::Linear, 0.0, 1.0, 6),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(written(Scale::Linear, -2.1, 2.1, 5), ["-2", "-1", "0", "1", "2"]);
        assert_eq!(written(Scale::Linear, 0.47, 0.53, 4), ["0.48", "0.50", "0.52"]);
        assert_eq!(
            written(Scale::Linear, 0.0, 100.0, 6),
            ["0", "20", "40", "60", "80", "100"]
        );
    }

    #[test]
    fn a_lone_tick_gets_company() {
        assert_eq!(
            written(Scale::Linear, -0.46, 0.46, 4),
            ["-0.4", "-0.2", "0.0", "0.2", "0.4"]
        );
    }

    #[test]
    fn large_and_small_numbers_share_a_power() {
        let large = ticks(Scale::Linear, 0.0, 1_000_000.0, 3);
        assert_eq!(large.common, common(6, 0.0));
        assert_eq!(
            large.major.last().map(|(value, label)| (*value, label.tex.as_str())),
            Some((1e6, "$1.0$"))
        );
        let small = ticks(Scale::Linear, 0.0, 2e-4, 5);
        assert_eq!(small.common, common(-4, 0.0));
        assert_eq!(small.major[1].1.tex, "$0.5$");
    }

    #[test]
    fn decades_have_powers_and_short_ticks() {
        let wide = ticks(Scale::Log, 1e-3, 10.0, 8);
        let labels: Vec<_> = wide.major.iter().map(|(_, label)| label.tex.as_str()).collect();
        assert_eq!(labels, ["$10^{-3}$", "$10^{-2}$", "$10^{-1}$", "$10^{0}$", "$10^{1}$"]);
        assert_eq!(wide.minor.len(), 4 * 8);
        let huge = ticks(Scale::Log, 1e-40, 1e40, 6);
        assert!(huge.major.len() <= 6 && huge.major.len() >= 3);
    }

    #[test]
    fn short_logarithmic_ranges_have_plain_numbers() {
        assert_eq!(written(Scale::Log, 0.3, 15.0, 8), ["0.5", "1", "2", "5", "10"]);
        assert_eq!(
            written(Scale::Log, 0.5, 0.58, 5),
            ["0.50", "0.52", "0.54", "0.56", "0.58"]
        );
    }

    #[test]
    fn angles_are_parts_of_pi() {
        assert_eq!(
            written(Scale::Angle, 0.0, 2.0 * PI, 5),
            ["0", r"\pi/2", r"\pi", r"3\pi/2", r"2\pi"]
        );
        assert_eq!(written(Scale::Angle, -PI, PI, 4), [r"-\pi", "0", r"\pi"]);
    }

    #[test]
    fn extreme_ranges_have_ticks_or_one_alone() {
        let sizes = [
            0.0,
            5e-324,
            1e-308,
            1e-300,
            1e-16,
            1.0,
            1e16,
            1e20,
            1e300,
            1e308,
            f64::MAX,
            f64::INFINITY,
        ];
        let ends: Vec<f64> = sizes.iter().flat_map(|&size| [size, -size]).collect();
        for scale in [Scale::Linear, Scale::Angle, Scale::Log] {
            for &low in &ends {
                let beyond = [low.next_up(), low + 1e-9 * low.abs(), low + 1e5, f64::NAN];
                for &high in ends.iter().chain(&beyond) {
                    for room in [2, 5, 9] {
                        let found = ticks(scale, low, high, room);
                        assert!(found.major.len() <= 12 * room, "{scale:?} {low:e} {high:e}");
                        assert!(
                            found.minor.len() <= 300,
                            "{scale:?} {low:e} {high:e}: {}",
                            found.minor.len()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn about_as_many_as_there_is_room_for_and_never_one_alone() {
        for room in 2..9 {
            for (low, high) in [(0.0, 1.0), (-3.7, 8.1), (1e-9, 3e-9), (5.0, 5.01), (-1e12, 3e11)] {
                let found = ticks(Scale::Linear, low, high, room);
                assert!(
                    (2..=room + 3).contains(&found.major.len()),
                    "{low} {high} {room}: {found:?}"
                );
                let slack = 1e-9 * (high - low);
                assert!(
                    found
                        .major
                        .iter()
                        .all(|(value, _)| (low - slack..=high + slack).contains(value))
                );
            }
        }
    }
}
