//! The camera that raytwin chooses for a scene.

use super::Scene;
use crate::camera::{Camera, CameraError, View};
use crate::geometry::Geometry;
use crate::math::Bounds;
use glam::DVec3;

impl Scene {
    /// Returns a camera for which all visible geometries fill an image of this size, except for a
    /// small margin. It has a level horizon and looks from the right and from above. Geometries
    /// without bounds, such as planes, count only if there are no others.
    ///
    /// # Errors
    /// Those of [`Camera::look_at`], if the scene is so large that the eye would be out of range.
    pub fn fit_camera(&self, width: u32, height: u32) -> Result<Camera, CameraError> {
        let shown = self.shown_bounds().unwrap_or_else(|| self.bounds());
        let camera = Camera::fit_bounds(&shown, self.up, width, height)?;
        self.fitted(&Camera { is_fitted: true, ..camera }, width, height)
    }

    /// Moves a camera that [was chosen to show the scene](Camera::is_fitted) to where the visible
    /// geometries fill an image of this size. Returns any other camera unchanged.
    ///
    /// # Errors
    /// As [`Self::fit_camera`].
    pub fn fitted(&self, camera: &Camera, width: u32, height: u32) -> Result<Camera, CameraError> {
        let shown = self.shown_bounds().filter(|bounds| camera.is_fitted && bounds.radius() > 0.0);
        let Some(shown) = shown else { return Ok(camera.clone()) };
        let of_definitions = self.definitions.of_each(Self::own_shown);
        let least = |direction| self.least_along(direction, &of_definitions);
        camera.framing(least, shown.center(), [width, height])
    }

    /// Returns the part of a view's image that shows all visible geometries with bounds, with a
    /// margin of a twentieth: see [`View::cropped`].
    ///
    /// # Errors
    /// Those of [`Camera::look_at`].
    pub fn cropped(&self, view: &View) -> Result<Option<View>, CameraError> {
        if self.shown_bounds().is_none() {
            return Ok(None);
        }
        let of_definitions = self.definitions.of_each(Self::own_shown);
        view.cropped(|direction| self.least_along(direction, &of_definitions))
    }

    /// The box around all bounded geometries that are not hidden; `None` if there are none.
    fn shown_bounds(&self) -> Option<Bounds> {
        let shown = self.joined(Self::own_shown);
        shown.min.is_finite().then_some(shown)
    }

    /// The same of the scene's own geometries.
    fn own_shown(&self) -> Bounds {
        let own = self.own_visible().filter_map(|(_, geometry)| geometry.bounds());
        own.fold(Bounds::EMPTY, Bounds::union)
    }

    /// Returns the least dot product of a visible point with a direction, from the boxes around the
    /// definitions. The boxes leave few geometries to measure.
    fn least_along(&self, direction: DVec3, of_definitions: &[Bounds]) -> f64 {
        let own = self.own_least_along(direction, f64::INFINITY);
        self.instances.iter().fold(own, |least, instance| {
            let bounds = of_definitions[instance.definition()];
            let placement = instance.placement();
            let in_world = placement.bounds_in_world(&bounds);
            if !may_lower(&in_world, direction, least) {
                return least;
            }
            let world_from_definition = placement.world_from_object();
            let moved = direction.dot(world_from_definition.translation);
            let direction = world_from_definition.linear.transpose() * direction;
            let definition = self.definitions[instance.definition()].as_ref();
            moved + definition.own_least_along(direction, least - moved)
        })
    }

    /// The same of the scene's own geometries, or `most` if that is less.
    fn own_least_along(&self, direction: DVec3, most: f64) -> f64 {
        let lower = |least: f64, (_, geometry): (u32, &Geometry)| match geometry.bounds() {
            Some(bounds) if may_lower(&bounds, direction, least) => {
                least.min(geometry.least_along(direction))
            }
            _ => least,
        };
        self.own_visible().fold(most, lower)
    }
}

/// Returns true if a box reaches below a product with a direction; an empty one does not.
fn may_lower(bounds: &Bounds, direction: DVec3, least: f64) -> bool {
    bounds.min.is_finite() && bounds.least_along(direction) < least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Projection;
    use crate::geometry::{Lines, Mesh};
    use crate::ray::NONE;
    use crate::scene::Definition;
    use crate::shapes::{Capsule, Cone, Cuboid, Cylinder, Plane, Shape, Sphere, Torus};
    use crate::transform::{Affine, Transform};
    use crate::{CpuTracer, PackedScene, Tracer};
    use glam::{DMat3, DQuat};

    /// The shares of an image's width and height that a chosen camera leaves free at the left, the
    /// right, the top and the bottom.
    fn margins(scene: &Scene, [width, height]: [u32; 2]) -> [f64; 4] {
        let camera = scene.fit_camera(width, height).unwrap();
        let view = View::new(camera, width, height).unwrap();
        let tracer = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
        let hits = tracer.render(&view, 0..view.pixels()).unwrap();
        let is_shown = |id: u32| {
            let geometry = scene.geometry(id);
            id != NONE && geometry.is_some_and(|geometry| geometry.bounds().is_some())
        };
        let shown = (0_u32..).zip(&hits).filter(|(_, hit)| is_shown(hit.geometry_id));
        let places = shown.map(|(pixel, _)| [pixel % width, pixel / width]);
        let [mut least, mut most] = [[u32::MAX; 2], [0; 2]];
        for place in places {
            for axis in 0..2 {
                least[axis] = least[axis].min(place[axis]);
                most[axis] = most[axis].max(place[axis] + 1);
            }
        }
        let share = |pixels: u32, side: u32| f64::from(pixels) / f64::from(side);
        [
            share(least[0], width),
            share(width - most[0], width),
            share(least[1], height),
            share(height - most[1], height),
        ]
    }

    fn assert_fitted(scene: &Scene, case: &str) {
        for size in [[400, 300], [150, 400], [800, 100]] {
            let [left, right, top, bottom] = margins(scene, size);
            // A pixel more or less is seen by its middle.
            let pixel = 1.5 / f64::from(size[0].min(size[1]));
            let all = [left, right, top, bottom];
            assert!(all.iter().all(|margin| *margin > MARGIN - pixel), "{case} {size:?}: {all:?}");
            let tightest = (left + right).min(top + bottom);
            assert!(tightest < 2.0 * (MARGIN + pixel), "{case} {size:?}: {all:?}");
            let askew = (left - right).abs().max((top - bottom).abs());
            assert!(askew < 2.0 * pixel, "{case} {size:?}: {all:?}");
        }
    }

    const MARGIN: f64 = 0.05;

    #[test]
    fn what_is_shown_fills_the_image_but_for_a_margin_whatever_its_shape() {
        let (start, end) = (DVec3::new(-1.0, 0.5, 0.0), DVec3::new(1.5, -0.5, 2.0));
        let rotation = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize();
        let half_extents = DVec3::new(1.0, 0.2, 0.5);
        let shapes: [(&str, Shape); 6] = [
            ("sphere", Sphere { center: end, radius: 0.7 }.into()),
            ("capsule", Capsule { start, end, radius: 0.2 }.into()),
            ("cylinder", Cylinder { start, end, radius: 0.4, inner_radius: 0.0 }.into()),
            ("cone", Cone { start, end, start_radius: 0.9, end_radius: 0.1 }.into()),
            ("box", Cuboid { center: start, half_extents, rotation }.into()),
            (
                "torus",
                Torus { center: end, axis: start, major_radius: 1.0, minor_radius: 0.3 }.into(),
            ),
        ];
        let mut together = Scene::new();
        for (case, shape) in shapes {
            let mut scene = Scene::new();
            scene.add(shape).unwrap();
            together.add(shape).unwrap();
            assert_fitted(&scene, case);
        }
        assert_fitted(&together, "all");
        let corners = vec![start, end, DVec3::new(0.0, 0.0, 3.0), DVec3::splat(99.0)];
        let mut scene = Scene::new();
        scene.add(Mesh::new(corners, vec![[0, 1, 2]]).unwrap()).unwrap();
        assert_fitted(&scene, "mesh");
        let mut scene = Scene::new();
        scene.add(Lines::new(vec![start, end], vec![[0, 1]], 0.05).unwrap()).unwrap();
        assert_fitted(&scene, "lines");
        let shear =
            DMat3::from_cols(DVec3::new(2.0, 0.3, 0.0), DVec3::Y, DVec3::new(0.0, 0.8, 0.5));
        let place = Affine { linear: shear, translation: DVec3::new(5.0, 0.0, -2.0) };
        let mut scene = Scene::new();
        scene.add_instance(&Definition::new(together), &place.into(), None, None).unwrap();
        assert_fitted(&scene, "instance");
    }

    #[test]
    fn what_is_hidden_or_without_bounds_does_not_count() {
        let mut scene = Scene::new();
        let ball = |x: f64| Sphere { center: DVec3::new(x, 0.0, 0.0), radius: 1.0 };
        scene.add(ball(0.0)).unwrap();
        let alone = scene.fit_camera(400, 300).unwrap();
        let far = scene.add(ball(50.0)).unwrap();
        scene.add(Plane::infinite(DVec3::new(0.0, 0.0, -70.0), DVec3::Z)).unwrap();
        let both = scene.fit_camera(400, 300).unwrap();
        assert!(both.eye.distance(alone.eye) > 20.0);
        scene.hide_all(&[far]);
        assert_eq!(scene.fit_camera(400, 300).unwrap(), alone);
        let mut used = Scene::new();
        used.add_instance(&Definition::new(scene.clone()), &Transform::IDENTITY, None, None)
            .unwrap();
        let of_instance = used.fit_camera(400, 300).unwrap();
        assert!(of_instance.eye.distance(alone.eye) < 1e-5);
        // A camera of the file's own stays where it is.
        let of_file = Camera { is_fitted: false, ..both.clone() };
        assert_eq!(scene.fitted(&of_file, 400, 300).unwrap(), of_file);
        let moved = scene.fitted(&both, 400, 300).unwrap();
        assert!(moved.eye.distance(alone.eye) < 1e-5 && moved.is_fitted);
        // Where nothing else is shown, a plane counts as its point.
        scene.hide_all(&[0]);
        scene.fit_camera(400, 300).unwrap();
    }

    /// The ids of the pixels of a view, and the columns and rows that show any, from the first to
    /// behind the last.
    fn shown(scene: &Scene, view: &View) -> (Vec<u32>, [u32; 4]) {
        let tracer = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
        let hits = tracer.render(view, 0..view.pixels()).unwrap();
        let ids: Vec<u32> = hits.iter().map(|hit| hit.geometry_id).collect();
        let met = (0_u32..).zip(&ids).filter(|(_, id)| **id != NONE);
        let box_of = met.fold([u32::MAX, 0, u32::MAX, 0], |box_of, (pixel, _)| {
            let (x, y) = (pixel % view.width, pixel / view.width);
            let [left, right, top, bottom] = box_of;
            [left.min(x), right.max(x + 1), top.min(y), bottom.max(y + 1)]
        });
        (ids, box_of)
    }

    #[test]
    fn a_cropped_image_is_the_part_of_the_image_that_shows_something() {
        let mut scene = Scene::new();
        let ball = |x: f64, z: f64| Sphere { center: DVec3::new(x, 1.0, z), radius: 0.4 };
        for (x, z) in [(0.0, 0.0), (3.0, 0.3), (5.0, -0.2)] {
            scene.add(ball(x, z)).unwrap();
        }
        let far = scene.add(ball(0.0, 90.0)).unwrap();
        scene.hide_all(&[far]);
        let eye = DVec3::new(1.0, -14.0, 0.5);
        let pinhole =
            Projection::Pinhole { focal: [500.0; 2], center: [300.0, 60.0], size: [600, 400] };
        for projection in [
            Projection::Perspective { fov_y_degrees: 50.0 },
            Projection::Orthographic { height: 12.0 },
            pinhole,
        ] {
            let camera = Camera::look_at("", eye, DVec3::ZERO, None, projection).unwrap();
            let view = View::new(camera, 600, 400).unwrap();
            let cropped = scene.cropped(&view).unwrap().unwrap();
            let (ids, [left, right, top, bottom]) = shown(&scene, &view);
            let (own, [own_left, own_right, own_top, own_bottom]) = shown(&scene, &cropped);
            let case = format!("{:?} {cropped:?}", view.camera.projection);
            assert!(cropped.height < 150 && cropped.width < 500, "{case}");
            // They are the same pixels.
            let [first_column, first_row] = [left - own_left, top - own_top];
            assert_eq!([right - left, bottom - top], [own_right - own_left, own_bottom - own_top]);
            let differing = (0_u32..).zip(&own).filter(|(pixel, id)| {
                let (x, y) = (pixel % cropped.width, pixel / cropped.width);
                ids[((first_row + y) * 600 + first_column + x) as usize] != **id
            });
            assert!(differing.count() <= own.len() / 1000, "{case}");
            for [before, shown, all] in [
                [own_left, own_right - own_left, cropped.width],
                [own_top, own_bottom - own_top, cropped.height],
            ] {
                let margin = f64::from(all) / 20.0;
                let after = all - before - shown;
                for free in [before, after] {
                    assert!((f64::from(free) - margin).abs() <= 2.0, "{case} {free} {margin}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_cropped_where_no_rectangle_holds_what_is_shown() {
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        let view = |eye: DVec3, target: DVec3| {
            let projection = Projection::Perspective { fov_y_degrees: 50.0 };
            View::new(Camera::look_at("", eye, target, None, projection).unwrap(), 40, 30).unwrap()
        };
        let away = DVec3::new(0.0, -9.0, 0.0);
        assert!(scene.cropped(&view(away, DVec3::ZERO)).unwrap().is_some());
        for (eye, target) in
            [(away, 2.0 * away), (DVec3::ZERO, away), (away, DVec3::new(9.0, 0.0, 0.0))]
        {
            assert!(scene.cropped(&view(eye, target)).unwrap().is_none(), "{eye} {target}");
        }
    }
}
