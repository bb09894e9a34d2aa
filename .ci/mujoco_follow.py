"""Casts rays with mj_ray and with a raytwin follower at random states of MuJoCo models, and compares the hits.

    python3 .ci/mujoco_follow.py [--states 20] [--rays 1000] [--updates 200] [--device cpu] MODEL.xml|FOLDER...

mujoco, numpy and raytwin's wheel must be installed. The follower casts all states as the worlds of one cast, then one by one, and
one more state after the given number of updates. mujoco_oracle.py defines when hits agree.
"""

import argparse
import pathlib

import mujoco
import mujoco_oracle as oracle
import numpy
import raytwin.mujoco


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--rays", type=int, default=1000)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    return parser.parse_args()


def compare(path, given):
    model = mujoco.MjModel.from_xml_path(str(path))
    if not model.ngeom:
        return True
    random = numpy.random.default_rng(given.seed)
    states = [oracle.posed(model, oracle.random_pose(model, random)) for _ in range(given.states)]
    cast = [oracle.rays(model, data, given.rays, random) for data in states]
    follower = raytwin.mujoco.follow(model, device=given.device)
    answers = []

    worlds = numpy.repeat(numpy.arange(len(states)), [len(rays) for rays in cast])
    hits = follower.update(states).cast_rays(numpy.concatenate(cast), world_ids=worlds)
    for world, (data, rays) in enumerate(zip(states, cast)):
        there = worlds == world
        answers.append(("world", data, rays, hits.t_hit[there], hits.geometry_ids[there]))
    for data, rays in zip(states, cast):
        hits = follower.update(data).cast_rays(rays)
        answers.append(("state", data, rays, hits.t_hit, hits.geometry_ids))
    for number in range(given.updates):
        follower.update(states[number % len(states)])
    hits = follower.update(states[0]).cast_rays(cast[0])
    answers.append(("last", states[0], cast[0], hits.t_hit, hits.geometry_ids))

    total = edges = 0
    for number, (what, data, rays, t, ids) in enumerate(answers):
        wrong, at_edges = oracle.disagreements(model, data, rays, t.astype(float), ids.astype(numpy.int64), random)
        total, edges = total + int((ids != oracle.MISS).sum()), edges + at_edges
        if wrong:
            print("\n".join(f"{path.name}, {what} {number}: {line}" for line in wrong[:10]))
            print(f"{path.name}, {what} {number}: {len(wrong)} of {len(rays)} rays differ")
            return False
    print(f"{path.name} on {given.device}: {len(answers)} casts, {total} hits agree, {edges} of them at edges or coincident surfaces")
    return True


def main():
    given = options()
    oracle.compare_all(given.models, lambda path, _: compare(path, given))


if __name__ == "__main__":
    main()
