//! The scenes of the self-test. They are small, made by a seed, and show every fault together.

use super::built_in_shapes::{geometry, somewhere, stretch};
use super::test_scene::{TestScene, TestSceneError};
use fastrand::Rng;
use glam::{DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::packed::PackedScene;
use raytwin::ray::Ray;
use raytwin::scene::{Definition, Scene};
use raytwin::shapes::{Cuboid, Heightfield, PrimitiveKind, Sphere};
use raytwin::transform::{Affine, Transform};
use std::fmt;

/// A scene of the self-test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuiltInScene {
    /// Shapes of one kind.
    Kind(PrimitiveKind),
    /// Cubes whose faces are exactly in the planes of the tree's boxes.
    FacesInPlanes,
    /// Balls with other positions in each of several worlds.
    Worlds,
    /// Balls that move.
    Motion,
    /// A heightfield with the given number of rows and columns, which has about twice as many
    /// triangles as vertices.
    Heights(usize),
}

/// The number of shapes of a scene. It is more than a node can contain, so that trees have several
/// levels.
const SHAPES: usize = 24;

const SEED: u64 = 16;

/// The depth below their planes of the cubes' faces, so that the margin of their boxes, 8 u of
/// their coordinates, ends before the planes.
const INSET: f64 = 3e-5;

impl BuiltInScene {
    /// Iterates over all scenes, the large ones last.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = PrimitiveKind::ALL.iter().map(|kind| Self::Kind(*kind));
        let others = [Self::Worlds, Self::Motion, Self::FacesInPlanes];
        let large = [Self::Heights(200), Self::Heights(3000)];
        kinds.chain(others).chain(large)
    }

    /// Makes the scene, with its questions.
    ///
    /// # Errors
    /// [`TestSceneError`], only for a defect of the scene.
    pub fn test_scene(self) -> Result<TestScene, TestSceneError> {
        let rng = &mut Rng::with_seed(SEED);
        match self {
            Self::Kind(PrimitiveKind::Instance) => TestScene::new(&PackedScene::new(placed(rng)?)?),
            Self::Kind(kind) => TestScene::new(&PackedScene::new(shapes(kind, rng)?)?),
            Self::FacesInPlanes => {
                let packed = PackedScene::new(cubes()?)?;
                Ok(TestScene::new(&packed)?.with_rays_in_faces(rays_in_faces(rng)))
            }
            Self::Worlds => TestScene::new(&PackedScene::new(balls_in_worlds()?)?),
            Self::Motion => {
                Ok(TestScene::new(&PackedScene::new(balls(0.0)?)?)?.with_motion(balls(0.25)?)?)
            }
            Self::Heights(side) => {
                let mut scene = Scene::new();
                let heights = (0..side * side).map(|_| rng.f64()).collect();
                let spacing = [1.0; 2];
                let field = Heightfield::new(heights, side, spacing, DVec3::ZERO, DQuat::IDENTITY)?;
                scene.add(field)?;
                TestScene::new(&PackedScene::new(scene)?)
            }
        }
    }
}

impl fmt::Display for BuiltInScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "shapes of the kind {}", kind.name()),
            Self::FacesInPlanes => f.write_str("cubes in the planes of the tree's boxes"),
            Self::Worlds => f.write_str("balls in four worlds"),
            Self::Motion => f.write_str("balls that move"),
            Self::Heights(side) => write!(f, "a heightfield of {side} by {side} vertices"),
        }
    }
}

fn shapes(kind: PrimitiveKind, rng: &mut Rng) -> Result<Scene, TestSceneError> {
    let mut scene = Scene::new();
    for _ in 0..SHAPES {
        scene.add(geometry(kind, rng)?)?;
    }
    Ok(scene)
}

/// Returns instances of three spheres with stretches that turn and shear.
fn placed(rng: &mut Rng) -> Result<Scene, TestSceneError> {
    let mut some = Scene::new();
    for x in [-0.6, 0.0, 0.6] {
        some.add(Sphere { center: DVec3::new(x, 0.3 * x, 0.2), radius: 0.4 })?;
    }
    let definition = Definition::new(some);
    let mut scene = Scene::new();
    for _ in 0..SHAPES {
        let place = Affine { linear: stretch(rng), translation: somewhere(rng) };
        scene.add_instance(&definition, &place.into(), None, None)?;
    }
    Ok(scene)
}

/// Returns four worlds, in each of which the balls are elsewhere.
pub(crate) fn balls_in_worlds() -> Result<Scene, TestSceneError> {
    let mut scene = balls(0.0)?;
    for world in 1..4 {
        scene.add_world(&balls(f64::from(world))?)?;
    }
    Ok(scene)
}

/// Returns balls in rows, each an instance at a node of its own, moved by the given distance.
fn balls(moved: f64) -> Result<Scene, TestSceneError> {
    let mut ball = Scene::new();
    ball.add(Sphere { center: DVec3::ZERO, radius: 0.4 })?;
    let ball = Definition::new(ball);
    let mut scene = Scene::new();
    for index in 0..SHAPES {
        let [x, y] = [index % 6, index / 6].map(|place| place as f64);
        let translation = DVec3::new(x + moved, y - 0.5 * moved, 0.3 * x);
        let place: Transform = Similarity { translation, ..Similarity::IDENTITY }.into();
        let node = scene.add_node(None, &place, None)?;
        scene.add_instance_at(node, &ball, None)?;
    }
    Ok(scene)
}

/// The middles of the cubes. All of them are children of the root, whose box is 16 wide, in steps
/// of 1/8.
fn middles() -> impl Iterator<Item = DVec3> {
    let side = |is_high: bool| if is_high { 6.0 } else { -6.0 };
    (0..8).map(move |octant| DVec3::from_array([0, 1, 2].map(|axis| side(octant >> axis & 1 == 1))))
}

fn cubes() -> Result<Scene, TestSceneError> {
    let mut scene = Scene::new();
    for center in middles() {
        let half_extents = DVec3::splat(2.0 - INSET);
        scene.add(Cuboid { center, half_extents, rotation: DQuat::IDENTITY })?;
    }
    Ok(scene)
}

/// Returns rays that run just below the faces of the cubes: deeper than the bound leaves in doubt,
/// and less deep than the loss of boxes that are too small by 1e-5.
fn rays_in_faces(rng: &mut Rng) -> Vec<Ray> {
    let mut rays = Vec::new();
    for middle in middles() {
        for (axis, side) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
            for _ in 0..8 {
                let mut origin = middle + DVec3::splat(1.5 * rng.f64());
                let mut direction = DVec3::ZERO;
                origin[axis] = middle[axis] + side * (2.0 - INSET - 1.5e-5);
                let ahead = (axis + 1 + rng.u64(..2) as usize) % 3;
                origin[ahead] -= 4.0;
                direction[ahead] = 1.0;
                rays.push(Ray::new(origin.as_vec3(), direction.as_vec3()));
            }
        }
    }
    rays
}
