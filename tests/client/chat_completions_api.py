"""The scripted API in the form of OpenAI's chat completions, for clients that speak it. Scripts are those of messages_api.py.

A request without tools is one for a title, or for the summary of a compaction, and gets an answer of one line.
"""

import json
import re
import time

import messages_api

MEMORY = re.compile(r"<tars-memory>.*?</tars-memory>", re.DOTALL)
# The names that opencode gives the tools of the script.
TOOLS = {"Bash": "bash", "Write": "write", "Read": "read", "Agent": "task"}
TITLE, SUMMARY = "A title", "They spoke of the script."


def plain(body):
    """Returns a request without the memory of tars, which is not the user's."""
    messages = []
    for message in body.get("messages", []):
        content = message.get("content")
        if isinstance(content, str):
            content = MEMORY.sub("", content)
        elif isinstance(content, list):
            content = [{**block, "text": MEMORY.sub("", block["text"])} if "text" in block else block for block in content]
        messages.append({**message, "content": content})
    return {**body, "messages": messages}


def asked(body):
    """Returns the user's last message in a request."""
    return messages_api.turn(plain(body))[0]


def call(index, block):
    given = dict(block["input"])
    if "file_path" in given:
        given["filePath"] = given.pop("file_path")
    if block["name"] == "Agent":
        given["subagent_type"] = "general"
    function = {"name": TOOLS.get(block["name"], block["name"]), "arguments": json.dumps(given)}
    return {"index": index, "id": block["id"], "type": "function", "function": function}


def chunks(body, content, tokens, call=call):
    """Yields the chunks of a streamed answer, with calls of tools in the client's form."""
    base = {"id": f"chat-{time.monotonic_ns()}", "object": "chat.completion.chunk", "created": 0, "model": body.get("model")}

    def chunk(delta, reason=None, **more):
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}

    said = "".join(block["text"] for block in content if block["type"] == "text")
    used = [block for block in content if block["type"] == "tool_use"]
    yield chunk({"role": "assistant", "content": said})
    for index, block in enumerate(used):
        yield chunk({"tool_calls": [call(index, block)]})
    usage = {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10}
    yield chunk({}, "tool_calls" if used else "stop", usage=usage)


class Handler(messages_api.Handler):
    plain = staticmethod(plain)
    call = staticmethod(call)

    def reply(self, path, raw, body):
        if path != "/v1/chat/completions" or "messages" not in body:
            self.refuse(404, "not_found_error")
            return
        if body.get("tools"):
            content, pause, status, tokens = messages_api.play(self.plain(body))
        else:
            is_title = "title generator" in json.dumps(body["messages"][0])
            content, pause, status, tokens = [messages_api.text(TITLE if is_title else SUMMARY)], 0.0, 200, 10
        time.sleep(pause)
        if status != 200:
            self.refuse(status, "api_error")
        else:
            lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(body, content, tokens, self.call)]
            self.answer(200, ("".join(lines) + "data: [DONE]\n\n").encode(), "text/event-stream")


class ChatCompletionsApi(messages_api.MessagesApi):
    """The server in a thread of its own; clients connect to `address`."""

    handler = Handler
    asked = staticmethod(asked)
