//! The table by which a device finds the record of a primitive that was hit and its reflectance, as
//! `shaders/beams/light.wgsl` reads it.

use super::buffer;
use super::device::Gpu;
use crate::geometry::Geometry;
use crate::gpu_error::GpuError;
use crate::packed::PackedScene;
use crate::ray::NONE;
use crate::scene::{Appearance, Scene};

/// The mark of a segment whose primitives all have one entry.
pub(super) const OF_ONE_ENTRY: u32 = 1 << 31;

/// The reflectance of what has that of its instance.
pub(super) const OF_INSTANCE: u32 = u32::MAX;

/// The words of a row, of a segment and of an entry.
const ROW: usize = 4;
const SEGMENT: usize = 2;
const ENTRY: usize = 2;

/// The words of the table, and the word at which its segments begin.
struct SurfaceTable {
    words: Vec<u32>,
    first_segment: u32,
}

impl SurfaceTable {
    /// Makes the table of a scene in one world; `None` if it is too large for the device, with so
    /// many bytes at most.
    fn new(packed: &PackedScene, most_bytes: u64) -> Option<Self> {
        let scene = packed.all_worlds();
        let mut segments = Vec::new();
        let mut entries = Entries::default();
        let own = entries.add(&mut segments, scene, Appearance::REFLECTANCE.to_bits());
        let of_definitions: Vec<[usize; 2]> = scene
            .definitions()
            .iter()
            .map(|definition| entries.add(&mut segments, definition, OF_INSTANCE))
            .collect();
        let first_segment = ROW * (1 + scene.instances().len());
        let first_entry = first_segment + SEGMENT * segments.len();
        let count = first_entry + entries.words.len();
        if (count * size_of::<u32>()) as u64 > most_bytes || count >= OF_ONE_ENTRY as usize {
            return None;
        }

        let mut instance_records = vec![NONE; scene.instances().len()];
        for (item, record) in packed.items_with_records() {
            match packed.instance_of(item) {
                Some(instance) => instance_records[instance as usize] = record,
                None => entries.set_record(&segments[own[0]..own[1]], item, record),
            }
        }
        for (index, definition) in packed.definitions().iter().enumerate() {
            let [begin, end] = of_definitions[index];
            let first_record = packed.first_record_of(index);
            for (item, record) in definition.items_with_records() {
                entries.set_record(&segments[begin..end], item, first_record + record);
            }
        }

        let row = |record: u32, reflectance: f32, [begin, end]: [usize; 2]| {
            [record, reflectance.to_bits(), begin as u32, end as u32]
        };
        let mut words = Vec::with_capacity(count);
        words.extend(row(NONE, Appearance::REFLECTANCE, own));
        for (instance, record) in scene.instances().iter().zip(instance_records) {
            let reflectance = instance.appearance().reflectance;
            let reflectance = reflectance.unwrap_or(Appearance::REFLECTANCE);
            words.extend(row(record, reflectance, of_definitions[instance.definition()]));
        }
        for Segment { first, entry, is_of_one } in segments {
            let mark = if is_of_one { OF_ONE_ENTRY } else { 0 };
            words.extend([first, mark | (first_entry + entry) as u32]);
        }
        words.append(&mut entries.words);
        Some(Self { words, first_segment: first_segment as u32 })
    }
}

#[derive(Clone, Debug)]
pub(super) struct SurfacesOnDevice {
    pub words: wgpu::Buffer,
    pub first_segment: u32,
}

impl SurfacesOnDevice {
    /// Uploads the table; returns `None` if it does not fit the device.
    pub async fn new(gpu: &Gpu, packed: &PackedScene) -> Result<Option<Self>, GpuError> {
        let most = buffer::most_bytes(&gpu.device.limits());
        let Some(SurfaceTable { words, first_segment }) = SurfaceTable::new(packed, most) else {
            return Ok(None);
        };
        match buffer::upload(gpu, "the surfaces", bytemuck::cast_slice(&words)).await {
            Ok(words) => Ok(Some(Self { words, first_segment })),
            Err(GpuError::OutOfMemory(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A run of primitives.
struct Segment {
    first: u32,
    /// The place of the first one's entry among all entries, in words.
    entry: usize,
    is_of_one: bool,
}

#[derive(Default)]
struct Entries {
    words: Vec<u32>,
}

impl Entries {
    /// Adds the primitives of a scene's own geometries. Where no reflectance is said of one, these
    /// bits stand for it. Returns the range of the segments.
    fn add(&mut self, segments: &mut Vec<Segment>, scene: &Scene, unsaid: u32) -> [usize; 2] {
        let begin = segments.len();
        let mut is_in_run = false;
        for (own, geometry) in (0..).zip(scene.geometries()) {
            let primitives = scene.primitive_ids().of_geometry(own);
            let is_of_one = matches!(geometry, Geometry::Heightfield(_));
            if is_of_one || !is_in_run {
                let entry = self.words.len();
                segments.push(Segment { first: primitives.start, entry, is_of_one });
            }
            is_in_run = !is_of_one;
            let reflectance = scene.own_appearance(own).reflectance.map_or(unsaid, f32::to_bits);
            let count = if is_of_one { 1 } else { primitives.len() };
            for _ in 0..count {
                self.words.extend([NONE, reflectance]);
            }
        }
        [begin, segments.len()]
    }

    fn set_record(&mut self, segments: &[Segment], item: u32, record: u32) {
        let after = segments.partition_point(|segment| segment.first <= item);
        let Segment { first, entry, .. } = segments[after - 1];
        self.words[entry + ENTRY * (item - first) as usize] = record;
    }
}
