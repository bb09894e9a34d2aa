//! A hash of everything on which answers depend.

use crate::scene::Scene;
use crate::transform::Affine;
use glam::DVec3;
use std::io::{self, BufWriter, Read, Write};
use std::ops::Range;

/// A hash (BLAKE3) of everything on which answers depend: equal fingerprints mean equal answers.
#[derive(Clone, Debug)]
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// Returns the fingerprint of a scene.
    ///
    /// It covers the numbers, types, order, masks and instances of the geometries, and the origin.
    /// It does not depend on the file format, and ignores names, colours, cameras and unused
    /// vertices.
    pub fn of(scene: &Scene) -> Self {
        let mut hasher = blake3::Hasher::new();
        // Writing to a hasher never fails.
        let _ = add_scene(BufWriter::with_capacity(1 << 16, &mut hasher), scene);
        Self(hasher)
    }

    /// Adds the labels of a scene's geometries, for answers with labels. A scene without labels
    /// adds nothing.
    pub fn with_labels(mut self, scene: &Scene) -> Self {
        let _ = add_labels(BufWriter::with_capacity(1 << 16, &mut self.0), scene);
        self
    }

    /// Adds a word, such as the options of a query.
    pub fn with_word(mut self, word: &str) -> Self {
        self.0.update(&(word.len() as u64).to_le_bytes()).update(word.as_bytes());
        self
    }

    /// Adds the bytes of a file, which it reads piece by piece, and its length.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn with_bytes(mut self, reader: impl Read, length: u64) -> io::Result<Self> {
        self.0.update(&length.to_le_bytes());
        self.0.update_reader(reader)?;
        Ok(self)
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.finalize().fmt(f)
    }
}

fn add_scene(mut bytes: impl Write, scene: &Scene) -> io::Result<()> {
    if scene.origin() != DVec3::ZERO {
        writeln!(bytes, "origin {:?}", scene.origin().to_array())?;
    }
    let mut own_end = 0;
    for instance in scene.instances() {
        let own_before = instance.own_before();
        add_own(&mut bytes, scene, own_end..own_before)?;
        own_end = own_before;
        writeln!(bytes, "instance {}", instance.definition())?;
        let Affine { linear, translation } = instance.placement().world_from_object();
        add_numbers(&mut bytes, linear.to_cols_array().into_iter().chain(translation.to_array()))?;
    }
    add_own(&mut bytes, scene, own_end..scene.geometries().len() as u32)?;
    for definition in scene.definitions() {
        writeln!(bytes, "definition")?;
        add_own(&mut bytes, definition, 0..definition.geometries().len() as u32)?;
    }
    for places in scene.transforms_in_worlds() {
        writeln!(bytes, "world")?;
        for (instance, place) in places {
            let Affine { linear, translation } = place.affine();
            let place = linear.to_cols_array().into_iter().chain(translation.to_array());
            add_numbers(&mut bytes, std::iter::once(f64::from(*instance)).chain(place))?;
        }
    }
    // A scene without instances adds nothing here, which keeps the hashes of older versions valid.
    if scene.use_count() > 0 {
        writeln!(bytes, "uses {:?}", scene.uses())?;
    }
    bytes.flush()
}

/// Adds geometries of a scene's own.
fn add_own(bytes: &mut impl Write, scene: &Scene, range: Range<u32>) -> io::Result<()> {
    for own in range {
        let geometry = &scene.geometries()[own as usize];
        let primitives = geometry.primitive_count() as u32;
        writeln!(bytes, "{} {primitives} {}", geometry.type_name(), scene.own_mask(own))?;
        for primitive in (0..primitives).filter_map(|primitive| geometry.shape(primitive)) {
            add_numbers(bytes, primitive.row())?;
        }
    }
    Ok(())
}

/// Adds all labels. The labels of a definition are added once, and those of instances separately.
fn add_labels(mut bytes: impl Write, scene: &Scene) -> io::Result<()> {
    let definitions = scene.definitions().iter().map(AsRef::as_ref);
    for (number, scene) in std::iter::once(scene).chain(definitions).enumerate() {
        for own in 0..scene.geometries().len() as u32 {
            if let Some(label) = scene.own_appearance(own).label {
                writeln!(bytes, "label {number} {own} {label}")?;
            }
        }
    }
    for (number, instance) in scene.instances().iter().enumerate() {
        if let Some(label) = instance.appearance().label {
            writeln!(bytes, "label of instance {number} {label}")?;
        }
    }
    bytes.flush()
}

fn add_numbers(bytes: &mut impl Write, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
    let mut numbers = numbers.into_iter();
    numbers.try_for_each(|number| bytes.write_all(&number.to_bits().to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Mesh;
    use crate::scene::Appearance;
    use crate::shapes::Sphere;
    use glam::DVec3;

    #[test]
    fn it_changes_with_everything_that_answers_depend_on_and_with_nothing_else() {
        let ball = |radius| Sphere { center: DVec3::X, radius };
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = |triangles| Mesh::new(corners.clone(), triangles).unwrap();
        let scene = |radius, triangles| {
            let mut scene = Scene::new();
            scene.add(ball(radius)).unwrap();
            scene.add(mesh(triangles)).unwrap();
            scene
        };
        let first = scene(1.0, vec![[0, 1, 2]]);
        let mut named = first.clone();
        named.set_name(0, "ball");
        let labelled = |scene: &Scene| Fingerprint::of(scene).with_labels(scene).to_string();
        let mut other = named.clone();
        other.set_appearance(0, Appearance { label: Some(3), ..Appearance::NONE });
        assert_eq!(Fingerprint::of(&other).to_string(), Fingerprint::of(&named).to_string());
        assert_eq!(labelled(&named), labelled(&first));
        assert_ne!(labelled(&other), labelled(&named));
        named.set_appearance(0, [1.0, 0.5, 0.0]);
        let mut used = first.clone();
        used.begin_use();
        used.add(ball(1.0)).unwrap();
        let mut longer = used.clone();
        used.end_use();
        longer.add(ball(1.0)).unwrap();
        longer.end_use();
        let instanced = |shift: f64, radius| {
            let mut scene = first.clone();
            let mut alone = Scene::new();
            alone.add(ball(radius)).unwrap();
            let place = crate::transform::Affine::from_rows([
                1.0, 0.0, 0.0, shift, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0,
            ]);
            let definition = crate::scene::Definition::new(alone);
            scene.add_instance(&definition, &place.into(), None, None).unwrap();
            scene
        };
        let mut in_worlds = instanced(0.0, 1.0);
        let [same, elsewhere] = [in_worlds.clone(), instanced(1.0, 1.0)];
        in_worlds.add_world(&same).unwrap();
        let mut in_other_worlds = instanced(0.0, 1.0);
        in_other_worlds.add_world(&elsewhere).unwrap();
        let mut masked = first.clone();
        masked.set_mask(1, 7);
        let mut swapped = Scene::new();
        swapped.add(mesh(vec![[0, 1, 2]])).unwrap();
        swapped.add(ball(1.0)).unwrap();
        let text = |scene: &Scene| Fingerprint::of(scene).to_string();
        assert_eq!(text(&first), text(&named));
        let mut all = vec![text(&first), text(&masked), text(&swapped)];
        all.extend([text(&used), text(&longer), text(&in_worlds), text(&in_other_worlds)]);
        all.extend([(0.0, 1.0), (1.0, 1.0), (0.0, 2.0)].map(|(x, r)| text(&instanced(x, r))));
        all.push(text(&scene(2.0, vec![[0, 1, 2]])));
        all.push(text(&scene(1.0, vec![[0, 1, 3]])));
        all.push(text(&scene(1.0, vec![[0, 1, 2], [0, 1, 3]])));

        for bytes in ["", "a", "b", "ab"] {
            let of_file = Fingerprint::of(&first).with_bytes(bytes.as_bytes(), bytes.len() as u64);
            all.push(of_file.unwrap().to_string());
            all.push(Fingerprint::of(&first).with_word(bytes).with_word("c").to_string());
        }
        all.push(Fingerprint::of(&first).with_word("a").with_word("bc").to_string());
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "all fingerprints differ");
    }
}
