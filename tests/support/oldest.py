"""The oldest version of each dependency that pyproject.toml allows, as constraints for pip.

`make test-oldest` installs them. Only the standard library is needed: nothing is installed yet.
"""

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?(>=(?P<version>[\w.]+))?")


def oldest(project):
    """Lines ``name==version`` of all requirements that have a lower bound, those of extras too."""
    extras = project.get("optional-dependencies", {}).values()
    lines = []
    for requirement in [*project["dependencies"], *(line for lines in extras for line in lines)]:
        parts = REQUIREMENT.fullmatch(requirement.replace(" ", ""))
        if parts is None:
            raise ValueError(
                f"{PYPROJECT.name} requires {requirement!r}; write it as name>=version, so that "
                "its oldest version is known"
            )
        if parts["version"]:
            lines.append(f"{parts['name']}=={parts['version']}")
    return lines


if __name__ == "__main__":
    print("\n".join(oldest(tomllib.loads(PYPROJECT.read_text("utf-8"))["project"])))
