//! The numbers that the points of a cloud have besides their positions.

use super::points::{CloudLayout, CloudPoint, CloudSource, MAX_KEPT};
use crate::FileError;
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::Path;

/// A number of each point of a cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CloudField {
    Time,
    GeometryId,
    PrimitiveId,
    Ring,
    Column,
    RayId,
    Label,
    /// A column of whole numbers that is kept, by its number and name.
    Kept(usize, String),
    Distance,
    Intensity,
    NormalizedIntensity,
    ReturnNumber,
    NumberOfReturns,
    Incidence,
    /// The angle from straight down, which LAS has alone.
    ScanAngle,
    /// The number of the pose, which LAS has alone.
    PoseNumber,
    /// The part of the normal along an axis.
    Normal(usize),
    /// The red, the green or the blue of the point's colour.
    Color(usize),
    /// The colour as the Point Cloud Library has it, in the bits of a float32.
    PackedColor,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberKind {
    F64,
    F32,
    U32,
    I32,
    U8,
}

impl NumberKind {
    /// The bytes of a number.
    pub fn byte_count(self) -> u16 {
        match self {
            Self::F64 => 8,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::U8 => 1,
        }
    }
}

impl CloudLayout {
    /// The fields of each point, in the order in which all formats have them.
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

    /// Refuses columns that have the name of a field, that some format cannot hold, or that are too
    /// many.
    pub(crate) fn check(&self, path: &Path) -> Result<(), FileError> {
        let refuse = |reason| Err(FileError::meaning(path, "", reason));
        if self.kept.len() > MAX_KEPT {
            return refuse(format!("keeps at most {MAX_KEPT} columns of whole numbers"));
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
                    "a point's number can be called by at most {MAX_NAME} letters, digits and underscores, and not '{name}': rename the column"
                ));
            }
            if !taken.insert(name.to_ascii_lowercase()) {
                return refuse(format!(
                    "a point has another number that is called {name}: rename the column"
                ));
            }
        }
        Ok(())
    }
}

/// The longest name of a column, which LAS limits.
const MAX_NAME: usize = 31;

/// Names that some format has for numbers of its own, in lower case.
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

    /// The name that the Point Cloud Library has for it.
    pub fn pcl_name(&self) -> &str {
        match self {
            Self::Normal(axis) => ["normal_x", "normal_y", "normal_z"][*axis],
            other => other.name(),
        }
    }

    pub fn kind(&self) -> NumberKind {
        match self {
            Self::Time => NumberKind::F64,
            Self::Distance
            | Self::Intensity
            | Self::NormalizedIntensity
            | Self::Incidence
            | Self::ScanAngle
            | Self::Normal(_)
            | Self::PackedColor => NumberKind::F32,
            Self::ReturnNumber | Self::NumberOfReturns | Self::Color(_) => NumberKind::U8,
            Self::Kept(..) => NumberKind::I32,
            // The Point Cloud Library reads labels of this type alone.
            Self::Label => NumberKind::U32,
            Self::GeometryId
            | Self::PrimitiveId
            | Self::Ring
            | Self::Column
            | Self::RayId
            | Self::PoseNumber => NumberKind::U32,
        }
    }

    /// Writes the number of a point in little-endian order.
    pub fn write(&self, point: &CloudPoint, file: &mut impl Write) -> io::Result<()> {
        let [row, column] = point.pixel;
        match self {
            Self::Time => file.write_all(&point.time.to_le_bytes()),
            Self::GeometryId => file.write_all(&point.geometry_id.to_le_bytes()),
            Self::PrimitiveId => file.write_all(&point.primitive_id.to_le_bytes()),
            Self::Ring | Self::RayId => file.write_all(&row.to_le_bytes()),
            Self::Column => file.write_all(&column.to_le_bytes()),
            Self::Label => file.write_all(&u32::from(point.label).to_le_bytes()),
            Self::Kept(at, _) => file.write_all(&point.kept[*at].to_le_bytes()),
            Self::Distance => file.write_all(&point.distance.to_le_bytes()),
            Self::Intensity => file.write_all(&point.intensity.to_le_bytes()),
            Self::NormalizedIntensity => file.write_all(&point.normalized_intensity.to_le_bytes()),
            Self::ReturnNumber => file.write_all(&[point.return_number]),
            Self::NumberOfReturns => file.write_all(&[point.number_of_returns]),
            Self::Incidence => file.write_all(&point.incidence.to_le_bytes()),
            Self::ScanAngle => file.write_all(&point.scan_angle.to_le_bytes()),
            Self::PoseNumber => file.write_all(&point.pose_number.to_le_bytes()),
            Self::Normal(axis) => file.write_all(&point.normal[*axis].to_le_bytes()),
            Self::Color(part) => file.write_all(&[point.color[*part]]),
            Self::PackedColor => {
                let [red, green, blue] = point.color;
                file.write_all(&[blue, green, red, 0])
            }
        }
    }

    /// Reads the number of a point that [`Self::write`] wrote.
    pub fn read(&self, point: &mut CloudPoint, file: &mut impl Read) -> io::Result<()> {
        fn next<const N: usize>(file: &mut impl Read) -> io::Result<[u8; N]> {
            let mut bytes = [0; N];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        let [row, column] = &mut point.pixel;
        match self {
            Self::Time => point.time = f64::from_le_bytes(next(file)?),
            Self::GeometryId => point.geometry_id = u32::from_le_bytes(next(file)?),
            Self::PrimitiveId => point.primitive_id = u32::from_le_bytes(next(file)?),
            Self::Ring | Self::RayId => *row = u32::from_le_bytes(next(file)?),
            Self::Column => *column = u32::from_le_bytes(next(file)?),
            Self::Label => point.label = u32::from_le_bytes(next(file)?) as u16,
            Self::Kept(at, _) => point.kept[*at] = i32::from_le_bytes(next(file)?),
            Self::Distance => point.distance = f32::from_le_bytes(next(file)?),
            Self::Intensity => point.intensity = f32::from_le_bytes(next(file)?),
            Self::NormalizedIntensity => {
                point.normalized_intensity = f32::from_le_bytes(next(file)?);
            }
            Self::ReturnNumber => [point.return_number] = next(file)?,
            Self::NumberOfReturns => [point.number_of_returns] = next(file)?,
            Self::Incidence => point.incidence = f32::from_le_bytes(next(file)?),
            Self::ScanAngle => point.scan_angle = f32::from_le_bytes(next(file)?),
            Self::PoseNumber => point.pose_number = u32::from_le_bytes(next(file)?),
            Self::Normal(axis) => point.normal[*axis] = f32::from_le_bytes(next(file)?),
            Self::Color(part) => [point.color[*part]] = next(file)?,
            Self::PackedColor => {
                let [blue, green, red, _] = next(file)?;
                point.color = [red, green, blue];
            }
        }
        Ok(())
    }
}
