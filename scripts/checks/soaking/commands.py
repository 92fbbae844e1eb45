"""Scenarios that kill one command after the other, or make its system calls fail.

Every scenario is a class with `step`, which disturbs one command and checks its promises: an acknowledged change is there, a change
that failed is not, a retry works, nothing is left over, and the user's notes are unchanged.
"""

import json
import os
import shutil

from .world import MEMORY, Anomaly, World

SUBJECTS = ["walrus", "otter", "puffin", "whale", "lynx", "heron", "badger", "stoat"]


class Commands(World):
    """A world with a few notes of the user."""

    def __init__(self, options, tally, name):
        super().__init__(options, tally, name)
        self.number = 0
        for count in range(12):
            self.note(f"folder-{count % 3}/note {count}.md")
        self.tars("index")

    def note(self, note):
        self.number += 1
        subject, other = self.random.sample(SUBJECTS, 2)
        self.person_writes(
            note,
            f"# Note {self.number}\n\nThe {subject} was seen in the north.\n\n## Later\n\n"
            f"Then the {other} came for fish near the shore, {self.random.randint(2, 99)} times.\n",
        )

    def token(self):
        self.number += 1
        return f"fact{self.number:06}x{self.random.randrange(16**8):08x}"

    def expect_line(self, token, done, what):
        """Checks that the line with `token` is there if the command succeeded, absent if it failed, and never twice."""
        count = self.memory().count(token)
        if done.acknowledged:
            self.tally.add(self.name, acknowledged=1, found=int(count == 1))
        if done.acknowledged and count != 1:
            raise Anomaly(f"{what} was acknowledged, and its line exists {count} times")
        if done.refused and count != 0:
            raise Anomaly(f"{what} reported a failure, and its line exists: {done.err.strip()} {done.injected}")
        if count > 1:
            raise Anomaly(f"{what} wrote its line {count} times")
        return count

    def settled(self):
        self.check_notes()
        self.check_leftovers()

    def reset(self):
        """Empties the memory now and then, so that each case costs the same."""
        if self.number % 40 == 0:
            shutil.rmtree(self.path(MEMORY))
            os.mkdir(self.path(MEMORY))


class Remember(Commands):
    """`tars remember`, `tars daily --append`: an acknowledged line exists once, a failed one does not exist."""

    def step(self):
        token = self.token()
        if self.random.random() < 0.5:
            command = ["remember", f"The {token} lives in the north"]
            if self.random.random() < 0.3:
                command += ["--section", "Somewhere"]
        else:
            command = ["daily", "--append", f"The {token} was seen"]
        count = self.expect_line(token, self.disturbed(*command), command[0])
        if count == 0:
            self.tars(*command)
            if self.memory().count(token) != 1:
                raise Anomaly(f"{command[0]} does not work after a failure")
        else:
            self.tars("remember", f"Another {self.token()} line")
        self.settled()
        self.reset()


class Forget(Commands):
    """`tars forget`: an acknowledged removal removed the line; the lines around it stay."""

    def step(self):
        token, other = self.token(), self.token()
        self.tars("remember", f"The {other} stays here")
        self.tars("remember", f"The {token} shall go away")
        self.tars("remember", f"Also {self.token()} remains")
        done = self.disturbed("forget", token, "--yes")
        count = self.memory().count(token)
        if done.acknowledged and count != 0 or done.refused and count != 1:
            raise Anomaly(f"forget ended with {done.code}, and the line exists {count} times: {done.err} {done.injected}")
        self.tally.add(self.name, acknowledged=int(done.acknowledged), found=int(done.acknowledged))
        self.tars("forget", token, "--yes")
        if token in self.memory() or self.memory().count(other) != 1:
            raise Anomaly("forget removed another line, or none")
        # If nothing was left to forget, the command above wrote nothing and cleaned up nothing: this one does.
        self.tars("remember", f"Another {self.token()} line")
        self.settled()
        self.reset()


class Undo(Commands):
    """`tars undo`: an acknowledged undo removed the line, and a second undo completes an interrupted one."""

    def step(self):
        token = self.token()
        before = self.memory()
        self.tars("remember", f"The {token} shall be taken back", *self.random.choice([[], ["--section", "New"]]))
        done = self.disturbed("undo")
        count = self.memory().count(token)
        if done.acknowledged and count != 0 or done.refused and count != 1:
            raise Anomaly(f"undo ended with {done.code}, and the line exists {count} times: {done.err} {done.injected}")
        self.tally.add(self.name, acknowledged=int(done.acknowledged), found=int(done.acknowledged))
        if count:
            self.tars("undo")
        if self.memory() != before:
            raise Anomaly("undo did not restore the memory")
        self.tars("remember", f"Another {self.token()} line")
        self.settled()
        self.reset()


class Hook(Commands):
    """The hook at the end of a turn: its note is written once, whichever process finishes it and whichever is killed."""

    def step(self):
        token = self.token()
        transcript = os.path.join(self.home, "transcript.jsonl")
        lines = [
            {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "where does it live?"}},
            {"type": "assistant", "uuid": "a1", "sessionId": "s",
             "message": {"role": "assistant", "content": [{"type": "text", "text": f"Decided: the {token} lives there."}]}},
        ]
        with open(transcript, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        event = {
            "hook_event_name": "Stop", "session_id": f"session-{self.number}", "transcript_path": transcript,
            "cwd": self.home, "prompt_id": f"p{self.number}", "last_assistant_message": f"Decided: the {token} lives there.",
        }
        done = self.disturbed("remember", "--hook", text=json.dumps(event))
        if not done.killed and done.code not in (0, 127) and not any("write(1," in call for call in done.injected):
            raise Anomaly(f"a hook ended with {done.code}: {done.err.strip()}")
        # The background process of the hook may still run, or may have been killed with the hook.
        self.disturbed("remember", "--finish")
        self.tars("remember", "--finish")
        count = self.memory().count(token)
        if done.acknowledged and not done.injected:
            self.tally.add(self.name, acknowledged=1, found=int(count == 1))
            if count != 1:
                raise Anomaly(f"the note of a turn exists {count} times")
        if count > 1:
            raise Anomaly(f"the note of a turn exists {count} times")
        waiting = [name for name in os.listdir(os.path.join(self.data, "spool")) if name != "lock"] if count else []
        if any(name.endswith(".json") for name in waiting):
            raise Anomaly(f"still in the spool: {', '.join(waiting)}")
        self.settled()
        self.reset()


class Index(Commands):
    """`tars index` while notes are added, changed and removed: the index always answers like a fresh one."""

    def step(self):
        notes = list(self.expected)
        for _ in range(self.random.randint(1, 8)):
            chance = self.random.random()
            if chance < 0.4 or len(notes) < 8:
                note = f"folder-{self.random.randrange(4)}/new {self.number}.md"
                self.note(note)
                notes.append(note)
            elif chance < 0.7:
                self.note(self.random.choice(notes))
            else:
                note = notes.pop(self.random.randrange(len(notes)))
                os.remove(self.path(note))
                self.expected.pop(note)
        command = self.random.choice([["index"], ["index"], ["index", "--full"], ["search", "otter in the north"]])
        self.disturbed(*command)
        self.check_index()
        self.settled()


class Vacuum(Commands):
    """Hundreds of notes are removed, and the index gives their space back to the disk."""

    def step(self):
        for count in range(150):
            self.person_writes(f"many/{count}.md", f"# Many {count}\n\n" + f"walrus and otter {count} " * 120 + "\n")
        self.tars("index")
        shutil.rmtree(self.path("many"))
        self.expected = {note: known for note, known in self.expected.items() if not note.startswith("many/")}
        self.disturbed("index")
        self.check_index()
        self.settled()


class Settings(Commands):
    """`tars config set`: the file is complete, and contains the new value if the change was acknowledged."""

    def step(self):
        value = str(self.random.randint(1, 40))
        before = self.limit()
        done = self.disturbed("config", "set", "search.limit", value)
        now = self.limit()
        if done.acknowledged and now != value or done.refused and now != before:
            raise Anomaly(f"config set ended with {done.code}, and the value is {now}: {done.err}")
        self.tally.add(self.name, acknowledged=int(done.acknowledged), found=int(done.acknowledged))
        self.tars("config", "set", "search.limit", value)
        self.settled()

    def limit(self):
        return self.tars("config", "get", "search.limit").out.strip()
