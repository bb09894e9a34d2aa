//! Notations in a file that XML forbids, but that the parsers of MuJoCo, ROS and Gazebo accept.

use crate::Warning;
use crate::source_text::position;
use std::path::Path;

/// A way in which a text is not well-formed XML, although its meaning is clear.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lapse {
    Encoding,
    Declaration,
    Hyphens,
    NoBlank,
    NoQuotes,
    LessThan,
    Ampersand,
    OddTag,
    Outside,
}

impl Lapse {
    const ALL: [Self; 9] = [
        Self::Encoding,
        Self::Declaration,
        Self::Hyphens,
        Self::NoBlank,
        Self::NoQuotes,
        Self::LessThan,
        Self::Ampersand,
        Self::OddTag,
        Self::Outside,
    ];

    fn warning(self) -> Warning {
        Warning::about_read(match self {
            Self::Encoding => {
                "files are neither UTF-8 nor declared as Latin-1, and are read as Latin-1"
            }
            Self::Declaration => {
                "XML declarations are not at the beginning of their file, which XML requires"
            }
            Self::Hyphens => "comments contain \"--\", which XML forbids",
            Self::NoBlank => "attributes have no blank before them, which XML requires",
            Self::NoQuotes => "values of attributes have no quotation marks, which XML requires",
            Self::LessThan => "values of attributes contain \"<\", which XML writes as &lt;",
            Self::Ampersand => {
                "characters \"&\" do not begin a predefined XML entity and are read as they are"
            }
            Self::OddTag => {
                "tags have a blank after \"<\" or attributes after \"</\", which XML forbids"
            }
            Self::Outside => {
                return Warning::new("texts or elements outside the root element are not read");
            }
        })
    }
}

/// The lapses of all files that belong to one model, which are counted and not rejected.
#[derive(Debug)]
pub(crate) struct Lapses([Warning; Lapse::ALL.len()]);

impl Default for Lapses {
    fn default() -> Self {
        Self(Lapse::ALL.map(Lapse::warning))
    }
}

impl Lapses {
    /// Counts a lapse at an offset in the text of a file.
    pub(super) fn add(&mut self, lapse: Lapse, path: &Path, text: &str, offset: usize) {
        self.0[lapse as usize].add(|| {
            let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            let [line, column] = position(text, offset);
            format!("{file}:{line}:{column}")
        });
    }

    /// Adds the lapses of other files.
    pub fn merge(&mut self, other: Self) {
        for (warning, other) in self.0.iter_mut().zip(other.0) {
            warning.merge(other);
        }
    }

    /// Returns a warning for each kind of lapse.
    pub fn warnings(self) -> impl Iterator<Item = Warning> {
        self.0.into_iter()
    }
}
