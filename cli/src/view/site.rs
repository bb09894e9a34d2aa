//! The addresses that are served, all of them below a secret one.

use super::page::Page;
use super::request::Request;
use super::response::{Response, Status};
use super::scene_feed::{JointRequest, SceneFeed};
use super::secret::Secret;
use crate::Failure;
use raytwin_formats::JointValue;
use std::borrow::Cow;
use std::sync::mpsc::{Sender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time after which a page that waits for a change gets the current version.
const WAIT: Duration = Duration::from_secs(20);

/// The page, the scene and the secret.
pub struct Site {
    page: Page,
    pub port: u16,
    /// The address of the page without the machine's, such as `/0123…/?served`.
    address: String,
    /// The first part of every path.
    secret: Secret,
    /// The path that leads to the page once. It is used to open a browser, because other users can
    /// read the arguments of programs.
    one_time_secret: Mutex<Option<Secret>>,
    feed: Arc<SceneFeed>,
    joint_requests: Sender<JointRequest>,
}

impl Site {
    /// Returns a site whose page's address ends in a query.
    pub fn new(
        page: Page,
        port: u16,
        query: &str,
        feed: Arc<SceneFeed>,
        joint_requests: Sender<JointRequest>,
    ) -> Result<Self, Failure> {
        let secret = Secret::new()?;
        let address = format!("/{}/{query}", secret.text());
        Ok(Self {
            page,
            port,
            address,
            secret,
            one_time_secret: Mutex::default(),
            feed,
            joint_requests,
        })
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.address)
    }

    /// Returns an address that leads to the page once.
    pub fn address_for_once(&self) -> Result<String, Failure> {
        let secret = Secret::new()?;
        let address = format!("http://127.0.0.1:{}/{}", self.port, secret.text());
        *self.one_time_secret() = Some(secret);
        Ok(address)
    }

    fn one_time_secret(&self) -> MutexGuard<'_, Option<Secret>> {
        self.one_time_secret.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request. Every path without the secret is unknown, so that nobody learns what is
    /// served here.
    pub fn respond(&self, request: &Request) -> Response {
        self.answer(request).unwrap_or_else(Response::from)
    }

    fn answer(&self, request: &Request) -> Result<Response, Status> {
        let path = request.path.strip_prefix('/').ok_or(Status::NotFound)?;
        if self.one_time_secret().take_if(|secret| secret.is(path)).is_some() {
            return Ok(Response::leading_to(self.address.clone()));
        }
        match path.split_once('/').filter(|(secret, _)| self.secret.is(secret)) {
            None => Err(Status::NotFound),
            Some((_, "")) => self.file("index.html"),
            Some((_, "scene")) => self.scene(&request.query),
            Some((_, "changes")) => self.changes(&request.query),
            Some((_, path)) => self.file(path),
        }
    }

    fn file(&self, path: &str) -> Result<Response, Status> {
        let file = self.page.file(path).ok_or(Status::NotFound)?;
        Ok(Response::new(file.media_type, Arc::clone(&file.bytes)))
    }

    /// Returns the scene, with the values of joints that the query gives.
    fn scene(&self, query: &str) -> Result<Response, Status> {
        let joint = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
            let value: JointValue = value.parse().map_err(|_| Status::BadRequest)?;
            Ok((name.into_owned(), value))
        };
        let joints = form_urlencoded::parse(query.as_bytes()).map(joint);
        let joints = joints.collect::<Result<Vec<_>, Status>>()?;
        let message = match joints.is_empty() {
            true => self.feed.message(),
            false => {
                let (reply, message) = sync_channel(1);
                let request = JointRequest { joints, reply };
                self.joint_requests.send(request).map_err(|_| Status::Unavailable)?;
                message.recv().map_err(|_| Status::Unavailable)?
            }
        };
        Ok(Response::new("application/octet-stream", message))
    }

    /// Returns the number of the scene's version, as soon as it differs from the one that the page
    /// has seen, or after a while.
    fn changes(&self, query: &str) -> Result<Response, Status> {
        let seen = query.strip_prefix("since=").and_then(|number| number.parse().ok());
        let version = self.feed.version_after(seen.ok_or(Status::BadRequest)?, WAIT);
        Ok(Response::new("application/json", version.to_string().into_bytes().into()))
    }
}
