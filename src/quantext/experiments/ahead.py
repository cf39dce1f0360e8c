"""Workers of an experiment that are started ahead: they get ready while the corpus is read.

Little is imported here before they are started.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from quantext.experiments.workers import Worker, started

__all__ = ["workers_ahead"]


@contextmanager
def workers_ahead(jobs: int | None = None) -> Iterator[list[Worker]]:
    """Inside, processes for `run` that import what they need and load kernels meanwhile.

    Parameters
    ----------
    jobs
        How many there will be; by default one for each processor. One alone would be this one, and
        more than there are processors would keep each other from getting ready.
    """
    from joblib import cpu_count

    with started(min(jobs or cpu_count(), cpu_count()), _get_ready) as workers:
        yield workers


def _get_ready() -> None:
    """Import all that a task needs, and load the kernels for vectors of texts."""
    import numpy as np

    import quantext.experiments.rows  # noqa: F401  # tasks will ask for it
    from quantext.experiments.fits import load_kernels

    load_kernels(np.dtype(np.float32))
