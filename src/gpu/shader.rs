//! Joins the files of `shaders/` as plain text to WGSL modules: for scenes, for the point tests,
//! and for the measurement of a device's arithmetic. WGSL has no declaration order, so the order of
//! the files does not matter.
//!
//! There is no preprocessor and no import syntax. Where something is done in two ways, each way is
//! a file, of which one is joined: what suits a device by the variant of the kernels (`device/`),
//! references to primitives by whether there are instances (`primitive_ref/`), and the closest hit
//! by whether answers are canonical (`closest/`). Files and blocks of kinds that a scene does not
//! have are left out.
//!
//! In modules of scenes conditions join by `&` and `|`, unless the right side takes long. `&&` and
//! `||` become branches whose two arms are equally long, and each such branch in a row doubles the
//! time in which SwiftShader's compiler searches the loops around it (its function `ExistsPath`).

mod absent_kinds;

use super::capabilities::Capabilities;
use super::fault_site::FaultSite;
use super::kernel::{ModuleContents, ModuleKey, RayHandling};
use super::kernel_variant::KernelVariant;
use crate::gpu_error::GpuError;
use crate::shapes::PrimitiveKind;

/// Every file of `shaders/`, by its path there.
pub(super) const FILES: &[File] = &[
    ("arithmetic.wgsl", include_str!("../../shaders/arithmetic.wgsl")),
    ("barrier.wgsl", include_str!("../../shaders/barrier.wgsl")),
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
    ("shapes/shell.wgsl", include_str!("../../shaders/shapes/shell.wgsl")),
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
    ("device/hardware.wgsl", include_str!("../../shaders/device/hardware.wgsl")),
    ("device/software.wgsl", include_str!("../../shaders/device/software.wgsl")),
    ("instances.wgsl", include_str!("../../shaders/instances.wgsl")),
    ("instances/object_space.wgsl", include_str!("../../shaders/instances/object_space.wgsl")),
    ("primitive_ref/own.wgsl", include_str!("../../shaders/primitive_ref/own.wgsl")),
    ("primitive_ref/placed.wgsl", include_str!("../../shaders/primitive_ref/placed.wgsl")),
    ("trace.wgsl", include_str!("../../shaders/trace.wgsl")),
    ("closest/float32.wgsl", include_str!("../../shaders/closest/float32.wgsl")),
    ("closest/canonical.wgsl", include_str!("../../shaders/closest/canonical.wgsl")),
    ("canonical/zones.wgsl", include_str!("../../shaders/canonical/zones.wgsl")),
    ("canonical/solids.wgsl", include_str!("../../shaders/canonical/solids.wgsl")),
    ("canonical/surfaces.wgsl", include_str!("../../shaders/canonical/surfaces.wgsl")),
    ("trace/wide.wgsl", include_str!("../../shaders/trace/wide.wgsl")),
    ("threads.wgsl", include_str!("../../shaders/threads.wgsl")),
    ("query.wgsl", include_str!("../../shaders/query.wgsl")),
    ("all.wgsl", include_str!("../../shaders/all.wgsl")),
    ("containment.wgsl", include_str!("../../shaders/containment.wgsl")),
    ("containers.wgsl", include_str!("../../shaders/containers.wgsl")),
    ("nearest.wgsl", include_str!("../../shaders/nearest.wgsl")),
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
    ("beams/spread.wgsl", include_str!("../../shaders/beams/spread.wgsl")),
    ("beams/normals.wgsl", include_str!("../../shaders/beams/normals.wgsl")),
    ("beams/light.wgsl", include_str!("../../shaders/beams/light.wgsl")),
    ("beams/echoes.wgsl", include_str!("../../shaders/beams/echoes.wgsl")),
    ("numbering.wgsl", include_str!("../../shaders/numbering.wgsl")),
    ("answers.wgsl", include_str!("../../shaders/answers.wgsl")),
    ("sample/philox.wgsl", include_str!("../../shaders/sample/philox.wgsl")),
    ("sample/fixed_point.wgsl", include_str!("../../shaders/sample/fixed_point.wgsl")),
    ("sample/generate.wgsl", include_str!("../../shaders/sample/generate.wgsl")),
    ("sample/tally.wgsl", include_str!("../../shaders/sample/tally.wgsl")),
    ("sample/paths.wgsl", include_str!("../../shaders/sample/paths.wgsl")),
];

/// A file of `shaders/`: its path there, and its text.
type File = (&'static str, &'static str);

fn is_of_point_in_shape(name: &str) -> bool {
    name.starts_with("point_in_shape")
}

fn is_of_sample(name: &str) -> bool {
    name.starts_with("sample/")
}

fn is_of_beams(name: &str) -> bool {
    name.starts_with("beams/")
}

/// The files that scenes share with the point tests and with sampling.
const SHARED: [&str; 2] = ["math.wgsl", "threads.wgsl"];

/// The files that only modules without a scene have.
const ARITHMETIC: &str = "arithmetic.wgsl";
const NUMBERING: &str = "numbering.wgsl";
const ANSWERS: &str = "answers.wgsl";

/// Some files are alternatives to each other, and a module has one of them.
pub(super) fn files(contents: &ModuleContents) -> impl Iterator<Item = File> {
    FILES.iter().copied().filter(move |(name, _)| match contents {
        ModuleContents::PointInShape => is_of_point_in_shape(name) || SHARED.contains(name),
        ModuleContents::Sample => is_of_sample(name) || SHARED.contains(name) || *name == NUMBERING,
        ModuleContents::Answers => SHARED.contains(name) || [NUMBERING, ANSWERS].contains(name),
        ModuleContents::Arithmetic => [ARITHMETIC, "barrier.wgsl", "threads.wgsl"].contains(name),
        ModuleContents::Scene(capabilities, ray_handling) => {
            !is_of_beams(name) && is_of_scene(name, capabilities, ray_handling)
        }
        ModuleContents::Beams(capabilities) => {
            is_of_scene(name, capabilities, &RayHandling::default())
        }
    })
}

fn is_of_scene(name: &str, capabilities: &Capabilities, ray_handling: &RayHandling) -> bool {
    ![ARITHMETIC, NUMBERING, ANSWERS].contains(&name)
        && !is_of_point_in_shape(name)
        && !is_of_sample(name)
        && serves(name, ray_handling)
        && !alternatives_left_out(capabilities).contains(&name)
        && absent_kinds::is_needed(name, &capabilities.primitive_kinds)
}

/// Returns true unless a file serves only another handling of rays.
fn serves(name: &str, ray_handling: &RayHandling) -> bool {
    if name == "containers.wgsl" && !ray_handling.is_listing {
        return false;
    }
    match ray_handling.is_canonical {
        true => name != "closest/float32.wgsl",
        false => name != "closest/canonical.wgsl" && !name.starts_with("canonical/"),
    }
}

/// Returns the files that are left out because their alternatives serve these capabilities.
fn alternatives_left_out(capabilities: &Capabilities) -> [&'static str; 2] {
    let device = match capabilities.kernel_variant {
        KernelVariant::Hardware => "device/software.wgsl",
        KernelVariant::Software => "device/hardware.wgsl",
    };
    let primitive_ref = match capabilities.has_instances() {
        true => "primitive_ref/own.wgsl",
        false => "primitive_ref/placed.wgsl",
    };
    [device, primitive_ref]
}

/// Returns capabilities as WGSL constants. They are no overrides, because an override cannot size
/// an array in function space, and because no driver has to compile code that a constant switches
/// off.
fn constants(capabilities: &Capabilities, ray_handling: RayHandling) -> String {
    let stack_size = format!("const STACK_SIZE: u32 = {}u;\n", capabilities.stack_size);
    let RayHandling { is_filtered, is_solid, is_canonical, is_listing } = ray_handling;
    // The host finds the solids that contain the start of a ray that is in doubt.
    let is_solid_here = is_solid && !is_canonical;
    let mut flags =
        vec![("IS_FILTERED", is_filtered), ("IS_SOLID", is_solid_here), ("IS_LISTING", is_listing)];
    if is_canonical {
        flags.push(("IS_START_IN_SOLID_DOUBTED", is_solid));
    }
    let flags = flags.into_iter().map(|(name, is_set)| format!("const {name} = {is_set};\n"));
    let primitive_kinds = PrimitiveKind::ALL.iter().map(|kind| {
        let name = kind.constant_name();
        let is_there = capabilities.primitive_kinds.contains(kind);
        format!("const {name}: u32 = {}u;\nconst HAS_{name} = {is_there};\n", *kind as u32)
    });
    [stack_size].into_iter().chain(flags).chain(primitive_kinds).collect()
}

pub(super) fn source(key: &ModuleKey) -> Result<String, GpuError> {
    let joined = joined(files(&key.contents), key.fault)?;
    let for_scene = |capabilities: &Capabilities, ray_handling| {
        absent_kinds::without_absent(&joined, &capabilities.primitive_kinds)
            + &constants(capabilities, ray_handling)
    };
    Ok(match &key.contents {
        ModuleContents::Scene(capabilities, ray_handling) => for_scene(capabilities, *ray_handling),
        ModuleContents::Beams(capabilities) => for_scene(capabilities, RayHandling::default()),
        ModuleContents::PointInShape
        | ModuleContents::Arithmetic
        | ModuleContents::Sample
        | ModuleContents::Answers => joined,
    })
}

/// Joins files to one text, with a fault if one is given. A fault of a file that is left out
/// changes nothing.
fn joined(files: impl Iterator<Item = File>, fault: Option<FaultSite>) -> Result<String, GpuError> {
    let Some(FaultSite::Shader { file, from, to }) = fault else {
        return Ok(files.map(|(_, text)| text).collect());
    };
    let text = FILES.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text);
    let count = text.matches(from).count();
    if count != 1 {
        return Err(GpuError::StaleFault { text: from, file, count });
    }
    let spoilt = |(name, text): File| match name == file {
        true => text.replacen(from, to, 1),
        false => text.to_owned(),
    };
    Ok(files.map(spoilt).collect())
}

/// Returns the file and the line in it that a line of the joined text comes from. Lines are counted
/// from 1.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{ALIGNMENT, ROOT};
    use crate::packed::{INSTANCE_ROWS, MeshParams, Record, SHAPE_MARK, ShapeRecord};
    use crate::ray::Ray;
    use std::mem::{offset_of, size_of};
    use wgpu::naga;

    /// Returns the kinds of primitives that scenes with or without instances have.
    fn kinds(has_instances: bool) -> Vec<PrimitiveKind> {
        let kinds = PrimitiveKind::ALL.iter().copied();
        kinds.filter(|&kind| has_instances || kind != PrimitiveKind::Instance).collect()
    }

    /// Returns the keys of modules for scenes of all primitives, without and with instances, for
    /// each variant of the kernels, both kinds of closest hits, and lists of solids.
    fn scene_modules() -> impl Iterator<Item = ModuleKey> {
        let both = [false, true].into_iter().flat_map(|has_instances| {
            [KernelVariant::Hardware, KernelVariant::Software]
                .map(move |kernel_variant| (has_instances, kernel_variant))
        });
        let handlings = [[false, false], [true, false], [false, true]];
        let all = both.flat_map(move |both| handlings.map(|handling| (both, handling)));
        all.map(|((has_instances, kernel_variant), [is_canonical, is_listing])| {
            let primitive_kinds = kinds(has_instances);
            let capabilities = Capabilities { kernel_variant, stack_size: 8, primitive_kinds };
            let ray_handling =
                RayHandling { is_filtered: true, is_solid: true, is_canonical, is_listing };
            ModuleKey { contents: ModuleContents::Scene(capabilities, ray_handling), fault: None }
        })
    }

    /// Returns the keys of modules for the beams that are cast into these scenes.
    fn beam_modules() -> impl Iterator<Item = ModuleKey> {
        scene_modules().filter_map(|key| match key.contents {
            ModuleContents::Scene(capabilities, handling)
                if !handling.is_canonical && !handling.is_listing =>
            {
                Some(ModuleKey { contents: ModuleContents::Beams(capabilities), fault: None })
            }
            _ => None,
        })
    }

    /// Parses the modules of [`scene_modules`] and [`beam_modules`], and the module of the point
    /// tests as the last.
    fn modules() -> Vec<naga::Module> {
        let others = [
            ModuleContents::Sample,
            ModuleContents::Answers,
            ModuleContents::Arithmetic,
            ModuleContents::PointInShape,
        ]
        .map(|contents| ModuleKey { contents, fault: None });
        let keys = scene_modules().chain(beam_modules()).chain(others);
        let texts = keys.map(|key| source(&key).unwrap());
        texts.map(|text| naga::front::wgsl::parse_str(&text).unwrap()).collect()
    }

    /// Returns the size of a struct of some module, and the offset of each member.
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
        // The shader has eight numbers in a row; the host has two arrays of three numbers, and two
        // numbers.
        let (span, members) = layout(modules, "RayBits");
        assert_eq!(span as usize, size_of::<Ray>());
        let offsets: Vec<u32> = members.iter().map(|(_, offset)| *offset).collect();
        assert_eq!(offsets, [0, 4, 8, 12, 16, 20, 24, 28]);
        let at = |name: &str| members.iter().find(|(member, _)| member == name).unwrap().1 as usize;
        assert_eq!(at("origin_x"), offset_of!(Ray, origin));
        assert_eq!(at("direction_x"), offset_of!(Ray, direction));
        assert_eq!((at("t_min"), at("t_max")), (offset_of!(Ray, t_min), offset_of!(Ray, t_max)));
        let [own, placed] = [false, true].map(|has_instances| {
            let is_chosen = |key: &ModuleKey| match &key.contents {
                ModuleContents::Scene(capabilities, _) => {
                    capabilities.has_instances() == has_instances
                }
                _ => false,
            };
            let texts = scene_modules().filter(is_chosen).map(|key| source(&key).unwrap());
            texts.map(|text| naga::front::wgsl::parse_str(&text).unwrap()).collect::<Vec<_>>()
        });
        agrees!(&own, "Hit", crate::gpu::GpuHit, { t => "t", primitive => "primitive" });
        agrees!(&placed, "Hit", crate::gpu::GpuPlacedHit, {
            t => "t", primitive => "primitive", instance => "instance",
        });
        agrees!(modules, "RayFilter", crate::query::RayFilter, {
            mask => "mask", first_ignored => "first_ignored", ignored => "ignored", instance => "instance",
            world => "world",
        });
        agrees!(modules, "MeshParams", MeshParams, {
            mask => "mask", first_primitive => "first_primitive", end => "end", is_closed => "is_closed",
        });
        agrees!(modules, "SceneHeader", super::super::header::SceneHeader, {
            instance => "instance", root => "root", first_unbounded => "first_unbounded",
            unbounded_records => "unbounded_records", block_level => "block_level",
            block_row => "block_row", block_column => "block_column",
            closed_meshes => "closed_meshes", max_traversal_steps => "max_traversal_steps",
            zero => "zero",
        });
        // The shader has four times four numbers; the host has three params, and four numbers with
        // names.
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
        agrees!(modules, "Results", super::super::arithmetic::Results, {
            quotient => "quotient", root => "root", sum => "sum", product => "product",
            difference => "difference", fma => "fma",
            barred_difference => "barred_difference", reversed_difference => "reversed_difference",
        });
        agrees!(modules, "View", super::super::view::ViewUniform, {
            width => "width", pixels => "pixels", first_pixel => "first_pixel",
            projection => "projection", center => "center", center_part => "center_part",
            mask => "mask",
        });
        agrees!(modules, "ImagePlace", super::super::view::ImagePlace, {
            eye => "eye", world => "world", right => "right", panorama => "panorama",
            up => "up", columns => "columns", forward => "forward",
        });
        agrees!(modules, "Beams", super::super::beams::BeamsUniform, {
            subrays => "subrays", count => "count", spread => "spread", exit_radius => "exit_radius",
            range_resolution => "range_resolution", attenuation => "attenuation",
            room => "room", segments => "segments",
        });
        agrees!(modules, "EchoBits", super::super::beams::EchoBits, {
            reference => "reference", mean => "mean", light => "light", weight => "weight",
            strongest => "strongest", t => "t", primitive => "primitive", instance => "instance",
        });
        agrees!(modules, "Answering", super::super::answers_on_device::Answering, {
            count => "count", hit_words => "hit_words", segments => "segments",
            has_labels => "has_labels", stride => "stride", projection => "projection",
            first_pixel => "first_pixel", pixels => "pixels", range_min => "range_min",
            range_max => "range_max",
        });
        agrees!(modules, "Sampling", super::super::sample::SamplingUniform, {
            seed => "seed", first => "first", count => "count", generator => "generator",
            t_min => "t_min", t_max => "t_max", exponents => "exponents", hit_words => "hit_words",
            shifts => "shifts", room => "room", low => "low", geometries => "geometries",
            high => "high", unit_exponent => "unit_exponent", extents => "extents",
            edges => "edges", normal => "normal", segments => "segments", across => "across",
            solids => "solids", upwards => "upwards", first_index => "first_index",
        });
    }

    /// Returns the value of a scalar constant of some module.
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
        use super::super::{
            answers_on_device, beams, dispatch, hit, numbering, point_in_shape, recast,
            record_texture, sample, surfaces, view,
        };
        use crate::point_in_shape::{Form, OUTSIDE};
        let modules = &modules();
        for (name, value) in [
            ("NONE", crate::ray::NONE),
            ("WORKGROUP", dispatch::WORKGROUP),
            ("ORTHOGRAPHIC", view::ORTHOGRAPHIC),
            ("PANORAMIC", view::PANORAMIC),
            ("SHAPE_MARK", SHAPE_MARK),
            ("ROOT", ROOT),
            ("ALIGNMENT", ALIGNMENT),
            ("INSTANCE_ROWS", INSTANCE_ROWS as u32),
            ("RECORDS_PER_ROW", record_texture::RECORDS_PER_ROW),
            ("MOST_SUBRAYS", beams::MOST_SUBRAYS),
            ("RAYS", answers_on_device::RAYS),
            ("PARALLEL", answers_on_device::PARALLEL),
            ("OF_ONE_ENTRY", surfaces::OF_ONE_ENTRY),
            ("OF_INSTANCE", surfaces::OF_INSTANCE),
            ("IN_BOX", sample::IN_BOX),
            ("LINES", sample::LINES),
            ("OF_ONE_GEOMETRY", numbering::OF_ONE_GEOMETRY),
            ("OF_ONE_SHAPE", numbering::OF_ONE_SHAPE),
            ("HITS_OF_THREAD", sample::HITS_OF_THREAD),
            ("COUNTS", sample::COUNTS as u32),
            ("HIT_SUMS", sample::HIT_SUMS as u32),
            ("PATH_SUMS", sample::PATH_SUMS as u32),
            ("CROSSED", sample::COUNTS as u32 - 1),
            ("ABANDONED_BITS", hit::ABANDONED_BITS),
            ("IN_SOLID", recast::IN_SOLID),
            ("CROSSES_MESH", recast::CROSSES_MESH),
            ("ON_MESH", recast::ON_MESH),
        ] {
            assert_eq!(constant(modules, name), f64::from(value), "{name}");
        }
        let nearest = crate::lidar::NEAREST as f32;
        assert_eq!(constant(modules, "NEAREST_LIGHT"), f64::from(nearest));
        // A scene's module has constants of these names too, but with other values.
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
        // The shader's limits are slightly wider, so that the host's exact limits decide.
        let limits = f64::from(crate::ray::MIN_LENGTH)..=f64::from(crate::ray::MAX_LENGTH);
        assert!(constant(modules, "MIN_LENGTH") < *limits.start());
        assert!(constant(modules, "MAX_LENGTH") > *limits.end());
    }

    #[test]
    fn the_list_of_files_is_the_folder_and_each_shape_has_its_namesake() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        let of_shapes = ["shapes/", "shapes/heightfield/"];
        let others = [
            "",
            "point_in_shape/",
            "device/",
            "trace/",
            "nearest/",
            "instances/",
            "primitive_ref/",
            "closest/",
            "canonical/",
            "sample/",
            "beams/",
        ];
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
        let mut shapes = stems("src/shapes", ".rs");
        let apart = [
            "angles",
            "caps",
            "closed_form",
            "displacement",
            "form_type",
            "image",
            "image_distance",
            "outline",
            "parts",
            "placing",
            "primitive_kind",
            "shape",
            "special_lines",
        ];
        shapes.retain(|stem| !apart.contains(&stem.as_str()));
        assert_eq!(stems("shaders/shapes", ".wgsl"), shapes);
        let mut on_the_host = stems("src/point_in_shape", ".rs");
        on_the_host.retain(|stem| !["axis", "packing"].contains(&stem.as_str()));
        assert_eq!(stems("shaders/point_in_shape", ".wgsl"), on_the_host);
    }

    #[test]
    fn a_module_is_complete_for_each_kind_alone_and_shorter_than_for_all() {
        for all in scene_modules().chain(beam_modules()) {
            let for_all = source(&all).unwrap().len();
            let (ModuleContents::Scene(capabilities, _) | ModuleContents::Beams(capabilities)) =
                &all.contents
            else {
                panic!()
            };
            for kind in kinds(capabilities.has_instances()) {
                let capabilities =
                    Capabilities { primitive_kinds: vec![kind], ..capabilities.clone() };
                let contents = match all.contents {
                    ModuleContents::Scene(_, handling) => {
                        ModuleContents::Scene(capabilities, handling)
                    }
                    _ => ModuleContents::Beams(capabilities),
                };
                let text = source(&ModuleKey { contents, fault: None }).unwrap();
                let module = naga::front::wgsl::parse_str(&text);
                let module = module.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
                let checks = naga::valid::ValidationFlags::all();
                let mut validator = naga::valid::Validator::new(checks, Default::default());
                assert!(validator.validate(&module).is_ok(), "{kind:?}");
                assert!(text.len() < for_all * 9 / 10, "{kind:?}: {} of {for_all}", text.len());
            }
        }
    }

    #[test]
    fn a_line_of_the_joined_text_is_found_in_its_file() {
        for key in scene_modules() {
            let joined = source(&key).unwrap();
            for (number, line) in joined.lines().enumerate() {
                let (file, line_in_file) = locate(files(&key.contents), number + 1);
                if let Some((_, text)) = FILES.iter().find(|(name, _)| *name == file) {
                    // A block of an absent kind is emptied.
                    let original = text.lines().nth(line_in_file - 1).map(str::trim);
                    assert!(line.is_empty() || original == Some(line.trim()), "{file}: {line}");
                }
            }
            assert_eq!(
                locate(files(&key.contents), joined.lines().count()).0,
                "(printed constants)"
            );
        }
    }

    #[test]
    fn conditions_of_scene_modules_join_without_branches() {
        // The right side of each of these does something, or takes long.
        let with_costly_right_side = [
            "if is_casting && advance(",
            "if side == 0.0 || side_of(b, c) != side || side_of(c, a) != side {",
            "let has_last = !has_first || ring_excess(",
            "let meets_first = has_first && ring_excess(",
            "let meets_last = has_last && ring_excess(",
            "let is_whole = meets_first && meets_last && ring_excess(",
        ];
        let is_constant = |left: &str| {
            let name = left.trim_end().rsplit([' ', '(']).next().unwrap_or_default();
            name.starts_with("HAS_") || name.starts_with("IS_") || name == "SHARED_ENTRIES"
        };
        for key in scene_modules() {
            for (name, text) in files(&key.contents) {
                for line in text.lines().map(|line| line.split("//").next().unwrap_or_default()) {
                    let joins = line.match_indices("&&").chain(line.match_indices("||"));
                    let branches = joins.filter(|(at, _)| !is_constant(&line[..*at])).count();
                    let is_costly = with_costly_right_side.iter().any(|part| line.contains(part));
                    assert!(
                        branches == 0 || is_costly,
                        "{name}: `&` and `|` are no branch: {line}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_loop_of_the_shader_counts_towards_its_end() {
        for (name, text) in FILES {
            assert!(!text.contains("loop {"), "{name} has a loop without a count");
            for line in text.lines().map(str::trim) {
                let counts = [
                    "step < max_steps",
                    "iteration < max_steps",
                    "step < STEPS_PER_SHAPE",
                    "index < first + count",
                    "waiting > 0u",
                    "row < STACK_SIZE / 4u",
                    "step < STEPS",
                    "step < ROUNDS",
                    "digit < DIGITS",
                    "step < HITS_OF_THREAD",
                    "waiting > 1u",
                    "index < count",
                    "step < HALVINGS",
                    "turn < 4u * field.rows * field.columns",
                    "step < STEPS_PER_CELL",
                    "half < 2u",
                    "side < 2u",
                    "layer < 2u",
                    "child < 4u",
                    "level > FINEST",
                    "level < top",
                    "row <= corners.last.x",
                    "column <= corners.last.y",
                    "corner < 3u",
                    "index < 3u",
                    "index < 4u",
                    "iterations < 2u",
                    "iteration < closed_meshes",
                    "step < SEGMENT_HALVINGS",
                    "subray < beams.subrays",
                    "other < beams.subrays",
                    "turn < hits",
                    "end < hits",
                    "place < end",
                ];
                let is_loop = line.starts_with("for ") || line.starts_with("while ");
                let is_counted = counts.iter().any(|count| line.contains(count));
                assert!(!is_loop || is_counted, "{name}: {line}");
            }
        }
    }
}
