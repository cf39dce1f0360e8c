"""The triangle: shares of three classes as points of the plane, and regions drawn in it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from quantext.quantifiers.regions import Box, Region

__all__ = ["draw_region", "place"]

Array = NDArray[Any]

# All documents are of the first class at the lower left corner, of the second at the lower right,
# of the third at the top.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#767676"  # Okabe and Ito (2008)


def place(p: Array) -> Array:
    """Points of the plane, shape (n, 2), where prevalences of three classes lie.

    Parameters
    ----------
    p
        Shape (n, 3), rows sum to 1.

    Examples
    --------
    >>> place(np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.0]]
    """
    return np.asarray(p @ CORNERS)


def draw_region(region: "Region") -> Figure:
    """Triangle with the ellipse, the box and the estimate of a region of three classes.

    Parameters
    ----------
    region
        Of three classes.
    """
    figure = Figure(figsize=(5.5, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.axis("off")
    _draw_grid(axes, [str(name) for name in region.classes])
    turn = np.linspace(0, 2 * np.pi, 361)
    ellipse = region.centre + np.column_stack([np.cos(turn), np.sin(turn)]) @ region.axes
    drawn = axes.fill(*place(ellipse).T, color=_BLUE, alpha=0.3, label=f"{region.level:.0%} region")
    outline = axes.fill(*CORNERS.T, fill=False, edgecolor=_GREY, lw=1)
    drawn[0].set_clip_path(outline[0])  # there are no shares outside
    corners = box_corners(region.box)
    if len(corners):
        label = "Bounds of each class"
        axes.fill(*place(corners).T, fill=False, edgecolor=_ORANGE, lw=1.2, ls="--", label=label)
    axes.plot(*place(region.estimate), color="black", marker="o", ls="", ms=5, label="Estimate")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(-0.05, 1.02))
    return figure


def box_corners(box: "Box") -> Array:
    """Corners of the part of the triangle that is within bounds, in order, shape (n, 3).

    Parameters
    ----------
    box
        Of three classes.
    """
    corners = []
    for k in range(3):
        others = [j for j in range(3) if j != k]
        for a in (box.low[others[0]], box.high[others[0]]):
            for b in (box.low[others[1]], box.high[others[1]]):
                p = np.empty(3)
                p[others], p[k] = (a, b), 1 - a - b
                if p in box:
                    corners.append(p)
    if not corners:
        return np.empty((0, 3))
    found = np.array(corners)
    x, y = (place(found) - place(found).mean(axis=0)).T
    return found[np.argsort(np.arctan2(y, x), kind="stable")]


def _draw_grid(axes: "Axes", names: list[str]) -> None:
    """Lines of equal share, every fifth, with the shares at one side each, and the classes."""
    for share in (0.2, 0.4, 0.6, 0.8):
        for k in range(3):
            ends = np.zeros((2, 3))
            ends[:, k] = share
            ends[0, (k + 1) % 3] = ends[1, (k + 2) % 3] = 1 - share
            points = place(ends)
            axes.plot(*points.T, color="#dddddd", lw=0.6, zorder=0)
            x, y = points[0] + 0.05 * (points[0] - points[1]) / (1 - share)
            axes.text(x, y, f"{share:.0%}", color=_GREY, fontsize=8, ha="center", va="center")
    for k, (name, (x, y)) in enumerate(zip(names, CORNERS, strict=True)):
        axes.text(x, y + (0.04 if k == 2 else -0.07), name, ha="center", va="center")
