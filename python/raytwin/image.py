"""Images of a camera, which a notebook shows as pictures."""

from __future__ import annotations

import base64
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _raytwin
from .answers import Answers
from .camera import Camera

if TYPE_CHECKING:
    from .notebook.image_view import ImageView
    from .notebook.picture import Picture


class Image(Answers):
    """What a camera sees, as arrays by name that are also attributes. The H rows count from the top, the W columns from the left.

    - ``distance``: float32 (H, W), along the rays, as the camera's sensor reports it; +inf for no return
    - ``z``: float32 (H, W), along the camera's axis; +inf for no return; negative behind a panoramic camera
    - ``geometry_ids``, ``primitive_ids``, ``instance_ids``: uint32 (H, W); 0xFFFFFFFF for a miss
    - ``primitive_normals``: float32 (H, W, 3), outward and of unit length; zero for a miss; not with ``normals=False``
    - ``label_ids``: uint16 (H, W), the labels of geometries; 0 for none and for a miss; only with ``labels=True``
    - ``albedo``: uint8 (H, W, 3), the unlit colours of geometries, in sRGB; 0 for a miss; only with ``albedo=True``

    A notebook shows the image: a shaded picture on the left, and distances as colours with a legend on the right. A pickle has
    the arrays and the camera, but a pickled image cannot make pictures.
    """

    def __init__(self, arrays: dict[str, Any], camera: Camera, rendered: Any = None) -> None:
        super().__init__(arrays)
        self.__dict__["camera"] = camera
        self.__dict__["_rendered"] = rendered

    def shaded(self, samples: int | None = None, *, background: str | None = None) -> bytes:
        """Returns a shaded picture as the bytes of a PNG file.

        The picture has a sun with soft shadows, a sky, and the scene's colours. Shapes without a colour get one by their id.
        ``samples`` is the number of the camera's rays for each pixel, by default eight or fewer. ``background`` replaces the
        sky, and the floor with its shadows: ``"white"``, ``"black"``, a colour such as ``"#ff8000"``, or ``"none"`` for a
        transparent background.

        Raises ValueError for another background.
        """
        return self._pictures.shaded(samples, background)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        shading: int | None = None,
        range: tuple[float, float] | None = None,
        z_scale: float | None = None,
        background: str | None = None,
        instances: bool = False,
        labels: bool = False,
        cloud: str | os.PathLike[str] | None = None,
        cloud_normals: bool = False,
        frame: str = "world",
    ) -> list[Path]:
        """Writes the files of ``raytwin render`` into a folder, and returns their paths.

        The files appear together, and each is complete. They are ``render.npz``, ``render.exr``, ``geometries.json``,
        ``shaded.png``, ``distance.png``, ``geometry_ids.png`` and ``normals.png``. If ``folder`` ends in ``.png``, only the
        shaded picture is written, to that file; then only ``shading`` and ``background`` are allowed.

        - ``shading``: the number of samples of ``shaded.png``; 0 leaves it out.
        - ``range``: the range of the colours in ``distance.png``.
        - ``z_scale``: also writes ``z_16bit.png`` with the numbers round(z * z_scale).
        - ``background``: the background of all pictures except ``z_16bit.png``, as in `shaded`.
        - ``instances``: also writes the instance ids.
        - ``labels``: also writes the array ``label_ids`` and ``labels.png``.
        - ``cloud``: a file for the points, such as a .ply, .laz, .csv or .xyz.
        - ``cloud_normals``: adds normals to the points.
        - ``frame``: the frame of the points, ``"world"`` or ``"sensor"``.

        Raises FileError if a file cannot be written, and ValueError for arguments that do not fit each other.
        """
        if frame not in ("world", "sensor"):
            raise ValueError(f"frame must be 'world' or 'sensor', and is {frame!r}")
        suffix = Path(folder).suffix.lower()
        if suffix == ".png":
            if (range, z_scale, cloud) != (None, None, None) or instances or labels or shading == 0:
                raise ValueError(f"save writes only one shaded picture to {os.fspath(folder)}: give a folder for other files")
            return [_write(Path(folder), self.shaded(shading, background=background))]
        if suffix in (".jpg", ".jpeg", ".exr", ".npz", ".npy", ".tif", ".tiff"):
            raise ValueError(f"save writes a folder of files, or a .png, and {os.fspath(folder)} is neither: give a folder")
        points = None if cloud is None else (cloud, frame == "sensor", cloud_normals)
        return self._pictures.save(folder, self, shading, range, z_scale, background, (instances, labels), points)

    def show(self, kind: Literal["shaded", "distance", "ids", "normals"] = "shaded") -> ImageView | Picture:
        """Returns one picture of the image, which a notebook shows at the end of a cell.

        Next to the picture the notebook shows the distance (in scene units), the id and the path of the pixel under the pointer.
        This needs ``raytwin[notebook]`` and a running kernel. Elsewhere it is a plain picture. ``.png`` has the bytes of its
        file.

        Raises ValueError for an unknown kind, and Error for a pickled image, which cannot make pictures.
        """
        from .notebook import show_image

        return show_image(self, kind)

    def _repr_png_(self) -> bytes:
        # A notebook requests all forms, so this one is kept.
        if "_shown" not in self.__dict__:
            self.__dict__["_shown"] = self.shaded()
        return self.__dict__["_shown"]

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder, shading=0)
            pictures = [self._repr_png_(), Path(folder, "distance.png").read_bytes()]
        sources = [base64.b64encode(picture).decode() for picture in pictures]
        style = "max-width: 49%; max-height: 32em; vertical-align: top"
        shown = " ".join(
            f'<img alt="{alt}" style="{style}" src="data:image/png;base64,{source}">'
            for alt, source in zip(("shaded", "distance"), sources)
        )
        return f"<div>{shown}</div>"

    @property
    def _pictures(self) -> Any:
        rendered = self.__dict__["_rendered"]
        if rendered is None:
            raise _raytwin.Error("a pickled image has only arrays: render it again for pictures")
        return rendered

    def __repr__(self) -> str:
        height, width = self["distance"].shape
        return f"Image({width}x{height} by {self.camera.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Image, (dict(self), self.camera))


def _write(path: Path, content: bytes) -> Path:
    """Writes a file, which appears complete or not at all, and returns its path."""
    draft = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            draft = Path(file.name)
            file.write(content)
        # Only the owner can read a draft. The picture gets the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        draft.replace(path)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise _raytwin.FileError(f"{path}: cannot be written: {error.strerror}") from None
    return path
