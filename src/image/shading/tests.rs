use super::*;
use crate::camera::{Camera, Elevation, Panorama, Projection, UpAxis, View};
use crate::scene::Scene;
use crate::shapes::{Cuboid, Plane, Sphere};
use crate::{CpuTracer, PackedScene};
use glam::{DQuat, DVec3};

/// A white floor with a red ball that hovers above it, and a blue box on it.
fn scene(with_plane: bool) -> Scene {
    let mut scene = Scene::new();
    let ball = scene.add(Sphere { center: DVec3::Z, radius: 0.5 }).unwrap();
    scene.set_appearance(ball, [0.9, 0.1, 0.1]);
    let cuboid = Cuboid {
        center: DVec3::new(2.0, 0.0, 0.4),
        half_extents: DVec3::splat(0.4),
        rotation: DQuat::IDENTITY,
    };
    let cuboid = scene.add(cuboid).unwrap();
    scene.set_appearance(cuboid, [0.1, 0.1, 0.9]);
    if with_plane {
        scene.add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
    }
    scene
}

fn tracer(scene: Scene) -> CpuTracer {
    CpuTracer::new(&PackedScene::new(scene).unwrap())
}

fn view(eye: [f64; 3], projection: Projection, size: [u32; 2]) -> View {
    let camera = Camera::look_at("c", DVec3::from_array(eye), DVec3::Z, None, projection).unwrap();
    View::new(camera, size[0], size[1]).unwrap()
}

fn from_above(height: f64, size: [u32; 2]) -> View {
    view([0.0, 0.0, 9.0], Projection::Orthographic { height }, size)
}

fn shaded(tracer: &dyn Tracer, view: &View, samples: Option<u32>) -> Vec<[u8; 3]> {
    let mut shading = Shading::new(tracer, view, samples).unwrap();
    for tile in shading.tiles() {
        shading.shade(tile).unwrap();
    }
    shading.into_pixels()
}

#[test]
fn a_shadow_lies_on_the_ground_and_the_ground_beside_it_is_even() {
    let tracer = tracer(scene(true));
    let picture = shaded(&tracer, &from_above(6.0, [300, 300]), None);
    // From above +y is up in the image and +x is right: 50 pixels are one unit.
    let at = |x: f64, y: f64| {
        let (column, row) = (150.0 + 50.0 * x, 150.0 - 50.0 * y);
        picture[row as usize * 300 + column as usize].map(i32::from)
    };
    let [red, green, blue] = at(0.0, 0.0);
    assert!(red > 2 * green && red > 2 * blue, "the ball is red: {:?}", at(0.0, 0.0));
    let [red, _, blue] = at(2.0, 0.0);
    assert!(blue > 2 * red, "the box is blue: {:?}", at(2.0, 0.0));
    // The sun stands to the left, so the ball's shadow lies at its right.
    let (lit, shadow) = (at(-2.0, 2.0), at(0.75, 0.0));
    assert!(shadow[1] < lit[1] - 30 && shadow[1] > 60, "{shadow:?} in {lit:?}");
    for (x, y) in [(-2.5, -2.5), (-2.4, 0.3), (0.3, 2.6)] {
        let difference = at(x, y)[1] - lit[1];
        assert!(difference.abs() <= 2, "no noise on open ground: {:?}", at(x, y));
    }
}

#[test]
fn what_floats_casts_its_shadow_on_a_floor_that_is_no_geometry() {
    let tracer = tracer(scene(false));
    let view = view([4.0, -6.0, 4.0], Projection::Perspective { fov_y_degrees: 50.0 }, [320, 256]);
    let hits = tracer.render(&view, 0..view.pixels()).unwrap();
    let picture = shaded(&tracer, &view, Some(4));
    let row = |row: usize| (0..320).map(move |column| row * 320 + column);
    // In each row the background has one colour, but for the shadow.
    let darkened = (128..256).flat_map(|number| {
        let brightest = row(number).map(|pixel| picture[pixel][1]).max().unwrap();
        row(number)
            .filter(|&pixel| {
                !hits[pixel].is_hit() && picture[pixel][1].saturating_add(25) < brightest
            })
            .collect::<Vec<_>>()
    });
    assert!(darkened.count() > 100);
}

#[test]
fn what_nothing_carries_has_no_floor() {
    let background = |floats: bool| {
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.floats = floats;
        let projection = Projection::Perspective { fov_y_degrees: 60.0 };
        let view = view([1.0, -5.0, 3.0], projection, [320, 256]);
        let tracer = tracer(scene);
        let hits = tracer.render(&view, 0..view.pixels()).unwrap();
        let picture = shaded(&tracer, &view, Some(4));
        let missed = picture.iter().zip(hits).filter(|(_, hit)| !hit.is_hit());
        missed.map(|(pixel, _)| pixel[1]).min().unwrap()
    };
    let [floor, none] = [false, true].map(background);
    assert!(floor + 20 < none, "{floor} {none}");
}

#[test]
fn the_floor_lies_below_in_the_direction_that_the_scene_gives() {
    let ball = |up: UpAxis| {
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.up = up;
        let projection = Projection::Perspective { fov_y_degrees: 60.0 };
        // From above in the direction of either axis, the ball's shadow lies below it in the
        // picture.
        let (eye, upwards) = match up {
            UpAxis::Z => (DVec3::new(1.0, -5.0, 3.0), DVec3::Z),
            UpAxis::Y => (DVec3::new(1.0, 3.0, 5.0), DVec3::Y),
        };
        let camera = Camera::look_at("c", eye, DVec3::ZERO, upwards, projection).unwrap();
        let picture = shaded(&tracer(scene), &View::new(camera, 160, 120).unwrap(), Some(4));
        picture.iter().map(|pixel| f64::from(pixel[1])).collect::<Vec<_>>()
    };
    let [z_up, y_up] = [UpAxis::Z, UpAxis::Y].map(ball);
    let difference: f64 = z_up.iter().zip(&y_up).map(|(z, y)| (z - y).abs()).sum();
    assert!(difference / z_up.len() as f64 <= 1.0, "{difference}");
}

#[test]
fn a_picture_has_the_same_bytes_whatever_the_threads() {
    let tracer = tracer(scene(true));
    let view = view([4.0, -6.0, 4.0], Projection::Perspective { fov_y_degrees: 50.0 }, [613, 70]);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| shaded(&tracer, &view, Some(3)))
    };
    assert!(with_threads(1) == with_threads(3));
}

#[test]
fn every_kind_of_camera_is_shaded_in_all_pixels() {
    let tracer = tracer(scene(true));
    let elevation = Elevation::Table(vec![10.0, 4.0, 0.0, -5.0, -30.0]);
    let lidar = Panorama::new([180.0, -180.0], elevation);
    let pinhole = Projection::Pinhole { focal: [500.0; 2], center: [99.0, 3.0], size: [530, 20] };
    for (projection, size, expected) in [
        (Projection::Panoramic(lidar), [360, 5], [360, 5 * 51]),
        (pinhole, [530, 20], [530 * 3, 20 * 3]),
        (Projection::Orthographic { height: 3.0 }, [600, 530], [600, 530]),
        (Projection::Perspective { fov_y_degrees: 120.0 }, [1, 1], [256, 256]),
    ] {
        let view = view([3.0, -2.0, 1.5], projection, size);
        assert_eq!(Shading::new(&tracer, &view, None).unwrap().size(), expected);
        let picture = shaded(&tracer, &view, Some(1));
        assert!(picture.iter().all(|pixel| *pixel != [0; 3]), "{size:?}");
    }
}

#[test]
fn a_large_image_has_fewer_samples_and_a_huge_one_a_smaller_picture() {
    let tracer = tracer(scene(true));
    let asked = |size: [u32; 2], samples| {
        let view = from_above(6.0, size);
        let shading = Shading::new(&tracer, &view, samples).unwrap();
        (shading.samples(), shading.size())
    };
    assert_eq!(asked([640, 480], None), (8, [640, 480]));
    assert_eq!(asked([1920, 1080], None), (5, [1920, 1080]));
    assert_eq!(asked([1920, 1080], Some(16)), (16, [1920, 1080]));
    let (samples, [width, height]) = asked([16384, 16384], None);
    assert!(samples == 1 && width == height && RAYS_PER_PIXEL * width * height <= RAYS);
}

#[test]
fn a_scene_far_from_the_origin_shadows_no_surface_by_itself() {
    for offset in [0.0, 1e5] {
        let mut scene = Scene::new();
        let center = DVec3::new(offset, -offset, 0.0);
        scene.add(Sphere { center, radius: 50.0 }).unwrap();
        let eye = center + DVec3::new(0.0, -150.0, 60.0);
        let projection = Projection::Perspective { fov_y_degrees: 20.0 };
        let camera = Camera::look_at("c", eye, center, None, projection).unwrap();
        let view = View::new(camera, 260, 260).unwrap();
        let picture = shaded(&tracer(scene), &view, None);
        // Along a row through the lit side, brightness has no specks: it changes little from pixel
        // to pixel.
        let row: Vec<i32> = (100..160).map(|x| picture[100 * 260 + x][1].into()).collect();
        for pair in row.windows(2) {
            assert!((pair[0] - pair[1]).abs() <= 4, "{offset}: {row:?}");
        }
    }
}

#[test]
fn a_camera_on_a_surface_or_inside_a_solid_takes_a_picture_all_the_same() {
    let tracer = tracer(scene(true));
    for eye in [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [2.0, 0.0, 0.4]] {
        let camera = Camera::look_at(
            "c",
            DVec3::from_array(eye),
            DVec3::new(0.3, 7.0, -3.0),
            None,
            Projection::Perspective { fov_y_degrees: 60.0 },
        );
        let view = View::new(camera.unwrap(), 260, 256).unwrap();
        let picture = shaded(&tracer, &view, Some(2));
        assert!(picture.iter().all(|pixel| pixel.iter().any(|&part| part > 8)), "{eye:?}");
    }
}

#[test]
fn a_background_is_seen_wherever_nothing_was_hit_and_geometries_keep_their_light() {
    let tracer = tracer(scene(false));
    let view = view([4.0, -6.0, 4.0], Projection::Perspective { fov_y_degrees: 50.0 }, [320, 256]);
    let hits = tracer.render(&view, 0..view.pixels()).unwrap();
    let shaded = |background: Background| {
        let mut shading = Shading::new(&tracer, &view, Some(4)).unwrap().on(background);
        for tile in shading.tiles() {
            shading.shade(tile).unwrap();
        }
        shading.into_pixels_with_alpha()
    };
    let (own, alpha) = shaded(Background::Own);
    assert!(alpha.is_none());
    let color = [128, 200, 7];
    let (colored, alpha) = shaded(Background::Color(color));
    assert!(alpha.is_none());
    let (bare, alpha) = shaded(Background::Transparent);
    let alpha = alpha.unwrap();
    let is_hit = |pixel: usize| hits[pixel].is_hit();
    // A pixel away from any edge shows one thing in all of its samples.
    let around =
        |pixel: usize| (0..25).map(move |place| pixel + place / 5 * 320 + place % 5 - 2 * 320 - 2);
    let [mut inside, mut outside, mut edges] = [0; 3];
    for pixel in (2..254).flat_map(|row| (2..318).map(move |column| row * 320 + column)) {
        if around(pixel).all(is_hit) {
            inside += 1;
            assert_eq!((colored[pixel], bare[pixel], alpha[pixel]), (own[pixel], own[pixel], 255));
        } else if !around(pixel).any(is_hit) {
            outside += 1;
            assert_eq!((colored[pixel], bare[pixel], alpha[pixel]), (color, [0; 3], 0));
        } else if (1..255).contains(&alpha[pixel]) {
            edges += 1;
        }
    }
    assert!(inside > 1000 && outside > 10_000 && edges > 50, "{inside} {outside} {edges}");
}
