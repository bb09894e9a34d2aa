"""Casts rays with other programs. Each peer is set up as its own documentation describes."""

import os
from importlib import import_module, metadata

import numpy as np

MISS = 0xFFFFFFFF


class Peer:
    """A caster of one scene. It answers a batch of rays with t, ids of shapes, and triangles (or None)."""

    package = name = ""
    # Its types of shapes; None for a caster of triangles.
    kinds = None

    @classmethod
    def needs(cls):
        """Imports the modules that the peer needs, or raises ImportError or OSError."""
        import_module(cls.module)

    @classmethod
    def version(cls):
        return metadata.version(cls.package)

    @classmethod
    def lacks(cls, scene):
        """Returns the feature of a scene that the peer lacks, or None."""
        if scene.file:
            return "not given the file"
        for shape in scene.shapes:
            kind = kind_of(shape)
            if kind not in (cls.kinds or TRIANGULATED):
                return f"no {kind}"
        return None

    def no_answers(self, count):
        return np.full(count, np.inf), np.full(count, MISS, np.uint32)


def kind_of(shape):
    """Returns the type of a shape, or its variant if some casters lack it."""
    if shape.get("inner_radius"):
        return "tube"
    if shape["type"] == "plane":
        return "one-sided panel" if "half_extents" in shape else "endless plane"
    return shape["type"]


TRIANGULATED = {"sphere", "box", "cylinder", "tube", "capsule", "cone", "ellipsoid", "torus", "mesh", "heightfield"}


def numbers(values):
    return " ".join(map(repr, values))


class MuJoCo(Peer):
    package = module = "mujoco"
    kinds = {
        "sphere", "box", "cylinder", "capsule", "ellipsoid", "endless plane", "one-sided panel", "mesh", "heightfield",
    }

    @classmethod
    def lacks(cls, scene):
        return None if scene.file else super().lacks(scene)

    def __init__(self, scene, triangles, reach):
        import mujoco

        self.mujoco = mujoco
        if scene.file:
            self.model = mujoco.MjModel.from_xml_path(str(scene.file))
        else:
            self.model = mujoco.MjModel.from_xml_string(self.xml_of(scene))
            for shape in scene.shapes:
                if shape["type"] == "heightfield":
                    self.model.hfield_data[:] = np.ravel(shape["heights"]) / self.model.hfield_size[0, 2]
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    @staticmethod
    def xml_of(scene):
        """Returns a model with each shape in its own body, like the links of a robot."""
        assets, bodies = [], []
        for number, shape in enumerate(scene.shapes):
            kind, place = shape["type"], f'pos="{numbers(shape.get("center", [0.0] * 3))}"'
            if quaternion := shape.get("rotation_xyzw"):
                place += f' quat="{numbers(quaternion[3:] + quaternion[:3])}"'
            if kind in ("box", "ellipsoid"):
                what = f'{place} size="{numbers(shape.get("half_extents") or shape["radii"])}"'
            elif kind == "sphere":
                what = f'{place} size="{shape["radius"]!r}"'
            elif kind in ("cylinder", "capsule"):
                what = f'fromto="{numbers(shape["start"] + shape["end"])}" size="{shape["radius"]!r}"'
            elif kind == "plane":
                what = f'{place.replace(numbers([0.0] * 3), numbers(shape["point"]), 1)} size="{numbers(shape.get("half_extents", [0.0] * 2))} 1"'
            elif kind == "mesh":
                vertices, faces = (numbers(np.ravel(shape[key]).tolist()) for key in ("vertices", "triangles"))
                assets.append(f'<mesh name="m{number}" vertex="{vertices}" face="{faces}"/>')
                what = f'mesh="m{number}"'
            else:
                rows, columns = np.shape(shape["heights"])
                half = numbers([0.5 * (count - 1) * step for count, step in zip((columns, rows), shape["spacing"])])
                assets.append(f'<hfield name="h{number}" nrow="{rows}" ncol="{columns}" size="{half} 8 1"/>')
                kind, what = "hfield", f'hfield="h{number}" {place}'
            if number in scene.visual:
                what += ' contype="0" conaffinity="0" group="2"'
            geom = f'<geom type="{kind}" {what}/>'
            if number in scene.visual:
                # A visual-only shape belongs to the previous link.
                bodies[-1] = bodies[-1].replace("</body>", geom + "</body>")
            else:
                bodies.append(geom if kind in ("plane", "hfield") else f"<body>{geom}</body>")
        asset, world = "".join(assets), "".join(bodies)
        return f"<mujoco><asset>{asset}</asset><worldbody>{world}</worldbody></mujoco>"

    @staticmethod
    def answers(distances, geoms):
        is_hit = geoms >= 0
        return np.where(is_hit, distances, np.inf), np.where(is_hit, geoms, MISS).astype(np.uint32), None


class OneByOne(MuJoCo):
    name = "`mj_ray`"

    def cast(self, rays):
        origins, directions = rays[:, :3].astype(float), rays[:, 3:].astype(float)
        distances, geoms, geom = np.empty(len(rays)), np.empty(len(rays), np.int32), np.zeros(1, np.int32)
        cast = self.mujoco.mj_ray
        for number, (origin, direction) in enumerate(zip(origins, directions)):
            distances[number] = cast(self.model, self.data, origin, direction, None, 1, -1, geom)
            geoms[number] = geom[0]
        return self.answers(distances, geoms)


class Many(MuJoCo):
    name = "`mj_multiRay`"

    def cast(self, rays):
        distances, geoms = np.empty(len(rays)), np.empty(len(rays), np.int32)
        # One call casts the rays of one eye.
        starts = np.flatnonzero(np.r_[True, (rays[1:, :3] != rays[:-1, :3]).any(axis=1)])
        for start, stop in zip(starts, [*starts[1:], len(rays)]):
            eye, flat = rays[start, :3].astype(float), rays[start:stop, 3:].astype(float).ravel()
            distance, geom = np.empty(stop - start), np.empty(stop - start, np.int32)
            # MuJoCo 4 has an argument for the normals, which older releases do not have.
            normals = (None,) if int(self.version().split(".")[0]) >= 4 else ()
            self.mujoco.mj_multiRay(
                self.model, self.data, eye, flat, None, 1, -1, geom, distance, *normals, stop - start, self.mujoco.mjMAXVAL
            )
            distances[start:stop], geoms[start:stop] = distance, geom
        return self.answers(distances, geoms)


class Bullet(Peer):
    package = module = "pybullet"
    name = "PyBullet"
    kinds = {"sphere", "box", "cylinder", "capsule", "endless plane", "mesh", "heightfield"}

    @classmethod
    def lacks(cls, scene):
        if scene.is_inside:
            return "no hits from inside shapes, by convention"
        return "hits only collision shapes" if scene.visual else super().lacks(scene)

    def __init__(self, scene, triangles, reach):
        import pybullet

        from tessellate import frame_of

        self.bullet, self.reach, self.client = pybullet, reach, pybullet.connect(pybullet.DIRECT)
        self.threads = len(os.sched_getaffinity(0))
        self.shape_of_body = {}
        for number, shape in enumerate(scene.shapes):
            kind, place, turn = shape["type"], shape.get("center", [0.0] * 3), shape.get("rotation_xyzw", [0.0, 0.0, 0.0, 1.0])
            if kind == "sphere":
                given = {"shapeType": pybullet.GEOM_SPHERE, "radius": shape["radius"]}
            elif kind == "box":
                given = {"shapeType": pybullet.GEOM_BOX, "halfExtents": shape["half_extents"]}
            elif kind == "plane":
                given, place = {"shapeType": pybullet.GEOM_PLANE, "planeNormal": shape["normal"]}, shape["point"]
            elif kind == "mesh":
                given = {
                    "shapeType": pybullet.GEOM_MESH, "vertices": shape["vertices"], "indices": np.ravel(shape["triangles"]).tolist(),
                    "flags": pybullet.GEOM_FORCE_CONCAVE_TRIMESH,
                }
            elif kind == "heightfield":
                # Bullet cuts cells from the other corner, so this turns the field by a quarter. Bullet puts the middle height at 0.
                heights = np.array(shape["heights"]).T[::-1]
                given = {
                    "shapeType": pybullet.GEOM_HEIGHTFIELD, "meshScale": [*shape["spacing"][::-1], 1.0],
                    "heightfieldData": heights.ravel().tolist(),
                    "numHeightfieldRows": heights.shape[1], "numHeightfieldColumns": heights.shape[0],
                }
                place, turn = np.add(place, [0, 0, (heights.min() + heights.max()) / 2]).tolist(), [0.0, 0.0, 0.5**0.5, 0.5**0.5]
            else:
                start, end = np.array(shape["start"]), np.array(shape["end"])
                axes = frame_of(end - start)
                kind = pybullet.GEOM_CYLINDER if kind == "cylinder" else pybullet.GEOM_CAPSULE
                given = {"shapeType": kind, "radius": shape["radius"], "height": float(np.linalg.norm(end - start))}
                place, turn = ((start + end) / 2).tolist(), quaternion_of(axes)
            collision = pybullet.createCollisionShape(**given, physicsClientId=self.client)
            body = pybullet.createMultiBody(
                0, collision, basePosition=place, baseOrientation=turn, physicsClientId=self.client
            )
            self.shape_of_body[body] = number

    def cast(self, rays):
        origins, directions = rays[:, :3].astype(float), rays[:, 3:].astype(float)
        ends = origins + self.reach * directions
        t, ids = self.no_answers(len(rays))
        # One call casts at most this many rays.
        most = self.bullet.MAX_RAY_INTERSECTION_BATCH_SIZE
        for start in range(0, len(rays), most):
            part = slice(start, start + most)
            found = self.bullet.rayTestBatch(
                origins[part].tolist(), ends[part].tolist(), numThreads=self.threads, physicsClientId=self.client
            )
            for number, hit in enumerate(found, start):
                if hit[0] >= 0:
                    t[number], ids[number] = hit[2] * self.reach, self.shape_of_body[hit[0]]
        return t, ids, None

    def close(self):
        self.bullet.disconnect(self.client)


def quaternion_of(axes):
    """Returns the quaternion x, y, z, w of a rotation: the eigenvector of its quadratic form with the largest eigenvalue."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = axes
    form = np.array([
        [xx - yy - zz, xy + yx, xz + zx, zy - yz],
        [xy + yx, yy - xx - zz, yz + zy, xz - zx],
        [xz + zx, yz + zy, zz - xx - yy, yx - xy],
        [zy - yz, xz - zx, yx - xy, xx + yy + zz],
    ])
    return np.linalg.eigh(form)[1][:, -1].tolist()


class Joined(Peer):
    """A caster of one mesh. Each triangle belongs to a shape."""

    def __init__(self, scene, triangles, reach):
        counts = [len(faces) for _, faces in triangles]
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in triangles)])
        self.vertices = np.vstack([vertices for vertices, _ in triangles])
        self.faces = np.vstack([faces.astype(np.int64) + start for (_, faces), start in zip(triangles, starts)])
        self.shape_of_face = np.repeat(np.arange(len(counts)), counts)
        self.first_face = np.cumsum([0, *counts])
        self.reach = reach
        self.make()

    def answers(self, count, hit, faces, points, origins, directions):
        """Returns the answers of rays that hit faces at points."""
        t, ids = self.no_answers(count)
        primitives = ids.copy()
        along = directions[hit]
        t[hit] = ((points - origins[hit]) * along).sum(axis=1) / (along**2).sum(axis=1)
        ids[hit] = self.shape_of_face[faces]
        primitives[hit] = faces - self.first_face[ids[hit]]
        return t, ids, primitives


class Open3D(Peer):
    package = module = "open3d"
    name = "Open3D"

    def __init__(self, scene, triangles, reach):
        import open3d

        self.core = open3d.core
        self.scene = open3d.t.geometry.RaycastingScene()
        for vertices, faces in triangles:
            self.scene.add_triangles(open3d.core.Tensor(vertices), open3d.core.Tensor(faces))

    def cast(self, rays):
        found = self.scene.cast_rays(self.core.Tensor(rays))
        return tuple(found[name].numpy() for name in ("t_hit", "geometry_ids", "primitive_ids"))


class Trimesh(Joined):
    package = module = "trimesh"
    name = "trimesh"

    @classmethod
    def needs(cls):
        import_module("trimesh")
        import_module("embreex")

    @classmethod
    def version(cls):
        return f"{metadata.version('trimesh')} with embreex {metadata.version('embreex')}"

    def make(self):
        import trimesh

        self.mesh = trimesh.Trimesh(self.vertices, self.faces, process=False)
        self.mesh.ray  # noqa: B018  The tree is built on first use.

    def cast(self, rays):
        origins, directions = rays[:, :3].astype(float), rays[:, 3:].astype(float)
        faces, hit, points = self.mesh.ray.intersects_id(origins, directions, multiple_hits=False, return_locations=True)
        return self.answers(len(rays), hit, faces, points, origins, directions)


class PyVista(Joined):
    package = module = "pyvista"
    name = "PyVista `ray_trace`"

    @classmethod
    def version(cls):
        return f"{metadata.version('pyvista')} with VTK {metadata.version('vtk')}"

    def make(self):
        import pyvista

        self.mesh = pyvista.PolyData.from_regular_faces(self.vertices, self.faces)

    def first(self, origin, end):
        """Returns the first point that a segment meets and its triangle, or None."""
        point, cells = self.mesh.ray_trace(origin, end, first_point=True)
        return (point, cells[0]) if len(cells) else None

    def cast(self, rays):
        origins, directions = rays[:, :3].astype(float), rays[:, 3:].astype(float)
        found = [self.first(*segment) for segment in zip(origins, origins + self.reach * directions)]
        hit = np.array([number for number, each in enumerate(found) if each], int)
        points = np.reshape([found[number][0] for number in hit], (-1, 3))
        faces = np.array([found[number][1] for number in hit], int)
        return self.answers(len(rays), hit, faces, points, origins, directions)


class VTK(PyVista):
    name = "PyVista `intersect_with_line`"

    def first(self, origin, end):
        points, cells = self.mesh.intersect_with_line(origin, end)
        return (points[0], cells[0]) if len(cells) else None


PEERS = [OneByOne, Many, Bullet, Open3D, Trimesh, PyVista, VTK]
