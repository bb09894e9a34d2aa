//! The hit of one ray, as one object for people and programs.

use raytwin::glam::{DVec3, Vec3};
use raytwin::query::{Batch, HitArrays, Hits};
use raytwin::ray::{Hit, Ray};
use raytwin::scene::Scene;
use schemars::JsonSchema;
use serde::Serialize;

/// The hit of one ray. Everything except `hit` is null for a miss.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Pick {
    /// True if the ray hits anything.
    pub hit: bool,
    /// The geometry that was hit.
    pub geometry_id: Option<u32>,
    /// The primitive of that geometry.
    pub primitive_id: Option<u32>,
    /// The path of the geometry.
    pub path: Option<String>,
    /// The type of the geometry.
    #[serde(rename = "type")]
    pub type_name: Option<&'static str>,
    /// The ray parameter of the hit, in units of the direction's length.
    pub t: Option<f32>,
    /// The distance from the ray's origin, in units of the scene.
    pub distance: Option<f64>,
    /// The point in the world.
    pub point: Option<[f64; 3]>,
    /// The point in the space of the node that contains the geometry.
    pub point_in_node: Option<[f64; 3]>,
    /// The outward unit normal in the world; zero in a solid that contains the ray's origin.
    pub normal: Option<[f32; 3]>,
    /// The number of the outermost instance that the geometry belongs to; null outside all
    /// instances.
    pub instance_id: Option<u32>,
    /// The label of the geometry; null if it has none.
    pub label_id: Option<u16>,
    /// The name of that label; null if it has none.
    pub label: Option<String>,
}

impl Pick {
    /// Makes it from the answer of a tracer to one ray, which may have asked for
    /// [solids](Batch::solid).
    pub fn new(scene: &Scene, ray: &Ray, solid: bool, hit: &Hit) -> Self {
        if !hit.is_hit() {
            return Self::default();
        }
        let batch = Batch::new(std::slice::from_ref(ray));
        let batch = if solid { batch.solid() } else { batch };
        let hits = Hits::new(scene, batch, &[*hit], HitArrays::ALL);
        let id = hit.geometry_id;
        let label_id = Some(scene.label(id)).filter(|label| *label > 0);
        let line = ray.line();
        let point = line.at(f64::from(hit.t)) + scene.origin();
        Self {
            hit: true,
            geometry_id: Some(id),
            primitive_id: Some(hit.primitive_id),
            path: Some(scene.path(id)),
            type_name: scene.geometry(id).map(|geometry| geometry.type_name()),
            t: Some(hit.t),
            distance: Some(f64::from(hit.t) * line.direction.length()),
            point: Some(point.to_array()),
            point_in_node: Some(scene.world_from_node(id).inverse_point(point).to_array()),
            normal: hits.primitive_normals.first().copied(),
            instance_id: scene.use_of(id),
            label_id,
            label: label_id.and_then(|label| scene.label_names.get(&label).cloned()),
        }
    }
}

/// Returns the numbers of a ray that is relative to an origin in the scene's own coordinates, in
/// the format of `raytwin pick --ray`.
pub fn ray_text(ray: &Ray, origin: DVec3) -> String {
    if origin == DVec3::ZERO {
        return ray.to_string();
    }
    let [x, y, z] = (origin + Vec3::from(ray.origin).as_dvec3()).to_array();
    let [dx, dy, dz] = ray.direction;
    let Ray { t_min, t_max, .. } = ray;
    format!("{x},{y},{z},{dx},{dy},{dz},{t_min},{t_max}")
}
