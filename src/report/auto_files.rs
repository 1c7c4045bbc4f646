//! Branches as AUTO's text files: `b.NAME`, one line for each point, and `s.NAME`, the solution at each label.
//!
//! Parameters are numbered in the order of the system, leaving out 11, which holds the period. A solution of a periodic
//! orbit is written over scaled time; its number of intervals is that of the rows of the orbit file. Both files read
//! back with [`read_solutions`].
//!
//! Reference: E. J. Doedel and B. E. Oldeman, *AUTO-07p: Continuation and bifurcation software for ordinary
//! differential equations*, Concordia University (2012), appendix on output files.

use super::{Column, ReportError, RunData, Table};
use std::fmt::Write as _;

/// Where AUTO keeps the period among the parameters, counted from 1.
const PERIOD: usize = 11;

/// The number (from 1) under which AUTO knows a parameter of the system.
pub fn auto_number(index: usize) -> usize {
    if index + 1 < PERIOD { index + 1 } else { index + 2 }
}

/// One solution of an `s.` file.
///
/// ```
/// use slipstick_report::AutoSolution;
/// let cycle = AutoSolution {
///     label: 4,
///     kind: 9,
///     t: vec![0.0, 0.5, 1.0],
///     states: vec![vec![1.0], vec![-1.0], vec![1.0]],
///     parameters: (1..=11).map(f64::from).collect(),
/// };
/// // AUTO keeps the period in PAR(11).
/// assert_eq!(cycle.period(), 11.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AutoSolution {
    /// Its label, a number.
    pub label: usize,
    /// Its type code: 3 is a Hopf point, 9 an end point, and so on.
    pub kind: i64,
    /// Scaled times, from 0 to 1; one for a steady state.
    pub t: Vec<f64>,
    /// The states at these times.
    pub states: Vec<Vec<f64>>,
    /// PAR(1), PAR(2), …
    pub parameters: Vec<f64>,
}

impl AutoSolution {
    /// PAR(11).
    pub fn period(&self) -> f64 {
        self.parameters.get(PERIOD - 1).copied().unwrap_or(f64::NAN)
    }
}

/// What kind of object a curve consists of, with the codes that AUTO has for its labels.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Steady,
    Map,
    Orbit,
}

impl Kind {
    /// AUTO's problem type IPS.
    fn problem(self) -> i64 {
        match self {
            Self::Steady => 1,
            Self::Map => -1,
            Self::Orbit => 2,
        }
    }
    /// AUTO's type code of a label.
    fn code(self, label: &str) -> i64 {
        match (label, self) {
            ("BP" | "SB", Self::Orbit) => 6,
            ("LP", Self::Orbit) => 5,
            ("BP" | "SB", _) => 1,
            ("LP", _) => 2,
            ("HB", _) => 3,
            ("UZ", _) => -4,
            ("PD", _) => 7,
            ("NS", _) => 8,
            ("EP", _) => 9,
            ("MX", _) => -9,
            _ => 0,
        }
    }
}

/// The texts of `b.NAME` and `s.NAME` for one curve of a run. `states` and `parameters` are the names in the order of
/// the system; `free` are the parameters that were followed. Those after the first have columns behind the states, as
/// AUTO prints them.
///
/// # Errors
/// [`ReportError`] when a column is missing.
pub fn branch_files(
    data: &RunData,
    curve: &str,
    states: &[String],
    parameters: &[String],
    free: &[&str],
) -> Result<(String, String), ReportError> {
    let points = data.points.rows_where("curve", curve);
    let labels = points.texts("label")?;
    let index = points.numbers("index")?;
    let period = points.numbers("period")?;
    let stable = points.flags("stable")?;
    let number = |name: &str| points.numbers(name);
    let steady = points.has("eig1_re") && number("eig1_re")?.iter().any(|v| v.is_finite());
    let kind = if steady {
        Kind::Steady
    } else if data
        .orbits
        .iter()
        .any(|((c, _), o)| c == curve && !o.has("mode") && is_iterated(o))
    {
        Kind::Map
    } else {
        Kind::Orbit
    };
    let values: Vec<&[f64]> = parameters.iter().map(|p| number(p)).collect::<Result<_, _>>()?;
    let followed: Vec<&[f64]> = free.iter().map(|p| number(p)).collect::<Result<_, _>>()?;
    let norm = match points.get("l2_norm") {
        Some(Column::Number(v)) => v.clone(),
        _ => vec![f64::NAN; points.rows()],
    };
    // Angles run on along an orbit, as the phase of a forcing does: they have no largest value.
    let largest = |state: &String| format!("{state}_max");
    let columns: Vec<(String, Vec<f64>)> = states
        .iter()
        .filter(|s| kind != Kind::Orbit || points.has(&largest(s)))
        .map(|s| match kind {
            Kind::Steady | Kind::Map => Ok((s.clone(), number(s)?.to_vec())),
            Kind::Orbit => Ok((format!("MAX {s}"), number(&largest(s))?.to_vec())),
        })
        .collect::<Result<_, ReportError>>()?;
    let known = |name: &&str| parameters.iter().position(|p| p == name).map(auto_number);
    let numbers: Vec<usize> = free.iter().filter_map(known).collect();
    let first = numbers.first().copied().unwrap_or(1);

    let mut b = String::new();
    let _ = writeln!(b, "   0 EPS=   1.0000E-10  EPSL =  1.0000E-10  EPSU =  1.0000E-10");
    let _ = writeln!(
        b,
        "   0 NDIM={:4}   IPS ={:4}   IRS =   0   ILP =   1",
        states.len(),
        kind.problem()
    );
    let listed: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let (plural, listed) = (if listed.len() > 1 { "s: " } else { ":  " }, listed.join(" "));
    let _ = writeln!(b, "   0 User-specified parameter{plural}     {listed}");
    let _ = writeln!(b, "   0 Active continuation parameter{plural}{listed}");
    let mut heads: Vec<String> = free.iter().take(1).map(|p| (*p).to_owned()).collect();
    heads.push("L2-NORM".into());
    heads.extend(columns.iter().map(|c| c.0.clone()));
    heads.extend(free.iter().skip(1).map(|p| (*p).to_owned()));
    if kind == Kind::Orbit {
        heads.push("PERIOD".into());
    }
    let _ = write!(b, "   0    PT  TY  LAB");
    for head in &heads {
        let _ = write!(b, " {head:^18}");
    }
    b.push('\n');
    let mut s = String::new();
    let mut label = 0;
    for row in 0..points.rows() {
        let orbit = data.orbits.get(&(curve.to_owned(), index[row] as usize));
        let written = orbit.filter(|_| !labels[row].is_empty());
        let code = kind.code(&labels[row]);
        if let Some(orbit) = written {
            label += 1;
            let mut own = vec![0.0; PERIOD.max(auto_number(parameters.len().saturating_sub(1)))];
            for (i, v) in values.iter().enumerate() {
                own[auto_number(i) - 1] = v[row];
            }
            if kind == Kind::Orbit {
                own[PERIOD - 1] = period[row];
            }
            let header = (row + 1, code, label, kind);
            push_solution(&mut s, header, first, orbit, states, &own)?;
        }
        let sign = if stable[row] { -1 } else { 1 };
        let point = sign * ((row as i64) % 9999 + 1);
        let _ = write!(
            b,
            "{:4}{point:6}{code:4}{:5}",
            1,
            if written.is_some() { label } else { 0 }
        );
        let mut line: Vec<f64> = followed.iter().take(1).map(|p| p[row]).collect();
        line.push(norm[row]);
        line.extend(columns.iter().map(|c| c.1[row]));
        line.extend(followed.iter().skip(1).map(|p| p[row]));
        if kind == Kind::Orbit {
            line.push(period[row]);
        }
        for v in line {
            let _ = write!(b, " {}", fortran(v, 18, 10));
        }
        b.push('\n');
    }
    Ok((b, s))
}

/// Do the times of an orbit file count iterates?
fn is_iterated(orbit: &Table) -> bool {
    orbit
        .numbers("t")
        .is_ok_and(|t| t.iter().enumerate().all(|(i, &v)| v == i as f64))
}

/// Append one solution.
fn push_solution(
    out: &mut String,
    (point, code, label, kind): (usize, i64, usize, Kind),
    free: usize,
    orbit: &Table,
    states: &[String],
    parameters: &[f64],
) -> Result<(), ReportError> {
    let mut t = orbit.numbers("t")?.to_vec();
    let mut columns: Vec<Vec<f64>> = states
        .iter()
        .map(|s| orbit.numbers(s).map(<[f64]>::to_vec))
        .collect::<Result<_, _>>()?;
    if kind != Kind::Orbit {
        // A cycle of a map is described by its first point.
        t.truncate(1);
        columns.iter_mut().for_each(|c| c.truncate(1));
    }
    let (rows, n) = (t.len(), states.len());
    let (first, span) = (t[0], t[rows - 1] - t[0]);
    let scaled = |v: f64| if span > 0.0 { (v - first) / span } else { 0.0 };
    let lines = |count: usize| count.div_ceil(7);
    // Each row of the orbit is taken as a mesh of one collocation point.
    let (intervals, degree) = if rows > 1 { (rows - 1, 1) } else { (0, 0) };
    let mut after = lines(n + 1) * rows + lines(parameters.len());
    if rows > 1 {
        after += 2 + lines(n) * rows;
    }
    let _ = writeln!(
        out,
        "{:6}{:6}{code:6}{label:6}{:6}{:6}{rows:8}{:6}{after:8}{intervals:5}{degree:5}{:5}{:5}{n:5}{:5}{:5}",
        1,
        point,
        if rows > 1 { 2 } else { 1 },
        1,
        n + 1,
        parameters.len(),
        0,
        kind.problem(),
        0
    );
    for i in 0..rows {
        let row: Vec<f64> = std::iter::once(scaled(t[i]))
            .chain(columns.iter().map(|c| c[i]))
            .collect();
        push_numbers(out, &row);
    }
    if rows > 1 {
        let _ = writeln!(out, "{free:5}{PERIOD:5}");
        push_numbers(out, &[1.0, 0.0]);
        for _ in 0..rows {
            push_numbers(out, &vec![0.0; n]);
        }
    }
    push_numbers(out, parameters);
    Ok(())
}

/// Seven numbers to a line, with all the digits they have.
fn push_numbers(out: &mut String, numbers: &[f64]) {
    for line in numbers.chunks(7) {
        out.push_str("    ");
        for v in line {
            let _ = write!(out, " {}", fortran(*v, 23, 16));
        }
        out.push('\n');
    }
}

/// A number as Fortran writes it: `1.2345678901E-01`, right-adjusted.
fn fortran(v: f64, width: usize, digits: usize) -> String {
    if !v.is_finite() {
        return format!("{:>width$}", "NaN");
    }
    let text = format!("{v:.digits$E}");
    let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{:>width$}", format!("{mantissa}E{sign}{:02}", exponent.abs()))
}

/// All solutions of an `s.` file (`fort.8`).
///
/// # Errors
/// [`ReportError::Csv`] with the line that does not fit the format.
pub fn read_solutions(text: &str, origin: &str) -> Result<Vec<AutoSolution>, ReportError> {
    let lines: Vec<&str> = text.lines().collect();
    let broken = |line: usize, message: &str| ReportError::Csv {
        origin: origin.to_owned(),
        line: line as u64 + 1,
        message: message.to_owned(),
    };
    let mut solutions = vec![];
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim().is_empty() {
            at += 1;
            continue;
        }
        let head: Vec<i64> = lines[at]
            .split_whitespace()
            .map(|w| {
                w.parse().map_err(|_| {
                    broken(
                        at,
                        "the line that begins a solution holds twelve or sixteen whole numbers",
                    )
                })
            })
            .collect::<Result<_, _>>()?;
        if head.len() < 12 || head[6] < 1 || head[7] < 2 || head[8] < 1 {
            return Err(broken(
                at,
                "the line that begins a solution holds twelve or sixteen whole numbers",
            ));
        }
        let [rows, width, after, intervals, count] =
            [head[6], head[7], head[8], head[9], head[11]].map(|v| usize::try_from(v).unwrap_or(0));
        let end = at + 1 + after;
        if end > lines.len() {
            return Err(broken(lines.len(), "the file ends within a solution"));
        }
        // Everything is a stream of numbers; only the free parameters' indices have a length of their own.
        let mut numbers = vec![];
        for (k, line) in lines[at + 1..end].iter().enumerate() {
            for word in line.split_whitespace() {
                let v = parse_fortran(word).ok_or_else(|| broken(at + 1 + k, &format!("`{word}` is not a number")))?;
                numbers.push(v);
            }
        }
        let free = usize::try_from(head[4]).unwrap_or(0);
        let mut wanted = rows * width + count;
        if intervals > 0 && rows > 1 {
            wanted += 2 * free + rows * (width - 1);
        }
        if numbers.len() < wanted {
            return Err(broken(
                at,
                &format!("the solution has {} numbers instead of {wanted}", numbers.len()),
            ));
        }
        let body = &numbers[..rows * width];
        solutions.push(AutoSolution {
            label: usize::try_from(head[3]).unwrap_or(0),
            kind: head[2],
            t: body.chunks_exact(width).map(|r| r[0]).collect(),
            states: body.chunks_exact(width).map(|r| r[1..].to_vec()).collect(),
            parameters: numbers[numbers.len() - count..].to_vec(),
        });
        at = end;
    }
    Ok(solutions)
}

/// A number as Fortran writes it, with `D` for the exponent or without a letter where it has three digits.
fn parse_fortran(word: &str) -> Option<f64> {
    let plain = word.replace(['D', 'd'], "E");
    plain.parse().ok().or_else(|| {
        let sign = plain.rfind(['+', '-']).filter(|&i| i > 0)?;
        format!("{}E{}", &plain[..sign], &plain[sign..]).parse().ok()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_and_read_as_fortran_does() {
        assert_eq!(fortran(0.16504204532356095, 18, 10), "  1.6504204532E-01");
        assert_eq!(fortran(-1000.0, 10, 2), " -1.00E+03");
        for v in [0.1, -2.5e-7, 1e300, 0.0, 1.0 / 3.0] {
            assert_eq!(parse_fortran(fortran(v, 25, 16).trim()), Some(v));
        }
        assert_eq!(parse_fortran("1.5D+02"), Some(150.0));
        assert_eq!(parse_fortran("0.7194826946-100"), Some(0.7194826946e-100));
        assert_eq!(parse_fortran("x"), None);
    }

    /// A solution file in the older format, with lines of seven numbers.
    const OLD: &str = "     1    12     3     4     1     1       1     4       3    0    0    9
         0.0000000000E+00   7.9560197217E+00   7.9560197217E+00   2.3736843677E+01
         2.4736843677E+01   2.6666666667E+00   1.0000000000E+01   0.0000000000E+00   0.0000000000E+00   0.0000000000E+00   0.0000000000E+00
         0.0000000000E+00   0.0000000000E+00
";

    #[test]
    fn a_hopf_point_in_the_older_format() {
        let found = read_solutions(OLD, "s.lrz").unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].label, found[0].kind), (4, 3));
        assert_eq!(found[0].states, vec![vec![7.9560197217, 7.9560197217, 23.736843677]]);
        assert_eq!(found[0].parameters[..3], [24.736843677, 2.6666666667, 10.0]);
        assert!(read_solutions(&OLD[..OLD.len() - 50], "s.lrz").is_err());
        assert!(read_solutions(&OLD.replace("7.95", "seven"), "s.lrz").is_err());
    }
}
