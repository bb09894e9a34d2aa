//! What a file has that XML forbids, but the parsers of MuJoCo, ROS and Gazebo read.

use crate::Warning;
use crate::source_text::position;
use std::path::Path;

/// A way in which a text is not well-formed XML, though its meaning is plain.
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
                "files are not UTF-8 and do not declare Latin-1, as which they are read"
            }
            Self::Declaration => "XML declarations do not begin their file, which XML asks for",
            Self::Hyphens => "comments hold \"--\", which XML forbids",
            Self::NoBlank => "attributes have no blank before them, which XML asks for",
            Self::NoQuotes => "values of attributes have no quotation marks, which XML asks for",
            Self::LessThan => "values of attributes hold \"<\", which XML writes as &lt;",
            Self::Ampersand => {
                "characters \"&\" begin no entity that XML knows and are read as such"
            }
            Self::OddTag => {
                "tags have a blank after \"<\" or attributes after \"</\", which XML forbids"
            }
            Self::Outside => {
                return Warning::new("texts or elements outside of the root element are not read");
            }
        })
    }
}

/// The lapses of all files that belong to one model, which are counted and not refused.
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
