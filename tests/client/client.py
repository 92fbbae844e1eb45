"""The real client in a home of its own: its installation, its prompts, its terminal, and what runs on its behalf."""

import fcntl
import glob
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time

PACKAGE = "@anthropic-ai/claude-code"
# What the samples were taken with, and the scenarios tried on.
VERSION = "2.1.330"
KEY = "key-for-nobody"
ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# What runs on behalf of a test holds this variable in its environment.
MARK = "TARS_TEST_CLIENT"


class Unavailable(Exception):
    """Why there is no client to be had here."""


def install(folder, version=VERSION):
    """Installs the client into a folder with npm as it is set up here; returns its program."""
    npm = shutil.which("npm")
    if not npm:
        raise Unavailable("npm is not here")
    # The scripts of the package would only put its program elsewhere.
    flags = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    command = [npm, "install", "--prefix", folder, *flags, f"{PACKAGE}@{version}"]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise Unavailable("npm did not end within ten minutes") from None
    if done.returncode != 0:
        reasons = [line for line in done.stderr.splitlines() if "code" in line] or ["without a reason"]
        raise Unavailable(f"npm could not install {PACKAGE}@{version} ({reasons[0].strip()})")
    for program in sorted(glob.glob(os.path.join(folder, "node_modules", f"{PACKAGE}-*", "claude"))):
        try:
            subprocess.run([program, "--version"], env={"HOME": folder}, capture_output=True, check=True, timeout=60)
            return program
        except (OSError, subprocess.SubprocessError):
            continue
    raise Unavailable("there is no client for this system in the package")


class Home:
    """A home that nothing else uses: projects, a vault, the client's files. All that runs in it can be found and ended."""

    def __init__(self, program, api, paths, variables):
        self.program = program
        self.api = api
        # Short and without links, for sockets lie in it and the client names folders for its path.
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="tars-client-"))
        self.vault = os.path.join(self.folder, "vault")
        self.temporary = os.path.join(self.folder, "tmp")
        for folder in (self.vault, self.temporary):
            os.mkdir(folder)
        self.environment = {
            "HOME": self.folder,
            "PATH": os.pathsep.join([*paths, "/usr/local/bin", "/usr/bin", "/bin"]),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": self.temporary,
            "ANTHROPIC_BASE_URL": api.address,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            MARK: self.folder,
            **variables,
        }
        self.terminals = []

    def project(self, name):
        """Makes a project that the client trusts; returns its folder."""
        folder = os.path.join(self.folder, "projects", name)
        os.makedirs(folder)
        with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as readme:
            readme.write(f"# {name}\n")
        self.run(["git", "init", "-q"], folder)
        settings = os.path.join(self.folder, ".claude.json")
        known = {}
        if os.path.exists(settings):
            with open(settings, encoding="utf-8") as file:
                known = json.load(file)
        # Without these a terminal begins with a tour, which asks a host that is not ours.
        known["hasCompletedOnboarding"] = True
        known["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        known.setdefault("projects", {})[folder] = {"hasTrustDialogAccepted": True}
        with open(settings, "w", encoding="utf-8") as file:
            json.dump(known, file)
        return folder

    def run(self, command, folder=None, text="", timeout=60):
        """Runs a command to its end; returns what it did."""
        return subprocess.run(
            command,
            cwd=folder or self.folder,
            env=self.environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def client(self, folder, *arguments, **others):
        """Runs the client to its end."""
        return self.run([self.program, *arguments], folder, **others)

    def prompt_command(self, prompt, *arguments):
        return [self.program, "-p", prompt, "--allowedTools", "Bash", "Write", "Read", *arguments]

    def prompt(self, folder, prompt, *arguments, **others):
        """Asks one thing and waits for the answer."""
        return self.run(self.prompt_command(prompt, *arguments), folder, **others)

    def start(self, folder, prompt, *arguments):
        """Asks one thing and does not wait."""
        return subprocess.Popen(
            self.prompt_command(prompt, *arguments),
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def terminal(self, folder, *arguments):
        """Opens the client as a person does."""
        allowed = ["--permission-mode", "default", "--allowedTools", "Bash", "Write", "Read"]
        terminal = Terminal([self.program, *arguments, *allowed], folder, self.environment)
        self.terminals.append(terminal)
        return terminal

    def requests(self, words, since=0):
        """Returns the bodies of the requests for an answer to a prompt with these words."""
        found = []
        for request in self.api.requests(since):
            body = request["body"] or {}
            if request["path"].startswith("/v1/messages?") or request["path"] == "/v1/messages":
                if body.get("tools") and words in self.api.asked(body):
                    found.append(body)
        return found

    def processes(self, marked=False):
        """Returns (id, command) of all that runs on behalf of this home; `marked`: without what only names its folder."""
        mark = f"{MARK}={self.folder}"
        found = []
        if os.path.isdir("/proc/self"):
            for name in os.listdir("/proc"):
                if name.isdigit() and int(name) != os.getpid():
                    environment, command = read(f"/proc/{name}/environ"), read(f"/proc/{name}/cmdline")
                    if mark in environment or (self.folder in command and not marked):
                        found.append((int(name), command.replace("\0", " ").strip()))
        else:
            listing = subprocess.run(["ps", "-axEww", "-o", "pid=,command="], capture_output=True, text=True).stdout
            for line in listing.splitlines():
                number, _, command = line.strip().partition(" ")
                named = mark in command or (self.folder in command and not marked)
                if named and int(number) != os.getpid():
                    found.append((int(number), command.split(f" {MARK}=")[0]))
        return found

    def close(self, keep):
        """Ends what still runs here, each by its id, and removes the folder."""
        for terminal in self.terminals:
            terminal.end(signal.SIGKILL)
        for _ in range(50):
            left = self.processes(marked=True)
            for process, _ in left:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not left:
                break
            time.sleep(0.1)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def read(path):
    """Returns a file of the system's as text; empty where it is gone or another's."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


class Terminal:
    """The client in a terminal of its own, driven by what a person would type."""

    def __init__(self, command, folder, environment):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.master = master
        self.output = bytearray()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while True:
            try:
                ready, _, _ = select.select([self.master], [], [], 0.2)
                data = os.read(self.master, 65536) if ready else None
            except (OSError, ValueError):
                return
            if data == b"":
                return
            if data:
                self.output += data

    def screen(self):
        """Returns all that was shown so far, without colours and movements."""
        return ESCAPES.sub("", self.output.decode("utf-8", "replace"))

    def ready(self, seconds=30):
        """Waits for the prompt; false if it does not come."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            before = len(self.output)
            time.sleep(0.7)
            if "❯" in self.screen() and len(self.output) == before:
                return True
        return False

    def type(self, line):
        """Types a line and enters it: apart, for what comes at once is taken for pasted."""
        os.write(self.master, line.encode())
        time.sleep(0.7)
        os.write(self.master, b"\r")

    def leave(self, seconds=20):
        """Leaves as a person does; returns the exit code, `None` if it did not end."""
        self.type("/exit")
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self, number):
        """Ends the client with a signal, and closes the terminal."""
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(30)
        if self.master is not None:
            self.reader.join(1)
            os.close(self.master)
            self.master = None
