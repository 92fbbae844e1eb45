"""Checks the plugin for Obsidian.

    scripts/checks/obsidian [--tars PATH] [--pictures FOLDER]

1. npm installs the pinned tools, the sources are type-checked, and the committed main.js is compared with what they build to.
2. Node runs the tests of obsidian/tests against a stub of Obsidian's interface.
3. Headless Chromium opens the panes (obsidian/tests/page.ts). Their requests reach a real `tars serve` through a relay that sends them as
   Obsidian does: outside of the page, without Origin, with the token.

Without node and npm, or without a browser, its driver and the program for the third part, it prints "skipped" and ends with success.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "page"))

from relay import Relay  # noqa: E402
from sample import ROOT, Sample, hostile_note  # noqa: E402
from server import Server  # noqa: E402
from webdriver import Browser, programs  # noqa: E402

PLUGIN = ROOT / "obsidian"


def main():
    parser = argparse.ArgumentParser(prog="scripts/checks/obsidian", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--tars", type=Path, default=target / "release" / "tars", help="the program (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, help="keep a picture of each pane in this folder")
    options = parser.parse_args()
    if not shutil.which("node") or not shutil.which("npm"):
        print("skipped: node and npm are not installed")
        return 0
    for command in (["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], ["npx", "--no-install", "tsc", "--noEmit"], ["npm", "test"]):
        subprocess.run(command, cwd=PLUGIN, check=True)
    compare_built()
    browser, driver = programs()
    if not browser or not driver:
        print(f"skipped: {'a browser (chromium)' if not browser else 'its driver (chromedriver)'} is not installed")
        return 0
    if not options.tars.is_file():
        print(f"skipped: {options.tars} does not exist: cargo build --release, or --tars PATH")
        return 0
    home = Path(tempfile.mkdtemp(prefix="tars-obsidian-"))
    try:
        in_browser(options, browser, driver, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print("the plugin passed all checks")
    return 0


def compare_built():
    """Fails unless the committed main.js is what the sources build to."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "main.js"
        subprocess.run(["node", "build.mjs", "--out", str(built)], cwd=PLUGIN, check=True)
        if built.read_bytes() != (PLUGIN / "plugin" / "main.js").read_bytes():
            raise SystemExit("obsidian/plugin/main.js is not what obsidian/src builds to: run npm run build in obsidian/")
    print("ok  main.js is what the sources build to", flush=True)


def in_browser(options, browser, driver, home):
    """Drives the panes by keyboard and mouse."""
    sample = Sample(options.tars.absolute(), home)
    (sample.vault / "Hostile.md").write_text(hostile_note())
    (sample.vault / "Diary.md").write_text("---\ntars: private\n---\n# Diary\n\nThe heron of the diary is secret.\n")
    (sample.vault / "Half.md").write_text("# Half\n\nThe heron stands by the pond.\n<private>\nThe heron has a hidden nest.\n</private>\n")
    sample.run("index")
    server = Server(sample)
    relay = Relay(PLUGIN)
    page = Browser(browser, driver, 420, 900)
    try:
        token = sample.run("serve", "token", "add", "obsidian").strip()
        files = [str(path.relative_to(sample.vault)) for path in sample.vault.rglob("*.md")]
        page.open(relay.origin)
        page.run("return begin(...arguments)", str(sample.vault), files, server.origin, token)
        for check in (search, hostile, related, recalled, review, remember):
            check(page, sample)
            if options.pictures:
                page.picture(options.pictures / f"{check.__name__}.png")
            print(f"ok  {check.__name__}", flush=True)
        server.close()
        without_server(page)
        print("ok  without_server", flush=True)
        problems = [entry["message"] for entry in page.log("browser") if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]
        expect(not problems, problems)
    finally:
        page.close()
        relay.close()
        server.close()


def expect(is_so, what):
    if not is_so:
        raise SystemExit(f"failed: {what}")


def shown(page, pane, text):
    """Waits until a pane shows a text."""
    page.wait("return (document.getElementById(arguments[0])?.innerText ?? '').includes(arguments[1])", pane, text)


def find(page, words):
    """Types a question into the empty field."""
    page.run("const field = document.querySelector('#tars-search input'); field.value = ''; field.focus()")
    page.keys(words)


def search(page, _sample):
    """Hits come as one types, the line that answers is marked, and keys open the note at it."""
    page.run("return run('search')")
    find(page, "revive the sourdough starter")
    shown(page, "tars-search", "Kitchen/Sourdough starter.md")
    page.keys("ArrowDown", "Enter")
    opened = page.wait("return opened.at(-1)")
    expect(opened["path"] == "Kitchen/Sourdough starter.md" and opened["state"]["eState"]["line"] > 0, opened)
    expect(page.run("return document.querySelectorAll('#tars-search mark').length") > 0, "no line is marked")
    find(page, "heron")
    shown(page, "tars-search", "The heron stands by the pond")
    text = page.text("#tars-search")
    expect("secret" not in text and "hidden nest" not in text and "Diary" not in text, text)


def hostile(page, _sample):
    """Markup of a note stays text."""
    find(page, "walrus")
    shown(page, "tars-search", "Hostile.md")
    expect(not page.run("return window.pwned === 1 || document.querySelector('#tars-search :is(img, script, iframe, a, style)') !== null"), "markup became elements")


def related(page, _sample):
    """Related notes follow the open note; a private one has none."""
    page.run("openNote('Home/Backups.md'); return run('related')")
    shown(page, "tars-related", "Home/Home server.md")
    page.run("openNote('Diary.md')")
    shown(page, "tars-related", "tars knows no note Diary.md")


def recalled(page, _sample):
    """Today's lines stand under the question for which an agent got them."""
    page.run("return run('recalled')")
    shown(page, "tars-recalled", "how do I revive the sourdough starter after a long holiday")


def review(page, sample):
    """A key decides, and tars writes it."""
    page.run("return run('review')")
    shown(page, "tars-review", "Second box costs 52.80")
    page.run("document.querySelector('#tars-review .tars-card').focus()")
    page.keys("a")
    page.wait("return notices.includes('Accepted; tars undo takes it back')")
    expect("- Second box costs 52.80" not in (sample.vault / "tars" / "Memory.md").read_text(), "the proposal was not carried out")
    expect("http:obsidian" in sample.run("log", "-n", "3"), sample.run("log", "-n", "3"))


def remember(page, sample):
    """The selection is written; one that says otherwise is asked about."""
    page.run("return run('remember-fact', 'The greenhouse lamp is at 192.168.1.77')")
    page.wait("return notices.some((notice) => notice.startsWith('Remembered in tars/Memory.md'))")
    page.run("return run('remember-fact', 'The greenhouse lamp is at 192.168.1.78')")
    page.wait("return document.body.innerText.includes('Replace it')")
    page.run("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Replace it').click()")
    page.wait("return notices.some((notice) => notice.startsWith('Replaced in tars/Memory.md'))")
    memory = (sample.vault / "tars" / "Memory.md").read_text()
    expect("192.168.1.78" in memory and "192.168.1.77" not in memory, memory)


def without_server(page):
    """A server that has ended is said, with the command that starts it."""
    find(page, "boiler")
    shown(page, "tars-search", "start it with: tars serve")


if __name__ == "__main__":
    sys.exit(main())
