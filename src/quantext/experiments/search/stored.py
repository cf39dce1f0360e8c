"""A search's folder: what tells it from others, and the pieces of it that are finished."""

import hashlib
import platform
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import polars as pl
from scipy import sparse

from quantext.experiments.folder import DamagedFileError, read_piece, versions, write_piece
from quantext.experiments.search.data import Data
from quantext.experiments.search.identity import identity
from quantext.experiments.search.plan import Plan
from quantext.experiments.search.trials import Outcome
from quantext.experiments.splits import fingerprint
from quantext.texts.columns import feed

__all__ = ["read_outcome", "search_facts", "write_outcome"]

_COLUMNS = ("setting", "bag", "error", "seconds", "shared_seconds")


def search_facts(plan: Plan) -> dict[str, Any]:
    """What tells a search from others: a folder is claimed by it.

    Parameters
    ----------
    plan
        Of the search.
    """
    data, settings, measure = plan.data, plan.settings, plan.measure
    trials = [trial for stage in plan.stages for trial in stage.trials]
    told = {f"setting {n}": identity(s.whole) for n, s in enumerate(settings, start=1)}
    configuration = {
        "documents": len(data.labels.y),
        "settings": told,
        "bags": sum(len(trial.bags) for trial in trials),
        "documents of each": fingerprint(trials),
        "measure": measure if isinstance(measure, str) else identity(measure),
    }
    return {
        "checksum": _checksum(data),
        "configuration": configuration,
        "versions": {"python": platform.python_version()} | versions(),
    }


def _checksum(data: Data) -> str:
    digest = hashlib.blake2b(digest_size=16)
    X: Any = data.X
    if isinstance(X, list) and all(isinstance(text, str) for text in X):
        X = pl.Series("texts", X, dtype=pl.String)
    if isinstance(X, pl.Series) and X.dtype == pl.String:
        feed(digest, X)
    elif isinstance(X, sparse.csr_matrix | sparse.csr_array):
        digest.update(str(X.shape).encode())
        for part in (X.indptr, X.indices, X.data):
            digest.update(part.tobytes())
    else:
        digest.update(str(joblib.hash(X)).encode())
    digest.update(np.packbits(data.labels.y).tobytes())
    digest.update(repr(data.names).encode())
    return digest.hexdigest()


def write_outcome(path: Path, outcome: Outcome) -> None:
    """Write what came of a piece, whole or not at all.

    Parameters
    ----------
    path
        Of the file.
    outcome
        Without failures.
    """
    frames = [
        pl.DataFrame(
            {
                "setting": np.full(len(errors), number),
                "bag": np.arange(len(errors)),
                "error": errors,
                "seconds": np.full(len(errors), outcome.seconds[number]),
                "shared_seconds": np.full(len(errors), outcome.shared_seconds),
            }
        )
        for number, errors in outcome.errors.items()
    ]
    write_piece(path, pl.concat(frames))


def read_outcome(path: Path) -> Outcome | None:
    """What came of a piece; None if the file is damaged, so that the piece is to be tried again.

    Parameters
    ----------
    path
        Of a file that `write_outcome` wrote.
    """
    try:
        table = read_piece(path, dict.fromkeys(_COLUMNS)).select(_COLUMNS)
    except DamagedFileError:
        return None
    if not len(table):
        return None
    errors, seconds = {}, {}
    for (number,), rows in table.group_by("setting", maintain_order=True):
        errors[int(str(number))] = rows["error"].to_numpy()
        seconds[int(str(number))] = float(rows["seconds"][0])
    return Outcome(errors, seconds, float(table["shared_seconds"][0]), {})
