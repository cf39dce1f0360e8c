"""The secret of a folder: who has it may see the folder's pages, and nobody else."""

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from quantext import atomic

__all__ = ["Door", "door_of", "kept_door"]

NAME = "door.json"


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


def door_of(state: Path, port: int) -> Door:
    """The folder's door, with the secret that it had before on this port, or a new one.

    Parameters
    ----------
    state
        Folder of what the app notes for itself.
    port
        Where the server listens.
    """
    kept = kept_door(state)
    if kept is not None and kept.port == port:
        return kept
    door = Door(port, secrets.token_urlsafe(32))
    path = state / NAME
    path.touch(mode=0o600)  # before anything is in it; `write` keeps the mode
    atomic.write(path, [json.dumps(asdict(door)).encode()])
    return door


def kept_door(state: Path) -> Door | None:
    """The door of the last time, if there was one.

    Parameters
    ----------
    state
        As in `door_of`.
    """
    try:
        door = Door(**json.loads((state / NAME).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None  # never written, or not by us: a new one does no harm
    known = isinstance(door.port, int) and 0 < door.port < 65536
    return door if known and isinstance(door.secret, str) and len(door.secret) >= 32 else None
