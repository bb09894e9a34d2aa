"""Writes the page of the census and draws its pictures."""

import os

import numpy as np
from judge import MISS


def draw(folder, name, width, reference, verdict):
    """Draws the shapes that an image shows in grey, and the rays whose answers are wrong, and returns the picture's name."""
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
        "off": "PyBullet: distances beyond the bound (orange) and rays that hit or miss wrongly (red).",
        "not_first": "PyVista `ray_trace(first_point=True)`: the point that it returns is not the first one.",
        "missed": "`mj_multiRay`: shapes for the eye alone that lie apart from the contacts of their body.",
    }
    pictures = []
    for entry in entries:
        for picture, wrong, off, count in entry.pictures.values():
            caption = captions[os.path.basename(picture)[:-4]]
            pictures.append(f"![{caption}]({picture})\n\n*{caption} {entry.scene.name}; {wrong} red and {off} orange of {count:,} rays.*")
    pictures = "\n\n".join(pictures)
    lacks = "\n".join(f"- {name}: " + "; ".join(f"{lack} ({', '.join(where)})" for lack, where in each.items()) + "." for name, each in lacking.items())
    left_out = "\n".join(f"- {line}." for line in missing) or "None."
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"""# A census of wrong rays

This page counts the wrong answers of programs that cast rays. The same rays were cast at the same {len(entries)} scenes by programs that people use today. `raytwin diff --against` judged each answer.
This page is written by `python3 benches/census/census.py`; all figures are from one run.

Casters: {"; ".join(versions)}; raytwin {version}, on the CPU in float64 and, where shown, on {device}. Processor: {processor}.

## How it was judged

All shapes and rays are float32 numbers. Answers in float64 are rounded to float32. A distance is right within
8 u (D + R + |t||d|) / |cos|, and a hit, miss or shape is right if moving surfaces by 16 u max(D, R) could give it
([numbers.md](numbers.md)). Most peers promise no such bound, so the third count uses a tolerance of 1e-4 of the distance instead
([ci.md](ci.md)); where that is
wider than a triangle, as far away, much is excused. A ray is *wrong* if it hits, misses or names a shape wrongly; it is *off* if only its distance is.
`diff` expects the lower id of two equal shapes; here the other
one is right, too, at a distance within 16 u.

Casters of triangles get curved shapes with 16 sides around. They are judged by those triangles, not by the curved shapes.
A third of the rays passes close to outlines, and in scenes of meshes many are aimed at vertices, so the counts say nothing about how
often ordinary rays are wrong. raytwin's CPU tracer is the reference of the judgement, so its own row can show no fault; an
independent check of it is the [witness suite](witness.md).

## In all scenes

{table(["caster", "scenes", "rays", "wrong", "off", "beyond 1e-4", "ms"], totals)}

## Wrong hits, misses and shapes

A dash means that the caster lacks something; the list is below.

{by_scene(entries, names, lambda verdict: str(len(verdict.wrong)))}

## Distances beyond the bound

In brackets: the worst error of these, in the scene's unit.

{by_scene(entries, names, error_cell)}

## What the triangles cost

The answers of the scene in triangles beside those of the exact shapes: this is no fault of a caster.

{table(["scene", "triangles", "rays that hit something else", "median error", "worst error"], tessellated)}

## Time

Milliseconds for the batch, the median of three, on a machine that had other work too. `mj_ray` and PyVista are called from Python for each ray.
`mj_multiRay` is called for each of ten eyes.

{by_scene(entries, names, lambda verdict: f"{verdict.milliseconds:.1f}")}

## Pictures

{pictures}

## Checked by hand

These rays come from runs with other seeds, so they are not counted in the tables.

Scene "balls, 20 radii away", ray (-7.024874687194824, -9.82954216003418, 8.889951705932617) +
t (0.6453138589859009, 0.4060930609703064, -0.6470382213592529). With fractions, the discriminant of each of the 60 balls is negative:
the ray misses them all. PyBullet answers a hit of ball 33 at 17.586.

Same scene, ray (-8.952995300292969, -11.968012809753418, -1.2690693140029907) +
t (0.6026747226715088, 0.7848072052001953, 0.14443285763263702). The exact hit of ball 46 is at 13.1882; PyBullet answers 13.1573.

PyVista's `ray_trace` sorts the points that a segment meets by their coordinates, and then returns one as the first. From (-5, 0.1, 0.2) to
(8, 0.1, 0.2), through unit balls in triangles about (0, 0, 0) and (3, 0, 0), it returns x = 3.97; the first is at x = -0.97.
`intersect_with_line` keeps the order of the segment.

With the closed mesh, triangles and ray taken as fractions:

- Ray (3.7950191497802734, 1.2561408281326294, -0.1412118822336197) + t (-0.8682311773300171, -0.4608519375324249, 0.18382081389427185):
  the first triangle is met at 3.206421971544965, beside an edge. trimesh with Embree passes through it and answers 4.348133.
- Ray (3.811093807220459, 0.7672898769378662, -0.9417164921760559) + t (-0.8904448747634888, -0.28941524028778076, 0.35120758414268494):
  exact 3.131805445913734. Open3D passes through and answers 4.832935.

On the heightfield, ray (-30.683279037475586, 27.532285690307617, 9) +
t (-0.013686088845133781, -0.9976040124893188, -0.06781494617462158): exact 69.62741. PyBullet answers 59.67527, where the ray meets no triangle.

The others were not checked by hand.

## Missing features

{lacks}

## Left out

{left_out}
""")
