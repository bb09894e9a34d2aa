//! A view from a pose of a trajectory, whose columns may have different times. Its `render` is in
//! `src/tracer/posed_render.rs`, because it needs a tracer.

use super::carrier::Carrier;
use super::trajectory::Trajectory;
use crate::camera::{CameraError, Extrinsics, Panorama, Pose, Projection, View};
use crate::math::radians;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::ray::{Line, Ray};
use glam::DVec3;

/// A view from one pose of a trajectory. A lidar whose sweep takes time casts each beam from where
/// it is at that moment, so its motion distorts the image as with a real lidar.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{Camera, DeviceChoice, Lidar, Pose, PosedView, Scene, Sphere, Tracer};
/// use raytwin::{Trajectory, View};
///
/// let mut scene = Scene::new();
/// scene.add(Sphere { center: DVec3::new(9.0, 0.0, 0.0), radius: 1.0 })?;
/// let tracer = DeviceChoice::Cpu.tracer(scene)?;
/// let vlp_16 = Lidar::ALL[0].projection();
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
    view: View,
    start: f64,
    /// The times of the sweep's beams; `None` if all have the same time.
    sweep: Option<Sweep>,
    /// What moves with the camera.
    carrier: Option<Carrier>,
}

/// The beams of a sweep that takes time.
#[derive(Clone, Debug)]
struct Sweep {
    /// The seconds of the sweep over the columns.
    seconds: f64,
    /// The seconds after its column's time at which each group of rows is cast.
    delays: Vec<f64>,
    groups: Vec<usize>,
    /// The place of the lidar for each group of rows, and in it for each column.
    places: Vec<Extrinsics>,
    /// The cosine and the sine of the azimuth of each column; empty for a pattern.
    columns: Vec<[f64; 2]>,
    /// The rows; empty for a pattern.
    rows: Vec<Row>,
}

/// A row of a panoramic sweep, by the cosines and the sines of its angles.
#[derive(Clone, Copy, Debug)]
struct Row {
    elevation: [f64; 2],
    /// What is added to the azimuth of a column.
    offset: [f64; 2],
}

/// A view that does not move, at time 0.
impl From<View> for PosedView {
    fn from(view: View) -> Self {
        Self { view, start: 0.0, sweep: None, carrier: None }
    }
}

impl PosedView {
    /// Puts a view's camera at the pose of a row of a trajectory, in a scene with this origin. The
    /// number of the row selects its noise. Returns `None` if the trajectory ends before the sweep
    /// does.
    ///
    /// # Errors
    /// Those of [`Camera::at_pose`](crate::Camera::at_pose).
    pub fn new(
        view: &View,
        trajectory: &Trajectory,
        row: usize,
        scene_origin: DVec3,
    ) -> Result<Option<Self>, CameraError> {
        let start = trajectory.times()[row];
        let posed = Self::standing(view, &trajectory.poses()[row], start, row, scene_origin)?;
        let posed = Self { view: posed.view.sweeping_from(start), ..posed };
        let sweep = match &posed.view.camera.projection {
            Projection::Panoramic(panorama) if panorama.sweep_s > 0.0 => {
                Sweep::over_columns(panorama, &posed.view)
            }
            Projection::Pattern(pattern) if pattern.sweep_s() > 0.0 => Sweep {
                seconds: 0.0,
                delays: vec![0.0],
                groups: vec![0],
                places: Vec::new(),
                columns: Vec::new(),
                rows: Vec::new(),
            },
            _ => return Ok(Some(posed)),
        };
        let (width, groups) = (posed.view.width as usize, sweep.delays.len());
        let place = |index: usize| {
            let time = start + sweep.time(&posed.view, index / width, index % width);
            let pose = trajectory.at(time)?;
            Some(Extrinsics::at(&pose, &posed.view.camera.projection, scene_origin))
        };
        let places: Option<_> = mapped(width * groups, RAYS_A_TASK, place).into_iter().collect();
        Ok(places.map(|places| Self { sweep: Some(Sweep { places, ..sweep }), ..posed }))
    }

    /// Puts a view's camera at a pose, where it does not move, at one time, in seconds. `number`
    /// selects its noise. The beams of a pattern are those of time 0.
    ///
    /// # Errors
    /// Those of [`Camera::at_pose`](crate::Camera::at_pose).
    pub fn standing(
        view: &View,
        pose: &Pose,
        time: f64,
        number: usize,
        scene_origin: DVec3,
    ) -> Result<Self, CameraError> {
        let mut camera = view.camera.at_pose(pose, scene_origin)?;
        if let Some(noise) = &mut camera.sensor.noise {
            // Noise repeats after 2^32 images.
            noise.image_number = number as u32;
        }
        Ok(Self { start: time, ..Self::from(View { camera, ..view.clone() }) })
    }

    /// Returns the view of a camera with which these shapes move, in a scene that was [prepared for
    /// them](Carrier::separate).
    pub fn carried_by(self, carrier: Carrier) -> Self {
        Self { carrier: Some(carrier), ..self }
    }

    /// Returns what moves with the camera.
    pub fn carrier(&self) -> Option<&Carrier> {
        self.carrier.as_ref()
    }

    /// Returns what moves with the camera, if a geometry is a part of it.
    pub(crate) fn carrier_of(&self, geometry_id: u32) -> Option<&Carrier> {
        self.carrier.as_ref().filter(|carrier| carrier.has(geometry_id))
    }

    /// Returns the view at the start of the sweep.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the time at which a pixel's ray is cast, in seconds: the time at which the sweep
    /// passes the middle of its column, plus the time of its row.
    pub fn time(&self, pixel: usize) -> f64 {
        let Some(sweep) = &self.sweep else { return self.start };
        let width = self.view.width as usize;
        self.start + sweep.time(&self.view, sweep.groups[pixel / width], pixel % width)
    }

    /// Returns the line through the middle of a pixel, from where the camera is at the pixel's
    /// [time](Self::time), with a unit direction.
    pub fn line(&self, pixel: usize) -> Line {
        let Some(sweep) = &self.sweep else { return self.view.line(pixel) };
        let place = sweep.place(&self.view, pixel);
        let direction = match self.view.pattern_rays.get(pixel) {
            Some(ray) => place.of_lidar(ray.direction),
            None => {
                let width = self.view.width as usize;
                let Row { elevation, offset } = sweep.rows[pixel / width];
                let [cosine, sine] = turned(sweep.columns[pixel % width], offset);
                let level = cosine * place.forward - sine * place.right;
                elevation[0] * level + elevation[1] * place.up
            }
        };
        Line { origin: place.eye, direction }
    }

    /// Returns the line through the middle of a pixel as a ray of float32 numbers.
    pub fn ray(&self, pixel: usize) -> Ray {
        Ray::along(&self.line(pixel))
    }

    /// Returns true if all pixels have the same time.
    pub(crate) fn is_still(&self) -> bool {
        self.sweep.is_none()
    }

    /// Returns where rays start, with those that start outermost: the last row, and the first,
    /// whose columns may be of different times.
    pub(crate) fn outermost_starts(&self) -> impl Iterator<Item = DVec3> + '_ {
        let (width, pixels) = (self.view.width as usize, self.view.pixels());
        (0..width).chain(pixels - width..pixels).map(|pixel| self.line(pixel).origin)
    }

    /// Returns the place of the camera at the time of a pixel.
    pub fn extrinsics(&self, pixel: usize) -> Extrinsics {
        match &self.sweep {
            Some(sweep) => *sweep.place(&self.view, pixel),
            None => self.view.camera.extrinsics(),
        }
    }
}

impl Sweep {
    /// A sweep of a panoramic view, whose places are not known yet.
    fn over_columns(panorama: &Panorama, view: &View) -> Self {
        let angle = |radians: f64| [libm::cos(radians), libm::sin(radians)];
        let column = |column| angle(panorama.azimuth(f64::from(column) + 0.5, view.width));
        let row = |row: u32| Row {
            elevation: angle(panorama.elevation(f64::from(row) + 0.5, view.height)),
            offset: angle(radians(panorama.row_offset_degrees(row as usize))),
        };
        let mut delays = panorama.row_times_s.clone();
        delays.sort_by(f64::total_cmp);
        delays.dedup();
        let group = |row: usize| match panorama.row_times_s.get(row) {
            Some(time) => delays.partition_point(|other| other < time),
            None => 0,
        };
        let groups = (0..view.height as usize).map(group).collect();
        if delays.is_empty() {
            delays.push(0.0);
        }
        Self {
            seconds: panorama.sweep_s,
            delays,
            groups,
            places: Vec::new(),
            columns: (0..view.width).map(column).collect(),
            rows: (0..view.height).map(row).collect(),
        }
    }

    /// The seconds from the start until a group of rows is cast in a column.
    fn time(&self, view: &View, group: usize, column: usize) -> f64 {
        match view.pattern_rays.get(column) {
            Some(ray) => ray.time,
            None => {
                let middle = column as f64 + 0.5;
                let of_column = self.seconds * (middle / f64::from(view.width));
                // Nothing is known of the sensor before its sweep and after it.
                (of_column + self.delays[group]).clamp(0.0, self.seconds)
            }
        }
    }

    fn place(&self, view: &View, pixel: usize) -> &Extrinsics {
        let width = view.width as usize;
        &self.places[self.groups[pixel / width] * width + pixel % width]
    }
}

/// Returns the cosine and the sine of the sum of two angles, of which these are the cosines and
/// sines; the first one's own if the other is 0.
fn turned([cosine, sine]: [f64; 2], by: [f64; 2]) -> [f64; 2] {
    match by {
        [1.0, 0.0] => [cosine, sine],
        [by_cosine, by_sine] => {
            [cosine * by_cosine - sine * by_sine, sine * by_cosine + cosine * by_sine]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, Elevation, Optics, Panorama, Pose, ScanPattern};

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
    fn rows_have_azimuths_and_times_of_their_own() {
        let panorama = Panorama {
            sweep_s: 1.0,
            row_azimuth_offsets_degrees: vec![0.0, 10.0, -20.0],
            row_times_s: vec![0.125, 0.0, 0.125],
            ..Panorama::new([180.0, -180.0], Elevation::Table(vec![0.0; 3]))
        };
        let camera =
            Camera::look_at("c", DVec3::ONE, DVec3::NEG_Y, None, Projection::Panoramic(panorama));
        let view = View::new(camera.unwrap(), 4, 3).unwrap();
        let posed = PosedView::new(&view, &trajectory(), 0, ORIGIN).unwrap().unwrap();
        // In the 0.125 s until they are cast, the head turns by 45 degrees to the right.
        for (row, offset, delay) in [(0, -45.0, 0.125), (1, 10.0, 0.0), (2, -65.0, 0.125)] {
            for (column, azimuth) in [135.0, 45.0, -45.0, -135.0].into_iter().enumerate() {
                let pixel = 4 * row + column;
                let time = (column as f64 + 0.5) / 4.0 + delay;
                assert_eq!(posed.time(pixel), 10.0 + time);
                assert_line(&posed.line(pixel), [8.0 * time, 0.0, 0.0], azimuth + offset);
                assert_eq!(posed.extrinsics(pixel).eye, posed.line(pixel).origin);
            }
        }
        // One that stands has them, too, but at one time.
        let standing =
            PosedView::standing(&view, &trajectory().poses()[1], 7.0, 1, ORIGIN).unwrap();
        assert_line(&standing.line(9), [8.0, 0.0, 0.0], -20.0);
        assert_eq!(standing.time(9), 7.0);
        // Of twenty columns the last ones would be cast after the sweep, which ends with the
        // trajectory.
        let narrow = View::new(view.camera, 20, 3).unwrap();
        let last = PosedView::new(&narrow, &trajectory(), 1, ORIGIN).unwrap().unwrap();
        assert_eq!([last.time(16), last.time(19), last.time(39)], [11.95, 12.0, 11.975]);
    }

    #[test]
    fn beams_of_a_pattern_leave_at_their_times_and_go_on_in_the_next_sweep() {
        let optics = Optics::Conic { half_angle_degrees: 90.0, turns_per_s: 1.25 };
        let pattern = ScanPattern::Steered { optics, pulses_per_s: 4.0, sweep_s: 1.0 };
        let pattern = Projection::Pattern(pattern);
        let camera = Camera::look_at("c", DVec3::ONE, DVec3::NEG_Y, None, pattern).unwrap();
        let view = View::new(camera, 4, 1).unwrap();
        let posed = PosedView::new(&view, &trajectory(), 0, ORIGIN).unwrap().unwrap();
        for beam in 0..4 {
            let share = (beam as f64 + 0.5) / 4.0;
            assert_eq!(posed.time(beam), 10.0 + share);
            // The cone has opened to a plane, in which it turns to the left from ahead.
            let around = 360.0 * 1.25 * (10.0 + share);
            assert_line(&posed.line(beam), [8.0 * share, 0.0, 0.0], around);
        }
        let standing =
            PosedView::standing(&view, &trajectory().poses()[0], 7.0, 0, ORIGIN).unwrap();
        assert_line(&standing.line(1), [0.0; 3], 360.0 * 1.25 * 0.375);
        assert!(View::new(standing.view().camera.clone(), 2, 2).is_err());
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
