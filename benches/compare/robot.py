"""Measures a robot, compared with MuJoCo: without a scene, on hills, and in a room in which each ray hits."""

import time

import numpy as np
from timing import Missing, in_turns, row, seconds, table, wheel

GEOMS = 26
# The rows and columns of a heightfield.
HILLS = 201
KINDS = [
    '<geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.05"/>',
    '<geom type="cylinder" size="0.06 0.08"/>',
    '<geom type="box" size="0.05 0.06 0.09"/>',
    '<geom type="sphere" size="0.07"/>',
]
# Half the sides of the room, and the middle of its height.
ROOM, MIDDLE = np.array([5.0, 4.0, 2.5]), 2.0


def robot(arguments):
    wheel()
    try:
        import mujoco
        import raytwin.mujoco
    except ImportError as error:
        raise Missing("mujoco is needed: pip install mujoco") from error
    chain = ""
    for number in reversed(range(GEOMS)):
        axis = "0 1 0" if number % 2 else "1 0 0"
        chain = f'<body pos="0 0 0.15"><joint axis="{axis}"/>{KINDS[number % 4]}{chain}</body>'
    hills = f'<asset><hfield name="hills" nrow="{HILLS}" ncol="{HILLS}" size="50 50 6 0.1"/></asset>'
    ground = '<geom type="hfield" hfield="hills" pos="0 0 -4"/>'
    robots = {
        f"{GEOMS} geoms": f"<mujoco><worldbody>{chain}</worldbody></mujoco>",
        f"{GEOMS} geoms in a room": f"<mujoco><worldbody>{room()}{chain}</worldbody></mujoco>",
        f"{GEOMS} geoms on {HILLS}² heights": f"<mujoco>{hills}<worldbody>{ground}{chain}</worldbody></mujoco>",
    }
    rows = [robot_row(arguments, name, mujoco.MjModel.from_xml_string(xml)) for name, xml in robots.items()]
    ours = ["raytwin: t, ids, normals", "ratio", "raytwin: t, ids", "ratio"]
    table("A robot", ["ms of processor time per frame, from a pose to NumPy answers", "mj_multiRay", *ours], rows)


def room():
    """Returns a floor, a ceiling and four walls, as boxes."""
    walls = ""
    for axis in range(3):
        for side in (-1, 1):
            thin, center = ROOM.copy(), np.array([0, 0, MIDDLE])
            thin[axis] = 0.05
            center[axis] += side * ROOM[axis]
            size, pos = (" ".join(map(str, vector)) for vector in (thin, center))
            walls += f'<geom type="box" size="{size}" pos="{pos}"/>'
    return walls


def robot_row(arguments, name, model):
    import mujoco
    import raytwin.mujoco

    random = np.random.default_rng(46)
    if model.nhfield:
        x, y = np.meshgrid(*2 * [np.linspace(-1, 1, HILLS)])
        model.hfield_data[:] = (0.5 + 0.3 * np.sin(9 * x) * np.cos(7 * y) + 0.2 * np.sin(31 * x + 17 * y)).ravel()
    data = mujoco.MjData(model)
    frames = 20 if not model.nhfield else 2
    poses = random.uniform(-0.4, 0.4, (frames, model.nq))
    # On open ground, a lidar looks level, and not down as in a cell.
    steepest = 0.26 if model.nhfield else 0.9
    azimuth, elevation = np.meshgrid(np.linspace(-np.pi, np.pi, 904, endpoint=False), np.linspace(-steepest, steepest, 32))
    directions = np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], -1)
    directions = directions.reshape(-1, 3)
    eye = np.array([0.5, 0.4, 1.0])
    rays = np.hstack([np.tile(eye, (len(directions), 1)), directions]).astype(np.float32)
    follower = raytwin.mujoco.follow(model, device="cpu")
    distances = np.empty(len(rays))
    ids = np.empty(len(rays), np.int32)
    flat = directions.astype(np.float64).ravel()

    def pose(frame):
        data.qpos[:] = poses[frame]
        mujoco.mj_kinematics(model, data)

    def their_frame(frame):
        pose(frame)
        # MuJoCo 4 has an argument for the normals, which older releases do not have.
        mujoco.mj_multiRay(model, data, eye, flat, None, 1, -1, ids, distances, *NORMALS, len(rays), mujoco.mjMAXVAL)
        return distances

    def our_frame(frame, **options):
        pose(frame)
        return follower.update(data).cast_rays(rays, **options)

    NORMALS = (None,) if int(mujoco.__version__.split(".")[0]) >= 4 else ()
    ours, theirs = our_frame(0), their_frame(0)
    if (np.isfinite(ours.t_hit) != (theirs >= 0)).sum() > 10:
        raise SystemExit(f"{name}: different rays hit in MuJoCo and in raytwin")

    def all_frames(frame_of):
        # mj_multiRay casts in one thread, and raytwin in several.
        return lambda: seconds(lambda: [frame_of(frame) for frame in range(frames)], clock=time.process_time)

    without_normals = lambda frame: our_frame(frame, normals=False)
    results = in_turns(arguments.rounds, *map(all_frames, (their_frame, our_frame, without_normals)))
    title = f"{name}, {len(rays):,} rays, {np.isfinite(ours.t_hit).mean():.0%} hit"
    return row(title, results, lambda time: f"{time / frames * 1e3:.2f}")
