"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
REAL_CORPORA = ROOT.parent / "shared" / "data"  # which may not be there
