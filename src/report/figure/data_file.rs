//! Reading data of one's own for a diagram.

use super::error::{DataError, FigureError};
use super::spec::{Data, DataColumn, Drawn, Figure};
use slipstick_system::fields::{Separator, doubled_commas, lines, number};
use std::path::Path;

/// Read the data of all diagrams of a figure; their files are named from the folder `home`.
pub(super) fn read_data(figure: &mut Figure, home: &Path) -> Result<(), FigureError> {
    let name = figure.name().to_owned();
    each_data(figure, &mut |data| {
        let wrong = |why| FigureError::Data {
            figure: name.clone(),
            file: data.file.clone(),
            why: Box::new(why),
        };
        let bytes = std::fs::read(home.join(&data.file)).map_err(|e| wrong(DataError::Unreadable(e.to_string())))?;
        data.points = pairs(&String::from_utf8_lossy(&bytes), data).map_err(wrong)?;
        Ok(())
    })
}

fn each_data(
    figure: &mut Figure,
    read: &mut dyn FnMut(&mut Data) -> Result<(), FigureError>,
) -> Result<(), FigureError> {
    match figure {
        Figure::Diagram(diagram) => diagram.data.iter_mut().try_for_each(read),
        Figure::Panels(sheet) => sheet.panels.iter_mut().try_for_each(|panel| each_data(panel, read)),
        _ => Ok(()),
    }
}

/// The two columns of a text. For a line a pair with a missing number stays, to break it.
fn pairs(text: &str, data: &Data) -> Result<Vec<(f64, f64)>, DataError> {
    let lines = lines(text);
    let separator = Separator::of(lines.iter().map(|(_, line)| *line));
    let mut rows = lines.iter().map(|(at, line)| (*at, separator.split(line))).peekable();
    // A header is a first line without any number.
    let header = rows.next_if(|(_, fields)| fields.iter().all(|field| number(field).is_none_or(f64::is_nan)));
    let header = header.map(|(_, fields)| fields);
    let (x, y) = (place(&data.x, header.as_deref())?, place(&data.y, header.as_deref())?);
    let mut points = vec![];
    for (line, fields) in rows {
        if separator == Separator::Comma && doubled_commas(&fields, header.as_ref().map(Vec::len)) {
            return Err(DataError::Commas { line });
        }
        let read = |column: usize| {
            let field = fields.get(column).ok_or(DataError::Short {
                line,
                fields: fields.len(),
                column: column + 1,
            })?;
            number(field).ok_or_else(|| DataError::NoNumber {
                line,
                found: (*field).to_owned(),
            })
        };
        let pair = (read(x)?, read(y)?);
        if data.draw == Drawn::Line || (pair.0.is_finite() && pair.1.is_finite()) {
            points.push(pair);
        }
    }
    if points.iter().any(|pair| pair.0.is_finite() && pair.1.is_finite()) {
        Ok(points)
    } else {
        Err(DataError::Empty)
    }
}

/// The index of a column.
fn place(column: &DataColumn, header: Option<&[&str]>) -> Result<usize, DataError> {
    match column {
        DataColumn::Number(0) => Err(DataError::FromOne),
        DataColumn::Number(n) => Ok(n - 1),
        DataColumn::Name(name) => {
            let known = header.ok_or_else(|| DataError::NoHeader { name: name.clone() })?;
            known
                .iter()
                .position(|other| other == name)
                .ok_or_else(|| DataError::NoColumn {
                    name: name.clone(),
                    known: known.iter().map(|name| (*name).to_owned()).collect(),
                })
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn data(x: DataColumn, y: DataColumn) -> Data {
        Data {
            file: "measured.csv".into(),
            x,
            y,
            draw: Drawn::Points,
            label: String::new(),
            points: vec![],
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let named = |name: &str| DataColumn::Name(name.into());
        let read = |text: &str, y: DataColumn| pairs(text, &data(DataColumn::Number(1), y)).unwrap_err().to_string();
        assert_eq!(
            read("f,a\n1,2\n", named("b")),
            "it has no column `b`; its columns are: f, a"
        );
        assert!(read("1,2\n", named("a")).contains("no header"));
        assert_eq!(read("f,a\n1,2\n\n2,wide\n", named("a")), "line 4: `wide` is no number");
        assert_eq!(
            read("f,a,b\n1,2,3\n2,3\n", DataColumn::Number(3)),
            "line 3 has 2 columns, and column 3 is asked for"
        );
        assert!(read("f,a\n", named("a")).contains("no pair of numbers"));
        assert!(read("1,2\n", DataColumn::Number(0)).contains("from 1"));
    }

    proptest! {
        /// However a logger writes a table, its columns are read by name and by number, and missing values leave rows
        /// out.
        #[test]
        fn columns_are_read_however_they_are_written(
            rows in prop::collection::vec(prop::collection::vec(-1e3f64..1e3, 3), 2..12),
            separator in prop::sample::select(vec![", ", ";", "\t", "   "]),
            decimal in prop::sample::select(vec![".", ","]),
            header in any::<bool>(),
            missing in any::<prop::sample::Index>(),
            (x, y) in prop::sample::select(vec![(0, 1), (2, 0), (1, 2)]),
        ) {
            prop_assume!(!(separator == ", " && decimal == ","));
            let gap = missing.index(rows.len());
            let mut text = String::from("# a measurement\n");
            if header {
                text += &["f", "a_1", "b"].join(separator);
                text.push('\n');
            }
            for (k, row) in rows.iter().enumerate() {
                let fields: Vec<String> = row
                    .iter()
                    .enumerate()
                    .map(|(j, v)| if k == gap && j == y { "NaN".into() } else { v.to_string().replace('.', decimal) })
                    .collect();
                text += &fields.join(separator);
                text.push('\n');
            }
            let wanted: Vec<(f64, f64)> =
                rows.iter().enumerate().filter(|(k, _)| *k != gap).map(|(_, row)| (row[x], row[y])).collect();
            let number = |k: usize| DataColumn::Number(k + 1);
            prop_assert_eq!(pairs(&text, &data(number(x), number(y))).unwrap(), wanted.clone());
            if header {
                let name = |k: usize| DataColumn::Name(["f", "a_1", "b"][k].into());
                prop_assert_eq!(pairs(&text, &data(name(x), name(y))).unwrap(), wanted);
            }
        }
    }
}
