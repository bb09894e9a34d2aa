//! Tests many points against a cylinder and prints their squared distances from its axis, on a GPU if there is one, else
//! on the CPU.
//!
//! `cargo run --release --example point_in_cylinder`

use raytwin::glam::DVec3;
use raytwin::gpu::{AdapterChoice, Gpu, PointTester};
use raytwin::point_in_shape::{CylinderTest, SquaredDistance};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let can = CylinderTest::solid(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0), 0.5)?;
    let points: Vec<[f32; 3]> = (0..8_u8).map(|step| [0.1 * f32::from(step), 0.0, 1.0]).collect();
    let squared_distances: Vec<f32> = match Gpu::open(&AdapterChoice::Hardware) {
        Ok(gpu) => PointTester::new(&gpu)?.squared_distances(&[can], &points)?,
        Err(_) => points
            .iter()
            .map(|point| can.squared_distance(DVec3::from(point.map(f64::from))) as f32)
            .collect(),
    };
    for (point, squared) in points.iter().zip(squared_distances) {
        println!("{point:?}  {squared}");
    }
    Ok(())
}
