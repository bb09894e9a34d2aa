//! The WGSL modules, of a scene and of the point tests: files of `shaders/`, joined as plain text. WGSL has no
//! declaration order, so the order of joining means nothing.

use super::{Fault, Gpu, GpuError, RecordStorage};
use crate::bvh::{Layout, MAX_DEPTH};
use crate::packed::PackedScene;
use crate::shapes::PrimitiveKind;

/// Every file of `shaders/`, by its path there.
pub(super) const FILES: &[File] = &[
    ("math.wgsl", include_str!("../../shaders/math.wgsl")),
    ("ray.wgsl", include_str!("../../shaders/ray.wgsl")),
    ("camera.wgsl", include_str!("../../shaders/camera.wgsl")),
    ("packed.wgsl", include_str!("../../shaders/packed.wgsl")),
    ("shapes.wgsl", include_str!("../../shaders/shapes.wgsl")),
    ("shapes/sphere.wgsl", include_str!("../../shaders/shapes/sphere.wgsl")),
    ("shapes/cuboid.wgsl", include_str!("../../shaders/shapes/cuboid.wgsl")),
    ("shapes/cylinder.wgsl", include_str!("../../shaders/shapes/cylinder.wgsl")),
    ("shapes/capsule.wgsl", include_str!("../../shaders/shapes/capsule.wgsl")),
    ("shapes/cone.wgsl", include_str!("../../shaders/shapes/cone.wgsl")),
    ("shapes/ellipsoid.wgsl", include_str!("../../shaders/shapes/ellipsoid.wgsl")),
    ("shapes/torus.wgsl", include_str!("../../shaders/shapes/torus.wgsl")),
    ("shapes/plane.wgsl", include_str!("../../shaders/shapes/plane.wgsl")),
    ("shapes/disc.wgsl", include_str!("../../shaders/shapes/disc.wgsl")),
    ("shapes/triangle.wgsl", include_str!("../../shaders/shapes/triangle.wgsl")),
    ("shapes/heightfield.wgsl", include_str!("../../shaders/shapes/heightfield.wgsl")),
    (
        "shapes/heightfield/pyramid.wgsl",
        include_str!("../../shaders/shapes/heightfield/pyramid.wgsl"),
    ),
    (
        "shapes/heightfield/nearest.wgsl",
        include_str!("../../shaders/shapes/heightfield/nearest.wgsl"),
    ),
    ("records/buffer.wgsl", include_str!("../../shaders/records/buffer.wgsl")),
    ("records/texture.wgsl", include_str!("../../shaders/records/texture.wgsl")),
    ("trace.wgsl", include_str!("../../shaders/trace.wgsl")),
    ("trace/binary.wgsl", include_str!("../../shaders/trace/binary.wgsl")),
    ("trace/wide.wgsl", include_str!("../../shaders/trace/wide.wgsl")),
    ("threads.wgsl", include_str!("../../shaders/threads.wgsl")),
    ("query.wgsl", include_str!("../../shaders/query.wgsl")),
    ("all.wgsl", include_str!("../../shaders/all.wgsl")),
    ("containment.wgsl", include_str!("../../shaders/containment.wgsl")),
    ("nearest.wgsl", include_str!("../../shaders/nearest.wgsl")),
    ("nearest/binary.wgsl", include_str!("../../shaders/nearest/binary.wgsl")),
    ("nearest/wide.wgsl", include_str!("../../shaders/nearest/wide.wgsl")),
    ("points.wgsl", include_str!("../../shaders/points.wgsl")),
    ("point_in_shape.wgsl", include_str!("../../shaders/point_in_shape.wgsl")),
    ("point_in_shape/cylinder.wgsl", include_str!("../../shaders/point_in_shape/cylinder.wgsl")),
    ("point_in_shape/cone.wgsl", include_str!("../../shaders/point_in_shape/cone.wgsl")),
    ("point_in_shape/ellipsoid.wgsl", include_str!("../../shaders/point_in_shape/ellipsoid.wgsl")),
    ("point_in_shape/sphere.wgsl", include_str!("../../shaders/point_in_shape/sphere.wgsl")),
    ("point_in_shape/boxes.wgsl", include_str!("../../shaders/point_in_shape/boxes.wgsl")),
    ("point_in_shape/plane.wgsl", include_str!("../../shaders/point_in_shape/plane.wgsl")),
    ("point_in_shape/line.wgsl", include_str!("../../shaders/point_in_shape/line.wgsl")),
];

/// A file of `shaders/`: its path there, and its text.
type File = (&'static str, &'static str);

fn is_of_point_in_shape(name: &str) -> bool {
    name.starts_with("point_in_shape")
}

/// The files of the point tests' module, which needs no scene.
pub(super) fn point_in_shape() -> impl Iterator<Item = File> {
    let shared = ["math.wgsl", "threads.wgsl"];
    FILES
        .iter()
        .copied()
        .filter(move |(name, _)| is_of_point_in_shape(name) || shared.contains(name))
}

/// What the module is made for.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    /// How the device reads records.
    pub record_storage: RecordStorage,
    /// How the tree lies.
    pub layout: Layout,
    /// How many levels of nodes it has.
    pub depth: usize,
    /// How many nodes, of a binary one.
    pub nodes: usize,
    /// How many records.
    pub places: usize,
    /// How many shapes stand after those of the tree.
    pub unbounded: usize,
    /// How many meshes are closed.
    pub closed_meshes: usize,
    /// Which kinds there are.
    pub primitive_kinds: Vec<PrimitiveKind>,
    /// Whether rays may differ in what they may meet.
    pub is_filtered: bool,
    /// Whether solids are met where a ray begins in or on them.
    pub is_solid: bool,
}

impl Variant {
    /// For rays that may meet everything, as surfaces.
    pub fn of(record_storage: RecordStorage, packed: &PackedScene) -> Self {
        let tree = &packed.tree;
        Self {
            record_storage,
            layout: tree.layout(),
            depth: packed.depth(),
            nodes: tree.pairs().len(),
            places: tree.order.len(),
            unbounded: packed.unbounded,
            closed_meshes: packed.closed_meshes,
            primitive_kinds: packed.primitive_kinds().to_vec(),
            is_filtered: false,
            is_solid: false,
        }
    }

    /// The files that are joined: of each two that do the same in two ways, one.
    pub fn files(&self) -> impl Iterator<Item = File> + use<> {
        let of_reading = match self.record_storage {
            RecordStorage::Buffer => "records/texture.wgsl",
            RecordStorage::Texture => "records/buffer.wgsl",
        };
        let of_layout = match self.layout {
            Layout::Binary => ["trace/wide.wgsl", "nearest/wide.wgsl"],
            Layout::Wide => ["trace/binary.wgsl", "nearest/binary.wgsl"],
        };
        let is_left_out = move |name| {
            name == of_reading || of_layout.contains(&name) || is_of_point_in_shape(name)
        };
        FILES.iter().copied().filter(move |&(name, _)| !is_left_out(name))
    }

    /// As WGSL constants. An array in function space cannot be sized by an override, and what a constant
    /// switches off no driver has to compile.
    fn constants(&self) -> String {
        // Near-first order leaves at most one entry a level waiting.
        let stack = [8, 16, 32, 64, MAX_DEPTH].into_iter().find(|&size| size >= self.depth);
        let counts = [
            ("STACK_SIZE", stack.unwrap_or(MAX_DEPTH)),
            ("NODES", self.nodes),
            ("PLACES", self.places),
            ("UNBOUNDED", self.unbounded),
            ("MESHES", self.closed_meshes),
        ];
        let counts = counts.map(|(name, count)| format!("const {name}: u32 = {count}u;\n"));
        let primitive_kinds = PrimitiveKind::ALL.iter().map(|kind| {
            let name = kind.constant_name();
            let is_there = self.primitive_kinds.contains(kind);
            format!("const {name}: u32 = {}u;\nconst HAS_{name} = {is_there};\n", *kind as u32)
        });
        let ways = [("IS_FILTERED", self.is_filtered), ("IS_SOLID", self.is_solid)];
        let ways = ways.map(|(name, is_so)| format!("const {name} = {is_so};\n"));
        counts.into_iter().chain(ways).chain(primitive_kinds).collect()
    }
}

/// The module for a scene, with a fault if one is given.
pub(super) fn source(variant: &Variant, fault: Option<&Fault>) -> Result<String, GpuError> {
    Ok(joined(variant.files(), fault)? + &variant.constants())
}

/// Files as one text, with a fault if one is given.
pub(super) fn joined(
    files: impl Iterator<Item = File>,
    fault: Option<&Fault>,
) -> Result<String, GpuError> {
    let mut joined = String::new();
    let mut spoilt = 0;
    for (name, text) in files {
        match fault.filter(|fault| fault.file == name) {
            Some(fault) => {
                spoilt = text.matches(fault.from).count();
                joined.push_str(&text.replacen(fault.from, fault.to, 1));
            }
            None => joined.push_str(text),
        }
    }
    match fault {
        Some(fault) if spoilt != 1 => Err(fault.stale(spoilt)),
        _ => Ok(joined),
    }
}

/// The file and the line in it (from 1) of a line (from 1) of the text that files were joined to.
pub(super) fn locate(files: impl Iterator<Item = File>, line: usize) -> (&'static str, usize) {
    let mut before = 0;
    for (name, text) in files {
        let lines = text.lines().count();
        if line <= before + lines {
            return (name, line - before);
        }
        before += lines;
    }
    ("(printed constants)", line - before)
}

/// Compiles the text that files were joined to; an error names the line of its file.
pub(super) async fn compile(
    gpu: &Gpu,
    text: String,
    files: impl Iterator<Item = File>,
) -> Result<wgpu::ShaderModule, GpuError> {
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("raytwin"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let refused = scope.pop().await;
    let messages = module.get_compilation_info().await.messages;
    let is_error = |message: &wgpu::CompilationMessage| {
        message.message_type == wgpu::CompilationMessageType::Error
    };
    if let Some(error) = messages.into_iter().find(is_error) {
        let place = error.location.map_or((1, 1), |location| {
            (location.line_number as usize, location.line_position as usize)
        });
        let (file, line) = locate(files, place.0);
        return Err(GpuError::Shader {
            file: format!("shaders/{file}"),
            line,
            column: place.1,
            message: error.message,
        });
    }
    match refused {
        Some(error) => Err(GpuError::Refused { what: "the shader", reason: error.to_string() }),
        None => Ok(module),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{Half, Pair, ROOT, Record};
    use crate::packed::{MeshParams, SHAPE_MARK, ShapeRecord};
    use crate::ray::Ray;
    use std::mem::{offset_of, size_of};
    use wgpu::naga;

    /// Of all shapes, in each layout and by each way of record_storage.
    fn variants() -> impl Iterator<Item = Variant> {
        let layouts = [Layout::Binary, Layout::Wide].into_iter();
        let both = layouts.flat_map(|layout| {
            [RecordStorage::Buffer, RecordStorage::Texture]
                .map(move |record_storage| (layout, record_storage))
        });
        both.map(|(layout, record_storage)| Variant {
            record_storage,
            layout,
            depth: 1,
            nodes: 1,
            places: 1,
            unbounded: 1,
            closed_meshes: 1,
            primitive_kinds: PrimitiveKind::ALL.to_vec(),
            is_filtered: true,
            is_solid: true,
        })
    }

    fn modules() -> Vec<naga::Module> {
        let of_scenes = variants().map(|variant| source(&variant, None).unwrap());
        let texts = of_scenes.chain([joined(point_in_shape(), None).unwrap()]);
        texts.map(|text| naga::front::wgsl::parse_str(&text).unwrap()).collect()
    }

    /// The size of a struct in those of the modules that have it, with the offset of each member.
    fn layout(modules: &[naga::Module], name: &str) -> (u32, Vec<(String, u32)>) {
        for (_, declared) in modules.iter().flat_map(|module| module.types.iter()) {
            if declared.name.as_deref() == Some(name)
                && let naga::TypeInner::Struct { members, span } = &declared.inner
            {
                let members = members
                    .iter()
                    .map(|member| (member.name.clone().unwrap_or_default(), member.offset));
                return (*span, members.collect());
            }
        }
        panic!("no struct {name} in any module");
    }

    macro_rules! agrees {
        ($modules:expr, $wgsl:literal, $rust:ty, { $($field:ident => $member:literal),+ $(,)? }) => {{
            let (span, members) = layout($modules, $wgsl);
            assert_eq!(span as usize, size_of::<$rust>(), "size of {}", $wgsl);
            let listed = [$($member),+].len();
            assert_eq!(members.len(), listed, "members of {}", $wgsl);
            $(
                let offset = members.iter().find(|(name, _)| name == $member);
                let offset = offset.unwrap_or_else(|| panic!("no {} in {}", $member, $wgsl)).1;
                assert_eq!(offset as usize, offset_of!($rust, $field), "{}.{}", $wgsl, $member);
            )+
        }};
    }

    #[test]
    fn shared_structs_have_the_same_layout_on_both_sides() {
        let modules = &modules();
        // Eight numbers in a row on one side; on the other two arrays of three, and two.
        let (span, members) = layout(modules, "RayBits");
        assert_eq!(span as usize, size_of::<Ray>());
        let offsets: Vec<u32> = members.iter().map(|(_, offset)| *offset).collect();
        assert_eq!(offsets, [0, 4, 8, 12, 16, 20, 24, 28]);
        let at = |name: &str| members.iter().find(|(own, _)| own == name).unwrap().1 as usize;
        assert_eq!(at("origin_x"), offset_of!(Ray, origin));
        assert_eq!(at("direction_x"), offset_of!(Ray, direction));
        assert_eq!((at("t_min"), at("t_max")), (offset_of!(Ray, t_min), offset_of!(Ray, t_max)));
        agrees!(modules, "Hit", super::super::stream::GpuHit, { t => "t", primitive => "primitive" });
        agrees!(modules, "RayFilter", crate::query::RayFilter, {
            mask => "mask", first_ignored => "first_ignored", ignored => "ignored",
        });
        agrees!(modules, "MeshParams", MeshParams, {
            mask => "mask", first_primitive => "first_primitive", end => "end", is_closed => "is_closed",
        });
        agrees!(modules, "Half", Half, {
            min => "min", link => "link", max => "max", count => "count",
        });
        agrees!(modules, "Pair", Pair, { halves => "halves" });
        // Four times four numbers on one side; on the other three words, and four numbers with names.
        let (span, members) = layout(modules, "Record");
        assert_eq!(
            (span as usize, size_of::<ShapeRecord>()),
            (size_of::<Record>(), size_of::<Record>())
        );
        let offsets: Vec<u32> = members.iter().map(|(_, offset)| *offset).collect();
        assert_eq!(offsets, [0, 16, 32, 48]);
        let names = [
            offset_of!(ShapeRecord, params),
            offset_of!(ShapeRecord, kind),
            offset_of!(ShapeRecord, primitive),
            offset_of!(ShapeRecord, zero),
            offset_of!(ShapeRecord, mask_or_params),
        ];
        assert_eq!(names, [0, 48, 52, 56, 60]);
        agrees!(modules, "TestParams", crate::point_in_shape::TestParams, {
            first => "first", second => "second", third => "third",
        });
        agrees!(modules, "View", super::super::view::ViewUniform, {
            eye => "eye", width => "width", right => "right", first_pixel => "first_pixel",
            up => "up", projection => "projection", forward => "forward",
            columns => "columns", center => "center", center_part => "center_part",
        });
    }

    /// The value of a scalar constant in those of the modules that have it.
    fn constant(modules: &[naga::Module], name: &str) -> f64 {
        let all = modules.iter().flat_map(|module| {
            module.constants.iter().map(move |(_, constant)| (module, constant))
        });
        let found = all.into_iter().find(|(_, constant)| constant.name.as_deref() == Some(name));
        let (module, constant) = found.unwrap_or_else(|| panic!("no constant {name}"));
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => value.into(),
            naga::Expression::Literal(naga::Literal::F32(value)) => value.into(),
            ref other => panic!("{name} is {other:?}"),
        }
    }

    #[test]
    fn shared_constants_have_the_same_value_on_both_sides() {
        use super::super::{pipeline, point_in_shape, scene, view};
        use crate::point_in_shape::{Form, OUTSIDE};
        let modules = &modules();
        for (name, value) in [
            ("NONE", crate::ray::NONE),
            ("WORKGROUP", pipeline::WORKGROUP),
            ("ORTHOGRAPHIC", view::ORTHOGRAPHIC),
            ("PANORAMIC", view::PANORAMIC),
            ("SHAPE_MARK", SHAPE_MARK),
            ("ROOT", ROOT),
            ("RECORDS_PER_ROW", scene::RECORDS_PER_ROW),
        ] {
            assert_eq!(constant(modules, name), f64::from(value), "{name}");
        }
        // A scene's module has constants of these names too, in numbers of its own.
        let of_point_in_shape = &modules[modules.len() - 1..];
        for (name, form) in [
            ("CYLINDER", Form::CylinderTest),
            ("CONE", Form::ConeTest),
            ("ELLIPSOID", Form::EllipsoidTest),
            ("SPHERE", Form::SphereTest),
            ("ALIGNED_BOX", Form::AlignedBoxTest),
            ("ORIENTED_BOX", Form::OrientedBoxTest),
            ("PLANE", Form::PlaneTest),
            ("LINE", Form::LineTest),
            ("RAY", Form::RayTest),
            ("SEGMENT", Form::SegmentTest),
        ] {
            assert_eq!(constant(of_point_in_shape, name), f64::from(form as u32), "{name}");
        }
        assert_eq!(constant(modules, "OUTSIDE"), OUTSIDE);
        assert_eq!(constant(modules, "TOLERANCE_SCALE"), point_in_shape::TOLERANCE_SCALE);
        assert_eq!(constant(modules, "U"), crate::math::U);
        assert_eq!(constant(modules, "MAX_COORDINATE"), f64::from(crate::ray::MAX_COORDINATE));
        // A hair wider, so that the host's exact limits decide.
        let limits = f64::from(crate::ray::MIN_LENGTH)..=f64::from(crate::ray::MAX_LENGTH);
        assert!(constant(modules, "MIN_LENGTH") < *limits.start());
        assert!(constant(modules, "MAX_LENGTH") > *limits.end());
    }

    #[test]
    fn the_list_of_files_is_the_folder_and_each_shape_has_its_namesake() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        let of_shapes = ["shapes/", "shapes/heightfield/"];
        let others = ["", "point_in_shape/", "records/", "trace/", "nearest/"];
        for folder in others.into_iter().chain(of_shapes) {
            for entry in std::fs::read_dir(root.join("shaders").join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if name.ends_with(".wgsl") {
                    found.push(format!("{folder}{name}"));
                }
            }
        }
        found.sort();
        let mut listed: Vec<_> = FILES.iter().map(|(name, _)| name.to_string()).collect();
        listed.sort();
        assert_eq!(listed, found);
        let stems = |folder: &str, ending: &str| {
            let mut stems: Vec<_> = std::fs::read_dir(root.join(folder))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter_map(|name| name.strip_suffix(ending).map(str::to_owned))
                .collect();
            stems.sort();
            stems
        };
        assert_eq!(stems("shaders/shapes", ".wgsl"), stems("src/shapes", ".rs"));
        let mut on_the_host = stems("src/point_in_shape", ".rs");
        on_the_host.retain(|stem| !["axis", "packing"].contains(&stem.as_str()));
        assert_eq!(stems("shaders/point_in_shape", ".wgsl"), on_the_host);
    }

    #[test]
    fn a_line_of_the_joined_text_is_found_in_its_file() {
        for variant in variants() {
            let joined = source(&variant, None).unwrap();
            for (number, line) in joined.lines().enumerate() {
                let (file, own) = locate(variant.files(), number + 1);
                if let Some((_, text)) = FILES.iter().find(|(name, _)| *name == file) {
                    assert_eq!(text.lines().nth(own - 1), Some(line));
                }
            }
            assert_eq!(locate(variant.files(), joined.lines().count()).0, "(printed constants)");
        }
    }

    #[test]
    fn every_loop_of_the_shader_counts_towards_its_end() {
        for (name, text) in FILES {
            assert!(!text.contains("loop {"), "{name} has a loop without a count");
            for line in text.lines().map(str::trim) {
                let counts = [
                    "visited < NODES",
                    "turn < 9u * PLACES",
                    "step < STEPS_PER_SHAPE",
                    "index < first + count",
                    "waiting > 0u",
                    "step < STEPS",
                    "step < HALVINGS",
                    "index < PLACES + UNBOUNDED",
                    "turn < 4u * field.rows * field.columns",
                    "step < STEPS_PER_CELL",
                    "half < 2u",
                    "child < 4u",
                    "level > FINEST",
                    "level < top",
                    "row <= corners.last.x",
                    "column <= corners.last.y",
                    "corner < 3u",
                    "index < 3u",
                    "turns < 2u",
                    "turn < MESHES",
                ];
                let is_loop = line.starts_with("for ") || line.starts_with("while ");
                let is_counted = counts.iter().any(|count| line.contains(count));
                assert!(!is_loop || is_counted, "{name}: {line}");
            }
        }
    }
}
