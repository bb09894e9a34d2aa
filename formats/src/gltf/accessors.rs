//! Reads the numbers of accessors. Each is checked against the bytes that there are before the
//! crate gltf reads it, because its readers panic or fall silent where a claim is wrong.

use super::buffers::Buffers;
use super::document::GltfFile;
use glam::{DMat3, DVec3};
use gltf::accessor::{DataType, Dimensions, Item, Iter};
use gltf::buffer::View;
use gltf::{Accessor, accessor};
use raytwin::transform::Affine;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The number of elements that may be read beyond one for each byte of the buffers. Primitives may
/// share accessors, and without a limit a small file could ask for the same numbers for ever.
const SPARE_ELEMENTS: u64 = 1 << 20;

/// The extensions that compress a buffer view.
const COMPRESSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The points of an accessor, or why they cannot be read.
type Positions = Result<Rc<[DVec3]>, String>;

pub(super) struct Accessors<'a> {
    file: &'a GltfFile,
    buffers: &'a Buffers,
    left: Cell<u64>,
    positions: RefCell<HashMap<usize, Positions>>,
}

impl<'a> Accessors<'a> {
    pub fn new(file: &'a GltfFile, buffers: &'a Buffers) -> Self {
        let left = Cell::new(buffers.size() + SPARE_ELEMENTS);
        Self { file, buffers, left, positions: RefCell::default() }
    }

    /// Takes so many elements from those that may still be read.
    pub fn take(&self, count: usize) -> Result<(), String> {
        let left = self.left.get().checked_sub(count as u64);
        self.left.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or_else(|| {
            "asks for more numbers than the buffers have bytes: the meshes share their accessors too often"
                .to_owned()
        })
    }

    /// Returns points of any type that glTF and KHR_mesh_quantization allow. Those of each accessor
    /// are read once.
    pub fn positions(&self, accessor: &Accessor<'a>) -> Positions {
        let mut known = self.positions.borrow_mut();
        let read = || self.vectors(accessor).map(|points| points.map(DVec3::from).collect());
        known.entry(accessor.index()).or_insert_with(read).clone()
    }

    /// Returns vectors of three numbers.
    pub fn vectors(
        &self,
        accessor: &Accessor<'a>,
    ) -> Result<Box<dyn Iterator<Item = [f64; 3]> + 'a>, String> {
        expect(accessor, Dimensions::Vec3)?;
        self.rows(accessor)
    }

    /// Returns vectors of four numbers.
    pub fn quadruples(
        &self,
        accessor: &Accessor<'a>,
    ) -> Result<Box<dyn Iterator<Item = [f64; 4]> + 'a>, String> {
        expect(accessor, Dimensions::Vec4)?;
        self.rows(accessor)
    }

    fn rows<const N: usize>(
        &self,
        accessor: &Accessor<'a>,
    ) -> Result<Box<dyn Iterator<Item = [f64; N]> + 'a>, String>
    where
        [f32; N]: Item,
        [i8; N]: Item,
        [u8; N]: Item,
        [i16; N]: Item,
        [u16; N]: Item,
    {
        // Normalised integers stand for numbers from -1 or 0 to 1 (glTF 2.0, section 3.6.2.2).
        let scale = |largest: f64| match accessor.normalized() {
            true => [1.0 / largest, -1.0],
            false => [1.0, f64::NEG_INFINITY],
        };
        fn scaled<'a, T: Into<f64>, const N: usize>(
            rows: Iter<'a, [T; N]>,
            [factor, least]: [f64; 2],
        ) -> Box<dyn Iterator<Item = [f64; N]> + 'a>
        where
            [T; N]: Item + 'a,
        {
            Box::new(rows.map(move |row| row.map(|number| (factor * number.into()).max(least))))
        }
        Ok(match accessor.data_type() {
            // A comparison would turn NaN into a number.
            DataType::F32 => {
                Box::new(self.read::<[f32; N]>(accessor)?.map(|row| row.map(f64::from)))
            }
            DataType::I8 => scaled(self.read::<[i8; N]>(accessor)?, scale(127.0)),
            DataType::U8 => scaled(self.read::<[u8; N]>(accessor)?, scale(255.0)),
            DataType::I16 => scaled(self.read::<[i16; N]>(accessor)?, scale(32767.0)),
            DataType::U16 => scaled(self.read::<[u16; N]>(accessor)?, scale(65535.0)),
            DataType::U32 => return Err(unfit(accessor)),
        })
    }

    /// Returns whole numbers of any width.
    pub fn indices(&self, accessor: &Accessor<'a>) -> Result<Vec<u32>, String> {
        expect(accessor, Dimensions::Scalar)?;
        Ok(match accessor.data_type() {
            DataType::U8 => self.read::<u8>(accessor)?.map(u32::from).collect(),
            DataType::U16 => self.read::<u16>(accessor)?.map(u32::from).collect(),
            DataType::U32 => self.read::<u32>(accessor)?.collect(),
            _ => return Err(unfit(accessor)),
        })
    }

    /// Returns matrices of four columns.
    pub fn matrices(&self, accessor: &Accessor<'a>) -> Result<Vec<Affine>, String> {
        expect(accessor, Dimensions::Mat4)?;
        if accessor.data_type() != DataType::F32 {
            return Err(unfit(accessor));
        }
        let affine = |columns: [[f32; 4]; 4]| {
            let [x, y, z, translation] =
                columns.map(|[x, y, z, _]| DVec3::from([x, y, z].map(f64::from)));
            Affine { linear: DMat3::from_cols(x, y, z), translation }
        };
        Ok(self.read::<[[f32; 4]; 4]>(accessor)?.map(affine).collect())
    }

    fn read<T: Item>(&self, accessor: &Accessor<'a>) -> Result<Iter<'a, T>, String> {
        self.check(accessor)
            .and_then(|()| self.take(accessor.count()))
            .and_then(|()| {
                let bytes = |buffer: gltf::Buffer<'_>| self.buffers.get(buffer.index()).ok();
                Iter::new(accessor.clone(), bytes).ok_or_else(|| "has no numbers".to_owned())
            })
            .map_err(|reason| format!("accessors[{}] {reason}", accessor.index()))
    }

    /// Checks that all bytes to which an accessor refers are there.
    fn check(&self, accessor: &Accessor<'a>) -> Result<(), String> {
        let (count, size) = (accessor.count(), accessor.size());
        if count == 0 {
            return Err("has no elements".to_owned());
        }
        if let Some(view) = accessor.view() {
            self.slice(&view, accessor.offset(), count, size)?;
        }
        let Some(sparse) = accessor.sparse() else { return Ok(()) };
        if sparse.count() == 0 || sparse.count() > count {
            return Err(format!("replaces {} of its {count} elements", sparse.count()));
        }
        let (indices, values) = (sparse.indices(), sparse.values());
        self.slice(&values.view(), values.offset(), sparse.count(), size)?;
        let width = indices.index_type().size();
        let (bytes, stride) =
            self.slice(&indices.view(), indices.offset(), sparse.count(), width)?;
        let index = |bytes: &[u8]| match indices.index_type() {
            accessor::sparse::IndexType::U8 => u8::from_slice(bytes).into(),
            accessor::sparse::IndexType::U16 => u16::from_slice(bytes).into(),
            accessor::sparse::IndexType::U32 => u32::from_slice(bytes),
        };
        // The reader waits for each index in turn, so one that is out of order would hide all after
        // it.
        let indices: Vec<u32> = bytes.chunks(stride).map(index).collect();
        let is_rising = indices.is_sorted_by(|a, b| a < b);
        match is_rising && indices.last().is_none_or(|&last| (last as usize) < count) {
            true => Ok(()),
            false => Err("replaces elements whose indices do not rise or are not there".to_owned()),
        }
    }

    /// The bytes of `count` elements of a view from an offset on, and the distance from one to the
    /// next.
    fn slice(
        &self,
        view: &View<'a>,
        offset: usize,
        count: usize,
        size: usize,
    ) -> Result<(&'a [u8], usize), String> {
        let compression = COMPRESSIONS.into_iter().find(|extension| {
            view.extension_value(extension).is_some() && self.file.requires(extension)
        });
        if let Some(extension) = compression {
            return Err(format!("is compressed by {extension}: export it without compression"));
        }
        let stride = view.stride().unwrap_or(size);
        if stride < size {
            return Err(format!("has elements of {size} bytes that are {stride} bytes apart"));
        }
        let length = stride.checked_mul(count - 1).and_then(|before| before.checked_add(size));
        let end = length.and_then(|length| length.checked_add(offset));
        let end = end.filter(|&end| end <= view.length());
        let end = end.ok_or_else(|| {
            format!(
                "needs {count} elements of {size} bytes, but bufferViews[{}] has {} bytes",
                view.index(),
                view.length()
            )
        })?;
        let buffer = self.buffers.get(view.buffer().index())?;
        let whole = buffer.get(view.offset()..).and_then(|rest| rest.get(..view.length()));
        let part = whole.and_then(|whole| whole.get(offset..end));
        part.map(|part| (part, stride)).ok_or_else(|| {
            format!("lies in bufferViews[{}], which reaches beyond its buffer", view.index())
        })
    }
}

fn expect(accessor: &Accessor<'_>, dimensions: Dimensions) -> Result<(), String> {
    if accessor.dimensions() == dimensions { Ok(()) } else { Err(unfit(accessor)) }
}

fn unfit(accessor: &Accessor<'_>) -> String {
    format!(
        "accessors[{}] has elements of the type {:?} of {:?}, which cannot stand there",
        accessor.index(),
        accessor.dimensions(),
        accessor.data_type()
    )
}
