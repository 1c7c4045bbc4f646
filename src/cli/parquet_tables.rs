//! Large tables as Parquet, compressed by Zstandard, with the study in the footer.

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use slipstick_report::{Column, ReportError, Table, TableFormat, TableWriter, unwritable};
use std::fs::File;
use std::sync::Arc;

/// Rows that are compressed together.
const GROUP: usize = 1 << 16;

/// Tables of a study as Parquet.
#[derive(Debug)]
pub(super) struct ParquetFormat {
    /// The text of the study.
    pub(super) study: String,
}

struct Parquet {
    /// None until the first rows tell the columns.
    writer: Option<SerializedFileWriter<File>>,
    file: Option<File>,
    properties: Arc<WriterProperties>,
    waiting: Table,
}

impl TableFormat for ParquetFormat {
    fn ending(&self) -> &'static str {
        "parquet"
    }

    fn begin(&self, file: File) -> Result<Box<dyn TableWriter>, ReportError> {
        let study = KeyValue::new("study".to_owned(), self.study.clone());
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(parquet::basic::ZstdLevel::default()))
            .set_created_by(format!("slipstick {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(vec![study]))
            .build();
        Ok(Box::new(Parquet {
            writer: None,
            file: Some(file),
            properties: Arc::new(properties),
            waiting: Table::default(),
        }))
    }
}

impl TableWriter for Parquet {
    fn write(&mut self, rows: &Table) -> Result<(), ReportError> {
        self.waiting.append(rows.clone())?;
        if self.waiting.rows() >= GROUP {
            self.group().map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<File, ReportError> {
        self.group().map_err(failed)?;
        match (self.writer, self.file) {
            (Some(writer), _) => writer.into_inner().map_err(failed),
            (None, Some(file)) => Ok(file),
            (None, None) => Err(unwritable(std::io::Error::other("the table was not begun"))),
        }
    }
}

impl Parquet {
    /// Write the rows that wait.
    fn group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.waiting);
        if let Some(file) = self.file.take() {
            let schema = schema(&rows)?;
            self.writer = Some(SerializedFileWriter::new(file, schema, Arc::clone(&self.properties))?);
        }
        let Some(writer) = self.writer.as_mut().filter(|_| rows.rows() > 0) else {
            return Ok(());
        };
        let mut group = writer.next_row_group()?;
        for (_, column) in rows.columns() {
            let Some(mut chunk) = group.next_column()? else { break };
            match column {
                Column::Number(values) => chunk.typed::<DoubleType>().write_batch(values, None, None)?,
                Column::Flag(values) => chunk.typed::<BoolType>().write_batch(values, None, None)?,
                Column::Text(values) => {
                    let bytes: Vec<ByteArray> = values.iter().map(|v| ByteArray::from(v.as_str())).collect();
                    chunk.typed::<ByteArrayType>().write_batch(&bytes, None, None)?
                }
            };
            chunk.close()?;
        }
        group.close()?;
        Ok(())
    }
}

/// One field for each column.
fn schema(rows: &Table) -> Result<TypePtr, ParquetError> {
    let field = |(name, column): (&str, &Column)| {
        let (physical, logical) = match column {
            Column::Number(_) => (PhysicalType::DOUBLE, None),
            Column::Flag(_) => (PhysicalType::BOOLEAN, None),
            Column::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(field))
    };
    let fields = rows.columns().map(field).collect::<Result<Vec<_>, ParquetError>>()?;
    Type::group_type_builder("table")
        .with_fields(fields)
        .build()
        .map(Arc::new)
}

fn failed(error: ParquetError) -> ReportError {
    unwritable(std::io::Error::other(error))
}
