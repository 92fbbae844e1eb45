"""The scripted API of messages_api.py in the form of the Responses API, for Codex: `POST /v1/responses`, streamed.

It knows the same directions. `write` becomes a patch, and a file that exists is replaced. A call of a tool in a namespace is
`[[tool NAMESPACE/NAME JSON]]`.
"""

import json
import re
import time

from messages_api import DIRECTION, Handler, MessagesApi

# Messages of the client in the user's name.
FOREIGN = re.compile(r"\s*(<[a-z]+[_-][a-z_-]+>|# AGENTS\.md instructions|<INSTRUCTIONS>)")
COMPACTION = "CONTEXT CHECKPOINT COMPACTION"
SUMMARY = "They spoke of the script."
CALLS = ("function_call", "custom_tool_call")


def texts(item):
    """Returns the texts of a message, or of the result of a tool."""
    content = item.get("content", item.get("output")) or []
    return [content] if isinstance(content, str) else [part["text"] for part in content if isinstance(part.get("text"), str)]


def turn(body):
    """Returns the user's last message and the number of calls of tools since."""
    words, calls = "", 0
    for item in body.get("input", []):
        if item.get("role") == "user":
            said = "\n".join(text for text in texts(item) if not FOREIGN.match(text)).strip()
            if said:
                words, calls = said, 0
        elif item.get("type") in CALLS:
            calls += 1
    return words, calls


def play(body):
    """Returns the items of the answer, the seconds of the delay, the HTTP status, and the tokens of the conversation."""
    words, calls = turn(body)
    if COMPACTION in words:
        return [message(SUMMARY)], 0.0, 200, 10
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
    if calls < len(steps):
        kind, value = steps[calls]
        if kind == "say":
            return [message(value)], pause, 200, tokens
        return [message("One moment.", "commentary"), call(kind, value)], pause, 200, tokens
    plain = " ".join(DIRECTION.sub("", words).split()[:12])
    return [message(f"Understood: {plain}")], pause, 200, tokens


def message(value, phase="final_answer"):
    content = [{"type": "output_text", "text": value}]
    return {"type": "message", "role": "assistant", "id": name("msg"), "content": content, "phase": phase}


def call(kind, value):
    tool, space = "exec_command", {}
    if kind in ("bash", "background"):
        given = {"cmd": value}
    elif kind == "read":
        given = {"cmd": f"cat '{value}'"}
    elif kind == "helper":
        tool, space, given = "spawn_agent", {"namespace": "multi_agent_v1"}, {"message": value}
    elif kind == "tool":
        tool, _, arguments = value.partition(" ")
        given = json.loads(arguments)
        if "/" in tool:
            namespace, tool = tool.split("/")
            space = {"namespace": namespace}
    else:
        path, _, content = value.partition("|")
        patch = f"*** Begin Patch\n*** Add File: {path.strip()}\n+{content.strip()}\n*** End Patch"
        given = {"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF\n"}
    item = {"type": "function_call", "id": name("fc"), "call_id": name("call"), "name": tool, "arguments": json.dumps(given)}
    return {**item, **space}


def name(kind):
    return f"{kind}_{time.monotonic_ns():024d}"


def events(items, tokens):
    """Yields the events of a streamed answer, in the order that clients expect."""
    made = {"id": name("resp")}
    yield {"type": "response.created", "response": made}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage = {"input_tokens": tokens, "output_tokens": 10, "total_tokens": tokens + 10}
    yield {"type": "response.completed", "response": {**made, "usage": usage}}


class ResponsesHandler(Handler):
    def reply(self, path, _, body):
        if path != "/v1/responses":
            self.refuse(404, "not_found_error")
            return
        items, pause, status, tokens = play(body)
        time.sleep(pause)
        if status != 200:
            self.refuse(status, "api_error")
            return
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(items, tokens)]
        self.answer(200, "".join(lines).encode(), "text/event-stream")


class ResponsesApi(MessagesApi):
    """The server in a thread of its own; clients connect to `address`."""

    handler = ResponsesHandler

    @staticmethod
    def asked(body):
        """Returns the user's last message in a request."""
        return turn(body)[0]
