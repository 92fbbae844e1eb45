"""`tars serve` on a free port, and the links that `tars open` prints."""

import re
import socket
import subprocess
import time
import urllib.request


class Server:
    """A running server."""

    def __init__(self, sample):
        self.sample = sample
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self._log = open(sample.home / "serve.log", "w+")  # Shown when a check fails.
        self.process = subprocess.Popen(
            [sample.tars, "serve", "--listen", f"127.0.0.1:{self.port}"], env=sample.environment,
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT)
        self._wait()

    def _wait(self):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.origin}/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"tars serve does not answer\n{self.log()}")

    def link(self):
        """Returns a new one-time link."""
        return re.search(r"http://\S+", self.sample.run("open")).group(0)

    def log(self):
        """Returns the server's output."""
        self._log.flush()
        return (self.sample.home / "serve.log").read_text()

    def close(self):
        """Ends the server."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._log.close()
