//! Writes tables of shapes: a row for each closed form, and a column for each number of the used
//! fields.

use super::closed_forms::{closed_forms, types_of};
use super::number_text::number_text;
use crate::tables::{COLOR_COLUMNS, OF_ALL_TYPES, column_names};
use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use glam::DVec3;
use raytwin::fields::FieldKind;
use raytwin::scene::{Appearance, Scene};
use raytwin::shapes::{SHAPE_TYPES, Shape, ShapeType};
use std::io::{self, Write};
use std::sync::Arc;

/// The columns of a scene's table.
struct TableLayout {
    /// The types of shapes and, for each, the columns of its numbers among `fields`; `None` for
    /// those of a field that all shapes of the type have at its default.
    types: Vec<(&'static ShapeType, Vec<Option<usize>>)>,
    /// The names of the columns of numbers.
    fields: Vec<String>,
    has_names: bool,
    has_masks: bool,
    has_labels: bool,
    has_reflectances: bool,
    has_colors: bool,
    /// The names of the columns of whole numbers that the file gave shapes.
    integers: Vec<String>,
    /// The origin that was subtracted from all positions.
    origin: DVec3,
}

impl TableLayout {
    fn of(scene: &Scene) -> Self {
        let any = |is_given: &dyn Fn(u32) -> bool| closed_forms(scene).any(|(id, _)| is_given(id));
        let mut layout = Self {
            types: Vec::new(),
            fields: Vec::new(),
            has_names: any(&|id| scene.name(id).is_some()),
            has_masks: any(&|id| scene.mask(id) != u32::MAX),
            has_labels: any(&|id| scene.appearance(id).label.is_some()),
            has_reflectances: any(&|id| scene.appearance(id).reflectance.is_some()),
            has_colors: any(&|id| scene.appearance(id).color.is_some()),
            integers: Vec::new(),
            origin: scene.origin(),
        };
        for kind in types_of(scene) {
            let mut columns = Vec::new();
            for (name, is_needed) in column_names(kind).into_iter().zip(needed_columns(scene, kind))
            {
                if !is_needed {
                    columns.push(None);
                    continue;
                }
                let known = layout.fields.iter().position(|field| *field == name);
                columns.push(known.or(Some(layout.fields.len())));
                if known.is_none() {
                    layout.fields.push(name);
                }
            }
            layout.types.push((kind, columns));
        }
        let names = scene.integer_names().into_iter().filter(|name| !is_taken(name));
        layout.integers = names.map(str::to_owned).collect();
        layout
    }

    /// True if float32 could not represent the positions.
    fn is_far(&self) -> bool {
        self.origin != DVec3::ZERO
    }

    /// The numbers of a shape in the columns of fields, with the scene's origin added to positions.
    fn numbers(&self, shape: &Shape) -> Vec<Option<f64>> {
        let mut numbers = vec![None; self.fields.len()];
        let name = shape.shape_type().name;
        if let Some((kind, columns)) = self.types.iter().find(|(kind, _)| kind.name == name) {
            let mut row = shape.row();
            add_origin(kind, self.origin, &mut row);
            for (column, number) in columns.iter().zip(row) {
                if let Some(column) = *column {
                    numbers[column] = Some(number);
                }
            }
        }
        numbers
    }
}

/// Adds an origin to the positions among the numbers of a type's row, in float64.
fn add_origin(kind: &ShapeType, origin: DVec3, row: &mut [f64]) {
    let mut rest = row;
    for field in kind.fields {
        let (numbers, after) = rest.split_at_mut(field.kind.columns());
        rest = after;
        if matches!(field.kind, FieldKind::Position | FieldKind::Corners) {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number += origin[index % 3];
            }
        }
    }
}

/// Returns true for the name of a column that describes shapes, which an integer column cannot
/// have.
pub(super) fn is_taken(name: &str) -> bool {
    OF_ALL_TYPES.contains(&name)
        || SHAPE_TYPES.iter().any(|kind| column_names(kind).iter().any(|column| column == name))
}

/// Returns whether a table needs each number of a type's row: not if all shapes of the type have
/// its field at the default.
fn needed_columns(scene: &Scene, kind: &ShapeType) -> Vec<bool> {
    let mut is_needed = Vec::with_capacity(kind.columns());
    for field in kind.fields {
        let columns = is_needed.len()..is_needed.len() + field.kind.columns();
        let is_given = field.default.is_none_or(|default| {
            let mut of_kind = closed_forms(scene)
                .map(|(_, shape)| shape)
                .filter(|shape| shape.shape_type().name == kind.name);
            of_kind.any(|shape| shape.row()[columns.clone()] != *default)
        });
        is_needed.extend(columns.map(|_| is_given));
    }
    is_needed
}

/// Writes a table as text.
pub(super) fn write_csv(scene: &Scene, file: impl Write) -> io::Result<()> {
    let layout = TableLayout::of(scene);
    let mut file = csv::Writer::from_writer(file);
    let mut names = vec!["type"];
    names.extend(layout.has_names.then_some("name"));
    names.extend(layout.has_masks.then_some("mask"));
    names.extend(layout.has_labels.then_some("label"));
    names.extend(layout.has_reflectances.then_some("reflectance"));
    names.extend(layout.has_colors.then_some(COLOR_COLUMNS).into_iter().flatten());
    names.extend(layout.fields.iter().chain(&layout.integers).map(String::as_str));
    file.write_record(&names)?;
    for (id, shape) in closed_forms(scene) {
        let mut cells = vec![shape.shape_type().name.to_owned()];
        if layout.has_names {
            cells.push(scene.name(id).map_or(String::new(), |name| name.to_string()));
        }
        if layout.has_masks {
            cells.push(scene.mask(id).to_string());
        }
        let Appearance { color, label, reflectance } = scene.appearance(id);
        if layout.has_labels {
            cells.push(label.map_or(String::new(), |label| label.to_string()));
        }
        if layout.has_reflectances {
            cells.push(reflectance.map_or(String::new(), |share| number_text(share.into())));
        }
        if layout.has_colors {
            let level = |index: usize| color.map(|color| f64::from(color[index]));
            cells.extend((0..3).map(|index| level(index).map_or(String::new(), number_text)));
        }
        let numbers = layout.numbers(&shape).into_iter();
        let text = |number| match layout.is_far() {
            true => format!("{number:?}"),
            false => number_text(number),
        };
        cells.extend(numbers.map(|number| number.map_or(String::new(), text)));
        cells.extend(layout.integers.iter().map(|name| scene.integer(name, id).to_string()));
        file.write_record(&cells)?;
    }
    file.flush()
}

/// Writes a table as columns of a Parquet file.
pub(super) fn write_parquet(scene: &Scene, file: impl Write + Send) -> io::Result<()> {
    write_columns(scene, file).map_err(|error| match error {
        ParquetError::External(cause) => io::Error::other(cause),
        error => io::Error::other(error),
    })
}

fn write_columns(scene: &Scene, file: impl Write + Send) -> Result<()> {
    const ROWS_IN_GROUP: usize = 1 << 20;
    let layout = TableLayout::of(scene);
    let text = |name| optional(name, Physical::BYTE_ARRAY, Some(LogicalType::String));
    let float = |name| optional(name, Physical::FLOAT, None);
    let mut fields = vec![text("type")?];
    fields.extend(layout.has_names.then(|| text("name")).transpose()?);
    let unsigned = Some(LogicalType::integer(32, false));
    fields
        .extend(layout.has_masks.then(|| optional("mask", Physical::INT32, unsigned)).transpose()?);
    let short = Some(LogicalType::integer(16, false));
    fields
        .extend(layout.has_labels.then(|| optional("label", Physical::INT32, short)).transpose()?);
    fields.extend(layout.has_reflectances.then(|| float("reflectance")).transpose()?);
    if layout.has_colors {
        fields.extend(COLOR_COLUMNS.map(float).into_iter().collect::<Result<Vec<_>>>()?);
    }
    for name in &layout.fields {
        fields.push(match layout.is_far() {
            true => optional(name, Physical::DOUBLE, None)?,
            false => float(name)?,
        });
    }
    for name in &layout.integers {
        fields.push(optional(name, Physical::INT32, None)?);
    }
    let fields = fields.into_iter().map(Arc::new).collect();
    let schema = Type::group_type_builder("shapes").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_created_by(concat!("raytwin ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
        .build();
    let mut file = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    let shapes: Vec<(u32, Shape)> = closed_forms(scene).collect();
    for shapes in shapes.chunks(ROWS_IN_GROUP) {
        let mut group = file.next_row_group()?;
        let types = shapes.iter().map(|(_, shape)| Some(shape.shape_type().name.into()));
        write_column::<ByteArrayType>(&mut group, types)?;
        if layout.has_names {
            let name = |id| scene.name(id).map(|name| ByteArray::from(&name.to_string()[..]));
            write_column::<ByteArrayType>(&mut group, shapes.iter().map(|(id, _)| name(*id)))?;
        }
        if layout.has_masks {
            let masks = shapes.iter().map(|(id, _)| Some(scene.mask(*id) as i32));
            write_column::<Int32Type>(&mut group, masks)?;
        }
        let appearances = || shapes.iter().map(|(id, _)| scene.appearance(*id));
        if layout.has_labels {
            write_column::<Int32Type>(&mut group, appearances().map(|it| Some(it.label?.into())))?;
        }
        if layout.has_reflectances {
            write_column::<FloatType>(&mut group, appearances().map(|it| it.reflectance))?;
        }
        if layout.has_colors {
            for index in 0..3 {
                let levels = appearances().map(|it| Some(it.color?[index]));
                write_column::<FloatType>(&mut group, levels)?;
            }
        }
        let rows: Vec<_> = shapes.iter().map(|(_, shape)| layout.numbers(shape)).collect();
        for column in 0..layout.fields.len() {
            let numbers = rows.iter().map(|row| row[column]);
            match layout.is_far() {
                true => write_column::<DoubleType>(&mut group, numbers)?,
                false => {
                    let singles = numbers.map(|number| number.map(|number| number as f32));
                    write_column::<FloatType>(&mut group, singles)?;
                }
            }
        }
        for name in &layout.integers {
            let numbers = shapes.iter().map(|(id, _)| Some(scene.integer(name, *id)));
            write_column::<Int32Type>(&mut group, numbers)?;
        }
        group.close()?;
    }
    file.close().map(drop)
}

fn optional(name: &str, physical: Physical, logical: Option<LogicalType>) -> Result<Type> {
    let leaf = Type::primitive_type_builder(name, physical).with_logical_type(logical);
    leaf.with_repetition(Repetition::OPTIONAL).build()
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are more columns than the schema has".to_owned()));
    };
    let (mut levels, mut there): (Vec<i16>, Vec<T::T>) = Default::default();
    for value in values {
        levels.push(value.is_some().into());
        there.extend(value);
    }
    column.typed::<T>().write_batch(&there, Some(&levels), None)?;
    column.close()
}
