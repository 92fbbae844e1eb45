"""`tars chat` and a model server with quirks. `chat_tools.py` has what a model does with tools, and servers of tools."""

import json
import os

from checks.attacking import chat_anthropic, chat_tools, junk, model, tool_servers
from checks.attacking.case import Kind
from checks.attacking.model import Reply, call, calls, delta, event, events, refused, said, whole
from checks.attacking.server import Server

SEARCH = call("memory_search", {"query": "hull number"})
ANSWER, THOUGHT = "The hull number is SE-4471.", "THOUGHTS-OF-THE-MODEL"


class ChatDoor:
    """Attacks on the assistant."""

    NAME = "chat"

    def __init__(self, world):
        self.world = world
        self.model, self.other = model.Model(), model.Model()
        world.environment.update({
            "TARS_CHAT_PROVIDER": "openai", "TARS_CHAT_MODEL": "small", "TARS_CHAT_BASE_URL": f"http://127.0.0.1:{self.model.port}/v1",
            "TARS_CHAT_TIMEOUT_SECONDS": "6",
        })
        world.tars("index")
        self.config = os.path.join(world.home, ".config/tars/config.toml")
        os.makedirs(os.path.dirname(self.config))
        self.serving = None

    def server(self):
        if self.serving is None:
            tool_servers.alone(self)
            self.serving = Server(self.world)
        return self.serving

    def chat(self, case, message, replies, *options, environment=None, conversation=None, seconds=12, other=False):
        """Holds one turn. Returns the result and the requests that the model got. There is never silence, and nothing private is sent."""
        server, mark = (self.other if other else self.model), f"mark{case.number}"
        if replies is not None:
            server.script(mark, replies)
        before = len(server.asked(mark))
        name = ["--conversation", conversation or f"case-{case.number}"]
        done = self.world.run(case, "chat", *name, *options, f"{message} {mark}", seconds=seconds, environment=environment)
        asked = server.asked(mark)[before:]
        for request in asked:
            body = json.loads(request["body"])
            case.note("the model got", f"{len(body.get('tools') or [])} tools, {json.dumps(body['messages'][1:], ensure_ascii=False)}")
            self.world.check_answer(request["body"])
        self.world.check_answer(done.out)
        self.world.check_answer(done.err)
        said_something = done.out.strip() if done.code == 0 else done.err.strip()
        case.expect(said_something, f"silence: exit {done.code}, and nothing printed")
        for request in asked:
            check_messages(case, json.loads(request["body"]))
        return done, asked

    def check(self, case):
        self.world.check_notes()
        if self.serving:
            self.serving.check_alive()

    def close(self):
        self.model.close()
        self.other.close()


def check_messages(case, request):
    """Checks that a server accepts the messages: none is empty, and each result belongs to a call before it."""
    known = set()
    for message in request["messages"]:
        if message["role"] == "assistant":
            named = message.get("tool_calls") or []
            case.expect(message.get("content") or named, "an empty message of the assistant is sent")
            ids = [one["id"] for one in named]
            case.expect(len(ids) == len(set(ids)) and all(ids), f"calls have the ids {ids}")
            for one in named:
                case.expect(isinstance(json.loads(one["function"]["arguments"] or "{}"), dict),
                    "arguments that are no object are sent back")
            known |= set(ids)
        elif message["role"] == "tool":
            case.expect(message["tool_call_id"] in known, "a result without its call is sent")
            known.discard(message["tool_call_id"])
    case.expect(not known, "a call without its result is sent")


def forms(door, case):
    """Answers in the forms of well-known servers, all of which say the same."""
    parts = [{"type": "text", "text": ANSWER[:9]}, {"type": "text", "text": ANSWER[9:]}]
    stop = delta({}, "stop")
    table = {
        "plain": said(ANSWER), "parts in a delta": events(delta({"content": parts}), stop),
        "one part a delta": events(delta({"content": parts[:1]}), delta({"content": parts[1:]}), stop),
        "parts in a message": whole({"role": "assistant", "content": parts}),
        "a null message beside the delta": events({"choices": [{"index": 0, "delta": {"content": ANSWER}, "message": None}]}, stop),
        "thoughts before": events(delta({"content": f"<think>{THOUGHT}</think>\n{ANSWER}"}), stop),
        "thoughts without their opening": events(delta({"content": f"{THOUGHT}\n</think>\n\n{ANSWER}"}), stop),
        "thoughts without their opening, in pieces": events(*[delta({"content": piece}) for piece in (THOUGHT, "\n</th", "ink>", "\n",
            ANSWER)], stop),
        "whole thoughts without their opening": whole({"role": "assistant", "content": f"{THOUGHT}\n</think>\n{ANSWER}"}),
        "reasoning_content": events(delta({"reasoning_content": THOUGHT}), delta({"content": ANSWER}), stop),
        "reasoning": events(delta({"reasoning": THOUGHT, "content": ""}), delta({"content": ANSWER}), stop),
        "a message as a stream's end": events(delta({"content": ""}),
            {"choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}]}),
        "a stream that says JSON": Reply(said(ANSWER).body, kind="application/json"),
        "comments": Reply(": OPENROUTER PROCESSING\n\n" + said(ANSWER).body.decode()),
        "comments within data": Reply("data: : OPENROUTER PROCESSING\n\n" + said(ANSWER).body.decode()),
        "no end": events(delta({"content": ANSWER}), stop, done=False),
        "carriage returns": Reply(said(ANSWER).body.replace(b"\n", b"\r\n")),
        "no blank": Reply(said(ANSWER).body.replace(b"data: ", b"data:")),
        "events with names": Reply(b"event: message\nid: 1\n" + said(ANSWER).body),
        "null fields": events(delta({"role": "assistant", "content": None, "tool_calls": None, "function_call": None, "refusal": None}),
            delta({"content": ANSWER}), stop),
        "no choices": events({"choices": []}, delta({"content": ANSWER}),
            {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}, stop),
        "null choices": events({"choices": None}, delta({"content": ANSWER}), stop),
        "empty tool calls": events(delta({"content": ANSWER, "tool_calls": []}), stop),
        "filters": events({"prompt_filter_results": [], "choices": []}, delta({"content": ANSWER}), stop),
        "a byte order mark": Reply(b"\xef\xbb\xbf" + said(ANSWER).body),
        "a large number": events(delta({"content": ANSWER}), delta({}, "stop", usage={"prompt_tokens": 2**63, "completion_tokens": -1})),
        "thoughts as parts": events(delta({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": ANSWER}]}), stop),
    }
    name = case.pick(sorted(table))
    case.note("form", name)
    done, asked = door.chat(case, "what is the hull number", [table[name], said(ANSWER + " AGAIN")])
    case.expect(ANSWER.encode() in done.out, f"{name}: the answer is not shown")
    case.expect(THOUGHT.encode() not in done.out, f"{name}: thoughts are shown")
    case.expect(len(asked) == 1, f"{name}: the model was asked {len(asked)} times")
    case.expect(THOUGHT not in door.world.memory(), f"{name}: thoughts are noted")


def empties(door, case):
    """An empty answer is asked for once more; if that is empty too, tars says so. The conversation goes on."""
    stop = delta({}, "stop")
    table = [
        events(stop), events(delta({"content": ""}), stop), events(delta({"reasoning_content": THOUGHT}), stop),
        events(delta({"content": None}), stop), Reply("data: [DONE]\n\n"), Reply(""), whole({"role": "assistant", "content": ""}),
        whole({"role": "assistant", "content": None}), whole({"role": "assistant", "content": []}), events(delta({"content": []}), stop),
        events(delta({"content": "<think>" + THOUGHT + "</think>"}), stop), events(delta({"content": " \n\n "}), stop), whole(None),
        Reply('{"choices": []}', kind="application/json"), Reply("{}", kind="application/json"),
        events({"choices": [{"index": 0, "delta": None, "message": None, "finish_reason": "stop"}]}),
        events(delta({"content": [{"type": "text", "text": ""}]}), stop), events(delta({"content": f"{THOUGHT}</think>"}), stop),
        events(delta({"tool_calls": []}, "tool_calls")), events(delta({"content": ""}, "length")),
        events(delta({"refusal": ""}, "content_filter")),
    ]
    empty = case.pick(table)
    recovers = case.place % 2 == 0
    done, asked = door.chat(case, "what is the hull number", [empty, said(ANSWER) if recovers else empty])
    case.expect(THOUGHT.encode() not in done.out, "thoughts are shown as the answer")
    # A stream without a byte has broken off, and is asked for again three times.
    case.expect(len(asked) <= (3 if empty.body else 4), f"the model was asked {len(asked)} times")
    if recovers and len(asked) == 2:
        case.expect(done.code == 0 and ANSWER.encode() in done.out, "the second answer is not shown")
    if not recovers:
        case.expect(done.err.strip(), "nothing says that the answer is empty")
    again, _ = door.chat(case, "and its colour", [said("Blue.")])
    case.expect(again.code == 0 and b"Blue." in again.out, "the conversation does not go on")


def sent_back(door, case):
    """What a server wants back is sent back to it, and to no other server."""
    signature = "c2lnbmF0dXJl" + junk.password(case.random) + "=="
    thought = f"I look for the hull {case.word()}"
    kind = case.place % 5
    if kind == 0:
        replies, want = [events(delta({"reasoning_content": thought}), delta({"tool_calls": [SEARCH]}), delta({}, "tool_calls"))], [thought]
    elif kind == 1:
        extra = {"google": {"thought_signature": signature}}
        replies, want = [calls({**SEARCH, "extra_content": extra})], [signature]
    elif kind == 2:
        details = [{"type": "reasoning.encrypted", "data": signature, "id": "r1", "format": "x", "index": 0}]
        replies, want = [events(delta({"reasoning_details": details}), delta({"tool_calls": [SEARCH]}),
            delta({}, "tool_calls"))], [signature]
    elif kind == 3:
        details = [{"type": "reasoning.text", "text": thought, "signature": signature, "index": 0}]
        replies, want = [events(delta({"reasoning": thought, "reasoning_details": details, "tool_calls": [SEARCH]}),
            delta({}, "tool_calls"))], [signature]
    else:
        replies, want = [whole({"role": "assistant", "content": "", "reasoning_content": thought,
            "tool_calls": [{key: value for key, value in SEARCH.items() if key != "index"}]}, "tool_calls")], [thought]
    done, asked = door.chat(case, "what is the hull number", [*replies, said(ANSWER)])
    case.expect(len(asked) == 2 and ANSWER.encode() in done.out, "the tool was not used")
    for word in want:
        case.expect(word in asked[1]["body"].decode(), "what the server wants back is not sent back")
        case.expect(word.encode() not in done.out + done.err and word not in door.world.memory(), "it is shown or noted")
    elsewhere = {"TARS_CHAT_BASE_URL": f"http://127.0.0.1:{door.other.port}/v1"}
    _, asked = door.chat(case, "and its colour", [said("Blue.")], environment=elsewhere, other=True)
    for request in asked:
        case.expect(not any(word in request["body"].decode() for word in want), "it is sent to another server")


def refusals(door, case):
    """Errors of a server: tars says what is wrong, and the conversation goes on."""
    body = case.pick([
        refused(401, "Incorrect API key provided: sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA"), refused(404, "model 'small' not found"),
        refused(429, "slow down", code="rate_limit_exceeded"), refused(500, "boom"), refused(503, "loading model"),
        Reply("<html>bad gateway</html>", 502, "text/html"), Reply("", 500), Reply("", end="closed"), Reply("data: {", end="broken"),
        Reply(b"\xff\xfe" * 900, 400), Reply("x" * 3_000_000, 400), Reply("{}", 301, "application/json"), refused(400, None),
        Reply('{"error": "a text"}', 400, "application/json"), Reply('{"error": {"message": {"a": 1}}}', 400, "application/json"),
        Reply(junk.deep(100_000), 400, "application/json"), Reply('data: {"error": {"message": "the server broke"}}\n\n'),
        Reply("event: error\ndata: no\n\n"), Reply("hello", 200, "text/plain"), Reply("\x1b[2J\x1b]0;x\x07", 400),
        Reply("data: " + junk.deep(50_000) + "\n\n"), Reply("data: nonsense\n\n" * 50), Reply("null", kind="application/json"),
        Reply("[]", kind="application/json"), Reply("data: null\n\ndata: []\n\ndata: 1\n\n"),
        Reply('{"choices": "x"}', kind="application/json"), Reply(b"data: \xff\xff\n\n"),
    ])
    done, _ = door.chat(case, "what is the hull number", [body])
    case.expect(b"w9Xq2LmZ" not in done.out + done.err, "the server's error shows a key")
    case.expect(b"\x1b]" not in done.out + done.err and b"\x1b[2J" not in done.out + done.err,
        "control characters of the server reach the terminal")
    case.expect(len(done.err) + len(done.out) < 30_000, "the error is as large as the server's answer")
    again, _ = door.chat(case, "and its colour", [said("Blue.")])
    case.expect(again.code == 0 and b"Blue." in again.out, "the conversation does not go on")


def stream_ends(door, case):
    """A stream that ends in its middle: the text so far is shown, and tars says what happened, not that the server is not started."""
    start = event(delta({"content": "The hull number is "}))
    end = case.pick(["broken", "closed", "length", "nothing"])
    body = {"broken": Reply(start, end="broken"), "closed": Reply(start),
        "length": events(delta({"content": "The hull number is "}), delta({}, "length")), "nothing": Reply(start + "data: {\"choi")}[end]
    done, _ = door.chat(case, "what is the hull number", [body])
    case.expect(b"The hull number is" in done.out, "the text so far is not shown")
    case.expect(b"start the model" not in done.err and b"ollama serve" not in done.err, "it says that the server is not started")
    again, _ = door.chat(case, "go on", [said("Blue.")])
    case.expect(again.code == 0 and b"Blue." in again.out, "the conversation does not go on")


def endless(door, case):
    """A server that never ends."""
    body = case.pick([
        Reply(event(delta({"content": "a"})), end="drip"), Reply("", end="hang"), Reply(event(delta({"content": "a"})), end="flood"),
        Reply("", end="drip"), Reply("data: ", end="hang"),
        events(delta({"tool_calls": [call("memory_search", '{"query": "' + "a" * 9_000_000)]}), done=False),
        Reply(event(delta({"content": "é" * 4_000_000}))), Reply("x" * 9_000_000), Reply("data: " + "x" * 9_000_000 + "\n\n"),
        Reply(": c\n" * 2_000_000 + said("Blue.").body.decode()), events(*[delta({"content": "a"})] * 30_000, delta({}, "stop")),
    ])
    environment = {"TARS_CHAT_TIMEOUT_SECONDS": "2"}
    done, _ = door.chat(case, "what is the hull number", [body], environment=environment, seconds=15)
    case.expect(len(done.out) < 40_000_000, "it prints without an end")
    again, _ = door.chat(case, "and its colour", [said("Blue.")], "--no-tools")
    case.expect(again.code == 0 and b"Blue." in again.out, "the conversation does not go on")


OVERFLOWS = [
    refused(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9121 tokens.",
        type="invalid_request_error", code="context_length_exceeded"),
    refused(400, "the request exceeds the available context size, try increasing it", code=400, type="exceed_context_size_error",
        n_prompt_tokens=9121, n_ctx=4096),
    refused(400, "This endpoint's maximum context length is 8192 tokens. However, you requested about 9121 tokens", code=400),
    refused(400, "Prompt contains 9121 tokens and 0 draft tokens, too large for model with 8192 maximum context length"),
    refused(400, "Trying to keep the first 9121 tokens when context the overflows. However, the model is loaded with context length of "
        "only 4096 tokens, which is not enough."),
    refused(400, "The input token count (9121) exceeds the maximum number of tokens allowed (8192)."),
    Reply('{"object":"error","message":"This model\'s maximum context length is 8192 tokens.","type":"BadRequestError","code":400}', 400,
        "application/json"),
    refused(413, "Request too large for model", code="context_length_exceeded"),
]


def overflow(door, case):
    """A conversation that no longer fits is summed up, and the message is sent once more."""
    conversation, mark = f"long-{case.number}", f"mark{case.number}"
    text = "The hull needs paint, and the mast needs oil. " * 20
    for number in range(3):
        door.chat(case, f"part {number}: {text}", [said(f"Understood, part {number}. " + text)], conversation=conversation)
    refuse = case.pick(OVERFLOWS)
    sizes = [len(request["body"]) for request in door.model.asked(mark)]
    # The window is a little smaller than what the next message needs, and holds a summary easily.
    window = sizes[-1] - 500
    case.note("window", f"{window} bytes")

    def answer(request):
        return refuse if len(request["body"]) > window else said("It needs paint.")

    always = case.place % 4 == 3
    done, asked = door.chat(case, "what does it need", [refuse if always else answer], conversation=conversation, seconds=20)
    if always:
        case.expect(len(asked) <= 4, f"the model was asked {len(asked)} times")
        case.expect(done.code != 0 and done.err.strip(), "it does not say that the conversation does not fit")
        after, _ = door.chat(case, "and now", [said("It needs oil.")], conversation=conversation)
        case.expect(after.code == 0, "the conversation does not go on")
        return
    case.expect(done.code == 0 and b"It needs paint." in done.out, "the conversation is stuck")
    again, _ = door.chat(case, "once more", [answer], conversation=conversation, seconds=20)
    case.expect(again.code == 0 and b"It needs paint." in again.out, "the conversation is stuck afterwards")


def without_tools(door, case):
    """A model without tools, and a server that refuses an option: tars goes on without them, or says what to do."""
    option, refuse = case.pick([
        ("tools", refused(400, "registry.ollama.ai/library/small does not support tools")),
        ("stream_options", refused(400, "Unrecognized request argument supplied: stream_options")),
        ("tools", refused(404,
            "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs")),
        ("stream_options", refused(422,
            [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}])),
        ("tools", refused(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),
    ])

    def answer(request):
        return refuse if f'"{option}"'.encode() in request["body"] else said(ANSWER)

    done, _ = door.chat(case, "what is the hull number", [answer])
    case.expect(ANSWER.encode() in done.out, f"a server that refuses {option} is no use")
    again, _ = door.chat(case, "and its colour", [answer])
    case.expect(ANSWER.encode() in again.out, f"a server that refuses {option} is no use in the next turn")


def secrets(door, case):
    """What a person types beside a secret: the secret goes nowhere."""
    secret, word = junk.password(case.random), case.word()
    text = case.pick([f"<private>the {word} {secret}</private> what of it", f"my password: {secret} what of it",
        *[junk.with_password(text, secret) for text in junk.PASSWORD_COMMANDS + junk.PASSWORD_SENTENCES]])
    way = case.place % 3
    replies = [[said("Fine.")], [said(f"You said: {text}")], [calls(call("memory_daily", {"text": text})), said("Fine.")]][way]
    done, asked = door.chat(case, text if way == 0 else "say it", replies)
    case.expect(not any(secret.encode() in request["body"] for request in asked[:1]), f"the model gets the password of {text!r}")
    kept = door.world.kept(secret)
    case.expect(not kept, f"the password of {text!r} is in {', '.join(kept)}")
    case.expect(done.code == 0, f"it ended with {done.code}")


def spoiled(door, case):
    """Answers with mistakes in random places."""
    seeds = [said(ANSWER), calls(SEARCH), events(delta({"reasoning_content": THOUGHT}), delta({"content": ANSWER}), delta({}, "stop")),
        whole({"role": "assistant", "content": ANSWER})]
    seed = case.pick(seeds)
    text = seed.body.decode()
    data = junk.spoiled(case.random, text)
    if case.random.random() < 0.4:
        # Random values instead of fields.
        data = event(delta({"content": junk.value(case.random), "tool_calls": junk.value(case.random), "role": junk.value(case.random)},
            junk.value(case.random))).encode() + b"data: [DONE]\n\n"
    elif case.random.random() < 0.3:
        odd = call("memory_search", junk.value(case.random) if case.random.random() < 0.5 else {"query": "boat"})
        odd[case.random.choice(["id", "index", "function", "type"])] = junk.value(case.random)
        data = calls(odd).body
    door.chat(case, "what is the hull number", [Reply(data, kind=seed.kind), said(ANSWER)])


ChatDoor.KINDS = [
    Kind("forms", 56, forms), Kind("empty answers", 42, empties), Kind("sent back", 25, sent_back), Kind("refusals", 54, refusals),
    Kind("ends in the middle", 12, stream_ends), Kind("endless", 11, endless), Kind("overflow", 24, overflow),
    Kind("without tools", 10, without_tools), Kind("secrets", 54, secrets), Kind("spoiled answers", 120, spoiled), *chat_anthropic.KINDS,
    *chat_tools.KINDS, *tool_servers.KINDS,
]
