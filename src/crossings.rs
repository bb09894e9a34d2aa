//! Where a line crosses a surface, and where it may if the surface lies a little elsewhere.

use crate::math::U;
use arrayvec::ArrayVec;
use std::ops::Deref;

/// One place where a line passes through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Where along the line.
    pub t: f64,
    /// Which face: 0 side, 1 start cap, 2 end cap, 3 inner wall; of a box 0..5 = −x +x −y +y −z +z.
    pub face: u32,
}

/// Every crossing of a shape by a line, at most four, in the order of `t`. Of a solid each entry is
/// followed by its exit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossings(ArrayVec<Crossing, 4>);

impl Crossings {
    /// None at all.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The one crossing of a surface that bounds nothing.
    pub(crate) fn one(t: f64) -> Self {
        let mut crossings = ArrayVec::new();
        crossings.push(Crossing { t, face: 0 });
        Self(crossings)
    }

    /// The first crossing at `t_min` or after it.
    pub fn first_from(&self, t_min: f64) -> Option<Crossing> {
        self.iter().copied().find(|crossing| crossing.t >= t_min)
    }

    /// Those in a closed interval.
    pub fn within(&self, [t_min, t_max]: [f64; 2]) -> impl Iterator<Item = Crossing> + '_ {
        self.iter().copied().filter(move |crossing| crossing.t >= t_min && crossing.t <= t_max)
    }

    /// Of a solid, whether it is inside or on the surface at `t`.
    pub(crate) fn hold(&self, t: f64) -> bool {
        self.spans().any(|span| span.enter.t <= t && t <= span.exit.t)
    }

    /// The crossing nearest to `t`, the first of two.
    pub fn nearest_to(&self, t: f64) -> Option<Crossing> {
        let distance = |crossing: &Crossing| (crossing.t - t).abs();
        self.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The spans of a solid.
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

/// The crossings of a solid that a line runs in for these spans, at most two and in order.
impl FromIterator<Span> for Crossings {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        Self(spans.into_iter().flat_map(|span| [span.enter, span.exit]).collect())
    }
}

impl From<Option<Span>> for Crossings {
    fn from(span: Option<Span>) -> Self {
        span.into_iter().collect()
    }
}

/// Where a line runs inside a convex solid, boundary included: `enter.t <= exit.t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub enter: Crossing,
    pub exit: Crossing,
}

impl Span {
    /// From one t to another through the same face.
    pub fn through(face: u32, enter: f64, exit: f64) -> Self {
        Self { enter: Crossing { t: enter, face }, exit: Crossing { t: exit, face } }
    }

    /// The same span of a line whose origin was moved by `step`.
    pub fn shifted(self, step: f64) -> Self {
        let by_step = |crossing: Crossing| Crossing { t: crossing.t + step, ..crossing };
        Self { enter: by_step(self.enter), exit: by_step(self.exit) }
    }

    /// All of a line.
    pub fn whole(face: u32) -> Self {
        Self::through(face, f64::NEG_INFINITY, f64::INFINITY)
    }

    /// Its first bound at `t_min` or after it.
    #[inline(always)]
    pub fn first_from(&self, t_min: f64) -> Option<Crossing> {
        [self.enter, self.exit].into_iter().find(|bound| bound.t >= t_min)
    }

    /// The part that two spans share; each bound keeps the face that it came from.
    pub fn meet(self, other: Self) -> Option<Self> {
        let enter = if other.enter.t > self.enter.t { other.enter } else { self.enter };
        let exit = if other.exit.t < self.exit.t { other.exit } else { self.exit };
        (enter.t <= exit.t).then_some(Self { enter, exit })
    }

    /// From the first bound of two spans to the last.
    pub fn hull(self, other: Self) -> Self {
        Self {
            enter: if other.enter.t < self.enter.t { other.enter } else { self.enter },
            exit: if other.exit.t > self.exit.t { other.exit } else { self.exit },
        }
    }

    /// What is left where a hole is taken out of it: nothing, one part or two. A hole's own bounds stay, as
    /// a part of no length if need be: a rim that is touched is hit.
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

/// What is known of a stretch of a line when a surface may lie anywhere within some distance δ of where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneKind {
    /// A crossing may be here.
    Doubt,
    /// A crossing is here, wherever the surface lies.
    Crossed,
    /// Surely inside of a solid.
    Inside,
}

/// A stretch of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Where it begins, and the face there.
    pub from: Crossing,
    /// Where it ends, and the face there.
    pub to: Crossing,
    /// What is known of it.
    pub kind: ZoneKind,
}

/// The stretches of a line that a shape may have to do with, in order; the rest is surely outside.
/// Stretches that touch share their bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zones(ArrayVec<Zone, 8>);

impl Zones {
    /// Of a solid, by what the line crosses of it when it is grown by δ and when it is shrunk by δ; nothing
    /// where nothing is left of it.
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
                // Between two parts that are surely inside, the line may or may not come out.
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

    /// Of a surface that bounds nothing, taken as a body 2δ thick: where the line runs in it, and whether
    /// it surely passes from one face to the other.
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

    /// The zone that holds a `t` which was itself rounded to float32; one of doubt before one that is surely
    /// inside.
    pub(crate) fn holding(&self, t: f64) -> Option<usize> {
        let slack = 4.0 * U * t.abs();
        let holding = (0..self.0.len())
            .filter(|&place| t >= self.0[place].from.t - slack && t <= self.0[place].to.t + slack);
        holding.min_by_key(|&place| self.0[place].kind == ZoneKind::Inside)
    }

    /// The zones around the one at `place` that touch it, one after another: where they begin and end.
    pub(crate) fn reach(&self, place: usize) -> [f64; 2] {
        let touches = |a: usize| self.0[a].to.t == self.0[a + 1].from.t;
        let first = (0..place).rev().take_while(|&a| touches(a)).last().unwrap_or(place);
        let last = (place..self.0.len() - 1).take_while(|&a| touches(a)).last();
        [self.0[first].from.t, self.0[last.map_or(place, |a| a + 1)].to.t]
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
        // Through a mouth whose rim is touched, and along the wall.
        assert_eq!(left(Some(Span::through(3, 1.0, 4.0))), [[1.0, 1.0], [4.0, 9.0]]);
        assert_eq!(left(Some(Span::through(3, 3.0, 3.0))), [[1.0, 3.0], [3.0, 9.0]]);
    }

    #[test]
    fn zones_of_a_solid_tell_what_is_sure_from_what_is_not() {
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
