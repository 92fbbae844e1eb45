#!/usr/bin/env python3
"""Drives `tars chat` with a real small language model: SmolLM2-135M-Instruct in a llama.cpp server on the loopback interface.

Usage: scripts/checks/chat [OPTIONS]

  --bin PATH       the program (default: target/release/tars, built with `cargo build --release`)
  --packages DIR   where pip installs the model and its server, 240 MB (default: target/test-chat; kept, so that the next run is quick)
  --only NAME      only this part, may be repeated: answer, stream, stop, killed, compact, tools, terminal, notes, overflow

The model's answers are poor, and no part reads them: the point is that nothing breaks. So each part checks that the model was asked and
that its server accepted each request, how the program ended, and what stands in the conversation, in the notes and on the screen.
Exit codes: 0 all passed, or the packages cannot be installed ("skipped" says why), 1 some failed, 2 another error.

Connects to no host but 127.0.0.1 and those of pip. Ends all processes that it started.
"""

import argparse
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

from model import Model, Unavailable, install  # noqa: E402

# The window of the model, in tokens, and a smaller one that a conversation exceeds.
WINDOW, SMALL_WINDOW = 8192, 2048
# Seconds that a command may take on a slow machine; never an expectation of speed.
TIMEOUT = 600
STORY = "Tell me a long story about a boat, a harbour and a storm."
NOTES = {
    "Boat.md": "# Boat\n\nThe boat Linnea lies in Kappeln. Its hull number is SE-4471.\n",
    "tars/Memory.md": "# Memory\n\n## Facts\n\n- The boat Linnea has a red hull\n",
}
SESSION = "0b6a7c1e-0000-4000-8000-000000000001"


class Failure(Exception):
    """A part cannot go on."""


class World:
    """A vault in a home of its own, and the model."""

    def __init__(self, program, installed, window):
        self.program = program
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="tars-chat-"))
        self.vault = os.path.join(self.home, "vault")
        self.data = os.path.join(self.home, ".local", "share", "tars")
        for name, text in NOTES.items():
            path = os.path.join(self.vault, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.environment = {"HOME": self.home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TERM": "xterm", "TZ": "UTC"}
        self.failed = 0
        self.model = Model(installed, window, os.path.join(self.home, "model.log"))
        self.tars("init", self.vault)
        settings = {"embedding.provider": "none", "chat.provider": "openai", "chat.model": "smollm2",
                    "chat.base_url": self.model.address, "chat.prompt_tokens": "500"}
        for key, value in settings.items():
            self.tars("config", "set", key, value)
        self.tars("index")

    def tars(self, *arguments, codes=(0,)):
        """Runs a command without a terminal. Returns what it printed on both streams."""
        command = [self.program, *arguments]
        done = subprocess.run(command, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode not in codes:
            raise Failure(f"tars {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout, done.stderr

    def start(self, *arguments):
        """Starts a command whose standard output is a terminal: to another program an answer goes when it is whole."""
        command = [self.program, *arguments]
        shown, terminal = pty.openpty()
        process = subprocess.Popen(
            command, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE
        )
        os.close(terminal)
        process.shown = shown
        return process

    def expect(self, holds, what, seen=""):
        self.failed += not holds
        shown = f" ({seen})" if seen != "" and (not holds or len(str(seen)) < 60) else ""
        print(f"  {'ok    ' if holds else 'FAILED'}  {what}{shown}", flush=True)

    def expect_accepted(self, since, least=1):
        asked = self.model.asked(since)
        statuses = [status for _, status in asked]
        self.expect(len(asked) >= least and set(statuses) == {200}, "the server accepted each request", statuses)

    def mark(self):
        return len(self.model.answered)

    def conversation(self):
        """The entries of the newest conversation, after a check that each line is whole."""
        folder = os.path.join(self.data, "conversations")
        newest = max(os.scandir(folder), key=lambda file: file.stat().st_mtime_ns)
        return [json.loads(line) for line in lines_of(newest.path)]

    def memory(self):
        """The text of all files of the memory folder."""
        texts = []
        for folder, _, files in os.walk(os.path.join(self.vault, "tars")):
            texts += ["\n".join(lines_of(os.path.join(folder, name))) for name in sorted(files)]
        return "\n".join(texts)

    def close(self):
        self.model.close()
        for line in lines_of(os.path.join(self.home, "model.log")):
            if "assert" in line.lower() or "segmentation" in line.lower():
                self.expect(False, "the model's server worked", line)
        shutil.rmtree(self.home, ignore_errors=True)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def kinds(entries):
    return [entry["kind"] for entry in entries if entry["kind"] != "noted"]


def pieces_of(process, least):
    """Reads the terminal until so many bytes were seen or the program ends. Returns the pieces."""
    pieces, end = [], time.monotonic() + TIMEOUT
    while sum(map(len, pieces)) < least and time.monotonic() < end:
        if select.select([process.shown], [], [], 1)[0]:
            try:
                piece = os.read(process.shown, 65536)
            except OSError:
                # The program has closed the terminal.
                break
            if not piece:
                break
            pieces.append(piece)
    return pieces


def answer(world):
    """one question, and a second one in the same conversation"""
    since = world.mark()
    said, told = world.tars("chat", "--no-tools", "Where does the boat lie?")
    world.expect(said.strip() != "", "an answer on standard output", said.strip()[:50])
    world.expect("\x1b" not in said and "\x00" not in said, "it has no control characters")
    world.expect("panicked" not in told, "nothing panicked", told)
    before = world.conversation()
    world.expect(kinds(before) == ["user", "assistant"], "the conversation holds both", kinds(before))
    world.tars("chat", "--no-tools", "--continue", "And what is its hull number?")
    after = world.conversation()
    world.expect(kinds(after) == ["user", "assistant"] * 2 and after[0] == before[0], "--continue goes on with it", kinds(after))
    body = world.model.asked(since)[-1][0]
    texts = [message["content"] for message in body["messages"]]
    world.expect(any(before[1]["text"][:40] in str(text) for text in texts), "the model gets its first answer again")
    world.expect_accepted(since, 2)


def stream(world):
    """an answer arrives in pieces, while the model still writes"""
    since = world.mark()
    process = world.start("chat", "--plain", "--no-tools", STORY)
    pieces = pieces_of(process, 1)
    running = process.poll() is None
    pieces += pieces_of(process, 1 << 20)
    world.expect(running and len(pieces) > 3, "several pieces, the first one before the end", len(pieces))
    world.expect(process.wait(TIMEOUT) == 0, "it ends with 0", process.stderr.read().decode())
    said = b"".join(pieces).decode()
    kept = world.conversation()[-2 if world.conversation()[-1]["kind"] == "noted" else -1]["text"]
    world.expect(" ".join(said.split()) == " ".join(kept.split()), "the conversation holds the same text", kept[:50])
    world.expect_accepted(since)


def stop(world):
    """Ctrl-C in an answer, and a further message"""
    since = world.mark()
    process = world.start("chat", "--plain", "--no-tools", STORY)
    pieces_of(process, 20)
    process.send_signal(signal.SIGINT)
    code = process.wait(TIMEOUT)
    world.expect(code == 130, "it ends with 130", code)
    entries = [entry for entry in world.conversation() if entry["kind"] == "assistant"]
    world.expect(entries and entries[-1].get("stopped") is True, "the conversation says that it was stopped")
    world.expect(entries and entries[-1]["text"].strip() != "", "it holds the beginning of the answer")
    world.tars("chat", "--no-tools", "--continue", "Thank you, that is enough.")
    world.expect(kinds(world.conversation()) == ["user", "assistant"] * 2, "the conversation goes on", kinds(world.conversation()))
    world.expect_accepted(since, 2)


def killed(world):
    """kill -9 in an answer, and --continue"""
    since = world.mark()
    process = world.start("chat", "--plain", "--no-tools", STORY)
    pieces_of(process, 20)
    process.kill()
    process.wait()
    world.expect(kinds(world.conversation()) == ["user"], "the message is on disk", kinds(world.conversation()))
    world.tars("chat", "--no-tools", "--continue", "Where were we?")
    seen = kinds(world.conversation())
    world.expect(seen == ["user", "user", "assistant"], "the conversation goes on", seen)
    world.expect_accepted(since, 2)


def compact(world):
    """a conversation that becomes long is summed up"""
    since = world.mark()
    world.environment["TARS_CHAT_COMPACT_MESSAGES"] = "6"
    told = world.tars("chat", "--no-tools", "Good morning. We sail to Kappeln.")[1]
    for number in range(2, 6):
        told += world.tars("chat", "--no-tools", "--continue", f"This is message {number}. Say a word about the wind.")[1]
    del world.environment["TARS_CHAT_COMPACT_MESSAGES"]
    entries = world.conversation()
    summaries = [entry for entry in entries if entry["kind"] == "summary"]
    world.expect(summaries and summaries[-1]["text"].strip() != "", "the conversation holds a summary", told)
    last = [body for body, _ in world.model.asked(since) if body.get("stream")][-1]
    world.expect(len(last["messages"]) < 2 * 5, "the last request is shorter than the conversation", len(last["messages"]))
    world.expect_accepted(since, 6)


def tools(world):
    """a question with all tools, which the model may call or not"""
    since = world.mark()
    said, told = world.tars("chat", "Use a tool to look up the hull number of the boat.", codes=(0,))
    world.expect("panicked" not in told, "nothing panicked", told)
    offered = world.model.asked(since)[0][0].get("tools", [])
    world.expect(len(offered) > 5, "the server got the tools", len(offered))
    entries = world.conversation()
    calls = sum(len(entry.get("calls", [])) for entry in entries)
    results = sum(entry["kind"] == "tool" for entry in entries)
    world.expect(calls == results, "each call has a result", f"{calls} and {results}")
    world.expect_accepted(since)


def terminal(world):
    """a conversation at a terminal, with facts by the model at its end"""
    since = world.mark()
    screen = Screen(world, "chat", "--no-tools")
    screen.keys(STORY.encode() + b"\r")
    screen.wait_for(STORY[-10:].encode())
    screen.wait_for_more(60)
    screen.keys(b"\x03")
    screen.ready()
    world.expect(b"stopped" in screen.said, "Ctrl-C stops an answer")
    screen.type("The boat Linnea is moored in Kappeln behind the old mill. It goes to Flensburg in May.")
    for command in ("/context", "/stats", "/help"):
        before = screen.length()
        screen.type(command)
        world.expect(screen.length() > before + len(command) + 20, f"{command} prints something")
    code = screen.leave()
    shown = screen.said.decode(errors="replace")
    world.expect(code == 0, "it ends with 0", shown[-300:])
    world.expect("noted in tars/sessions/" in shown, "the conversation is noted", shown[-300:])
    world.expect("panicked" not in shown, "nothing panicked", shown[-300:])
    own = [body for body, _ in world.model.asked(since) if not body.get("stream")]
    world.expect(len(own) >= 2, "the model was asked for facts and for proposals", len(own))
    world.expect(all("tools" not in body for body in own), "those requests have no tools")
    world.expect_accepted(since, 4)


def notes(world):
    """the notes of an agent's session, by the model"""
    since = world.mark()
    settings = {"TARS_SUMMARY_PROVIDER": "openai", "TARS_SUMMARY_MODEL": "smollm2", "TARS_SUMMARY_BASE_URL": world.model.address}
    world.environment.update(settings)
    transcript = os.path.join(world.home, "session.jsonl")
    said = [("why does the upload stop", "The root cause was the timer, which overflowed after 49 days."),
            ("deploy it", "Production runs the new timer. Staging still needs a restart.")]
    with open(transcript, "w", encoding="utf-8") as file:
        for number, (request, closing) in enumerate(said):
            common = {"sessionId": SESSION, "cwd": "/nowhere/photo-service", "timestamp": f"2026-03-15T10:0{number}:00.000Z"}
            asked = {**common, "type": "user", "uuid": f"u{number}", "promptId": f"{number}aaaaa", "message": {"role": "user", "content": request}}
            content = [{"type": "text", "text": closing}]
            told = {**common, "type": "assistant", "uuid": f"a{number}", "message": {"role": "assistant", "content": content, "stop_reason": "end_turn"}}
            file.write(json.dumps(asked) + "\n" + json.dumps(told) + "\n")
    spooled = {"event": "SessionEnd", "session": SESSION, "transcript": transcript, "transcript_length": os.path.getsize(transcript),
               "directory": "/nowhere/photo-service", "prompt_id": "1aaaaa", "last_message": "", "at": "2026-03-15T10:30:00Z"}
    spool = os.path.join(world.data, "spool")
    os.makedirs(spool, exist_ok=True)
    with open(os.path.join(spool, "1-1.json"), "w", encoding="utf-8") as file:
        json.dump(spooled, file)
    told = world.tars("remember", "--finish")[1]
    for name in settings:
        del world.environment[name]
    left = [name for name in os.listdir(spool) if name.endswith(".json")]
    world.expect(left == [], "the event is done", left)
    world.expect("panicked" not in told, "nothing panicked", told)
    day = os.path.join(world.vault, "tars", "2026-03-15.md")
    text = "\n".join(lines_of(day)) if os.path.exists(day) else ""
    world.expect("photo-service" in text and "timer" in text, "the day's log has the session", text[-200:])
    world.expect("<memory" not in text and "untrusted" not in text, "it holds no words of the request to the model", text[-200:])
    world.expect_accepted(since)


def overflow(world):
    """messages that exceed the model's window, and a short one after them"""
    long = "The wind blew from the north and the boat rolled on the long grey waves. " * 60
    codes = [0, 2]
    for number in range(3):
        told = world.tars("chat", "--no-tools", *(["--continue"] if number else []), f"Message {number}. {long}", codes=codes)[1]
    world.expect("panicked" not in told, "nothing panicked", told)
    said, told = world.tars("chat", "--no-tools", "--continue", "Say a word about the wind.", codes=codes)
    world.expect(said.strip() != "", "a short message after them is answered", told.strip()[-200:])


class Screen:
    """A command at a terminal of 100 columns."""

    PROMPT = b"\x1b[?2004h"

    def __init__(self, world, *arguments):
        self.said, self.seen = b"", 0
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
            os.chdir(world.home)
            os.execve(world.program, [world.program, *arguments], world.environment)
        self.ready()

    def length(self):
        return len(self.said)

    def more(self, end):
        if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
            raise Failure(f"the terminal stayed silent after {self.said[-300:]!r}")
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:
            piece = b""
        self.said += piece
        return piece != b""

    def wait_for(self, text):
        """Waits until the text stands behind all that was waited for."""
        end = time.monotonic() + TIMEOUT
        while (at := self.said.find(text, self.seen)) < 0:
            if not self.more(end):
                raise Failure(f"the program ended before {text!r}: {self.said[-300:]!r}")
        self.seen = at + len(text)

    def wait_for_more(self, count):
        """Waits for so many bytes behind all that was waited for."""
        end = time.monotonic() + TIMEOUT
        while len(self.said) < self.seen + count:
            if not self.more(end):
                raise Failure(f"the program ended early: {self.said[-300:]!r}")

    def ready(self):
        self.wait_for(self.PROMPT)

    def keys(self, keys):
        os.write(self.terminal, keys)

    def type(self, line):
        self.keys(line.encode() + b"\r")
        self.ready()

    def leave(self):
        """Presses Ctrl-D and returns the exit code."""
        self.keys(b"\x04")
        end = time.monotonic() + TIMEOUT
        while self.more(end):
            pass
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


PARTS = {part.__name__: part for part in (answer, stream, stop, killed, compact, tools, terminal, notes, overflow)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "target", "release", "tars"))
    parser.add_argument("--packages", default=os.path.join(ROOT, "target", "test-chat"))
    parser.add_argument("--only", action="append", choices=list(PARTS))
    options = parser.parse_args()
    if not os.access(options.bin, os.X_OK):
        print(f"{options.bin} does not exist: cargo build --release, or --bin PATH", file=sys.stderr)
        return 2
    try:
        installed = install(os.path.abspath(options.packages))
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return 0
    failed = 0
    for name in options.only or PARTS:
        print(f"{name}: {PARTS[name].__doc__}", flush=True)
        began = time.monotonic()
        world = World(os.path.abspath(options.bin), installed, SMALL_WINDOW if name == "overflow" else WINDOW)
        try:
            PARTS[name](world)
        except Failure as failure:
            world.expect(False, str(failure))
        finally:
            world.close()
            failed += world.failed
        print(f"  {time.monotonic() - began:.0f} s", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
