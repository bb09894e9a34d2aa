//! Reads the keys that every shape accepts, whatever its type.

use super::Reader;
use super::node_file::LabelFile;
use crate::aliases::suggestion;
use crate::checks::checked_color;
use crate::shortened::shortened;
use raytwin::scene::Appearance;
use raytwin_files::FileError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

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
                format!("is {}: it must be a text", shortened(&other.to_string())),
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

    pub(super) fn take_appearance(
        &self,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<Appearance, FileError> {
        let color = match object.remove("color") {
            Some(value) => {
                let mut numbers = Vec::with_capacity(3);
                self.read_numbers(&value, 3, &format!("{place}.color"), &mut numbers)?;
                Some([numbers[0], numbers[1], numbers[2]])
            }
            None => None,
        };
        let label = object.remove("label").map(|value| match value {
            Value::String(name) => LabelFile::Name(name),
            value => LabelFile::Number(value),
        });
        let reflectance = match object.remove("reflectance") {
            Some(value) => Some(value.as_f64().ok_or_else(|| {
                let reason = format!("is {}, not a number", shortened(&value.to_string()));
                self.refuse(&format!("{place}.reflectance"), reason)
            })?),
            None => None,
        };
        self.appearance(color, label, reflectance, place)
    }

    /// Reads the whole numbers of a shape or a node.
    pub(super) fn integers(
        &self,
        integers: Option<Value>,
        place: &str,
    ) -> Result<Vec<(String, i32)>, FileError> {
        let place = format!("{place}.integers");
        let integers = match integers {
            None => return Ok(Vec::new()),
            Some(Value::Object(integers)) => integers,
            Some(other) => {
                let reason = format!(
                    "is {}: it must be an object of whole numbers by name",
                    shortened(&other.to_string())
                );
                return Err(self.refuse(&place, reason));
            }
        };
        let number = |(name, value): (String, Value)| {
            let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
            number.map(|number| (name.clone(), number)).ok_or_else(|| {
                let value = shortened(&value.to_string());
                let reason = format!(
                    "is {value}: it must be a whole number from {} to {}",
                    i32::MIN,
                    i32::MAX
                );
                self.refuse(&format!("{place}.{}", shortened(&name)), reason)
            })
        };
        integers.into_iter().map(number).collect()
    }

    /// Checks the colour, label and reflectance of a shape or a node.
    pub(super) fn appearance(
        &self,
        color: Option<[f64; 3]>,
        label: Option<LabelFile>,
        reflectance: Option<f64>,
        place: &str,
    ) -> Result<Appearance, FileError> {
        let refuse = |key: &str, reason| self.refuse(&format!("{place}.{key}"), reason);
        let checked = |color: [f64; 3]| {
            checked_color(color).map_err(|rule| refuse("color", format!("is {color:?}: {rule}")))
        };
        let reflected = |share: f64| match (0.0..=1.0).contains(&share) {
            true => Ok(share as f32),
            false => Err(refuse("reflectance", format!("is {share}: it must be from 0 to 1"))),
        };
        Ok(Appearance {
            color: color.map(checked).transpose()?,
            label: label.map(|label| self.label(label, place)).transpose()?,
            reflectance: reflectance.map(reflected).transpose()?,
        })
    }

    /// Returns the number of a label.
    fn label(&self, label: LabelFile, place: &str) -> Result<u16, FileError> {
        let refuse = |reason| self.refuse(&format!("{place}.label"), reason);
        match label {
            LabelFile::Number(value) => {
                let number = value.as_u64().and_then(|number| u16::try_from(number).ok());
                let value = shortened(&value.to_string());
                number.ok_or_else(|| {
                    refuse(format!("is {value}: it must be a whole number from 0 to 65535, or the name of one of labels"))
                })
            }
            LabelFile::Name(name) => {
                let number = self.label_names.iter().find(|(_, known)| **known == name);
                number.map(|(number, _)| *number).ok_or_else(|| {
                    let known: Vec<&str> = self.label_names.values().map(String::as_str).collect();
                    let suggestion = match known.is_empty() {
                        true => "the file has no labels".to_owned(),
                        false => suggestion(&name, &known[..known.len().min(20)]),
                    };
                    refuse(format!("'{}' is the name of no label; {suggestion}", shortened(&name)))
                })
            }
        }
    }

    /// Adds the names of labels, whose numbers must differ.
    pub(super) fn read_labels(&mut self, labels: BTreeMap<String, u64>) -> Result<(), FileError> {
        for (name, number) in labels {
            let refuse = |reason| self.refuse(&format!("labels.{}", shortened(&name)), reason);
            let number = u16::try_from(number).ok().filter(|number| *number > 0);
            let number = number
                .ok_or_else(|| refuse("must be a whole number from 1 to 65535".to_owned()))?;
            if let Some(other) = self.label_names.get(&number) {
                return Err(refuse(format!("is {number}, as '{}' is", shortened(other))));
            }
            self.label_names.insert(number, name);
        }
        Ok(())
    }
}
