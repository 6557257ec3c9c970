"""`longfat explore` as tests start it."""

import contextlib
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

psutil = pytest.importorskip("psutil", reason="comes with ipykernel")

# The command, with some of its constants changed first.
BEGIN = "import sys; from longfat.cli import main; {}; sys.exit(main(sys.argv[1:]))"


class Served:
    """`longfat explore` in a process of its own, and its address."""

    def __init__(self, *flags, first="pass"):
        command = [sys.executable, "-c", BEGIN.format(first), "explore", "--no-browser", "--port", "0", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "http://" in line, self.process.stderr.read()
        self.url = line.split()[0]
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.query = f"?{self.url.partition('?')[2]}"

    def get(self, path, timeout=60, **headers):
        """Status and text of a page of this machine."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.url, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.url, error.read().decode(errors="replace")

    def kernels(self):
        """Processes of kernels."""
        found = []
        for one in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # ended between the two, or not waited for yet
                if "ipykernel_launcher" in one.cmdline():
                    found.append(one)
        return found

    def becomes(self, count, within=30):
        """Whether there are so many kernels soon."""
        end = time.monotonic() + within
        while len(self.kernels()) != count and time.monotonic() < end:
            time.sleep(0.1)
        return len(self.kernels()) == count

    def end(self):
        """Ctrl-C; what it wrote."""
        self.process.send_signal(signal.SIGINT)
        return *self.process.communicate(timeout=60), self.process.returncode

    def kill(self):
        """End it if a test did not."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
