"""A running `tars watch` on a vault of made-up notes, questions to its socket, and the rows of a table. Shared by watch and http."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from workbench import TIMEOUT, Notes, until


class Watcher:
    def __init__(self, options, mode):
        self.options = options
        self.mode = mode
        self.home = os.path.join(options.keep, mode) if options.keep else tempfile.mkdtemp(prefix="tars-bench-")
        self.root = os.path.join(self.home, "vault")
        self.data = os.path.join(self.home, "data")
        os.makedirs(self.root, exist_ok=True)
        self.environment = {
            "HOME": self.home,
            "PATH": os.environ.get("PATH", ""),
            "TARS_VAULT": self.root,
            "TARS_DATA_DIR": self.data,
            "TARS_EMBEDDING_PROVIDER": mode,
            # Long enough to measure with the model, short enough to wait until it is unloaded.
            "TARS_WATCH_UNLOAD_SECONDS": "20",
        }
        if options.models:
            self.environment["TARS_MODELS_DIR"] = os.path.abspath(options.models)
        self.notes = Notes(options.seed)
        self.watcher = None
        self.rows = []

    def close(self):
        self.stop()
        if not self.options.keep:
            shutil.rmtree(self.home, ignore_errors=True)

    def tars(self, *arguments, codes=(0, 1)):
        command = [self.options.bin, *arguments]
        done = subprocess.run(command, env=self.environment, cwd=self.home, capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode not in codes:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def start(self, rests=True):
        log = open(os.path.join(self.home, "watch.err"), "ab")
        command = [self.options.bin, "watch"]
        self.watcher = subprocess.Popen(command, env=self.environment, cwd=self.home, stdout=log, stderr=log)
        log.close()
        until(lambda: self.ask('"watch"') is not None, "the watcher answers")
        if rests:
            until(self.rests, "the watcher comes to rest")

    def stop(self):
        if self.watcher:
            self.watcher.terminate()
            try:
                self.watcher.wait(60)
            except subprocess.TimeoutExpired:
                self.watcher.kill()
                self.watcher.wait()
            self.watcher = None

    def rests(self):
        state = json.loads(self.tars("watch", "--status", "--json"))
        if not state or state["pending"]:
            return False
        return self.count("SELECT count(*) FROM meta WHERE key = 'indexed_at'") == 1 and (
            self.mode == "none" or self.count("SELECT count(*) FROM passages WHERE vector_id IS NULL") == 0
        )

    def count(self, sql):
        try:
            database = sqlite3.connect(f"file:{self.data}/index.db?mode=ro", uri=True, timeout=60)
            try:
                return database.execute(sql).fetchone()[0]
            finally:
                database.close()
        except sqlite3.Error:
            return 0

    def ask(self, request):
        """Sends one line to the socket, as a command does, and returns the answer; None if nothing listens."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(os.path.join(self.data, "watch.sock"))
                connection.settimeout(TIMEOUT)
                with connection.makefile("rwb") as stream:
                    stream.readline()
                    stream.write(request.encode() + b"\n")
                    stream.flush()
                    return json.loads(stream.readline())
        except (FileNotFoundError, ConnectionRefusedError):
            return None

    def search(self, text, mode):
        query = {"text": text, "mode": mode, "limit": 10, "min_score": 0.0, "language": "prose", "project": None}
        query.update(today="2026-01-01", explain=False)
        query["filter"] = {"paths": [], "without_paths": [], "tags": [], "without_tags": [], "memory_types": []}
        query["filter"].update(collections=[], dates=None)
        # The values of defaults.toml.
        fusion = {"fusion": "adaptive", "vector_weight": 0.6, "neighbour_credit": 0.05, "link_credit": 0.0}
        closer = {"pair_credit": 0.7, "repeat_penalty": 0.5, "recency": 0.0, "project_credit": 0.1}
        options = {"fusion": fusion, "features": closer, "columns": {"title": 2.0, "meta": 2.0}, "candidates": 200}
        asked = {"query": query, "options": options, "window": 0, "budget": None}
        answer = self.ask(json.dumps({"search": asked}))
        if not answer or "answer" not in answer:
            raise SystemExit(f"the watcher did not answer: {answer}")
        return answer["answer"]["hits"]

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def row(self, what, value, ratio=""):
        self.rows.append((what, value, ratio))
        print(f"  {what}: {value} {ratio}", file=sys.stderr, flush=True)

    def fill(self):
        if self.count("SELECT count(*) FROM meta WHERE key = 'indexed_at'"):
            self.tars("index")
            self.row("index", self.size(), "kept from an earlier run")
            return
        trial = 20
        for number in range(trial):
            self.write(f"{number % 20}/{number}.md", self.notes.note())
        self.tars("index")
        each = self.count("SELECT count(*) FROM chunks") / trial
        total = max(trial, -int(-self.options.chunks // each))
        for number in range(trial, total):
            self.write(f"{number % 20}/{number}.md", self.notes.note())
        started = time.perf_counter()
        self.tars("index")
        seconds = time.perf_counter() - started
        self.row("index", self.size(), f"made in {seconds:.1f} s")

    def size(self):
        tables = ("files", "chunks", "passages")
        return ", ".join(f"{self.count(f'SELECT count(*) FROM {table}')} {table}" for table in tables).replace("files", "notes")
