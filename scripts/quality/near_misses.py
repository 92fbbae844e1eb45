"""Near misses: questions whose answering lines are taken out of the notes, while the rest of the notes stays."""

import shutil
from pathlib import Path

# The share of a note's lines with text that may go for one question. With more, the note no longer speaks of the subject.
MOST_OF_ONE = 0.5
# The share of a note's lines that several questions of a part may take together.
MOST_OF_SEVERAL = 0.2


def answering_lines(question, texts):
    """Returns the numbers of the answering lines by path; nothing if whole notes answer, or too much of a note would go."""
    lines = {}
    for place in question["relevant"]:
        if place["path"] not in texts or "collection" in place or "start_line" not in place:
            return {}
        last = place.get("end_line", place["start_line"])
        lines.setdefault(place["path"], set()).update(range(place["start_line"], last + 1))
    for path, numbers in lines.items():
        filled = [number for number, line in enumerate(texts[path], start=1) if line.strip()]
        if len(numbers.intersection(filled)) > MOST_OF_ONE * len(filled):
            return {}
    return lines


def parts(questions, texts):
    """Divides the questions whose answers are lines: the questions of a part lose their lines together, so that the vault is indexed
    once a part. Returns pairs of the questions of a part and its lines by path."""
    found = []
    for question in questions:
        lines = answering_lines(question, texts)
        if not lines:
            continue

        def has_room(taken):
            return all(
                path not in taken or len(taken[path] | numbers) <= MOST_OF_SEVERAL * len(texts[path])
                for path, numbers in lines.items()
            )

        part = next((part for part in found if has_room(part[1])), None)
        if part is None:
            found.append(part := ([], {}))
        part[0].append(question)
        for path, numbers in lines.items():
            part[1].setdefault(path, set()).update(numbers)
    return found


def asked(questions, vault, data, folder, index, ask):
    """Asks each question of a copy of the vault without its answering lines. `data` is the data folder of the whole vault, whose vectors
    the copy goes on using; `index(vault, data)` and `ask(vault, data, queries)` run tars. Yields each question with its answer."""
    vault, folder = Path(vault), Path(folder)
    names = {place["path"] for question in questions for place in question["relevant"]}
    texts = {name: (vault / name).read_text(encoding="utf-8").split("\n") for name in sorted(names) if (vault / name).is_file()}
    divided = parts(questions, texts)
    if not divided:
        return
    copy, copied = folder / "vault", folder / "data"
    shutil.copytree(vault, copy, ignore=shutil.ignore_patterns(".git"))
    shutil.copytree(data, copied)
    for these, lines in divided:
        for name, numbers in lines.items():
            kept = [line for number, line in enumerate(texts[name], start=1) if number not in numbers]
            (copy / name).write_text("\n".join(kept), encoding="utf-8")
        index(copy, copied)
        yield from zip(these, ask(copy, copied, [question["query"] for question in these]))
        for name in lines:
            shutil.copyfile(vault / name, copy / name)
