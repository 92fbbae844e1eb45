#!/usr/bin/env python3
"""Runs a real client with the plugin of this repository, against a scripted API on 127.0.0.1.

Usage: scripts/checks/client [CLIENT] [OPTIONS]

  CLIENT           claude-code (default), codex, gemini, openclaw or opencode
  --bin PATH       the program (default: target/release/tars, built with `cargo build --release`)
  --models DIR     also use the local model from this folder (default: words alone)
  --plugin DIR     the plugin (default: this repository)
  --client PATH    an installed client (default: installs one from npm into a temporary directory)
  --version V      the version to install (default: the one of the samples)
  --only N         only this scenario; may be repeated
  --keep           keep the temporary directories and print their paths

Scenarios of Claude Code: 1 a turn is remembered where it matters, 2 one note a turn, 3 /clear, --continue and parallel sessions, 4 no process is
left, 5 installation, 6 failed, summarised, killed and forked turns, 7 a helper and background tasks, 8 a program that hangs, 9 the
skills with their permissions, and the status line, 10 the program, fetched with the user's permission. Each prints what it saw. Exit
codes: 0 all passed, or no client is available ("skipped" says why), 1 some failed, 2 another error.

Uses no account and connects to no host but 127.0.0.1 and npm's. The client runs in its own home with its own environment; npm uses
its usual cache. Ends all processes that it started.
"""

import argparse
import glob
import json
import os
import shutil
import signal
import sys
import tempfile
import time

import client
import codex
import gemini
import install
import openclaw
import opencode
from messages_api import MessagesApi
from scenario import Scenario, copy, every_text, first_words, injected, manifest, play_all, sizes, tail, until


def remembers(scenario):
    """a turn is remembered where it matters"""
    census, bakery = scenario.home.project("census"), scenario.home.project("bakery")
    scenario.ask(
        census,
        "For the walrus census we launch the drones from the Kvalvik pier, keep to that. "
        "[[say Decided: the drones of the walrus census start at the Kvalvik pier.]]",
    )
    turns = scenario.expect_turns(1, "a turn leaves a note")
    scenario.expect(any("Kvalvik" in turn["text"] for turn in turns), "the note says what was decided")
    body = scenario.ask(census, "What else is there to do in here today?")
    scenario.expect(
        "Kvalvik" in "".join(injected(body)), "the next session in the project starts with it", sizes(body)
    )
    scenario.settle()
    scenario.age(60)
    body = scenario.ask(bakery, "From which pier are the drones of the walrus census launched?")
    scenario.expect(
        "Kvalvik" in "".join(injected(body)), "months later and elsewhere, it comes with a question for it", sizes(body)
    )
    body = scenario.ask(bakery, "Which flour suits a rye sourdough in winter?")
    scenario.expect("Kvalvik" not in json.dumps(body), "and is absent with another question", sizes(body))


def notes(scenario):
    """one note a turn"""
    home, orchard = scenario.home, scenario.home.project("orchard")
    terminal = home.terminal(orchard, *scenario.plugin)
    if not scenario.expect(terminal.ready(), "the client opens in a terminal"):
        print(terminal.screen()[-1500:])
        return
    terminal.type("The pears are picked on Thursday this year [[say Good, on Thursday it is.]]")
    scenario.expect_turns(1, "one after a turn without tools")
    harvest = os.path.join(orchard, "harvest.txt")
    terminal.type(
        f"Please write the list of pears [[bash echo pears > list.txt]] [[write {harvest} | pears]] [[say It is written.]]"
    )
    turns = scenario.expect_turns(2, "one more after a turn with two tools")
    scenario.expect(os.path.exists(harvest) and os.path.exists(os.path.join(orchard, "list.txt")), "the tools were used")
    scenario.expect(len(turns) == 2 and "harvest.txt" in turns[1]["text"], "its note names the file")
    terminal.type("Thanks for that, the plums come next week")
    scenario.expect_turns(3, "one more after the third turn")
    code = terminal.leave()
    scenario.expect(code == 0, "the client leaves", code)
    scenario.ask(orchard, "How many crates of pears were there in the end?")
    turns = scenario.expect_turns(4, "one after a prompt without a terminal")
    scenario.settle()
    scenario.ask(orchard, "And how many crates of plums were there?")
    until(lambda: len(scenario.different()) >= 5)
    scenario.settle()
    turns = scenario.expect_turns(5, "a later start writes no note twice")
    logs = glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md"))
    scenario.expect(len(logs) == 3, "each of the three sessions has its log", f"{len(logs)} logs")
    sessions = {turn.get("session") for turn in turns}
    written = {name[:8] for name in transcripts(home)}
    scenario.expect(sessions == written and len(sessions) == 3, "they name the client's sessions", f"{len(sessions)} sessions")


def transcripts(home):
    pattern = os.path.join(home.folder, ".claude", "projects", "*", "*.jsonl")
    return [os.path.basename(path) for path in glob.glob(pattern)]


def sessions(scenario):
    """/clear, --continue and parallel sessions"""
    home, bakery = scenario.home, scenario.home.project("bakery")
    scenario.tars("remember", "The big oven of the bakery is called Brunhild")
    terminal = home.terminal(bakery, *scenario.plugin)
    if not scenario.expect(terminal.ready(), "the client opens in a terminal"):
        print(terminal.screen()[-1500:])
        return
    for prompt, clear in (("Let us plan the week before us", True), ("Let us plan the month before us", False)):
        terminal.type(prompt)
        until(lambda: home.requests(prompt))
        bodies = home.requests(prompt)
        body = bodies[0] if bodies else {}
        count = "".join(injected(body)).count("Brunhild")
        scenario.expect(count == 1, f"the memory is there {'at first' if clear else 'after /clear'}", f"{count} times")
        turns = scenario.expect_turns(1 if clear else 2, f"one note {'before' if clear else 'after'} /clear")
        if clear:
            terminal.type("/clear")
            # Nothing outside of the client shows when it is done.
            time.sleep(2)
    scenario.expect(len({turn.get("session") for turn in turns}) == 2, "of a session each")
    terminal.leave()

    scenario.ask(bakery, "The flour comes from the mill by the river")
    body = scenario.ask(bakery, "The yeast comes from the brewery at the corner", "--continue")
    count = "".join(injected(body)).count("Brunhild")
    scenario.expect(count == 1, "a continued session holds the memory once", f"{count} times")
    turns = scenario.expect_turns(4, "one note for each of its turns")
    scenario.expect(len({turn.get("session") for turn in turns[2:]}) == 1, "of the same session")
    done = home.prompt(bakery, "/compact", *scenario.plugin, "--continue")
    scenario.expect(done.returncode == 0, "it is compacted", done.stdout.strip()[:200])
    body = scenario.ask(bakery, "The salt comes from the sea", "--continue")
    count = "".join(injected(body)).count("Brunhild")
    scenario.expect(1 <= count <= 2, "and holds the memory after that", f"{count} times")
    scenario.expect_turns(5, "one note for the turn after that, none for the summary")

    since = len(scenario.api.requests())
    names = ["anna", "berta", "clara"]
    prompts = {name: f"The order of {name} is ready at noon" for name in names}
    running = {
        name: home.start(bakery, f"{prompt} [[wait 4]] [[say Ready for {name}.]]", *scenario.plugin)
        for name, prompt in prompts.items()
    }
    until(lambda: all(home.requests(prompt, since) for prompt in prompts.values()))
    time.sleep(1)
    watchers = [command for _, command in home.processes() if is_watcher(command)]
    scenario.expect(len(watchers) <= 1, "three parallel sessions share a watcher", f"{len(watchers)} run")
    answers = {name: process.communicate(timeout=60)[0].strip() for name, process in running.items()}
    scenario.expect(all(answers[name] == f"Ready for {name}." for name in names), "each is answered", "; ".join(answers.values()))
    turns = scenario.expect_turns(8, "and leaves a note")
    scenario.settle()
    turns = scenario.expect_turns(8, "one alone, when all is done")
    wrong = [name for name in names if sum(f"Ready for {name}" in turn["text"] for turn in turns) != 1]
    scenario.expect(not wrong, "of its own words alone", ", ".join(wrong))


def is_watcher(command):
    words = command.split()
    return "watch" in words and "--detach" not in words and any(os.path.basename(word) == "tars" for word in words)


def leaves_nothing(scenario):
    """no process is left"""
    home, office = scenario.home, scenario.home.project("office")
    terminal = home.terminal(office, *scenario.plugin)
    scenario.expect(terminal.ready(), "the client opens in a terminal")
    terminal.type("The printer is on the second floor")
    scenario.expect_turns(1, "a turn leaves a note")
    watchers = [command for _, command in home.processes() if is_watcher(command)]
    scenario.expect(len(watchers) == 1, "a watcher runs meanwhile", f"{len(watchers)} run")
    scenario.ask(office, "The scanner is on the third floor")
    watchers = [command for _, command in home.processes() if is_watcher(command)]
    scenario.expect(len(watchers) == 1, "and outlives a session that was not the last", f"{len(watchers)} run")
    terminal.type("The copier is on the fourth floor [[wait 20]]")
    until(lambda: home.requests("The copier"))
    terminal.end(signal.SIGKILL)
    seconds = scenario.settle(30)
    seen = f"after {seconds:.1f} s" if seconds is not None else "; ".join(command for _, command in home.processes())
    scenario.expect(seconds is not None, "no process runs half a minute after the last client was killed", seen)
    process = home.start(office, "The shredder is on the fifth floor [[wait 20]]", *scenario.plugin)
    until(lambda: home.requests("The shredder"))
    process.terminate()
    process.communicate(timeout=30)
    seconds = scenario.settle(30)
    seen = f"after {seconds:.1f} s" if seconds is not None else "; ".join(command for _, command in home.processes())
    scenario.expect(seconds is not None, "nor after a client was ended in the middle of an answer", seen)


def installs(scenario):
    """installation"""
    home, shop = scenario.home, scenario.home.project("shop")
    scenario.tars("remember", "The shop opens at nine, except on Mondays")
    # A path with a quote, a dollar sign and blanks.
    clone = os.path.join(home.folder, "anna's $(clone) of tars")
    copy(scenario.options.plugin, clone)
    done = home.client(clone, "plugin", "validate", ".", "--strict")
    scenario.expect(done.returncode == 0, "it is valid, strictly", "" if done.returncode == 0 else tail(done))
    name = manifest(clone, "plugin.json")["name"]
    plugin = f"{name}@{manifest(clone, 'marketplace.json')['name']}"

    done = home.client(shop, "plugin", "marketplace", "add", clone)
    scenario.expect(done.returncode == 0, "its marketplace can be added", tail(done))
    done = home.client(shop, "plugin", "install", plugin)
    scenario.expect(done.returncode == 0, "it can be installed from there", tail(done))
    body = scenario.ask(shop, "How was the first day of the shop?", plugin=[])
    scenario.expect("opens at nine" in "".join(injected(body)), "installed, it gives the agent the memory", sizes(body))
    scenario.expect_turns(1, "and leaves a note")
    done = home.client(shop, "plugin", "uninstall", plugin)
    scenario.expect(done.returncode == 0, "it can be uninstalled", tail(done))
    body = scenario.ask(shop, "How was the second day of the shop?", plugin=[])
    scenario.expect(not injected(body), "and is gone", sizes(body))
    scenario.settle()
    scenario.expect_turns(1, "with its notes")

    body = scenario.ask(shop, "How was the third day of the shop?", plugin=["--plugin-dir", clone])
    scenario.expect("opens at nine" in "".join(injected(body)), "from a clone, it gives the agent the memory", sizes(body))
    scenario.expect_turns(2, "and leaves a note")


def day_and_logs(home):
    """Returns the daily notes, and the logs of sessions, as one text each."""
    days = sorted(glob.glob(os.path.join(home.vault, "tars", "[0-9]*.md")))
    logs = sorted(glob.glob(os.path.join(home.vault, "tars", "sessions", "*.md")))
    return "\n".join(map(client.read, days)), "\n".join(map(client.read, logs))


def endings(scenario):
    """failed, summarised, killed and forked turns"""
    home, harbour = scenario.home, scenario.home.project("harbour")
    home.prompt(harbour, "Why is the crane at the quay so slow? [[fail 400]]", *scenario.plugin)
    held = until(lambda: "Unfinished: Why is the crane" in day_and_logs(home)[0])
    scenario.expect(held, "a turn that the server failed is noted as unfinished")

    scenario.ask(harbour, "Which mooring do we use? [[say Decided: we use the north mooring.]]")
    done = home.prompt(harbour, "/compact", *scenario.plugin, "--continue")
    scenario.expect(done.returncode == 0, "a session is compacted", done.stdout.strip()[:200])
    held = until(lambda: "They spoke of the script." in day_and_logs(home)[1])
    scenario.expect(held, "its log holds the client's summary")
    scenario.ask(harbour, "Which buoy is the nearest? [[say The red buoy is the nearest.]]", "--continue")
    until(lambda: "red buoy" in day_and_logs(home)[0])
    scenario.settle()
    scenario.expect("They spoke of the script." in day_and_logs(home)[1], "and holds it after the next turn")

    scenario.ask(harbour, "Which tide do we take? [[say Decided: we take the morning tide.]]", "--continue", "--fork-session")
    held = until(lambda: "morning tide" in day_and_logs(home)[0])
    scenario.settle()
    day = day_and_logs(home)[0]
    scenario.expect(held and day.count("north mooring") == 1, "a fork notes its own turn alone", day.count("north mooring"))

    terminal = home.terminal(harbour, *scenario.plugin)
    scenario.expect(terminal.ready(), "the client opens in a terminal")
    # The client refuses a command that only sleeps, and takes a prompt back that it has no answer for yet.
    terminal.type("Please measure the depth of the basin [[bash tail -f /dev/null]]")
    until(lambda: home.requests("Please measure the depth"))
    time.sleep(4)
    os.write(terminal.master, b"\x1b")
    time.sleep(2)
    terminal.leave()
    held = until(lambda: "Unfinished: Please measure the depth" in day_and_logs(home)[0])
    scenario.expect(held, "a turn that the person interrupted is noted as unfinished")

    terminal = home.terminal(harbour, *scenario.plugin)
    scenario.expect(terminal.ready(), "the client opens in a terminal")
    terminal.type("Please count the boats in the basin [[wait 20]]")
    until(lambda: home.requests("Please count the boats"))
    time.sleep(2)
    terminal.end(signal.SIGKILL)
    scenario.settle()
    scenario.expect("count the boats" not in day_and_logs(home)[0], "the client is killed, and no hook reports it")
    scenario.ask(harbour, "Who keeps the lighthouse?")
    held = until(lambda: "Unfinished: Please count the boats" in day_and_logs(home)[0])
    scenario.expect(held, "the next start catches its turn up")

    at_work = "[[bash tail -f /dev/null]]"
    terminal = broken_off(scenario, harbour, f"Please weigh the anchors of the ferry {at_work}")
    terminal.end(signal.SIGKILL)
    scenario.settle()
    scenario.ask(harbour, "How long is the pier? [[say The pier is long.]]", "--continue")
    held = until(lambda: "The pier is long" in day_and_logs(home)[0])
    scenario.settle()
    day = day_and_logs(home)[0]
    scenario.expect(held and "Unfinished: Please weigh the anchors" in day, "a continued session notes the killed turn as unfinished")

    terminal = broken_off(scenario, harbour, f"Please paint the hull of the ferry {at_work}")
    terminal.end(signal.SIGHUP)
    held = until(lambda: "Unfinished: Please paint the hull" in day_and_logs(home)[0])
    scenario.expect(held, "a terminal that is closed in the middle of an answer leaves an unfinished turn")


def broken_off(scenario, folder, prompt):
    """Returns a terminal in which the agent works on the prompt."""
    terminal = scenario.home.terminal(folder, *scenario.plugin)
    scenario.expect(terminal.ready(), "the client opens in a terminal")
    terminal.type(prompt)
    until(lambda: scenario.home.requests(first_words(prompt)))
    # The command runs, and the transcript is written.
    time.sleep(4)
    return terminal


def helps(scenario):
    """a helper and background tasks"""
    home, harbour = scenario.home, scenario.home.project("harbour")
    with open(os.path.join(home.vault, "Pilots.md"), "w", encoding="utf-8") as note:
        note.write("# Pilots\n\nThe pilot boat refuels at the eastern jetty, behind the crane.\n")
    scenario.tars("index")
    task = "Where does the pilot boat refuel, at which jetty?"
    arguments = ["--allowedTools", "Agent", *scenario.plugin]
    done = home.prompt(harbour, f"Let somebody look around for a while [[helper {task}]]", *arguments)
    scenario.expect(done.returncode == 0, "the agent starts a helper", tail(done)[:200])
    bodies = [body for body in home.requests(task) if "Let somebody" not in scenario.api.asked(body)]
    body = bodies[0] if bodies else {}
    scenario.expect("eastern jetty" in "".join(injected(body)), "which gets the context for its task", sizes(body))
    scenario.settle()
    told = any("<task-notification>" in json.dumps(request["body"] or {}) for request in scenario.api.requests())
    scenario.expect(told, "the agent is notified when it ends")
    scenario.expect_turns(1, "and the notification is no turn of its own")


def hangs(scenario):
    """a program that hangs"""
    home, office = scenario.home, scenario.home.project("office")
    folder = os.path.join(home.folder, "hanging")
    os.mkdir(folder)
    program = os.path.join(folder, "tars")
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    os.chmod(program, 0o755)
    home.environment["PATH"] = folder + os.pathsep + home.environment["PATH"]
    done = home.prompt(office, "The printer is out of paper", *scenario.plugin)
    said = (done.stdout + done.stderr).strip()
    scenario.expect(done.returncode == 0 and "ancelled" not in said, "a prompt is answered, and no hook is cancelled", said[:200])
    terminal = home.terminal(office, *scenario.plugin)
    scenario.expect(terminal.ready(), "the client opens in a terminal")
    terminal.type("The printer is out of ink")
    scenario.expect(until(lambda: home.requests("The printer is out of ink")), "a prompt is sent there")
    # The hook at the end of a turn has four seconds.
    time.sleep(6)
    code = terminal.leave()
    scenario.expect(code == 0 and "ancelled" not in terminal.screen(), "the client leaves, and no hook is cancelled", code)


SKILLS = ["forget", "install", "memory-recall", "memory-save", "pause", "resume", "status", "undo", "why"]
LOOK = "tars forget --json - <<'WORDS'\nlighthouse\nWORDS"


def skills(scenario):
    """the skills with their permissions, and the status line"""
    home, harbour = scenario.home, scenario.home.project("harbour")
    scenario.tars("remember", "The lighthouse keeper of the harbour is called Sunniva")

    # Without further permissions, as a new user runs it.
    def run(prompt, *arguments):
        since = len(scenario.api.requests())
        done = home.client(harbour, "-p", prompt, *scenario.plugin, *arguments)
        told = [text for request in scenario.api.requests(since) for text in every_text(request["body"] or {})]
        return done, "\n".join(told)

    done, told = run("/tars:status", "--output-format", "stream-json", "--verbose")
    started = next((json.loads(line) for line in done.stdout.splitlines() if '"subtype":"init"' in line), {})
    listed = [name.partition(":")[2] for name in started.get("slash_commands", []) if name.startswith("tars:")]
    scenario.expect(sorted(listed) == SKILLS, "all of them are listed", ", ".join(sorted(listed)))
    scenario.expect("last index" in told and "watcher " in told, "/tars:status says how tars is doing")
    done, told = run(f"/tars:forget lighthouse [[bash {LOOK}]] [[say There is one line.]]")
    scenario.expect("Sunniva" in told and "requires approval" not in told, "/tars:forget searches without asking for permission")
    done, told = run("/tars:forget lighthouse [[bash tars forget lighthouse --yes]] [[say It is gone.]]")
    scenario.expect("requires approval" in told, "and removes nothing without permission")
    done, told = run("/tars:undo [[bash tars undo]] [[say It is back.]]")
    scenario.expect("Sunniva" in told and "requires approval" in told, "/tars:undo shows the last write, and waits")
    done, told = run("/tars:pause [[bash tars pause --for 2h]] [[say For two hours.]]")
    scenario.expect(told.count("paused in this session") >= 2 and "until" in told, "/tars:pause takes a length of time")
    done, told = run("/tars:pause `touch touched` $(touch touched) !`touch touched`")
    scenario.expect(not os.path.exists(os.path.join(harbour, "touched")), "and runs nothing of its argument")
    scenario.settle()
    scenario.expect_turns(0, "no skill leaves a note")

    settings = {"statusLine": {"type": "command", "command": "tars status --line"}}
    os.makedirs(os.path.join(home.folder, ".claude"), exist_ok=True)
    with open(os.path.join(home.folder, ".claude", "settings.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)
    terminal = home.terminal(harbour, *scenario.plugin)
    if not scenario.expect(terminal.ready(), "the client opens in a terminal"):
        print(terminal.screen()[-1500:])
        return
    terminal.type("The pilot boat leaves at six [[say Decided: the pilot boat leaves at six.]]")
    scenario.expect_turns(1, "a turn before the pause leaves a note")
    scenario.expect(until(lambda: "shown" in terminal.screen()), "the status line says how much was shown")
    terminal.type("/tars:pause")
    # The client paints only changes, and shows neither the skill's text nor the whole answer.
    scenario.expect(until(lambda: "paused" in terminal.screen()), "and that tars is paused")
    prompt = "How is the lighthouse keeper called, and is her contract to end"
    terminal.type(f"{prompt} [[say Decided: the contract ends in June.]]")
    until(lambda: "ends in June" in terminal.screen() and home.requests(prompt))
    terminal.ready()
    terminal.type("/tars:resume")
    until(lambda: "resumed in this session" in "\n".join(text for body in bodies(scenario) for text in every_text(body)))
    terminal.ready()
    terminal.type("The tug leaves at seven [[say Decided: the tug leaves at seven.]]")
    scenario.expect_turns(2, "and one after it")
    code = terminal.leave()
    scenario.expect(code == 0, "the client leaves", code)
    scenario.settle()
    scenario.expect_turns(2, "and no further notes in the end")
    written = "".join(map(client.read, glob.glob(os.path.join(home.vault, "tars", "**", "*.md"), recursive=True)))
    scenario.expect("leaves at six" in written and "leaves at seven" in written, "the turns around the pause are noted")
    scenario.expect("contract" not in written, "and nothing said during the pause")


def bodies(scenario):
    return [request["body"] or {} for request in scenario.api.requests()]


SCENARIOS = [remembers, notes, sessions, leaves_nothing, installs, endings, helps, hangs, skills, install.fetches]


# The other clients, each with a module of its own.
OTHERS = {"codex": codex, "gemini": gemini, "openclaw": openclaw, "opencode": opencode}


def run(options, folder):
    """Plays the scenarios of Claude Code. Returns the numbers of passed and failed ones."""
    program = os.path.abspath(options.client) if options.client else client.install(folder, options.version or client.VERSION)
    return play_all(options, SCENARIOS, (MessagesApi, Scenario), program, folder)


def main():
    repository = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", metavar="CLIENT", choices=["claude-code", *OTHERS], default="claude-code")
    parser.add_argument("--bin", default=os.path.join(repository, "target/release/tars"))
    parser.add_argument("--models")
    parser.add_argument("--plugin", default=repository)
    parser.add_argument("--client")
    parser.add_argument("--version")
    parser.add_argument("--only", type=int, action="append", choices=range(1, len(SCENARIOS) + 1))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.plugin = os.path.abspath(options.plugin)
    if not os.access(options.bin, os.X_OK):
        parser.error(f"{options.bin} does not exist: cargo build --release, or --bin PATH")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="tars-client-")
    try:
        # A folder of its own, so that hooks find no other programs beside it.
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(os.path.abspath(options.bin), os.path.join(folder, "bin", "tars"))
        passed, failed = OTHERS[options.name].run(options, folder) if options.name in OTHERS else run(options, folder)
    except client.Unavailable as reason:
        print(f"skipped: {reason}")
        sys.exit(0)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
