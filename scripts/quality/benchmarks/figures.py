"""The figures of a question, and their means with intervals."""

import html
import random
import re

# Resamples of a bootstrap, and the seed of the choice.
ROUNDS, SEED = 2000, 1
# The shortest part of a cut line that tells which line was cut, in characters.
TELLING = 20


def notes_found(results, evidence, count):
    """Returns the share of the notes with evidence among the first notes of the results."""
    first = list(dict.fromkeys(result["path"] for result in results))[:count]
    wanted = {place.path for place in evidence}
    return len(wanted.intersection(first)) / len(wanted)


def first_results(results, characters):
    """Returns the first results whose text fits in a number of characters; the first one counts whatever its length."""
    taken, used = [], 0
    for result in results:
        used += len(result["content"])
        if taken and used > characters:
            break
        taken.append(result)
    return taken


def squeezed(text):
    return " ".join(text.split())


def shown_lines(lines, first, last, excerpt):
    """Returns the numbers of those lines of a note, between two of them, that an excerpt shows whole or cut. Blank lines do not count."""
    whole, parts = set(), []
    for line in excerpt.splitlines():
        whole.add(squeezed(line))
        if "…" in line:
            parts += [part for part in map(squeezed, line.split("…")) if len(part) >= TELLING]
    shown = set()
    for number in range(max(first, 1), min(last, len(lines)) + 1):
        line = squeezed(lines[number - 1])
        if line and (line in whole or any(part in line for part in parts)):
            shown.add(number)
    return shown


def evidence_shown(notes, excerpts, evidence):
    """Returns the share of the evidence of which some line is in the excerpts: their path, first and last line, and text."""
    seen = {}
    for path, first, last, text in excerpts:
        if path in notes:
            seen.setdefault(path, set()).update(shown_lines(notes[path], first, last, text))
    held = [place for place in evidence if seen.get(place.path, set()).intersection(range(place.first, place.last + 1))]
    return len(held) / len(evidence)


def of_results(results):
    """Returns the excerpts of a search's results, with marks where a line is cut."""
    cut = lambda result: ("…" if result.get("start_column") else "") + result["content"] + ("…" if result.get("end_column") else "")
    return [(result["path"], result["start_line"], result["end_line"], cut(result)) for result in results]


def of_context(pieces):
    """Returns the excerpts of a context, whose markup characters are entities."""
    return [(piece["path"], piece["start_line"], piece["end_line"], html.unescape(piece["text"])) for piece in pieces]


def texts_shown(block, texts):
    """Returns the numbers of the texts that a block for an agent shows, in the order in which they come."""
    plain = html.unescape(re.sub(r"<[^>]*>", "", block))
    whole = squeezed(plain)
    # A fact of the memory is an item of a list.
    items = [line.strip().removeprefix("- ") for line in plain.splitlines() if "…" in line]
    parts = [squeezed(part) for item in items for part in item.split("…")]
    found = []
    for number, text in enumerate(map(squeezed, texts)):
        at = whole.find(text)
        if at < 0:
            at = min((whole.find(part) for part in parts if len(part) >= TELLING and part in text), default=-1)
        if at >= 0:
            found.append((at, number))
    return [number for _, number in sorted(found)]


def mean(values):
    return sum(values) / len(values)


def bounds(means):
    """Returns the bounds of the 95 % interval of resampled means."""
    means = sorted(means)
    return means[int(0.025 * len(means))], means[max(0, int(0.975 * len(means)) - 1)]


def interval(values):
    """Returns the bounds of the 95 % interval of the mean."""
    choice = random.Random(SEED)
    return bounds([mean(choice.choices(values, k=len(values))) for _ in range(ROUNDS)])


def difference(before, after):
    """Compares the values of two runs by question. Returns the difference of the means, its 95 % interval, and the share of resamples in
    which the second run is no better. A resample chooses questions, so both runs answer the same ones. A question may have a value in one run
    alone, such as the precision of an answer that now stays away: the other run's mean leaves it out."""
    questions, choice, changes = sorted(before.keys() | after.keys()), random.Random(SEED), []
    for _ in range(ROUNDS):
        chosen = choice.choices(questions, k=len(questions))
        runs = [[run[question] for question in chosen if question in run] for run in (before, after)]
        if all(runs):
            changes.append(mean(runs[1]) - mean(runs[0]))
    change = mean(list(after.values())) - mean(list(before.values()))
    return change, *bounds(changes), sum(value <= 0 for value in changes) / len(changes)
