"""What a model file says of itself: ``python -m quantext.app.model_facts FILE`` prints it as JSON.

A program of its own, since a large model takes a while to open.
"""

import json
import sys
from pathlib import Path
from typing import Any

__all__ = ["main", "model_facts"]


def model_facts(path: Path) -> dict[str, Any]:
    """What ``train`` has said of a model, as far as its file knows.

    Parameters
    ----------
    path
        Of the file.
    """
    from quantext.models.save import open_model
    from quantext.models.train import quality

    model = open_model(path)
    about = getattr(model, "about_", {})
    return {
        "method": str(about.get("method") or type(model.quantifier_).__name__),
        "documents": len(model.quantifier_.scores_.y),
        "classes": quality(model.quantifier_).to_dicts(),
        "about": about,
        "warnings": [],
    }


def main() -> None:
    """Print what the file that is named says, or on standard error why that cannot be known."""
    try:
        facts = model_facts(Path(sys.argv[1]))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        sys.exit(f"Error: {error}")
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
