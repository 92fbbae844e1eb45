"""PrecisionMemBench: a person's facts in two scopes, and prompts of which it says which facts should come, and no others.

The clone holds `fixtures/beliefs.seed.json` and `fixtures/retrieval.cases.json`. A fact becomes one line of the memory with its name, its
other names and its sentence. Replaced facts stand in `archive/superseded.md`, and questions that were settled are left out, as a person
deletes them. The memory has three forms:

- `one list`: all facts below one heading of Memory.md, so nothing tells the scopes apart
- `a file a scope`: `context/code.md` and `context/writing.md`, and the prompt comes from a repository with the name of its scope
- `the scope alone`: the memory holds only the facts of the prompt's scopes and those of every scope

The figures follow the benchmark's own harness. Pinned facts of the scope come from elsewhere and do not count. The facts that a found
relation connects count as found. At most `maxBeliefs` facts count. An empty prompt is not asked, nor is one with `maxBeliefs` of 0.
Precision is the mean over the prompts for which facts came or should come, 0 if none came; recall is the mean over those for which
facts should come.

The cases with several turns are not measured: they change facts by calls of an interface that a memory of markdown does not have.
"""

from dataclasses import dataclass
from pathlib import Path

from .vault import Unusable, Vault, read_json

CLONE = "tenurehq/precisionMemBench"
FORMS = ("one list", "a file a scope", "the scope alone")
PERSON = "test-user"
EVERYWHERE = "universal"
# The default of the benchmark's harness.
MOST = 20


@dataclass
class Case:
    """A prompt, and the ids of the facts that should come with it."""

    id: str
    text: str
    kind: str
    user: str
    scopes: tuple
    wanted: frozenset
    most: int


def name_of(scope):
    """Returns the name of a scope without its kind: `domain:code` is `code`."""
    return scope.split(":")[-1]


class Facts:
    """The facts of the benchmark, by their ids."""

    def __init__(self, rows):
        self.rows = {row["_id"]: row for row in rows}

    def of(self, user, scopes=None):
        """Returns the facts of a person, in the given scopes or those of every scope."""
        fits = lambda row: scopes is None or any(name_of(scope) in (*scopes, EVERYWHERE) for scope in row["scope"])
        return [row for row in self.rows.values() if row["user_id"] == user and not row.get("resolved_at") and fits(row)]

    def line(self, row):
        names = [name for name in row.get("aliases") or [] if name]
        others = f" ({', '.join(names)})" if names else ""
        return f"{row['canonical_name'].replace('_', ' ')}{others}: {row['content']}"

    def memory(self, form, user, scopes):
        """Returns the memory of a person in a form, as a vault."""
        rows = self.of(user, scopes if form == "the scope alone" else None)
        place = lambda row: self.place(row) if form == "a file a scope" else "Memory"
        notes = {}
        for row in rows:
            if not row.get("superseded_by"):
                title = place(row).split("/")[-1].capitalize()
                notes.setdefault(f"tars/{place(row)}.md", [f"# {title}", "", "## Facts"]).append(f"- {self.line(row)}")
        former = [row for row in rows if row.get("superseded_by") in self.rows]
        if former:
            archive = notes.setdefault("tars/archive/superseded.md", ["# Superseded"])
            for month in sorted({self.ended(row)[:7] for row in former}):
                archive += ["", f"## {month}"]
                for row in (row for row in former if self.ended(row)[:7] == month):
                    successor = self.rows[row["superseded_by"]]
                    where = f"[[tars/{place(successor)}#Facts]]"
                    archive += [f"- {self.line(row)}", f"  - was so until {self.ended(row)}; now: {self.line(successor)} ({where})"]
        return Vault("memory", notes)

    def place(self, row):
        scope = name_of(row["scope"][0])
        return "Memory" if scope == EVERYWHERE else f"context/{scope}"

    def ended(self, row):
        return self.rows[row["superseded_by"]]["created_at"][:10]

    def counted(self, case, found):
        """Returns which of the found facts count, best first: see the top of this file."""
        in_scope = lambda row: any(name_of(scope) in case.scopes for scope in row["scope"])
        pinned = {
            row["_id"] for row in self.of(case.user)
            if row.get("pinned") and row["type"] != "open_question" and not row.get("superseded_by") and in_scope(row)
        }
        kept = [fact for fact in found if fact not in pinned]
        for fact in list(kept):
            for other in self.rows[fact].get("participants") or []:
                row = self.rows.get(other)
                if row and row["user_id"] == case.user and other not in pinned and other not in kept and in_scope(row):
                    kept.append(other)
        return kept[: max(0, case.most - min(len(pinned), case.most))]


def read(folder):
    """Returns the facts, and the cases with one prompt."""
    fixtures = Path(folder) / "fixtures"
    rows = read_json(fixtures / "beliefs.seed.json", CLONE)
    try:
        facts = Facts(rows)
        cases = [converted(entry, facts) for entry in read_json(fixtures / "retrieval.cases.json", CLONE)]
    except (KeyError, TypeError) as error:
        raise Unusable(f"{fixtures}: a field is missing: {error!r}") from error
    return facts, cases


def converted(entry, facts):
    expected = entry["expect"].get("relevantBeliefs") or {}
    wanted = expected.get("shouldOnlyInclude")
    if wanted is None:
        wanted = [fact for fact in expected.get("mustInclude") or [] if not facts.rows[fact].get("pinned")]
    return Case(
        entry["caseId"], entry["query"], entry["category"], entry.get("userId") or PERSON, tuple(map(name_of, entry["scope"])),
        frozenset(wanted), (entry.get("budget") or {}).get("maxBeliefs", MOST),
    )


def precision_and_recall(counted, wanted):
    """Returns both figures of a case; one is None where it says nothing."""
    right = len(wanted.intersection(counted))
    precision = (right / len(counted) if counted else 0.0) if counted or wanted else None
    return precision, right / len(wanted) if wanted else None
