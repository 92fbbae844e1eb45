"""Checks that the marks of the set fit its texts, so that a typing error does not count as a fault of tars."""
import itertools

from player import matches


def problems(sessions, person, pairs, answers):
    """Returns the faults of the set, one line each. `answers` are the recorded good answers."""
    found = [*of_sessions(sessions), *of_person(sessions, person), *of_pairs(person, pairs)]
    return found + [text for session in sessions for text in of_answers(session, answers)]


def of_sessions(sessions):
    for session in sessions:
        asked = [line for turn in session["turns"] for line in turn["ask"].splitlines()]
        said = [line for turn in session["turns"] for act in turn["do"] for line in act.get("say", "").splitlines()]
        for kind, lines in (("facts", asked), ("may", asked + said), ("not_facts", asked + said), ("open", asked + said)):
            for mark in session[kind]:
                if not any(matches(mark, line) for line in lines):
                    yield f"{session['id']}: no line matches {kind} {mark}"
        for secret in session["secrets"]:
            if not any(secret in line for line in asked + said):
                yield f"{session['id']}: no line contains the secret {secret}"


def of_person(sessions, person):
    lines = remembered(person)
    for line in sorted({line for line in lines if lines.count(line) > 1}):
        yield f"remembered twice: {line}"
    for session, line in itertools.product(sessions, lines):
        for mark in session["not_facts"]:
            if matches(mark, line):
                yield f"remembered, though {session['id']} says that it must never be a fact: {line}"


def of_pairs(person, pairs):
    lines, used = remembered(person), []
    for pair in pairs:
        for mark in (pair["one"], pair["other"]):
            if not any(matches(mark, line) for line in lines):
                yield f"no remembered line matches {mark} of a pair"
        if pair["kind"] != "neither":
            used += [tuple(pair["one"]), tuple(pair["other"])]
    for mark in sorted({mark for mark in used if used.count(mark) > 1}):
        yield f"in two pairs: {mark}"


def of_answers(session, answers):
    """The good answers contain every fact of their session, and nothing else."""
    for job in ("notes", "extract"):
        said = answers[job].get(session["id"], {})
        texts = said["facts"] if job == "notes" else [fact["text"] for fact in said]
        for mark in session["facts"]:
            if not any(matches(mark, text) for text in texts):
                yield f"{session['id']}: no good answer of {job} contains {mark}"
        for text in texts:
            if not any(matches(mark, text) for mark in session["facts"]) or any(matches(mark, text) for mark in session["not_facts"]):
                yield f"{session['id']}: a good answer of {job} contains no marked fact: {text}"


def remembered(person):
    return [entry["text"] for entry in person if entry["do"] == "remember"]
