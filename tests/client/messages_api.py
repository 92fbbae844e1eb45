#!/usr/bin/env python3
"""A small scripted Messages API on 127.0.0.1, for a real client that must never reach a real one.

Usage: messages_api.py --log FILE [--port N]

Prints its address and serves until it is ended. Answers `POST /v1/messages`, streamed or not, and
`POST /v1/messages/count_tokens`; everything else gets a 404. There is no model: the user's last message is the script. It may contain
any number of these directions; each answer plays the next one:

  [[bash COMMAND]]             asks the client to run a command
  [[write PATH | TEXT]]        asks the client to write a file
  [[read PATH]]                asks the client to read a file
  [[background COMMAND]]       asks the client to run a command in the background
  [[helper TASK]]              asks the client to start a helper with a task
  [[tool NAME JSON]]           asks the client to call a tool with these arguments
  [[say TEXT]]                 answers with this text
  [[wait SECONDS]]             delays the answer
  [[fail STATUS]]              answers with an HTTP error
  [[tokens NUMBER]]            reports this length of the conversation

Without a direction left, the answer is "Understood: " and the first words of the message. Text in `<system-reminder>` and in the tags
of local commands is not the user's: directions in it are ignored. A request to summarise the conversation before its compaction gets
a summary of one line.

Writes each request to the log before answering it, as a line of JSON: `time` (seconds since 1970), `method`, `path`, `body` (parsed),
and `headers` without keys.
"""

import argparse
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIRECTION = re.compile(r"\[\[(bash|write|read|background|helper|tool|say|wait|fail|tokens)\s+(.*?)\]\]", re.DOTALL)
WRAPPED = re.compile(r"<(system-reminder|local-command-[a-z]+|command-[a-z]+)>.*?</\1>", re.DOTALL)
COMPACTION = "CRITICAL: Respond with TEXT ONLY"
SECRET = {"x-api-key", "authorization", "cookie"}


def blocks(message):
    """Returns the content of a message as a list of blocks."""
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def said(message):
    """Returns the user's text in a message, without the client's additions."""
    texts = [block["text"] for block in blocks(message) if block.get("type") == "text"]
    return WRAPPED.sub("", "\n".join(texts)).strip()


def turn(body):
    """Returns the user's last message and the number of answers to it so far."""
    words, answers = "", 0
    for message in body.get("messages", []):
        if message.get("role") == "user":
            # A message with results of tools may contain the user's text too.
            if said(message):
                words, answers = said(message), 0
        elif message.get("role") == "assistant":
            answers += 1
    return words, answers


def play(body):
    """Returns the blocks of the answer, the seconds of the delay, the HTTP status, and the tokens of the conversation."""
    words, answers = turn(body)
    if COMPACTION in words:
        return [text("<analysis>Short.</analysis>\n<summary>They spoke of the script.</summary>")], 0.0, 200, 10
    pause, steps, tokens = 0.0, [], 10
    for kind, value in DIRECTION.findall(words):
        value = value.strip()
        if kind == "wait":
            pause = float(value)
        elif kind == "fail":
            return [], pause, int(value), tokens
        elif kind == "tokens":
            tokens = int(value)
        else:
            steps.append((kind, value))
    if answers < len(steps):
        kind, value = steps[answers]
        if kind == "say":
            return [text(value)], pause, 200, tokens
        if body.get("tools"):
            return [text("One moment."), tool(kind, value)], pause, 200, tokens
    plain = " ".join(DIRECTION.sub("", words).split()[:12])
    return [text(f"Understood: {plain}")], pause, 200, tokens


def text(value):
    return {"type": "text", "text": value}


def tool(kind, value):
    if kind == "bash":
        name, given = "Bash", {"command": value, "description": "As the script says"}
    elif kind == "read":
        name, given = "Read", {"file_path": value}
    elif kind == "background":
        name = "Bash"
        given = {"command": value, "description": "As the script says", "run_in_background": True}
    elif kind == "helper":
        name, given = "Agent", {"description": "As the script says", "prompt": value, "subagent_type": "general-purpose"}
    elif kind == "tool":
        name, _, arguments = value.partition(" ")
        given = json.loads(arguments)
    else:
        path, _, content = value.partition("|")
        name, given = "Write", {"file_path": path.strip(), "content": content.strip() + "\n"}
    return {"type": "tool_use", "id": f"toolu_{time.monotonic_ns():024d}", "name": name, "input": given}


def whole(body, content, tokens):
    used = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{time.monotonic_ns():024d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if used else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 10,
        },
    }


def events(message):
    """Yields the events of a streamed answer, in the order that clients expect."""
    start = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.note(None)
        self.answer(404, b"")

    def do_GET(self):
        self.note(None)
        self.refuse(404, "not_found_error")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {"unparsed": raw.decode("utf-8", "replace")}
        self.note(body)
        self.reply(self.path.partition("?")[0], raw, body)

    def reply(self, path, raw, body):
        if path == "/v1/messages/count_tokens":
            self.send(200, {"input_tokens": max(1, len(raw) // 4)})
        elif path == "/v1/messages":
            self.message(body)
        else:
            self.refuse(404, "not_found_error")

    def message(self, body):
        content, pause, status, tokens = play(body)
        time.sleep(pause)
        if status != 200:
            self.refuse(status, "api_error")
        elif body.get("stream"):
            message = whole(body, content, tokens)
            lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(message)]
            self.answer(200, "".join(lines).encode(), "text/event-stream")
        else:
            self.send(200, whole(body, content, tokens))

    def refuse(self, status, kind):
        self.send(status, {"type": "error", "error": {"type": kind, "message": "as the script says"}})

    def send(self, status, value):
        self.answer(status, json.dumps(value).encode())

    def answer(self, status, payload, kind="application/json"):
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(payload)
        except (BrokenPipeError, ConnectionResetError):
            # The client ended, or stopped waiting.
            self.close_connection = True

    def note(self, body):
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in SECRET}
        record = {"time": time.time(), "method": self.command, "path": self.path, "headers": headers, "body": body}
        with self.server.lock:
            self.server.log.write(json.dumps(record) + "\n")
            self.server.log.flush()

    def log_message(self, *_):
        pass


class MessagesApi:
    """The server in a thread of its own; clients connect to `address`."""

    handler = Handler

    def __init__(self, log, port=0):
        self.log = log
        self.server = ThreadingHTTPServer(("127.0.0.1", port), self.handler)
        self.server.daemon_threads = True
        self.server.lock = threading.Lock()
        self.server.log = open(log, "a", encoding="utf-8")
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def requests(self, since=0):
        """Returns the recorded requests, without the first `since`."""
        with self.server.lock, open(self.log, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines][since:]

    @staticmethod
    def asked(body):
        """Returns the user's last message in a request."""
        return turn(body)[0]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.server.log.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", required=True)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    api = MessagesApi(options.log, options.port)
    print(api.address, flush=True)
    try:
        api.thread.join()
    except KeyboardInterrupt:
        api.close()


if __name__ == "__main__":
    main()
