//! The definitions that the instances of a scene stand for, once each.

use super::instance::Instance;
use super::scene_size::SceneSize;
use crate::math::Bounds;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

/// The definitions of a scene's instances, with their sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions<S> {
    scenes: Vec<Arc<S>>,
    sizes: Vec<SceneSize>,
    /// The index of each that was added as a part, by its address.
    pub numbers: HashMap<usize, u32>,
}

impl<S> Deref for Definitions<S> {
    type Target = [Arc<S>];

    fn deref(&self) -> &Self::Target {
        &self.scenes
    }
}

impl<S: Clone> Definitions<S> {
    /// Adds a definition, and returns its index.
    pub fn push(&mut self, scene: Arc<S>, size: SceneSize) -> u32 {
        self.scenes.push(scene);
        self.sizes.push(size);
        self.scenes.len() as u32 - 1
    }

    /// Adds a definition of the size of another one, of which it is a changed copy.
    pub fn push_changed(&mut self, before: usize, scene: S) -> u32 {
        self.push(Arc::new(scene), self.sizes[before])
    }

    /// Returns the index of a part, which is added unless it is there.
    pub fn number_of(&mut self, part: &Arc<S>, size: SceneSize) -> u32 {
        let address = Arc::as_ptr(part) as usize;
        if let Some(&known) = self.numbers.get(&address) {
            return known;
        }
        let number = self.push(Arc::clone(part), size);
        self.numbers.insert(address, number);
        number
    }

    /// Returns a definition for changes.
    pub fn get_mut(&mut self, index: usize) -> &mut S {
        Arc::make_mut(&mut self.scenes[index])
    }

    pub fn size(&self, index: usize) -> SceneSize {
        self.sizes[index]
    }

    /// Returns the bounds of an instance's definition, in the definition's space.
    pub fn bounds(&self, instance: &Instance) -> &Bounds {
        &self.sizes[instance.definition()].bounds
    }

    /// Returns what is found for each definition, by its index.
    pub fn of_each<T>(&self, find: impl Fn(&S) -> T) -> Vec<T> {
        self.scenes.iter().map(|scene| find(scene)).collect()
    }
}
