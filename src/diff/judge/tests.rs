use super::*;
use crate::packed::PackedScene;
use crate::shapes::Sphere;
use glam::DVec3;

/// Returns a scene of spheres along x: unit spheres at 10, 20 and 20 again, a slightly smaller one at 20, and behind
/// them one to which the x axis is a tangent.
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
    let answers = TracedAnswers::Closest(vec![*hit]);
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
        scene.add(crate::shapes::Cylinder::solid(ends[0], ends[1], thickness)).unwrap();
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
    let sheet = crate::Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
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
    let field = crate::Heightfield::new(vec![0.0; 4], 2, [2.0; 2], DVec3::ZERO, DQuat::IDENTITY);
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
