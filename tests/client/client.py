"""The real client in a home of its own: its installation, prompts, terminals and processes."""

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
# The version with which the samples were taken and the scenarios tested.
VERSION = "2.1.330"
KEY = "key-for-nobody"
ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# Processes of a test have this variable in their environment.
MARK = "TARS_TEST_CLIENT"


class Unavailable(Exception):
    """The reason why no client is available on this machine."""


def install(folder, version=VERSION, package=PACKAGE, program="node_modules/{package}-*/claude"):
    """Installs the client into a folder with this machine's npm. Returns its program, which lies there at a path of this form."""
    fetch(folder, f"{package}@{version}")
    for found in sorted(glob.glob(os.path.join(folder, program.format(package=package)))):
        try:
            subprocess.run([found, "--version"], env={"HOME": folder}, capture_output=True, check=True, timeout=60)
            return found
        except (OSError, subprocess.SubprocessError):
            continue
    raise Unavailable("there is no client for this system in the package")


def fetch(folder, *packages):
    """Installs packages into a folder with this machine's npm."""
    npm = shutil.which("npm")
    if not npm:
        raise Unavailable("npm is not installed")
    # The package's install scripts only move its program.
    flags = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    command = [npm, "install", "--prefix", folder, *flags, *packages]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise Unavailable("npm did not end within ten minutes") from None
    if done.returncode != 0:
        reasons = [line for line in done.stderr.splitlines() if "code" in line] or ["without a reason"]
        raise Unavailable(f"npm could not install {' and '.join(packages)} ({reasons[0].strip()})")


class Home:
    """A home of its own with projects, a vault and the client's files. It finds and ends all its processes."""

    # The path of requests to the API.
    path = "/v1/messages"

    def __init__(self, program, api, paths, variables):
        self.program = program
        self.api = api
        # Short, because it contains sockets, and without links, because the client names folders after the path.
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
            MARK: self.folder,
            **self.variables(),
            **variables,
        }
        self.terminals = []

    def variables(self):
        """Returns the variables that the client needs."""
        return {
            "ANTHROPIC_BASE_URL": self.api.address,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def project(self, name):
        """Makes a project that the client trusts. Returns its folder."""
        folder = os.path.join(self.folder, "projects", name)
        os.makedirs(folder)
        with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as readme:
            readme.write(f"# {name}\n")
        self.run(["git", "init", "-q"], folder)
        self.trust(folder)
        return folder

    def trust(self, folder):
        """Tells the client that the person trusts a project."""
        settings = os.path.join(self.folder, ".claude.json")
        known = {}
        if os.path.exists(settings):
            with open(settings, encoding="utf-8") as file:
                known = json.load(file)
        # Without these a terminal starts with a tour, which calls a real host.
        known["hasCompletedOnboarding"] = True
        known["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        known.setdefault("projects", {})[folder] = {"hasTrustDialogAccepted": True}
        with open(settings, "w", encoding="utf-8") as file:
            json.dump(known, file)

    def run(self, command, folder=None, text="", timeout=60):
        """Runs a command and returns its result."""
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
        """Runs the client and returns its result."""
        return self.run([self.program, *arguments], folder, **others)

    def prompt_command(self, prompt, *arguments):
        return [self.program, "-p", prompt, "--allowedTools", "Bash", "Write", "Read", *arguments]

    def prompt(self, folder, prompt, *arguments, **others):
        """Sends one prompt and waits for the answer."""
        return self.run(self.prompt_command(prompt, *arguments), folder, **others)

    def start(self, folder, prompt, *arguments):
        """Sends one prompt without waiting for the answer."""
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
        """Opens the client in a terminal, as a person does."""
        allowed = ["--permission-mode", "default", "--allowedTools", "Bash", "Write", "Read"]
        terminal = Terminal([self.program, *arguments, *allowed], folder, self.environment)
        self.terminals.append(terminal)
        return terminal

    def requests(self, words, since=0):
        """Returns the bodies of the requests for a prompt that contains these words."""
        found = []
        for request in self.api.requests(since):
            body = request["body"] or {}
            if request["path"].partition("?")[0] == self.path:
                if body.get("tools") and words in self.api.asked(body):
                    found.append(body)
        return found

    def processes(self, marked=False):
        """Returns (id, command) of all processes of this home. `marked` leaves out those that only name its folder."""
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
        """Ends the remaining processes, each by its id, and removes the folder."""
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
    """Returns a file as text; an empty text if it is gone or unreadable."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


class Terminal:
    """The client in a pseudo-terminal, driven by typing."""

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
        """Returns all output so far, without colours and cursor movements."""
        return ESCAPES.sub("", self.output.decode("utf-8", "replace"))

    def ready(self, seconds=30, mark="❯"):
        """Waits for the client's prompt. Returns whether it came."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            before = len(self.output)
            time.sleep(0.7)
            if mark in self.screen() and len(self.output) == before:
                return True
        return False

    def type(self, line):
        """Types a line, then Enter after a pause: the client takes text that arrives at once for a paste."""
        os.write(self.master, line.encode())
        time.sleep(0.7)
        os.write(self.master, b"\r")

    def leave(self, seconds=20):
        """Leaves with /exit. Returns the exit code; None if the client did not end."""
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
