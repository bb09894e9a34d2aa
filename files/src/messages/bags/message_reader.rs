//! Reads the messages of an MCAP file one after another, with the crate `mcap`. Its own
//! decompressors are C libraries, so the decompressors for Parquet decompress the chunks.

use super::chunk::decompressed;
use crate::bytes::decoder::catch_panic;
use crate::{FileError, FileStore};
use mcap::records::{Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use mcap::{McapError, parse_record};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

pub(super) struct BagMessage<'a> {
    pub topic: &'a str,
    /// The name of its type.
    pub kind: &'a str,
    /// The name of its encoding, which is cdr for ROS 2.
    pub encoding: &'a str,
    pub data: &'a [u8],
}

/// The topics and types so far, by number.
#[derive(Default)]
struct Channels {
    kinds: HashMap<u16, String>,
    channels: HashMap<u16, mcap::records::Channel>,
}

/// Calls a function with each message, in the order of the file.
///
/// # Errors
/// [`FileError`], also for a truncated file.
pub(super) fn each_message(
    path: &Path,
    take: impl FnMut(&BagMessage<'_>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let read = catch_panic(|| each_of(path, take));
    read.map_err(|reason| FileError::meaning(path, "", reason))?
}

fn each_of(
    path: &Path,
    mut take: impl FnMut(&BagMessage<'_>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let (mut file, length) = FileStore::disk().open(path)?;
    let damaged = |error: McapError| {
        let reason = match error {
            McapError::UnexpectedEof | McapError::BadMagic | McapError::RecordTooLarge { .. } => {
                format!(
                    "is truncated or not an MCAP file ({error}): `mcap recover` repairs a recording that was interrupted"
                )
            }
            error => format!("is not an MCAP file that raytwin reads: {error}"),
        };
        FileError::meaning(path, "", reason)
    };
    let options = LinearReaderOptions::default()
        .with_emit_chunks(true)
        .with_record_length_limit(usize::try_from(length).unwrap_or(usize::MAX));
    let mut reader = LinearReader::new_with_options(options);
    let mut channels = Channels::default();
    while let Some(event) = reader.next_event() {
        match event.map_err(damaged)? {
            LinearReadEvent::ReadRequest(needed) => {
                let read = file.read(reader.insert(needed)).map_err(FileError::read(path))?;
                reader.notify_read(read);
            }
            LinearReadEvent::Record { opcode: op::CHUNK, data } => {
                let record = parse_record(op::CHUNK, data).map_err(damaged)?;
                let Record::Chunk { header, data } = record else { continue };
                let records = decompressed(&header, &data)
                    .map_err(|reason| FileError::meaning(path, "", reason))?;
                for record in mcap::read::LinearReader::sans_magic(&records) {
                    channels.add(path, record.map_err(damaged)?, &mut take)?;
                }
            }
            LinearReadEvent::Record {
                opcode: opcode @ (op::SCHEMA | op::CHANNEL | op::MESSAGE),
                data,
            } => {
                channels.add(path, parse_record(opcode, data).map_err(damaged)?, &mut take)?;
            }
            LinearReadEvent::Record { .. } => {}
        }
    }
    Ok(())
}

impl Channels {
    fn add(
        &mut self,
        path: &Path,
        record: Record<'_>,
        take: &mut impl FnMut(&BagMessage<'_>) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        match record {
            Record::Schema { header, .. } => {
                self.kinds.insert(header.id, header.name);
            }
            Record::Channel(channel) => {
                self.channels.insert(channel.id, channel);
            }
            Record::Message { header, data } => {
                let channel = self.channels.get(&header.channel_id).ok_or_else(|| {
                    let id = header.channel_id;
                    FileError::meaning(
                        path,
                        "",
                        format!(
                            "has a message of channel {id}, which does not exist: the file is damaged"
                        ),
                    )
                })?;
                take(&BagMessage {
                    topic: &channel.topic,
                    kind: self.kinds.get(&channel.schema_id).map_or("no type", String::as_str),
                    encoding: &channel.message_encoding,
                    data: &data,
                })?;
            }
            _ => {}
        }
        Ok(())
    }
}
