#!/usr/bin/env python3
"""Records the samples again: the client's input for hooks, one file for each event and each of its kinds.

Usage: tests/client/take_samples.py [--client PATH] [--version V]

Drives the client as run.py does, with a plugin that only records its standard input. Replaces the path of the home by /home/user.
Prints the samples that it recorded, and those that the client no longer produces.
"""

import argparse
import glob
import json
import os
import shutil
import signal
import tempfile
import time

import client
from messages_api import MessagesApi
from run import until

EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
]
# The field that distinguishes the kinds of an event.
KINDS = {"SessionStart": "source", "SessionEnd": "reason", "PreCompact": "trigger", "PreToolUse": "tool_name", "PostToolUse": "tool_name"}


def plugin(folder, log):
    """Writes a plugin that keeps the standard input of each hook as a file in `log`."""
    os.makedirs(os.path.join(folder, ".claude-plugin"))
    os.makedirs(os.path.join(folder, "hooks"))
    os.mkdir(log)
    with open(os.path.join(folder, ".claude-plugin", "plugin.json"), "w", encoding="utf-8") as file:
        json.dump({"name": "samples", "version": "0.1.0", "description": "Keeps what hooks are given"}, file)
    hook = {"type": "command", "command": f'f=$(mktemp "{log}/XXXXXX") && cat >"$f" && mv "$f" "$f.json"'}
    with open(os.path.join(folder, "hooks", "hooks.json"), "w", encoding="utf-8") as file:
        json.dump({"hooks": {event: [{"hooks": [hook]}] for event in EVENTS}}, file)


def drive(home, folder, arguments, seen):
    """Makes the client call all its hooks."""
    home.prompt(folder, "Which trees are there? [[say Pears and plums.]]", *arguments)
    home.prompt(folder, "Which trees bear fruit?", "--continue", *arguments)
    file = os.path.join(folder, "list.txt")
    home.prompt(folder, f"Write them down [[bash echo pears]] [[write {file} | pears]] [[read {file}]]", *arguments)
    home.prompt(folder, "/compact keep the names", "--continue", *arguments)
    home.prompt(folder, "/clear", "--continue", *arguments)
    home.prompt(folder, "This cannot be answered [[fail 400]]", *arguments)
    home.prompt(folder, "Which trees are old? [[tokens 150000]]", "--autocompact", "100000", *arguments)
    home.prompt(folder, "Which trees are young?", "--continue", "--autocompact", "100000", *arguments)
    home.prompt(folder, "Which trees are ill?", "--continue", "--fork-session", *arguments)
    home.prompt(folder, "Which trees need water? [[helper Find the dry trees]]", "--allowedTools", "Agent", *arguments)
    terminal = home.terminal(folder, *arguments)
    if terminal.ready():
        terminal.type("Which trees are tall?")
        until(lambda: any("are tall?" in str(one.get("prompt")) for one in seen()))
        time.sleep(1)
        terminal.leave()
    terminal.end(signal.SIGTERM)


def name(sample):
    event = "".join("-" + letter.lower() if letter.isupper() else letter for letter in sample["hook_event_name"])
    kind = sample.get(KINDS.get(sample["hook_event_name"], ""), "")
    return "-".join(filter(None, [event.strip("-"), kind.lower().replace("_", "-")])) + ".json"


def scrubbed(text, home):
    """Replaces the paths of this machine."""
    return text.replace(home, "/home/user").replace("".join(c if c.isalnum() else "-" for c in home), "-home-user")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client")
    parser.add_argument("--version", default=client.VERSION)
    options = parser.parse_args()
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples")
    folder = tempfile.mkdtemp(prefix="tars-client-")
    home = None
    try:
        program = os.path.abspath(options.client) if options.client else client.install(folder, options.version)
        api = MessagesApi(os.path.join(folder, "requests.jsonl"))
        home = client.Home(program, api, [], {})
        log = os.path.join(folder, "log")
        plugin(os.path.join(folder, "plugin"), log)

        def seen():
            paths = sorted(glob.glob(os.path.join(log, "*.json")), key=os.path.getmtime)
            return [json.loads(scrubbed(client.read(path), home.folder)) for path in paths]

        drive(home, home.project("orchard"), ["--plugin-dir", os.path.join(folder, "plugin")], seen)
        taken = {}
        for sample in seen():
            taken.setdefault(name(sample), sample)
        os.makedirs(target, exist_ok=True)
        for file, sample in sorted(taken.items()):
            with open(os.path.join(target, file), "w", encoding="utf-8") as out:
                # As the client writes it: one line.
                out.write(json.dumps(sample, ensure_ascii=False, separators=(",", ":")) + "\n")
            print(f"recorded: {file}")
        for file in sorted(set(os.listdir(target)) - set(taken)):
            print(f"no longer produced: {file}")
        api.close()
    finally:
        if home:
            home.close(False)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
