use super::*;
use glam::DVec3;
use raytwin::Heightfield;
use raytwin::geometry::Geometry;
use raytwin::packed::PackedScene;
use raytwin::ray::Ray;
use raytwin::shapes::{Cylinder, Plane, Sphere};

/// Returns a scene of spheres along x: unit spheres at 10, 20 and 20 again, a slightly smaller one
/// at 20, and behind them one to which the x axis is a tangent.
fn scene() -> Scene {
    let mut scene = Scene::new();
    let spheres = [
        (10.0, 0.0, 1.0),
        (20.0, 0.0, 1.0),
        (20.0, 0.0, 1.0),
        (20.0, 0.0, 0.999_999_9),
        (30.0, 1.0, 1.0),
    ];
    for (x, y, radius) in spheres {
        scene.add(Sphere { center: DVec3::new(x, y, 0.0), radius }).unwrap();
    }
    scene
}

fn judged(judge: &Judge, ray: &Ray, hit: &Hit) -> Class {
    let answers = Answers::Closest(Hits::of(&[*hit]));
    judge.judge(Batch::new(&[*ray]), &answers).unwrap()[0].class
}

fn class(ray: Ray, t: f32, geometry_id: u32) -> Class {
    let scene = scene();
    let packed = PackedScene::new(scene).unwrap();
    let judge = Judge::new(&packed);
    let primitive_id = if geometry_id == NONE { NONE } else { 0 };
    judged(&judge, &ray, &Hit { t, geometry_id, primitive_id })
}

fn along_x() -> Ray {
    Ray::new([0.0; 3], [1.0, 0.0, 0.0])
}

#[test]
fn right_answers_are_exact_or_within() {
    assert_eq!(class(along_x(), 9.0, 0), Class::Exact);
    assert_eq!(class(along_x(), 9.0_f32.next_up(), 0), Class::Within);
    assert_eq!(class(along_x().within(12.0, 15.0), f32::INFINITY, NONE), Class::Exact);
    assert_eq!(class(along_x().within(2.0, 1.0), f32::NAN, NONE), Class::Exact);
}

#[test]
fn wrong_answers_are_mismatches() {
    let far = f32::INFINITY;
    for (t, id) in [
        (9.001, 0),  // beyond the bound
        (11.0, 0),   // the far side
        (19.0, 1),   // the sphere behind
        (9.0, 1),    // the distance of another sphere
        (far, NONE), // a miss
        (f32::NAN, NONE),
        (9.0, NONE), // a distance without a geometry
        (9.0, 7),    // no such geometry
        (30.0, 4),   // a tangent sphere behind, whose bound is infinite
        (15.0, 4),   // nowhere near it
    ] {
        assert_eq!(class(along_x(), t, id), Class::Mismatch, "{t} {id}");
    }
    let short = along_x().within(0.0, 5.0);
    assert_eq!(class(short, 9.0, 0), Class::Mismatch, "beyond t_max");
    assert_eq!(class(along_x().within(2.0, 1.0), 9.0, 0), Class::Mismatch, "an invalid ray");
}

#[test]
fn what_is_thinner_than_the_doubt_may_be_missed_and_what_is_thicker_may_not() {
    // δ is 16 u times 100: about 1e-4.
    let verdict = |thickness: f64| {
        let mut scene = Scene::new();
        let ends = [-1.0, 1.0].map(|x| DVec3::new(x, 0.0, 100.0));
        scene.add(raytwin::shapes::Cylinder::solid(ends[0], ends[1], thickness)).unwrap();
        let packed = PackedScene::new(scene.clone()).unwrap();
        let judge = Judge::new(&packed);
        judged(&judge, &Ray::new([0.25, 0.0, 0.0], [0.0, 0.0, 1.0]), &Hit::MISS)
    };
    assert_eq!(verdict(5e-5), Class::Silhouette);
    assert_eq!(verdict(2e-4), Class::Mismatch);
}

#[test]
fn a_hole_between_two_triangles_is_a_mismatch_and_one_beside_an_outline_is_not() {
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let vertices = corners.map(|[x, y]| DVec3::new(x, y, 100.0)).to_vec();
    let sheet = raytwin::Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let mut scene = Scene::new();
    scene.add(sheet).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let judge = Judge::new(&packed);
    let missed = |x: f32, y: f32| {
        let ray = Ray::new([x, y, 0.0], [0.0, 0.0, 1.0]);
        judged(&judge, &ray, &Hit::MISS)
    };
    // δ is about 1e-4.
    assert_eq!(missed(0.5, 0.5), Class::Mismatch, "on the edge between both");
    assert_eq!(missed(0.5, 0.500_05), Class::Mismatch, "beside it");
    assert_eq!(missed(0.5, 0.25), Class::Mismatch, "well inside of one");
    assert_eq!(missed(0.5, 0.000_05), Class::Silhouette, "beside the border");
    assert_eq!(missed(0.000_05, 0.000_05), Class::Silhouette, "beside a corner");
}

#[test]
fn the_same_triangle_of_a_heightfield_and_of_a_mesh_is_a_tie() {
    use glam::DQuat;
    let mut scene = Scene::new();
    let field = raytwin::Heightfield::new(vec![0.0; 4], 2, [2.0; 2], DVec3::ZERO, DQuat::IDENTITY);
    scene.add(field.unwrap()).unwrap();
    let triangle = *scene.primitive(0, 0).unwrap().shape().unwrap();
    scene.add(triangle).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let judge = Judge::new(&packed);
    let ray = Ray::new([0.5, 0.25, 3.0], [0.0, 0.0, -1.0]);
    let claim = |t: f32, geometry_id| Hit { t, geometry_id, primitive_id: 0 };
    assert_eq!(judged(&judge, &ray, &claim(3.0, 0)), Class::Exact);
    assert_eq!(judged(&judge, &ray, &claim(3.0_f32.next_down(), 1)), Class::Tie);
}

#[test]
fn doubts_are_told_apart() {
    let behind = along_x().within(15.0, 100.0);
    assert_eq!(class(behind, 19.0, 1), Class::Exact);
    assert_eq!(class(behind, 19.0, 2), Class::Mismatch, "the same sphere, a higher id");
    assert_eq!(class(behind, 19.0, 3), Class::Tie);

    let miss = (f32::INFINITY, NONE);
    let grazing = Ray::new([0.0, 1.0 - 1e-7, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
    assert_eq!(class(grazing, miss.0, miss.1), Class::Silhouette);
    let outside = Ray::new([0.0, 1.0 + 2e-6, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
    assert_eq!(class(outside, 10.0, 0), Class::Silhouette);
    let clear = Ray::new([0.0, 1.001, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
    assert_eq!(class(clear, 10.0, 0), Class::Mismatch);

    assert_eq!(class(along_x().within(0.0, 9.0), miss.0, miss.1), Class::Range);
    assert_eq!(class(along_x().within(9.0, 15.0), 11.0, 0), Class::Range);
    assert_eq!(class(along_x().within(8.0, 15.0), 11.0, 0), Class::Mismatch);
}

fn packed_scene(geometries: impl IntoIterator<Item = Geometry>) -> PackedScene {
    let mut scene = Scene::new();
    for geometry in geometries {
        scene.add(geometry).unwrap();
    }
    PackedScene::new(scene).unwrap()
}

fn class_of(judge: &Judge, batch: Batch<'_>, answers: Answers) -> Class {
    judge.judge(batch, &answers).unwrap()[0].class
}

fn all_hits(hits: &[Hit]) -> Answers {
    let mut all = AllHits::default();
    all.push(hits.iter().copied());
    Answers::All(all)
}

/// One geometry of each form about the origin, through which a slanted line along z passes clearly.
fn clear_geometries() -> Vec<Geometry> {
    use glam::DQuat;
    use raytwin::shapes::*;
    let (start, end) = (DVec3::new(0.0, 0.0, -1.0), DVec3::new(0.0, 0.0, 1.0));
    let turn = DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9);
    let tube = Cylinder { start: -DVec3::X, end: DVec3::X, radius: 1.0, inner_radius: 0.5 };
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corners = [-1.0, 1.0].into_iter().flat_map(|z| corners.map(|[x, y]| DVec3::new(x, y, z)));
    let faces = [
        [0, 2, 1],
        [0, 3, 2],
        [4, 5, 6],
        [4, 6, 7],
        [0, 1, 5],
        [0, 5, 4],
        [1, 2, 6],
        [1, 6, 5],
        [2, 3, 7],
        [2, 7, 6],
        [3, 0, 4],
        [3, 4, 7],
    ];
    let cube = raytwin::Mesh::new(corners.collect(), faces.to_vec()).unwrap();
    let heights = vec![0.5, 0.7, 0.4, 0.6];
    let field = Heightfield::new(heights, 2, [2.0; 2], DVec3::ZERO, DQuat::IDENTITY).unwrap();
    let points = vec![start, end, 5.0 * DVec3::X, 6.0 * DVec3::X];
    let lines = raytwin::Lines::new(points, vec![[0, 1], [2, 3]], 0.4).unwrap();
    vec![
        Sphere { center: DVec3::ZERO, radius: 1.0 }.into(),
        Cuboid { center: DVec3::ZERO, half_extents: DVec3::ONE, rotation: turn }.into(),
        Cylinder::solid(start, end, 1.0).into(),
        tube.into(),
        Capsule { start, end, radius: 1.0 }.into(),
        Cone { start, end, start_radius: 1.0, end_radius: 0.5 }.into(),
        Ellipsoid { center: DVec3::ZERO, radii: DVec3::new(1.0, 2.0, 0.7), rotation: turn }.into(),
        Torus { center: DVec3::ZERO, axis: DVec3::Y, major_radius: 1.0, minor_radius: 0.5 }.into(),
        Plane { point: DVec3::ZERO, normal: DVec3::Z, rectangle: None, one_sided: false }.into(),
        Disc { center: DVec3::ZERO, normal: DVec3::Z, radius: 1.0, inner_radius: 0.0 }.into(),
        Triangle { vertices: [-DVec3::ONE, DVec3::X, DVec3::Y] }.into(),
        Shell {
            whole: CappedSolid::Cylinder(Cylinder::solid(start, end, 1.0)),
            parts: Parts { side: true, start_cap: true, end_cap: false },
        }
        .into(),
        cube.into(),
        field.into(),
        lines.into(),
    ]
}

/// Returns scenes with one of those geometries each, in world space and sheared at a place.
fn clear_scenes() -> Vec<PackedScene> {
    let placed = |geometry: &Geometry| {
        let mut object = Scene::new();
        object.add(geometry.clone()).unwrap();
        let sheared = raytwin::Affine {
            linear: glam::DMat3::from_cols_array(&[1.0, 0.25, 0.0, 0.0, 1.5, 0.0, 0.125, 0.0, 1.0]),
            translation: DVec3::new(0.0625, 0.0, 0.5),
        };
        let mut scene = Scene::new();
        scene.add_instance(&raytwin::Definition::new(object), &sheared.into(), None, None).unwrap();
        PackedScene::new(scene).unwrap()
    };
    let geometries = clear_geometries();
    let own = geometries.iter().map(|geometry| packed_scene([geometry.clone()]));
    own.chain(geometries.iter().map(placed)).collect()
}

#[test]
fn a_crossing_that_is_doubled_missing_moved_or_swapped_is_a_mismatch_for_every_shape() {
    let ray = Ray::new([0.03, 0.09, -9.0], [0.001, -0.002, 1.0]);
    let batch = Batch::new(std::slice::from_ref(&ray));
    for (index, packed) in clear_scenes().iter().enumerate() {
        let judge = Judge::new(packed);
        let exact: Vec<Hit> = judge.reference.all(batch).unwrap().of_ray(0).collect();
        let class = |hits: &[Hit]| class_of(&judge, batch, all_hits(hits));
        let label = format!("scene {index}: {exact:?}");
        assert!(!exact.is_empty(), "{label}");
        assert_eq!(class(&exact), Class::Exact);
        for turn in 0..exact.len() {
            let changed = |change: &dyn Fn(&mut Vec<Hit>)| {
                let mut hits = exact.clone();
                change(&mut hits);
                class(&hits)
            };
            let expect = |class: Class, expected: Class, what: &str| {
                assert_eq!(class, expected, "{what} {turn}, {label}");
            };
            expect(changed(&|hits| hits[turn].t = hits[turn].t.next_up()), Class::Within, "nudged");
            let wrong = Class::Mismatch;
            expect(changed(&|hits| hits.insert(turn, exact[turn])), wrong, "doubled");
            expect(changed(&|hits| _ = hits.remove(turn)), wrong, "missing");
            expect(changed(&|hits| hits[turn].t *= 1.001), wrong, "moved");
            expect(changed(&|hits| hits[turn].geometry_id = 1), wrong, "of no geometry");
            expect(changed(&|hits| hits[turn].primitive_id += 50), wrong, "of no primitive");
            if turn > 0 {
                expect(changed(&|hits| hits.swap(turn, turn - 1)), wrong, "swapped");
                expect(changed(&|hits| hits[turn] = exact[turn - 1]), wrong, "on the wrong side");
            }
        }
        let count = exact.len() as u32;
        for given in [0, count - 1, count + 1, count + 2] {
            let given = class_of(&judge, batch, Answers::Count(vec![given]));
            assert_eq!(given, Class::Mismatch, "{label}");
        }
        assert_eq!(class_of(&judge, batch, Answers::Count(vec![count])), Class::Exact);
        let missed = class_of(&judge, batch, Answers::Any(vec![false]));
        assert_eq!(missed, Class::Mismatch, "{label}");
        let behind = *exact.last().unwrap();
        let first = judged(&judge, &ray, &exact[0]);
        assert_eq!(first, Class::Exact, "{label}");
        for wrong in [Hit::MISS, Hit { t: exact[0].t * 1.001, ..exact[0] }, behind] {
            if wrong != exact[0] {
                assert_eq!(judged(&judge, &ray, &wrong), Class::Mismatch, "{wrong:?} {label}");
            }
        }
    }
}

#[test]
fn a_hidden_geometry_is_no_answer_and_explains_none() {
    let mut scene = Scene::new();
    for x in [10.0, 20.0] {
        scene.add(Sphere { center: DVec3::X * x, radius: 1.0 }).unwrap();
    }
    scene.set_mask(0, 1);
    let packed = PackedScene::new(scene).unwrap();
    let judge = Judge::new(&packed);
    let rays = [along_x()];
    let first = Hit { t: 9.0, geometry_id: 0, primitive_id: 0 };
    let second = Hit { t: 19.0, geometry_id: 1, primitive_id: 0 };
    let behind = Hit { t: 21.0, geometry_id: 1, primitive_id: 0 };
    let masked = Batch::new(&rays).with_masks(&[2]).unwrap();
    let ignoring = Batch::new(&rays).ignoring(&[0]).unwrap();
    for batch in [masked, ignoring] {
        let class = |answers| class_of(&judge, batch, answers);
        assert_eq!(class(Answers::Closest(Hits::of(&[second]))), Class::Exact);
        assert_eq!(class(Answers::Closest(Hits::of(&[first]))), Class::Mismatch);
        assert_eq!(class(Answers::Closest(Hits::of(&[Hit::MISS]))), Class::Mismatch);
        assert_eq!(class(Answers::Count(vec![4])), Class::Mismatch);
        assert_eq!(class(all_hits(&[second, behind])), Class::Exact);
        assert_eq!(class(all_hits(&[first, second, behind])), Class::Mismatch);
    }
}

/// A tangent enters and leaves, or does neither.
#[test]
fn a_grazed_solid_is_crossed_twice_or_not_at_all() {
    let packed = packed_scene([Sphere { center: DVec3::X * 10.0, radius: 1.0 }.into()]);
    let judge = Judge::new(&packed);
    let rays = [Ray::new([0.0, 1.0 - 1e-7, 0.0], [1.0, 0.0, 0.0])];
    let batch = Batch::new(&rays);
    let exact: Vec<Hit> = judge.reference.all(batch).unwrap().of_ray(0).collect();
    assert_eq!(exact.len(), 2);
    let class = |answers| class_of(&judge, batch, answers);
    assert_eq!(class(all_hits(&[])), Class::Silhouette);
    assert_eq!(class(all_hits(&exact[..1])), Class::Mismatch);
    assert_eq!(class(Answers::Count(vec![0])), Class::Silhouette);
    assert_eq!(class(Answers::Count(vec![1])), Class::Mismatch);
    assert_eq!(class(Answers::Any(vec![false])), Class::Silhouette);
    let cut = [rays[0].within(0.0, 10.0)];
    assert_eq!(class_of(&judge, Batch::new(&cut), Answers::Count(vec![0])), Class::Range);
    assert_eq!(class_of(&judge, Batch::new(&cut), Answers::Count(vec![3])), Class::Mismatch);
}

/// A GPU whose quotients are off by two ulps found the mouth of the hole after its wall.
#[test]
fn beside_the_rim_of_a_hole_a_cap_may_be_crossed_besides_its_wall() {
    let end = DVec3::new(1002.0374, 694.58014, -402.45346);
    let tube = Cylinder {
        start: end - DVec3::Z * 1.303_284,
        end,
        radius: 0.697_705_63,
        inner_radius: 0.089_254_953,
    };
    let judge = Judge::new(&packed_scene([tube.into()]));
    let ray =
        Ray::new([175_576.19, -13_988.269, 66_557.37], [-5.994_842, 0.504_205_2, -2.299_388_2]);
    let rays = [ray];
    let class = |count| class_of(&judge, Batch::new(&rays), Answers::Count(vec![count]));
    assert_eq!([2, 3, 4].map(class), [Class::Exact, Class::Mismatch, Class::Silhouette]);
    // From near by nothing is in doubt.
    let near =
        ray.origin.iter().zip(ray.direction).map(|(&origin, along)| origin + 29_120.0 * along);
    let near: Vec<f32> = near.collect();
    let rays = [Ray::new([near[0], near[1], near[2]], ray.direction)];
    let class = |count| class_of(&judge, Batch::new(&rays), Answers::Count(vec![count]));
    assert_eq!([2, 3, 4].map(class), [Class::Exact, Class::Mismatch, Class::Mismatch]);
}

/// A plane that a ray meets at less than u is met much further away if it is tilted by u.
#[test]
fn the_bound_grows_with_the_distance_that_was_answered() {
    let normal = DVec3::new(1e-8, 1.0, 0.0);
    let plane = Plane { point: DVec3::ZERO, normal, rectangle: None, one_sided: false };
    let judge = Judge::new(&packed_scene([plane.into()]));
    let class = |direction, t| {
        judged(
            &judge,
            &Ray::new([0.0, -0.1, 0.0], direction),
            &Hit { t, geometry_id: 0, primitive_id: 0 },
        )
    };
    let nearly_along = [1.0, 0.0, 0.0];
    assert_eq!(class(nearly_along, 1e7), Class::Exact);
    assert_eq!(class(nearly_along, 1e9), Class::Within);
    assert_eq!(class(nearly_along, -1e9), Class::Mismatch);
    assert_eq!(class([1.0, 1e-3, 0.0], 100.0), Class::Within);
    assert_eq!(class([1.0, 1e-3, 0.0], 101.0), Class::Mismatch);
}

/// A ray through an edge or a vertex crosses one of the triangles there, and at an outline two of
/// them or none.
#[test]
fn an_edge_of_a_mesh_is_crossed_once_and_an_outline_twice_or_not_at_all() {
    let cube = clear_geometries().into_iter().find(|one| matches!(one, Geometry::Mesh(_))).unwrap();
    let packed = packed_scene([cube]);
    let judge = Judge::new(&packed);
    for (x, y) in [(0.0, 0.0), (0.25, 0.25), (0.5, 0.500_000_1)] {
        let rays = [Ray::new([x, y, -9.0], [0.0, 0.0, 1.0])];
        let batch = Batch::new(&rays);
        let exact: Vec<Hit> = judge.reference.all(batch).unwrap().of_ray(0).collect();
        assert_eq!(exact.len(), 2);
        let class = |hits: &[Hit]| class_of(&judge, batch, all_hits(hits));
        let beside = Hit { primitive_id: exact[0].primitive_id ^ 1, ..exact[0] };
        assert_eq!(class(&[beside, exact[1]]), Class::Tie);
        let (low, high) = if beside.primitive_id < exact[0].primitive_id {
            (beside, exact[0])
        } else {
            (exact[0], beside)
        };
        assert_eq!(class(&[low, high, exact[1]]), Class::Mismatch, "doubled");
        assert_eq!(class(&exact[1..]), Class::Mismatch, "missing");
        assert_eq!(class(&[]), Class::Mismatch, "missing twice");
        assert_eq!(class_of(&judge, batch, Answers::Count(vec![3])), Class::Mismatch);
        assert_eq!(class_of(&judge, batch, Answers::Any(vec![false])), Class::Mismatch);
    }
    let rays = [Ray::new([0.0, 1.0 - 1e-7, -9.0], [0.0, 0.0, 1.0])];
    let batch = Batch::new(&rays);
    let exact: Vec<Hit> = judge.reference.all(batch).unwrap().of_ray(0).collect();
    assert_eq!(exact.len(), 2);
    assert_eq!(class_of(&judge, batch, all_hits(&[])), Class::Silhouette);
    assert_eq!(class_of(&judge, batch, all_hits(&exact[1..])), Class::Mismatch, "parity");
    assert_eq!(class_of(&judge, batch, Answers::Count(vec![1])), Class::Mismatch, "parity");
    assert_eq!(class_of(&judge, batch, Answers::Count(vec![0])), Class::Silhouette);
}

/// From far away, sides and bottom of a heightfield fall into several parts of its surface, each of
/// them one primitive.
#[test]
fn the_exact_crossings_of_a_heightfield_are_among_those_that_its_displaced_surface_may_have() {
    let rng = &mut fastrand::Rng::with_seed(1);
    let mut judged = 0;
    for turn in 0..240 {
        let far = 3.0 + 0.05 * f64::from(turn % 60);
        let heights: Vec<f64> = (0..25).map(|_| 0.8 * rng.f64() - 0.4).collect();
        let field = Heightfield::new(heights, 5, [0.25; 2], DVec3::ZERO, glam::DQuat::IDENTITY);
        let packed = packed_scene([field.unwrap().with_base(-0.6).unwrap().into()]);
        let judge = Judge::new(&packed);
        let mut unit = || DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        let rays: Vec<Ray> = (0..40)
            .map(|_| {
                let origin = (10.0_f64.powf(far) * unit().normalize()).as_vec3();
                let corner = unit().signum() * DVec3::new(0.5, 0.5, 0.0) + 0.2 * unit() * DVec3::Z;
                Ray::new(origin, corner.as_vec3() - origin)
            })
            .collect();
        let batch = Batch::new(&rays);
        let crossings = judge.reference.all(batch).unwrap();
        for (index, asked) in rays.iter().enumerate() {
            let exact: Vec<Hit> = crossings.of_ray(index).collect();
            let ray = FilteredRay::of(batch, index).unwrap();
            let stretches = judge.stretches(&ray, &judge.near(&ray, 1.0), 1.0);
            let counts = judge.count_in(&ray, &exact, &stretches, 1.0).unwrap();
            let is_allowed = stretches.iter().zip(&counts).all(|(one, &count)| one.allows(count));
            assert!(is_allowed, "{asked}: {exact:?} in {stretches:?}");
            judged += exact.len();
        }
    }
    assert!(judged > 100);
}

#[test]
fn the_solid_in_which_a_ray_starts_is_the_lowest_unless_that_is_in_doubt() {
    let ball = |x: f64, radius: f64| Geometry::from(Sphere { center: DVec3::X * x, radius });
    let packed = packed_scene([ball(0.0, 1.0), ball(0.0, 2.0), ball(0.0, 3.0)]);
    let judge = Judge::new(&packed);
    let start = |x: f32, geometry_id: u32| {
        let rays = [Ray::new([x, 0.0, 0.0], [1.0, 0.0, 0.0])];
        let hit = Hit { t: 0.0, geometry_id, primitive_id: 0 };
        class_of(&judge, Batch::new(&rays).solid(), Answers::Closest(Hits::of(&[hit])))
    };
    assert_eq!([start(0.5, 0), start(0.5, 1)], [Class::Exact, Class::Mismatch]);
    assert_eq!([start(1.5, 0), start(1.5, 1)], [Class::Mismatch, Class::Exact]);
    assert_eq!(
        [start(1.0, 0), start(1.0, 1), start(1.0, 2)],
        [Class::Exact, Class::Range, Class::Mismatch]
    );
    assert_eq!([start(1.000_000_1, 0), start(1.000_000_1, 1)], [Class::Range, Class::Exact]);
    let any = |x: f32| {
        let rays = [Ray::new([x, 0.0, 0.0], [1.0, 0.0, 0.0])];
        class_of(&judge, Batch::new(&rays).solid(), Answers::Any(vec![false]))
    };
    assert_eq!([any(2.5), any(3.0), any(3.5)], [Class::Mismatch, Class::Range, Class::Exact]);
}

#[test]
fn points_are_held_to_the_solids_around_them_and_to_the_nearest_surface() {
    let ball = |x: f64, radius: f64| Geometry::from(Sphere { center: DVec3::X * x, radius });
    let plane =
        raytwin::Plane { point: DVec3::Z, normal: DVec3::Z, rectangle: None, one_sided: false };
    let packed = packed_scene([ball(0.0, 1.0), ball(0.0, 2.0), ball(8.0, 1.0), plane.into()]);
    let judge = Judge::new(&packed);
    let class = |x: f32, contains: u32, containing_id: u32, geometry_id: u32| {
        let hit = PointHit { contains, containing_id, geometry_id, primitive_id: 0 };
        judge.judge_points(&[[x, 0.0, 0.0]], &[hit]).unwrap()[0].class
    };
    assert_eq!(class(0.75, 3, 0, 0), Class::Exact);
    assert_eq!(class(0.75, 2, 0, 0), Class::Mismatch, "a solid less");
    assert_eq!(class(0.75, 3, 1, 0), Class::Mismatch, "not the lowest");
    assert_eq!(class(0.75, 3, 0, 1), Class::Mismatch, "not the nearest");
    assert_eq!(class(1.0, 2, 1, 0), Class::Silhouette, "on the surface");
    assert_eq!(class(1.0, 1, 1, 0), Class::Mismatch, "one solid is sure");
    assert_eq!(class(1.0, 2, 0, 0), Class::Mismatch, "three, or two without the first");
    assert_eq!(class(1.5, 2, 1, 0), Class::Exact);
    assert_eq!(class(1.5, 2, 1, 1), Class::Tie, "as near");
    let invalid = judge.judge_points(&[[f32::NAN; 3]], &[PointHit::NONE]).unwrap();
    assert_eq!((invalid[0].class, invalid[0].row), (Class::Exact, "invalid"));
    assert_eq!(class(f32::NAN, 0, NONE, 0), Class::Mismatch, "an invalid point");
}

#[test]
fn an_answer_of_another_world_is_a_mismatch() {
    use raytwin::{Definition, Transform, math::Similarity};
    let mut ball = Scene::new();
    ball.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    let mut scene = Scene::new();
    let node = scene.add_node(None, &Transform::IDENTITY, Some("ball")).unwrap();
    scene.add_instance_at(node, &Definition::new(ball), None).unwrap();
    let mut other = scene.clone();
    let moved = Similarity { translation: DVec3::X, ..Similarity::IDENTITY };
    other.set_transform(node, &moved.into()).unwrap();
    scene.add_world(&other).unwrap();
    let judge = Judge::new(&PackedScene::new(scene).unwrap());
    let rays = [Ray::new([-9.0, 0.0, 0.0], [1.0, 0.0, 0.0]); 2];
    let batch = Batch::new(&rays).in_worlds(&[0, 1]).unwrap();
    let hit = |t: f32| Hit { t, geometry_id: 0, primitive_id: 0 };
    let classes = |hits: [Hit; 2]| {
        let answers = Answers::Closest(Hits::of(&hits));
        let verdicts = judge.judge(batch, &answers).unwrap();
        [verdicts[0].class, verdicts[1].class]
    };
    assert_eq!(classes([hit(8.0), hit(9.0)]), [Class::Exact; 2]);
    assert_eq!(classes([hit(9.0), hit(8.0)]), [Class::Mismatch; 2]);
    assert_eq!(classes([hit(8.0), hit(9.0_f32.next_up())]), [Class::Exact, Class::Within]);
}

#[test]
fn a_cause_tells_the_surface_and_how_far_it_is_displaced() {
    let packed = packed_scene([Sphere { center: DVec3::X * 100.0, radius: 1.0 }.into()]);
    let judge = Judge::new(&packed);
    let delta = 16.0 * U * 100.0;
    for share in [0.125, 0.5, 0.9] {
        let rays = [Ray::new([0.0, (1.0 - share * delta) as f32, 0.0], [1.0, 0.0, 0.0])];
        let answers = Answers::Closest(Hits::of(&[Hit::MISS]));
        let verdict = judge.judge(Batch::new(&rays), &answers).unwrap().remove(0);
        let cause = verdict.cause.unwrap();
        assert_eq!((verdict.class, cause.geometry_id), (Class::Silhouette, 0));
        assert!((cause.displacement - share).abs() < 0.01, "{share}: {cause:?}");
        assert!((cause.t - 100.0).abs() < 0.1, "{cause:?}");
    }
}

#[test]
fn answers_to_other_rays_are_refused() {
    let packed = packed_scene([]);
    let judge = Judge::new(&packed);
    assert!(judge.judge(Batch::new(&[along_x()]), &Answers::Any(vec![])).is_err());
    assert!(judge.judge_points(&[], &[PointHit::NONE]).is_err());
}

/// Returns the verdict on a ray along x from the world's origin whose t on the only ball is off by
/// so many bounds.
fn off_by(bounds: f64, ball: Sphere, tolerance: SurfaceTolerance) -> Verdict {
    let Sphere { center, radius } = ball;
    let packed = packed_scene([ball.into()]);
    let judge = Judge::new(&packed).with_tolerance(tolerance);
    let exact = judge.reference.closest(Batch::new(&[along_x()])).unwrap()[0];
    let t = f64::from(exact.t);
    let aside = center.y / radius;
    let cosine = (1.0 - aside * aside).sqrt();
    let bound = 8.0 * U * (center.length() + radius + t);
    let bound = bound.max(tolerance.at(t)) / cosine;
    let given = Hit { t: (t + bounds * bound) as f32, ..exact };
    judge.judge(Batch::new(&[along_x()]), &Answers::Closest(Hits::of(&[given]))).unwrap().remove(0)
}

#[test]
fn a_t_beyond_the_bound_in_the_middle_of_a_ball_is_a_mismatch_by_a_finite_number_of_bounds() {
    for aside in [0.0, 0.3, 0.8] {
        let ball = Sphere { center: DVec3::new(10.0, aside, 0.0), radius: 1.0 };
        for bounds in [0.9, -0.9, 1.1, -1.1, 3.3, -3.3, 40.0, -40.0, -1000.0] {
            let verdict = off_by(bounds, ball, SurfaceTolerance::default());
            let expected = if bounds.abs() < 1.0 { Class::Within } else { Class::Mismatch };
            assert_eq!(verdict.class, expected, "{aside} {bounds} {verdict:?}");
            let ratio = verdict.error.unwrap() / bounds.abs();
            assert!((0.85..1.15).contains(&ratio), "{aside} {bounds}: {:?}", verdict.error);
        }
    }
}

/// The same holds of every crossing of every shape that a ray passes clearly.
#[test]
fn a_t_beyond_the_bound_is_no_silhouette_on_any_shape() {
    let ray = Ray::new([0.03, 0.09, -9.0], [0.001, -0.002, 1.0]);
    let batch = Batch::new(std::slice::from_ref(&ray));
    for packed in clear_scenes() {
        let judge = Judge::new(&packed);
        let exact: Vec<Hit> = judge.reference.all(batch).unwrap().of_ray(0).collect();
        let error = |turn: usize, t: f32| {
            let of = FilteredRay::of(batch, 0).unwrap();
            judge.error(&of, &Hit { t, ..exact[turn] }, &exact[turn]).unwrap().displacement
        };
        for turn in 0..exact.len() {
            // The error of a t that is off by 1e-4 gives the bound.
            let bound = 1e-4 / error(turn, exact[turn].t + 1e-4);
            for bounds in [1.3, -1.3] {
                let mut given = exact.clone();
                given[turn].t += (bounds * bound) as f32;
                let label = format!("{turn} {bounds} {exact:?}");
                assert_eq!(class_of(&judge, batch, all_hits(&given)), Class::Mismatch, "{label}");
                if turn == 0 {
                    assert_eq!(judged(&judge, &ray, &given[0]), Class::Mismatch, "{label}");
                }
            }
        }
    }
}

#[test]
fn a_tolerance_excuses_what_surfaces_within_it_could_give_and_no_more() {
    let ball = Sphere { center: DVec3::new(10.0, 0.25, 0.0), radius: 1.0 };
    let tolerances = [
        SurfaceTolerance { absolute: 0.01, relative: 0.0 },
        SurfaceTolerance { absolute: 0.0, relative: 1e-3 },
        SurfaceTolerance { absolute: 0.005, relative: 5e-4 },
    ];
    for tolerance in tolerances {
        for (share, expected) in [
            (0.9, Class::Within),
            (-0.9, Class::Within),
            (2.0, Class::Mismatch),
            (-2.0, Class::Mismatch),
        ] {
            let verdict = off_by(share, ball, tolerance);
            assert_eq!(verdict.class, expected, "{tolerance:?} {share}");
        }
    }
    let packed = packed_scene([ball.into(), Sphere { center: 10.02 * DVec3::X, ..ball }.into()]);
    let judge = Judge::new(&packed).with_tolerance(tolerances[0]);
    let class = |y: f32, hit: Hit| judged(&judge, &Ray::new([0.0, y, 0.0], [1.0, 0.0, 0.0]), &hit);
    let hit = |t: f32, geometry_id: u32| Hit { t, geometry_id, primitive_id: 0 };
    assert_eq!(class(1.255, hit(10.0, 0)), Class::Silhouette, "beside the outline");
    assert_eq!(class(1.245, Hit::MISS), Class::Silhouette, "inside of it");
    assert_eq!(class(1.275, hit(10.0, 0)), Class::Mismatch, "further outside");
    assert_eq!(class(1.225, Hit::MISS), Class::Mismatch, "further inside");
    assert_eq!(class(0.125, hit(9.0178, 1)), Class::Tie, "two surfaces 0.02 apart, that in front");
    assert_eq!(class(0.125, hit(9.03, 1)), Class::Mismatch, "behind where the first surely is");
    assert_eq!(class(0.9, hit(9.58, 1)), Class::Mismatch, "two surfaces further apart");
    let half = Answers::Count(vec![2]);
    let rays = [Ray::new([0.0, 0.125, 0.0], [1.0, 0.0, 0.0])];
    assert_eq!(class_of(&judge, Batch::new(&rays), half), Class::Mismatch, "a ball less");
    let points = [[8.995, 0.25, 0.0], [8.95, 0.25, 0.0]];
    let twins = Judge::new(&packed_scene([ball.into(), ball.into()])).with_tolerance(tolerances[0]);
    let ray = Ray::new([0.0, 0.25, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(judged(&twins, &ray, &hit(9.0, 1)), Class::Tie, "other casters may take the last");
    let inside = PointHit { contains: 1, containing_id: 0, geometry_id: 0, primitive_id: 0 };
    let verdicts = judge.judge_points(&points, &[inside; 2]).unwrap();
    assert_eq!([0, 1].map(|of| verdicts[of].class), [Class::Silhouette, Class::Mismatch]);
}

#[test]
fn a_hit_behind_what_is_surely_crossed_before_is_a_mismatch_though_its_surface_may_lie_in_front() {
    // The disc is seen so nearly edge on that a displacement by 0.01 moves its crossing by half a
    // unit; the wall is not.
    let normal = DVec3::new(0.02, (1.0 - 0.02_f64.powi(2)).sqrt(), 0.0);
    let disc = raytwin::Disc { center: 3.4 * DVec3::X, normal, radius: 2.0, inner_radius: 0.0 };
    let wall = raytwin::Cuboid {
        center: 4.0 * DVec3::X,
        half_extents: DVec3::ONE,
        rotation: glam::DQuat::IDENTITY,
    };
    let packed = packed_scene([disc.into(), wall.into()]);
    let judge = Judge::new(&packed)
        .with_tolerance(SurfaceTolerance { absolute: 0.01, ..SurfaceTolerance::default() });
    let class = |t: f32| judged(&judge, &along_x(), &Hit { t, geometry_id: 0, primitive_id: 0 });
    assert_eq!(class(3.005), Class::Tie, "the disc in front of the wall");
    assert_eq!(class(3.02), Class::Mismatch, "the disc in the wall");
    assert_eq!(class(3.4), Class::Mismatch, "the disc behind the front of the wall");
}

#[test]
fn a_t_that_is_not_finite_or_before_the_ray_is_an_error_that_limits_see() {
    let judge = Judge::new(&PackedScene::new(scene()).unwrap());
    let rays = [along_x()];
    for t in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 3e38] {
        let hit = Hit { t, geometry_id: 0, primitive_id: 0 };
        let all = judge.reference.all(Batch::new(&rays)).unwrap();
        let mut crossings: Vec<Hit> = all.of_ray(0).collect();
        crossings[0].t = t;
        let mut listed = AllHits::default();
        listed.push(crossings);
        for answers in [Answers::Closest(Hits::of(&[hit])), Answers::All(listed)] {
            let verdict = judge.judge(Batch::new(&rays), &answers).unwrap().remove(0);
            let error = verdict.error.unwrap();
            assert!(verdict.class == Class::Mismatch && error > 1.0 && error.is_finite(), "{t}");
        }
    }
}
