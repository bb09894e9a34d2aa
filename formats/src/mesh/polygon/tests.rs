use super::*;
use raytwin::geometry::Mesh;
use std::f64::consts::TAU;

/// The triangles of a polygon whose corners are all the vertices.
fn cut(vertices: Vec<DVec3>) -> Result<Triangles, String> {
    let corners: Vec<u32> = (0..vertices.len() as u32).collect();
    let mut mesh = Triangles { vertices, triangles: Vec::new() };
    mesh.add_polygon(&corners).map(|()| mesh)
}

/// Asserts that every edge of the polygon lies in one triangle, and every other edge in two, once
/// in each direction.
fn assert_has_the_polygons_edges(mesh: &Triangles, name: &str) {
    let count = mesh.vertices.len() as u32;
    assert_eq!(mesh.triangles.len() as u32, count - 2, "{name}");
    let mut edges: Vec<[u32; 2]> =
        mesh.triangles.iter().flat_map(sides).map(|[from, to, _]| [from, to]).collect();
    edges.extend((0..count).map(|corner| [(corner + 1) % count, corner]));
    let mut reversed: Vec<[u32; 2]> = edges.iter().map(|&[from, to]| [to, from]).collect();
    edges.sort_unstable();
    reversed.sort_unstable();
    assert_eq!(edges, reversed, "{name}");
    assert!(edges.windows(2).all(|pair| pair[0] != pair[1]), "{name}: {:?}", mesh.triangles);
}

/// Twice the area vector of each triangle.
fn areas(mesh: &Triangles) -> Vec<DVec3> {
    let area = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| mesh.vertices[corner as usize]);
        (b - a).cross(c - a)
    };
    mesh.triangles.iter().map(area).collect()
}

/// Asserts that no triangle is turned over, so that none covers what is outside the polygon.
fn assert_covers(mesh: &Triangles, name: &str) {
    let whole: DVec3 = areas(mesh).into_iter().sum();
    let turned = |area: &DVec3| area.dot(whole) < -1e-12 * whole.length_squared();
    assert!(!areas(mesh).iter().any(turned), "{name}: {:?}", mesh.triangles);
}

/// Checks the polygon from each starting corner, in both orientations, and in several planes.
fn in_every_way(outline: &[[f64; 2]], check: impl Fn(Vec<DVec3>)) {
    let planes: [fn(f64, f64) -> DVec3; 5] = [
        |x, y| DVec3::new(x, y, 7.0),
        |x, y| DVec3::new(7.0, x, y),
        |x, y| DVec3::new(y, 7.0, x),
        |x, y| DVec3::new(x, y, x + y),
        |x, y| DVec3::new(x - 2.0 * y, x, 2.0 * y - 1e6),
    ];
    for start in 0..outline.len() {
        let mut outline = outline.to_vec();
        outline.rotate_left(start);
        for plane in planes {
            let mut corners: Vec<DVec3> = outline.iter().map(|&[x, y]| plane(x, y)).collect();
            check(corners.clone());
            corners.reverse();
            check(corners);
        }
    }
}

const ARROW: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 2.0], [0.0, 4.0], [1.0, 2.0]];
const L: [[f64; 2]; 6] = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];

/// Concave polygons that do not cross themselves.
fn simple() -> Vec<(&'static str, Vec<[f64; 2]>)> {
    let tooth = |corner| [f64::from(corner), if corner % 2 == 0 { 1.0 } else { 9.0 }];
    let comb = [[0.0, 0.0], [20.0, 0.0]].into_iter().chain((0..=20).rev().map(tooth));
    let spiral = |way: f64| {
        let at = move |corner: u32| {
            let angle = TAU * f64::from(corner) / 16.0;
            [(angle + way) * angle.cos(), (angle + way) * angle.sin()]
        };
        (1..60).map(at)
    };
    vec![
        ("arrow", ARROW.to_vec()),
        ("L", L.to_vec()),
        ("comb", comb.collect()),
        ("spiral", spiral(0.0).chain(spiral(2.0).rev()).collect()),
        (
            "L with corners on its edges",
            L.iter()
                .zip(L.iter().cycle().skip(1))
                .flat_map(|(a, b)| {
                    [0.0, 0.25, 0.5]
                        .map(|part| [0, 1].map(|axis| a[axis] + part * (b[axis] - a[axis])))
                })
                .collect(),
        ),
        ("L with corners that stand twice", L.iter().flat_map(|&corner| [corner; 2]).collect()),
        (
            "square with a square hole and a bridge to it",
            vec![
                [0.0, 0.0],
                [4.0, 0.0],
                [4.0, 4.0],
                [0.0, 4.0],
                [0.0, 0.0],
                [1.0, 1.0],
                [1.0, 3.0],
                [3.0, 3.0],
                [3.0, 1.0],
                [1.0, 1.0],
            ],
        ),
    ]
}

#[test]
fn a_concave_polygon_is_covered_and_nothing_beside_it() {
    for (name, outline) in simple() {
        in_every_way(&outline, |corners| {
            let mesh = cut(corners).unwrap();
            assert_has_the_polygons_edges(&mesh, name);
            assert_covers(&mesh, name);
        });
    }
    let mut random = fastrand::Rng::with_seed(1);
    for count in 4..200 {
        let corner = |at| {
            let (sin, cos) = (TAU * f64::from(at) / f64::from(count)).sin_cos();
            let radius = 1.0 + 9.0 * random.f64();
            DVec3::new(radius * cos, radius * sin, radius * (cos - sin))
        };
        let mesh = cut((0..count).map(corner).collect()).unwrap();
        assert_has_the_polygons_edges(&mesh, "star");
        assert_covers(&mesh, "star");
    }
}

#[test]
fn corners_that_stand_twice_hide_no_others() {
    let comb = [
        [0.0, 0.0],
        [0.0, 0.0],
        [5.0, 0.0],
        [5.0, 5.0],
        [5.0, 5.0],
        [3.0, 1.0],
        [2.0, 5.0],
        [2.0, 1.0],
        [1.0, 1.0],
    ];
    let spike =
        [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 4.0], [2.0, 6.0], [2.0, 4.0], [0.0, 4.0]];
    for (name, outline) in [("a comb", &comb[..]), ("a spike", &spike[..])] {
        in_every_way(outline, |corners| {
            let mesh = cut(corners).unwrap();
            assert_has_the_polygons_edges(&mesh, name);
            assert_covers(&mesh, name);
        });
    }
    let mut random = fastrand::Rng::with_seed(2);
    for prongs in (2..9).cycle().take(700) {
        let mut outline = vec![[0.0, 0.0], [f64::from(2 * prongs), 0.0]];
        for prong in (0..prongs).rev() {
            let [right, left] = [2 * prong + 2, 2 * prong + 1].map(f64::from);
            let top = f64::from(random.u8(2..6));
            outline.extend([[right, 1.0], [right, top], [left, top], [left, 1.0]]);
        }
        let stands = |corner: [f64; 2]| std::iter::repeat_n(corner, random.usize(1..4));
        let corners = outline.into_iter().flat_map(stands);
        let mesh = cut(corners.map(|[x, y]| DVec3::new(x, y, x - y)).collect()).unwrap();
        assert_has_the_polygons_edges(&mesh, "prongs");
        assert_covers(&mesh, "prongs");
    }
}

#[test]
fn a_polygon_that_has_no_inside_keeps_its_edges() {
    let line = |at: &[f64]| at.iter().map(|&x| [x, 2.0 * x]).collect();
    let pentagram = |corner| {
        let angle = TAU * f64::from(2 * corner) / 5.0;
        [angle.cos(), angle.sin()]
    };
    let mut random = fastrand::Rng::with_seed(2);
    let scribble = (0..50).map(|_| [random.f64(), random.f64()]).collect();
    for (name, outline) in [
        ("bow", vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
        ("uneven bow", vec![[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]]),
        ("pentagram", (0..5).map(pentagram).collect()),
        ("scribble", scribble),
        ("line", line(&[0.0, 1.0, 2.0, 3.0, 4.0])),
        ("line there and back", line(&[0.0, 2.0, 1.0, 3.0])),
        ("spike", vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [5.0, 1.0], [1.0, 1.0], [0.0, 1.0]]),
        ("point", vec![[1.0, 1.0]; 5]),
    ] {
        in_every_way(&outline, |corners| {
            assert_has_the_polygons_edges(&cut(corners).unwrap(), name);
        });
    }
    let twisted =
        |corner| DVec3::new(f64::from(corner % 3), f64::from(corner % 5), f64::from(corner));
    assert_has_the_polygons_edges(&cut((0..15).map(twisted).collect()).unwrap(), "twisted");
    let endless = [DVec3::MAX, DVec3::MIN, DVec3::ZERO, DVec3::X, DVec3::MAX];
    assert_has_the_polygons_edges(&cut(endless.to_vec()).unwrap(), "endless");
}

#[test]
fn what_a_fan_covers_is_a_fan() {
    let ring = |count: u32| {
        let corner = move |at| {
            let (sin, cos) = (TAU * f64::from(at) / f64::from(count)).sin_cos();
            DVec3::new(cos, sin, 2.0 * cos)
        };
        (0..count).map(corner).collect::<Vec<_>>()
    };
    let outline = |corners: &[[f64; 2]]| -> Vec<DVec3> {
        corners.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).collect()
    };
    let mut from_its_notch = ARROW;
    from_its_notch.rotate_left(3);
    let mut polygons: Vec<Vec<DVec3>> = (3..100).map(ring).collect();
    polygons.extend([
        ring(MAX_CORNERS as u32 + 1),
        outline(&from_its_notch),
        outline(&[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        outline(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 1.0]]),
        // This one is not flat.
        vec![DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y],
    ]);
    for corners in polygons {
        let count = corners.len();
        assert_eq!(cut(corners).unwrap().triangles, fan(count));
    }
    for corners in [&[][..], &[0], &[0, 0]] {
        let mut mesh = Triangles { vertices: vec![DVec3::X], triangles: Vec::new() };
        mesh.add_polygon(corners).unwrap();
        assert!(mesh.triangles.is_empty());
    }
}

#[test]
fn a_concave_polygon_that_would_take_too_long_is_refused() {
    let count = MAX_CORNERS as u32 + 1;
    let corner = |at| DVec3::new(f64::from(at % 2), f64::from(at), 0.0);
    let reason = cut((0..count).map(corner).collect()).unwrap_err();
    assert!(reason.contains("of 65537 corners: at most 65536 are allowed"), "{reason}");
}

#[test]
fn a_prism_over_a_concave_polygon_is_closed() {
    for (name, outline) in simple() {
        let count = outline.len() as u32;
        let level = |z| outline.iter().map(move |&[x, y]| DVec3::new(x, y, z));
        let vertices = level(0.0).chain(level(1.0)).collect();
        let mut mesh = Triangles { vertices, triangles: Vec::new() };
        mesh.add_polygon(&(0..count).rev().collect::<Vec<_>>()).unwrap();
        mesh.add_polygon(&(count..2 * count).collect::<Vec<_>>()).unwrap();
        for at in 0..count {
            let next = (at + 1) % count;
            mesh.add_polygon(&[at, next, next + count, at + count]).unwrap();
        }
        // Every vertex gets a position of its own, because repeated corners would merge and their
        // sides have no area.
        let apart = (0..2 * count).map(|at| DVec3::splat(f64::from(at))).collect();
        assert!(Mesh::new(apart, mesh.triangles).unwrap().is_closed(), "{name}");
    }
}

#[test]
fn an_outline_that_is_repeated_takes_no_longer_than_a_fan() {
    // Ear clipping of these 20,000 corners would search for minutes.
    let dart = [[0.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0]].map(DVec2::from_array);
    let outline: Vec<DVec2> = dart.into_iter().cycle().take(20_000).collect();
    assert_eq!(ears(&outline), None);
    // So would it of a walk that takes each of the ways between 149 places once.
    let place =
        |number: usize| DVec2::new((number * 37 % 149) as f64, (number * number % 149) as f64);
    let walk = (1..149).flat_map(|step| (0..149).map(move |turn| place(turn * step % 149)));
    let walk: Vec<DVec2> = walk.collect();
    assert_eq!(ears(&walk), None);
    assert!(ears(&dart).is_some());
}
