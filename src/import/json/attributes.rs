//! Reads what every shape of a native scene has, whatever its type: its type, name, mask and colour.

use super::Reader;
use crate::geometry::type_names;
use crate::import::{checked_color, shortened};
use crate::io::{FileError, nearest};
use serde_json::{Map, Value};

impl Reader<'_> {
    pub(super) fn take_type(
        &self,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<&'static str, FileError> {
        let known: Vec<&'static str> = type_names().collect();
        let at_type = format!("{place}.type");
        match object.remove("type") {
            Some(Value::String(name)) => {
                known.iter().find(|known| **known == name).copied().ok_or_else(|| {
                    let suggestion = nearest(&name, &known);
                    let name = shortened(&name);
                    let reason = format!("'{name}' is not a shape; did you mean {suggestion}?");
                    self.refuse(&at_type, reason)
                })
            }
            Some(other) => {
                Err(self
                    .refuse(&at_type, format!("is {}, not a name", shortened(&other.to_string()))))
            }
            None => {
                let known = known.join(", ");
                Err(self.refuse(place, format!("has no \"type\": give one of {known}")))
            }
        }
    }

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
