"""Cases: their plan, their defects and their counts."""

import random
import threading


class Defect(Exception):
    """Something that must hold did not."""


class Case:
    """One attack. Everything random in it comes from the seed and its number, so it can be repeated alone."""

    def __init__(self, seed, number, door, kind, place):
        self.number, self.door, self.kind, self.place = number, door, kind, place
        self.random = random.Random(f"{seed} {number}")
        # The exchange, for the report of a defect.
        self.steps = []

    def pick(self, table):
        """Returns the entry of a table that is this case's turn, so that the cases of a kind meet every entry."""
        return table[self.place % len(table)]

    def word(self):
        """Returns a word that no note and no other case contains."""
        return f"zq{self.number}" + "".join(self.random.choice("bdfgklmnprstvw") + self.random.choice("aeiou") for _ in range(4))

    def note(self, step, content=""):
        """Remembers a step for the report."""
        self.steps.append(f"{step}: {short(content)}" if content != "" else step)

    def expect(self, holds, what):
        """Fails with a defect unless something holds."""
        if not holds:
            raise Defect(what)


class Kind:
    """A kind of attack of a door: a function that makes one case of it, and the number of cases."""

    def __init__(self, name, cases, attack):
        self.name, self.cases, self.attack = name, cases, attack


class Tally:
    """The counts of all threads, by door and kind."""

    def __init__(self):
        self.lock = threading.Lock()
        self.cases, self.defects, self.seconds = {}, {}, {}
        self.listed = []

    def add(self, case, seconds, defect):
        key = (case.door, case.kind)
        with self.lock:
            self.cases[key] = self.cases.get(key, 0) + 1
            self.seconds[key] = self.seconds.get(key, 0) + seconds
            if defect is not None:
                self.defects[key] = self.defects.get(key, 0) + 1
                self.listed.append((case.number, defect))


def plan(doors, seed):
    """Returns all cases of all doors. A case has the same number whichever doors run."""
    cases, number = [], 0
    for door in doors:
        for kind in door.KINDS:
            for place in range(kind.cases):
                number += 1
                cases.append((Case(seed, number, door.NAME, kind.name, place), kind))
    return cases


def short(content, most=600):
    """Returns the beginning and the end of a text or of bytes, for a report."""
    said = content if isinstance(content, str) else repr(content)
    return said if len(said) <= most else f"{said[:most // 2]} … {len(said)} characters … {said[-most // 4:]}"
