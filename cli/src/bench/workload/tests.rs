use super::*;
use raytwin::cpu::CpuTracer;
use raytwin::packed::PackedScene;
use raytwin::query::Batch;
use raytwin::ray::NONE;
use raytwin::tracer::Tracer;

fn workload(name: &str) -> Workload {
    match SceneSource::parse(name).unwrap() {
        SceneSource::Workload(workload) => workload,
        SceneSource::File(path) => panic!("{} names a file, not a workload", path.display()),
    }
}

#[test]
fn names_are_read_and_written_the_same_way_and_others_are_refused() {
    for name in ["w1m_1", "w1d_20000000", "w1m_100000", "w1m_1000.npz", "some/scene.json"] {
        assert_eq!(SceneSource::parse(name).unwrap().to_string(), name);
    }
    for name in ["w1m_0", "w1d_20000001", "w1m_", "w1m_-3", "w1x_10", "w1", "é", "", "cube"] {
        let shape_error = SceneSource::parse(name).unwrap_err();
        assert!(
            shape_error.contains("w1m_N") && shape_error.contains("w1d_N"),
            "{name}: {shape_error}"
        );
    }
    for name in ["inc", "coh", "rays.npy"] {
        assert_eq!(RaySource::parse(name).unwrap().to_string(), name);
    }
    assert!(RaySource::parse("random").unwrap_err().contains("coh"));
}

#[test]
fn shapes_come_in_turn_inside_their_cube_and_in_their_sizes() {
    for (name, radius) in
        [("w1m_3000", 56.4 / 3000_f64.sqrt()), ("w1d_3000", 50.0 / 3000_f64.cbrt())]
    {
        let scene = workload(name).scene().unwrap();
        let counts: Vec<usize> = scene.type_counts().into_iter().map(|(_, count)| count).collect();
        assert_eq!(counts, [1000; 3], "{name}");
        let mut middle = DVec3::ZERO;
        for id in 0..3000 {
            let primitive = scene.primitive(id, 0).unwrap();
            let shape = primitive.shape().unwrap();
            assert_eq!(shape.shape_type().name, ["sphere", "cylinder", "box"][id as usize % 3]);
            assert!(shape.center().abs().max_element() <= HALF_SIDE + 1e-3, "{name}: {shape:?}");
            middle += shape.center() / 3000.0;
            let size = shape.smallest_size() / radius;
            assert!((0.34..1.51).contains(&size), "{name}: {size} of {shape:?}");
        }
        // The mean of 3000 uniform coordinates strays by at most 6 standard deviations.
        assert!(middle.abs().max_element() < 6.0 * 100.0 / 36000_f64.sqrt(), "{middle}");
    }
}

#[test]
fn a_scene_is_the_same_each_time() {
    let [one, two] = [(); 2].map(|()| workload("w1m_100").scene().unwrap());
    assert_eq!(one.geometries(), two.geometries());
}

#[test]
fn incoherent_rays_come_from_all_of_the_cube_and_go_everywhere() {
    let rays = incoherent();
    assert_eq!(rays.len(), 1_000_000);
    let mut sums = [[DVec3::ZERO; 2]; 2];
    for ray in &rays {
        let line = ray.line();
        assert!(line.origin.abs().max_element() <= HALF_SIDE);
        assert!((line.direction.length() - 1.0).abs() < 1e-6);
        for ([sum, squares], vector) in
            sums.iter_mut().map(|[a, b]| [a, b]).zip([line.origin / HALF_SIDE, line.direction])
        {
            *sum += vector / 1e6;
            *squares += vector * vector / 1e6;
        }
    }
    // Coordinates in a cube and coordinates on a sphere both have the mean 0 and the variance 1/3.
    for [mean, squares] in sums {
        assert!(mean.abs().max_element() < 0.005, "{mean}");
        assert!((squares - 1.0 / 3.0).abs().max_element() < 0.005, "{squares}");
    }
}

#[test]
fn coherent_rays_are_those_of_the_known_image() {
    let rays = coherent().unwrap();
    assert_eq!(rays.len(), 1024 * 768);
    // An independent NumPy program computed the first ray, the last and one in the middle.
    let known: [(usize, [f32; 3]); 3] = [
        (0, [-0.596_760_9, -0.768_615_37, -0.230_449_13]),
        (384 * 1024 + 512, [-0.725_967_3, -0.532_032_8, -0.435_789_6]),
        (1024 * 768 - 1, [-0.771_873_2, -0.235_049_64, -0.590_731_3]),
    ];
    for (index, direction) in known {
        assert_eq!(rays[index].origin, [150.0, 110.0, 90.0]);
        for (cast, known) in rays[index].direction.into_iter().zip(direction) {
            assert!((cast - known).abs() < 2e-7, "{index}: {cast} {known}");
        }
    }
}

#[test]
fn a_third_of_the_incoherent_rays_hits_shapes_of_moderate_size() {
    let rays = &incoherent()[..100_000];
    for name in ["w1m_1000", "w1m_100000"] {
        let scene = workload(name).scene().unwrap();
        let packed = PackedScene::new(scene.clone()).unwrap();
        let hits = CpuTracer::new(&packed).closest(Batch::new(rays)).unwrap();
        let share = hits.iter().filter(|hit| hit.geometry_id != NONE).count() as f64 / 1e5;
        assert!((share - 0.33).abs() < 0.02, "{name}: {share}");
    }
}
