"""`tars serve`: keys, hosts, pages of other sites, and broken requests. `http_values.py` has what well-formed requests contain."""

import json

from checks.attacking import http_values, junk
from checks.attacking.case import Kind
from checks.attacking.server import Server

PATHS = [
    "GET /v1/status", "GET /v1/search?q=boiler", "POST /v1/search", "POST /v1/remember", "GET /conversations", "GET /v1/openapi.json",
    "POST /chat", "GET /events", "POST /mcp", "GET /picture?in=vault&note=Boiler.md&name=valve.png", "DELETE /conversations/x",
    "GET /nothing", "GET /assets/app.js",
]
HOSTS = [
    "evil.example", "evil.example:PORT", "127.0.0.1.evil.example:PORT", "localhost.evil.example:PORT", "127.0.0.1@evil.example",
    "evil.example#127.0.0.1:PORT", "127.0.0.1:1", "localhost:80", "", " ", "[::1", "127.0.0.1:PORT, evil.example", "127.0.0.1:PORT:PORT",
    "evil.example\t127.0.0.1", "127.0.0.1:PORTx", "x" * 5000, "127.0.0.1:-1", "127.0.0.1:0PORT0", "%31%32%37.0.0.1:PORT",
    "evil.example.:PORT", "nas:PORT", "user@evil.example:PORT", "127.0.0.1\\evil.example:PORT",
]
ORIGINS = [
    "http://evil.example", "null", "https://127.0.0.1:1", "http://127.0.0.1:1", "http://127.0.0.1.evil.example:PORT",
    "http://localhost.evil.example:PORT", "file://", "http://127.0.0.1:PORT.evil.example", "http://127.0.0.1:PORT@evil.example", "", " ",
    "http://127.0.0.1:PORT/", "HTTP://EVIL", "chrome-extension://abc", "http://127.0.0.1:PORT http://evil.example",
    "http://127.0.0.1:PORT\x0b", "http://[::1]:1", "data:text/html,x", "javascript:1", "http://evil.example:PORT",
]
METHODS = ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "OPTIONS", "HEAD", "GET", "POST", "PROPFIND", "FOO", "get", "M" * 300, "BREW",
    "PURGE", "LINK"]
WRITES = [
    "remember", "daily", "forget", "done", "feedback", "settle", "propose", "settle_proposals", "decide", "update_project", "tidy",
    "compact", "week", "undo", "index", "pause", "resume", "mark",
]


class HttpDoor:
    """Attacks on the HTTP server."""

    NAME = "http"

    def __init__(self, world):
        self.world = world
        world.tars("index")
        self.server = Server(world)
        self.page, self.link = self.server.cookie()
        self.operations = None

    def check(self, case):
        self.server.check_alive()
        self.world.check_notes()

    def close(self):
        pass

    def check_unwritten(self, case, *words):
        case.expect(not any(word in self.world.memory() for word in words), "it was written")


def keys(door, case):
    server, token = door.server, door.server.token
    wrong = [
        (), ("Authorization: Bearer x",), (f"Authorization: Bearer {token}x",), (f"Authorization: Bearer {token[:-1]}",),
        (f"Authorization: Basic {token}",), (f"Authorization: {token}",), (f"Authorization: Bearer {token.swapcase()}",),
        ("Authorization: Bearer ",), ("Authorization: Bearer",), (f"Authorization: Bearer {token}", f"Authorization: Bearer {token}"),
        (f"X-Authorization: Bearer {token}",), (f"Cookie: token={token}",), (f"Authorization: Bearer {token} {token}",),
        ("Authorization: Bearer " + "a" * 9000,), (f"Authorization: Bearer {token}\x00",), ("Cookie: tars-PORT=x",),
        (f"Authorization: Bearer {case.random.choice(token)}{token[1:-1]}\xff",), (f"Proxy-Authorization: Bearer {token}",),
        (f"Authorization: Token {token}",),
    ]
    headers = [header.replace("PORT", str(server.port)) for header in case.pick(wrong)]
    path = PATHS[case.place // len(wrong) % len(PATHS)]
    if case.random.random() < 0.2:
        path += ("&" if "?" in path else "?") + f"token={token}&access_token={token}"
    data = server.post("/", b"{}", *headers, key=False).replace(b"POST / ", f"{path} ".encode(), 1)
    reply = server.ask(case, data)
    case.expect(reply.status in (400, 401, 431), f"status {reply.status} without a valid token")


def good_keys(door, case):
    server, token = door.server, door.server.token
    header = case.pick([f"Authorization: Bearer {token}", f"authorization: bearer {token}", f"AUTHORIZATION: BEARER   {token}  "])
    reply = server.ask(case, server.head("GET /v1/status", header, key=False))
    case.expect(reply.status == 200, f"status {reply.status} with a valid token")


def hosts(door, case):
    server = door.server
    host = case.pick(HOSTS).replace("PORT", str(server.port))
    lines = case.random.choice([[f"Host: {host}"], [f"Host: {host}"], [f"Host: {server.host}", f"Host: {host}"], []])
    path = case.random.choice([*PATHS, "GET /health", f"GET http://{server.host}/v1/status", "GET http://evil.example/v1/status"])
    data = server.post("/", b"", *lines, host=False).replace(b"POST / ", f"{path} ".encode(), 1)
    reply = server.ask(case, data)
    case.expect(reply.status in (400, 421, 431), f"status {reply.status} for the host {host!r}")


def origins(door, case):
    server = door.server
    origin = case.pick(ORIGINS).replace("PORT", str(server.port))
    with_cookie = case.random.random() < 0.5
    headers = [f"Origin: {origin}", *([f"Cookie: {door.page}", "X-Tars: 1"] if with_cookie else [])]
    word = case.word()
    reply = server.ask(case, server.post("/v1/remember", {"text": f"The {word} sails."}, *headers, key=not with_cookie))
    case.expect(reply.status in (400, 403), f"status {reply.status} for the origin {origin!r}")
    case.expect("access-control-allow-origin" not in reply.headers, "a CORS header for a foreign origin")
    door.check_unwritten(case, word)


def cookies(door, case):
    server, page = door.server, door.page
    name, own = page.split("=")[0], f"Origin: http://{server.host}"
    site = case.random.choice(["same-site", "cross-site"])
    # Headers, whether it writes, and the status.
    table = [
        ([f"Cookie: {page}"], True, 403), ([f"Cookie: {page}", own], True, 403), ([f"Cookie: {page}", "X-Tars: 1"], True, 403),
        ([f"Cookie: {page}", own, "X-Tars: 0"], True, 403), ([f"Cookie: {page}", own, "X-Tars: 1"], True, 200),
        ([f"Cookie: {page}"], False, 200),
        ([f"Cookie: {page}", f"Sec-Fetch-Site: {site}"], False, 403), ([f"Cookie: {page}", own, "X-Tars: 1", f"Sec-Fetch-Site: {site}"],
            True, 403),
        # A first bad cookie does not hide a good one.
        ([f"Cookie: {name}=bad; {page}"], False, 200), ([f"Cookie: {page}; {name}=bad"], False, 200),
        ([f"Cookie: {name}=bad", f"Cookie: {page}"], False, 200),
        ([f"Cookie: {name}=; other=1; {page}"], False, 200), ([f"Cookie: {name}=\"x\"; {name}=a b;; {page}"], False, 200),
        ([f"Cookie: {name}=bad; {name}=worse"], False, 401), ([f"Cookie: {page}x"], False, 401), ([f"Cookie: {page[:-2]}"], False, 401),
        ([f"Cookie: {name.upper()}={page.split('=')[1]}"], False, 401), ([f"Cookie: x{page}"], False, 401),
        ([f"Cookie: a={page}"], False, 401),
        ([f"Cookie: {';'.join([name + '=' + 'b' * 40] * 60)}; {page}"], False, None), (["Cookie: " + ";" * 2000 + page], False, 200),
        ([f"Cookie: {page}", f"Cookie: {page}"], False, 200), ([f"Cookie: {page}", "Authorization: Bearer bad"], False, 401),
        ([f"Cookie: {page}", own, "X-Tars: 1", "Content-Type: text/plain"], True, 200),
        ([f"Cookie: {page}", "Content-Type: application/x-www-form-urlencoded"], True, 403),
    ]
    headers, writes, status = case.pick(table)
    word = case.word()
    data = server.post("/v1/remember", {"text": f"The {word} sails far."}, *headers, key=False) if writes else server.head("GET /v1/lines",
        *headers, key=False)
    reply = server.ask(case, data)
    case.expect(status is None or reply.status == status, f"status {reply.status}, not {status}")
    if reply.status != 200:
        door.check_unwritten(case, word)


def links(door, case):
    server = door.server
    code = door.link.split("?")[0]
    path = case.pick([door.link, code, door.link + "x", door.link.upper(), door.link[:-3], code + "?code=" + "a" * 3000, code + "?code=%00",
        code + "?code=a&code=b"])
    reply = server.ask(case, server.head(f"GET {path}", key=False))
    case.expect("set-cookie" not in reply.headers or "=;" in reply.headers["set-cookie"], "a used or wrong link gives a cookie")


def smuggling(door, case):
    server, word = door.server, case.word()
    inner_body = json.dumps({"text": f"The {word} is smuggled."})
    inner = f"POST /v1/remember HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: {len(inner_body)}\r\n\r\n{inner_body}".encode()
    chunked = b"0\r\n\r\n"
    start = f"POST /v1/search HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {server.token}\r\n".encode()
    table = [
        start + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % (len(chunked + inner)) + chunked + inner,
        start + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunked + inner,
        start + b"Content-Length: 2\r\nContent-Length: %d\r\n\r\n{}" % (2 + len(inner)) + inner,
        start + b"Content-Length: 2, 50\r\n\r\n{}" + inner, start + b"Content-Length: +2\r\n\r\n{}" + inner,
        start + b"Content-Length: 0x2\r\n\r\n{}" + inner, start + b"Content-Length: -2\r\n\r\n{}" + inner,
        start + b"Content-Length : 2\r\n\r\n{}" + inner, start + b"Content-Length: 2 2\r\n\r\n{}" + inner,
        start + b"Transfer-Encoding: xchunked\r\n\r\n" + chunked + inner, start + b"Transfer-Encoding : chunked\r\n\r\n" + chunked + inner,
        start + b"Transfer-Encoding: chunked, identity\r\n\r\n" + chunked + inner,
        start + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n" + chunked + inner,
        start + b"Transfer-Encoding:\x0bchunked\r\n\r\n" + chunked + inner,
        start + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff0\r\n" + inner,
        start + b"Transfer-Encoding: chunked\r\n\r\n2;a=\"\r\n\"\r\n{}\r\n" + chunked + inner,
        start + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + inner,
        start + b"X: a\r\n Content-Length: 5\r\nContent-Length: 2\r\n\r\n{}" + inner,
        start + b"X: a\rContent-Length: 50\r\nContent-Length: 2\r\n\r\n{}" + inner,
        start.replace(b"\r\n", b"\n") + b"Content-Length: 2\n\n{}" + inner, start + b"Content-Length: 2\r\n\r\n{}" + inner,
        b"\r\n\r\n" + inner, inner, b"GET /v1/status\r\n\r\n" + inner, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + inner,
        b"\x16\x03\x01\x02\x00\x01" + inner, start.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Content-Length: 2\r\n\r\n{}" + inner,
        start.replace(b"HTTP/1.1", b"HTTP/9.9") + b"Content-Length: 2\r\n\r\n{}" + inner,
        start + b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAA\r\nContent-Length: 2\r\n\r\n{}" + inner,
        start + b"Connection: Authorization\r\nContent-Length: 2\r\n\r\n{}" + inner,
        start + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}" + inner, start + b"X\x00: y\r\nContent-Length: 2\r\n\r\n{}" + inner,
        start + b": y\r\nContent-Length: 2\r\n\r\n{}" + inner, start + b"Content-Length: 99999999999999999999\r\n\r\n{}" + inner,
        start + b"X-HTTP-Method-Override: DELETE\r\nContent-Length: 2\r\n\r\n{}" + inner,
    ]
    data = case.pick(table)
    case.note("sent", data)
    replies = server.send(data, half_close=True, pieces=case.random.choice([1, 1, 2, 5]), pause=0.005, seconds=25)
    case.note("answers", str([reply.status for reply in replies]))
    for reply in replies:
        server.check_reply(case, reply, data, allowed=(501, 505))
    case.expect(sum(reply.status == 200 for reply in replies) <= 1, "the request without a token was answered")
    door.check_unwritten(case, word)


def methods(door, case):
    server = door.server
    method = case.pick(METHODS)
    word = case.word()
    operation = case.random.choice(WRITES)
    path = case.random.choice([path.split(" ")[1] for path in PATHS] + [f"/v1/{operation}", "/", "*", "/chat/answer", "/chat/commands"])
    if path == "/events" and method == "GET":
        path = "/v1/events"
    before = door.world.memory()
    body = json.dumps({"text": f"The {word} sails.", "query": "boiler", "message": "/help"}).encode()
    data = server.head(f"{method} {path}", length=len(body)) + body
    reply = server.ask(case, data, allowed=(501,) if path == "/chat" else ())
    if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
        case.expect(door.world.memory() == before, f"{method} changed the memory")
    if method not in ("GET", "HEAD", "POST", "DELETE", "OPTIONS"):
        case.expect(reply.status in (400, 403, 404, 405, 406, 415, 421, 501), f"status {reply.status} for the method {method[:20]}")


def sizes(door, case):
    server = door.server
    def long_text(size):
        return json.dumps({"query": "boiler " * (size // 7)}).encode()

    mib, kind, random = 1 << 20, case.place % 10, case.random
    if kind == 0:
        data, statuses = server.post("/v1/search", long_text(mib + 100)), (413,)
    elif kind == 1:
        data, statuses = server.post("/v1/search", b" " * (mib - 20) + b'{"query":"boiler"}'), (200, 422)
    elif kind == 2:
        data, statuses = server.head("POST /v1/search", f"X-Long: {'a' * random.randint(80_000, 200_000)}", length=2) + b"{}", (400, 431)
    elif kind == 3:
        data, statuses = server.head("GET /v1/search?q=" + "a" * random.randint(80_000, 200_000)), (400, 414, 431)
    elif kind == 4:
        data, statuses = server.head("GET /v1/status", *[f"X-{number}: a" for number in range(random.randint(101, 2000))]), (400, 431)
    elif kind == 5:
        deep = random.choice([junk.deep, junk.deep_object])(random.choice([100, 127, 129, 1000, 100_000, 400_000]))
        body = random.choice(["DEEP", '{"query":DEEP}', '{"paths":DEEP}']).replace("DEEP", deep).encode()
        data, statuses = server.post("/v1/search", body[:mib]), (400, 413, 422)
    elif kind == 6:
        data, statuses = server.post("/v1/get", {"names": ["Boat.md"] * random.randint(1000, 60_000)}), (200, 404, 413, 422)
    elif kind == 7:
        data, statuses = server.post("/v1/search", {"query": "boiler", "tags": ["home"] * 20_000, "paths": ["*.md"] * 20_000}), (200, 422)
    elif kind == 8:
        query = random.choice(["(" * 50_000, '"' * 50_001, "-" * 50_000, "tag:" * 20_000, "a* " * 30_000, "é" * 90_000])
        data, statuses = server.post("/v1/search", {"query": query}), (200, 400, 422)
    else:
        pieces = b"1\r\n \r\n" * 200_000 + b"2\r\n{}\r\n0\r\n\r\n"
        data, statuses = server.head("POST /v1/search", "Transfer-Encoding: chunked") + pieces, (200, 400, 413, 422)
    reply = server.ask(case, data, seconds=8)
    case.expect(reply.status in statuses, f"status {reply.status}, not one of {statuses}")


def half_closed(door, case):
    """A client that has sent all and closes its side gets its answer; one that sends half of it gets a quick end."""
    server, kind = door.server, case.place % 8
    requests = [
        server.post("/v1/search", {"query": "boiler valve"}), server.head("GET /v1/lines"), server.head("GET /health", key=False),
        server.post("/v1/context", {"query": "where does the boat lie"}), server.head("GET /v1/status", close=False),
        server.post("/v1/doctor", b"", close=False),
    ]
    data = case.random.choice(requests)
    if kind < 5:
        reply = server.ask(case, data, half_close=True)
        case.expect(reply.status == 200, f"status {reply.status} for a half-closed client")
        return
    cut = data[:case.random.randrange(1, len(data))]
    case.note("sent", cut)
    # An open connection waits for the rest as long as docs/http.md says.
    replies = server.send(cut, half_close=kind < 7, seconds=5 if kind < 7 else 25)
    for reply in replies:
        server.check_reply(case, reply, cut)
        case.expect(reply.status >= 400 or b"\r\n\r\n" in cut, f"status {reply.status} for half of a request")


def broken_json(door, case):
    server = door.server
    seeds = [
        ("search", {"query": "boiler", "limit": 3, "tags": ["home"], "since": "2026-01-01"}),
        ("get", {"names": ["Boat.md"], "lines": [1, 3]}),
        ("remember", {"text": "The boat is blue.", "memory_type": "semantic", "section": "Boats"}),
        ("forget", {"query": "boat", "remove": "none"}), ("week", {"day": "2026-05-01", "tick": []}),
        ("context", {"query": "boat", "length": {"tokens": 300}}), ("pause", {"session": "a", "seconds": 5}),
        ("compact", {"month": "2026-03", "dry_run": True}),
    ]
    name, request = case.pick(seeds)
    path = f"/v1/{name}"
    if case.place % 9 == 8:
        path, request = case.random.choice([("/chat", {"message": "/help", "tools": True}),
            ("/chat/answer", {"question": "x", "allow": True})])
    text = json.dumps(request)
    way = case.place % 6
    if way == 0:
        body = text.replace("boat", case.random.choice(junk.HALF_PAIRS)).replace("boiler", case.random.choice(junk.HALF_PAIRS)).encode()
    elif way == 1:
        body = text.encode().replace(b"a", case.random.choice(junk.BAD_UTF8), 1)
    elif way == 2:
        body = case.random.choice([b"[]", b"null", b"1", b'"x"', b"true", b"{", b"{}{}", b"\x00", b"nul", b"NaN", b"{'a':1}", b"{a:1}",
            b"[{}]", b"\xef\xbb\xbf{}"])
    elif way == 3:
        body = (text[:-1] + ", " + text[1:]).encode()
    else:
        body = junk.spoiled(case.random, text)
    reply = server.ask(case, server.post(path, body), allowed=(503,) if path == "/chat" else ())
    if not junk.is_json(body) and body.strip():
        case.expect(400 <= reply.status < 500 or reply.status == 503, f"status {reply.status} for a body that is no JSON")


HttpDoor.KINDS = [
    Kind("keys", 130, keys), Kind("good keys", 6, good_keys), Kind("hosts", 80, hosts), Kind("origins", 60, origins),
    Kind("cookies", 75, cookies), Kind("links", 16, links), Kind("smuggling", 105, smuggling), Kind("methods", 96, methods),
    Kind("sizes", 50, sizes), Kind("half-closed", 40, half_closed), Kind("broken JSON", 120, broken_json), *http_values.KINDS,
]
