"""Questions in a real terminal: a process of its own behind a pseudo-terminal."""

import os
import pty
import select
import time

import pytest

from tests.support.survey import QUANTEXT, survey

PATIENCE = 120  # seconds until a process that says nothing is given up
AGAIN = 5  # seconds of silence after which Ctrl-C is pressed again
CTRL_C = b"\x03"


@pytest.fixture
def talk(tmp_path):
    """Function that answers a command's questions; exit code, and all that was on the screen."""
    survey([12, 12, 12]).write_csv(tmp_path / "a.csv")

    def run(command, *answers):
        pid, screen = pty.fork()
        if pid == 0:
            os.chdir(tmp_path)
            os.environ["COLUMNS"] = "80"
            os.execv(QUANTEXT, [str(QUANTEXT), *command])
        shown, waiting, typed = b"", [*answers], b""
        start = time.monotonic()
        while time.monotonic() < start + PATIENCE:
            if not select.select([screen], [], [], AGAIN)[0]:
                # What comes between its last look for signals and its wait for a key, Python
                # notices only at the next one. No person is as quick as that.
                if typed == CTRL_C:
                    os.write(screen, CTRL_C)
                continue
            try:
                read = os.read(screen, 4096)
            except OSError:  # the other end is closed, in the words of Linux
                break
            shown += read
            if shown.endswith(b"number: ") and waiting:
                typed = waiting.pop(0)
                os.write(screen, typed)
        os.close(screen)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    return run


@pytest.mark.slow
def test_train_asks_for_the_columns_and_learns(talk, tmp_path):
    command = ["train", "a.csv", "--method", "cc", "--folds", "0"]
    code, shown = talk(command, b"\r", b"2\r")
    assert code == 0, shown
    assert "Learned 3 classes by CC" in shown
    assert "quantext train a.csv --text answer --label topic --method cc --folds 0" in shown
    assert (tmp_path / "model.qx").exists()


@pytest.mark.slow
def test_ctrl_c_at_a_question_leaves_nothing(talk, tmp_path):
    code, shown = talk(["train", "a.csv"], b"\r", CTRL_C)
    assert code == 130, shown
    assert shown.endswith("Stopped. Nothing was written.\r\n")
    assert "Traceback" not in shown
    assert not (tmp_path / "model.qx").exists()
