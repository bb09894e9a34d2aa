//! The answer that a picture shows, and its colours.

use raytwin::Scene;
use raytwin::image::Backdrop;
use raytwin_files::image::color;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

/// The answer that a picture shows.
#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum PictureKind {
    #[default]
    Shaded,
    Distance,
    Ids,
    Normals,
}

/// The source of the colours of a shaded picture.
#[derive(Clone, Copy, Default, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum ColorBy {
    /// The scene's own colours, such as those of elements, and other colours for shapes that have none.
    #[default]
    Own,
    /// The ids of geometries.
    Id,
    /// Labels, which are classes.
    Label,
    /// The outermost node: a robot's link, or a molecule's chain.
    Group,
}

/// The contents of a picture.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Paint {
    pub kind: PictureKind,
    /// The distances that have the first and the last colour.
    pub range: [f64; 2],
    pub by: ColorBy,
    /// True for a dark page.
    pub night: bool,
}

impl Paint {
    pub fn backdrop(&self) -> Backdrop {
        if self.night { Backdrop::NIGHT } else { Backdrop::DAY }
    }

    /// Returns the colour of a hit, as sRGB, for a picture of one answer. In a picture of ids, surfaces
    /// that are seen from the side are a little darker, so that shapes look solid.
    pub fn of_answer(&self, id: u32, distance: f32, normal: [f32; 3], cosine: f32) -> [u8; 3] {
        match self.kind {
            PictureKind::Normals => color::of_normal(normal),
            PictureKind::Distance => color::of_distance(distance.into(), self.range),
            PictureKind::Ids | PictureKind::Shaded => {
                let shade = 0.72 + 0.28 * cosine.abs().min(1.0);
                color::of_id(id).map(|level| (f32::from(level) * shade) as u8)
            }
        }
    }
}

/// The colour of geometries without a class.
const UNLABELLED: [f32; 3] = [0.72, 0.72, 0.71];

/// The sRGB colours of a scene's geometries, which are kept from one tile to the next.
#[derive(Default)]
pub struct ColorCache {
    by: ColorBy,
    /// `None` for the scene's own colours.
    colors: Option<Arc<[[f32; 3]]>>,
}

impl ColorCache {
    /// Returns the colours of all geometries, or `None` for their own.
    pub fn colors_by(&mut self, by: ColorBy, scene: &Scene) -> Option<Arc<[[f32; 3]]>> {
        if self.by != by {
            *self = Self { by, colors: colors(scene, by) };
        }
        self.colors.clone()
    }
}

/// Returns the sRGB colours of a scene's geometries, or `None` for their own.
fn colors(scene: &Scene, by: ColorBy) -> Option<Arc<[[f32; 3]]>> {
    let srgb = |number: u32| color::of_id(number).map(|level| f32::from(level) / 255.0);
    let mut groups: HashMap<String, u32> = HashMap::new();
    let mut of = |id: u32| match by {
        ColorBy::Own | ColorBy::Id => srgb(id),
        ColorBy::Label => match scene.label(id) {
            0 => UNLABELLED,
            label => srgb(label.into()),
        },
        ColorBy::Group => {
            let path = scene.path(id);
            let group = path.split_once('/').map_or("", |(group, _)| group);
            let count = groups.len() as u32;
            srgb(*groups.entry(group.to_owned()).or_insert(count))
        }
    };
    (by != ColorBy::Own).then(|| (0..scene.geometry_count()).map(&mut of).collect())
}
