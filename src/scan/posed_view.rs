//! A view from a pose of a trajectory, whose columns may be of different times.

use super::trajectory::Trajectory;
use crate::camera::{CameraError, Extrinsics, Projection, View};
use crate::ray::{Line, Ray};
use glam::DVec3;

/// A view from one pose of a trajectory. A lidar that takes time for its sweep casts each column
/// from where it is then, so that its motion distorts the image as that of a real one does.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{Camera, DeviceChoice, Lidar, Pose, PosedView, Projection, Scene, Sphere, Tracer};
/// use raytwin::{Trajectory, View};
///
/// let mut scene = Scene::new();
/// scene.add(Sphere { center: DVec3::new(9.0, 0.0, 0.0), radius: 1.0 })?;
/// let tracer = DeviceChoice::Cpu.tracer(scene)?;
/// let vlp_16 = Projection::Panoramic(Lidar::ALL[0].panorama());
/// let lidar = Camera::look_at("lidar", DVec3::ZERO, DVec3::X, None, vlp_16)?;
/// let (width, height) = lidar.default_size();
/// let view = View::new(lidar, width, height)?;
///
/// // In a second the lidar drives ten units towards the sphere.
/// let still = [0.0, 0.0, 0.0, 1.0];
/// let poses = vec![Pose::new(DVec3::NEG_X * 10.0, still)?, Pose::new(DVec3::ZERO, still)?];
/// let trajectory = Trajectory::new(vec![0.0, 1.0], poses)?;
/// let posed = PosedView::new(&view, &trajectory, 0, DVec3::ZERO)?.expect("it ends before 1 s");
/// let hits = posed.render(tracer.as_ref(), 0..view.pixels())?;
/// let ahead = 7 * width as usize + width as usize / 2;
/// // Its sweep of a tenth of a second looks ahead at half of it, where it has come to x = -9.5.
/// assert!((posed.time(ahead) - 0.05).abs() < 1e-4);
/// assert!((hits[ahead].t - 17.5).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PosedView {
    /// The view at the start.
    view: View,
    start: f64,
    sweep_s: f64,
    /// The columns at their times; empty if all are of one time.
    columns: Vec<Column>,
    /// The cosine and the sine of the elevation of each row, if the columns are of different times.
    rows: Vec<[f64; 2]>,
}

/// A column of a lidar's sweep.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// The place of the lidar at the column's time.
    extrinsics: Extrinsics,
    /// The direction of the column's azimuth at no elevation.
    level: DVec3,
}

/// A view that stays where it is, at the time 0.
impl From<View> for PosedView {
    fn from(view: View) -> Self {
        Self { view, start: 0.0, sweep_s: 0.0, columns: Vec::new(), rows: Vec::new() }
    }
}

impl PosedView {
    /// Puts a view's camera at the pose of a row, in a scene about an origin. The number of the row
    /// gives its noise. Returns `None` if the trajectory ends before the sweep does.
    ///
    /// # Errors
    /// Those of [`Camera::at_pose`](crate::Camera::at_pose).
    pub fn new(
        view: &View,
        trajectory: &Trajectory,
        row: usize,
        scene_origin: DVec3,
    ) -> Result<Option<Self>, CameraError> {
        let (start, pose) = (trajectory.times()[row], &trajectory.poses()[row]);
        let mut camera = view.camera.at_pose(pose, scene_origin)?;
        if let Some(noise) = &mut camera.sensor.noise {
            // Noise repeats after 2^32 images.
            noise.image_number = row as u32;
        }
        let view = View { camera, ..view.clone() };
        let mut posed = Self { start, ..Self::from(view) };
        let projection = posed.view.camera.projection.clone();
        if let Projection::Panoramic(panorama) = &projection
            && panorama.sweep_s > 0.0
        {
            posed.sweep_s = panorama.sweep_s;
            let column = |column: usize| {
                let pose = trajectory.at(posed.time(column))?;
                let extrinsics = Extrinsics::at(&pose, &projection, scene_origin);
                let azimuth = panorama.azimuth(column as f64 + 0.5, posed.view.width);
                let level = extrinsics.level(azimuth);
                Some(Column { extrinsics, level })
            };
            let Some(columns) = (0..posed.view.width as usize).map(column).collect() else {
                return Ok(None);
            };
            let height = posed.view.height;
            let row = |row: u32| {
                let elevation = panorama.elevation(f64::from(row) + 0.5, height);
                [libm::cos(elevation), libm::sin(elevation)]
            };
            posed.rows = (0..height).map(row).collect();
            posed.columns = columns;
        }
        Ok(Some(posed))
    }

    /// Returns the view at the start of the sweep.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the time at which a pixel's ray is cast: a column's is that at which the sweep
    /// passes its middle.
    pub fn time(&self, pixel: usize) -> f64 {
        let column = self.view.middle_of(pixel)[0];
        self.start + self.sweep_s * (column / f64::from(self.view.width))
    }

    /// Returns the line through the middle of a pixel, from where the camera is [then](Self::time),
    /// with a unit direction.
    pub fn line(&self, pixel: usize) -> Line {
        let width = self.view.width as usize;
        match (self.columns.get(pixel % width), self.rows.get(pixel / width)) {
            (Some(Column { extrinsics, level }), Some([cosine, sine])) => {
                Line { origin: extrinsics.eye, direction: *cosine * *level + *sine * extrinsics.up }
            }
            _ => self.view.line(pixel),
        }
    }

    /// Returns the same line as a ray of float32 numbers.
    pub fn ray(&self, pixel: usize) -> Ray {
        Ray::along(&self.line(pixel))
    }

    /// Returns true if all columns are of one time.
    pub(crate) fn is_still(&self) -> bool {
        self.columns.is_empty()
    }

    /// Returns where rays start, with those that start outermost: the last row, and the first,
    /// whose columns may be of different times.
    pub(crate) fn outermost_starts(&self) -> impl Iterator<Item = DVec3> + '_ {
        let (width, pixels) = (self.view.width as usize, self.view.pixels());
        (0..width).chain(pixels - width..pixels).map(|pixel| self.line(pixel).origin)
    }

    /// Returns the place of the camera at the time of a pixel.
    pub fn extrinsics(&self, pixel: usize) -> Extrinsics {
        match self.columns.get(pixel % self.view.width as usize) {
            Some(column) => column.extrinsics,
            None => self.view.camera.extrinsics(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, Elevation, Panorama, Pose};

    const ORIGIN: DVec3 = DVec3::new(100.0, 0.0, 0.0);

    /// A lidar of four columns, whose middles are at the azimuths 135, 45, -45 and -135 degrees,
    /// and one level row.
    fn lidar(sweep_s: f64) -> View {
        let panorama = Panorama::new([180.0, -180.0], Elevation::Table(vec![0.0]));
        let panorama = Projection::Panoramic(Panorama { sweep_s, ..panorama });
        let camera = Camera::look_at("c", DVec3::ONE, DVec3::NEG_Y, None, panorama).unwrap();
        View::new(camera, 4, 1).unwrap()
    }

    /// A sensor that drives along x at 8 units a second, and then turns to the left.
    fn trajectory() -> Trajectory {
        let at = |x: f64, xyzw| Pose::new(ORIGIN + DVec3::X * x, xyzw).unwrap();
        let level = [0.0, 0.0, 0.0, 1.0];
        let left = [0.0, 0.0, 1.0, 1.0];
        Trajectory::new(vec![10.0, 11.0, 12.0], vec![at(0.0, level), at(8.0, level), at(8.0, left)])
            .unwrap()
    }

    fn assert_line(line: &Line, origin: [f64; 3], azimuth_degrees: f64) {
        let azimuth = azimuth_degrees.to_radians();
        let expected = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        assert!((line.origin - DVec3::from_array(origin)).length() < 1e-12, "{line:?}");
        assert!((line.direction - expected).length() < 1e-12, "{line:?} {azimuth_degrees}");
    }

    #[test]
    fn each_column_of_a_sweep_is_cast_from_where_the_sensor_is_at_its_time() {
        let view = lidar(1.0);
        let driving = PosedView::new(&view, &trajectory(), 0, ORIGIN).unwrap().unwrap();
        let turning = PosedView::new(&view, &trajectory(), 1, ORIGIN).unwrap().unwrap();
        for (column, azimuth) in [135.0, 45.0, -45.0, -135.0].into_iter().enumerate() {
            let share = (column as f64 + 0.5) / 4.0;
            assert_eq!([driving.time(column), turning.time(column)], [10.0 + share, 11.0 + share]);
            assert_line(&driving.line(column), [8.0 * share, 0.0, 0.0], azimuth);
            // The turn of 90 degrees is 22.5 degrees from one column to the next, and 11.25 at the
            // first.
            assert_line(&turning.line(column), [8.0, 0.0, 0.0], azimuth + 90.0 * share);
        }
        assert!(PosedView::new(&view, &trajectory(), 2, ORIGIN).unwrap().is_none());
    }

    #[test]
    fn all_columns_of_an_instant_are_cast_from_one_place() {
        let last = PosedView::new(&lidar(0.0), &trajectory(), 2, ORIGIN).unwrap().unwrap();
        for (column, azimuth) in [135.0, 45.0, -45.0, -135.0].into_iter().enumerate() {
            assert_eq!(last.time(column), 12.0);
            assert_line(&last.line(column), [8.0, 0.0, 0.0], azimuth + 90.0);
        }
    }

    #[test]
    fn a_camera_looks_along_the_z_axis_of_its_pose() {
        let projection = Projection::Perspective { fov_y_degrees: 90.0 };
        let camera = Camera::look_at("c", DVec3::ZERO, DVec3::X, None, projection).unwrap();
        let view = View::new(camera, 2, 2).unwrap();
        let pose = Pose::new(DVec3::ZERO, [0.0, 0.0, 0.0, 1.0]).unwrap();
        let still = Trajectory::new(vec![0.0], vec![pose]).unwrap();
        let posed = PosedView::new(&view, &still, 0, DVec3::ZERO).unwrap().unwrap();
        // The first pixel is at the top left, where x and y are negative in an optical frame.
        let expected = DVec3::new(-0.5, -0.5, 1.0).normalize();
        assert!((posed.line(0).direction - expected).length() < 1e-15);
        let far = Pose::new(DVec3::X * 1e9, [0.0, 0.0, 0.0, 1.0]).unwrap();
        let far = Trajectory::new(vec![0.0], vec![far]).unwrap();
        assert!(PosedView::new(&view, &far, 0, DVec3::NEG_X).is_err());
    }
}
