//! The shell: a cylinder or a cone in which some parts, the side or a cap, are missing. A line
//! crosses it where it enters and leaves the whole solid, if the part at that place is present.

use super::outline::Outline;
use super::{ClosedForm, Cone, Cylinder, Parts, PrimitiveKind};
use crate::closest::AboutAxis;
use crate::crossings::{Crossing, Crossings, Span, Zone, ZoneKind, Zones};
use crate::fields::ShapeError;
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::{DVec2, DVec3};

/// Some parts of the surface of a cylinder or a cone. It bounds no solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// The solid whose surface has these parts.
    pub whole: CappedSolid,
    /// The parts that are present.
    pub parts: Parts,
}

/// A solid with a side and two flat caps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CappedSolid {
    /// A cylinder without a hole.
    Cylinder(Cylinder),
    /// A cone or a frustum.
    Cone(Cone),
}

impl CappedSolid {
    fn form(&self) -> &dyn ClosedForm {
        match self {
            Self::Cylinder(cylinder) => cylinder,
            Self::Cone(cone) => cone,
        }
    }

    fn ends(&self) -> [DVec3; 2] {
        match self {
            Self::Cylinder(cylinder) => [cylinder.start, cylinder.end],
            Self::Cone(cone) => [cone.start, cone.end],
        }
    }

    fn radii(&self) -> [f64; 2] {
        match self {
            Self::Cylinder(cylinder) => [cylinder.radius; 2],
            Self::Cone(cone) => [cone.start_radius, cone.end_radius],
        }
    }

    fn grown(&self, delta: f64) -> Option<Self> {
        match self {
            Self::Cylinder(cylinder) => cylinder.grown(delta).map(Self::Cylinder),
            Self::Cone(cone) => cone.grown(delta).map(Self::Cone),
        }
    }

    /// Returns the spans of a line inside the endless side and between the caps.
    fn passage(&self, line: &Line) -> Option<Passage> {
        let spans = match self {
            Self::Cylinder(cylinder) => cylinder.side_and_caps(line),
            Self::Cone(cone) => cone.side_and_caps(line),
        };
        let [side, caps] = spans?;
        Some(Passage { side, caps, both: side.meet(caps)? })
    }
}

/// The way of a line through a capped solid.
struct Passage {
    side: Span,
    caps: Span,
    /// The part that is inside both.
    both: Span,
}

impl Shell {
    /// Returns the zone of a crossing, from its earliest to its latest place. Each part is crossed
    /// in a range of its own. A line that enters meets the later part, and a line that leaves meets
    /// the earlier one. If the ranges overlap, it may be either part.
    fn zone(
        &self,
        [from, to]: [Crossing; 2],
        is_side: bool,
        is_cap: bool,
        cap: u32,
    ) -> Option<Zone> {
        let [has_side, has_cap] = [self.parts.side, self.parts.has_cap(cap)];
        let (is_surely, is_maybe) = match (is_side, is_cap) {
            (true, _) => (has_side, has_side),
            (_, true) => (has_cap, has_cap),
            _ => (has_side && has_cap, has_side || has_cap),
        };
        let kind = if is_surely { ZoneKind::Crossed } else { ZoneKind::Doubt };
        is_maybe.then_some(Zone { from, to, kind })
    }
}

impl ClosedForm for Shell {
    fn primitive_kind(&self) -> PrimitiveKind {
        match self.whole {
            CappedSolid::Cylinder(_) => PrimitiveKind::CylinderShell,
            CappedSolid::Cone(_) => PrimitiveKind::ConeShell,
        }
    }

    fn is_solid(&self) -> bool {
        false
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.whole.form().row();
        let first = row.len() - Parts::FIELDS.len();
        row.truncate(first);
        row.extend(self.parts.flags());
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        let refuse = |field: &str, reason: &str| {
            Err(ShapeError { field: field.to_owned(), reason: reason.to_owned() })
        };
        match self.whole {
            CappedSolid::Cylinder(cylinder) if cylinder.inner_radius > 0.0 => refuse(
                "inner_radius",
                "makes a tube, which must have all parts: leave out side, start_cap and end_cap, or leave out inner_radius",
            ),
            _ if self.parts == Parts::NONE => refuse(
                "side",
                "is false and both caps are false too: at least one part must be present",
            ),
            _ => self.whole.form().check(),
        }
    }

    fn bounds(&self) -> Option<Bounds> {
        self.whole.form().bounds()
    }

    fn center(&self) -> DVec3 {
        self.whole.form().center()
    }

    fn bounding_radius(&self) -> f64 {
        self.whole.form().bounding_radius()
    }

    fn smallest_size(&self) -> f64 {
        self.whole.form().smallest_size()
    }

    /// A rim belongs to both of its parts, so at a rim the line crosses whichever of the two is
    /// present.
    fn crossings(&self, line: &Line) -> Crossings {
        let Some(Passage { side, caps, both }) = self.whole.passage(line) else {
            return Crossings::none();
        };
        let present = |on_side: Crossing, on_cap: Crossing, t: f64| {
            let is_on_side = self.parts.side && on_side.t == t;
            let is_on_cap = self.parts.has_cap(on_cap.face) && on_cap.t == t;
            let on_cap = is_on_cap.then_some(on_cap);
            if is_on_side { Some(on_side) } else { on_cap }
        };
        let enter = present(side.enter, caps.enter, both.enter.t);
        let exit = present(side.exit, caps.exit, both.exit.t);
        [enter, exit].into_iter().flatten().collect()
    }

    /// The outline of a whole solid is its start cap, its side and its end cap.
    fn outline(&self) -> Option<Outline> {
        let Outline { origin, axis, pieces } = self.whole.form().outline()?;
        let Parts { side, start_cap, end_cap } = self.parts;
        let present = pieces.into_iter().zip([start_cap, side, end_cap]);
        let pieces =
            present.filter_map(|(piece, is_present)| is_present.then_some(piece)).collect();
        Some(Outline { origin, axis, pieces })
    }

    fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        self.whole.form().normal(face, point)
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let [start, end] = self.whole.ends();
        let top = (end - start).length();
        let radii = self.whole.radii();
        let [start_rim, end_rim] = [DVec2::new(radii[0], 0.0), DVec2::new(radii[1], top)];
        let outline = [
            (self.parts.start_cap, [DVec2::ZERO, start_rim]),
            (self.parts.side, [start_rim, end_rim]),
            (self.parts.end_cap, [end_rim, DVec2::new(0.0, top)]),
        ];
        let present = outline.into_iter().filter(|(is_present, _)| *is_present);
        let segments: Vec<[DVec2; 2]> = present.map(|(_, segment)| segment).collect();
        AboutAxis::new(point, start, (end - start) / top).on_turned(&segments)
    }

    fn most_crossings(&self) -> u32 {
        2
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| self.whole.grown(delta)?.passage(line);
        let Some(outer) = moved(delta) else { return Zones::default() };
        let Some(inner) = moved(-delta) else {
            let whole = Zone { from: outer.both.enter, to: outer.both.exit, kind: ZoneKind::Doubt };
            return std::iter::once(whole).collect();
        };
        let enter = self.zone(
            [outer.both.enter, inner.both.enter],
            outer.side.enter.t >= inner.caps.enter.t,
            outer.caps.enter.t >= inner.side.enter.t,
            outer.caps.enter.face,
        );
        let exit = self.zone(
            [inner.both.exit, outer.both.exit],
            outer.side.exit.t <= inner.caps.exit.t,
            outer.caps.exit.t <= inner.side.exit.t,
            outer.caps.exit.face,
        );
        [enter, exit].into_iter().flatten().collect()
    }

    /// The layout is start, start radius | end − start, end radius | the flags of side, start cap
    /// and end cap, 0.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let ([start, end], radii) = (self.whole.ends(), self.whole.radii());
        params.push(vec4(start, radii[0]));
        params.push(vec4(end - start, radii[1]));
        params.push(vec4(self.parts.flags().into(), 0.0));
    }
}
