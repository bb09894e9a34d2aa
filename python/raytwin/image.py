"""Images, which show themselves in a notebook."""

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
    """What a camera sees, as arrays by name, which are attributes, too. H rows run from the top, W columns from the left.

    - ``distance``: float32 (H, W), along the rays, as the camera's sensor reports it; +inf for no return
    - ``z``: float32 (H, W), along the camera's axis; +inf for no return, and negative behind a panoramic camera
    - ``geometry_ids``, ``primitive_ids``, ``instance_ids``: uint32 (H, W); 0xFFFFFFFF for a miss
    - ``primitive_normals``: float32 (H, W, 3), of unit length and outward; zero for a miss; unless ``normals=False``
    - ``label_ids``: uint16 (H, W), the labels of geometries, 0 for none and for a miss, if they were asked for
    - ``albedo``: uint8 (H, W, 3), the colours of geometries under no light, in sRGB; 0 for a miss; if they were asked for

    A notebook shows the image: shaded on the left, and distances by colour with their legend on the right. A pickle holds the
    arrays and the camera; pictures are for the image that was rendered.
    """

    def __init__(self, arrays: dict[str, Any], camera: Camera, rendered: Any = None) -> None:
        super().__init__(arrays)
        self.__dict__["camera"] = camera
        self.__dict__["_rendered"] = rendered

    def shaded(self, samples: int | None = None, *, background: str | None = None) -> bytes:
        """Returns a lit picture for people to look at, as the bytes of a PNG file: a sun with soft shadows, a sky, and the
        scene's colours, or pleasing ones by id. ``samples`` are the camera's rays for each pixel, eight or fewer by default. ``background``
        takes the place of the sky and of the floor with its shadows: ``"white"``, ``"black"``, a colour such as ``"#ff8000"``,
        or ``"none"`` for a picture that is transparent there. Raises ValueError for another one."""
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
        """Writes the files of ``raytwin render`` into a folder, which appear whole and together, and returns their paths.

        They are ``render.npz``, ``render.exr``, ``geometries.json``, ``shaded.png`` (``shading`` is its samples, and 0 leaves
        it out), ``distance.png`` (``range`` is that of its colours), ``geometry_ids.png`` and ``normals.png``. ``z_scale``
        also writes ``z_16bit.png``, of round(z * z_scale); ``labels`` also the array ``label_ids`` and ``labels.png``.
        A path that ends in ``.png`` is that of one picture, the shaded one, with its ``shading`` and ``background`` alone.
        ``background`` is what all these pictures but ``z_16bit.png`` show where nothing was hit, as in `shaded`.
        ``cloud`` is a file for the points, such as a .ply, .laz, .csv or .xyz, in the ``frame`` of the ``"world"`` or the
        ``"sensor"``, with normals if ``cloud_normals``. Raises FileError if a file cannot be written.
        """
        if frame not in ("world", "sensor"):
            raise ValueError(f"frame must be 'world' or 'sensor', and is {frame!r}")
        suffix = Path(folder).suffix.lower()
        if suffix == ".png":
            if (range, z_scale, cloud) != (None, None, None) or instances or labels or shading == 0:
                raise ValueError(f"save writes one shaded picture to {os.fspath(folder)}: name a folder for other files")
            return [_write(Path(folder), self.shaded(shading, background=background))]
        if suffix in (".jpg", ".jpeg", ".exr", ".npz", ".npy", ".tif", ".tiff"):
            raise ValueError(f"save writes a folder of files, or a .png, and {os.fspath(folder)} names neither: give a folder")
        points = None if cloud is None else (cloud, frame == "sensor", cloud_normals)
        return self._pictures.save(folder, self, shading, range, z_scale, background, (instances, labels), points)

    def show(self, kind: Literal["shaded", "distance", "ids", "normals"] = "shaded") -> ImageView | Picture:
        """Returns one picture of the image, which shows itself at the end of a notebook's cell and shows the distance, the id
        and the path of what is under the pointer. Distances are in scene units.

        It needs ``raytwin[notebook]`` and a running kernel for that, and is a plain picture elsewhere; ``.png`` has the bytes of its
        file. Raises ValueError for an unknown kind, and Error for an image that was pickled, which has no pictures.
        """
        from .notebook import show_image

        return show_image(self, kind)

    def _repr_png_(self) -> bytes:
        # A notebook asks for every form that there is.
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
            raise _raytwin.Error("a pickled image has arrays alone: render it again for pictures")
        return rendered

    def __repr__(self) -> str:
        height, width = self["distance"].shape
        return f"Image({width}x{height} by {self.camera.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Image, (dict(self), self.camera))


def _write(path: Path, content: bytes) -> Path:
    """Writes a file, which appears whole or not at all, and returns its path."""
    draft = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            draft = Path(file.name)
            file.write(content)
        # A draft is for its owner alone, and a picture for whom the folder is.
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        draft.replace(path)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise _raytwin.FileError(f"{path}: cannot be written: {error.strerror}") from None
    return path
