"""A scripted language model for the upkeep of the memory.

It answers each request with the recorded answer for its job in a file of `answers/`. It recognises the job by the lists that the
request's instructions ask for, and replaces marks in the answer by the numbers of the request's lines.
"""
import itertools
import json

from references import resolve, shown_lines
from scripted_server import ScriptedServer

# The list in the instructions by which a job is recognised, in the order of the search.
JOBS = {
    "notes": '"turns": [',
    "review": '"proposals": [',
    "tidy": '"changes": [',
    "project": '"state": [',
    "compact": '"learnt": [',
    "extract": '"facts": [',
}
# The number of characters by which a session is recognised.
BEGINNING = 40


def job_of(messages):
    """Returns the job of a request; None for an unknown one."""
    instructions = "\n".join(message["content"] for message in messages[:-1])
    return next((job for job, sign in JOBS.items() if sign in instructions), None)


class UpkeepModel(ScriptedServer):
    def __init__(self, answers, sessions):
        """`answers` is a file of recorded answers, `sessions` are the sessions of the set."""
        self.answers = json.loads(answers.read_text(encoding="utf-8"))
        # Answers that are given unchanged, one after the other, in a circle.
        self.raw = {job: itertools.cycle(said) for job, said in self.answers.items() if is_raw(said)}
        self.beginnings = {session["turns"][0]["ask"].split("\n")[0][:BEGINNING]: session["id"] for session in sessions}
        # The number of requests of each job, and the text of all requests.
        self.jobs = {}
        self.received = []
        super().__init__()

    def reply(self, messages):
        """Returns the recorded answer to a request; None if none is recorded for its job."""
        job = job_of(messages)
        self.jobs[job] = self.jobs.get(job, 0) + 1
        data = messages[-1]["content"]
        self.received.append(data)
        if job in self.raw:
            return next(self.raw[job])
        recorded = self.answers.get(job)
        if recorded is None:
            return None
        if job == "notes":
            return as_json(self.notes(recorded, data))
        lines = shown_lines(data)
        if job == "extract":
            recorded = {"facts": recorded.get(self.session_of(lines), recorded.get("*", []))}
        return as_json({name: resolved(items, lines) for name, items in recorded.items()})

    def session_of(self, lines):
        """Returns the id of the session whose first request is among the lines; None if there is none."""
        return next((id for text in lines.values() for start, id in self.beginnings.items() if text.startswith(start)), None)

    def notes(self, recorded, data):
        """Returns the notes of a request's turns by their ids."""
        asked = [json.loads(line)["turn"] for line in data.split("\n") if line.startswith('{"turn"')]
        known = [(turn, *self.places[turn]) for turn in asked if turn in self.places]
        if not known:
            return {"topic": "", "turns": [], "facts": []}
        said = recorded.get(known[0][1], recorded.get("*", {}))
        turns = [{"turn": turn, "outcomes": outcomes(said, numbers)} for turn, _, numbers in known]
        return {"topic": said.get("topic", ""), "turns": turns, "facts": said.get("facts", [])}


def outcomes(said, numbers):
    return [outcome for number in numbers for outcome in said.get("turns", {}).get(number, [])]


def resolved(items, lines):
    """Returns the items of a list whose marks all match; another value as it is."""
    if not isinstance(items, list):
        return items
    return [item for item in (resolve(item, lines) for item in items) if item is not None]


def is_raw(said):
    return isinstance(said, list) and all(isinstance(text, str) for text in said)


def as_json(answer):
    return json.dumps(answer, ensure_ascii=False)
