"""The Model Context Protocol over standard input and over HTTP: its messages. `mcp_tools.py` has the calls of tools."""

import json
import os
import time

from checks.attacking import junk, mcp_tools
from checks.attacking.case import Defect, Kind, short
from checks.attacking.mcp_client import HELLO, Client, parsed
from checks.attacking.server import Server
from checks.attacking.world import check_output, end

METHODS = [
    "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list", "prompts/list", "prompts/get",
    "completion/complete", "logging/setLevel", "initialize", "server/discover", "resources/subscribe", "sampling/createMessage",
    "roots/list", "elicitation/create", "tasks/get", "nothing", "", "tools", "tools/list/", "TOOLS/LIST", "rpc.discover", "__proto__",
    "a" * 5000, "\x00", "notifications/cancelled", "tools/call ",
]


class McpDoor:
    """Attacks on the MCP server."""

    NAME = "mcp"

    def __init__(self, world):
        self.world = world
        recipes = os.path.join(world.home, "work", "recipes")
        os.makedirs(recipes)
        with open(os.path.join(recipes, "Bread.md"), "w", encoding="utf-8") as file:
            file.write("# Bread\n\nThe rye bread needs a night.\n")
        world.tars("config", "set", "collections.recipes", recipes)
        world.tars("index")
        self.clients, self.http = {}, None

    def client(self, *arguments):
        """Returns the running program with these arguments, or a new one if a case spoiled it."""
        client = self.clients.get(arguments)
        if client is not None and client.is_spoiled:
            end(client.process)
        if client is None or client.is_spoiled or client.process.poll() is not None:
            client = self.clients[arguments] = Client(self.world, *arguments)
        return client

    def server(self):
        self.http = self.http or Server(self.world)
        return self.http

    def call(self, case, tool, given, over_http=False, seconds=8):
        """Calls a tool and returns its text, whether it failed, and whether the protocol refused it."""
        line = json.dumps({"jsonrpc": "2.0", "id": case.number, "method": "tools/call", "params": {"name": tool, "arguments": given}})
        message = self.post(case, line, seconds) if over_http else self.client().exchange(case, line, seconds=seconds, grace=seconds)[0]
        case.expect(message.get("id") == case.number, f"the answer has the id {message.get('id')!r}")
        if "error" in message:
            return str(message["error"].get("message", "")), True, True
        texts = [block.get("text", "") for block in message["result"]["content"]]
        case.expect(texts and all(texts), "the answer is empty")
        return "\n".join(texts), bool(message["result"].get("isError")), False

    def post(self, case, line, seconds=8):
        """Sends a message over HTTP and returns the answer, which must be one of JSON-RPC."""
        server = self.server()
        data = line if isinstance(line, bytes) else line.encode(errors="surrogatepass")
        headers = ("Content-Type: application/json", "Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-11-25")
        reply = server.ask(case, server.post("/mcp", data, *headers), seconds=seconds)
        if reply.status in (202, 204):
            return {}
        if reply.status == 413:
            # Too long to be read.
            return {"id": None, "error": {}}
        body = reply.body
        if reply.headers.get("content-type", "").startswith("text/event-stream"):
            events = [event[5:] for event in body.splitlines() if event.startswith(b"data:") and event[5:].strip()]
            case.expect(len(events) == 1, f"there are {len(events)} events")
            body = events[0]
        try:
            return parsed(body)
        except Defect:
            raise Defect(f"status {reply.status}, and the body is no message of JSON-RPC: {short(reply.body)}") from None

    def check(self, case):
        self.world.check_notes()
        if self.http:
            self.http.check_alive()
        for arguments, client in list(self.clients.items()):
            if client.process.poll() is not None:
                del self.clients[arguments]
                check_output(client.errors.text())

    def close(self):
        for client in self.clients.values():
            client.close()


def broken_line(case):
    """Returns a line that is no message, and the id that a reader can find in it."""
    text = json.dumps({"jsonrpc": "2.0", "id": case.number, "method": "tools/call",
        "params": {"name": "memory_search", "arguments": {"query": "boiler"}}})
    way = case.place % 6
    if way == 0:
        return text.replace("boiler", case.random.choice(junk.HALF_PAIRS)).encode()
    if way == 1:
        return text.encode().replace(b"boiler", case.random.choice(junk.BAD_UTF8))
    if way == 2:
        depth = case.random.choice([126, 130, 1000, 50_000, 200_000])
        return text.replace('"boiler"', case.random.choice([junk.deep(depth), junk.deep_object(depth)])).encode()
    if way == 3:
        return case.random.choice([b"x", b"{", b"}", b"nul", b"{}{}", b"\x00", b"\xff\xff", b"'", b"GET / HTTP/1.1", b"[",
            b"Content-Length: 30", b"<x/>", b'"a', b"{a:1}", b"NaN", b"-"])
    if way == 4:
        return text[:case.random.randrange(1, len(text))].encode()
    while True:
        line = junk.spoiled(case.random, text).replace(b"\n", b"").replace(b"\r", b"")
        if line.strip() and not junk.is_json(line):
            return line


def check_id(case, message, line):
    """Checks that the id of an answer stands in the line, or is none."""
    written = f'"id": {json.dumps(message.get("id"))}'.encode()
    case.expect(message.get("id") is None or written in line, f"the answer has the id {message.get('id')!r}")


def broken_lines(door, case):
    line = broken_line(case)
    (message,) = door.client().exchange(case, line)
    if "result" in message and junk.is_json(line):
        return
    case.expect("error" in message or message.get("result", {}).get("isError"), "a line that is no message was answered with success")
    check_id(case, message, line)
    if case.place % 6 in (0, 2):
        case.expect(message.get("id") == case.number, f"the answer has the id {message.get('id')!r}, the request {case.number}")


def broken_bodies(door, case):
    line = broken_line(case)
    message = door.post(case, line)
    case.expect("error" in message or message.get("result", {}).get("isError"), "a body that is no message was answered with success")
    check_id(case, message, line)


IDS = [
    1, 0, -1, "a", "", "a" * 3000, "é💥", "\x00", "null", 2**53, 2**63 - 1, -(2**63), 2**63, 2**64, 10**30, 1.5, 1e308, -0.5, None, True,
    False, [], [1], {}, {"a": 1}, "1", " ", "\u202e", "\\", '"', 1.0,
]


def ids(door, case, over_http=False):
    """Every request with an id gets exactly one answer. A valid id is a text or a whole number."""
    id_ = case.pick(IDS)
    method, params = case.random.choice([("ping", None), ("tools/list", {}), ("tools/call", {"name": "memory_status", "arguments": {}}),
        ("nothing", None)])
    line = json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, **({} if params is None else {"params": params})})
    message = door.post(case, line) if over_http else door.client().exchange(case, line)[0]
    is_valid = isinstance(id_, str) or isinstance(id_, int) and not isinstance(id_, bool) and -(2**63) <= id_ < 2**63
    if is_valid:
        case.expect(message.get("id") == id_ and type(message.get("id")) is type(id_), f"the answer has the id {message.get('id')!r}")
        case.expect(("error" in message) == (method == "nothing"), "it is an error")
    else:
        case.expect("error" in message or message.get("id") == id_, "the answer is no error, and has another id")


def ids_over_http(door, case):
    ids(door, case, over_http=True)


def messages(door, case, over_http=False):
    """Messages of wrong shapes, with an id: one answer each."""
    method = case.pick(METHODS)
    message = {"jsonrpc": "2.0", "id": case.number, "method": method, "params": junk.value(case.random)}
    way = case.place // len(METHODS) % 5
    if way == 1:
        message["jsonrpc"] = case.random.choice(["1.0", 2, None, "", "2.0 ", [], 2.0])
    elif way == 2:
        message["method"] = case.random.choice([None, 1, [], {}, True, ["ping"]])
    elif way == 3:
        del message[case.random.choice(["jsonrpc", "method", "params"])]
    elif way == 4:
        message.update({case.random.choice(["result", "error", "extra", "_meta", "params2"]): junk.value(case.random)})
    line = json.dumps(message)
    if over_http:
        answer = door.post(case, line)
        case.expect(answer or way == 4, "there is no answer")
        return
    if way == 4 and ("result" in message or "error" in message):
        # It may be read as an answer to a request of the server, which gets none.
        case.note("it may be an answer")
        client = door.client()
        client.is_spoiled = True
        client.write(line)
        client.write(json.dumps({"jsonrpc": "2.0", "id": "after", "method": "ping"}))
        case.expect(client.take(9, 8, "after")[-1:], "the next request got no answer")
        client.is_spoiled = False
        return
    (answer,) = door.client().exchange(case, line)
    case.expect(answer.get("id") in (case.number, None), f"the answer has the id {answer.get('id')!r}")
    case.expect(way in (1, 2, 3) or answer.get("id") == case.number, f"the answer has the id {answer.get('id')!r}")


def messages_over_http(door, case):
    messages(door, case, over_http=True)


def batches(door, case):
    """A batch, which today's protocol lacks, gets answers or one error."""
    requests = [{"jsonrpc": "2.0", "id": f"{case.number}-{number}",
        "method": "ping"} for number in range(case.random.choice([0, 1, 2, 30]))]
    line = json.dumps(case.random.choice([requests, [requests], [1, 2], [None], [{}], requests + [1]]))
    client = door.client()
    case.note("sent", line)
    client.is_spoiled = True
    client.write(line)
    found = client.take(1, 6)
    for message in found:
        case.note("answer", json.dumps(message))
    case.expect(found, "there is no answer")
    # The rest of the answers, if it reads batches.
    client.write(json.dumps({"jsonrpc": "2.0", "id": "after", "method": "ping"}))
    deadline = time.monotonic() + 6 * door.world.patience
    while not any(message.get("id") == "after" for message in found):
        case.expect(time.monotonic() < deadline, "the next request got no answer")
        found += client.take(1, 1)
    client.is_spoiled = False


def notifications(door, case):
    """Messages without an id get no answer, except an error where they are no messages at all."""
    method = case.pick(["notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/nothing",
        "notifications/roots/list_changed"])
    params = case.random.choice([{}, None, {"requestId": case.number}, {"requestId": None}, {"progressToken": [], "progress": "x"},
        junk.value(case.random)])
    line = json.dumps({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})
    client = door.client()
    case.note("sent", line)
    client.is_spoiled = True
    client.write(line)
    client.write(json.dumps({"jsonrpc": "2.0", "id": "after", "method": "ping"}))
    found = client.take(99, 8, "after")
    case.note("answers", json.dumps(found))
    case.expect(found and found[-1].get("id") == "after", "the next request got no answer")
    case.expect(all(message.get("id") is None and "error" in message for message in found[:-1]), "a notification was answered")
    client.is_spoiled = False


def beginnings(door, case):
    """A new client that begins in its own way."""
    word = case.number
    hello = {"jsonrpc": "2.0", "id": word, "method": "initialize", "params": dict(HELLO)}
    way = case.place % 8
    if way == 0:
        hello["params"]["protocolVersion"] = case.random.choice(["", "1999-01-01", "9999-01-01", "x" * 9000, "2024-11-05", "2026-07-28",
            "2025-03-26"])
    elif way == 1:
        hello["params"]["clientInfo"] = {"name": case.random.choice(["", "\x00", "../../x", "[x]\n- y", "é" * 9000, "http:page"]),
            "version": "1"}
    elif way == 2:
        hello["params"]["capabilities"] = case.random.choice([{"sampling": {}, "roots": {"listChanged": True}}, {"experimental": {"a": {}}},
            {"x": {"y": 1}}])
    elif way == 3:
        hello["params"] = junk.value(case.random)
    elif way == 4:
        hello = {"jsonrpc": "2.0", "id": word, "method": case.random.choice(["tools/list", "ping", "resources/list", "nothing"])}
    line = json.dumps(hello).encode()
    if way == 5:
        line = broken_line(case)
    elif way == 6:
        line = b" " * case.random.choice([1, 5_000_000]) + line + b"\r"
    client = Client(door.world, hello=False)
    try:
        case.note("sent first", line)
        client.write(line)
        first = client.take(1, 10)
        case.note("answer", json.dumps(first))
        case.expect(len(first) == 1, f"the first line got {len(first)} answers")
        if way < 3 or way in (6, 7):
            case.expect("result" in first[0] or way == 0, "it was refused")
        # After any beginning, a proper one works.
        if way >= 3 or "error" in first[0]:
            client.request("initialize", HELLO)
        client.request("tools/list", {})
        check_output(client.errors.text())
    finally:
        client.close()


def resources(door, case, over_http=False):
    path = case.pick(junk.TRAVERSALS).replace("{}", door.world.home)
    uri = case.random.choice([f"tars://note/{path}", path, f"file://{path}", "tars://note/", "tars://note/Diary.md", f"tars://{path}",
        "tars://note/tars/context/hidden.md", "a" * 9000, ""])
    method, params = case.random.choice([
        ("resources/read", {"uri": uri}), ("completion/complete",
            {"ref": {"type": "ref/resource", "uri": "tars://note/{path}"}, "argument": {"name": "path", "value": path}}),
        ("prompts/get", {"name": "recall", "arguments": {"topic": path}}), ("prompts/get", {"name": path}),
        ("prompts/get", {"name": "week", "arguments": {"day": case.random.choice(junk.DATES)}}),
        ("resources/list", {"cursor": path}), ("tools/list", {"cursor": path}), ("resources/subscribe", {"uri": uri}),
    ])
    line = json.dumps({"jsonrpc": "2.0", "id": case.number, "method": method, "params": params})
    message = door.post(case, line) if over_http else door.client().exchange(case, line)[0]
    case.expect(message.get("id") == case.number, f"the answer has the id {message.get('id')!r}")
    case.expect("root:x:0" not in json.dumps(message), "it shows /etc/passwd")


def resources_over_http(door, case):
    resources(door, case, over_http=True)


def large_lines(door, case):
    size = case.random.choice([100_000, 900_000, 1_100_000, 5_000_000])
    given = case.random.choice([{"query": "boiler " * (size // 7)}, {"query": "a" * size},
        {"query": "boiler", "paths": ["*.md"] * (size // 8)}, {"query": "boiler", "since": "1" * size}])
    line = json.dumps({"jsonrpc": "2.0", "id": case.number, "method": "tools/call",
        "params": {"name": "memory_search", "arguments": given}})
    (message,) = door.client().exchange(case, line, seconds=10, grace=10)
    case.expect(message.get("id") in (case.number, None), f"the answer has the id {message.get('id')!r}")
    case.expect(len(json.dumps(message)) < 100_000, "the answer is as large as the request")


McpDoor.KINDS = [
    Kind("broken lines", 72, broken_lines), Kind("ids", 62, ids), Kind("messages", 112, messages), Kind("batches", 12, batches),
    Kind("notifications", 20, notifications), Kind("beginnings", 32, beginnings), Kind("resources", 60, resources),
    Kind("large lines", 16, large_lines), Kind("broken bodies over HTTP", 48, broken_bodies), Kind("ids over HTTP", 31, ids_over_http),
    Kind("messages over HTTP", 56, messages_over_http), Kind("resources over HTTP", 30, resources_over_http), *mcp_tools.KINDS,
]
