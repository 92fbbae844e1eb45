"""Plays the days of the set: its sessions, its person, and the nightly commands of tars. Checks the invariants after each day."""
import datetime
import hashlib
import itertools
import json
import re
import subprocess
from pathlib import Path

from player import World, matches, moment, play

SET = Path(__file__).resolve().parent

# The commands of tars besides the hooks: name, words, and an option that their help must mention.
COMMANDS = {
    "remember a fact": (["remember", "--force", "--json", "--type", "semantic"], "--force"),
    "remember a rule": (["remember", "--force", "--json", "--type", "procedural"], "--force"),
    "wrong": (["feedback", "--json", "wrong"], ""),
    "good": (["feedback", "--json", "good"], ""),
    "propose rules and facts": (["review", "--propose"], "--propose"),
    "propose order": (["tidy", "--propose"], "--propose"),
    "settle": (["review", "--settle"], "--settle"),
    "update page": (["project", "update"], "update"),
    "week": (["week"], ""),
    "compact": (["compact", "--older-than", "30d"], "--older-than"),
    "find pairs": (["tidy", "--json"], "--json"),
    "log": (["log", "--json", "-n", "1000"], "--json"),
    "undo": (["undo", "--yes", "--json"], "--yes"),
    "undo notes": (["undo", "--notes", "--yes", "--json"], "--notes"),
}
# Names in the journal for writes of hooks: only `undo --notes` undoes them.
BY_HOOKS = ("note", "notes", "hook", "extract")
# The times at which the person answers proposals, old months are summarised, the week is summarised, and tars makes proposals.
MORNING, SUMMING_UP, LOOKING_BACK, NIGHT = "07:00", "07:30", "20:00", "23:30"
# A proposal that waits for the person's decision.
BOX = re.compile(r"^- \[ \] ")


class Life:
    """The world of the set, its person, and the faults that were found."""

    def __init__(self, options, model):
        self.world = World(options.bin, options.folder, SET)
        self.verbose = options.verbose
        self.model = model
        if model:
            self.world.model = model
            self.world.settings.update(model.settings())
        self.sessions = read("sessions.jsonl")
        self.person = read("person.jsonl")
        self.memory = self.world.vault / "tars"
        self.known = {}
        self.skipped = set()
        self.problems = {}
        self.broken = []
        self.played = {}
        self.answered = {"accepted": 0, "refused": 0}
        self.secrets = [secret for session in self.sessions for secret in session["secrets"]]
        self.secrets += model.answers.get("never", []) if model else []
        self.never = [mark for session in self.sessions for mark in session["not_facts"]]

    # The person and the clock.

    def live(self, last_day):
        """Plays all days. Calls `last_day` on the last morning, after the person has answered the proposals."""
        days = sorted(entry["day"] for entry in self.sessions)
        day, end = (datetime.date.fromisoformat(found) for found in (days[0], days[-1]))
        for project, remote in {(entry["project"], entry.get("remote")) for entry in self.sessions}:
            self.world.project(project, remote)
        self.untouched = self.outside()
        while day <= end:
            self.at(day, MORNING)
            self.answer_proposals()
            if day == end:
                last_day()
            self.tars("settle")
            if is_first_working_day(day):
                self.at(day, SUMMING_UP)
                self.tars("compact")
            self.work(day)
            if day.weekday() == 6:
                self.at(day, LOOKING_BACK)
                self.tars("week")
                for remote in sorted({entry["remote"] for entry in self.sessions if "remote" in entry}):
                    self.tars("update page", name_of(remote))
            self.at(day, NIGHT)
            self.tars("propose rules and facts")
            self.tars("propose order")
            self.check(day)
            day += datetime.timedelta(days=1)

    def work(self, day):
        """Plays the sessions and the commands of a day."""
        today = [entry for entry in self.sessions + self.person if entry.get("day") == day.isoformat()]
        for entry in sorted(today, key=moment):
            if "turns" in entry:
                play(self.world, entry, self.played)
            else:
                self.world.now = moment(entry)
                self.tell(entry)

    def at(self, day, time):
        self.world.now = datetime.datetime.fromisoformat(f"{day}T{time}")

    def tell(self, entry):
        """Tells tars a fact to remember, or the person's opinion of an agent's work."""
        if entry["do"] == "remember":
            what = "remember a rule" if entry["to"] == "rules" else "remember a fact"
            self.tars(what, "--section", entry["section"], entry["text"])
        else:
            self.tars(entry["do"], entry["text"])
        self.world.changed = True

    def answer_proposals(self):
        """Ticks or refuses the proposals that match a mark."""
        lines = self.proposals()
        if not lines:
            return
        starts = [index for index, line in enumerate(lines) if BOX.match(line)]
        for start in starts:
            end = next((index for index in range(start + 1, len(lines)) if not lines[index].startswith(" ")), len(lines))
            # Without the comment, whose ids may contain any digits.
            shown = [line.strip() for line in lines[start:end] if not line.strip().startswith("<!--")]
            word = self.word_on(" ".join(shown))
            if word:
                lines[start] = BOX.sub(f"- [{word}] ", lines[start])
        (self.memory / "proposals.md").write_text("\n".join(lines), encoding="utf-8")
        self.world.changed = True

    def proposals(self):
        path = self.memory / "proposals.md"
        return path.read_text(encoding="utf-8").split("\n") if path.is_file() else []

    def word_on(self, proposal):
        """Returns the sign for the box of a proposal; None if no mark matches."""
        says = lambda word: any(matches(entry["mark"], proposal) for entry in self.person if entry["do"] == word)
        if says("refuse"):
            self.answered["refused"] += 1
            return "-"
        if says("accept"):
            self.answered["accepted"] += 1
            return "x"
        return None

    # Tars.

    def knows(self, what):
        """Whether the program has a command, according to its help."""
        (command, *_), option = COMMANDS[what]
        if command not in self.known:
            done = subprocess.run([self.world.binary, "help", command], capture_output=True, text=True)
            self.known[command] = done.stdout if done.returncode == 0 else None
        told = self.known[command]
        return told is not None and option in told

    def tars(self, what, *more):
        """Runs a command and returns its output. Skips a command that the program lacks."""
        words, _ = COMMANDS[what]
        if not self.knows(what):
            self.skipped.add(" ".join(words))
            return ""
        environment = self.world.environment()
        if "--force" in words:
            # The line is written in any case; an embedding model would only find similar lines.
            environment["TARS_EMBEDDING_PROVIDER"] = "none"
        done = subprocess.run([self.world.binary, *words, *more], env=environment, capture_output=True, text=True, input="")
        if done.returncode not in (0, 1):
            # A failing model makes a command fail. The invariants are checked all the same.
            said = done.stderr.strip().splitlines()
            problem = f"{' '.join(words)}: {said[-1] if said else done.returncode}"
            self.problems[problem] = self.problems.get(problem, 0) + 1
        return done.stdout

    # The invariants.

    def outside(self):
        """Returns the hashes of the files outside the memory folder, without the own files of tars and of the client."""
        own = [self.memory, self.world.data, self.world.home / "run", self.world.home / ".claude", self.world.home / ".cache"]
        found = {}
        for path in sorted(self.world.home.rglob("*")):
            if not any(folder == path or folder in path.parents for folder in own):
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "a folder"
        return found

    def check(self, day):
        fail = lambda text: self.broken.append(f"{day}: {text}")
        outside = self.outside()
        for path in sorted(set(outside) | set(self.untouched)):
            if outside.get(path) != self.untouched.get(path):
                fail(f"changed outside the memory folder: {path}")
        self.untouched = outside
        for path in sorted(self.memory.rglob("*.md")):
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError as error:
                fail(f"{path.name} is not valid UTF-8: {error}")
                continue
            for secret in self.secrets:
                if secret in text:
                    fail(f"{path.name} contains a secret or a forbidden text: {secret!r}")
            name = str(path.relative_to(self.memory))
            if name in ("Memory.md", "Procedural.md") or name.startswith("context/"):
                self.check_lines(name, text, fail)
        if self.model:
            sent = "\n".join(self.model.received)
            self.model.received.clear()
            for session in self.sessions:
                for secret in session["secrets"]:
                    if secret in sent:
                        fail(f"the model got a secret: {secret!r}")

    def check_lines(self, name, text, fail):
        lines = [line for line in text.splitlines() if line.startswith("- ")]
        for line in sorted({line for line in lines if lines.count(line) > 1}):
            fail(f"{name} contains a line twice: {line}")
        for line in lines:
            for mark in self.never:
                if matches(mark, line):
                    fail(f"{name} contains what must never be a fact, {mark}: {line}")

    def taken_back(self, begin, copy):
        """Undoes everything that tars wrote since `begin`. Returns the number of undone commands, and the files that differ from the copy."""
        since = begin.isoformat()
        self.world.now += datetime.timedelta(hours=1)
        for taken in itertools.count():
            entries = json.loads(self.tars("log") or "[]")
            standing = [entry for entry in entries if not entry["undone"] and entry["undoes"] is None and entry["time"] >= since]
            if not standing:
                break
            newest = max(standing, key=lambda entry: entry["id"])
            done = self.tars("undo notes" if newest["command"] in BY_HOOKS else "undo")
            if not json.loads(done or "{}").get("undone"):
                return taken, [f"{newest['path']}: write {newest['id']} ({newest['command']}) was not undone: {done.strip()[:300]}"]
        now, then = files_of(self.memory), files_of(copy)
        return taken, [name for name in sorted(set(now) | set(then)) if now.get(name) != then.get(name)]

    def say(self, text):
        if self.verbose:
            print(text)


def read(name):
    return [json.loads(line) for line in (SET / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def is_first_working_day(day):
    """Whether a day is the first weekday of its month, such as 2 March, 30 days after the end of January."""
    return day.weekday() < 5 and (day.day == 1 or day.weekday() == 0 and day.day <= 3)


def name_of(remote):
    """Returns the name of the project of a remote: its owner and its own name."""
    return "/".join(re.split("[:/]", remote)[-2:]).replace(".git", "")


def files_of(folder):
    """Returns the notes of a folder with their bytes, without the own files of tars, which begin with `.tars`."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".tars"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
