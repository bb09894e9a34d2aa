//! Tests of the eight boxes of a node at once. AVX2 is used if the processor has it, which is found
//! out at run time; otherwise plain loops are.

#[cfg(target_arch = "x86_64")]
use super::planes::PlaneRow;
use super::planes::{CHILDREN, Sides};
#[cfg(target_arch = "x86_64")]
use super::traversal_ray::MARGIN;
use super::traversal_ray::TraversalRay;
use super::uncompressed_node::{LATER, UncompressedNode};
#[cfg(target_arch = "x86_64")]
use super::wide_node::LOWER_BITS;
use super::wide_node::WideNode;
use crate::lanes::Lanes;
use pulp::Scalar512b;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V3_512b, V4};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128, __m256, _CMP_LE_OQ};

/// The instructions by which boxes are tested.
pub(crate) trait BoxTester: Copy {
    /// The instructions for the rays of a packet.
    type Lanes: Lanes;

    fn lanes(self) -> Self::Lanes;

    /// Returns a bit for each child whose box the first ray enters, from its `t_min` on, before the
    /// second leaves it or reaches `t_max`. The two bound a packet of rays, or are one.
    fn boxes(self, node: &WideNode, rays: [&TraversalRay; 2], t_max: f32) -> u32;

    /// Returns the same for an uncompressed node.
    fn uncompressed_boxes(
        self,
        node: &UncompressedNode,
        rays: [&TraversalRay; 2],
        t_max: f32,
    ) -> u32;

    /// Returns the sides of the children's boxes, in the order of the planes.
    fn sides(self, node: &WideNode) -> Sides;
}

/// Plain loops, for any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl BoxTester for Portable {
    type Lanes = Scalar512b;

    #[inline(always)]
    fn lanes(self) -> Scalar512b {
        Scalar512b
    }

    #[inline(always)]
    fn boxes(self, node: &WideNode, [first, second]: [&TraversalRay; 2], t_max: f32) -> u32 {
        let mut enter = [first.t_min; CHILDREN];
        let mut leave = [t_max; CHILDREN];
        let slabs = node.slabs(first).into_iter().zip(node.slabs(second));
        for (axis, (enters, leaves)) in slabs.enumerate() {
            let [near, far] = first.rows[axis].map(|row| row.of(&node.planes));
            for child in 0..CHILDREN {
                enter[child] = enter[child].max(f32::from(near[child]) * enters.step + enters.near);
                leave[child] = leave[child].min(f32::from(far[child]) * leaves.step + leaves.far);
            }
        }
        let hit = |child: usize| u32::from(enter[child] <= leave[child]) << child;
        (0..CHILDREN).fold(0, |bits, child| bits | hit(child))
    }

    #[inline(always)]
    fn uncompressed_boxes(
        self,
        node: &UncompressedNode,
        [first, second]: [&TraversalRay; 2],
        t_max: f32,
    ) -> u32 {
        let mut enter = [first.t_min; CHILDREN];
        let mut leave = [t_max; CHILDREN];
        for axis in 0..3 {
            let [near, far] = first.rows[axis].map(|row| row.of(&node.sides));
            let [enters, leaves] = [first.inverse[axis], second.inverse[axis]];
            let [to_near, to_far] = [first.offsets[axis][0], second.offsets[axis][1]];
            for child in 0..CHILDREN {
                enter[child] = enter[child].max(near[child] * enters + to_near);
                leave[child] = leave[child].min(far[child] * leaves + to_far);
            }
        }
        let hit = |child: usize| {
            let leave = leave[child] + LATER * leave[child].abs();
            u32::from(enter[child] <= leave) << child
        };
        (0..CHILDREN).fold(0, |bits, child| bits | hit(child))
    }

    #[inline(always)]
    fn sides(self, node: &WideNode) -> Sides {
        node.sides()
    }
}

/// Computes [`WideNode::slabs`] for all axes at once: for each axis `step`, `near` and `far`,
/// spread over eight lanes. Each half of the vector holds a copy of all axes, so one instruction
/// that does not cross halves spreads an axis.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn slabs(v3: V3, node: &WideNode, ray: &TraversalRay) -> [[__m256; 3]; 3] {
    let V3 { avx, avx2, fma, .. } = v3;
    // The first sixteen bytes hold the corner and the steps; the fourth lane computes something
    // that is not used.
    let [axes, ..] = bytemuck::cast_ref::<WideNode, [__m128; 4]>(node);
    let axes = avx._mm256_broadcast_ps(axes);
    let exponents = avx2._mm256_slli_epi32::<23>(avx._mm256_castps_si256(axes));
    let step = avx._mm256_and_ps(avx._mm256_castsi256_ps(exponents), of_axes(v3, 0x7f80_0000));
    let corner = avx._mm256_and_ps(axes, of_axes(v3, !LOWER_BITS));
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

/// Returns a mask of the lanes of the three axes. The fourth lane of a node holds a slot, which as
/// a number is mostly subnormal: some processors take many times as long for those.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn of_axes(v3: V3, bits: u32) -> __m256 {
    let four = [bits, bits, bits, 0];
    v3.avx._mm256_broadcast_ps(&bytemuck::cast(four))
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

/// Returns the t at which one ray enters, and another leaves, eight boxes across one axis.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn span(
    v3: V3,
    node: &WideNode,
    [near, far]: [PlaneRow; 2],
    [enters, leaves]: [[__m256; 3]; 2],
) -> [__m256; 2] {
    let [enters, leaves] = [(enters[0], enters[1]), (leaves[0], leaves[2])];
    [
        v3.fma._mm256_fmadd_ps(numbers(v3, *near.of(&node.planes)), enters.0, enters.1),
        v3.fma._mm256_fmadd_ps(numbers(v3, *far.of(&node.planes)), leaves.0, leaves.1),
    ]
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn numbers(v3: V3, bytes: [u8; CHILDREN]) -> __m256 {
    let eight = v3.sse2._mm_set_epi64x(0, i64::from_le_bytes(bytes));
    v3.avx._mm256_cvtepi32_ps(v3.avx2._mm256_cvtepu8_epi32(eight))
}

/// Returns a bit for each child whose box is entered, by the first slabs, before it is left by the
/// second.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn met(
    v3: V3,
    node: &WideNode,
    ray: &TraversalRay,
    [enters, leaves]: [[[__m256; 3]; 3]; 2],
    t_max: f32,
) -> u32 {
    // A traversal waits for each step's result, so the tree of operations is kept shallow.
    let avx = v3.avx;
    let x = span(v3, node, ray.rows[0], [enters[0], leaves[0]]);
    let y = span(v3, node, ray.rows[1], [enters[1], leaves[1]]);
    let z = span(v3, node, ray.rows[2], [enters[2], leaves[2]]);
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

#[cfg(target_arch = "x86_64")]
impl BoxTester for V3 {
    type Lanes = V3_512b;

    #[inline(always)]
    fn lanes(self) -> V3_512b {
        V3_512b(self)
    }

    #[inline(always)]
    fn boxes(self, node: &WideNode, [first, second]: [&TraversalRay; 2], t_max: f32) -> u32 {
        let slabs = [slabs(self, node, first), slabs(self, node, second)];
        met(self, node, first, slabs, t_max)
    }

    #[inline(always)]
    fn uncompressed_boxes(
        self,
        node: &UncompressedNode,
        [first, second]: [&TraversalRay; 2],
        t_max: f32,
    ) -> u32 {
        let Self { avx, fma, .. } = self;
        let enters = |axis: usize| {
            let near = bytemuck::cast(*first.rows[axis][0].of(&node.sides));
            let inverse = avx._mm256_set1_ps(first.inverse[axis]);
            fma._mm256_fmadd_ps(near, inverse, avx._mm256_set1_ps(first.offsets[axis][0]))
        };
        let leaves = |axis: usize| {
            let far = bytemuck::cast(*first.rows[axis][1].of(&node.sides));
            let inverse = avx._mm256_set1_ps(second.inverse[axis]);
            fma._mm256_fmadd_ps(far, inverse, avx._mm256_set1_ps(second.offsets[axis][1]))
        };
        let enter = avx._mm256_max_ps(
            avx._mm256_max_ps(enters(0), enters(1)),
            avx._mm256_max_ps(enters(2), avx._mm256_set1_ps(first.t_min)),
        );
        let leave = avx._mm256_min_ps(
            avx._mm256_min_ps(leaves(0), leaves(1)),
            avx._mm256_min_ps(leaves(2), avx._mm256_set1_ps(t_max)),
        );
        let size = avx._mm256_and_ps(leave, bits(self, 0x7fff_ffff));
        let leave = fma._mm256_fmadd_ps(size, avx._mm256_set1_ps(LATER), leave);
        avx._mm256_movemask_ps(avx._mm256_cmp_ps::<_CMP_LE_OQ>(enter, leave)) as u32
    }

    #[inline(always)]
    fn sides(self, node: &WideNode) -> Sides {
        let mut sides = [[0.0; CHILDREN]; 6];
        for (row, sides) in sides.iter_mut().enumerate() {
            let step = self.avx._mm256_set1_ps(node.step(row / 2));
            let corner = self.avx._mm256_set1_ps(node.corner(row / 2));
            let planes = numbers(self, node.planes[row]);
            *sides = bytemuck::cast(self.fma._mm256_fmadd_ps(planes, step, corner));
        }
        sides
    }
}

#[cfg(target_arch = "x86_64")]
impl BoxTester for V4 {
    type Lanes = Self;

    #[inline(always)]
    fn lanes(self) -> Self {
        self
    }

    #[inline(always)]
    fn boxes(self, node: &WideNode, rays: [&TraversalRay; 2], t_max: f32) -> u32 {
        // Eight boxes fill the vectors of AVX2.
        (*self).boxes(node, rays, t_max)
    }

    #[inline(always)]
    fn uncompressed_boxes(
        self,
        node: &UncompressedNode,
        rays: [&TraversalRay; 2],
        t_max: f32,
    ) -> u32 {
        (*self).uncompressed_boxes(node, rays, t_max)
    }

    #[inline(always)]
    fn sides(self, node: &WideNode) -> Sides {
        (*self).sides(node)
    }
}
