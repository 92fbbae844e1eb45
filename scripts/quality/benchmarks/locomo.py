"""LoCoMo: ten long conversations of two people each. A conversation becomes a vault with a note for each session.

The clone holds `data/locomo10.json`, a list of conversations, or in older revisions `data/locomo10.zip`, a file for each. A
conversation numbers its sessions, each with a time and turns; a question names its evidence by turns (`D3:7` is the seventh turn of
the third session). A turn is one line of a note, and the evidence are such lines. A question that names no turn is left out.
"""

import json
import re
import zipfile
from datetime import datetime
from pathlib import Path

from .vault import Place, Question, Unusable, Vault, lines_of

CLONE = "snap-research/locomo"
# The numbers of the conversations that rules and constants may be tuned on.
DEVELOPMENT = ("26", "30")
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
TURN = re.compile(r"D:?\s*(\d+)\s*:\s*(\d+)")


def read(folder, development=False):
    """Returns a vault for each conversation, and the number of questions that were left out."""
    vaults, left_out = [], 0
    for number, conversation, questions in sorted(conversations(Path(folder) / "data")):
        if development and number not in DEVELOPMENT:
            continue
        vault, places = converted(number, conversation)
        for at, asked in enumerate(questions):
            evidence = [places[turn] for turn in turns(asked.get("evidence") or []) if turn in places]
            if evidence:
                kind = KINDS.get(asked.get("category"), "other")
                vault.questions.append(Question(f"{number}-{at}", asked["question"], kind, list(dict.fromkeys(evidence))))
            else:
                left_out += 1
        vaults.append(vault)
    return vaults, left_out


def conversations(data):
    """Yields the number, the sessions and the questions of each conversation in either form of the file."""
    plain, packed = data / "locomo10.json", data / "locomo10.zip"
    try:
        if plain.is_file():
            for entry in json.loads(plain.read_text(encoding="utf-8")):
                yield number_of(entry["sample_id"]), entry["conversation"], entry["qa"]
        elif packed.is_file():
            with zipfile.ZipFile(packed) as archive:
                for name in archive.namelist():
                    if name.endswith(".json") and "__MACOSX" not in name:
                        entry = json.loads(archive.read(name).decode("utf-8"))
                        yield number_of(Path(name).stem), entry, entry["qa"]
        else:
            raise Unusable(f"{data} has neither locomo10.json nor locomo10.zip: the folder should be a clone of {CLONE}")
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise Unusable(f"the conversations in {data} cannot be read: {error!r}") from error


def number_of(name):
    return re.sub(r"\D", "", name)


def turns(evidence):
    """Returns the session and the turn of each piece of evidence."""
    return [(int(session), int(turn)) for text in evidence for session, turn in TURN.findall(str(text))]


def converted(number, conversation):
    """Returns the vault of a conversation, without questions, and the place of each turn."""
    vault, places = Vault(f"locomo-{number}"), {}
    people = f"{conversation['speaker_a']} and {conversation['speaker_b']}"
    for key in conversation:
        session = re.fullmatch(r"session_(\d+)", key)
        if not session or not conversation[key]:
            continue
        at = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y")
        path = f"{at:%Y-%m-%d} session {int(session[1]):02}.md"
        lines = [f"# {people}, {at.day} {at:%B %Y}", "", f"Session {session[1]}, at {at:%H:%M}.", ""]
        for turn in conversation[key]:
            said = " ".join(" ".join(lines_of(turn["text"])).split())
            if turn.get("blip_caption"):
                said += f" [a photo: {' '.join(turn['blip_caption'].split())}]"
            lines.append(f"- {turn['speaker']}: {said}")
            for place in turns([turn["dia_id"]]):
                places[place] = Place(path, len(lines), len(lines))
        vault.notes[path] = lines
    return vault, places
