//! The fields of a header: a dictionary in Python's notation, for which `numpy.lib.format` allows
//! only the keys `descr`, `fortran_order` and `shape`.

#[derive(Debug, Default, PartialEq)]
pub(super) struct HeaderFields {
    /// The type of the numbers, such as `<f4`; of records, the list of their fields.
    pub descr: String,
    pub is_fortran: bool,
    pub shape: Vec<u64>,
}

impl HeaderFields {
    /// Reads them from the text of a header.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut fields = [None; 3];
        let mut literal = Literal { rest: text };
        literal.require('{')?;
        while !literal.takes('}') {
            let key = literal.string().ok_or("its header is not a dictionary with string keys")?;
            literal.require(':')?;
            let known = ["descr", "fortran_order", "shape"].iter().position(|known| *known == key);
            let field =
                known.ok_or("its header has a key other than descr, fortran_order and shape")?;
            let value = literal.value().ok_or_else(|| format!("its {key} is not a value"))?;
            if fields[field].replace(value).is_some() {
                return Err(format!("its header has the key {key} twice"));
            }
            if !literal.takes(',') {
                literal.require('}')?;
                break;
            }
        }
        if !literal.rest.trim().is_empty() {
            return Err("its header continues after its dictionary".to_owned());
        }
        let [Some(descr), Some(order), Some(shape)] = fields else {
            return Err("its header lacks descr, fortran_order or shape".to_owned());
        };
        let is_fortran = match order {
            "True" => true,
            "False" => false,
            _ => return Err("its fortran_order is neither True nor False".to_owned()),
        };
        let shape =
            extents(shape).ok_or("its shape is not a tuple of numbers from 0 to 2^64 - 1")?;
        let quoted = |quote| descr.strip_prefix(quote)?.strip_suffix(quote);
        let descr = quoted('\'').or_else(|| quoted('"')).unwrap_or(descr).to_owned();
        Ok(Self { descr, is_fortran, shape })
    }
}

/// The numbers of a tuple. A single number must be followed by a comma.
fn extents(tuple: &str) -> Option<Vec<u64>> {
    let inner = tuple.strip_prefix('(')?.strip_suffix(')')?.trim();
    if inner.is_empty() {
        return Some(Vec::new());
    }
    let listed = inner.strip_suffix(',').unwrap_or(inner);
    let numbers: Option<Vec<u64>> =
        listed.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1 || listed.len() < inner.len())
}

/// The unread rest of a text in Python's notation.
struct Literal<'t> {
    rest: &'t str,
}

impl<'t> Literal<'t> {
    /// Skips a character, if it is the next one.
    fn takes(&mut self, character: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn require(&mut self, character: char) -> Result<(), String> {
        match self.takes(character) {
            true => Ok(()),
            false => Err(format!("its header lacks a {character}")),
        }
    }

    /// The content of the next string. No string of a header has escapes.
    fn string(&mut self) -> Option<&'t str> {
        let quote = ['\'', '"'].into_iter().find(|&quote| self.takes(quote))?;
        let (content, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        Some(content)
    }

    /// The text of the next value, up to the comma or bracket outside its own brackets and quotes.
    fn value(&mut self) -> Option<&'t str> {
        let text = self.rest.trim_start();
        let mut depth = 0_usize;
        let mut quote = None;
        for (at, character) in text.char_indices() {
            match (quote, character) {
                (Some(open), _) => quote = quote.filter(|_| character != open),
                (None, '\'' | '"') => quote = Some(character),
                (None, '(' | '[' | '{') => depth += 1,
                (None, ',' | '}') if depth == 0 => {
                    let (value, rest) = text.split_at(at);
                    self.rest = rest;
                    return Some(value.trim_end()).filter(|value| !value.is_empty());
                }
                (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_their_writers_write_them() {
        for (text, descr, is_fortran, shape) in [
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n",
                "<f4",
                false,
                &[3, 4][..],
            ),
            ("{\"descr\": \"|u1\", \"fortran_order\": True, \"shape\": (5,)}", "|u1", true, &[5]),
            (" { 'shape' : ( ) ,'fortran_order':False,'descr':'>f8' } ", ">f8", false, &[]),
            (
                "{'descr': [('a', '<f4'), ('b}', '<u4', (2,))], 'fortran_order': False, 'shape': (1,), }",
                "[('a', '<f4'), ('b}', '<u4', (2,))]",
                false,
                &[1],
            ),
        ] {
            let fields =
                HeaderFields { descr: descr.to_owned(), is_fortran, shape: shape.to_vec() };
            assert_eq!(HeaderFields::parse(text), Ok(fields), "{text}");
        }
    }

    #[test]
    fn what_is_no_header_is_refused_in_words() {
        let with =
            |shape: &str| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}");
        for shape in [
            "(3)",
            "3",
            "(-1,)",
            "(1.5, 2)",
            "(,)",
            "(1,,2)",
            "[3, 4]",
            "(18446744073709551616,)",
            "(1, 2",
        ] {
            assert!(HeaderFields::parse(&with(shape)).is_err(), "{shape}");
        }
        for text in [
            "",
            "{",
            "{}",
            "[]",
            "{'descr': '<f4'}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
            "{'descr': , 'fortran_order': False, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': ()} 'more'",
            "{'descr: '<f4', 'fortran_order': False, 'shape': ()}",
            "{1: '<f4', 'fortran_order': False, 'shape': ()}",
            "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': ()}",
        ] {
            assert!(HeaderFields::parse(text).is_err(), "{text}");
        }
    }
}
