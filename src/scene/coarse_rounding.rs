//! The geometries that rounding to float32 moved far, because they are far from an origin.

use super::Scene;

impl Scene {
    /// Returns the geometries that rounding to float32 moved by more than a thousandth of their
    /// smallest size, because they are far from the origin. An origin near them would avoid it. The
    /// size of a mesh is its smallest extent.
    pub fn coarsely_rounded(&self) -> &[u32] {
        &self.coarse
    }

    /// Returns the geometries that rounding moved by more than a thousandth of their size because
    /// they are far from the origin of their own definition. No origin of the scene can avoid that.
    /// The geometries of a definition are listed with the ids of its first instance.
    pub fn coarse_in_definitions(&self) -> Vec<u32> {
        let mut is_listed = vec![false; self.definitions.len()];
        let mut coarse = Vec::new();
        for instance in &self.instances {
            let definition = instance.definition();
            if !std::mem::replace(&mut is_listed[definition], true) {
                let own = self.definitions[definition].coarse.iter();
                coarse.extend(own.map(|id| instance.first_geometry() + id));
            }
        }
        coarse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Geometry, Lines, Mesh};
    use crate::math::Similarity;
    use crate::scene::{Appearance, Definition};
    use crate::shapes::{Cuboid, Cylinder, Heightfield, Sphere};
    use glam::{DQuat, DVec3};

    #[test]
    fn shapes_of_all_kinds_that_lie_too_far_are_reported_as_coarsely_rounded() {
        let far = DVec3::splat(1e6 + 0.01);
        let points = || vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = |points| Geometry::from(Mesh::new(points, vec![[0, 1, 2]]).unwrap());
        // No edge of this plate but one is short, and it lies in no plane by a hair.
        let cut = || [points(), vec![DVec3::new(0.3, 0.0, 1e-7)]].concat();
        let cut = Mesh::new(cut(), vec![[0, 1, 2], [0, 3, 1]]).unwrap();
        let lines = |radius| Lines::new(points(), vec![[0, 1], [1, 2]], radius).unwrap();
        let field = Heightfield::new(vec![0.0; 4], 2, [0.1; 2], DVec3::ZERO, DQuat::IDENTITY);
        for shape in [
            Sphere { center: DVec3::ZERO, radius: 0.01 }.into(),
            // A rotation of this wide sheet by 1e-8 lifts its corners by its thickness.
            Cuboid {
                center: DVec3::ZERO,
                half_extents: DVec3::new(1e5, 1e5, 1e-3),
                rotation: DQuat::from_rotation_x(0.3),
            }
            .into(),
            Cylinder {
                start: -500.0 * DVec3::X,
                end: 500.0 * DVec3::X,
                radius: 0.01,
                inner_radius: 0.0,
            }
            .into(),
            mesh(points()),
            cut.into(),
            lines(0.01).into(),
            lines(1e-6).into(),
            field.unwrap().into(),
        ] {
            let shape: Geometry = shape;
            for (translation, origin, expected) in [
                (DVec3::ZERO, DVec3::ZERO, &[][..]),
                (DVec3::splat(0.75), DVec3::ZERO, &[]),
                (far, DVec3::ZERO, &[0]),
                (far, far, &[]),
            ] {
                let world = Similarity { translation, ..Similarity::IDENTITY };
                let mut scene = Scene::with_origin(origin);
                scene.add_moved(&shape, &world).unwrap();
                scene.add_movable(&shape, &world.into()).unwrap();
                let instance = expected.iter().map(|_| 1);
                let expected: Vec<u32> = expected.iter().copied().chain(instance).collect();
                let kind = shape.type_name();
                assert_eq!(scene.coarsely_rounded(), expected, "{kind} at {translation}");
                assert!(scene.coarse_in_definitions().is_empty(), "{kind} at {translation}");
            }
        }
    }

    #[test]
    fn a_vertex_that_nothing_uses_is_no_part_of_a_mesh_that_lies_too_far() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(1e7 + 0.3)];
        let mut scene = Scene::new();
        scene.add(Mesh::new(vertices, vec![[0, 1, 2]]).unwrap()).unwrap();
        assert!(scene.coarsely_rounded().is_empty());
    }

    #[test]
    fn a_definition_that_is_far_from_its_own_origin_is_reported_apart() {
        let far = DVec3::splat(1e6 + 0.01);
        let mut ball = Scene::new();
        ball.add(Sphere { center: far, radius: 0.01 }).unwrap();
        let definition = Definition::new(ball);
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        for _ in 0..2 {
            let back = Similarity { translation: -far, ..Similarity::IDENTITY };
            scene.add_instance(&definition, &back.into(), None, Appearance::NONE).unwrap();
        }
        assert_eq!(scene.coarse_in_definitions(), [1]);
    }
}
