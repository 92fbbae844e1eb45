"""Runs tars over a vault, with a home, a configuration and an index of its own."""

import json
import os
import shutil
import subprocess
import uuid
from pathlib import Path


class Program:
    """A program, a vault, and the folder that holds its home and its index."""

    def __init__(self, binary, vault, folder):
        self.binary, self.home = binary, Path(folder)
        models = os.environ.get("TARS_MODELS_DIR") or Path.home() / ".local/share/tars/models"
        # Other settings of tars in the environment stay, so that another model can be measured.
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
            "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.home / "run"), "TARS_CONFIG": os.devnull, "TARS_VAULT": str(vault),
            "TARS_DATA_DIR": str(self.home / "data"), "TARS_MODELS_DIR": str(models),
            # The content of a brief matters here, not its speed, which scripts/bench/hooks measures.
            "TARS_HOOKS_DEADLINE_MS": "10000",
        }
        (self.home / "run").mkdir(parents=True, exist_ok=True, mode=0o700)

    def run(self, *arguments, codes=(0,), text="", directory=None):
        """Runs a command and returns its output."""
        directory = directory or self.home
        command = [self.binary, *map(str, arguments)]
        done = subprocess.run(command, env=self.environment, cwd=directory, input=text, capture_output=True, text=True, encoding="utf-8")
        if done.returncode not in codes:
            raise SystemExit(f"tars {' '.join(command[1:])} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def index(self):
        self.run("index")

    def search(self, questions, *options):
        """Asks all questions in one process. Returns the results by the questions' ids."""
        asked = "".join(json.dumps({"id": question.id, "query": question.text}) + "\n" for question in questions)
        lines = self.run("search", "--batch", "-", "--json", *options, text=asked).splitlines()
        answers = {answer["id"]: answer for answer in map(json.loads, lines)}
        # A search without its model would measure something else.
        degraded = next((answer["degraded"] for answer in answers.values() if answer["degraded"]), None)
        if degraded or len(answers) != len(questions):
            raise SystemExit(f"tars answered {len(answers)} of {len(questions)} questions{f', degraded: {degraded}' if degraded else ''}")
        return {name: answer["results"] for name, answer in answers.items()}

    def context(self, question, *options, directory=None):
        """Returns what `tars context` prints for a question: the block and its pieces, or None and none."""
        self.clear_use()
        answer = json.loads(self.run("context", "--query", question, "--json", *options, codes=(0, 1), directory=directory))
        if answer["degraded"]:
            raise SystemExit(f"tars context answered degraded: {answer['degraded']}")
        return answer["block"], answer["pieces"]

    def brief(self, prompt, directory):
        """Returns the block that a prompt to an agent brings up in a session of its own, or an empty text."""
        self.clear_use()
        session = str(uuid.uuid4())
        said = {
            "session_id": session, "transcript_path": str(self.home / f"{session}.jsonl"), "cwd": str(directory),
            "hook_event_name": "UserPromptSubmit", "prompt": prompt,
        }
        out = self.run("hook", "user-prompt-submit", text=json.dumps(said), directory=directory)
        # A hook never fails; it reports what went wrong in its log.
        log = self.home / "data" / "hook.log"
        if log.exists() and log.stat().st_size:
            raise SystemExit(f"the hook reports: {log.read_text(encoding='utf-8')}")
        return json.loads(out or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")

    def clear_use(self):
        """Clears the ledger of the lines that were shown, so that no question depends on those before it."""
        shutil.rmtree(self.home / "data" / "recall", ignore_errors=True)

    def repository(self, name):
        """Returns a folder that tars takes for a repository of that name."""
        folder = self.home / name
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / ".git" / "config").write_text("[core]\n\tbare = false\n")
        return folder
