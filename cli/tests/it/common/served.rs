//! A scene that the program serves, and raw requests to it.

use super::running::Running;
use super::workspace::Workspace;
use raytwin::Scene;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A run of `raytwin view` with a page of a few small files.
pub struct Served {
    pub running: Running,
    pub port: u16,
    /// The secret part of every path.
    pub token: String,
}

/// An answer as it came.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads the answer to a request on a connection.
    pub fn of(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes.split_off(end + 4) }
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns what is said of a scene, and the scene.
    pub fn scene(&self) -> (Value, Option<Scene>) {
        let end = self.body.iter().position(|&byte| byte == b'\n').unwrap();
        let (message, bytes) = self.body.split_at(end);
        let scene = (bytes.len() > 1).then(|| Scene::from_bytes(&bytes[1..]).unwrap());
        (serde_json::from_slice(message).unwrap(), scene)
    }
}

/// Writes a page into the workspace.
pub fn write_page(workspace: &Workspace, folder: &str) {
    let page = workspace.path(folder);
    std::fs::create_dir_all(page.join("examples")).unwrap();
    for (name, text) in [
        ("index.html", "<title>page</title>"),
        ("main.js", "export {};"),
        ("module.wasm", "\0asm"),
        ("notes.txt", "no part of the page"),
        ("examples/arm.urdf", "<robot/>"),
    ] {
        std::fs::write(page.join(name), text).unwrap();
    }
}

impl Served {
    /// Serves a scene of the workspace by these arguments of `raytwin view`, whose messages are written to the file stderr.
    pub fn start(workspace: &Workspace, arguments: &[&str]) -> Self {
        write_page(workspace, "page");
        let view = [&["view"], arguments, &["--page", "page", "--no-open"]].concat();
        let stderr = File::create(workspace.path("stderr")).unwrap();
        let (running, address) = Running::with_first_line(workspace, &view, stderr);
        let (port, token) = parts_of(&address);
        Self { running, port, token }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends the bytes of a request, and returns the answer.
    pub fn answer_to(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_ref()).unwrap();
        Answer::of(stream)
    }

    /// Asks for a path below the secret one, as a browser does.
    pub fn get(&self, path: &str) -> Answer {
        let Self { port, token, .. } = self;
        self.answer_to(format!("GET /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"))
    }
}

/// Returns the port and the secret part of an address.
pub fn parts_of(address: &str) -> (u16, String) {
    let rest = address.trim().strip_prefix("http://127.0.0.1:").unwrap();
    let mut parts = rest.split('/');
    let port = parts.next().unwrap().parse().unwrap();
    (port, parts.next().unwrap().to_owned())
}
