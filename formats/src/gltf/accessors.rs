//! Reads the numbers of accessors (glTF 2.0, section 3.6.2). Each accessor is checked against the
//! available bytes.

use super::buffers::Buffers;
use super::document::{GltfFile, extension};
use super::enumerations::{ComponentType, Type};
use super::objects::{Accessor, Sparse};
use glam::{DMat3, DVec3};
use raytwin::transform::Affine;
use std::array;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The number of elements that may be read in addition to one for each byte of the buffers.
/// Primitives may share accessors, and without a limit a small file could request the same numbers
/// forever.
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

/// Elements in a buffer view.
#[derive(Clone, Copy, Default)]
struct Elements<'a> {
    bytes: &'a [u8],
    /// The bytes from one element to the next.
    stride: usize,
}

impl<'a> Elements<'a> {
    /// The bytes from an element on.
    fn at(self, index: usize) -> &'a [u8] {
        self.bytes.get(index * self.stride..).unwrap_or_default()
    }
}

impl<'a> Accessors<'a> {
    pub fn new(file: &'a GltfFile, buffers: &'a Buffers) -> Self {
        let left = Cell::new(buffers.size() + SPARE_ELEMENTS);
        Self { file, buffers, left, positions: RefCell::default() }
    }

    /// Deducts this many elements from those that may still be read.
    pub fn take(&self, count: usize) -> Result<(), String> {
        let left = self.left.get().checked_sub(count as u64);
        self.left.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or_else(|| {
            "needs more numbers than the buffers have bytes: the meshes share their accessors too often"
                .to_owned()
        })
    }

    /// Returns points of any type that glTF and KHR_mesh_quantization allow. Those of each accessor
    /// are read once.
    pub fn positions(&self, accessor: usize) -> Positions {
        let mut known = self.positions.borrow_mut();
        let read = || self.vectors(accessor).map(|points| points.map(DVec3::from).collect());
        known.entry(accessor).or_insert_with(read).clone()
    }

    /// Returns vectors of three numbers.
    pub fn vectors(
        &self,
        accessor: usize,
    ) -> Result<impl Iterator<Item = [f64; 3]> + use<'a>, String> {
        self.scaled(accessor, Type::Vec3)
    }

    /// Returns vectors of four numbers.
    pub fn quadruples(
        &self,
        accessor: usize,
    ) -> Result<impl Iterator<Item = [f64; 4]> + use<'a>, String> {
        self.scaled(accessor, Type::Vec4)
    }

    /// Returns whole numbers of any width.
    pub fn indices(&self, accessor: usize) -> Result<Vec<u32>, String> {
        use ComponentType::{U8, U16, U32};
        let rows = self.rows(accessor, Type::Scalar, &[U8, U16, U32])?;
        Ok(rows.map(|[index]| index as u32).collect())
    }

    /// Returns matrices of four columns.
    pub fn matrices(&self, accessor: usize) -> Result<Vec<Affine>, String> {
        let rows = self.rows(accessor, Type::Mat4, &[ComponentType::F32])?;
        let affine = |columns: [f64; 16]| {
            let column = |index: usize| DVec3::from_slice(&columns[4 * index..]);
            let linear = DMat3::from_cols(column(0), column(1), column(2));
            Affine { linear, translation: column(3) }
        };
        Ok(rows.map(affine).collect())
    }

    /// Returns numbers. Normalised integers represent numbers from -1 or 0 to 1 (section 3.6.2.2).
    fn scaled<const N: usize>(
        &self,
        accessor: usize,
        kind: Type,
    ) -> Result<impl Iterator<Item = [f64; N]> + use<'a, N>, String> {
        use ComponentType::{F32, I8, I16, U8, U16};
        let Accessor { component_type, normalized, .. } = &self.file.document.accessors[accessor];
        let unit = match component_type {
            I8 if *normalized => Some(1.0 / 127.0),
            U8 if *normalized => Some(1.0 / 255.0),
            I16 if *normalized => Some(1.0 / 32767.0),
            U16 if *normalized => Some(1.0 / 65535.0),
            _ => None,
        };
        let scaled = move |number: f64| unit.map_or(number, |unit: f64| (unit * number).max(-1.0));
        let rows = self.rows(accessor, kind, &[F32, I8, I16, U8, U16])?;
        Ok(rows.map(move |row: [f64; N]| row.map(scaled)))
    }

    /// Returns the numbers of each element, which must have one of several types.
    fn rows<const N: usize>(
        &self,
        accessor: usize,
        kind: Type,
        components: &[ComponentType],
    ) -> Result<impl Iterator<Item = [f64; N]> + use<'a, N>, String> {
        let description = &self.file.document.accessors[accessor];
        let component = description.component_type;
        if description.r#type != kind || !components.contains(&component) {
            return Err(format!(
                "accessors[{accessor}] has elements of the type {:?} of {component:?}, which is not allowed there",
                description.r#type
            ));
        }
        let size = component.size();
        let elements = self
            .elements(description, N * size)
            .map_err(|reason| format!("accessors[{accessor}] {reason}"))?;
        let row = move |element: &[u8]| {
            let bytes = |index: usize| element.get(index * size..).unwrap_or_default();
            array::from_fn(|index| component.number(bytes(index)))
        };
        Ok(elements.map(row))
    }

    fn elements(
        &self,
        accessor: &Accessor,
        size: usize,
    ) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, String> {
        let count = accessor.count;
        if count == 0 {
            return Err("has no elements".to_owned());
        }
        let elements = match accessor.buffer_view {
            Some(view) => self.slice(view, accessor.byte_offset.unwrap_or(0), count, size)?,
            None => Elements::default(),
        };
        let replaced = match &accessor.sparse {
            Some(sparse) => self.replaced(sparse, count, size)?,
            None => Vec::new(),
        };
        self.take(count)?;
        let mut replaced = replaced.into_iter().peekable();
        let element = move |index: usize| match replaced.next_if(|(place, _)| *place == index) {
            Some((_, element)) => element,
            None => elements.at(index),
        };
        Ok((0..count).map(element))
    }

    /// Returns the elements that a sparse accessor replaces, in the order of their indices (section
    /// 3.6.2.3).
    fn replaced(
        &self,
        sparse: &Sparse,
        count: usize,
        size: usize,
    ) -> Result<Vec<(usize, &'a [u8])>, String> {
        if sparse.count == 0 || sparse.count > count {
            return Err(format!("replaces {} of its {count} elements", sparse.count));
        }
        let Sparse { indices, values, .. } = sparse;
        let values = self.slice(values.buffer_view, values.byte_offset, sparse.count, size)?;
        let component = indices.component_type.0;
        let indices =
            self.slice(indices.buffer_view, indices.byte_offset, sparse.count, component.size())?;
        let index = |number: usize| component.number(indices.at(number)) as usize;
        let replaced: Vec<_> =
            (0..sparse.count).map(|number| (index(number), values.at(number))).collect();
        let is_rising = replaced.is_sorted_by(|(before, _), (after, _)| before < after);
        match is_rising && replaced.last().is_none_or(|&(last, _)| last < count) {
            true => Ok(replaced),
            false => {
                Err("replaces elements whose indices do not increase or do not exist".to_owned())
            }
        }
    }

    fn slice(
        &self,
        view: usize,
        offset: usize,
        count: usize,
        size: usize,
    ) -> Result<Elements<'a>, String> {
        let description = &self.file.document.buffer_views[view];
        let compression = COMPRESSIONS.into_iter().find(|name| {
            extension(&description.extensions, name).is_some() && self.file.requires(name)
        });
        if let Some(name) = compression {
            return Err(format!("is compressed with {name}: export it without compression"));
        }
        let stride = description.byte_stride.map_or(size, |stride| stride.0);
        if stride < size {
            return Err(format!("has elements of {size} bytes that are {stride} bytes apart"));
        }
        let available = description.byte_length;
        let length = stride.checked_mul(count - 1).and_then(|before| before.checked_add(size));
        let end = length.and_then(|length| length.checked_add(offset));
        let end = end.filter(|&end| end <= available).ok_or_else(|| {
            format!(
                "needs {count} elements of {size} bytes, but bufferViews[{view}] has {available} bytes"
            )
        })?;
        let buffer = self.buffers.get(description.buffer)?;
        let whole = buffer.get(description.byte_offset.unwrap_or(0)..);
        let whole = whole.and_then(|rest| rest.get(..available));
        let bytes = whole.and_then(|whole| whole.get(offset..end));
        bytes
            .map(|bytes| Elements { bytes, stride })
            .ok_or_else(|| format!("is in bufferViews[{view}], which extends past its buffer"))
    }
}
