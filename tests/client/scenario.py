"""A home with the plugin, its expectations, and readers for the client's requests."""

import base64
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import time

import client

ANCHOR = re.compile(r"<!-- tars:session (\S+) (\S+)(.*?) -->")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
BLOCK = re.compile(r"<tars-memory>.*?</tars-memory>", re.DOTALL)
# A background process writes the note after the turn.
TIMEOUT = 30


class Scenario:
    """One home with the plugin, and the number of failed expectations."""

    home_type = client.Home

    def __init__(self, options, program, api, folder):
        self.options = options
        self.api = api
        variables = {"TARS_EMBEDDING_PROVIDER": "none"}
        if options.models:
            variables = {"TARS_MODELS_DIR": os.path.abspath(options.models)}
        self.home = self.home_type(program, api, [folder], variables)
        self.plugin = ["--plugin-dir", options.plugin]
        self.failed = 0
        self.tars("init", self.home.vault)

    def tars(self, *arguments, text="", folder=None):
        done = self.home.run(["tars", *arguments], folder, text=text)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"tars {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def expect(self, holds, what, seen=""):
        """Counts and prints one expectation, with what was seen."""
        self.failed += not holds
        print(f"  {'ok    ' if holds else 'FAILED'}  {what}{f' ({seen})' if seen != '' else ''}", flush=True)
        return holds

    def ask(self, folder, prompt, *arguments, plugin=None):
        """Sends one prompt in a session of its own. Returns its first request."""
        since = len(self.api.requests())
        done = self.home.prompt(folder, prompt, *(self.plugin if plugin is None else plugin), *arguments)
        bodies = self.home.requests(first_words(prompt), since)
        if done.returncode != 0 or not bodies:
            said = (done.stdout + done.stderr).strip()
            self.expect(False, f"the client answers {first_words(prompt)!r}", f"{done.returncode}, {said[:300]}")
            return {}
        return bodies[0]

    def turns(self):
        """Returns the turns that the anchors in the daily notes name, in order, each with the text of its section."""
        found = []
        for path in sorted(glob.glob(os.path.join(self.home.vault, "tars", "*.md"))):
            if DAY.fullmatch(os.path.basename(path)[: -len(".md")]):
                for section in re.split(r"^(?=## )", client.read(path), flags=re.MULTILINE):
                    for session, turns, _ in ANCHOR.findall(section):
                        turns = packed(turns[1:]) if turns.startswith("~") else [turn for turn in turns.split(",") if turn != "-"]
                        found += [{"session": session, "turn": turn, "text": section} for turn in turns]
        return found

    def expect_turns(self, count, what):
        until(lambda: len(self.different()) >= count)
        turns, different = self.turns(), self.different()
        held = len(turns) == count and len(different) == count
        self.expect(held, what, f"{len(turns)} notes of {len(different)} turns")
        return turns

    def different(self):
        return {(turn.get("session"), turn.get("turn")) for turn in self.turns()}

    def settle(self, seconds=60):
        """Waits until no process runs. Returns the seconds; None if a process still runs."""
        began = time.monotonic()
        return time.monotonic() - began if until(lambda: not self.home.processes(), seconds) else None

    def age(self, days):
        """Moves all notes back by some days."""
        for path in glob.glob(os.path.join(self.home.vault, "tars", "**", "*.md"), recursive=True):
            folder, name = os.path.split(path)
            date = DAY.match(name)
            if date:
                old = str(datetime.date.fromisoformat(date[0]) - datetime.timedelta(days=days))
                text = client.read(path).replace(date[0], old)
                os.remove(path)
                with open(os.path.join(folder, name.replace(date[0], old)), "w", encoding="utf-8") as file:
                    file.write(text)
        self.tars("index")


def packed(field):
    """Returns the turns of a packed field: six bytes for other things, then three for each turn."""
    data = base64.b64decode(field + "=" * (-len(field) % 4))
    return [data[at : at + 3].hex() for at in range(6, len(data), 3)]


def play_all(options, scenarios, types, program, folder):
    """Plays scenarios, each with an API and a home of its own, of these two types. Returns the numbers of passed and failed ones."""
    api_type, scenario_type = types
    passed = failed = 0
    for number, play in enumerate(scenarios, 1):
        if options.only and number not in options.only:
            continue
        print(f"{number} {play.__doc__}", flush=True)
        began = time.monotonic()
        log = os.path.join(folder, f"requests-{number}.jsonl")
        api = api_type(log)
        scenario = None
        try:
            scenario = scenario_type(options, program, api, os.path.join(folder, "bin"))
            play(scenario)
            good = scenario.failed == 0
        except (RuntimeError, subprocess.TimeoutExpired, OSError, ValueError) as problem:
            print(f"  FAILED  the scenario broke off ({problem})", flush=True)
            good = False
        finally:
            if scenario:
                scenario.home.close(options.keep)
                if options.keep:
                    print(f"  kept: {scenario.home.folder}, requests in {log}")
            api.close()
        passed, failed = passed + good, failed + (not good)
        print(f"{number} {play.__doc__}: {'ok' if good else 'FAILED'}, {time.monotonic() - began:.0f} s", flush=True)
    return passed, failed


def first_words(prompt):
    """Returns the words by which a prompt is recognised."""
    return prompt.partition("[[")[0].strip()


def texts(body):
    """Returns every text of a request without the client's own instructions."""
    for message in body.get("messages") or body.get("input") or []:
        content = message.get("content") or []
        for block in [{"text": content}] if isinstance(content, str) else content:
            if isinstance(block.get("text"), str):
                yield block["text"]


def injected(body):
    """Returns the context that tars added to a request."""
    return [block for text in texts(body) for block in BLOCK.findall(text)]


def until(holds, seconds=TIMEOUT):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def sizes(body):
    blocks = injected(body)
    return f"{len(blocks)} blocks, {sum(map(len, blocks))} characters" if blocks else "nothing injected"


def every_text(body):
    """Returns every text of a request, including the results of tools."""
    for message in body.get("messages", []):
        content = message.get("content") or []
        for block in [{"text": content}] if isinstance(content, str) else content:
            said = block.get("text") or block.get("content")
            yield said if isinstance(said, str) else json.dumps(said)


def copy(root, folder):
    """Copies the files of a repository, without build results."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True)
    if listed.returncode != 0:
        shutil.copytree(root, folder)
        return
    for name in filter(None, listed.stdout.split("\0")):
        source, target = os.path.join(root, name), os.path.join(folder, name)
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target)


def manifest(root, name):
    with open(os.path.join(root, ".claude-plugin", name), encoding="utf-8") as file:
        return json.load(file)


def tail(done):
    lines = (done.stdout + done.stderr).strip().splitlines() or [""]
    return lines[-1].strip()
