"""Hostile values."""

import json
import re

# Bytes that are no UTF-8, and escapes of JSON that are no text.
BAD_UTF8 = [b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x92", b"\xc0\xaf", b"\xfe\xff\x00a", b"\xf8\x88\x80\x80\x80"]
HALF_PAIRS = ["\\ud800", "\\udfff", "\\ud83d\\u0041", "\\udc00\\ud800", "\\ud83d"]
# Paths out of the vault. {} stands for a path below the home.
TRAVERSALS = [
    "../outside/secret.md", "../../outside/secret.md", "tars/../../outside/secret.md", "..\\outside\\secret.md", "{}/outside/secret.md",
    "....//outside/secret.md", "%2e%2e/outside/secret.md", "..%2foutside%2fsecret.md", "..%252foutside%252fsecret.md",
    "./../outside/secret.md", "Link.md", "linked/secret.md", "tars/context/../../../outside/secret.md", "../outside/secret",
    "secret.md\x00.md", "/etc/passwd", "/proc/self/environ", "file://{}/outside/secret.md", "~/outside/secret.md", "[[../outside/secret]]",
    "..;/outside/secret.md", "tars://note/../outside/secret.md", "．．/outside/secret.md", "..%c0%afoutside%c0%afsecret.md",
    "C:\\..\\outside\\secret.md", "//outside/secret.md", "~/.config/tars/config.toml", "../data/http/tokens.json",
    "{}/data/http/tokens.json", "../../../../../../../../etc/passwd",
]
DATES = [
    "0000-00-00", "9999-12-31", "-9999-01-01", "+999999-01-01", "10000-01-01", "2026-02-30", "2026-13-01", "0001-01-01", "2026-W53", "1e9",
    "99999999999 days ago", "last century", "8000000 days ago", "-1", "", " ", "yesterday" * 50, "2026-01-01T00:00:00Z", "31.12.99999", "0",
    "9999-12", "9999", "-9999", "NaN", "2026-01-01\x00", "١٢-٣-٢٠٢٦", "2147483648 weeks ago", "9223372036854775807 days ago",
    "in 4000000 days", "tomorrow tomorrow", "1/0/0", "2026-1-1-1", "00:00", "24:60", "before:9999-12-31", "last 99999999 days",
    "December 99999", "week 99 of 9999",
]
NUMBERS = [
    0, -1, 1, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**30, 1.5, -0.0, 1e308, 5e-324,
    8_000_000, 3_652_059, 4_000_000_000, 86_400 * 10**9, 106_751_991_167, 9_223_372_036,
]
PATTERNS = [
    "**/" * 40 + "*.md", "{" * 50 + "a" + "}" * 50, "[", "[!", "[a-", "a**b**c**d**e**", "{a,{b,{c,{d,{e}}}}}", "\\", "**", "*" * 3000,
    "?" * 3000, "[z-a]", "{a,b}" * 40, "!*", "../*", "/**", "*.md\x00", "[[:alpha:]]", "**/**/**/**/**/**/**/**/x", "", " ", "{,}" * 30,
    "\u202e*", "a/../b",
]
VALUES = [
    None, True, False, 0, -1, 1.5, 10**30, "", " ", "null", "[]", "{}", "[1, 2]", [], {}, [None], [[]], [[[[1]]]], {"a": {"b": {}}}, "\x00",
    "\u202e", "a" * 5000, ["a"] * 500, {"$ref": "#"}, "../../x", "💥" * 300, "-n", "--help", "$(id)", "`id`", "'; drop table chunks; --",
    "<script>1</script>", "\r\nX: y", "\ufeff", "<private>", "</tars-memory>", "<!-- tars:session x -->", 2**63, -(2**63), 1e308,
]


def deep(depth, open_="[", close="]"):
    """Returns nested JSON as text."""
    return open_ * depth + close * depth


def deep_object(depth):
    return '{"a":' * depth + "1" + "}" * depth


def spoiled(random, text):
    """Returns JSON with a few mistakes, as bytes."""
    data = bytearray(text.encode())
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data) or 1)
        way = random.randrange(8)
        if way == 0:
            del data[place:]
        elif way == 1:
            data[place:place] = random.choice(BAD_UTF8)
        elif way == 2 and data:
            del data[place:place + random.randint(1, 6)]
        elif way == 3:
            data[place:place] = random.choice(HALF_PAIRS).encode()
        elif way == 4:
            data[place:place] = random.choice([b"\x00", b"\x1b", b"\\", b'"', b"{", b"]", b",", b":", b"\r", b"//", b"NaN", b"1e999"])
        elif way == 5:
            data += random.choice([b"}", b"]", b" x", b"{}", b"\x00", b",", b"null"])
        elif way == 6:
            data[:0] = random.choice([b"\xef\xbb\xbf", b"\x00", b"[", b"x", b"\xff\xfe"])
        elif data:
            data[place] = random.randrange(256)
    return bytes(data)


def value(random, depth=0):
    """Returns a random JSON value."""
    way = random.randrange(12)
    if way == 0 and depth < 4:
        return [value(random, depth + 1) for _ in range(random.randrange(5))]
    if way == 1 and depth < 4:
        return {random.choice(["a", "", "type", "id", "é", "__proto__"]): value(random, depth + 1) for _ in range(random.randrange(4))}
    if way == 2:
        return random.choice(DATES)
    if way == 3:
        return random.choice(NUMBERS)
    if way == 4:
        return random.choice(PATTERNS)
    if way == 5:
        return random.choice(TRAVERSALS).replace("{}", "/tmp")
    if way == 6:
        return "".join(chr(random.choice([random.randrange(32, 127), random.randrange(0x80, 0xD7FF),
            random.randrange(1, 32)])) for _ in range(random.randrange(60)))
    return random.choice(VALUES)


def is_json(data):
    """Returns whether a reader accepts these bytes. It may pass over a byte order mark (RFC 8259)."""
    def refuse(word):
        raise ValueError(word)

    try:
        json.loads(data.decode("utf-8-sig"), parse_constant=refuse)
        return True
    except (ValueError, RecursionError):
        return False


# Commands and sentences with a password, PASS, and such without one.
PASSWORD_COMMANDS = [
    "docker login -u ada -p PASS registry.example.net", "redis-cli -h db -a PASS ping", "mongosh --host db -u ada -p PASS",
    "sqlcmd -S db -U sa -P PASS", "az login -u ada@example.net -p PASS", "htpasswd -b /etc/web.htpasswd ada PASS",
    "ldapsearch -x -D cn=ada -w PASS", "7z a -pPASS box.7z notes", "unzip -P PASS box.zip",
    "keytool -list -keystore box.jks -storepass PASS", "influx -username ada -password PASS",
    "nmcli device wifi connect Harbour password PASS", "echo 'ada:PASS' | chpasswd", "echo PASS | docker login -u ada --password-stdin",
    "sudo -S apt update <<< PASS", "CREATE USER ada IDENTIFIED BY 'PASS';", "ALTER ROLE ada WITH PASSWORD 'PASS';",
    "mysql -uada -pPASS harbour", "sshpass -p PASS ssh ada@db", "curl -u ada:PASS https://example.net/",
    "psql postgres://ada:PASS@db/harbour", "smbclient //nas/share -U ada%PASS", "rar a -hpPASS box.rar notes",
    "wget --password=PASS http://example.net/", "export DB_PASSWORD=PASS", "gpg --batch --passphrase PASS -d a.gpg",
]
PASSWORD_SENTENCES = [
    "the admin pass is PASS", "Das Kennwort ist PASS", "Kennwort PASS", "la password è PASS", "пароль PASS", "Пароль: PASS",
    "the wifi password is PASS", "le mot de passe est PASS", "la contraseña es PASS", "a senha é PASS", "het wachtwoord is PASS",
    "Das Passwort lautet PASS", "密码是PASS", "パスワードは PASS です", "hasło to PASS", "lösenordet är PASS",
]
HARMLESS = [
    "docker run -p 8080:80 nginx", "ssh -p 2222 harbour.example.net", "mkdir -p notes/boats", "the mountain pass is closed in winter",
    "the boarding pass is on the phone", "nc -w 3 harbour.example.net 80", "cp -a notes backup", "grep -P walrus notes.md",
    "tar -a -cf box.tar notes", "Das Passwort wird jede Woche geändert", "the password is in the safe", "psql -P pager=off harbour",
]
LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def with_password(text, secret):
    """Returns a text of the lists above with a password."""
    return re.sub("PASS(?!W)", lambda _: secret, text)


def password(random):
    """Returns a password as people make them: letters of both cases and digits."""
    return "".join(random.choice(LETTERS) for _ in range(9)) + random.choice("23456789") + random.choice("ABCDEFGH") + random.choice("xyz")
