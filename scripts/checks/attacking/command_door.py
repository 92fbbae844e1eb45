"""Commands: dates and numbers from outside, passwords, and schedules with long results."""

import datetime
import json
import os
import time

from checks.attacking import junk, model
from checks.attacking.case import Kind
from checks.attacking.model import said
from checks.attacking.server import Server

DATED = [
    ["compact", "--dry-run", "--older-than", "{}"], ["compact", "--dry-run", "{}"], ["pause", "--all", "--for", "{}"],
    ["search", "--since", "{}", "boiler"], ["search", "--until", "{}", "boiler"], ["search", "after:{} boiler"], ["daily", "{}"],
    ["daily", "{}", "--append", "oil"], ["week", "{}"], ["undo", "{}", "--yes"], ["log", "-n", "{}"], ["search", "-n", "{}", "boiler"],
    ["search", "--budget", "{}", "boiler"], ["get", "Boat.md:{}"], ["get", "--lines", "{}", "Boat.md"], ["sessions", "-n", "{}"],
    ["project", "{}"], ["history", "{}"], ["schedule", "add", "x", "--at", "{}", "--action", "/brief"],
    ["schedule", "add", "x", "--cron", "{}", "--action", "/brief"], ["context", "--budget", "{}"],
    ["config", "set", "chat.timeout_seconds", "{}"],
]
AGES = ["8000000d", "99999999999w", "9223372036854775807d", "18446744073709551616d", "-1d", "0d", "1e9d", "d", "30", "8000000w",
    "106751991167d", "2147483648h", "9999999999999s", "1.5d", "NaNd", "💥d", "3652059d", "7304485d", "4294967296w"]
# Length, and lines, of results of schedules.
RESULTS = [("short", 60, 1), ("long-lines", 40_000, 400), ("one-line", 30_000, 1), ("longest", 90_000, 900)]


class CommandDoor:
    """Attacks on the command line."""

    NAME = "commands"

    def __init__(self, world):
        self.world, self.model, self.server, self.deadline = world, model.Model(), None, 0
        world.environment.update({"TARS_CHAT_PROVIDER": "openai", "TARS_CHAT_MODEL": "small",
            "TARS_CHAT_BASE_URL": f"http://127.0.0.1:{self.model.port}/v1"})
        self.config = os.path.join(world.home, ".config/tars/config.toml")
        world.tars("index")

    def check(self, case):
        self.world.check_notes()
        if self.server:
            self.server.check_alive()

    def close(self):
        self.model.close()


def values(door, case):
    arguments = case.pick(DATED)
    table = AGES + junk.DATES + [str(number) for number in junk.NUMBERS]
    text = table[case.place * 7 % len(table)]
    if case.random.random() < 0.4:
        text = case.random.choice(table)
    text = text.replace("\x00", "")
    done = door.world.run(case, *[argument.replace("{}", text) for argument in arguments], seconds=10)
    case.expect(done.out.strip() or done.err.strip() or done.code in (0, 1), "silence")


def ages(door, case):
    """Ages and lengths of time of any size."""
    arguments = [["compact", "--dry-run", "--older-than"], ["pause", "--all", "--for"]][case.place // len(AGES) % 2]
    door.world.run(case, *arguments, case.pick(AGES), seconds=10)
    door.world.run(case, "resume", "--all", seconds=10)


def passwords(door, case):
    """A password that a person remembers is neither written nor indexed; `audit` finds it in a file of theirs."""
    text, secret, word = case.pick(junk.PASSWORD_COMMANDS + junk.PASSWORD_SENTENCES), junk.password(case.random), case.word()
    line = f"{word} {junk.with_password(text, secret)}"
    door.world.run(case,
        *case.random.choice([["remember", "--force", "--", line], ["daily", "--", line],
            ["remember", "--to", f"context/{word}", "--", line]]))
    kept = door.world.kept(secret)
    case.expect(not kept, f"the password of {text!r} is in {', '.join(kept)}")


def schedules(door, case):
    """Results of schedules reach the log of the day, cut where they are too long."""
    if door.server is None:
        text = ""
        for name, length, lines in RESULTS:
            line = f"RESULT-{name} " + "the boat needs paint. " * (length // lines // 22 + 1)
            door.model.script(f"mark{length}", [said("\n".join(f"{number} {line}" for number in range(lines)))])
            text += f'[[schedule]]\nname = "{name}"\ncron = "* * * * *"\naction = "say it mark{length}"\ndeliver = "daily_memory"\n'
        os.makedirs(os.path.dirname(door.config), exist_ok=True)
        with open(door.config, "w", encoding="utf-8") as file:
            file.write(text)
        door.server = Server(door.world)
        # Each schedule runs every minute.
        door.deadline = time.monotonic() + 75 + 5 * door.world.patience
    name = case.pick([name for name, _, _ in RESULTS])
    while time.monotonic() < door.deadline:
        if f"RESULT-{name}" in door.world.memory():
            break
        time.sleep(0.5)
    said_ = door.world.tars("schedule", "list", "--json")
    case.note("schedules", said_)
    log = door.world.read(f"tars/{datetime.date.today().isoformat()}.md") if f"RESULT-{name}" in door.world.memory() else ""
    case.expect(f"RESULT-{name}" in log, f"the result of {name} is not in the log of the day")
    case.expect(len(log.encode()) < 1_000_000, "the log of the day has no bound")
    case.expect(isinstance(json.loads(said_), (list, dict)), "the list is no JSON")


CommandDoor.KINDS = [Kind("values", 120, values), Kind("ages", 38, ages), Kind("passwords", 46, passwords), Kind("schedules", 4, schedules)]
