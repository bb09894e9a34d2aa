// Writes the camera's rays, with one thread for each pixel, into the buffer that the query kernel reads. See
// src/camera.rs.

struct View {
    eye: vec3<f32>,
    width: u32,
    // `right` and `up` span one pixel on the image's plane
    right: vec3<f32>,
    // the first pixel of the batch, counted row by row from the top left
    first_pixel: u32,
    up: vec3<f32>,
    projection: u32,
    forward: vec3<f32>,
    // the number of columns of the panorama
    columns: u32,
    // the point where the optical axis meets the image, in pixels from its top left corner: `center` holds whole pixels,
    // `center_part` the rest
    center: vec2<f32>,
    center_part: vec2<f32>,
}

// Every other projection number is a perspective.
const ORTHOGRAPHIC: u32 = 1u;
const PANORAMIC: u32 = 2u;

@group(1) @binding(0) var<uniform> view: View;
// For a panoramic view: the direction of each column at elevation 0, from the first pixel's column on; then for each row
// the vector that is added (xyz) and the factor on the column's direction (w).
@group(1) @binding(1) var<storage, read> panorama: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read_write> camera_rays: array<RayBits>;

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
    let pixel = view.first_pixel + index;
    let row = pixel / view.width;
    let middle = vec2<f32>(f32(pixel % view.width), f32(row)) + 0.5;
    // The first difference is exact: both are halves of small integers.
    let right = (middle.x - view.center.x) - view.center_part.x;
    let up = view.center_part.y + (view.center.y - middle.y);
    let aside = right * view.right + up * view.up;
    var origin = view.eye;
    var direction = view.forward;
    if view.projection == ORTHOGRAPHIC {
        origin += aside;
    } else if view.projection == PANORAMIC {
        let first_row = view.first_pixel / view.width;
        let rise = panorama[view.columns + row - first_row];
        direction = rise.w * panorama[index % view.width].xyz + rise.xyz;
    } else {
        direction = unit(view.forward + aside);
    }
    camera_rays[index] = RayBits(
        bitcast<u32>(origin.x), bitcast<u32>(origin.y), bitcast<u32>(origin.z),
        bitcast<u32>(direction.x), bitcast<u32>(direction.y), bitcast<u32>(direction.z),
        0u, INFINITY_BITS);
}
