//! One value of a table.

use crate::shortened::shortened;
use raytwin::image::color::of_hex;
use raytwin_files::CsvCell;
use std::borrow::Cow;

/// A value in the form of the file.
pub(super) enum Cell<'a> {
    Empty,
    Number(f64),
    Text(Cow<'a, str>),
    /// Text with numbers in the notation of its file.
    OfFile(CsvCell<'a>),
}

impl<'a> Cell<'a> {
    pub fn from_text(cell: CsvCell<'a>) -> Self {
        match cell.text {
            "" => Self::Empty,
            _ => Self::OfFile(cell),
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// True for a cell without a value, or with NaN, which tables from NumPy's arrays have instead.
    pub fn is_unused(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Number(number) => number.is_nan(),
            Self::Text(text) => text.eq_ignore_ascii_case("nan"),
            Self::OfFile(cell) => cell.text.eq_ignore_ascii_case("nan"),
        }
    }

    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Empty => "".into(),
            Self::Number(number) => number.to_string().into(),
            Self::Text(text) => text[..].into(),
            Self::OfFile(cell) => cell.text.into(),
        }
    }

    /// The number, or the reason why there is none.
    pub fn number(&self) -> Result<f64, String> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::OfFile(cell) => cell.number()?,
            Self::Empty | Self::Text(_) => self.text().parse().ok(),
        };
        number.ok_or_else(|| format!("is '{}': it must be a number", shortened(&self.text())))
    }

    /// True or false as 1 or 0, or the reason why it is neither.
    pub fn flag(&self) -> Result<f64, String> {
        match &self.text().to_ascii_lowercase()[..] {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            text => self.number().map_err(|_| {
                format!("is '{}': it must be true or false, or 1 or 0", shortened(text))
            }),
        }
    }

    /// The whole number up to a largest one, or the reason why there is none.
    pub fn whole(&self, most: u32) -> Result<u32, String> {
        let number = self.number()?;
        match number.fract() == 0.0 && (0.0..=f64::from(most)).contains(&number) {
            true => Ok(number as u32),
            false => Err(format!("is {number}: it must be a whole number from 0 to {most}")),
        }
    }

    /// The share from 0 to 1, or the reason why there is none.
    pub fn share(&self) -> Result<f32, String> {
        let number = self.number()?;
        match (0.0..=1.0).contains(&number) {
            true => Ok(number as f32),
            false => Err(format!("is {number}: it must be from 0 to 1")),
        }
    }

    /// The colour of a text such as `#ff8000`, or the reason why there is none.
    pub fn hex_color(&self) -> Result<[f64; 3], String> {
        let text = self.text();
        match of_hex(&text) {
            Some(levels) => Ok(levels.map(|level| f64::from(level) / 255.0)),
            None => Err(format!(
                "is '{}': it must be a colour in hexadecimal digits, such as #ff8000",
                shortened(&text)
            )),
        }
    }
}
