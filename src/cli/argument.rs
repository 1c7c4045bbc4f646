//! The values of arguments that are more than words: tolerances, settings, shares, times.

use slipstick_study::{Shard, ShardError};
use slipstick_system::text::{Expression, Scope, plain_name};
use std::time::Duration;

/// What is wrong with the value of an argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("`{text}` is not a tolerance; write a number from 0 up, as in 1e-9")]
    Tolerance { text: String },
    #[error("`{text}` is not of the form NAME=VALUE, as in mu_s=1.05")]
    Form { text: String },
    #[error("`{value}` is not a number, nor a formula of numbers such as 1/3 or 2*pi")]
    Number { value: String },
    #[error("`{text}` is not a time; write a number of seconds from 0 to 1e6, as in 10")]
    Seconds { text: String },
    #[error("{name} must be finite")]
    NotFinite { name: String },
}

/// Which share of a run is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// As the queueing system says.
    Auto,
    /// This one.
    Given(Shard),
}

/// `K/N`, or `auto`.
pub(super) fn division(text: &str) -> Result<Division, ShardError> {
    if text.trim() == "auto" {
        Ok(Division::Auto)
    } else {
        text.parse().map(Division::Given)
    }
}

/// A time in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, ArgumentError> {
    match text.trim().parse::<f64>() {
        Ok(v) if (0.0..=1e6).contains(&v) => Ok(Duration::from_secs_f64(v)),
        _ => Err(ArgumentError::Seconds { text: text.to_owned() }),
    }
}

/// A relative tolerance: a number from 0 up.
pub(super) fn tolerance(text: &str) -> Result<f64, ArgumentError> {
    match text.trim().parse::<f64>() {
        Ok(v) if v >= 0.0 && v.is_finite() => Ok(v),
        _ => Err(ArgumentError::Tolerance { text: text.to_owned() }),
    }
}

/// `NAME=VALUE`: a value for a parameter.
pub(super) fn setting(text: &str) -> Result<(String, f64), ArgumentError> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| ArgumentError::Form { text: text.to_owned() })?;
    let (name, value) = (name.trim(), value.trim());
    // As in a study: a number, or a formula of numbers, `pi` and `e`.
    let number = match value.parse::<f64>() {
        Ok(number) => number,
        Err(_) => Expression::parse(value)
            .ok()
            .and_then(|formula| Scope::new().constant(&formula).ok())
            .ok_or_else(|| ArgumentError::Number {
                value: value.to_owned(),
            })?,
    };
    if !number.is_finite() {
        return Err(ArgumentError::NotFinite { name: name.to_owned() });
    }
    Ok((plain_name(name), number))
}
