"""Peaks: how much memory something takes, measured in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

_AROUND = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
from quantext import read_corpus, load
{imports}
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
said = ""
try:
    {statement}
except ValueError as error:
    said = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([said, (peak - before) / 2**10, time.perf_counter() - start]))
"""


def measured(statement, *args, imports=""):
    """What ValueError a statement raises, if any, the megabytes and the seconds that it takes.

    The statement finds the arguments in ``sys.argv[1:]``.
    """
    code = _AROUND.format(statement=statement, imports=imports)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said, megabytes, seconds = json.loads(done.stdout)
    return said, megabytes, seconds
