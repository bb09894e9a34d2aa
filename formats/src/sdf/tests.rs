mod frames;
mod includes;
mod labels;
mod sensors;
mod shapes;

use crate::{FileStore, ImportedScene, Options};
use glam::DVec3;
use raytwin::cpu::CpuTracer;
use raytwin::scene::Scene;
use raytwin::{PackedScene, Ray, Tracer};

/// Reads the first of these files. A text that is no whole file stands in a world.
fn read(files: &[(&str, &str)], options: &Options) -> Result<ImportedScene, String> {
    let whole = |text: &str| match text.starts_with("<sdf") || !text.starts_with('<') {
        true => text.to_owned(),
        false => format!("<sdf version=\"1.9\"><world name=\"w\">\n{text}\n</world></sdf>"),
    };
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, text)| (*name, whole(text).into_bytes())).collect();
    let store = FileStore::in_memory(files.iter().map(|(name, bytes)| (*name, &bytes[..])));
    crate::read(&store, files[0].0, options)
        .and_then(|graph| graph.flatten_any(options))
        .map_err(|error| error.to_string())
}

fn world(inner: &str) -> Result<ImportedScene, String> {
    read(&[("w.sdf", inner)], &Options::default())
}

/// A model of one link that has a sphere of radius 1, with more in its `<model>` and its `<link>`.
fn ball(name: &str, in_model: &str, in_link: &str) -> String {
    format!(
        "<model name=\"{name}\">{in_model}<link name=\"l\">{in_link}<visual name=\"v\">\
         <geometry><sphere><radius>1</radius></sphere></geometry></visual></link></model>"
    )
}

fn rows(scene: &Scene) -> Vec<Vec<f64>> {
    scene.geometries().iter().map(|geometry| geometry.shape(0).unwrap().row()).collect()
}

fn paths(scene: &Scene) -> Vec<String> {
    (0..scene.geometries().len() as u32).map(|id| scene.path(id)).collect()
}

/// Where the spheres of a scene are.
fn centers(imported: &ImportedScene) -> Vec<DVec3> {
    rows(&imported.scene).iter().map(|row| DVec3::from_slice(row)).collect()
}

fn assert_near(found: &[DVec3], wanted: &[[f64; 3]]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((*found - DVec3::from_array(*wanted)).length() < 1e-6, "{found} is not {wanted:?}");
    }
}

/// The distances along rays from these points in these directions.
fn distances(scene: Scene, rays: &[([f32; 3], [f32; 3])]) -> Vec<f32> {
    let rays: Vec<Ray> = rays.iter().map(|(from, to)| Ray::new(*from, *to)).collect();
    CpuTracer::new(&PackedScene::new(scene).unwrap()).cast(&rays).unwrap().t_hit
}
