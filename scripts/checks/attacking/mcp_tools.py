"""Calls of tools over the Model Context Protocol."""

import json
import subprocess
import threading

from checks.attacking import junk
from checks.attacking.case import Kind

ARGUMENTS = {
    "memory_search": ["query", "q", "limit", "budget", "mode", "paths", "tags", "collections", "since", "until", "as_of"],
    "memory_get": ["name", "lines", "section", "window"],
    "memory_context": ["query", "project"],
    "memory_remember": ["text", "type", "section", "to", "replace", "force"],
    "memory_daily": ["day", "append"],
    "memory_forget": ["query", "ids"],
    "memory_status": [],
}
BASE = {
    "memory_search": {"query": "boiler"}, "memory_get": {"name": "Boat.md"}, "memory_context": {},
    "memory_remember": {"text": "The boat is dry."}, "memory_daily": {},
    "memory_forget": {"query": "boat"}, "memory_status": {},
}


def wrong_types(door, case):
    """Any values of any arguments: one answer, which is a text."""
    tool = case.pick(sorted(ARGUMENTS))
    given = dict(BASE[tool])
    for name in case.random.sample([*ARGUMENTS[tool], "nothing"], k=min(2, 1 + len(ARGUMENTS[tool]))):
        given[name] = junk.value(case.random)
    door.call(case, tool, given, over_http=case.place % 3 == 2)


def wrong_arguments(door, case):
    """`arguments` that are no object."""
    tool = case.pick(sorted(ARGUMENTS))
    given = case.random.choice([None, [], [1], "x", 1, True, "", "{", "null", "[]", '"x"'])
    door.call(case, tool, given, over_http=case.place % 3 == 2)


def lists_as_text(door, case):
    """Clients send lists as JSON text; the answer is the same as to the list."""
    table = [
        ("memory_search", {"query": "boat", "tags": ["home"]}, {"query": "boat", "tags": '["home"]'}),
        ("memory_search", {"query": "boat"}, {"query": "boat", "tags": "[]"}),
        ("memory_search", {"query": "boat"}, {"query": "boat", "tags": "null"}),
        ("memory_search", {"query": "boat", "paths": ["Boat.md"]}, {"query": "boat", "paths": '["Boat.md"]'}),
        ("memory_search", {"query": "boat"}, {"query": "boat", "paths": "[]", "collections": "null", "since": "null", "limit": "null"}),
        ("memory_search", {"query": "boat", "tags": ["home", "water"]}, {"query": "boat", "tags": ' [ "home" , "water" ] '}),
        ("memory_search", {"query": "boat", "collections": ["vault"]}, {"query": "boat", "collections": '["vault"]'}),
        ("memory_get", {"name": "Boat.md", "lines": "1-6"}, {"name": "Boat.md", "lines": "[1, 6]"}),
        ("memory_get", {"name": "Boat.md", "lines": "1-6"}, {"name": "Boat.md", "lines": [1, 6]}),
        ("memory_get", {"name": ["Boat.md", "Boiler.md"]}, {"name": '["Boat.md", "Boiler.md"]'}),
        ("memory_get", {"name": "Boat.md", "lines": "1-6"}, {"name": "Boat.md", "lines": ["1", "6"]}),
        ("memory_get", {"name": "Boat.md"}, {"name": "Boat.md", "lines": "null", "section": "null", "window": "null"}),
        ("memory_get", {"name": "Boat.md"}, {"name": '["Boat.md"]'}),
        ("memory_search", {"query": "boat", "limit": 2}, {"query": "boat", "limit": "2"}),
        ("memory_search", {"query": "boat", "limit": 2}, {"query": "boat", "limit": 2.0}),
        ("memory_search", {"query": "boat"}, {"query": "boat", "tags": [], "mode": None, "until": ""}),
        ("memory_context", {"query": "boat"}, {"query": "boat", "project": "null"}),
    ]
    tool, plain, given = case.pick(table)
    over_http = case.place // len(table) % 2 == 1
    expected, failed, _ = door.call(case, tool, plain)
    case.expect(not failed, "the plain form failed")
    text, failed, _ = door.call(case, tool, given, over_http)
    case.expect(not failed, "it was refused")
    case.expect(timeless(text) == timeless(expected), "it means something else than the list")


def timeless(text):
    return text.replace("\r", "")


def arguments_as_text(door, case):
    """Clients send the whole object as JSON text."""
    tool = case.pick(["memory_search", "memory_get", "memory_status", "memory_context"])
    expected, _, _ = door.call(case, tool, BASE[tool])
    text, failed, _ = door.call(case, tool, json.dumps(BASE[tool]), over_http=case.place % 2 == 1)
    case.expect(not failed and text == expected, "arguments as text are refused, or mean something else")


def extra_fields(door, case):
    """Fields that clients add are passed over."""
    tool = case.pick(["memory_search", "memory_get", "memory_status", "memory_context", "memory_daily"])
    name = case.pick(["toolCallId", "sessionId", "_sessionID", "random_string"])
    _, failed, _ = door.call(case, tool, {**BASE[tool], name: case.random.choice(["x", "", 1, None, {"a": 1}, "dummy"])},
        over_http=case.place % 2 == 1)
    case.expect(not failed, f"{name} was refused")


def misspelled(door, case):
    """A misspelling of an argument is refused and named."""
    tool, name = case.pick([
        ("memory_search", "limits"), ("memory_search", "qeury"), ("memory_search", "tgas"), ("memory_search", "pathes"),
        ("memory_search", "untill"), ("memory_get", "line"), ("memory_get", "sections"), ("memory_remember", "forced"),
        ("memory_remember", "typ"), ("memory_daily", "apend"), ("memory_forget", "idss"), ("memory_search", "collection_"),
        ("memory_daily", "days"),
    ])
    before = door.world.memory()
    text, failed, _ = door.call(case, tool, {**BASE[tool], name: "x"}, over_http=case.place % 2 == 1)
    case.expect(failed and name in text, f"{name} was not refused")
    case.expect(door.world.memory() == before, "it was written")


def unknown_tools(door, case):
    name = case.pick(["nothing", "", "memory_", "memory_search ", "MEMORY_SEARCH", "memory-search", "search", "../memory_get", "a" * 9000,
        "\x00", "run_shell", "memory_write", None, 1, [], {}])
    text, failed, _ = door.call(case, name, case.random.choice([{}, {"query": "boiler"}, None]), over_http=case.place % 2 == 1)
    case.expect(failed and text, "an unknown tool was used")


def read_only(door, case):
    """A client that may read alone, or sees some collections, gets no more."""
    word = case.word()
    arguments = case.pick([("--read-only",), ("--collections", "recipes")])
    tool, given = case.random.choice([
        ("memory_remember", {"text": f"The {word} swims."}), ("memory_daily", {"append": f"The {word} swims."}),
        ("memory_forget", {"ids": ["a28e523f"]}), ("memory_get", {"name": "Boat.md"}), ("memory_get", {"name": "tars/Memory.md"}),
        ("memory_search", {"query": "Linnea Kappeln"}), ("memory_context", {}),
        ("memory_search", {"query": "Linnea", "collections": ["vault"]}), ("memory_search", {"query": "Linnea", "collections": []}),
    ])
    line = json.dumps({"jsonrpc": "2.0", "id": case.number, "method": "tools/call", "params": {"name": tool, "arguments": given}})
    before = door.world.memory()
    (message,) = door.client(*arguments).exchange(case, line)
    case.expect(door.world.memory() == before, "it was written")
    if arguments[0] == "--collections":
        case.expect("SE-4471" not in json.dumps(message), "it shows a note of another collection")


def traversal(door, case):
    path, word = case.pick(junk.TRAVERSALS).replace("{}", door.world.home), case.word()
    line = f"The {word} swims."
    tool, given = case.random.choice([
        ("memory_get", {"name": path}), ("memory_get", {"name": [path, "Boat.md"]}), ("memory_remember", {"text": line, "to": path}),
        ("memory_remember", {"text": line, "to": f"context/{path}"}), ("memory_search", {"query": "boiler", "paths": [path]}),
        ("memory_daily", {"day": path}), ("memory_context", {"project": path}), ("memory_get", {"name": f"[[{path}]]"}),
        ("memory_remember", {"text": line, "section": path}), ("memory_search", {"query": f"path:{path} boiler"}),
        ("memory_get", {"name": f"{path}:1"}),
    ])
    text, _, _ = door.call(case, tool, given, over_http=case.place % 3 == 2)
    case.expect("root:x:0" not in text, "it shows /etc/passwd")


def extremes(door, case):
    number, date, pattern = case.pick(junk.NUMBERS), case.pick(junk.DATES), case.pick(junk.PATTERNS)
    tool, given = case.random.choice([
        ("memory_search", {"query": "boiler", "limit": number, "budget": number}), ("memory_get", {"name": "Boat.md", "window": number}),
        ("memory_get", {"name": "Boat.md", "lines": [number, 1]}), ("memory_get", {"name": "Boat.md", "lines": f"{number}-{number}"}),
        ("memory_search", {"query": "boiler", "since": date}), ("memory_search", {"query": "boiler", "until": date, "as_of": date}),
        ("memory_daily", {"day": date}), ("memory_search", {"query": "boiler", "paths": [pattern]}), ("memory_search", {"query": pattern}),
        ("memory_search", {"query": f"before:{date} after:{date} boiler"}),
    ])
    door.call(case, tool, given, over_http=case.place % 3 == 2)


def long_dates(door, case):
    field = case.pick(["since", "until", "as_of"])
    text = case.random.choice(["last ", "1", "yesterday ", "-", "é", "9 days ago "])
    tool, given = case.random.choice([("memory_search", {"query": "boiler", field: text * (900_000 // len(text.encode()))}),
        ("memory_daily", {"day": text * (900_000 // len(text.encode()))})])
    text, failed, _ = door.call(case, tool, given, seconds=1.5)
    case.expect(failed and len(text) < 64_000, f"the answer has {len(text)} characters")


def passwords(door, case):
    text, secret, word = case.pick(junk.PASSWORD_COMMANDS + junk.PASSWORD_SENTENCES), junk.password(case.random), case.word()
    line = f"{word} {junk.with_password(text, secret)}"
    tool, given = case.random.choice([("memory_remember", {"text": line, "force": True}), ("memory_daily", {"append": line}),
        ("memory_remember", {"text": line, "to": f"context/{word}"})])
    said, _, _ = door.call(case, tool, given)
    case.expect(secret not in said, f"the answer shows the password of {text!r}")
    kept = door.world.kept(secret)
    case.expect(not kept, f"the password of {text!r} is in {', '.join(kept)}")


def private(door, case):
    """Words of private places are answered like words that stand nowhere."""
    secret = case.pick(door.world.private)
    absent = "quagga" + "".join(case.random.choice("bdfgklmnprstvw") for _ in range(6))
    tool, given = case.random.choice([
        ("memory_forget", {"query": "WORD"}), ("memory_search", {"query": "WORD"}),
        ("memory_search", {"query": '"WORD"', "mode": "keyword"}), ("memory_get", {"name": "WORD"}),
        ("memory_context", {"query": "what of the WORD"}), ("memory_forget", {"query": "boat WORD"}), ("memory_get", {"name": "[[WORD]]"}),
    ])
    answers = []
    for word in (secret, absent):
        text, failed, _ = door.call(case, tool, json.loads(json.dumps(given).replace("WORD", word)))
        answers.append((text.replace(word, "WORD"), failed))
    case.expect(answers[0] == answers[1], f"it answers otherwise about a private word: {answers[0]} / {answers[1]}")


def private_names(door, case):
    """A private note, one outside of the vault and one that does not exist give the same answer."""
    name, absent = case.pick([("Diary.md", "Dyari.md"), ("tars/context/hidden.md", "tars/context/nidden.md"), ("Link.md", "Lonk.md"),
        ("[[Diary]]", "[[Dyari]]"), ("context/hidden", "context/nidden"), ("linked/secret.md", "linkad/secret.md")])
    answers = []
    for sought in (name, absent):
        text, failed, _ = door.call(case, "memory_get", {"name": sought}, over_http=case.place % 2 == 1)
        answers.append((text.replace(sought, "NAME").replace(sought.strip("[]"), "NAME"), failed))
    case.expect(answers[0] == answers[1], f"it answers otherwise about a private note: {answers[0]} / {answers[1]}")


def into_private(door, case):
    """A line for a private file says neither that it was there nor where it is."""
    word = case.word()
    text = case.pick([f"The {door.world.private[3]} is called Tusk", f"The {word} is called Task"])
    said, failed, _ = door.call(case, "memory_remember", {"text": text, "to": "context/hidden", "force": case.random.random() < 0.5})
    case.expect("already" not in said and "hidden.md:" not in said, "it tells what a private file holds")
    written = word in door.world.memory()
    case.expect(not (failed and written), "it says that it failed, and has written")


def daily_cap(door, case):
    """All agents together write no more than the cap, and others' writes do not count."""
    most, agents = case.random.choice([3, 5, 10]), 4
    word = case.word()
    # Earlier cases have written today: a home with a journal of its own.
    home = {"TARS_DATA_DIR": f"{door.world.data}-{case.number}", "TARS_VAULT": f"{door.world.home}/work/{case.number}",
        "TARS_MCP_DAILY_WRITES": str(most)}
    environment = {**door.world.environment, **home, "TARS_DATA_DIR": f"{door.world.home}/work/{case.number}-data"}
    subprocess.run(["mkdir", "-p", f"{home['TARS_VAULT']}/tars"], check=True)
    for number in range(most):
        subprocess.run([door.world.options.bin, "daily", f"the person writes {number}"], env=environment, cwd=door.world.home,
            capture_output=True, timeout=60, check=True)
    hello = [json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}})]
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
        "params": {"name": "memory_daily", "arguments": {"append": f"{word} AGENT {number}"}}}) for number in range(1, most + 3)]
    answers = [b""] * agents

    def write(agent):
        text = "\n".join(hello + [line.replace("AGENT", str(agent)) for line in lines]) + "\n"
        done = subprocess.run([door.world.options.bin, "mcp"], input=text.encode(), env=environment, cwd=door.world.home,
            capture_output=True, timeout=60 * door.world.patience, check=False)
        answers[agent] = done.stdout

    threads = [threading.Thread(target=write, args=(agent,)) for agent in range(agents)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = subprocess.run(["grep", "-rhc", word, f"{home['TARS_VAULT']}/tars"], capture_output=True, text=True, check=False).stdout.split()
    written = sum(map(int, found))
    case.note("written", f"{written} of {agents * len(lines)}, the cap is {most}")
    case.expect(written == most, f"agents wrote {written} lines, the cap is {most}")
    for answer in answers:
        case.expect(answer.count(b"\n") == len(lines) + 1, f"an agent got {answer.count(bytes([10]))} answers to {len(lines) + 1} requests")


KINDS = [
    Kind("wrong types", 105, wrong_types), Kind("wrong arguments", 21, wrong_arguments), Kind("lists as text", 34, lists_as_text),
    Kind("arguments as text", 8, arguments_as_text), Kind("extra fields", 40, extra_fields), Kind("misspelled", 26, misspelled),
    Kind("unknown tools", 32, unknown_tools), Kind("read only", 24, read_only), Kind("traversal", 60, traversal),
    Kind("extremes", 72, extremes), Kind("long dates", 6, long_dates), Kind("passwords", 46, passwords), Kind("private", 42, private),
    Kind("private names", 12, private_names), Kind("private files", 6, into_private), Kind("daily cap", 4, daily_cap),
]
