//! Linear elastic structures as modal data: natural frequencies ω_k, damping ratios D_k and mode shape values n_k at
//! contact points.
//!
//! With mass-normalised modes, x_k'' + 2 D_k ω_k x_k' + ω_k² x_k = Σ_j n_{jk} F_j(t), and contact point j moves by Σ_k
//! n_{jk} x_k.

use super::beam;
use super::error::ElasticError;
use std::f64::consts::PI;
use std::io::Read;

/// A point where forces act, in one direction.
///
/// ```
/// use slipstick_models::elastic::{Contact, Structure};
/// // Two modes, of which the contact sees the first at full and the second at half strength.
/// let bow = Contact { name: "bow".into(), shape: vec![1.0, 0.5] };
/// let structure = Structure::new("frame", vec![1.0, 2.7], vec![0.02, 0.02], vec![bow])?;
/// assert_eq!((structure.contacts()[0].name.as_str(), structure.modes()), ("bow", 2));
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name in tables.
    pub name: String,
    /// The value of every mass-normalised mode shape there, in the direction of the force.
    pub shape: Vec<f64>,
}

/// What the modes are a truncation of, where that is known in closed form.
///
/// ```
/// use slipstick_models::elastic::{Continuum, StringKernel, Structure};
/// let string = Structure::string(10, 1.0, 0.1, &[0.4])?;
/// assert!(matches!(string.continuum(), Continuum::String { c, .. } if *c == 1.0));
/// // Behind the ten modes there is a string, whose kernel is known in closed form.
/// assert!(StringKernel::of(&string).is_some_and(|kernel| kernel.is_ok()));
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Continuum {
    /// Pre-tensed string on 0 ≤ ξ ≤ 1 with wave speed `c` and one damping ratio for all modes, touched at the positions
    /// `at`.
    String {
        /// Wave speed.
        c: f64,
        /// Damping ratio.
        damping: f64,
        /// Contact positions.
        at: Vec<f64>,
    },
    /// Euler–Bernoulli cantilever of unit length, density and stiffness, clamped at ξ = 0, one damping ratio, touched
    /// at the positions `at`.
    Cantilever {
        /// Damping ratio.
        damping: f64,
        /// Contact positions.
        at: Vec<f64>,
    },
    /// Only the modes are known.
    Unknown,
}

/// A linear elastic structure, truncated to finitely many modes.
///
/// ```
/// use slipstick_models::elastic::Structure;
/// let string = Structure::string(20, 1.0, 0.1, &[0.4])?;
/// assert_eq!((string.modes(), string.contacts().len()), (20, 1));
/// assert!((string.omega()[0] - std::f64::consts::PI).abs() < 1e-12);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    name: String,
    omega: Vec<f64>,
    damping: Vec<f64>,
    contacts: Vec<Contact>,
    continuum: Continuum,
}

impl Structure {
    /// A structure from its modal data: `omega[k] > 0` in radians per unit of time, `0 ≤ damping[k] < 1`, one shape
    /// value for every mode and contact. Modes may come in any order; frequencies must differ.
    pub fn new(
        name: impl Into<String>,
        omega: Vec<f64>,
        damping: Vec<f64>,
        contacts: Vec<Contact>,
    ) -> Result<Self, ElasticError> {
        let structure = Self {
            name: name.into(),
            omega,
            damping,
            contacts,
            continuum: Continuum::Unknown,
        };
        structure.validate()?;
        Ok(structure)
    }

    /// The first `modes` modes of a pre-tensed string on 0 ≤ ξ ≤ 1 with wave speed `c`, touched at `at`:
    /// ω_k = c k π, n_k = √2 sin(k π ξ), one damping ratio for all modes.
    pub fn string(modes: usize, c: f64, damping: f64, at: &[f64]) -> Result<Self, ElasticError> {
        if !(c.is_finite() && c > 0.0) {
            return Err(ElasticError::Parameter {
                name: "c",
                value: c,
                requirement: "the wave speed is positive",
            });
        }
        if let Some(&value) = at.iter().find(|&&xi| !(xi > 0.0 && xi < 1.0)) {
            return Err(ElasticError::Position {
                value,
                range: "strictly between the ends of the string, 0 < ξ < 1",
            });
        }
        let contacts = at
            .iter()
            .enumerate()
            .map(|(j, &xi)| Contact {
                name: contact_name(j, at.len()),
                shape: (1..=modes).map(|k| 2f64.sqrt() * sin_pi(k as f64 * xi)).collect(),
            })
            .collect();
        let omega = (1..=modes).map(|k| c * k as f64 * PI).collect();
        let mut string = Self::new("string", omega, vec![damping; modes], contacts)?;
        string.continuum = Continuum::String {
            c,
            damping,
            at: at.to_vec(),
        };
        Ok(string)
    }

    /// The first `modes` modes of an Euler–Bernoulli cantilever (unit length, density and bending stiffness) clamped at
    /// ξ = 0 and touched at `at`, 0 < ξ ≤ 1: cos β_k cosh β_k = -1, ω_k = β_k², n_k = ±2 at the tip. One damping ratio
    /// for all modes.
    pub fn cantilever(modes: usize, damping: f64, at: &[f64]) -> Result<Self, ElasticError> {
        if let Some(&value) = at.iter().find(|&&xi| !(xi > 0.0 && xi <= 1.0)) {
            return Err(ElasticError::Position {
                value,
                range: "on the beam, 0 < ξ ≤ 1 (ξ = 0 is clamped)",
            });
        }
        let roots: Vec<f64> = (1..=modes).map(beam::cantilever_root).collect();
        let contacts = at
            .iter()
            .enumerate()
            .map(|(j, &xi)| Contact {
                name: contact_name(j, at.len()),
                shape: (1..=modes).map(|k| beam::cantilever_shape(k, xi)).collect(),
            })
            .collect();
        let omega = roots.iter().map(|b| b * b).collect();
        let mut cantilever = Self::new("cantilever", omega, vec![damping; modes], contacts)?;
        cantilever.continuum = Continuum::Cantilever {
            damping,
            at: at.to_vec(),
        };
        Ok(cantilever)
    }

    /// A structure from a table of modes: comma-separated with a header `omega,damping,NAME,…`, one row for each mode,
    /// every further column a contact of that name. Lines starting with `#` are comments.
    pub fn from_csv(name: impl Into<String>, table: impl Read) -> Result<Self, ElasticError> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .flexible(true)
            .from_reader(table);
        let unreadable = |line, error: csv::Error| ElasticError::Table {
            line,
            what: format!("cannot be read: {error}"),
        };
        let header = reader.headers().map_err(|e| unreadable(1, e))?.clone();
        let (line, columns) = (header.position().map_or(1, csv::Position::line), header.len());
        if header.get(0) != Some("omega") || header.get(1) != Some("damping") || columns < 3 {
            let found = header.iter().collect::<Vec<_>>().join(",");
            let what = format!("the header is `{found}`; write `omega,damping,NAME` with one NAME for each contact");
            return Err(ElasticError::Table { line, what });
        }
        let mut data = vec![Vec::new(); columns];
        for record in reader.records() {
            let record = record.map_err(|e| unreadable(e.position().map_or(0, csv::Position::line), e))?;
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != columns {
                let what = format!(
                    "{} columns where the header has {columns}; numbers take a decimal point, not a comma",
                    record.len()
                );
                return Err(ElasticError::Table { line, what });
            }
            for ((text, column), title) in record.iter().zip(&mut data).zip(&header) {
                let value: f64 = text.parse().map_err(|_| ElasticError::Table {
                    line,
                    what: format!("`{text}` in column `{title}` is not a number; write it like 1.25 or 3.1e-4"),
                })?;
                column.push(value);
            }
        }
        let mut columns = data.into_iter();
        let (omega, damping) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        let contacts = header
            .iter()
            .skip(2)
            .zip(columns)
            .map(|(t, shape)| Contact {
                name: t.to_owned(),
                shape,
            })
            .collect();
        Self::new(name, omega, damping, contacts)
    }

    /// The `modes` lowest modes with the contacts called so; with all of them if none is named.
    pub fn truncated(&self, modes: usize, contacts: &[String]) -> Result<Self, ElasticError> {
        let known: Vec<&str> = self.contacts.iter().map(|c| c.name.as_str()).collect();
        let mut chosen = vec![];
        for name in contacts {
            let Some(i) = known.iter().position(|k| k == name) else {
                let what = format!("there is no contact `{name}` among the columns {}", known.join(", "));
                return Err(ElasticError::Table { line: 1, what });
            };
            chosen.push(i);
        }
        if contacts.is_empty() {
            chosen.extend(0..known.len());
        }
        if modes > self.modes() {
            let what = format!("{modes} modes are asked for, the table has {}", self.modes());
            return Err(ElasticError::Table { line: 1, what });
        }
        let mut order: Vec<usize> = (0..self.modes()).collect();
        order.sort_by(|&i, &j| self.omega[i].total_cmp(&self.omega[j]));
        order.truncate(modes);
        let pick = |values: &[f64]| order.iter().map(|&k| values[k]).collect::<Vec<f64>>();
        let contact = |&i: &usize| Contact {
            name: self.contacts[i].name.clone(),
            shape: pick(&self.contacts[i].shape),
        };
        let contacts = chosen.iter().map(contact).collect();
        Self::new(self.name.clone(), pick(&self.omega), pick(&self.damping), contacts)
    }

    fn validate(&self) -> Result<(), ElasticError> {
        let (structure, modes) = (self.name.clone(), self.omega.len());
        if modes == 0 {
            return Err(ElasticError::NoModes { structure });
        }
        if self.contacts.is_empty() {
            return Err(ElasticError::NoContacts { structure });
        }
        if self.damping.len() != modes {
            let (what, found) = ("the list of damping ratios".to_owned(), self.damping.len());
            return Err(ElasticError::Length {
                structure,
                what,
                found,
                modes,
            });
        }
        for (k, (&w, &d)) in self.omega.iter().zip(&self.damping).enumerate() {
            if !(w.is_finite() && w > 0.0) {
                return Err(ElasticError::Frequency {
                    structure,
                    mode: k + 1,
                    value: w,
                });
            }
            if !(0.0..1.0).contains(&d) {
                return Err(ElasticError::Damping {
                    structure,
                    mode: k + 1,
                    value: d,
                });
            }
        }
        for contact in &self.contacts {
            if contact.shape.len() != modes {
                let (what, found) = (format!("contact `{}`", contact.name), contact.shape.len());
                return Err(ElasticError::Length {
                    structure,
                    what,
                    found,
                    modes,
                });
            }
            if let Some(k) = contact.shape.iter().position(|n| !n.is_finite()) {
                let contact_name = contact.name.clone();
                return Err(ElasticError::Shape {
                    structure,
                    mode: k + 1,
                    contact: contact_name,
                    value: contact.shape[k],
                });
            }
        }
        let mut order: Vec<usize> = (0..modes).collect();
        order.sort_by(|&i, &j| self.omega[i].total_cmp(&self.omega[j]));
        for pair in order.windows(2) {
            let (low, high) = (self.omega[pair[0]], self.omega[pair[1]]);
            if high - low <= 1e-12 * high {
                let (first, second) = (pair[0].min(pair[1]) + 1, pair[0].max(pair[1]) + 1);
                return Err(ElasticError::Repeated {
                    structure,
                    first,
                    second,
                    value: low,
                });
            }
        }
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// How many modes are kept.
    pub fn modes(&self) -> usize {
        self.omega.len()
    }
    /// Natural frequencies ω_k.
    pub fn omega(&self) -> &[f64] {
        &self.omega
    }
    /// Damping ratios D_k.
    pub fn damping(&self) -> &[f64] {
        &self.damping
    }
    /// The contact points.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    /// What the modes are a truncation of.
    pub fn continuum(&self) -> &Continuum {
        &self.continuum
    }
    /// The largest natural frequency.
    pub fn omega_max(&self) -> f64 {
        self.omega.iter().fold(0.0, |a, &b| a.max(b))
    }

    /// The right limit L₁(0+) of the kernel of the continuum at contact `j`: arccos(D) / (π c √(1 - D²)) for the
    /// string, 0 for the beam, `None` when only modes are known (for finitely many modes L₁ is continuous and starts at
    /// 0).
    pub fn kernel_jump(&self, j: usize) -> Option<f64> {
        match &self.continuum {
            Continuum::String { c, damping, at } => at
                .get(j)
                .map(|_| damping.acos() / (PI * c * (1.0 - damping * damping).sqrt())),
            Continuum::Cantilever { at, .. } => at.get(j).map(|_| 0.0),
            Continuum::Unknown => None,
        }
    }
}

fn contact_name(j: usize, of: usize) -> String {
    if of == 1 {
        "contact".to_owned()
    } else {
        format!("contact{}", j + 1)
    }
}

/// sin(π x), exact at the zeros.
fn sin_pi(x: f64) -> f64 {
    let r = x - 2.0 * (x / 2.0).round();
    if r.abs() <= 0.25 {
        (PI * r).sin()
    } else if r.abs() <= 0.75 {
        r.signum() * (PI * (0.5 - r.abs())).cos()
    } else {
        r.signum() * (PI * (1.0 - r.abs())).sin()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_mass_of_the_string_seen_at_two_fifths_is_the_number_of_modes() {
        for modes in [20, 40, 80, 160] {
            let string = Structure::string(modes, 1.0, 0.1, &[0.4]).unwrap();
            let mass: f64 = string.contacts()[0].shape.iter().map(|n| n * n).sum();
            assert!((mass - modes as f64).abs() < 1e-11, "{mass}");
            assert_eq!(string.omega()[3], 4.0 * PI);
        }
    }

    #[test]
    fn static_compliance_of_both_structures_is_the_textbook_value() {
        let compliance = |s: &Structure| -> f64 {
            s.contacts()[0]
                .shape
                .iter()
                .zip(s.omega())
                .map(|(n, w)| (n / w).powi(2))
                .sum()
        };
        // tail of the string: Σ_{k>N} 2 sin²/(kπ)² = 1/(π² N) up to an oscillating term of order N⁻²
        let string = Structure::string(20_000, 1.0, 0.0, &[0.4]).unwrap();
        assert!((compliance(&string) + 1.0 / (PI * PI * 20_000.0) - 0.24).abs() < 1e-8);
        let beam = Structure::cantilever(160, 0.0, &[1.0]).unwrap();
        assert!((compliance(&beam) - 0.333_333_329_99).abs() < 1e-11);
        // deflection at ξ under a unit load at ξ is ξ³/3
        let inner = Structure::cantilever(400, 0.0, &[0.7]).unwrap();
        assert!(
            (compliance(&inner) - 0.343 / 3.0).abs() < 1e-9,
            "{}",
            compliance(&inner) - 0.343 / 3.0
        );
    }

    #[test]
    fn a_table_of_modes_gives_back_the_structure() {
        let text = "# tuned by hand\nomega, damping, tip, middle\n3.5, 0.1, 2.0, 1.0\n22.0,0.2,-2.0,0.5\n";
        let s = Structure::from_csv("plate", text.as_bytes()).unwrap();
        assert_eq!((s.omega(), s.damping()), (&[3.5, 22.0][..], &[0.1, 0.2][..]));
        assert_eq!(
            s.contacts()[1],
            Contact {
                name: "middle".into(),
                shape: vec![1.0, 0.5]
            }
        );
        assert_eq!(s.kernel_jump(0), None);
    }

    #[test]
    fn bad_structures_are_refused_in_words() {
        let say = |text: &str| Structure::from_csv("s", text.as_bytes()).unwrap_err().to_string();
        assert!(say("omega,damping,n\n1,1,1\n").contains("mode 1: damping ratio D = 1; 0 ≤ D < 1"));
        assert!(say("omega,damping,n\n1,-0.1,1\n").contains("D = -0.1"));
        assert!(
            say("omega,damping,n\n2,0,1\n1,0,1\n2,0,3\n").contains("modes 1 and 3 have the same natural frequency 2")
        );
        assert!(say("omega,damping,n\nNaN,0,1\n").contains("natural frequency NaN"));
        assert!(say("omega,damping,n\n0,0,1\n").contains("rigid-body"));
        assert!(say("omega,damping,n\n1,0,inf\n").contains("contact `n`: mode shape value inf"));
        assert!(say("omega,damping,n\n").contains("no modes"));
        assert!(say("omega,damping\n1,0\n").contains("line 1: the header is `omega,damping`"));
        assert!(say("omega,damping,n\n1,0,1\n1,5,0,1\n").contains("line 3: 4 columns"));
        assert!(say("omega,damping,n\n1,0,one\n").contains("line 2: `one` in column `n`"));
        let position = Structure::string(3, 1.0, 0.1, &[1.0]).unwrap_err().to_string();
        assert!(position.contains("ξ = 1") && position.contains("0 < ξ < 1"));
        assert!(matches!(
            Structure::string(3, 0.0, 0.1, &[0.4]),
            Err(ElasticError::Parameter { name: "c", .. })
        ));
        assert!(Structure::cantilever(3, 0.1, &[0.0]).is_err());
        assert!(matches!(
            Structure::string(3, 1.0, 0.1, &[]),
            Err(ElasticError::NoContacts { .. })
        ));
        let short = Structure::new(
            "s",
            vec![1.0, 2.0],
            vec![0.0],
            vec![Contact {
                name: "a".into(),
                shape: vec![1.0; 2],
            }],
        );
        assert!(matches!(short, Err(ElasticError::Length { found: 1, modes: 2, .. })));
    }
}
