//! LAS 1.4, by the crate `las`. Positions are 32-bit integers with a scale and an offset; what the
//! format has no field for is in extra bytes, which a record in the header describes.

use super::fields::{CloudField, NumberKind};
use super::points::CloudPoint;
use super::spilled::SpilledPoints;
use glam::DVec3;
use las::point::Format;
use las::{Builder, Point, Transform, Vector, Vlr};
use std::io::{self, Write};

/// The scales to choose from. The coarsest reaches to 2e11, far beyond the largest coordinates of
/// shapes.
const SCALES: [f64; 12] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];

/// Writes a file of points within `bounds`.
pub(super) fn write(
    mut file: impl Write,
    bounds: [DVec3; 2],
    points: &mut SpilledPoints<'_>,
) -> io::Result<()> {
    let has_time = points.fields.contains(&CloudField::Time);
    let extra: Vec<CloudField> =
        points.fields.iter().filter(|field| **field != CloudField::Time).cloned().collect();
    let mut builder = Builder::from((1, 4));
    // The format 1 has the GPS time, which the format 0 lacks.
    let mut format = Format::new(has_time.into()).map_err(io::Error::other)?;
    format.extra_bytes = 4 * extra.len() as u16;
    builder.point_format = format;
    builder.generating_software = "raytwin".to_owned();
    builder.transforms = transforms(bounds);
    builder.vlrs.push(Vlr {
        user_id: "LASF_Spec".to_owned(),
        record_id: 4,
        description: "extra bytes".to_owned(),
        data: extra.iter().flat_map(description).collect(),
    });
    let mut header = builder.into_header().map_err(io::Error::other)?;
    // The header holds the number of the points and their bounds.
    points.each(|point| {
        header.add_point(&to_las(point, has_time, &extra)?);
        Ok(())
    })?;
    header.write_to(&mut file).map_err(io::Error::other)?;
    points.each(|point| {
        let raw = to_las(point, has_time, &extra)?.into_raw(header.transforms());
        let written = raw.and_then(|raw| raw.write_to(&mut file, header.point_format()));
        written.map_err(io::Error::other)
    })
}

/// Returns the finest decimal scale for which every coordinate fits 32 bits, with an offset in the
/// middle.
fn transforms([min, max]: [DVec3; 2]) -> Vector<Transform> {
    let transform = |min: f64, max: f64| {
        if min > max {
            return Transform { scale: 1e-3, offset: 0.0 };
        }
        // An offset of few digits is exact in the text in which programs print it.
        let offset = (0.5 * (min + max)).round();
        let reach = (max - offset).max(offset - min);
        let most = f64::from(i32::MAX) - 1.0;
        let scale = SCALES.into_iter().find(|scale| reach / scale <= most).unwrap_or(1e3);
        Transform { scale, offset }
    };
    Vector { x: transform(min.x, max.x), y: transform(min.y, max.y), z: transform(min.z, max.z) }
}

/// Describes one field of the extra bytes: its type is the third byte of 192, its name begins at
/// the fifth.
fn description(field: &CloudField) -> [u8; 192] {
    let mut bytes = [0; 192];
    bytes[2] = match field.kind() {
        NumberKind::U32 => 5,
        NumberKind::I32 => 6,
        NumberKind::F32 => 9,
        NumberKind::F64 => 10,
    };
    // A name has 32 bytes, of which the last is 0.
    let name = field.name().bytes().take(31);
    bytes[4..].iter_mut().zip(name).for_each(|(byte, letter)| *byte = letter);
    bytes
}

fn to_las(point: &CloudPoint, has_time: bool, extra: &[CloudField]) -> io::Result<Point> {
    let [x, y, z] = point.position;
    let mut extra_bytes = Vec::with_capacity(4 * extra.len());
    extra.iter().try_for_each(|field| field.write(point, &mut extra_bytes))?;
    Ok(Point {
        x,
        y,
        z,
        return_number: 1,
        number_of_returns: 1,
        gps_time: has_time.then_some(point.time),
        extra_bytes,
        ..Point::default()
    })
}
