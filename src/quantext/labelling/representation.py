"""What a model sees of documents: words, themes of words and of their letters, scores if any."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.atomic import new_folder
from quantext.labelling.letters import letter_themes
from quantext.labelling.themes import directions, unit_rows
from quantext.progress import Progress, silent
from quantext.vectors.disk import open_vectors, write_vectors
from quantext.vectors.ltc import LtcVectorizer

__all__ = ["THEMES", "Features", "features", "open_features"]

Array = NDArray[Any]

THEMES = 64  # directions; with 50 to 200 models explain about as much
_OPTIONAL = ("scores", "letters")


@dataclass(frozen=True, eq=False)
class Features:
    """What a model sees of all documents; `features` makes it, once for all waves.

    Parameters
    ----------
    words
        A sparse row of unit length for each document.
    themes
        Its place in the directions in which documents differ most, of unit length; shape (N, d).
    scores
        What another model says of each class, shape (N, K); None: nothing.
    letters
        Its place in the directions in which pieces of words differ most, of unit length; shape
        (N, d). None: there are no texts.
    """

    words: sparse.csr_matrix
    themes: NDArray[np.float32]
    scores: NDArray[np.float64] | None = None
    letters: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.themes)

    def save(self, folder: Path | str) -> None:
        """Write them to a new folder, from which `open_features` maps them into memory.

        Parameters
        ----------
        folder
            Where to; it must not exist.
        """
        with new_folder(folder) as part:
            write_vectors([self.words], part / "words")
            np.save(part / "themes.npy", self.themes)
            for name in _OPTIONAL:
                if (values := getattr(self, name)) is not None:
                    np.save(part / f"{name}.npy", values)


def features(
    documents: Any, scores: Array | None = None, seed: int = 0, progress: Progress = silent
) -> Features:
    """What a model sees of documents.

    Parameters
    ----------
    documents
        Texts, or a sparse row of numbers for each.
    scores
        What another model says of each class of each document, shape (N, K), the higher the
        likelier: shares of certainty, or 0 and 1; None: nothing.
    seed
        Of the search for themes.
    progress
        Told how far it is.

    Examples
    --------
    >>> found = features(["good phone", "bad phone", "good screen", "bad screen"])
    >>> found.words.shape, found.themes.shape
    ((4, 4), (4, 4))
    """
    progress("words", 0, None)
    texts = None if sparse.issparse(documents) else list(documents)
    words = sparse.csr_matrix(documents, dtype=np.float32) if texts is None else _words(texts)
    if scores is not None:
        scores = np.asarray(scores, dtype=np.float64)
        if scores.ndim != 2 or len(scores) != words.shape[0]:
            raise ValueError(
                f"scores have shape {scores.shape} for {words.shape[0]} documents; give a line of "
                "one number a class for each"
            )
        if not np.isfinite(scores).all():
            raise ValueError("scores have a value that is not finite; fill or leave out such rows")
    themes = unit_rows(words @ directions(words, THEMES, [seed, 0], progress))
    letters = None if texts is None else letter_themes(texts, THEMES, seed, progress)
    return Features(words, themes, scores, letters)


def open_features(folder: Path | str) -> Features:
    """What `Features.save` wrote, mapped into memory.

    Parameters
    ----------
    folder
        Where it is.
    """
    place = Path(folder)
    words = open_vectors(place / "words")
    themes = np.load(place / "themes.npy", mmap_mode="r", allow_pickle=False)
    scores, letters = (
        np.load(path, mmap_mode="r", allow_pickle=False) if path.exists() else None
        for path in (place / f"{name}.npy" for name in _OPTIONAL)
    )
    dense = [part for part in (themes, letters) if part is not None]
    lengths = {words.shape[0], len(themes if scores is None else scores), *map(len, dense)}
    if len(lengths) > 1 or any(part.ndim != 2 or part.dtype != np.float32 for part in dense):
        raise ValueError(f"{folder} is damaged: its files do not belong together; make it again")
    return Features(words, themes, scores, letters)


def _words(texts: list[str]) -> sparse.csr_matrix:
    """Vectors of texts; a word that only one of many has says nothing of the others."""
    return LtcVectorizer(min_df=2 if len(texts) >= 100 else 1, emoji=True).fit_transform(texts)
