"""Shared by the measurements of search: sets of questions, running tars, and its figures."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Set:
    """Questions with known answers (the format of `tars eval`) and the vault that they ask, from QUERIES.jsonl=VAULT."""

    def __init__(self, argument):
        file, _, vault = argument.partition("=")
        self.file, self.vault = Path(file), Path(vault).resolve()
        self.name = self.file.resolve().parent.name
        split = self.file.with_name("split.txt")
        # The ids of the questions that are measured and never fitted.
        self.tested = set(split.read_text(encoding="utf-8").split()) if split.exists() else set()

    def questions(self):
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines() if line.strip()]


def tars(binary, *arguments, codes=(0,), **variables):
    """Runs tars with further environment variables and returns its output."""
    env = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    done = subprocess.run([binary, *map(str, arguments)], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in codes:
        raise SystemExit(f"tars {' '.join(map(str, arguments))} failed:\n{done.stderr}")
    return done.stdout


def indexed(binary, sets, folder, **variables):
    """Indexes the vault of each set once. Returns the data folders by vault."""
    data = {vault: Path(folder) / str(number) for number, vault in enumerate(sorted({one.vault for one in sets}))}
    for vault, where in data.items():
        tars(binary, "index", TARS_VAULT=vault, TARS_DATA_DIR=where, **variables)
    return data


def evaluated(binary, data, one, mode, settings=(), **variables):
    """Returns the figures of `tars eval` over all questions of a set, such as `ndcg@10`, with settings given as KEY=VALUE."""
    flags = [flag for setting in settings for flag in ("--set", setting)]
    out = tars(binary, "eval", one.file, "--json", "--mode", mode, *flags, TARS_VAULT=one.vault, TARS_DATA_DIR=data, **variables)
    found = [found["overall"] for found in json.loads(out)["modes"] if found["mode"] == mode]
    if not found:
        raise SystemExit(f"{one.file} was not searched in the mode {mode}: is the model installed?")
    return found[0]


def row(cells):
    return f"| {' | '.join(map(str, cells))} |"
