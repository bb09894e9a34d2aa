//! `raytwin pick`: prints what one pixel or one ray hits.

use super::console::Console;
use super::device::DeviceFlag;
use super::source::{SceneArguments, ViewArguments, shell_quoted};
use super::summary::{PickSummary, Summary};
use super::{Failure, comma_separated};
use clap::Args;
use raytwin::glam::{DVec3, Vec3};
use raytwin::query::Batch;
use raytwin::query::Hits;
use raytwin::ray::Ray;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    view: ViewArguments,
    /// Cast the ray of this pixel; 0,0 is the top left.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true, value_parser = pixel, required_unless_present = "ray")]
    pixel: Option<(u32, u32)>,
    /// Cast this ray.
    #[arg(long, value_name = "OX,OY,OZ,DX,DY,DZ[,TMIN,TMAX]", allow_hyphen_values = true,
          value_parser = ray, conflicts_with = "pixel")]
    ray: Option<RayNumbers>,
}

fn pixel(text: &str) -> Result<(u32, u32), String> {
    text.split_once(',')
        .and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)))
        .ok_or_else(|| format!("'{text}' must be two whole numbers separated by a comma"))
}

/// The numbers of a ray, in the order of its fields.
type RayNumbers = [f64; 8];

fn ray(text: &str) -> Result<RayNumbers, String> {
    let numbers = match comma_separated::<6>(text) {
        Ok([ox, oy, oz, dx, dy, dz]) => [ox, oy, oz, dx, dy, dz, 0.0, f64::INFINITY],
        Err(_) => comma_separated::<8>(text)
            .map_err(|_| format!("'{text}' must be 6 or 8 numbers separated by commas"))?,
    };
    if about_origin(numbers, DVec3::ZERO).is_valid() {
        return Ok(numbers);
    }
    Err(format!("cannot be cast: {}", Ray::RULE))
}

/// The ray of these numbers about the origin of a scene.
fn about_origin([ox, oy, oz, dx, dy, dz, t_min, t_max]: RayNumbers, origin: DVec3) -> Ray {
    let start = DVec3::new(ox, oy, oz) - origin;
    let direction = DVec3::new(dx, dy, dz);
    Ray::new(start.as_vec3(), direction.as_vec3()).within(t_min as f32, t_max as f32)
}

/// The command that casts single rays into a scene, as it is typed in a shell.
pub(super) struct PickCommand {
    without_ray: String,
    /// The origin of the scene, which `pick` subtracts from a ray.
    origin: DVec3,
}

impl PickCommand {
    pub fn new(scene: &SceneArguments, device: &str, origin: DVec3) -> Self {
        Self {
            without_ray: format!(
                "raytwin pick {} --device {}",
                scene.typed(),
                shell_quoted(device)
            ),
            origin,
        }
    }

    /// Returns the command for a ray about the origin.
    pub fn of(&self, ray: &Ray) -> String {
        format!("{} --ray {}", self.without_ray, self.ray_text(ray))
    }

    /// Returns the numbers of a ray about the origin, as `--ray` takes them.
    pub fn ray_text(&self, ray: &Ray) -> String {
        let origin = self.origin;
        if origin == DVec3::ZERO {
            return ray.to_string();
        }
        let [x, y, z] = (origin + Vec3::from(ray.origin).as_dvec3()).to_array();
        let [dx, dy, dz] = ray.direction;
        let Ray { t_min, t_max, .. } = ray;
        format!("{x},{y},{z},{dx},{dy},{dz},{t_min},{t_max}")
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.ray.is_some() && arguments.view.are_given() {
        return Err(Failure::usage(
            "--ray takes no camera: give --pixel, or leave the camera's flags out",
        ));
    }
    let device = DeviceFlag::new(device);
    let (loaded, ray, hit) = match (arguments.ray, arguments.pixel) {
        (Some(numbers), _) => {
            let loaded = arguments.scene.load(console)?;
            let ray = about_origin(numbers, loaded.scene.origin());
            let hit = device.tracer(&loaded, console)?.closest(Batch::new(&[ray]))?;
            (loaded, ray, hit)
        }
        (None, Some((x, y))) => {
            let (loaded, view) = arguments.scene.load_with_view(&arguments.view, console)?;
            if x >= view.width || y >= view.height {
                return Err(Failure::usage(format!(
                    "--pixel {x},{y} lies outside the image of {}x{} pixels: give 0,0 to {},{}",
                    view.width,
                    view.height,
                    view.width - 1,
                    view.height - 1
                )));
            }
            let tracer = device.tracer(&loaded, console)?;
            let pixel = y as usize * view.width as usize + x as usize;
            let ray = tracer.camera_rays(&view, pixel..pixel + 1)?;
            let hit = tracer.render(&view, pixel..pixel + 1)?;
            (loaded, ray[0], hit)
        }
        (None, None) => return Err(Failure::usage("give --pixel X,Y or --ray OX,OY,OZ,DX,DY,DZ")),
    };
    let hits = Hits::new(&loaded.scene, Batch::new(&[ray]), &hit);
    if hits.hit_count() == 0 {
        console.result(Summary::Pick(PickSummary::default()), "no hit\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (t, id) = (hits.t_hit[0], hits.geometry_ids[0]);
    let line = ray.line();
    let point = (line.at(f64::from(t)) + loaded.scene.origin()).to_array();
    let distance = f64::from(t) * line.direction.length();
    let path = loaded.scene.path(id);
    let normal = hits.primitive_normals[0];
    let point_in_node = loaded.scene.world_from_node(id).inverse_point(point.into()).to_array();
    let instance_id = loaded.scene.use_of(id);
    let instance = instance_id.map_or_else(|| "none".to_owned(), |number| number.to_string());
    let type_name = loaded.scene.geometry(id).map_or("", |geometry| geometry.type_name());
    console.result(
        Summary::Pick(PickSummary {
            hit: true,
            geometry_id: Some(id),
            primitive_id: Some(hits.primitive_ids[0]),
            path: Some(path.clone()),
            type_name: Some(type_name.to_owned()),
            t: Some(t),
            distance: Some(distance),
            point: Some(point),
            point_in_node: Some(point_in_node),
            normal: Some(normal),
            instance_id,
        }),
        &format!(
            "geometry_id   {id}\nprimitive_id  {}\ninstance_id   {instance}\npath          {path}\ntype          {type_name}\nt             {t}\ndistance      {distance}\npoint         {} {} {}\nin its node   {} {} {}\nnormal        {} {} {}\n",
            hits.primitive_ids[0],
            point[0],
            point[1],
            point[2],
            point_in_node[0],
            point_in_node[1],
            point_in_node[2],
            normal[0],
            normal[1],
            normal[2]
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}
