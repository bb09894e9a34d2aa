//! Visitors of `raytwin view` who are not its page: other pages, other users of the machine, and broken or hostile clients.

use crate::common::served::*;
use crate::common::workspace::*;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

fn served() -> (Workspace, Served) {
    let workspace = Workspace::new();
    let served = Served::start(&workspace, &["scene.json"]);
    (workspace, served)
}

#[test]
fn only_this_machine_and_who_knows_the_address_are_answered() {
    let (workspace, served) = served();
    let Served { port, token, .. } = &served;
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    assert_ne!(&Served::start(&workspace, &["scene.json"]).token, token);
    #[cfg(target_os = "linux")]
    assert!(TcpStream::connect(("127.0.0.2", *port)).is_err());

    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let wrong = token.replace(|c: char| c.is_ascii_digit(), "x");
    let longer = format!("{token}0");
    let unknown = served.answer_to(format!("GET / HTTP/1.1\r\n{host}\r\n"));
    assert_eq!((unknown.status, &unknown.body[..]), (404, &b"404 Not Found\n"[..]));
    for path in [
        "/index.html",
        "/scene",
        "/favicon.ico",
        &format!("/{token}"),
        &format!("/{wrong}/"),
        &format!("/{longer}/"),
        &format!("/{}/", &token[..31]),
        &format!("/{}/", token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "a")),
        &format!("//{token}/"),
        &format!("/{token}/absent.js"),
        &format!("/{token}/notes.txt"),
        &format!("/{token}//main.js"),
        &format!("/{token}/examples"),
        &format!("/{token}/examples/"),
        &format!("/{token}/../scene.json"),
        &format!("/{token}/examples/../main.js"),
        &format!("/{token}/%2e%2e%2fscene.json"),
        &format!("/{token}/%2e%2e/scene.json"),
        &format!("/{token}/..%5cscene.json"),
        &format!("/{token}//etc/passwd"),
        &format!("/{token}/%00"),
        &format!("http://127.0.0.1:{port}/{token}/"),
        &format!("http://evil.example/{token}/"),
        "*",
    ] {
        let answer = served.answer_to(format!("GET {path} HTTP/1.1\r\n{host}\r\n"));
        assert_eq!((answer.status, &answer.body), (404, &unknown.body), "{path}");
        assert_eq!(answer.head, unknown.head, "{path}");
    }
}

#[test]
fn other_pages_and_other_methods_are_refused() {
    let (_workspace, served) = served();
    let Served { port, token, .. } = &served;
    let ours = format!("Host: 127.0.0.1:{port}\r\n");
    for (method, headers, status) in [
        ("GET", ours.clone(), 200),
        ("GET", format!("Host: localhost:{port}\r\n"), 200),
        ("GET", format!("{ours}Origin: http://127.0.0.1:{port}\r\n"), 200),
        ("GET", String::new(), 403),
        ("GET", "Host: evil.example\r\n".to_owned(), 403),
        ("GET", format!("Host: evil.example:{port}\r\n"), 403),
        ("GET", "Host: 127.0.0.1\r\n".to_owned(), 403),
        ("GET", format!("{ours}Host: evil.example\r\n"), 403),
        ("GET", format!("{ours}Origin: http://evil.example\r\n"), 403),
        ("GET", format!("{ours}Origin: https://127.0.0.1:{port}\r\n"), 403),
        ("GET", format!("{ours}Origin: http://localhost:{port}\r\n"), 403),
        ("GET", format!("{ours}Origin: null\r\n"), 403),
        ("POST", format!("{ours}Content-Length: 0\r\n"), 405),
        ("PUT", ours.clone(), 405),
        ("OPTIONS", format!("{ours}Origin: http://evil.example\r\n"), 405),
        ("CONNECT", ours.clone(), 405),
        ("get", ours.clone(), 405),
    ] {
        let request = format!("{method} /{token}/ HTTP/1.1\r\n{headers}\r\n");
        let answer = served.answer_to(&request);
        assert_eq!(answer.status, status, "{request}");
        assert_eq!(answer.header("Allow").is_some(), status == 405, "{request}");
        assert!(answer.header("Access-Control-Allow-Origin").is_none());
    }
}

#[test]
fn malformed_requests_are_refused_and_disturb_nobody() {
    let (_workspace, served) = served();
    let Served { port, token, .. } = &served;
    let start = format!("GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n");
    let many = "a: b\r\n".repeat(100);
    let long = "x".repeat(40_000);
    for (request, status) in [
        (b"\r\n\r\n\r\n".to_vec(), 400),
        (b"\0\x01\x02 / HTTP/1.1\r\n\r\n".to_vec(), 400),
        (b"\x16\x03\x01\x02\0\x01\0\x01\xfc\r\n\r\n".to_vec(), 400),
        (b"GET\r\n\r\n".to_vec(), 400),
        (format!("GET /{token}/\0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").into(), 400),
        (format!("GET /{token}/ HTTP/2.0\r\nHost: 127.0.0.1:{port}\r\n\r\n").into(), 400),
        (format!("{start}no colon\r\n\r\n").into(), 400),
        (format!("{start}a: b\x01\r\n\r\n").into(), 400),
        (format!("{start}{many}\r\n").into(), 431),
        (format!("{start}a: {long}\r\n\r\n").into(), 431),
        (format!("GET /{long} HTTP/1.1\r\n\r\n").into(), 431),
        (vec![b'x'; 3 << 20], 431),
        (format!("{start}Content-Length: 9\r\n\r\nabcdefghi").into(), 200),
        (format!("{start}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").into(), 200),
        (format!("{start}\r\nGET / HTTP/1.1\r\n\r\n").into(), 200),
        (format!("GET /{token}/changes HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").into(), 400),
        (
            format!("GET /{token}/changes?since=-1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
                .into(),
            400,
        ),
        (
            format!("GET /{token}/scene?elbow=up HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
                .into(),
            400,
        ),
    ] {
        let mut stream = served.connect();
        // The server may have answered and gone before all is written.
        let _ = stream.write_all(&request);
        let shown = String::from_utf8_lossy(&request[..request.len().min(80)]).into_owned();
        assert_eq!(Answer::of(stream).status, status, "{shown:?}");
        assert_eq!(served.get("").status, 200, "after {shown:?}");
    }
}

#[test]
fn clients_that_are_slow_or_gone_keep_nobody_out() {
    let (workspace, mut served) = served();
    let Served { port, token, .. } = &served;
    let whole = format!("GET /{token}/scene HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    // Each cut of a request, after which the client hangs up in one of three ways.
    for end in 0..whole.len() {
        let mut stream = served.connect();
        stream.write_all(&whole.as_bytes()[..end]).unwrap();
        match end % 3 {
            0 => drop(stream),
            1 => stream.shutdown(Shutdown::Both).unwrap(),
            _ => stream.shutdown(Shutdown::Write).unwrap(),
        }
    }
    assert_eq!(served.get("scene").status, 200);

    // More connections than are kept, silent, with half a request, or with an answer that nobody takes.
    let mut idle = Vec::new();
    for number in 0..400 {
        let mut stream = served.connect();
        let text = match number % 3 {
            0 => "",
            1 => &whole[..40],
            _ => "POST / HTTP/1.1\r\n\r\n",
        };
        stream.write_all(text.as_bytes()).unwrap();
        idle.push(stream);
        if number % 50 == 0 {
            assert_eq!(served.get("main.js").status, 200, "with {number} connections");
        }
    }
    assert_eq!(served.get("scene").status, 200);

    // A request that comes byte by byte is answered, if nobody else needs the place.
    drop(idle);
    let mut slow = served.connect();
    for byte in whole.as_bytes() {
        slow.write_all(&[*byte]).unwrap();
        slow.flush().unwrap();
    }
    assert_eq!(Answer::of(slow).status, 200);

    // One who waits for a change, and one who leaves while waiting.
    for is_gone in [true, false] {
        let mut waiting = served.connect();
        let request = whole.replace("scene", "changes?since=0");
        waiting.write_all(request.as_bytes()).unwrap();
        if is_gone {
            continue;
        }
        assert_eq!(served.get("").status, 200);
        workspace.write("scene.json", SCENE.replace("0.25", "0.125"));
        let answer = Answer::of(waiting);
        assert_eq!((answer.status, &answer.body[..]), (200, &b"1"[..]));
    }
    assert!(served.running.is_running());
    let errors = std::fs::read_to_string(workspace.path("stderr")).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
}

/// A client that takes no answer must not end the program, and one that asks at once is served meanwhile.
#[test]
fn a_large_scene_is_sent_to_one_who_takes_it_and_not_to_one_who_does_not() {
    let workspace = Workspace::new();
    let sphere = |x: usize| {
        format!(
            r#"{{ "type": "sphere", "center": [{}, 0, {}], "radius": 0.5 }}"#,
            x % 1000,
            x / 1000
        )
    };
    let shapes: Vec<String> = (0..50_000).map(sphere).collect();
    workspace
        .write("large.json", format!(r#"{{ "raytwin": 1, "shapes": [ {} ] }}"#, shapes.join(", ")));
    let served = Served::start(&workspace, &["large.json"]);
    let Served { port, token, .. } = &served;
    let request = format!("GET /{token}/scene HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let mut greedy: Vec<TcpStream> = (0..20).map(|_| served.connect()).collect();
    for stream in &mut greedy {
        stream.write_all(request.as_bytes()).unwrap();
        stream.read_exact(&mut [0; 9]).unwrap();
    }
    let (_, scene) = served.get("scene").scene();
    assert_eq!(scene.unwrap().geometry_count(), 50_000);
}
