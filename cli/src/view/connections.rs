//! The connections of browsers: one request for each, on a thread of its own. Their number is
//! limited.

use super::request;
use super::response::{Response, Status};
use super::site::Site;
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most connections at one time.
const MOST: usize = 128;

/// The most bytes of a request's head. It may contain cookies of other pages on this machine,
/// because browsers store cookies only by the name of the host.
const MOST_BYTES: usize = 32 << 10;

/// The time limit for receiving a request.
const TIME_TO_ASK: Duration = Duration::from_secs(10);

/// The time limit for sending a part of an answer.
const TIME_TO_TAKE: Duration = Duration::from_secs(30);

/// The time limit for reading the rest of a request after the answer, and the most bytes of it.
const TIME_TO_END: Duration = Duration::from_secs(1);
const MOST_REST: usize = 1 << 20;

/// Threads of connections do little, and need small stacks.
const STACK: usize = 512 << 10;

/// A connection to a browser or another client.
struct Connection {
    stream: TcpStream,
    /// True from the end of its request to the end of the answer.
    is_answered: AtomicBool,
}

/// The connections that are open, the oldest first.
#[derive(Clone, Default)]
struct Connections(Arc<Mutex<Vec<Arc<Connection>>>>);

impl Connections {
    fn open(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection. If there are too many, closes the oldest one that is not being answered:
    /// a browser asks at once and leaves with its answer. `None` if all are being answered.
    fn add(&self, stream: TcpStream) -> Option<Arc<Connection>> {
        let mut open = self.open();
        if open.len() >= MOST {
            let idles = |open: &Arc<Connection>| !open.is_answered.load(Ordering::Relaxed);
            let index = open.iter().position(idles)?;
            let oldest = open.remove(index);
            let _ = oldest.stream.shutdown(Shutdown::Both);
        }
        let connection = Arc::new(Connection { stream, is_answered: AtomicBool::new(false) });
        open.push(Arc::clone(&connection));
        Some(connection)
    }

    fn remove(&self, connection: &Arc<Connection>) {
        self.open().retain(|other| !Arc::ptr_eq(other, connection));
    }
}

/// Removes a connection when its thread ends, even by a panic.
struct ConnectionGuard(Connections, Arc<Connection>);

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.remove(&self.1);
    }
}

/// Answers all clients.
pub fn accept(listener: &TcpListener, site: &Arc<Site>) {
    let connections = Connections::default();
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // The system may have no more file handles. Some become free when other connections
            // end.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let Some(connection) = connections.add(stream) else { continue };
        let guard = ConnectionGuard(connections.clone(), connection);
        let site = Arc::clone(site);
        // Without a thread, the connection is dropped and removed.
        let _ = thread::Builder::new().stack_size(STACK).spawn(move || {
            // A client that breaks the connection gets no answer.
            let _ = serve(&guard.1, &site);
        });
    }
}

fn serve(connection: &Connection, site: &Site) -> io::Result<()> {
    let stream = &connection.stream;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(TIME_TO_TAKE))?;
    let request = read_head(stream)?.and_then(|head| request::parse(&head, site.port));
    connection.is_answered.store(true, Ordering::Relaxed);
    match request {
        Ok(request) => site.respond(&request).write(stream, request.is_head)?,
        Err(status) => Response::from(status).write(stream, false)?,
    }
    connection.is_answered.store(false, Ordering::Relaxed);
    stream.shutdown(Shutdown::Write)?;
    take_rest(stream)
}

/// Reads up to the empty line that ends the head of a request.
fn read_head(stream: &TcpStream) -> io::Result<Result<Vec<u8>, Status>> {
    const END: &[u8] = b"\r\n\r\n";
    let end = Instant::now() + TIME_TO_ASK;
    let mut head = Vec::new();
    let mut part = [0; 4096];
    loop {
        let length = match read_until(end, stream, &mut part) {
            Ok(None) => return Ok(Err(Status::TooSlow)),
            Ok(Some(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(Some(length)) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if is_timeout(&error) => return Ok(Err(Status::TooSlow)),
            Err(error) => return Err(error),
        };
        let searched = head.len().saturating_sub(END.len() - 1);
        head.extend_from_slice(&part[..length]);
        if head[searched..].windows(END.len()).any(|bytes| bytes == END) {
            return Ok(Ok(head));
        }
        if head.len() > MOST_BYTES {
            return Ok(Err(Status::HeaderTooLarge));
        }
    }
}

/// Reads what else was sent, because some systems discard an answer if the connection is closed
/// with unread bytes (RFC 9112, section 9.6).
fn take_rest(stream: &TcpStream) -> io::Result<()> {
    let end = Instant::now() + TIME_TO_END;
    let mut part = [0; 4096];
    let mut taken = 0;
    while taken < MOST_REST
        && let Some(length @ 1..) = read_until(end, stream, &mut part)?
    {
        taken += length;
    }
    Ok(())
}

/// Reads the available bytes until a time; `None` after that.
fn read_until(end: Instant, mut stream: &TcpStream, part: &mut [u8]) -> io::Result<Option<usize>> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(None);
    }
    stream.set_read_timeout(Some(left))?;
    stream.read(part).map(Some)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
