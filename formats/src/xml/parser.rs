//! Parses XML like TinyXML-2, with which MuJoCo, ROS and Gazebo read their files. Texts that
//! TinyXML-2 accepts and XML forbids are counted, and texts that it rejects are errors. Other parts
//! of XML, such as document type declarations and instructions, are skipped.
//!
//! Each byte is examined a bounded number of times, and nothing recurses, so that no file takes
//! long or overflows the stack. Declarations of entities are ignored, so that no entity multiplies.

use super::document::{Attribute, Content, Document, NodeData};
use super::lapses::{Lapse, Lapses};
use super::references::{TextKind, replaced};
use crate::shortened::shortened;
use crate::source_text::position;
use std::borrow::Cow;
use std::path::Path;

/// The largest number of attributes of an element. Each is compared with all others.
const MAX_ATTRIBUTES: usize = 1000;

/// The reason to reject a text, and the offset of the fault.
pub(super) struct SyntaxFault {
    pub offset: usize,
    pub reason: String,
}

impl SyntaxFault {
    fn new(offset: usize, reason: impl Into<String>) -> Self {
        Self { offset, reason: reason.into() }
    }
}

/// Parses a text. The path names the file in the lapses that are counted.
pub(super) fn parse<'a>(
    path: &Path,
    text: &'a str,
    lapses: &mut Lapses,
) -> Result<Document<'a>, SyntaxFault> {
    // The readers named above use C strings, which end so.
    let end = text.find('\0').unwrap_or(text.len());
    let document = Document { text, nodes: Vec::new(), attributes: Vec::new() };
    let mut parser = Parser {
        path,
        text: &text[..end],
        at: 0,
        document,
        open: Vec::new(),
        continues_text: false,
        has_declaration: false,
        lapses,
    };
    let name_end = |mut fault: SyntaxFault| {
        if end < text.len() {
            let [line, column] = position(text, end);
            fault.reason += &format!("; a NUL character ends the text at {line}:{column}");
        }
        fault
    };
    parser.content().map_err(name_end)?;
    if let Some(last) = parser.open.last().map(|open| &parser.document.nodes[*open]) {
        let reason = "begins an element that does not end: the file may be truncated";
        return Err(name_end(SyntaxFault::new(last.range.start, reason)));
    }
    if parser.document.nodes.is_empty() {
        return Err(SyntaxFault::new(0, "has no XML element"));
    }
    if end < text.len() {
        parser.note(Lapse::Outside, end);
    }
    Ok(parser.document)
}

struct Parser<'a, 'l> {
    path: &'l Path,
    text: &'a str,
    at: usize,
    document: Document<'a>,
    /// The elements that have begun and not ended, each inside the previous one.
    open: Vec<usize>,
    /// True if the last node is a text that no tag has ended.
    continues_text: bool,
    has_declaration: bool,
    lapses: &'l mut Lapses,
}

impl<'a> Parser<'a, '_> {
    fn note(&mut self, lapse: Lapse, offset: usize) {
        self.lapses.add(lapse, self.path, self.text, offset);
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Parses all of the text, or up to an end tag outside all elements.
    fn content(&mut self) -> Result<(), SyntaxFault> {
        while !self.rest().is_empty() {
            let start = self.at;
            let rest = self.rest();
            if let Some(comment) = rest.strip_prefix("<!--") {
                let length = self.length_until(comment, "-->", "a comment")?;
                if comment[..length].contains("--") || comment[..length].ends_with('-') {
                    self.note(Lapse::Hyphens, start);
                }
                self.at += "<!---->".len() + length;
            } else if let Some(data) = rest.strip_prefix("<![CDATA[") {
                let length = self.length_until(data, "]]>", "a CDATA section")?;
                self.at += "<![CDATA[".len();
                self.add_text(&data[..length], TextKind::CharacterData);
                self.at += length + "]]>".len();
            } else if rest.starts_with("<!") {
                self.at += self.declaration_length(rest)?;
            } else if let Some(instruction) = rest.strip_prefix("<?") {
                let length = self.length_until(instruction, "?>", "an instruction")?;
                let target = instruction[..length].split(is_blank).next();
                if target == Some("xml") && start > 0 {
                    self.note(Lapse::Declaration, start);
                }
                self.at += "<??>".len() + length;
            } else if rest.starts_with('<') {
                if !self.tag()? {
                    break;
                }
            } else {
                let length = rest.find('<').unwrap_or(rest.len());
                self.add_text(&rest[..length], TextKind::Text);
                self.at += length;
            }
        }
        Ok(())
    }

    /// The length of a declaration. The first one may be that of the document's type, which nests
    /// others. In a text with many, each must end at its first `>`, so that it is examined only
    /// once.
    fn declaration_length(&mut self, text: &str) -> Result<usize, SyntaxFault> {
        let is_first = !std::mem::replace(&mut self.has_declaration, true);
        let nested = Some(text).filter(|_| is_first).and_then(nested_declaration_length);
        let length = nested.or_else(|| Some(text.find('>')? + 1));
        length.ok_or_else(|| SyntaxFault::new(self.at, "begins a <! that has no >"))
    }

    /// The number of bytes before the end of what begins here.
    fn length_until(&self, text: &str, end: &str, what: &str) -> Result<usize, SyntaxFault> {
        let fault = || SyntaxFault::new(self.at, format!("begins {what} that has no {end}"));
        text.find(end).ok_or_else(fault)
    }

    /// Adds a text at the current offset. Blanks begin no text, but may continue one.
    fn add_text(&mut self, raw: &'a str, kind: TextKind) {
        let is_outside = self.open.is_empty();
        let is_empty = |c: char| is_blank(c) || (is_outside && c == '\u{feff}');
        if !self.continues_text && raw.chars().all(is_empty) {
            return;
        }
        if is_outside {
            return self.note(Lapse::Outside, self.at);
        }
        let text = self.replaced(raw, kind, self.at);
        let range = self.at..self.at + raw.len();
        let next = self.document.nodes.len();
        match self.document.nodes.last_mut() {
            Some(NodeData { content: Content::Text(before), range: whole, .. })
                if self.continues_text =>
            {
                before.to_mut().push_str(&text);
                whole.end = range.end;
            }
            _ => {
                let content = Content::Text(text);
                self.document.nodes.push(NodeData { content, range, end: next + 1 });
                self.continues_text = true;
            }
        }
    }

    /// Replaces the references of a text that begins at an offset.
    fn replaced(&mut self, raw: &'a str, kind: TextKind, offset: usize) -> Cow<'a, str> {
        let Self { lapses, path, text, .. } = self;
        replaced(raw, kind, |at| lapses.add(Lapse::Ampersand, path, text, offset + at))
    }

    /// Parses a tag. Returns false for an end tag outside all elements, which ends the document.
    fn tag(&mut self) -> Result<bool, SyntaxFault> {
        let start = self.at;
        self.at += 1;
        let mut is_odd = self.skip_blanks();
        let is_end = self.rest().starts_with('/');
        self.at += usize::from(is_end);
        let tag = self.name();
        if tag.is_empty() {
            let reason =
                "is a \"<\" without the name of an element after it: write &lt; for the character";
            return Err(SyntaxFault::new(start, reason));
        }
        let first = self.document.attributes.len();
        let is_empty = self.attributes(start, tag)?;
        let attributes = first..self.document.attributes.len();
        is_odd |= is_end && !attributes.is_empty();
        if is_odd {
            self.note(Lapse::OddTag, start);
        }
        self.continues_text = false;
        let next = self.document.nodes.len();
        if is_end {
            self.document.attributes.truncate(first);
            let Some(open) = self.open.pop() else {
                self.note(Lapse::Outside, start);
                return Ok(false);
            };
            let element = &mut self.document.nodes[open];
            element.end = next;
            element.range.end = self.at;
            return match element.content {
                Content::Element { tag: open, .. } if open != tag || is_empty => {
                    let [tag, open] = [tag, open].map(shortened);
                    let reason = format!("is an end tag of <{tag}>, but </{open}> must be here");
                    Err(SyntaxFault::new(start, reason))
                }
                _ => Ok(true),
            };
        }
        if self.open.is_empty() && next > 0 {
            self.note(Lapse::Outside, start);
        }
        let content = Content::Element { tag, attributes };
        self.document.nodes.push(NodeData { content, range: start..self.at, end: next + 1 });
        if !is_empty {
            self.open.push(next);
        }
        Ok(true)
    }

    /// Parses the attributes of a tag and its end. Returns true if it ends in `/>`.
    fn attributes(&mut self, start: usize, tag: &str) -> Result<bool, SyntaxFault> {
        let first = self.document.attributes.len();
        loop {
            let is_apart = self.skip_blanks();
            for (end, is_empty) in [(">", false), ("/>", true)] {
                if self.rest().starts_with(end) {
                    self.at += end.len();
                    return Ok(is_empty);
                }
            }
            let offset = self.at;
            let fault = |reason: String| Err(SyntaxFault::new(offset, reason));
            let name = self.name();
            let tag = || shortened(tag);
            if name.is_empty() {
                return match self.rest().chars().next() {
                    Some(found) => fault(format!(
                        "found {found:?} in the tag <{}>, but an attribute or the end of the tag must be here",
                        tag()
                    )),
                    None => Err(SyntaxFault::new(start, "begins a tag that has no end")),
                };
            }
            let given = &self.document.attributes[first..];
            if given.len() == MAX_ATTRIBUTES {
                let reason = format!("has more than {MAX_ATTRIBUTES} attributes: no more are read");
                return Err(SyntaxFault::new(start, reason));
            }
            if given.iter().any(|attribute| attribute.name == name) {
                return fault(format!("<{}> has the attribute {} twice", tag(), shortened(name)));
            }
            if !is_apart {
                self.note(Lapse::NoBlank, offset);
            }
            self.skip_blanks();
            if !self.rest().starts_with('=') {
                let name = shortened(name);
                return fault(format!("the attribute {name} of <{}> has no value", tag()));
            }
            self.at += 1;
            self.skip_blanks();
            let Some(value) = self.value() else {
                let name = shortened(name);
                let reason = format!(
                    "the value of the attribute {name} of <{}> must end in a quotation mark",
                    tag()
                );
                return fault(reason);
            };
            self.document.attributes.push(Attribute { name, value });
        }
    }

    /// Parses the value of an attribute; `None` if it is missing or does not end.
    fn value(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|first| ['"', '\''].contains(first));
        let (raw, marks) = match quote {
            Some(quote) => (rest[1..].split_once(quote)?.0, 1),
            None => {
                let ends = |c: char| is_blank(c) || ['/', '>'].contains(&c);
                let raw = rest.split_once(ends)?.0;
                (Some(raw).filter(|raw| !raw.is_empty() && !raw.contains(['"', '\'']))?, 0)
            }
        };
        if quote.is_none() {
            self.note(Lapse::NoQuotes, self.at);
        }
        if raw.contains('<') {
            self.note(Lapse::LessThan, self.at);
        }
        let value = self.replaced(raw, TextKind::Value, self.at + marks);
        self.at += raw.len() + 2 * marks;
        Some(value)
    }

    /// Consumes the name at this place; returns an empty one if there is none. Every XML name is
    /// such a name.
    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let is_letter =
            |byte: u8| byte.is_ascii_alphabetic() || b"_:".contains(&byte) || byte > 127;
        let is_part = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || b".-".contains(&byte);
        let length = match rest.bytes().next().is_some_and(is_letter) {
            true => rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len()),
            false => 0,
        };
        self.at += length;
        &rest[..length]
    }

    /// Skips blanks, and returns whether there were any.
    fn skip_blanks(&mut self) -> bool {
        let start = self.at;
        self.at = self.text.len() - self.rest().trim_start_matches(is_blank).len();
        self.at > start
    }
}

fn is_blank(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '\u{b}'
}

/// The length of a declaration such as `<!DOCTYPE a [...]>`, up to the `>` outside its brackets,
/// quotation marks, comments and instructions.
fn nested_declaration_length(text: &str) -> Option<usize> {
    let mut at = "<!".len();
    let mut depth = 0_usize;
    loop {
        at += text[at..].find(['>', '[', ']', '"', '\'', '<'])?;
        let rest = &text[at..];
        let end = match rest.as_bytes() {
            [b'>', ..] if depth == 0 => return Some(at + 1),
            [b'[', ..] => {
                depth += 1;
                None
            }
            [b']', ..] => {
                depth = depth.saturating_sub(1);
                None
            }
            [b'"', ..] => Some("\""),
            [b'\'', ..] => Some("'"),
            [b'<', b'!', b'-', b'-', ..] => Some("-->"),
            [b'<', b'?', ..] => Some("?>"),
            _ => None,
        };
        at += 1;
        if let Some(end) = end {
            at += text[at..].find(end)? + end.len();
        }
    }
}
