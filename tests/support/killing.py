"""Commands that are killed at moments spread over the time that they take."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.survey import start


def start_quietly(command: str, folder: Path) -> subprocess.Popen[str]:
    """The command in a folder, with a group of its own; nobody hears it."""
    nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return start(*command.split(), cwd=folder, start_new_session=True, **nowhere)


@dataclass
class Killed:
    """A command in a folder of its own, which is killed again and again, and then runs through.

    Parameters
    ----------
    command
        Its words, with blanks between.
    outputs
        Names of the files that it writes.
    folder
        With all that it reads; old outputs, too.
    rng
        For the moments.
    """

    command: str
    outputs: Sequence[str]
    folder: Path
    rng: random.Random
    seconds: float = 0.0
    old: dict[str, bytes | None] = field(default_factory=dict)
    new: dict[str, bytes | None] = field(default_factory=dict)

    def learn(self, apart: Path) -> None:
        """Find out what the command writes where it is left alone, and how long it takes."""
        shutil.copytree(self.folder, apart)
        begin = time.monotonic()
        assert start_quietly(self.command, apart).wait() == 0
        self.seconds = time.monotonic() - begin
        self.old, self.new = self.written(self.folder), self.written(apart)

    def written(self, folder: Path) -> dict[str, bytes | None]:
        files = {name: folder / name for name in self.outputs}
        return {name: file.read_bytes() if file.exists() else None for name, file in files.items()}

    def kill(self) -> None:
        """Kill it once, all of it or its first process alone; no file is neither old nor new."""
        moment = self.rng.uniform(0.1, 1.0) * self.seconds
        while not self._kill_after(moment):
            moment *= 0.8  # it had ended before
        for name, content in self.written(self.folder).items():
            assert content in (self.old[name], self.new[name]), f"{name} is damaged"

    def _kill_after(self, seconds: float) -> bool:
        process = start_quietly(self.command, self.folder)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            how = self.rng.choice([os.kill, os.killpg])
            how(process.pid, signal.SIGKILL)
            process.wait()
            wait_for_group(process.pid)
            return True
        assert process.returncode == 0
        return False


def wait_for_group(group: int) -> None:
    """Wait until all processes of a group are gone; the others end when the first is."""
    deadline = time.monotonic() + 60
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, "processes are left behind"
        time.sleep(0.05)
