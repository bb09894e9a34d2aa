//! The attributes of an element, completed by those of its class.

use super::document::Element;
use crate::checks::not_finite_in;
use crate::shortened::shortened;
use raytwin_files::FileError;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The attributes that turn a frame. Each replaces any of them that a class gives.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// The largest number of attributes of an element with those of its class, more than MuJoCo knows.
/// It limits the memory of classes.
const MAX_ATTRIBUTES: usize = 64;

/// Attributes by name, each with the element that it is written in.
#[derive(Clone)]
pub(super) struct Attributes<'a> {
    /// The element that has them.
    pub element: &'a Element,
    values: BTreeMap<&'a str, Value<'a>>,
}

#[derive(Clone)]
struct Value<'a> {
    text: Cow<'a, str>,
    element: &'a Element,
}

impl<'a> Attributes<'a> {
    /// Returns the attributes of an element that belongs to no class.
    pub fn of(element: &'a Element) -> Result<Self, FileError> {
        Self { element, values: BTreeMap::new() }.overlaid_by(element)
    }

    /// Returns these attributes with those of an element over them. An element that gives fewer
    /// sizes than its class replaces the first ones only.
    pub fn overlaid_by(&self, element: &'a Element) -> Result<Self, FileError> {
        let mut values = self.values.clone();
        if element.attributes().any(|(name, _)| ORIENTATIONS.contains(&name)) {
            values.retain(|name, _| !ORIENTATIONS.contains(name));
        }
        for (name, text) in element.attributes() {
            let mut text = Cow::Borrowed(text);
            if let Some(below) = values.get(name).filter(|_| name == "size") {
                let count = text.split_whitespace().count();
                let rest: Vec<&str> = below.text.split_whitespace().skip(count).collect();
                text = Cow::Owned(format!("{text} {}", rest.join(" ")));
            }
            values.insert(name, Value { text, element });
        }
        if values.len() > MAX_ATTRIBUTES {
            let reason = format!(
                "<{}> has {} attributes, including those of its class: at most {MAX_ATTRIBUTES} are allowed",
                element.tag,
                values.len()
            );
            return Err(element.refuse(reason));
        }
        Ok(Self { element, values })
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| &*value.text)
    }

    /// An error at the element that gives the attribute.
    pub fn refuse(&self, name: &str, reason: impl std::fmt::Display) -> FileError {
        let element = self.values.get(name).map_or(self.element, |value| value.element);
        match self.text(name) {
            Some(text) => element.refuse(format!("{name}=\"{}\" {reason}", shortened(text))),
            None => element.refuse(format!("<{}>: {name} {reason}", element.tag)),
        }
    }

    /// Returns the numbers of an attribute, any number of them.
    pub fn list(&self, name: &str) -> Result<Option<Vec<f64>>, FileError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let words = text.split_ascii_whitespace();
        let numbers: Result<Vec<f64>, _> = words.map(str::parse).collect();
        let numbers = numbers.map_err(|_| self.refuse(name, "must be numbers"))?;
        match not_finite_in(text) {
            Some(fault) => Err(self.refuse(name, format!("is invalid: {fault}"))),
            None => Ok(Some(numbers)),
        }
    }

    /// Finds a number that is not finite in these attributes, and returns the reason why they are
    /// invalid.
    pub fn not_finite(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let fault = not_finite_in(self.text(name)?)?;
            Some(self.refuse(name, format!("is invalid: {fault}")).to_string())
        })
    }

    /// Returns the numbers of an attribute, which must be exactly N.
    pub fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, FileError> {
        let Some(numbers) = self.list(name)? else { return Ok(None) };
        let wanted = || if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
        let exactly = <[f64; N]>::try_from(numbers);
        exactly.map(Some).map_err(|_| self.refuse(name, format!("must be {}", wanted())))
    }

    /// Returns the numbers of an attribute, or `default` if the element has none.
    pub fn numbers_or<const N: usize>(
        &self,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], FileError> {
        Ok(self.numbers(name)?.unwrap_or(default))
    }

    /// Returns an attribute that is a whole number.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, FileError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.trim_ascii().parse::<i32>().map(i64::from);
        number.map(Some).map_err(|_| self.refuse(name, "must be a whole number below 2^31"))
    }

    /// Returns an attribute that is `true` or `false`.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, FileError> {
        match self.text(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(self.refuse(name, "must be true or false")),
        }
    }
}
