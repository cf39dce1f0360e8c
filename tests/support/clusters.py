"""Clusters of Dask that can be killed."""

import os
import subprocess
import sys
from contextlib import contextmanager

from tests.support.places import ROOT

CLUSTER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@contextmanager
def other_cluster():
    """Inside, a process with a scheduler, and its address; at the end it is killed."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        try:
            yield process, process.stdout.readline().decode().strip()
        finally:
            process.kill()
