//! Files of the inputs and answers of [`raytwin`]: rays, points, trajectories and answers in
//! NumPy's formats, as tables and as Parquet columns; point clouds; rendered images; ROS 2
//! messages. Also what all modules share that read or write files: the error, and outputs that
//! appear as a whole or not at all.
//!
//! ```
//! use raytwin::{DeviceChoice, HitArrays, Query, Scene, Sphere, Tracer, glam::DVec3};
//! use raytwin_files::rays::{read_rays, write_answers};
//!
//! # let folder = tempfile::tempdir()?;
//! # let [rays, hits] = ["rays.npy", "hits.npz"].map(|name| folder.path().join(name));
//! # let file = std::fs::File::create(&rays)?;
//! # raytwin_files::npz::write_npy(file, &[1, 6], &[0.0_f32, 0.0, 0.0, 0.0, 0.0, 1.0])?;
//! let mut scene = Scene::new();
//! scene.add(Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 1.0 })?;
//! let tracer = DeviceChoice::Auto.tracer(scene)?;
//! let rays = read_rays(&rays)?;
//! let mut answers = tracer.ask(Query::CLOSEST, rays.batch()?)?;
//! answers.complete(tracer.scene(), rays.batch()?, HitArrays::DEFAULT);
//! write_answers(&hits, Query::CLOSEST, &answers)?;
//! # assert!(hits.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! `mcap` (default) writes ROS 2 messages, and reads poses from them.

mod answers;
mod bytes;
pub mod clouds;
mod coordinates;
#[cfg(target_os = "linux")]
mod huge_pages;
pub mod image;
pub mod legs;
#[cfg(feature = "mcap")]
pub mod messages;
pub mod overlaps;
pub mod pattern_tables;
pub mod points;
mod pose_folder;
pub mod rays;
pub mod stations;
pub mod trajectories;

pub use answers::{
    HitCounts, HitGroup, HitGroups, Pick, SavedAnswers, ray_text, read_tally, write_tally,
};
pub use bytes::csv_file::{each_csv_row, each_row_of};
pub use bytes::csv_parts::rows_below;
pub use bytes::csv_row::{CsvCell, CsvRow};
pub use bytes::decoder::{catch_panic, panics_are_caught};
pub use bytes::destination::{OutputClash, are_one_file, refuse_clashes};
pub use bytes::draft::{DRAFT_PREFIX, Draft};
pub use bytes::error::FileError;
pub use bytes::extension::has_extension;
pub use bytes::file_store::FileStore;
pub use bytes::fingerprint::fingerprint_with_file;
pub use bytes::live_drafts::abandon_drafts;
pub use bytes::outputs::{Outputs, probe_outputs};
#[doc(hidden)]
pub use bytes::parquet;
pub use bytes::partial::partial_path;
pub use bytes::row_fault::RowFault;
pub use bytes::spelling::nearest;
pub use bytes::text_encoding::{DecodedText, decoded_text, in_utf_8, without_mark};
pub use bytes::{memory, npz};
pub use clouds::{CoordinateSystem, ScanCounts};
pub use coordinates::needs_origin;
#[cfg(target_os = "linux")]
pub use huge_pages::HugePages;
#[cfg(feature = "mcap")]
pub use messages::bags;
pub use pose_folder::{PoseFolder, pose_files};

/// The program of the readme compiles as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
