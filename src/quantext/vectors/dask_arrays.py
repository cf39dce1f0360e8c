"""Documents in Dask arrays, told from others without importing Dask."""

from typing import Any

from quantext.vectors.sparse import check_sparse

__all__ = ["check_chunks", "check_dask_array", "is_dask"]


def is_dask(X: Any) -> bool:
    """Whether something is a collection of Dask.

    Parameters
    ----------
    X
        Anything.

    Examples
    --------
    >>> is_dask([[0.5]])
    False
    """
    return any(kind.__module__.startswith("dask.") for kind in type(X).__mro__)


def check_dask_array(X: Any) -> None:
    """Raise unless a Dask collection is an array of two dimensions.

    Parameters
    ----------
    X
        Any Dask collection.
    """
    if not hasattr(X, "rechunk"):
        raise TypeError(
            f"X is a {type(X).__name__} of Dask; pass a dask.array of two dimensions (a data frame "
            "has to_dask_array), or texts to quantext.distributed.estimate"
        )
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X has shape {X.shape}")


def check_chunks(X: Any) -> Any:
    """The same Dask array, each chunk checked where it is before anything is cut from it.

    Parameters
    ----------
    X
        Dask array.
    """
    return X.map_blocks(_checked, dtype=X.dtype, meta=X._meta)


def _checked(chunk: Any) -> Any:
    check_sparse(chunk)
    return chunk
