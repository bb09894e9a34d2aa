//! A reader of LAS 1.4 of the point formats 6 and 7 that shares no code with the writer, and refuses what the specification does
//! not allow: ASPRS, "LAS Specification 1.4 - R15" (2019), whose tables give the places of all fields.

use std::collections::HashSet;

/// The bytes of the header, and of a record's header, an extended one's, and a point without extra bytes.
const HEADER: usize = 375;
const RECORD: usize = 54;
const EXTENDED_RECORD: u64 = 60;
const POINT: usize = 30;
/// The bytes of a colour, which format 7 has after those of format 6.
const COLOR: usize = 6;

/// The seconds of a week, from whose start times are counted.
const WEEK: f64 = 604_800.0;

/// A file that keeps the rules.
#[derive(Debug)]
pub struct LasFile {
    pub scales: [f64; 3],
    pub records: Vec<Record>,
    /// The names of the extra bytes.
    pub extra_names: Vec<String>,
    pub points: Vec<LasPoint>,
}

/// A variable length record.
#[derive(Debug)]
pub struct Record {
    pub user: String,
    pub id: u16,
    pub data: Vec<u8>,
}

#[derive(Debug)]
pub struct LasPoint {
    pub position: [f64; 3],
    pub intensity: u16,
    pub return_number: u8,
    pub number_of_returns: u8,
    /// The bits of the class, of the scanner's channel and direction, and of the edge of a flight line.
    pub flags: u8,
    pub class: u8,
    /// In degrees.
    pub scan_angle: f64,
    pub source: u16,
    pub time: f64,
    /// Red, green and blue.
    pub color: Option<[u16; 3]>,
    /// The numbers of the extra bytes, in the order of their names.
    pub extra: Vec<f64>,
}

impl LasFile {
    /// The number of a point that the extra bytes hold by a name.
    pub fn extra(&self, point: usize, name: &str) -> Option<f64> {
        let at = self.extra_names.iter().position(|known| known == name)?;
        Some(self.points[point].extra[at])
    }

    /// The data of a record.
    pub fn record(&self, user: &str, id: u16) -> Option<&[u8]> {
        let found = self.records.iter().find(|record| record.user == user && record.id == id);
        found.map(|record| &record.data[..])
    }
}

/// Reads a file, or says which rule it breaks.
pub fn read(bytes: &[u8]) -> Result<LasFile, String> {
    let file = Bytes(bytes);
    rule(file.take::<4>(0)? == *b"LASF", "it does not begin with LASF")?;
    let encoding = file.u16(6)?;
    rule(encoding & 16 != 0, "point format 6 needs the bit of well-known text")?;
    rule(encoding & !17 == 0, "reserved bits, or those of waveforms and made up returns, are set")?;
    rule(file.take::<2>(24)? == [1, 4], "the version is not 1.4")?;
    rule(!text(file.of(26, 32)?)?.is_empty(), "nothing tells what system made the points")?;
    rule(!text(file.of(58, 32)?)?.is_empty(), "nothing tells what program wrote it")?;
    let [day, year] = [file.u16(90)?, file.u16(92)?];
    rule((1..=366).contains(&day) && year >= 2019, "it has no date of creation")?;
    rule(usize::from(file.u16(94)?) == HEADER, "the header's size is not that of LAS 1.4")?;
    let [format] = file.take(104)?;
    rule([6, 7].contains(&format), "the point format is neither 6 nor 7, or is compressed")?;
    let has_colors = format == 7;
    let own = if has_colors { POINT + COLOR } else { POINT };
    rule(file.of(107, 24)?.iter().all(|byte| *byte == 0), "format 6 has no legacy counts")?;
    rule(file.u64(227)? == 0, "there are no waveforms, and something points at them")?;

    let start = file.u32(96)? as usize;
    let records = records(file, start)?;
    let extra_fields = extra_fields(&records)?;
    let length = usize::from(file.u16(105)?);
    let described: usize = extra_fields.iter().map(|(_, kind)| kind.bytes()).sum();
    rule(length == own + described, "the extra bytes are not those that are described")?;

    let count = file.u64(247)?;
    let end = start as u64 + count * length as u64;
    check_end(file, end)?;
    let [scales, offsets] = [131, 155].map(|at| file.numbers::<3>(at));
    let (scales, offsets) = (scales?, offsets?);
    rule(scales.iter().all(|scale| *scale > 0.0 && scale.is_finite()), "a scale is no length")?;
    rule(offsets.iter().all(|offset| offset.is_finite()), "an offset is no number")?;
    let placing = Placing { scales, offsets };
    let rows = bytes[start..end as usize].chunks_exact(length);
    let points: Vec<LasPoint> = rows
        .map(|row| point(Bytes(row), &placing, has_colors, &extra_fields))
        .collect::<Result<_, _>>()?;
    check_counts(file, &points)?;
    check_extents(file, &points)?;
    let extra_names = extra_fields.into_iter().map(|(name, _)| name).collect();
    Ok(LasFile { scales, records, extra_names, points })
}

fn rule(holds: bool, broken: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(broken.to_owned()) }
}

#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn of(self, at: usize, count: usize) -> Result<&'a [u8], String> {
        let found = at.checked_add(count).and_then(|end| self.0.get(at..end));
        found.ok_or_else(|| format!("{count} bytes at {at} are beyond the end"))
    }

    fn take<const N: usize>(self, at: usize) -> Result<[u8; N], String> {
        self.of(at, N)?.try_into().map_err(|_| "a number is cut".to_owned())
    }

    fn u16(self, at: usize) -> Result<u16, String> {
        Ok(u16::from_le_bytes(self.take(at)?))
    }

    fn u32(self, at: usize) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.take(at)?))
    }

    fn u64(self, at: usize) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.take(at)?))
    }

    fn f64(self, at: usize) -> Result<f64, String> {
        Ok(f64::from_le_bytes(self.take(at)?))
    }

    fn numbers<const N: usize>(self, at: usize) -> Result<[f64; N], String> {
        let mut all = [0.0; N];
        for (index, number) in all.iter_mut().enumerate() {
            *number = self.f64(at + 8 * index)?;
        }
        Ok(all)
    }
}

/// A text that zeros fill up.
fn text(bytes: &[u8]) -> Result<String, String> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    rule(bytes[end..].iter().all(|byte| *byte == 0), "a text is not filled up with zeros")?;
    String::from_utf8(bytes[..end].to_vec()).map_err(|_| "a text has half of a letter".to_owned())
}

/// Reads the records between the header and the points, which they fill exactly.
fn records(file: Bytes<'_>, start: usize) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    let mut at = HEADER;
    let mut seen = HashSet::new();
    for _ in 0..file.u32(100)? {
        rule(file.u16(at)? == 0, "a record does not begin with zero")?;
        let user = text(file.of(at + 2, 16)?)?;
        let (id, size) = (file.u16(at + 18)?, usize::from(file.u16(at + 20)?));
        text(file.of(at + 22, 32)?)?;
        let data = file.of(at + RECORD, size)?.to_vec();
        rule(seen.insert((user.clone(), id)), "two records are of one kind")?;
        let record = Record { user, id, data };
        check_record(&record)?;
        records.push(record);
        at += RECORD + size;
    }
    rule(at == start, "the points do not begin where the records end")?;
    Ok(records)
}

fn check_record(Record { user, id, data }: &Record) -> Result<(), String> {
    match (&user[..], id) {
        ("LASF_Spec", 0) => {
            rule(data.len() == 256 * 16, "the names of classes are not 256")?;
            for (class, entry) in data.chunks_exact(16).enumerate() {
                rule(usize::from(entry[0]) == class, "the names of classes are out of order")?;
                text(&entry[1..])?;
            }
            Ok(())
        }
        ("LASF_Spec", 4) => {
            rule(data.len().is_multiple_of(192), "a description of extra bytes is not whole")
        }
        ("LASF_Projection", 2112) => {
            let (last, text) = data.split_last().ok_or("the well-known text is empty")?;
            rule(*last == 0 && !text.contains(&0), "one zero must end the well-known text")?;
            let text = std::str::from_utf8(text).map_err(|_| "the well-known text is no text")?;
            let [opened, closed] = ['[', ']'].map(|mark| text.matches(mark).count());
            rule(opened > 0 && opened == closed, "the well-known text has brackets left open")
        }
        // The raw intensities that are stored as 0 and as 65535.
        ("raytwin", 1) => rule(data.len() == 16, "the scale of intensities is not two numbers"),
        _ => Err(format!("a record of {user} {id} has no place here")),
    }
}

/// The type of a number in the extra bytes.
#[derive(Clone, Copy)]
enum ExtraKind {
    U8,
    U32,
    I32,
    F32,
    F64,
}

impl ExtraKind {
    fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn number(self, row: Bytes<'_>, at: usize) -> Result<f64, String> {
        Ok(match self {
            Self::U8 => row.take::<1>(at)?[0].into(),
            Self::U32 => row.u32(at)?.into(),
            Self::I32 => i32::from_le_bytes(row.take(at)?).into(),
            Self::F32 => f32::from_le_bytes(row.take(at)?).into(),
            Self::F64 => row.f64(at)?,
        })
    }
}

/// The names and types that the record of extra bytes describes.
fn extra_fields(records: &[Record]) -> Result<Vec<(String, ExtraKind)>, String> {
    let mut fields: Vec<(String, ExtraKind)> = Vec::new();
    let of_extra = records.iter().filter(|record| record.user == "LASF_Spec" && record.id == 4);
    for row in of_extra.flat_map(|record| record.data.chunks_exact(192)) {
        let kind = match row[2] {
            1 => ExtraKind::U8,
            5 => ExtraKind::U32,
            6 => ExtraKind::I32,
            9 => ExtraKind::F32,
            10 => ExtraKind::F64,
            other => return Err(format!("extra bytes of the type {other}")),
        };
        // Without a bit of the options, the numbers that it stands for are not given.
        rule(row[..2] == [0; 2] && row[3] == 0, "extra bytes have options")?;
        rule(row[36..160].iter().all(|byte| *byte == 0), "extra bytes have unused numbers")?;
        rule(row[35] == 0, "a name of extra bytes has no end")?;
        let name = text(&row[4..36])?;
        text(&row[160..])?;
        rule(!name.is_empty(), "extra bytes have no name")?;
        rule(fields.iter().all(|(other, _)| *other != name), "two extra bytes have one name")?;
        fields.push((name, kind));
    }
    Ok(fields)
}

/// Holds the end of the points to the file's, or to the extended records, and these to the file's.
fn check_end(file: Bytes<'_>, end_of_points: u64) -> Result<(), String> {
    let (start, count) = (file.u64(235)?, file.u32(243)?);
    let size = file.0.len() as u64;
    if count == 0 {
        rule(start == 0, "no extended record is there, and something points at it")?;
        return rule(end_of_points == size, "the file does not end where its points do");
    }
    rule(start == end_of_points, "the extended records do not begin where the points end")?;
    let mut at = start;
    for _ in 0..count {
        at = at.saturating_add(EXTENDED_RECORD).saturating_add(file.u64(at as usize + 20)?);
    }
    rule(at == size, "the file does not end where its extended records do")
}

struct Placing {
    scales: [f64; 3],
    offsets: [f64; 3],
}

impl Placing {
    fn coordinate(&self, axis: usize, stored: i32) -> Result<f64, String> {
        let (scale, offset) = (self.scales[axis], self.offsets[axis]);
        let coordinate = f64::from(stored) * scale + offset;
        let back = ((coordinate - offset) / scale).round();
        rule(back == f64::from(stored), "a coordinate is not told apart from its neighbour")?;
        Ok(coordinate)
    }
}

fn point(
    row: Bytes<'_>,
    placing: &Placing,
    has_colors: bool,
    extra_fields: &[(String, ExtraKind)],
) -> Result<LasPoint, String> {
    let mut position = [0.0; 3];
    for (axis, coordinate) in position.iter_mut().enumerate() {
        *coordinate = placing.coordinate(axis, i32::from_le_bytes(row.take(4 * axis)?))?;
    }
    let [returns, flags, class, _user_data] = row.take(14)?;
    let (return_number, number_of_returns) = (returns & 15, returns >> 4);
    rule(return_number > 0, "returns are numbered from 1")?;
    rule(return_number <= number_of_returns, "a return is beyond the number of returns")?;
    // The overlap of flight lines is a flag in this format, and its old class means nothing.
    rule(class != 12, "the class 12 is reserved")?;
    let angle = i16::from_le_bytes(row.take(18)?);
    rule((-30_000..=30_000).contains(&angle), "a scan angle is beyond 180 degrees")?;
    let time = row.f64(22)?;
    rule((0.0..WEEK).contains(&time), "a time is in no week")?;
    let mut extra = Vec::new();
    let mut at = POINT;
    let mut color = None;
    if has_colors {
        color = Some([row.u16(at)?, row.u16(at + 2)?, row.u16(at + 4)?]);
        at += COLOR;
    }
    for (_, kind) in extra_fields {
        extra.push(kind.number(row, at)?);
        at += kind.bytes();
    }
    Ok(LasPoint {
        position,
        intensity: row.u16(12)?,
        return_number,
        number_of_returns,
        flags,
        class,
        scan_angle: 0.006 * f64::from(angle),
        source: row.u16(20)?,
        time,
        color,
        extra,
    })
}

fn check_counts(file: Bytes<'_>, points: &[LasPoint]) -> Result<(), String> {
    for number in 1..=15_u8 {
        let counted = points.iter().filter(|point| point.return_number == number).count();
        let message = file.u64(255 + 8 * (usize::from(number) - 1))?;
        rule(message == counted as u64, "a count of returns is wrong")?;
    }
    Ok(())
}

/// Holds the extents to those of the points; without any they are numbers all the same.
fn check_extents(file: Bytes<'_>, points: &[LasPoint]) -> Result<(), String> {
    for axis in 0..3 {
        let [max, min] = [179, 187].map(|at| file.f64(at + 16 * axis));
        let (max, min) = (max?, min?);
        rule(min.is_finite() && max.is_finite() && min <= max, "the extents are no numbers")?;
        let all = || points.iter().map(|point| point.position[axis]);
        let found = [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)];
        rule(points.is_empty() || found == [min, max], "the extents are not those of the points")?;
    }
    Ok(())
}
