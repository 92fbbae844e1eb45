"""BEAM, the chats of about 100,000 tokens: twenty people, each over months with an assistant. A person's chats become a vault with a
note for each exchange.

The clone holds `chats/100K/N/chat.json`, batches of exchanges, and `probing_questions/probing_questions.json`, the questions by the
ability that they test. A batch names its day in one of its messages. A question names its evidence by the ids of messages, in a list or in
a dictionary of lists; the evidence are the lines of those messages. Such an id says which message a question was made from, so another
message may hold the same fact. The questions of the ability `abstention` have no answer. Any other question without an id is left out.
"""

import re
from datetime import datetime, timezone
from pathlib import Path

from .vault import Place, Question, Unusable, Vault, lines_of, read_json

CLONE = "mohammadtavakoli78/BEAM"
# The chats that rules and constants may be tuned on.
DEVELOPMENT = range(1, 11)
UNANSWERABLE = "abstention"
# Their questions are right only if what the person once said about answers, or prefers, is known.
STANDING = ("instruction_following", "preference_following")
# Messages end with the numbers of the points of a plan that they were made from.
PLAN = re.compile(r"\s*->->\s*[\d,\s]*(N/A|\))?\s*\Z")
FENCE = re.compile(r"\s*(```|~~~)")


def read(folder, development=False):
    """Returns a vault for each person, and the number of questions that were left out."""
    chats = Path(folder) / "chats" / "100K"
    numbers = sorted(int(path.name) for path in chats.glob("*") if path.name.isdigit())
    if not numbers:
        raise Unusable(f"{chats} has no chats: the folder should be a clone of {CLONE}")
    vaults, left_out = [], 0
    for number in numbers:
        if development and number not in DEVELOPMENT:
            continue
        vault, places = converted(number, read_json(chats / str(number) / "chat.json", CLONE))
        probes = read_json(chats / str(number) / "probing_questions" / "probing_questions.json", CLONE)
        for ability, asked in probes.items():
            for at, probe in enumerate(asked):
                known = [places[message] for message in ids(probe.get("source_chat_ids")) if message in places]
                if known or ability == UNANSWERABLE:
                    name = f"{number}-{ability}-{at}"
                    evidence = [] if ability == UNANSWERABLE else list(dict.fromkeys(known))
                    vault.questions.append(Question(name, probe["question"], ability, evidence))
                else:
                    left_out += 1
        vaults.append(vault)
    return vaults, left_out


def ids(sources):
    """Returns the ids of messages in a list, or in the lists of a dictionary."""
    if isinstance(sources, dict):
        sources = list(sources.values())
    if isinstance(sources, list):
        return [one for source in sources for one in ids(source)]
    return [] if sources is None else [sources]


def converted(number, batches):
    """Returns the vault of a person, without questions, and the place of each message."""
    vault, places = Vault(f"beam-{number}"), {}
    for batch in batches:
        messages = [message for exchange in batch["turns"] for message in exchange]
        day = next((message["time_anchor"] for message in messages if message.get("time_anchor")), None)
        if day is None:
            raise Unusable(f"a batch of chat {number} has no day")
        day = datetime.strptime(day, "%B-%d-%Y")
        for position, exchange in enumerate(batch["turns"], start=1):
            path = f"{day:%Y-%m-%d} conversation {position:02}.md"
            lines = vault.notes.setdefault(path, [])
            lines += [f"# Conversation {position} of {day.day} {day:%B %Y}", ""]
            vault.chats.append((path, day, [(message["role"], PLAN.sub("", message["content"])) for message in exchange]))
            for message in exchange:
                lines += [f"**{message['role'].capitalize()}**", ""]
                first = len(lines) + 1
                lines += said(message["content"])
                places[message["id"]] = Place(path, first, len(lines))
                lines.append("")
    return vault, places


def said(content):
    """Returns the lines of a message, without the numbers at its end, and with a fence that it leaves open closed."""
    lines, fence = lines_of(PLAN.sub("", content)), None
    for line in lines:
        mark = FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = mark[1] if fence is None else None
    return lines + [fence] if fence else lines


def export(vault):
    """Returns the chats of a vault as an export of ChatGPT, each under its number."""
    conversations = []
    for number, (_, day, messages) in enumerate(vault.chats):
        began = day.replace(tzinfo=timezone.utc).timestamp()
        mapping = {"root": {"message": None, "parent": None}}
        for place, (role, text) in enumerate(messages):
            message = {"author": {"role": role}, "create_time": began, "content": {"content_type": "text", "parts": [text]}}
            mapping[f"m{place}"] = {"message": message, "parent": f"m{place - 1}" if place else "root"}
        last = f"m{len(messages) - 1}"
        conversations.append({"conversation_id": str(number), "create_time": began, "current_node": last, "mapping": mapping})
    return conversations


def is_proposed(vault, imported, question):
    """Whether an import proposes something that the evidence of a question says, by its JSON."""
    notes = {vault.chats[int(chat["chat"].partition(":")[2])][0]: chat["path"] for chat in imported["chats"]}
    plain = lambda text: " ".join(re.findall(r"\w+", text.lower()))
    for place in question.evidence:
        text = plain(" ".join(vault.notes[place.path][place.first - 1 : place.last]))
        said = [one["text"] for proposal in imported["proposals"] for one in proposal["said"] if one["chat"] == notes[place.path]]
        # The day stands before the words.
        if any(plain(one.partition(" ")[2]) in text for one in said):
            return True
    return False
