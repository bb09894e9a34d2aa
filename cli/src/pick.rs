//! `raytwin pick`: what one pixel or one ray meets.

use super::device::DeviceFlag;
use super::report::Report;
use super::source::{SceneArguments, ViewArguments};
use super::{Failure, comma_separated};
use clap::Args;
use raytwin::query::Batch;
use raytwin::query::Hits;
use raytwin::ray::Ray;
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    view: ViewArguments,
    /// The pixel, counted from the top left.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true, value_parser = pixel, required_unless_present = "ray")]
    pixel: Option<(u32, u32)>,
    /// The ray.
    #[arg(long, value_name = "OX,OY,OZ,DX,DY,DZ[,TMIN,TMAX]", allow_hyphen_values = true,
          value_parser = ray, conflicts_with = "pixel")]
    ray: Option<Ray>,
}

fn pixel(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once(',');
    sides
        .and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)))
        .ok_or_else(|| format!("'{text}' must be two whole numbers separated by a comma"))
}

fn ray(text: &str) -> Result<Ray, String> {
    let to_f32 = |numbers: &[f64]| [numbers[0] as f32, numbers[1] as f32, numbers[2] as f32];
    let of_row = |row: &[f64]| Ray::new(to_f32(row), to_f32(&row[3..]));
    let ray = match comma_separated::<6>(text) {
        Ok(row) => of_row(&row),
        Err(_) => {
            let row = comma_separated::<8>(text)
                .map_err(|_| format!("'{text}' must be 6 or 8 numbers separated by commas"))?;
            of_row(&row).within(row[6] as f32, row[7] as f32)
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
    report: &Report,
) -> Result<ExitCode, Failure> {
    if arguments.ray.is_some() && arguments.view.are_given() {
        return Err(Failure::usage(
            "--ray needs no camera: give --pixel, or leave the camera's flags out",
        ));
    }
    let loaded = arguments.scene.load(report)?;
    let tracer = DeviceFlag::new(device).tracer(&loaded, None, report)?;
    let (ray, hit) = match (arguments.ray, arguments.pixel) {
        (Some(ray), _) => (ray, tracer.closest(Batch::new(&[ray]))?),
        (None, Some((x, y))) => {
            let view = arguments.view.view(&loaded.scene)?;
            if x >= view.width || y >= view.height {
                return Err(Failure::usage(format!(
                    "--pixel {x},{y} lies outside of the image, {}x{}",
                    view.width, view.height
                )));
            }
            let pixel = y as usize * view.width as usize + x as usize;
            let ray = tracer.camera_rays(&view, pixel..pixel + 1)?;
            (ray[0], tracer.render(&view, pixel..pixel + 1)?)
        }
        (None, None) => return Err(Failure::usage("give --pixel X,Y or --ray OX,OY,OZ,DX,DY,DZ")),
    };
    let hits = Hits::new(&loaded.scene, Batch::new(&[ray]), &hit);
    if hits.hit_count() == 0 {
        let nothing =
            ["geometry_id", "primitive_id", "path", "type", "t", "distance", "point", "normal"];
        let mut object = json!({ "hit": false });
        for key in nothing {
            object[key] = Value::Null;
        }
        report.result(&object, "no hit\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (t, id) = (hits.t_hit[0], hits.geometry_ids[0]);
    let line = ray.line();
    let point = line.at(f64::from(t)).to_array();
    let distance = f64::from(t) * line.direction.length();
    let path = loaded.scene.path(id);
    let normal = hits.primitive_normals[0];
    let kind = loaded.scene.geometry(id).map_or("", |geometry| geometry.type_name());
    report.result(
        &json!({
            "hit": true, "geometry_id": id, "primitive_id": hits.primitive_ids[0], "path": path,
            "type": kind, "t": t, "distance": distance, "point": point, "normal": normal,
        }),
        &format!(
            "geometry_id   {id}\nprimitive_id  {}\npath          {path}\ntype          {kind}\nt             {t}\ndistance      {distance}\npoint         {} {} {}\nnormal        {} {} {}\n",
            hits.primitive_ids[0], point[0], point[1], point[2], normal[0], normal[1], normal[2]
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}
