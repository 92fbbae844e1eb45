"""Runs the real OpenClaw with the plugin of plugins/openclaw, against a scripted API on 127.0.0.1.
"""

import json
import re

import chat_completions_api
import messages_api

INTERNAL = re.compile(r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>", re.DOTALL)
# The client's names of the tools of the script.
TOOLS = {"Bash": "exec", "Write": "write", "Read": "read", "Agent": "sessions_spawn"}


def plain(body):
    """Returns a request without what the client and tars added to the user's words."""
    messages = []
    for message in chat_completions_api.plain(body).get("messages", []):
        content = [{**block, "text": INTERNAL.sub("", block.get("text", ""))} for block in messages_api.blocks(message)]
        messages.append({**message, "content": content})
    return {**body, "messages": messages}


def call(index, block):
    given = dict(block["input"])
    if "file_path" in given:
        given["path"] = given.pop("file_path")
    if block["name"] == "Agent":
        given = {"task": given["prompt"]}
    given.pop("description", None)
    function = {"name": TOOLS.get(block["name"], block["name"]), "arguments": json.dumps(given)}
    return {"index": index, "id": block["id"], "type": "function", "function": function}


class Handler(chat_completions_api.Handler):
    plain = staticmethod(plain)
    call = staticmethod(call)


class OpenClawApi(chat_completions_api.ChatCompletionsApi):
    """The scripted API for OpenClaw."""

    handler = Handler

    @staticmethod
    def asked(body):
        return messages_api.turn(plain(body))[0]
