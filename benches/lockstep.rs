//! Counts what threads that run in lockstep, as those of a GPU do, would execute and read: `cargo bench -p raytwin-benches --bench lockstep`.
//! It traverses the records that the GPU reads, by the loops of `shaders/device/hardware.wgsl` and of others, and times
//! nothing. The figures are for 32 rays.

use raytwin::packed::Record;
use raytwin::{PackedScene, Ray};
use std::collections::HashSet;

mod workload;

/// The threads that run in lockstep, and the threads of a workgroup.
const LANES: usize = 32;
const WORKGROUP: usize = 64;

/// The number of rays of each kind.
const RAYS: usize = 1 << 17;

/// The instructions of one pass through a part of the kernel, which all lanes wait for, about as Mesa's compiler makes them
/// for the GPU Navi 21.
const NODE: u64 = 220;
const START: u64 = 200;
const TURN: u64 = 25;
const SHAPE: u64 = 70;
const SPHERE: u64 = 61;
const CUBOID: u64 = 113;
const CYLINDER: u64 = 161;

/// A loop in which threads cast rays.
#[derive(Clone, Copy)]
struct Loop {
    name: &'static str,
    /// The most nodes that a thread visits before shapes are intersected.
    steps_per_shape: usize,
    /// The number of rays of a workgroup, of which each thread takes the next when it is done with one.
    rays_per_workgroup: usize,
    /// In how many turns threads take rays once.
    turns_per_start: u64,
}

const ONE_RAY: Loop = Loop {
    name: "one ray a thread",
    steps_per_shape: 16,
    rays_per_workgroup: WORKGROUP,
    turns_per_start: 1,
};
/// The loop of `shaders/device/hardware.wgsl`. Rays of an image have a thread each, in tiles of 8x4.
const NEXT_RAY: Loop =
    Loop { name: "next ray", steps_per_shape: 4, rays_per_workgroup: 1024, turns_per_start: 1 };

const LOOPS: &[Loop] = &[
    ONE_RAY,
    Loop { steps_per_shape: 8, ..ONE_RAY },
    Loop { steps_per_shape: 4, ..ONE_RAY },
    Loop { steps_per_shape: 16, ..NEXT_RAY },
    Loop { steps_per_shape: 8, ..NEXT_RAY },
    NEXT_RAY,
    Loop { steps_per_shape: 2, ..NEXT_RAY },
    Loop { rays_per_workgroup: 512, ..NEXT_RAY },
    Loop { rays_per_workgroup: 256, ..NEXT_RAY },
    Loop { rays_per_workgroup: 128, ..NEXT_RAY },
    Loop { turns_per_start: 2, ..NEXT_RAY },
    Loop { turns_per_start: 4, ..NEXT_RAY },
];

/// The low bits of a number that names a node's children: one for each of the eight.
const CHILD_BITS: u32 = 0xff;

/// The part of `SHAPE_MARK` in `shaders/packed.wgsl`.
const SHAPE_MARK: u32 = 0x0101_0100;

/// A traversal as `shaders/trace/wide.wgsl` has it.
struct Traversal {
    ray: Ray,
    inverse: [f32; 3],
    octant: u32,
    inner: u32,
    shapes: u32,
    stack: Vec<u32>,
    best: f32,
}

impl Traversal {
    fn new(ray: Ray) -> Self {
        let octant = (0..3).map(|axis| u32::from(ray.direction[axis] < 0.0) << (2 - axis)).sum();
        Self {
            ray,
            inverse: ray.direction.map(|speed| 1.0 / if speed == 0.0 { 1e-18 } else { speed }),
            octant,
            inner: 1 << 8 | 1 << octant,
            shapes: 0,
            stack: Vec::new(),
            best: ray.t_max,
        }
    }

    fn has_shape(&self) -> bool {
        self.shapes & CHILD_BITS != 0
    }

    fn has_node(&self) -> bool {
        self.inner & CHILD_BITS != 0 || !self.stack.is_empty()
    }

    /// Visits the nearest node and returns its record.
    fn visit(&mut self, records: &[Record]) -> u32 {
        if self.inner & CHILD_BITS == 0 {
            self.inner = self.stack.pop().unwrap_or_default();
        }
        let index = (self.inner >> 8) + (self.inner.trailing_zeros() ^ self.octant);
        let others = self.inner & (self.inner - 1);
        if others & CHILD_BITS != 0 {
            self.stack.push(others);
        }
        let node = &records[index as usize].0;
        let met = self.children_met(node);
        let [base, links] = [node[3] & !CHILD_BITS, node[3] & CHILD_BITS];
        self.shapes = base | (met & !links);
        let inner = met & links;
        self.inner = (0..8)
            .filter(|child| inner >> child & 1 == 1)
            .fold(base, |bits, child| bits | 1 << (child ^ self.octant));
        index
    }

    fn children_met(&self, node: &[u32; 16]) -> u32 {
        let plane = |axis: usize, side: usize, child: usize| {
            let word = node[4 + 4 * axis + 2 * side + child / 4];
            (word >> (8 * (child % 4)) & 0xff) as f32
        };
        let mut met = 0;
        for child in (0..8).filter(|&child| plane(0, 0, child) <= plane(0, 1, child)) {
            let [mut enter, mut leave] = [self.ray.t_min, self.best];
            for (axis, corner_and_step) in node[..3].iter().enumerate() {
                let step = f32::from_bits((corner_and_step & 0xff) << 23) * self.inverse[axis];
                let corner = f32::from_bits(corner_and_step & !0xff) - self.ray.origin[axis];
                let near_side = usize::from(self.inverse[axis] < 0.0);
                let at = |side| plane(axis, side, child) * step + corner * self.inverse[axis];
                enter = enter.max(at(near_side));
                leave = leave.min(at(1 - near_side));
            }
            met |= u32::from(enter <= leave) << child;
        }
        met
    }

    /// Intersects a shape. Returns its record, and its kind as a number below 3.
    fn intersect(&mut self, packed: &PackedScene, records: &[Record]) -> (u32, usize) {
        let index = (self.shapes >> 8) + self.shapes.trailing_zeros();
        self.shapes &= self.shapes - 1;
        let record = &records[index as usize].0;
        let [geometry_id, primitive_id] = packed.scene().ids_of_primitive(record[13]);
        let primitive = packed.scene().primitive(geometry_id, primitive_id);
        let crossing = primitive
            .and_then(|it| it.crossings(&self.ray.line()).first_from(self.ray.t_min.into()));
        if let Some(crossing) = crossing {
            self.best = self.best.min(crossing.t as f32);
        }
        (index, (record[12] ^ SHAPE_MARK) as usize % 3)
    }
}

/// The cost of one run of a loop over all rays.
#[derive(Default)]
struct Cost {
    instructions: u64,
    /// Passes through a node or a shape, and the lanes that were busy in them.
    passes: u64,
    busy: u64,
    /// The different records that passes read.
    records: u64,
}

/// Threads in lockstep.
#[derive(Default)]
struct Wave {
    lanes: [Option<Traversal>; LANES],
    turns: u64,
}

impl Wave {
    /// Does a turn of the loop: some lanes take rays, all visit nodes, and all intersect a shape. Returns false if no
    /// lane has a ray.
    fn turn(
        &mut self,
        kernel: &Loop,
        scene: (&PackedScene, &[Record]),
        rays: &mut impl Iterator<Item = Ray>,
        cost: &mut Cost,
    ) -> bool {
        let (packed, records) = scene;
        if self.turns.is_multiple_of(kernel.turns_per_start) {
            let mut has_started = false;
            for lane in self.lanes.iter_mut().filter(|lane| lane.is_none()) {
                *lane = rays.next().map(Traversal::new);
                has_started |= lane.is_some();
            }
            cost.instructions += u64::from(has_started) * START;
        }
        self.turns += 1;
        for _ in 0..kernel.steps_per_shape {
            let steps = self.lanes.iter_mut().flatten();
            let steps = steps.filter(|lane| !lane.has_shape() && lane.has_node());
            let visited: Vec<u32> = steps.map(|lane| lane.visit(records)).collect();
            if visited.is_empty() {
                break;
            }
            cost.add_pass(NODE, &visited);
        }
        let hits = self.lanes.iter_mut().flatten().filter(|lane| lane.has_shape());
        let (met, kinds): (Vec<u32>, HashSet<usize>) =
            hits.map(|lane| lane.intersect(packed, records)).unzip();
        if !met.is_empty() {
            let kinds: u64 = kinds.iter().map(|&kind| [SPHERE, CUBOID, CYLINDER][kind]).sum();
            cost.add_pass(SHAPE + kinds, &met);
        }
        for lane in &mut self.lanes {
            if lane.as_ref().is_some_and(|lane| !lane.has_shape() && !lane.has_node()) {
                *lane = None;
            }
        }
        cost.instructions += TURN;
        self.lanes.iter().any(Option::is_some)
    }
}

impl Cost {
    fn add_pass(&mut self, instructions: u64, read: &[u32]) {
        self.instructions += instructions;
        self.passes += 1;
        self.busy += read.len() as u64;
        self.records += read.iter().collect::<HashSet<_>>().len() as u64;
    }
}

/// Casts all rays in a loop.
fn run(kernel: &Loop, packed: &PackedScene, records: &[Record], rays: &[Ray]) -> Cost {
    let mut cost = Cost::default();
    for group in rays.chunks(kernel.rays_per_workgroup) {
        let mut rays = group.iter().copied();
        let mut waves = [(); WORKGROUP / LANES].map(|()| Wave::default());
        let mut is_busy = true;
        while is_busy {
            is_busy = false;
            for wave in &mut waves {
                is_busy |=
                    wave.turn(kernel, (packed, records), &mut rays, &mut cost) || rays.len() > 0;
            }
        }
    }
    cost
}

/// Returns an image's rays in the order of tiles of this many pixels.
fn in_tiles(rays: &[Ray], width: usize, [across, down]: [usize; 2]) -> Vec<Ray> {
    let mut tiled = Vec::with_capacity(rays.len());
    for rows in rays.chunks(width * down) {
        for column in (0..width).step_by(across) {
            for row in rows.chunks(width) {
                tiled.extend(&row[column..column + across]);
            }
        }
    }
    tiled
}

fn main() {
    const IMAGE: [usize; 2] = [1024, 768];
    let Ok(view) = workload::view(IMAGE[0] as u32, IMAGE[1] as u32) else { return };
    // The rows in the middle of the image.
    let middle = view.pixels() / 2 - RAYS / 2;
    let image: Vec<Ray> = (middle..middle + RAYS).map(|pixel| view.ray(pixel)).collect();
    let tiled = |tile| in_tiles(&image, IMAGE[0], tile);
    let sets = [
        ("incoherent", workload::rays(RAYS)),
        ("an image, row by row", image.clone()),
        ("an image, tiles of 8x4", tiled([8, 4])),
        ("an image, tiles of 8x8", tiled([8, 8])),
    ];
    for shapes in [100_000, 1_000_000] {
        let Ok(packed) = PackedScene::new(workload::scene(shapes)) else { return };
        let records = packed.records(0..packed.record_count());
        for (name, rays) in &sets {
            println!("\n{shapes} shapes, {name}\n");
            println!(
                "| loop | nodes before a shape | rays a workgroup | turns a start | instructions | lanes busy | bytes a ray |"
            );
            println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
            for kernel in LOOPS {
                let cost = run(kernel, &packed, &records, rays);
                println!(
                    "| {} | {} | {} | {} | {:.0} | {:.2} | {:.0} |",
                    kernel.name,
                    kernel.steps_per_shape,
                    kernel.rays_per_workgroup,
                    kernel.turns_per_start,
                    cost.instructions as f64 / (rays.len() / LANES) as f64,
                    cost.busy as f64 / (cost.passes * LANES as u64) as f64,
                    64.0 * cost.records as f64 / rays.len() as f64,
                );
            }
        }
    }
}
