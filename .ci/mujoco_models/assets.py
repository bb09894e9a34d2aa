"""Writes the binary files that the models in this folder use: python3 assets.py FOLDER."""

import pathlib
import struct
import sys
import zlib

import numpy

FOLDER = pathlib.Path(sys.argv[1]) / "parts"
# A block that is turned, so that its inertia frame differs from the file's frame.
CORNERS = numpy.array([[x, y, z] for x in (0, 0.8) for y in (0, 0.5) for z in (0, 0.3)])
TURN = numpy.linalg.qr(numpy.array([[3.0, 1, 2], [0, 2, 1], [1, 0, 4]]))[0]
TURN *= numpy.sign(numpy.linalg.det(TURN))
VERTICES = (CORNERS @ TURN.T).astype(numpy.float32)
FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
TRIANGLES = numpy.array([[f[0], f[i], f[i + 1]] for f in FACES for i in (1, 2)], numpy.int32)


def png(levels, bits):
    """Returns an image of 8 or 16 bits. One level per pixel is grey, two are grey with alpha, three a colour, four with alpha."""
    rows, columns = levels.shape[:2]
    color_type = [0, 4, 2, 6][levels.shape[2] - 1] if levels.ndim == 3 else 0
    kind = ">u2" if bits == 16 else "u1"
    data = b"".join(b"\0" + row.astype(kind).tobytes() for row in levels)
    head = struct.pack(">IIBBBBB", columns, rows, bits, color_type, 0, 0, 0)
    image = b"\x89PNG\r\n\x1a\n"
    for name, part in [(b"IHDR", head), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]:
        checksum = struct.pack(">I", zlib.crc32(name + part))
        image += struct.pack(">I", len(part)) + name + part + checksum
    return image


def main():
    solid = bytearray(80) + struct.pack("<I", len(TRIANGLES))
    for triangle in TRIANGLES:
        solid += struct.pack("<12fH", 0, 0, 0, *VERTICES[triangle].flatten(), 0)
    (FOLDER / "block.stl").write_bytes(solid)
    counts = struct.pack("<4i", len(VERTICES), 0, 0, len(TRIANGLES))
    (FOLDER / "block.msh").write_bytes(counts + VERTICES.tobytes() + TRIANGLES.tobytes())
    random = numpy.random.default_rng(15)
    (FOLDER / "field.png").write_bytes(png(random.integers(0, 256, (9, 12)), 8))
    (FOLDER / "deep.png").write_bytes(png(random.integers(0, 65536, (7, 5)), 16))
    (FOLDER / "colored.png").write_bytes(png(random.integers(0, 256, (6, 7, 4)), 8))
    (FOLDER / "deep_colored.png").write_bytes(png(random.integers(0, 65536, (5, 6, 3)), 16))
    heights = random.normal(size=(6, 8)).astype("<f4")
    (FOLDER / "field.bin").write_bytes(struct.pack("<2i", 6, 8) + heights.tobytes())


main()
