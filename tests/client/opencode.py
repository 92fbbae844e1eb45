"""Runs the real opencode with the plugin of plugins/opencode, against a scripted API on 127.0.0.1.

Scenarios: 1 a turn of another client is remembered, and one note a turn, 2 a long session: prompts, a subagent, a compaction, a step back,
an end, 3 failed, interrupted and killed turns, 4 sessions from before tars, 5 a program that hangs, and none.
"""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request

import client
from chat_completions_api import SUMMARY, ChatCompletionsApi
from scenario import Scenario, injected, play_all, sizes, until

PACKAGE = "opencode-ai"
# The version with which the scenarios were tested.
VERSION = "1.18.33"
MODEL = {"providerID": "scripted", "modelID": "one"}
LISTENING = re.compile(r"listening on (http://\S+)")
# Generous, because a busy machine starts the client slowly.
TIMEOUT = 240


class Home(client.Home):
    """A home with opencode and a scripted provider."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.servers = []
        self.plugins = os.path.join(self.folder, ".config", "opencode", "plugins")
        os.makedirs(self.plugins)
        options = {"baseURL": f"{self.api.address}/v1", "apiKey": client.KEY}
        models = {"one": {"name": "One", "limit": {"context": 100_000, "output": 4_000}}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options, "models": models}
        settings = {"provider": {"scripted": provider}, "model": "scripted/one", "autoupdate": False, "share": "disabled"}
        with open(os.path.join(os.path.dirname(self.plugins), "opencode.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def variables(self):
        return dict.fromkeys(("OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD"), "1")

    def trust(self, folder):
        pass

    def prompt_command(self, prompt, *arguments):
        return [self.program, "run", *arguments, prompt]

    def prompt(self, folder, prompt, *arguments, **others):
        return self.run(self.prompt_command(prompt, *arguments), folder, timeout=TIMEOUT, **others)

    def requests(self, words, since=0):
        """Returns the bodies of the agent's requests for a prompt that contains these words."""
        bodies = [request["body"] or {} for request in self.api.requests(since)]
        return [body for body in bodies if body.get("tools") and words in self.api.asked(body)]

    def serve(self, folder):
        """Starts the client's server in a project. Returns it when it answers."""
        server = Server(self, folder)
        self.servers.append(server)
        return server

    def close(self, keep):
        for server in self.servers:
            server.end(signal.SIGKILL)
        super().close(keep)


class Server:
    """`opencode serve`, by its HTTP interface."""

    def __init__(self, home, folder):
        command = [home.program, "serve", "--port", "0"]
        self.process = subprocess.Popen(
            command, cwd=folder, env=home.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.address, seen = None, []
        for line in self.process.stdout:
            seen.append(line)
            found = LISTENING.search(line)
            if found:
                self.address = found[1]
                break
        if not self.address:
            raise RuntimeError(f"the server did not start: {''.join(seen)[-300:]}")

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method)
        data = None
        if body is not None:
            request.add_header("content-type", "application/json")
            data = json.dumps(body).encode()
        with urllib.request.urlopen(request, data, timeout=TIMEOUT) as answer:
            text = answer.read().decode()
        return json.loads(text) if text else None

    def session(self):
        return self.call("POST", "/session", {})["id"]

    def say(self, session, text):
        """Sends a message and waits for the answer. Returns the answer's text."""
        body = {"model": MODEL, "parts": [{"type": "text", "text": text}]}
        answer = self.call("POST", f"/session/{session}/message", body)
        return "".join(part.get("text", "") for part in answer.get("parts", []))

    def end(self, number=signal.SIGTERM):
        """Ends the server. Returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        return self.process.returncode


class OpenCodeScenario(Scenario):
    """A scenario with opencode."""

    home_type = Home

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.plugin = []
        shutil.copy2(os.path.join(self.options.plugin, "plugins", "opencode", "tars.js"), self.home.plugins)

    def asked(self, words, since=0):
        """Returns the first request for a prompt."""
        bodies = self.home.requests(words, since)
        return bodies[0] if bodies else {}

    def transcripts(self):
        return sorted(glob.glob(os.path.join(self.home.folder, ".local", "share", "tars", "transcripts", "opencode", "*.jsonl")))


def in_another_client(scenario, folder, request, answer):
    """Notes a turn of Claude Code in a project, as its plugin does."""
    path = os.path.join(scenario.home.folder, "5e55b0a2-0000-4000-8000-000000000000.jsonl")
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    lines = [
        {"type": "user", "uuid": "u1", "timestamp": at, "cwd": folder, "message": {"role": "user", "content": request}},
        {"type": "assistant", "timestamp": at, "message": {"stop_reason": "end_turn", "content": [{"type": "text", "text": answer}]}},
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    given = {"session_id": os.path.basename(path)[:-6], "transcript_path": path, "cwd": folder, "last_assistant_message": answer}
    scenario.tars("hook", "stop", text=json.dumps({**given, "hook_event_name": "Stop"}))
    scenario.expect_turns(1, "a turn in Claude Code leaves a note")


def remembers(scenario):
    """a turn of another client is remembered, and one note a turn"""
    home, census = scenario.home, scenario.home.project("census")
    in_another_client(scenario, census, "We go with the Kvalvik pier for the drones of the census, it is settled.", "Understood.")
    scenario.settle()
    body = scenario.ask(census, "We go with gulls as the birds to count, it is settled. [[bash echo gulls > birds.txt; exit 3]] [[say It is written.]]")
    system = json.dumps([message for message in body.get("messages", []) if message["role"] == "system"])
    scenario.expect("Kvalvik" in system, "the next session in the project starts with it", sizes(body))
    turns = scenario.expect_turns(2, "its turn leaves one note, though it has two steps")
    scenario.expect(os.path.exists(os.path.join(census, "birds.txt")), "the tool was used")
    scenario.settle()
    requests = home.requests("We go with gulls")
    blocks = ["".join(injected(body)) for body in requests]
    scenario.expect(len(requests) == 2 and blocks[0] == blocks[1], "both requests hold the same memory", f"{len(requests)} requests")
    titles = [request["body"] for request in scenario.api.requests() if not request["body"].get("tools")]
    scenario.expect(titles and "tars-memory" not in json.dumps(titles), "the request for the title holds none", len(titles))

    body = scenario.ask(census, "We go with nine in the morning for the gulls, it is settled. [[say Understood.]]", "--continue")
    count = "".join(injected(body)).count("Kvalvik pier for the drones")
    scenario.expect(count == 1, "a continued session holds the memory once", f"{count} times")
    turns = scenario.expect_turns(3, "and leaves one note more")
    scenario.settle()
    scenario.expect(len({turn["session"] for turn in turns[1:]}) == 1, "of the same session")
    logs = glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))
    scenario.expect(any("nine in the morning" in client.read(log) for log in logs), "the session has a log when the client ends", f"{len(logs)} logs")
    session = turns[-1]["session"] if turns else ""
    listed = scenario.tars("transcript", session)
    scenario.expect("nine in the morning" in listed and "We go with gulls" in listed, "tars transcript lists its turns by the id in the note", session)
    handed = scenario.tars("handoff", "--json", folder=census)
    scenario.expect("birds.txt; exit 3" in handed, "a handoff names the command that failed")
    scenario.expect(not home.processes(), "and nothing is left running", len(home.processes()))


def talks(scenario):
    """a long session: prompts, a subagent, a compaction, a step back, an end"""
    home, harbour = scenario.home, scenario.home.project("harbour")
    scenario.tars("remember", "The lighthouse keeper of the harbour is called Sunniva")
    with open(os.path.join(home.vault, "Pilots.md"), "w", encoding="utf-8") as note:
        note.write("# Pilots\n\nThe pilot boat refuels at the eastern jetty, behind the crane.\n")
    scenario.tars("index")
    server = home.serve(harbour)
    session = server.session()
    server.say(session, "We go with the north mooring for the ferry, it is settled. Let us plan the week. [[say Understood.]]")
    body = scenario.asked("Let us plan the week")
    scenario.expect("Sunniva" in "".join(injected(body)), "the session begins with the memory", sizes(body))
    server.say(session, "We go with Monday for the pilots, it is settled. At which jetty does the pilot boat refuel, do you know? [[say At the eastern one.]]")
    body = scenario.asked("At which jetty does the pilot boat refuel, do you")
    scenario.expect("".join(injected(body)).count("eastern jetty") == 1, "a prompt brings the line that answers it", sizes(body))
    server.say(session, "We go with Friday for the winter, it is settled. And where does the pilot boat refuel in winter? [[say There too.]]")
    body = scenario.asked("And where does the pilot boat refuel")
    count = "".join(injected(body)).count("eastern jetty")
    scenario.expect(count == 1, "it stays where it was, and does not come again", f"{count} times")
    stored = json.dumps(server.call("GET", f"/session/{session}/message"))
    scenario.expect("tars-memory" not in stored, "the client stores none of it")
    scenario.expect_turns(3, "three turns, three notes")

    task = "Find out where the pilot boat refuels, at which jetty"
    server.say(session, f"We go with the crane as the mark, it is settled. Let somebody look around for a while [[helper {task}]] [[say They looked.]]")
    body = next((body for body in home.requests(task) if "Let somebody" not in scenario.api.asked(body)), {})
    scenario.expect("eastern jetty" in "".join(injected(body)), "a subagent gets the line for its task", sizes(body))
    scenario.expect_turns(4, "and its work is no turn of its own")

    server.call("POST", f"/session/{session}/summarize", MODEL)
    log = lambda: "".join(client.read(path) for path in glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md")))
    scenario.expect(until(lambda: SUMMARY in log()), "a compaction's summary is in the session's log")
    # The new start of the session comes after the summary.
    until(lambda: not any(" hook " in command for _, command in home.processes()))
    server.say(session, "We go with the red buoy as the mark of the channel, it is settled. Which buoy is the nearest? [[say The red buoy.]]")
    body = scenario.asked("Which buoy is the nearest?")
    count = "".join(injected(body)).count("Sunniva")
    scenario.expect(count == 1, "after it the memory is there once", f"{count} times")
    scenario.expect_turns(5, "and the summary is no turn")

    server.say(session, "We go with the southern mooring for the barge, it is settled. [[say Understood.]]")
    scenario.expect_turns(6, "a turn leaves a note")
    messages = server.call("GET", f"/session/{session}/message")
    asked = [message["info"]["id"] for message in messages if "southern mooring for the barge" in json.dumps(message["parts"])]
    server.call("POST", f"/session/{session}/revert", {"messageID": asked[0]})
    server.say(session, "We go with the outer mooring for the barge, it is settled. [[say Understood.]]")
    day = lambda: "".join(client.read(path) for path in glob.glob(os.path.join(home.vault, "tars", "[0-9]*.md")))
    gone = until(lambda: "outer mooring" in day() and "southern mooring" not in day())
    scenario.expect(gone, "a turn that the person went back behind takes its decision with it")

    other = server.session()
    server.say(other, "We go with blue for the ferry, it is settled. [[say Understood.]]")
    until(lambda: len(scenario.transcripts()) == 2)
    scenario.expect(len(scenario.transcripts()) == 2, "tars keeps a transcript of each session", len(scenario.transcripts()))
    server.call("DELETE", f"/session/{other}")
    scenario.expect(until(lambda: len(scenario.transcripts()) == 1), "and removes that of a deleted one")
    code = server.end()
    seconds = scenario.settle(60)
    scenario.expect(seconds is not None, "nothing is left running when the server ends", f"code {code}, {[c for _, c in home.processes()]}")


def breaks_off(scenario):
    """failed, interrupted and killed turns"""
    home, basin = scenario.home, scenario.home.project("basin")
    day = lambda: "".join(client.read(path) for path in glob.glob(os.path.join(home.vault, "tars", "[0-9]*.md")))
    server = home.serve(basin)
    session = server.session()
    server.say(session, "Why is the crane at the quay so slow? [[fail 400]]")
    scenario.expect(until(lambda: "Unfinished: Why is the crane" in day()), "a turn that the server failed is noted as unfinished")
    body = {"model": MODEL, "parts": [{"type": "text", "text": "Please measure the depth of the basin [[bash sleep 100]]"}]}
    server.call("POST", f"/session/{session}/prompt_async", body)
    until(lambda: home.requests("Please measure the depth"), TIMEOUT)
    time.sleep(4)
    server.call("POST", f"/session/{session}/abort")
    held = until(lambda: "Unfinished: Please measure the depth" in day())
    scenario.expect(held, "a turn that the person interrupted is noted as unfinished")
    body["parts"][0]["text"] = "Please count the boats in the basin [[wait 100]]"
    server.call("POST", f"/session/{session}/prompt_async", body)
    until(lambda: home.requests("Please count the boats"), TIMEOUT)
    server.end(signal.SIGKILL)
    scenario.settle()
    scenario.expect("count the boats" not in day(), "the client is killed, and no hook reports it")
    scenario.ask(basin, "Who keeps the lighthouse?")
    held = until(lambda: "Unfinished: Please count the boats" in day())
    scenario.expect(held, "the next start catches its turn up")
    scenario.settle()


def imports(scenario):
    """sessions from before tars"""
    home, mill = scenario.home, scenario.home.project("mill")
    os.remove(os.path.join(home.plugins, "tars.js"))
    done = home.prompt(mill, "We go with the old stone for the rye, it is settled. [[say Understood.]]")
    scenario.expect(done.returncode == 0 and not scenario.transcripts(), "a session without the plugin", done.returncode)
    dry = scenario.tars("import", "opencode", "--dry-run")
    scenario.expect("old stone for the rye" in dry and not scenario.transcripts(), "a dry run shows it and keeps nothing", dry.strip()[-120:])
    scenario.tars("import", "opencode")
    logs = glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))
    scenario.expect(len(logs) == 1 and "old stone" in client.read(logs[0]), "it can be imported", f"{len(logs)} logs")
    scenario.tars("import", "opencode")
    scenario.expect(len(glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))) == 1, "once")
    session = os.path.basename(scenario.transcripts()[0])[: -len(".jsonl")] if scenario.transcripts() else "none"
    turns = json.loads(scenario.tars("transcript", f"ses_{session}", "--json"))
    shown = scenario.tars("transcript", session, "--turn", turns[0]["id"])
    scenario.expect("old stone for the rye" in shown, "and tars transcript shows its turn", len(turns))
    exported = os.path.join(home.folder, "export.json")
    with open(exported, "w", encoding="utf-8") as file:
        file.write(home.client(mill, "export", f"ses_{session}", timeout=TIMEOUT).stdout)
    for path in [*logs, *scenario.transcripts()]:
        os.remove(path)
    scenario.tars("import", "opencode", exported)
    logs = glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))
    scenario.expect(len(logs) == 1 and "old stone" in client.read(logs[0]), "an export can be imported too", f"{len(logs)} logs")


def hangs(scenario):
    """a program that hangs, and none"""
    home, office = scenario.home, scenario.home.project("office")
    path = home.environment["PATH"]
    folder = os.path.join(home.folder, "hanging")
    os.mkdir(folder)
    program = os.path.join(folder, "tars")
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    os.chmod(program, 0o755)
    home.environment["PATH"] = folder + os.pathsep + path
    done = home.prompt(office, "The printer is out of paper")
    scenario.expect(done.returncode == 0 and "Understood" in done.stdout, "a prompt is answered while tars hangs", (done.stdout + done.stderr)[-200:])
    server = home.serve(office)
    session = server.session()
    server.say(session, "The printer is out of ink")
    began = time.monotonic()
    server.say(session, "The printer is out of toner")
    scenario.expect(True, "the second prompt does not wait for it", f"{time.monotonic() - began:.1f} s")
    hanging = lambda: [command for _, command in home.processes() if command.startswith("sleep")]
    scenario.expect(until(lambda: not hanging(), 20), "the plugin ends a program that hangs", hanging())
    server.end()
    scenario.expect(until(lambda: not home.processes(), 30), "nothing is left running", [command for _, command in home.processes()])
    home.environment["PATH"] = "/usr/bin:/bin"
    done = home.prompt(office, "The printer is out of order")
    scenario.expect(done.returncode == 0 and "Understood" in done.stdout, "a prompt is answered without tars", (done.stdout + done.stderr)[-200:])
    said = done.stdout + done.stderr
    scenario.expect("tars" not in said, "and the plugin prints nothing", said[-200:])


SCENARIOS = [remembers, talks, breaks_off, imports, hangs]


def run(options, folder):
    """Plays the scenarios. Returns the numbers of passed and failed ones."""
    program = os.path.abspath(options.client) if options.client else None
    place = "node_modules/opencode-*/bin/opencode"
    program = program or client.install(folder, options.version or VERSION, PACKAGE, place)
    return play_all(options, SCENARIOS, (ChatCompletionsApi, OpenCodeScenario), program, folder)
