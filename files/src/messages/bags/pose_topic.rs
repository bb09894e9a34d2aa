//! The name of the poses in a bag.

use raytwin::scene::ends_in;
use std::fmt;
use std::str::FromStr;

/// The poses of a bag to use: a topic such as `/odom`, with a frame for topics of transforms, as in
/// `/tf:base_link`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoseTopic {
    pub(super) topic: String,
    /// The frame whose poses in the root of its tree are used.
    pub(super) frame: Option<String>,
}

impl PoseTopic {
    pub(super) fn new(topic: &str, frame: Option<&str>) -> Self {
        Self { topic: topic.to_owned(), frame: frame.map(str::to_owned) }
    }

    /// Returns the requested poses. The frame may be omitted. The last parts of a frame's name are
    /// enough, as for a camera's path.
    pub(super) fn among<'a>(&self, candidates: &'a [Self]) -> Vec<&'a Self> {
        let of_topic = || candidates.iter().filter(|it| it.topic == self.topic);
        let Some(wanted) = &self.frame else { return of_topic().collect() };
        let exact: Vec<&Self> = of_topic().filter(|it| it.frame == self.frame).collect();
        if !exact.is_empty() {
            return exact;
        }
        let ends_in_it = |it: &&Self| ends_in(it.frame.as_deref().unwrap_or_default(), wanted);
        of_topic().filter(ends_in_it).collect()
    }
}

impl FromStr for PoseTopic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The name of a topic has no colon, but that of a frame may have some.
        let (topic, frame) = match text.split_once(':') {
            Some((topic, frame)) => (topic, Some(frame)),
            None => (text, None),
        };
        if topic.is_empty() || frame == Some("") {
            return Err(format!(
                "'{text}' must be a topic such as /odom, or a topic and a frame such as /tf:base_link"
            ));
        }
        // Topics of bags begin at the root.
        let slash = if topic.starts_with('/') { "" } else { "/" };
        Ok(Self::new(&format!("{slash}{topic}"), frame))
    }
}

impl fmt::Display for PoseTopic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.frame {
            Some(frame) => write!(formatter, "{}:{frame}", self.topic),
            None => formatter.write_str(&self.topic),
        }
    }
}
