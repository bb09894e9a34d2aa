//! `raytwin pick`: prints what one pixel shows or one ray hits.

use super::Failure;
use super::console::Console;
use super::device::DeviceFlag;
use super::label_text::label_text;
use super::numbers::comma_separated;
use super::shell_words::shell_quoted;
use super::source::{SceneArguments, ViewArguments};
use super::summary::Summary;
use clap::Args;
use raytwin::glam::DVec3;
use raytwin::query::Batch;
use raytwin::ray::Ray;
use raytwin_files::{Pick, ray_text};
use std::fmt::Display;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(override_usage = USAGE, before_help = EXAMPLES, next_help_heading = "Rays")]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Cast the ray of this pixel; 0,0 is the top left.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true, value_parser = pixel)]
    pixel: Option<(u32, u32)>,
    /// Cast this ray.
    #[arg(long, value_name = "OX,OY,OZ,DX,DY,DZ[,TMIN,TMAX]", allow_hyphen_values = true,
          value_parser = ray, conflicts_with = "pixel")]
    ray: Option<RayNumbers>,
    /// With --ray, hit a solid in which the ray starts.
    #[arg(long)]
    solid: bool,
    // It is the last field, because its heading also applies to the fields after it.
    #[command(flatten, next_help_heading = "Camera")]
    view: ViewArguments,
}

const USAGE: &str = "raytwin pick [OPTIONS] <SCENE> <--pixel <X,Y>|--ray <OX,OY,OZ,DX,DY,DZ>>";

const EXAMPLES: &str = "\
raytwin pick examples/scenes/pipe_rack.json --pixel 320,240
raytwin pick examples/scenes/gallery.json --ray 0,0,9,0,0,-1";

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

fn about_origin([ox, oy, oz, dx, dy, dz, t_min, t_max]: RayNumbers, origin: DVec3) -> Ray {
    let start = DVec3::new(ox, oy, oz) - origin;
    let direction = DVec3::new(dx, dy, dz);
    Ray::new(start.as_vec3(), direction.as_vec3()).within(t_min as f32, t_max as f32)
}

/// The command that casts single rays into a scene, as you type it in a shell.
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

    /// Returns the command for a ray relative to the origin.
    pub fn of(&self, ray: &Ray) -> String {
        format!("{} --ray {}", self.without_ray, self.ray_text(ray))
    }

    /// Returns the numbers of a ray relative to the origin, as `--ray` reads them.
    pub fn ray_text(&self, ray: &Ray) -> String {
        ray_text(ray, self.origin)
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.ray.is_some() && arguments.view.are_given() {
        return Err(Failure::usage(
            "--ray uses no camera: give --pixel, or leave the camera's flags out",
        ));
    }
    if arguments.solid && arguments.ray.is_none() {
        return Err(Failure::usage(
            "--solid is for --ray, which may start in a solid: leave it out, or give --ray",
        ));
    }
    let device = DeviceFlag::new(device).opening(Some(arguments.scene.path()));
    let (loaded, ray, hit) = match (arguments.ray, arguments.pixel) {
        (Some(numbers), _) => {
            let loaded = arguments.scene.load(console)?;
            let ray = about_origin(numbers, loaded.scene.origin());
            let rays = [ray];
            let batch = Batch::new(&rays);
            let batch = if arguments.solid { batch.solid() } else { batch };
            let hit = device.tracer(&loaded, console)?.closest(batch)?;
            (loaded, ray, hit)
        }
        (None, Some((x, y))) => {
            let (loaded, view) = arguments.scene.load_with_view(&arguments.view, console)?;
            if x >= view.width || y >= view.height {
                return Err(Failure::usage(format!(
                    "--pixel {x},{y} is outside the image of {}x{} pixels: give 0,0 to {},{}",
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
    let pick = Pick::new(&loaded.scene, &ray, arguments.solid, &hit[0]);
    let text = text(&pick);
    console.result(Summary::Pick(pick), &text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the lines for people, each with a name and a value.
fn text(pick: &Pick) -> String {
    if !pick.hit {
        return "no hit\n".to_owned();
    }
    fn joined<T: Display>(numbers: Option<[T; 3]>) -> String {
        numbers.map_or_else(String::new, |[x, y, z]| format!("{x} {y} {z}"))
    }
    fn shown<T: Display>(value: Option<T>) -> String {
        value.map_or_else(|| "none".to_owned(), |value| value.to_string())
    }
    // Only scenes with labels have a line for them.
    let label = pick.label_id.map(|label| label_text(label, pick.label.as_deref()));
    let label = label.map(|label| ("label", label));
    let mut lines = vec![
        ("geometry_id", shown(pick.geometry_id)),
        ("primitive_id", shown(pick.primitive_id)),
        ("instance_id", shown(pick.instance_id)),
        ("path", shown(pick.path.as_ref())),
        ("type", shown(pick.type_name)),
        ("t", shown(pick.t)),
        ("distance", shown(pick.distance)),
        ("point", joined(pick.point)),
        ("in its node", joined(pick.point_in_node)),
        ("normal", joined(pick.normal)),
    ];
    lines.splice(5..5, label);
    lines.iter().map(|(name, value)| format!("{name:<12}  {value}\n")).collect()
}
