"""Well-formed HTTP requests with hostile values: paths, dates, numbers, ids, patterns, passwords, and words of private places."""

import json
import re
import time
from urllib.parse import quote

from checks.attacking import junk
from checks.attacking.case import Defect, Kind

# Fields with a date, fields with a number.
DATE_FIELDS = [
    ("search", "since"), ("search", "until"), ("search", "as_of"), ("daily", "day"), ("timeline", "until"), ("week", "day"),
    ("compact", "month"),
]
NUMBER_FIELDS = [
    ("compact", "older_than_days"), ("pause", "seconds"), ("timeline", "days"), ("search", "limit"), ("search", "window"),
    ("search", "budget"), ("search", "min_score"), ("get", "window"), ("get", "budget"), ("get", "lines"), ("notes", "limit"),
    ("related", "limit"), ("sessions", "limit"), ("log", "limit"), ("undo", "count"), ("recalled", "limit"), ("remember", "nearest"),
    ("mark", "numbers"), ("context", "length"),
]
ID_FIELDS = [
    ("why", "session"), ("pause", "session"), ("resume", "session"), ("session", "id"), ("mark", "session"), ("context", "session"),
    ("settle", "id"), ("decide", "id"), ("forget", "query"), ("remember", "replace"), ("project", "name"), ("update_project", "name"),
    ("context", "project"), ("context", "project_key"), ("related", "name"), ("get", "names"), ("sessions", "query"), ("history", "query"),
    ("done", "query"), ("remember", "section"), ("remember", "to"), ("daily", "channel"), ("notes", "name"),
]
BASE = {
    "search": {"query": "boiler"}, "get": {"names": ["Boat.md"]}, "related": {"name": "Boat.md"}, "remember": {"text": "The boat is dry."},
    "session": {"id": "a"},
    "forget": {"query": "boat"}, "project": {"name": "a"}, "update_project": {"name": "a"}, "settle": {"id": "a", "settlement": "keep"},
    "decide": {"id": "a", "accept": False}, "history": {"query": "boat"}, "compact": {"dry_run": True},
    "mark": {"numbers": [1], "helpful": True},
    "feedback": {"good": True, "note": "fine"}, "propose": {"job": "tidy"}, "undo": {"count": 1}, "context": {"query": "boat"},
}


def ask(door, case, operation, request, seconds=6, **options):
    server = door.server
    return server.ask(case, server.post(f"/v1/{operation}", request), seconds=seconds, **options)


def traversal(door, case):
    server, home = door.server, door.world.home
    path = case.pick(junk.TRAVERSALS).replace("{}", home)
    coded = case.random.choice([quote(path, safe=""), quote(path), quote(quote(path, safe=""), safe="")])
    word = case.word()
    line = f"The {word} boat."
    requests = [
        server.post("/v1/get", {"names": [path]}), server.post("/v1/related", {"name": path}),
        server.post("/v1/search", {"query": "boiler", "paths": [path]}), server.head(f"GET /picture?in=vault&note={coded}&name={coded}"),
        server.head(f"GET /picture?in=vault&note=Boiler.md&name={coded}"),
        server.head(f"GET /picture?in={coded}&note=Boiler.md&name=valve.png"), server.head(f"GET /assets/{coded}"),
        server.head(f"GET /conversations/{coded}"), server.head(f"DELETE /conversations/{coded}"),
        server.post("/chat", {"message": "/help", "conversation_id": path}), server.post("/v1/session", {"id": path}),
        server.post("/v1/project", {"name": path}), server.post("/v1/daily", {"day": path}),
        server.post("/v1/remember", {"text": line, "to": path}), server.post("/v1/remember", {"text": line, "to": f"context/{path}"}),
        server.post("/v1/why", {"session": path}), server.post("/v1/pause", {"session": path, "seconds": 1}),
        server.post("/v1/resume", {"session": path}), server.post("/v1/settle", {"id": "a", "path": path, "settlement": "keep"}),
        server.post("/v1/context", {"query": "boat", "directory": path}),
        server.post("/v1/update_project", {"name": "a", "directory": path}),
        server.post("/v1/week", {"remove": [{"path": path, "line": 1, "text": "x", "id": "x"}]}),
        server.post("/chat", {"message": f"/read {path}"}), server.post("/chat", {"message": f"/memory {path}"}),
        server.head(f"GET /{coded}"), server.post(f"/v1/{coded}", {}),
    ]
    data = requests[(case.place // len(junk.TRAVERSALS) + case.place) % len(requests)]
    reply = server.ask(case, data, allowed=(503,))
    case.expect(b"/bin/" not in reply.body or b"root:" not in reply.body, "it shows /etc/passwd")
    case.expect(b"sha256" not in reply.body or b"tokens" not in reply.body, "it shows the keys")


def dates(door, case):
    operation, field = case.pick(DATE_FIELDS)
    text = junk.DATES[case.place // len(DATE_FIELDS) % len(junk.DATES)]
    if case.random.random() < 0.3:
        text = case.random.choice(["before:", "after:", "", "since "]) + text + case.random.choice(["", " ", "x", "\n", " ago"])
    reply = ask(door, case, operation, {**BASE.get(operation, {}), field: text})
    if operation == "search" and case.random.random() < 0.3:
        ask(door, case, "search", {"query": f"boiler after:{text} before:{text}"})
    case.expect(reply.status in (200, 400, 404, 422), f"status {reply.status}")


def huge_dates(door, case):
    """A field with a date of 900 kB costs no more than any other field of that size."""
    operation, field = case.pick(DATE_FIELDS)
    text = case.random.choice(["last ", "2026-01-01 ", "1", "yesterday ", "é", "last week of the month before ", "9" * 50 + " days ago ",
        "-", "january "])
    case.note("field", f"{operation}.{field}: {text!r} again and again, 900 kB")
    begun = time.monotonic()
    reply = door.server.send(door.server.post(f"/v1/{operation}", {**BASE.get(operation, {}),
        field: text * (900_000 // len(text.encode()))}))[0]
    taken = time.monotonic() - begun
    case.note("answer", f"{reply.status} {reply.body[:200]!r} after {taken:.2f} s")
    case.expect(reply.status in (400, 413, 422), f"status {reply.status}")
    case.expect(taken < 1.0 * door.world.patience, f"it took {taken:.1f} s")
    case.expect(len(reply.body) < 64_000, f"the answer repeats {len(reply.body)} bytes")


def numbers(door, case):
    operation, field = case.pick(NUMBER_FIELDS)
    number = junk.NUMBERS[case.place // len(NUMBER_FIELDS) % len(junk.NUMBERS)]
    value = {"lines": [number, number], "numbers": [number], "length": {case.random.choice(["tokens", "characters"]): number}}.get(field,
        number)
    if field == "lines" and case.random.random() < 0.5:
        value = case.random.choice([[number, 1], [1, number], [number], [], [1, 2, 3]])
    reply = ask(door, case, operation, {**BASE.get(operation, {}), field: value})
    case.expect(reply.status in (200, 400, 404, 422), f"status {reply.status}")


def long_ids(door, case):
    operation, field = case.pick(ID_FIELDS)
    length = case.random.choice([129, 256, 300, 1000, 5000, 100_000])
    text = case.random.choice(["a", "é", "-", ".", "0", "💥", "\x00", " ", "a/"]) * length
    value = [text] if field == "names" else text
    reply = ask(door, case, operation, {**BASE.get(operation, {}), field: value}, seconds=8)
    case.expect(reply.status in (200, 400, 404, 413, 422), f"status {reply.status}")
    if operation == "pause" and len(text) >= 5000:
        case.expect(reply.status == 422, f"status {reply.status} for a session id that is too long")
    coded = quote(text[:9000], safe="")
    server = door.server
    if case.place % 4 == 0:
        server.ask(case, server.head(f"{case.random.choice(['GET', 'DELETE'])} /conversations/{coded}"))
    elif case.place % 4 == 1:
        server.ask(case, server.post("/chat", {"message": "/help", "conversation_id": text}), allowed=(503,))
    elif case.place % 4 == 2:
        server.ask(case, server.head(f"GET /v1/{operation}?{field}={coded}"))


def patterns(door, case):
    pattern = case.pick(junk.PATTERNS)
    if case.place >= len(junk.PATTERNS):
        pattern = "".join(case.random.choice(["*", "**", "/", "{", "}", ",", "[", "]", "!", "a", "?", "\\",
            "é"]) for _ in range(case.random.randint(1, 400)))
    requests = [("search", {"query": "boiler", "paths": [pattern]}), ("search", {"query": f"boiler path:{pattern}"}),
        ("notes", {"name": pattern}), ("search", {"query": pattern}), ("search", {"query": f'boiler tag:{pattern} -path:"{pattern}"'})]
    operation, request = case.random.choice(requests)
    reply = ask(door, case, operation, request, seconds=5)
    case.expect(reply.status in (200, 400, 422), f"status {reply.status}")


def fields(door, case):
    """Fields of the description with values of wrong types."""
    if door.operations is None:
        (reply,) = door.server.send(door.server.head("GET /v1/openapi.json"))
        door.operations = operations(reply.json())
    names = sorted(door.operations)
    operation = case.pick(names)
    request = dict(BASE.get(operation, {}))
    known = door.operations[operation]
    for _ in range(case.random.randint(1, 3)):
        name = case.random.choice([*known, "nothing"]) if known else "nothing"
        request[name] = junk.value(case.random)
    if case.random.random() < 0.2:
        pairs = "&".join(f"{quote(name)}={quote(str(value))}" for name, value in request.items() if len(str(value)) < 2000)
        reply = door.server.ask(case, door.server.head(f"GET /v1/{operation}?{pairs}"))
    else:
        reply = ask(door, case, operation, json.dumps(request).encode(), seconds=12)
    case.expect(reply.status in (200, 400, 404, 405, 409, 412, 422, 503, 431, 414), f"status {reply.status}")
    case.expect(reply.status != 503, "the server is not ready")


def operations(description):
    """Returns the names of the fields of each operation."""
    def resolve(schema):
        while "$ref" in schema:
            schema = description["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return schema

    found = {}
    for path, methods in description["paths"].items():
        if path.startswith("/v1/") and "post" in methods and "requestBody" in methods["post"]:
            schema = resolve(methods["post"]["requestBody"]["content"]["application/json"]["schema"])
            found[path[4:]] = sorted(schema.get("properties", {}))
    return found


def passwords(door, case):
    """A password on a command line or in a sentence is neither written nor shown."""
    texts = junk.PASSWORD_COMMANDS + junk.PASSWORD_SENTENCES
    text, secret, word = case.pick(texts), junk.password(case.random), case.word()
    line = f"{word} {junk.with_password(text, secret)}"
    operation, request = case.random.choice([("remember", {"text": line, "force": True}), ("daily", {"append": line}),
        ("feedback", {"good": False, "note": line})])
    reply = ask(door, case, operation, request)
    case.expect(secret.encode() not in reply.body, f"the answer shows the password of {text!r}")
    kept = door.world.kept(secret)
    case.expect(not kept, f"the password of {text!r} is in {', '.join(kept)}")


def audited(door, case):
    """`audit` finds the password that `remember` takes out."""
    text, secret, word = case.pick(junk.PASSWORD_COMMANDS + junk.PASSWORD_SENTENCES), junk.password(case.random), case.word()
    name = f"tars/context/{word}.md"
    door.world.write(name, f"# {word}\n\n- {junk.with_password(text, secret)}\n")
    try:
        reply = ask(door, case, "audit", {}, seconds=15)
        case.expect(any(name in str(leak) for leak in reply.json()), f"audit does not find {text!r}")
        case.expect(secret.encode() not in reply.body, "audit shows the password")
    finally:
        door.world.write(name, f"# {word}\n")


def harmless(door, case):
    text, word = case.pick(junk.HARMLESS), case.word()
    ask(door, case, "daily", {"append": f"{word} {text}"})
    case.expect(f"{word} {text}" in door.world.memory(), f"{text!r} was not kept as it is")


def private(door, case):
    """Words that stand in private places alone are answered like words that stand nowhere."""
    secret = case.pick(door.world.private)
    absent = "quagga" + "".join(case.random.choice("bdfgklmnprstvw") for _ in range(6))
    word = case.word()
    requests = [
        ("forget", {"query": "WORD"}), ("search", {"query": "WORD", "mode": "keyword"}), ("context", {"query": "where is the WORD"}),
        ("history", {"query": "WORD"}), ("sessions", {"query": "WORD"}), ("notes", {"name": "WORD"}), ("done", {"query": "WORD"}),
        ("get", {"names": ["WORD"]}), ("related", {"name": "WORD"}), ("search", {"query": '"WORD"'}), ("search", {"query": "PART*"}),
        ("forget", {"query": "WORD boat"}),
    ]
    operation, request = requests[case.place // 4 % len(requests)]
    replies = []
    for sought in (secret, absent):
        reply = ask(door, case, operation, json.dumps(request).replace("WORD", sought).replace("PART", sought[:9]).encode(), sent=sought)
        body = re.sub(r'"(took_ms|milliseconds|elapsed_ms|took|seconds|duration_ms)":\s*[0-9.]+', "", reply.body.decode())
        body = body.replace(sought, "WORD").replace(sought[:9], "PART")
        replies.append((reply.status, body))
    case.expect(replies[0] == replies[1], f"it answers otherwise about a private word: {replies[0]} / {replies[1]}")
    # A line of a private file is no line that "was there already".
    if case.place % 3 == 0:
        text = f"The {door.world.private[3]} is called Tusk"
        reply = ask(door, case, "remember", {"text": text, "to": "context/hidden"}, sent=text)
        case.expect(b"hidden.md:" not in reply.body or word.encode() in reply.body, "it says where the line stands in a private file")


def later_private(door, case):
    """A note that became private is nowhere: neither in what sessions were shown nor in the index."""
    word, world = case.word(), door.world
    name = f"Later {word}.md"
    world.write(name, f"# Later\n\nThe {word} anchors in Arnis.\n")
    world.known = world.state()
    ask(door, case, "search", {"query": f"{word} anchors"})
    ask(door, case, "context", {"query": f"where is the {word} anchored", "session": f"session-{word}"})
    world.write(name, f"---\ntars: private\n---\n# Later\n\nThe {word} anchors in Arnis.\n")
    world.known = world.state()
    for operation, request in (("search", {"query": "anchors"}), ("why", {"session": f"session-{word}"}), ("recalled", {}),
        ("forget", {"query": "anchors"})):
        reply = ask(door, case, operation, request)
        case.expect(b"Arnis" not in reply.body, f"{operation} shows the note that became private")


def captured(door, case):
    """A command that says that it failed has written nothing."""
    word, world = case.word(), door.world
    world.write("tars/inbox.md",
        case.random.choice(["---\ntars: private\n---\n# Inbox\n", "---\ntars:  private\n---\n", "# Inbox\n\n<private>\n", "# Inbox\n"]))
    message = case.random.choice([f"/capture the {word} needs oil", f"/note the {word} needs oil", f"/remember the {word} needs oil",
        f"/capture <private>{word}</private>"])
    reply = door.server.ask(case, door.server.post("/chat", {"message": message}), allowed=(500, 503))
    written = word in world.memory()
    case.expect(reply.status == 200 or not written, f"it says that it failed ({reply.status}), and has written")
    case.expect(reply.status < 500, f"status {reply.status}")


def stays_private(door, case):
    """Neither `remember` nor an undo opens a private file."""
    world, word = door.world, case.word()
    name = f"tars/context/{word}.md"
    world.write(name, f"---\ntars: private\n---\n# {word}\n\n- The {word} swims\n")
    for text in (f"The {word} swims", f"The {word} runs"):
        reply = ask(door, case, "remember", {"text": text, "to": f"context/{word}"})
        if reply.status == 200 and f"{word}.md:" in reply.body.decode():
            raise Defect("it tells the place of a line in a private file")
        if reply.status != 200:
            case.expect("runs" not in world.read(name), "it says that it failed, and has written")


KINDS = [
    Kind("traversal", 180, traversal), Kind("dates", 90, dates), Kind("huge dates", 14, huge_dates), Kind("numbers", 120, numbers),
    Kind("long ids", 60, long_ids), Kind("patterns", 60, patterns), Kind("fields", 130, fields), Kind("passwords", 92, passwords),
    Kind("audit", 46, audited), Kind("harmless", 12, harmless), Kind("private", 48, private), Kind("later private", 6, later_private),
    Kind("failed means not done", 16, captured), Kind("private files", 6, stays_private),
]
