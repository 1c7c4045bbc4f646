//! A record of temperature and displacement.

use crate::friction::shaw::Normal;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Temperature and displacement at increasing times, all finite.
///
/// ```
/// use slipstick_models::friction::bearing::Bearing;
/// // What the model itself would have logged, without random numbers, and with some.
/// let record = Bearing::default().synthetic_record()?;
/// assert_eq!(record.t.len(), record.displacement.len());
/// assert_ne!(record.clone().with_noise(1e-4, 1).displacement, record.displacement);
/// # Ok::<(), slipstick_models::friction::bearing::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Times. Days when they were read from dates.
    pub t: Vec<f64>,
    /// Temperatures.
    pub temperature: Vec<f64>,
    /// Displacements, in metres.
    pub displacement: Vec<f64>,
    /// What was noticed and done while reading: samples left out, gaps, uneven steps.
    pub notes: Vec<String>,
}

/// Why a record cannot be used. Lines count from 1.
///
/// ```
/// use slipstick_models::friction::bearing::{Record, RecordError};
/// let error = Record::new(vec![0.0, 1.0], vec![10.0], vec![0.0, 0.0]).err().unwrap();
/// assert!(matches!(error, RecordError::Lengths { times: 2, temperatures: 1, .. }));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("cannot read the record {path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// Decimal commas between commas.
    #[error(
        "line {line} of the record has {fields} fields between commas and no decimal point: commas seem to separate both columns \
             and decimals. Export it with semicolons between the columns, or with decimal points"
    )]
    Commas {
        /// The line.
        line: usize,
        /// How many fields.
        fields: usize,
    },
    /// A named column is not in the header.
    #[error("the record has no column {name:?}; its header has: {known}")]
    Column {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A line with too few fields.
    #[error("line {line} of the record has {fields} fields, but the {what} is in column {column}")]
    Short {
        /// The line.
        line: usize,
        /// How many fields it has.
        fields: usize,
        /// What was looked for.
        what: &'static str,
        /// In which column, from 1.
        column: usize,
    },
    /// A field that is neither a number nor an accepted sign for a missing value.
    #[error("line {line} of the record: cannot read {text:?} as a {what}{hint}")]
    Field {
        /// The line.
        line: usize,
        /// The field.
        text: String,
        /// What it should be.
        what: &'static str,
        /// What to do, if that can be guessed.
        hint: &'static str,
    },
    /// Times that go back.
    #[error(
        "line {line} of the record: time goes back from {before} to {after}; sort the record (if the clock was put back in \
             autumn, use one time zone throughout)"
    )]
    Order {
        /// The line, or the sample counted from 1.
        line: usize,
        /// The time before.
        before: f64,
        /// This time.
        after: f64,
    },
    /// Too few samples.
    #[error(
        "only {valid} of the record's {lines} lines hold a time, a temperature and a displacement; at least {needed} are needed"
    )]
    Few {
        /// Usable lines.
        valid: usize,
        /// All lines of data.
        lines: usize,
        /// The least number.
        needed: usize,
    },
    /// A constant column.
    #[error("the {what} never changes in this record: nothing can be identified from it")]
    Constant {
        /// Which one.
        what: &'static str,
    },
    /// Columns of different length.
    #[error(
        "a record needs as many temperatures and displacements as times; there are {times}, {temperatures} and {displacements}"
    )]
    Lengths {
        /// Number of times.
        times: usize,
        /// Number of temperatures.
        temperatures: usize,
        /// Number of displacements.
        displacements: usize,
    },
}

impl Record {
    /// The record with normal noise of this standard deviation added to its displacements, the same for the same seed.
    #[must_use]
    pub fn with_noise(mut self, deviation: f64, seed: u64) -> Self {
        if deviation > 0.0 {
            let (mut normal, mut rng) = (Normal::default(), ChaCha8Rng::seed_from_u64(seed));
            for z in &mut self.displacement {
                *z += deviation * normal.sample(&mut rng);
            }
        }
        self
    }

    /// The least number of samples.
    pub const LEAST: usize = 10;
    /// A step longer than this many median steps is a gap.
    pub const GAP: f64 = 3.0;

    /// From arrays. Samples with a value that is not finite are left out, and so are samples at the time of the one
    /// before; gaps are noted.
    ///
    /// # Errors
    /// Times that go back, too few samples, a constant column, arrays of different length.
    pub fn new(t: Vec<f64>, temperature: Vec<f64>, displacement: Vec<f64>) -> Result<Self, RecordError> {
        if t.len() != temperature.len() || t.len() != displacement.len() {
            return Err(RecordError::Lengths {
                times: t.len(),
                temperatures: temperature.len(),
                displacements: displacement.len(),
            });
        }
        let rows = t
            .into_iter()
            .zip(temperature)
            .zip(displacement)
            .map(|((t, c), z)| [t, c, z]);
        Self::from_rows(rows.enumerate().map(|(i, row)| (i + 1, row)).collect(), vec![])
    }

    /// From numbered rows of time, temperature and displacement; missing values are NaN.
    pub(super) fn from_rows(rows: Vec<(usize, [f64; 3])>, mut notes: Vec<String>) -> Result<Self, RecordError> {
        let lines = rows.len();
        let (mut t, mut temperature, mut displacement) = (vec![], vec![], vec![]);
        let (mut incomplete, mut repeated) = (0_usize, 0_usize);
        for (line, row) in rows {
            if row.iter().any(|v| !v.is_finite()) {
                incomplete += 1;
                continue;
            }
            if let Some(&before) = t.last() {
                if row[0] < before {
                    return Err(RecordError::Order {
                        line,
                        before,
                        after: row[0],
                    });
                }
                if row[0] == before {
                    repeated += 1;
                    continue;
                }
            }
            t.push(row[0]);
            temperature.push(row[1]);
            displacement.push(row[2]);
        }
        if t.len() < Self::LEAST {
            return Err(RecordError::Few {
                valid: t.len(),
                lines,
                needed: Self::LEAST,
            });
        }
        for (what, values) in [("temperature", &temperature), ("displacement", &displacement)] {
            if values.iter().all(|v| *v == values[0]) {
                return Err(RecordError::Constant { what });
            }
        }
        if incomplete > 0 {
            notes.push(format!(
                "{incomplete} of {lines} samples left out: a value is missing or not a number"
            ));
        }
        if repeated > 0 {
            notes.push(format!(
                "{repeated} samples left out: they have the time of the sample before"
            ));
        }
        let mut record = Self {
            t,
            temperature,
            displacement,
            notes,
        };
        record.note_gaps();
        Ok(record)
    }

    fn note_gaps(&mut self) {
        let median = self.median_step();
        let steps = || self.t.windows(2).map(|w| (w[0], w[1] - w[0]));
        let gaps: Vec<(f64, f64)> = steps().filter(|(_, h)| *h > Self::GAP * median).collect();
        let uneven = steps().filter(|(_, h)| (h / median - 1.0).abs() > 0.01).count() - gaps.len();
        if let Some((from, longest)) = gaps.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) {
            self.notes.push(format!(
                "{} gaps longer than {} median steps of {median:.6}; the longest, {longest:.6}, begins at t = {from:.6}. The \
                 temperature is taken to move straight across a gap: a swing that was missed there is missed by the model too",
                gaps.len(),
                Self::GAP
            ));
        }
        if uneven > 0 {
            self.notes.push(format!(
                "{uneven} uneven steps (more than 1 % off the median step of {median:.6}); each sample is weighted by its share of time"
            ));
        }
    }

    /// The longest stretch without a gap. Calibrate on it with an unknown start when the record has lost swings of
    /// temperature.
    #[must_use]
    pub fn longest_unbroken(&self) -> Self {
        let longest = Self::GAP * self.median_step();
        let breaks = (1..self.t.len()).filter(|&i| self.t[i] - self.t[i - 1] > longest);
        let edges: Vec<usize> = [0].into_iter().chain(breaks).chain([self.t.len()]).collect();
        let (mut from, mut to) = (0, 0);
        for w in edges.windows(2) {
            if w[1] - w[0] > to - from {
                (from, to) = (w[0], w[1]);
            }
        }
        let part = |v: &[f64]| v[from..to].to_vec();
        Self {
            t: part(&self.t),
            temperature: part(&self.temperature),
            displacement: part(&self.displacement),
            notes: vec![format!(
                "the longest stretch without a gap: {} of {} samples",
                to - from,
                self.t.len()
            )],
        }
    }

    fn median_step(&self) -> f64 {
        let mut steps: Vec<f64> = self.t.windows(2).map(|w| w[1] - w[0]).collect();
        steps.sort_by(f64::total_cmp);
        steps[steps.len() / 2]
    }

    /// The share of time of each sample: half the steps on either side, a gap counting as one median step. Their sum is
    /// 1.
    pub fn weights(&self) -> Vec<f64> {
        let median = self.median_step();
        let share = |h: f64| 0.5 * if h > Self::GAP * median { median } else { h };
        let mut weights = vec![0.0; self.t.len()];
        for (i, w) in self.t.windows(2).enumerate() {
            let half = share(w[1] - w[0]);
            weights[i] += half;
            weights[i + 1] += half;
        }
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
        weights
    }
}
