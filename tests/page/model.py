"""A scripted language model: a server on the loopback interface with OpenAI's chat completions API."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def says(*pieces, pause=0.0):
    """Returns an answer in pieces, with a pause between them."""
    def reply(handler):
        for number, piece in enumerate(pieces):
            time.sleep(pause if number else 0)
            handler.event({"choices": [{"delta": {"content": piece}}]})
        handler.event({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 812, "completion_tokens": 31}})
    return reply


def calls(tool, **arguments):
    """Returns a call of a tool."""
    def reply(handler):
        call = {"index": 0, "id": "c1", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        handler.event({"choices": [{"delta": {"tool_calls": [call]}}]})
        handler.event({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    return reply


def begins(piece):
    """Returns the beginning of an answer that never ends."""
    def reply(handler):
        handler.event({"choices": [{"delta": {"content": piece}}]})
        while not handler.server.ends.wait(0.05):
            handler.note()
    return reply


class Handler(BaseHTTPRequestHandler):
    """Answers a request with the next reply of the script."""

    protocol_version = "HTTP/1.0"

    def do_POST(self):
        """Answers a stream by the script, and any other request, which is a background task of tars, with an empty result."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        script = self.server.script
        script.asked.append(asked)
        self.send_response(200)
        if not asked.get("stream"):
            body = json.dumps({"choices": [{"message": {"content": '{"turns": [], "claims": []}'}}]}).encode()
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            (script.replies.pop(0) if script.replies else says("There is nothing more to say."))(self)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            script.left += 1

    def event(self, data):
        """Sends an event."""
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\n\n")

    def note(self):
        """Sends a comment, which fails after the client has left."""
        self.wfile.write(b": still here\n\n")

    def log_message(self, *_):
        """Logs nothing."""


class Model:
    """A server that gives its replies one after the other."""

    def __init__(self):
        self.replies, self.asked, self.left = [], [], 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.script, self._server.ends, self._server.daemon_threads = self, threading.Event(), True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.environment = {
            "TARS_CHAT_PROVIDER": "openai", "TARS_CHAT_MODEL": "small", "TARS_CHAT_BASE_URL": f"http://127.0.0.1:{self._server.server_port}/v1",
        }

    def will(self, *replies):
        """Adds replies to the script."""
        self.replies.extend(replies)

    def close(self):
        """Ends the server."""
        self._server.ends.set()
        self._server.shutdown()
