//! Reads the syntax of a Crystallographic Information File (CIF 1.1): data blocks of items and
//! loops.

use crate::Warning;
use crate::shortened::shortened;
use raytwin_files::FileError;
use std::path::Path;

/// The items of one category: a loop, or single items, which form a single row.
#[derive(Debug, Default)]
pub(super) struct CifTable<'a> {
    /// The names of the columns without that of the category, in lower case.
    pub columns: Vec<String>,
    /// The values, row by row; `None` for one that is unknown or does not apply.
    pub values: Vec<Option<&'a str>>,
}

impl<'a> CifTable<'a> {
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    pub fn rows(&self) -> impl Iterator<Item = &[Option<&'a str>]> {
        self.values.chunks_exact(self.columns.len().max(1))
    }
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    /// The beginning of a data block, with its name.
    Data(&'a str),
    Loop,
    Tag(&'a str),
    /// A value; `None` for `.` and `?`.
    Value(Option<&'a str>),
    /// Another reserved word, such as the beginning of a save frame.
    Reserved,
}

struct Tokens<'a> {
    path: &'a Path,
    text: &'a str,
    /// The bytes before the next token.
    read: usize,
}

impl<'a> Tokens<'a> {
    fn refuse(&self, at: usize, reason: &str) -> FileError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        let path = self.path.to_owned();
        FileError::Syntax { path, line, column, reason: reason.to_owned() }
    }

    /// Skips blanks and comments, and returns the rest.
    fn skip_blanks(&mut self) -> &'a str {
        loop {
            let rest = self.text[self.read..].trim_start();
            self.read = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return rest;
            }
            self.read += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, FileError> {
        let rest = self.skip_blanks();
        let start = self.read;
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let is_line_start = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
        if first == ';' && is_line_start {
            let Some(end) = rest.find("\n;") else {
                let reason = "a text that begins with ';' has no end: end it with ';' at the start of a line";
                return Err(self.refuse(start, reason));
            };
            self.read += end + 2;
            return Ok(Some(Token::Value(Some(rest[1..end].trim_end_matches('\r')))));
        }
        if first == '\'' || first == '"' {
            let mut on_line = rest.char_indices().skip(1).take_while(|&(_, letter)| letter != '\n');
            // A quote without a blank after it is part of the text.
            let end = on_line.find(|&(at, letter)| {
                letter == first && rest[at + 1..].chars().next().is_none_or(char::is_whitespace)
            });
            let Some((end, _)) = end else {
                let reason =
                    format!("a text in quotes has no end: end it with {first} on its line");
                return Err(self.refuse(start, &reason));
            };
            self.read += end + 1;
            return Ok(Some(Token::Value(Some(&rest[1..end]))));
        }
        let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
        self.read += word.len();
        let begins = |reserved: &str| {
            word.get(..reserved.len()).is_some_and(|start| start.eq_ignore_ascii_case(reserved))
        };
        Ok(Some(match word {
            "." | "?" => Token::Value(None),
            _ if first == '_' => Token::Tag(word),
            _ if begins("data_") => Token::Data(&word[5..]),
            _ if begins("loop_") && word.len() == 5 => Token::Loop,
            _ if begins("save_") || begins("stop_") || begins("global_") => Token::Reserved,
            _ => Token::Value(Some(word)),
        }))
    }
}

/// Tables, each with the index of its category.
pub(super) type CifTables<'a> = Vec<(usize, CifTable<'a>)>;

/// Reads the tables of these categories, such as `_atom_site`, from the first data block in which
/// the test finds one complete. A warning names the later blocks.
pub(super) fn read_tables<'a>(
    path: &'a Path,
    text: &'a str,
    categories: &[&str],
    is_complete: impl Fn(&CifTables<'a>) -> bool,
) -> Result<(CifTables<'a>, Warning), FileError> {
    let mut tokens = Tokens { path, text, read: 0 };
    let Some(Token::Data(mut name)) = tokens.next()? else {
        return Err(tokens.refuse(0, "a CIF file must begin with data_ and the name of its data"));
    };
    let mut others = Warning::new("data blocks after the first were left out");
    let mut found = None;
    loop {
        let (tables, next) = match read_block(&mut tokens, categories) {
            Err(fault) if found.is_none() => return Err(fault),
            Err(fault) => {
                others.add(|| format!("{} ({fault})", shortened(name)));
                (CifTables::new(), None)
            }
            Ok(block) => block,
        };
        match (&found, is_complete(&tables)) {
            (Some(_), true) => others.add(|| shortened(name)),
            (None, is_whole) if is_whole || next.is_none() => found = Some(tables),
            _ => {}
        }
        match next {
            Some(next) => name = next,
            None => return Ok((found.unwrap_or_default(), others)),
        }
    }
}

/// Reads the tables of a data block, and the name of the next block.
fn read_block<'a>(
    tokens: &mut Tokens<'a>,
    categories: &[&str],
) -> Result<(CifTables<'a>, Option<&'a str>), FileError> {
    let column_of = |tag: &str| {
        let tag = tag.to_ascii_lowercase();
        categories.iter().enumerate().find_map(|(index, category)| {
            // The dictionary of macromolecules has a dot there, and that of small molecules has
            // none.
            let name = tag.strip_prefix(category)?.strip_prefix(['.', '_'])?;
            Some((index, name.to_owned()))
        })
    };
    let mut token = tokens.next()?;
    let mut tables = CifTables::new();
    let mut singles: Vec<CifTable<'a>> = categories.iter().map(|_| CifTable::default()).collect();
    let next = loop {
        let end = tokens.read;
        token = match token {
            Some(Token::Data(name)) => break Some(name),
            None => break None,
            Some(Token::Reserved) => tokens.next()?,
            Some(Token::Value(value)) => {
                let reason = format!(
                    "the value that ends here, '{}', has no name before it",
                    shortened(value.unwrap_or("."))
                );
                return Err(tokens.refuse(end, &reason));
            }
            Some(Token::Tag(tag)) => {
                let Some(Token::Value(value)) = tokens.next()? else {
                    let reason = format!("{} has no value: give one, or ?", shortened(tag));
                    return Err(tokens.refuse(end, &reason));
                };
                if let Some((category, column)) = column_of(tag) {
                    singles[category].columns.push(column);
                    singles[category].values.push(value);
                }
                tokens.next()?
            }
            Some(Token::Loop) => {
                let mut table = CifTable::default();
                let mut category = None;
                let mut next = tokens.next()?;
                while let Some(Token::Tag(tag)) = next {
                    let column = column_of(tag);
                    category = category.or(column.as_ref().map(|(category, _)| *category));
                    table.columns.push(column.map_or_else(String::new, |(_, name)| name));
                    next = tokens.next()?;
                }
                let mut count = 0;
                while let Some(Token::Value(value)) = next {
                    count += 1;
                    // Most of a file's loops are not needed.
                    if category.is_some() {
                        table.values.push(value);
                    }
                    next = tokens.next()?;
                }
                if table.columns.is_empty() || count % table.columns.len() != 0 {
                    let reason = format!(
                        "the loop that begins here has {} names and {count} values: every row needs a value for each name",
                        table.columns.len()
                    );
                    return Err(tokens.refuse(end, &reason));
                }
                tables.extend(category.map(|category| (category, table)));
                next
            }
        };
    };
    tables.extend(singles.into_iter().enumerate().filter(|(_, table)| !table.columns.is_empty()));
    Ok((tables, next))
}
