"""The door of a folder: where it is served, and the secret that lets in.

It is kept with the user's own settings and not in the folder, which may come from somebody else, or
go to somebody else.
"""

import json
import os
import secrets
import stat
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from quantext import atomic

__all__ = ["Door", "door_of", "kept_door", "private_folder"]


@dataclass(frozen=True)
class Door:
    """How a browser gets in.

    It is the same after a restart, so that a page that is open goes on.

    Parameters
    ----------
    port
        Of 127.0.0.1.
    secret
        That the first address holds, and then a cookie.
    """

    port: int
    secret: str

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://127.0.0.1:{self.port}/?key={self.secret}"

    @property
    def cookie(self) -> str:
        """Name of the cookie: browsers do not tell apart the ports of a machine."""
        return f"quantext-{self.port}"


def private_folder() -> Path:
    """Where quantext keeps what is the user's alone; it is made, and nobody else may read it."""
    kept = os.environ.get("XDG_STATE_HOME")
    if kept:
        base = Path(kept)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path.home() / ".local" / "state"
    folder = base / "quantext"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(stat.S_IRWXU)
    return folder


def door_of(folder: Path, port: int) -> Door:
    """The folder's door, with the secret that it had before on this port, or a new one.

    Parameters
    ----------
    folder
        That is served.
    port
        Where the server listens.
    """
    kept = kept_door(folder)
    if kept is not None and kept.port == port:
        return kept
    door = Door(port, secrets.token_urlsafe(32))
    path = _path(folder)
    path.touch(mode=0o600)  # before anything is in it; `write` keeps the mode
    atomic.write(path, [json.dumps(asdict(door)).encode()])
    return door


def kept_door(folder: Path) -> Door | None:
    """The door of the last time, if there was one.

    Parameters
    ----------
    folder
        As in `door_of`.
    """
    try:
        door = Door(**json.loads(_path(folder).read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        return None  # never written, or damaged: a new one does no harm
    known = isinstance(door.port, int) and 0 < door.port < 65536
    return door if known and isinstance(door.secret, str) and len(door.secret) >= 32 else None


def _path(folder: Path) -> Path:
    name = sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    return private_folder() / f"{name}.json"
