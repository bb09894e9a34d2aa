//! LAS 1.4 with point format 6, or 7 for points with colours, written with the crates `las` and
//! `laz`. Positions are 32-bit integers with a scale and an offset. Everything that the format has
//! no field for is in extra bytes, which a record in the header describes. The tests check the
//! files against the specification, LAS 1.4 - R15.

use super::columns::CloudField;
use super::points::CloudPoint;
use super::spilled::WholeCloud;
use super::survey::Survey;
use glam::DVec3;
use las::point::{Classification, Format};
use las::raw::point::ScanAngle;
use las::{Builder, Color, Header, Point, Transform, Vector, Vlr};
use laz::{LazVlr, LazVlrBuilder, ParLasZipCompressor};
use std::collections::BTreeMap;
use std::io::{self, Cursor, Seek, Write};

/// The fields that LAS has in addition to those of other formats.
pub(super) static OWN_FIELDS: [CloudField; 2] = [CloudField::ScanAngle, CloudField::PoseNumber];

/// The possible scales. The coarsest reaches to 2e11, far above the largest coordinates of shapes.
const SCALES: [f64; 12] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];

/// The step of scan angles, in degrees.
const SCAN_ANGLE_STEP: f32 = 0.006;

/// The largest number of positions of a sensor, which a file numbers from 1.
pub const MOST_LAS_POSITIONS: usize = u16::MAX as usize;

/// The number of points that are compressed together, by all threads.
const POINTS_AT_A_TIME: usize = 1 << 20;

/// Returns true for a field that the point format has.
fn is_native(field: &CloudField) -> bool {
    matches!(
        field,
        CloudField::Time
            | CloudField::Intensity
            | CloudField::NormalizedIntensity
            | CloudField::ReturnNumber
            | CloudField::NumberOfReturns
            | CloudField::ScanAngle
            | CloudField::PoseNumber
            | CloudField::Color(_)
    )
}

/// Writes a file, and counts the points whose label is not a class of the format.
pub(super) fn write(
    mut file: impl Write + Seek + Send + Sync,
    is_compressed: bool,
    cloud: &mut WholeCloud<'_>,
) -> io::Result<()> {
    let WholeCloud { points, bounds, survey, unclassified } = cloud;
    let maker = PointMaker {
        has_time: points.fields.contains(&CloudField::Time),
        has_returns: points.fields.contains(&CloudField::Intensity),
        has_labels: points.fields.contains(&CloudField::Label),
        has_colors: points.fields.contains(&CloudField::Color(0)),
        extra: points.fields.iter().filter(|field| !is_native(field)).cloned().collect(),
        survey,
    };
    let (mut header, laz) = maker.header(is_compressed, *bounds)?;
    // The header contains the number of the points and their bounds.
    points.each(|point| {
        header.add_point(&maker.point(point)?);
        *unclassified += u64::from(maker.has_labels && classification(point.label).is_none());
        Ok(())
    })?;
    write_header(&header, &mut file).map_err(io::Error::other)?;
    let format = *header.point_format();
    let raw = |point: &CloudPoint, bytes: &mut Vec<u8>| {
        let mut raw =
            maker.point(point)?.into_raw(header.transforms()).map_err(io::Error::other)?;
        // The crate truncates the steps of the angle.
        raw.scan_angle = ScanAngle::Scaled((point.scan_angle / SCAN_ANGLE_STEP).round() as i16);
        raw.write_to(bytes, &format).map_err(io::Error::other)
    };
    let mut bytes = Vec::new();
    match laz {
        None => points.each(|point| {
            bytes.clear();
            raw(point, &mut bytes)?;
            file.write_all(&bytes)
        })?,
        Some(laz) => {
            let mut compressor = ParLasZipCompressor::new(file, laz).map_err(io::Error::other)?;
            let most = POINTS_AT_A_TIME * usize::from(format.len());
            points.each(|point| {
                raw(point, &mut bytes)?;
                if bytes.len() >= most {
                    compressor.compress_many(&bytes)?;
                    bytes.clear();
                }
                Ok(())
            })?;
            compressor.compress_many(&bytes)?;
            compressor.done().map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Writes the header with its records. The crate would fill the counts of older versions, which are
/// 0 for this point format, and widen the extents, or leave them infinite if there are no points.
fn write_header(header: &Header, file: &mut impl Write) -> las::Result<()> {
    let mut raw = header.clone().into_raw()?;
    raw.number_of_point_records = 0;
    raw.number_of_points_by_return = [0; 5];
    let (transforms, bounds) = (header.transforms(), header.bounds());
    [raw.min_x, raw.max_x] = stored(&transforms.x, [bounds.min.x, bounds.max.x])?;
    [raw.min_y, raw.max_y] = stored(&transforms.y, [bounds.min.y, bounds.max.y])?;
    [raw.min_z, raw.max_z] = stored(&transforms.z, [bounds.min.z, bounds.max.z])?;
    raw.write_to(&mut *file)?;
    header.vlrs().iter().try_for_each(|vlr| vlr.clone().into_raw(false)?.write_to(&mut *file))
}

/// The extents of coordinates as the file stores them; 0 if there are no points.
fn stored(transform: &Transform, [min, max]: [f64; 2]) -> las::Result<[f64; 2]> {
    if min > max {
        return Ok([0.0; 2]);
    }
    Ok([transform.direct(transform.inverse(min)?), transform.direct(transform.inverse(max)?)])
}

struct PointMaker<'a> {
    has_time: bool,
    has_returns: bool,
    has_labels: bool,
    has_colors: bool,
    extra: Vec<CloudField>,
    survey: &'a Survey,
}

impl PointMaker<'_> {
    fn header(
        &self,
        is_compressed: bool,
        bounds: [DVec3; 2],
    ) -> io::Result<(Header, Option<LazVlr>)> {
        let mut builder = Builder::from((1, 4));
        let number = if self.has_colors { 7 } else { 6 };
        let mut format = Format::new(number).map_err(io::Error::other)?;
        format.is_compressed = is_compressed;
        format.extra_bytes =
            self.extra.iter().map(|field| field.number_type().byte_count() as u16).sum();
        builder.point_format = format;
        // Without a coordinate system, the bit states which kind of record would name one.
        builder.has_wkt_crs = true;
        // No hardware measured the points.
        builder.system_identifier = "OTHER".to_owned();
        builder.generating_software = "raytwin".to_owned();
        // The format requires the day of writing, which the crate's own header has.
        builder.date = Header::default().date();
        builder.transforms = transforms(bounds);
        let mut record = |user_id: &str, record_id, description: &str, data| {
            let (user_id, description) = (user_id.to_owned(), description.to_owned());
            builder.vlrs.push(Vlr { user_id, record_id, description, data });
        };
        let extra = self.extra.iter().flat_map(description).collect();
        record("LASF_Spec", 4, "extra bytes", extra);
        if self.has_labels && !self.survey.label_names.is_empty() {
            record("LASF_Spec", 0, "classification lookup", lookup(&self.survey.label_names));
        }
        if let Some(wkt) = &self.survey.crs_wkt {
            let text = wkt.bytes().chain([0]).collect();
            record("LASF_Projection", 2112, "OGC coordinate system WKT", text);
        }
        if let Some(scale) = self.survey.raw_intensity.filter(|_| self.has_returns) {
            record("raytwin", 1, "raw intensities of 0, 65535", scale.record());
        }
        let mut laz = None;
        if is_compressed {
            let settings = LazVlrBuilder::default()
                .with_point_format(number, format.extra_bytes)
                .map_err(io::Error::other)?
                .build();
            let mut data = Cursor::new(Vec::new());
            settings.write_to(&mut data)?;
            record(LazVlr::USER_ID, LazVlr::RECORD_ID, LazVlr::DESCRIPTION, data.into_inner());
            laz = Some(settings);
        }
        Ok((builder.into_header().map_err(io::Error::other)?, laz))
    }

    fn point(&self, point: &CloudPoint) -> io::Result<Point> {
        let [x, y, z] = point.position;
        let mut extra_bytes = Vec::new();
        self.extra.iter().try_for_each(|field| field.write(point, &mut extra_bytes))?;
        let (return_number, number_of_returns) = match self.has_returns {
            true => (point.return_number, point.number_of_returns),
            false => (1, 1),
        };
        let intensity = match self.survey.raw_intensity {
            Some(scale) => scale.stored(point.intensity.into()),
            None => (65_535.0 * f64::from(point.normalized_intensity)).round() as u16,
        };
        let source = u16::try_from(point.pose_number).map_err(|_| {
            let reason = "LAS can number at most 65535 positions: scan fewer at a time";
            io::Error::other(reason)
        })?;
        Ok(Point {
            x,
            y,
            z,
            intensity,
            return_number,
            number_of_returns,
            classification: match self.has_labels {
                true => classification(point.label).unwrap_or(Classification::Unclassified),
                false => Classification::CreatedNeverClassified,
            },
            scan_angle: point.scan_angle,
            point_source_id: source,
            gps_time: Some(if self.has_time { point.time - self.survey.start_time } else { 0.0 }),
            extra_bytes,
            color: self.has_colors.then(|| color(point.color)),
            ..Point::default()
        })
    }
}

/// The colour in 16 bits. The format requires that all of them are used.
fn color(color: [u8; 3]) -> Color {
    let [red, green, blue] = color.map(|part| 257 * u16::from(part));
    Color { red, green, blue }
}

/// The class of a label; `None` if it is not a class of the format.
fn classification(label: u16) -> Option<Classification> {
    u8::try_from(label).ok().and_then(|class| Classification::new(class).ok())
}

/// The names of classes: 256 entries of the class and 15 bytes of text.
fn lookup(names: &BTreeMap<u16, String>) -> Vec<u8> {
    let mut bytes = vec![0; 256 * 16];
    for (entry, class) in bytes.chunks_exact_mut(16).zip(0..=255_u8) {
        entry[0] = class;
        if let Some(name) = names.get(&class.into()) {
            let name = &name[..name.floor_char_boundary(15)];
            entry[1..].iter_mut().zip(name.bytes()).for_each(|(byte, letter)| *byte = letter);
        }
    }
    bytes
}

/// Returns the scale of all axes, which is [`wanted_scale`] unless the coordinates need a coarser
/// one, and an offset in the middle for each axis. Every coordinate fits into 32 bits. The scale is
/// no finer than what float64 distinguishes at the coordinates, so that a program that reads them
/// as float64 finds the same integers again.
fn transforms([min, max]: [DVec3; 2]) -> Vector<Transform> {
    let has_points = min.cmple(max).all();
    let [min, max] = if has_points { [min, max] } else { [DVec3::ZERO; 2] };
    // An offset with few digits is exact in the text that programs print.
    let offset = (0.5 * (min + max)).round();
    let reach = (max - offset).max(offset - min).max_element();
    let most = f64::from(i32::MAX) - 1.0;
    let finest = 2.0 * f64::EPSILON * min.abs().max(max.abs()).max_element();
    let wanted = wanted_scale((max - min).max_element());
    let fits = |scale: &f64| *scale >= wanted && reach / scale <= most && *scale >= finest;
    let scale = SCALES.into_iter().find(fits).unwrap_or(1e3);
    let transform = |offset| Transform { scale, offset };
    Vector { x: transform(offset.x), y: transform(offset.y), z: transform(offset.z) }
}

/// Returns the usual scale in surveying for points of an extent, if a unit is a metre: 1 mm, or 0.1
/// mm below 100 m. An extent below one unit has at least 10,000 steps.
fn wanted_scale(extent: f64) -> f64 {
    match extent {
        100.0.. => 1e-3,
        1.0.. => 1e-4,
        _ if extent > 0.0 => {
            let is_fine = |scale: &&f64| **scale <= 1.001e-4 * extent;
            SCALES.iter().rev().find(is_fine).copied().unwrap_or(SCALES[0])
        }
        _ => 1e-4,
    }
}

/// Describes one field of the extra bytes: its type is the third byte of 192, its name begins at
/// the fifth.
fn description(field: &CloudField) -> [u8; 192] {
    let mut bytes = [0; 192];
    bytes[2] = 1 + field.number_type() as u8;
    // A name has 32 bytes, and the last is 0.
    let name = field.name().bytes().take(31);
    bytes[4..].iter_mut().zip(name).for_each(|(byte, letter)| *byte = letter);
    bytes
}
