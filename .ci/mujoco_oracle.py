"""Casts rays at models of MuJoCo by mj_ray and by raytwin, and compares the hits.

    python3 .ci/mujoco_oracle.py [--poses 10] [--rays 100000] [--device cpu] target/release/raytwin MODEL.xml|FOLDER...

mujoco and numpy must be installed. Each model is cast at in its reference pose and in random ones. Hits agree if they are
on the same geom, in a distance within the precision promise; a ray that passes an edge closer than the promise's
displacement may go either way.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import mujoco
import numpy

U = 2.0**-24
MISS = 0xFFFFFFFF
# The factors of the precision promise: of an answer's error, and of the displacement of a surface.
K, DELTA = 8, 16


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--poses", type=int, default=10)
    parser.add_argument("--rays", type=int, default=100_000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("raytwin")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    return parser.parse_args()


def random_pose(model, random):
    """Returns a pose with every joint somewhere in its range."""
    qpos = model.qpos0.copy()
    for joint in range(model.njnt):
        at, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
        quaternion = random.normal(size=4)
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            qpos[at : at + 3] += random.uniform(-0.5, 0.5, 3)
            qpos[at + 3 : at + 7] = quaternion
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            qpos[at : at + 4] = quaternion
        elif model.jnt_limited[joint]:
            qpos[at] = random.uniform(*model.jnt_range[joint])
        else:
            qpos[at] += random.uniform(-1, 1)
    return qpos


def extents(model, data):
    """Returns the middle and the radius of each geom, and the box around those that are bounded."""
    middles, radii = data.geom_xpos.copy(), model.geom_rbound.copy()
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    radii[planes] = numpy.maximum(model.geom_size[planes, :2].max(axis=1), 1)
    shown = numpy.minimum(radii, 5)[:, None]
    return middles, radii, (middles - shown).min(axis=0), (middles + shown).max(axis=0)


def is_in_a_field(model, data, points):
    """Tells which points are in the box of a heightfield, where MuJoCo's rays meet the top of its base from inside."""
    inside = numpy.zeros(len(points), bool)
    for geom in numpy.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD):
        x, y, top, base = model.hfield_size[model.geom_dataid[geom]]
        local = (points - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
        middle, half = numpy.array([0, 0, (top - base) / 2]), numpy.array([x, y, (top + base) / 2])
        inside |= (numpy.abs(local - middle) <= half * (1 + 1e-6)).all(axis=1)
    return inside


def rays(model, data, count, random):
    """Returns rays from in and around the scene, half of them towards the middle of a geom."""
    middles, radii, low, high = extents(model, data)
    room = high - low
    origins = random.uniform(low - room / 2, high + room / 2, (count, 3))
    geoms = random.integers(model.ngeom, size=count)
    aims = middles[geoms] + random.normal(size=(count, 3)) * numpy.minimum(radii, 5)[geoms, None] / 2
    aims[::2] = random.uniform(low, high, (count, 3))[::2]
    directions = aims - origins
    directions /= numpy.linalg.norm(directions, axis=1, keepdims=True)
    kept = ~is_in_a_field(model, data, origins)
    return numpy.hstack([origins, directions]).astype(numpy.float32)[kept]


class Caster:
    """Casts one ray after another by mj_ray."""

    def __init__(self, model, data):
        self.model, self.data = model, data
        self.geom, self.normal = numpy.zeros(1, numpy.int32), numpy.zeros(3)

    def cast(self, origin, direction):
        """Returns the distance, the geom (-1 for a miss) and the cosine of the angle at the hit."""
        distance = mujoco.mj_ray(
            self.model, self.data, origin, direction, None, 1, -1, self.geom, self.normal
        )
        return distance, int(self.geom[0]), abs(float(self.normal @ direction))


def answers(given, path, folder, rays, pose):
    """Returns raytwin's distances and ids; the flags of the pose are given."""
    numpy.save(folder / "rays.npy", rays)
    command = [given.raytwin, "--device", given.device, "query", path, folder / "rays.npy", "-q"]
    subprocess.run([*command, *pose, "-o", folder / "hits.npz"], check=True)
    with numpy.load(folder / "hits.npz") as hits:
        return hits["t_hit"].astype(float), hits["geometry_ids"].astype(numpy.int64)


def agrees(distance, geom, cosine, t, geometry_id, promise, delta):
    if geom < 0 or geometry_id == MISS:
        return geom < 0 and geometry_id == MISS
    length = promise + K * U * distance + delta
    return geom == geometry_id and abs(t - distance) <= length / max(cosine, 1e-6)


def disagreements(model, data, rays, t, ids, random):
    """Returns the rays whose hits differ by more than the promise, and how many differ at an edge."""
    middles, radii, _, _ = extents(model, data)
    caster = Caster(model, data)
    wrong, edges = [], 0
    for ray, distance_there, geometry_id in zip(rays.astype(float), t, ids):
        origin, direction = ray[:3], ray[3:]
        distance, geom, cosine = caster.cast(origin, direction)
        hit = [index for index in (geom, geometry_id) if 0 <= index < model.ngeom]
        away = numpy.linalg.norm(middles[hit] - origin, axis=1)
        delta = DELTA * U * max([1.0, *away, *radii[hit]])
        promise = K * U * max([0.0, *(away + radii[hit])])
        if agrees(distance, geom, cosine, distance_there, geometry_id, promise, delta):
            continue
        # A plane is displaced by a share of the distance to the hit too.
        delta += DELTA * U * max(distance, 0.0)
        moved = origin + delta * random.normal(size=(200, 3))
        turned = direction + delta / max([1.0, *away]) * random.normal(size=(200, 3))
        around = (caster.cast(o, d) for o, d in zip(moved, turned))
        if any(agrees(*hit, distance_there, geometry_id, promise, 4 * delta) for hit in around):
            edges += 1
        else:
            names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, index) for index in hit]
            wrong.append((ray, (distance, geom), (distance_there, geometry_id), names))
    return wrong, edges


def compare(path, given, folder):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    random = numpy.random.default_rng(given.seed)
    hits = edges = 0
    poses = ["reference", *range(model.nkey), *["random"] * given.poses]
    for pose in poses:
        flags = []
        mujoco.mj_resetData(model, data)
        if pose == "random":
            data.qpos[:] = random_pose(model, random)
            numpy.save(folder / "qpos.npy", data.qpos)
            flags = ["--qpos", folder / "qpos.npy"]
        elif pose != "reference":
            mujoco.mj_resetDataKeyframe(model, data, pose)
            flags = ["--key", str(pose)]
        mujoco.mj_forward(model, data)
        cast = rays(model, data, given.rays, random)
        t, ids = answers(given, path, folder, cast, flags)
        wrong, at_edges = disagreements(model, data, cast, t, ids, random)
        hits, edges = hits + int((ids != MISS).sum()), edges + at_edges
        for ray, there, here, names in wrong[:10]:
            print(f"{path.name}, pose {pose}: {ray.tolist()}: MuJoCo {there}, raytwin {here}, geoms {names}")
        if wrong:
            print(f"{path.name}, pose {pose}: {len(wrong)} of {len(cast)} rays differ")
            return False
    print(f"{path.name} on {given.device}: {len(poses)} poses, {hits} hits agree, {edges} of them at edges")
    return True


def main():
    given = options()
    paths = []
    for path in given.models:
        paths += sorted(path.glob("*.xml")) if path.is_dir() else [path]
    with tempfile.TemporaryDirectory() as folder:
        agree = [compare(path, given, pathlib.Path(folder)) for path in paths]
    sys.exit(0 if agree and all(agree) else 1)


main()
