"""Writes the page of the census and draws its pictures."""

import os

import numpy as np
from judge import MISS


def draw(folder, name, width, reference, verdict):
    """Draws the shapes of an image in grey and the rays with wrong answers, and returns the picture's name."""
    from matplotlib import pyplot

    shapes = reference[1].astype(np.int64)
    image = np.where(shapes == MISS, 0.95, 0.35 + 0.06 * (shapes * 7 % 8))[:, None] * np.ones(3)
    image[verdict.off] = [0.95, 0.6, 0.1]
    image[verdict.wrong] = [0.8, 0.05, 0.1]
    folder.mkdir(parents=True, exist_ok=True)
    pyplot.imsave(folder / f"{name}.png", image.reshape(-1, width, 3).repeat(3, axis=0).repeat(3, axis=1))
    return f"{folder.name}/{name}.png", len(verdict.wrong), len(verdict.off), len(image)


def table(header, rows):
    lines = [f"| {' | '.join(header)} |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def by_scene(entries, names, cell):
    """Returns a table with a row for each scene and a column for each caster; a dash stands for a missing feature."""
    rows = [
        [entry.scene.name, *(cell(entry.verdicts[name]) if name in entry.verdicts else "–" for name in names)] for entry in entries
    ]
    return table(["scene", *names], rows)


def error_cell(verdict):
    return f"{len(verdict.off)} ({verdict.error:.2g})" if len(verdict.off) else "0"


def write(path, entries, peers, devices, missing, processor, device, version):
    names = [peer.name for peer in peers] + list(devices)
    versions = [f"{peer.name} ({peer.package} {peer.version()})" for peer in peers]
    lacking = {}
    for entry in entries:
        for name, lack in entry.lacks.items():
            lacking.setdefault(name, {}).setdefault(lack, []).append(entry.scene.name)
    totals = []
    for name in names:
        found = [entry.verdicts[name] for entry in entries if name in entry.verdicts]
        rays = sum(len(entry.rays) for entry in entries if name in entry.verdicts)
        wrong, off, beyond = (sum(map(of, found)) for of in (
            lambda v: len(v.wrong), lambda v: len(v.off), lambda v: v.beyond_tolerance,
        ))
        totals.append([name, str(len(found)), f"{rays:,}", f"{wrong:,}", f"{off:,}", f"{beyond:,}", f"{sum(v.milliseconds for v in found):,.1f}"])
    tessellated = [
        [entry.scene.name, f"{count:,}", f"{other} of {len(entry.rays)}", f"{median:.2g}", f"{worst:.2g}"]
        for entry in entries if entry.tessellation for count, other, median, worst in [entry.tessellation]
    ]
    captions = {
        "off": "PyBullet: distances beyond the bound (orange), and wrong hits and misses (red).",
        "not_first": "PyVista `ray_trace(first_point=True)` does not return the first point.",
        "missed": "`mj_multiRay` misses visual-only shapes that are apart from the collision shapes of their body.",
    }
    pictures = []
    for entry in entries:
        for picture, wrong, off, count in entry.pictures.values():
            caption = captions[os.path.basename(picture)[:-4]]
            pictures.append(f"![Wrong rays in {entry.scene.name}]({picture})\n\n*{caption} {entry.scene.name}; {wrong} red and {off} orange of {count:,} rays.*")
    pictures = "\n\n".join(pictures)
    # Casters that lack the same share a line.
    names_by_lacks = {}
    for name, each in lacking.items():
        lacks = "; ".join(f"{lack} ({', '.join(where)})" for lack, where in each.items())
        names_by_lacks.setdefault(lacks, []).append(name)
    lacks = "\n".join(f"- {', '.join(those)}: {lacks}." for lacks, those in names_by_lacks.items())
    left_out = "\n".join(f"- {line}." for line in missing) or "None."
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"""# A census of wrong rays

This page counts the wrong answers of programs that cast rays. All programs cast the same rays into {len(entries)} scenes,
and `raytwin diff --against` judged each answer. `python3 benches/census/census.py` writes this page. All figures are
from one run.

Casters: {"; ".join(versions)}; raytwin {version}, on the CPU in float64 and, where shown, on {device}. Processor: {processor}.

## How it was judged

All shapes and rays are float32 numbers. Answers in float64 are rounded to float32. A distance is right within the
[bound](numbers.md). A hit, miss or shape is right if moving surfaces by the bound's δ could cause it.

- A ray is *wrong* if it hits, misses or names a shape wrongly.
- It is *off* if only its distance is wrong.
- Most casters promise no bound, so *beyond 1e-4* means wrong or off with a [tolerance](../guide/ci.md) of 1e-4 of the
  distance. Far away, this tolerance is wider than a triangle and excuses much.

Of two equal shapes in one place, `diff` expects the lower id. Here, the other is also right, with `t` right to 16 u.

Casters of triangles get curved shapes with 16 sides around, and are judged by these triangles. A third of the rays
passes close to outlines, and in scenes of meshes many rays aim at vertices, so the counts do not show how often ordinary
rays are wrong. raytwin's CPU tracer is the reference, so its own row can show no fault. The
[witness suite](witness.md) checks it independently.

## In all scenes

{table(["caster", "scenes", "rays", "wrong", "off", "beyond 1e-4", "ms"], totals)}

## Wrong hits, misses and shapes

A dash means that the caster [lacks](#missing-features) something.

{by_scene(entries, names, lambda verdict: str(len(verdict.wrong)))}

## Distances beyond the bound

In brackets: the largest error, in the scene's unit.

{by_scene(entries, names, error_cell)}

## What the triangles cost

Differences between triangles and exact shapes are not errors of a caster.

{table(["scene", "triangles", "rays that hit something else", "median error", "worst error"], tessellated)}

## Time

The column *ms* of the [first table](#in-all-scenes) adds up the medians of three casts of each scene, on a busy
machine. `mj_ray` and PyVista are called from Python for each ray, and `mj_multiRay` for each of ten ray origins.

## Pictures

{pictures}

## Checked by hand

These rays have other seeds, so the tables do not count them.

**PyBullet.** In "balls, 20 radii away", ray (-7.024874687194824, -9.82954216003418, 8.889951705932617) +
t (0.6453138589859009, 0.4060930609703064, -0.6470382213592529) misses all 60 balls: in fractions, each discriminant is
negative. PyBullet returns a hit of ball 33 at 17.586. Ray (-8.952995300292969, -11.968012809753418, -1.2690693140029907) +
t (0.6026747226715088, 0.7848072052001953, 0.14443285763263702) hits ball 46 at 13.1882; PyBullet returns 13.1573. On the
heightfield, ray (-30.683279037475586, 27.532285690307617, 9) +
t (-0.013686088845133781, -0.9976040124893188, -0.06781494617462158) hits at 69.62741. PyBullet returns 59.67527, where
the ray meets no triangle.

**PyVista.** `ray_trace` sorts the points of a segment by their coordinates, and returns one of them as the first. From
(-5, 0.1, 0.2) to (8, 0.1, 0.2), through unit balls of triangles at (0, 0, 0) and (3, 0, 0), it returns x = 3.97; the
first point is at x = -0.97. `intersect_with_line` keeps the order of the segment.

**The closed mesh**, with triangles and rays as fractions:

- Ray (3.7950191497802734, 1.2561408281326294, -0.1412118822336197) + t (-0.8682311773300171, -0.4608519375324249, 0.18382081389427185)
  hits the first triangle at 3.206421971544965, next to an edge. trimesh with Embree passes through it and returns 4.348133.
- Ray (3.811093807220459, 0.7672898769378662, -0.9417164921760559) + t (-0.8904448747634888, -0.28941524028778076, 0.35120758414268494)
  hits at 3.131805445913734. Open3D passes through and returns 4.832935.

## Missing features

{lacks}

## Left out

{left_out}
""")
