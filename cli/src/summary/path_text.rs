//! A path in a summary.

use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// A path as messages show it. JSON contains only Unicode, so U+FFFD replaces other bytes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(inline)]
pub(in super::super) struct PathText(String);

impl PathText {
    pub fn text(&self) -> &str {
        &self.0
    }

    pub fn all(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<Self> {
        paths.into_iter().map(|path| Self::from(path.as_ref())).collect()
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        Self(path.display().to_string())
    }
}
