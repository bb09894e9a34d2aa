//! Box tests of eight at once: eight boxes against one ray, or one box against eight rays. AVX2 is used if the
//! processor has it, which is found out at run time; otherwise plain loops are.

use super::ray_packet::{PACKET, RayPacket};
#[cfg(target_arch = "x86_64")]
use super::traversal_ray::MARGIN;
use super::traversal_ray::TraversalRay;
#[cfg(target_arch = "x86_64")]
use super::wide_node::LOWER_BITS;
use super::wide_node::{CHILDREN, WideNode};
#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128, __m256, _CMP_LE_OQ, _MM_HINT_T0};

/// The instructions by which boxes are tested.
pub(crate) trait BoxTester: Copy {
    /// Returns a bit for each child whose box the ray meets between its `t_min` and `t_max`.
    fn boxes(self, node: &WideNode, ray: &TraversalRay, t_max: f32) -> u32;

    /// Returns the t at which each ray of a packet enters one box, and a bit for each ray that meets it between its
    /// `t_min` and its own `reach`. `near` and `far` are the sides through which the rays enter and leave.
    fn rays(
        self,
        packet: &RayPacket,
        near: [f32; 3],
        far: [f32; 3],
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32);

    /// Tells the processor to fetch an item that will be read soon, from its first cache line on.
    fn prefetch<T>(self, item: &T);
}

/// Plain loops, for any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl BoxTester for Portable {
    #[inline(always)]
    fn boxes(self, node: &WideNode, ray: &TraversalRay, t_max: f32) -> u32 {
        let mut enter = [ray.t_min; CHILDREN];
        let mut leave = [t_max; CHILDREN];
        for (axis, slab) in node.slabs(ray).into_iter().enumerate() {
            let near = &node.planes[ray.near_row[axis]];
            let far = &node.planes[ray.near_row[axis] ^ 1];
            for child in 0..CHILDREN {
                enter[child] = enter[child].max(f32::from(near[child]) * slab.step + slab.near);
                leave[child] = leave[child].min(f32::from(far[child]) * slab.step + slab.far);
            }
        }
        let hit = |child: usize| u32::from(enter[child] <= leave[child]) << child;
        (0..CHILDREN).fold(0, |bits, child| bits | hit(child))
    }

    #[inline(always)]
    fn rays(
        self,
        packet: &RayPacket,
        near: [f32; 3],
        far: [f32; 3],
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32) {
        let (mut enter, mut leave) = (packet.t_min, *reach);
        for axis in 0..3 {
            for lane in 0..PACKET {
                let (origin, inverse) = (packet.origin[axis][lane], packet.inverse[axis][lane]);
                enter[lane] = enter[lane].max((near[axis] - origin) * inverse);
                leave[lane] = leave[lane].min((far[axis] - origin) * inverse);
            }
        }
        let hit = |lane: usize| u32::from(enter[lane] <= leave[lane]) << lane;
        (enter, (0..PACKET).fold(0, |bits, lane| bits | hit(lane)))
    }

    #[inline(always)]
    fn prefetch<T>(self, _item: &T) {}
}

/// Computes [`WideNode::slabs`] for all axes at once: for each axis `step`, `near` and `far`, spread over eight lanes.
/// Each half of the vector holds a copy of all axes, so one instruction that does not cross halves spreads an axis.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn slabs(v3: V3, node: &WideNode, ray: &TraversalRay) -> [[__m256; 3]; 3] {
    let V3 { avx, avx2, fma, .. } = v3;
    // The first sixteen bytes hold the corner and the steps; the fourth lane computes something that is not used.
    let [axes, ..] = bytemuck::cast_ref::<WideNode, [__m128; 4]>(node);
    let axes = avx._mm256_broadcast_ps(axes);
    let exponents = avx2._mm256_slli_epi32::<23>(avx._mm256_castps_si256(axes));
    let step = avx._mm256_and_ps(avx._mm256_castsi256_ps(exponents), bits(v3, 0x7f80_0000));
    let corner = avx._mm256_and_ps(axes, bits(v3, !LOWER_BITS));
    let inverse = four(v3, ray.inverse);
    let step = avx._mm256_mul_ps(step, inverse);
    let corner = avx._mm256_mul_ps(avx._mm256_sub_ps(corner, four(v3, ray.origin)), inverse);
    let without_sign = bits(v3, 0x7fff_ffff);
    let step_size = avx._mm256_and_ps(step, without_sign);
    let corner_size = avx._mm256_and_ps(corner, without_sign);
    let slack =
        fma._mm256_fmadd_ps(step_size, avx._mm256_set1_ps(256.0 * MARGIN), four(v3, ray.pad));
    let slack = fma._mm256_fmadd_ps(corner_size, avx._mm256_set1_ps(MARGIN), slack);
    let near = avx._mm256_sub_ps(corner, slack);
    let far = avx._mm256_add_ps(corner, slack);
    [
        [
            avx._mm256_permute_ps::<0x00>(step),
            avx._mm256_permute_ps::<0x00>(near),
            avx._mm256_permute_ps::<0x00>(far),
        ],
        [
            avx._mm256_permute_ps::<0x55>(step),
            avx._mm256_permute_ps::<0x55>(near),
            avx._mm256_permute_ps::<0x55>(far),
        ],
        [
            avx._mm256_permute_ps::<0xaa>(step),
            avx._mm256_permute_ps::<0xaa>(near),
            avx._mm256_permute_ps::<0xaa>(far),
        ],
    ]
}

/// Loads four numbers into both halves of a vector.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four(v3: V3, numbers: [f32; 4]) -> __m256 {
    v3.avx._mm256_broadcast_ps(&bytemuck::cast(numbers))
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bits(v3: V3, bits: u32) -> __m256 {
    v3.avx._mm256_castsi256_ps(v3.avx._mm256_set1_epi32(bits as i32))
}

/// Returns the t at which a ray enters and leaves eight boxes across one axis.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn span(
    v3: V3,
    node: &WideNode,
    ray: &TraversalRay,
    [step, near, far]: [__m256; 3],
    axis: usize,
) -> [__m256; 2] {
    let row = ray.near_row[axis];
    [
        v3.fma._mm256_fmadd_ps(numbers(v3, node.planes[row]), step, near),
        v3.fma._mm256_fmadd_ps(numbers(v3, node.planes[row ^ 1]), step, far),
    ]
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn numbers(v3: V3, bytes: [u8; CHILDREN]) -> __m256 {
    let eight = v3.sse2._mm_set_epi64x(0, i64::from_le_bytes(bytes));
    v3.avx._mm256_cvtepi32_ps(v3.avx2._mm256_cvtepu8_epi32(eight))
}

#[cfg(target_arch = "x86_64")]
impl BoxTester for V3 {
    #[inline(always)]
    fn boxes(self, node: &WideNode, ray: &TraversalRay, t_max: f32) -> u32 {
        // A traversal waits for each step's result, so the tree of operations is kept shallow.
        let avx = self.avx;
        let [x, y, z] = slabs(self, node, ray);
        let x = span(self, node, ray, x, 0);
        let y = span(self, node, ray, y, 1);
        let z = span(self, node, ray, z, 2);
        let enter = avx._mm256_max_ps(
            avx._mm256_max_ps(x[0], y[0]),
            avx._mm256_max_ps(z[0], avx._mm256_set1_ps(ray.t_min)),
        );
        let leave = avx._mm256_min_ps(
            avx._mm256_min_ps(x[1], y[1]),
            avx._mm256_min_ps(z[1], avx._mm256_set1_ps(t_max)),
        );
        avx._mm256_movemask_ps(avx._mm256_cmp_ps::<_CMP_LE_OQ>(enter, leave)) as u32
    }

    #[inline(always)]
    fn rays(
        self,
        packet: &RayPacket,
        near: [f32; 3],
        far: [f32; 3],
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32) {
        let avx = self.avx;
        let mut enter: __m256 = bytemuck::cast(packet.t_min);
        let mut leave: __m256 = bytemuck::cast(*reach);
        for axis in 0..3 {
            let origin: __m256 = bytemuck::cast(packet.origin[axis]);
            let inverse: __m256 = bytemuck::cast(packet.inverse[axis]);
            let t = |side: f32| {
                avx._mm256_mul_ps(avx._mm256_sub_ps(avx._mm256_set1_ps(side), origin), inverse)
            };
            enter = avx._mm256_max_ps(enter, t(near[axis]));
            leave = avx._mm256_min_ps(leave, t(far[axis]));
        }
        let hit = avx._mm256_movemask_ps(avx._mm256_cmp_ps::<_CMP_LE_OQ>(enter, leave));
        (bytemuck::cast(enter), hit as u32)
    }

    #[inline(always)]
    fn prefetch<T>(self, item: &T) {
        self.sse._mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast());
    }
}
