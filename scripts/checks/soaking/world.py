"""A home with a vault, in which tars runs with kills and failing system calls."""

import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

TIMEOUT = 120
MEMORY = "tars"
# The system calls that can fail or be interrupted: those on files. Calls for threads and memory are left alone.
CALLS = [
    "openat", "write", "pwrite64", "read", "pread64", "fsync", "fdatasync", "ftruncate", "renameat", "renameat2", "rename",
    "unlinkat", "unlink", "mkdirat", "mkdir", "flock", "fcntl", "newfstatat", "statx", "getdents64", "fchmod", "linkat",
    "mmap", "lseek",
]
ERRORS = {
    "openat": ["EIO", "EMFILE", "ENOSPC"],
    "write": ["EIO", "ENOSPC"],
    "pwrite64": ["EIO", "ENOSPC"],
    "read": ["EIO"],
    "pread64": ["EIO"],
    "fsync": ["EIO", "ENOSPC"],
    "fdatasync": ["EIO", "ENOSPC"],
    "ftruncate": ["EIO"],
    "renameat": ["EIO", "ENOSPC"],
    "renameat2": ["EIO", "ENOSPC", "EINVAL"],
    "rename": ["EIO"],
    "unlinkat": ["EIO"],
    "unlink": ["EIO"],
    "mkdirat": ["EIO", "ENOSPC"],
    "mkdir": ["EIO", "ENOSPC"],
    "flock": ["EIO"],
    "fcntl": ["EIO"],
    "statx": ["EIO"],
    "newfstatat": ["EIO"],
    "getdents64": ["EIO"],
    "fchmod": ["EIO"],
    "linkat": ["EIO"],
}


class Anomaly(Exception):
    """A broken promise."""


class Tally:
    """Counts of all threads, by scenario."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.anomalies = []

    def add(self, scenario, **counts):
        with self.lock:
            known = self.counts.setdefault(scenario, {})
            for name, count in counts.items():
                known[name] = known.get(name, 0) + count

    def total(self, name):
        return sum(counts.get(name, 0) for counts in self.counts.values())


class Done:
    """The result of a command."""

    def __init__(self, code, out, err, killed, injected):
        self.code, self.out, self.err, self.killed = code, out, err, killed
        # The lines of strace for calls that failed on purpose.
        self.injected = injected

    @property
    def acknowledged(self):
        return self.code == 0 and not self.killed

    @property
    def refused(self):
        """Whether the command itself reported a failure, and was able to."""
        said_elsewhere = any(re.search(r"\bwrite\([012],", call) for call in self.injected)
        # The loader failed before the program began.
        never_began = self.code == 127 or "error while loading shared libraries" in self.err
        return not self.killed and self.code == 2 and not said_elsewhere and not never_began


class World:
    """The home and the vault of one scenario."""

    def __init__(self, options, tally, name):
        self.options, self.tally, self.name = options, tally, name
        self.random = random.Random(f"{options.seed} {name}")
        self.home = tempfile.mkdtemp(prefix=f"tars-soak-{name}-")
        self.root = os.path.join(self.home, "vault")
        self.data = os.path.join(self.home, "data")
        os.makedirs(os.path.join(self.root, MEMORY))
        self.environment = {
            "HOME": self.home,
            "PATH": os.environ.get("PATH", ""),
            "TARS_VAULT": self.root,
            "TARS_DATA_DIR": self.data,
            "TARS_EMBEDDING_PROVIDER": "none",
        }
        # The longest that a command runs before it is killed, in seconds.
        self.longest = options.longest
        self.expected = {}
        self.seen_calls = {}
        self.children = []

    def close(self, keep):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        if not keep:
            shutil.rmtree(self.home, ignore_errors=True)

    # Files

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def person_writes(self, note, text):
        """Writes one of the user's own notes, which tars must not change."""
        path = self.path(note)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        beside = os.path.join(os.path.dirname(path), ".editor")
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
        self.expected[note] = digest(path)

    def memory(self):
        """Returns the text of all notes in the memory folder."""
        texts = []
        for folder, _, names in os.walk(self.path(MEMORY)):
            for name in names:
                if name.endswith(".md"):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        texts.append(file.read())
        return "\n".join(texts)

    def leftovers(self):
        """Returns the files that a successful command should not leave behind."""
        found = []
        for folder, folders, names in os.walk(self.home):
            for name in folders + names:
                left = (
                    (name.startswith(".tars-") and name != ".tars-folder")
                    or name.endswith(".part")
                    or name.startswith(".pull-")
                    or "(conflict " in name
                )
                # The spool keeps the part of a turn that was being written: it is removed after an hour.
                in_spool = os.path.basename(folder) == "spool"
                if left and not in_spool:
                    found.append(os.path.relpath(os.path.join(folder, name), self.home))
        return found

    # Commands

    def start(self, *arguments, text=""):
        child = subprocess.Popen(
            [self.options.bin, *arguments], env=self.environment, cwd=self.home, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )
        self.children = [known for known in self.children if known.poll() is None] + [child]
        return child

    def tars(self, *arguments, text="", codes=(0, 1)):
        """Runs a command without a kill or a fault."""
        done = self.wait(self.start(*arguments), text)
        if done.code not in codes:
            raise Anomaly(f"tars {' '.join(arguments)} ended with {done.code}: {done.err.strip()}")
        return done

    def wait(self, child, text="", after=None):
        killed = False
        if after is not None:
            timer = threading.Timer(after, lambda: end(child))
            timer.start()
        try:
            out, err = child.communicate(text, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            end(child)
            child.wait()
            raise Anomaly(f"{' '.join(map(str, child.args))} hangs") from None
        finally:
            if after is not None:
                timer.cancel()
        killed = child.returncode == -signal.SIGKILL
        done = Done(child.returncode, out, err, killed, [])
        self.check_exit(child.args, done)
        return done

    def disturbed(self, *arguments, text=""):
        """Runs a command with a kill or a fault, unless it ends before."""
        kind = self.random.random()
        if kind < 0.3 or not self.options.strace:
            pause = self.random.random() ** 2 * self.longest
            done = self.wait(self.start(*arguments), text, pause)
            self.tally.add(self.name, cases=1, kills=int(done.killed))
            return done
        known = self.seen_calls.get(arguments[0])
        if known is None or self.random.random() < 0.02:
            return self.counted(arguments, text)
        call = self.random.choice([call for call in known if known[call]])
        when = self.random.randint(1, known[call] + 1)
        if kind < 0.5:
            what, is_kill = f"{call}:signal=KILL:when={when}", True
        else:
            error = self.random.choice(ERRORS.get(call, ["EIO"]))
            lasting = "+" if error in ("ENOSPC", "EMFILE") and self.random.random() < 0.5 else ""
            what, is_kill = f"{call}:error={error}:when={when}{lasting}", False
        done = self.traced(arguments, text, ["-e", f"trace={call}", "-e", f"inject={what}"])
        done.what = what
        self.tally.add(self.name, cases=1, kills=int(is_kill and done.killed), faults=int(not is_kill and bool(done.injected)))
        return done

    def counted(self, arguments, text):
        """Runs a command and counts its system calls."""
        done = self.traced(arguments, text, ["-e", f"trace={','.join(CALLS)}"])
        counts = {}
        for line in done.log.splitlines():
            found = re.match(r"(?:\d+ +)?(\w+)\(", line)
            if found and found[1] in CALLS:
                counts[found[1]] = counts.get(found[1], 0) + 1
        counts.pop("mmap", None)
        self.seen_calls[arguments[0]] = counts
        self.tally.add(self.name, cases=1)
        return done

    def traced(self, arguments, text, options):
        log = os.path.join(self.home, "strace.log")
        command = ["strace", "-f", "-qq", "-o", log, *options, self.options.bin, *arguments]
        child = subprocess.Popen(
            command, env=self.environment, cwd=self.home, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )
        self.children = [known for known in self.children if known.poll() is None] + [child]
        try:
            out, err = child.communicate(text, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            end(child)
            child.wait()
            raise Anomaly(f"{' '.join(command)} hangs") from None
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read()
        injected = [line for line in lines.splitlines() if "(INJECTED)" in line]
        code = child.returncode
        killed = code in (-signal.SIGKILL, 128 + signal.SIGKILL) or "+++ killed by SIGKILL" in lines
        done = Done(code, out, err, killed, injected)
        done.log = lines
        self.check_exit(command, done)
        return done

    def check_exit(self, command, done):
        """Checks that a command ended with a documented exit code and without a panic, whatever happened to it."""
        command = " ".join(map(str, command))
        if "panicked at" in done.err or "RUST_BACKTRACE" in done.err:
            raise Anomaly(f"{command} panicked: {done.err.strip()}")
        if not done.killed and done.code not in (0, 1, 2, 127, 130):
            raise Anomaly(f"{command} ended with {done.code}: {done.err.strip()}")

    # Promises

    def check_notes(self):
        for note, known in self.expected.items():
            if digest(self.path(note)) != known:
                raise Anomaly(f"tars changed the user's note {note}")

    def check_leftovers(self):
        left = self.leftovers()
        if left:
            raise Anomaly(f"left over: {', '.join(left)}")

    def check_index(self):
        """Checks that the index answers like a fresh one."""
        self.tars("index")
        shutil.rmtree(os.path.join(self.home, "fresh"), ignore_errors=True)
        self.tars("--data-dir", os.path.join(self.home, "fresh"), "index")
        grown, fresh = self.answers(self.data), self.answers(os.path.join(self.home, "fresh"))
        wrong = [question for (question, one), (_, other) in zip(grown, fresh) if one != other]
        if wrong:
            raise Anomaly(f"the index answers differently from a fresh one: {', '.join(wrong)}")

    def answers(self, data):
        questions = ["seen in the north", "fish near the shore", "otter", "walrus", "fact", "note 7"]
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        found = []
        # With this limit every chunk of the vault is a candidate.
        done = self.tars("--data-dir", data, "search", "--batch", "-", "-n", "1000", "--no-sync", "--json", text=lines)
        for line in done.out.splitlines():
            answer = json.loads(line)
            hits = [(hit["score"], hit["path"], hit["start_line"], hit["end_line"]) for hit in answer["results"]]
            found.append((answer["query"], hits))
        return found


def end(child):
    """Kills a child and its process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def until(holds, what, timeout=TIMEOUT):
    deadline = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > deadline:
            raise Anomaly(f"timed out: {what}")
        time.sleep(0.02)
