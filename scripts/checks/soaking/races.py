"""Scenarios in which other processes replace folders and files while tars works."""

import os
import shutil
import threading
import time

from .commands import Commands
from .world import MEMORY, Anomaly


class Links(Commands):
    """The memory folder is replaced by a link and restored, in a loop: no line is written outside of the vault."""

    def step(self):
        outside = os.path.join(self.home, "outside")
        os.makedirs(outside, exist_ok=True)
        over = threading.Event()
        folder, aside = self.path(MEMORY), self.path("aside")

        def exchange():
            while not over.is_set():
                try:
                    os.rename(folder, aside)
                    os.symlink(outside, folder)
                except OSError:
                    pass
                if os.path.islink(folder):
                    os.unlink(folder)
                while os.path.isdir(aside):
                    try:
                        os.rename(aside, folder)
                    except OSError:
                        shutil.rmtree(folder, ignore_errors=True)

        thread = threading.Thread(target=exchange)
        thread.start()
        try:
            for _ in range(10):
                done = self.wait(self.start("remember", f"The {self.token()} lives here"))
                self.tally.add(self.name, cases=1, acknowledged=int(done.acknowledged), found=int(done.acknowledged))
        finally:
            over.set()
            thread.join()
        if os.listdir(outside):
            raise Anomaly(f"written outside of the vault: {os.listdir(outside)}")
        self.tars("remember", f"The {self.token()} lives here")
        self.settled()
        self.reset()


class Pipes(Commands):
    """A note and an ignore file are replaced by pipes and by links to files outside: nothing hangs, nothing outside is found."""

    def step(self):
        secret = os.path.join(self.home, "outside.md")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("# Outside\n\nThe zanzibarquagga stands outside of the vault.\n")
        over = threading.Event()
        place, beside = self.path("exchanged.md"), self.path(".beside")

        rules = self.path(".gitignore")

        def put(make, place=place):
            if os.path.lexists(beside):
                os.unlink(beside)
            make(beside)
            os.replace(beside, place)

        def note(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"# A note\n\nThe otter came back {time.monotonic()}.\n")

        def exchange():
            while not over.is_set():
                put(note)
                put(os.mkfifo)
                put(note)
                put(lambda path: os.symlink(secret, path))
                put(os.mkfifo, rules)
                put(lambda path: os.symlink("/dev/zero", path), rules)

        thread = threading.Thread(target=exchange)
        thread.start()
        try:
            for _ in range(6):
                self.wait(self.start("index"))
                found = self.wait(self.start("sgrep", "zanzibarquagga", "--json"))
                self.tally.add(self.name, cases=2)
                if "outside.md" in found.out or "stands outside" in found.out:
                    raise Anomaly("a file outside of the vault was indexed")
        finally:
            over.set()
            thread.join()
        for exchanged in (place, rules):
            if os.path.lexists(exchanged):
                os.unlink(exchanged)
        self.check_index()
        self.settled()


class Editors(Commands):
    """An editor saves Memory.md while tars writes it and is killed: the last save exists, in the file or in a conflict copy."""

    def step(self):
        self.tars("remember", f"The {self.token()} lives here", "--section", "First")
        place = self.path(MEMORY, "Memory.md")
        saved = []
        over = threading.Event()

        def save():
            while not over.is_set():
                token = self.token()
                try:
                    with open(place, encoding="utf-8") as file:
                        text = file.read()
                except OSError:
                    text = ""
                kept = [line for line in text.splitlines() if "saved by hand" not in line]
                text = "\n".join(kept + [f"- {token} saved by hand"]) + "\n"
                if self.random.random() < 0.5:
                    beside = self.path(MEMORY, ".editor")
                    with open(beside, "w", encoding="utf-8") as file:
                        file.write(text)
                    os.replace(beside, place)
                else:
                    # In place: truncates the file, then writes it.
                    with open(place, "w", encoding="utf-8") as file:
                        file.write(text)
                saved.append(token)
                time.sleep(self.random.random() * 0.01)

        thread = threading.Thread(target=save)
        thread.start()
        try:
            for _ in range(6):
                # In a section in the middle, so that tars replaces the file instead of appending to it.
                self.disturbed("remember", f"The {self.token()} lives there", "--section", "First")
        finally:
            over.set()
            thread.join()
        self.tars("remember", f"The {self.token()} lives here", "--section", "First")
        if saved and saved[-1] not in self.memory():
            raise Anomaly(f"the editor's save is lost: {saved[-1]}")
        self.check_notes()
        # A save in the moment of a kill becomes a conflict copy, which the user sees.
        for name in os.listdir(self.path(MEMORY)):
            if "(conflict " in name:
                self.tally.add(self.name, conflicts=1)
                os.remove(self.path(MEMORY, name))
        self.check_leftovers()
        self.reset()
