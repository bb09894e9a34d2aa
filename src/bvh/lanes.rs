//! Where a path enters and leaves eight boxes at once: by the widest instructions that the processor has, found at
//! run time, or by a loop.

use super::packet::{PACKET, Packet};
use super::walk::Path;
use super::wide::{CHILDREN, LOWER_BITS, Wide};

/// A way of testing the boxes of a node.
pub(crate) trait Lanes: Copy {
    /// Where the path enters each child's box, and a bit for each that it meets between its beginning and
    /// `t_max`.
    fn boxes(self, node: &Wide, path: &Path, t_max: f32) -> ([f32; CHILDREN], u32);

    /// Where each ray enters one box, by its sides on which they enter and leave, and a bit for each that meets it
    /// between its beginning and its own `reach`.
    fn rays(
        self,
        packet: &Packet,
        near: [f32; 3],
        far: [f32; 3],
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32);
}

/// For any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Lanes for Portable {
    #[inline(always)]
    fn boxes(self, node: &Wide, path: &Path, t_max: f32) -> ([f32; CHILDREN], u32) {
        let mut enter = [path.t_min; CHILDREN];
        let mut leave = [t_max; CHILDREN];
        for axis in 0..3 {
            let step = f32::from_bits((node.axes[axis] & LOWER_BITS) << 23) * path.inverse[axis];
            let corner = f32::from_bits(node.axes[axis] & !LOWER_BITS);
            let base = (corner - path.origin[axis]) * path.inverse[axis];
            let near = &node.planes[path.near_row[axis]];
            let far = &node.planes[path.near_row[axis] ^ 1];
            for child in 0..CHILDREN {
                let into = f32::from(near[child]) * step + (base - path.slack[axis]);
                let out_of = f32::from(far[child]) * step + (base + path.slack[axis]);
                enter[child] = if into > enter[child] { into } else { enter[child] };
                leave[child] = if out_of < leave[child] { out_of } else { leave[child] };
            }
        }
        let hit = |child: usize| u32::from(enter[child] <= leave[child]) << child;
        (enter, (0..CHILDREN).fold(0, |bits, child| bits | hit(child)))
    }

    #[inline(always)]
    fn rays(
        self,
        packet: &Packet,
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
}

#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V3 {
    #[inline(always)]
    fn boxes(self, node: &Wide, path: &Path, t_max: f32) -> ([f32; CHILDREN], u32) {
        use std::arch::x86_64::{__m128, __m128i, _CMP_LE_OQ};
        let Self { sse, sse2, avx, avx2, fma, .. } = self;
        // x, y, z, and a fourth lane that is kept 0: what would stand there may be a subnormal number.
        let [x, y, z] = node.axes;
        let axes: __m128i = bytemuck::cast([x, y, z, 0]);
        let lower: __m128i = sse2._mm_set1_epi32(LOWER_BITS as i32);
        let corner = sse2._mm_castsi128_ps(sse2._mm_andnot_si128(lower, axes));
        let exponent = sse2._mm_slli_epi32::<23>(sse2._mm_and_si128(axes, lower));
        let inverse: __m128 = bytemuck::cast(path.inverse);
        let slack: __m128 = bytemuck::cast(path.slack);
        let base = sse._mm_mul_ps(sse._mm_sub_ps(corner, bytemuck::cast(path.origin)), inverse);
        let steps: [f32; 4] =
            bytemuck::cast(sse._mm_mul_ps(sse2._mm_castsi128_ps(exponent), inverse));
        let low: [f32; 4] = bytemuck::cast(sse._mm_sub_ps(base, slack));
        let high: [f32; 4] = bytemuck::cast(sse._mm_add_ps(base, slack));
        let mut enter = avx._mm256_set1_ps(path.t_min);
        let mut leave = avx._mm256_set1_ps(t_max);
        let planes = |row: usize| {
            let eight = sse2._mm_set_epi64x(0, i64::from_le_bytes(node.planes[row]));
            avx._mm256_cvtepi32_ps(avx2._mm256_cvtepu8_epi32(eight))
        };
        for axis in 0..3 {
            let step = avx._mm256_set1_ps(steps[axis]);
            let near = planes(path.near_row[axis]);
            let far = planes(path.near_row[axis] ^ 1);
            let into = fma._mm256_fmadd_ps(near, step, avx._mm256_set1_ps(low[axis]));
            let out_of = fma._mm256_fmadd_ps(far, step, avx._mm256_set1_ps(high[axis]));
            enter = avx._mm256_max_ps(enter, into);
            leave = avx._mm256_min_ps(leave, out_of);
        }
        let hit = avx._mm256_movemask_ps(avx._mm256_cmp_ps::<_CMP_LE_OQ>(enter, leave));
        (bytemuck::cast(enter), hit as u32)
    }

    #[inline(always)]
    fn rays(
        self,
        packet: &Packet,
        near: [f32; 3],
        far: [f32; 3],
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32) {
        use std::arch::x86_64::{__m256, _CMP_LE_OQ};
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
}
