"""A scenario that kills and restarts the watcher in a storm of changes, and compares its index with a fresh one."""

import json
import os
import sqlite3
import subprocess
import threading
import time

from .commands import SUBJECTS
from .world import Anomaly, World, until


class Watch(World):
    """`tars watch`: after a kill and a restart, the index answers like one that was made in one run."""

    NOTES = 150

    def __init__(self, options, tally, name):
        super().__init__(options, tally, name)
        # A short debounce, so that indexing starts during the storm.
        self.environment["TARS_WATCH_DEBOUNCE_MS"] = "10"
        self.edition = 0
        self.watcher = None

    def begin(self):
        with open(os.path.join(self.home, "watch.err"), "ab") as log:
            self.watcher = subprocess.Popen(
                [self.options.bin, "watch"], env=self.environment, cwd=self.home, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )
        self.children.append(self.watcher)
        self.until(lambda: self.status() is not None, "the watcher answers")

    def finish(self, kill):
        (self.watcher.kill if kill else self.watcher.terminate)()
        code = self.watcher.wait(60)
        self.watcher = None
        if not kill and code != 0:
            raise Anomaly(f"the watcher ended with {code}")

    def status(self):
        return json.loads(self.tars("watch", "--status", "--json").out)

    def until(self, holds, what):
        def holds_still():
            if self.watcher and self.watcher.poll() is not None:
                raise Anomaly(f"the watcher ended by itself with {self.watcher.returncode}")
            return holds()

        until(holds_still, what)

    def notes(self):
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.root)
            for folder, _, names in os.walk(self.root)
            for name in names
            if name.endswith(".md")
        )

    def write(self, note, number):
        subject, other = self.random.sample(SUBJECTS, 2)
        text = (
            f"# Note {number}\n\nOn day {number} the {subject} was seen in the north, edition{self.edition}.\n\n"
            f"## Later\n\nThen the {other} came for fish near the shore, {self.random.randint(2, 99)} times.\n"
        )
        path = self.path(note)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        place = path if self.random.random() < 0.5 else self.path(".beside.tmp")
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(place, path)

    def storm(self, over):
        """Changes the vault in bursts until `over` is set, and once more after that."""
        self.edition += 1
        number, last = 0, False
        while not last:
            last = over.is_set()
            notes = self.notes()
            for _ in range(self.NOTES if not notes else self.random.randint(1, 60)):
                number += 1
                self.change(notes, f"folder-{self.random.randrange(12)}/{self.edition}-{number}.md", number)
            if self.random.random() < 0.2:
                folders = sorted(name for name in os.listdir(self.root) if name.startswith("folder-"))
                os.rename(self.path(self.random.choice(folders)), self.path(f"folder-moved-{self.edition}-{number}"))
            # Both longer and shorter than the watcher's debounce.
            time.sleep(self.random.random() * 0.04)

    def change(self, notes, new, number):
        """Adds, changes, moves or removes one note. The number of notes stays about the same."""
        chance = self.random.random()
        if len(notes) < self.NOTES or chance < 0.1:
            self.write(new, number)
            notes.append(new)
        elif chance < 0.5:
            self.write(self.random.choice(notes), number)
        else:
            old = notes.pop(self.random.randrange(len(notes)))
            if chance < 0.8:
                os.makedirs(os.path.dirname(self.path(new)), exist_ok=True)
                os.replace(self.path(old), self.path(new))
                notes.append(new)
            else:
                os.remove(self.path(old))

    def at_rest(self, notes):
        state = json.loads(self.tars("status", "--json").out)
        watch = self.status()
        return watch is not None and watch["pending"] == 0 and state["pending"] == 0 and state["files"] == notes

    def sound(self):
        database = sqlite3.connect(os.path.join(self.data, "index.db"), timeout=60)
        try:
            return database.execute("PRAGMA quick_check").fetchone()[0] == "ok"
        finally:
            database.close()

    def step(self):
        self.begin()
        over = threading.Event()
        storm = threading.Thread(target=self.storm, args=(over,))
        storm.start()
        time.sleep(self.random.random() * 0.6)
        self.finish(kill=True)
        self.tally.add(self.name, cases=1, kills=1)
        over.set()
        storm.join()
        self.begin()
        notes = len(self.notes())
        self.until(lambda: self.at_rest(notes), f"the index holds all {notes} notes")
        self.finish(kill=False)
        if not self.sound():
            raise Anomaly("the database is damaged")
        self.check_index()
        self.check_leftovers()
