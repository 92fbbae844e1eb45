"""A running `tars serve`, and a client that sends bytes as they are."""

import json
import os
import re
import socket
import subprocess
import time

from checks.attacking.case import Defect, short
from checks.attacking.world import Lines, as_bytes, check_output


class Reply:
    """A response."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Server:
    """The server of a world. It answers every case, and a case that ends it is a defect."""

    def __init__(self, world, **environment):
        self.world, self.environment = world, {"TARS_HTTP_LISTEN": "127.0.0.1:0", **environment}
        self.process = None
        self.token = world.tars("serve", "token", "add", "script").strip()
        self.start()

    def start(self):
        self.process = self.world.start("serve", environment=self.environment, stdin=subprocess.DEVNULL)
        self.output, self.errors = Lines(self.process.stdout), Lines(self.process.stderr)
        deadline = time.monotonic() + 60
        lock = os.path.join(self.world.data, "watch.lock")
        while True:
            try:
                with open(lock, encoding="utf-8") as file:
                    listen = json.load(file)["listen"]
                self.port = int(listen.rsplit(":", 1)[1])
                with socket.create_connection(("127.0.0.1", self.port), timeout=5):
                    break
            except (OSError, ValueError, KeyError, TypeError):
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError(f"tars serve does not start: {self.errors.text().decode(errors='replace')}") from None
                time.sleep(0.05)
        self.host = f"127.0.0.1:{self.port}"
        self.checked = 0

    def check_alive(self):
        """Checks that the server lives and has not reported a fault since the last call."""
        said = self.errors.text() + self.output.text()
        new, self.checked = said[self.checked:], len(said)
        if self.process.poll() is not None:
            code = self.process.returncode
            self.start()
            raise Defect(f"the server ended with {code}: {short(said.decode(errors='replace')[-600:])}")
        check_output(new)

    # A browser's session

    def cookie(self):
        """Signs a browser in, and returns its cookie."""
        link = re.search(r"http://[^/\s]+(/\S+)", self.world.tars("open"))[1]
        (reply,) = self.send(f"GET {link} HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n\r\n".encode())
        return reply.headers["set-cookie"].split(";")[0], link

    # Requests

    def head(self, first, *headers, length=None, host=True, key=True, close=True):
        lines = [first if " HTTP/" in first else f"{first} HTTP/1.1"]
        if host:
            lines.append(f"Host: {self.host}")
        if key:
            lines.append(f"Authorization: Bearer {self.token}")
        if close:
            lines.append("Connection: close")
        lines += headers
        if length is not None:
            lines.append(f"Content-Length: {length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", errors="surrogateescape")

    def post(self, path, body, *headers, **options):
        """Returns the bytes of a request with a body of JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.head(f"POST {path}", *headers, length=len(data), **options) + data

    def send(self, data, half_close=False, seconds=12, pause=0, pieces=1):
        """Sends bytes, and returns all responses until the server closes."""
        limit = seconds * self.world.patience
        with socket.create_connection(("127.0.0.1", self.port), timeout=limit) as stream:
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                if pieces == 1:
                    stream.sendall(data)
                else:
                    size = max(1, len(data) // pieces)
                    for begin in range(0, len(data), size):
                        stream.sendall(data[begin:begin + size])
                        time.sleep(pause)
                if half_close:
                    stream.shutdown(socket.SHUT_WR)
            except OSError:
                # A server that answers before it has read everything may close at once.
                pass
            return responses(read_all(stream, limit))

    def ask(self, case, data, seconds=12, allowed=(), may_show=(), half_close=False, sent=None):
        """Sends one request, and returns its only response. What must hold for every request is checked here."""
        case.note("sent", data)
        begun = time.monotonic()
        replies = self.send(data, seconds=seconds, half_close=half_close)
        taken = time.monotonic() - begun
        for reply in replies:
            case.note("answer", f"{reply.status} {reply.headers.get('content-type', '')} {short(reply.body.decode(errors='replace'))}")
        case.expect(replies, "there is no answer")
        case.expect(len(replies) == 1, f"there are {len(replies)} answers to one request")
        self.check_reply(case, replies[0], sent if sent is not None else data, allowed, may_show)
        case.expect(taken < seconds * self.world.patience, f"the answer took {taken:.1f} s")
        return replies[0]

    def check_reply(self, case, reply, sent, allowed=(), may_show=()):
        case.expect(reply.status < 500 or reply.status in allowed, f"status {reply.status}")
        self.world.check_answer(reply.body, sent, may_show)
        self.world.check_answer("\n".join(f"{name}: {value}" for name, value in reply.headers.items()), sent)
        if reply.status >= 400 and not as_bytes(sent).startswith(b"HEAD ") and "json" in reply.headers.get("content-type", ""):
            case.expect(reply.body.strip() and isinstance(reply.json(), dict), "a problem without a JSON object")


def read_all(stream, limit):
    """Reads until the end; fails if it does not come."""
    deadline, data = time.monotonic() + limit, b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Defect(f"the connection stays open after {limit:.0f} s; it has answered {short(data)}")
        stream.settimeout(left)
        try:
            piece = stream.recv(1 << 16)
        except socket.timeout:
            continue
        except OSError:
            return data
        if not piece:
            return data
        data += piece


def responses(data):
    """Parses all responses of a connection."""
    found = []
    while data:
        head, divider, rest = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        parts = lines[0].split(" ")
        if not divider or not lines[0].startswith("HTTP/") or len(parts) < 2 or not parts[1].isdigit():
            raise Defect(f"the server sends what is no response: {short(data)}")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        status = int(parts[1])
        if 100 <= status < 200:
            data = rest
            continue
        if "content-length" in headers:
            length = int(headers["content-length"])
            body, data = rest[:length], rest[length:]
            if len(body) < length and status not in (204, 304):
                # An answer to HEAD has the length of the body that it lacks.
                data = b""
        elif headers.get("transfer-encoding") == "chunked":
            body, data = chunks(rest)
        else:
            body, data = rest, b""
        found.append(Reply(status, headers, body))
    return found


def chunks(data):
    body = b""
    while True:
        size, divider, rest = data.partition(b"\r\n")
        if not divider:
            return body, b""
        length = int(size.split(b";")[0], 16)
        if length == 0:
            return body, rest.partition(b"\r\n")[2]
        body, data = body + rest[:length], rest[length + 2:]
