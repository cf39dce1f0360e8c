"""Structured attacks on all that quantext reads: files that are well-formed, but lie.

``python -m tests.support.fuzz_attacks 2000`` makes so many attacks of each kind, each in a child
process with limits (`fuzz_children`); a second number is the seed, and names choose the kinds:
``python -m tests.support.fuzz_attacks 2000 7 models runs``. ``case=`` repeats a single case that
was told of: ``python -m tests.support.fuzz_attacks 1 7 runs case=1234``. It prints a summary, and
ends with 1 if there was a violation.
"""

import os
import sys
from importlib import import_module

KINDS = ("models", "sparse", "vectors", "runs", "bombs")


def main(arguments: list[str]) -> int:
    """Exit code."""
    # Before NumPy is loaded: threads of its own would be waited for in vain after a fork.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    from tests.support import fuzz_children

    numbers = [int(own) for own in arguments if own.isdecimal()]
    n, seed = (*numbers, 0)[:2]
    first = next((int(own.removeprefix("case=")) for own in arguments if "case=" in own), 0)
    bad = 0
    for kind in [own for own in arguments if own in KINDS] or KINDS:
        attack = import_module(f"tests.support.fuzz_{kind}").ATTACK
        tally = fuzz_children.run(attack, n, seed, first)
        fuzz_children.tell(kind, tally, seed)
        bad += len(tally.violations)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
