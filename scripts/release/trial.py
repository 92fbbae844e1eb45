"""Tries a package in a clean home with a folder of notes, up to the first answers."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from .project import MODEL, ROOT, Failure

NOTES = ROOT / "examples/vault"

# The first word is rare in the notes. The second question shares no word with the line that answers it.
BY_WORDS = ("sgrep", "restic", "Home/Backups.md")
BY_MEANING = ("svec", "how do I wake up a starter that was neglected in the fridge", "Kitchen/Sourdough starter.md")

PATIENCE = 600


class Trial:
    """A home for one package. The words of `enter` come before each command, to run it where the package is installed (a chroot);
    `inside` is the path of the home as seen from there."""

    def __init__(self, home, path="/usr/bin:/bin", enter=(), inside=None):
        self.home = Path(home)
        self.inside = inside or str(self.home)
        self.enter = [str(word) for word in enter]
        self.env = {"HOME": self.inside, "PATH": path}
        self.home.mkdir(parents=True, exist_ok=True)
        shutil.copytree(NOTES, self.home / "Notes")
        self.started = time.monotonic()

    def run(self, *words, **options):
        """Runs a command with nothing but HOME and PATH in its environment, and without a network where this machine allows that."""
        command = [*without_network(), *self.enter, *map(str, words)]
        options = {"cwd": None if self.enter else self.home, "env": self.env, **options}
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, **options)
        if done.returncode != 0:
            raise Failure(f"'{' '.join(command)}' ended with {done.returncode}\n{done.stdout}{done.stderr}".strip())
        return done.stdout

    def ask(self, *tars):
        """Sets tars up and asks it. Returns the seconds up to the first answer by words and up to the first answer by meaning."""
        self.run(*tars, "init", f"{self.inside}/Notes")
        self.run(*tars, "index")
        times = []
        for command, question, expected in (BY_WORDS, BY_MEANING):
            found = json.loads(self.run(*tars, command, "--json", question))["results"]
            if not found or found[0]["path"] != expected:
                raise Failure(f"'tars {command} {question}' found {[hit['path'] for hit in found]}, not {expected}")
            times.append(time.monotonic() - self.started)
        model = next(line for line in json.loads(self.run(*tars, "models", "list", "--json")) if line["id"] == MODEL)
        if not (model["shipped"] and model["in_use"] and model["problem"] is None):
            raise Failure(f"the model is not the one that came with tars: {model}")
        return times


def without_network():
    """Returns the words that run a command without a network; none unless this is root on Linux."""
    return ["unshare", "--net"] if os.geteuid() == 0 and shutil.which("unshare") else []
