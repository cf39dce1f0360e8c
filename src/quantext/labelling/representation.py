"""What a model sees of documents: their words, the themes that words share, scores if there are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.atomic import new_folder
from quantext.progress import Progress, silent
from quantext.vectors.disk import open_vectors, write_vectors
from quantext.vectors.ltc import LtcVectorizer

__all__ = ["THEMES", "Features", "features", "open_features"]

Array = NDArray[Any]

THEMES = 64  # directions; with 50 to 200 models explain about as much
_ROUNDS = 4  # of the subspace iteration
_BLOCK = 8192


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
    """

    words: sparse.csr_matrix
    themes: NDArray[np.float32]
    scores: NDArray[np.float64] | None = None

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
            if self.scores is not None:
                np.save(part / "scores.npy", self.scores)


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
    words = _words(documents)
    if scores is not None:
        scores = np.asarray(scores, dtype=np.float64)
        if scores.ndim != 2 or len(scores) != words.shape[0]:
            raise ValueError(
                f"scores have shape {scores.shape} for {words.shape[0]} documents; give a line of "
                "one number a class for each"
            )
        if not np.isfinite(scores).all():
            raise ValueError("scores have a value that is not finite; fill or leave out such rows")
    return Features(words, _themes(words, seed, progress), scores)


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
    scores = None
    if (place / "scores.npy").exists():
        scores = np.load(place / "scores.npy", mmap_mode="r", allow_pickle=False)
    lengths = {words.shape[0], len(themes), len(themes if scores is None else scores)}
    if len(lengths) > 1 or themes.ndim != 2 or themes.dtype != np.float32:
        raise ValueError(f"{folder} is damaged: its files do not belong together; make it again")
    return Features(words, themes, scores)


def _words(documents: Any) -> sparse.csr_matrix:
    """Vectors of texts; a word that only one of many has says nothing of the others."""
    if sparse.issparse(documents):
        return sparse.csr_matrix(cast(Any, documents), dtype=np.float32)
    texts = list(documents)
    return LtcVectorizer(min_df=2 if len(texts) >= 100 else 1, emoji=True).fit_transform(texts)


def _themes(words: sparse.csr_matrix, seed: int, progress: Progress) -> NDArray[np.float32]:
    """Rows in the leading directions of all rows, each of unit length; that of no words is 0.

    Subspace iteration (Halko, Martinsson & Tropp 2011, "Finding structure with randomness"), with
    single precision: themes need not be exact.
    """
    n_themes = min(THEMES, *words.shape)
    rng = np.random.default_rng([seed, 0])
    basis = rng.standard_normal((words.shape[1], min(n_themes + 16, words.shape[1])))
    basis = basis.astype(np.float32)
    transposed = words.T.tocsr()
    for done in range(_ROUNDS):
        progress("themes", done, _ROUNDS)
        basis, _ = np.linalg.qr(transposed @ (words @ basis))
    own = words @ basis
    _, directions = np.linalg.eigh((own.T @ own).astype(np.float64))
    themes = own @ directions[:, ::-1][:, :n_themes].astype(np.float32)
    lengths = np.sqrt((themes * themes).sum(axis=1, keepdims=True))
    progress("themes", _ROUNDS, _ROUNDS)
    return np.asarray(themes / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)
