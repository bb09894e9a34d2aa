//! Parses worlds in the classic encoding of X3D, and in VRML97, whose grammar it continues (ISO/IEC
//! 19776-2, annex A).
//!
//! Finding the end of a field's value needs no knowledge of its type: no value begins or ends like
//! a name.

mod lexer;

use super::builder::TreeBuilder;
use super::tree::{FieldValue, NodeIndex, NodeTree, WorldText};
use super::values;
use crate::shortened::shortened;
use lexer::{Lexer, Token};
use raytwin_files::FileError;

/// The words that state how a field of an interface can be accessed, in X3D and in VRML97, with
/// whether a value follows.
const ACCESS_TYPES: [(&str, bool); 8] = [
    ("inputOnly", false),
    ("outputOnly", false),
    ("inputOutput", true),
    ("initializeOnly", true),
    ("eventIn", false),
    ("eventOut", false),
    ("exposedField", true),
    ("field", true),
];

/// Parses a world. Its first line states the version.
pub(super) fn parse(source: WorldText<'_>) -> Result<NodeTree<'_>, FileError> {
    // Zeros may pad a block after the text.
    let source = WorldText { text: source.text.trim_end_matches('\0'), ..source };
    let header = source.text.split(['\n', '\r']).next().unwrap_or_default();
    let words: Vec<&str> = header.split_whitespace().collect();
    match words[..] {
        ["#X3D", version, ..] if version.starts_with('V') => {}
        ["#VRML", version, ..] if version.starts_with("V1") => {
            let reason = format!(
                "is VRML {}: raytwin reads VRML97 (V2.0) and X3D; convert it to one of them",
                shortened(version)
            );
            return Err(source.refuse(0, reason));
        }
        // Some writers of VRML97 claim the version of X3D.
        ["#VRML", version, ..] if version.starts_with('V') => {}
        _ => {
            let reason =
                "a world must begin with \"#VRML V2.0 utf8\", \"#X3D V3.3 utf8\" or the XML of X3D";
            return Err(source.refuse(0, reason));
        }
    }
    let lexer = Lexer::new(source, header.len())?;
    let mut parser = Parser { lexer, builder: TreeBuilder::new(source) };
    while *parser.lexer.next() != Token::End {
        parser.statement()?;
    }
    Ok(parser.builder.finish())
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    builder: TreeBuilder<'a>,
}

impl<'a> Parser<'a> {
    /// Reads a statement of the file or of a prototype's body.
    fn statement(&mut self) -> Result<(), FileError> {
        const WANTED: &str = "a node or a statement";
        let skipped_words = match self.lexer.next_word() {
            None => return Err(self.lexer.unexpected(WANTED)),
            Some("COMPONENT") => return self.component(),
            Some("PROFILE") => 2,
            Some("META") => 3,
            Some("UNIT") => return self.unit(),
            Some("EXPORT") => 2,
            Some("IMPORT") => return self.import(),
            Some(_) if self.is_apart()? => return Ok(()),
            Some(_) => {
                let node = self.node()?;
                self.builder.add_root(node);
                return Ok(());
            }
        };
        for _ in 0..skipped_words {
            if let Token::Bracket(_) | Token::End = self.lexer.next() {
                return Err(self.lexer.unexpected("the rest of the statement"));
            }
            self.lexer.take()?;
        }
        if self.lexer.take_word("AS")? {
            self.lexer.word("a name")?;
        }
        Ok(())
    }

    /// Reads a statement such as `IMPORT Room.Chair AS Seat`.
    fn import(&mut self) -> Result<(), FileError> {
        let offset = self.lexer.offset();
        self.lexer.take()?;
        let node = self.lexer.word("a node of an Inline")?;
        let (inline, exported) = node.split_once('.').unwrap_or(("", node));
        let name = match self.lexer.take_word("AS")? {
            true => self.lexer.word("a name")?,
            false => exported,
        };
        self.builder.import(inline, name, offset)
    }

    /// Skips a component and its level. There may be blanks about the colon between them.
    fn component(&mut self) -> Result<(), FileError> {
        self.lexer.take()?;
        let mut text = self.lexer.word("a component")?.to_owned();
        while !text.contains(':') || text.ends_with(':') {
            text.push_str(self.lexer.word("a level")?);
        }
        Ok(())
    }

    fn unit(&mut self) -> Result<(), FileError> {
        let offset = self.lexer.offset();
        self.lexer.take()?;
        let category = self.lexer.word("a category")?;
        self.lexer.word("a name")?;
        let factor = values::number(self.lexer.word("a number")?).unwrap_or(f64::NAN);
        self.builder.set_unit(category, factor, offset)
    }

    /// Reads a route or a prototype, which may also be among the fields of a node; returns false if
    /// there is neither.
    fn is_apart(&mut self) -> Result<bool, FileError> {
        match self.lexer.next_word() {
            Some("ROUTE") => {
                self.lexer.take()?;
                self.lexer.word("a node's field")?;
                if !self.lexer.take_word("TO")? {
                    return Err(self.lexer.unexpected("TO"));
                }
                self.lexer.word("a node's field")?;
            }
            Some("PROTO") => self.prototype()?,
            Some("EXTERNPROTO") => self.external_prototype()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn prototype(&mut self) -> Result<(), FileError> {
        let offset = self.lexer.offset();
        self.lexer.take()?;
        let name = self.lexer.word("a name")?;
        let prototype = self.builder.begin_prototype(name, offset)?;
        self.lexer.bracket('[')?;
        while !self.lexer.take_bracket(']')? {
            let (field, has_value) = self.interface_field()?;
            if has_value {
                let default = self.value()?;
                self.builder.set_default(prototype, field, default);
            }
        }
        self.lexer.bracket('{')?;
        while !self.lexer.take_bracket('}')? {
            self.statement()?;
        }
        self.builder.end_prototype();
        Ok(())
    }

    fn external_prototype(&mut self) -> Result<(), FileError> {
        self.lexer.take()?;
        let name = self.lexer.word("a name")?;
        self.builder.declare(name);
        self.lexer.bracket('[')?;
        while !self.lexer.take_bracket(']')? {
            self.interface_field()?;
        }
        self.value().map(drop)
    }

    /// Reads the access, the type and the name of an interface's field. Returns the name, and
    /// whether a value follows.
    fn interface_field(&mut self) -> Result<(&'a str, bool), FileError> {
        let word = self.lexer.next_word();
        let Some((_, has_value)) =
            ACCESS_TYPES.into_iter().find(|(access, _)| Some(*access) == word)
        else {
            return Err(self.lexer.unexpected("a field of an interface, such as \"field\","));
        };
        self.lexer.take()?;
        self.lexer.word("a type")?;
        Ok((self.lexer.word("a name")?, has_value))
    }

    /// Reads a node, or a use of one.
    fn node(&mut self) -> Result<NodeIndex, FileError> {
        let offset = self.lexer.offset();
        if self.lexer.take_word("USE")? {
            let name = self.lexer.word("a name")?;
            return self.builder.used(name, offset);
        }
        let name = match self.lexer.take_word("DEF")? {
            true => Some(self.lexer.word("a name")?),
            false => None,
        };
        let type_offset = self.lexer.offset();
        let type_name = self.lexer.word("the type of a node")?;
        if *self.lexer.next() != Token::Bracket('{') {
            let reason =
                format!("\"{}\" is not a node: \"{{\" must follow it", shortened(type_name));
            return Err(self.builder.refuse(type_offset, reason));
        }
        let node = self.builder.begin_node(type_name, name, offset)?;
        self.lexer.take()?;
        while !self.lexer.take_bracket('}')? {
            if !self.is_apart()? {
                self.field(node)?;
            }
        }
        self.builder.end_node(node)?;
        Ok(node)
    }

    fn field(&mut self, node: NodeIndex) -> Result<(), FileError> {
        let word = self.lexer.word("a field or \"}\"")?;
        let access = ACCESS_TYPES.into_iter().find(|(access, _)| *access == word);
        let (name, has_value) = match access {
            None => (word, true),
            // A script declares fields of its own.
            Some((_, has_value)) => {
                self.lexer.word("a type")?;
                (self.lexer.word("a name")?, has_value)
            }
        };
        if self.lexer.take_word("IS")? {
            let of_prototype = self.lexer.word("a field of the prototype")?;
            let value = self.builder.interface(of_prototype);
            self.builder.set(node, name, value);
        } else if has_value {
            let value = self.value()?;
            self.builder.set(node, name, value);
        }
        Ok(())
    }

    /// Reads a value, or several of one type in brackets.
    fn value(&mut self) -> Result<FieldValue, FileError> {
        let is_list = self.lexer.take_bracket('[')?;
        let value = match *self.lexer.next() {
            Token::Bracket(']') if is_list => FieldValue::Numbers([].into()),
            Token::Text(_) => self.texts()?,
            Token::Word(word) if begins_as_number(word) => self.numbers()?,
            Token::Word(word) if values::flag(word).is_some() => self.flags()?,
            Token::Word(_) => FieldValue::Nodes(self.nodes(is_list)?.into()),
            Token::Bracket(_) | Token::End => return Err(self.lexer.unexpected("a value")),
        };
        if is_list {
            self.lexer.bracket(']')?;
        }
        Ok(value)
    }

    fn texts(&mut self) -> Result<FieldValue, FileError> {
        let mut texts = Vec::new();
        while let Token::Text(_) = self.lexer.next() {
            if let Token::Text(text) = self.lexer.take()? {
                texts.push(text);
            }
        }
        Ok(FieldValue::Strings(texts.into()))
    }

    fn numbers(&mut self) -> Result<FieldValue, FileError> {
        let mut numbers = Vec::new();
        while let Some(word) = self.lexer.next_word().filter(|word| begins_as_number(word)) {
            let number = values::number(word).ok_or_else(|| self.lexer.unexpected("a number"))?;
            numbers.push(number);
            self.lexer.take()?;
        }
        Ok(FieldValue::Numbers(numbers.into()))
    }

    fn flags(&mut self) -> Result<FieldValue, FileError> {
        let mut flags = Vec::new();
        while let Some(flag) = self.lexer.next_word().and_then(values::flag) {
            flags.push(flag);
            self.lexer.take()?;
        }
        Ok(FieldValue::Flags(flags.into()))
    }

    /// Reads a node, or all nodes of a list. `NULL` means none.
    fn nodes(&mut self, is_list: bool) -> Result<Vec<NodeIndex>, FileError> {
        let mut nodes = Vec::new();
        loop {
            // Some writers put routes and prototypes among children.
            let is_none = self.lexer.take_word("NULL")? || (is_list && self.is_apart()?);
            if !is_none {
                nodes.push(self.node()?);
            }
            if !is_list || self.lexer.next_word().is_none() {
                return Ok(nodes);
            }
        }
    }
}

/// Returns true if a word must be a number: no name begins so.
fn begins_as_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.'))
}
