//! The keyword arguments for reading a file.

use crate::argument::read;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::glam::DVec3;
use raytwin_formats::{Format, FormatOption, JointValue, OptionField, Options, Origin};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const JOINT: &str = "a number, a text such as '90deg', or a list of numbers";

/// The value of a joint: a number in radians or metres, a text such as `90deg`, or the numbers of a
/// ball joint or a free joint.
#[derive(FromPyObject)]
enum JointArgument {
    Number(f64),
    Text(String),
    Numbers(Vec<f64>),
}

impl JointArgument {
    fn value(self, name: &str) -> PyResult<JointValue> {
        match self {
            Self::Number(number) => Ok(JointValue::Plain(number)),
            Self::Numbers(numbers) => Ok(JointValue::Several(numbers)),
            Self::Text(text) => text.parse().map_err(|_| {
                PyValueError::new_err(format!("the joint {name} must be {JOINT}, and is '{text}'"))
            }),
        }
    }
}

/// A key of a model, by its number or its name.
#[derive(FromPyObject)]
enum KeyArgument {
    Number(i64),
    Name(String),
}

/// Reads a point as `raytwin.rows` does, which reads a row of a table by its names.
fn point(given: &Bound<'_, PyAny>, name: &str, takes: &str) -> PyResult<[f64; 3]> {
    if given.len().is_err() {
        return read(given, name, takes);
    }
    let rows = given.py().import("raytwin.rows")?;
    rows.getattr("as_float64")?.call1((given, name, (3,)))?.extract()
}

/// Values of joints by name.
pub(crate) type JointArguments<'py> = BTreeMap<String, Bound<'py, PyAny>>;

pub(crate) fn joints(given: JointArguments<'_>) -> PyResult<Vec<(String, JointValue)>> {
    let value = |(joint, given): (String, Bound<'_, PyAny>)| {
        let read: JointArgument = read(&given, &format!("the joint {joint}"), JOINT)?;
        Ok((joint.clone(), read.value(&joint)?))
    };
    given.into_iter().map(value).collect()
}

/// Rejects options for a source that has no options.
pub(crate) fn none_for(what: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    match given.and_then(|given| given.keys().iter().next()) {
        Some(name) => Err(PyTypeError::new_err(format!("{name} is not an option for {what}"))),
        None => Ok(()),
    }
}

/// Returns the origin of an empty scene, which has no other option.
pub(crate) fn origin_alone(given: Option<&Bound<'_, PyDict>>) -> PyResult<Option<[f64; 3]>> {
    let Some(given) = given else { return Ok(None) };
    let others = given.copy()?;
    if others.contains("origin")? {
        others.del_item("origin")?;
    }
    none_for("an empty scene", Some(&others))?;
    let Some(origin) = given.get_item("origin")?.filter(|origin| !origin.is_none()) else {
        return Ok(None);
    };
    let origin = point(&origin, "origin", "a point of three numbers")?;
    // A comparison with NaN is false.
    match origin.iter().all(|number| number.abs() <= 1e12) {
        true => Ok(Some(origin)),
        false => Err(PyValueError::new_err(format!(
            "origin must be three finite numbers, and is {origin:?}"
        ))),
    }
}

/// Reads the keyword arguments of `Scene.load`.
///
/// # Errors
/// TypeError for an unknown option and for an option that the file's format does not have. ValueError
/// for a value that is not valid.
pub(crate) fn options(path: &Path, given: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::default();
    for (name, value) in given.into_iter().flatten() {
        if !value.is_none() {
            set(&mut options, &name.extract::<String>()?, &value)?;
        }
    }
    let unfit = Format::of(path).and_then(|format| format.unfit(&options));
    match unfit {
        Some(option) => Err(PyTypeError::new_err(format!(
            "{} is only an option for {}, and {} is another kind of file",
            option.key(),
            Format::that_take(option),
            path.display()
        ))),
        None => Ok(options),
    }
}

const FLAG: &str = "True or False";

fn set(options: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "labels" => options.labels = Some(read(value, name, "the path of a table of labels")?),
        "origin" => {
            const TAKES: &str = "a point of three numbers, or 'auto'";
            options.origin = Some(match value.extract::<String>() {
                Ok(named) if named == "auto" => Origin::Auto,
                Ok(named) => {
                    return Err(PyValueError::new_err(format!(
                        "origin must be a point or 'auto', and is '{named}'"
                    )));
                }
                Err(_) => Origin::At(DVec3::from_array(point(value, name, TAKES)?)),
            });
        }
        "movable" => options.movable = read(value, name, FLAG)?,
        _ => {
            let option = FormatOption::ALL.iter().find(|option| option.key() == name);
            let option = option.ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "load() has no option {name}: see help(raytwin.Scene.load)"
                ))
            })?;
            set_field(options.field(*option), name, value)?;
        }
    }
    Ok(())
}

/// Sets the field of an option that only some formats have.
fn set_field(field: OptionField<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match field {
        OptionField::Switch(is_set) => *is_set = read(value, name, FLAG)?,
        OptionField::Without(is_left_out) => *is_left_out = !read::<bool>(value, name, FLAG)?,
        OptionField::Joints(given) => {
            *given = joints(read(value, name, "a dict of names and values")?)?;
        }
        OptionField::Folders(folders) => {
            let given: BTreeMap<String, PathBuf> =
                read(value, name, "a dict of names and folders")?;
            *folders = given.into_iter().collect();
        }
        OptionField::NumberOrName(given) => {
            let takes = format!("the number of a {name}, from 0, or its name");
            *given = Some(match read(value, name, &takes)? {
                KeyArgument::Number(number) => number.to_string(),
                KeyArgument::Name(name) => name,
            });
        }
        OptionField::File(file) => *file = Some(read(value, name, "the path of a file")?),
        OptionField::Groups(groups) => {
            *groups = Some(read(value, name, "a list of numbers of groups, from 0")?);
        }
        OptionField::Choice(choice) => {
            let given: String = read(value, name, choice.about())?;
            if !choice.choose(&given) {
                let known = choice.names().join(", ");
                let message = format!("{name} must be one of {known}, and is '{given}'");
                return Err(PyValueError::new_err(message));
            }
        }
        OptionField::Number(number) => {
            let takes = format!("the number of a {name}, from 0");
            *number = Some(read(value, name, &takes)?);
        }
        OptionField::Letter(letter) => *letter = Some(read(value, name, "a letter")?),
        OptionField::Radius(radius) => *radius = Some(read(value, name, "a number")?),
    }
    Ok(())
}
