use super::*;
use crate::bvh::box_tester::Portable;
use crate::bvh::ray_lanes::PACKET;
use crate::bvh::{INTERLEAVED_RAYS, TraversalLanes};
use crate::ray::Ray;
use glam::DVec3;
use obvhs::BvhBuildParams;
use obvhs::bvh2::{Bvh2, reinsertion::ReinsertionOptimizer};
use obvhs::cwbvh::{bvh2_to_cwbvh::bvh2_to_cwbvh, node::CwBvhNode};
use obvhs::ploc::{PlocBuilder, SortPrecision};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Medium, Quality::Best];

fn cubes(count: usize) -> Vec<Bounds> {
    (0..count)
        .map(|i| {
            let center = DVec3::new(i as f64, (i * i % 17) as f64, (i * 7 % 11) as f64);
            Bounds::around(center, DVec3::splat(0.75))
        })
        .collect()
}

/// Returns a small tree as it is, and one whose rays read the nodes that large trees have.
fn both_kinds_of_nodes(tree: Tree) -> [Tree; 2] {
    let compressed = Tree { uncompressed: OnceLock::from(Vec::new()), ..tree.clone() };
    [tree, compressed]
}

/// Returns the items that a traversal visits if it finds no hit.
fn visited_items(tree: &Tree, ray: &Ray, pad: f64) -> Vec<u32> {
    struct All<'a>(&'a Tree, Option<Start>, f64, Vec<u32>);

    impl RayFeeder for All<'_> {
        const ENDS_EARLY: bool = false;

        fn next(&mut self, _lane: usize, start: &mut Start) -> bool {
            self.1.take().map(|next| *start = next).is_some()
        }

        fn visit(&mut self, _lane: usize, leaf_index: u32) -> f64 {
            self.3.push(self.0.items[leaf_index as usize]);
            self.2
        }
    }

    let t_max = f64::from(ray.t_max);
    let mut all = All(
        tree,
        tree.start_line(&ray.line(), [ray.t_min.into(), t_max], pad, 0),
        t_max,
        Vec::new(),
    );
    tree.traverse(Portable, &mut all);
    all.3
}

#[test]
fn a_tree_of_any_size_is_valid_and_a_walk_visits_what_the_line_meets() {
    for count in [0, 1, 2, 3, 5, 8, 100, 1000] {
        for quality in QUALITIES {
            let bounds = cubes(count);
            let tree = Tree::build(&bounds, quality).unwrap();
            let depth = tree.depth();
            assert!(depth <= 64, "{count} shapes, {depth} levels");
            for (target, bounds) in bounds.iter().enumerate() {
                let eye = DVec3::new(-5.0, 3.0, 40.0);
                let ray = Ray::new(eye.as_vec3(), (bounds.center() - eye).as_vec3());
                let met = visited_items(&tree, &ray, 0.0);
                assert!(met.contains(&(target as u32)), "{target} of {count}");
            }
        }
    }
}

#[test]
fn a_walk_visits_what_grows_into_the_line_and_nothing_behind_its_ends() {
    let bounds = [Bounds::around(DVec3::new(5.0, 3.0, 0.0), DVec3::ONE)];
    let tree = Tree::build(&bounds, Quality::Medium).unwrap();
    let ray = Ray::new([0.0; 3], [1e-6, 0.0, 0.0]);
    let visits = |ray: &Ray, pad| visited_items(&tree, ray, pad).len();
    assert_eq!(visits(&ray, 1.9), 0);
    assert!(visits(&ray, 2.0) > 0);
    assert!(visits(&ray.within(0.0, 1e6), 2.5) == 0);
    assert!(visits(&ray.within(0.0, 4e6), 2.5) > 0);
    assert!(visits(&ray.within(9e6, f32::INFINITY), 2.5) == 0);
    assert!(visits(&ray.within(f32::NEG_INFINITY, 5e6), 2.5) > 0);
}

/// The rays graze faces, edges and corners of boxes, from afar and from within.
#[test]
fn a_walk_loses_no_box_that_the_line_touches() {
    let bounds = cubes(300);
    let rng = &mut fastrand::Rng::with_seed(7);
    let trees = both_kinds_of_nodes(Tree::build(&bounds, Quality::Medium).unwrap());
    for _ in 0..20_000 {
        let target = rng.usize(..bounds.len());
        let mut corner = |side: f64| {
            let pick = |axis: usize, turn: f64| match (turn * 3.0) as u32 {
                0 => bounds[target].min[axis],
                1 => bounds[target].max[axis],
                _ => bounds[target].center()[axis] + side * turn,
            };
            DVec3::new(pick(0, rng.f64()), pick(1, rng.f64()), pick(2, rng.f64()))
        };
        let [point, aim] = [corner(0.5), corner(-0.5)];
        let direction = (aim - point).as_vec3();
        // The ray begins a step back on a line of float32 numbers through a point of the box.
        let far = (rng.f32() * 20.0 - 4.0).exp2();
        let origin = point.as_vec3() - far * direction;
        let ray = Ray::new(origin, direction);
        let through = ray.line().at(far.into());
        let is_inside = bounds[target].contains(&Bounds { min: through, max: through });
        if direction.length() > 1e-3 && is_inside {
            for tree in &trees {
                let met = visited_items(tree, &ray, 0.0);
                assert!(met.contains(&(target as u32)), "{ray:?} {target}");
            }
        }
    }
}

#[test]
fn a_ray_that_is_prepared_beside_others_is_the_one_that_is_prepared_alone() {
    let rng = &mut fastrand::Rng::with_seed(5);
    let tree = Tree::build(&cubes(9), Quality::Medium).unwrap();
    for _ in 0..1000 {
        let mut number = || match rng.u32(..6) {
            0 => 0.0,
            1 => -0.0,
            _ => (rng.f32() - 0.5) * (rng.f32() * 60.0 - 30.0).exp2(),
        };
        let rays = [(); PACKET].map(|()| {
            let [origin, direction] = [0; 2].map(|_| [number(), number(), number()]);
            let t = [number(), number()];
            match t[0] < t[1] {
                true => Ray::new(origin, direction).within(t[0], t[1]),
                false => Ray::new(origin, direction),
            }
        });
        let side_by_side = RayLanes::new(&rays);
        let valid = side_by_side.surely_valid(Portable.lanes());
        let prepared = TraversalLanes::new(Portable.lanes(), &side_by_side);
        for (lane, ray) in rays.iter().enumerate().filter(|(_, ray)| ray.is_valid()) {
            assert_eq!(valid >> lane & 1, 1, "{ray}");
            let mut start = Start::default();
            prepared.start(lane, &mut start);
            let alone = tree.start(ray, ray.t_max.into(), 0).unwrap();
            assert_eq!(start.reach, alone.reach, "{ray}");
            assert_eq!(format!("{:?}", start.ray), format!("{:?}", alone.ray), "{ray}");
        }
        for (lane, ray) in rays.iter().enumerate() {
            assert!(ray.is_valid() || valid >> lane & 1 == 0, "{ray}");
        }
    }
}

fn random(count: usize, mut make: impl FnMut(&mut dyn FnMut() -> DVec3) -> Bounds) -> Vec<Bounds> {
    let rng = &mut fastrand::Rng::with_seed(11);
    let mut point = || DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
    (0..count).map(|_| make(&mut point)).collect()
}

fn spread(count: usize) -> Vec<Bounds> {
    let size = 0.5 / (count as f64).cbrt();
    random(count, |point| Bounds::around(point(), size * (point() * 0.5 + 1.0)))
}

/// Returns boxes that lie within each other, or that a builder by neighbours may merge one by one.
fn crowded(count: usize) -> Vec<(&'static str, Vec<Bounds>)> {
    let numbered = |make: &dyn Fn(f64) -> Bounds| (0..count).map(|i| make(i as f64)).collect();
    let part = |i: f64| i / count as f64;
    let around = |radius: f64| Bounds::around(DVec3::ONE, DVec3::splat(radius));
    let at = |x: f64| Bounds::around(DVec3::new(x, 0.0, 0.0), DVec3::splat(0.4));
    let with_origin = |a: DVec3, b: DVec3| Bounds {
        min: a.min(b).min(DVec3::ZERO),
        max: a.max(b).max(DVec3::ZERO),
    };
    vec![
        ("equal", numbered(&|_| around(1.0))),
        ("equal at a few places", numbered(&|i| at(10.0 * (i % 7.0)))),
        ("equal by fifties", numbered(&|i| at((i / 50.0).floor().powi(2)))),
        ("shells", numbered(&|i| around(1.0 + i))),
        ("shells in no order", numbered(&|i| around(1.0 + i * 7919.0 % count as f64))),
        ("shells that double", numbered(&|i| around((40.0 * part(i)).exp2()))),
        ("a row", numbered(&at)),
        ("a row that thins out", numbered(&|i| at((18.0 * part(i)).exp()))),
        (
            "segments from one point",
            numbered(&|i| with_origin(DVec3::X * (1.0 + part(i)), DVec3::ZERO)),
        ),
        (
            "rods through one point",
            random(count, |point| Bounds::around(DVec3::ONE, point().abs())),
        ),
        ("a fan", random(count, |point| with_origin(point(), point()))),
    ]
}

#[test]
fn boxes_that_coincide_make_a_tree_that_can_be_walked() {
    for (name, bounds) in crowded(5000) {
        for quality in QUALITIES {
            let tree = Tree::build(&bounds, quality).unwrap();
            let depth = tree.validated_depth(&bounds);
            assert_eq!(depth, Ok(tree.depth()), "{name}, {quality:?}");
        }
    }
}

/// This holds for a builder that takes time in proportion to the boxes; a quadratic one takes
/// hundreds of times as many steps.
#[test]
fn boxes_that_coincide_take_a_few_times_the_steps_of_spread_ones() {
    const COUNT: usize = 20_000;
    for quality in QUALITIES {
        let steps = |bounds: &[Bounds]| {
            let boxes: Vec<_> = bounds.iter().map(build::outward).collect();
            build::Effort::of(quality).build(&boxes).1
        };
        let usual = steps(&spread(COUNT));
        for (name, bounds) in crowded(COUNT) {
            let steps = steps(&bounds);
            assert!(steps < 16 * usual, "{name}, {quality:?}: {steps} steps, {usual} if spread");
        }
    }
}

/// The library has the same two algorithms, but no measures for boxes that coincide.
#[test]
fn a_tree_over_spread_boxes_is_the_one_that_the_library_builds() {
    let presets = [
        BvhBuildParams::fast_build(),
        BvhBuildParams::medium_build(),
        BvhBuildParams::very_slow_build(),
    ];
    let boxes: Vec<_> = spread(20_000).iter().map(build::outward).collect();
    for (quality, preset) in QUALITIES.into_iter().zip(presets) {
        let (ours, _) = build::Effort::of(quality).build(&boxes);
        let mut theirs = PlocBuilder::new().build(
            preset.ploc_search_distance,
            &boxes,
            (0_u32..).take(boxes.len()).collect(),
            SortPrecision::U128,
            preset.search_depth_threshold,
        );
        ReinsertionOptimizer::default().run(&mut theirs, preset.reinsertion_batch_ratio, None);
        let facts = |tree: &Bvh2| {
            let nodes = tree.nodes.iter();
            nodes.map(|node| (*node.aabb(), node.prim_count, node.first_index)).collect::<Vec<_>>()
        };
        assert!(facts(&ours) == facts(&theirs), "{quality:?}");
    }
}

#[test]
fn boxes_of_any_size_lie_inside_of_what_a_walk_tests() {
    let rng = &mut fastrand::Rng::with_seed(3);
    for power in [-30, -9, 0, 9, 29] {
        let size = f64::from(power).exp2();
        let bounds: Vec<Bounds> = (0..500)
            .map(|_| {
                let center = DVec3::new(rng.f64(), rng.f64(), rng.f64());
                let half = DVec3::new(rng.f64().powi(9), rng.f64(), 0.0);
                Bounds::around(size * center, 0.1 * size * half)
            })
            .collect();
        Tree::build(&bounds, Quality::Fast).unwrap();
    }
}

/// The difference of a side and a node's corner may have more digits than float64 holds.
#[test]
fn boxes_far_below_the_digits_of_a_node_lie_inside_of_what_a_walk_tests() {
    let rng = &mut fastrand::Rng::with_seed(4);
    let mut vector = || DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
    for power in [-20, -50, -80, -110, -126, -145] {
        let size = f64::from(power).exp2();
        let large = (0..20).map(|_| Bounds::around(vector(), DVec3::splat(0.5)));
        let mut bounds: Vec<Bounds> = large.collect();
        // Flat boxes beside the corner of a large one.
        bounds.push(Bounds { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) });
        bounds.extend((0..20).map(|_| {
            let min = size * (vector() * DVec3::new(1.0, 1.0, 5.0)).round();
            Bounds { min, max: min + size * DVec3::new(1.0, 1.0, 0.0) }
        }));
        let tree = Tree::build(&bounds, Quality::Medium);
        assert!(tree.is_ok(), "2^{power}: {tree:?}");
    }
}

#[test]
fn validation_sees_a_shape_outside_its_box_a_lost_shape_and_a_wrong_link() {
    let bounds = cubes(64);
    let tree = Tree::build(&bounds, Quality::Medium).unwrap();

    let mut moved = bounds.clone();
    moved[5].max.x += 100.0;
    assert!(matches!(tree.validated_depth(&moved), Err(TreeError::Outside { item: 5, .. })));

    let mut lost = tree.clone();
    let used: Vec<_> = (0..lost.items.len()).filter(|&leaf| lost.items[leaf] != NONE).collect();
    lost.items[used[3]] = lost.items[used[4]];
    assert!(lost.validated_depth(&bounds).is_err());

    let with_root = |link: u32| {
        let mut tree = tree.clone();
        tree.nodes[ROOT as usize].set_base(link);
        tree.validated_depth(&bounds)
    };
    assert!(matches!(with_root(1_000_000), Err(TreeError::Link { node: 0..=1, .. })));
    assert!(with_root(0).is_err());
}

#[test]
fn a_refitted_tree_holds_its_boxes_where_they_moved() {
    let rng = &mut fastrand::Rng::with_seed(3);
    let mut random = |reach: f64| {
        let mut vector = || DVec3::new(rng.f64(), rng.f64(), rng.f64());
        let min = reach * vector();
        Bounds { min, max: min + 0.1 * vector() }
    };
    for count in [1, 2, 7, 500] {
        let mut bounds: Vec<Bounds> = (0..count).map(|_| random(10.0)).collect();
        let mut tree = Tree::build(&bounds, Quality::Medium).unwrap();
        for reach in [11.0, 10.0, 1e5] {
            let moved = (0..count as u32).step_by(3).map(|item| (item, random(reach)));
            let moved: Vec<(u32, Bounds)> = moved.collect();
            let dirty = tree.refit(&bounds, &moved);
            assert!(!dirty.is_empty() && dirty.len() <= tree.node_count());
            moved.iter().for_each(|(item, moved)| bounds[*item as usize] = *moved);
            assert!(tree.validated_depth(&bounds).is_ok(), "{count}");
            for (item, bounds) in (0..).zip(&bounds) {
                let eye = DVec3::splat(-50.0);
                let ray = Ray::new(eye.as_vec3(), (bounds.center() - eye).as_vec3());
                assert!(visited_items(&tree, &ray, 1e-3 * reach).contains(&item), "{count}");
            }
        }
        // Boxes that were scattered make the tree worse, and moving them home makes it as good
        // as it was.
        if count == 500 {
            assert!(tree.degradation() > 1.2, "{}", tree.degradation());
        }
    }
}

/// The library makes the same decisions, on one thread and with more memory. It gives octants also
/// to the children of a node without inner ones, which keep the order of the binary tree here.
#[test]
fn a_wide_tree_over_spread_boxes_has_the_nodes_that_the_library_makes() {
    let boxes: Vec<_> = spread(20_000).iter().map(build::outward).collect();
    let mut built = build::single_leaves(&boxes, Quality::Medium);
    built.primitive_indices = (0..20_000).collect();
    let theirs = bvh2_to_cwbvh(&built, 1, true, false);
    let mut ranks = vec![0; 20_000];
    let mut below = vec![0];
    let mut rank = 0;
    while let Some(index) = below.pop() {
        let node = &built.nodes[index as usize];
        if node.is_leaf() {
            ranks[node.first_index as usize] = rank;
            rank += 1;
        } else {
            below.extend([node.first_index + 1, node.first_index]);
        }
    }
    let (nodes, items) = wide_layout::lay_out(&Collapse::new(built), MAX_SLOTS).unwrap();
    let mut waiting = vec![(ROOT, 0)];
    let mut compared = 0;
    while let Some((index, their_index)) = waiting.pop() {
        let (node, their): (&WideNode, &CwBvhNode) =
            (&nodes[index as usize], &theirs.nodes[their_index]);
        assert_eq!(node.inner(), u32::from(their.imask));
        let mut their_nodes = their.child_base_idx as usize..;
        let their_leaves =
            (0..8).filter(|c| their.imask >> c & 1 == 0 && their.child_meta[*c] != 0);
        let their_items = &theirs.primitive_indices[their.primitive_base_idx as usize..];
        let mut found = Vec::new();
        for link in (0..8).filter_map(|slot| node.link(slot)) {
            match link {
                Link::Node(below) => waiting.push((below, their_nodes.next().unwrap())),
                Link::Leaf(leaf) => found.push(items[leaf as usize]),
            }
        }
        let mut their_items = their_items[..their_leaves.count()].to_vec();
        if node.inner() == 0 {
            their_items.sort_unstable_by_key(|&item| ranks[item as usize]);
        }
        assert_eq!(found, their_items);
        compared += 1;
    }
    assert_eq!(compared, theirs.nodes.len());
}

/// A tree of so many slots takes gigabytes, so the bound is lowered, and a small tree's nodes are
/// moved to the last slots.
#[test]
fn more_slots_than_there_may_be_are_refused_and_the_last_ones_are_numbered() {
    let boxes: Vec<_> = spread(1000).iter().map(build::outward).collect();
    let collapse = Collapse::new(build::single_leaves(&boxes, Quality::Medium));
    let (nodes, items) = wide_layout::lay_out(&collapse, MAX_SLOTS).unwrap();
    assert!(wide_layout::lay_out(&collapse, items.len()).is_some());
    assert!(wide_layout::lay_out(&collapse, items.len() - 1).is_none());
    let shift = (MAX_SLOTS - items.len()) as u32;
    let back = |link: Link| match link {
        Link::Node(slot) => Link::Node(slot - shift),
        Link::Leaf(slot) => Link::Leaf(slot - shift),
    };
    let all = nodes.iter().zip(&items).filter(|(node, item)| **item == NONE && node.is_node());
    for (node, _) in all {
        let moved = node.moved_by(shift);
        for slot in 0..CHILDREN {
            assert_eq!(moved.link(slot).map(back), node.link(slot));
        }
        assert_eq!(moved.inner(), node.inner());
    }
}

/// Blocks begin at multiples of four slots, and what that leaves empty is little.
#[test]
fn few_slots_are_empty() {
    let tree = Tree::build(&spread(50_000), Quality::Medium).unwrap();
    let used = 50_000 + tree.node_count();
    assert!(tree.items.len() * 100 <= used * 105, "{} slots for {used}", tree.items.len());
}

/// Rays that meet items, and panic where a leaf index is that of none.
struct ItemsAlone<'a> {
    tree: &'a Tree,
    /// The rays that are still to be walked.
    rays: std::slice::Iter<'a, Ray>,
    /// The items that the ray in each lane has met.
    met: [Vec<u32>; INTERLEAVED_RAYS],
    /// What the rays that are done have met.
    done: Vec<Vec<u32>>,
}

impl ItemsAlone<'_> {
    fn item(&self, leaf_index: u32) -> u32 {
        let item = self.tree.items.get(leaf_index as usize).copied();
        item.filter(|item| *item != NONE).unwrap_or_else(|| panic!("no item at {leaf_index}"))
    }
}

impl RayFeeder for ItemsAlone<'_> {
    const ENDS_EARLY: bool = false;

    fn next(&mut self, lane: usize, start: &mut Start) -> bool {
        let met = std::mem::take(&mut self.met[lane]);
        if !met.is_empty() {
            self.done.push(met);
        }
        let next = self.rays.next().and_then(|ray| self.tree.start(ray, f64::INFINITY, 0));
        next.map(|next| *start = next).is_some()
    }

    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64 {
        let item = self.item(leaf_index);
        self.met[lane].push(item);
        f64::INFINITY
    }

    fn prefetch(&self, leaf_index: u32) {
        self.item(leaf_index);
    }
}

impl PacketVisitor for ItemsAlone<'_> {
    fn visit(&mut self, leaf_index: u32, _reach: &mut OfRays) {
        let item = self.item(leaf_index);
        self.met[0].push(item);
    }
}

/// The margins of a ray from so far away are wider than nodes, and the boxes of absent children are
/// met as those of present ones are.
#[test]
fn a_walk_from_afar_visits_and_fetches_each_item_once_and_nothing_else() {
    let build = |count| Tree::build(&spread(count), Quality::Medium).unwrap();
    let [small, compressed] = both_kinds_of_nodes(build(300));
    for tree in [small, compressed, build(70_000)] {
        let count = tree.items.iter().filter(|item| **item != NONE).count();
        let rng = &mut fastrand::Rng::with_seed(12);
        for distance in [1.0, 1e3, 1e5, 1e6] {
            let mut vector = || DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
            let rays: Vec<Ray> = (0..24)
                .map(|_| {
                    let (way, aim) = (vector().normalize(), vector());
                    Ray::new((aim - distance * way).as_vec3(), way.as_vec3())
                })
                .collect();
            let asked = || {
                let (rays, met) = (rays.iter(), Default::default());
                ItemsAlone { tree: &tree, rays, met, done: Vec::new() }
            };
            let mut singly = asked();
            tree.traverse(Portable, &mut singly);
            let mut together = asked();
            let first: &[Ray; PACKET] = rays.first_chunk().unwrap();
            let alike = RayLanes::new(&[first[0]; PACKET]);
            let (packet, mut reach) = RayPacket::new(Portable.lanes(), &alike);
            let stack = &mut Default::default();
            tree.traverse_packet(Portable, &packet, 0, &mut reach, stack, &mut together);
            let mut nearest = asked();
            let eye = rays[0].origin;
            tree.traverse_by_distance(eye, f64::INFINITY, &mut Default::default(), |leaf_index| {
                RayFeeder::visit(&mut nearest, 0, leaf_index)
            });
            singly.done.extend([std::mem::take(&mut together.met[0]), nearest.met[0].clone()]);
            for met in &mut singly.done {
                let visits = met.len();
                met.sort_unstable();
                met.dedup();
                assert_eq!(met.len(), visits, "{count}, from {distance}");
            }
            assert_eq!(nearest.met[0].len(), count);
        }
    }
}
