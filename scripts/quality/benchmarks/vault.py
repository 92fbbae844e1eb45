"""A vault of converted notes with the questions that are asked of it."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

# Characters at which some programs end a line and others do not.
SEPARATORS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def lines_of(text):
    """Returns the lines of a text, which every program counts alike."""
    return SEPARATORS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")


@dataclass(frozen=True)
class Place:
    """Lines of a note, from 1, both included."""

    path: str
    first: int
    last: int


@dataclass
class Question:
    """A question with the places of its evidence. A question without evidence has no answer in the vault."""

    id: str
    text: str
    kind: str
    evidence: list = field(default_factory=list)


@dataclass
class Vault:
    """Notes, as lists of lines by path, and questions about them."""

    name: str
    notes: dict = field(default_factory=dict)
    questions: list = field(default_factory=list)
    # The chats that the notes were made from, each with the path of its note, its day and its messages as pairs of role and text.
    chats: list = field(default_factory=list)

    def write(self, folder):
        """Writes the notes below `vault`, and the questions with evidence as a file for `tars eval`. Returns the vault's path."""
        vault = Path(folder) / "vault"
        vault.mkdir(parents=True, exist_ok=True)
        for path, lines in self.notes.items():
            file = vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        rows = []
        for question in self.questions:
            relevant = [{"path": place.path, "start_line": place.first, "end_line": place.last} for place in question.evidence]
            if relevant:
                rows.append({"id": question.id, "query": question.text, "category": question.kind, "relevant": relevant})
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (Path(folder) / "questions.jsonl").write_text(text, encoding="utf-8")
        return vault


class Unusable(Exception):
    """A folder is not the clone that it should be."""


def read_json(path, clone):
    """Reads a file of a clone."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Unusable(f"{path} does not exist: the folder should be a clone of {clone}") from None
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from None
