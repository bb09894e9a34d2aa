//! An MCAP file of ROS 2 messages, written with the crate `mcap`.

use super::cdr::CdrMessage;
use super::message_types::MessageType;
use super::stamp::Stamp;
use crate::{Draft, FileError};
use mcap::records::MessageHeader;
use mcap::{McapError, WriteOptions, Writer};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written. Its chunks are written to the draft when they are full.
pub(super) struct MessageFile {
    writer: Writer<Draft>,
    path: PathBuf,
}

/// The messages of one topic.
#[derive(Debug)]
pub(super) struct Channel {
    id: u16,
    message_count: u32,
}

impl MessageFile {
    pub fn new(draft: Draft) -> Result<Self, FileError> {
        let path = draft.path().to_owned();
        let options = WriteOptions::new().profile("ros2").library("raytwin");
        let writer = options.create(draft).map_err(|error| write_error(&path, error))?;
        Ok(Self { writer, path })
    }

    /// Adds a topic, before its first message.
    pub fn channel(&mut self, topic: &str, kind: MessageType) -> Result<Channel, FileError> {
        let definition = kind.definition();
        let schema = self.writer.add_schema(&kind.full_name(), "ros2msg", definition.as_bytes());
        let id = schema
            .and_then(|schema| self.writer.add_channel(schema, topic, "cdr", &BTreeMap::new()));
        let id = id.map_err(|error| write_error(&self.path, error))?;
        Ok(Channel { id, message_count: 0 })
    }

    /// Writes a message, which was published and logged at this time.
    pub fn write(
        &mut self,
        channel: &mut Channel,
        time: Stamp,
        message: &CdrMessage,
    ) -> Result<(), FileError> {
        let time = time.total_nanoseconds();
        let header = MessageHeader {
            channel_id: channel.id,
            sequence: channel.message_count,
            log_time: time,
            publish_time: time,
        };
        // ROS continues from 0 after 2^32 messages.
        channel.message_count = channel.message_count.wrapping_add(1);
        let written = self.writer.write_to_known_channel(&header, message.as_bytes());
        written.map_err(|error| write_error(&self.path, error))
    }

    /// Writes the index of the messages, and returns the complete draft.
    pub fn finish(mut self) -> Result<Draft, FileError> {
        self.writer.finish().map_err(|error| write_error(&self.path, error))?;
        Ok(self.writer.into_inner())
    }
}

fn write_error(path: &Path, error: McapError) -> FileError {
    FileError::write(path)(match error {
        McapError::Io(error) => error,
        error => io::Error::other(error),
    })
}
