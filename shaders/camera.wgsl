// One thread a pixel: the camera's rays into the buffer that the query kernel reads. See
// src/camera.rs.

struct View {
    eye: vec3<f32>,
    width: u32,
    // one pixel to the right, and one up, on the image's plane
    right: vec3<f32>,
    // of the batch, counted row by row from the top left
    first_pixel: u32,
    up: vec3<f32>,
    projection: u32,
    forward: vec3<f32>,
    // of the panorama
    columns: u32,
    // where the axis meets the image, in pixels from its top left corner: whole and part
    center: vec2<f32>,
    center_part: vec2<f32>,
}

// Any other is of perspective.
const ORTHOGRAPHIC: u32 = 1u;
const PANORAMIC: u32 = 2u;

@group(1) @binding(0) var<uniform> view: View;
// Of a panoramic view: which way each column looks at elevation 0, that of the first pixel first; then of each
// row what is added to that, and how much of it is kept.
@group(1) @binding(1) var<storage, read> panorama: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read_write> camera_rays: array<RayBits>;

// inverseSqrt may err by 4 u: one correction from what the length then is.
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
