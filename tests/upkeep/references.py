"""Replaces marks in the recorded answers of a model by numbers of lines.

A request shows its lines between `<lines-HEX>` and `</lines-HEX>`, each a JSON object with its number `n` and its `text`. A recorded
answer cannot know the numbers, so its `from` and `by` contain marks: lists of words that occur together in one line; case does not
matter. Other values (a number, a word) stay as they are, like those of a model that names lines which do not exist.
"""
import json
import re

SHOWN = re.compile(r"<lines-([0-9A-Fa-f]+)>\n(.*?)</lines-\1>", re.DOTALL)


def shown_lines(request):
    """Returns the texts of a request's lines by their numbers."""
    blocks = [block for _, block in SHOWN.findall(request)]
    lines = [json.loads(line) for block in blocks for line in block.splitlines() if line.startswith("{")]
    return {line["n"]: line["text"] for line in lines}


def numbers_of(mark, lines):
    """Returns the numbers of the lines that contain every word of a mark; another value as it is."""
    if not isinstance(mark, list):
        return [mark]
    return [n for n, text in lines.items() if all(word.casefold() in text.casefold() for word in mark)]


def resolve(item, lines):
    """Returns a recorded item with numbers for its marks; None if a mark matches no line."""
    if not isinstance(item, dict):
        return item
    resolved = dict(item)
    found = []
    if isinstance(item.get("from"), list):
        found = [numbers_of(mark, lines) for mark in item["from"]]
        # Each number once, in the order of the marks.
        resolved["from"] = list(dict.fromkeys(n for numbers in found for n in numbers))
    if isinstance(item.get("by"), list):
        by = numbers_of(item["by"], lines)
        found.append(by)
        resolved["by"] = by[-1] if by else None
    return resolved if all(found) else None
