// Writes the rays of a camera's images, with one thread for each pixel, into the buffer that the query kernel reads. See
// src/camera.rs and src/scan/views.rs.

// The properties that all images of the batch share.
struct View {
    width: u32,
    // the number of pixels of an image
    pixels: u32,
    // the first pixel of the batch, counted row by row from the top left of its image
    first_pixel: u32,
    projection: u32,
    // the point where the optical axis meets the image, in pixels from its top left corner: `center` holds whole pixels,
    // `center_part` the rest
    center: vec2<f32>,
    center_part: vec2<f32>,
    // the mask of the rays
    mask: u32,
}

// The place of the camera for an image of the batch.
struct ImagePlace {
    eye: vec3<f32>,
    world: u32,
    // `right` and `up` span one pixel on the image's plane
    right: vec3<f32>,
    // where the image's part of the panorama begins
    panorama: u32,
    up: vec3<f32>,
    // the number of columns of that part
    columns: u32,
    forward: vec3<f32>,
}

// Every other projection number is a perspective.
const ORTHOGRAPHIC: u32 = 1u;
const PANORAMIC: u32 = 2u;

@group(1) @binding(0) var<uniform> view: View;
// For each image of a panoramic view: the direction of each column at elevation 0, from the first pixel's column on; then
// for each row the vector that is added (xyz) and the factor on the column's direction (w).
@group(1) @binding(1) var<storage, read> panorama: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read_write> camera_rays: array<RayBits>;
@group(1) @binding(3) var<storage, read> camera_places: array<ImagePlace>;
// The query kernel reads these only if it filters rays.
@group(1) @binding(4) var<storage, read_write> camera_filters: array<RayFilter>;

// Normalises a vector. inverseSqrt may err by 4 u, so one Newton step corrects the length.
fn unit(v: vec3<f32>) -> vec3<f32> {
    let nearly = v * inverseSqrt(dot(v, v));
    return nearly + nearly * (0.5 * (1.0 - dot(nearly, nearly)));
}

@compute @workgroup_size(WORKGROUP)
fn generate_rays(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&camera_rays) {
        return;
    }
    let image = (view.first_pixel + index) / view.pixels;
    let pixel = (view.first_pixel + index) % view.pixels;
    let place = camera_places[image];
    let row = pixel / view.width;
    let middle = vec2<f32>(f32(pixel % view.width), f32(row)) + 0.5;
    // The first difference is exact: both are halves of small integers.
    let right = (middle.x - view.center.x) - view.center_part.x;
    let up = view.center_part.y + (view.center.y - middle.y);
    let aside = right * place.right + up * place.up;
    var origin = place.eye;
    var direction = place.forward;
    if view.projection == ORTHOGRAPHIC {
        origin += aside;
    } else if view.projection == PANORAMIC {
        let first = select(0u, view.first_pixel, image == 0u);
        let rise = panorama[place.panorama + place.columns + row - first / view.width];
        let column = (pixel - first) % view.width;
        direction = rise.w * panorama[place.panorama + column].xyz + rise.xyz;
    } else {
        direction = unit(place.forward + aside);
    }
    if index < arrayLength(&camera_filters) {
        camera_filters[index] = RayFilter(view.mask, 0u, 0u, NONE, place.world);
    }
    camera_rays[index] = RayBits(
        bitcast<u32>(origin.x), bitcast<u32>(origin.y), bitcast<u32>(origin.z),
        bitcast<u32>(direction.x), bitcast<u32>(direction.y), bitcast<u32>(direction.z),
        0u, INFINITY_BITS);
}
