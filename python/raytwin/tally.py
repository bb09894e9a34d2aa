"""Shows the sums over the answers to sampled rays, as text and as a table in a notebook."""

from __future__ import annotations

import math

import numpy as np

from ._raytwin import Tally
from .report import STYLE, table

_SHOWN = 20


def text(tally: Tally) -> str:
    """Returns the counts of a tally as one line."""
    counts = [("rays", tally.rays), ("hits", int(tally.hits.sum())), ("misses", tally.misses)]
    counts += [(name, count) for name, count in (("invalid", tally.invalid), ("beyond", tally.beyond)) if count]
    return f"Tally({', '.join(f'{count:,} {name}' for name, count in counts)})"


def html(tally: Tally) -> str:
    """Returns an HTML table of the geometries, sorted by hits, most hits first."""
    hits = tally.hits
    met = np.flatnonzero(hits + tally.path_rays if tally.has_paths else hits)[::-1]
    most = met[np.argsort(hits[met], kind="stable")][::-1]
    columns = {
        "geometry_id": [str(index) for index in most[:_SHOWN]],
        "hits": [f"{hits[index]:,}" for index in most[:_SHOWN]],
        "mean distance": _figures(most, tally.mean_distances),
    }
    estimates = {"mean path": (tally.mean_paths, tally.path_errors), "volume": (tally.volumes, tally.volume_errors)}
    for title, (figures, errors) in estimates.items():
        if not np.all(np.isnan(figures)):
            columns[title] = _figures(most, figures, errors)
    rest = f"<p>and {len(most) - _SHOWN:,} more geometries</p>" if len(most) > _SHOWN else ""
    rows = table(tuple(columns), list(zip(*columns.values())))
    return f"<div class='raytwin-report'>{STYLE}<p>{text(tally)}</p>{rows}{rest}</div>"


def _figures(geometries: np.ndarray, figures: np.ndarray, errors: np.ndarray | None = None) -> list[str]:
    """Returns the figures of the geometries that are shown, with five digits or with the digits that their errors allow."""

    def figure(index: int) -> str:
        number, error = float(figures[index]), 0.0 if errors is None else float(errors[index])
        if math.isnan(number):
            return ""
        if error == 0.0 or not 1e-4 <= abs(number) < 1e6:
            return f"{number:.5g}" + (f" ± {error:.2g}" if error else "")
        digits = max(0, 1 - math.floor(math.log10(error)))
        return f"{number:.{digits}f} ± {error:.{digits}f}"

    return [figure(index) for index in geometries[:_SHOWN]]
