use super::*;
use crate::x3d::geometry::tests::{area, assert_contains, corners, mesh, volume};
use fastrand::Rng;
use std::f64::consts::{PI, TAU};

fn straight(cross_section: &[[f64; 2]], to: [f64; 3]) -> Extrusion {
    Extrusion {
        cross_section: cross_section.iter().copied().map(DVec2::from).collect(),
        spine: vec![DVec3::ZERO, to.into()],
        scale: vec![DVec2::ONE],
        orientation: vec![[0.0, 0.0, 1.0, 0.0]],
        begin_cap: true,
        end_cap: true,
        ccw: true,
    }
}

/// The specification's default: a square that runs counter-clockwise as seen from +y.
const SQUARE: [[f64; 2]; 5] = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];

/// An L without a symmetry, of the area 5.
const L: [[f64; 2]; 7] =
    [[0.0, 0.0], [0.0, 3.0], [1.0, 3.0], [1.0, 1.0], [3.0, 1.0], [3.0, 0.0], [0.0, 0.0]];

/// A regular polygon of this radius, counter-clockwise as seen from +y, whose ends are the same
/// numbers.
fn round(count: u32, radius: impl Fn(u32) -> f64) -> Vec<DVec2> {
    let at = |n: u32| {
        let angle = -TAU * f64::from(n) / f64::from(count);
        radius(n) * DVec2::new(libm::cos(angle), libm::sin(angle))
    };
    (0..count).chain([0]).map(at).collect()
}

/// The area of a regular polygon in the circle of this radius.
fn polygon_area(count: f64, radius: f64) -> f64 {
    0.5 * count * radius * radius * libm::sin(TAU / count)
}

#[track_caller]
fn assert_near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() <= 1e-9 * expected.abs(), "{actual} is not {expected}");
}

#[test]
fn the_default_extrusion_is_a_closed_box() {
    let cube = straight(&SQUARE, [0.0, 1.0, 0.0]).triangles().unwrap();
    assert_eq!((cube.vertices.len(), cube.triangles.len()), (8, 12));
    assert!(mesh(&cube).is_closed());
    assert_eq!(volume(&cube), 4.0);
    let inside = [DVec3::new(0.9, 0.1, -0.9), DVec3::new(0.0, 0.5, 0.0)];
    assert_contains(&cube, &inside, &[DVec3::new(0.0, 1.1, 0.0), DVec3::new(1.1, 0.5, 0.0)]);
    let turned = Extrusion { ccw: false, ..straight(&SQUARE, [0.0, 1.0, 0.0]) };
    assert_eq!(volume(&turned.triangles().unwrap()), -4.0);
}

#[test]
fn straight_spines_carry_a_cross_section_to_places_worked_out_by_hand() {
    // The corner (3, 1) of the L, in the middle of each spine: x and z of the plane are those of
    // the shortest turn.
    let places = [
        ([0.0, 2.0, 0.0], DVec3::new(3.0, 2.0, 1.0)),
        ([0.0, -2.0, 0.0], DVec3::new(-3.0, -2.0, 1.0)),
        ([2.0, 0.0, 0.0], DVec3::new(2.0, -3.0, 1.0)),
        ([0.0, 0.0, 2.0], DVec3::new(3.0, -1.0, 2.0)),
    ];
    for (to, place) in places {
        // A reversed L runs counter-clockwise as seen against the spine.
        let l: Vec<[f64; 2]> = L.to_vec();
        let solid = straight(&l, to).triangles().unwrap();
        // The second ring begins after six corners, and this is its fifth.
        assert!((solid.vertices[6 + 4] - place).length() < 1e-12, "{:?}", solid.vertices);
        assert!(mesh(&solid).is_closed());
        assert_near(volume(&solid), 2.0 * 5.0);
    }
}

#[test]
fn caps_face_away_from_the_sides_and_close_open_cross_sections() {
    let up = [0.0, 2.0, 0.0];
    let only = |begin_cap, end_cap| {
        let sides = Extrusion { begin_cap: false, end_cap: false, ..straight(&L, up) };
        let sides = sides.triangles().unwrap().triangles.len();
        let mut with_caps =
            Extrusion { begin_cap, end_cap, ..straight(&L, up) }.triangles().unwrap();
        with_caps.triangles.drain(..sides);
        with_caps
    };
    assert_eq!(area(&only(true, false)), -5.0 * DVec3::Y);
    assert_eq!(area(&only(false, true)), 5.0 * DVec3::Y);
    assert!(corners(&only(false, true)).iter().flatten().all(|corner| corner.y == 2.0));
    // A can that is cut in half: its caps are whole, and its side is open.
    let half = straight(&[[1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]], up).triangles().unwrap();
    assert!(!mesh(&half).is_closed());
    assert_eq!(half.triangles.len(), 2 * 2 + 2);
}

#[test]
fn frusta_and_pointed_tips_have_the_volume_of_the_prismatoid() {
    for (scale, expected) in [
        ([1.0, 1.0], 4.0 * 3.0),
        ([0.5, 0.5], 3.0 / 3.0 * (4.0 + 1.0 + 2.0)),
        ([0.0, 0.0], 4.0),
        // A roof with a ridge: half of the prism.
        ([1.0, 0.0], 6.0),
        ([0.0, 1.0], 6.0),
    ] {
        let mut tip = straight(&SQUARE, [0.0, 3.0, 0.0]);
        tip.scale = vec![DVec2::ONE, scale.into()];
        let tip_up = tip.triangles().unwrap();
        assert!(mesh(&tip_up).is_closed(), "{scale:?}");
        assert_near(volume(&tip_up), expected);
        tip.scale.reverse();
        let tip_down = tip.triangles().unwrap();
        assert!(mesh(&tip_down).is_closed(), "{scale:?}");
        assert_near(volume(&tip_down), expected);
    }
    // The ridge of a round section: its two halves meet in pairs of points.
    let mut wedge = straight(&[], [0.0, 1.0, 0.0]);
    wedge.cross_section = round(24, |_| 1.0);
    wedge.scale = vec![DVec2::ONE, DVec2::ZERO];
    assert!(mesh(&wedge.triangles().unwrap()).is_closed());
    // Two pyramids that meet in their tips; a negative scale turns the section by half a turn.
    let mut hourglass = straight(&SQUARE, [0.0, 1.0, 0.0]);
    hourglass.spine.push(2.0 * DVec3::Y);
    hourglass.scale = vec![DVec2::ONE, DVec2::ZERO, -DVec2::ONE];
    let hourglass = hourglass.triangles().unwrap();
    assert!(mesh(&hourglass).is_closed());
    assert_near(volume(&hourglass), 2.0 * 4.0 / 3.0);
}

#[test]
fn a_bent_pipe_is_closed() {
    let mut pipe = straight(&[], [0.0; 3]);
    pipe.cross_section = round(12, |_| 0.25);
    pipe.spine =
        [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [2.0, 2.0, 0.0], [2.0, 2.0, 2.0], [2.0, 4.0, 2.0]]
            .map(DVec3::from)
            .to_vec();
    let solid = pipe.triangles().unwrap();
    assert!(mesh(&solid).is_closed());
    assert!(volume(&solid) > 0.0);
    let inside = [DVec3::new(0.0, 0.5, 0.0), DVec3::new(1.0, 2.0, 0.0), DVec3::new(2.0, 2.0, 1.0)];
    assert_contains(&solid, &inside, &[DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 2.0, 1.0)]);
}

#[test]
fn a_ring_is_closed_without_caps_and_has_the_volume_of_its_wedges() {
    let (steps, sides) = (40, 8);
    let mut ring = straight(&[], [0.0; 3]);
    ring.cross_section = round(sides, |_| 0.5);
    let around = round(steps, |_| 3.0);
    ring.spine = around.iter().map(|point| DVec3::new(point.x, 0.0, point.y)).collect();
    [ring.begin_cap, ring.end_cap] = [false, false];
    let solid = ring.triangles().unwrap();
    assert!(mesh(&solid).is_closed());
    // Each wedge between two planes through the axis has its section's area times the way of its
    // middle, which is that of a chord: the section stays symmetric about it.
    let angle = TAU / f64::from(steps);
    let expected = polygon_area(sides.into(), 0.5) * 3.0 * libm::sin(angle) * f64::from(steps);
    assert!((volume(&solid) - expected).abs() < 2e-3 * expected, "{} {expected}", volume(&solid));
    assert_contains(&solid, &[DVec3::new(3.0, 0.1, 0.0)], &[DVec3::ZERO, 2.0 * DVec3::X]);
    // With caps, as the specification has it, the two of them stand back to back inside.
    [ring.begin_cap, ring.end_cap] = [true, true];
    let with_caps = ring.triangles().unwrap();
    assert_eq!(with_caps.triangles.len(), solid.triangles.len() + 2 * (sides as usize - 2));
    assert_near(volume(&with_caps), volume(&solid));
}

#[test]
fn a_helix_with_a_round_section_has_the_volume_of_a_straight_rod() {
    let (steps, radius, turns) = (600, 2.0, 3.0);
    let at = |n: u32| {
        let angle = turns * TAU * f64::from(n) / f64::from(steps);
        DVec3::new(radius * libm::cos(angle), 0.25 * angle, radius * libm::sin(angle))
    };
    let mut helix = straight(&[], [0.0; 3]);
    helix.cross_section = round(32, |_| 0.3);
    helix.spine = (0..=steps).map(at).collect();
    let solid = helix.triangles().unwrap();
    assert!(mesh(&solid).is_closed());
    // The second theorem of Pappus, for a section at right angles to its way.
    let length = turns * TAU * DVec2::new(radius, 0.25).length();
    let expected = polygon_area(32.0, 0.3) * length;
    assert!((volume(&solid) - expected).abs() < 1e-3 * expected, "{} {expected}", volume(&solid));
    let inside: Vec<DVec3> = (1..6).map(|n| at(100 * n)).collect();
    assert_contains(&solid, &inside, &[DVec3::ZERO, 2.0 * DVec3::Y]);
}

#[test]
fn twisted_and_concave_sections_stay_closed() {
    let star = |n: u32| if n.is_multiple_of(2) { 2.0 } else { 0.8 };
    let mut screw = straight(&[], [0.0; 3]);
    screw.cross_section = round(14, star);
    screw.spine = (0..=240).map(|n| 0.025 * f64::from(n) * DVec3::Y).collect();
    screw.orientation = (0..=240).map(|n| [0.0, 2.0, 0.0, TAU * f64::from(n) / 480.0]).collect();
    let solid = screw.triangles().unwrap();
    assert!(mesh(&solid).is_closed());
    // Twice the area of a triangle between the centre and neighbouring corners is r1 · r2 · sin of
    // the angle. Twisted sides are split one way, which changes the volume by little.
    let expected = 6.0 * 14.0 * 0.5 * 2.0 * 0.8 * libm::sin(TAU / 14.0);
    assert!((volume(&solid) - expected).abs() < 0.01 * expected, "{} {expected}", volume(&solid));
    let between = DVec3::new(1.8 * libm::cos(PI / 14.0), 0.05, 1.8 * libm::sin(PI / 14.0));
    assert_contains(&solid, &[DVec3::new(0.1, 3.0, 0.2)], &[2.5 * DVec3::X, 4.0 * between]);
    // An orientation turns about the plane's own axes: a quarter turn about its y takes x to −z.
    let mut quarter = straight(&L, [0.0, 2.0, 0.0]);
    quarter.orientation = vec![[0.0, 1.0, 0.0, PI / 2.0]];
    quarter.scale = vec![DVec2::new(2.0, 1.0)];
    let corner = quarter.triangles().unwrap().vertices[4];
    assert!((corner - DVec3::new(1.0, 0.0, -6.0)).length() < 1e-12, "{corner}");
}

#[test]
fn random_spines_and_sections_make_closed_solids() {
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let count = rng.u32(3..20);
        let radii: Vec<f64> = (0..count).map(|_| 0.2 + rng.f64()).collect();
        let mut random = straight(&[], [0.0; 3]);
        random.cross_section = round(count, |n| radii[n as usize]);
        // Lattice points make straight stretches and coincident points.
        let mut at = DVec3::ZERO;
        random.spine = (0..rng.usize(2..30))
            .map(|_| {
                at += DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(-1..=1))));
                at
            })
            .collect();
        random.scale = random.spine.iter().map(|_| DVec2::splat(0.5 + rng.f64())).collect();
        random.orientation = random.spine.iter().map(|_| [0.3, 1.0, 0.1, rng.f64()]).collect();
        if random.spine.first() == random.spine.last() {
            random.spine.push(at + DVec3::splat(0.5));
        }
        assert!(mesh(&random.triangles().unwrap()).is_closed(), "{seed}");
    }
}

#[test]
fn a_missing_entry_is_that_of_the_last_and_further_ones_are_nobodys() {
    let with = |scale: &[[f64; 2]]| {
        let mut extrusion = straight(&SQUARE, [0.0, 1.0, 0.0]);
        extrusion.spine.push(2.0 * DVec3::Y);
        extrusion.scale = scale.iter().copied().map(DVec2::from).collect();
        volume(&extrusion.triangles().unwrap())
    };
    assert_eq!(with(&[]), 8.0);
    assert_eq!(with(&[[2.0, 2.0]]), 32.0);
    assert_eq!(with(&[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [9.0, 9.0]]), 8.0);
    assert_near(with(&[[1.0, 1.0], [2.0, 2.0]]), (4.0 + 16.0 + 8.0) / 3.0 + 16.0);
    let mut unturned = straight(&SQUARE, [0.0, 1.0, 0.0]);
    for orientation in [vec![], vec![[0.0, 0.0, 0.0, 1.0]]] {
        unturned.orientation = orientation;
        assert_eq!(volume(&unturned.triangles().unwrap()), 4.0);
    }
}

#[test]
fn coincident_points_and_touching_sections_do_no_harm() {
    let mut doubled = straight(&SQUARE, [0.0, 1.0, 0.0]);
    doubled.cross_section = doubled.cross_section.iter().flat_map(|&point| [point; 3]).collect();
    doubled.spine = doubled.spine.iter().flat_map(|&point| [point; 2]).collect();
    let doubled = doubled.triangles().unwrap();
    assert!(mesh(&doubled).is_closed());
    assert_eq!((volume(&doubled), doubled.triangles.len()), (4.0, 12));
    // Two squares that touch in a corner.
    let eight: [[f64; 2]; 9] = [
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, -1.0],
        [0.0, -1.0],
        [0.0, 0.0],
        [-1.0, 0.0],
        [-1.0, 1.0],
        [0.0, 1.0],
        [0.0, 0.0],
    ];
    let eight = straight(&eight, [0.0, 1.0, 0.0]).triangles().unwrap();
    assert_near(volume(&eight), 2.0);
    let inside = [DVec3::new(0.5, 0.4, -0.6), DVec3::new(-0.4, 0.7, 0.3)];
    assert_contains(&eight, &inside, &[DVec3::new(0.5, 0.4, 0.5), DVec3::new(-0.5, 0.4, -0.5)]);
}

#[test]
fn a_single_cross_section_is_its_cap() {
    let mut flat = straight(&SQUARE, [0.0; 3]);
    flat.spine.truncate(1);
    assert_eq!(area(&flat.triangles().unwrap()), 4.0 * DVec3::Y);
    flat.end_cap = false;
    assert_eq!(area(&flat.triangles().unwrap()), -4.0 * DVec3::Y);
    flat.begin_cap = false;
    assert_eq!(flat.triangles().unwrap_err(), "has no triangle with an area");
}

#[test]
fn extrusions_that_cannot_be_are_refused() {
    let refused = |extrusion: Extrusion| extrusion.triangles().unwrap_err();
    let mut none = straight(&SQUARE, [0.0, 1.0, 0.0]);
    none.spine.clear();
    assert!(refused(none).contains("spine without points"));
    for section in [&[][..], &[[1.0, 2.0]], &[[1.0, 2.0], [1.0, 2.0]]] {
        assert!(refused(straight(section, [0.0, 1.0, 0.0])).contains("two different points"));
    }
    let mut large = straight(&[], [0.0; 3]);
    large.cross_section = round(1000, |_| 1.0);
    large.spine = (0..1000).map(|n| f64::from(n) * DVec3::Y).collect();
    assert!(refused(large).contains("1000000 vertices: at most 262144 are allowed"));
}

#[test]
fn a_step_in_the_scale_at_one_place_is_entered_as_often_as_left() {
    // Two rings lie in one plane, with two sides of the L on the same lines, so that triangles
    // between them are collinear.
    let step = Extrusion {
        cross_section: vec![
            DVec2::new(0.0, 0.0),
            DVec2::new(0.0, 2.0),
            DVec2::new(0.5, 2.0),
            DVec2::new(0.5, 0.5),
            DVec2::new(2.0, 0.5),
            DVec2::new(2.0, 0.0),
            DVec2::new(0.0, 0.0),
        ],
        spine: vec![DVec3::ZERO, DVec3::new(0.0, 0.0, 3.0), DVec3::new(0.0, 0.0, 3.0)],
        scale: vec![DVec2::ONE, DVec2::ONE, DVec2::splat(0.1)],
        ..straight(&SQUARE, [0.0, 0.0, 1.0])
    };
    let triangles = step.triangles().unwrap();
    assert!(mesh(&triangles).is_closed());
    assert!((volume(&triangles) - 3.0 * 1.75).abs() < 1e-12);
    let has_area = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a) != DVec3::ZERO;
    assert!(corners(&triangles).iter().all(has_area));
    let mut scene = raytwin::Scene::new();
    scene.add(mesh(&triangles)).unwrap();
    let tracer = raytwin::CpuTracer::new(&raytwin::PackedScene::new(scene).unwrap());
    let mut rng = Rng::with_seed(3);
    let rays: Vec<raytwin::Ray> = (0..20_000)
        .map(|number| {
            let away = DVec3::from_array([(); 3].map(|()| 8.0 * rng.f64() - 4.0)).as_vec3();
            let origin = away + 9.0 * away.normalize();
            let aim = triangles.vertices[number % triangles.vertices.len()].as_vec3();
            raytwin::Ray::new(origin.to_array(), (aim - origin).to_array())
        })
        .collect();
    let counts = raytwin::Tracer::count(&tracer, raytwin::Batch::new(&rays)).unwrap();
    assert!(counts.iter().all(|count| count % 2 == 0));
}
