"""Plays scripted sessions of an agent: writes their transcripts as the client does, and calls the hooks with the client's input, at
the times of an injected clock. Needs Python 3.8 and nothing else.
"""
import datetime
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

BLOCK = re.compile(r"<tars-memory>\n(.*?)</tars-memory>", re.DOTALL)
ANCHOR = re.compile(r"<!-- tars:session (\S+) ")
LABEL = re.compile(r"^- (?:\[.\] )?\d\d:\d\d ([A-Z][a-z]+(?: [a-z]+)?): (.*)$")
NAMES = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


def matches(mark, line):
    line = line.casefold()
    return all(word.casefold() in line for word in mark)


class World:
    """A home with a vault and a clock."""

    def __init__(self, binary, folder, source):
        self.binary = binary
        self.home = Path(tempfile.mkdtemp(prefix="recall-", dir=folder))
        self.vault = self.home / "vault"
        shutil.copytree(source / "vault", self.vault)
        self.data = self.home / "data"
        self.now = None
        self.models = os.environ.get("TARS_MODELS_DIR")
        self.settings = {}
        self.model = None
        self.changed = True
        # The context that the last reading hook added, unparsed.
        self.given = ""

    def environment(self):
        env = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "TZ": "UTC", "TARS_VAULT": str(self.vault),
            "TARS_DATA_DIR": str(self.data), "XDG_RUNTIME_DIR": str(self.home / "run"),
            "TARS_TEST_CLOCK": self.now.strftime("%Y-%m-%dT%H:%M:%S+00:00[UTC]"), "CLAUDE_PID": str(os.getpid()),
            # The content of the context matters here, not its speed, which scripts/bench/hooks measures.
            "TARS_HOOKS_DEADLINE_MS": "10000", **self.settings,
        }
        models = self.models or str(Path.home() / ".local/share/tars/models")
        return {**env, "TARS_MODELS_DIR": models}

    def tars(self, *arguments, text=""):
        done = subprocess.run([self.binary, *arguments], input=text, env=self.environment(), capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"tars {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def index(self):
        if self.changed:
            self.tars("index")
            self.changed = False

    def hook(self, event, session, **more):
        """Calls a hook and returns the lines of context that it adds."""
        say = {
            "session_id": session.id, "transcript_path": str(session.path), "cwd": str(session.directory),
            "hook_event_name": event, **more,
        }
        reads = event in ("SessionStart", "UserPromptSubmit", "SubagentStart")
        out = self.tars("search" if reads else "remember", "--hook", text=json.dumps(say))
        if event == "SessionStart":
            # The watcher's clock would stand still. index() runs between the sessions instead.
            self.tars("watch", "--stop")
        elif not reads:
            self.wait()
            self.changed = True
        told = json.loads(out) if out.strip() else {}
        text = told.get("hookSpecificOutput", {}).get("additionalContext", "")
        if reads:
            self.given = text
        return [line for block in BLOCK.findall(text) for line in lines_of(block)]

    def wait(self):
        """Waits until the notes are written, including those of a model."""
        deadline = time.monotonic() + 60
        waiting = lambda: [*(self.data / "spool").glob("*.json"), *(self.data / "language-model").glob("wait-*.json")]
        while spool := waiting():
            if time.monotonic() > deadline:
                raise SystemExit(f"the notes were not written: {spool}")
            time.sleep(0.02)

    def branch_of(self, folder):
        return (folder / ".git/HEAD").read_text().strip().removeprefix("ref: refs/heads/")

    def project(self, name, remote):
        folder = self.home / name
        git = folder / ".git"
        if not git.is_dir():
            git.mkdir(parents=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n")
            (git / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n' if remote else "[core]\n\tbare = false\n")
        return folder


def lines_of(block):
    for line in block.split("\n")[1:]:
        if line.strip() and line.strip() != "…" and not line.startswith("<source "):
            yield html.unescape(line.strip())


class Session:
    """A session of the client, with its transcript."""

    def __init__(self, world, name, directory):
        self.world = world
        self.id = str(uuid.uuid5(NAMES, name))
        self.directory = directory
        folder = world.home / ".claude" / "projects" / str(directory).replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{self.id}.jsonl"
        self.lines = []
        self.seen = []
        self.prompts = 0
        # The id of the user's last prompt.
        self.asked = None
        # The id of the session in the set, and the number of the present turn.
        self.place = None
        # The ids of the last entry, and of the last entry of each turn.
        self.last = None
        self.ends = []

    def write(self, line, **more):
        common = {"sessionId": self.id, "cwd": str(self.directory), "timestamp": self.world.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                  "uuid": str(uuid.uuid5(NAMES, f"{self.id}{len(self.lines)}")), "isSidechain": False, "version": "2.1.330"}
        self.lines.append({**common, "parentUuid": self.last, "gitBranch": self.world.branch_of(self.directory), **line, **more})
        self.last = self.lines[-1]["uuid"]
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(self.lines[-1], ensure_ascii=False) + "\n")

    def start(self, source="startup"):
        shown = self.world.hook("SessionStart", self, source=source)
        self.seen += shown
        return shown

    def next_prompt(self, goes_on=False):
        """Returns the id of the next prompt, and tells the scripted model its turn in the set. `goes_on`: the turn before continues."""
        self.prompts += 1
        prompt_id = str(uuid.uuid5(NAMES, f"{self.id} prompt {self.prompts}"))
        if not goes_on:
            self.asked = prompt_id
        if self.world.model and self.place:
            self.world.model.place(self.asked, *self.place)
        return prompt_id

    def ask(self, prompt, written=True):
        """Sends a prompt of the user. Returns the lines of context and the prompt's id."""
        prompt_id = self.next_prompt()
        shown = self.world.hook("UserPromptSubmit", self, prompt=prompt, prompt_id=prompt_id)
        self.seen += shown
        if written:
            self.write({"type": "user", "promptId": prompt_id, "message": {"role": "user", "content": prompt}})
        return shown, prompt_id

    def act(self, acts):
        """Plays the agent's actions. Returns its last words."""
        last = ""
        for act in acts:
            tools = {"run": ("Bash", "command"), "edit": ("Edit", "file_path"), "read": ("Read", "file_path")}
            [(kind, text)] = act.items()
            if kind == "say":
                last = text
                block = {"type": "text", "text": text}
            else:
                name, field = tools[kind]
                block = {"type": "tool_use", "id": f"toolu_{len(self.lines)}", "name": name,
                         "input": {field: text if kind == "run" else str(self.directory / text)}}
            self.write({"type": "assistant", "message": {"role": "assistant", "model": "claude", "content": [block]}})
            if kind != "say":
                result = {"type": "tool_result", "tool_use_id": block["id"], "content": "ok"}
                self.write({"type": "user", "message": {"role": "user", "content": [result]}}, toolUseResult={"stdout": "ok"})
        return last

    def turn(self, turn):
        """Plays a turn. With `rewind` the person went back: it follows that turn, and the later ones are abandoned."""
        if "rewind" in turn:
            self.last = self.ends[turn["rewind"] - 1] if turn["rewind"] else None
        self.play(turn)
        self.ends.append(self.last)

    def play(self, turn):
        world = self.world
        minutes = datetime.timedelta(minutes=turn.get("minutes", 5))
        if "compact" in turn:
            self.prompts += 1
            world.hook("PreCompact", self, trigger="manual")
            self.write({"type": "user", "message": {"role": "user", "content": turn["compact"]}}, isCompactSummary=True)
            # The compaction removed the earlier context.
            self.seen = []
            self.start("compact")
            world.hook("PostCompact", self, trigger="manual", compact_summary=f"<summary>\n{turn['compact']}\n</summary>")
            world.now += minutes
            return
        if "command" in turn:
            text = f"<command-name>{turn['command'].split()[0]}</command-name>\n<command-message>x</command-message>\n<command-args></command-args>"
            self.write({"type": "user", "message": {"role": "user", "content": text}})
            return
        if "notification" in turn:
            prompt_id = self.next_prompt(goes_on=True)
            text = f"<task-notification>\n{turn['notification']}\n</task-notification>"
            origin = {"kind": "task-notification", "producer": "session-task"}
            self.write({"type": "user", "promptId": prompt_id, "message": {"role": "user", "content": text}}, origin=origin)
        else:
            prompt_id = self.ask(turn["ask"])[1]
        world.now += minutes
        last = self.act(turn.get("do", []))
        ends = turn.get("ends", "stop")
        if ends == "stop":
            world.hook("Stop", self, prompt_id=prompt_id, stop_hook_active=False, last_assistant_message=last)
        elif ends == "escape":
            self.write({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}})
        elif ends == "api_error":
            said = "API Error: 529 overloaded"
            content = [{"type": "text", "text": said}]
            self.write({"type": "assistant", "message": {"role": "assistant", "model": "<synthetic>", "content": content}}, isApiErrorMessage=True)
            world.hook("StopFailure", self, prompt_id=prompt_id, error="unknown", last_assistant_message=said)

    def end(self):
        self.world.hook("SessionEnd", self, reason="other")

    def twice(self):
        """Returns the lines of context that came more than once."""
        return [line for index, line in enumerate(self.seen) if line in self.seen[:index]]


def moment(entry):
    return datetime.datetime.fromisoformat(f"{entry['day']}T{entry['time']}")


def play(world, entry, played):
    world.now = moment(entry)
    world.index()
    directory = world.project(entry["project"], entry.get("remote"))
    source = entry.get("source", "startup")
    if "resumes" in entry:
        session, source = played[entry["resumes"]], "resume"
    else:
        session = Session(world, entry["id"], directory)
        if "fork_of" in entry:
            source = "fork"
            for line in played[entry["fork_of"]].lines:
                session.lines.append(line)
                with open(session.path, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**line, "sessionId": session.id}, ensure_ascii=False) + "\n")
    played[entry["id"]] = session
    if "branch" in entry:
        (directory / ".git/HEAD").write_text(f"ref: refs/heads/{entry['branch']}\n")
    else:
        (directory / ".git/HEAD").write_text("ref: refs/heads/main\n")
    session.start(source)
    for number, turn in enumerate(entry["turns"], 1):
        session.place = (entry["id"], number)
        session.turn(turn)
        if turn.get("ends") == "killed":
            return session
    if entry.get("ends", "exit") != "killed":
        session.end()
    return session


def open_ends(world):
    """Returns the noted open ends: the short id of the session, whether the end is ticked, and the text."""
    found = []
    for path in sorted((world.vault / "tars").glob("2*.md")):
        session = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            anchor = ANCHOR.match(line)
            session = anchor[1] if anchor else "" if line.startswith("## ") else session
            label = LABEL.match(line)
            if session and label and label[1] == "Open":
                found.append((session, line.startswith("- [x]"), label[2]))
    return found


def notes_of(world, session):
    """Returns the lines of a session's note, each with its label."""
    found = []
    short = session.id[:8]
    for path in sorted((world.vault / "tars").glob("*.md")):
        inside = False
        for line in path.read_text(encoding="utf-8").splitlines():
            anchor = ANCHOR.match(line)
            inside = anchor[1] == short if anchor else inside and not line.startswith("## ")
            label = LABEL.match(line)
            if inside and label:
                found.append((label[1], label[2]))
    return found
