//! `raytwin pick`: prints what one pixel or one ray hits.

use super::console::Console;
use super::device::DeviceFlag;
use super::source::{SceneArguments, ViewArguments};
use super::summary::{PickSummary, Summary};
use super::{Failure, comma_separated};
use clap::Args;
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
    ray: Option<Ray>,
}

fn pixel(text: &str) -> Result<(u32, u32), String> {
    text.split_once(',')
        .and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)))
        .ok_or_else(|| format!("'{text}' must be two whole numbers separated by a comma"))
}

fn ray(text: &str) -> Result<Ray, String> {
    let to_f32 = |numbers: &[f64]| [numbers[0] as f32, numbers[1] as f32, numbers[2] as f32];
    let from_row = |row: &[f64]| Ray::new(to_f32(row), to_f32(&row[3..]));
    let ray = match comma_separated::<6>(text) {
        Ok(row) => from_row(&row),
        Err(_) => {
            let row = comma_separated::<8>(text)
                .map_err(|_| format!("'{text}' must be 6 or 8 numbers separated by commas"))?;
            from_row(&row).within(row[6] as f32, row[7] as f32)
        }
    };
    if ray.is_valid() {
        return Ok(ray);
    }
    Err(format!("cannot be cast: {}", Ray::RULE))
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
        (Some(ray), _) => {
            let loaded = arguments.scene.load(console)?;
            let hit = device.tracer(&loaded, None, console)?.closest(Batch::new(&[ray]))?;
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
            let tracer = device.tracer(&loaded, None, console)?;
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
    let point = line.at(f64::from(t)).to_array();
    let distance = f64::from(t) * line.direction.length();
    let path = loaded.scene.path(id);
    let normal = hits.primitive_normals[0];
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
            normal: Some(normal),
        }),
        &format!(
            "geometry_id   {id}\nprimitive_id  {}\npath          {path}\ntype          {type_name}\nt             {t}\ndistance      {distance}\npoint         {} {} {}\nnormal        {} {} {}\n",
            hits.primitive_ids[0], point[0], point[1], point[2], normal[0], normal[1], normal[2]
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}
