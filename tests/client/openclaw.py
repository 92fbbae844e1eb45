"""Runs the real OpenClaw with the plugin of plugins/openclaw, against a scripted API on 127.0.0.1.

Scenarios: 1 a turn of another client is remembered, and one note a turn, 2 a gateway: prompts, a subagent, a compaction, a deleted
session, its end, 3 a turn that the server failed, 4 the client's own memory, 5 a program that hangs, and none.
"""

import glob
import json
import os
import platform
import re
import signal
import socket
import subprocess

import chat_completions_api
import client
import messages_api
from opencode import in_another_client
from scenario import Scenario, injected, play_all, sizes, until

# The version with which the scenarios were tested, and the Node that it needs.
VERSION = "2026.9.6"
NODE = "24.21.0"
INTERNAL = re.compile(r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>", re.DOTALL)
# The client's names of the tools of the script.
TOOLS = {"Bash": "exec", "Write": "write", "Read": "read", "Agent": "sessions_spawn"}
# Generous, because a busy machine starts the client slowly.
TIMEOUT = 240


def plain(body):
    """Returns a request without what the client and tars added to the user's words."""
    messages = []
    for message in chat_completions_api.plain(body).get("messages", []):
        content = [{**block, "text": INTERNAL.sub("", block.get("text", ""))} for block in messages_api.blocks(message)]
        messages.append({**message, "content": content})
    return {**body, "messages": messages}


def call(index, block):
    given = {name: value for name, value in block["input"].items() if name != "description"}
    if "file_path" in given:
        given["path"] = given.pop("file_path")
    if block["name"] == "Agent":
        given = {"task": given["prompt"]}
    function = {"name": TOOLS.get(block["name"], block["name"]), "arguments": json.dumps(given)}
    return {"index": index, "id": block["id"], "type": "function", "function": function}


class Handler(chat_completions_api.Handler):
    plain = staticmethod(plain)
    call = staticmethod(call)


class OpenClawApi(chat_completions_api.ChatCompletionsApi):
    """The scripted API for OpenClaw."""

    handler = Handler

    @staticmethod
    def asked(body):
        return messages_api.turn(plain(body))[0]


class Home(client.Home):
    """A home with OpenClaw, a scripted provider and the plugin."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.state = os.path.join(self.folder, ".openclaw")
        self.workspace = os.path.join(self.state, "workspace")
        self.gateways = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
        model = {"id": "one", "name": "One", "contextWindow": 100_000, "maxTokens": 4_000, "input": ["text"], "cost": cost}
        provider = {"baseUrl": f"{self.api.address}/v1", "apiKey": client.KEY, "api": "openai-completions", "models": [model]}
        settings = {
            "models": {"mode": "replace", "providers": {"scripted": provider}},
            "agents": {"defaults": {"model": {"primary": "scripted/one"}}},
            "tools": {"toolSearch": False},
            "gateway": {"mode": "local", "port": self.port, "bind": "loopback", "auth": {"mode": "token", "token": client.KEY}},
            "update": {"checkOnStart": False},
            "plugins": {"deny": ["bonjour"]},
        }
        os.makedirs(self.state)
        with open(os.path.join(self.state, "openclaw.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def variables(self):
        return {}

    def trust(self, folder):
        pass

    def prompt_command(self, prompt, *arguments):
        return [self.program, "agent", "--agent", "main", *arguments, "--message", prompt]

    def prompt(self, folder, prompt, *arguments, **others):
        return self.run(self.prompt_command(prompt, *arguments), folder, timeout=TIMEOUT, **others)

    def requests(self, words, since=0):
        """Returns the bodies of the agent's requests for a prompt that contains these words."""
        bodies = [request["body"] or {} for request in self.api.requests(since)]
        return [body for body in bodies if body.get("tools") and words in self.api.asked(body)]

    def serve(self):
        """Starts the client's gateway. Returns its process when it answers."""
        gateway = subprocess.Popen(
            [self.program, "gateway", "run"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.gateways.append(gateway)

        def answers():
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return True
            except OSError:
                return False

        if not until(answers, TIMEOUT):
            raise RuntimeError("the gateway did not start")
        return gateway

    def close(self, keep):
        for gateway in self.gateways:
            end(gateway, signal.SIGKILL)
        super().close(keep)


def end(gateway, number=signal.SIGTERM):
    """Ends a gateway. Returns its exit code."""
    if gateway.poll() is None:
        gateway.send_signal(number)
        try:
            gateway.wait(60)
        except subprocess.TimeoutExpired:
            gateway.kill()
            gateway.wait()
    return gateway.returncode


class OpenClawScenario(Scenario):
    """A scenario with OpenClaw."""

    home_type = Home

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.plugin = []
        self.install("plugins", "install", os.path.join(self.options.plugin, "plugins", "openclaw"), "--force", "--accept-capabilities")
        self.install("config", "set", "plugins.entries.tars.hooks.allowConversationAccess", "true")

    def install(self, *arguments):
        done = self.home.client(None, *arguments, timeout=TIMEOUT)
        if done.returncode != 0:
            raise RuntimeError(f"openclaw {arguments[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]}")

    def say(self, prompt, session, *arguments):
        """Sends a prompt in a session. Returns its first request."""
        return self.ask(None, prompt, "--session-id", session, *arguments)

    def transcripts(self):
        return sorted(glob.glob(os.path.join(self.home.folder, ".local", "share", "tars", "transcripts", "openclaw", "*.jsonl")))

    def day(self):
        return "".join(client.read(path) for path in glob.glob(os.path.join(self.home.vault, "tars", "[0-9]*.md")))

    def logs(self):
        return "".join(client.read(path) for path in glob.glob(os.path.join(self.home.vault, "tars", "sessions", "*.md")))


def remembers(scenario):
    """a turn of another client is remembered, and one note a turn"""
    home, census = scenario.home, scenario.home.project("census")
    in_another_client(scenario, census, "We go with the Kvalvik pier for the drones of the census, it is settled.", "Understood.")
    scenario.tars("remember", "The lighthouse keeper of the harbour is called Sunniva")
    scenario.settle()
    scenario.tars("index")
    session = "5e55c1a3-0000-4000-8000-000000000001"
    body = scenario.say("Which pier do we go with for the drones of the census? [[say Understood.]]", session, "--local")
    scenario.expect("Kvalvik" in "".join(injected(body)), "a prompt brings what another client decided", sizes(body))
    scenario.expect("".join(injected(body)).count("Sunniva") == 1, "and the session begins with the memory")
    scenario.settle()
    scenario.say("We go with noon for the walrus census, it is settled. [[say Understood.]]", session, "--local")
    scenario.expect_turns(2, "a turn that decides something leaves one note")
    scenario.settle()
    steps = "[[bash echo $TARS_OPENCLAW_SESSION > id.txt]] [[write birds.txt | gulls]]"
    body = scenario.say(f"We go with two batteries for each drone, it is settled. {steps} [[say Understood.]]", session, "--local")
    count = "".join(injected(body)).count("Sunniva")
    scenario.expect(count == 1, "another process that goes on holds the memory once", f"{count} times")
    turns = scenario.expect_turns(3, "and leaves one note more, though its turn has three steps")
    scenario.settle()
    scenario.expect(len({turn["session"] for turn in turns[1:]}) == 1, "of the same session")
    scenario.expect(client.read(os.path.join(home.workspace, "id.txt")).strip() == session, "commands of the agent know their session")
    requests = home.requests("We go with two batteries")
    blocks = ["".join(injected(body)) for body in requests]
    scenario.expect(len(requests) == 3 and len(set(blocks)) == 1, "all requests of the turn hold the same memory", f"{len(requests)} requests")
    listed = scenario.tars("transcript", session[:8])
    scenario.expect("two batteries" in listed and "Which pier" in listed, "tars transcript lists its turns")
    scenario.expect(not home.processes(), "and nothing is left running", [command for _, command in home.processes()])


def talks(scenario):
    """a gateway: prompts, a subagent, a compaction, a deleted session, its end"""
    home = scenario.home
    scenario.tars("remember", "The lighthouse keeper of the harbour is called Sunniva")
    with open(os.path.join(home.vault, "Pilots.md"), "w", encoding="utf-8") as note:
        note.write("# Pilots\n\nThe pilot boat refuels at the eastern jetty, behind the crane.\n")
    scenario.tars("index")
    gateway = home.serve()
    session, other = (f"5e55c1a{number}-0000-4000-8000-000000000000" for number in (4, 5))
    body = scenario.say("We go with the Kvalvik pier for the drones, it is settled. [[say Understood.]]", session)
    scenario.expect("".join(injected(body)).count("Sunniva") == 1, "the session begins with the memory", sizes(body))
    body = scenario.say("We go with Monday for the pilots, it is settled. At which jetty does the pilot boat refuel, do you know? [[say Understood.]]", session)
    scenario.expect("".join(injected(body)).count("eastern jetty") == 1, "a prompt brings the line that answers it", sizes(body))
    body = scenario.say("We go with Friday for the winter, it is settled. And where does the pilot boat refuel in winter? [[say Understood.]]", session)
    count = "".join(injected(body)).count("eastern jetty")
    scenario.expect(count == 1, "it stays, and does not come again", f"{count} times")
    scenario.expect_turns(3, "three turns, three notes")

    task = "Count the boats at the pier"
    scenario.say(f"We go with the crane as the mark, it is settled. Let somebody look around for a while [[helper {task}]] [[say Understood.]]", session)
    told = lambda: home.requests("background task")
    scenario.expect(until(told, TIMEOUT), "a subagent reports")
    bodies = [body for body in home.requests(task) if "Let somebody" not in scenario.api.asked(body)]
    scenario.expect(bodies and not any(injected(body) for body in bodies), "it gets no memory", f"{len(bodies)} requests")
    until(lambda: not any(" hook " in command for _, command in home.processes()))
    scenario.expect_turns(4, "and neither its work nor its report is a turn of its own")

    scenario.install("sessions", "compact", f"agent:main:explicit:{session}")
    body = scenario.say("We go with the red buoy as the mark of the channel, it is settled. Which buoy is the nearest? [[say Understood.]]", session)
    count = "".join(injected(body)).count("Sunniva")
    scenario.expect(count == 1, "after a compaction the memory is there once", f"{count} times")
    scenario.expect_turns(5, "and the compaction is no turn")

    scenario.say("We go with blue for the ferry, it is settled. [[say Understood.]]", other)
    scenario.expect(until(lambda: len(scenario.transcripts()) == 2), "tars keeps a transcript of each session", len(scenario.transcripts()))
    scenario.install("sessions", "delete", f"agent:main:explicit:{other}", "--yes")
    scenario.expect(until(lambda: len(scenario.transcripts()) == 1), "and removes that of a deleted one")
    code = end(gateway)
    seconds = scenario.settle(60)
    scenario.expect(seconds is not None, "nothing is left running when the gateway ends", f"code {code}, {[c for _, c in home.processes()]}")
    scenario.expect("Kvalvik" in scenario.logs(), "and its session has a log")


def breaks_off(scenario):
    """a turn that the server failed"""
    scenario.home.prompt(None, "Why is the crane at the quay so slow? [[fail 400]]", "--local")
    held = until(lambda: "Unfinished: Why is the crane" in scenario.day())
    scenario.expect(held, "it is noted as unfinished")
    scenario.settle()


def reads_its_memory(scenario):
    """the client's own memory"""
    home = scenario.home
    scenario.say("Good morning to you [[say Good morning.]]", "5e55c1a6-0000-4000-8000-000000000000", "--local")
    scenario.settle()
    os.makedirs(os.path.join(home.workspace, "memory"), exist_ok=True)
    for name, line in (("MEMORY.md", "The mill grinds rye on Mondays."), ("memory/2026-11-28.md", "The mill was oiled."), ("OTHER.md", "The mill is red.")):
        with open(os.path.join(home.workspace, name), "w", encoding="utf-8") as note:
            note.write(f"# Mill\n\n{line}\n")
    scenario.tars("config", "set", "index.client_memory", "true")
    scenario.tars("index")
    found = scenario.tars("search", "--json", "mill")
    scenario.expect("grinds rye" in found and "was oiled" in found, "its long-term memory and its days are found")
    scenario.expect("is red" not in found, "other files of its workspace are not")


def hangs(scenario):
    """a program that hangs, and none"""
    home, path = scenario.home, scenario.home.environment["PATH"]
    folder = os.path.join(home.folder, "hanging")
    os.mkdir(folder)
    program = os.path.join(folder, "tars")
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    os.chmod(program, 0o755)
    home.environment["PATH"] = folder + os.pathsep + path
    done = home.prompt(None, "The printer is out of paper", "--local")
    scenario.expect(done.returncode == 0 and "Understood" in done.stdout, "a prompt is answered while tars hangs", (done.stdout + done.stderr)[-200:])
    scenario.expect(until(lambda: not home.processes(), 30), "nothing is left running", [command for _, command in home.processes()])
    home.environment["PATH"] = "/usr/bin:/bin"
    done = home.prompt(None, "The printer is out of order", "--local")
    scenario.expect(done.returncode == 0 and "Understood" in done.stdout, "a prompt is answered without tars", (done.stdout + done.stderr)[-200:])
    scenario.expect("tars is not installed" in done.stdout + done.stderr, "and the client says so in its log")


SCENARIOS = [remembers, talks, breaks_off, reads_its_memory, hangs]


def run(options, folder):
    """Plays the scenarios. Returns the numbers of passed and failed ones."""
    program = os.path.abspath(options.client) if options.client else install(folder, options.version or VERSION)
    return play_all(options, SCENARIOS, (OpenClawApi, OpenClawScenario), program, folder)


def install(folder, version):
    """Installs the client and the Node that it needs. Returns a program that runs it."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    node = f"node-{platform.system().lower()}-{machine}"
    client.fetch(folder, f"{node}@{NODE}", f"openclaw@{version}")
    modules = os.path.join(folder, "node_modules")
    program = os.path.join(folder, "openclaw")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{modules}/{node}/bin/node" "{modules}/openclaw/openclaw.mjs" "$@"\n')
    os.chmod(program, 0o755)
    return program
