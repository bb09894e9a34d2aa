//! The columns of a cloud: the numbers of its points in addition to their positions.

use super::point_colors::ColorBy;
use super::points::{CloudPoint, MAX_KEPT};
use crate::FileError;
use crate::bytes::number_type::NumberType;
use bytemuck::Pod;
use rayon::prelude::*;
use raytwin::scene::Scene;
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::Path;

/// The columns that are written for each point in addition to its position and its `geometry_id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudLayout {
    /// The origin of the points.
    pub source: CloudSource,
    /// The outward normal.
    pub has_normals: bool,
    /// The label.
    pub has_labels: bool,
    /// The raw and the normalized intensity of the return, its number, the number of returns of its
    /// beam, and the angle of incidence.
    pub has_returns: bool,
    /// The names of integer columns that the scene's file gives to geometries, at most
    /// [`MAX_KEPT`].
    pub kept: Vec<String>,
    /// The colour, and the number that it shows.
    pub color_by: Option<ColorBy>,
}

/// The origin of the points of a cloud, which decides by which numbers they are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloudSource {
    /// An image: each point has its row, `ring`, and its `column`.
    Image,
    /// A file of rays: each point has its `ray_id`.
    Rays,
    /// A scan: each point has its `time`, its `distance`, its primitive, its row, `ring`, and its
    /// `column`.
    Scan,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CloudField {
    Time,
    GeometryId,
    PrimitiveId,
    Ring,
    Column,
    RayId,
    Label,
    /// An integer column that is kept, with its number and name.
    Kept(usize, String),
    Distance,
    Intensity,
    NormalizedIntensity,
    ReturnNumber,
    NumberOfReturns,
    Incidence,
    /// The angle from straight down; only in LAS.
    ScanAngle,
    /// The number of the pose; only in LAS.
    PoseNumber,
    /// The component of the normal along an axis.
    Normal(usize),
    /// The red, the green or the blue of the point's colour.
    Color(usize),
    /// The colour in the notation of the Point Cloud Library, in the bits of a float32.
    PackedColor,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum PointNumber {
    F64(f64),
    F32(f32),
    U32(u32),
    I32(i32),
    U8(u8),
}

impl PointNumber {
    pub fn number_type(self) -> NumberType {
        match self {
            Self::F64(_) => NumberType::F64,
            Self::F32(_) => NumberType::F32,
            Self::U32(_) => NumberType::U32,
            Self::I32(_) => NumberType::I32,
            Self::U8(_) => NumberType::U8,
        }
    }

    /// Writes it in little-endian order.
    pub fn write(self, file: &mut impl Write) -> io::Result<()> {
        match self {
            Self::F64(number) => file.write_all(&number.to_le_bytes()),
            Self::F32(number) => file.write_all(&number.to_le_bytes()),
            Self::U32(number) => file.write_all(&number.to_le_bytes()),
            Self::I32(number) => file.write_all(&number.to_le_bytes()),
            Self::U8(number) => file.write_all(&[number]),
        }
    }
}

impl CloudLayout {
    /// A layout with the columns that every point has.
    pub fn of(source: CloudSource) -> Self {
        Self {
            source,
            has_normals: false,
            has_labels: false,
            has_returns: false,
            kept: Vec::new(),
            color_by: None,
        }
    }

    /// Adds what the scene knows about the geometries that were hit.
    pub fn complete(&self, points: &mut [CloudPoint], scene: &Scene) {
        if !self.has_labels && self.kept.is_empty() && self.color_by.is_none() {
            return;
        }
        points.par_iter_mut().for_each(|point| {
            if self.has_labels {
                point.label = scene.label(point.geometry_id);
            }
            for (number, name) in point.kept.iter_mut().zip(&self.kept) {
                *number = scene.integer(name, point.geometry_id);
            }
            let color =
                self.color_by.as_ref().and_then(|it| it.of_geometry(scene, point.geometry_id));
            point.color = color.unwrap_or_default();
        });
    }

    /// The fields of each point, in the order of all formats.
    pub(crate) fn fields(&self) -> Vec<CloudField> {
        use CloudField::{
            Color, Column, Distance, GeometryId, Incidence, Intensity, Kept, Label, Normal,
            NormalizedIntensity, NumberOfReturns, PrimitiveId, RayId, ReturnNumber, Ring, Time,
        };
        let is_scan = self.source == CloudSource::Scan;
        let mut fields = Vec::new();
        fields.extend(is_scan.then_some(Time));
        fields.push(GeometryId);
        match self.source {
            CloudSource::Image => fields.extend([Ring, Column]),
            CloudSource::Rays => fields.push(RayId),
            CloudSource::Scan => fields.extend([PrimitiveId, Ring, Column]),
        }
        fields.extend(self.has_labels.then_some(Label));
        fields.extend(self.kept.iter().enumerate().map(|(at, name)| Kept(at, name.clone())));
        fields.extend(is_scan.then_some(Distance));
        if self.has_returns {
            fields.extend([Intensity, NormalizedIntensity]);
            fields.extend([ReturnNumber, NumberOfReturns, Incidence]);
        }
        if self.has_normals {
            fields.extend([0, 1, 2].map(Normal));
        }
        if self.color_by.is_some() {
            fields.extend([0, 1, 2].map(Color));
        }
        fields
    }

    /// Rejects columns that have the name of a field, that some format cannot store, or that are
    /// too many.
    pub(crate) fn check(&self, path: &Path) -> Result<(), FileError> {
        let refuse = |reason| Err(FileError::meaning(path, "", reason));
        if self.kept.len() > MAX_KEPT {
            return refuse(format!("can have at most {MAX_KEPT} columns of whole numbers"));
        }
        let fields = self.fields();
        let own = fields.iter().filter(|field| !matches!(field, CloudField::Kept(..)));
        let mut taken: HashSet<String> = own.map(|field| field.name().to_owned()).collect();
        taken.extend(RESERVED.map(str::to_owned));
        taken.extend(self.color_by.as_ref().map(|_| CloudField::PackedColor.name().to_owned()));
        for name in &self.kept {
            let is_word = name.len() <= MAX_NAME
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !name.starts_with(|first: char| first.is_ascii_digit());
            if name.is_empty() || !is_word {
                return refuse(format!(
                    "the name of a point's number may have at most {MAX_NAME} letters, digits and underscores, and '{name}' is not such a name: rename the column"
                ));
            }
            if !taken.insert(name.to_ascii_lowercase()) {
                return refuse(format!(
                    "a point already has a number called {name}: rename the column"
                ));
            }
        }
        Ok(())
    }
}

/// The longest name of a column, which LAS limits.
const MAX_NAME: usize = 31;

/// Names that some format uses for its own numbers, in lower case.
const RESERVED: [&str; 22] = [
    "x",
    "y",
    "z",
    "time",
    "ring",
    "intensity",
    "return_number",
    "number_of_returns",
    "classification",
    "raw_classification",
    "classification_flags",
    "scan_angle",
    "scan_angle_rank",
    "scan_direction_flag",
    "edge_of_flight_line",
    "scanner_channel",
    "synthetic",
    "key_point",
    "withheld",
    "user_data",
    "point_source_id",
    "gps_time",
];

impl CloudField {
    pub fn name(&self) -> &str {
        match self {
            Self::Time => "time",
            Self::GeometryId => "geometry_id",
            Self::PrimitiveId => "primitive_id",
            Self::Ring => "ring",
            Self::Column => "column",
            Self::RayId => "ray_id",
            Self::Label => "label",
            Self::Distance => "distance",
            Self::Intensity => "intensity",
            Self::NormalizedIntensity => "normalized_intensity",
            Self::ReturnNumber => "return_number",
            Self::NumberOfReturns => "number_of_returns",
            Self::Incidence => "incidence",
            Self::ScanAngle => "scan_angle",
            Self::PoseNumber => "pose_number",
            Self::Kept(_, name) => name,
            Self::Normal(axis) => ["nx", "ny", "nz"][*axis],
            Self::Color(part) => ["red", "green", "blue"][*part],
            Self::PackedColor => "rgb",
        }
    }

    /// The Point Cloud Library's name for it.
    pub fn pcl_name(&self) -> &str {
        match self {
            Self::Normal(axis) => ["normal_x", "normal_y", "normal_z"][*axis],
            other => other.name(),
        }
    }

    pub fn number_type(&self) -> NumberType {
        self.zero().number_type()
    }

    /// The number of a point of zeros.
    pub fn zero(&self) -> PointNumber {
        self.number(&CloudPoint::default())
    }

    pub fn number(&self, point: &CloudPoint) -> PointNumber {
        use PointNumber::{F32, F64, I32, U8, U32};
        let [row, column] = point.pixel;
        match self {
            Self::Time => F64(point.time),
            Self::GeometryId => U32(point.geometry_id),
            Self::PrimitiveId => U32(point.primitive_id),
            Self::Ring | Self::RayId => U32(row),
            Self::Column => U32(column),
            // The Point Cloud Library reads only labels of this type.
            Self::Label => U32(point.label.into()),
            Self::Kept(at, _) => I32(point.kept[*at]),
            Self::Distance => F32(point.distance),
            Self::Intensity => F32(point.intensity),
            Self::NormalizedIntensity => F32(point.normalized_intensity),
            Self::ReturnNumber => U8(point.return_number),
            Self::NumberOfReturns => U8(point.number_of_returns),
            Self::Incidence => F32(point.incidence),
            Self::ScanAngle => F32(point.scan_angle),
            Self::PoseNumber => U32(point.pose_number),
            Self::Normal(axis) => F32(point.normal[*axis]),
            Self::Color(part) => U8(point.color[*part]),
            Self::PackedColor => {
                let [red, green, blue] = point.color;
                F32(f32::from_le_bytes([blue, green, red, 0]))
            }
        }
    }

    /// Writes the number of a point in little-endian order.
    pub fn write(&self, point: &CloudPoint, file: &mut impl Write) -> io::Result<()> {
        self.number(point).write(file)
    }

    /// Reads the number of a point that [`Self::write`] wrote.
    pub fn read(&self, point: &mut CloudPoint, file: &mut impl Read) -> io::Result<()> {
        let [row, column] = &mut point.pixel;
        match self {
            Self::Time => read(&mut point.time, file),
            Self::GeometryId => read(&mut point.geometry_id, file),
            Self::PrimitiveId => read(&mut point.primitive_id, file),
            Self::Ring | Self::RayId => read(row, file),
            Self::Column => read(column, file),
            Self::Label => {
                let mut label = 0_u32;
                read(&mut label, file)?;
                point.label = label as u16;
                Ok(())
            }
            Self::Kept(at, _) => read(&mut point.kept[*at], file),
            Self::Distance => read(&mut point.distance, file),
            Self::Intensity => read(&mut point.intensity, file),
            Self::NormalizedIntensity => read(&mut point.normalized_intensity, file),
            Self::ReturnNumber => read(&mut point.return_number, file),
            Self::NumberOfReturns => read(&mut point.number_of_returns, file),
            Self::Incidence => read(&mut point.incidence, file),
            Self::ScanAngle => read(&mut point.scan_angle, file),
            Self::PoseNumber => read(&mut point.pose_number, file),
            Self::Normal(axis) => read(&mut point.normal[*axis], file),
            Self::Color(part) => read(&mut point.color[*part], file),
            // It is made from the three components, which are kept.
            Self::PackedColor => Ok(()),
        }
    }
}

/// Reads a number in little-endian order.
fn read<T: Pod>(number: &mut T, file: &mut impl Read) -> io::Result<()> {
    let bytes = bytemuck::bytes_of_mut(number);
    file.read_exact(bytes)?;
    if cfg!(target_endian = "big") {
        bytes.reverse();
    }
    Ok(())
}
