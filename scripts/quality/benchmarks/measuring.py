"""Measures a program on each benchmark."""

import json
import sys
import tempfile
from pathlib import Path

from . import beam, locomo, precision
from .figures import evidence_shown, first_results, notes_found, of_context, of_results, texts_shown
from .program import Program

# Enough results to name ten different notes.
LIMIT = 50
CHARACTERS = 8000
BUDGET = 1500
MODES = ("hybrid", "keyword", "vector")


class Measured:
    """The values of each figure by question, in the order in which figures first came, and the kind of each question."""

    def __init__(self):
        self.figures, self.kinds = {}, {}

    def add(self, figure, question, value):
        self.figures.setdefault(figure, {})[question.id] = value
        self.kinds[question.id] = question.kind


class Bench:
    """A program to measure, the modes of its searches, and the folder for vaults and indexes."""

    def __init__(self, binary, modes, folder):
        self.binary, self.modes, self.folder = binary, modes, Path(folder)
        self.measured = Measured()

    def started(self, vault):
        """Writes and indexes a vault. Returns the program over it."""
        where = self.folder / vault.name
        program = Program(self.binary, vault.write(where).resolve(), where / "home")
        program.index()
        print(f"{vault.name}: {len(vault.notes)} notes, {len(vault.questions)} questions", file=sys.stderr, flush=True)
        return program

    def searched(self, program, questions, *options):
        """Yields the results in each mode, and the words that distinguish its figures."""
        for mode in self.modes:
            yield program.search(questions, "--mode", mode, "--limit", LIMIT, *options), "" if mode == "hybrid" else f" ({mode} search)"

    def context(self, figure, vault, program, question):
        pieces = program.context(question.text, "--budget", BUDGET)[1]
        self.measured.add(figure, question, evidence_shown(vault.notes, of_context(pieces), question.evidence))

    def locomo(self, folder, development):
        vaults, left_out = locomo.read(folder, development)
        tell("LoCoMo", vaults, left_out)
        for vault in vaults:
            program = self.started(vault)
            for found, mode in self.searched(program, vault.questions):
                for question in vault.questions:
                    for count in (5, 10):
                        share = notes_found(found[question.id], question.evidence, count)
                        self.measured.add(f"LoCoMo: R@{count} by session{mode}", question, share)
                    if question.kind == "multi-hop":
                        self.measured.add(f"LoCoMo: R@10 by session, multi-hop alone{mode}", question, share)
            for question in vault.questions:
                self.context(f"LoCoMo: evidence in a context of {BUDGET:,} tokens", vault, program, question)

    def beam(self, folder, development):
        vaults, left_out = beam.read(folder, development)
        tell("BEAM", vaults, left_out)
        for vault in vaults:
            program = self.started(vault)
            answerable = [question for question in vault.questions if question.evidence]
            firsts = {}
            for found, mode in self.searched(program, answerable):
                for question in answerable:
                    results = found[question.id]
                    for count in (5, 10):
                        share = notes_found(results, question.evidence, count)
                        self.measured.add(f"BEAM: R@{count} by note{mode}", question, share)
                    shown = first_results(results, CHARACTERS)
                    self.evidence(f"BEAM: evidence in the first {CHARACTERS:,} characters{mode}", vault, shown, question)
                firsts[mode] = {question.id for question in answerable if notes_found(found[question.id], question.evidence, 5)}
            for found, mode in self.searched(program, answerable, "--budget", CHARACTERS // 4):
                for question in answerable:
                    figure = f"BEAM: evidence in `search --budget {CHARACTERS // 4}`{mode}"
                    self.evidence(figure, vault, found[question.id], question)
            for question in answerable:
                self.context(f"BEAM: evidence in a context of {BUDGET:,} tokens", vault, program, question)
            for found, mode in self.searched(program, vault.questions, "--min-score", "gate"):
                for question in vault.questions:
                    results = found[question.id]
                    if not question.evidence:
                        self.measured.add(f"BEAM: unanswerable questions under the gate{mode}", question, float(not results))
                    elif question.id in firsts[mode]:
                        kept = notes_found(results, question.evidence, 5) > 0
                        self.measured.add(f"BEAM: answers in the first five notes that pass the gate{mode}", question, float(kept))

            self.standing(vault, program)

    def standing(self, vault, program):
        """Imports the chats of a person, and looks for standing statements among the proposals."""
        file = self.folder / vault.name / "conversations.json"
        file.write_text(json.dumps(beam.export(vault)), encoding="utf-8")
        imported = json.loads(program.run("import", "chatgpt", file, "--dry-run", "--proposals", 100_000, "--json"))
        print(f"{vault.name}: an import makes {len(imported['proposals'])} proposals", file=sys.stderr, flush=True)
        for question in vault.questions:
            if question.kind in beam.STANDING and question.evidence:
                value = float(beam.is_proposed(vault, imported, question))
                self.measured.add(f"BEAM: {question.kind.replace('_', ' ')}, proposed by an import", question, value)

    def evidence(self, figure, vault, results, question):
        self.measured.add(figure, question, evidence_shown(vault.notes, of_results(results), question.evidence))

    def precision(self, folder):
        facts, cases = precision.read(folder)
        for form in precision.FORMS:
            programs = {}
            for case in cases:
                scopes = case.scopes if form == "the scope alone" else ()
                if (case.user, scopes) not in programs:
                    memory = facts.memory(form, case.user, scopes)
                    memory.name = "-".join(["precision", *form.split(), case.user, *scopes])
                    programs[case.user, scopes] = (memory, self.started(memory))
                self.case(form, facts, case, *programs[case.user, scopes])

    def case(self, form, facts, case, memory, program):
        rows = facts.of(case.user)
        texts = [facts.line(row) for row in rows]
        repository = program.repository(case.scopes[0])
        asked = case.text.strip() and case.most and memory.notes
        for door, ask in (
            ("`tars context`", lambda: program.context(case.text, directory=repository)[0]),
            ("the brief of a prompt", lambda: program.brief(case.text, repository)),
        ):
            block = ask() if asked else None
            found = [rows[number]["_id"] for number in texts_shown(block or "", texts)]
            both = precision.precision_and_recall(facts.counted(case, found), case.wanted)
            for name, value in zip(("precision", "recall"), both):
                if value is not None:
                    self.measured.add(f"PrecisionMemBench, {form}: {name} of {door}", case, value)


def tell(name, vaults, left_out):
    asked = sum(len(vault.questions) for vault in vaults)
    print(f"{name}: {asked} questions of {len(vaults)} vaults; {left_out} without known evidence left out", file=sys.stderr, flush=True)


def measure(options):
    """Measures everything that the options name. Returns the measured values."""
    with tempfile.TemporaryDirectory(prefix="tars-memory-") as scratch:
        bench = Bench(options.bin, MODES if options.modes else MODES[:1], options.keep or scratch)
        if options.locomo:
            bench.locomo(options.locomo, options.development)
        if options.beam:
            bench.beam(options.beam, options.development)
        if options.precision:
            bench.precision(options.precision)
        return bench.measured
