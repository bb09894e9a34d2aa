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
        "far": "Open3D, 100,000 radii away: rays at edges and outlines.",
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

The same rays were cast at the same {len(entries)} scenes by programs that people use today. `raytwin diff --against` judged each answer.
This page is written by `python3 benches/census/census.py`; all figures are from one run.

Casters: {"; ".join(versions)}; raytwin {version}, on the CPU in float64 and, where shown, on {device}. Processor: {processor}.

## How it was judged

All shapes and rays are float32 numbers. Answers in float64 are rounded to float32. A distance is right within
8 u (D + R + |t||d|) / |cos|, and a hit, miss or shape is right if moving surfaces by 16 u max(D, R) could give it
([numbers.md](numbers.md)). Most peers promise no such bound, so the third count uses a tolerance of 1e-4 of the distance instead
([ci.md](ci.md)). A ray is *wrong* if it hits, misses or names a shape wrongly; it is *off* if only its distance is.
Of two surfaces in one place, either is right.

Casters of triangles get curved shapes with 32 sides around. They are judged by those triangles, not by the curved shapes.
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

Milliseconds for the batch, the median of three. `mj_ray` and PyVista are called from Python for each ray.

{by_scene(entries, names, lambda verdict: f"{verdict.milliseconds:.1f}")}

## Pictures

{pictures}

## Missing features

{lacks}

## Left out

{left_out}
""")
