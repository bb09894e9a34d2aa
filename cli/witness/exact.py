#!/usr/bin/env python3
"""Derives the answers of the witness suite in exact arithmetic, and checks the files beside it.

It shares nothing with raytwin. Numbers are rounded once to float32, as the files ask, and are fractions from then on. A root that is
no fraction is known to 200 bits. Each list of crossings is checked a second time by the definition of the solid: between two
crossings the ray is inside or outside all the way. It needs Python's standard library alone.

    python3 cli/witness/exact.py
"""
import json
import math
import struct
import sys
from fractions import Fraction as F
from pathlib import Path

U = F(1, 2**24)
FINE = 2**200


def f32(number):
    return F(struct.unpack("f", struct.pack("f", number))[0])


def vector(numbers):
    return tuple(f32(number) for number in numbers)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def add(a, b, scale=1):
    return tuple(x + scale * y for x, y in zip(a, b))


def sub(a, b):
    return add(a, b, -1)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def root(square):
    """Returns the square root of a fraction: the fraction if there is one, else its first 200 bits."""
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above * above == square.numerator and below * below == square.denominator:
        return F(above, below)
    return F(math.isqrt(square.numerator * FINE * FINE // square.denominator), FINE)


def length(v):
    return root(dot(v, v))


def quadratic(a, b, c):
    """Returns the roots of a t^2 + 2 b t + c, a touching root twice."""
    if a == 0:
        return [-c / (2 * b)] if b != 0 else []
    discriminant = b * b - a * c
    if discriminant < 0:
        return []
    s = root(discriminant)
    return sorted([(-b - s) / a, (-b + s) / a])


def polynomial(coefficients, t):
    value = F(0)
    for coefficient in reversed(coefficients):
        value = value * t + coefficient
    return value


def trimmed(coefficients):
    while coefficients and coefficients[-1] == 0:
        coefficients = coefficients[:-1]
    return coefficients


def remainder(a, b):
    a = list(a)
    while len(a) >= len(b):
        factor = a[-1] / b[-1]
        for index in range(len(b)):
            a[len(a) - len(b) + index] -= factor * b[index]
        a = a[:-1]
    return trimmed(a)


def roots_by_sturm(coefficients):
    """Returns the distinct real roots of a polynomial, by Sturm's theorem and bisection."""
    chain = [trimmed(coefficients)]
    chain.append([index * c for index, c in enumerate(chain[0])][1:])
    while len(chain[-1]) > 1:
        rest = remainder(chain[-2], chain[-1])
        if not rest:
            break
        chain.append([-c for c in rest])

    def changes(t):
        signs = [value > 0 for value in (polynomial(p, t) for p in chain) if value != 0]
        return sum(a != b for a, b in zip(signs, signs[1:]))

    reach = 1 + max(abs(c / chain[0][-1]) for c in chain[0])
    found, waiting = [], [(-reach, reach)]
    while waiting:
        low, high = waiting.pop()
        count = changes(low) - changes(high)
        if count > 0 and high - low < F(1, FINE):
            found.append((low + high) / 2)
        elif count > 0:
            middle = (low + high) / 2
            waiting += [(low, middle), (middle, high)]
    return sorted(found)


# Each shape has its bounding sphere, the crossings of a line with the primitive that is crossed, and an outward normal. A
# solid has a side, too: a number that is negative inside and positive outside.


class Sphere:
    allowance = 8

    def __init__(self, shape):
        self.center, self.radii = vector(shape["center"]), vector(shape.get("radii", 3 * [shape.get("radius")]))

    def stretched(self, scale, move):
        self.center = add([s * c for s, c in zip(scale, self.center)], move)
        self.radii = [abs(s) * r for s, r in zip(scale, self.radii)]

    def bounds(self):
        return self.center, max(self.radii)

    def crossings(self, o, d):
        o, d = [[x / r for x, r in zip(v, self.radii)] for v in (sub(o, self.center), d)]
        return [(t, 0) for t in quadratic(dot(d, d), dot(o, d), dot(o, o) - 1)]

    def normal(self, p, _):
        return [x / r / r for x, r in zip(sub(p, self.center), self.radii)]

    def side(self, p):
        return sum((x / r) ** 2 for x, r in zip(sub(p, self.center), self.radii)) - 1


class Box:
    allowance = 8

    def __init__(self, shape):
        self.center, self.half = vector(shape["center"]), vector(shape["half_extents"])

    def bounds(self):
        return self.center, length(self.half)

    def crossings(self, o, d):
        o, low, high = sub(o, self.center), None, None
        for x, way, half in zip(o, d, self.half):
            if way == 0:
                if abs(x) > half:
                    return []
                continue
            near, far = sorted([(-half - x) / way, (half - x) / way])
            low, high = (near if low is None else max(low, near)), (far if high is None else min(high, far))
        return [(low, 0), (high, 0)] if low <= high else []

    def normal(self, p, _):
        p = sub(p, self.center)
        distance = [abs(x) - half for x, half in zip(p, self.half)]
        axis = distance.index(max(distance))
        return [F(0) if index != axis else F(1 if p[axis] > 0 else -1) for index in range(3)]

    def side(self, p):
        return max(abs(x) - half for x, half in zip(sub(p, self.center), self.half))


class Cone:
    """A cone or a cylinder between two caps."""

    allowance = 8

    def __init__(self, shape):
        self.start, self.axis = vector(shape["start"]), sub(vector(shape["end"]), vector(shape["start"]))
        both = shape.get("radius")
        self.radii = [f32(shape.get(name, both)) for name in ("start_radius", "end_radius")]

    def bounds(self):
        half = [x / 2 for x in self.axis]
        return add(self.start, half), root(dot(half, half) + max(self.radii) ** 2)

    def along(self, p):
        return dot(sub(p, self.start), self.axis) / dot(self.axis, self.axis)

    def radius(self, along):
        return self.radii[0] + (self.radii[1] - self.radii[0]) * along

    def aside(self, p):
        return sub(sub(p, self.start), [self.along(p) * x for x in self.axis])

    def crossings(self, o, d):
        at, way = self.along(o), dot(d, self.axis) / dot(self.axis, self.axis)
        aside, way_aside = self.aside(o), sub(d, [way * x for x in self.axis])
        r, slope = self.radius(at), (self.radii[1] - self.radii[0]) * way
        found = quadratic(dot(way_aside, way_aside) - slope**2, dot(aside, way_aside) - r * slope, dot(aside, aside) - r * r)
        found = [t for t in found if 0 < at + t * way < 1]
        for cap in (0, 1):
            if way != 0:
                t = (cap - at) / way
                p = add(aside, way_aside, t)
                if dot(p, p) <= self.radii[cap] ** 2:
                    found.append(t)
            elif at == cap:
                # The ray lies in the plane of a cap and crosses the rim.
                found += quadratic(dot(d, d), dot(aside, d), dot(aside, aside) - self.radii[cap] ** 2)
        found.sort()
        # A cap is touched at its rim, or at the apex, where the side is touched too.
        return [(t, 0) for t in ([found[0], found[-1]] if found else [])]

    def normal(self, p, _):
        along = self.along(p)
        if along in (0, 1):
            return [(1 if along else -1) * x for x in self.axis]
        slope = (self.radii[0] - self.radii[1]) * self.radius(along) / dot(self.axis, self.axis)
        return add(self.aside(p), self.axis, slope)

    def side(self, p):
        along = self.along(p)
        aside = self.aside(p)
        return max(-along, along - 1, dot(aside, aside) - self.radius(along) ** 2)


class Capsule:
    allowance = 8

    def __init__(self, shape):
        self.ends, self.radius = [vector(shape["start"]), vector(shape["end"])], f32(shape["radius"])
        self.axis = sub(self.ends[1], self.ends[0])

    def bounds(self):
        half = [x / 2 for x in self.axis]
        return add(self.ends[0], half), length(half) + self.radius

    def foot(self, p):
        along = dot(sub(p, self.ends[0]), self.axis) / dot(self.axis, self.axis)
        return add(self.ends[0], self.axis, min(max(along, F(0)), F(1)))

    def crossings(self, o, d):
        axis, squared = self.axis, dot(self.axis, self.axis)
        aside, way = [sub(v, [dot(v, axis) / squared * x for x in axis]) for v in (sub(o, self.ends[0]), d)]
        along = lambda t: dot(sub(add(o, d, t), self.ends[0]), axis) / squared
        found = [t for t in quadratic(dot(way, way), dot(aside, way), dot(aside, aside) - self.radius**2) if 0 <= along(t) <= 1]
        for end, side in zip(self.ends, (-1, 1)):
            from_end = sub(o, end)
            ball = quadratic(dot(d, d), dot(from_end, d), dot(from_end, from_end) - self.radius**2)
            found += [t for t in ball if (along(t) >= 1 if side > 0 else along(t) <= 0)]
        found.sort()
        return [(t, 0) for t in ([found[0], found[-1]] if found else [])]

    def normal(self, p, _):
        return sub(p, self.foot(p))

    def side(self, p):
        aside = sub(p, self.foot(p))
        return dot(aside, aside) - self.radius**2


class Torus:
    """A torus about the z axis."""

    allowance = 64

    def __init__(self, shape):
        assert shape["axis"] == [0, 0, 1]
        self.center, self.major, self.minor = vector(shape["center"]), f32(shape["major_radius"]), f32(shape["minor_radius"])

    def bounds(self):
        return self.center, self.major + self.minor

    def crossings(self, o, d):
        o = sub(o, self.center)
        sphere = [dot(o, o) + self.major**2 - self.minor**2, 2 * dot(o, d), dot(d, d)]
        flat = [dot(o[:2], o[:2]), 2 * dot(o[:2], d[:2]), dot(d[:2], d[:2])]
        quartic = [F(0)] * 5
        for i, a in enumerate(sphere):
            for j, b in enumerate(sphere):
                quartic[i + j] += a * b
        for index, b in enumerate(flat):
            quartic[index] -= 4 * self.major**2 * b
        return [(t, 0) for t in roots_by_sturm(quartic)]

    def normal(self, p, _):
        p = sub(p, self.center)
        scale = self.major / root(dot(p[:2], p[:2]))
        return [p[0] - scale * p[0], p[1] - scale * p[1], p[2]]

    def side(self, p):
        p = sub(p, self.center)
        return (root(dot(p[:2], p[:2])) - self.major) ** 2 + p[2] ** 2 - self.minor**2


class Disc:
    """A disc, or without a radius a plane."""

    allowance = 8
    side = None

    def __init__(self, shape):
        self.center = vector(shape["center"] if "center" in shape else shape["point"])
        self.n, self.radius = vector(shape["normal"]), f32(shape["radius"]) if "radius" in shape else None

    def bounds(self):
        return self.center, self.radius or F(0)

    def crossings(self, o, d):
        if dot(d, self.n) == 0:
            return []
        t = dot(sub(self.center, o), self.n) / dot(d, self.n)
        aside = sub(add(o, d, t), self.center)
        return [(t, 0)] if self.radius is None or dot(aside, aside) <= self.radius**2 else []

    def normal(self, *_):
        return self.n


class Mesh:
    allowance = 8
    side = None

    def __init__(self, shape):
        vertices = [vector(v) for v in shape["vertices"]]
        self.triangles = [[vertices[i] for i in ids] for ids in shape.get("triangles", [[0, 1, 2]])]
        self.whole = None

    def stretched(self, scale, move):
        image = lambda v: add([s * x for s, x in zip(scale, v)], move)
        self.triangles = [[image(v) for v in triangle] for triangle in self.triangles]
        if math.prod(scale) < 0:
            self.triangles = [[a, c, b] for a, b, c in self.triangles]

    def bounds(self, triangle=None):
        points = self.whole or self.triangles[triangle]
        low, high = [[choose(p[i] for p in points) for i in range(3)] for choose in (min, max)]
        return [(a + b) / 2 for a, b in zip(low, high)], length(sub(high, low)) / 2

    def crossings(self, o, d):
        found = []
        for index, (a, b, c) in enumerate(self.triangles):
            n = cross(sub(b, a), sub(c, a))
            if dot(n, d) == 0:
                continue
            t = dot(sub(a, o), n) / dot(d, n)
            p = add(o, d, t)
            if all(dot(cross(sub(to, start), sub(p, start)), n) >= 0 for start, to in ((a, b), (b, c), (c, a))):
                found.append((t, index))
        return sorted(found)

    def normal(self, _, index):
        a, b, c = self.triangles[index]
        return cross(sub(b, a), sub(c, a))


def heightfield(shape):
    """Returns the mesh of a heightfield's triangles, in the order of their ids."""
    heights, (dx, dy), center = shape["heights"], shape["spacing"], shape["center"]
    rows, columns = len(heights), len(heights[0])
    at = lambda r, c: [center[0] + (c - (columns - 1) / 2) * dx, center[1] + (r - (rows - 1) / 2) * dy, center[2] + heights[r][c]]
    vertices, triangles = [], []
    for r in range(rows - 1):
        for c in range(columns - 1):
            for corners in ([(r, c), (r, c + 1), (r + 1, c + 1)], [(r, c), (r + 1, c + 1), (r + 1, c)]):
                triangles.append([len(vertices) + index for index in range(3)])
                vertices += [at(*corner) for corner in corners]
    mesh = Mesh({"vertices": vertices, "triangles": triangles})
    mesh.whole = [v for triangle in mesh.triangles for v in triangle]
    return mesh


KINDS = dict(sphere=Sphere, ellipsoid=Sphere, box=Box, cylinder=Cone, cone=Cone, capsule=Capsule, torus=Torus)
KINDS |= dict(disc=Disc, plane=Disc, triangle=Mesh, mesh=Mesh, heightfield=heightfield)


def geometries(scene):
    """Returns the geometries in the order of their ids."""
    found = [KINDS[shape["type"]](shape) for shape in scene.get("shapes", [])]
    for node in scene.get("nodes", []):
        for shape in geometries(node):
            shape.stretched(vector(node.get("scale", [1, 1, 1])), vector(node.get("translation", [0, 0, 0])))
            found.append(shape)
    return found


def check_inside(shape, o, d, crossings):
    """Checks crossings of a solid by its definition: they are where the ray changes sides, and nowhere else."""
    ts = [t for t, _ in crossings]
    for t in ts:
        assert abs(shape.side(add(o, d, t))) < F(1, 2**150), "a crossing is not on the surface"
    step = F(1) / length(d)
    ends = [ts[0] - 10 * step, *ts, ts[-1] + 10 * step] if ts else [-1000 * step, 1000 * step]
    for index, (a, b) in enumerate(zip(ends, ends[1:])):
        for k in range(1, 64):
            if a < b:
                value = shape.side(add(o, d, a + (b - a) * F(k, 64)))
                assert value <= 0 if index % 2 else value > 0, "the ray changes sides between crossings"


def crossings_of(shapes, ray):
    """Returns all crossings in a ray's interval, as (t, geometry id, primitive id), in order."""
    o, d = vector(ray[0:3]), vector(ray[3:6])
    low, high = f32(ray[6]), None if ray[7] is None else f32(ray[7])
    found = []
    for index, shape in enumerate(shapes):
        crossings = shape.crossings(o, d)
        if shape.side:
            check_inside(shape, o, d, crossings)
        found += [(t, index, primitive) for t, primitive in crossings if t >= low and (high is None or t <= high)]
    return sorted(found)


def bound(shape, primitive, ray, t):
    """Returns the promised bound on an error of t; None for a ray that touches."""
    o, d = vector(ray[0:3]), vector(ray[3:6])
    center, radius = shape.bounds(primitive) if isinstance(shape, Mesh) else shape.bounds()
    n = shape.normal(add(o, d, t), primitive)
    cosine = abs(dot(n, d)) / length(n) / length(d)
    if cosine < F(1, 10**9):
        return None
    distance = length(sub(o, center)) + radius + abs(t) * length(d)
    return float(shape.allowance * U * distance / cosine / length(d))


def is_valid(ray):
    squared = dot(vector(ray[3:6]), vector(ray[3:6]))
    return F(1, 10**24) <= squared <= 10**24


def answer(case, shapes, ray):
    """Returns what a case's query is answered, in terms of crossings."""
    if not is_valid(ray):
        return {"closest": "invalid", "any": False, "count": 0, "all": []}[case["query"]]
    found = [hit for hit in crossings_of(shapes, ray) if hit[1] != case.get("ignore_id")]
    if case.get("solid"):
        start = add(vector(ray[0:3]), vector(ray[3:6]), f32(ray[6]))
        found = [(f32(ray[6]), i, 0) for i, shape in enumerate(shapes) if shape.side and shape.side(start) <= 0] + found
    if case["query"] == "closest":
        return found[0] if found else "miss"
    if case["query"] == "any":
        return bool(found)
    # A surface of many triangles is crossed once where several of them meet.
    once = [hit for k, hit in enumerate(found) if not (isinstance(shapes[hit[1]], Mesh) and hit[:2] in [h[:2] for h in found[:k]])]
    return len(once) if case["query"] == "count" else once


def check_hit(case, shapes, ray, exact, given):
    t, index, primitive = exact
    assert given["geometry_id"] == index, f"the id is {index}"
    assert given["t"] == float(t), f"t is {float(t)!r}"
    if "primitive_id" in given:
        assert given["primitive_id"] == primitive, f"the primitive is {primitive}"
    if "bound" in given:
        allowed = bound(shapes[index], primitive, ray, t)
        assert allowed and 0.99 * allowed <= given["bound"] <= 1.01 * allowed, f"the bound is {allowed}"
    else:
        assert case["lattice"] and f32(float(t)) == t, "t has no bound, and is no float32 number of a lattice"
    if "normal" in given:
        n = shapes[index].normal(add(vector(ray[0:3]), vector(ray[3:6]), t), primitive)
        n = [float(x / length(n)) for x in n]
        assert all(abs(a - b) < 1e-12 for a, b in zip(n, given["normal"])), f"the normal is {n}"


def check(case):
    shapes = geometries(case["scene"])
    assert len(case["rays"]) == len(case["expected"]), "there is not one answer for each ray"
    for ray, given in zip(case["rays"], case["expected"]):
        exact = answer(case, shapes, ray)
        try:
            if isinstance(exact, tuple):
                check_hit(case, shapes, ray, exact, given)
            elif isinstance(exact, list):
                assert len(exact) == len(given), f"there are {len(exact)} crossings"
                for hit, listed in zip(exact, given):
                    check_hit(case, shapes, ray, hit, listed)
            else:
                assert exact == given, f"the answer is {exact}"
        except (AssertionError, TypeError) as error:
            sys.exit(f"{case['name']}: ray {ray}: {error}, and the file says {given}")


def main():
    cases = answers = 0
    for path in sorted(Path(__file__).parent.glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            check(case)
            cases, answers = cases + 1, answers + len(case["rays"])
    print(f"{answers} answers of {cases} cases are exact")


if __name__ == "__main__":
    main()
