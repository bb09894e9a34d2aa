//! The crossings of a line and a surface, and the zones in which they may be if the surface is
//! displaced a little.

use crate::math::U;
use arrayvec::ArrayVec;
use std::ops::Deref;

/// Returns the parts of a ray's interval inside a solid, in order. It needs all crossings from the
/// interval's start on, also those after its end. If their number is odd, the ray starts inside.
pub(crate) fn stretches<T: Copy + PartialOrd>(
    crossings: impl ExactSizeIterator<Item = T>,
    [start, end]: [T; 2],
) -> impl Iterator<Item = [T; 2]> {
    let within = move |t: T| if t < end { t } else { end };
    let entry_at_start = (crossings.len() % 2 == 1).then_some(start);
    let mut ends = entry_at_start.into_iter().chain(crossings.map(within));
    std::iter::from_fn(move || Some([ends.next()?, ends.next()?]))
}

/// One place where a line passes through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The position along the line.
    pub t: f64,
    /// The face: 0 side, 1 start cap, 2 end cap, 3 inner wall; for a box 0..5 = −x +x −y +y −z +z.
    pub face: u32,
}

/// Every crossing of a line and a shape, at most four, sorted by `t`. For a solid, each entry is
/// followed by its exit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossings(ArrayVec<Crossing, 4>);

impl Crossings {
    /// Returns no crossings.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Returns the single crossing of a surface that bounds no solid.
    pub(crate) fn one(t: f64) -> Self {
        let mut crossings = ArrayVec::new();
        crossings.push(Crossing { t, face: 0 });
        Self(crossings)
    }

    /// Returns the first crossing at `t_min` or after it.
    pub fn first_from(&self, t_min: f64) -> Option<Crossing> {
        self.iter().copied().find(|crossing| crossing.t >= t_min)
    }

    /// Returns the crossings in a closed interval.
    pub fn within(&self, [t_min, t_max]: [f64; 2]) -> impl Iterator<Item = Crossing> + '_ {
        self.iter().copied().filter(move |crossing| crossing.t >= t_min && crossing.t <= t_max)
    }

    /// Returns true if the line is inside the solid or on its surface at `t`.
    pub(crate) fn hold(&self, t: f64) -> bool {
        self.spans().any(|span| span.enter.t <= t && t <= span.exit.t)
    }

    /// Returns the crossing nearest to `t`; of two that are equally near, the first.
    pub fn nearest_to(&self, t: f64) -> Option<Crossing> {
        let distance = |crossing: &Crossing| (crossing.t - t).abs();
        self.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Returns the span without length at the only crossing of a surface that bounds no solid.
    pub(crate) fn only(&self) -> Option<Span> {
        self.first().map(|&crossing| Span { enter: crossing, exit: crossing })
    }

    /// Returns the spans of the line inside a solid.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.chunks_exact(2).map(|pair| Span { enter: pair[0], exit: pair[1] })
    }
}

impl Deref for Crossings {
    type Target = [Crossing];

    fn deref(&self) -> &[Crossing] {
        &self.0
    }
}

/// Builds the crossings of a solid from the spans inside it, at most two and in order.
impl FromIterator<Span> for Crossings {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        Self(spans.into_iter().flat_map(|span| [span.enter, span.exit]).collect())
    }
}

/// Builds the crossings of a surface that bounds no solid, at most four and in order.
impl FromIterator<Crossing> for Crossings {
    fn from_iter<I: IntoIterator<Item = Crossing>>(crossings: I) -> Self {
        Self(crossings.into_iter().collect())
    }
}

/// Builds zones from single zones, at most eight and in order.
impl FromIterator<Zone> for Zones {
    fn from_iter<I: IntoIterator<Item = Zone>>(zones: I) -> Self {
        Self(zones.into_iter().collect())
    }
}

impl From<Option<Span>> for Crossings {
    fn from(span: Option<Span>) -> Self {
        span.into_iter().collect()
    }
}

/// The part of a line inside a convex solid, including the boundary: `enter.t <= exit.t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub enter: Crossing,
    pub exit: Crossing,
}

impl Span {
    /// Returns a span with the same face at both bounds.
    pub fn through(face: u32, enter: f64, exit: f64) -> Self {
        Self { enter: Crossing { t: enter, face }, exit: Crossing { t: exit, face } }
    }

    /// Returns the span for a line whose origin is `step` earlier.
    pub fn shifted(self, step: f64) -> Self {
        let by_step = |crossing: Crossing| Crossing { t: crossing.t + step, ..crossing };
        Self { enter: by_step(self.enter), exit: by_step(self.exit) }
    }

    /// Returns the span of a whole line.
    pub fn whole(face: u32) -> Self {
        Self::through(face, f64::NEG_INFINITY, f64::INFINITY)
    }

    /// Returns its first bound at `t_min` or after it.
    #[inline(always)]
    pub fn first_from(&self, t_min: f64) -> Option<Crossing> {
        [self.enter, self.exit].into_iter().find(|bound| bound.t >= t_min)
    }

    /// Returns the bound of the span that a hit at `t` is on, for a ray from `t_min` on and a
    /// convex surface. `None` if only the zones decide. The zones form one run around both bounds.
    /// So the hit is on the first bound if that is also the nearest to `t`, and on the nearest one
    /// if the first is before `t_min`.
    #[inline]
    pub fn met(&self, t_min: f64, t: f64) -> Option<Crossing> {
        let Self { enter, exit } = self;
        // A t that was rounded to float32 is as near as this.
        let slack = 2.0 * U * t.abs();
        let is_enter = (enter.t - t).abs() <= (exit.t - t).abs();
        let is_in_run = enter.t - slack <= t && t <= exit.t + slack;
        (is_in_run && (is_enter || enter.t < t_min)).then_some(if is_enter {
            *enter
        } else {
            *exit
        })
    }

    /// Returns the intersection of two spans; each bound keeps its face.
    pub fn meet(self, other: Self) -> Option<Self> {
        let enter = if other.enter.t > self.enter.t { other.enter } else { self.enter };
        let exit = if other.exit.t < self.exit.t { other.exit } else { self.exit };
        (enter.t <= exit.t).then_some(Self { enter, exit })
    }

    /// Returns the span from the first bound of two spans to the last.
    pub fn hull(self, other: Self) -> Self {
        Self {
            enter: if other.enter.t < self.enter.t { other.enter } else { self.enter },
            exit: if other.exit.t > self.exit.t { other.exit } else { self.exit },
        }
    }

    /// Returns the span minus a hole: no part, one or two. The hole's bounds belong to the rest, if
    /// necessary as a part without length, because a ray that touches a rim hits it.
    pub fn without(self, hole: Option<Self>) -> impl Iterator<Item = Self> {
        let is_apart = |hole: &Self| hole.exit.t < self.enter.t || hole.enter.t > self.exit.t;
        let [before, after] = match hole.filter(|hole| !is_apart(hole)) {
            None => [Some(self), None],
            Some(hole) => [
                (hole.enter.t >= self.enter.t).then_some(Self { exit: hole.enter, ..self }),
                (hole.exit.t <= self.exit.t).then_some(Self { enter: hole.exit, ..self }),
            ],
        };
        before.into_iter().chain(after)
    }
}

/// What is certain in a zone of a line if a surface may be displaced by up to some distance δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneKind {
    /// A crossing may be here.
    Doubt,
    /// A crossing is here, however the surface is displaced.
    Crossed,
    /// The line is certainly inside a solid.
    Inside,
}

/// An interval of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Its start, and the face there.
    pub from: Crossing,
    /// Its end, and the face there.
    pub to: Crossing,
    /// What is certain in it.
    pub kind: ZoneKind,
}

/// The intervals of a line that may touch a shape, in order. The rest of the line is certainly
/// outside. Adjacent zones share their bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zones(ArrayVec<Zone, 8>);

impl Zones {
    /// Returns the zones of a solid, from the crossings of the solid grown by δ and of the solid
    /// shrunk by δ. Either is `None` if no solid remains.
    pub(crate) fn of_solid(grown_and_shrunk: [Option<Crossings>; 2]) -> Self {
        let [grown, shrunk] = grown_and_shrunk.map(Option::unwrap_or_default);
        let mut zones = Self::default();
        for outer in grown.spans() {
            let mut from = outer.enter;
            let mut is_inside = false;
            for inner in shrunk.spans() {
                let is_within = inner.enter.t >= outer.enter.t && inner.exit.t <= outer.exit.t;
                if !is_within {
                    continue;
                }
                // Between two parts that are certainly inside, the line may or may not leave the
                // solid.
                let kind = if is_inside { ZoneKind::Doubt } else { ZoneKind::Crossed };
                zones.push(from, inner.enter, kind);
                zones.push(inner.enter, inner.exit, ZoneKind::Inside);
                from = inner.exit;
                is_inside = true;
            }
            let kind = if is_inside { ZoneKind::Crossed } else { ZoneKind::Doubt };
            zones.push(from, outer.exit, kind);
        }
        zones
    }

    /// Returns the zones of a surface that bounds no solid. `thick` has the crossings of the
    /// surface as a solid 2δ thick. `is_crossed` is true if the line certainly passes from one face
    /// of that solid to the other.
    pub(crate) fn of_surface(thick: &Crossings, is_crossed: bool) -> Self {
        let kind = if is_crossed { ZoneKind::Crossed } else { ZoneKind::Doubt };
        let mut zones = Self::default();
        for span in thick.spans() {
            zones.push(span.enter, span.exit, kind);
        }
        zones
    }

    fn push(&mut self, from: Crossing, to: Crossing, kind: ZoneKind) {
        self.0.push(Zone { from, to, kind });
    }

    /// Returns the index of the zone that contains `t`, which was itself rounded to float32. If two
    /// zones contain it, one that may have a crossing is preferred over one inside the solid.
    pub fn holding(&self, t: f64) -> Option<usize> {
        let slack = 4.0 * U * t.abs();
        let holding = (0..self.0.len())
            .filter(|&index| t >= self.0[index].from.t - slack && t <= self.0[index].to.t + slack);
        holding.min_by_key(|&index| self.0[index].kind == ZoneKind::Inside)
    }

    /// Returns the start and the end of the unbroken run of adjacent zones around the zone at
    /// `index`.
    pub fn reach(&self, index: usize) -> [f64; 2] {
        let touches = |a: usize| self.0[a].to.t == self.0[a + 1].from.t;
        let first = (0..index).rev().take_while(|&a| touches(a)).last().unwrap_or(index);
        let last = (index..self.0.len() - 1).take_while(|&a| touches(a)).last();
        [self.0[first].from.t, self.0[last.map_or(index, |a| a + 1)].to.t]
    }
}

impl Deref for Zones {
    type Target = [Zone];

    fn deref(&self) -> &[Zone] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossings(bounds: &[[f64; 2]]) -> Crossings {
        bounds.iter().map(|&[enter, exit]| Span::through(0, enter, exit)).collect()
    }

    fn kinds(zones: &Zones) -> Vec<(f64, f64, ZoneKind)> {
        zones.iter().map(|zone| (zone.from.t, zone.to.t, zone.kind)).collect()
    }

    #[test]
    fn a_hole_leaves_none_one_or_two_parts() {
        let whole = Span::through(0, 1.0, 9.0);
        let left = |hole| -> Vec<[f64; 2]> {
            whole.without(hole).map(|span| [span.enter.t, span.exit.t]).collect()
        };
        assert_eq!(left(None), [[1.0, 9.0]]);
        assert_eq!(left(Some(Span::through(3, 3.0, 4.0))), [[1.0, 3.0], [4.0, 9.0]]);
        assert_eq!(left(Some(Span::through(3, 0.0, 4.0))), [[4.0, 9.0]]);
        assert_eq!(left(Some(Span::through(3, 4.0, 12.0))), [[1.0, 4.0]]);
        assert_eq!(left(Some(Span::through(3, 0.0, 12.0))), [[0.0; 2]; 0]);
        assert_eq!(left(Some(Span::through(3, 11.0, 12.0))), [[1.0, 9.0]]);
        // The line passes the hole's mouth at its rim, and then runs along its wall.
        assert_eq!(left(Some(Span::through(3, 1.0, 4.0))), [[1.0, 1.0], [4.0, 9.0]]);
        assert_eq!(left(Some(Span::through(3, 3.0, 3.0))), [[1.0, 3.0], [3.0, 9.0]]);
    }

    #[test]
    fn zones_of_a_solid_separate_what_is_sure_from_what_is_not() {
        use ZoneKind::{Crossed, Doubt, Inside};
        let convex =
            Zones::of_solid([Some(crossings(&[[1.0, 9.0]])), Some(crossings(&[[2.0, 8.0]]))]);
        assert_eq!(kinds(&convex), [(1.0, 2.0, Crossed), (2.0, 8.0, Inside), (8.0, 9.0, Crossed)]);
        assert_eq!(convex.reach(1), [1.0, 9.0]);
        let grazed = Zones::of_solid([Some(crossings(&[[1.0, 9.0]])), Some(Crossings::none())]);
        assert_eq!(kinds(&grazed), [(1.0, 9.0, Doubt)]);
        let ring = Zones::of_solid([
            Some(crossings(&[[1.0, 9.0]])),
            Some(crossings(&[[2.0, 4.0], [5.0, 8.0]])),
        ]);
        assert_eq!(kinds(&ring)[2], (4.0, 5.0, Doubt));
        let apart = Zones::of_solid([
            Some(crossings(&[[1.0, 4.0], [6.0, 9.0]])),
            Some(crossings(&[[2.0, 3.0], [7.0, 8.0]])),
        ]);
        assert_eq!(apart.len(), 6);
        assert_eq!(apart.reach(0), [1.0, 4.0]);
        assert_eq!(apart.reach(5), [6.0, 9.0]);
    }
}
