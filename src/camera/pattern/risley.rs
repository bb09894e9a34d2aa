//! Two turning glass wedges, one behind the other, that steer a beam along a rosette.

use crate::camera::error::CameraError;
use crate::math::{radians, turn_at};
use glam::DVec3;

/// A pair of Risley prisms. The inclined faces are towards each other, and the outer faces are
/// perpendicular to the axis, +x. At time 0 both prisms deflect the beam to +y.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Risley {
    /// The angles between the faces of the first and of the second wedge.
    pub wedge_degrees: [f64; 2],
    /// The refractive index of the glass, in air.
    pub refractive_index: f64,
    /// The turns of the first and of the second wedge per second. Positive is counter-clockwise
    /// about +x.
    pub turns_per_s: [f64; 2],
}

impl Risley {
    /// Returns the unit direction of a beam that leaves at this time.
    pub(super) fn direction(&self, time: f64) -> DVec3 {
        let turns = self.turns_per_s.map(|turns_per_s| turn_at(turns_per_s, time));
        // The check of the fields rejects a pair that lets no beam through.
        self.steered(turns).unwrap_or(DVec3::X)
    }

    /// Traces a beam along +x through the wedges, whose thick sides are at these angles from +y
    /// about +x. Returns `None` if a face reflects it all.
    fn steered(&self, turns: [f64; 2]) -> Option<DVec3> {
        let index = self.refractive_index;
        let thick_side = |turn: f64| DVec3::new(0.0, libm::cos(turn), libm::sin(turn));
        let [first, second] = self.wedge_degrees.map(radians);
        // A face leans back on the side where the glass before it is thick, and forward where the
        // glass behind it is thick.
        let exit = libm::cos(first) * DVec3::X - libm::sin(first) * thick_side(turns[0]);
        let entrance = libm::cos(second) * DVec3::X + libm::sin(second) * thick_side(turns[1]);
        let between = refracted(DVec3::X, exit, index)?;
        let inside = refracted(between, entrance, 1.0 / index)?;
        Some(refracted(inside, DVec3::X, index)?.normalize())
    }

    pub(super) fn check(&self) -> Result<(), CameraError> {
        let Self { wedge_degrees, refractive_index, turns_per_s } = self;
        let is_index = (1.0..=4.0).contains(refractive_index);
        let rule = "it must be from 1 to 4";
        CameraError::unless(is_index, "pattern.refractive_index", refractive_index, rule)?;
        let is_wedge = |wedges: bool, rule| {
            CameraError::unless(wedges, "pattern.wedge_degrees", format!("{wedge_degrees:?}"), rule)
        };
        is_wedge(
            wedge_degrees.iter().all(|angle| (0.0..=45.0).contains(angle)),
            "both must be from 0 to 45",
        )?;
        let are_paces = turns_per_s.iter().all(|pace| pace.abs() <= 1e6);
        let (value, rule) = (format!("{turns_per_s:?}"), "both must be between -1e6 and 1e6");
        CameraError::unless(are_paces, "pattern.turns_per_s", value, rule)?;
        // The beam meets its largest angles when both wedges deflect it to one side, or when the
        // second deflects it back.
        let is_let_through = |turn: f64| self.steered([0.0, turn]).is_some();
        is_wedge(
            is_let_through(0.0) && is_let_through(std::f64::consts::PI),
            "at these angles the glass lets no beam through",
        )
    }
}

/// Refracts a unit vector at a face whose unit normal points onwards, by the vector form of Snell's
/// law. `ratio` is the refractive index before the face divided by the one behind it. Returns
/// `None` if the face reflects all light.
fn refracted(direction: DVec3, normal: DVec3, ratio: f64) -> Option<DVec3> {
    let cosine = direction.dot(normal);
    let square = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    let behind = (square >= 0.0 && cosine > 0.0).then(|| square.sqrt())?;
    Some(ratio * direction + (behind - ratio * cosine) * normal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3Swizzles;

    const MID_40: Risley = Risley {
        wedge_degrees: [18.0; 2],
        refractive_index: 1.51,
        turns_per_s: [-4664.0 / 60.0, 7294.0 / 60.0],
    };

    /// The angle from +x, in degrees.
    fn aside(direction: DVec3) -> f64 {
        direction.yz().length().atan2(direction.x).to_degrees()
    }

    #[test]
    fn wedges_of_one_side_add_and_of_two_sides_cancel() {
        // Snell's law, worked out by hand in the plane of the thick sides.
        let wedge = 18.0_f64.to_radians();
        let between = (1.51 * wedge.sin()).asin() - wedge;
        let inside = wedge - ((wedge - between).sin() / 1.51).asin();
        let together = (1.51 * inside.sin()).asin().to_degrees();
        let steered = MID_40.steered([0.0, 0.0]).unwrap();
        assert!((aside(steered) - together).abs() < 1e-12 && steered.y > 0.0);
        // The maker's data sheet has a circle of 38.4 degrees.
        assert!((2.0 * together - 38.4).abs() < 0.1, "{together}");
        let cancelled = MID_40.steered([0.0, std::f64::consts::PI]).unwrap();
        assert!(aside(cancelled) < 1e-6, "{cancelled}");
    }

    #[test]
    fn thin_wedges_make_the_sum_of_two_turning_vectors() {
        // To first order, a wedge deflects a beam by (n - 1) times its angle.
        let thin =
            Risley { wedge_degrees: [0.2, 0.1], refractive_index: 1.5, turns_per_s: [3.0, -7.0] };
        for time in [0.0, 0.123, 4.5] {
            let vector = |degrees: f64, turns: f64| {
                let around = std::f64::consts::TAU * turns * time;
                0.5 * degrees.to_radians() * DVec3::new(0.0, around.cos(), around.sin())
            };
            let expected = vector(0.2, 3.0) + vector(0.1, -7.0);
            let direction = thin.direction(time);
            assert!((direction.yz() - expected.yz()).length() < 1e-7, "{time}");
        }
    }

    #[test]
    fn a_rosette_fills_its_circle_in_time() {
        let mut seen = [false; 12];
        for pulse in 0..20_000 {
            let direction = MID_40.direction(f64::from(pulse) * 1e-5);
            assert!((direction.length() - 1.0).abs() < 1e-12 && aside(direction) < 19.3);
            let around = direction.z.atan2(direction.y) / std::f64::consts::TAU;
            seen[((around + 0.5) * 12.0) as usize % 12] = true;
        }
        assert!(seen.iter().all(|&it| it), "{seen:?}");
    }

    #[test]
    fn glass_that_lets_no_beam_through_is_refused() {
        MID_40.check().unwrap();
        for (pair, field) in [
            (Risley { refractive_index: 0.5, ..MID_40 }, "refractive_index"),
            (Risley { wedge_degrees: [18.0, 50.0], ..MID_40 }, "wedge_degrees"),
            (Risley { wedge_degrees: [18.0, -1.0], ..MID_40 }, "wedge_degrees"),
            (Risley { wedge_degrees: [44.0, 0.0], ..MID_40 }, "lets no beam through"),
            (Risley { turns_per_s: [f64::NAN, 0.0], ..MID_40 }, "turns_per_s"),
        ] {
            let error = pair.check().unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
    }
}
