//! A report as a link to the page that judges it. The fragment of its address, which browsers do
//! not send to a server, contains the file of the report, deflated, in the URL variant of base 64.

use super::coding::{deflated, inflated};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::io;

/// The mark before the report in a link.
const MARK: &str = "#report=";

/// The largest number of characters of a link. Firefox limits an address to 1,048,576, and Chromium
/// to twice as many.
pub const LINK_CHARACTERS: usize = 1_000_000;

/// Returns the link to a report at the address of a page; `None` if it does not fit in one.
///
/// # Errors
/// An error of the encoder, which does not occur for bytes in memory.
pub fn link(page: &str, report: &str) -> io::Result<Option<String>> {
    let packed = URL_SAFE_NO_PAD.encode(deflated(report.as_bytes())?);
    let link = [page, MARK, packed.as_str()].concat();
    Ok((link.len() <= LINK_CHARACTERS).then_some(link))
}

/// Returns true if a text is a link to a report, not a path to one.
pub fn is_link(text: &str) -> bool {
    text.contains(MARK)
}

/// Returns the report in a link, of at most `most` bytes.
pub(super) fn unpacked(text: &str, most: u64) -> Result<Vec<u8>, String> {
    let Some((_, packed)) = text.trim_end().split_once(MARK) else {
        return Err(format!(
            "this is neither a report of Prove my GPU nor a link to one, which contains {MARK}"
        ));
    };
    if packed.is_empty() {
        return Err(format!("there is nothing after {MARK}: copy the whole link"));
    }
    let bytes = URL_SAFE_NO_PAD.decode(packed).map_err(|error| match error {
        base64::DecodeError::InvalidByte(at, byte) => format!(
            "'{}' is character {} after {MARK}, and a link cannot have it there: copy the link again, without line breaks",
            char::from(byte).escape_default(),
            at + 1
        ),
        _ => cut(),
    })?;
    let report = inflated(&bytes, most).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => cut(),
        _ => format!("the text after {MARK} cannot be unpacked: {error}; copy the link again"),
    })?;
    report.ok_or_else(|| {
        format!("it unpacks to more than {most} bytes, and a report has at most a few million")
    })
}

/// Returns the message for a link that ends too early.
pub(super) fn cut() -> String {
    "the link ends too early, because chats and mail programs cut long links: copy it again, into a text file, or use the downloaded report"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_comes_back_from_its_link() {
        let link = link("https://host/prove.html", "{\"a\": [1, 2]}").unwrap().unwrap();
        assert!(is_link(&link) && !is_link("raytwin-proof.json"));
        assert!(link.starts_with("https://host/prove.html#report="));
        assert!(
            link.rsplit('=')
                .next()
                .unwrap()
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        );
        let with_end = format!("{link}\r\n");
        assert_eq!(unpacked(&with_end, 100), Ok(b"{\"a\": [1, 2]}".to_vec()));
        assert!(unpacked("https://host/prove.html", 100).unwrap_err().contains("nor a link"));
    }

    #[test]
    fn what_does_not_fit_is_no_link() {
        let mut random = fastrand::Rng::with_seed(1);
        // A random letter or digit takes six bits, and so a character of a link.
        let report: String = (0..2 * LINK_CHARACTERS).map(|_| random.alphanumeric()).collect();
        assert_eq!(link("https://host/prove.html", &report).unwrap(), None);
        let half = link("https://host/prove.html", &report[..LINK_CHARACTERS / 2]).unwrap();
        assert!(half.is_some_and(|link| link.len() > LINK_CHARACTERS / 3));
    }
}
