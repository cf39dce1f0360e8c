"""Progress of a job as lines of JSON, which the server reads."""

import json
import sys
import time

from quantext.progress import Progress

__all__ = ["telling"]


def telling() -> Progress:
    """Progress that says on standard error how far the work is."""
    last = ("", 0.0)

    def tell(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if stage == last[0] and done != total and now < last[1] + 0.1:
            return  # nobody reads faster
        last = (stage, now)
        line = {"stage": stage, "done": done, "total": total}
        print(json.dumps(line), file=sys.stderr, flush=True)

    return tell
