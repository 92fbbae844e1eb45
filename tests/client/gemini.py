"""Runs the real Gemini CLI with the extension of plugins/gemini, against a scripted Gemini API on 127.0.0.1.

Scenarios: 1 a note of one client is known in the other, 2 one note a turn, 3 a resumed session, 4 a compression and /clear, 5 failed,
interrupted and killed turns, 6 the commands and the tools, 7 a program that hangs or is missing, 8 the import.
"""

import glob
import html
import json
import os
import re
import shutil
import signal
import subprocess
import time

import client
from gemini_api import GeminiApi, said
from scenario import BLOCK, Scenario, play_all, tail, until

PACKAGE = "@google/gemini-cli"
# The version with which the samples were taken and the scenarios tested.
VERSION = "0.61.0"
MODEL = "gemini-2.5-pro"
CONTEXT = re.compile(r"<hook_context>(.*?)</hook_context>", re.DOTALL)
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}
# A turn of another client, in the form of Claude Code.
OTHER_TURN = [
    {
        "type": "user",
        "uuid": "u-1",
        "promptId": "aaaa-1111",
        "sessionId": "5e55",
        "message": {"role": "user", "content": "We go with the Kvalvik crane for the eastern jetty, it is settled."},
    },
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "Decided: the eastern jetty gets the crane Kvalvik."}],
        },
    },
]


class Home(client.Home):
    """A home of its own for Gemini CLI."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.environment["PATH"] += os.pathsep + os.path.dirname(shutil.which("node") or "/usr/bin/node")
        self.write(os.path.join(self.folder, ".gemini", "settings.json"), json.dumps(SETTINGS))

    def variables(self):
        return {"GOOGLE_GEMINI_BASE_URL": self.api.address, "GEMINI_API_KEY": client.KEY}

    def trust(self, folder):
        """The settings trust every folder."""

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def prompt_command(self, prompt, *arguments):
        return [self.program, "-m", MODEL, "--approval-mode", "yolo", *arguments, "-p", prompt]

    def terminal(self, folder, *arguments):
        """Opens the client in a terminal, as a person does."""
        command = [self.program, "-m", MODEL, "--approval-mode", "yolo", *arguments]
        terminal = Terminal(command, folder, self.environment)
        self.terminals.append(terminal)
        return terminal

    def requests(self, words, since=0):
        """Returns the bodies of the requests for a prompt that contains these words."""
        bodies = [one["body"] or {} for one in self.api.requests(since) if ":streamGenerateContent" in one["path"]]
        return [body for body in bodies if words in self.api.asked(body)]

    def transcripts(self):
        return glob.glob(os.path.join(self.folder, ".gemini", "tmp", "*", "chats", "session-*.jsonl"))


class Terminal(client.Terminal):
    """Gemini CLI in a pseudo-terminal."""

    def ready(self, seconds=30):
        """Waits for the client's prompt. Returns whether it came."""
        return until(lambda: "Type your message" in self.screen() and "Executing Hook" not in self.screen()[-400:], seconds)

    def leave(self, seconds=20):
        self.type("/quit")
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


class GeminiScenario(Scenario):
    """One home with the extension."""

    home_type = Home

    def __init__(self, options, program, *arguments):
        super().__init__(options, program, *arguments)
        self.plugin = []
        folder = os.path.join(options.plugin, "plugins", "gemini")
        done = self.home.run([program, "extensions", "install", folder, "--consent"])
        if done.returncode != 0:
            raise RuntimeError(f"the extension cannot be installed: {tail(done)}")

    def hook(self, name, event, **fields):
        """Calls a hook as Claude Code does, another client of the same memory. Returns the context that it gets."""
        fields = {"hook_event_name": event, "session_id": "5e55", "cwd": self.home.folder, **fields}
        answer = self.tars("hook", name, "--client", "claude-code", text=json.dumps(fields))
        return json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer.strip() else ""

    def other_turn(self):
        """Has Claude Code leave a note of a turn."""
        path = os.path.join(self.home.folder, "5e55.jsonl")
        common = {"cwd": self.home.folder, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self.home.write(path, "".join(json.dumps({**line, **common}) + "\n" for line in OTHER_TURN))
        self.hook("stop", "Stop", transcript_path=path, last_assistant_message=OTHER_TURN[1]["message"]["content"][0]["text"])
        self.expect(until(lambda: self.turns()), "a turn in the other client leaves a note")

    def settle_notes(self):
        """Waits until no process makes notes."""
        until(lambda: not any("remember" in command for _, command in self.home.processes()))

    def open(self, folder, *arguments):
        """Opens the client in a terminal; None if it does not come up."""
        terminal = self.home.terminal(folder, *arguments)
        if self.expect(terminal.ready(), "the client opens in a terminal"):
            return terminal
        print(terminal.screen()[-1500:])
        return None

    def say(self, terminal, prompt):
        """Types a prompt and waits for its request, which it returns."""
        words = prompt.partition("[[")[0].strip()
        since = len(self.api.requests())
        terminal.type(prompt)
        until(lambda: self.home.requests(words, since))
        terminal.ready()
        return (self.home.requests(words, since) or [{}])[0]


def injected(body):
    """Returns the blocks of tars in a request, in order."""
    texts = [part.get("text", "") for content in body.get("contents", []) for part in content.get("parts", [])]
    contexts = [html.unescape(context) for text in texts for context in CONTEXT.findall(text)]
    return [block for context in contexts for block in BLOCK.findall(context)]


def sizes(body):
    blocks = injected(body)
    return f"{len(blocks)} blocks, {sum(map(len, blocks))} characters" if blocks else "nothing injected"


def remembers(scenario):
    """a note of one client is known in the other"""
    harbour = scenario.home.project("harbour")
    scenario.tars("remember", "The lighthouse keeper of the harbour is called Sunniva")
    scenario.other_turn()
    body = scenario.ask(harbour, "Which crane goes to the eastern jetty?")
    told = "".join(injected(body))
    scenario.expect("Kvalvik" in told, "the first prompt gets what the other client noted", sizes(body))
    scenario.expect(told.count("Sunniva") == 1, "and the memory once", f"{told.count('Sunniva')} times")
    first = body.get("contents", [{}])[0].get("parts", [{}])
    typed = [part.get("text", "") for part in first if "eastern jetty?" in part.get("text", "")]
    scenario.expect(typed and typed[0].startswith("Which crane"), "after the person's words", (typed or [""])[0][:40])
    prompt = "We go with Ternen as the pilot boat, it is settled. [[say Understood.]]"
    scenario.ask(harbour, prompt)
    scenario.expect_turns(2, "a turn in Gemini CLI leaves a note")
    context = scenario.hook("user-prompt-submit", "UserPromptSubmit", prompt="Which pilot boat do we go with, is it settled?")
    scenario.expect("Ternen" in context, "which the other client gets", f"{len(context)} characters")


def notes(scenario):
    """one note a turn"""
    home, orchard = scenario.home, scenario.home.project("orchard")
    terminal = scenario.open(orchard)
    if not terminal:
        return
    scenario.say(terminal, "We go with Thursday for the pears, it is settled. [[say Good.]]")
    scenario.expect_turns(1, "one after a turn without tools")
    harvest = os.path.join(orchard, "harvest.txt")
    asked = f"We go with crates of ten pears, it is settled. [[bash echo pears > list.txt]] [[write {harvest} | pears]] [[say It is written.]]"
    scenario.say(terminal, asked)
    turns = scenario.expect_turns(2, "one more after a turn with two tools")
    scenario.expect(os.path.exists(harvest) and os.path.exists(os.path.join(orchard, "list.txt")), "the tools were used")
    scenario.expect(len(turns) == 2 and "harvest.txt" in turns[1]["text"], "its note names the file")
    scenario.say(terminal, "We go with next week for the plums, it is settled.")
    scenario.expect_turns(3, "one more after the third turn")
    code = terminal.leave()
    scenario.expect(code == 0, "the client leaves", code)
    scenario.ask(orchard, "We go with the mill by the river for the flour, it is settled.")
    scenario.expect_turns(4, "one after a prompt without a terminal")
    left = scenario.settle()
    scenario.expect(left is not None, "no process is left", "" if left is None else f"after {left:.0f} s")
    turns = scenario.expect_turns(4, "and no further notes in the end")
    logs = glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))
    scenario.expect(len(logs) == 2, "each of the two sessions has its log", f"{len(logs)} logs")
    scenario.expect(all('project: "orchard"' in client.read(log) for log in logs), "which names the project")
    written = {os.path.basename(path).rpartition("-")[2].partition(".")[0] for path in home.transcripts()}
    scenario.expect({turn["session"][:8] for turn in turns} == written, "they name the client's sessions", len(written))


def resumes(scenario):
    """a resumed session"""
    home, bakery = scenario.home, scenario.home.project("bakery")
    scenario.tars("remember", "The big oven of the bakery is called Brunhild")
    scenario.ask(bakery, "We go with the mill by the river for the flour, it is settled.")
    body = scenario.ask(bakery, "We go with the brewery at the corner for the yeast, it is settled.", "--resume", "latest")
    before = [said(content) for content in body.get("contents", [])]
    scenario.expect(any("the mill by the river" in words for words in before), "it keeps the first prompt", len(before))
    count = "".join(injected(body)).count("Brunhild")
    scenario.expect(count == 1, "and holds the memory once", f"{count} times")
    scenario.expect_turns(2, "one note for each of its turns")
    scenario.settle()
    turns = scenario.expect_turns(2, "and no further notes in the end")
    scenario.expect(len({turn["session"] for turn in turns}) == 1, "of one session")
    shown = scenario.tars("transcript", turns[0]["session"]) if turns else ""
    scenario.expect(shown.count("\n") == 2, "tars transcript shows both turns", shown.count("\n"))


def changes(scenario):
    """a compression, /clear and a rewind"""
    home, orchard = scenario.home, scenario.home.project("orchard")
    scenario.tars("remember", "The gardener of the orchard is called Solveig")
    terminal = scenario.open(orchard)
    if not terminal:
        return
    for number, prompt in enumerate(("We go with the wall for the pears, it is settled.", "We go with the road for the plums, it is settled.", "We go with the gate for the quinces, it is settled."), 1):
        body = scenario.say(terminal, f"{prompt} [[tokens 9000]]")
        scenario.expect_turns(number, "a turn leaves a note")
    count = "".join(injected(body)).count("Solveig")
    scenario.expect(count == 1, "the conversation holds the memory once", f"{count} times")
    terminal.type("/compress")
    compressed = until(lambda: any("<state_snapshot>" in client.read(path) for path in home.transcripts()))
    scenario.expect(compressed, "the client compresses the conversation")
    terminal.ready()
    body = scenario.say(terminal, "We go with the well for the cherries, it is settled.")
    told = "".join(injected(body))
    scenario.expect(told.count("Solveig") == 1, "the next prompt gets the memory again", sizes(body))
    scenario.expect_turns(4, "and leaves a note")
    body = scenario.say(terminal, "We go with the barn for the walnuts, it is settled.")
    count = "".join(injected(body)).count("Solveig")
    scenario.expect(count == 1, "the memory comes once", f"{count} times")
    scenario.expect_turns(5, "with one more note")
    terminal.type("/clear")
    time.sleep(3)
    body = scenario.say(terminal, "We go with the lake for the almonds, it is settled.")
    count = "".join(injected(body)).count("Solveig")
    scenario.expect(count == 1, "the session after /clear gets the memory", f"{count} times")
    scenario.expect_turns(6, "and leaves a note")
    code = terminal.leave()
    scenario.expect(code == 0, "the client leaves", code)
    scenario.settle()
    turns = scenario.expect_turns(6, "and no further notes in the end")
    scenario.expect(len({turn["session"] for turn in turns}) == 2, "the notes are those of two sessions")


def endings(scenario):
    """failed, interrupted and killed turns"""
    home, office = scenario.home, scenario.home.project("office")
    terminal = scenario.open(office)
    if not terminal:
        return
    scenario.say(terminal, "We go with the fourth floor for the printer, it is settled. [[say Understood.]]")
    scenario.expect_turns(1, "a turn leaves a note")
    scenario.say(terminal, "This cannot be answered at all [[fail 400]]")
    until(lambda: "API Error" in "".join(map(client.read, home.transcripts())))
    scenario.say(terminal, "This takes long to answer [[wait 30]]")
    time.sleep(1)
    os.write(terminal.master, b"\x1b")
    until(lambda: "Request cancelled." in "".join(map(client.read, home.transcripts())))
    scenario.say(terminal, "We go with the third floor for the scanner, it is settled. [[say Understood.]]")
    scenario.settle_notes()
    ids = scenario.different()
    path = home.transcripts()[0]
    listed = json.loads(scenario.tars("transcript", path, "--json"))
    scenario.expect(len(listed) == 4, "the transcript has four turns", len(listed))
    ends = [json.loads(scenario.tars("transcript", path, "--turn", turn["id"], "--json"))[0].get("end") for turn in listed]
    scenario.expect(ends == [None, "failed", "interrupted", None], "one failed, one interrupted", ends)
    scenario.expect(len(ids) <= 4, "no turn has two notes", len(ids))
    began = scenario.say(terminal, "The plotter stands on the second floor [[wait 30]]")
    scenario.expect(bool(began), "a turn begins")
    os.killpg(terminal.process.pid, signal.SIGKILL)
    terminal.process.wait(30)
    before = len(scenario.turns())
    scenario.ask(office, "Where does the copier stand in our office?")
    scenario.settle()
    logs = "".join(map(client.read, glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))))
    # A log is called by its first request.
    scenario.expect("fourth floor" in logs, "the next session catches up on the killed one", f"{before} turns before")


def tools(scenario):
    """the commands and the tools"""
    home, harbour = scenario.home, scenario.home.project("harbour")
    scenario.tars("remember", "The lighthouse keeper of the harbour is called Sunniva")
    scenario.tars("index")
    call = json.dumps({"query": "lighthouse keeper"})
    body = scenario.ask(harbour, f"We go with the keeper as the guide, it is settled. [[tool mcp_tars_memory_search {call}]] [[say Found.]]")
    names = [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    ours = [name for name in names if name.startswith("mcp_tars_")]
    scenario.expect(len(ours) >= 7, "the tools of the memory are offered", ", ".join(ours))
    last = json.dumps([one["body"] for one in scenario.api.requests()][-3:])
    scenario.expect("Sunniva" in last and "functionResponse" in last, "and answer")
    scenario.expect_turns(1, "the turn leaves a note")
    terminal = scenario.open(harbour)
    if not terminal:
        return
    for command, words in (("/tars:status", "last index"), ("/tars:pause", "paused in this session"), ("/tars:resume", "resumed")):
        since = len(scenario.api.requests())
        terminal.type(command)
        # In this mode the client asks for no permission.
        came = until(lambda: words in json.dumps([one["body"] for one in scenario.api.requests(since)]))
        scenario.expect(came, f"{command} runs tars", words)
        terminal.ready()
    body = scenario.say(terminal, "We go with seven as the hour of the tug, it is settled. [[say Understood.]]")
    scenario.expect_turns(2, "a turn after the pause leaves a note")
    terminal.leave()
    scenario.settle()
    scenario.expect_turns(2, "and no command leaves one")


def hangs(scenario):
    """a program that hangs or is missing"""
    home, office = scenario.home, scenario.home.project("office")
    folder = os.path.join(home.folder, "hanging")
    home.write(os.path.join(folder, "tars"), "#!/bin/sh\nexec sleep 600\n")
    os.chmod(os.path.join(folder, "tars"), 0o755)
    working = home.environment["PATH"]
    home.environment["PATH"] = folder + os.pathsep + working
    # The client waits for the tools of its servers on its own; here the hooks alone matter.
    manifest = os.path.join(home.folder, ".gemini", "extensions", "tars", "gemini-extension.json")
    settings = json.loads(client.read(manifest))
    home.write(manifest, json.dumps({**settings, "mcpServers": {}}))
    began = time.monotonic()
    done = home.prompt(office, "The printer is out of paper")
    took = time.monotonic() - began
    said_text = (done.stdout + done.stderr).strip()
    scenario.expect(done.returncode == 0 and "Understood" in done.stdout, "a prompt is answered", f"{took:.0f} s")
    scenario.expect("failed" not in said_text and "timed out" not in said_text, "and no hook fails", said_text[:200])
    left = scenario.settle(30)
    scenario.expect(left is not None, "no process is left", "" if left is None else f"after {left:.0f} s")
    home.environment["PATH"] = os.pathsep.join(working.split(os.pathsep)[1:])
    done = home.prompt(office, "The printer is out of ink")
    said_text = (done.stdout + done.stderr).strip()
    scenario.expect(done.returncode == 0 and "Understood" in done.stdout, "without tars too")
    scenario.expect(said_text.count("tars is not installed") >= 1, "with one message", said_text[:160])
    home.environment["PATH"] = working
    home.environment["TARS_DISABLE"] = "1"
    body = scenario.ask(office, "The printer is out of toner")
    scenario.expect(body and not injected(body), "a disabled tars adds nothing", sizes(body))


def imports(scenario):
    """the import"""
    home, orchard = scenario.home, scenario.home.project("orchard")
    home.environment["TARS_DISABLE"] = "1"
    scenario.ask(orchard, "Which pears do we plant [[say Decided: we plant Conference pears.]]")
    scenario.ask(orchard, "And which plums then [[say Decided: we plant Mirabelle plums.]]", "--resume", "latest")
    del home.environment["TARS_DISABLE"]
    scenario.expect_turns(0, "a disabled tars leaves no notes")
    done = json.loads(scenario.tars("import", "gemini", "--json"))
    scenario.expect(len(done["logs"]) == 1 and not done["failed"], "the session becomes a log", len(done["logs"]))
    log = "".join(map(client.read, glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))))
    scenario.expect("Conference" in log and "Mirabelle" in log, "with the outcomes of both turns")
    scenario.expect('project: "orchard"' in log, "and its project")
    again = json.loads(scenario.tars("import", "gemini", "--json"))
    scenario.expect(again["known"] == 1 and not again["logs"], "a second import writes nothing", again["known"])
    scenario.ask(orchard, "And which quinces then", "--resume", "latest")
    scenario.settle()
    logs = glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))
    scenario.expect(len(logs) == 1, "a session that goes on keeps its log", f"{len(logs)} logs")


SCENARIOS = [remembers, notes, resumes, changes, endings, tools, hangs, imports]


def run(options, folder):
    """Plays the scenarios. Returns the numbers of passed and failed ones."""
    installed = os.path.abspath(options.client) if options.client else None
    program = installed or client.install(folder, options.version or VERSION, PACKAGE, "node_modules/.bin/gemini")
    return play_all(options, SCENARIOS, (GeminiApi, GeminiScenario), program, folder)
