//! The scenes of the proof, made by a seed. Each has shapes of several kinds, because a device
//! recompiles its kernels for each set of kinds. Each has only a few kinds, because a software
//! driver takes much longer for many. Kinds that are made of triangles take the longest.

use super::scene::ProofScene;
use crate::aim::Family;
use crate::seeded::{questions_of, seeded_points};
use crate::self_test::{TestSceneError, balls_in_worlds, geometry, stretch, vector};
use fastrand::Rng;
use glam::DQuat;
use raytwin::camera::{Camera, View};
use raytwin::math::Similarity;
use raytwin::packed::PackedScene;
use raytwin::query::Query;
use raytwin::question::{Question, RayQuestion};
use raytwin::scene::{Definition, Scene};
use raytwin::shapes::PrimitiveKind;
use raytwin::transform::Affine;

const SEED: u64 = 19;

const SHAPES: usize = 24;

/// The kinds that share scenes.
const FAMILIES: [&[PrimitiveKind]; 8] = [
    &[
        PrimitiveKind::Sphere,
        PrimitiveKind::Cuboid,
        PrimitiveKind::Cylinder,
        PrimitiveKind::Capsule,
    ],
    &[PrimitiveKind::Cone, PrimitiveKind::Ellipsoid],
    &[PrimitiveKind::Torus, PrimitiveKind::Plane],
    &[PrimitiveKind::Disc, PrimitiveKind::Tube],
    &[PrimitiveKind::LineSegment, PrimitiveKind::Sheet],
    &[PrimitiveKind::CylinderShell, PrimitiveKind::ConeShell],
    &[PrimitiveKind::Triangle, PrimitiveKind::MeshTriangle],
    &[PrimitiveKind::Heightfield, PrimitiveKind::ClosedHeightfield],
];

/// The number of rays for each point.
const RAYS_PER_POINT: usize = 2;

/// The arrangements of the shapes.
#[derive(Clone, Copy, Debug)]
enum Arrangement {
    /// Shapes of one size, which overlap here and there.
    Close,
    /// Shapes whose sizes, and distances from the origin, are of many magnitudes: the scene is up
    /// to 10⁸ times as wide as its smallest shape.
    Scattered,
    /// Pairs of shapes in exactly the same place, so that every hit is a tie.
    Coincident,
}

impl Arrangement {
    const ALL: [Self; 3] = [Self::Close, Self::Scattered, Self::Coincident];

    fn name(self) -> &'static str {
        match self {
            Self::Close => "of one size",
            Self::Scattered => "of many sizes",
            Self::Coincident => "in pairs",
        }
    }

    /// Returns where the next shape is placed.
    fn place(self, rng: &mut Rng) -> Similarity {
        let Self::Scattered = self else { return Similarity::IDENTITY };
        let power =
            |rng: &mut Rng, low: f64, high: f64| libm::pow(10.0, low + (high - low) * rng.f64());
        let scale = power(rng, -3.0, 2.0);
        // Rounding moves a shape that is farther away by more than a thousandth of its size.
        let translation = scale * power(rng, 0.0, 3.0) * vector(rng);
        Similarity { translation, rotation: DQuat::IDENTITY, scale }
    }

    /// Returns the number of copies of each shape.
    fn copies(self) -> usize {
        match self {
            Self::Close | Self::Scattered => 1,
            Self::Coincident => 2,
        }
    }
}

/// Makes all scenes with their questions, about the given number of rays for each.
pub(super) fn scenes(rays: usize) -> Result<Vec<ProofScene>, TestSceneError> {
    let mut scenes = Vec::new();
    for kinds in FAMILIES {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        for arrangement in Arrangement::ALL {
            let name = format!("{} {}", names.join(", "), arrangement.name());
            scenes.push((name, PackedScene::new(shapes(kinds, arrangement)?)?));
        }
    }
    for arrangement in Arrangement::ALL {
        let name = format!("instances {}", arrangement.name());
        scenes.push((name, PackedScene::new(instances(arrangement)?)?));
    }
    scenes.push(("four worlds".to_owned(), PackedScene::new(balls_in_worlds()?)?));
    let with_questions = |(name, packed): (String, PackedScene)| {
        let questions = questions(&packed, rays);
        ProofScene::new(name, packed, questions)
    };
    Ok(scenes.into_iter().map(with_questions).collect())
}

fn shapes(kinds: &[PrimitiveKind], arrangement: Arrangement) -> Result<Scene, TestSceneError> {
    let rng = &mut Rng::with_seed(SEED);
    let mut scene = Scene::new();
    for &kind in kinds.iter().cycle().take(SHAPES) {
        let geometry = geometry(kind, rng)?;
        let place = arrangement.place(rng);
        for _ in 0..arrangement.copies() {
            scene.add_moved(&geometry, &place)?;
        }
    }
    Ok(scene)
}

/// Returns instances of a few shapes with stretches that turn and shear.
fn instances(arrangement: Arrangement) -> Result<Scene, TestSceneError> {
    let rng = &mut Rng::with_seed(SEED);
    let mut some = Scene::new();
    for _ in 0..3 {
        some.add(geometry(PrimitiveKind::Instance, rng)?)?;
    }
    let definition = Definition::new(some);
    let mut scene = Scene::new();
    for _ in 0..SHAPES {
        let place = arrangement.place(rng);
        let linear = place.scale * stretch(rng);
        let translation = place.translation + place.scale * 5.0 * vector(rng);
        for _ in 0..arrangement.copies() {
            scene.add_instance(&definition, &Affine { linear, translation }.into(), None, None)?;
        }
    }
    Ok(scene)
}

/// Returns the questions about a scene.
fn questions(packed: &PackedScene, rays: usize) -> Vec<Question> {
    let scene = packed.scene();
    // About as many pixels as rays, four by three.
    let [width, height] =
        [(rays * 4 / 3).isqrt(), (rays * 3 / 4).isqrt()].map(|side| side as u32 + 1);
    let view = Camera::fit_bounds(&scene.bounds(), scene.up, width, height)
        .and_then(|camera| View::new(camera, width, height));
    // For a solid, any hit asks the same as the closest hit, and its kernels would take as long to
    // compile.
    let is_asked = |question: &RayQuestion| !(question.is_solid && question.query == Query::Any);
    let of_rays = questions_of(&Family::ALL, scene, &Query::KINDS, rays, SEED);
    let of_rays = of_rays.into_iter().filter(is_asked);
    let mut questions: Vec<Question> = of_rays.map(Question::Rays).collect();
    // Images and points are of one world.
    if scene.world_count() == 1 {
        questions.extend(view.ok().map(|view| Question::Image(Box::new((&view).into()))));
        let points = rays.div_ceil(RAYS_PER_POINT);
        questions.push(Question::Points(seeded_points(scene, points, SEED)));
    }
    questions
}
