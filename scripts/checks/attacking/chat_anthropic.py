"""`tars chat` with a server that speaks Anthropic's messages."""

import json

from checks.attacking import junk
from checks.attacking.case import Kind
from checks.attacking.model import Reply, event, refused

ANSWER, THOUGHT = "The hull number is SE-4471.", "THOUGHTS-OF-THE-MODEL"
START = {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [],
    "usage": {"input_tokens": 7, "output_tokens": 1}}}
PING, STOP = {"type": "ping"}, {"type": "message_stop"}


def stream(*blocks, reason="end_turn", before=(), after=()):
    """A stream of blocks; a block is its beginning and its deltas."""
    events = [START, *before]
    for index, (block, *deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events += [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}, *after, STOP]
    return Reply("".join(f"event: {one.get('type', 'x')}\n{event(one)}" for one in events))


def text(said):
    return {"type": "text", "text": ""}, {"type": "text_delta", "text": said}


def use(name, written):
    return {"type": "tool_use", "id": "t1", "name": name, "input": {}}, {"type": "input_json_delta", "partial_json": written}


def chat(door, case, message, replies, *options):
    environment = {
        "TARS_CHAT_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "none", "TARS_CHAT_BASE_URL": f"http://127.0.0.1:{door.model.port}",
    }
    return door.chat(case, message, replies, *options, environment=environment)


def forms(door, case):
    """Answers that say the same in all the forms that the protocol allows, with blocks and events that nobody knows yet."""
    thinking = ({"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": THOUGHT},
        {"type": "signature_delta", "signature": "c2ln"})
    table = [
        stream(text(ANSWER)), stream(text(ANSWER), before=[PING], after=[PING]), stream(thinking, text(ANSWER)),
        stream(({"type": "redacted_thinking", "data": "x"},), text(ANSWER)), stream(({"type": "text", "text": ANSWER},)),
        stream(text(ANSWER[:9]), text(ANSWER[9:])), stream(({"type": "hologram", "x": 1}, {"type": "hologram_delta"}), text(ANSWER)),
        stream(text(ANSWER), before=[{"type": "news", "x": []}]), stream(({"type": "text"}, {"type": "text_delta", "text": ANSWER})),
        stream(({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},), text(ANSWER)),
        stream(({"type": "text", "text": "", "citations": None}, {"type": "citations_delta", "citation": {}},
            {"type": "text_delta", "text": ANSWER})),
        Reply(json.dumps({"type": "message", "role": "assistant", "content": [{"type": "text", "text": ANSWER}],
            "stop_reason": "end_turn"}),
              kind="application/json"),
    ]
    done, _ = chat(door, case, "what is the hull number", [case.pick(table)])
    case.expect(ANSWER[:9].encode() in done.out and ANSWER[9:].strip().encode() in done.out, "the answer is not shown")
    case.expect(THOUGHT.encode() not in done.out, "thoughts are shown")


def troubles(door, case):
    """Empty answers, errors, refusals, broken calls: never silence, and the conversation goes on."""
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    table = [
        stream(), stream(text("")), stream(reason="refusal"), stream(text("A"), reason="max_tokens"),
        Reply(event(START) + event(overloaded)), refused(529, "Overloaded", type="overloaded_error"),
        refused(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        stream(use("memory_search", '{"query": "bo'), reason="tool_use"), stream(use("memory_search", "[]"), reason="tool_use"),
        stream(use("nothing", "{}"), reason="tool_use"), stream(use("", ""), reason="tool_use"),
        stream(use("memory_search", '"x"'), use("memory_get", "")), Reply(event(START)), Reply("event: message_stop\ndata: {}\n\n"),
        Reply(junk.spoiled(case.random, stream(text(ANSWER)).body.decode())),
        Reply(event({"type": "content_block_delta", "index": 99, "delta": {"type": "text_delta", "text": 1}})), stream(text(None)),
    ]
    chat(door, case, "what is the hull number", [case.pick(table), stream(text(ANSWER))])
    again, _ = chat(door, case, "and its colour", [stream(text("Blue."))])
    case.expect(again.code == 0 and b"Blue." in again.out, "the conversation does not go on")


KINDS = [Kind("forms of Anthropic", 12, forms), Kind("troubles of Anthropic", 34, troubles)]
