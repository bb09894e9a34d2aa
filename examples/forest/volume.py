"""Estimates the volume of a tree's wood from its points, as foresters do.

The stem is cut into slices, to each of which a circle is fitted by least squares of the distances (W. Gander, G. H. Golub and
R. Strebel, 1994, "Least-squares fitting of circles and ellipses"), and the frustums between the circles are summed (M. Thies
et al., 2004, "Three-dimensional reconstruction of stems for assessment of taper, sweep and lean based on laser scanning of
standing trees"). Branches have the volume of the voxels in which they have points (F. Hosoi, Y. Nakai and K. Omasa, 2013,
"3-D voxel-based solid modeling of a broad-leaved tree for accurate volume estimation using portable scanning lidar").
"""

from typing import NamedTuple

import numpy as np

SLICE = 0.2
BETWEEN_SLICES = 0.5
BREAST_HEIGHT = 1.3
VOXEL = 0.02
FEWEST_POINTS = 8
LARGEST_SHARE_OF_ERROR = 0.1


class Circle(NamedTuple):
    """A fitted circle, in metres."""

    center: np.ndarray
    radius: float
    radius_error: float  # one standard error


class Stem(NamedTuple):
    """What the slices of a stem tell; NaN where fewer than two circles could be fitted."""

    slices: int
    diameter_at_breast_height: float
    volume: float


def fit_circle(points):
    """Fits a circle to points (N, 2), from the circle of Kasa's linear equations by the method of Gauss and Newton."""
    middle = points.mean(axis=0)
    local = points - middle
    linear = np.column_stack([2 * local, np.ones(len(local))])
    x, y, rest = np.linalg.lstsq(linear, (local**2).sum(axis=1), rcond=None)[0]
    circle = np.array([x, y, np.sqrt(rest + x * x + y * y)])
    for _ in range(20):
        offset = circle[:2] - local
        distance = np.linalg.norm(offset, axis=1)
        jacobian = np.column_stack([offset / distance[:, None], -np.ones(len(local))])
        residual = distance - circle[2]
        circle -= np.linalg.lstsq(jacobian, residual, rcond=None)[0]
    variance = residual @ residual / (len(local) - 3)
    error = np.sqrt(variance * np.linalg.pinv(jacobian.T @ jacobian)[2, 2])
    return Circle(circle[:2] + middle, circle[2], error)


def measure_stem(points, ground):
    """Estimates a stem's volume from its points (N, 3), above the height of the ground."""
    above = points[:, 2] - ground
    top = above.max(initial=0)
    heights, radii = [], []
    for height in np.arange(SLICE, top, BETWEEN_SLICES):
        of_slice = points[np.abs(above - height) < SLICE / 2, :2]
        if len(of_slice) < FEWEST_POINTS:
            continue
        circle = fit_circle(of_slice)
        if circle.radius_error < LARGEST_SHARE_OF_ERROR * circle.radius:
            heights.append(height)
            radii.append(circle.radius)
    if len(radii) < 2:
        return Stem(len(radii), np.nan, np.nan)
    # The stem has its lowest circle down to the ground, and ends in a tip.
    heights, radii = np.array([0, *heights, top]), np.array([radii[0], *radii, 0])
    first, last = radii[:-1], radii[1:]
    volume = np.pi / 3 * np.sum(np.diff(heights) * (first * first + first * last + last * last))
    return Stem(len(radii) - 2, 2 * np.interp(BREAST_HEIGHT, heights, radii), volume)


def count_voxels(points):
    """Returns the volume of the voxels that hold points (N, 3)."""
    return len(np.unique(np.floor(points / VOXEL).astype(np.int64), axis=0)) * VOXEL**3
