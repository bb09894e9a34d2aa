"""Grows a stand of trees from a seed, all trees at once: each order of branches is one set of arrays.

Trees are stylised, not a model of a species: trunks taper, branches stand about them at the golden angle and rise towards
the light, and a branch has a share of its parent's length and radius.
"""

from typing import NamedTuple

import numpy as np

GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
TREES_PER_SQUARE_METRE = 0.04
# The least side of a plot, in metres, so that there is room for a tree beside five stations.
SMALLEST_SIDE = 15
# How far the ground reaches beyond the plot, in metres.
GROUND_ABOUT = 60
# The least radius and length of a branch, in metres.
THINNEST = 0.004
SHORTEST = 0.08


class Habit(NamedTuple):
    """How the branches of an order grow; the trunk's order is 0."""

    segments: int
    children: int
    # Where the first child stands, as a share of the branch's length.
    first_child: float
    # How far each segment turns at random, and towards the zenith.
    wander: float
    rise: float
    # The taper's exponent: 1 is a cone, less keeps a branch thick for longer.
    taper: float


HABITS = [
    Habit(segments=30, children=40, first_child=0.35, wander=0.015, rise=0.01, taper=0.75),
    Habit(segments=8, children=8, first_child=0.3, wander=0.12, rise=0.06, taper=0.8),
    Habit(segments=5, children=6, first_child=0.25, wander=0.15, rise=0.05, taper=0.8),
    Habit(segments=3, children=4, first_child=0.3, wander=0.15, rise=0.05, taper=0.8),
    Habit(segments=2, children=0, first_child=0.0, wander=0.1, rise=0.0, taper=0.8),
]


class Branches(NamedTuple):
    """N branches of one order, before they grow."""

    tree_id: np.ndarray  # (N,)
    base: np.ndarray  # (N, 3), metres
    direction: np.ndarray  # (N, 3), of unit length
    length: np.ndarray  # (N,), metres
    radius: np.ndarray  # (N,) at the base, metres


class Wood(NamedTuple):
    """N frustums, whose radii meet their neighbours'."""

    tree_id: np.ndarray  # (N,), from 1
    branch_order: np.ndarray  # (N,), 0 for the trunk
    start: np.ndarray  # (N, 3), metres
    end: np.ndarray  # (N, 3)
    start_radius: np.ndarray  # (N,)
    end_radius: np.ndarray  # (N,)

    def of_order(self, order):
        """Returns the frustums of an order of branches."""
        chosen = self.branch_order == order
        return Wood(*(column[chosen] for column in self))

    def volumes(self):
        """Returns each frustum's volume, in cubic metres."""
        length = np.linalg.norm(self.end - self.start, axis=1)
        return np.pi * length * self.mean_squared_radii()

    def mean_squared_radii(self):
        """Returns the squared radii of the cylinders that have the frustums' lengths and volumes."""
        first, last = self.start_radius, self.end_radius
        return (first * first + first * last + last * last) / 3

    def volumes_of_trees(self, trees):
        """Returns the volume of each tree from 1 to the number of trees."""
        return np.bincount(self.tree_id, self.volumes(), trees + 1)[1:]


class Stand(NamedTuple):
    """The wood of a stand, its ground, and where its leaves are."""

    side: float  # of the square plot about the origin, metres
    trees: int
    wood: Wood
    foliage: Branches  # the tips that bear leaves
    heights: np.ndarray  # (R, C), a metre apart, about the origin


def unit(vectors):
    """Returns vectors of unit length."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def side_of(trees):
    """Returns the side of the square plot of so many trees, in metres."""
    return max(SMALLEST_SIDE, np.sqrt(trees / TREES_PER_SQUARE_METRE))


def ground(x, y):
    """Returns the height of the ground: gentle waves."""
    return 0.5 * np.sin(x / 11 + 1) * np.cos(y / 14) + 0.2 * np.sin((x + y) / 6)


def plant(rng, trees, side, kept_clear):
    """Returns places for trees that stand in a square and at a distance from each other and from other places."""
    places = list(kept_clear)
    distance = 0.55 / np.sqrt(TREES_PER_SQUARE_METRE)
    while len(places) < trees + len(kept_clear):
        place = rng.uniform(-side / 2, side / 2, 2)
        if not places or np.min(np.linalg.norm(np.array(places) - place, axis=1)) > distance:
            places.append(place)
    return np.array(places[len(kept_clear) :])


def seedlings(rng, places):
    """Returns the trunks of trees at these places."""
    trees = len(places)
    length = rng.uniform(13, 21, trees)
    lean = np.column_stack([rng.normal(0, 0.02, (trees, 2)), np.ones(trees)])
    base = np.column_stack([places, ground(*places.T)])
    radius = length / 100 * rng.uniform(0.75, 1.15, trees)
    return Branches(np.arange(1, trees + 1), base, unit(lean), length, radius)


def grow(rng, branches, order):
    """Lets branches of an order grow, and returns their joints (N, S + 1, 3) with the radii (N, S + 1) there."""
    habit = HABITS[order]
    step = (branches.length / habit.segments)[:, None]
    direction, joints = branches.direction, [branches.base]
    for _ in range(habit.segments):
        joints.append(joints[-1] + step * direction)
        turn = rng.normal(0, habit.wander, direction.shape)
        direction = unit(direction + turn + [0, 0, habit.rise])
    left = 1 - np.linspace(0, 1, habit.segments + 1)
    radii = np.maximum(branches.radius[:, None] * left**habit.taper, THINNEST)
    return np.stack(joints, axis=1), radii


def frustums(tree_id, order, joints, radii):
    """Returns the wood between neighbouring joints, in tenths of a millimetre for places and hundredths for radii."""
    segments = radii.shape[1] - 1
    joints, radii = np.round(joints, 4), np.round(radii, 5)
    tree_id = np.repeat(tree_id, segments)
    return Wood(
        tree_id,
        np.full_like(tree_id, order),
        joints[:, :-1].reshape(-1, 3),
        joints[:, 1:].reshape(-1, 3),
        radii[:, :-1].ravel(),
        radii[:, 1:].ravel(),
    )


def sprout(rng, parents, order, joints, radii):
    """Returns the children of branches of an order, which begin at their parents' bark."""
    habit = HABITS[order]
    count, shape = len(parents.length), (len(parents.length), habit.children)
    evenly = np.linspace(habit.first_child, 0.96, habit.children)
    along = np.clip(evenly + rng.normal(0, 0.01, shape), habit.first_child, 0.97)
    segment = np.minimum((along * habit.segments).astype(int), habit.segments - 1)
    share = along * habit.segments - segment
    branch = np.arange(count)[:, None]
    start, end = joints[branch, segment], joints[branch, segment + 1]
    axis = unit(end - start)
    radius = radii[branch, segment] * (1 - share) + radii[branch, segment + 1] * share

    azimuth = GOLDEN_ANGLE * np.arange(habit.children) + rng.uniform(0, 2 * np.pi, (count, 1)) + rng.normal(0, 0.2, shape)
    helper = np.where(np.abs(axis[..., 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    across = unit(np.cross(axis, helper))
    outwards = np.cos(azimuth)[..., None] * across + np.sin(azimuth)[..., None] * np.cross(axis, across)
    angle = rng.normal(np.radians(60), 0.12, shape)[..., None]
    direction = np.cos(angle) * axis + np.sin(angle) * outwards

    ratio = 0.24 if order == 0 else 0.5
    length = parents.length[:, None] * ratio * (1 - along) ** 0.6 * rng.uniform(0.8, 1.2, shape)
    length = np.maximum(length, SHORTEST)
    base = start + share[..., None] * (end - start) + radius[..., None] * outwards
    thickness = np.maximum(radius * (0.32 if order == 0 else 0.55), THINNEST)
    flat = [np.repeat(parents.tree_id, habit.children), base.reshape(-1, 3), direction.reshape(-1, 3)]
    return Branches(*flat, length.ravel(), thickness.ravel())


def make(seed, trees, orders, kept_clear=()):
    """Makes a stand of trees whose branches are of orders up to `orders`; leaves are at the tips of order 2."""
    rng = np.random.default_rng(seed)
    side = side_of(trees)
    branches, wood = seedlings(rng, plant(rng, trees, side, kept_clear)), []
    foliage = None
    for order in range(orders + 1):
        joints, radii = grow(rng, branches, order)
        wood.append(frustums(branches.tree_id, order, joints, radii))
        if order <= 2:
            foliage = branches._replace(base=joints[:, -1], direction=unit(joints[:, -1] - joints[:, -2]))
        branches = sprout(rng, branches, order, joints, radii)
    wood = Wood(*(np.concatenate(column) for column in zip(*wood, strict=True)))
    reach = np.ceil(side / 2 + GROUND_ABOUT)
    across = np.arange(-reach, reach + 1)
    return Stand(side, trees, wood, foliage, ground(*np.meshgrid(across, across)))
