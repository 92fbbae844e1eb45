"""Runs the real Codex CLI with the plugin of plugins/codex, against a scripted Responses API on 127.0.0.1.

Scenarios: 1 hooks that nobody has approved are skipped, approved ones give the memory, 2 a note made in Claude Code is injected, one note a
turn, 3 tools, a helper, a compaction, an interruption and a prompt taken back, 4 no process is left, and a program that hangs blocks
nothing, 5 the tools of MCP, and the import.
"""

import glob
import json
import os
import shutil
import signal
import tempfile
import threading
import time

import client
from responses_api import SUMMARY, ResponsesApi
from scenario import Scenario, injected, play_all, sizes, tail, until

PACKAGE = "@openai/codex"
# The version with which the samples were taken and the scenarios tested.
VERSION = "0.171.0"
SETTINGS = """model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
cli_auth_credentials_store = "file"

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[feedback]
enabled = false
"""
# Questions of the program to the terminal, and the answers of a terminal.
QUERIES = [
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[c", b"\x1b[?62;c"),
    (b"\x1b]10;?", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
    (b"\x1b[?u", b"\x1b[?0u"),
]
# The client starts slowly on a busy machine.
START = 60


class Home(client.Home):
    """A home with Codex and a scripted provider."""

    path = "/v1/responses"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.settings = os.path.join(self.folder, ".codex", "config.toml")
        os.mkdir(os.path.dirname(self.settings))
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(address=self.api.address))

    def variables(self):
        return {"SHELL": "/bin/sh"}

    def close(self, keep):
        super().close(keep)
        # The client's sandbox leaves an empty one in the folder for temporary files, which would make one project of all folders there.
        try:
            os.rmdir(os.path.join(tempfile.gettempdir(), ".git"))
        except OSError:
            pass

    def trust(self, folder):
        with open(self.settings, "a", encoding="utf-8") as file:
            file.write(f'\n[projects."{folder}"]\ntrust_level = "trusted"\n')

    def prompt_command(self, prompt, *arguments):
        return [self.program, "exec", *arguments, prompt]

    def terminal(self, folder, *arguments):
        terminal = client.Terminal([self.program, *arguments], folder, self.environment)
        self.terminals.append(terminal)
        threading.Thread(target=answer, args=(terminal,), daemon=True).start()
        return terminal


def answer(terminal):
    """Answers the questions of a program to its terminal, until it ends."""
    seen = 0
    while terminal.process.poll() is None:
        said = bytes(terminal.output[seen:])
        for query, reply in QUERIES:
            for _ in range(said.count(query)):
                os.write(terminal.master, reply)
        seen += len(said)
        time.sleep(0.1)


class CodexScenario(Scenario):
    """A home with Codex, without the plugin."""

    home_type = Home

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.plugin = []

    def install(self):
        """Installs the plugin from this repository, as a person does. Returns whether it went well."""
        folder = os.path.join(self.home.folder, "repository")
        for part in (".agents", "plugins"):
            shutil.copytree(os.path.join(self.options.plugin, part), os.path.join(folder, part), symlinks=True)
        for command in (["marketplace", "add", folder], ["add", "tars@tars"]):
            done = self.home.client(self.home.folder, "plugin", *command)
            if not self.expect(done.returncode == 0, f"codex plugin {command[0]}", tail(done)):
                return False
        return True

    def approve(self, folder):
        """Approves the hooks in the client's terminal. Returns whether it asked."""
        terminal = self.home.terminal(folder)
        asked = until(lambda: "Hooks need review" in terminal.screen(), START)
        time.sleep(1)
        # "Trust all and continue"
        os.write(terminal.master, b"2")
        time.sleep(1)
        os.write(terminal.master, b"\r")
        until(lambda: client.read(self.home.settings).count("trusted_hash") >= 7)
        self.leave(terminal)
        return asked

    def leave(self, terminal):
        terminal.type("/quit")
        return until(lambda: terminal.process.poll() is not None, 20)

    def opened(self, folder):
        """Returns a terminal of the client that waits for a prompt."""
        terminal = self.home.terminal(folder)
        self.expect(until(lambda: "? for shortcuts" in terminal.screen(), START), "the client opens in a terminal")
        time.sleep(2)
        return terminal

    def with_plugin(self, name):
        """Returns a project with the plugin installed and approved."""
        folder = self.home.project(name)
        self.install()
        self.expect(self.approve(folder), "the client asks to review the hooks")
        return folder

    def settle(self, seconds=60):
        """Waits until no process of tars runs. Returns the seconds; None if one still runs."""
        began = time.monotonic()
        return time.monotonic() - began if until(lambda: not self.of_tars(), seconds) else None

    def left(self):
        """Returns the processes that still run after a minute, without the server that the client keeps in the background."""
        self.settle(60)
        return self.of_tars()

    def of_tars(self):
        return [command for _, command in self.home.processes() if "app-server" not in command]

    def written(self):
        """Returns the text of all files of the memory."""
        paths = glob.glob(os.path.join(self.home.vault, "tars", "**", "*.md"), recursive=True)
        return "".join(map(client.read, sorted(paths)))


def approves(scenario):
    """hooks that nobody has approved are skipped, approved ones give the memory"""
    harbour = scenario.home.project("harbour")
    scenario.tars("remember", "The ferry of the harbour is called Brunhild")
    if not scenario.install():
        return
    body = scenario.ask(harbour, "How was the first day of the ferry?")
    scenario.expect(not injected(body), "codex exec skips hooks that nobody has approved", sizes(body))
    scenario.tars("index")
    said = scenario.tars("doctor")
    scenario.expect("Codex runs 0 of the 7 hooks" in said, "tars doctor says so")
    scenario.expect(scenario.approve(harbour), "the terminal asks to review them")
    scenario.expect("Codex runs" not in scenario.tars("doctor"), "tars doctor is content with approved ones")
    body = scenario.ask(harbour, "We go with the dock for the ferry, it is settled. [[say Understood.]]")
    blocks = "".join(injected(body))
    scenario.expect(blocks.count("Brunhild") == 1, "approved, they give the agent the memory once", sizes(body))
    scenario.expect_turns(1, "and leave a note")

    # A later version with the same files.
    command = ["plugin", "add", "tars@tars"]
    scenario.home.client(scenario.home.folder, *command)
    body = scenario.ask(harbour, "How was the third day of the ferry?")
    scenario.expect(bool(injected(body)), "installing the same plugin again needs no approval", sizes(body))


def shares(scenario):
    """a note made in Claude Code is injected in Codex, one note a turn"""
    census = scenario.with_plugin("census")
    lines = [
        {"type": "user", "uuid": "u-1", "promptId": "p-1", "timestamp": now(), "cwd": census, "sessionId": "5e55",
         "message": {"role": "user", "content": "We go with the Kvalvik pier for the drones of the walrus census, it is settled."}},
        {"type": "assistant", "uuid": "a-1", "timestamp": now(),
         "message": {"role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "Understood."}]}},
    ]
    transcript = os.path.join(scenario.home.folder, "5e55.jsonl")
    with open(transcript, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    event = {"session_id": "5e55", "transcript_path": transcript, "cwd": census, "hook_event_name": "Stop", "prompt_id": "p-1"}
    scenario.tars("hook", "stop", "--client", "claude-code", text=json.dumps(event))
    scenario.expect_turns(1, "a turn in Claude Code leaves a note")
    body = scenario.ask(
        census, "We go with the night for the batteries, it is settled. [[say Understood.]]"
    )
    scenario.expect("Kvalvik" in "".join(injected(body)), "a session in Codex starts with it", sizes(body))
    scenario.settle()
    scenario.age(60)
    # The log of today is a part of each session's start.
    kitchen, bakery = scenario.home.project("kitchen"), scenario.home.project("bakery")
    body = scenario.ask(
        kitchen, "We go with the dark flour for the rye, it is settled. [[say Understood.]]"
    )
    scenario.expect("Kvalvik" not in json.dumps(body), "months later and elsewhere, it is absent", sizes(body))
    body = scenario.ask(bakery, "From which pier are the drones of the walrus census launched?")
    scenario.expect("Kvalvik" in "".join(injected(body)), "and comes with a question for it", sizes(body))
    turns = scenario.expect_turns(3, "one note for each turn that decided something")
    scenario.expect("dark flour" in turns[-1]["text"], "the note says what was decided")
    scenario.settle()
    logs = glob.glob(os.path.join(scenario.home.vault, "tars", "sessions", "*.md"))
    scenario.expect(len(logs) == 3, "each of the three sessions of Codex has its log", f"{len(logs)} logs")


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def works(scenario):
    """tools, a helper, a compaction, an interruption and a prompt taken back"""
    home, harbour = scenario.home, scenario.with_plugin("harbour")
    with open(os.path.join(home.vault, "Pilots.md"), "w", encoding="utf-8") as note:
        note.write("# Pilots\n\nThe pilot boat refuels at the eastern jetty, behind the crane.\n")
    scenario.tars("index")
    task = "Where does the pilot boat refuel, at which jetty?"
    done = home.prompt(
        harbour, f"Please write the list [[write list.txt | pears]] [[helper {task}]] [[bash sleep 5; exit 3]] [[say It is written.]]"
    )
    scenario.expect(done.returncode == 0 and os.path.exists(os.path.join(harbour, "list.txt")), "the agent uses tools", tail(done))
    bodies = [body for body in home.requests(task) if "Please write" not in scenario.api.asked(body)]
    body = bodies[0] if bodies else {}
    scenario.expect("eastern jetty" in "".join(injected(body)), "a helper gets the context for its task", sizes(body))
    scenario.expect_turns(1, "the turn leaves one note, the helper none")
    scenario.settle()
    scenario.expect("`list.txt`" in scenario.written(), "the log names the file")
    handed = scenario.tars("handoff", "--json", folder=harbour)
    scenario.expect("sleep 5; exit 3" in handed, "a handoff names the command that failed", handed.strip()[-200:])

    terminal = scenario.opened(harbour)
    terminal.type("We go with the north mooring for the barge, it is settled. [[say Understood.]]")
    scenario.expect_turns(2, "a turn in a terminal leaves a note")
    terminal.type("Please measure the basin [[bash sleep 60]]")
    until(lambda: home.requests("Please measure the basin"))
    time.sleep(4)
    os.write(terminal.master, b"\x1b")
    time.sleep(3)
    terminal.type("/compact")
    held = until(lambda: SUMMARY in scenario.written())
    scenario.expect(held, "the log holds the summary after a compaction")
    held = until(lambda: "Unfinished: Please measure the basin" in scenario.written())
    scenario.expect(held, "an interrupted turn is noted as unfinished")
    terminal.type("We go with the wrong mooring for the ferry, it is settled. [[say Understood.]]")
    held = until(lambda: "wrong mooring" in scenario.written(), 60)
    scenario.expect(held, "a turn leaves a note")
    time.sleep(2)
    for key in (b"\x1b", b"\x1b", b"\r"):
        os.write(terminal.master, key)
        time.sleep(2)
    os.write(terminal.master, b"\x15")
    time.sleep(1)
    terminal.type("We go with Sunniva as the keeper of the lighthouse, it is settled. [[say Understood.]]")
    held = until(lambda: "Sunniva" in scenario.written(), 60)
    scenario.expect(held, "the person goes back to an earlier prompt and asks another")
    scenario.expect(scenario.leave(terminal), "the client leaves")
    scenario.settle()
    rollouts = glob.glob(os.path.join(home.folder, ".codex", "sessions", "*", "*", "*", "*_*.jsonl"))
    scenario.expect(len(rollouts) == 1, "the client continues the session in a segment", f"{len(rollouts)} segments")
    # The client's server ends a session a minute after its last terminal.
    held = until(lambda: "north mooring" in scenario.written() and "wrong mooring" not in scenario.written(), 90)
    scenario.expect(held, "the notes keep what stands, and drop what was taken back")


def leaves_nothing(scenario):
    """no process is left, and a program that hangs blocks nothing"""
    home, office = scenario.home, scenario.with_plugin("office")
    process = home.start(office, "The copier is on the fourth floor [[wait 20]]")
    until(lambda: home.requests("The copier"))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    left = scenario.left()
    scenario.expect(not left, "no process runs after a client was killed", "; ".join(left))
    terminal = scenario.opened(office)
    terminal.type("We go with the second floor for the printer, it is settled. [[say Understood.]]")
    scenario.expect_turns(1, "a turn in a terminal leaves a note")
    watchers = [command for _, command in home.processes() if " watch " in command]
    scenario.expect(all("--with-client" not in command for command in watchers), "the watcher waits for no server", "; ".join(watchers))
    scenario.leave(terminal)
    scenario.tars("watch", "--stop")
    left = scenario.left()
    scenario.expect(not left, "no other process of tars runs after the terminal was left", "; ".join(left))
    began = time.monotonic()
    scenario.ask(office, "The scanner is on the third floor")
    usual = time.monotonic() - began
    scenario.left()

    folder = os.path.join(home.folder, "hanging")
    os.mkdir(folder)
    program = os.path.join(folder, "tars")
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    os.chmod(program, 0o755)
    home.environment["PATH"] = folder + os.pathsep + home.environment["PATH"]
    began = time.monotonic()
    done = home.prompt(office, "The printer is out of paper")
    extra = time.monotonic() - began - usual
    said = (done.stdout + done.stderr).strip()
    scenario.expect(done.returncode == 0 and "timed out" not in said, "a prompt is answered while tars hangs", f"{extra:.1f} s more")
    scenario.expect("Failed" not in said, "and no hook fails")
    os.remove(program)
    home.environment["PATH"] = os.pathsep.join([folder, "/usr/bin", "/bin"])
    done = home.prompt(office, "The printer is out of ink")
    scenario.expect(done.returncode == 0 and "Failed" not in done.stdout + done.stderr, "without tars, too")
    left = scenario.left()
    scenario.expect(not left, "and no process is left", "; ".join(left))


def connects(scenario):
    """the tools of MCP, and the import"""
    home, library = scenario.home, scenario.home.project("library")
    scenario.tars("remember", "The reading room of the library opens at nine")
    scenario.ask(library, "Where are the atlases kept? [[say Decided: the atlases are kept in the cellar.]]")
    scenario.expect_turns(0, "without the plugin, a session leaves no note")
    said = scenario.tars("import", "codex")
    scenario.expect(said.count("written") == 1 and "atlases" in scenario.written(), "tars import codex makes its log", said.strip())
    scenario.install()
    scenario.tars("index")
    since = len(scenario.api.requests())
    call = '{"query": "when does the reading room open"}'
    done = home.prompt(library, f"Please look it up [[tool mcp__tars/memory_search {call}]] [[say It opens at nine.]]")
    bodies = home.requests("Please look it up", since)
    offered = json.dumps([body.get("tools") for body in bodies])
    scenario.expect("memory_search" in offered, "the plugin offers the tools of MCP", tail(done))
    results = [item for body in bodies for item in body["input"] if item.get("type") == "function_call_output"]
    scenario.expect("opens at nine" in json.dumps(results), "and they answer", json.dumps(results)[:200])
    scenario.expect("memory-recall" in json.dumps([body.get("input") for body in bodies]), "the skills are listed")


SCENARIOS = [approves, shares, works, leaves_nothing, connects]


def run(options, folder):
    """Plays the scenarios. Returns the numbers of passed and failed ones."""
    place = "node_modules/{package}-*/vendor/*/bin/codex"
    program = os.path.abspath(options.client) if options.client else None
    program = program or client.install(folder, options.version or VERSION, PACKAGE, place)
    return play_all(options, SCENARIOS, (ResponsesApi, CodexScenario), program, folder)
