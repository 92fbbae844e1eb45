"""The vault of the page's tests: the example vault of the repository, with some days of an invented memory."""

import json
import os
import shutil
import subprocess
from datetime import date, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

WORK = """# {day}

- 08:40 [phone] Ilse can take the off-site disk on Saturday
- 12:15 Seedlings of the beans are up, eleven of twelve

## Session 09:20 · garden/rain-logger
<!-- tars:session 5e55b0a2 turns=ff6e7c,a9007d by=extractive project=1a2b3c4d transcript=/home/me/.claude/projects/-work-rain/5e55b0a2.jsonl -->
- 09:20 Decided: The logger sends every ten minutes, since the cell lasts three weeks then. — How often should it send?
- 09:34 Found: Packets are lost while the gauge tips, because the interrupt takes 40 ms.
- 09:41 Changed: `src/gauge.c`, `src/radio.c`
- [ ] 09:50 Open: measure the current while the radio sleeps
- 09:52 [extracted] The rain logger sends every ten minutes

## Session 14:05 · home/server
<!-- tars:session 8c01d4ee turns=31b0aa by=extractive project=9f8e7d6c transcript=/home/me/.claude/projects/-home-server/8c01d4ee.jsonl -->
- 14:05 Ruled out: The NVMe disk is healthy; the errors came from the cable.
- 14:20 Done: Replaced the cable, and the nightly backup ran through.
- [x] 14:25 Open: check the backup of the photos tomorrow
"""

BEFORE = """# {day}

- 07:55 Ordered rye from the mill, 5 kg

## Session 20:10 · home/server
<!-- tars:session 77ab01cd turns=9e1f22 by=extractive project=9f8e7d6c transcript=/home/me/.claude/projects/-home-server/77ab01cd.jsonl -->
- 20:10 Decided: Photos are backed up every night at three, not every week. — When should the photos be backed up?
- 20:31 Answered: A restore of the photo database takes about 25 minutes.
"""

SESSION = """---
tars: "session"
session: "77ab01cd"
project: "home/server"
---
# Backups of the photos

- Decided: every night at three
- The restore was tried once and took 25 minutes
"""

HOSTILE = """# <script>window.pwned = 1</script> & <b>bold</b>

<script>window.pwned = 1</script>
<img src=x onerror="window.pwned = 1">
<svg onload="window.pwned = 1"><iframe src="javascript:parent.pwned=1"></iframe>

[click me](javascript:window.pwned=1) [data](data:text/html,<script>window.pwned=1</script>) [file](file:///etc/passwd)
[spaced](  javascript:window.pwned=1) [mixed](JaVaScRiPt:window.pwned=1) [entity](&#106;avascript:window.pwned=1) [vb](vbscript:x)
![beacon](https://tracker.invalid/pixel.png) ![[https://tracker.invalid/embed.png]] <link rel=stylesheet href=//tracker.invalid/a.css>
[[javascript:window.pwned=1]] [[../../../../etc/passwd|harmless]] [//tracker.invalid](//tracker.invalid/x) [good](https://example.org/ok)

The file is called gpj.\u202eexe and\u2066 hidden\u2069 zero\u200bwidth.

<style>body { display: none }</style><base href="https://tracker.invalid/"><form action="https://tracker.invalid/"><input name=q></form>
<meta http-equiv="refresh" content="0;url=https://tracker.invalid/">

| a | b |
|---|---|
| <img src=x onerror=window.pwned=1> | `<script>window.pwned=1</script>` |

> > > > > > > > > > > > deep
"""


def hostile_note():
    """Returns a note that tries to run scripts, to load files, to hide text and to hang the page."""
    long = "walrus" + " walrus" * 40_000
    traps = ["*" * 30_000, "[" * 30_000, "`" * 9_999, "_a" * 9_000, "# " + " " * 30_000 + "x", "|" + "-" * 30_000 + "|x", "> " * 3_000,
             "[a](" * 5_000, "**a" * 8_000, "<!--" * 8_000, "==a" * 5_000]
    return HOSTILE + "\n" + long + "\n\n" + "\n\n".join(traps) + "\n"


class Sample:
    """A home with a vault, in which tars runs."""

    def __init__(self, tars, home: Path, provider="none", models=None, hostile=False):
        self.tars, self.home, self.vault = tars, home, home / "Notes"
        self.environment = {
            "HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TARS_VAULT": str(self.vault), "TARS_DATA_DIR": str(home / "data"),
            "TARS_EMBEDDING_PROVIDER": provider, "XDG_CONFIG_HOME": str(home / "config"), "TZ": os.environ.get("TZ", "UTC"),
            **({"TARS_MODELS_DIR": models} if models else {}),
        }
        shutil.copytree(ROOT / "examples" / "vault", self.vault)
        today = date.today()
        self._write_days(today)
        if hostile:
            (self.vault / "Hostile.md").write_text(hostile_note())
            (self.vault / "tars" / "context").mkdir()
            (self.vault / "tars" / "context" / "odd.md").write_text("# <img src=x onerror=window.pwned=1>\n\n- <script>window.pwned=1</script> [x](javascript:window.pwned=1) walrus\n")
        self.run("index")
        self._write_memory()
        self._recall()

    def _write_days(self, today):
        memory = self.vault / "tars"
        for days, text in ((1, WORK), (2, BEFORE)):
            day = today - timedelta(days=days)
            (memory / f"{day}.md").write_text(text.format(day=day))
        (memory / "sessions").mkdir()
        (memory / "sessions" / f"{today - timedelta(days=2)}T20-10-05-home-server.md").write_text(SESSION)

    def _write_memory(self):
        self.run("remember", "--section", "Projects", "Second box costs 52.80 (2026-03-15)")
        self.run("remember", "--force", "--section", "Projects", "Second box costs 61.20 (2026-03-30)")
        self.run("remember", "--section", "Projects", "How to restore the photos: [[Old runbook]]")
        self.run("feedback", "wrong", "Gave inches; the plans are metric")
        self.run("feedback", "good", "Named the note that the answer rests on")
        self.run("tidy", "--propose", codes=(0, 1))
        self.run("daily", "--append", "Moved the panel to the south post", "--channel", "garden")

    def _recall(self):
        """Calls the hooks like an agent's client, so that the ledger has entries."""
        def event(session, name, **more):
            text = {"session_id": session, "cwd": str(self.home), "hook_event_name": name, **more}
            self.run("hook", {"SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit"}[name], stdin=json.dumps(text))

        event("5e55b0a2-garden", "SessionStart", source="startup")
        for question in ("how do I revive the sourdough starter after a long holiday", "what does the committee of the allotment pay for the second box"):
            event("5e55b0a2-garden", "UserPromptSubmit", prompt=question)
        event("8c01d4ee-server", "SessionStart", source="startup")
        event("8c01d4ee-server", "UserPromptSubmit", prompt="what is the address of the home server and where do the backups lie")
        self.run("stats", "--recall")

    def run(self, *arguments, codes=(0,), stdin=""):
        """Runs a command and returns its output."""
        told = subprocess.run([self.tars, *arguments], env=self.environment, input=stdin, text=True, capture_output=True, timeout=300)
        if told.returncode not in codes:
            raise SystemExit(f"tars {' '.join(arguments)} ended with {told.returncode}\n{told.stdout}\n{told.stderr}")
        return told.stdout
