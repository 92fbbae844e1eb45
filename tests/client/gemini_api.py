"""A small scripted Gemini API on 127.0.0.1, for a real Gemini CLI that must never reach a real one.

Answers `POST /v1beta/models/MODEL:streamGenerateContent`, `:generateContent` and `:countTokens`; everything else gets a 404. The
directions in the user's last message are those of messages_api.py, and it writes the same log. A request for a summary before a
compression gets a summary of one line, and a request for JSON gets the answer that asks the client to go on as it would.
"""

import json
import time

from messages_api import DIRECTION, Handler, MessagesApi

TOOLS = {"bash": "run_shell_command", "write": "write_file", "read": "read_file"}
SUMMARY = "<state_snapshot>"


def said(content):
    """Returns the user's text in a message, without the client's additions."""
    texts = [part.get("text", "") for part in content.get("parts", [])]
    texts = [text.rpartition("</hook_context>")[2] if text.startswith("<hook_context>") else text for text in texts]
    return "\n".join(text for text in texts if not text.lstrip().startswith("<session_context>")).strip()


def turn(body):
    """Returns the user's last message and the number of answers to it so far."""
    words, answers = "", 0
    for content in body.get("contents", []):
        if content.get("role") == "user" and said(content):
            words, answers = said(content), 0
        elif content.get("role") == "model":
            answers += 1
    return words, answers


def play(body):
    """Returns the parts of the answer, the seconds of the delay, the HTTP status, and the tokens of the conversation."""
    words, answers = turn(body)
    if "<state_snapshot>" in words and "tools" not in body:
        return [{"text": f"{SUMMARY}They spoke of the script.</state_snapshot>"}], 0.0, 200, 10
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
            return [{"text": value}], pause, 200, tokens
        if body.get("tools"):
            return [{"text": "One moment."}, {"functionCall": call(kind, value)}], pause, 200, tokens
    plain = " ".join(DIRECTION.sub("", words).split()[:12])
    return [{"text": f"Understood: {plain}"}], pause, 200, tokens


def call(kind, value):
    if kind == "bash":
        given = {"command": value, "description": "As the script says"}
    elif kind == "read":
        given = {"file_path": value}
    elif kind == "write":
        path, _, content = value.partition("|")
        given = {"file_path": path.strip(), "content": content.strip() + "\n"}
    else:
        name, _, arguments = value.partition(" ")
        return {"name": name, "args": json.loads(arguments)}
    return {"name": TOOLS[kind], "args": given}


def whole(parts, tokens):
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 10, "totalTokenCount": tokens + 10},
        "modelVersion": "scripted",
    }


class GeminiHandler(Handler):
    """Answers requests in the form of the Gemini API."""

    def reply(self, path, raw, body):
        _, _, method = path.rpartition(":")
        if method == "countTokens":
            self.send(200, {"totalTokens": max(1, len(raw) // 4)})
        elif method in ("generateContent", "streamGenerateContent"):
            if body.get("generationConfig", {}).get("responseMimeType") == "application/json":
                # Which speaker is next, which model serves, or a loop: none of it changes a thing.
                self.send(200, whole([{"text": json.dumps({"reasoning": "scripted", "next_speaker": "user"})}], 10))
                return
            parts, pause, status, tokens = play(body)
            time.sleep(pause)
            if status != 200:
                self.send(status, {"error": {"code": status, "message": "as the script says", "status": "UNKNOWN"}})
            elif method == "streamGenerateContent":
                self.answer(200, f"data: {json.dumps(whole(parts, tokens))}\r\n\r\n".encode(), "text/event-stream")
            else:
                self.send(200, whole(parts, tokens))
        else:
            self.send(404, {"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}})


class GeminiApi(MessagesApi):
    """The server in a thread of its own; clients connect to `address`."""

    handler = GeminiHandler

    @staticmethod
    def asked(body):
        """Returns the user's last message in a request."""
        return turn(body)[0]
