//! One share of several that know nothing of each other, as the tasks of a job array.

use crate::share::{Queues, Share};
use std::fmt;
use std::str::FromStr;

/// Share `number` (from 1) of `of`.
///
/// ```
/// use slipstick_study::Shard;
/// let shard: Shard = "3/64".parse()?;
/// assert_eq!((shard.number(), shard.of(), shard.to_string()), (3, 64, "3/64".into()));
/// assert!("5/4".parse::<Shard>().is_err() && "0/0".parse::<Shard>().is_err());
/// # Ok::<(), slipstick_study::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// What is wrong with a share.
///
/// ```
/// use slipstick_study::{Shard, ShardError};
/// assert_eq!("5/4".parse::<Shard>(), Err(ShardError::Number { number: 5, of: 4 }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// It is not written as K/N.
    #[error("`{0}` is not a shard; write K/N, as 3/64 for the third of 64, or `auto` in a job array")]
    Form(String),
    /// There is no such share.
    #[error("there is no shard {number} of {of}; shares are counted from 1 to their number, at most {MOST}")]
    Number {
        /// The number.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// No variable of a queueing system is set.
    #[error(
        "no shard can be read from the environment: neither SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT, nor SLURM_PROCID with SLURM_NTASKS, nor OMPI_COMM_WORLD_RANK with OMPI_COMM_WORLD_SIZE is set; write --shard K/N"
    )]
    Nowhere,
    /// A variable is no number that a share can be made of.
    #[error("{name} is `{value}`, of which no shard can be made; write --shard K/N")]
    Variable {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
}

/// More shares than this are refused.
const MOST: usize = 1_000_000;

impl Shard {
    /// # Errors
    /// [`ShardError::Number`].
    pub fn new(number: usize, of: usize) -> Result<Self, ShardError> {
        if (1..=of).contains(&number) && of <= MOST {
            Ok(Self { number, of })
        } else {
            Err(ShardError::Number { number, of })
        }
    }

    /// Which one it is, from 1.
    #[must_use]
    pub fn number(self) -> usize {
        self.number
    }

    /// How many there are.
    #[must_use]
    pub fn of(self) -> usize {
        self.of
    }

    /// The share of this process as a queueing system says it by `variable`s of the environment: the task of a job
    /// array of Slurm, or the rank of a process that Slurm or Open MPI started.
    ///
    /// # Errors
    /// [`ShardError`].
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ShardError> {
        let number = |name: &str| -> Result<Option<usize>, ShardError> {
            let Some(value) = variable(name) else {
                return Ok(None);
            };
            let wrong = |_| ShardError::Variable {
                name: name.to_owned(),
                value: value.clone(),
            };
            value.trim().parse().map(Some).map_err(wrong)
        };
        if let (Some(id), Some(count)) = (number("SLURM_ARRAY_TASK_ID")?, number("SLURM_ARRAY_TASK_COUNT")?) {
            let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(1);
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            let place = id.checked_sub(first).map_or(0, |ahead| ahead / step + 1);
            return Self::new(place, count);
        }
        for (rank, size) in [
            ("SLURM_PROCID", "SLURM_NTASKS"),
            ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        ] {
            if let (Some(rank), Some(size)) = (number(rank)?, number(size)?) {
                return Self::new(rank.saturating_add(1), size);
            }
        }
        Err(ShardError::Nowhere)
    }

    /// Its part of the work of a run.
    #[must_use]
    pub fn share(self) -> impl Share {
        OneOf {
            shard: self,
            queues: Queues::default(),
        }
    }

    /// Does it compute number `number` of something that is dealt out in turn?
    fn owns(self, number: usize) -> bool {
        number % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let form = || ShardError::Form(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(form)?;
        let count = |text: &str| text.trim().parse::<usize>().map_err(|_| form());
        Self::new(count(number)?, count(of)?)
    }
}

/// The work of one share: parts and tasks are dealt out in turn.
#[derive(Debug)]
struct OneOf {
    shard: Shard,
    queues: Queues,
}

impl Share for OneOf {
    fn takes(&self, _: &str, number: usize) -> bool {
        self.shard.owns(number)
    }

    fn begin(&self, key: &str, open: &[usize]) {
        let own = open.iter().copied().filter(|part| self.shard.owns(*part));
        self.queues.begin(key, own);
    }

    fn next(&self, key: &str) -> Option<usize> {
        self.queues.next(key)
    }

    fn assembles(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_part_belongs_to_one_share() {
        for of in 1..20 {
            let shares: Vec<Shard> = (1..=of).map(|k| Shard::new(k, of).unwrap()).collect();
            for part in 0..100 {
                assert_eq!(shares.iter().filter(|s| s.owns(part)).count(), 1);
            }
        }
    }

    #[test]
    fn shares_are_read_from_words_and_from_queueing_systems() {
        for (text, want) in [
            ("1/1", Ok((1, 1))),
            (" 3 / 64 ", Ok((3, 64))),
            ("0/0", Err(ShardError::Number { number: 0, of: 0 })),
            ("0/4", Err(ShardError::Number { number: 0, of: 4 })),
            ("3", Err(ShardError::Form("3".into()))),
            ("-1/4", Err(ShardError::Form("-1/4".into()))),
        ] {
            assert_eq!(text.parse::<Shard>().map(|s| (s.number(), s.of())), want);
        }
        let from = |pairs: &[(&str, &str)]| {
            Shard::from_environment(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
                .map(|s| (s.number(), s.of()))
        };
        let array = [
            ("SLURM_ARRAY_TASK_ID", "14"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
        ];
        assert_eq!(from(&array), Ok((3, 4)));
        assert_eq!(from(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), Ok((1, 8)));
        assert_eq!(
            from(&[("OMPI_COMM_WORLD_RANK", "7"), ("OMPI_COMM_WORLD_SIZE", "8")]),
            Ok((8, 8))
        );
        assert_eq!(from(&[]), Err(ShardError::Nowhere));
        let wrong = ShardError::Variable {
            name: "SLURM_PROCID".into(),
            value: "x".into(),
        };
        assert_eq!(from(&[("SLURM_PROCID", "x"), ("SLURM_NTASKS", "8")]), Err(wrong));
    }
}
