//! Judges the returns of beams by formulas of its own, in float64: what a beam must return, or that its rays, its echoes or
//! its limits lie within the contract's bounds of another answer.

use raytwin::camera::{Beam, Pulse, ReturnMode};
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::U;
use raytwin::returns::Return;
use raytwin::scene::Appearance;
use raytwin::shapes::{Cuboid, Cylinder, Plane, Sphere};
use raytwin::{PosedView, Scene};
use std::f64::consts::TAU;

/// The factor K of the bound on distances, and that of the tolerance of outlines.
const K: f64 = 8.0;
const DELTA: f64 = 16.0;
/// The error of each ray, in units of u of its origin and of how far it goes: 4 for each component.
const RAY: f64 = 8.0;

/// A body of a scene, with its share of reflected light. All its numbers are those of float32.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Ball {
        center: DVec3,
        radius: f64,
    },
    /// A box along the axes.
    Block {
        center: DVec3,
        half_extents: DVec3,
    },
    Post {
        start: DVec3,
        end: DVec3,
        radius: f64,
    },
    Wall {
        point: DVec3,
        normal: DVec3,
    },
}

/// Where a line enters a body.
#[derive(Clone, Copy, Debug)]
struct Entry {
    t: f64,
    normal: DVec3,
    /// The number of the face, of which a curved one is 0.
    face: usize,
}

impl Body {
    /// The body whose numbers are rounded to float32.
    pub fn rounded(self) -> Self {
        let point = |at: DVec3| at.as_vec3().as_dvec3();
        let length = |it: f64| f64::from(it as f32);
        match self {
            Self::Ball { center, radius } => {
                Self::Ball { center: point(center), radius: length(radius) }
            }
            Self::Block { center, half_extents } => {
                Self::Block { center: point(center), half_extents: point(half_extents) }
            }
            Self::Post { start, end, radius } => {
                Self::Post { start: point(start), end: point(end), radius: length(radius) }
            }
            Self::Wall { point: at, normal } => Self::Wall { point: point(at), normal },
        }
    }

    fn add_to(self, scene: &mut Scene, reflectance: f32) {
        let id = match self {
            Self::Ball { center, radius } => scene.add(Sphere { center, radius }),
            Self::Block { center, half_extents } => {
                scene.add(Cuboid { center, half_extents, rotation: DQuat::IDENTITY })
            }
            Self::Post { start, end, radius } => scene.add(Cylinder::solid(start, end, radius)),
            Self::Wall { point, normal } => {
                scene.add(Plane { point, normal, rectangle: None, one_sided: false })
            }
        };
        let appearance = Appearance { reflectance: Some(reflectance), ..Appearance::NONE };
        scene.set_appearance(id.unwrap(), appearance);
    }

    /// The distance of its middle from the world's origin, and the radius of its bounding sphere.
    fn place(&self) -> [f64; 2] {
        match *self {
            Self::Ball { center, radius } => [center.length(), radius],
            Self::Block { center, half_extents } => [center.length(), half_extents.length()],
            Self::Post { start, end, radius } => {
                [(0.5 * (start + end)).length(), (0.5 * (end - start).length()).hypot(radius)]
            }
            Self::Wall { point, .. } => [point.length(), 0.0],
        }
    }

    /// The radius of the curved face.
    fn curved_radius(&self, face: usize) -> f64 {
        match *self {
            Self::Ball { radius, .. } => radius,
            Self::Post { radius, .. } if face == 0 => radius,
            _ => f64::INFINITY,
        }
    }

    /// Where a line from outside enters the body whose surface is moved outwards.
    fn entry(&self, origin: DVec3, direction: DVec3, moved: f64) -> Option<Entry> {
        let found = match *self {
            Self::Ball { center, radius } => {
                let from = origin - center;
                let along = -from.dot(direction);
                let off = (from + along * direction).length_squared();
                let half = ((radius + moved).powi(2) - off).sqrt();
                let t = along - half;
                (half >= 0.0).then(|| Entry {
                    t,
                    normal: (from + t * direction).normalize(),
                    face: 0,
                })
            }
            Self::Block { center, half_extents } => {
                let slab = |axis: usize| {
                    let (at, by) = (origin[axis] - center[axis], direction[axis]);
                    let half = half_extents[axis] + moved;
                    slab_of(at, by, half)
                };
                let spans = [0, 1, 2].map(slab);
                let axis = (0..3).max_by(|a, b| spans[*a][0].total_cmp(&spans[*b][0]))?;
                let t = spans[axis][0];
                let end = spans.iter().map(|span| span[1]).fold(f64::INFINITY, f64::min);
                let normal = DVec3::AXES[axis] * -direction[axis].signum();
                let face = 1 + 2 * axis + usize::from(normal[axis] > 0.0);
                (t <= end).then_some(Entry { t, normal, face })
            }
            Self::Post { start, end, radius } => {
                let length = (end - start).length();
                let axis = (end - start) / length;
                let from = origin - 0.5 * (start + end);
                let (height, speed) = (from.dot(axis), direction.dot(axis));
                let caps = slab_of(height, speed, 0.5 * length + moved);
                let (from_axis, across) = (from - height * axis, direction - speed * axis);
                let square = across.length_squared();
                let along = -from_axis.dot(across) / square;
                let off = (from_axis + along * across).length_squared();
                let half = (((radius + moved).powi(2) - off) / square).sqrt();
                let side = [along - half, along + half];
                let (t, face) = if side[0] >= caps[0] { (side[0], 0) } else { (caps[0], 1) };
                let normal = match face {
                    0 => (from_axis + t * across).normalize(),
                    _ => -axis * speed.signum(),
                };
                (half >= 0.0 && t <= side[1].min(caps[1])).then_some(Entry { t, normal, face })
            }
            Self::Wall { point, normal } => {
                let speed = direction.dot(normal);
                let ahead = -normal * speed.signum();
                let t = (point + moved * ahead - origin).dot(normal) / speed;
                t.is_finite().then_some(Entry { t, normal, face: 1 })
            }
        };
        found.filter(|entry| entry.t >= 0.0)
    }
}

/// The stretch of a line between two planes at ±half, given its place and its speed between them.
fn slab_of(at: f64, by: f64, half: f64) -> [f64; 2] {
    match by == 0.0 {
        true if at.abs() <= half => [f64::NEG_INFINITY, f64::INFINITY],
        true => [f64::INFINITY, f64::NEG_INFINITY],
        false => [(-half - at * by.signum()) / by.abs(), (half - at * by.signum()) / by.abs()],
    }
}

/// A number, and by how much an answer may be off.
#[derive(Clone, Copy, Debug)]
struct Within {
    value: f64,
    by: f64,
}

impl Within {
    /// Returns true if an answer may lie on either side of a limit.
    fn straddles(self, limit: f64) -> bool {
        (self.value - limit).abs() <= self.by
    }

    fn holds(self, answer: f64) -> bool {
        (self.value - answer).abs() <= self.by
    }
}

/// What a ray of a beam surely hits.
#[derive(Clone, Copy, Debug)]
struct SureHit {
    body: usize,
    t: Within,
    intensity: Within,
}

/// What a beam must return.
#[derive(Clone, Debug)]
pub struct SureReturn {
    distance: Within,
    intensity: Within,
    /// The bodies of which one is that of the strongest ray.
    bodies: Vec<usize>,
}

/// Judges the beams of a view.
pub struct BeamJudge<'a> {
    bodies: &'a [(Body, f32)],
    posed: &'a PosedView,
}

/// The scene of bodies.
pub fn scene_of(bodies: &[(Body, f32)]) -> Scene {
    let mut scene = Scene::new();
    bodies.iter().for_each(|(body, reflectance)| body.add_to(&mut scene, *reflectance));
    scene
}

/// The places of a beam's rays in its footprint, and their shares of its light.
fn subrays(beam: Option<Beam>) -> Vec<([f64; 2], f64)> {
    let count = beam.map_or(1, |beam| beam.subrays);
    let rings = (0..).find(|rings| 1 + 3 * rings * (rings + 1) >= count).unwrap();
    let mut all = vec![([0.0; 2], 1.0)];
    for ring in 1..=rings {
        let radius = f64::from(ring) / (f64::from(rings) + 0.5);
        for step in 0..6 * ring {
            let angle = TAU * f64::from(step) / f64::from(6 * ring);
            all.push((
                [radius * angle.cos(), radius * angle.sin()],
                (-2.0 * radius * radius).exp(),
            ));
        }
    }
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    all.iter().map(|(offset, weight)| (*offset, weight / sum)).collect()
}

impl<'a> BeamJudge<'a> {
    pub fn new(bodies: &'a [(Body, f32)], posed: &'a PosedView) -> Self {
        Self { bodies, posed }
    }

    fn pulse(&self) -> &Pulse {
        &self.posed.view().camera.sensor.pulse
    }

    /// What the beam of a pixel must return; `None` if another answer is within the contract's bounds.
    pub fn sure_returns(&self, pixel: usize) -> Option<Vec<SureReturn>> {
        let line = self.posed.line(pixel);
        let first = self.posed.extrinsics(pixel).up.cross(line.direction).normalize();
        let second = line.direction.cross(first);
        let mut hits = Vec::new();
        let beam = self.pulse().beam;
        let [exit, spread] = beam
            .map_or([0.0; 2], |it| [0.5 * it.exit_diameter, (0.5e-3 * it.divergence_mrad).tan()]);
        for ([x, y], weight) in subrays(beam) {
            let offset = x * first + y * second;
            let direction = (line.direction + spread * offset).normalize();
            hits.extend(self.sure_hit(line.origin + exit * offset, direction, weight)?);
        }
        self.sure_echoes(hits)
    }

    /// What a ray hits first; `None` if that is in doubt.
    fn sure_hit(&self, origin: DVec3, direction: DVec3, weight: f64) -> Option<Option<SureHit>> {
        let entries = |moved: &dyn Fn(&Body) -> f64| -> Vec<Option<Entry>> {
            let entry = |(body, _): &(Body, f32)| body.entry(origin, direction, moved(body));
            self.bodies.iter().map(entry).collect()
        };
        let margin = |body: &Body| {
            let [away, radius] = body.place();
            let reach = match body {
                Body::Wall { .. } => body.entry(origin, direction, 0.0).map_or(0.0, |it| it.t),
                _ => away + radius + origin.length(),
            };
            let own =
                if matches!(body, Body::Wall { .. }) { away + reach } else { away.max(radius) };
            (U * DELTA * own, U * RAY * (origin.length() + reach))
        };
        let whole = |body: &Body| margin(body).0 + margin(body).1;
        let exact = entries(&|_| 0.0);
        let grown = entries(&whole);
        let nearest = (0..exact.len()).filter(|&at| exact[at].is_some()).min_by(|&a, &b| {
            let t = |at: usize| exact[at].map_or(f64::INFINITY, |entry| entry.t);
            t(a).total_cmp(&t(b))
        });
        let Some(at) = nearest else {
            return grown.iter().all(Option::is_none).then_some(None);
        };
        let (body, reflectance) = &self.bodies[at];
        let shrunk = body.entry(origin, direction, -whole(body))?;
        let (entry, outer) = (exact[at]?, grown[at]?);
        if entry.face != shrunk.face || entry.face != outer.face {
            return None;
        }
        let cosine = entry.normal.dot(direction).abs();
        let [away, radius] = body.place();
        let bound = (K * U * (away + radius + entry.t) + margin(body).1) / cosine;
        let off = bound.max(shrunk.t - entry.t).max(entry.t - outer.t);
        let others = (0..grown.len()).filter(|&other| other != at).filter_map(|other| grown[other]);
        if others.into_iter().any(|other| other.t <= entry.t + 2.0 * off) {
            return None;
        }
        let bend = (off + margin(body).1) / body.curved_radius(entry.face);
        let pulse = self.pulse();
        let through = (-2.0 * pulse.attenuation_per_km * entry.t / 1000.0).exp();
        let value = weight * f64::from(*reflectance) * cosine * through / (entry.t * entry.t);
        let relative = 2.0 * bend / cosine
            + (2.0 / entry.t + 0.002 * pulse.attenuation_per_km) * off
            + 16.0 * U * (1.0 + 1.0 / cosine);
        let t = Within { value: entry.t, by: off };
        let intensity = Within { value, by: value * relative };
        Some(Some(SureHit { body: at, t, intensity }))
    }

    /// The returns that hits make.
    fn sure_echoes(&self, mut hits: Vec<SureHit>) -> Option<Vec<SureReturn>> {
        let (pulse, sensor) = (self.pulse(), &self.posed.view().camera.sensor);
        let rules = pulse.rules();
        hits.sort_by(|a, b| a.t.value.total_cmp(&b.t.value));
        let gap = |pair: &[SureHit]| Within {
            value: pair[1].t.value - pair[0].t.value,
            by: 2.0 * (pair[1].t.by + pair[0].t.by),
        };
        if hits.windows(2).any(|pair| gap(pair).straddles(rules.range_resolution)) {
            return None;
        }
        let groups = hits
            .chunk_by(|a, b| b.t.value - a.t.value <= rules.range_resolution)
            .map(sure_echo)
            .collect::<Vec<_>>();
        let mut kept = Vec::new();
        for echo in groups {
            let limits = [sensor.range_min, sensor.range_max];
            if limits.iter().any(|limit| echo.distance.straddles(*limit))
                || echo.intensity.straddles(pulse.detection_limit)
            {
                return None;
            }
            let in_range = limits[0] < echo.distance.value && echo.distance.value < limits[1];
            if in_range && echo.intensity.value > pulse.detection_limit {
                kept.push(echo);
            }
        }
        let most = match rules.mode {
            ReturnMode::First => {
                kept.truncate(1);
                return Some(kept);
            }
            ReturnMode::Last => return Some(kept.pop().into_iter().collect()),
            ReturnMode::Strongest => 1,
            _ => usize::from(rules.max),
        };
        if kept.len() > most {
            kept.sort_by(|a, b| b.intensity.value.total_cmp(&a.intensity.value));
            let [last, next] = [most - 1, most].map(|at| kept[at].intensity);
            if last.value - next.value <= last.by + next.by {
                return None;
            }
            kept.truncate(most);
            kept.sort_by(|a, b| a.distance.value.total_cmp(&b.distance.value));
        }
        Some(kept)
    }
}

fn sure_echo(hits: &[SureHit]) -> SureReturn {
    let sum = |of: &dyn Fn(&SureHit) -> f64| hits.iter().map(of).sum::<f64>();
    let value = sum(&|hit| hit.intensity.value);
    let middle = sum(&|hit| hit.intensity.value * hit.t.value) / value;
    let pulled = sum(&|hit| hit.intensity.by * (hit.t.value - middle).abs()) / value;
    let off = hits.iter().map(|hit| hit.t.by).fold(0.0, f64::max);
    let strongest =
        hits.iter().max_by(|a, b| a.intensity.value.total_cmp(&b.intensity.value)).unwrap();
    let as_strong = hits.iter().filter(|hit| {
        let (one, other) = (hit.intensity, strongest.intensity);
        other.value - one.value <= other.by + one.by
    });
    SureReturn {
        distance: Within { value: middle, by: off + 2.0 * pulled + 2.0 * U * middle },
        intensity: Within { value, by: sum(&|hit| hit.intensity.by) + 2.0 * U * value },
        bodies: as_strong.map(|hit| hit.body).collect(),
    }
}

/// Says why returns are not those that a beam must have.
pub fn refusal(all: &[SureReturn], given: &[Return]) -> Option<String> {
    if all.len() != given.len() {
        return Some(format!("{} returns, and not {}", given.len(), all.len()));
    }
    let broken = all.iter().zip(given).zip(1..).find(|((sure, given), number)| {
        let is_known = sure.bodies.contains(&(given.hit.geometry_id as usize));
        let is_right = sure.distance.holds(given.distance.into())
            && sure.intensity.holds(given.intensity.into());
        !is_known || !is_right || (given.number, usize::from(given.count)) != (*number, all.len())
    });
    broken.map(|((sure, given), _)| format!("{given:?} is not {sure:?}"))
}
