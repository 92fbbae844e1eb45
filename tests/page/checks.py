"""Checks of the page."""

import json
import re
import struct
import time
import zlib
from datetime import date
from pathlib import Path

AUDIT = (Path(__file__).parent / "audit.js").read_text()
QUESTION = "how to revive the starter after a long holiday"
STARTER = "Kitchen/Sourdough starter.md"


def expect(holds, said=""):
    """Fails with a message unless a condition holds."""
    if not holds:
        raise AssertionError(said)


class Look:
    """The browser, the server and the vault of a check."""

    def __init__(self, browser, server, sample, is_phone, pictures):
        self.browser, self.server, self.sample, self.is_phone, self.pictures = browser, server, sample, is_phone, pictures
        self.model = None  # The scripted language model, if the check has one.

    def sign_in(self):
        """Follows a one-time link."""
        self.browser.open(self.server.link())
        self.browser.wait_for("#nav a")

    def view(self, address, selector):
        """Goes to a view and waits for something in it."""
        self.browser.run("location.hash = arguments[0]", f"#/{address}")
        self.browser.wait_for(selector)

    def audit(self, name, schemes=("light", "dark")):
        """Expects no accessibility problem, in light and dark. Saves a picture."""
        size = "390" if self.is_phone else "1280"
        for scheme in schemes:
            self.browser.cdp("Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
            time.sleep(0.15)
            if self.pictures:
                self.browser.picture(self.pictures / f"{name}-{size}-{scheme}.png")
            found = self.browser.run(AUDIT, self.is_phone)
            expect(not found, f"{name}, {scheme}:\n" + "\n".join(found))

    def nothing_was_refused_or_loaded_elsewhere(self):
        """Expects that the browser called only this server, and that the page broke no rule of its policy."""
        for entry in self.browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                expect(address.startswith((self.server.origin, "data:", "about:", "chrome:")), f"asked for {address}")
        errors = [entry["message"] for entry in self.browser.log("browser") if entry["level"] == "SEVERE"]
        # The page itself shows answers with these statuses.
        unexpected = [error for error in errors if not re.search(r"status of (401|403|404|412|422|400|409|503)", error)]
        expect(not unexpected, "\n".join(unexpected))

    def memory(self, name):
        """Returns the text of a file of the memory folder."""
        path = self.sample.vault / "tars" / name
        return path.read_text() if path.exists() else ""

    def becomes(self, holds, what):
        """Waits until a condition on files holds."""
        end = time.monotonic() + 10
        while not holds():
            expect(time.monotonic() < end, what)
            time.sleep(0.05)


def signing_in(look):
    """Without a cookie the page says what to do; a link works once; writes need a header that only the page sends."""
    browser, server = look.browser, look.server
    browser.open(server.origin)
    expect("tars open" in browser.text(), browser.text())
    link = server.link()
    browser.open(link)
    browser.wait_for("#nav a")
    expect(not browser.run("return document.cookie"), "a script can read the cookie")
    cookies = browser.cdp("Network.getCookies", {"urls": [server.origin]})["cookies"]
    expect(len(cookies) == 1 and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Strict", str(cookies))
    status = "return fetch('/v1/lines', {method: 'POST', headers: arguments[0], body: '{}'}).then((answer) => answer.status)"
    expect(browser.run(status, {"Content-Type": "application/json", "X-Tars": "1"}) == 200, "the page itself may ask")
    expect(browser.run(status, {"Content-Type": "application/json"}) == 403, "without the header it may not")
    browser.cdp("Network.clearBrowserCookies")
    browser.run("location.hash = '#/memory'")
    browser.wait("return document.body.innerText.includes('tars open')")
    look.audit("locked", schemes=("light",))
    browser.open(link)
    expect(browser.run("return document.querySelector('#nav') === null"), "a link works once")


def searching(look):
    """Typing searches, keys select, a preview marks the line, filters narrow, and an empty result says so."""
    browser = look.browser
    look.sign_in()
    browser.keys("/")
    browser.keys(QUESTION)
    browser.wait_for(".hit-row")
    browser.wait("return document.querySelector('.hit-row .place')?.innerText.startsWith(arguments[0])", STARTER)
    expect(browser.text(".hit-row mark") != "", "the line that answers is marked")
    look.audit("search")
    browser.keys("ArrowDown")
    expect(browser.run("return document.activeElement.closest('.hit-row') === document.querySelector('.hit-row')"), "the first line has the focus")
    browser.keys("w")
    expect(browser.run("return document.querySelector('.why').open"), "why it was found is told")
    look.audit("why", schemes=("light",))
    browser.keys("Enter")
    browser.wait_for("#preview .hit")
    expect("Reviving" in browser.text("#preview article"), "the whole note is shown")
    look.audit("preview")
    link = browser.wait("return document.querySelector('#preview a[data-key=o]').href")
    expect(link.startswith("obsidian://open?path=") and "Sourdough%20starter.md" in link, link)
    browser.keys("Escape")
    browser.wait("return document.getElementById('preview').hidden")
    browser.keys("/")
    browser.keys(" path:Kitchen")
    browser.wait_for(".chip.typed")
    browser.click(".chip.typed")
    browser.wait("return !document.querySelector('.chip.typed') && !document.getElementById('query').value.includes('path')")
    browser.run("document.querySelector('.chips button[aria-pressed]').click()")
    browser.wait("return document.querySelector('.chips button[aria-pressed=true]') && location.hash.includes('kind=note')")
    look.view("search?q=zirconium+quarterly+dividend", ".empty")
    expect("nothing" in browser.text(".empty").lower(), browser.text(".empty"))
    look.audit("nothing", schemes=("light",))


def news(look):
    """Before a question the page shows what is new: what waits, the latest day, the last notes."""
    browser = look.browser
    look.sign_in()
    browser.wait("return document.querySelectorAll('.news section').length === 3")
    shown = browser.text(".news")
    expect("3 lines, 2 proposals, 1 open end" in shown and "Moved the panel" in shown and "Kanazawa" in shown, shown)
    expect("tars/" not in shown.split("Last notes")[1], shown)
    look.audit("news")
    browser.keys("ArrowDown", "ArrowDown", "Enter")
    browser.wait_for("#preview .hit")
    expect("Moved the panel" in browser.text("#preview .hit"), browser.text("#preview .hit"))
    browser.keys("Escape")
    look.sample.run("daily", "--append", "Picked the last beans")
    browser.wait("return document.querySelector('.news').innerText.includes('Picked the last beans')", seconds=20)
    browser.keys("/")
    browser.keys("sourdough")
    browser.wait("return document.querySelector('.hit-row') !== null && !document.querySelector('.news').hasChildNodes()")
    look.view("search", ".news section")
    browser.click(".news .waits")
    browser.wait_for(".card")


def settings_not_taken(look):
    """A setting that changed since the server started is named, with what to do."""
    browser = look.browser
    look.sign_in()
    browser.wait_for(".news section")
    expect("not taken yet" not in browser.text("main"), browser.text("main"))
    look.sample.run("config", "set", "search.limit", "7")
    for address, selector in (("search", ".news .warning"), ("status", "main .warning"), ("chat", "main .warning")):
        look.view("days", ".day")
        look.view(address, selector)
        shown = browser.text(selector)
        expect("search.limit" in shown and "start it again" in shown, shown)
    look.audit("settings", schemes=("light", "dark"))


def pixel_picture(width, height):
    """Returns a picture of one colour, as PNG."""
    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\x1f\x5f\x8b" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


NOTE = """# Shown {#top}

![[wide.png]] ![icon](Files/icon.png){height: 1rem} ![[drawing.svg|60]] ![](hidden/secret.png) ![gone](gone.png) [site](https://example.org/ok){target=_blank}

- > a quotation in a list
- first line
  > a quotation below it

{: .wide}

- # A heading
  1. nested
"""
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><script>top.pwned = 1</script><rect width="90" height="30" onload="top.pwned = 1"/></svg>'


def pictures(look):
    """A note shows the pictures of the vault, and names those that are hidden or gone."""
    browser, vault = look.browser, look.sample.vault
    (vault / "Files" / "hidden").mkdir(parents=True)
    (vault / "hidden").mkdir()
    (vault / ".tarsignore").write_text("hidden\n")
    for name, size in (("Files/wide.png", (3000, 300)), ("Files/icon.png", (64, 64)), ("hidden/secret.png", (9, 9))):
        (vault / name).write_bytes(pixel_picture(*size))
    (vault / "Files" / "drawing.svg").write_text(DRAWING)
    (vault / "Shown.md").write_text(NOTE)
    look.sample.run("index")
    look.sign_in()
    look.view("search?note=Shown.md&in=vault", "#preview article h2")
    loaded = "const all = [...document.querySelectorAll('#preview img')]; return all.length === 3 && all.every((one) => one.complete && one.naturalWidth > 0)"
    browser.wait(loaded)
    sizes = browser.run("return [...document.querySelectorAll('#preview img')].map((one) => [one.alt, one.width, one.height])")
    room = browser.run("return document.querySelector('#preview article').clientWidth")
    expect(sizes[0][1] <= room and sizes[1][2] == 16 and sizes[2][1:] == [60, 20], f"{sizes} {room}")
    shown = browser.text("#preview article")
    expect("picture: hidden/secret.png" in shown and "picture: gone" in shown, shown)
    expect("{" not in shown and "> a quotation" not in shown, shown)
    quoted = browser.run("return [...document.querySelectorAll('#preview li > blockquote')].map((one) => one.innerText.trim())")
    expect(quoted == ["a quotation in a list", "a quotation below it"], str(quoted))
    expect(browser.run("return document.querySelector('#preview li h2 + ol') !== null"), "a list is within the item of a heading")
    look.audit("pictures")
    expect(browser.run("return window.pwned === undefined"), "a drawing ran")


def typing_fast(look):
    """Answers to outdated input are dropped."""
    browser = look.browser
    look.sign_in()
    browser.wait_for("#query")
    browser.run("""const field = document.getElementById('query'); const ask = window.fetch; let first = true;
        window.fetch = (...given) => { const slow = first; first = false;
            return ask(...given).then((answer) => slow ? new Promise((done) => setTimeout(() => done(answer), 900)) : answer); };
        field.focus(); field.value = 'sourdough'; field.dispatchEvent(new InputEvent('input', {bubbles: true}));
        setTimeout(() => { field.value = 'rain logger'; field.dispatchEvent(new InputEvent('input', {bubbles: true})); }, 300)""")
    browser.wait("return document.querySelector('.hit-row .name')?.innerText.toLowerCase().includes('rain logger')")
    time.sleep(1.2)
    expect("rain logger" in browser.text(".hit-row .name").lower(), browser.text(".hit-row .name"))


def related(look):
    """The neighbours of a note are a list and a graph, with links."""
    browser = look.browser
    look.sign_in()
    look.view(f"search?note={STARTER}&in=vault", "#preview summary")
    browser.click("#preview summary")
    browser.wait_for("svg.graph")
    expect("Country loaf" in browser.text("#preview .related"), browser.text("#preview .related"))
    browser.run("document.querySelector('.related').scrollIntoView()")
    look.audit("related")
    browser.run("[...document.querySelectorAll('.related li button')].find((one) => one.innerText === 'Country loaf').click()")
    browser.wait("return document.querySelector('#preview h2').innerText === 'Country loaf'")
    browser.run("[...document.querySelectorAll('#preview article button.internal')][0].click()")
    browser.wait("return document.querySelector('#preview h2').innerText !== 'Country loaf'")


def remembering(look):
    """Lines are added, with a warning about similar ones, edited, forgotten and restored."""
    browser = look.browser
    look.sign_in()
    look.view("memory", ".row")
    look.audit("memory")
    browser.run("document.activeElement.blur()")
    browser.keys("a", "The well is 14 m deep", "Enter")
    look.becomes(lambda: "The well is 14 m deep" in look.memory("Memory.md"), "a line is added")
    browser.wait("return document.querySelector('.row')?.parentElement && document.body.innerText.includes('The well is 14 m deep')")
    browser.keys("The well is 21 m deep", "Enter")
    browser.wait_for(".near")
    expect("14 m" in browser.text(".near"), browser.text(".near"))
    look.audit("warning", schemes=("light", "dark"))
    browser.keys("Enter")
    look.becomes(lambda: "21 m" in look.memory("Memory.md") and "14 m" not in look.memory("Memory.md"), "the line takes the other's place")
    look.becomes(lambda: "14 m" in look.memory("archive/superseded.md"), "what was so is kept")
    row = "[...document.querySelectorAll('.row')].find((row) => row.innerText.includes('21 m'))"
    browser.wait(f"return {row} !== undefined")
    time.sleep(0.5)
    browser.run(f"{row}.focus()")
    browser.keys("e")
    browser.wait_for(".edit textarea")
    browser.run("const field = document.querySelector('.edit textarea'); field.value = 'The well is 21 m deep and has a pump'")
    browser.keys("Enter")
    look.becomes(lambda: "has a pump" in look.memory("Memory.md"), "a line is edited")
    browser.wait("return document.querySelector('.edit') === null && document.body.innerText.includes('has a pump')")
    time.sleep(0.5)
    row = row.replace("21 m", "has a pump")
    browser.run(f"{row}.focus()")
    browser.keys("x")
    look.becomes(lambda: "has a pump" not in look.memory("Memory.md"), "a line is forgotten")
    browser.wait(f"return {row} === undefined")
    browser.run("document.activeElement.blur()")
    browser.keys("u")
    look.becomes(lambda: "has a pump" in look.memory("Memory.md"), "and brought back")
    browser.wait(f"return {row} !== undefined")


def writing_at_once(look):
    """A write to lines that changed meanwhile is refused, and the page shows their present state."""
    browser = look.browser
    look.sign_in()
    look.view("memory", ".row")
    # Delays the request, because events would show the change before.
    browser.run("""const ask = window.fetch; window.fetch = (address, options) => address.endsWith('/v1/forget')
        ? new Promise((done) => { window.go = () => done(ask(address, options)); }) : ask(address, options);
        document.querySelector('.row').focus()""")
    browser.keys("x")
    path = look.sample.vault / "tars" / "Memory.md"
    path.write_text(path.read_text().replace("# Memory\n", "# Memory\n\n## New\n- Saved in Obsidian\n"))
    before = path.read_text()
    browser.run("window.go()")
    browser.wait("return document.getElementById('toasts').innerText.includes('changed meanwhile')")
    expect(path.read_text() == before, "nothing was removed")
    browser.wait("return document.body.innerText.includes('Saved in Obsidian')")


def days(look):
    """The log is a timeline with filters by project and channel, and takes new lines."""
    browser = look.browser
    look.sign_in()
    look.view("days", ".day")
    look.audit("days")
    expect("sends every ten minutes" in browser.text("main") and "Session 09:20" in browser.text("main"), browser.text("main"))
    expect(browser.run("return [...document.querySelectorAll('.session button')].some((one) => one.title.includes('tars transcript /home/me/'))"), "turns are led to")
    look.view("days?project=home/server", ".day")
    browser.wait("return !document.querySelector('main').innerText.includes('every ten minutes')")
    expect("nightly backup" in browser.text("main"), browser.text("main"))
    look.view("days?channel=phone", ".day")
    browser.wait("return document.querySelectorAll('.entry').length === 1")
    look.view("days", ".day")
    browser.run("document.activeElement.blur()")
    browser.keys("a", "Sowed the carrots", "Enter")
    look.becomes(lambda: "Sowed the carrots" in look.memory(f"{date.today()}.md"), "a line is noted")
    browser.wait("return document.querySelector('.day').innerText.includes('Sowed the carrots')")
    browser.run("[...document.querySelectorAll('.entry')].find((one) => one.innerText.includes('Packets')).click()")
    browser.wait_for("#preview .hit")
    expect("Packets" in browser.text("#preview .hit"), browser.text("#preview .hit"))


def reviewing(look):
    """Waiting lines are kept, edited and dropped by key, proposals are accepted, and open ends ticked."""
    browser = look.browser
    look.sign_in()
    look.view("review", ".card")
    look.audit("review")
    browser.wait("return document.activeElement.matches('.card')")
    expect("inches" in browser.run("return document.activeElement.innerText"), "the first card has the focus")
    browser.keys("e")
    browser.wait_for(".edit textarea")
    browser.run("document.querySelector('.edit textarea').value = 'Plans are metric'")
    browser.run("[...document.querySelectorAll('.edit button')].find((one) => one.innerText.includes('rule')).click()")
    look.becomes(lambda: "Plans are metric" in look.memory("Procedural.md"), "a line is kept in other words")
    browser.wait("return document.querySelectorAll('.card').length === 5 && document.activeElement.matches('.card')")
    browser.keys("d")
    browser.wait("return document.querySelectorAll('.card').length === 4 && document.activeElement.matches('.card')")
    browser.keys("m")
    look.becomes(lambda: "The rain logger sends every ten minutes" in look.memory("Memory.md"), "a line is kept as a fact")
    browser.wait("return document.querySelectorAll('.card').length === 3 && document.activeElement.matches('.card')")
    browser.keys("a")
    look.becomes(lambda: "52.80" not in look.memory("Memory.md"), "a proposal is accepted")
    browser.wait("return document.querySelectorAll('.card').length === 2 && document.activeElement.matches('.card')")
    browser.keys("d")
    browser.wait("return document.querySelectorAll('.card').length === 1 && document.activeElement.matches('.card')")
    browser.keys("t")
    days = (look.sample.vault / "tars").glob
    look.becomes(lambda: any("- [x] 09:50 Open: measure the current" in day.read_text() for day in days("*.md")), "an open end is ticked")
    browser.wait_for(".empty")


def page_of_a_project(look):
    """A proposed page is a list by section, which is accepted or dropped as a whole."""
    browser = look.browser
    look.sample.run("project", "update", "garden/rain-logger", "--json", codes=(0, 1))
    look.sign_in()
    look.view("review", ".card .page")
    sections = browser.run("return [...document.querySelectorAll('.card .page h3')].map((one) => [one.innerText, one.nextElementSibling.querySelectorAll('li').length])")
    expect(["Decisions in force", 1] in sections and all(count > 0 for _, count in sections), str(sections))
    expect(browser.run("return document.querySelector('.card:has(.page) [data-act=e]') === null"), "a page is not edited as one line")
    browser.run("document.querySelector('.card:has(.page)').scrollIntoView()")
    look.audit("page")
    browser.run("document.querySelector('.card:has(.page)').focus()")
    browser.keys("a")
    look.becomes(lambda: "every ten minutes" in look.memory("projects/garden-rain-logger.md"), "the page is made")


def messages(look):
    """A message goes by itself, with the next one and with the view."""
    browser = look.browser
    shown = "return document.querySelectorAll('.toast').length"
    look.sign_in()
    look.view("review", ".card")
    browser.wait("return document.activeElement.matches('.card')")
    browser.keys("d")
    browser.wait(f"{shown} === 1")
    browser.wait(f"{shown} === 0", seconds=12)
    browser.wait("return document.activeElement.matches('.card')")
    browser.keys("d")
    browser.wait(f"{shown} === 1")
    browser.keys("u")
    browser.wait("return document.getElementById('toasts').innerText.includes('Taken back')")
    expect(browser.run(shown) == 1, "one message at a time")
    look.view("days", ".day")
    expect(browser.run(shown) == 0, "another view has no message of the last one")


def recalled(look):
    """The context that agents got is listed by session, and can be rated."""
    browser = look.browser
    look.sign_in()
    look.view("recalled", ".occasion")
    look.audit("recalled")
    browser.run("[...document.querySelectorAll('.sessions button')].find((one) => one.innerText.includes('second box')).click()")
    browser.wait("return document.querySelector('.detail').innerText.includes('sourdough')")
    browser.run("document.querySelector('.piece [aria-label^=Helped]').click()")
    browser.wait("return document.querySelector('.piece [aria-pressed=true]') !== null")
    expect('"helpful"' in look.sample.run("why", "--json", "--session", "5e55b0a2"), "the ledger has it")


def status(look):
    """The status shows the index, and updates by itself."""
    browser = look.browser
    look.sign_in()
    look.view("status", ".figures")
    expect("Nothing is wrong" in browser.text("main"), browser.text("main"))
    look.audit("status")
    browser.wait("return document.getElementById('live').classList.contains('on')")
    (look.sample.vault / "New.md").write_text("# New\n\nThe heron came back.\n")
    browser.wait("return document.querySelector('[role=log]')?.innerText.includes('indexed')", seconds=20)
    browser.run("document.activeElement.blur()")
    browser.keys("z")
    browser.wait("return document.querySelector('main').innerText.includes('Paused since')")
    browser.keys("z")
    browser.wait("return !document.querySelector('main').innerText.includes('Paused since')")


def keys_alone(look):
    """Every view is reachable by key, a dialog lists the keys, and the focus is visible."""
    browser = look.browser
    look.sign_in()
    browser.run("document.activeElement.blur()")
    for letter, name in (("c", "chat"), ("m", "memory"), ("d", "days"), ("r", "review"), ("w", "recalled"), ("t", "status"), ("s", "search")):
        browser.keys("g", letter)
        browser.wait("return location.hash.startsWith(`#/${arguments[0]}`) && document.querySelector('#nav [aria-current]').dataset.view === arguments[0]", name)
        browser.run("document.activeElement.blur()")
    browser.keys("?")
    browser.wait_for("dialog[open]")
    expect(browser.run("return document.getElementById('help').scrollTop") == 0, "the dialog opens at its top")
    look.audit("help", schemes=("light",))
    browser.keys("Escape")
    browser.wait("return document.querySelector('dialog[open]') === null")
    look.view("memory", "#fact")
    browser.run("document.getElementById('fact').focus()")
    browser.keys("/")
    browser.wait("return document.activeElement.id === 'query' && document.activeElement.value === ''")
    browser.keys("a/b")
    expect(browser.run("return document.activeElement.value") == "a/b", "a slash in a text is text")
    look.view("chat", "#message")
    browser.run("document.getElementById('message').focus()")
    browser.keys("/")
    expect(browser.run("return document.activeElement.value") == "/", "a slash begins a command")
    look.view("memory", ".row")
    browser.run("document.activeElement.blur()")
    browser.keys("j", "j")
    expect(browser.run("return document.activeElement === document.querySelectorAll('.row')[1]"), "j goes down")
    browser.keys("k")
    expect(browser.run("return document.activeElement === document.querySelectorAll('.row')[0]"), "k goes up")
    seen = set()
    browser.run("document.activeElement.blur()")
    for _ in range(14):
        browser.keys("Tab")
        told = browser.run("""const at = document.activeElement; const style = getComputedStyle(at);
            return [at.getAttribute('aria-label') ?? at.textContent.slice(0, 30) + at.id, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]""")
        expect(told[1], f"the focus cannot be seen: {told[0]}")
        seen.add(told[0])
    expect(len(seen) > 8, f"Tab goes on: {seen}")


def hostile_notes(look):
    """A note stays text: it runs nothing, loads nothing, hides nothing and does not hang the page."""
    browser = look.browser
    look.sign_in()
    started = time.monotonic()
    look.view("search?note=Hostile.md&in=vault", "#preview article p")
    expect(time.monotonic() - started < 10, "the note takes too long")
    time.sleep(0.5)
    shown = browser.text("#preview")
    expect("<img src=x onerror" in shown and "<script>" in shown, "markup is shown as text")
    expect("gpj.\\u202eexe" in shown, "what turns the direction is shown as an escape")
    expect(browser.run("return !/[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(document.body.textContent)"), "nothing hides")
    addresses = browser.run("return [...document.querySelectorAll('#preview article a')].map((one) => one.getAttribute('href'))")
    # Only links lead to other servers, and only when a user follows them.
    expect(set(addresses) == {"https://example.org/ok", "https://tracker.invalid/"}, str(addresses))
    expect(browser.run("return document.querySelectorAll('#preview article :is(img, script, iframe, style, link, form, base, meta, object, svg)').length") == 0, "no such elements")
    browser.run("document.querySelectorAll('#preview article button.internal').forEach((one) => one.click())")
    browser.wait_for("#preview .problem")
    for address, selector in (("search?q=walrus", ".hit-row"), ("memory", ".row"), ("days", ".day"), ("status", ".figures")):
        look.view(address, selector)
    look.view("memory", ".row")
    expect("<script>" in browser.text("main"), "lines of the memory are text")
    look.audit("hostile", schemes=("light",))
    expect(browser.run("return window.pwned === undefined"), "something ran")


def take_pictures(look):
    """Takes the pictures of docs/page.md."""
    browser = look.browser
    look.sign_in()
    shown = [
        ("search", f"search?q=how+to+revive+the+starter+after+a+holiday&note={STARTER}&in=vault&line=18", "#preview .hit"),
        ("memory", "memory", ".row"), ("days", "days", ".day"), ("review", "review", ".card"), ("recalled", "recalled?session=5e55b0a2-garden", ".piece"),
        ("status", "status", ".figures"),
    ]
    for name, address, selector in shown:
        look.view(address, selector)
        time.sleep(0.7)
        browser.run("document.querySelectorAll('td bdi').forEach((root) => { root.textContent = '/home/me/Notes'; })")
        browser.picture(look.pictures / f"{name}.png")
    browser.cdp("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True})
    browser.cdp("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    look.view(f"search?note={STARTER}&in=vault", "#preview summary")
    browser.click("#preview summary")
    browser.wait_for("svg.graph")
    browser.run("document.querySelector('.related').scrollIntoView()")
    browser.picture(look.pictures / "related.png")


CHECKS = [
    signing_in, searching, news, settings_not_taken, typing_fast, related, pictures, remembering, writing_at_once, days, reviewing,
    page_of_a_project, messages, recalled, status, keys_alone, hostile_notes,
]
HOSTILE = {hostile_notes}
WIDE_ALONE = {typing_fast, writing_at_once}
