//! The table by which a device finds the ids of a primitive, as `shaders/numbering.wgsl` reads it.

use super::buffer;
use super::device::Gpu;
use crate::geometry::Geometry;
use crate::gpu_error::GpuError;
use crate::scene::Scene;

/// The mark of a segment whose primitives are all of one geometry.
pub(super) const OF_ONE_GEOMETRY: u32 = 1 << 31;

/// The mark of a segment whose primitives are one shape in one world after the other.
pub(super) const OF_ONE_SHAPE: u32 = 1 << 30;

/// The table, and where its segments begin.
pub(super) struct Numbering {
    pub words: Vec<u32>,
    pub first_segment: u32,
}

impl Numbering {
    /// Makes the table of a scene of all worlds. Ids are those of one world.
    pub fn of(world: &Scene) -> Self {
        let mut segments = Segments::default();
        let own = segments.add(world, |own| world.id_of_number(world.id_of_own(own)));
        let of_definitions: Vec<[u32; 2]> = world
            .definitions()
            .iter()
            .map(|definition| segments.add(definition, |id| id))
            .collect();
        let mut words = vec![0, own[0], own[1]];
        for instance in world.instances() {
            let [first, end] = of_definitions[instance.definition()];
            words.extend([world.id_of_number(instance.first_geometry()), first, end]);
        }
        let first_segment = words.len() as u32;
        words.extend(segments.0.into_iter().flatten());
        Self { words, first_segment }
    }
}

#[derive(Clone, Debug)]
pub(super) struct NumberingOnDevice {
    pub words: wgpu::Buffer,
    pub first_segment: u32,
}

impl NumberingOnDevice {
    /// Uploads the table of a scene of all worlds.
    pub async fn new(gpu: &Gpu, world: &Scene) -> Result<Self, GpuError> {
        let Numbering { words, first_segment } = Numbering::of(world);
        let words = buffer::upload(gpu, "the numbering", bytemuck::cast_slice(&words)).await?;
        Ok(Self { words, first_segment })
    }
}

/// Runs of primitives, each with its first one and the id of its first geometry.
#[derive(Default)]
struct Segments(Vec<[u32; 2]>);

impl Segments {
    /// Adds the primitives of a scene's own geometries, and returns where their segments begin and
    /// end.
    fn add(&mut self, scene: &Scene, id: impl Fn(u32) -> u32) -> [u32; 2] {
        let begin = self.0.len() as u32;
        let mut next = None;
        let mut is_repeated = false;
        for (own, geometry) in (0..).zip(scene.geometries()) {
            let (first, id) = (scene.primitive_ids().first(own), id(own));
            match geometry {
                Geometry::Shape(_) => {
                    let was_repeated = std::mem::replace(&mut is_repeated, next == Some(id + 1));
                    match (is_repeated, was_repeated) {
                        (true, true) => {}
                        (true, false) => self.0.push([first, id | OF_ONE_SHAPE]),
                        (false, _) if was_repeated || next != Some(id) => {
                            self.0.push([first, id]);
                        }
                        (false, _) => {}
                    }
                    next = Some(id + 1);
                }
                Geometry::Empty => (next, is_repeated) = (None, false),
                _ => {
                    self.0.push([first, id | OF_ONE_GEOMETRY]);
                    (next, is_repeated) = (None, false);
                }
            }
        }
        [begin, self.0.len() as u32]
    }
}
