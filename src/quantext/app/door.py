"""The secret of a folder: who has it may see the folder's pages, and nobody else."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from quantext import atomic

__all__ = ["Door", "door_of"]


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
    path = state / "door.json"
    secret = _kept(path, port)
    if secret is None:
        secret = secrets.token_urlsafe(32)
        if not path.exists():
            path.touch(mode=0o600)  # before anything is in it; `write` keeps the mode
        atomic.write(path, [json.dumps({"port": port, "secret": secret}).encode()])
    return Door(port, secret)


def last_port(state: Path) -> int | None:
    """Port on which the folder was served the last time, if any."""
    try:
        port = json.loads((state / "door.json").read_bytes())["port"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return port if isinstance(port, int) and 0 < port < 65536 else None


def _kept(path: Path, port: int) -> str | None:
    try:
        noted = json.loads(path.read_bytes())
        secret = noted["secret"] if noted["port"] == port else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # never written, or not by us: a new one does no harm
    return secret if isinstance(secret, str) and len(secret) >= 32 else None
