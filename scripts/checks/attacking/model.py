"""A model server on the loopback interface that answers as it is told: like well-known servers with their quirks, and like hostile ones."""

import json
import re
import socket
import threading
import time


class Reply:
    """What the server does with a request: bytes, and what happens after them."""

    def __init__(self, body, status=200, kind="text/event-stream", end="whole"):
        self.body = body if isinstance(body, bytes) else body.encode(errors="surrogatepass")
        self.status, self.kind, self.end = status, kind, end


class Model:
    """The server. Each conversation has a script: the replies to its requests, in order; the last one is repeated."""

    def __init__(self):
        self.lock = threading.Lock()
        self.scripts, self.received = {}, {}
        self.closing = threading.Event()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def script(self, mark, replies):
        """Sets the replies to requests whose last message contains a mark. A reply is a `Reply`, or a function of the request."""
        with self.lock:
            self.scripts[mark], self.received[mark] = list(replies), []

    def asked(self, mark):
        with self.lock:
            return list(self.received.get(mark, []))

    def accept(self):
        while not self.closing.is_set():
            try:
                stream, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream):
        with stream:
            try:
                stream.settimeout(30)
                self.answer(stream)
            except OSError:
                pass

    def answer(self, stream):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = stream.recv(1 << 16)
            if not piece:
                return
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = 0
        for line in head.decode("latin-1").split("\r\n"):
            if line.lower().startswith("content-length:"):
                length = int(line.split(":")[1])
        while len(body) < length:
            body += stream.recv(1 << 16)
        request = {"path": head.split(b" ")[1].decode(), "head": head.decode("latin-1"), "body": body}
        self.send(stream, self.reply(request))

    def reply(self, request):
        try:
            body = json.loads(request["body"])
            mark = marked(body["messages"])
        except (ValueError, KeyError):
            # A question about the server itself, which most servers do not know.
            return Reply("{}", 404, "application/json")
        # Tasks (summaries, facts) are no streams, and do not take part in the script.
        if not body.get("stream"):
            return task(request)
        with self.lock:
            if mark not in self.scripts:
                return said("There is no script for this.")
            self.received[mark].append(request)
            replies = self.scripts[mark]
            reply = replies[0] if len(replies) == 1 else replies.pop(0)
        return reply(request) if callable(reply) else reply

    def send(self, stream, reply):
        if reply.end == "closed":
            return
        promised = len(reply.body) + 500 if reply.end == "broken" else len(reply.body)
        length = f"Content-Length: {promised}\r\n" if reply.end in ("whole", "broken") else ""
        head = f"HTTP/1.1 {reply.status} X\r\nContent-Type: {reply.kind}\r\n{length}Connection: close\r\n\r\n"
        stream.sendall(head.encode() + reply.body)
        end = time.monotonic() + 60
        while reply.end in ("drip", "flood", "hang") and time.monotonic() < end and not self.closing.is_set():
            if reply.end == "drip":
                stream.sendall(b": still there\n\n")
                time.sleep(0.05)
            elif reply.end == "flood":
                stream.sendall(said("flood " * 2000, end=False).body)
            else:
                time.sleep(0.1)

    def close(self):
        self.closing.set()
        self.socket.close()


def marked(messages):
    """Returns the mark of the case in the last message of the person. Some servers get results of tools as such messages too."""
    for message in reversed(messages):
        marks = re.findall(r"mark\d+", json.dumps(message["content"])) if message["role"] == "user" else []
        if marks:
            return marks[-1]
    return None


# The forms of chat completions.

def event(data):
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def delta(fields, finish=None, **more):
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}], **more}


def events(*chunks, done=True, **options):
    return Reply("".join(map(event, chunks)) + ("data: [DONE]\n\n" if done else ""), **options)


def said(text, end=True):
    chunks = [delta({"role": "assistant", "content": text})]
    return events(*chunks, *([delta({}, "stop")] if end else []), done=end)


def whole(message, finish="stop", **options):
    """An answer that is no stream."""
    return Reply(json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3}}), kind="application/json", **options)


def call(name, arguments, id_="c1", index=0, **more):
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"index": index, "id": id_, "type": "function", "function": {"name": name, "arguments": written}, **more}


def calls(*all_, **more):
    return events(delta({"role": "assistant", "content": None, "tool_calls": list(all_), **more}), delta({}, "tool_calls"))


def refused(status, message, **more):
    return Reply(json.dumps({"error": {"message": message, **more}}), status, "application/json")


def task(request):
    """The answer to a task of tars."""
    text = "They spoke of the boat." if b"sum up" in request["body"] or b"summar" in request["body"].lower() else "{}"
    return whole({"role": "assistant", "content": text})
