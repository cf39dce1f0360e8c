"""The files of a task of LeQua, wherever its archives were unpacked."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quantext.datasets._sources import missing
from quantext.texts.periods import natural_key
from quantext.wording import listed

__all__ = ["Files", "find_files"]

DEPTH = 4  # folders below the one that is named, as in DIR/T1A.test/T1A/public


@dataclass(frozen=True)
class Files:
    """What a task consists of.

    Parameters
    ----------
    task
        Its name; empty if no folder has it.
    training
        Files of training documents.
    label_map
        File of the classes' names, if there is one.
    folder, samples
        The bags' folder, and their files by name, in order.
    prevalences
        File of the bags' shares.
    """

    task: str
    training: tuple[Path, ...]
    label_map: Path | None
    folder: Path
    samples: dict[str, Path]
    prevalences: Path


def find_files(root: Path, tasks: Sequence[str], task: str | None, part: str, source: str) -> Files:
    """Files of the task below a folder, whose archives may have been unpacked side by side.

    Parameters
    ----------
    root
        The folder.
    tasks
        The tasks of this year.
    task
        Which one; None: the only one that is there.
    part
        Beginning of the names of bags and shares: test or dev.
    source
        Where the files are had from.
    """
    if task is not None and task not in tasks:
        raise ValueError(f"task {task!r} is unknown; choose one of {', '.join(tasks)}")
    if part not in ("test", "dev"):
        raise ValueError(f"part {part!r} is unknown; choose test or dev")
    found = _folders(root, tasks)
    if not found:
        wanted = f"folder {' or '.join(tasks)} with training_data.txt, {part}_samples and so on"
        raise missing(root, wanted, source)
    if task is None and len(found) > 1:
        there = listed(sorted(found))
        raise ValueError(f"{root} has the tasks {there}; name one as task, or its folder")
    # A folder whose name tells no task is the task that it is said to be.
    name = next(iter(found)) if task is None or list(found) == [""] else task
    if name not in found:
        raise ValueError(f"{root} has no task {task}, but {listed(sorted(found))}")

    def place(file: str) -> Path | None:
        paths = [p for folder in found[name] for p in _either(folder / file) if p.exists()]
        if len(paths) > 1:
            raise ValueError(f"{paths[0]} and {paths[1]} are the same; remove or name one")
        return paths[0] if paths else None

    def needed(file: str) -> Path:
        if (path := place(file)) is None:
            raise missing(root, f"{name}/public/{file}".removeprefix("/"), source)
        return path

    single = place("training_data.txt")
    training = [single] if single else list(_samples(needed("training_samples")).values())
    if not training:
        raise missing(needed("training_samples"), "files of training documents", source)
    folder = needed(f"{part}_samples")
    return Files(
        task or name,
        training=tuple(training),
        label_map=place("label_map.txt"),
        folder=folder,
        samples=_samples(folder),
        prevalences=needed(f"{part}_prevalences.txt"),
    )


def _folders(root: Path, tasks: Sequence[str]) -> dict[str, list[Path]]:
    """Folders with files of each task, whose name is in their path; else the name is empty."""
    found: dict[str, list[Path]] = {}
    above = root.resolve().parts[-2:]
    for place, folders, files in os.walk(root):
        inside = Path(place).relative_to(root).parts
        if any(name.endswith(("_samples", "_prevalences.txt")) for name in (*folders, *files)) or (
            any(name.startswith("training_data.txt") for name in files)
        ):
            named = (part.upper() for part in reversed((*above, *inside)))
            task = next((part for part in named if part in tasks), "")
            found.setdefault(task, []).append(Path(place))
        # There are thousands of bags, and nothing else beside them.
        folders[:] = [f for f in folders if not f.endswith("_samples") and len(inside) < DEPTH]
    return found


def _samples(folder: Path) -> dict[str, Path]:
    """The bags by name, those with numbers in order."""
    files: dict[str, Path] = {}
    for path in folder.iterdir():
        name = path.name.removesuffix(".gz")
        if name.startswith(".") or not name.endswith(".txt"):
            continue
        if name[:-4] in files:
            raise ValueError(f"{files[name[:-4]]} and {path} are the same bag; remove one")
        files[name[:-4]] = path
    return dict(sorted(files.items(), key=lambda item: natural_key(item[0])))


def _either(path: Path) -> tuple[Path, Path]:
    """The path, and that of the gzipped file."""
    return path, path.with_name(f"{path.name}.gz")
