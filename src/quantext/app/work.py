"""A job in a process of its own, which ends with the server that started it.

``python -m quantext.app.work MODULE ARGUMENT ...`` runs the module as a program. Standard input is
a pipe that the server holds: it closes when the server is gone, however it went.
"""

import os
import runpy
import signal
import sys
import threading

__all__ = ["main"]


def _end_with_server() -> None:
    while os.read(0, 4096):
        pass
    # Files are whole or not there: nothing is to be tidied up. Workers of its own end as well.
    if os.name == "posix":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main() -> None:
    """Run the module that the first argument names, with the others as its arguments."""
    threading.Thread(target=_end_with_server, daemon=True).start()
    module = sys.argv[1]
    sys.argv = sys.argv[1:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
