//! Parses the XML of robots and models.

use raytwin_files::FileError;
use roxmltree::{Document, Node, ParsingOptions};
use std::path::Path;

/// The most attributes that an element may have, and the most namespaces that a file may declare.
/// The XML parser compares each with all others, so its time grows with the square of their number.
const MAX_ATTRIBUTES: usize = 1000;

/// Parses the text of a file. A document type declaration is refused, and with it entities that
/// multiply.
pub(super) fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<'a>, FileError> {
    parse_by(path, text, ParsingOptions::default())
}

/// Parses the text of a file that may begin with a document type declaration, as X3D does. One that
/// declares entities is refused, because they can multiply.
pub(super) fn parse_with_doctype<'a>(
    path: &Path,
    text: &'a str,
) -> Result<Document<'a>, FileError> {
    if let Some(offset) = text.find("<!ENTITY") {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        return Err(FileError::Syntax {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: "declares an entity: write its text in its place".to_owned(),
        });
    }
    parse_by(path, text, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() })
}

fn parse_by<'a>(
    path: &Path,
    text: &'a str,
    options: ParsingOptions<'a>,
) -> Result<Document<'a>, FileError> {
    check_attributes(path, text)?;
    Document::parse_with_options(text, options).map_err(|error| {
        let position = error.pos();
        FileError::parser(path, [position.row as usize, position.col as usize], error)
    })
}

/// Refuses a text whose attributes or namespaces would take the parser quadratic time.
fn check_attributes(path: &Path, text: &str) -> Result<(), FileError> {
    let refuse = |reason| FileError::meaning(path, "", reason);
    let tags = text.split('<').map(|rest| rest.split('>').next().unwrap_or_default());
    let count = tags.map(|tag| tag.matches('=').count()).max().unwrap_or(0);
    if count > MAX_ATTRIBUTES {
        return Err(refuse(format!(
            "has an element with {count} attributes: at most {MAX_ATTRIBUTES} are allowed"
        )));
    }
    let count = text.matches("xmlns").count();
    if count > MAX_ATTRIBUTES {
        return Err(refuse(format!(
            "declares {count} XML namespaces: at most {MAX_ATTRIBUTES} are allowed"
        )));
    }
    Ok(())
}

/// A syntax error at the line and column where a node of a document begins.
pub(super) fn refuse(
    path: &Path,
    document: &Document<'_>,
    node: Node<'_, '_>,
    reason: impl Into<String>,
) -> FileError {
    let position = document.text_pos_at(node.range().start);
    FileError::Syntax {
        path: path.to_owned(),
        line: position.row as usize,
        column: position.col as usize,
        reason: reason.into(),
    }
}
