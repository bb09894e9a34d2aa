"""Casts rays at MuJoCo models with mj_ray and with raytwin, and compares the hits.

    python3 .ci/mujoco_oracle.py [--poses 10] [--rays 100000] [--device cpu] target/release/raytwin MODEL.xml|FOLDER...

mujoco and numpy must be installed. The script casts at each model in its reference pose, in the poses of its keys, and in random
poses, which are worlds of one scene and cast together. Hits agree if they are on the same geom, at a distance within the error
bound. If a ray passes an edge closer than the bound's displacement, or hits two surfaces in one place, either answer is right.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import mujoco
import numpy

U = 2.0**-24
MISS = 0xFFFFFFFF
# The factors of the error bound: for the error of an answer, and for the displacement of a surface.
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
    """Returns a pose with every joint at a random value in its range."""
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
    """Returns the middle and the radius of each geom, and the box around all of them."""
    middles, radii = data.geom_xpos.copy(), model.geom_rbound.copy()
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    radii[planes] = numpy.maximum(model.geom_size[planes, :2].max(axis=1), 1)
    shown = numpy.minimum(radii, 5)[:, None]
    return middles, radii, (middles - shown).min(axis=0), (middles + shown).max(axis=0)


def is_in_a_field(model, data, points):
    """Returns which points are in the box of a heightfield, where MuJoCo's rays hit the top of its base from inside."""
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

    def cast_at(self, geom, origin, direction):
        """Returns the distance to one geom and the cosine there."""
        model, data, kind = self.model, self.data, self.model.geom_type[geom]
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            distance = mujoco.mj_rayMesh(model, data, geom, origin, direction, self.normal)
        elif kind == mujoco.mjtGeom.mjGEOM_HFIELD:
            distance = mujoco.mj_rayHfield(model, data, geom, origin, direction, self.normal)
        else:
            place = data.geom_xpos[geom], data.geom_xmat[geom], model.geom_size[geom]
            distance = mujoco.mju_rayGeom(*place, origin, direction, kind, self.normal)
        return distance, abs(float(self.normal @ direction))


def answers(given, path, folder, rays, worlds, pose):
    """Returns raytwin's distances and ids; the world of each ray and the flags of the pose are given."""
    numpy.savez(folder / "rays.npz", rays=rays, world_ids=worlds)
    command = [given.raytwin, "--device", given.device, "query", path, folder / "rays.npz", "-q"]
    subprocess.run([*command, *pose, "-o", folder / "hits.npz"], check=True)
    with numpy.load(folder / "hits.npz") as hits:
        return hits["t_hit"].astype(float), hits["geometry_ids"].astype(numpy.int64)


def agree(there, here, length):
    """Returns which hits are the same. `length` is the bound of a distance for a ray perpendicular to the surface."""
    (distance, geom, cosine), (t, geometry_id) = there, here
    both_miss = (geom < 0) & (geometry_id == MISS)
    is_near = numpy.abs(t - distance) <= length / numpy.maximum(cosine, 1e-6)
    return both_miss | ((geom == geometry_id) & is_near)


def disagreements(model, data, rays, t, ids, random):
    """Returns the rays whose hits differ by more than the bound, and the number that differ at an edge."""
    middles, radii, _, _ = extents(model, data)
    caster = Caster(model, data)
    origins, directions = rays[:, :3].astype(float), rays[:, 3:].astype(float)
    there = numpy.array([caster.cast(*ray) for ray in zip(origins, directions)])
    distance, geom, cosine = there[:, 0], there[:, 1].astype(int), there[:, 2]
    # A hit of either program may be on the geom that is farther away.
    reach = numpy.zeros(len(rays))
    for index in (geom, numpy.where(ids == MISS, -1, ids)):
        away = numpy.linalg.norm(middles[index] - origins, axis=1) + radii[index]
        reach = numpy.where(index >= 0, numpy.maximum(reach, away), reach)
    reach = numpy.maximum(reach, 1) + numpy.maximum(distance, 0)
    same = agree((distance, geom, cosine), (t, ids), (K + DELTA) * U * reach)
    wrong, edges = [], 0
    for ray in numpy.flatnonzero(~same):
        delta = DELTA * U * reach[ray]
        moved = origins[ray] + delta * random.normal(size=(200, 3))
        turned = directions[ray] + delta / reach[ray] * random.normal(size=(200, 3))
        # Coincident surfaces are a tie, which rounding decides.
        if ids[ray] < model.ngeom and geom[ray] >= 0:
            other, slant = caster.cast_at(ids[ray], origins[ray], directions[ray])
            lengths = numpy.array([other - t[ray], distance[ray] - t[ray]])
            slants = numpy.maximum([slant, cosine[ray]], 1e-6)
            if (numpy.abs(lengths) <= (K + DELTA) * U * reach[ray] / slants).all():
                edges += 1
                continue
        around = numpy.array([caster.cast(*near) for near in zip(moved, turned)]).T
        if agree(around, (t[ray], ids[ray]), 8 * delta).any():
            edges += 1
        else:
            hit = [index for index in (geom[ray], ids[ray]) if 0 <= index < model.ngeom]
            names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, index) for index in hit]
            hits = f"MuJoCo {distance[ray], geom[ray]}, raytwin {t[ray], ids[ray]}"
            wrong.append(f"{rays[ray].tolist()}: {hits}, geoms {names}")
    return wrong, edges


def posed(model, pose):
    """Returns the state in a pose: the number of a key, or the numbers of all joints, or None for the reference pose."""
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    if isinstance(pose, int):
        mujoco.mj_resetDataKeyframe(model, data, pose)
    elif pose is not None:
        data.qpos[:] = pose
    mujoco.mj_kinematics(model, data)
    return data


def compare(path, given, folder):
    model = mujoco.MjModel.from_xml_path(str(path))
    random = numpy.random.default_rng(given.seed)
    hits = edges = 0
    rows = [random_pose(model, random) for _ in range(given.poses)]
    alone = [([None], []), *(([key], ["--key", str(key)]) for key in range(model.nkey))]
    if rows:
        numpy.save(folder / "qpos.npy", rows)
        alone.append((rows, ["--qpos", folder / "qpos.npy"]))
    poses = [pose for group, _ in alone for pose in group]
    for group, flags in alone:
        states = [posed(model, pose) for pose in group]
        cast = [rays(model, data, given.rays, random) for data in states]
        worlds = numpy.repeat(numpy.arange(len(group)), [len(rows) for rows in cast])
        t, ids = answers(given, path, folder, numpy.concatenate(cast), worlds, flags)
        for world, (data, own) in enumerate(zip(states, cast)):
            in_world = worlds == world
            wrong, at_edges = disagreements(model, data, own, t[in_world], ids[in_world], random)
            hits, edges = hits + int((ids[in_world] != MISS).sum()), edges + at_edges
            for line in wrong[:10]:
                print(f"{path.name}, {flags}, world {world}: {line}")
            if wrong:
                print(f"{path.name}, {flags}, world {world}: {len(wrong)} of {len(own)} rays differ")
                return False
    print(f"{path.name} on {given.device}: {len(poses)} poses, {hits} hits agree, {edges} of them at edges or coincident surfaces")
    return True


def compare_all(models, compare):
    """Calls `compare` with each model of the files and folders, and a work folder. Exits with 1 unless all agree."""
    paths = []
    for path in models:
        path = path.resolve()
        paths += sorted(path.glob("*.xml")) if path.is_dir() else [path]
    with tempfile.TemporaryDirectory() as folder:
        # MuJoCo writes a log of its warnings into the current folder.
        os.chdir(folder)
        agree = [compare(path, pathlib.Path(folder)) for path in paths]
    sys.exit(0 if agree and all(agree) else 1)


def main():
    given = options()
    given.raytwin = pathlib.Path(given.raytwin).resolve()
    compare_all(given.models, lambda path, folder: compare(path, given, folder))


if __name__ == "__main__":
    main()
