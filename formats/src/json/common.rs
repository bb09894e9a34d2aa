//! Reads the keys that every shape takes, whatever its type.

use super::Reader;
use crate::checks::checked_color;
use crate::shortened::shortened;
use raytwin_files::FileError;
use serde_json::{Map, Value};

impl Reader<'_> {
    pub(super) fn take_name(
        &self,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<Option<String>, FileError> {
        match object.remove("name") {
            Some(Value::String(name)) => Ok(Some(name)),
            Some(other) => Err(self.refuse(
                &format!("{place}.name"),
                format!("is {}, not a text", shortened(&other.to_string())),
            )),
            None => Ok(None),
        }
    }

    pub(super) fn take_mask(
        &self,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<u32, FileError> {
        let Some(value) = object.remove("mask") else {
            return Ok(u32::MAX);
        };
        value.as_u64().and_then(|mask| u32::try_from(mask).ok()).ok_or_else(|| {
            self.refuse(
                &format!("{place}.mask"),
                format!("is {value}: it must be a whole number from 0 to 4294967295"),
            )
        })
    }

    pub(super) fn take_color(
        &self,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<Option<[f32; 3]>, FileError> {
        let Some(value) = object.remove("color") else {
            return Ok(None);
        };
        let mut numbers = Vec::with_capacity(3);
        self.read_numbers(&value, 3, &format!("{place}.color"), &mut numbers)?;
        self.check_color([numbers[0], numbers[1], numbers[2]], place).map(Some)
    }

    pub(super) fn check_color(&self, color: [f64; 3], place: &str) -> Result<[f32; 3], FileError> {
        let refuse = |rule| self.refuse(&format!("{place}.color"), format!("is {color:?}: {rule}"));
        checked_color(color).map_err(refuse)
    }
}
