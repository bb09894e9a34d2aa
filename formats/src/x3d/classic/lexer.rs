//! Splits a world in the classic encoding, or in VRML97, into words, texts and brackets (ISO/IEC
//! 19776-2, section 5).

use crate::shortened::shortened;
use crate::x3d::tree::WorldText;
use crate::x3d::values::{is_space, quoted_string};
use raytwin_files::FileError;

/// A token of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A keyword, a name or a number.
    Word(&'a str),
    Text(String),
    /// One of `{`, `}`, `[` and `]`.
    Bracket(char),
    End,
}

impl Token<'_> {
    /// Its description for messages.
    pub fn description(&self) -> String {
        match self {
            Self::Word(word) => format!("\"{}\"", shortened(word)),
            Self::Text(text) => format!("the text \"{}\"", shortened(text)),
            Self::Bracket(bracket) => format!("\"{bracket}\""),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// The tokens of a world. The next one can be seen before it is consumed.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    source: WorldText<'a>,
    /// The byte after the next token.
    at: usize,
    next: Token<'a>,
    next_offset: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer that begins at a byte of the text.
    pub fn new(source: WorldText<'a>, at: usize) -> Result<Self, FileError> {
        let mut lexer = Self { source, at, next: Token::End, next_offset: at };
        lexer.advance()?;
        Ok(lexer)
    }

    pub fn next(&self) -> &Token<'a> {
        &self.next
    }

    /// The byte at which the next token begins.
    pub fn offset(&self) -> usize {
        self.next_offset
    }

    /// Consumes the next token.
    pub fn take(&mut self) -> Result<Token<'a>, FileError> {
        let taken = std::mem::replace(&mut self.next, Token::End);
        self.advance()?;
        Ok(taken)
    }

    /// The next token if it is a word.
    pub fn next_word(&self) -> Option<&'a str> {
        match self.next {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Consumes a word, which `wanted` describes.
    pub fn word(&mut self, wanted: &str) -> Result<&'a str, FileError> {
        match self.next_word() {
            Some(word) => self.take().map(|_| word),
            None => Err(self.unexpected(wanted)),
        }
    }

    /// Consumes a bracket, if it is the next token.
    pub fn take_bracket(&mut self, bracket: char) -> Result<bool, FileError> {
        let is_next = self.next == Token::Bracket(bracket);
        if is_next {
            self.take()?;
        }
        Ok(is_next)
    }

    /// Consumes a required bracket.
    pub fn bracket(&mut self, bracket: char) -> Result<(), FileError> {
        match self.take_bracket(bracket)? {
            true => Ok(()),
            false => Err(self.unexpected(&format!("\"{bracket}\""))),
        }
    }

    /// Consumes a word, if it is the next token.
    pub fn take_word(&mut self, word: &str) -> Result<bool, FileError> {
        let is_next = self.next_word() == Some(word);
        if is_next {
            self.take()?;
        }
        Ok(is_next)
    }

    pub fn refuse(&self, reason: impl Into<String>) -> FileError {
        self.source.refuse(self.next_offset, reason)
    }

    /// The error for an unexpected token.
    pub fn unexpected(&self, wanted: &str) -> FileError {
        self.refuse(format!("found {}, but {wanted} must be here", self.next.description()))
    }

    fn advance(&mut self) -> Result<(), FileError> {
        let text = self.source.text;
        let rest = loop {
            let rest = text[self.at..].trim_start_matches(is_space);
            self.at = text.len() - rest.len();
            match rest.starts_with('#') {
                true => self.at += rest.find(['\n', '\r']).unwrap_or(rest.len()),
                false => break rest,
            }
        };
        self.next_offset = self.at;
        let Some(first) = rest.chars().next() else {
            self.next = Token::End;
            return Ok(());
        };
        let (token, length) = match first {
            '{' | '}' | '[' | ']' => (Token::Bracket(first), 1),
            '"' => match quoted_string(&rest[1..]) {
                Some((string, length)) => (Token::Text(string), 1 + length),
                None => return Err(self.refuse("a text has no closing quotation mark")),
            },
            _ => {
                let ends =
                    |it: char| is_space(it) || matches!(it, '{' | '}' | '[' | ']' | '"' | '#');
                let length = rest.find(ends).unwrap_or(rest.len());
                (Token::Word(&rest[..length]), length)
            }
        };
        self.at += length;
        self.next = token;
        Ok(())
    }
}
