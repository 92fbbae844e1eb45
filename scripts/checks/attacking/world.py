"""A home with a vault, secrets to keep, and a place outside of the vault that nothing may touch."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from checks.attacking.case import Defect
from checks.attacking.junk import password

# Output of a program that broke instead of refusing.
BROKEN = (b"panicked at", b"RUST_BACKTRACE", b"stack overflow", b"memory allocation of", b"because of a fault in tars")
MEMORY = "# Memory\n\n## Facts\n\n- The router is at 192.168.1.1\n- Tea is kept in the pantry\n- The boat Linnea lies in Kappeln\n"


class Done:
    """The result of a command."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds


class World:
    """The home and the vault of one door."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        self.home = os.path.realpath(tempfile.mkdtemp(prefix=f"tars-doors-{name}-"))
        self.root, self.data = os.path.join(self.home, "vault"), os.path.join(self.home, "data")
        self.patience = options.patience
        words = random.Random(f"{options.seed} {name}")
        # Words that stand in private places alone, and passwords. No answer may contain them, unless the request did.
        self.private = ["quagga" + "".join(words.choice("bdfgklmnprstvw") for _ in range(6)) for _ in range(4)]
        self.secrets = [password(words) for _ in range(3)]
        self.outside = "outsider" + password(words)
        self.environment = {
            "HOME": self.home, "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "TARS_VAULT": self.root, "TARS_DATA_DIR": self.data,
            "XDG_RUNTIME_DIR": os.path.join(self.home, "run"), "TARS_EMBEDDING_PROVIDER": "none", "TARS_MCP_DAILY_WRITES": "10000",
            "RUST_BACKTRACE": "0",
        }
        self.children = []
        self.build()
        self.known = self.state()
        self.logs = {}

    def build(self):
        private, secrets = self.private, self.secrets
        os.makedirs(os.path.join(self.home, "run"), mode=0o700)
        self.write("Boat.md", "---\ntags: [home, water]\n---\n# Boat\n\nThe boat Linnea lies in Kappeln. Its hull number is SE-4471.\n\n"
            "## Paint\n\nThe hull is blue.\n")
        self.write("Boiler.md", "# Boiler\n\nThe boiler valve leaks when cold.\n\n## Pressure\n\nKeep it at 1.5 bar.\n\n![[valve.png]]\n")
        self.write("Garden/Quinces.md", "---\ntags: [home]\n---\n# Quinces\n\nThe quinces are ripe in October. See [[Boat]].\n")
        self.write("Diary.md", f"---\ntars: private\n---\n# Diary\n\nThe {private[0]} knows about the boiler.\n")
        self.write("Router.md",
            f"# Router\n\nThe boiler pump.\n\npassword: {secrets[0]}\n\n<private>\nThe {private[1]} sleeps.\n</private>\n")
        self.write("tars/Memory.md",
            MEMORY + f"- The cabin <private>belongs to {private[2]}</private> in part\n- wifi password: {secrets[1]}\n")
        self.write("tars/Procedural.md", "# Procedural\n\n- Answer in short sentences\n")
        self.write("tars/context/hidden.md", f"---\ntars: private\n---\n# Hidden\n\n- The {private[3]} is called Tusk\n")
        self.write("tars/context/boat.md", "# Boat\n\n- The boat needs paint\n")
        with open(os.path.join(self.root, "valve.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + bytes(64))
        outside = os.path.join(self.home, "outside")
        os.makedirs(outside)
        for name in ("secret.md", "secret"):
            with open(os.path.join(outside, name), "w", encoding="utf-8") as file:
                file.write(f"# Secret\n\nThe {self.outside} boiler.\n")
        os.symlink(os.path.join(outside, "secret.md"), os.path.join(self.root, "Link.md"))
        os.symlink(outside, os.path.join(self.root, "linked"))

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def memory(self):
        """Returns the text of the whole memory folder."""
        return "\n".join(file_text(path) for path in files(os.path.join(self.root, "tars")))

    # Commands

    def start(self, *arguments, program=None, environment=None, **pipes):
        child = subprocess.Popen(
            [program or self.options.bin, *arguments], env={**self.environment, **(environment or {})}, cwd=self.home,
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}, start_new_session=True,
        )
        self.children = [known for known in self.children if known.poll() is None] + [child]
        return child

    def run(self, case, *arguments, data=b"", seconds=15, codes=(0, 1, 2), program=None, environment=None):
        """Runs a command, which must end in time, with a documented code and without a panic."""
        case.note("ran", " ".join(map(short_argument, arguments)))
        if data:
            case.note("stdin", data)
        begun, limit = time.monotonic(), seconds * self.patience
        child = self.start(*arguments, program=program, environment=environment)
        try:
            out, err = child.communicate(data, timeout=limit)
        except subprocess.TimeoutExpired:
            end(child)
            out, err = child.communicate()
            case.note("stderr", err)
            raise Defect(f"it runs longer than {limit:.0f} s") from None
        done = Done(child.returncode, out, err, time.monotonic() - begun)
        case.note("exit", str(done.code))
        case.note("stdout", out)
        case.note("stderr", err)
        check_output(err)
        check_output(out)
        case.expect(done.code in codes, f"it ended with {done.code}")
        return done

    def tars(self, *arguments):
        """Runs a command that must succeed, to prepare something."""
        done = subprocess.run([self.options.bin, *arguments], env=self.environment, cwd=self.home, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"tars {' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    # Promises

    def state(self):
        """Returns the name and the hash of each file outside of the memory folder and of the data directory."""
        found = {}
        for top in (self.root, os.path.join(self.home, "outside")):
            for folder, folders, names in os.walk(top):
                if folder == self.root:
                    folders[:] = [name for name in folders if name != "tars"]
                for name in folders + names:
                    path = os.path.join(folder, name)
                    is_plain = os.path.isfile(path) and not os.path.islink(path)
                    found[path] = digest(path) if is_plain else os.readlink(path) if os.path.islink(path) else "folder"
        return found

    def check_notes(self):
        now = self.state()
        if now != self.known:
            changed = sorted(path for path in {*now, *self.known} if now.get(path) != self.known.get(path))
            self.known = now
            raise Defect(f"files outside of the memory folder changed: {', '.join(changed)}")
        with os.scandir(self.home) as entries:
            strange = {entry.name for entry in entries} - {"vault", "data", "outside", "run", ".config", ".cache", ".local", "work"}
        if strange:
            raise Defect(f"new files in the home: {', '.join(sorted(strange))}")

    def leaked(self, answer, sent=b"", may_show=()):
        """Returns what an answer shows and must not: private words, passwords, text from outside of the vault."""
        data, sent = as_bytes(answer), as_bytes(sent)
        kept = [*self.private, *self.secrets, self.outside, "root:x:0:0"]
        return [word for word in kept if word.encode() in data and word.encode() not in sent and word not in may_show]

    def check_answer(self, answer, sent=b"", may_show=()):
        leaked = self.leaked(answer, sent, may_show)
        if leaked:
            raise Defect(f"it shows {', '.join(leaked)}")

    def check_logs(self):
        """Checks what background processes have logged since the last call."""
        for path in files(self.data):
            if not path.endswith(".log"):
                continue
            with open(path, "rb") as file:
                file.seek(self.logs.get(path, 0) if os.path.getsize(path) >= self.logs.get(path, 0) else 0)
                new = file.read()
                self.logs[path] = file.tell()
            if b"panicked" in new or b"src/" in new and b".rs:" in new and b"ERROR" in new:
                raise Defect(f"{os.path.basename(path)} says: {new.decode(errors='replace')[-600:]}")

    def kept(self, *words):
        """Returns the files of the memory folder and of the data directory that contain one of these words."""
        places = [*files(os.path.join(self.root, "tars")), *files(self.data)]
        return [os.path.relpath(path, self.home) for path in places if any(word.encode() in file_bytes(path) for word in words)]

    # The end

    def processes(self):
        """Returns the processes that belong to this world, by their environment."""
        found = []
        mark = f"TARS_DATA_DIR={self.data}".encode()
        for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
            if name.isdigit() and int(name) != os.getpid():
                try:
                    with open(f"/proc/{name}/environ", "rb") as file:
                        if mark in file.read().split(b"\0"):
                            found.append(int(name))
                except OSError:
                    pass
        return found

    def close(self, keep):
        for child in self.children:
            if child.poll() is None:
                end(child)
                child.wait()
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        if not keep:
            shutil.rmtree(self.home, ignore_errors=True)


def end(child):
    """Kills a child and its process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


class Lines:
    """Reads a stream on a thread of its own, so that no pipe fills up."""

    def __init__(self, stream):
        self.lines, self.news, self.ended = [], threading.Condition(), False
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            with self.news:
                self.lines.append(line)
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def text(self):
        with self.news:
            return b"".join(self.lines)


def check_output(data):
    for mark in BROKEN:
        if mark in data:
            place = data.index(mark)
            raise Defect(f"it broke: {data[max(0, place - 200):place + 400].decode(errors='replace')}")


def files(folder):
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]


def file_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def file_text(path):
    return file_bytes(path).decode(errors="replace")


def digest(path):
    return hashlib.sha256(file_bytes(path)).hexdigest()


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode(errors="surrogatepass") if isinstance(content,
        str) else json.dumps(content, ensure_ascii=False).encode(errors="surrogatepass")


def short_argument(argument):
    return argument if len(argument) < 200 else f"{argument[:100]}…({len(argument)})"
