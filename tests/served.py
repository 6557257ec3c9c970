"""`longfat explore` as tests start it: in a process of its own, or in a thread with simulations of the test's own."""

import asyncio
import http.client
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

from longfat.explore import simulations

TOKEN = "a-token-of-the-tests"


class Client:
    """Client of a server on this machine."""

    def __init__(self, url):
        self.url, self.port = url, urlsplit(url).port
        self.root = "/" + urlsplit(url).path.split("/")[1] + "/"  # the token

    def ask(self, path="", body=None, method=None, timeout=30, **headers):
        """Return status, headers and text of a path, below the token unless it begins with a slash."""
        made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None:
                headers.setdefault("Content-Type", "application/json")
            made.request(method or ("GET" if body is None else "POST"), self._whole(path), body, headers)
            answer = made.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode(errors="replace")
        finally:
            made.close()

    def opened(self, path, body):
        """Return the connection and the answer of a request that stays open."""
        made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        made.request("POST", self._whole(path), body, {"Content-Type": "application/json"})
        return made, made.getresponse()

    def _whole(self, path):
        return path if path.startswith("/") else self.root + path


class Served(Client):
    """`longfat explore` in a process of its own, and its address."""

    def __init__(self, *flags):
        command = [sys.executable, "-m", "longfat.cli", "explore", "--no-browser", "--port", "0", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "http://" in line, self.process.stderr.read()
        super().__init__(line.split()[0])

    def end(self):
        """Send Ctrl-C; return the output and the exit status."""
        self.process.send_signal(signal.SIGINT)
        return *self.process.communicate(timeout=60), self.process.returncode

    def kill(self):
        """Kill the process if no test has ended it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Fake:
    """A simulator of the tests: the value is the load, after a time; it counts its calls, and some of them may fail."""

    deterministic, nearest = False, staticmethod(dict)

    def __init__(self, takes=0.0, value=lambda seed, point: point["load"]):
        self.takes, self.value, self.done = takes, value, 0

    def __call__(self, seed, **point):
        time.sleep(self.takes)
        self.done += 1
        return self.value(seed, point), 1000.0


class Inside(Client):
    """The server in a thread; the simulations are those of a fake, in threads instead of processes."""

    def __init__(self, fake=None, host="127.0.0.1", laws=None):
        self.fake, self.running = fake or Fake(), 0
        self._loop, begun = asyncio.new_event_loop(), threading.Event()
        self._thread = threading.Thread(target=self._work, args=(host, laws, begun), daemon=True)
        self._thread.start()
        assert begun.wait(30)
        super().__init__(f"http://127.0.0.1:{self._port}/{TOKEN}/")

    async def simulate(self, text):
        """Yield the events of a simulation."""
        stop, asked = threading.Event(), simulations.read(text, self.served.laws)
        events = simulations.estimates(asked, self.fake, stop.is_set)
        self.running += 1
        try:
            async for one in simulations.stream(lambda: next(events)):
                yield one
        finally:
            stop.set()
            self.running -= 1

    def _work(self, host, laws, begun):
        from longfat.explore import server
        from longfat.explore.state import chosen
        from longfat.handbook import pages

        async def serve():
            every = chosen() if laws is None else {one.public_name: one for one in laws}
            files = pages.texts(every.values(), simulate=server.SIMULATE)
            self.served = server.Served(files, every, self.simulate, TOKEN, server.Foreign(host))
            made, place = server.application(self.served), server.listening("127.0.0.1", 0)
            made.add_socket(place)
            self._port, self._ended = place.getsockname()[1], asyncio.Event()
            begun.set()
            await self._ended.wait()
            made.stop()
            await made.close_all_connections()

        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(serve())
        self._loop.close()

    def end(self):
        """End the server and its thread."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(30)
        assert not self._thread.is_alive()
