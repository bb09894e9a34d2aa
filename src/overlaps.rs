//! The overlaps of a scene's solids, each with a point in both.
//!
//! [`OverlapSearch`] examines the pairs whose boxes meet. First it searches for a point in both,
//! according to the containment test in float64, that is deeper than float32 may have moved either
//! surface. Such a point is a proof, whatever found it. Otherwise it searches for a plane between
//! the two convex hulls, which proves that they are apart. If it finds neither, it reports that.
//!
//! ```
//! use raytwin::glam::DVec3;
//! use raytwin::overlaps::{OverlapKind, OverlapOptions, OverlapSearch};
//! use raytwin::{Scene, Sphere};
//!
//! let mut scene = Scene::new();
//! scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
//! scene.add(Sphere { center: DVec3::new(1.5, 0.0, 0.0), radius: 1.0 })?;
//! let search = OverlapSearch::new(&scene, OverlapOptions::default())?;
//! let found = search.among(0..search.len());
//! assert_eq!(found.pairs[0].kind, OverlapKind::Pierces);
//! assert!((found.pairs[0].depth - 0.25).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compound;
mod ellipsoid_method;
mod hull;
mod inside;
mod lines;
mod options;
mod overlap;
mod pair;
mod search;
mod solid;

pub use options::OverlapOptions;
pub use overlap::{Overlap, OverlapCounts, OverlapKind, Overlaps};
pub use search::OverlapSearch;
