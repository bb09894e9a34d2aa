//! The head of a request, and the requests that are always errors.

use super::response::Status;

/// A request that may be answered.
#[derive(Debug, PartialEq)]
pub struct Request {
    pub is_head: bool,
    /// The path as received. Nothing in it is decoded, because no path of ours needs that.
    pub path: String,
    pub query: String,
}

const MOST_HEADERS: usize = 64;

/// Reads the head of a request to a port of this machine. The `Origin` reveals requests of other
/// pages. The `Host` reveals a name that another page made point to this machine (DNS rebinding).
/// Both are errors.
pub fn parse(head: &[u8], port: u16) -> Result<Request, Status> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(Status::HeaderTooLarge),
        Ok(httparse::Status::Partial) | Err(_) => return Err(Status::BadRequest),
    }
    let is_head = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(Status::MethodNotAllowed),
    };
    let values = |name: &str| {
        let named =
            request.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| header.value).collect::<Vec<_>>()
    };
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let host = match values("Host")[..] {
        [host] => hosts.iter().find(|ours| ours.as_bytes() == host).ok_or(Status::Forbidden)?,
        _ => return Err(Status::Forbidden),
    };
    let origin = format!("http://{host}");
    if values("Origin").iter().any(|other| *other != origin.as_bytes()) {
        return Err(Status::Forbidden);
    }
    let target = request.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Request { is_head, path: path.to_owned(), query: query.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(head: &str) -> Result<Request, Status> {
        parse(head.replace('\n', "\r\n").as_bytes(), 8000)
    }

    #[test]
    fn only_requests_to_this_machine_from_our_own_page_are_answered() {
        let request = |is_head, path: &str, query: &str| {
            Ok(Request { is_head, path: path.to_owned(), query: query.to_owned() })
        };
        for (head, answer) in [
            ("GET /a?b=c HTTP/1.1\nHost: 127.0.0.1:8000\n\n", request(false, "/a", "b=c")),
            ("HEAD / HTTP/1.1\nhOST: localhost:8000\n\n", request(true, "/", "")),
            (
                "GET / HTTP/1.1\nHost: localhost:8000\nOrigin: http://localhost:8000\n\n",
                request(false, "/", ""),
            ),
            ("GET /%2e%2e HTTP/1.1\nHost: 127.0.0.1:8000\n\n", request(false, "/%2e%2e", "")),
            ("POST / HTTP/1.1\nHost: 127.0.0.1:8000\n\n", Err(Status::MethodNotAllowed)),
            ("GET / HTTP/1.1\n\n", Err(Status::Forbidden)),
            ("GET / HTTP/1.1\nHost: 127.0.0.1\n\n", Err(Status::Forbidden)),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:80\n\n", Err(Status::Forbidden)),
            ("GET / HTTP/1.1\nHost: evil.example:8000\n\n", Err(Status::Forbidden)),
            (
                "GET / HTTP/1.1\nHost: 127.0.0.1:8000\nHost: evil.example\n\n",
                Err(Status::Forbidden),
            ),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8000\nOrigin: null\n\n", Err(Status::Forbidden)),
            (
                "GET / HTTP/1.1\nHost: 127.0.0.1:8000\nOrigin: http://localhost:8000\n\n",
                Err(Status::Forbidden),
            ),
            (
                "GET / HTTP/1.1\nHost: 127.0.0.1:8000\nOrigin: http://127.0.0.1:8000\nOrigin: http://evil.example\n\n",
                Err(Status::Forbidden),
            ),
            ("GET / HTTP/9\nHost: 127.0.0.1:8000\n\n", Err(Status::BadRequest)),
            ("GET /a b HTTP/1.1\nHost: 127.0.0.1:8000\n\n", Err(Status::BadRequest)),
            ("GET / HTTP/1.1\nHo st: 127.0.0.1:8000\n\n", Err(Status::BadRequest)),
            ("\u{16}\u{3}\u{1}", Err(Status::BadRequest)),
        ] {
            assert_eq!(parsed(head), answer, "{head}");
        }
        let many = format!("GET / HTTP/1.1\n{}\n", "a: b\n".repeat(MOST_HEADERS + 1));
        assert_eq!(parsed(&many), Err(Status::HeaderTooLarge));
    }
}
