"""Tools in a conversation: broken calls, writes out of the memory folder, many writes; and the conversation over HTTP."""

import json

from checks.attacking import junk
from checks.attacking.case import Kind
from checks.attacking.model import Reply, call, calls, delta, events, said

ANSWER = "The hull number is SE-4471."
TOOLS = [
    "memory_search", "memory_get", "note_read", "note_list", "memory_remember", "memory_daily", "memory_file_read", "memory_file_write",
    "memory_file_append", "memory_file_archive", "update_soul", "update_observations", "resolve_observation",
]


def results(asked):
    """Returns the results of tools that the model got last."""
    messages = json.loads(asked[-1]["body"])["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def offered(request):
    return [tool["function"] for tool in json.loads(request["body"]).get("tools") or []]


def broken_calls(door, case):
    """Calls with arguments that are no object, names that are no tools, and ids that are none: each gets a result, and the turn ends."""
    tool = case.pick([*TOOLS, "run_shell", "", "memory_search ", "a" * 500, "../x", "bad name", "shelf__echo"])
    given = case.random.choice(["", "{", "null", "[]", '"x"', "nonsense", '{"query": "boat"', '{"query": "boat"}}', '{"query": "\\ud800"}',
        "{'query': 'boat'}", junk.deep_object(3000), json.dumps(junk.value(case.random)),
        json.dumps({"query": junk.value(case.random), "text": junk.value(case.random), "path": junk.value(case.random)})])
    number = case.random.choice([1, 1, 2, 20, 60])
    same = case.random.random() < 0.4
    all_ = [call(tool, given, id_=case.random.choice(["c", "", "c1"]) if same else f"c{place}",
        index=0 if same else place) for place in range(number)]
    door.chat(case, "use a tool", [calls(*all_), said(ANSWER)])


def two_calls(door, case):
    """Two calls with the same index and without ids, and other odd numbers, are two calls."""
    one, two = {"query": "hull number"}, {"query": "boiler valve"}
    first, second = call("memory_search", one), call("memory_search", two)
    for key in case.pick([("id",), ("index",), ("id", "index"), ()]):
        first.pop(key), second.pop(key)
    if case.place % 3 == 0:
        reply = events(delta({"tool_calls": [first]}), delta({"tool_calls": [second]}), delta({}, "tool_calls"))
    elif case.place % 3 == 1:
        reply = calls(first, second)
    else:
        reply = events(delta({"tool_calls": [first]}), delta({"tool_calls": [second]}, "tool_calls"), done=False)
    if "id" in first:
        second["id"] = "c2"
        reply = events(delta({"tool_calls": [first]}), delta({"tool_calls": [second]}), delta({}, "tool_calls"))
    _, asked = door.chat(case, "look both up", [reply, said(ANSWER)])
    case.expect(len(asked) == 2 and len(results(asked)) == 2, f"two calls became {len(results(asked)) if len(asked) == 2 else 'none'}")


def paths(door, case):
    """Paths of tools lead nowhere but into the memory folder."""
    path, word = case.pick(junk.TRAVERSALS).replace("{}", door.world.home), case.word()
    text = f"The {word} swims."
    tool, given = case.random.choice([
        ("memory_file_read", {"path": path}), ("memory_file_write", {"path": path, "text": text}),
        ("memory_file_append", {"path": path, "text": text}), ("memory_file_archive", {"path": path}), ("note_read", {"name": path}),
        ("memory_get", {"name": path}), ("note_list", {"path": path}), ("memory_remember", {"text": text, "to": path}),
        ("memory_daily", {"text": text, "day": path}), ("memory_file_write", {"path": path, "content": text}),
    ])
    _, asked = door.chat(case, "use a tool", [calls(call(tool, given)), said(ANSWER)])
    case.expect("root:x:0" not in str(results(asked)), "it shows /etc/passwd")


def private(door, case):
    """The model reads nothing private by any tool."""
    name = case.pick(["Diary.md", "tars/context/hidden.md", "context/hidden", "Diary", "[[Diary]]", "quagga", "tars/context/hidden",
        "Router.md", "tars/Memory.md"])
    tool, given = case.random.choice([("note_read", {"name": name}), ("memory_get", {"name": name}), ("memory_file_read", {"path": name}),
        ("memory_search", {"query": "boiler"}), ("memory_search", {"query": "quagga"}), ("note_list", {})])
    door.chat(case, "use a tool", [calls(call(tool, given)), said(ANSWER)])


def many_writes(door, case):
    """One turn writes a bounded number of lines, and one undo takes them back."""
    word = case.word()
    rounds = [calls(*[call("memory_daily", {"text": f"{word} line {16 * round_ + place} of the {junk.password(case.random)}"},
        id_=f"c{round_}-{place}", index=place) for place in range(16)]) for round_ in range(9)]
    door.chat(case, "write it all down", [*rounds, said(ANSWER)], seconds=40)
    written = door.world.memory().count(f"{word} line")
    case.note("written", str(written))
    case.expect(0 < written < 144, f"one turn wrote {written} lines")
    door.world.run(case, "undo", "--yes")
    # The note of the conversation itself is another write.
    if f"{word} line" in door.world.memory():
        door.world.run(case, "undo", "--yes")
    left = door.world.memory().count(f"{word} line")
    case.expect(left == 0, f"{left} of {written} lines stay after an undo of the turn")


def over_http(door, case):
    """The same conversation over HTTP: an answer or a problem, and no fault."""
    server, mark = door.server(), f"mark{case.number}"
    reply = case.pick([said(ANSWER), calls(call("memory_search", {"query": "boat"})), events(delta({"content": ""})),
        Reply("", end="closed"), Reply("x", 500), Reply(junk.spoiled(case.random, said(ANSWER).body.decode())),
        calls(call("memory_remember", {"text": case.word()})), Reply("data: [DONE]\n\n")])
    door.model.script(mark, [reply, said(ANSWER)])
    message = case.random.choice([f"what is it {mark}", f"{mark} " + "boat " * 20_000, f"\x00{mark}\x1b[2J",
        f"{mark} <private>{door.world.private[0]}</private>"])
    conversation = case.random.choice([{}, {"conversation_id": f"case-{case.number}"},
        {"conversation_id": f"case-{case.number}", "tools": False}])
    answer = server.ask(case, server.post("/chat", {"message": message, **conversation}), seconds=15, allowed=(502, 503, 504))
    for request in door.model.asked(mark):
        door.world.check_answer(request["body"])
    if answer.status == 200:
        case.expect(answer.json()["text"].strip() or answer.json()["notices"], "silence: no text and no notice")


def commands(door, case):
    """Lines that begin with a slash reach no model, and write only where they say."""
    word, mark = case.word(), f"mark{case.number}"
    lines = [
        "/help", "/nothing", "/", "//", "/search boiler", "/read ../outside/secret.md", "/read Diary.md", "/find *", "/export",
        f"/export --to ../{word}.md", f"/export --to {door.world.home}/outside/{word}.md", "/compact", "/context", "/clear", "/stats",
        "/model other", "/mcp", "/schedule", "/schedule list", "/schedule add", "/schedule add x --at 99:99 --action /brief",
        f"/capture {word}", f"/note {word}", f"/remember {word} swims", "/undo", "/daily 9999-99-99", "/session ../x",
        "/sessions " + "x" * 5000, "/memory ../../outside/secret.md", "/brief", "/review", "/tidy", "/w " + "x" * 9000, "/r",
        "/expand boat", "/svec boat", "/sgrep [", "/read " + "[[" * 500, "/search " + '"' * 501, "/daily last 99999999 days",
        "/compact 8000000d", "/week -1", "/\x00", "/help\n/undo",
    ]
    line = case.pick(lines)
    door.model.script(mark, [said("never")])
    if case.place // len(lines) == 0:
        done = door.world.run(case, "chat", *([] if "\x00" in line else [line]), data=line.encode() if "\x00" in line else b"")
        case.expect(done.out.strip() or done.err.strip(), "silence")
        return
    server = door.server()
    answer = server.ask(case, server.post("/chat", {"message": line}), allowed=(503,), may_show=door.world.private)
    case.expect(answer.status != 200 or answer.json()["text"].strip() or answer.json()["notices"] or answer.json()["effect"], "silence")


KINDS = [
    Kind("broken calls", 76, broken_calls), Kind("two calls", 12, two_calls), Kind("paths", 60, paths), Kind("private", 18, private),
    Kind("many writes", 2, many_writes), Kind("over HTTP", 32, over_http), Kind("commands", 88, commands),
]
