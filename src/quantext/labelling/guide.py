"""What the latest model knows of the documents that were drawn, and of those that were not."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quantext.atomic import write
from quantext.labelling.task import Wave

__all__ = ["Guide"]

Array = NDArray[Any]

_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Guide:
    """What the latest model knows; `learn` makes it.

    It stays true when labels come after it: none of its predictions has seen the truth of the
    document that it is for.

    Parameters
    ----------
    rows
        Documents of all waves that it knows, wave after wave; shape (R,).
    ends
        Where each wave ends among them, shape (W,).
    predictions
        What is said of each and each class, without its own label if that was known; (R, K).
    totals
        Sums of what is said over all documents that were not drawn before each wave; (W, K).
    shifts
        How much the total of its own wave changes if the label of a document is left out; (R, K).
    explained
        Share of the variance of each class that predictions explain, shape (K,).
    n_documents
        How many there are in all.
    n_labels
        How many labels it was learned from.
    """

    rows: NDArray[np.int64]
    ends: NDArray[np.int64]
    predictions: NDArray[np.float64]
    totals: NDArray[np.float64]
    shifts: NDArray[np.float64]
    explained: NDArray[np.float64]
    n_documents: int
    n_labels: int

    def save(self, path: Path | str) -> None:
        """Write it to a file, whole or not at all; `load` reads it.

        Parameters
        ----------
        path
            Of the file, which usually ends in .npz; it is replaced if it exists.
        """
        held = io.BytesIO()
        np.savez(held, format=_FORMAT, **{f.name: getattr(self, f.name) for f in fields(self)})
        write(path, [held.getvalue()])

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """What `save` wrote, checked.

        Parameters
        ----------
        path
            Of the file, which may come from anywhere: nothing in it is run.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                if "format" not in file or int(file["format"]) != _FORMAT:
                    raise ValueError("it is of another format")
                parts = {f.name: file[f.name] for f in fields(cls)}
            guide = cls(**{name: _plain(name, values) for name, values in parts.items()})
            guide._check()
        except (ValueError, KeyError, TypeError, EOFError, OverflowError, zipfile.BadZipFile) as e:
            if isinstance(e, FileNotFoundError):
                raise
            raise ValueError(
                f"{path} is no guide, or is damaged ({e}); leave it out, and learn again"
            ) from None
        return guide

    def check(self, n_documents: int, waves: Sequence[Wave], n_classes: int) -> None:
        """Raise if it is not of these waves.

        Parameters
        ----------
        n_documents
            How many there are in all.
        waves
            All so far; the guide may know one more.
        n_classes
            How many there are.
        """
        drawn = np.concatenate([wave.rows for wave in waves])
        if (
            self.n_documents != n_documents
            or self.predictions.shape[1] != n_classes
            or len(waves) > len(self.ends)
            or not np.array_equal(np.cumsum([len(w) for w in waves]), self.ends[: len(waves)])
            or not np.array_equal(drawn, self.rows[: len(drawn)])
        ):
            raise ValueError(
                "the guide was made for other documents, classes or waves; learn again, or leave "
                "it out until then"
            )

    def _check(self) -> None:
        (R, K), W = self.predictions.shape, len(self.ends)
        numbers = (self.predictions, self.totals, self.shifts, self.explained)
        if not (
            self.rows.shape == (R,)
            and self.shifts.shape == (R, K)
            and self.totals.shape == (W, K)
            and self.explained.shape == (K,)
            and self.rows.dtype == self.ends.dtype == np.int64
            and all(values.dtype == np.float64 for values in numbers)
            and all(np.isfinite(values).all() for values in numbers)
            and W > 0
            and (np.diff(self.ends, prepend=0) >= 0).all()
            and self.ends[-1] == R
            and (R == 0 or 0 <= self.rows.min() <= self.rows.max() < self.n_documents)
            and len(np.unique(self.rows)) == R
            and 0 <= self.n_labels <= R
        ):
            raise ValueError("its parts do not belong together")


def _plain(name: str, values: Array) -> Any:
    if name not in ("n_documents", "n_labels"):
        return values
    if values.shape != () or values.dtype.kind != "i":
        raise ValueError(f"{name} is not a number")
    return int(values)
