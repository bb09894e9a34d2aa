//! Coordinate systems of the points of surveys, as well-known text (WKT).

use crate::{FileError, FileStore};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The largest number of bytes of a text, which a LAS record stores with a zero after it.
const MAX_BYTES: usize = u16::MAX as usize - 1;

/// A coordinate system, as its code in the EPSG registry or as a file of well-known text.
#[derive(Clone, Debug, PartialEq)]
pub enum CoordinateSystem {
    /// The well-known text of a code.
    Epsg(&'static str),
    /// A file.
    File(PathBuf),
}

impl CoordinateSystem {
    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Epsg(_) => None,
            Self::File(path) => Some(path),
        }
    }

    /// Returns the well-known text, as defined by OGC 01-009, which LAS 1.4 requires.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read, or is not well-known text that LAS can store.
    pub fn well_known_text(&self) -> Result<String, FileError> {
        let path = match self {
            Self::Epsg(text) => return Ok(without_shift(text)),
            Self::File(path) => path,
        };
        let text = FileStore::disk().read_text(path)?;
        let text = text.trim();
        let reason = match text.len() {
            0 => "is empty: it must be the well-known text of a coordinate system",
            length if length > MAX_BYTES => "is longer than 65,534 bytes, the limit of LAS",
            _ if !begins_as_well_known_text(text) => {
                "is not well-known text (WKT), such as PROJCS[...]"
            }
            _ => return Ok(text.to_owned()),
        };
        Err(FileError::meaning(path, "", reason))
    }
}

impl FromStr for CoordinateSystem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((_, code)) =
            text.split_once(':').filter(|(registry, _)| registry.eq_ignore_ascii_case("EPSG"))
        else {
            let is_code = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            return match is_code {
                true => {
                    Err(format!("'{text}' is neither a code nor a file: did you mean EPSG:{text}?"))
                }
                false => Ok(Self::File(text.into())),
            };
        };
        // The definitions are those that GDAL made from the EPSG registry, collected by crs-csv.
        let found = code.parse().ok().and_then(crs_definitions::from_code);
        match found.map(|found| found.wkt) {
            Some(text) if text.contains("PROJCS[") || text.starts_with("GEOCCS[") => {
                Ok(Self::Epsg(text))
            }
            Some(text) if text.contains("GEOGCS[") => Err(format!(
                "EPSG:{code} is in degrees, and the coordinates of points are lengths: give a \
                 projected system, such as EPSG:25832"
            )),
            _ => Err(format!(
                "EPSG:{code} is not known to raytwin: give a file with its well-known text (WKT)"
            )),
        }
    }
}

/// Returns a definition without its shift to WGS 84. The shift is one of several possible ones, and
/// with it programs no longer recognise the code of the definition. GDAL omits it since version 3.
fn without_shift(text: &str) -> String {
    let Some((before, rest)) = text.split_once(",TOWGS84[") else { return text.to_owned() };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    without_shift(&format!("{before}{after}"))
}

/// Returns true if the text begins with a keyword and a bracket.
fn begins_as_well_known_text(text: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.split_once(['[', '(']).is_some_and(|(keyword, _)| {
        let keyword = keyword.trim_end();
        !keyword.is_empty() && keyword.chars().all(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::CoordinateSystem;

    #[test]
    fn codes_name_projected_systems_and_anything_else_is_a_file() {
        let utm: CoordinateSystem = "epsg:25832".parse().unwrap();
        let text = utm.well_known_text().unwrap();
        assert!(text.starts_with("PROJCS[\"ETRS89 / UTM zone 32N\""), "{text}");
        assert!(!text.contains("TOWGS84") && text.ends_with("AUTHORITY[\"EPSG\",\"25832\"]]"));
        assert_eq!(text.matches('[').count(), text.matches(']').count());
        for (name, reason) in [
            ("25832", "did you mean EPSG:25832?"),
            ("EPSG:4326", "degrees"),
            ("EPSG:5498", "degrees"),
            ("EPSG:5703", "not known"),
            ("EPSG:1", "not known"),
            ("EPSG:70000", "not known"),
            ("EPSG:utm", "not known"),
        ] {
            let error = name.parse::<CoordinateSystem>().unwrap_err();
            assert!(error.contains(reason), "{name}: {error}");
        }
        let file: CoordinateSystem = "C:/maps/utm.wkt".parse().unwrap();
        assert_eq!(file.file().map(|path| path.ends_with("utm.wkt")), Some(true));
    }
}
