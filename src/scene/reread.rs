//! Follows a file that was read again with other joint values.

use super::Scene;
use crate::fields::ShapeError;

impl Scene {
    /// Moves this scene's instances to where they are in a scene that was read again.
    ///
    /// This scene must begin with the contents of a file, and `reread` must come from the same file
    /// with other options, such as other values of a robot's joints. Cameras with the same names
    /// move too. Everything that was added or set since the file was read stays. Then call
    /// [`Tracer::update`](crate::Tracer::update) to move the instances in a tracer.
    ///
    /// # Errors
    /// A [`ShapeError`] without a field, if the instances are not the same. Nothing is moved then.
    pub fn follow(&mut self, reread: &Self) -> Result<(), ShapeError> {
        let refuse =
            |reason: &str| Err(ShapeError { field: String::new(), reason: reason.to_owned() });
        if reread.instances.is_empty() {
            return refuse("has no movable geometry: read it with the option movable");
        }
        let shape = |scene: &Self, index: usize| {
            let instance = scene.instances.get(index)?;
            let size = scene.instance_size(instance);
            Some((instance.first_geometry(), instance.own_before(), size))
        };
        let are_alike = self.origin == reread.origin
            && (0..reread.instances.len()).all(|index| shape(self, index) == shape(reread, index));
        if !are_alike {
            return refuse("has other geometries than at the first read: read it into a new scene");
        }
        for (instance, moved) in self.instances.iter_mut().zip(&reread.instances) {
            instance.go_to(moved.exact, moved.placement);
        }
        for camera in &reread.cameras {
            if let Some(known) = self.cameras.iter_mut().find(|known| known.name == camera.name) {
                known.clone_from(camera);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Similarity;
    use crate::shapes::Sphere;
    use crate::transform::Transform;
    use glam::DVec3;

    fn add_sphere(scene: &mut Scene, center: DVec3) {
        let sphere = Sphere { center, radius: 1.0 };
        scene.add_movable(&sphere.into(), &Transform::IDENTITY).unwrap();
    }

    fn read(x: f64) -> Scene {
        let mut scene = Scene::new();
        add_sphere(&mut scene, DVec3::new(x, 0.0, 0.0));
        scene
    }

    #[test]
    fn what_was_read_moves_and_what_was_added_stays() {
        let transform = Similarity { translation: DVec3::Z, ..Similarity::IDENTITY };
        let sphere = Sphere { center: DVec3::X, radius: 1.0 };
        let at = |turned: bool| {
            let mut scene = Scene::new();
            let moved = if turned { transform } else { Similarity::IDENTITY };
            scene.add_movable(&sphere.into(), &moved.into()).unwrap();
            scene
        };
        let mut scene = at(false);
        scene.set_mask(0, 3);
        scene.add(sphere).unwrap();
        scene.follow(&at(true)).unwrap();
        let centers = [0, 1].map(|id| scene.primitive(id, 0).unwrap().center());
        assert_eq!(centers, [DVec3::X + DVec3::Z, DVec3::X]);
        assert_eq!(scene.mask(0), 3);
    }

    #[test]
    fn other_contents_are_refused() {
        let mut scene = read(1.0);
        let mut longer = read(1.0);
        add_sphere(&mut longer, DVec3::Y);
        assert!(scene.follow(&longer).is_err());
        assert!(scene.follow(&Scene::new()).is_err());
        assert!(longer.follow(&scene).is_ok());
    }
}
