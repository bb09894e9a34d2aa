//! The answer to a request.

use std::io::{self, Write};
use std::sync::Arc;

/// The status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Done,
    SeeOther,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    TooSlow,
    HeaderTooLarge,
    Unavailable,
}

impl Status {
    /// Returns the number and the phrase of RFC 9110 and RFC 6585.
    fn line(self) -> &'static str {
        match self {
            Self::Done => "200 OK",
            Self::SeeOther => "303 See Other",
            Self::BadRequest => "400 Bad Request",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::TooSlow => "408 Request Timeout",
            Self::HeaderTooLarge => "431 Request Header Fields Too Large",
            Self::Unavailable => "503 Service Unavailable",
        }
    }
}

/// The headers of every answer. The page loads nothing from elsewhere, runs only its own scripts
/// and module, is in no other page's frame, and sends its address to nobody, because the address
/// contains the token. Its downloads and pictures are blobs.
const HEADERS: &str = "Cache-Control: no-store\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' blob:; style-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Connection: close\r\n";

pub struct Response {
    status: Status,
    media_type: &'static str,
    /// The headers of only this answer, each with the end of its line.
    more: String,
    body: Arc<[u8]>,
}

impl Response {
    pub fn new(media_type: &'static str, body: Arc<[u8]>) -> Self {
        Self { status: Status::Done, media_type, more: String::new(), body }
    }

    /// Returns an answer that redirects to another address.
    pub fn leading_to(address: String) -> Self {
        Self { more: format!("Location: {address}\r\n"), ..Status::SeeOther.into() }
    }

    /// Writes the answer, without its body for a request of method HEAD.
    pub fn write(&self, mut stream: impl Write, is_head: bool) -> io::Result<()> {
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}{HEADERS}\r\n",
            self.status.line(),
            self.media_type,
            self.body.len(),
            self.more
        );
        stream.write_all(head.as_bytes())?;
        match is_head {
            true => Ok(()),
            false => stream.write_all(&self.body),
        }
    }
}

/// An answer whose body is its status, so that an error reveals nothing about the content.
impl From<Status> for Response {
    fn from(status: Status) -> Self {
        let body = format!("{}\n", status.line()).into_bytes().into();
        let more = match status {
            Status::MethodNotAllowed => "Allow: GET, HEAD\r\n",
            _ => "",
        };
        Self { status, media_type: "text/plain; charset=utf-8", more: more.to_owned(), body }
    }
}
