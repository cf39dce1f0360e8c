"""The app as people start it: a process of its own, which can be killed."""

import os
import re
import subprocess
import sys


class Served:
    """A folder that is served until `close`; `kill` ends it as nobody expects."""

    def __init__(self, folder, *options):
        self.command = [sys.executable, "-m", "quantext", "app", str(folder), "--no-browser"]
        self.command += options
        # Nothing is kept with the settings of who runs the tests.
        self.environment = os.environ | {"XDG_STATE_HOME": f"{folder}.state"}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, text=True, env=self.environment
        )
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                self.url = found.group()
                return
        raise AssertionError("the server did not say where it is")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        self.process.stdout.close()
